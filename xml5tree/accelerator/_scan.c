/* The module `_scan`: what Python calls of the headers in this folder. Its contract is _scan.pyi.

   Only searches keep state between calls. Other code may run in every call, see texts.h: it may call functions of
   this module, and change arguments that can be changed. */

#include "tables.h"

#include "extents.h"
#include "errors.h"
#include "searching.h"

/* More pairs of defaults and attributes of a tag are left to the states, which look attributes up in a dictionary. */
enum { MOST_PAIRS = 4096 };

/* What reads the content of one document: see `Content` in _scan.pyi. */
typedef struct {
    PyObject_HEAD
    Surroundings around; /* as far as it is always the same */
    PyObject *codes;
    PyObject *stack; /* the names of the open elements, from the outermost */
    PyObject *open;  /* the elements that are open, by their names */
    PyObject *found; /* what names mean */
    PyObject *wanted; /* see `Surroundings`; None: nothing */
} Content;

/* The slots for names that were found last in a run, and for children that were judged last, powers of two; and how many of the
   elements around a child are looked at: intent/contradictions.py. */
enum { LAST_FOUND = 16, LAST_JUDGED = 64, MOST_AROUND = 64 };

/* What callbacks need while a run is read. */
typedef struct {
    const Content *content;
    PyObject *rules; /* of declared elements */
    PyObject *held; /* all values that were found: the run refers to them, and dictionaries may lose them */
    PyObject *last_held;
    struct {
        uint8_t kind; /* 0: nothing is there */
        Slice name;
        Found found;
    } last[LAST_FOUND];
    PyObject *judge; /* see `Content.read` */
    Slice judged[LAST_JUDGED][2]; /* the names of elements and children; nothing is there if the child has no name */
} Context;

/* Set `*value` to what a dictionary has for a key, whose reference is taken; REFUSED: it has nothing, and the value is NULL. A
   dictionary of another type may find what it lacks. */
static Verdict look_up(Context *context, PyObject *dictionary, PyObject *key, PyObject **value)
{
    *value = NULL;
    if (!key)
        return FAILED;
    PyObject *found = held_value(dictionary, key);
    if (!found && !PyErr_Occurred() && !PyDict_CheckExact(dictionary)) {
        found = PyObject_GetItem(dictionary, key);
        if (!found && PyErr_ExceptionMatches(PyExc_KeyError))
            PyErr_Clear();
    }
    Py_DECREF(key);
    *value = found;
    if (!found)
        return PyErr_Occurred() ? FAILED : REFUSED;
    int is_held = found == context->last_held || PyList_Append(context->held, found) == 0;
    context->last_held = found;
    Py_DECREF(found);
    return is_held ? ACCEPTED : FAILED;
}

/* Return whether white space in a value may have to be collapsed. */
static int may_collapse(Slice value)
{
    int after_space = 1;
    for (size_t i = 0; i < value.length; i++) {
        int space = is_space(value.start[i]);
        if (space && after_space)
            return 1;
        after_space = space;
    }
    return value.length && after_space;
}

/* Read two byte strings and a number. 0 on failure. */
static int read_triple(PyObject *item, Slice *name, Slice *markup, long long *cost)
{
    if (!PyTuple_Check(item) || PyTuple_Size(item) != 3)
        return refuse(PyExc_TypeError, "a default, or what is found, is a tuple of three");
    if (!content_of(PyTuple_GetItem(item, 0), name) || !content_of(PyTuple_GetItem(item, 1), markup))
        return 0;
    *cost = PyLong_AsLongLong(PyTuple_GetItem(item, 2));
    return !(*cost == -1 && PyErr_Occurred());
}

static int has_attribute(const Attribute *attributes, size_t count, Slice name)
{
    for (size_t i = 0; i < count; i++) {
        if (same(attributes[i].name, name))
            return 1;
    }
    return 0;
}

/* Make the markup of the defaults that the current tag lacks. */
static Verdict add_defaults(PyObject *items, Scanner *scanner, Slice *defaults)
{
    Py_ssize_t number = PyTuple_Size(items);
    size_t count = scanner->attribute_count;
    if (count && (size_t)number > MOST_PAIRS / count)
        return REFUSED;
    for (Py_ssize_t i = 0; i < number; i++) {
        Slice name, markup;
        long long cost;
        if (!read_triple(PyTuple_GetItem(items, i), &name, &markup, &cost))
            return FAILED;
        if (has_attribute(scanner->attributes, count, name))
            continue;
        if (!spend(scanner, cost))
            return REFUSED;
        put(scanner, markup.start, markup.length);
    }
    *defaults = finish(scanner);
    return scanner->has_failed ? FAILED : ACCEPTED;
}

/* See `Declarations` in run.h. */
static Verdict apply_rule(void *context, Scanner *scanner, Slice name, const Tag *tag, Slice *defaults)
{
    PyObject *rule, *key = PyBytes_FromStringAndSize((const char *)name.start, (Py_ssize_t)name.length);
    Verdict verdict = look_up(context, ((Context *)context)->rules, key, &rule);
    if (verdict != ACCEPTED)
        return verdict == REFUSED ? ACCEPTED : FAILED;
    if (!PyTuple_Check(rule) || PyTuple_Size(rule) != 3 || !PyTuple_Check(PyTuple_GetItem(rule, 2))) {
        PyErr_SetString(PyExc_TypeError, "a rule is a tuple of three, of which the last is a tuple");
        return FAILED;
    }
    if (PyTuple_GetItem(rule, 0) != Py_False)
        return REFUSED;
    if (PyTuple_GetItem(rule, 1) != Py_False) {
        for (size_t i = 0; i < scanner->attribute_count; i++) {
            if (may_collapse(scanner->attributes[i].value))
                return REFUSED;
        }
    }
    PyObject *items = PyTuple_GetItem(rule, 2);
    if (PyTuple_Size(items) && tag->improper) /* which may come to the same name */
        return REFUSED;
    return add_defaults(items, scanner, defaults);
}

/* See `Finder` in run.h. */
static Verdict find_name(void *context, uint8_t kind, Slice name, Found *found)
{
    Context *around = context;
    size_t slot = (name.length ? name.length + name.start[0] + name.start[name.length - 1] : 0) % LAST_FOUND;
    if (around->last[slot].kind == kind && same(around->last[slot].name, name)) {
        *found = around->last[slot].found;
        return ACCEPTED;
    }
    PyObject *value, *key = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)name.length + 1);
    if (key) {
        char *bytes = PyBytes_AsString(key);
        bytes[0] = (char)kind;
        memcpy(bytes + 1, name.start, name.length);
    }
    Verdict verdict = look_up(around, around->content->found, key, &value);
    if (verdict != ACCEPTED)
        return verdict;
    found->is_pair = PyTuple_Check(value);
    found->number = 0;
    int is_read = found->is_pair || kind == ':' ? read_triple(value, &found->first, &found->second, &found->number)
                                                : content_of(value, &found->first);
    if (!is_read)
        return FAILED;
    around->last[slot].kind = kind;
    around->last[slot].name = name;
    around->last[slot].found = *found;
    return ACCEPTED;
}

/* See `UnmatchedEndTags` in run.h. */
static Verdict find_unmatched(void *context, Slice name)
{
    PyObject *key = string_of(name);
    int is_open = key ? PyDict_Contains(((const Context *)context)->content->open, key) : -1;
    Py_XDECREF(key);
    return is_open < 0 ? FAILED : is_open ? REFUSED : ACCEPTED;
}

/* See `OpenNames` in run.h. */
static Verdict find_open_name(void *context, size_t number, Slice *name)
{
    Context *around = context;
    PyObject *stack = around->content->stack, *item = PyList_GetItem(stack, PyList_Size(stack) - 1 - (Py_ssize_t)number);
    if (!item || !utf8_of(item, name) || PyList_Append(around->held, item) < 0)
        return FAILED;
    return ACCEPTED;
}

/* See `Judge` in run.h. Python is asked once in a run, if possible, about children of a name in elements of a name. */
static void judge_by_name(void *around, Scanner *scanner, Slice name, const uint8_t *place)
{
    Context *context = around;
    Slice parent, outer;
    if (scanner->has_failed || !any_open_element(scanner, 0, &parent))
        return;
    size_t slot = parent.length + 3 * name.length + 5 * name.start[0] + 7 * name.start[name.length - 1];
    slot = (slot + (parent.length ? 11 * parent.start[parent.length - 1] : 0)) % LAST_JUDGED;
    Slice *judged = context->judged[slot];
    if (judged[1].length && same(judged[0], parent) && same(judged[1], name))
        return;
    PyObject *names = PyList_New(0), *answer = NULL;
    for (size_t i = 0; names && i < MOST_AROUND && any_open_element(scanner, i, &outer); i++) {
        PyObject *text = string_of(outer);
        if (!text || PyList_Append(names, text) < 0)
            Py_CLEAR(names);
        Py_XDECREF(text);
    }
    if (names && !scanner->has_failed && PyList_Reverse(names) == 0)
        answer = PyObject_CallFunction(context->judge, "ON", names, string_of(name));
    Py_XDECREF(names);
    int is_known = answer && (PyBool_Check(answer) || is_tuple(answer, "a judgement")) && PyList_Append(context->held, answer) == 0;
    Py_XDECREF(answer);
    scanner->has_failed |= !is_known;
    if (is_known && answer != Py_False) {
        judged[0] = parent;
        judged[1] = name;
        if (answer != Py_True)
            note_error(scanner, UNEXPECTED, place, name)->judged = answer;
    }
}

/* Return the prefixes of a dictionary. NULL on failure. */
static Binding *bindings_of(PyObject *prefixes)
{
    Py_ssize_t count = PyDict_Size(prefixes), position = 0;
    Binding *bindings = PyMem_Malloc(((size_t)count + 1) * sizeof *bindings);
    if (!bindings) {
        PyErr_NoMemory();
        return NULL;
    }
    PyObject *prefix, *uri;
    for (Py_ssize_t i = 0; i < count && PyDict_Next(prefixes, &position, &prefix, &uri); i++) {
        bindings[i].meaning = uri == Py_None ? ODD : PLAIN;
        bindings[i].uri = (Slice){(const uint8_t *)"", 0};
        if (!utf8_of(prefix, &bindings[i].prefix) || (uri != Py_None && !utf8_of(uri, &bindings[i].uri))) {
            PyMem_Free(bindings);
            return NULL;
        }
    }
    return bindings;
}

static PyObject *opened_names(const Scanner *scanner)
{
    PyObject *names = PyList_New((Py_ssize_t)scanner->opened_count);
    for (size_t i = 0; names && i < scanner->opened_count; i++) {
        PyObject *text = string_of(scanner->opened[i].name);
        if (!text || PyList_SetItem(names, (Py_ssize_t)i, text) < 0)
            Py_CLEAR(names);
    }
    return names;
}

/* Return the run with its replacements; None if there are none, NULL on failure. */
static PyObject *markup_of(const Scanner *scanner, const uint8_t *start)
{
    if (!scanner->replacement_count)
        return Py_NewRef(Py_None);
    size_t size = (size_t)(scanner->end - start);
    for (size_t i = 0; i < scanner->replacement_count; i++) {
        const Replacement *item = &scanner->replacements[i];
        size -= item->source.length;
        if (item->markup.length > (size_t)PY_SSIZE_T_MAX - size)
            return PyErr_NoMemory();
        size += item->markup.length;
    }
    PyObject *markup = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!markup)
        return NULL;
    char *to = PyBytes_AsString(markup);
    for (size_t i = 0; i < scanner->replacement_count; i++) {
        const Replacement *item = &scanner->replacements[i];
        size_t length = (size_t)(item->source.start - start);
        memcpy(to, start, length);
        memcpy(to + length, item->markup.start, item->markup.length);
        to += length + item->markup.length;
        start = item->source.start + item->source.length;
    }
    memcpy(to, start, (size_t)(scanner->end - start));
    return markup;
}

/* See `Run.lowest`. */
static PyObject *lowest_of(const Scanner *scanner)
{
    for (size_t i = scanner->error_count; i-- > 0;) {
        if (is_wrong_end_tag(scanner->errors[i].kind))
            return PyLong_FromLongLong(scanner->lowest);
    }
    return Py_NewRef(Py_None);
}

/* See `Run.scopes`. NULL on failure. */
static PyObject *scopes_of(const Scanner *scanner)
{
    PyObject *scopes = PyTuple_New((Py_ssize_t)scanner->scope_count);
    for (size_t i = 0; scopes && i < scanner->scope_count; i++) {
        const Scope *scope = &scanner->scopes[i];
        const Binding *binding = &scope->binding;
        PyObject *uri = binding->meaning == UNBOUND ? Py_NewRef(Py_None) : string_of(binding->uri);
        PyObject *item = Py_BuildValue("nNNi", (Py_ssize_t)scope->element, string_of(binding->prefix), uri,
                                       binding->meaning == PLAIN);
        if (!item || PyTuple_SetItem(scopes, (Py_ssize_t)i, item) < 0)
            Py_CLEAR(scopes);
    }
    return scopes;
}

/* See `Run.renamed`. NULL on failure. */
static PyObject *renamed_of(const Scanner *scanner)
{
    PyObject *renamed = PyList_New(0);
    for (size_t i = 0; renamed && i < scanner->opened_count; i++) {
        const Slice *name = &scanner->opened[i].written;
        if (!name->start)
            continue;
        PyObject *item = Py_BuildValue("nN", (Py_ssize_t)i, string_of(*name));
        if (!item || PyList_Append(renamed, item) < 0)
            Py_CLEAR(renamed);
        Py_XDECREF(item);
    }
    return renamed;
}

/* Return how many elements follow one another from a note on, none of them in another, each with its own end tag. */
static size_t count_row(const Scanner *scanner, size_t i)
{
    const Note *notes = scanner->notes;
    size_t count = 0;
    for (; i + 1 < scanner->note_count && !notes[i].end && notes[i + 1].end && !notes[i + 1].is_implied; i += 2)
        count++;
    return count;
}

/* Return such elements as a list of four arrays of numbers, and go to their end: see `Run`. NULL on failure. */
static PyObject *row_of(const Scanner *scanner, const Note *notes, size_t count, Place *place)
{
    int64_t *numbers = PyMem_Malloc(4 * count * sizeof *numbers);
    PyObject *row = numbers ? PyList_New(0) : PyErr_NoMemory();
    for (size_t i = 0; row && i < count; i++) {
        const Note *start = &notes[2 * i], *end = start + 1;
        go_to(place, scanner->start, start->tag);
        numbers[i] = place->offset;
        numbers[count + i] = place->line;
        go_to(place, scanner->start, end->end);
        numbers[2 * count + i] = place->offset;
        numbers[3 * count + i] = start->tag - scanner->start;
    }
    for (size_t k = 0; row && k < 4; k++) {
        PyObject *each = PyBytes_FromStringAndSize((const char *)(numbers + k * count), (Py_ssize_t)(count * sizeof *numbers));
        if (!each || PyList_Append(row, each) < 0)
            Py_CLEAR(row);
        Py_XDECREF(each);
    }
    PyMem_Free(numbers);
    return row;
}

/* Return a note on one element, and go to its place: see `Run`. NULL on failure. */
static PyObject *note_of(const Scanner *scanner, const Note *note, Place *place)
{
    if (note->end && !note->is_implied) {
        go_to(place, scanner->start, note->end);
        return PyLong_FromSsize_t(place->offset);
    }
    go_to(place, scanner->start, note->tag);
    if (!note->end)
        return Py_BuildValue("nn", place->offset, place->line);
    Place tag = *place;
    go_to(place, scanner->start, note->end);
    return Py_BuildValue("nnnn", place->offset, tag.offset, tag.line, tag.column);
}

/* Return the notes on elements; None if none are wanted, NULL on failure. */
static PyObject *notes_of(const Scanner *scanner, Place place)
{
    Slice wanted = scanner->around->wanted;
    PyObject *found = wanted.start ? PyList_New(0) : Py_NewRef(Py_None);
    for (size_t i = 0; found && i < scanner->note_count;) {
        size_t count = wanted.length ? count_row(scanner, i) : 0;
        int is_row = count > 1;
        const Note *note = &scanner->notes[i];
        PyObject *item = is_row ? row_of(scanner, note, count, &place) : note_of(scanner, note, &place);
        if (!item || PyList_Append(found, item) < 0)
            Py_CLEAR(found);
        Py_XDECREF(item);
        i += is_row ? 2 * count : 1;
    }
    return found;
}

/* Return the run as a tuple: see `Run` in _scan.pyi. */
static PyObject *result_of(const Scanner *scanner, const uint8_t *data, PyObject *codes, const Place *place)
{
    Place end = *place;
    PyObject *errors = errors_of(scanner, codes, &end);
    if (!errors)
        return NULL;
    go_to(&end, scanner->start, scanner->end);
    /* It gives the references up, even where memory was too short for one of them. */
    return Py_BuildValue("nnNnNnnnLNNNNLiN", (Py_ssize_t)(scanner->end - data), (Py_ssize_t)(scanner->resume - data),
                         markup_of(scanner, scanner->start), (Py_ssize_t)scanner->ended, opened_names(scanner), end.offset,
                         end.line, end.column, scanner->cost, errors, lowest_of(scanner), scopes_of(scanner), renamed_of(scanner),
                         scanner->missing, scanner->is_coerced | count_brackets(scanner, scanner->end) << 1 |
                             scanner->is_too_deep << 4 | scanner->is_deepest_open << 5,
                         notes_of(scanner, *place));
}

static PyObject *new_content(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    (void)keywords;
    PyObject *codes, *stack, *open, *found, *wanted;
    Surroundings around = {.open_names = find_open_name, .find = find_name, .unmatched = find_unmatched};
    Py_ssize_t depth;
    int fifth;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!npOpppp", &PyTuple_Type, &codes, &PyList_Type, &stack, &PyDict_Type, &open,
                          &PyDict_Type, &found, &depth, &fifth, &wanted, &around.takes_errors, &around.keeps_lines,
                          &around.takes_pairs, &around.checks_ids) ||
        (wanted != Py_None && !content_of(wanted, &around.wanted)))
        return NULL;
    if (PyTuple_Size(codes) != sizeof ERRORS / sizeof *ERRORS)
        return PyErr_Format(PyExc_TypeError, "there are no codes of all errors");
    around.max_depth = depth < 0 ? 0 : (size_t)depth;
    around.first_class = fifth ? FIRST_IN_FIFTH : FIRST_IN_FOURTH;
    around.name_class = fifth ? IN_FIFTH : IN_FOURTH;
    Content *content = PyObject_GC_New(Content, type);
    if (!content)
        return NULL;
    content->around = around;
    content->codes = Py_NewRef(codes);
    content->stack = Py_NewRef(stack);
    content->open = Py_NewRef(open);
    content->found = Py_NewRef(found);
    content->wanted = Py_NewRef(wanted);
    PyObject_GC_Track(content);
    return (PyObject *)content;
}

static int traverse_content(PyObject *self, visitproc visit, void *arg)
{
    const Content *content = (const Content *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(content->codes);
    Py_VISIT(content->stack);
    Py_VISIT(content->open);
    Py_VISIT(content->found);
    Py_VISIT(content->wanted);
    return 0;
}

static int clear_content(PyObject *self)
{
    Py_CLEAR(((Content *)self)->found); /* all others refer to nothing of the document's, and are used */
    return 0;
}

static void free_content(PyObject *self)
{
    Content *content = (Content *)self;
    PyObject *type = (PyObject *)Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(content->codes);
    Py_XDECREF(content->stack);
    Py_XDECREF(content->open);
    Py_XDECREF(content->found);
    Py_XDECREF(content->wanted);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *read_content(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    Content *content = (Content *)self;
    enum { START, STOP, ADDED, MISSING, FLAGS, BARRIER, OFFSET, LINE, COLUMN, NUMBERS, OBJECTS = 4 };
    long long numbers[NUMBERS];
    if (count != OBJECTS + NUMBERS)
        return PyErr_Format(PyExc_TypeError, "read takes %d arguments, not %zd", OBJECTS + NUMBERS, count);
    for (int i = 0; i < NUMBERS; i++) {
        numbers[i] = PyLong_AsLongLong(arguments[OBJECTS + i]);
        if (numbers[i] == -1 && PyErr_Occurred())
            return NULL;
    }
    Py_ssize_t depth = PyList_Size(content->stack), start = (Py_ssize_t)numbers[START];
    int flags = (int)numbers[FLAGS] & 1023;
    Surroundings around = content->around;
    Slice part;
    if (!part_of(arguments[0], start, (Py_ssize_t)numbers[STOP], &part))
        return NULL;
    if (numbers[BARRIER] < 0 || numbers[BARRIER] > depth || !content->found)
        return PyErr_Format(PyExc_ValueError, "no such elements are open");
    PyObject *prefixes = arguments[1], *rules = arguments[2], *result = NULL;
    if (!PyDict_Check(prefixes) || !PyDict_Check(rules))
        return PyErr_Format(PyExc_TypeError, "prefixes and declarations are dictionaries");
    Place place = {part.start, (Py_ssize_t)numbers[OFFSET], (Py_ssize_t)numbers[LINE], (Py_ssize_t)numbers[COLUMN],
                   (Py_ssize_t)numbers[COLUMN]};
    Context context = {.content = content, .rules = rules, .judge = arguments[3]};
    around.cost_limit = numbers[ADDED];
    around.depth = (size_t)depth;
    around.open_count = (size_t)(depth - numbers[BARRIER]);
    around.declarations = PyDict_Size(rules) ? apply_rule : NULL;
    around.is_outside = flags >> 6 & 1;
    around.has_replaced = flags >> 7 & 1;
    around.reports_controls = flags >> 8 & 1;
    around.is_plain = flags >> 9;
    around.judge = context.judge == Py_None ? NULL : judge_by_name;
    around.context = &context;
    prefixes = PyDict_Copy(prefixes);
    Binding *bindings = prefixes && (context.held = PyList_New(0)) ? bindings_of(prefixes) : NULL;
    if (bindings) {
        around.bindings = bindings;
        around.binding_count = (size_t)PyDict_Size(prefixes);
        Scanner scanner;
        begin(&scanner, &around, part.start, part.start + part.length);
        scanner.missing = numbers[MISSING];
        scanner.is_coerced = flags & 1;
        scanner.brackets = flags >> 1 & 3;
        scanner.is_exact = flags >> 3 & 1;
        scanner.is_too_deep = flags >> 4 & 1;
        scanner.is_deepest_open = flags >> 5 & 1;
        if (read_run(&scanner))
            result = result_of(&scanner, part.start - start, content->codes, &place);
        else if (!PyErr_Occurred())
            PyErr_NoMemory();
        release(&scanner);
    }
    PyMem_Free(bindings);
    Py_XDECREF(context.held);
    Py_XDECREF(prefixes);
    return result;
}

/* Return whether there is an error between two places of a document in UTF-8 without a DOCTYPE, the first in its prolog. False:
   there is none, and the root element has ended. None: it is not known, as the states have to read something, or because
   elements are open, or nested deeper than `levels`, or because of bytes that are no UTF-8. */
static PyObject *has_error(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *data;
    Slice part;
    Py_ssize_t start, stop, levels;
    int fifth;
    if (!PyArg_ParseTuple(arguments, "Snnnp", &data, &start, &stop, &levels, &fifth) || !part_of(data, start, stop, &part))
        return NULL;
    Surroundings around;
    Scanner scanner;
    PyObject *result = Py_None;
    begin_document(&scanner, &around, part, levels, fifth);
    if (!read_run(&scanner))
        result = PyErr_NoMemory();
    else if (scanner.error_count)
        result = Py_True;
    else if (is_well_formed(&scanner) && is_plain_text(scanner.start, scanner.stop, 1))
        result = Py_False;
    release(&scanner);
    return Py_XNewRef(result);
}

static PyObject *document_seems_broken(PyObject *module, PyObject *document)
{
    (void)module;
    Slice data;
    return content_of(document, &data) ? PyBool_FromLong(seems_broken(data.start, data.start + data.length)) : NULL;
}

static PyObject *is_plain(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *utf8;
    Slice data;
    int allows_controls;
    if (!PyArg_ParseTuple(arguments, "Sp", &utf8, &allows_controls) || !content_of(utf8, &data))
        return NULL;
    return PyBool_FromLong(is_plain_text(data.start, data.start + data.length, allows_controls));
}

/* Records of a name ------------------------------------------------------------------------------------------------- */

/* Append the offset and the bytes of a record to two lists; 0: failure. */
static int append_record(PyObject *const lists[2], Py_ssize_t offset, const uint8_t *start, const uint8_t *end)
{
    PyObject *number = PyLong_FromSsize_t(offset), *data = PyBytes_FromStringAndSize((const char *)start, end - start);
    int is_done = number && data && PyList_Append(lists[0], number) == 0 && PyList_Append(lists[1], data) == 0;
    Py_XDECREF(number);
    Py_XDECREF(data);
    return is_done;
}

static PyObject *list_records(PyObject *module, PyObject *arguments)
{
    (void)module;
    Py_buffer source;
    PyObject *bytes, *result = NULL;
    Slice name;
    Py_ssize_t start, stop, base;
    int has_prefixes;
    if (!PyArg_ParseTuple(arguments, "y*nnSpn:list_records", &source, &start, &stop, &bytes, &has_prefixes, &base))
        return NULL;
    PyObject *lists[2] = {PyList_New(0), PyList_New(0)};
    int is_named = content_of(bytes, &name) && name.length;
    if (!is_named || start < 0 || start > stop || stop > source.len || base < 0 || base > PY_SSIZE_T_MAX - source.len) {
        PyErr_SetString(PyExc_ValueError, "a name is not empty, and records are in the source");
    } else if (lists[0] && lists[1]) {
        const uint8_t *data = source.buf, *p = data + start, *end = NULL;
        int is_done = 1;
        while (is_done && (end = read_record(p, data + stop, name, has_prefixes)) != NULL) {
            is_done = append_record(lists, base + (p - data), p, end);
            for (p = end; p < data + stop && (is_space(*p) || *p == '\r'); p++)
                ;
        }
        if (is_done)
            result = PyTuple_Pack(2, lists[0], lists[1]);
    }
    Py_XDECREF(lists[0]);
    Py_XDECREF(lists[1]);
    PyBuffer_Release(&source);
    return result;
}

/* The number of the sources that `hatch_build.py` has compiled; 0 where something else has. */
#ifndef XML5TREE_SOURCES
#define XML5TREE_SOURCES 0
#endif

static PyObject *sources(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromUnsignedLong(XML5TREE_SOURCES);
}

static PyMethodDef methods[] = {
    /* By way of a function pointer without arguments, which the compiler knows to be no mistake. */
    {"run_codes", run_codes, METH_NOARGS, "See `xml5tree.errors.reporter`."},
    {"sources", sources, METH_NOARGS, "See `xml5tree.accelerator.sources`."},
    {"has_error", has_error, METH_VARARGS, "See `xml5tree.backends.native_first`."},
    {"seems_broken", document_seems_broken, METH_O, "See `xml5tree.backends.native_first`."},
    {"is_plain", is_plain, METH_VARARGS, "See `xml5tree.input.stream`."},
    {"open_columns", open_columns, METH_VARARGS, "See `xml5tree.columns`."},
    {"feed_columns", feed_columns, METH_VARARGS, "See `xml5tree.columns`."},
    {"read_columns", read_columns, METH_VARARGS, "See `xml5tree.columns`."},
    {"take_columns", take_columns, METH_VARARGS, "See `xml5tree.columns`."},
    {"list_records", list_records, METH_VARARGS, "See `xml5tree.ranges.extents`."},
    {"list_costs", list_costs, METH_NOARGS, NULL},
    {"open_search", open_search, METH_VARARGS, NULL},
    {"step_search", step_search, METH_VARARGS, NULL},
    {"tell_search", tell_search, METH_VARARGS, NULL},
    {"count_search", count_search, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef methods_of_content[] = {
    {"read", (PyCFunction)(void (*)(void))read_content, METH_FASTCALL, "Read a run."},
    {NULL, NULL, 0, NULL},
};

static int add_content(PyObject *module)
{
    PyType_Slot slots_of_content[] = { /* C has no conversion of functions to pointers to objects but by way of numbers */
        {Py_tp_new, (void *)(uintptr_t)new_content},
        {Py_tp_traverse, (void *)(uintptr_t)traverse_content},
        {Py_tp_clear, (void *)(uintptr_t)clear_content},
        {Py_tp_dealloc, (void *)(uintptr_t)free_content},
        {Py_tp_methods, methods_of_content},
        {0, NULL},
    };
    PyType_Spec spec = {"xml5tree.accelerator._scan.Content", sizeof(Content), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                        slots_of_content};
    PyObject *type = PyType_FromSpec(&spec);
    int is_added = type ? PyModule_AddObjectRef(module, "Content", type) : -1;
    Py_XDECREF(type);
    return is_added;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)(uintptr_t)add_content},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED}, /* whatever a call changes is of one document */
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "xml5tree.accelerator._scan",
    .m_doc = "The compiled scan.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

/* Declared first, as `-Wmissing-prototypes` wants it. */
PyMODINIT_FUNC PyInit__scan(void);

PyMODINIT_FUNC PyInit__scan(void)
{
    PyObject *name = PyUnicode_FromString(definition.m_name);
    if (!name)
        return NULL;
    hash_seed = (uint32_t)PyObject_Hash(name); /* which depends on the seed of Python's own hashes */
    Py_DECREF(name);
    prepare_searches();
    return PyModuleDef_Init(&definition);
}
