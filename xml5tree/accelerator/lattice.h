/* The state of a search: memory, and names. Places are offsets in octets from the beginning of the document. */

#ifndef XML5TREE_LATTICE_H
#define XML5TREE_LATTICE_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "simd.h"

enum { RECENT = 8 }; /* children that a stray end tag casts doubt on */
enum { LOOK = 16384, STEP = 4096, WINDOW = 65536, MOST_SLOTS = 4 * WINDOW };
enum { MOST = 4096, LONGEST_LEAD = 256, LONGEST_TWICE = 700 };
enum { QUIET = 256 }; /* elements that are open at most where quiet follows an error */
enum { NO_COLUMN = -1, FREE_COLUMN = -2, EARLY_COLUMN = -3 };
enum { TEXT_EDGE, SPACE_EDGE, START_EDGE, EMPTY_EDGE, END_EDGE };
/* Facts about an edge. Without `HAS_INSTEAD`, the draft reads it so, too. */
enum { HAS_ATTRIBUTES = 1, HAS_INSTEAD = 2, HAS_OPERATION = 4, ENDS_INSIDE = 8, IS_SOUND = 16 };
/* How tags of a name are read where the caller lists names; until that is known, Python is asked. */
enum { IS_ASKED, IS_TAG, IS_TEXT };
/* Symbols beside names, as in model.py and search.py; names follow them. */
enum { NOTHING, CHARACTERS, LAST, FIRST, FIRST_WITH, AGAIN, FIRST_NAME };
enum { IS_VOID = 1, IS_INLINE = 2, IS_PHRASE = 4, IS_NEVER_FILLED = 8, IS_BOOLEAN = 16, IS_BEFORE = 32, IS_PRINTED = 64 };

/* The costs of costs.py that are used here. */
#define XML5TREE_COSTS(X)                                                                                                        \
    X(missing_end) X(gap) X(never_ended) X(empty_tag) X(empty_tag_once) X(void_name) X(drop_end) X(drop_end_owed) X(goes_on) X(goes_on_once) X(torn_tail)   \
    X(wrong_end_near) X(odd_case) X(wrong_end) X(unseen_start) X(end_as_start) X(void_end) X(start_as_end)                     \
    X(start_as_end_unseen) X(start_as_end_inline) X(empty_as_end) X(empty_as_start) X(early_end) X(lost_most) X(root_again) X(missing_start) X(start_after_others) X(usual_start) X(only_start)        \
    X(rename_start) X(rename_far) X(unseen_name) X(complete_name) X(prefix) X(start_as_text) X(printed) X(between_tags)          \
    X(phrase_text) X(cut_off) X(cut_off_each) X(no_root) X(text_before_root) X(after_root)                                       \
    X(after_root_each) X(after_root_early) X(next_root) X(restart) X(most) X(rare) X(sure) X(bare_text) X(mixed) X(self_nest)              \
    X(html_end) X(void) X(void_with) X(void_ends) X(hollow) X(declared) X(undeclared) X(width) X(no_gt) X(no_quote)       \
    X(inner_quote) X(odd_value) X(strange) X(lt_text) X(has_values) X(word) X(space) X(twice)
#define XML5TREE_COST_NUMBER(name) COST_##name,
enum { XML5TREE_COSTS(XML5TREE_COST_NUMBER) COSTS_COUNT };
#define COST(search, name) ((search)->costs[COST_##name])

/* A list in the search: its items, how many there are, and for how many there is room. */
#define LIST(type, name)                                                                                                         \
    type *name;                                                                                                                  \
    size_t name##_count, name##_room
#define ROOM_FOR(search, name, more)                                                                                             \
    do {                                                                                                                         \
        if ((search)->name##_count + (more) > (search)->name##_room)                                                             \
            (search)->name = enlarged((search), (search)->name, sizeof *(search)->name, &(search)->name##_room,                  \
                                      (search)->name##_count + (more));                                                          \
    } while (0)

typedef struct {
    size_t offset, length;
    uint64_t first, mask; /* its first eight octets, or all, and which of eight these are */
    uint32_t hash;
    int32_t starts, ends, complete, nested; /* see `Model` */
    uint32_t open, symbols, parents, most, befores;
    int32_t seen_starts, seen_opened, seen_ends; /* tags up to where names are counted: see `Context` */
    uint32_t walked;                             /* elements of the name that the decided reading has open */
    uint8_t is_maybe, is_filled, kinds;
    uint8_t is_proper; /* a correct start tag may have it */
    uint8_t has_children, has_any_prefix; /* see knowledge.h */
    uint8_t read_as[3];                   /* its start tags, empty tags and end tags: see `note_reading` */
    uint32_t known, around;               /* the name under which something is known of it; how many are never around it */
    uint8_t ends_before, ends_others; /* in HTML: kinds of tags that end it, and that its tag is one of */
    int32_t habits[5]; /* costs, if they are of `habits_stamp` */
    uint32_t habits_stamp[5];
    uint32_t next[3]; /* the names that came last after its start tags, in start tags and in end tags after its end tags */
    int32_t seen_column; /* the last column of a start tag of its name */
    uint32_t triples[3]; /* numbers of entries: the last of it as a child, and of text and the end in it */
} Name;

typedef struct {
    uint64_t begin, end, mate_end; /* the end of the end tag of a clean element; 0: it is none */
    uint32_t name;
    int32_t column, cost;
    int32_t index;    /* among the edges that Python made of its place, or -1 */
    uint32_t changes; /* the number of its changes, from 1 on, if they are known here; see loose.h */
    uint8_t kind, facts;
} Edge;

typedef struct {
    uint64_t place;
    uint32_t first, count; /* its edges */
} Place;

/* A place in what is longer than LOOK: in a tag, in a value with the quote, or 0; without a name, Python reads it. */
typedef struct {
    uint64_t place;
    uint32_t name;
    uint8_t quote;
} Inside;

/* What is read instead of the octets between two places, as a number in `INSTEAD` of compiled.py. What an edge has is in a
   row, whose first item is that of the operation: it has `end` further ones. */
typedef struct {
    uint64_t begin, end;
    int instead;
} Change;

/* A correct tag that has been counted ahead. */
typedef struct {
    uint64_t begin, end;
    uint32_t name;
    uint8_t kind, facts;
    uint16_t before; /* octets of plain text between it and the last tag; 0 where the text is not known to be plain */
} Tag;

/* Where something stands next, from a place on, in the text up to `fed`. */
typedef struct {
    uint64_t from, place, fed;
} Found;

/* Numbers by keys of up to three numbers. */
typedef struct {
    uint32_t kind, a, b, c;
    uint32_t number, other;
    uint32_t links[3]; /* numbers of entries that belong to it */
} Entry;

typedef struct {
    Entry *entries;
    size_t count, room;
    uint32_t *slots, mask;
} Table;

typedef struct {
    uint32_t name, edge; /* NO_EDGE if it is not known any more */
    size_t children;     /* where its children begin */
    uint32_t previous;
    int32_t column, before;
    struct {
        uint32_t name, edge;
    } recent[RECENT]; /* start tags of the last children that are clean */
    uint8_t recent_count, is_clean, has_never, has_text, has_tags, is_low;
    uint8_t is_endless; /* its start tag has no end: the edge may be forgotten */
} Element;

/* An open element, or the document, for soundness.py; and a suspicious child, with the level of its parent, or 0. */
typedef struct {
    uint32_t name;
    uint64_t begin;
} Level;

typedef struct {
    uint64_t place;
    size_t level;
    uint32_t name;
} Suspect;

typedef struct {
    uint32_t name; /* UNKNOWN: it is not known */
    int32_t column;
    uint8_t is_text;
} Child;

typedef struct {
    uint32_t name, parent, previous;
    int32_t column, child_column;
} Frame;

enum { BEAM = 8, OWED = 8, DEPTH = LOOK / STEP };

/* A step of a reading: an edge that was read, and how. */
typedef struct {
    uint64_t place; /* where the next one begins */
    uint32_t edge, before, opened, name;
    uint32_t rival;  /* the number of the step that a cheaper one, this one, has replaced; 0: there is none */
    uint8_t operation, closed;
    int16_t margin;  /* how much dearer readings without this step are; of a rival: how much dearer it is */
} Step;

/* A reading of the text up to a place; see hypotheses.py. */
typedef struct {
    Step step, rival; /* the last one; its rival, if that has a place */
    uint64_t number;
    uint32_t frame, node, anchors[DEPTH]; /* `node`: the number of the step among those that are kept; 0: it is not */
    int32_t cost;
    uint8_t owed_count, anchor_count;
    uint32_t owed[OWED];
} Hypothesis;

typedef struct {
    uint64_t place;
    int32_t bound;
    uint32_t count;
    Hypothesis hypotheses[BEAM];
} Waiting;

enum { UNKNOWN = UINT32_MAX, NO_EDGE = UINT32_MAX };
enum { NO_BOUND = INT32_MAX / 2 };

typedef struct Search {
    jmp_buf failed; /* where to go on without memory, or with an exception of Python's */
    void *python;   /* asked about doubtful places */
    int (*ask)(struct Search *, uint64_t place); /* adds the edges of a place; 0 on failure */
    int32_t costs[COSTS_COUNT];
    uint64_t seed;
    /* the text */
    const uint8_t *text; /* from `base` to `fed`, while a step is made */
    uint64_t base, fed, counted, front;
    uint64_t sought; /* no ">" is between `counted` and here */
    uint64_t first_tag; /* where it is */
    uint64_t doubtful; /* a place about which Python is asked */
    int lists_names, is_final, has_many_roots;
    int is_ahead; /* what is read is not kept */
    /* names */
    LIST(uint8_t, octets);
    LIST(Name, names);
    uint32_t *name_slots, name_mask;
    int32_t kinds_of_starts, kinds_of_opened, kinds_of_ends;
    /* edges */
    LIST(Edge, edges);
    LIST(Tag, tags);
    size_t next_tag; /* the one after that which was found last */
    LIST(Place, places);
    uint64_t farthest; /* no place after this one has been read */
    LIST(Change, changes);
    uint32_t changes_dropped; /* how many have been dropped before those */
    uint32_t *place_slots, place_mask;
    LIST(Inside, inside);
    size_t most_edges;
    Found next_close, next_opening; /* of CDATA sections */
    /* the model */
    Table content; /* see knowledge.h */
    int knows;     /* whether there is anything in it */
    Table counts, events; /* `events`: costs since `refresh`, where `other` is 1 */
    int32_t kinds[8]; /* how many names or keys each table has */
    uint32_t triples, total, symbols, texts, mixes;
    uint32_t fits[3][2], columns_all, columns_most;
    int32_t column_costs[3], mixed;
    uint8_t is_strict[3], is_ended;
    LIST(Element, stack);
    Element root; /* the first one that has ended around all that is open, if `has_root` */
    int has_root;
    LIST(Child, children);
    LIST(uint32_t, maybe);
    uint32_t surplus[8], surplus_count, stamp;
    /* whether there is an error: see soundness.py */
    LIST(Level, levels);
    LIST(Level, ended);   /* those that have ended after one of the two marks, and began before the second */
    size_t ended_between; /* how many of them ended before the second */
    Suspect suspect;
    Table pairs; /* how many children of a name parents of a name have; with NOTHING, whether that may be in itself */
    uint64_t sound_place, mark, next_mark;
    int sound_has_root, has_error;
    /* the beam */
    LIST(Frame, frames);
    uint32_t *frame_slots, frame_mask;
    LIST(Step, nodes);
    LIST(Waiting, waitings);
    LIST(uint32_t, order);  /* the waitings, the first place last */
    LIST(uint32_t, unused); /* waitings */
    LIST(uint32_t, tape);   /* the usual readings that are learned */
    LIST(uint32_t, path);
    LIST(uint64_t, restarts);
    LIST(uint32_t, root_names);
    Table nearness; /* of pairs of names */
    size_t most_frames, most_nodes;
    uint64_t numbers, step, lexed, place, declared;
    int64_t doubt;
    uint64_t retry;       /* quiet cannot follow before */
    uint64_t quiet_place; /* where the elements of `quiet` are open */
    uint32_t last_node, last_frame;
    LIST(uint8_t, root_tag);
    uint64_t root_place;
    uint32_t root_name;
    int is_quiet, is_taught;
    Hypothesis best; /* the best one at the last step */
    int64_t cost; /* of the reading, without what hypotheses cost that wait */
    /* what is tried */
    const Hypothesis *from;
    Edge edge;
    uint32_t edge_number;
    int is_element, has_choice;
    int32_t no_root; /* what it costs to have no root where the edge ends: the document may go on, unless that is its end */
    uint64_t to;
    uint32_t there;
    /* the open elements of the decided reading */
    LIST(Frame, quiet); /* the open elements, where no error has been seen */
    LIST(uint32_t, walk);
    Edge start;
    int has_start;
} Search;

/* Memory ----------------------------------------------------------------------------------------------------------- */

static void fail(Search *s)
{
    longjmp(s->failed, 1);
}

static void *enlarged(Search *s, void *items, size_t size, size_t *room, size_t need)
{
    size_t wanted = need + need / 2 + 32;
    void *larger = wanted > SIZE_MAX / size / 2 ? NULL : realloc(items, wanted * size);
    if (!larger)
        fail(s);
    *room = wanted;
    return larger;
}

/* Put empty slots in the place of others. */
static void renew(Search *s, uint32_t **slots, uint32_t *mask, uint32_t wanted)
{
    uint32_t *fresh = calloc((size_t)wanted + 1, sizeof *fresh);
    if (!fresh)
        fail(s);
    free(*slots);
    *slots = fresh;
    *mask = wanted;
}

/* Return a hash. The seed keeps authors from choosing names with the same one. */
static inline uint32_t hash_of(const Search *s, uint32_t kind, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t key = (((uint64_t)a << 32 | b) ^ s->seed) * 0x9E3779B97F4A7C15u;
    key = (key ^ key >> 32 ^ ((uint64_t)kind << 32 | c)) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(key >> 32);
}

/* Return the entry of a key; make one of 0 if `is_made`, else return NULL where there is none. */
static Entry *entry_of(Search *s, Table *table, uint32_t kind, uint32_t a, uint32_t b, uint32_t c, int is_made)
{
    if (!table->slots && !is_made)
        return NULL;
    if (!table->slots || (is_made && (table->count + 1) * 2 > table->mask)) {
        renew(s, &table->slots, &table->mask, table->slots ? table->mask * 2 + 1 : 1023);
        for (size_t i = 0; i < table->count; i++) {
            const Entry *other = &table->entries[i];
            uint32_t to = hash_of(s, other->kind, other->a, other->b, other->c) & table->mask;
            while (table->slots[to])
                to = (to + 1) & table->mask;
            table->slots[to] = (uint32_t)i + 1;
        }
    }
    uint32_t at = hash_of(s, kind, a, b, c) & table->mask;
    for (; table->slots[at]; at = (at + 1) & table->mask) {
        Entry *entry = &table->entries[table->slots[at] - 1];
        if (entry->a == a && entry->b == b && entry->c == c && entry->kind == kind)
            return entry;
    }
    if (!is_made)
        return NULL;
    if (table->count + 1 > table->room)
        table->entries = enlarged(s, table->entries, sizeof *table->entries, &table->room, table->count + 1);
    table->slots[at] = (uint32_t)++table->count;
    Entry *entry = &table->entries[table->count - 1];
    *entry = (Entry){.kind = kind, .a = a, .b = b, .c = c};
    return entry;
}

static uint32_t number_of(Search *s, Table *table, uint32_t kind, uint32_t a, uint32_t b, uint32_t c)
{
    const Entry *entry = entry_of(s, table, kind, a, b, c, 0);
    return entry ? entry->number : 0;
}

static int has_place(const uint64_t *places, size_t count, uint64_t place)
{
    while (count && places[count - 1] != place)
        count--;
    return count > 0;
}

static int has_number(const uint32_t *numbers, size_t count, uint32_t number)
{
    while (count && numbers[count - 1] != number)
        count--;
    return count > 0;
}

static void clear_table(Table *table)
{
    table->count = 0;
    if (table->slots)
        memset(table->slots, 0, ((size_t)table->mask + 1) * sizeof *table->slots);
}

/* Names ------------------------------------------------------------------------------------------------------------ */

enum { WHITE = 1, ENDS_NAME = 2, STRANGE = 4 }; /* STRANGE: not in the names of correct tags */
static const uint8_t CLASSES[256] = {
    4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 4, 4, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, /* control characters */
    3, 4, 2, 4, 4, 4, 4, 2, 4, 4, 4, 4, 4, 0, 0, 2,                                                 /* up to "/" */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 2, 2, 2, 4,                                                 /* up to "?" */
    4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 0, /* up to "_" */
    4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4,
};

static int is_white(uint8_t c)
{
    return CLASSES[c] & WHITE;
}

static int begins_name(uint8_t c)
{
    return c >= 0x80 || c == '_' || (uint8_t)((c | 0x20) - 'a') < 26;
}

static int is_in_name(uint8_t c)
{
    return !(CLASSES[c] & ENDS_NAME);
}

/* Return whether octets before a limit begin no name, though they are no ASCII: `_NO_LETTER` of tags.py. */
static int is_no_letter(const uint8_t *p, const uint8_t *limit)
{
    uint8_t second = limit - p > 1 ? p[1] : 0;
    int has_third = limit - p > 2;
    switch (*p) {
    case 0xC2:
        return 1;
    case 0xC3:
        return second == 0x97 || second == 0xB7;
    case 0xEF:
        return second == 0xBB && has_third && p[2] == 0xBF;
    case 0xE2:
        return second == 0x80   ? has_third && p[2] != 0x8C && p[2] != 0x8D
               : second == 0x81 ? has_third && p[2] >= 0x80 && p[2] <= 0xAF
               : second == 0x86 ? has_third && p[2] >= 0x90 && p[2] <= 0xBF
                                : second == 0x82 || second == 0x83 || (second >= 0x87 && second <= 0xAF);
    default:
        return 0;
    }
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

/* Words, with what they are. */
static const struct {
    const char *words;
    uint8_t kinds, ends_before, ends_others;
} LISTS_OF_WORDS[] = {
    {"area base br col embed hr img input link meta param source track wbr", .kinds = IS_VOID},
    {"br hr wbr", .kinds = IS_NEVER_FILLED},
    {"a abbr b big cite code del em font i ins kbd mark q s samp small span strike strong sub sup tt u var",
     .kinds = IS_INLINE | IS_PHRASE},
    {"dd div dl dt li ol p pre table td th tr ul", .kinds = IS_PHRASE},
    {"anonymous clinit init lambda module nil none null undefined unknown", .kinds = IS_PRINTED},
    {"async autofocus checked controls default defer disabled hidden loop multiple muted nohref noshade novalidate nowrap "
     "readonly required reversed selected", .kinds = IS_BOOLEAN},
    /* what servers and scripts write before a document: `_HTML` of beginning.py */
    {"a b big body br center code div em font form h1 h2 h3 h4 h5 h6 head hr html i iframe img input ins label li link meta "
     "noscript ol option p pre script select small span strong style sub sup table tbody td th title tr tt u ul", .kinds = IS_BEFORE},
    /* elements of HTML, and before which tags they end: `ENDS` of names.py */
    {"p", .ends_before = 1},
    {"p div table ul ol dl form blockquote h1 h2 h3 h4 h5 h6 pre hr", .ends_others = 1},
    {"li", .ends_before = 2, .ends_others = 2},
    {"td th", .ends_before = 4},
    {"td th tr", .ends_others = 4},
    {"tr", .ends_before = 8, .ends_others = 8},
    {"dt dd", .ends_before = 16, .ends_others = 16},
    {"option", .ends_before = 32, .ends_others = 32},
    {"thead tbody", .ends_before = 64},
    {"tbody", .ends_others = 64},
};
enum { LONGEST_WORD = 10, WORD_SLOTS = 256 };

typedef struct {
    const char *octets; /* NULL: an empty slot */
    size_t length;
    uint8_t kinds, ends_before, ends_others;
} Word;

static Word words[WORD_SLOTS + 1]; /* made when the module is imported; the last one stays empty */

/* Return a word in any case, or an empty slot. */
static Word *word_of(const uint8_t *name, size_t length)
{
    if (!length || length > LONGEST_WORD)
        return &words[WORD_SLOTS];
    size_t at = lower(name[0]) * 5u + lower(name[length - 1]) * 19u + length;
    for (;; at++) {
        Word *word = &words[at % WORD_SLOTS];
        size_t i = 0;
        while (word->length == length && i < length && word->octets[i] == (char)lower(name[i]))
            i++;
        if (i == length || !word->octets)
            return word;
    }
}

static void make_words(void)
{
    for (size_t i = 0; i < sizeof LISTS_OF_WORDS / sizeof *LISTS_OF_WORDS; i++) {
        for (const char *p = LISTS_OF_WORDS[i].words; *p; p += *p == ' ') {
            const char *begin = p;
            while (*p && *p != ' ')
                p++;
            Word *word = word_of((const uint8_t *)begin, (size_t)(p - begin));
            word->octets = begin;
            word->length = (size_t)(p - begin);
            word->kinds |= LISTS_OF_WORDS[i].kinds;
            word->ends_before |= LISTS_OF_WORDS[i].ends_before;
            word->ends_others |= LISTS_OF_WORDS[i].ends_others;
        }
    }
}

#define EIGHT_SPACES 0x2020202020202020u

static uint64_t eight_octets(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

/* Return fewer than eight octets, but at least one, as a number that no others of their count have. */
static uint64_t few_octets(const uint8_t *p, size_t length)
{
    uint32_t first, last;
    if (length < 4)
        return (uint64_t)p[0] << 16 | (uint64_t)p[length / 2] << 8 | p[length - 1];
    memcpy(&first, p, 4);
    memcpy(&last, p + length - 4, 4);
    return (uint64_t)first << 32 | last;
}

static uint32_t hash_octets(const Search *s, const uint8_t *p, size_t length)
{
    uint64_t hash = (s->seed + length) * 0x9E3779B97F4A7C15u; /* else `hash_of` would take the seed out again */
    const uint8_t *last = p + (length < 8 ? 0 : length - 8);
    for (; p < last; p += 8) {
        hash = (hash ^ eight_octets(p)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    hash ^= length < 8 ? few_octets(p, length) : eight_octets(last);
    return hash_of(s, 0, (uint32_t)(hash >> 32), (uint32_t)hash, 0);
}

static int is_name(const Search *s, uint32_t number, const uint8_t *p, size_t length)
{
    const Name *name = &s->names[number];
    const uint8_t *q = s->octets + name->offset;
    if (name->length != length)
        return 0;
    if (length < 8)
        return few_octets(p, length) == few_octets(q, length);
    if (length > 16)
        return !memcmp(p, q, length);
    return eight_octets(p) == eight_octets(q) && eight_octets(p + length - 8) == eight_octets(q + length - 8);
}

/* Return the slot of a name; it is 0 where the name is not known. */
static uint32_t *slot_of(const Search *s, const uint8_t *p, size_t length, uint32_t hash)
{
    uint32_t at = hash & s->name_mask, number;
    while ((number = s->name_slots[at]) && !(s->names[number].hash == hash && is_name(s, number, p, length)))
        at = (at + 1) & s->name_mask;
    return &s->name_slots[at];
}

static Name *find_name(const Search *s, const uint8_t *p, size_t length)
{
    uint32_t number = length ? *slot_of(s, p, length, hash_octets(s, p, length)) : NOTHING;
    return number ? &s->names[number] : NULL;
}

/* Return the number of a name. */
static uint32_t intern(Search *s, const uint8_t *p, size_t length)
{
    if (!length)
        return NOTHING;
    uint32_t hash = hash_octets(s, p, length), *slot = slot_of(s, p, length, hash);
    if (*slot)
        return *slot;
    ROOM_FOR(s, names, 1);
    ROOM_FOR(s, octets, length);
    uint32_t number = (uint32_t)s->names_count;
    Name *name = &s->names[s->names_count++];
    memset(name, 0, sizeof *name);
    name->offset = s->octets_count;
    name->length = length;
    name->hash = hash;
    name->seen_column = -1;
    memcpy(&name->first, p, length < 8 ? length : 8);
    memset(&name->mask, 0xFF, length < 8 ? length : 8);
    memcpy(s->octets + s->octets_count, p, length);
    s->octets_count += length;
    const Word *word = word_of(p, length);
    name->kinds = word->kinds;
    name->ends_before = word->ends_before;
    name->ends_others = word->ends_others;
    *slot = number;
    if (s->names_count * 2 > s->name_mask) {
        renew(s, &s->name_slots, &s->name_mask, s->name_mask * 2 + 1);
        for (uint32_t i = FIRST_NAME; i < s->names_count; i++) {
            uint32_t to = s->names[i].hash & s->name_mask;
            while (s->name_slots[to])
                to = (to + 1) & s->name_mask;
            s->name_slots[to] = i;
        }
    }
    return number;
}

/* Return where what can be a name ends. */
static const uint8_t *end_of_name(const uint8_t *p, const uint8_t *end)
{
    while (p < end && is_in_name(*p))
        p++;
    return p;
}

static const uint8_t *skip_white(const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 8 && eight_octets(p) == EIGHT_SPACES)
        p += 8;
    while (p < end && is_white(*p))
        p++;
    return p;
}

/* Which attributes are read: any; those without `&`, `,` or `;` in their names; of them, those before what may follow. */
enum { ANY, PROPER, CORRECT };

/* Bits for what is seen in attributes: an octet that is no ASCII, but in values; an ampersand in a value. */
enum { NO_ASCII = 0x80, AMPERSAND = 1 };

/* Return the end of the attributes from a place on; add to `*seen`. */
static const uint8_t *end_of_attributes(const uint8_t *p, const uint8_t *end, int which, int *seen)
{
    for (;;) {
        const uint8_t *name = skip_white(p, end), *q = name;
        if (name == p)
            return p;
        for (; q < end && is_in_name(*q) && !(which && (*q == '&' || *q == ',' || *q == ';')); q++)
            *seen |= *q & NO_ASCII;
        if (q == name)
            return p;
        q = skip_white(q, end);
        if (q >= end || *q != '=')
            return p;
        q = skip_white(q + 1, end);
        if (q >= end || (*q != '"' && *q != '\''))
            return p;
        const uint8_t *close = q + 1;
        for (; (close = find_byte(close, end, *q, '<', '&', 0)) < end && *close == '&'; close++)
            *seen |= AMPERSAND;
        if (close >= end || *close == '<')
            return p;
        q = close + 1;
        if (which == CORRECT && (q >= end || !(is_white(*q) || *q == '/' || *q == '>')))
            return p;
        p = q;
    }
}

#endif
