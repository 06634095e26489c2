/* tags.h and readings.h for Python. The contract is xml5tree/accelerator/_scan.pyi.

   Tags are kept in a capsule from one call to the next. Comparing them calls Python code, which may not use the same tags
   meanwhile. */

#ifndef XML5TREE_AHEAD_H
#define XML5TREE_AHEAD_H

#include "readings.h"

static const char TAGS[] = "xml5tree.tags";

/* A text whose number has been asked for. */
typedef struct {
    PyObject *text;
    uint32_t number;
} Numbered;

/* Of so many texts the numbers are found without reading them: the names of the open elements are the same objects each
   time, and there may be hundreds of them. */
enum { MOST_NUMBERED = 64 };

typedef struct {
    Tags tags;
    Memory memory;
    Outlook outlook;
    PyObject **texts; /* of the names, where they have been asked for */
    size_t text_count;
    Numbered numbered[MOST_NUMBERED];
    int is_busy;
} Ahead;

/* The UTF-8 of a string, which lives as long as that. 0 on failure. */
static int utf8_of(PyObject *text, Slice *slice)
{
    Py_ssize_t length;
    const char *start = PyUnicode_AsUTF8AndSize(text, &length);
    *slice = (Slice){(const uint8_t *)start, (size_t)length};
    return start != NULL;
}

/* Whether something is a tuple; there is a TypeError if not. `PyArg_ParseTuple` raises a SystemError for what is none. */
static int is_tuple(PyObject *object, const char *what)
{
    if (PyTuple_Check(object))
        return 1;
    PyErr_Format(PyExc_TypeError, "%s is a tuple", what);
    return 0;
}

/* Arguments and results ------------------------------------------------------------------------------------------------ */

static void forget_texts(Ahead *ahead)
{
    for (size_t i = 0; i < ahead->text_count; i++)
        Py_CLEAR(ahead->texts[i]);
    for (size_t i = 0; i < MOST_NUMBERED; i++)
        Py_CLEAR(ahead->numbered[i].text);
}

static void close_tags(PyObject *capsule)
{
    Ahead *ahead = PyCapsule_GetPointer(capsule, TAGS);
    if (!ahead)
        return;
    forget_texts(ahead);
    PyMem_Free(ahead->texts);
    release_tags(&ahead->tags);
    forget_all(&ahead->memory);
    release_outlook(&ahead->outlook);
    PyMem_Free(ahead);
}

static PyObject *open_tags(PyObject *module, PyObject *seed)
{
    (void)module;
    unsigned long long value = PyLong_AsUnsignedLongLongMask(seed);
    if (PyErr_Occurred())
        return NULL;
    Ahead *ahead = PyMem_Calloc(1, sizeof *ahead);
    if (!ahead || !begin_tags(&ahead->tags, (uint32_t)(value & UINT32_MAX))) {
        PyMem_Free(ahead);
        return PyErr_NoMemory();
    }
    begin_memory(&ahead->memory, value);
    PyObject *capsule = PyCapsule_New(ahead, TAGS, close_tags);
    if (!capsule) {
        release_tags(&ahead->tags);
        PyMem_Free(ahead);
    }
    return capsule;
}

static Ahead *ahead_of(PyObject *capsule)
{
    Ahead *ahead = PyCapsule_GetPointer(capsule, TAGS);
    if (ahead && ahead->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, "the tags are in use");
        return NULL;
    }
    return ahead;
}

/* The text of a name, borrowed; NULL on failure. */
static PyObject *text_of(Ahead *ahead, uint32_t name)
{
    if (name >= ahead->text_count) {
        size_t count = 2 * ahead->tags.names.count;
        PyObject **texts = PyMem_Realloc(ahead->texts, count * sizeof *texts);
        if (!texts)
            return PyErr_NoMemory();
        memset(texts + ahead->text_count, 0, (count - ahead->text_count) * sizeof *texts);
        ahead->texts = texts;
        ahead->text_count = count;
    }
    if (!ahead->texts[name]) {
        const Name *item = &ahead->tags.names.items[name];
        const char *start = (const char *)ahead->tags.names.bytes + item->start;
        ahead->texts[name] = PyUnicode_DecodeUTF8(start, (Py_ssize_t)item->length, "strict");
    }
    return ahead->texts[name];
}

/* The number of a name; 0 on failure. */
static int number_of_text(Ahead *ahead, PyObject *text, uint32_t *number)
{
    Slice name;
    Numbered *numbered = &ahead->numbered[((uintptr_t)text >> 4) % MOST_NUMBERED];
    if (numbered->text == text) {
        *number = numbered->number;
        return 1;
    }
    if (!utf8_of(text, &name))
        return 0;
    if (!number_of(&ahead->tags.names, name, number)) {
        PyErr_NoMemory();
        return 0;
    }
    PyObject *before = numbered->text;
    *numbered = (Numbered){Py_NewRef(text), *number};
    Py_XDECREF(before);
    return 1;
}

/* Push the names of a sequence; 0 on failure. */
static int push_all(Ahead *ahead, PyObject *sequence, Stack *stack)
{
    Py_ssize_t count = PySequence_Size(sequence);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *text = PySequence_GetItem(sequence, i);
        uint32_t name;
        int is_there = text && number_of_text(ahead, text, &name);
        Py_XDECREF(text);
        if (!is_there)
            return 0;
        if (!push_name(stack, name)) {
            PyErr_NoMemory();
            return 0;
        }
    }
    return count >= 0;
}

/* Tags ------------------------------------------------------------------------------------------------------------------- */

/* So many names are kept at most, more than a document is learned from: then all is forgotten. */
enum { MOST_NAMES = 1 << 14 };

static int forget_names(Ahead *ahead)
{
    uint32_t seed = ahead->tags.names.seed;
    forget_texts(ahead);
    forget_all(&ahead->memory);
    release_outlook(&ahead->outlook);
    release_tags(&ahead->tags);
    if (begin_tags(&ahead->tags, seed))
        return 1;
    PyErr_NoMemory();
    return 0;
}

/* Whether a token begins at a place, and its index, or the number of all tags. */
static int has_token(const Tags *tags, long long offset, size_t *index)
{
    *index = find_tag(tags, offset);
    if (*index < tags->count && tags->items[*index].start == offset)
        return 1;
    *index = tags->count;
    return 0;
}

static PyObject *has_tag(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule;
    long long offset;
    Ahead *ahead;
    if (!PyArg_ParseTuple(arguments, "OL", &capsule, &offset) || !(ahead = ahead_of(capsule)))
        return NULL;
    size_t index;
    return PyBool_FromLong(has_token(&ahead->tags, offset, &index));
}

static PyObject *drop_tags(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule;
    long long offset;
    Ahead *ahead;
    if (!PyArg_ParseTuple(arguments, "OL", &capsule, &offset) || !(ahead = ahead_of(capsule)))
        return NULL;
    if (ahead->tags.names.count > MOST_NAMES && !forget_names(ahead))
        return NULL;
    Tags *tags = &ahead->tags;
    size_t index;
    int is_there = has_token(tags, offset, &index);
    if (!follow(&ahead->outlook, tags, index))
        return PyErr_NoMemory();
    if (index) {
        ahead->outlook.ahead_index -= ahead->outlook.is_begun ? index : 0;
        ahead->outlook.behind_index = 0;
        memmove(tags->items, tags->items + index, (tags->count - index) * sizeof *tags->items);
        tags->count -= index;
        tags->sure = tags->sure > index ? tags->sure - index : 0;
    }
    return PyBool_FromLong(is_there);
}

static PyObject *cut_tags(PyObject *module, PyObject *capsule)
{
    (void)module;
    Ahead *ahead = ahead_of(capsule);
    if (!ahead)
        return NULL;
    ahead->tags.count = ahead->tags.sure;
    return Py_NewRef(Py_None);
}

static PyObject *read_more_tags(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *data;
    Py_ssize_t at, size;
    long long offset;
    int is_sure;
    char *bytes;
    Ahead *ahead;
    if (!PyArg_ParseTuple(arguments, "OO!nLp", &capsule, &PyBytes_Type, &data, &at, &offset, &is_sure) ||
        !(ahead = ahead_of(capsule)) || PyBytes_AsStringAndSize(data, &bytes, &size) < 0)
        return NULL;
    if (at < 0 || at > size)
        return PyErr_Format(PyExc_ValueError, "no place in the data: %zd", at);
    Place place = {(const uint8_t *)bytes + at, offset};
    if (!read_tags(&ahead->tags, &place, (const uint8_t *)bytes + size))
        return PyErr_NoMemory();
    if (is_sure)
        ahead->tags.sure = ahead->tags.count;
    return Py_BuildValue("nL", (Py_ssize_t)(place.p - (const uint8_t *)bytes), place.offset);
}

static PyObject *add_one_tag(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *name;
    long long start, end;
    unsigned int kind;
    uint32_t number;
    Ahead *ahead;
    if (!PyArg_ParseTuple(arguments, "OLLIU", &capsule, &start, &end, &kind, &name) || !(ahead = ahead_of(capsule)) ||
        !number_of_text(ahead, name, &number))
        return NULL;
    if (!add_tag(&ahead->tags, start, end, kind, kind == IS_TEXT ? TEXT_CHILD : number))
        return PyErr_NoMemory();
    return Py_NewRef(Py_None);
}

static PyObject *list_tags(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule;
    long long offset;
    Py_ssize_t most;
    Ahead *ahead;
    if (!PyArg_ParseTuple(arguments, "OLn", &capsule, &offset, &most) || !(ahead = ahead_of(capsule)))
        return NULL;
    PyObject *list = PyList_New(0);
    size_t first = find_tag(&ahead->tags, offset);
    for (size_t i = first; list && i < ahead->tags.count; i++) {
        const Tag *tag = &ahead->tags.items[i];
        if (i > first && PyList_Size(list) >= most && tag->start != tag[-1].start)
            break;
        PyObject *text = text_of(ahead, tag->kind == IS_TEXT ? NO_NAME : tag->name);
        PyObject *item = text ? Py_BuildValue("IOLL", (unsigned int)tag->kind, text, tag->start, tag->end) : NULL;
        if (!item || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* The names of end tags among so many tags from a place on, where the last of these tags ends, and whether there are no
   more. */
static PyObject *list_end_names(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule;
    long long offset, reached;
    Py_ssize_t most, count = 0;
    Ahead *ahead;
    if (!PyArg_ParseTuple(arguments, "OLn", &capsule, &offset, &most) || !(ahead = ahead_of(capsule)))
        return NULL;
    PyObject *names = PySet_New(NULL);
    size_t first = find_tag(&ahead->tags, offset), i;
    reached = offset;
    for (i = first; names && i < ahead->tags.count; i++) {
        const Tag *tag = &ahead->tags.items[i];
        if (i > first && count >= most && tag->start != tag[-1].start)
            break;
        reached = tag->end;
        count += tag->kind < IS_TEXT;
        if (tag->kind != IS_END)
            continue;
        PyObject *text = text_of(ahead, tag->name);
        if (!text || PySet_Add(names, text) < 0)
            Py_CLEAR(names);
    }
    return names ? Py_BuildValue("NLO", names, reached, i == ahead->tags.count && count < most ? Py_True : Py_False) : NULL;
}

/* Comparing readings --------------------------------------------------------------------------------------------------- */

/* What a document has shown: see `Learned`. */
typedef struct {
    Ahead *ahead;
    PyObject *pairs;
    PyObject *filled;
    PyObject *completed;
    PyObject *void_names;
    PyObject *names;
    PyObject *is_near;
} Shown;

static int is_known_pair(void *context, uint32_t parent, uint32_t child)
{
    Shown *shown = context;
    PyObject *texts[] = {text_of(shown->ahead, parent), text_of(shown->ahead, child)};
    PyObject *pair = texts[0] && texts[1] ? PyTuple_Pack(2, texts[0], texts[1]) : NULL;
    int is_known = pair ? PySet_Contains(shown->pairs, pair) : -1;
    Py_XDECREF(pair);
    return is_known;
}

static int is_perhaps_void(void *context, uint32_t name)
{
    Shown *shown = context;
    PyObject *text = text_of(shown->ahead, name);
    int is_filled = text ? PySet_Contains(shown->filled, text) : -1;
    if (is_filled)
        return is_filled < 0 ? -1 : 0;
    int is_completed = PyDict_Contains(shown->completed, text);
    return is_completed ? is_completed : PySet_Contains(shown->void_names, text);
}

static int is_slip(void *context, uint32_t name, uint32_t current)
{
    Shown *shown = context;
    PyObject *text = text_of(shown->ahead, name), *other = text_of(shown->ahead, current);
    int is_known = text && other ? PySet_Contains(shown->names, text) : -1;
    if (is_known)
        return is_known < 0 ? -1 : 0;
    PyObject *answer = PyObject_CallFunctionObjArgs(shown->is_near, text, other, NULL);
    int is_near = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return is_near;
}

/* Give a reading the pairs that come of its assumption; 0 on failure. */
static int note_pairs(Comparison *comparison, Ahead *ahead, PyObject *pairs, uint32_t reading)
{
    Stack names = {0};
    int is_done = 1;
    for (Py_ssize_t i = 0, count = PyTuple_Size(pairs); is_done && i < count; i++) {
        names.count = 0;
        is_done = push_all(ahead, PyTuple_GetItem(pairs, i), &names);
        if (is_done && names.count != 2) {
            PyErr_SetString(PyExc_ValueError, "a pair is two names");
            is_done = 0;
        }
        is_done = is_done && note_pair(comparison, names.items[0], names.items[1], reading);
    }
    free(names.items);
    return is_done;
}

/* Begin the readings: each is a stack, names that were forced, and pairs. 0 on failure. */
static int begin_readings(Comparison *comparison, Ahead *ahead, PyObject *readings)
{
    Py_ssize_t count = PyTuple_Size(readings);
    if (count < 1 || count > MOST_READINGS) {
        PyErr_Format(PyExc_ValueError, "%zd readings", count);
        return 0;
    }
    comparison->all = calloc((size_t)count, sizeof *comparison->all);
    if (!comparison->all) {
        PyErr_NoMemory();
        return 0;
    }
    while (comparison->count < (size_t)count) {
        size_t reading = comparison->count++;
        Simulation *simulation = &comparison->all[reading];
        PyObject *item = PyTuple_GetItem(readings, (Py_ssize_t)reading), *stack, *forced, *pairs;
        if (!is_tuple(item, "a reading") ||
            !PyArg_ParseTuple(item, "OOO!", &stack, &forced, &PyTuple_Type, &pairs) ||
            !push_all(ahead, stack, &simulation->stack) || !push_all(ahead, forced, &simulation->forced) ||
            !note_pairs(comparison, ahead, pairs, (uint32_t)1 << reading))
            return 0;
        comparison->going[comparison->going_count++] = reading;
    }
    return 1;
}

/* How far has been read, and of each reading its errors and new pairs. */
static PyObject *result_of_comparison(const Comparison *comparison)
{
    long long errors[MOST_READINGS], pairs[MOST_READINGS];
    outcomes(comparison, errors, pairs);
    PyObject *list = PyList_New((Py_ssize_t)comparison->count);
    for (size_t i = 0; list && i < comparison->count; i++) {
        PyObject *item = Py_BuildValue("LL", errors[i], pairs[i]);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0)
            Py_CLEAR(list);
    }
    return list ? Py_BuildValue("LN", reach_of(comparison), list) : NULL;
}

static PyObject *compare_readings(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *readings, *around;
    Shown shown;
    View view = {0};
    Numbers numbers = {0};
    long long start, most_tags, most_evidence;
    Ahead *ahead;
    if (!PyArg_ParseTuple(arguments, "O(LLppp)O!(O!O!O!O!O!O)(LLLLLLU)", &capsule, &start, &view.stop,
                          &view.begins_with_text, &view.is_complete, &view.at_end, &PyTuple_Type, &readings, &PySet_Type,
                          &shown.pairs, &PySet_Type, &shown.filled, &PyDict_Type, &shown.completed, &PyFrozenSet_Type,
                          &shown.void_names, &PySet_Type, &shown.names, &shown.is_near, &most_tags, &most_evidence,
                          &numbers.most_after_root, &numbers.error, &numbers.new_pair, &numbers.doubtful, &around) ||
        !(shown.ahead = ahead = ahead_of(capsule)) || !number_of_text(ahead, around, &numbers.around))
        return NULL;
    numbers.most_tags = (size_t)most_tags;
    numbers.most_evidence = (size_t)most_evidence;
    view.first = find_tag(&ahead->tags, start);
    end_view(&ahead->tags, numbers.most_tags, &view);
    const Facts facts = {&shown, is_known_pair, is_perhaps_void, is_slip};
    Comparison comparison = {
        .tags = &ahead->tags, .memory = &ahead->memory, .facts = &facts, .numbers = &numbers, .view = view};
    ahead->is_busy = 1;
    begin_round(&ahead->memory);
    Progress progress = begin_readings(&comparison, ahead, readings) ? read_all(&comparison) : BROKEN;
    ahead->is_busy = 0;
    PyObject *result = NULL;
    if (progress == FINISHED)
        result = result_of_comparison(&comparison);
    else if (progress == WANTS_MORE)
        result = Py_NewRef(Py_None);
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    release_comparison(&comparison);
    return result;
}

/* Whether the draft's reading of the tags from a place on has an error: see `Outlook`. None: more have to be read. */
static PyObject *find_fault(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *stack, *forced;
    long long start, most;
    int is_complete;
    Ahead *ahead;
    if (!PyArg_ParseTuple(arguments, "OLpOOL", &capsule, &start, &is_complete, &stack, &forced, &most) ||
        !(ahead = ahead_of(capsule)))
        return NULL;
    Simulation here = {0};
    PyObject *result = NULL;
    if (push_all(ahead, stack, &here.stack) && push_all(ahead, forced, &here.forced)) {
        const Tags *tags = &ahead->tags;
        Verity verity = look_out(&ahead->outlook, tags, find_tag(tags, start), &here, (size_t)most);
        if (verity == NO_MEMORY)
            PyErr_NoMemory();
        else
            result = verity == RIGHT && !is_complete ? Py_NewRef(Py_None) : PyBool_FromLong(verity == WRONG);
    }
    release_reading(&here);
    return result;
}

/* Whether an element ends before an error in the draft's reading of the tags from a place on, where `inner` are open in
   it: see `Ahead.ends_rightly`. None: more have to be read. */
static PyObject *ends_rightly(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *outer, *inner;
    long long start, stop, most;
    View view = {0};
    uint32_t name;
    Ahead *ahead;
    if (!PyArg_ParseTuple(arguments, "O(LLp)LUO", &capsule, &start, &stop, &view.is_complete, &most, &outer,
                          &inner) ||
        !(ahead = ahead_of(capsule)) || !number_of_text(ahead, outer, &name))
        return NULL;
    Simulation reading = {0};
    PyObject *result = NULL;
    if (!push_name(&reading.stack, name)) {
        PyErr_NoMemory();
    } else if (push_all(ahead, inner, &reading.stack)) {
        view.first = find_tag(&ahead->tags, start);
        end_view(&ahead->tags, (size_t)most, &view);
        end_view_at(&ahead->tags, stop, &view);
        Verity verity = read_to_end(&ahead->tags, &view, &reading);
        if (verity == NO_MEMORY)
            PyErr_NoMemory();
        else if (verity == RIGHT && reading.stack.count && !view.is_complete)
            result = Py_NewRef(Py_None);
        else
            result = PyBool_FromLong(verity == RIGHT && !reading.stack.count);
    }
    release_reading(&reading);
    return result;
}

#endif
