/* Learning from the tokens of a run, in C: see `PureReader` in xml5tree/dialects/xml5/intent/runs/pure.py, which
   has these rules in Python. Both do the same in all cases (tests/test_runs.py).

   What a document has shown is in Python's sets and dictionaries. Each name has one str object, which these find by its
   address. They are asked only about tags that may teach something. The policy itself is asked only about tags in new
   places, of which a document has few. */

#ifndef XML5TREE_LEARNING_H
#define XML5TREE_LEARNING_H

#include "ahead.h"
#include "stack.h"

/* Bits of the rules that are applied here, without the policy; each is set if the rule is switched on. */
enum { RULE_TEXT = 1, RULE_RECURSION = 2 };

/* Tables: those of `Learned.tables`, in its order; the open elements; HTML's void elements. */
enum {
    PAIRS,
    FOLLOWS,
    COMPLETED,
    FILLED,
    EMPTY,
    NAMES,
    INDENTED,
    CHILDREN,
    PARENTS,
    OPEN_NAMES,
    OPEN_ELEMENTS,
    VOID_NAMES,
    TABLES,
};

/* A tag that teaches nothing and is not doubted: its parent, the child before it, its name, and whether it is an empty
   tag. */
typedef struct {
    uint32_t parent, last, name;
    uint32_t kind; /* 0: the slot is free */
} KnownTag;

enum { KNOWN_START_TAG = 1, KNOWN_EMPTY_TAG = 2 };

/* The number of slots for known tags. If two tags share a slot, the later one is kept; few documents fill the slots. */
enum { MOST_KNOWN_TAGS = 2048 };

/* Flags of a name: its text teaches nothing more; an empty tag has had it; the count of its ended elements has reached the
   limit. */
enum { HAS_TEXT = 1, WAS_EMPTY = 2, HAS_ENDED_OFTEN = 4 };

/* The most names that are kept from one part to the next. */
enum { MOST_NAMES_KEPT = 1 << 14 };

typedef struct {
    Names names;
    Texts texts;
    uint8_t *facts; /* by the numbers of names */
    size_t fact_count;
    unsigned long seed;
    KnownTag *known;
    OpenElements open;
    uint32_t around[MOST_KNOWN]; /* the names of the open elements before the part */
    size_t around_count;
    /* While a part is read, what its caller holds; nothing else, lest the policy and its reader hold each other for good: */
    PyObject *policy; /* an `Intent` */
    PyObject *tables[TABLES];
    PyObject *all_names;      /* NULL until no more names are learned */
    Py_ssize_t indented;      /* the size of INDENTED when the tags became known */
    unsigned rules;
    Py_ssize_t most_learned;
    long many_records;
    size_t window; /* in characters */
    unsigned most_inside;
    size_t inside_reach; /* in bytes */
    int is_right; /* the draft's reading is known to have no error up to the end of the root element */
    const uint8_t *stop;  /* where the run ends */
    const uint8_t *plain_stop; /* where the first section with another opening inside begins, or the run ends; NULL: not
                                  known */
    const uint8_t *plain_start; /* where the search for `plain_stop` began */
    PyObject *source;           /* the bytes around these places, held so that no other object gets their address */
    const uint8_t *near;       /* from here on, at most a window is left to `plain_stop`; NULL: not known */
    uint32_t asked; /* the name of the tag to ask the policy about; NO_NAME: there is none */
    int asks_about_empty_tag;
    int is_busy; /* a part is being read; Python code that runs meanwhile may not use this learner */
} Learner;

/* The current token, and where it begins. */
typedef struct {
    const uint8_t *p;
    const Token *token;
    uint32_t number;
    PyObject *name;
    int is_new; /* whether an equal token may yet teach something, or be doubted */
} Reading;

/* What the document has shown: each answer is 0 or 1, or -1 on failure ------------------------------------------------- */

static int is_full(const Learner *learner, int table)
{
    PyObject *names = learner->tables[table];
    Py_ssize_t size = table == COMPLETED ? PyDict_Size(names) : PySet_Size(names);
    return size >= learner->most_learned;
}

static int is_in(const Learner *learner, int table, PyObject *key)
{
    PyObject *names = learner->tables[table];
    return table == COMPLETED ? PyDict_Contains(names, key) : PySet_Contains(names, key);
}

static int is_new_pair(const Learner *learner, PyObject *parent, PyObject *child)
{
    if (is_full(learner, PAIRS))
        return 0;
    PyObject *pair = PyTuple_Pack(2, parent, child);
    int is_known = pair ? is_in(learner, PAIRS, pair) : -1;
    Py_XDECREF(pair);
    return is_known < 0 ? -1 : !is_known;
}

/* Return the entry of a table for a name; NULL: there is none, or failure. */
static PyObject *entry_of(const Learner *learner, int table, PyObject *name)
{
    return Py_XNewRef(PyDict_GetItemWithError(learner->tables[table], name));
}

/* Learn: 0 on failure ---------------------------------------------------------------------------------------------- */

static int add_unless_full(const Learner *learner, int table, PyObject *key)
{
    return is_full(learner, table) || PySet_Add(learner->tables[table], key) == 0;
}

/* Number a child among those of its parent, and note the parent: see `Learned.learn_pair`. */
static int note_child(const Learner *learner, PyObject *parent, PyObject *child)
{
    PyObject *children = entry_of(learner, CHILDREN, parent);
    if (!children && (PyErr_Occurred() || !(children = PyDict_New()) ||
                      PyDict_SetItem(learner->tables[CHILDREN], parent, children) < 0)) {
        Py_XDECREF(children);
        return 0;
    }
    PyObject *number = NULL;
    if (PyDict_Check(children))
        number = PyLong_FromSsize_t(PyDict_Size(children));
    else
        refuse(PyExc_TypeError, "the children of a name are a dictionary");
    int is_done = number && PyDict_SetItem(children, child, number) == 0;
    Py_XDECREF(number);
    Py_DECREF(children);
    if (!is_done)
        return 0;
    PyObject *parents = entry_of(learner, PARENTS, child);
    if (!parents && (PyErr_Occurred() || !(parents = PySet_New(NULL)) ||
                     PyDict_SetItem(learner->tables[PARENTS], child, parents) < 0)) {
        Py_XDECREF(parents);
        return 0;
    }
    is_done = PySet_Check(parents) ? PySet_Add(parents, parent) == 0
                                   : refuse(PyExc_TypeError, "the parents of a name are a set");
    Py_DECREF(parents);
    return is_done;
}

static int learn_pair(const Learner *learner, PyObject *parent, PyObject *child)
{
    int is_new = is_new_pair(learner, parent, child);
    if (is_new <= 0)
        return is_new == 0;
    PyObject *pair = PyTuple_Pack(2, parent, child);
    int is_done = pair && PySet_Add(learner->tables[PAIRS], pair) == 0 && note_child(learner, parent, child);
    Py_XDECREF(pair);
    return is_done;
}

/* Learn that an element was closed by its own end tag, or is an empty tag; set `*is_new` unless its name has been counted
   `many_records` times. */
static int learn_end(const Learner *learner, PyObject *name, int *is_new)
{
    PyObject *completed = learner->tables[COMPLETED], *found = entry_of(learner, COMPLETED, name);
    if (!found && PyErr_Occurred())
        return 0;
    long times = found ? PyLong_AsLong(found) : 0;
    Py_XDECREF(found);
    if (times < 0)
        return PyErr_Occurred() ? 0 : refuse(PyExc_ValueError, "a count is not negative");
    if (times >= learner->many_records)
        return 1;
    *is_new = 1;
    if (!found && is_full(learner, COMPLETED))
        return 1;
    PyObject *number = PyLong_FromLong(times + 1);
    int is_done = number && PyDict_SetItem(completed, name, number) == 0;
    Py_XDECREF(number);
    return is_done;
}

/* What the policy would say ------------------------------------------------------------------------------------------ */

/* The most elements that are searched for one of a name; runs/contract.py has this number, too. */
enum { MOST_OUTER = 64 };

/* Return whether surely no element around an open one has its `name`; it has `around` known elements around it. -1 on
   failure. */
static int is_only_one(Learner *learner, uint32_t name, size_t around)
{
    if (around > MOST_OUTER)
        return 0;
    for (size_t i = 0; i < around; i++) {
        if (learner->open.items[i].name == name)
            return 0;
    }
    PyObject *text = text_of(&learner->texts, name), *found = text ? entry_of(learner, OPEN_NAMES, text) : NULL;
    if (!found)
        return PyErr_Occurred() ? -1 : 1;
    long count = PyLong_AsLong(found);
    Py_DECREF(found);
    if (count != 1)
        return count == -1 && PyErr_Occurred() ? -1 : 0;
    for (size_t i = 0; i < learner->around_count; i++) {
        if (learner->around[i] == name)
            return 1;
    }
    return 0;
}

/* Return whether a token is so near the end of the run that the policy would look beyond it: see `PureReader._is_near`. */
static int is_near_end(Learner *learner, const Token *token)
{
    const uint8_t *p = token->end, *stop = learner->stop;
    if (!learner->plain_stop) {
        const uint8_t *end = stop;
        Token next;
        if (find_text(p, stop, "<?", 2) || find_text(p, stop, "<![CDATA[", 9)) {
            for (end = p; read_token(end, stop, &next); end = next.end)
                ;
        }
        learner->plain_start = learner->open.data + learner->open.start;
        learner->plain_stop = end;
        learner->near = NULL;
    }
    size_t left = (size_t)(learner->plain_stop - p), longest = 4 * learner->window;
    if (left <= learner->window || left > longest)
        return left <= learner->window;
    if (!learner->near) {
        const uint8_t *near = learner->plain_stop;
        for (size_t characters = 0; near > learner->plain_start; near--) {
            if ((near[-1] & 0xC0) != 0x80 && ++characters > learner->window)
                break;
        }
        learner->near = near;
    }
    return p >= learner->near;
}

/* Return whether the policy surely takes the draft's reading of a tag, as its parent ends; -1 on failure. */
static int is_surely_inside(Learner *learner, const Reading *reading, PyObject *parent)
{
    OpenElements *open = &learner->open;
    const OpenElement *current = current_of(open);
    if (current->name == reading->number)
        return 0;
    int answer = is_true(PyObject_CallMethod(learner->policy, "unlike_cost", "OO", parent, reading->name));
    if (answer)
        return answer < 0 ? -1 : 0;
    answer = is_only_one(learner, current->name, open->count - 1);
    if (answer <= 0)
        return answer;
    size_t index = (size_t)(reading->p - open->data);
    return fits_surely(open, index) &&
           ends_soon(open, index, learner->stop, learner->most_inside + 1, learner->inside_reach);
}

/* Return whether the policy surely takes the draft's reading of a tag, as no error follows; -1 on failure. The answer is 0
   for a tag that may be an empty tag of HTML. It is 0 also for one that the next tag may repeat: the next tag
   follows directly, and its name begins like this one's, or the run ends too soon to tell. */
static int is_in_order(const Learner *learner, const Reading *reading)
{
    const Token *token = reading->token;
    if (!learner->is_right || token->flags & EMPTY_TAG)
        return learner->is_right;
    size_t length = token->name.length;
    int is_followed = !(token->flags & (LEAF | TEXT)), may_be_void = is_in(learner, VOID_NAMES, reading->name);
    if (may_be_void < 0)
        return -1;
    if (is_followed &&
        ((size_t)(learner->stop - token->end) <= length || !memcmp(token->end + 1, token->name.start, length)))
        return 0;
    return !may_be_void;
}

/* Return whether a tag whose place is shown is a leaf without text, and known in its parent: see `Intent._is_known_leaf`.
   -1 on failure. */
static int is_known_leaf(Learner *learner, const Reading *reading, PyObject *parent)
{
    if ((reading->token->flags & (LEAF | EMPTY_TAG | TEXT)) != LEAF)
        return 0;
    int is_new = is_new_pair(learner, parent, reading->name);
    return is_new ? (is_new < 0 ? -1 : 0) : is_only_one(learner, reading->number, learner->open.count);
}

/* Tokens: 1 where one is passed, 0 where the part ends before it, -1 on failure --------------------------------------- */

/* Return the facts of a name; NULL where memory is short. */
static uint8_t *facts_of(Learner *learner, uint32_t name)
{
    if (name >= learner->fact_count) {
        size_t count = 2 * learner->names.count + 64;
        uint8_t *facts = PyMem_Realloc(learner->facts, count);
        if (!facts) {
            PyErr_NoMemory();
            return NULL;
        }
        memset(facts + learner->fact_count, 0, count - learner->fact_count);
        learner->facts = facts;
        learner->fact_count = count;
    }
    return &learner->facts[name];
}

static int learn_text(Learner *learner, uint32_t number, Reading *reading)
{
    uint8_t *facts = facts_of(learner, number);
    if (!facts)
        return -1;
    if (*facts & HAS_TEXT)
        return 1;
    PyObject *name = text_of(&learner->texts, number), *text = text_of(&learner->texts, TEXT_CHILD);
    int is_new = name && text ? is_new_pair(learner, name, text) : -1;
    int is_filled = is_new < 0 ? -1 : is_in(learner, FILLED, name);
    if (is_filled < 0)
        return -1;
    if (!is_new && is_filled) {
        *facts |= HAS_TEXT;
        return 1;
    }
    reading->is_new = 1;
    return add_unless_full(learner, FILLED, name) && learn_pair(learner, name, text) ? 1 : -1;
}

/* A value of `around` below: the element goes on after the text. */
#define GOES_ON SIZE_MAX

/* Take text in an element: see `PureReader._takes_text`. */
static int take_text(Learner *learner, uint32_t number, int had_text, int has_children, size_t around, Reading *reading)
{
    uint8_t *facts = facts_of(learner, number);
    if (!facts)
        return -1;
    if (had_text) {
        reading->is_new = 1;
        return 1;
    }
    if (*facts & HAS_TEXT)
        return 1;
    PyObject *name = text_of(&learner->texts, number), *text = text_of(&learner->texts, TEXT_CHILD);
    if (!name || !text)
        return -1;
    int is_doubted = learner->rules & RULE_TEXT ? is_new_pair(learner, name, text) : 0;
    if (is_doubted > 0 && !has_children)
        is_doubted = is_in(learner, COMPLETED, name);
    if (is_doubted < 0)
        return -1;
    if (is_doubted && !learner->is_right && is_near_end(learner, reading->token)) {
        int is_only = around == GOES_ON ? 0 : is_only_one(learner, number, around);
        if (is_only <= 0)
            return is_only;
    }
    return learn_text(learner, number, reading);
}

static int has_children(const OpenElement *element)
{
    return element->last != NO_NAME && element->last != TEXT_CHILD;
}

/* Take text in the current element. */
static int pass_any_text(Learner *learner, Reading *reading)
{
    OpenElement *current = current_of(&learner->open);
    int is_taken = take_text(learner, current->name, current->had_text, has_children(current), GOES_ON, reading);
    if (is_taken > 0 && current->last == NO_NAME)
        current->last = TEXT_CHILD;
    return is_taken;
}

/* Learn that an element was closed by its own end tag, or is an empty tag. */
static int pass_end(Learner *learner, uint32_t number, Reading *reading)
{
    uint8_t *facts = facts_of(learner, number);
    if (!facts)
        return -1;
    if (*facts & HAS_ENDED_OFTEN)
        return 1;
    PyObject *name = text_of(&learner->texts, number);
    int is_new = 0;
    if (!name || !learn_end(learner, name, &is_new))
        return -1;
    if (is_new)
        reading->is_new = 1;
    else
        *facts |= HAS_ENDED_OFTEN;
    return 1;
}

/* Return whether nothing more is learned. */
static int is_all_full(const Learner *learner)
{
    return is_full(learner, COMPLETED) && is_full(learner, FILLED) && is_full(learner, FOLLOWS) &&
           is_full(learner, NAMES) && is_full(learner, PAIRS);
}

/* Return whether a leaf has a name that is not learned any more, in an element with a learned name; -1 on failure. The
   policy is not asked about such leaves. */
static int is_strange(Learner *learner, PyObject *parent, const Reading *reading)
{
    if ((reading->token->flags & (LEAF | EMPTY_TAG)) != LEAF || !is_all_full(learner))
        return 0;
    if (!learner->all_names) {
        PyObject *learned = PyObject_GetAttrString(learner->policy, "learned");
        learner->all_names = learned ? PyObject_CallMethod(learned, "all_names", NULL) : NULL;
        Py_XDECREF(learned);
        if (!learner->all_names)
            return -1;
        if (!PyAnySet_Check(learner->all_names)) {
            Py_CLEAR(learner->all_names);
            refuse(PyExc_TypeError, "all names are a set");
            return -1;
        }
    }
    int is_named = PySet_Contains(learner->all_names, reading->name);
    if (!is_named)
        is_named = is_in(learner, VOID_NAMES, reading->name);
    if (is_named)
        return is_named < 0 ? -1 : 0;
    int has_name = PySet_Contains(learner->all_names, parent);
    return has_name ? has_name : is_in(learner, VOID_NAMES, parent);
}

/* Return whether the states have to read a tag in an element of its own name: if it is new, they look far ahead,
   and they use columns. -1 on failure. */
static int is_for_states(Learner *learner, int is_shown, Reading *reading)
{
    if (!is_shown && !is_full(learner, FOLLOWS))
        return 1;
    int is_watched = learner->rules & RULE_RECURSION ? is_in(learner, INDENTED, reading->name) : 0;
    if (is_watched <= 0)
        return is_watched;
    reading->is_new = 1;
    return is_near_end(learner, reading->token) &&
           is_misplaced(&learner->open, (size_t)(reading->p - learner->open.data));
}

/* Learn a child: its name, its pair and its triple. */
static int learn_child(const Learner *learner, PyObject *parent, PyObject *name, PyObject *triple)
{
    return add_unless_full(learner, NAMES, name) && add_unless_full(learner, FILLED, parent) &&
                   learn_pair(learner, parent, name) && add_unless_full(learner, FOLLOWS, triple)
               ? 1
               : -1;
}

/* Return whether the policy doubts a child: see `Intent.doubts_child`; -1 on failure. `triple` has its parent, the
   child before it and its name; `is_shown`: whether FOLLOWS has the triple. Most such tags are new in their parent, or
   known in their place and with content. The policy itself is asked about the others. */
static int doubts_child(const Learner *learner, PyObject *triple, int is_empty, int is_shown)
{
    PyObject *parent = PyTuple_GetItem(triple, 0), *before = PyTuple_GetItem(triple, 1), *name = PyTuple_GetItem(triple, 2);
    int is_new = is_new_pair(learner, parent, name), is_known = !is_empty && is_shown ? is_in(learner, FILLED, name) : 0;
    if (is_new || is_known)
        return is_known < 0 ? -1 : is_new;
    PyObject *empty = is_empty ? Py_True : Py_False;
    return is_true(PyObject_CallMethod(learner->policy, "doubts_child", "OOOO", parent, before, name, empty));
}

/* Return whether a tag surely is in the current element, and learn that it is: see `PureReader._is_child`. */
static int pass_child(Learner *learner, PyObject *parent, PyObject *triple, Reading *reading)
{
    const OpenElement *current = current_of(&learner->open);
    PyObject *name = reading->name;
    int is_empty = (reading->token->flags & EMPTY_TAG) != 0, is_shown = is_in(learner, FOLLOWS, triple);
    if (is_shown < 0)
        return -1;
    if (current->name == reading->number) {
        int is_left = is_for_states(learner, is_shown, reading);
        if (is_left)
            return is_left < 0 ? -1 : 0;
    }
    int is_doubted = doubts_child(learner, triple, is_empty, is_shown);
    if (is_doubted < 0)
        return -1;
    if (is_doubted) {
        int is_asked = 0, is_sure = 0;
        if (is_near_end(learner, reading->token)) {
            is_sure = is_in_order(learner, reading);
            if (!is_sure && is_shown)
                is_sure = is_known_leaf(learner, reading, parent);
            if (!is_sure)
                is_sure = is_surely_inside(learner, reading, parent);
            is_asked = !is_sure;
        }
        if (is_sure >= 0 && !is_asked && !is_empty && current->name == reading->number && current->last != TEXT_CHILD)
            is_asked = is_true(PyObject_CallMethod(learner->policy, "is_record_in_record", "OO", parent, name));
        if (is_sure < 0 || is_asked < 0)
            return -1;
        if (is_asked) {
            learner->asked = reading->number;
            learner->asks_about_empty_tag = is_empty;
            return 0;
        }
        reading->is_new = 1;
    }
    if (!is_shown) {
        reading->is_new = 1;
        if (learn_child(learner, parent, name, triple) < 0)
            return -1;
    }
    int is_filled = is_empty ? 1 : is_in(learner, FILLED, name);
    int is_completed = is_filled ? is_filled : is_in(learner, COMPLETED, name);
    if (is_filled < 0 || is_completed < 0)
        return -1;
    if (!is_filled && !is_completed)
        reading->is_new = 1; /* not remembered: such tags are doubted as soon as one of the elements ends empty */
    return 1;
}

/* Return the slot of a known tag. */
static KnownTag *slot_of_tag(Learner *learner, KnownTag tag)
{
    uint64_t mixed = ((uint64_t)tag.parent << 32 | tag.name) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ ((uint64_t)tag.last << 2 | tag.kind) ^ mixed >> 29) * 0xBF58476D1CE4E5B9u;
    return &learner->known[mixed >> 40 & (MOST_KNOWN_TAGS - 1)];
}

/* Learn the place of a start tag, leaf or empty tag, if the tag may be passed there. */
static int see_child(Learner *learner, Reading *reading)
{
    const OpenElement *current = current_of(&learner->open);
    uint32_t kind = reading->token->flags & EMPTY_TAG ? KNOWN_EMPTY_TAG : KNOWN_START_TAG;
    KnownTag tag = {current->name, current->last, reading->number, kind}, *slot = slot_of_tag(learner, tag);
    if (!memcmp(slot, &tag, sizeof tag))
        return 1;
    PyObject *parent = text_of(&learner->texts, current->name), *before = Py_None;
    if (parent && has_children(current))
        before = text_of(&learner->texts, current->last);
    if (!parent || !before || !(reading->name = text_of(&learner->texts, reading->number)))
        return -1;
    int strange = is_strange(learner, parent, reading);
    if (strange)
        return strange;
    PyObject *triple = PyTuple_Pack(3, parent, before, reading->name);
    int is_passed = triple ? pass_child(learner, parent, triple, reading) : -1;
    Py_XDECREF(triple);
    if (is_passed > 0 && !reading->is_new)
        *slot = tag;
    return is_passed;
}

/* Pass an empty tag, and an end tag that may be of its token. */
static int pass_empty_tag(Learner *learner, Reading *reading)
{
    OpenElements *open = &learner->open;
    OpenElement *current = current_of(open);
    unsigned flags = reading->token->flags;
    int is_passed = 1, ends = (flags & LEAF) != 0;
    if (ends && open->count == 1)
        return 0; /* the token ends the outermost known element */
    if (flags & TEXT)
        is_passed = take_text(learner, current->name, current->had_text, 1, ends ? open->count - 1 : GOES_ON, reading);
    if (is_passed > 0 && flags & TAIL)
        is_passed = take_text(learner, current[-1].name, current[-1].had_text, 1, GOES_ON, reading);
    if (is_passed <= 0)
        return is_passed;
    uint8_t *facts = facts_of(learner, reading->number);
    if (!facts)
        return -1;
    if (!(*facts & WAS_EMPTY)) {
        PyObject *name = text_of(&learner->texts, reading->number);
        if (!name || !add_unless_full(learner, EMPTY, name))
            return -1;
        *facts |= WAS_EMPTY;
    }
    current->last = reading->number;
    open->child = (size_t)(reading->p - open->data);
    if (ends) {
        if (pass_end(learner, current->name, reading) < 0)
            return -1;
        pop_element(open);
    }
    return pass_end(learner, reading->number, reading);
}

/* Pass a start tag, or a leaf. */
static int pass_start_tag(Learner *learner, Reading *reading)
{
    OpenElements *open = &learner->open;
    OpenElement *current = current_of(open);
    unsigned flags = reading->token->flags;
    int is_leaf = (flags & LEAF) != 0, is_passed = 1;
    if (flags & TEXT)
        is_passed = take_text(learner, reading->number, 0, 0, is_leaf ? open->count : GOES_ON, reading);
    if (is_passed > 0 && flags & TAIL)
        is_passed = take_text(learner, current->name, current->had_text, 1, GOES_ON, reading);
    if (is_passed <= 0)
        return is_passed;
    size_t index = (size_t)(reading->p - open->data);
    if (is_leaf) {
        current->last = reading->number;
        open->child = index;
        return pass_end(learner, reading->number, reading);
    }
    if (push_element(open, (OpenElement){reading->number, flags & TEXT ? TEXT_CHILD : NO_NAME, index, NO_COLUMN, 0}))
        return 1;
    PyErr_NoMemory();
    return -1;
}

/* Return whether the policy has to be asked about the end tag of an element, the last token read, since the element may go
   on: see `PureReader._may_end_early`. -1 on failure. */
static int may_end_early(Learner *learner, const OpenElement *element, const Token *token)
{
    uint8_t *facts = facts_of(learner, element->name);
    if (!facts)
        return -1;
    if (!has_children(element) || *facts & HAS_ENDED_OFTEN || is_full(learner, COMPLETED))
        return 0;
    PyObject *name = text_of(&learner->texts, element->name), *parent = text_of(&learner->texts, element[-1].name);
    int is_known = name && parent ? is_in(learner, COMPLETED, name) : -1;
    if (is_known)
        return is_known < 0 ? -1 : 0;
    int is_early = is_true(PyObject_CallMethod(learner->policy, "may_end_early", "OO", name, parent));
    if (is_early <= 0)
        return is_early;
    Token next;
    if (!read_token(token->end, learner->stop, &next) || !next.name.length)
        return 1;
    if (next.flags & END_TAG)
        return is_true(PyObject_CallMethod(learner->policy, "is_root", "O", parent));
    uint32_t number;
    if (!number_of(&learner->names, next.name, &number)) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *following = text_of(&learner->texts, number), *last = text_of(&learner->texts, element->last);
    if (!following || !last)
        return -1;
    return is_true(PyObject_CallMethod(learner->policy, "goes_on", "OOOO", name, last, parent, following));
}

/* Pass an end tag, and a second one that may be of its token. The end tag is the current element's: the policy is asked
   about every other, so no run has one. */
static int pass_end_tag(Learner *learner, Reading *reading)
{
    OpenElements *open = &learner->open;
    unsigned flags = reading->token->flags;
    size_t ends = flags & LEAF ? 2 : 1;
    int is_passed = 1;
    if (open->count <= ends)
        return 0;
    const OpenElement *parent = &open->items[open->count - 2];
    if (ends == 1) {
        int is_asked = may_end_early(learner, parent + 1, reading->token);
        if (is_asked)
            return is_asked < 0 ? -1 : 0;
    }
    if (flags & TEXT)
        is_passed = take_text(learner, parent->name, parent->had_text, 1, ends == 2 ? open->count - 2 : GOES_ON, reading);
    if (is_passed > 0 && flags & TAIL)
        is_passed = take_text(learner, parent[-1].name, parent[-1].had_text, 1, GOES_ON, reading);
    for (; is_passed > 0 && ends; ends--) {
        is_passed = pass_end(learner, current_of(open)->name, reading);
        pop_element(open);
    }
    return is_passed;
}

/* Pass a comment, CDATA section or instruction. */
static int pass_section(Learner *learner, Reading *reading)
{
    unsigned flags = reading->token->flags;
    OpenElement *current = current_of(&learner->open);
    if (flags & CDATA && !(flags & BLANK)) {
        if (!current->had_text && learn_text(learner, current->name, reading) < 0)
            return -1;
        if (current->last == NO_NAME)
            current->last = TEXT_CHILD;
    }
    return flags & TEXT ? pass_any_text(learner, reading) : 1;
}

/* Pass a token. */
static int pass_token(Learner *learner, const uint8_t *p, const Token *token)
{
    Reading reading = {p, token, NO_NAME, NULL, 0};
    if (!token->name.length)
        return pass_section(learner, &reading);
    if (token->flags & END_TAG)
        return pass_end_tag(learner, &reading);
    if (!number_of(&learner->names, token->name, &reading.number)) {
        PyErr_NoMemory();
        return -1;
    }
    int is_passed = see_child(learner, &reading);
    if (is_passed <= 0)
        return is_passed;
    is_passed = token->flags & EMPTY_TAG ? pass_empty_tag(learner, &reading) : pass_start_tag(learner, &reading);
    learner->open.has_start_tag |= is_passed > 0;
    return is_passed;
}

/* Read the tokens of a part, and set `*end` to its end: see `PureReader.read`. 0 on failure. */
static int read_part(Learner *learner, const uint8_t *p, const uint8_t **end)
{
    Token token = {p, {p, 0}, 0};
    const uint8_t *text = skip_blank(p, learner->stop);
    int is_passed = 1;
    token.end = pass_text(p, learner->stop, &token.flags, TEXT);
    *end = token.end;
    if (token.flags & TEXT) {
        Reading reading = {p, &token, NO_NAME, NULL, 0};
        is_passed = pass_any_text(learner, &reading);
        if (is_passed <= 0) {
            *end = text;
            return is_passed == 0;
        }
    }
    while (is_passed > 0 && read_token(*end, learner->stop, &token)) {
        is_passed = pass_token(learner, *end, &token);
        if (is_passed > 0)
            *end = token.end;
    }
    return is_passed >= 0;
}

#endif
