/* Walks, and learning on them, for Python. The contract is xml5tree/dialects/xml5/intent/walking/contract.py.

   A walk is in a capsule from one call to the next, with the places that it knows. */

#ifndef XML5TREE_WALKING_H
#define XML5TREE_WALKING_H

#include "ahead.h"
#include "learning.h"

static const char WALK[] = "xml5tree.accelerator.walk";

static void release_learning(Learning *learning)
{
    for (size_t i = 0; i < TABLES; i++)
        Py_XDECREF(learning->tables[i]);
    Py_XDECREF(learning->texts);
    free(learning->levels);
    free(learning->spots);
    free(learning->edges);
    release_automaton(&learning->walk);
    free(learning);
}

static void free_walk(PyObject *capsule)
{
    Learning *learning = PyCapsule_GetPointer(capsule, WALK);
    if (learning)
        release_learning(learning);
    Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule)); /* the names that were told */
}

static Learning *learning_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, WALK);
}

/* Whether something is of the type that a table has; there is a TypeError if not. */
static int is_table(int number, PyObject *table)
{
    int is_right = PySet_Check(table);
    if (number == VOID_NAMES)
        is_right = PyAnySet_Check(table);
    else if (number == COMPLETED || number == CHILDREN || number == PARENTS || number == OPEN_NAMES)
        is_right = PyDict_Check(table);
    else if (number == OPEN_ELEMENTS)
        is_right = PyList_Check(table);
    else if (number == TEXT_NAME)
        is_right = PyUnicode_Check(table);
    if (!is_right)
        PyErr_Format(PyExc_TypeError, "no table of kind %d", number);
    return is_right;
}

/* Read what is learned with: the tables, the rules that are on, and numbers of the policy; 0 on failure. */
static int read_tables(Learning *learning, PyObject *tables, PyObject *numbers)
{
    Py_ssize_t window, reach;
    if (!is_tuple(tables, "what a document has shown") || !is_tuple(numbers, "numbers of the policy") ||
        !PyArg_ParseTuple(numbers, "InlnIn", &learning->rules, &learning->most_learned, &learning->many_records, &window,
                          &learning->most_inside, &reach))
        return 0;
    if (PyTuple_Size(tables) != TABLES || window < 0 || window > PY_SSIZE_T_MAX / 4 || reach < 0) {
        PyErr_SetString(PyExc_ValueError, "not all tables, or no numbers of the policy");
        return 0;
    }
    for (int i = 0; i < TABLES; i++) {
        PyObject *table = PyTuple_GetItem(tables, i);
        if (!is_table(i, table))
            return 0;
        learning->tables[i] = Py_NewRef(table);
    }
    learning->window = (size_t)window;
    learning->inside_reach = (size_t)reach;
    return text_of_name(learning, learning->tables[TEXT_NAME]) == learning->tables[TEXT_NAME];
}

/* See `CompiledWalk`. */
static PyObject *make_walk(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *tables, *numbers, *capsule = NULL;
    if (!PyArg_ParseTuple(arguments, "OO", &tables, &numbers))
        return NULL;
    Learning *learning = calloc(1, sizeof *learning);
    if (!learning)
        return PyErr_NoMemory();
    PyObject *nameless = PyUnicode_FromString("");
    if (nameless && (learning->texts = PyDict_New()) && text_of_name(learning, nameless) == nameless &&
        (tables == Py_None || read_tables(learning, tables, numbers))) {
        if (add_level(learning, nameless, NOTHING, 0) == NOTHING)
            PyErr_NoMemory();
        else
            capsule = PyCapsule_New(learning, WALK, free_walk);
    }
    Py_XDECREF(nameless);
    if (!capsule)
        release_learning(learning);
    return capsule;
}

/* What an edge leads to from a level, for a name or None. */
static PyObject *number_along(EdgeKind kind, PyObject *capsule, Py_ssize_t level, PyObject *name)
{
    Learning *learning = learning_of(capsule);
    if (!learning)
        return NULL;
    if (level < 0 || (size_t)level >= learning->level_count)
        return PyErr_Format(PyExc_ValueError, "no level: %zd", level);
    PyObject *text = name == Py_None ? NULL : text_of_name(learning, name);
    if (!text && name != Py_None)
        return NULL;
    uint32_t number = go_along(learning, kind, (uint32_t)level, text);
    return number == NOTHING ? PyErr_NoMemory() : PyLong_FromUnsignedLong(number);
}

static PyObject *number_level(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *name;
    Py_ssize_t level;
    int has_text;
    if (!PyArg_ParseTuple(arguments, "OnUp", &capsule, &level, &name, &has_text))
        return NULL;
    return number_along(has_text ? INSIDE_WITH_TEXT : INSIDE, capsule, level, name);
}

static PyObject *number_place(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *last;
    Py_ssize_t level;
    if (!PyArg_ParseTuple(arguments, "OnO", &capsule, &level, &last))
        return NULL;
    if (last != Py_None && !PyUnicode_Check(last))
        return PyErr_Format(PyExc_TypeError, "a name is a text");
    return number_along(AFTER, capsule, level, last);
}

/* The walk and the number that a call has as arguments; NULL on failure. */
static const Learning *walk_and_number(PyObject *arguments, Py_ssize_t *number)
{
    PyObject *capsule;
    return PyArg_ParseTuple(arguments, "On", &capsule, number) ? learning_of(capsule) : NULL;
}

static PyObject *show_level(PyObject *module, PyObject *arguments)
{
    (void)module;
    Py_ssize_t number;
    const Learning *learning = walk_and_number(arguments, &number);
    if (!learning)
        return NULL;
    if (number < 1 || (size_t)number >= learning->level_count)
        return PyErr_Format(PyExc_ValueError, "no level: %zd", number);
    const Level *level = &learning->levels[number];
    return Py_BuildValue("kOO", (unsigned long)level->above, level->name, level->has_text ? Py_True : Py_False);
}

static PyObject *show_place(PyObject *module, PyObject *arguments)
{
    (void)module;
    Py_ssize_t number;
    const Learning *learning = walk_and_number(arguments, &number);
    if (!learning)
        return NULL;
    if (number < 0 || (size_t)number >= learning->spot_count)
        return PyErr_Format(PyExc_ValueError, "no place: %zd", number);
    const Spot *spot = &learning->spots[number];
    return Py_BuildValue("kO", (unsigned long)spot->level, spot->last ? spot->last : Py_None);
}

/* The columns of what is around a walk, from `Around` in walking/contract.py, or where nothing is known of them; 0 on
   failure. */
static int read_around(PyObject *argument, Columns *around)
{
    int *open = around->open;
    if (argument != Py_None)
        return is_tuple(argument, "what is around a walk") &&
               PyArg_ParseTuple(argument, "i(iiiiiii)", &around->child, open, open + 1, open + 2, open + 3, open + 4,
                                open + 5, open + 6);
    around->child = NO_COLUMN;
    for (int i = 0; i < MOST_AROUND; i++)
        open[i] = NO_COLUMN;
    return 1;
}

/* The first four arguments of what walks: the walk, data, and which part of that; then what is watched from, and the number
   of a place. */
typedef struct {
    Learning *learning;
    const uint8_t *data, *start, *stop, *watched;
    uint32_t place;
} Part;

/* Read these arguments; 0 on failure. */
static int read_part(PyObject *const *arguments, Part *part)
{
    char *bytes;
    Py_ssize_t size;
    part->learning = learning_of(arguments[0]);
    if (!part->learning || PyBytes_AsStringAndSize(arguments[1], &bytes, &size) < 0)
        return 0;
    Py_ssize_t start = PyLong_AsSsize_t(arguments[2]), stop = PyLong_AsSsize_t(arguments[3]);
    Py_ssize_t watched = PyLong_AsSsize_t(arguments[4]);
    long long place = PyLong_AsLongLong(arguments[5]);
    if (PyErr_Occurred())
        return 0;
    if (start < 0 || start > stop || stop > size || watched < 0 || watched > size || place < 0 ||
        (unsigned long long)place >= part->learning->spot_count) {
        PyErr_Format(PyExc_ValueError, "no part of the data: %zd to %zd, or no place", start, stop);
        return 0;
    }
    part->data = (const uint8_t *)bytes;
    part->start = part->data + start;
    part->stop = part->data + stop;
    part->watched = part->data + watched;
    part->place = (uint32_t)place;
    return 1;
}

/* Walk through a part; where it stops: see `Stop` in walking/contract.py. */
static PyObject *walk_through(Part *part)
{
    Token token;
    const uint8_t *p = part->start;
    if (!walk_and_learn(part->learning, part->data, &p, part->stop, part->watched, &part->place, &token))
        return NULL;
    Py_ssize_t start = p - part->data, end = token.end - part->data;
    const char *name = end > start ? (const char *)token.name.start : NULL;
    return Py_BuildValue("nnkz#In", start, end, (unsigned long)part->place, name, (Py_ssize_t)token.name.length,
                         token.flags, (Py_ssize_t)part->learning->missed);
}

static PyObject *start_walk(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 10)
        return PyErr_Format(PyExc_TypeError, "begin_walk takes 10 arguments, not %zd", count);
    Part part;
    Columns around;
    if (!read_part(arguments, &part) || !read_around(arguments[8], &around))
        return NULL;
    Py_ssize_t begun = PyLong_AsSsize_t(arguments[6]);
    long long column = arguments[7] == Py_None ? NO_COLUMN : PyLong_AsLongLong(arguments[7]);
    if (PyErr_Occurred())
        return NULL;
    if (begun < 0 || begun > part.start - part.data)
        return PyErr_Format(PyExc_ValueError, "no place where the run begins: %zd", begun);
    begin_walk(&part.learning->walk, (size_t)begun, column, around);
    part.learning->knows_around = arguments[8] != Py_None;
    part.learning->is_right = arguments[9] == Py_True;
    part.learning->begun_in = part.learning->spots[part.place].level;
    return walk_through(&part);
}

/* Tell the names with which a leaf is not strange, in the order of their bytes: see `Walk.tell` in walking/contract.py. They
   are kept with the walk's capsule. */
static PyObject *tell_names(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *names;
    if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyTuple_Type, &names))
        return NULL;
    Learning *learning = learning_of(capsule);
    if (!learning)
        return NULL;
    Py_ssize_t count = PyTuple_Size(names);
    Slice *told = calloc((size_t)count + 1, sizeof *told);
    if (!told)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) {
        char *bytes;
        Py_ssize_t size;
        int is_name = PyBytes_AsStringAndSize(PyTuple_GetItem(names, i), &bytes, &size) == 0;
        if (is_name) {
            told[i] = (Slice){(const uint8_t *)bytes, (size_t)size};
            if (i && compare_names(told[i - 1], told[i]) >= 0) {
                PyErr_SetString(PyExc_ValueError, "names are not in order");
                is_name = 0;
            }
        }
        if (!is_name) {
            free(told);
            return NULL;
        }
    }
    PyObject *before = PyCapsule_GetContext(capsule);
    if (PyCapsule_SetContext(capsule, Py_NewRef(names)) < 0) {
        Py_DECREF(names);
        free(told);
        return NULL;
    }
    Py_XDECREF(before);
    free(learning->walk.told);
    learning->walk.told = told;
    learning->walk.told_count = (size_t)count;
    return Py_NewRef(Py_None);
}

/* Pass the token that a part begins with, and which leads into a place; that is remembered if `kind` is not 0, watched if
   it is 2, and as that of all strange leaves if it is one of these and `kind` is 3. 0 on failure. */
static int pass_read_token(Part *part, long long into, long kind)
{
    Token token;
    Automaton *walk = &part->learning->walk;
    if ((size_t)(part->start - part->data) < walk->last) {
        PyErr_Format(PyExc_ValueError, "the walk has come farther: %zd", (Py_ssize_t)(part->start - part->data));
        return 0;
    }
    if (into < 0 || (unsigned long long)into >= part->learning->spot_count || !read_token(part->start, part->stop, &token)) {
        PyErr_SetString(PyExc_ValueError, "no token, or no place");
        return 0;
    }
    Token known = token;
    if (kind == 3 && is_strange(walk, &token))
        known = as_strange(&token);
    if ((kind && !remember(walk, part->place, &known, (uint32_t)into, kind == 2)) ||
        !pass_token(walk, (size_t)(part->start - part->data), &token)) {
        PyErr_NoMemory();
        return 0;
    }
    part->start = token.end;
    part->place = (uint32_t)into;
    return 1;
}

static PyObject *walk_on(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 8)
        return PyErr_Format(PyExc_TypeError, "walk_on takes 8 arguments, not %zd", count);
    Part part;
    if (!read_part(arguments, &part))
        return NULL;
    long long into = PyLong_AsLongLong(arguments[6]);
    long kind = PyLong_AsLong(arguments[7]);
    if (PyErr_Occurred() || !pass_read_token(&part, into, kind))
        return NULL;
    return walk_through(&part);
}

/* Whether the tag that begins at a place is misplaced, after what the walk has passed, which ends there. */
static PyObject *tag_is_misplaced(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule;
    char *bytes;
    Py_ssize_t size, index;
    if (!PyArg_ParseTuple(arguments, "Oy#n", &capsule, &bytes, &size, &index))
        return NULL;
    const Learning *learning = learning_of(capsule);
    if (!learning)
        return NULL;
    const Automaton *automaton = &learning->walk;
    if (index > size || index < (Py_ssize_t)automaton->last)
        return PyErr_Format(PyExc_ValueError, "no place of the walk: %zd", index);
    return PyBool_FromLong(is_misplaced(automaton, (const uint8_t *)bytes, (size_t)index));
}

/* Whether the tag that begins at a place is surely in the current element, after what the walk has passed, which ends
   there; `stop` is where the run ends. */
static PyObject *tag_is_surely_inside(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule;
    char *bytes;
    Py_ssize_t size, index, stop;
    unsigned int most, reach;
    PyObject *around;
    if (!PyArg_ParseTuple(arguments, "Oy#nnIIO", &capsule, &bytes, &size, &index, &stop, &most, &reach, &around))
        return NULL;
    Learning *learning = learning_of(capsule);
    if (!learning || !read_around(around, &learning->walk.around))
        return NULL;
    learning->knows_around = 1;
    Automaton *automaton = &learning->walk;
    if (stop > size || index > stop || index < (Py_ssize_t)automaton->last)
        return PyErr_Format(PyExc_ValueError, "no place of the walk: %zd", index);
    automaton->sure_end = 0; /* that may be of other limits */
    const uint8_t *data = (const uint8_t *)bytes;
    return PyBool_FromLong(is_surely_inside(automaton, data, (size_t)index, data + stop, most, reach));
}

/* See `is_flat` in walk.h. */
static PyObject *part_is_flat(PyObject *module, PyObject *arguments)
{
    (void)module;
    char *bytes;
    Py_ssize_t size, start, stop;
    if (!PyArg_ParseTuple(arguments, "y#nn", &bytes, &size, &start, &stop))
        return NULL;
    if (start < 0 || start > stop || stop > size)
        return PyErr_Format(PyExc_ValueError, "no part of the data: %zd to %zd", start, stop);
    const uint8_t *data = (const uint8_t *)bytes;
    return PyBool_FromLong(is_flat(data + start, data + stop));
}

/* A column of the walk as `Outcome` in walking/contract.py has it. */
static PyObject *column_at(const Automaton *automaton, const char *data, size_t index)
{
    long long column = column_of(automaton, (const uint8_t *)data, index, ANY_INDENT);
    return column < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(column);
}

static PyObject *walked(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 3)
        return PyErr_Format(PyExc_TypeError, "walked takes 3 arguments, not %zd", count);
    const Learning *learning = learning_of(arguments[0]);
    char *data;
    Py_ssize_t size;
    if (!learning || PyBytes_AsStringAndSize(arguments[1], &data, &size) < 0)
        return NULL;
    const Automaton *automaton = &learning->walk;
    Py_ssize_t end = PyLong_AsSsize_t(arguments[2]), innermost = -1;
    if (PyErr_Occurred())
        return NULL;
    if (end > size || end < (Py_ssize_t)automaton->last)
        return PyErr_Format(PyExc_ValueError, "no place of the walk: %zd", end);
    PyObject *columns = PyList_New((Py_ssize_t)automaton->opened_count);
    for (size_t i = 0; columns && i < automaton->opened_count; i++) {
        innermost = (Py_ssize_t)automaton->opened[i];
        PyObject *column = column_at(automaton, data, automaton->opened[i]);
        if (!column || PyList_SetItem(columns, (Py_ssize_t)i, column) < 0)
            Py_CLEAR(columns);
    }
    if (!columns)
        return NULL;
    PyObject *child = automaton->child == NO_CHILD ? PyLong_FromLong(NO_SIBLING)
                                                   : column_at(automaton, data, automaton->child);
    PyObject *column = column_at(automaton, data, (size_t)end);
    PyObject *has_start_tag = automaton->has_start_tag ? Py_True : Py_False;
    Py_ssize_t last = automaton->child == NO_CHILD ? -1 : (Py_ssize_t)automaton->child;
    /* It gives the references up, even where memory was too short for one of them. */
    return Py_BuildValue("nNnNNOn", (Py_ssize_t)automaton->ended, columns, innermost, child, column, has_start_tag, last);
}

#endif
