/* The functions of the module `_scan` that search: what Python calls of search.h. See compiled.py of xml5tree/intent/. */

#include "searching.h"

#include "search.h"

static const char SEARCH[] = "xml5tree.Search";

typedef struct {
    Search search;
    PyObject *ask, *asked; /* the function, while a step is made, and what it has returned */
    int is_busy, is_broken; /* after a failure, it is of no more use */
} SearchObject;

static void free_table(Table *table)
{
    free(table->entries);
    free(table->slots);
}

static void close_search(PyObject *capsule)
{
    SearchObject *object = PyCapsule_GetPointer(capsule, SEARCH);
    if (!object)
        return;
    Search *s = &object->search;
    void *lists[] = {s->octets, s->names,    s->name_slots, s->edges,   s->places,     s->changes, s->tags, s->quiet,     s->place_slots, s->inside, s->stack,
                     s->children, s->maybe,  s->levels,      s->ended, s->frames,  s->frame_slots, s->nodes,       s->waitings,
                     s->order,  s->unused,   s->tape,       s->path,    s->restarts,   s->root_names,  s->root_tag, s->walk};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    free_table(&s->content);
    free_table(&s->counts);
    free_table(&s->events);
    free_table(&s->nearness);
    free_table(&s->pairs);
    PyMem_Free(object);
}

/* Return a search, which is busy from now on, until the caller resets `is_busy`. */
static SearchObject *search_of(PyObject *capsule)
{
    SearchObject *object = PyCapsule_GetPointer(capsule, SEARCH);
    int is_free = 0;
    if (!object)
        return NULL;
    Py_BEGIN_CRITICAL_SECTION(capsule);
    is_free = !object->is_busy && !object->is_broken;
    if (is_free)
        object->is_busy = 1;
    Py_END_CRITICAL_SECTION();
    if (is_free)
        return object;
    PyErr_SetString(PyExc_RuntimeError, "this search is at work, or has failed");
    return NULL;
}

static PyObject *bytes_of_name(const Search *s, uint32_t name)
{
    return PyBytes_FromStringAndSize((const char *)octets_of(s, name), (Py_ssize_t)s->names[name].length);
}

/* Set the number of a name, given as bytes; return 0 on failure. */
static int intern_bytes(Search *s, PyObject *name, uint32_t *number)
{
    char *octets;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(name, &octets, &length) < 0)
        return 0;
    *number = intern(s, (const uint8_t *)octets, (size_t)length);
    return 1;
}

/* Take an edge that Python has made. */
static int take_edge(Search *s, PyObject *item, int32_t index)
{
    PyObject *name;
    unsigned long long begin, end;
    int kind, column, facts, cost;
    uint32_t number;
    if (!PyTuple_Check(item)) {
        PyErr_SetString(PyExc_TypeError, "an edge is a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(item, "iSKKiii", &kind, &name, &begin, &end, &column, &facts, &cost))
        return 0;
    if (kind < TEXT_EDGE || kind > END_EDGE || end <= begin || end > s->fed || begin < s->base) {
        PyErr_SetString(PyExc_ValueError, "no edge of this text");
        return 0;
    }
    if (!intern_bytes(s, name, &number))
        return 0;
    ROOM_FOR(s, edges, 1);
    s->edges[s->edges_count++] = (Edge){.begin = begin,
                                        .end = end,
                                        .name = number,
                                        .column = column,
                                        .cost = cost,
                                        .index = index,
                                        .kind = (uint8_t)kind,
                                        .facts = (uint8_t)facts};
    return 1;
}

/* Ask Python for the edges of a place. */
static int ask_python(Search *s, uint64_t place)
{
    SearchObject *object = s->python;
    PyObject *found = PyObject_CallFunction(object->ask, "Ki", (unsigned long long)place, !s->is_ahead);
    if (!found)
        return 0;
    /* A tuple holds its items, whatever code runs meanwhile. It is released where the step ends. */
    object->asked = PyList_Check(found) ? PyList_AsTuple(found) : NULL;
    Py_DECREF(found);
    if (!object->asked || !PyTuple_Size(object->asked)) {
        PyErr_SetString(PyExc_TypeError, "edges are a list that is not empty");
        return 0;
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(object->asked); i++) {
        if (!take_edge(s, PyTuple_GetItem(object->asked, i), (int32_t)i))
            return 0;
    }
    Py_CLEAR(object->asked);
    return 1;
}

void prepare_searches(void)
{
    make_logarithms();
    make_words();
}

PyObject *list_costs(PyObject *module, PyObject *arguments)
{
    (void)module;
    (void)arguments;
    static const char *const NAMES[] = {
#define XML5TREE_COST_NAME(name) #name,
        XML5TREE_COSTS(XML5TREE_COST_NAME)};
    PyObject *names = PyList_New(COSTS_COUNT);
    for (int i = 0; names && i < COSTS_COUNT; i++) {
        PyObject *name = PyUnicode_FromString(NAMES[i]);
        if (!name || PyList_SetItem(names, i, name) < 0)
            Py_CLEAR(names);
    }
    return names;
}

PyObject *open_search(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *costs, *root_names;
    int lists_names, has_many_roots;
    unsigned long long seed;
    if (!PyArg_ParseTuple(arguments, "O!ppO!K", &PyTuple_Type, &costs, &lists_names, &has_many_roots, &PyTuple_Type,
                          &root_names, &seed))
        return NULL;
    if (PyTuple_Size(costs) != COSTS_COUNT)
        return PyErr_Format(PyExc_ValueError, "%d costs expected", COSTS_COUNT);
    int32_t numbers[COSTS_COUNT];
    for (int i = 0; i < COSTS_COUNT; i++) {
        long cost = PyLong_AsLong(PyTuple_GetItem(costs, i));
        if (cost == -1 && PyErr_Occurred())
            return NULL;
        numbers[i] = (int32_t)cost;
    }
    SearchObject *object = PyMem_Calloc(1, sizeof *object);
    PyObject *capsule = object ? PyCapsule_New(object, SEARCH, close_search) : NULL;
    if (!capsule) {
        PyMem_Free(object);
        return PyErr_NoMemory();
    }
    Search *s = &object->search;
    memcpy(s->costs, numbers, sizeof numbers);
    s->seed = seed;
    s->python = object;
    s->ask = ask_python;
    s->lists_names = lists_names;
    s->has_many_roots = has_many_roots;
    volatile int is_made = 0;
    if (!setjmp(s->failed)) {
        size_t count = (size_t)PyTuple_Size(root_names);
        begin_search(s);
        ROOM_FOR(s, root_names, count);
        while (s->root_names_count < count &&
               intern_bytes(s, PyTuple_GetItem(root_names, (Py_ssize_t)s->root_names_count), &s->root_names[s->root_names_count]))
            s->root_names_count++;
        is_made = s->root_names_count == count;
    }
    if (!is_made) {
        Py_DECREF(capsule);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    return capsule;
}

/* Have an entry for each name of a tuple, by another one; return 0 on failure. */
static int tell_names(Search *s, uint32_t kind, uint32_t name, PyObject *names)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++) {
        char *octets;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(names, i), &octets, &length) < 0)
            return 0;
        int is_text = length == 1 && *octets == '#';
        uint32_t other = is_text ? CHARACTERS : intern(s, (const uint8_t *)octets, (size_t)length);
        entry_of(s, &s->content, kind, name, other, 0, 1)->number = 1;
    }
    return 1;
}

/* Take what is known of the elements of a name: a row of knowledge.py. */
static int tell_row(Search *s, PyObject *row)
{
    PyObject *name, *children, *around;
    int has_any_prefix;
    uint32_t number;
    if (!PyTuple_Check(row)) {
        PyErr_SetString(PyExc_TypeError, "a row is a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(row, "SpOO!", &name, &has_any_prefix, &children, &PyTuple_Type, &around) ||
        !intern_bytes(s, name, &number))
        return 0;
    int has_children = PyTuple_Check(children);
    s->names[number].has_any_prefix = (uint8_t)has_any_prefix;
    s->names[number].around = (uint32_t)PyTuple_Size(around);
    if (has_children)
        s->names[number].has_children = PyTuple_Size(children) ? MAY_HAVE_SOME : HAS_NONE;
    s->knows = 1;
    return tell_names(s, AROUND_IT, number, around) && (!has_children || tell_names(s, IN_IT, number, children));
}

PyObject *tell_search(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *rows;
    SearchObject *object;
    if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyTuple_Type, &rows) || !(object = search_of(capsule)))
        return NULL;
    object->is_broken = 1;
    if (!setjmp(object->search.failed)) {
        object->is_broken = 0;
        for (Py_ssize_t i = 0; i < PyTuple_Size(rows) && !object->is_broken; i++)
            object->is_broken = !tell_row(&object->search, PyTuple_GetItem(rows, i));
    }
    object->is_busy = 0;
    if (object->is_broken)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    return Py_NewRef(Py_None);
}

/* Return a list of the operation of an edge and its changes, each as begin, end and what is read instead. */
static PyObject *list_changes(const Search *s, uint32_t number)
{
    PyObject *list = PyList_New(0);
    const Change *changes = number ? &s->changes[number - 1 - s->changes_dropped] : NULL;
    for (uint64_t i = 0; list && changes && i <= changes->end; i++) {
        const Change *one = &changes[i];
        PyObject *item = Py_BuildValue("KKi", (unsigned long long)one->begin, (unsigned long long)one->end, one->instead);
        if (!item || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* Add a step to a list. */
static int add_step(const Search *s, const Step *step, const Facts *facts, PyObject *steps)
{
    const Edge *edge = &s->edges[step->edge];
    PyObject *item = NULL, *start = NULL, *closed = PyTuple_New((Py_ssize_t)facts->inner_count);
    PyObject *changes = list_changes(s, edge->changes);
    for (uint32_t i = 0; closed && i < facts->inner_count; i++) {
        PyObject *name = bytes_of_name(s, facts->inner[i]);
        if (!name || PyTuple_SetItem(closed, (Py_ssize_t)i, name) < 0)
            Py_CLEAR(closed);
    }
    start = !facts->has_start ? Py_NewRef(Py_None)
                              : Py_BuildValue("KK", (unsigned long long)facts->start.begin, (unsigned long long)facts->start.end);
    if (closed && start && changes)
        item = Py_BuildValue("iiNKKiiOONNNNNOi", (int)step->operation, (int)edge->kind, bytes_of_name(s, edge->name),
                             (unsigned long long)edge->begin, (unsigned long long)edge->end, (int)edge->facts, (int)edge->index,
                             changes, closed, bytes_of_name(s, facts->own), bytes_of_name(s, step->opened),
                             bytes_of_name(s, step->name), PyBool_FromLong(facts->is_open),
                             PyBool_FromLong(facts->is_last), start, (int)step->margin);
    int is_added = item && PyList_Append(steps, item) == 0;
    Py_XDECREF(changes);
    Py_XDECREF(closed);
    Py_XDECREF(start);
    Py_XDECREF(item);
    return is_added;
}

/* Add the steps of the path that are more than tokens as they stand to a list. */
static void add_steps(Search *s, PyObject *steps)
{
    for (size_t i = 0; i < s->path_count; i++) {
        const Step *step = &s->nodes[s->path[i]];
        Facts facts;
        if (take_step(s, step, &facts) && !add_step(s, step, &facts, steps))
            fail(s);
    }
}

/* Make all steps for which enough text is there; return 0 on failure. */
static int make_steps(SearchObject *object, PyObject *steps)
{
    Search *s = &object->search;
    if (setjmp(s->failed)) {
        Py_CLEAR(object->asked);
        return 0;
    }
    while (has_front(s)) {
        begin_of_step(s);
        add_steps(s, steps);
        rest_of_step(s);
        add_steps(s, steps);
    }
    return 1;
}

PyObject *step_search(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *ask, *source;
    unsigned long long base, fed;
    int is_final;
    SearchObject *object;
    char *octets;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(arguments, "OOSKKp", &capsule, &ask, &source, &base, &fed, &is_final) ||
        PyBytes_AsStringAndSize(source, &octets, &length) < 0)
        return NULL;
    PyObject *steps = PyList_New(0);
    if (!steps || !(object = search_of(capsule))) {
        Py_XDECREF(steps);
        return NULL;
    }
    Search *s = &object->search;
    if (fed < base || (size_t)length < fed - base || base > kept_from(s) || fed < s->fed || base < s->base) {
        object->is_busy = 0;
        Py_DECREF(steps);
        return PyErr_Format(PyExc_ValueError, "no text for this step");
    }
    s->text = (const uint8_t *)octets;
    s->base = base;
    s->fed = fed;
    s->is_final = is_final;
    object->ask = ask;
    object->is_broken = !make_steps(object, steps);
    object->is_busy = 0;
    object->ask = NULL;
    s->text = NULL;
    if (object->is_broken) {
        Py_DECREF(steps);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    return Py_BuildValue("KKKLLLN", (unsigned long long)s->step, (unsigned long long)s->place, (unsigned long long)kept_from(s),
                         s->has_start && !s->is_quiet ? (long long)s->start.begin : -1LL, (long long)s->cost,
                         (long long)s->doubt, steps);
}

PyObject *count_search(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *name;
    int kind;
    char *octets;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(arguments, "OiS", &capsule, &kind, &name) || PyBytes_AsStringAndSize(name, &octets, &length) < 0)
        return NULL;
    SearchObject *object = PyCapsule_GetPointer(capsule, SEARCH);
    if (!object)
        return NULL;
    const Name *found = find_name(&object->search, (const uint8_t *)octets, (size_t)length);
    return PyLong_FromLong(!found ? 0 : kind == 0 ? found->seen_starts : kind == 1 ? found->seen_opened : found->seen_ends);
}
