/* learning.h for Python: learners, and what they have learned from parts of runs. The contract is
   xml5tree/dialects/xml5/intent/runs/contract.py.

   A learner is in a capsule from one call to the next, with what it knows. Other code may run in every call, see texts.h: it may
   not use the same learner meanwhile, so that pointers to what it has stay right. */

#ifndef XML5TREE_LEARNER_H
#define XML5TREE_LEARNER_H

#include "learning.h"

static const char LEARNER[] = "xml5tree.accelerator.learner";

/* Forget the names, and what is known of them. */
static void forget_known(Learner *learner)
{
    release_texts(&learner->texts);
    release_names(&learner->names);
    PyMem_Free(learner->facts);
    learner->facts = NULL;
    learner->fact_count = 0;
    memset(learner->known, 0, MOST_KNOWN_TAGS * sizeof *learner->known);
}

static void release_learner(Learner *learner)
{
    Py_XDECREF(learner->all_names);
    Py_XDECREF(learner->source);
    if (learner->known)
        forget_known(learner);
    PyMem_Free(learner->known);
    free(learner->open.items);
    PyMem_Free(learner);
}

static void free_learner(PyObject *capsule)
{
    Learner *learner = PyCapsule_GetPointer(capsule, LEARNER);
    if (learner)
        release_learner(learner);
}

/* Return whether an object is of the type that a table has, or set a TypeError. */
static int is_table(int number, PyObject *table)
{
    int is_right = PySet_Check(table);
    if (number == VOID_NAMES)
        is_right = PyAnySet_Check(table);
    else if (number == COMPLETED || number == CHILDREN || number == PARENTS || number == OPEN_NAMES)
        is_right = PyDict_Check(table);
    else if (number == OPEN_ELEMENTS)
        is_right = PyList_Check(table);
    if (!is_right)
        PyErr_Format(PyExc_TypeError, "no table of kind %d", number);
    return is_right;
}

/* Take the tables of what a document has shown; 0 on failure. */
static int take_tables(Learner *learner, PyObject *tables)
{
    if (!is_tuple(tables, "what is known"))
        return 0;
    if (PyTuple_Size(tables) != TABLES)
        return refuse(PyExc_TypeError, "no tables of a document");
    for (int i = 0; i < TABLES; i++) {
        learner->tables[i] = PyTuple_GetItem(tables, i);
        if (!is_table(i, learner->tables[i]))
            return 0;
    }
    return 1;
}

/* See `CompiledReader`. */
static PyObject *make_learner(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *numbers, *capsule = NULL;
    Py_ssize_t window, reach;
    Learner *learner = PyMem_Calloc(1, sizeof *learner);
    if (!learner)
        return PyErr_NoMemory();
    if (PyArg_ParseTuple(arguments, "Ok:make_learner", &numbers, &learner->seed) && is_tuple(numbers, "numbers") &&
        PyArg_ParseTuple(numbers, "InlnIn", &learner->rules, &learner->most_learned, &learner->many_records, &window,
                         &learner->most_inside, &reach)) {
        learner->window = (size_t)window;
        learner->inside_reach = (size_t)reach;
        learner->known = PyMem_Calloc(MOST_KNOWN_TAGS, sizeof *learner->known);
        learner->texts.names = &learner->names;
        if (window < 0 || window > PY_SSIZE_T_MAX / 4 || reach < 0)
            PyErr_SetString(PyExc_ValueError, "no numbers of the policy");
        else if (!learner->known)
            PyErr_NoMemory();
        else
            capsule = PyCapsule_New(learner, LEARNER, free_learner);
    }
    if (!capsule)
        release_learner(learner);
    return capsule;
}

/* Read a column of an open element, see `column_number` in columns.py; return 0 on failure. */
static int read_column(PyObject *element, const char *attribute, int *column)
{
    PyObject *found = PyObject_GetAttrString(element, attribute);
    long long number = !found || found == Py_None ? NO_COLUMN : PyLong_AsLongLong(found);
    *column = number < 0 || number > MOST_INDENT ? NO_COLUMN : (int)number;
    Py_XDECREF(found);
    return found && !PyErr_Occurred();
}

static int read_name(Learner *learner, PyObject *element, const char *attribute, uint32_t *number)
{
    PyObject *name = PyObject_GetAttrString(element, attribute);
    int is_done = name && number_of_text(&learner->texts, name, number);
    Py_XDECREF(name);
    return is_done;
}

/* Push an element that was open before the part; 0 on failure. */
static int push_known_element(Learner *learner, PyObject *element)
{
    OpenElement known = {NO_NAME, NO_NAME, NO_INDEX, NO_COLUMN, 0};
    if (!read_name(learner, element, "name", &known.name) || !read_column(element, "indent", &known.column))
        return 0;
    int has_text = is_true(PyObject_GetAttrString(element, "has_text"));
    if (has_text > 0) {
        uint8_t *facts = facts_of(learner, known.name);
        PyObject *name = text_of(&learner->texts, known.name), *text = text_of(&learner->texts, TEXT_CHILD);
        has_text = !facts || !name || !text ? -1 : *facts & HAS_TEXT ? 0 : is_new_pair(learner, name, text);
    }
    known.had_text = has_text;
    if (has_text >= 0 && !push_element(&learner->open, known))
        PyErr_NoMemory();
    return !PyErr_Occurred();
}

/* Find out what the current element has; 0 on failure. */
static int look_at_current(Learner *learner, PyObject *element)
{
    OpenElement *current = current_of(&learner->open);
    int has_children = is_true(PyObject_GetAttrString(element, "has_children"));
    if (has_children < 0)
        return 0;
    if (has_children)
        return read_name(learner, element, "last", &current->last) &&
               read_column(element, "last_indent", &learner->open.child_before);
    int has_text = is_true(PyObject_GetAttrString(element, "has_text"));
    current->last = has_text > 0 ? TEXT_CHILD : NO_NAME;
    return has_text >= 0;
}

/* Find out what is open at the beginning of a part, which the policy knows; 0 on failure. */
static int look_around(Learner *learner)
{
    PyObject *elements = learner->tables[OPEN_ELEMENTS];
    Py_ssize_t count = PyList_Size(elements);
    PyObject *known = PyList_GetSlice(elements, count > MOST_KNOWN ? count - MOST_KNOWN : 0, count);
    if (!known)
        return 0;
    learner->open.count = learner->around_count = 0;
    count = PyList_Size(known);
    int is_done = count > 0 || refuse(PyExc_ValueError, "no element is open");
    for (Py_ssize_t i = 0; is_done && i < count; i++) {
        is_done = push_known_element(learner, PyList_GetItem(known, i));
        if (is_done)
            learner->around[learner->around_count++] = current_of(&learner->open)->name;
    }
    is_done = is_done && look_at_current(learner, PyList_GetItem(known, count - 1));
    Py_DECREF(known);
    return is_done;
}

/* Begin a part; 0 on failure. */
static int begin_part(Learner *learner, PyObject *source, const uint8_t *data, size_t start, const uint8_t *stop,
                      long long column)
{
    Py_ssize_t indented = PySet_Size(learner->tables[INDENTED]);
    if (learner->names.count > MOST_NAMES_KEPT || !learner->names.count) {
        forget_known(learner);
        if (!begin_names(&learner->names, learner->seed))
            return no_memory();
    } else if (indented != learner->indented) {
        memset(learner->known, 0, MOST_KNOWN_TAGS * sizeof *learner->known);
    }
    learner->indented = indented;
    OpenElements *open = &learner->open;
    open->data = data;
    open->start = start;
    open->column = column;
    open->ended = 0;
    open->has_start_tag = 0;
    open->sure_end = 0;
    if (source != learner->source || stop != learner->stop || data + start < learner->plain_start ||
        data + start > learner->plain_stop)
        learner->plain_stop = NULL;
    PyObject *before = learner->source;
    learner->source = Py_NewRef(source);
    Py_XDECREF(before);
    learner->stop = stop;
    learner->asked = NO_NAME;
    return look_around(learner);
}

/* Return a column as `Learnt` in runs/contract.py has it. */
static PyObject *column_at(const OpenElements *open, size_t index)
{
    long long column = column_of(open, index, ANY_INDENT);
    return column < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(column);
}

/* Add the name and the column of an element to lists; 0 on failure. */
static int list_element(Learner *learner, const OpenElement *element, PyObject *names, PyObject *columns)
{
    PyObject *name = text_of(&learner->texts, element->name), *column = column_at(&learner->open, element->start);
    int is_done = name && column && PyList_Append(names, name) == 0 && PyList_Append(columns, column) == 0;
    Py_XDECREF(column);
    return is_done;
}

/* Return the effect of a part: see `Learnt` in runs/contract.py. */
static PyObject *effect_of_part(Learner *learner, size_t end)
{
    const OpenElements *open = &learner->open;
    const OpenElement *current = current_of(open);
    PyObject *names = PyList_New(0), *columns = PyList_New(0), *asked = Py_NewRef(Py_None);
    int is_done = names && columns;
    for (size_t i = 0; is_done && i < open->count; i++) {
        if (open->items[i].start != NO_INDEX)
            is_done = list_element(learner, &open->items[i], names, columns);
    }
    if (is_done && learner->asked) {
        Py_DECREF(asked);
        PyObject *name = text_of(&learner->texts, learner->asked);
        asked = name ? Py_BuildValue("OO", name, learner->asks_about_empty_tag ? Py_True : Py_False) : NULL;
    }
    PyObject *last = current->last == NO_NAME ? Py_None : text_of(&learner->texts, current->last);
    if (!is_done || !asked || !last) {
        Py_XDECREF(names);
        Py_XDECREF(columns);
        Py_XDECREF(asked);
        return NULL;
    }
    PyObject *child = open->child == NO_INDEX ? PyLong_FromLong(NO_SIBLING) : column_at(open, open->child);
    Py_ssize_t innermost = current->start == NO_INDEX ? -1 : (Py_ssize_t)current->start;
    /* It gives the references up, even where memory was too short for one of them. */
    return Py_BuildValue("nNnNNnONNO", (Py_ssize_t)end, asked, (Py_ssize_t)open->ended, names, columns, innermost, last,
                         child, column_at(open, end), open->has_start_tag ? Py_True : Py_False);
}

/* See `RunReader.read`. */
static PyObject *learn_part(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 8)
        return PyErr_Format(PyExc_TypeError, "learn_part takes 8 arguments, not %zd", count);
    Learner *learner = PyCapsule_GetPointer(arguments[0], LEARNER);
    if (!learner)
        return NULL;
    Py_ssize_t start = PyLong_AsSsize_t(arguments[4]), stop = PyLong_AsSsize_t(arguments[5]);
    if (PyErr_Occurred())
        return NULL;
    long long column = arguments[6] == Py_None ? NO_COLUMN : PyLong_AsLongLong(arguments[6]);
    Slice part;
    if (PyErr_Occurred() || !part_of(arguments[3], start, stop, &part))
        return NULL;
    if (learner->is_busy)
        return PyErr_Format(PyExc_RuntimeError, "the learner is in use");
    const uint8_t *data = part.start - start, *end;
    PyObject *effect = NULL;
    learner->is_busy = 1;
    learner->is_right = arguments[7] == Py_True;
    learner->policy = arguments[1];
    if (take_tables(learner, arguments[2]) &&
        begin_part(learner, arguments[3], data, (size_t)start, part.start + part.length, column) &&
        read_part(learner, part.start, &end))
        effect = effect_of_part(learner, (size_t)(end - data));
    learner->policy = NULL;
    learner->is_busy = 0;
    return effect;
}

#endif
