/* tags.h and readings.h for Python. The contract is xml5tree/accelerator/_scan.pyi.

   A capsule keeps the tags from one call to the next. Other code may run in every call, see texts.h: it may not use the same
   capsule meanwhile, so that pointers to what the capsule has stay right. */

#ifndef XML5TREE_AHEAD_H
#define XML5TREE_AHEAD_H

#include "texts.h"
#include "readings.h"

static const char TAGS[] = "xml5tree.tags";

typedef struct {
    Tags tags;
    Memory memory;
    Texts texts;
    int is_busy;
} Ahead;

/* Arguments and results ------------------------------------------------------------------------------------------------ */

static void close_tags(PyObject *capsule)
{
    Ahead *ahead = PyCapsule_GetPointer(capsule, TAGS);
    if (!ahead)
        return;
    release_texts(&ahead->texts);
    release_tags(&ahead->tags);
    forget_all(&ahead->memory);
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
    ahead->texts.names = &ahead->tags.names;
    begin_memory(&ahead->memory, value);
    PyObject *capsule = PyCapsule_New(ahead, TAGS, close_tags);
    if (!capsule) {
        release_tags(&ahead->tags);
        PyMem_Free(ahead);
    }
    return capsule;
}

/* Do some work with the tags of the capsule that is the first argument; nothing else uses them meanwhile. */
static PyObject *with_tags(PyObject *arguments, PyObject *work(Ahead *ahead, PyObject *arguments))
{
    if (PyTuple_Size(arguments) < 1)
        return PyErr_Format(PyExc_TypeError, "the first argument is a capsule with tags");
    Ahead *ahead = PyCapsule_GetPointer(PyTuple_GetItem(arguments, 0), TAGS);
    if (!ahead)
        return NULL;
    if (ahead->is_busy)
        return PyErr_Format(PyExc_RuntimeError, "the tags are in use");
    ahead->is_busy = 1;
    PyObject *result = work(ahead, arguments);
    ahead->is_busy = 0;
    return result;
}

/* Push the names of a sequence; 0 on failure. */
static int push_all(Ahead *ahead, PyObject *sequence, Stack *stack)
{
    Py_ssize_t count = PySequence_Size(sequence);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *text = PySequence_GetItem(sequence, i);
        uint32_t name;
        int is_there = text && number_of_text(&ahead->texts, text, &name);
        Py_XDECREF(text);
        if (!is_there)
            return 0;
        if (!push_name(stack, name))
            return no_memory();
    }
    return count >= 0;
}

/* Tags ------------------------------------------------------------------------------------------------------------------- */

/* When there are more names than this, all are forgotten. It is more than are learned from a document. */
enum { MOST_NAMES = 1 << 14 };

static int forget_names(Ahead *ahead)
{
    uint32_t seed = ahead->tags.names.seed;
    release_texts(&ahead->texts);
    forget_all(&ahead->memory);
    release_tags(&ahead->tags);
    return begin_tags(&ahead->tags, seed) || no_memory();
}

/* Return whether a token begins at an offset; set `*index` to that of its tag, or to the number of all tags. */
static int has_token(const Tags *tags, long long offset, size_t *index)
{
    *index = find_tag(tags, offset);
    if (*index < tags->count && tags->items[*index].start == offset)
        return 1;
    *index = tags->count;
    return 0;
}

static PyObject *drop(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule;
    long long offset;
    if (!PyArg_ParseTuple(arguments, "OL", &capsule, &offset))
        return NULL;
    if (ahead->tags.names.count > MOST_NAMES && !forget_names(ahead))
        return NULL;
    Tags *tags = &ahead->tags;
    size_t index;
    int is_there = has_token(tags, offset, &index);
    if (index) {
        memmove(tags->items, tags->items + index, (tags->count - index) * sizeof *tags->items);
        tags->count -= index;
        tags->sure = tags->sure > index ? tags->sure - index : 0;
    }
    return PyBool_FromLong(is_there);
}

static PyObject *drop_tags(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, drop);
}

static PyObject *cut(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule;
    if (!PyArg_ParseTuple(arguments, "O", &capsule))
        return NULL;
    ahead->tags.count = ahead->tags.sure;
    return Py_NewRef(Py_None);
}

static PyObject *cut_tags(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, cut);
}

static PyObject *read_more(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule, *bytes;
    Slice data;
    Py_ssize_t at;
    long long offset;
    int is_sure;
    if (!PyArg_ParseTuple(arguments, "OSnLp", &capsule, &bytes, &at, &offset, &is_sure) || !content_of(bytes, &data))
        return NULL;
    if (at < 0 || (size_t)at > data.length || offset < 0 || offset > LLONG_MAX / 2)
        return PyErr_Format(PyExc_ValueError, "no place in the data: %zd", at);
    Place place = {data.start + at, offset};
    if (!read_tags(&ahead->tags, &place, data.start + data.length))
        return PyErr_NoMemory();
    if (is_sure)
        ahead->tags.sure = ahead->tags.count;
    return Py_BuildValue("nL", (Py_ssize_t)(place.p - data.start), place.offset);
}

static PyObject *read_more_tags(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, read_more);
}

static PyObject *add_one(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule, *name;
    long long start, end;
    unsigned int kind;
    uint32_t number;
    if (!PyArg_ParseTuple(arguments, "OLLIU", &capsule, &start, &end, &kind, &name))
        return NULL;
    if (kind > IS_PASSED_OVER)
        return PyErr_Format(PyExc_ValueError, "no kind of tags: %u", kind);
    if (!number_of_text(&ahead->texts, name, &number))
        return NULL;
    if (!add_tag(&ahead->tags, start, end, kind, kind == IS_TEXT ? TEXT_CHILD : number))
        return PyErr_NoMemory();
    return Py_NewRef(Py_None);
}

static PyObject *add_one_tag(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, add_one);
}

static PyObject *list_some(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule;
    long long offset;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(arguments, "OLn", &capsule, &offset, &most))
        return NULL;
    PyObject *list = PyList_New(0);
    size_t first = find_tag(&ahead->tags, offset);
    for (size_t i = first; list && i < ahead->tags.count; i++) {
        const Tag *tag = &ahead->tags.items[i];
        if (i > first && PyList_Size(list) >= most && tag->start != tag[-1].start)
            break;
        PyObject *text = text_of(&ahead->texts, tag->kind == IS_TEXT ? NO_NAME : tag->name);
        PyObject *item = text ? Py_BuildValue("IOLL", (unsigned int)tag->kind, text, tag->start, tag->end) : NULL;
        if (!item || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *list_tags(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, list_some);
}

/* Read a `View` of _scan.pyi; return 0 on failure. */
static int read_view(const Ahead *ahead, PyObject *tuple, size_t most, View *view)
{
    long long start;
    *view = (View){0};
    if (!is_tuple(tuple, "a view") ||
        !PyArg_ParseTuple(tuple, "LLppp", &start, &view->stop, &view->begins_with_text, &view->is_complete, &view->at_end))
        return 0;
    view->first = find_tag(&ahead->tags, start);
    end_view(&ahead->tags, most, view);
    return 1;
}

/* Return the kind and name of the first tag of some `kinds`, and how far tags were looked at. None: more tags have to be
   read. */
static PyObject *find_first(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule, *tuple;
    Py_ssize_t most;
    unsigned int kinds;
    View view;
    if (!PyArg_ParseTuple(arguments, "OOnI", &capsule, &tuple, &most, &kinds) ||
        !read_view(ahead, tuple, (size_t)most, &view))
        return NULL;
    if (view.begins_with_text && kinds >> IS_TEXT & 1)
        return Py_BuildValue("isL", IS_TEXT, "", -1LL);
    const Tag *items = ahead->tags.items;
    size_t i = view.first;
    while (i < view.end && (items[i].kind == IS_PASSED_OVER || !(kinds >> items[i].kind & 1)))
        i++;
    if (i < view.end) {
        PyObject *text = text_of(&ahead->texts, items[i].kind == IS_TEXT ? NO_NAME : items[i].name);
        return text ? Py_BuildValue("IOL", (unsigned int)items[i].kind, text, items[i].end) : NULL;
    }
    return view.is_complete ? Py_BuildValue("isL", -1, "", view.stop) : Py_NewRef(Py_None);
}

static PyObject *first_tag(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, find_first);
}

/* Return the name of the end tag that ends an element, see `Window.end_of_element`, and how far tags were looked at. None:
   more tags have to be read. */
static PyObject *find_end_of_element(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule, *tuple, *own;
    Py_ssize_t most_tags, most, level;
    View view;
    uint32_t name;
    if (!PyArg_ParseTuple(arguments, "OOnUnn", &capsule, &tuple, &most_tags, &own, &most, &level) ||
        !read_view(ahead, tuple, (size_t)most_tags, &view) || !number_of_text(&ahead->texts, own, &name))
        return NULL;
    if (most < 0 || level < 0 || level > PY_SSIZE_T_MAX / 2)
        return PyErr_Format(PyExc_ValueError, "no number of tags or levels");
    long long looked = -1;
    most -= view.begins_with_text;
    for (size_t i = view.first; most > 0; i++) {
        if (i == view.end)
            return view.is_complete ? Py_BuildValue("sL", "", view.stop) : Py_NewRef(Py_None);
        const Tag *tag = &ahead->tags.items[i];
        if (tag->kind == IS_PASSED_OVER)
            continue;
        most--;
        looked = tag->end;
        if (tag->kind == IS_EMPTY && tag->name == name)
            break;
        level += tag->kind == IS_START;
        if (tag->kind == IS_END && !level--) {
            PyObject *text = text_of(&ahead->texts, tag->name);
            return text ? Py_BuildValue("OL", text, looked) : NULL;
        }
    }
    return Py_BuildValue("sL", "", looked);
}

static PyObject *end_of_element(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, find_end_of_element);
}

/* Return the name of the last tag if it is an end tag, else the empty name; whether more end tags than start tags have
   the name; whether no more tags follow in the document; and how far tags were looked at. All tags have been read. */
static PyObject *find_last(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule, *tuple;
    Py_ssize_t most;
    View view;
    if (!PyArg_ParseTuple(arguments, "OOn", &capsule, &tuple, &most) ||
        !read_view(ahead, tuple, (size_t)most, &view))
        return NULL;
    const Tag *items = ahead->tags.items, *last = NULL;
    for (size_t i = view.first; i < view.end; i++) {
        if (items[i].kind < IS_TEXT)
            last = &items[i];
    }
    int has_name = last && last->kind == IS_END;
    long long more = 0;
    for (size_t i = view.first; has_name && i < view.end; i++) {
        if (items[i].name == last->name)
            more += (items[i].kind == IS_END) - (items[i].kind == IS_START);
    }
    PyObject *text = text_of(&ahead->texts, has_name ? last->name : NO_NAME);
    PyObject *is_more = more > 0 ? Py_True : Py_False, *at_end = view.at_end ? Py_True : Py_False;
    return text ? Py_BuildValue("OOOL", text, is_more, at_end, view.stop) : NULL;
}

static PyObject *last_tag(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, find_last);
}

/* Comparing readings --------------------------------------------------------------------------------------------------- */

/* Tables of `Learned`, for `Facts`. */
typedef struct {
    Ahead *ahead;
    PyObject *pairs;
    PyObject *filled;
    PyObject *completed;
    PyObject *void_names;
    PyObject *names;
    PyObject *is_slip;
} Shown;

static int is_known_pair(void *context, uint32_t parent, uint32_t child)
{
    Shown *shown = context;
    PyObject *texts[] = {text_of(&shown->ahead->texts, parent), text_of(&shown->ahead->texts, child)};
    PyObject *pair = texts[0] && texts[1] ? PyTuple_Pack(2, texts[0], texts[1]) : NULL;
    int is_known = pair ? PySet_Contains(shown->pairs, pair) : -1;
    Py_XDECREF(pair);
    return is_known;
}

/* Return whether a start tag of a name may be an empty tag, as `Learned.may_be_void` does. */
static int is_perhaps_void(void *context, uint32_t name)
{
    Shown *shown = context;
    PyObject *text = text_of(&shown->ahead->texts, name);
    int is_filled = text ? PySet_Contains(shown->filled, text) : -1;
    if (is_filled)
        return is_filled < 0 ? -1 : 0;
    int is_completed = PyDict_Contains(shown->completed, text);
    return is_completed ? is_completed : PySet_Contains(shown->void_names, text);
}

/* Ask Python whether a tag's name may be a slip. As `Learned.is_slip` does, but without a call, say no if the name is
   known. */
static int is_slip_of_pen(void *context, uint32_t name, uint32_t current)
{
    Shown *shown = context;
    PyObject *text = text_of(&shown->ahead->texts, name), *other = text_of(&shown->ahead->texts, current);
    int is_known = text && other ? PySet_Contains(shown->names, text) : -1;
    if (is_known)
        return is_known < 0 ? -1 : 0;
    return is_true(PyObject_CallFunctionObjArgs(shown->is_slip, text, other, NULL));
}

/* Give a reading the pairs that follow from its assumption; 0 on failure. */
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

/* Begin the readings, each a `Begun`: a stack, forced names, and pairs. 0 on failure. */
static int begin_readings(Comparison *comparison, Ahead *ahead, PyObject *readings)
{
    Py_ssize_t count = PyTuple_Size(readings);
    if (count < 1 || count > MOST_READINGS) {
        PyErr_Format(PyExc_ValueError, "%zd readings", count);
        return 0;
    }
    comparison->all = calloc((size_t)count, sizeof *comparison->all);
    if (!comparison->all)
        return no_memory();
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

/* Return how far tags were read, and the errors and new pairs of each reading. */
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

/* Read the tables of `Learned`; return 0 on failure. */
static int read_shown(PyObject *tuple, Shown *shown)
{
    return is_tuple(tuple, "what is known") &&
           PyArg_ParseTuple(tuple, "O!O!O!O!O!O", &PySet_Type, &shown->pairs, &PySet_Type, &shown->filled, &PyDict_Type,
                            &shown->completed, &PyFrozenSet_Type, &shown->void_names, &PySet_Type, &shown->names,
                            &shown->is_slip);
}

/* Read the numbers of a comparison, and the name around the roots; return 0 on failure. */
static int read_numbers(PyObject *tuple, Numbers *numbers, long long *most_tags, PyObject **around)
{
    unsigned evidence, doubts, inside, after_root, error, new_pair, doubtful;
    if (!is_tuple(tuple, "numbers") || !PyArg_ParseTuple(tuple, "LIIIIIIIU", most_tags, &evidence, &doubts, &inside,
                                                         &after_root, &error, &new_pair, &doubtful, around))
        return 0;
    *numbers = (Numbers){.most_evidence = evidence,
                         .most_doubts = doubts,
                         .most_inside = inside,
                         .most_after_root = after_root,
                         .error = error & INT_MAX,
                         .new_pair = new_pair & INT_MAX,
                         .doubtful = doubtful & INT_MAX};
    return 1;
}

static PyObject *compare_all(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule, *tuple, *readings, *facts_known, *all_numbers, *around;
    Shown shown;
    View view;
    Numbers numbers;
    long long most_tags;
    if (!PyArg_ParseTuple(arguments, "OOO!OO", &capsule, &tuple, &PyTuple_Type, &readings, &facts_known, &all_numbers) ||
        !read_shown(facts_known, &shown) || !read_numbers(all_numbers, &numbers, &most_tags, &around) ||
        !read_view(ahead, tuple, (size_t)most_tags, &view) || !number_of_text(&ahead->texts, around, &numbers.around))
        return NULL;
    shown.ahead = ahead;
    const Facts facts = {&shown, is_known_pair, is_perhaps_void, is_slip_of_pen};
    Comparison comparison = {
        .tags = &ahead->tags, .memory = &ahead->memory, .facts = &facts, .numbers = &numbers, .view = view};
    begin_round(&ahead->memory);
    Progress progress = begin_readings(&comparison, ahead, readings) ? read_all(&comparison) : BROKEN;
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

static PyObject *compare_readings(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, compare_all);
}

/* Read a window to its end; return whether that is wrong or, with `ends`, whether the elements have ended rightly. None: more
   tags have to be read. */
static PyObject *result_of_reading(Ahead *ahead, const View *view, Simulation *reading, int ends)
{
    Verity verity = read_to_end(&ahead->tags, view, reading);
    if (verity == NO_MEMORY)
        return PyErr_NoMemory();
    if (verity == RIGHT && reading->stack.count && !view->is_complete)
        return Py_NewRef(Py_None);
    return PyBool_FromLong(ends ? verity == RIGHT && !reading->stack.count : verity == WRONG);
}

/* Return whether the draft's reading of a window has an error; None: more tags have to be read. */
static PyObject *look_for_fault(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule, *tuple, *stack, *forced;
    View view;
    if (!PyArg_ParseTuple(arguments, "OOOO", &capsule, &tuple, &stack, &forced) ||
        !read_view(ahead, tuple, SIZE_MAX, &view))
        return NULL;
    Simulation reading = {0};
    PyObject *result = NULL;
    if (push_all(ahead, stack, &reading.stack) && push_all(ahead, forced, &reading.forced))
        result = result_of_reading(ahead, &view, &reading, 0);
    release_reading(&reading);
    return result;
}

static PyObject *find_fault(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, look_for_fault);
}

/* Return whether an element ends before an error in the draft's reading: see `Ahead.ends_rightly`. Up to `most` tags are
   read that end at `stop` or before. None: more tags have to be read. */
static PyObject *look_for_end(Ahead *ahead, PyObject *arguments)
{
    PyObject *capsule, *tuple, *outer, *inner;
    long long stop;
    Py_ssize_t most;
    View view;
    uint32_t name;
    if (!PyArg_ParseTuple(arguments, "OOnLUO", &capsule, &tuple, &most, &stop, &outer, &inner) ||
        !read_view(ahead, tuple, (size_t)most, &view) || !number_of_text(&ahead->texts, outer, &name))
        return NULL;
    Simulation reading = {0};
    PyObject *result = NULL;
    if (!push_name(&reading.stack, name)) {
        PyErr_NoMemory();
    } else if (push_all(ahead, inner, &reading.stack)) {
        end_view_at(&ahead->tags, stop, &view);
        result = result_of_reading(ahead, &view, &reading, 1);
    }
    release_reading(&reading);
    return result;
}

static PyObject *ends_rightly(PyObject *module, PyObject *arguments)
{
    (void)module;
    return with_tags(arguments, look_for_end);
}

#endif
