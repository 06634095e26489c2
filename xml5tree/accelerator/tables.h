/* columns.h for Python. What the arguments are is in _scan.pyi. */

#ifndef XML5TREE_TABLES_H
#define XML5TREE_TABLES_H

#include "texts.h"

#include "columntables.h"

static const char COLUMNS[] = "xml5tree.Columns";

typedef struct {
    Columns columns;
    PyObject *names; /* what is asked, while markup is read */
    Scanner scanner; /* of a clean document */
    Surroundings around;
    int is_busy, is_broken;
} ColumnsObject;

static void close_columns(PyObject *capsule)
{
    ColumnsObject *object = PyCapsule_GetPointer(capsule, COLUMNS);
    if (!object)
        return;
    release_all(&object->columns);
    release(&object->scanner);
    PyMem_Free(object);
}

static ColumnsObject *columns_of(PyObject *capsule)
{
    ColumnsObject *object = PyCapsule_GetPointer(capsule, COLUMNS);
    if (object && (object->is_busy || object->is_broken)) {
        PyErr_SetString(PyExc_RuntimeError, "these columns are at work, or have failed");
        return NULL;
    }
    return object;
}

/* Note a failure; return NULL with an exception. */
static PyObject *broken_off(ColumnsObject *object)
{
    object->is_broken = 1;
    if (object->columns.failure == NO_MEMORY)
        PyErr_NoMemory();
    else if (object->columns.failure == TOO_LARGE)
        PyErr_SetString(PyExc_OverflowError, "the values of a column have more than 2 GiB");
    return NULL;
}

/* Call a method of what is asked; fail if it raises an exception, or does not return a tuple. */
static PyObject *asked(Columns *e, const char *method, uint32_t state, Slice name)
{
    ColumnsObject *object = e->context;
    PyObject *text = string_of(name), *found = NULL;
    if (text)
        found = PyObject_CallMethod(object->names, method, "IIO", (unsigned)state, (unsigned)e->namespace, text);
    Py_XDECREF(text);
    if (found && is_tuple(found, "an answer"))
        return found;
    Py_XDECREF(found);
    fail(e, NOT_ANSWERED);
    return NULL;
}

/* Return a list of columns of text; -1 if an item is none. */
static Py_ssize_t numbers_of(const Columns *e, PyObject *tuple, uint32_t *numbers)
{
    Py_ssize_t count = PyTuple_Size(tuple);
    for (Py_ssize_t i = 0; i < count; i++) {
        unsigned long number = PyLong_AsUnsignedLong(PyTuple_GetItem(tuple, i));
        if (PyErr_Occurred())
            return -1;
        if (number >= e->column_count || (e->columns[number].kind != FULL_TEXT && e->columns[number].kind != OWN_TEXT))
            return refuse(PyExc_ValueError, "a column is known, and one of text"), -1;
        numbers[i] = (uint32_t)number;
    }
    return count;
}

enum { MOST_CAPTURES = 1 << 16 };

/* Return whether a state may lead to another one, which may be new, with flags. */
static int leads_to(const Columns *e, uint32_t state, size_t target, unsigned flags)
{
    unsigned is_table = e->states[RECORD].flags & TABLE;
    if (target < FIRST_STATE)
        return 1;
    if (state < RECORD || target > e->state_count)
        return 0;
    if (target == e->state_count)
        return is_table ? flags & TABLE && flags <= STATE_FLAGS : !flags;
    return !is_table || e->states[target].parent == state;
}

static void ask_child(Columns *e, uint32_t state, Slice name)
{
    PyObject *found = asked(e, "child", state, name), *captures;
    unsigned target, role, namespace, flags;
    int is_right = PyArg_ParseTuple(found, "IIIIO!", &target, &role, &namespace, &flags, &PyTuple_Type, &captures);
    if (is_right && (role >= ROLES || (role == IS_RECORD) != (target == RECORD) || !leads_to(e, state, target, flags) ||
                     PyTuple_Size(captures) > (flags ? 0 : MOST_CAPTURES)))
        is_right = refuse(PyExc_ValueError, "an answer has a state, a role, and flags");
    uint32_t *columns = NULL;
    e->scratch.length = 0;
    if (is_right)
        columns = (uint32_t *)(void *)room_for(e, &e->scratch, (size_t)PyTuple_Size(captures) * sizeof *columns);
    Py_ssize_t count = is_right ? numbers_of(e, captures, columns) : -1;
    Py_DECREF(found);
    if (count < 0)
        fail(e, NOT_ANSWERED);
    e->answer.target = (uint32_t)target;
    e->answer.role = role;
    e->answer.namespace = (uint32_t)namespace;
    if (target == e->state_count)
        add_state(e, state, flags, columns, (size_t)count);
}

static void ask_attribute(Columns *e, uint32_t state, Slice name)
{
    PyObject *found = asked(e, "attribute", state, name);
    int is_right = 1;
    uint32_t table = e->states[RECORD].flags & TABLE ? state : NONE;
    for (Py_ssize_t i = 0; i < PyTuple_Size(found) && is_right; i++) {
        unsigned long number = PyLong_AsUnsignedLong(PyTuple_GetItem(found, i));
        is_right = !PyErr_Occurred();
        if (is_right && number == e->column_count && table != NONE)
            add_column(e, ATTRIBUTE, 0, state);
        if (is_right && (number >= e->column_count || e->columns[number].kind != ATTRIBUTE || e->columns[number].table != table))
            is_right = refuse(PyExc_ValueError, "a column is known, or the next one, and one of attributes");
        if (is_right)
            answer_column(e, (uint32_t)number);
    }
    Py_DECREF(found);
    if (!is_right)
        fail(e, NOT_ANSWERED);
}

/* Read what columns there are from the beginning. */
static int declare_columns(Columns *e, PyObject *columns, PyObject *captures, int is_table, int keeps_markup)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(columns); i++) {
        unsigned kind;
        int is_list;
        PyObject *column = PyTuple_GetItem(columns, i);
        if (!is_tuple(column, "a column") || !PyArg_ParseTuple(column, "Ip", &kind, &is_list))
            return 0;
        if (kind != FULL_TEXT && kind != OWN_TEXT && kind != ATTRIBUTE)
            return refuse(PyExc_ValueError, "a column has a known kind");
        add_column(e, (ColumnKind)kind, is_list, NONE);
    }
    State *record = &e->states[RECORD];
    size_t count = (size_t)PyTuple_Size(captures);
    record->captures = resized(e, NULL, (count + 1) * sizeof *record->captures);
    if (count && numbers_of(e, captures, record->captures) < 0)
        return 0;
    record->capture_count = count;
    if (is_table) {
        if (count)
            return refuse(PyExc_ValueError, "a table has the text of its own only");
        record->flags = TABLE;
        record->captures[record->capture_count++] = add_column(e, DIRECT_TEXT, 0, RECORD);
    }
    if (keeps_markup)
        e->raw = add_column(e, RECORD_MARKUP, 0, NONE);
    e->counts_characters = keeps_markup && !is_table;
    return 1;
}

static PyObject *open_columns(PyObject *module, PyObject *arguments)
{
    PyObject *columns, *captures;
    unsigned seed;
    int is_table, keeps_markup;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "IO!O!pp", &seed, &PyTuple_Type, &columns, &PyTuple_Type, &captures, &is_table, &keeps_markup))
        return NULL;
    ColumnsObject *object = PyMem_Calloc(1, sizeof *object);
    PyObject *capsule = object ? PyCapsule_New(object, COLUMNS, close_columns) : PyErr_NoMemory();
    if (!capsule) {
        PyMem_Free(object);
        return NULL;
    }
    Columns *e = &object->columns;
    e->context = object;
    e->ask_child = ask_child;
    e->ask_attribute = ask_attribute;
    if (setjmp(e->failed)) {
        broken_off(object);
        Py_DECREF(capsule);
        return NULL;
    }
    begin_columns(e, (uint32_t)seed);
    if (!declare_columns(e, columns, captures, is_table, keeps_markup)) {
        Py_DECREF(capsule);
        return NULL;
    }
    return capsule;
}

static PyObject *content_as_bytes(const void *start, size_t size)
{
    return PyBytes_FromStringAndSize(size ? start : "", (Py_ssize_t)size);
}

static PyObject *feed_columns(PyObject *module, PyObject *arguments)
{
    PyObject *capsule, *names, *markup;
    Slice content;
    volatile size_t read = 0; /* set after `setjmp` */
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOS", &capsule, &names, &markup) || !content_of(markup, &content))
        return NULL;
    ColumnsObject *object = columns_of(capsule);
    if (!object)
        return NULL;
    Columns *e = &object->columns;
    object->is_busy = 1;
    object->names = names;
    e->failure = NO_FAILURE;
    e->is_source = 0;
    if (setjmp(e->failed) == 0)
        read = read_part(e, content.start, content.start + content.length);
    object->is_busy = 0;
    if (e->failure != NO_FAILURE)
        return broken_off(object);
    PyObject *found = Py_BuildValue("Nin", content_as_bytes(e->ends, e->end_count), e->is_large, (Py_ssize_t)read);
    e->end_count = 0;
    return found;
}

/* Taking ------------------------------------------------------------------------------------------------------------ */

static PyObject *zeros(size_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes)
        memset(PyBytes_AsString(bytes), 0, size);
    return bytes;
}

static uint8_t *bits_of(PyObject *bytes)
{
    return (uint8_t *)PyBytes_AsString(bytes);
}

static int32_t *offsets_in(PyObject *bytes)
{
    return (int32_t *)(void *)PyBytes_AsString(bytes);
}

/* Return text: its size, nulls, validity, offsets and data. Py_BuildValue fails if one of its objects is NULL. */
static PyObject *text_of(const Values *values, const uint32_t *places, size_t size)
{
    PyObject *validity = zeros(size / 8 + 1), *offsets = zeros((size + 1) * sizeof(int32_t));
    size_t nulls = validity && offsets ? lay_values(values, places, size, offsets_in(offsets), bits_of(validity)) : 0;
    return Py_BuildValue("snnNNN", "text", (Py_ssize_t)size, (Py_ssize_t)nulls, validity, offsets, content_as_bytes(values->text, values->length));
}

/* Return lists of items: their number, nulls, validity (or None), offsets and items, whose reference is taken. */
static PyObject *list_of(size_t size, size_t nulls, PyObject *validity, PyObject *offsets, PyObject *items)
{
    return Py_BuildValue("snnNNN", "list", (Py_ssize_t)size, (Py_ssize_t)nulls, validity, offsets, items);
}

static PyObject *column_of(const Values *values, int is_list, size_t size)
{
    if (!is_list)
        return text_of(values, NULL, size);
    PyObject *offsets = zeros((size + 1) * sizeof(int32_t)), *item_offsets = zeros((values->count + 1) * sizeof(int32_t));
    if (offsets)
        lay_lists(values->owners, values->count, NULL, size, offsets_in(offsets));
    if (item_offsets)
        memcpy(offsets_in(item_offsets) + 1, values->ends, values->count * sizeof(int32_t));
    PyObject *texts = Py_BuildValue("snnONN", "text", (Py_ssize_t)values->count, (Py_ssize_t)0, Py_None, item_offsets,
                                    content_as_bytes(values->text, values->length));
    Py_INCREF(Py_None);
    return list_of(size, 0, Py_None, offsets, texts);
}

static PyObject *members_of(Columns *e, uint32_t state, const uint32_t *places, size_t size);

/* Return the values of instances, one or none for each of `size` places. Structures nest as deep as states do. */
static PyObject *value_of(Columns *e, uint32_t state, const uint32_t *places, size_t size)
{
    if (!has_members(e, state))
        return text_of(&e->values[e->states[state].captures[0]], places, size);
    PyObject *members = members_of(e, state, places, size), *validity = zeros(size / 8 + 1);
    size_t nulls = validity ? lay_structures(e, state, places, size, bits_of(validity)) : 0;
    return Py_BuildValue("snnNN", "structure", (Py_ssize_t)size, (Py_ssize_t)nulls, validity, members);
}

/* Return the values of the elements of a state in each of `size` places. */
static PyObject *elements_of(Columns *e, uint32_t state, const uint32_t *places, size_t size)
{
    const Taken *taken = &e->taken[state];
    if (e->states[state].flags & SINGLE || (taken->is_strict && !(e->states[state].flags & IS_LIST))) {
        uint32_t *own = PyMem_Malloc((taken->count + 1) * sizeof *own);
        if (!own)
            return PyErr_NoMemory();
        for (size_t i = 0; i < taken->count; i++)
            own[i] = places ? places[taken->owners[i]] : taken->owners[i];
        PyObject *found = value_of(e, state, own, size);
        PyMem_Free(own);
        return found;
    }
    PyObject *validity = zeros(size / 8 + 1), *offsets = zeros((size + 1) * sizeof(int32_t));
    size_t nulls = 0;
    if (validity && offsets) {
        lay_lists(taken->owners, taken->count, places, size, offsets_in(offsets));
        nulls = lay_validity(e, state, offsets_in(offsets), size, bits_of(validity));
    }
    return list_of(size, nulls, validity, offsets, value_of(e, state, NULL, taken->count));
}

static int append_member(PyObject *list, const char *kind, size_t number, size_t first, PyObject *value)
{
    PyObject *member = value ? Py_BuildValue("snnN", kind, (Py_ssize_t)number, (Py_ssize_t)first, value) : NULL;
    int is_appended = member && PyList_Append(list, member) == 0;
    Py_XDECREF(member);
    return is_appended;
}

/* Return the members of a structure that some instance has, and its text: kind, number, which instance has it first, and values. */
static PyObject *members_of(Columns *e, uint32_t state, const uint32_t *places, size_t size)
{
    PyObject *list = PyList_New(0);
    int is_done = list != NULL;
    for (uint32_t i = e->states[state].first_column; i != NONE && is_done; i = e->columns[i].next) {
        const Values *values = &e->values[i];
        if (values->count)
            is_done = append_member(list, "attribute", i, values->owners[0], text_of(values, places, size));
    }
    for (uint32_t i = e->states[state].first_child; i != NONE && is_done; i = e->states[i].next) {
        if (e->taken[i].count)
            is_done = append_member(list, "child", i, e->taken[i].owners[0], elements_of(e, i, places, size));
    }
    const Values *text = &e->values[e->states[state].captures[0]];
    size_t first = state != RECORD ? first_with_both(e, state) : text->count ? text->owners[0] : 0;
    if (state != RECORD && first == e->taken[state].count)
        first = PY_SSIZE_T_MAX;
    if (is_done && (state != RECORD || text->count))
        is_done = append_member(list, "text", 0, first, text_of(text, places, size));
    if (is_done)
        return list;
    Py_XDECREF(list);
    return NULL;
}

/* Return the columns, or the members of records. */
static PyObject *values_as_list(Columns *e)
{
    if (e->states[RECORD].flags & TABLE)
        return members_of(e, RECORD, NULL, e->row_count);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < e->column_count && i != e->raw && list; i++) {
        PyObject *column = column_of(&e->values[i], e->columns[i].is_list, e->row_count);
        if (!column || PyList_Append(list, column) < 0) {
            Py_DECREF(list);
            list = NULL;
        }
        Py_XDECREF(column);
    }
    return list;
}

/* Read ranges of records that have ended. */
static size_t (*ranges_of(PyObject *tuple, size_t stop))[2]
{
    size_t count = (size_t)PyTuple_Size(tuple), least = 0;
    size_t(*ranges)[2] = PyMem_Malloc((count + 1) * sizeof *ranges);
    if (!ranges)
        PyErr_NoMemory();
    for (size_t i = 0; i < count && ranges; i++) {
        Py_ssize_t from = 0, to = 0;
        PyObject *range = PyTuple_GetItem(tuple, (Py_ssize_t)i);
        int is_right = is_tuple(range, "a range") && PyArg_ParseTuple(range, "nn", &from, &to);
        if (is_right && (from < 0 || (size_t)from < least || to < from || (size_t)to > stop))
            is_right = refuse(PyExc_ValueError, "ranges follow one another");
        if (!is_right) {
            PyMem_Free(ranges);
            return NULL;
        }
        ranges[i][0] = (size_t)from;
        ranges[i][1] = least = (size_t)to;
    }
    return ranges;
}

/* Take records: see `take`, and `take_columns` in _scan.pyi. */
static PyObject *taken(ColumnsObject *object, const size_t (*ranges)[2], size_t count, size_t stop)
{
    Columns *e = &object->columns;
    e->failure = NO_FAILURE;
    if (setjmp(e->failed) == 0)
        take(e, ranges, count, stop);
    if (e->failure != NO_FAILURE)
        return broken_off(object);
    PyObject *list = values_as_list(e), *markup = Py_None, *found = NULL;
    if (e->raw == NONE)
        Py_INCREF(Py_None);
    else
        markup = text_of(&e->values[e->raw], NULL, e->row_count);
    if (list && markup)
        found = Py_BuildValue("nOONO", (Py_ssize_t)e->row_count, list, markup, content_as_bytes(e->irregular, e->row_count),
                              e->has_inner ? Py_True : Py_False);
    Py_XDECREF(list);
    Py_XDECREF(markup);
    if (found)
        end_taking(e);
    else
        object->is_broken = 1;
    return found;
}

static PyObject *take_columns(PyObject *module, PyObject *arguments)
{
    PyObject *capsule, *tuple;
    Py_ssize_t stop;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!n", &capsule, &PyTuple_Type, &tuple, &stop))
        return NULL;
    ColumnsObject *object = columns_of(capsule);
    if (!object)
        return NULL;
    if (stop < 0 || (size_t)stop > object->columns.finished_count)
        return refuse(PyExc_ValueError, "records are taken that have ended"), NULL;
    size_t(*ranges)[2] = ranges_of(tuple, (size_t)stop);
    if (!ranges)
        return NULL;
    object->is_busy = 1;
    PyObject *found = taken(object, (const size_t(*)[2])ranges, (size_t)PyTuple_Size(tuple), (size_t)stop);
    object->is_busy = 0;
    PyMem_Free(ranges);
    return found;
}

/* Clean documents ---------------------------------------------------------------------------------------------------- */

/* Append up to `most` records of a window, which are as `taken` returns them, their places, and how many other elements of
   their local name have ended, to a list. Set whether there may be more. Return 0 if Python has raised an exception, or the
   document has an error, or is not known to have none. */
static int append_records(ColumnsObject *object, size_t most, const uint8_t *limit, PyObject *list, int *goes_on)
{
    Columns *e = &object->columns;
    volatile int is_right = 0; /* set after `setjmp` */
    e->failure = NO_FAILURE;
    if (setjmp(e->failed) == 0)
        is_right = read_document(e, &object->scanner, most, limit);
    if (e->failure != NO_FAILURE)
        return broken_off(object), 0;
    if (object->scanner.has_failed)
        PyErr_NoMemory();
    if (object->scanner.has_failed || !is_right)
        return 0;
    const size_t all[1][2] = {{0, e->finished_count}};
    *goes_on = e->finished_count == most;
    if (!e->finished_count)
        return 1;
    PyObject *found = taken(object, all, 1, e->finished_count);
    PyObject *some = Py_BuildValue("NNn", found, content_as_bytes(e->places, e->place_count * sizeof *e->places),
                                   (Py_ssize_t)(e->end_count - e->place_count / 2));
    int is_appended = some && PyList_Append(list, some) == 0;
    Py_XDECREF(some);
    e->end_count = e->place_count = 0;
    return is_appended;
}

/* Read the window of what begins at `start`; return what `read_columns` does, NULL with an exception. */
static PyObject *read_window(ColumnsObject *object, const uint8_t *start, const uint8_t *limit, size_t most)
{
    Columns *e = &object->columns;
    Scanner *scanner = &object->scanner;
    PyObject *list = PyList_New(0);
    for (int goes_on = 1; list && goes_on;)
        if (!append_records(object, most, limit, list, &goes_on))
            Py_CLEAR(list);
    if (list && setjmp(e->failed) == 0)
        end_window(e, scanner);
    if (list && e->failure == NO_FAILURE)
        return Py_BuildValue("Nn", list, (Py_ssize_t)(scanner->end - start));
    object->is_broken = 1;
    Py_XDECREF(list);
    if (list || PyErr_Occurred())
        return list ? broken_off(object) : NULL;
    return Py_NewRef(scanner->error_count && is_plain_text(start, scanner->stop, 1) ? Py_True : Py_None);
}

static PyObject *read_columns(PyObject *module, PyObject *arguments)
{
    PyObject *capsule, *names, *document;
    Slice content, window;
    Py_ssize_t start, levels, most;
    int fifth, is_first, is_last;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOSnnpnpp", &capsule, &names, &document, &start, &levels, &fifth, &most, &is_first,
                          &is_last) ||
        !content_of(document, &content) || !part_of(document, start, (Py_ssize_t)content.length, &window))
        return NULL;
    ColumnsObject *object = columns_of(capsule);
    if (!object || most < 1 || !(is_first || object->scanner.around))
        return object ? refuse(PyExc_ValueError, "some records are read at a time, from the first window on"), NULL : NULL;
    Columns *e = &object->columns;
    Scanner *scanner = &object->scanner;
    object->is_busy = 1;
    object->names = names;
    e->is_source = 1;
    if (is_first) {
        release(scanner);
        begin_document(scanner, &object->around, window, levels, fifth);
        object->around.is_plain = 1; /* if it is not, `read_document` finds that out */
        begin_markup(e, content.start, content.start);
        e->place.characters = starts_with(content.start, window.start, "\xEF\xBB\xBF", 3) ? -1 : 0;
    } else {
        begin_window(e, scanner, window);
    }
    /* Tokens that begin in the last sixteenth may be cut, and wait for the next window; longer ones are left to another reader. */
    const uint8_t *limit = is_last ? NULL : scanner->stop - window.length / 16;
    PyObject *found = read_window(object, content.start, limit, (size_t)most);
    object->is_busy = 0;
    return found;
}

#endif
