/* Learning from the tokens of an error-free run, for walk.h: what comes of a token at a place, where the policy need not be
   asked. The rules are those of xml5tree/dialects/xml5/intent/learning.py, which reads what is left out here.

   What a document has shown is in Python's sets and dictionaries. Of each name there is one text, so that names are compared
   by their addresses. Places are numbers. */

#ifndef XML5TREE_LEARNING_H
#define XML5TREE_LEARNING_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include "walk.h"

/* An open element, by its name and the elements around it: see `Level` in walking/places.py. */
typedef struct {
    PyObject *name;
    uint32_t above; /* that of the element around it; NOTHING: it stands for all of which nothing is known */
    int has_text;   /* it had text before it was known */
    int knows_text; /* there is nothing to learn from its text, and the policy is not asked about it */
} Level;

/* See `Place` in walking/places.py. */
typedef struct {
    uint32_t level;
    PyObject *last; /* NULL: there is no content */
} Spot;

#define NOTHING UINT32_MAX

/* From a level, a name leads to the level of an element in it, without text or with it, or to the place after that child. */
typedef enum { FREE_EDGE, INSIDE, INSIDE_WITH_TEXT, AFTER } EdgeKind;

typedef struct {
    EdgeKind kind;
    uint32_t level;
    uint32_t into;
    PyObject *name; /* NULL: none */
} Edge;

/* The rules that are switched on, of those that learning asks about. */
enum { RULE_FILLED = 1, RULE_VOID = 2, RULE_IMPLIED = 4, RULE_TEXT = 8, RULE_SOFT = 16 };

/* What a document has shown, in the order in which `Learned.tables` has it; and what is open. */
enum {
    PAIRS,
    FOLLOWS,
    COMPLETED,
    DOUBTED,
    FILLED,
    EMPTY,
    NAMES,
    CHILDREN,
    PARENTS,
    OPEN_NAMES,
    OPEN_ELEMENTS,
    VOID_NAMES,
    TEXT_NAME,
    TABLES,
};

typedef struct {
    Automaton walk;
    Level *levels;
    size_t level_count;
    size_t level_room;
    Spot *spots;
    size_t spot_count;
    size_t spot_room;
    Edge *edges;
    size_t edge_room; /* a power of two, or 0 */
    size_t edge_count;
    PyObject *texts;          /* all names, by themselves: each is kept as long as there are places */
    PyObject *tables[TABLES]; /* NULL: nothing is learned here */
    unsigned rules;
    Py_ssize_t most_learned;
    long many_records;
    size_t window; /* in characters */
    unsigned most_inside;
    size_t inside_reach; /* in bytes */
    size_t missed;    /* how many tokens had no transition */
    int knows_around; /* the columns around the walk are known, or have been asked for */
    uint32_t begun_in; /* the level in which it began */
    int is_right; /* the draft's reading has no error up to the end of the document: see `Learner` in learning.py */
    const uint8_t *seen; /* the data and the end of the run that the next two are about */
    const uint8_t *seen_stop;
    const uint8_t *plain_stop; /* where the first section begins in which another one seems to, or the run ends */
    const uint8_t *near;       /* from where on at most a window is left up to that; NULL: not known */
} Learning;

/* Names -------------------------------------------------------------------------------------------------------------- */

/* The one text of a name, borrowed; NULL on failure. */
static PyObject *text_of_name(const Learning *learning, PyObject *name)
{
    PyObject *text = PyDict_GetItemWithError(learning->texts, name);
    if (text || PyErr_Occurred())
        return text;
    return PyDict_SetItem(learning->texts, name, name) == 0 ? name : NULL;
}

static PyObject *text_of_bytes(const Learning *learning, Slice name)
{
    PyObject *bytes = PyUnicode_DecodeUTF8((const char *)name.start, (Py_ssize_t)name.length, "strict");
    PyObject *text = bytes ? text_of_name(learning, bytes) : NULL;
    Py_XDECREF(bytes);
    return text;
}

/* Levels and places -------------------------------------------------------------------------------------------------- */

/* Python's own hash of a text has a seed for each process, so that nobody can choose names that collide. */
static size_t slot_of_edge(const Learning *learning, EdgeKind kind, uint32_t level, PyObject *name)
{
    Py_hash_t hash = name ? PyObject_Hash(name) : 0;
    uint64_t mixed = ((uint64_t)hash ^ (uint64_t)level << 2 ^ (uint64_t)kind) * 0x9E3779B97F4A7C15u;
    size_t mask = learning->edge_room - 1, slot = (size_t)(mixed >> 32) & mask;
    for (const Edge *edge = learning->edges; edge[slot].kind != FREE_EDGE; slot = (slot + 1) & mask) {
        if (edge[slot].name == name && edge[slot].level == level && edge[slot].kind == kind)
            break;
    }
    return slot;
}

static int grow_edges(Learning *learning)
{
    Learning grown = *learning;
    if (learning->edge_room > SIZE_MAX / 2 / sizeof(Edge))
        return 0;
    grown.edge_room = learning->edge_room ? 2 * learning->edge_room : 64;
    grown.edges = calloc(grown.edge_room, sizeof *grown.edges);
    if (!grown.edges)
        return 0;
    for (size_t i = 0; i < learning->edge_room; i++) {
        const Edge *edge = &learning->edges[i];
        if (edge->kind != FREE_EDGE)
            grown.edges[slot_of_edge(&grown, edge->kind, edge->level, edge->name)] = *edge;
    }
    free(learning->edges);
    *learning = grown;
    return 1;
}

/* Add a level; NOTHING where memory is short. */
static uint32_t add_level(Learning *learning, PyObject *name, uint32_t above, int has_text)
{
    Level *levels = with_room(learning->levels, learning->level_count, &learning->level_room, sizeof *levels);
    if (!levels || learning->level_count >= NOTHING)
        return NOTHING;
    learning->levels = levels;
    levels[learning->level_count] = (Level){name, above, has_text, has_text};
    return (uint32_t)learning->level_count++;
}

static uint32_t add_spot(Learning *learning, uint32_t level, PyObject *last)
{
    Spot *spots = with_room(learning->spots, learning->spot_count, &learning->spot_room, sizeof *spots);
    if (!spots || learning->spot_count >= NOTHING)
        return NOTHING;
    learning->spots = spots;
    spots[learning->spot_count] = (Spot){level, last};
    return (uint32_t)learning->spot_count++;
}

/* Where an edge leads from a level; the name is one of the texts. NOTHING where memory is short. */
static uint32_t go_along(Learning *learning, EdgeKind kind, uint32_t level, PyObject *name)
{
    if (2 * learning->edge_count >= learning->edge_room && !grow_edges(learning))
        return NOTHING;
    Edge *edge = &learning->edges[slot_of_edge(learning, kind, level, name)];
    if (edge->kind == FREE_EDGE) {
        uint32_t into =
            kind == AFTER ? add_spot(learning, level, name) : add_level(learning, name, level, kind == INSIDE_WITH_TEXT);
        if (into == NOTHING)
            return NOTHING;
        *edge = (Edge){kind, level, into, name};
        learning->edge_count++;
    }
    return edge->into;
}

static uint32_t after_child(Learning *learning, uint32_t level, PyObject *name)
{
    return go_along(learning, AFTER, level, name);
}

static uint32_t after_any_text(Learning *learning, uint32_t spot)
{
    const Spot here = learning->spots[spot];
    return here.last ? spot : after_child(learning, here.level, learning->tables[TEXT_NAME]);
}

static uint32_t outside_of(Learning *learning, uint32_t spot)
{
    const Level *level = &learning->levels[learning->spots[spot].level];
    return after_child(learning, level->above, level->name);
}

/* What the document has shown: each answer is 0 or 1, or -1 on failure ------------------------------------------------- */

static int is_full(const Learning *learning, int table)
{
    PyObject *names = learning->tables[table];
    Py_ssize_t size = table == COMPLETED ? PyDict_Size(names) : PySet_Size(names);
    return size >= learning->most_learned;
}

static int is_in(const Learning *learning, int table, PyObject *key)
{
    PyObject *names = learning->tables[table];
    return table == COMPLETED || table == OPEN_NAMES ? PyDict_Contains(names, key) : PySet_Contains(names, key);
}

static int is_pair_in(const Learning *learning, int table, PyObject *parent, PyObject *child)
{
    PyObject *pair = PyTuple_Pack(2, parent, child);
    int found = pair ? is_in(learning, table, pair) : -1;
    Py_XDECREF(pair);
    return found;
}

static int is_new_pair(const Learning *learning, PyObject *parent, PyObject *child)
{
    if (is_full(learning, PAIRS))
        return 0;
    int is_known = is_pair_in(learning, PAIRS, parent, child);
    return is_known < 0 ? -1 : !is_known;
}

/* What is in a dictionary of a dictionary's or set's kind for a name, borrowed; NULL: nothing, or failure. */
static PyObject *table_of(const Learning *learning, int table, PyObject *name)
{
    return PyDict_GetItemWithError(learning->tables[table], name);
}

/* Learn: 0 on failure ---------------------------------------------------------------------------------------------- */

static int add_unless_full(const Learning *learning, int table, PyObject *key)
{
    return is_full(learning, table) || PySet_Add(learning->tables[table], key) == 0;
}

/* Number a child among those of its parent, and note the parent: see `Learned.learn_pair`. */
static int note_child(const Learning *learning, PyObject *parent, PyObject *child)
{
    PyObject *made = NULL, *children = table_of(learning, CHILDREN, parent);
    if (!children && (PyErr_Occurred() || !(children = made = PyDict_New()) ||
                      PyDict_SetItem(learning->tables[CHILDREN], parent, made) < 0)) {
        Py_XDECREF(made);
        return 0;
    }
    PyObject *number = PyLong_FromSsize_t(PyDict_Size(children));
    int is_done = number && PyDict_SetItem(children, child, number) == 0;
    Py_XDECREF(number);
    Py_XDECREF(made);
    if (!is_done)
        return 0;
    PyObject *parents = table_of(learning, PARENTS, child);
    if (parents)
        return PySet_Add(parents, parent) == 0;
    made = PyErr_Occurred() ? NULL : PySet_New(NULL);
    is_done = made && PySet_Add(made, parent) == 0 && PyDict_SetItem(learning->tables[PARENTS], child, made) == 0;
    Py_XDECREF(made);
    return is_done;
}

static int learn_pair(const Learning *learning, PyObject *parent, PyObject *child)
{
    int is_new = is_new_pair(learning, parent, child);
    if (is_new <= 0)
        return is_new == 0;
    PyObject *pair = PyTuple_Pack(2, parent, child);
    int is_done = pair && PySet_Add(learning->tables[PAIRS], pair) == 0 && note_child(learning, parent, child);
    Py_XDECREF(pair);
    return is_done;
}

/* Learn that an element was closed by its own end tag, or is an empty tag; they are counted up to a number. */
static int learn_end(const Learning *learning, PyObject *name, int *is_new)
{
    PyObject *completed = learning->tables[COMPLETED], *found = PyDict_GetItemWithError(completed, name);
    if (!found && PyErr_Occurred())
        return 0;
    long times = found ? PyLong_AsLong(found) : 0;
    if (times < 0)
        return 0;
    if (times >= learning->many_records)
        return 1;
    *is_new = 1;
    if (!found && is_full(learning, COMPLETED))
        return 1;
    PyObject *number = PyLong_FromLong(times + 1);
    int is_done = number && PyDict_SetItem(completed, name, number) == 0;
    Py_XDECREF(number);
    return is_done;
}

/* What the policy would say ------------------------------------------------------------------------------------------ */

/* So many levels are looked through for elements of one name; there is the same number in learning.py. */
enum { MOST_OUTER = 64 };

/* Whether no outer element has the name of one; 0: it is not known. -1 on failure. */
static int is_only_one(const Learning *learning, uint32_t number)
{
    const Level *levels = learning->levels;
    PyObject *name = levels[number].name;
    uint32_t outer = levels[number].above;
    int looked = 0;
    for (; outer != NOTHING && levels[outer].name != name; outer = levels[outer].above) {
        if (++looked == MOST_OUTER)
            return 0;
    }
    if (outer != NOTHING || looked == MOST_OUTER)
        return 0;
    PyObject *count = PyDict_GetItemWithError(learning->tables[OPEN_NAMES], name);
    if (!count)
        return PyErr_Occurred() ? -1 : 1;
    if (PyLong_AsLong(count) != 1)
        return 0;
    for (outer = learning->begun_in; outer != NOTHING; outer = levels[outer].above) {
        if (levels[outer].name == name)
            return 1;
    }
    return 0;
}

/* Whether a place is so near the end of the run that the policy would look beyond that: see `Learner._is_near`. */
static int is_near_end(Learning *learning, const uint8_t *data, const uint8_t *p, const uint8_t *stop)
{
    int is_seen = learning->seen == data && learning->seen_stop == stop;
    if (!is_seen || p > learning->plain_stop) {
        const uint8_t *end = stop;
        Token token;
        if (find_text(p, stop, "<?", 2) || find_text(p, stop, "<![CDATA[", 9)) {
            for (end = p; read_token(end, stop, &token); end = token.end)
                ;
        }
        learning->seen = data;
        learning->seen_stop = stop;
        learning->plain_stop = end;
        learning->near = NULL;
    }
    size_t left = (size_t)(learning->plain_stop - p), longest = 4 * learning->window;
    if (left <= learning->window || left > longest)
        return left <= learning->window;
    if (!learning->near) {
        const uint8_t *near = learning->plain_stop;
        for (size_t characters = 0; near > p; near--) {
            if ((near[-1] & 0xC0) != 0x80 && ++characters > learning->window)
                break;
        }
        learning->near = near;
    }
    return p >= learning->near;
}

/* A column of an open element, as a number: see `column_number` in columns.py; 0 on failure. */
static int read_column(PyObject *element, const char *attribute, int *column)
{
    PyObject *found = PyObject_GetAttrString(element, attribute);
    long long number = !found || found == Py_None ? NO_COLUMN : PyLong_AsLongLong(found);
    *column = number < 0 || number > MOST_INDENT ? NO_COLUMN : (int)number;
    Py_XDECREF(found);
    return found && !PyErr_Occurred();
}

/* Find out the columns of what is around the walk: see `Around` in walking/contract.py; 0 on failure. */
static int look_around(Learning *learning)
{
    PyObject *elements = learning->tables[OPEN_ELEMENTS];
    Columns *around = &learning->walk.around;
    Py_ssize_t count = PyList_Size(elements);
    learning->knows_around = 1;
    around->child = NO_SIBLING;
    for (Py_ssize_t i = 0; i < MOST_AROUND; i++) {
        around->open[i] = NO_COLUMN;
        if (i < count && !read_column(PyList_GetItem(elements, count - 1 - i), "indent", &around->open[i]))
            return 0;
    }
    if (!count)
        return 1;
    PyObject *current = PyList_GetItem(elements, count - 1), *children = PyObject_GetAttrString(current, "children");
    int has_children = children ? PyObject_IsTrue(children) : -1;
    Py_XDECREF(children);
    return has_children > 0 ? read_column(current, "last_indent", &around->child) : has_children == 0;
}

/* Whether the policy, if it were asked, would take the draft's reading of a tag for certain; 0 where that is not
   known. -1 on failure. */
static int is_taken_surely(Learning *learning, const uint8_t *data, const uint8_t *p, const uint8_t *stop,
                           uint32_t level, PyObject *name)
{
    Automaton *walk = &learning->walk;
    PyObject *parent = learning->levels[level].name;
    size_t index = (size_t)(p - data);
    int is_completed = is_in(learning, COMPLETED, parent);
    if (is_completed < 0)
        return -1;
    if (is_completed && learning->rules & RULE_SOFT) { /* what children of such elements are not like: R-027 */
        PyObject *children = table_of(learning, CHILDREN, parent);
        if (!children && PyErr_Occurred())
            return -1;
        int has_text = children ? PyDict_Contains(children, learning->tables[TEXT_NAME]) : 0;
        if (has_text < 0)
            return -1;
        if (!children || PyDict_Size(children) <= has_text) {
            int is_unlike = is_new_pair(learning, parent, name);
            int is_doubted = is_unlike > 0 ? is_pair_in(learning, DOUBTED, parent, name) : 0;
            if (is_unlike < 0 || is_doubted < 0)
                return -1;
            if (is_unlike && !is_doubted)
                return 0;
        }
    }
    int is_only = is_only_one(learning, level);
    if (is_only <= 0)
        return is_only;
    if (!learning->knows_around && !walk->opened_count && !look_around(learning))
        return -1;
    return is_surely_inside(walk, data, index, stop, learning->most_inside, learning->inside_reach);
}

/* Whether the policy, if it were asked, would take the draft's reading of a tag, as no error follows; 0 where that is not
   known: of a tag that may be an empty tag of HTML, or comes again at once. -1 on failure. */
static int is_in_order(const Learning *learning, const Token *token, const uint8_t *stop, PyObject *name)
{
    if (!learning->is_right || token->flags & EMPTY_TAG)
        return learning->is_right;
    size_t length = token->name.length;
    int is_followed = !(token->flags & (LEAF | TEXT));
    if (is_followed && ((size_t)(stop - token->end) <= length || !memcmp(token->end + 1, token->name.start, length)))
        return 0;
    int may_be_void = is_in(learning, VOID_NAMES, name);
    return may_be_void < 0 ? -1 : !may_be_void;
}

/* Whether a start tag may be missing before a child of a parent that was shown after others only; -1 on failure, and 2 where
   there are more than so many children, which are left to Python. */
enum { MOST_CHILDREN = 64 };

static int may_lack_start_tag(const Learning *learning, PyObject *parent, PyObject *name)
{
    PyObject *children = table_of(learning, CHILDREN, parent), *parents = table_of(learning, PARENTS, name);
    if (!children || !parents)
        return PyErr_Occurred() ? -1 : 0;
    if (PyDict_Size(children) > MOST_CHILDREN)
        return 2;
    PyObject *child, *number;
    Py_ssize_t position = 0;
    while (PyDict_Next(children, &position, &child, &number)) {
        int found = PySet_Contains(parents, child);
        if (found)
            return found;
    }
    return 0;
}

/* Whether the policy doubts a child: see `Intent.doubts_child`; -1 on failure, and 2 where only Python knows. `is_shown`:
   whether the document has shown it after the child before it. */
static int doubts_child(const Learning *learning, PyObject *parent, PyObject *name, int is_empty, int is_shown)
{
    int is_new = is_new_pair(learning, parent, name);
    if (is_new)
        return is_new;
    int is_filled = is_in(learning, FILLED, name);
    if (is_filled < 0)
        return -1;
    if (is_empty) {
        if (!is_filled || is_full(learning, EMPTY) || !(learning->rules & RULE_FILLED))
            return 0;
        int was_empty = is_in(learning, EMPTY, name);
        return was_empty < 0 ? -1 : !was_empty;
    }
    if (!is_filled && learning->rules & RULE_VOID) {
        int may_be_void = is_in(learning, COMPLETED, name);
        if (!may_be_void)
            may_be_void = is_in(learning, VOID_NAMES, name);
        if (may_be_void)
            return may_be_void;
    }
    return !is_shown && learning->rules & RULE_IMPLIED ? may_lack_start_tag(learning, parent, name) : 0;
}

/* Tokens: 1 where one is learned from, 0 where that is left to Python, -1 on failure ----------------------------------- */

/* What is read of a run. */
typedef struct {
    const uint8_t *data, *p, *stop;
    const Token *token;
    int is_new; /* whether something is learned, so that there is no transition yet */
    int is_asked; /* whether the policy has to be asked about the tag */
} Reading;

/* Such a tag is told by this flag; there is the same number in walking/tokens.py. */
enum { ASKED = 4096 };

static int learn_text(Learning *learning, uint32_t number, Reading *reading)
{
    PyObject *name = learning->levels[number].name, *text = learning->tables[TEXT_NAME];
    int is_new = is_new_pair(learning, name, text), is_filled = is_in(learning, FILLED, name);
    if (is_new < 0 || is_filled < 0)
        return -1;
    if (!is_new && is_filled) {
        learning->levels[number].knows_text = 1;
        return 1;
    }
    reading->is_new = 1;
    return add_unless_full(learning, FILLED, name) && learn_pair(learning, name, text) ? 1 : -1;
}

/* Take text after a child of an element. */
static int take_text(Learning *learning, uint32_t number, PyObject *last, int ends_next, Reading *reading)
{
    const Level *level = &learning->levels[number];
    if (level->knows_text)
        return 1;
    PyObject *text = learning->tables[TEXT_NAME];
    int is_new = learning->rules & RULE_TEXT ? is_new_pair(learning, level->name, text) : 0;
    int is_doubted = is_new > 0 ? (last && last != text ? 1 : is_in(learning, COMPLETED, level->name)) : is_new;
    if (is_doubted < 0)
        return -1;
    if (is_doubted && !learning->is_right &&
        is_near_end(learning, reading->data, reading->token->end, reading->stop)) {
        int is_only = ends_next ? is_only_one(learning, number) : 0;
        if (is_only <= 0)
            return is_only;
    }
    return learn_text(learning, number, reading);
}

/* Go on to the place after text. */
static int pass_any_text(Learning *learning, uint32_t *spot, int ends_next, Reading *reading)
{
    const Spot here = learning->spots[*spot];
    int is_taken = take_text(learning, here.level, here.last, ends_next, reading);
    if (is_taken > 0 && (*spot = after_any_text(learning, *spot)) == NOTHING)
        return -1;
    return is_taken;
}

/* Learn a child: its name, and where it stands. */
static int learn_child(const Learning *learning, PyObject *parent, PyObject *name, PyObject *triple)
{
    return add_unless_full(learning, NAMES, name) && add_unless_full(learning, FILLED, parent) &&
                   learn_pair(learning, parent, name) && add_unless_full(learning, FOLLOWS, triple)
               ? 1
               : -1;
}

/* Pass a start tag, a leaf that begins with one, or an empty tag, with the text of a leaf. */
static int learn_start_tag(Learning *learning, uint32_t *spot, PyObject *name, PyObject *triple, Reading *reading)
{
    unsigned flags = reading->token->flags;
    uint32_t level = learning->spots[*spot].level;
    PyObject *parent = learning->levels[level].name;
    int is_empty = (flags & EMPTY_TAG) != 0, is_shown = is_in(learning, FOLLOWS, triple);
    int is_doubted = is_shown < 0 ? -1 : doubts_child(learning, parent, name, is_empty, is_shown);
    if (is_doubted < 0)
        return -1;
    if (is_doubted && is_near_end(learning, reading->data, reading->token->end, reading->stop)) {
        int is_sure = is_in_order(learning, reading->token, reading->stop, name);
        if (!is_sure)
            is_sure = is_taken_surely(learning, reading->data, reading->p, reading->stop, level, name);
        reading->is_asked = !is_sure && is_doubted == 1;
        if (is_sure <= 0)
            return is_sure;
    }
    reading->is_new = reading->is_new || is_doubted || !is_shown;
    if (!is_shown && learn_child(learning, parent, name, triple) < 0)
        return -1;
    if (is_empty)
        return (*spot = after_child(learning, level, name)) == NOTHING ? -1 : 1;
    int is_filled = is_in(learning, FILLED, name), is_completed = is_in(learning, COMPLETED, name);
    if (is_filled < 0 || is_completed < 0)
        return -1;
    if (!is_filled && !is_completed)
        reading->is_new = 1; /* no transition yet: the tag is doubted once such an element has ended empty */
    uint32_t inner = go_along(learning, INSIDE, level, name);
    if (inner == NOTHING)
        return -1;
    if (!(flags & LEAF))
        return (*spot = after_child(learning, inner, NULL)) == NOTHING ? -1 : 1;
    int is_taken = flags & TEXT ? take_text(learning, inner, NULL, 1, reading) : 1;
    if (is_taken <= 0)
        return is_taken;
    if ((*spot = after_child(learning, level, name)) == NOTHING)
        return -1;
    return flags & TAIL ? pass_any_text(learning, spot, 0, reading) : 1;
}

/* Pass an end tag, a comment, a CDATA section or an instruction, or what follows a tag. */
static int learn_rest(Learning *learning, uint32_t *spot, Reading *reading)
{
    unsigned flags = reading->token->flags;
    int is_taken = 1;
    if (flags & TEXT)
        is_taken = pass_any_text(learning, spot, (flags & LEAF) != 0, reading);
    if (is_taken > 0 && flags & LEAF) {
        if (learning->levels[learning->spots[*spot].level].above == NOTHING)
            return 0;
        if ((*spot = outside_of(learning, *spot)) == NOTHING)
            return -1;
        if (flags & TAIL)
            is_taken = pass_any_text(learning, spot, 0, reading);
    }
    return is_taken;
}

/* Whether the element around is known, so that what ends it can be passed. */
static int is_inner(const Learning *learning, uint32_t spot)
{
    uint32_t above = learning->levels[learning->spots[spot].level].above;
    return above != NOTHING && learning->levels[above].above != NOTHING;
}

static int learn_tag(Learning *learning, uint32_t *spot, PyObject *name, Reading *reading)
{
    unsigned flags = reading->token->flags;
    int is_taken = 1;
    if (flags & END_TAG) {
        if (!is_inner(learning, *spot))
            return 0;
        if ((*spot = outside_of(learning, *spot)) == NOTHING)
            return -1;
        is_taken = learn_rest(learning, spot, reading);
    } else {
        const Spot here = learning->spots[*spot];
        PyObject *parent = learning->levels[here.level].name;
        if (parent == name) /* columns may count */
            return 0;
        PyObject *before = here.last && here.last != learning->tables[TEXT_NAME] ? here.last : Py_None;
        PyObject *triple = PyTuple_Pack(3, parent, before, name);
        is_taken = triple ? learn_start_tag(learning, spot, name, triple, reading) : -1;
        Py_XDECREF(triple);
        if (is_taken > 0 && (flags & (LEAF | EMPTY_TAG)) == LEAF)
            return learn_end(learning, name, &reading->is_new) ? 1 : -1;
        if (is_taken > 0)
            is_taken = learn_rest(learning, spot, reading);
    }
    if (is_taken <= 0 || !(flags & (END_TAG | EMPTY_TAG | LEAF)))
        return is_taken;
    if (flags & EMPTY_TAG && !is_full(learning, EMPTY)) {
        int was_empty = is_in(learning, EMPTY, name);
        if (was_empty < 0 || (!was_empty && PySet_Add(learning->tables[EMPTY], name) < 0))
            return -1;
        reading->is_new = reading->is_new || !was_empty;
    }
    if (!learn_end(learning, name, &reading->is_new))
        return -1;
    return !(flags & LEAF && flags & END_TAG) || learn_end(learning, name, &reading->is_new) ? 1 : -1;
}

/* Whether nothing more is learned; then leaves may be strange, which is for Python to find out. */
static int is_all_full(const Learning *learning)
{
    return is_full(learning, COMPLETED) && is_full(learning, FILLED) && is_full(learning, FOLLOWS) &&
           is_full(learning, NAMES) && is_full(learning, PAIRS);
}

/* Learn from a token; the place after it is in `*spot`. */
static int learn_token(Learning *learning, uint32_t *spot, Reading *reading)
{
    const Token *token = reading->token;
    if ((token->flags & (LEAF | END_TAG)) == LEAF && is_all_full(learning))
        return 0;
    if (token->name.length) {
        PyObject *name = text_of_bytes(learning, token->name);
        return name ? learn_tag(learning, spot, name, reading) : -1;
    }
    if (token->flags & CDATA && !(token->flags & BLANK)) {
        int is_taken = learn_text(learning, learning->spots[*spot].level, reading);
        if (is_taken <= 0)
            return is_taken;
        if ((*spot = after_any_text(learning, *spot)) == NOTHING)
            return -1;
    }
    return learn_rest(learning, spot, reading);
}

/* Walk on as `walk` does, and learn from tokens that have no transition; 0 on failure. */
static int walk_and_learn(Learning *learning, const uint8_t *data, const uint8_t **p, const uint8_t *stop,
                          const uint8_t *watched, uint32_t *place, Token *token)
{
    for (;;) {
        if (!walk(&learning->walk, data, p, stop, watched, place, token)) {
            PyErr_NoMemory();
            return 0;
        }
        if (token->end == *p || !learning->tables[PAIRS])
            return 1;
        learning->missed++;
        Reading reading = {data, *p, stop, token, 0, 0};
        uint32_t into = *place;
        int is_learned = learn_token(learning, &into, &reading);
        if (is_learned == 0) {
            token->flags |= reading.is_asked ? ASKED : 0;
            return 1;
        }
        if (is_learned < 0 || (!reading.is_new && !remember(&learning->walk, *place, token, into, 0)) ||
            !pass_token(&learning->walk, (size_t)(*p - data), token)) {
            if (!PyErr_Occurred())
                PyErr_NoMemory();
            return 0;
        }
        *p = token->end;
        *place = into;
    }
}

#endif
