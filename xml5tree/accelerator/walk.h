/* Walking through an error-free run by transitions from place to place that are known already. What places, tokens and
   transitions are, is in xml5tree/dialects/xml5/intent/walking/; which of them are learned, in learning.py next to it.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [start, stop) of the data only, whatever the bytes
   are. There is no recursion, and every count is bounded by the number of bytes. */

#ifndef XML5TREE_WALK_H
#define XML5TREE_WALK_H

#include <limits.h>

#include "scanner.h"

/* What is known of a token besides its name; a transition is chosen by all of it. The same numbers are in
   walking/tokens.py. */
enum {
    END_TAG = 1,
    EMPTY_TAG = 2,
    COMMENT = 4,
    CDATA = 8,
    BLANK = 16, /* a CDATA section of white space */
    INSTRUCTION = 32,
    TEXT = 64,       /* text that is not white space comes after it */
    LEAF = 128,      /* then the end tag of the same name does */
    TAIL = 256,      /* and then such text */
};

/* A tag, comment, CDATA section or instruction, with what follows it up to the next `<`. */
typedef struct {
    const uint8_t *end;
    Slice name; /* of a tag; else it is empty */
    unsigned flags;
} Token;

typedef struct {
    size_t name; /* where it begins in the names */
    size_t name_length;
    uint32_t hash;
    uint32_t place;
    uint32_t into;
    unsigned flags; /* 0: the slot is free */
} Transition;

/* Marks a transition as there, whatever its flags; as that of a tag that is watched; and as that of all strange leaves,
   which have none of the names that are told, in elements that have. */
enum { TAKEN = 512, WATCHED = 1024, STRANGE = 2048 };

/* A transition is looked for in so many slots, so that names that are made to collide cost no more. */
enum { MOST_PROBES = 64 };

/* No child of the current element begins in the run. */
#define NO_CHILD SIZE_MAX

/* Columns up to this one are looked at, so that time is linear; there is the same number in constants.py. */
enum { MOST_INDENT = 255 };

/* Instead of a column: the tag is not the first on its line; or there is no such tag. */
enum { NO_COLUMN = -1, NO_SIBLING = -2 };

/* However great a column is. */
#define ANY_INDENT LLONG_MAX

/* How many of the open elements are known around a walk: one more than a run may end. */
enum { MOST_AROUND = 7 };

/* The columns of what is around a walk: of the last child of the current element; and of the open elements, the
   innermost first. */
typedef struct {
    int child;
    int open[MOST_AROUND];
} Columns;

/* The transitions, and what the current walk has come to. */
typedef struct {
    Transition *slots;
    size_t room; /* a power of two, or 0 */
    size_t count;
    uint8_t *names;
    size_t names_length;
    size_t names_room;
    Slice *told; /* the names with which a leaf is not strange, in order; they are kept by who has told them */
    size_t told_count; /* 0: no leaf is strange */
    size_t begun;     /* where the run begins */
    long long column; /* that of this place */
    Columns around;
    size_t last;    /* where the last token begins that it has passed */
    size_t *opened; /* where the elements begin that it has opened and not ended */
    size_t opened_count;
    size_t opened_room;
    size_t ended; /* how many of the elements that were open before it are ended */
    size_t child; /* where the last child of the current element begins */
    int has_start_tag;
    size_t sure_parent; /* where an element begins that is known to end soon, and */
    size_t sure_end;    /* where it ends; 0: none is known */
} Automaton;

/* Tokens ----------------------------------------------------------------------------------------------------------- */

/* Where a text first occurs; NULL where it does not. */
static const uint8_t *find_text(const uint8_t *p, const uint8_t *stop, const char *text, size_t length)
{
    while (p < stop && (p = memchr(p, text[0], (size_t)(stop - p))) != NULL) {
        if (starts_with(p, stop, text, length))
            return p;
        p++;
    }
    return NULL;
}

static const uint8_t *skip_blank(const uint8_t *p, const uint8_t *stop)
{
    while (p < stop && is_space(*p))
        p++;
    return p;
}

/* Whether the `<` here begins markup; else it is text, as the scan has found. */
static int begins_markup(const uint8_t *p, const uint8_t *stop)
{
    return p + 1 < stop && !(is_space(p[1]) || p[1] == ':' || p[1] == '<' || p[1] == '>');
}

/* Where the text that begins here ends; if it is not white space, the flag is set. */
static const uint8_t *pass_text(const uint8_t *p, const uint8_t *stop, unsigned *flags, unsigned flag)
{
    p = skip_blank(p, stop);
    if (p == stop || (*p == '<' && begins_markup(p, stop)))
        return p;
    *flags |= flag;
    while ((p = memchr(p, '<', (size_t)(stop - p))) != NULL && !begins_markup(p, stop))
        p++;
    return p ? p : stop;
}

/* Where a comment, CDATA section or instruction ends; NULL where another one seems to begin in it, which the states
   have to see. */
static const uint8_t *read_section(const uint8_t *p, const uint8_t *stop, unsigned *flags)
{
    const uint8_t *content, *end;
    if (starts_with(p, stop, "<!--", 4)) {
        *flags = COMMENT;
        end = find_text(p + 4, stop, "-->", 3);
        return end ? end + 3 : NULL;
    }
    if (starts_with(p, stop, "<![CDATA[", 9)) {
        content = p + 9;
        end = find_text(content, stop, "]]>", 3);
        if (!end || find_text(content, end, "<![CDATA[", 9))
            return NULL;
        *flags = CDATA | (skip_blank(content, end) == end ? BLANK : 0);
        return end + 3;
    }
    if (!starts_with(p, stop, "<?", 2))
        return NULL;
    *flags = INSTRUCTION;
    content = p + 2;
    end = find_text(content, stop, "?>", 2);
    return end && !find_text(content, end, "<?", 2) ? end + 2 : NULL;
}

static int ends_name(uint8_t byte)
{
    return is_space(byte) || byte == '/' || byte == '>' || byte == '!' || byte == '?';
}

/* Where a tag ends; NULL where none begins here. There are three bytes at least. */
static const uint8_t *read_whole_tag(const uint8_t *p, const uint8_t *stop, Token *token)
{
    int is_end_tag = p[1] == '/';
    const uint8_t *name = p + (is_end_tag ? 2 : 1);
    token->flags = is_end_tag ? END_TAG : 0;
    for (p = name; p < stop && !ends_name(*p); p++)
        ;
    token->name = (Slice){name, (size_t)(p - name)};
    for (; p < stop && *p != '>'; p++) {
        if (*p == '"' || *p == '\'') {
            p = memchr(p + 1, *p, (size_t)(stop - p - 1));
            if (!p)
                return NULL;
        }
    }
    if (p >= stop || !token->name.length)
        return NULL;
    if (p[-1] == '/')
        token->flags |= EMPTY_TAG;
    return p + 1;
}

/* Where the end tag of a name ends that begins here; NULL where there is another thing. */
static const uint8_t *read_end_of(const uint8_t *p, const uint8_t *stop, Slice name)
{
    if ((size_t)(stop - p) <= 2 + name.length || p[0] != '<' || p[1] != '/' ||
        memcmp(p + 2, name.start, name.length) != 0)
        return NULL;
    p = skip_blank(p + 2 + name.length, stop);
    return p < stop && *p == '>' ? p + 1 : NULL;
}

/* Read the token that begins here; 0 where the walk has to end before it. */
static int read_token(const uint8_t *p, const uint8_t *stop, Token *token)
{
    const uint8_t *end;
    *token = (Token){p, {p, 0}, 0};
    if (stop - p < 3 || *p != '<')
        return 0;
    end = p[1] == '!' || p[1] == '?' ? read_section(p, stop, &token->flags) : read_whole_tag(p, stop, token);
    if (!end)
        return 0;
    end = pass_text(end, stop, &token->flags, TEXT);
    token->end = end;
    if (token->name.length && (end = read_end_of(end, stop, token->name)) != NULL) {
        token->flags |= LEAF;
        token->end = pass_text(end, stop, &token->flags, TAIL);
    }
    return 1;
}

/* Transitions ------------------------------------------------------------------------------------------------------ */

static uint32_t hash_of(uint32_t place, const Token *token)
{
    uint32_t hash = (2166136261u ^ place) * 16777619u ^ token->flags;
    for (size_t i = 0; i < token->name.length; i++)
        hash = (hash ^ token->name.start[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* Whether a name comes before another (less than 0), is the same (0), or comes after it. */
static int compare_names(Slice one, Slice other)
{
    size_t shorter = one.length < other.length ? one.length : other.length;
    int order = memcmp(one.start, other.start, shorter);
    return order ? order : (one.length > other.length) - (one.length < other.length);
}

/* Whether a token is a leaf of a name that is not told. */
static int is_strange(const Automaton *automaton, const Token *token)
{
    if (!automaton->told_count || (token->flags & (LEAF | END_TAG)) != LEAF)
        return 0;
    size_t first = 0, last = automaton->told_count;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        int order = compare_names(automaton->told[middle], token->name);
        if (!order)
            return 0;
        if (order < 0)
            first = middle + 1;
        else
            last = middle;
    }
    return 1;
}

/* What all strange leaves have in common with one. */
static Token as_strange(const Token *token)
{
    return (Token){token->end, {token->name.start, 0}, token->flags | STRANGE};
}

/* The slot of the transition for a token at a place, or a free one for it; NULL where neither is near. */
static Transition *find_slot(const Automaton *automaton, uint32_t place, const Token *token)
{
    uint32_t hash = hash_of(place, token);
    for (size_t i = 0; i < MOST_PROBES && i < automaton->room; i++) {
        Transition *slot = &automaton->slots[(hash + i) & (automaton->room - 1)];
        if (!slot->flags)
            return slot;
        if (slot->hash == hash && slot->place == place &&
            (slot->flags | WATCHED) == (token->flags | TAKEN | WATCHED) &&
            slot->name_length == token->name.length &&
            memcmp(automaton->names + slot->name, token->name.start, slot->name_length) == 0)
            return slot;
    }
    return NULL;
}

/* Make room for another transition; 0 where memory is short. */
static int grow_slots(Automaton *automaton)
{
    if (automaton->room > SIZE_MAX / 2 / sizeof(Transition))
        return 0;
    size_t room = automaton->room ? 2 * automaton->room : 64;
    Transition *slots = calloc(room, sizeof *slots);
    if (!slots)
        return 0;
    for (size_t i = 0; i < automaton->room; i++) {
        const Transition *old = &automaton->slots[i];
        for (size_t j = 0; old->flags && j < MOST_PROBES; j++) {
            Transition *slot = &slots[(old->hash + j) & (room - 1)];
            if (!slot->flags) {
                *slot = *old;
                break;
            }
        }
    }
    free(automaton->slots);
    automaton->slots = slots;
    automaton->room = room;
    return 1;
}

/* Remember where a token leads to from a place, unless too many others are there; 0 where memory is short. */
static int remember(Automaton *automaton, uint32_t place, const Token *token, uint32_t into, int is_watched)
{
    size_t length = token->name.length;
    if (2 * automaton->count >= automaton->room && !grow_slots(automaton))
        return 0;
    Transition *slot = find_slot(automaton, place, token);
    if (!slot)
        return 1;
    if (!slot->flags) {
        if (length >= automaton->names_room - automaton->names_length) {
            if (length > SIZE_MAX / 4 || automaton->names_room > SIZE_MAX / 4)
                return 0;
            size_t room = 2 * automaton->names_room + length + 1024;
            uint8_t *names = realloc(automaton->names, room);
            if (!names)
                return 0;
            automaton->names = names;
            automaton->names_room = room;
        }
        memcpy(automaton->names + automaton->names_length, token->name.start, length);
        unsigned flags = token->flags | TAKEN | (is_watched ? WATCHED : 0);
        *slot = (Transition){automaton->names_length, length, hash_of(place, token), place, into, flags};
        automaton->names_length += length;
        automaton->count++;
    }
    slot->into = into;
    return 1;
}

/* Walking ---------------------------------------------------------------------------------------------------------- */

static void begin_walk(Automaton *automaton, size_t begun, long long column, Columns around)
{
    automaton->begun = automaton->last = begun;
    automaton->column = column;
    automaton->around = around;
    automaton->opened_count = automaton->ended = 0;
    automaton->child = NO_CHILD;
    automaton->has_start_tag = 0;
    automaton->sure_end = 0;
}

static void end_element(Automaton *automaton)
{
    if (automaton->opened_count) {
        automaton->child = automaton->opened[--automaton->opened_count];
    } else {
        automaton->child = NO_CHILD;
        automaton->ended++;
    }
}

/* Note what a token opens and ends that begins at an index of the data; 0 where memory is short. */
static int pass_token(Automaton *automaton, size_t index, const Token *token)
{
    automaton->last = index;
    if (token->flags & END_TAG) {
        end_element(automaton);
    } else if (token->name.length) {
        automaton->has_start_tag = 1;
        automaton->child = NO_CHILD;
        if (token->flags & EMPTY_TAG) {
            automaton->child = index;
        } else {
            size_t *opened =
                with_room(automaton->opened, automaton->opened_count, &automaton->opened_room, sizeof *opened);
            if (!opened)
                return 0;
            automaton->opened = opened;
            opened[automaton->opened_count++] = index;
        }
    }
    if (token->flags & LEAF)
        end_element(automaton);
    return 1;
}

/* How much white space is before a place on its line; NO_COLUMN where something else is, or more than `most`. */
static long long column_of(const Automaton *automaton, const uint8_t *data, size_t index, long long most)
{
    for (long long column = 0; column <= most; column++, index--) {
        if (index == automaton->begun) {
            long long begun = automaton->column;
            return begun < 0 || begun > most - column ? NO_COLUMN : begun + column;
        }
        if (data[index - 1] == '\n')
            return column;
        if (data[index - 1] != ' ' && data[index - 1] != '\t')
            return NO_COLUMN;
    }
    return NO_COLUMN;
}

/* The column of the current element. */
static long long column_of_parent(const Automaton *automaton, const uint8_t *data)
{
    if (automaton->opened_count)
        return column_of(automaton, data, automaton->opened[automaton->opened_count - 1], MOST_INDENT);
    return automaton->ended < MOST_AROUND ? automaton->around.open[automaton->ended] : NO_COLUMN;
}

/* The column of the last child of the current element. */
static long long column_of_child(const Automaton *automaton, const uint8_t *data)
{
    if (automaton->child != NO_CHILD)
        return column_of(automaton, data, automaton->child, MOST_INDENT);
    if (automaton->opened_count)
        return NO_SIBLING;
    if (automaton->ended)
        return automaton->ended <= MOST_AROUND ? automaton->around.open[automaton->ended - 1] : NO_COLUMN;
    return automaton->around.child;
}

/* Whether columns say that a tag is not in the current element: see `contradict` in columns.py. */
static int is_misplaced(const Automaton *automaton, const uint8_t *data, size_t index)
{
    long long column = column_of(automaton, data, index, MOST_INDENT);
    if (column < 0)
        return 0;
    long long child = column_of_child(automaton, data);
    if (child != NO_SIBLING)
        return child >= 0 && child != column;
    return column <= column_of_parent(automaton, data);
}

/* Whether columns surely do not say that a tag is misplaced; 0 where that is not known. */
static int fits_surely(const Automaton *automaton, const uint8_t *data, size_t index)
{
    long long column = column_of(automaton, data, index, MOST_INDENT);
    if (column < 0) {
        size_t begun = automaton->begun;
        return index == begun ? automaton->column < 0 : !is_space(data[index - 1]);
    }
    long long child = column_of_child(automaton, data);
    if (child != NO_SIBLING)
        return child == column;
    long long parent = column_of_parent(automaton, data);
    return parent >= 0 && column > parent;
}

/* Where the token begins with which the current element ends, by one of the so many tags at most that begin at a place or
   later, in so many bytes at most; NULL where it does not end so in the run. */
static const uint8_t *find_end(const uint8_t *p, const uint8_t *stop, unsigned most, size_t reach)
{
    const uint8_t *begun = p;
    size_t depth = 0; /* how many elements are open in it */
    Token token;
    for (; read_token(p, stop, &token); p = token.end) {
        if ((size_t)(token.end - begun) > reach)
            return NULL;
        if (!token.name.length)
            continue;
        if (!most--)
            return NULL;
        if (!(token.flags & END_TAG))
            depth += !(token.flags & EMPTY_TAG);
        else if (!depth--)
            return p;
        if (!(token.flags & LEAF))
            continue;
        if (!most--)
            return NULL;
        if (!depth--)
            return p;
    }
    return NULL;
}

/* Whether the current element ends soon after an index, see `find_end`. That is found out once for all its children: after
   each, fewer tags and bytes are left up to its end. */
static int ends_soon(Automaton *automaton, const uint8_t *data, size_t index, const uint8_t *stop, unsigned most,
                     size_t reach)
{
    size_t count = automaton->opened_count, parent = count ? automaton->opened[count - 1] : SIZE_MAX - automaton->ended;
    if (index < automaton->sure_end && parent == automaton->sure_parent)
        return 1;
    const uint8_t *end = find_end(data + index, stop, most, reach);
    if (end) {
        automaton->sure_parent = parent;
        automaton->sure_end = (size_t)(end - data);
    }
    return end != NULL;
}

/* Whether the tag at an index is surely in the current element: that ends in the run, so many tags later and in so
   many bytes at most, and columns do not say otherwise. */
static int is_surely_inside(Automaton *automaton, const uint8_t *data, size_t index, const uint8_t *stop, unsigned most,
                            size_t reach)
{
    return fits_surely(automaton, data, index) && ends_soon(automaton, data, index, stop, most + 1, reach);
}

/* Walk on from a place, up to the first token without a transition, or the end; or to one that is watched, ends after
   `watched`, and is misplaced. Where it stops is in `*p` and `*place`, and the token there in `token`,
   which ends where it begins if it is none to be passed. 0 where memory is short. */
static int walk(Automaton *automaton, const uint8_t *data, const uint8_t **p, const uint8_t *stop,
                const uint8_t *watched, uint32_t *place, Token *token)
{
    while (read_token(*p, stop, token)) {
        const Transition *transition = find_slot(automaton, *place, token);
        if ((!transition || !transition->flags) && is_strange(automaton, token)) {
            const Token strange = as_strange(token);
            transition = find_slot(automaton, *place, &strange);
        }
        if (!transition || !transition->flags)
            break;
        if (transition->flags & WATCHED && token->end > watched &&
            is_misplaced(automaton, data, (size_t)(*p - data)))
            break;
        if (!pass_token(automaton, (size_t)(*p - data), token))
            return 0;
        *place = transition->into;
        *p = token->end;
    }
    return 1;
}

/* Elements within so many others are looked at by `is_flat`. */
enum { MOST_FLAT = 64 };

/* Whether a part of a run is one element with what is around it, in which no element is in another one of its name. */
static int is_flat(const uint8_t *p, const uint8_t *stop)
{
    Slice open[MOST_FLAT];
    size_t depth = 0, roots = 0;
    Token token;
    for (p = skip_blank(p, stop); p < stop; p = token.end) {
        if (!read_token(p, stop, &token))
            return 0;
        if (!token.name.length)
            continue;
        if (token.flags & END_TAG) {
            if (!depth-- || token.flags & LEAF || !same(open[depth], token.name))
                return 0;
            continue;
        }
        for (size_t i = 0; i < depth; i++) {
            if (same(open[i], token.name))
                return 0;
        }
        if (depth == MOST_FLAT || (!depth && roots++))
            return 0;
        if (!(token.flags & (EMPTY_TAG | LEAF)))
            open[depth++] = token.name;
    }
    return roots && !depth;
}

static void release_automaton(Automaton *automaton)
{
    free(automaton->slots);
    free(automaton->names);
    free(automaton->told);
    free(automaton->opened);
}

#endif
