/* Columns of records, made of repaired markup in the place of a native parser.

   Markup comes in parts, each of whole tokens; only a CDATA section may come in several. A tag leads from the state of its
   parent to its own: `ask_child` says to which, once for each name, scope of namespaces and state. States say which columns
   get text and attributes. So paths and tables of elements are decided on by others, once.

   A value is written to its column once. Its owner is a record, by the order in which they begin, or an instance of an
   element in a table. Lists, structures and nulls come out when records are taken. A record within a record interrupts the
   values of the outer one: what there is of these is a part, and parts are joined when the record is taken.

   This file has what is known of names; columnreader.h reads markup, columntables.h takes records. They know nothing of Python,
   so that they can be fuzzed alone, trust that markup is well-formed, and read its bytes only, whatever they are. What they
   allocate is in one list; a failure, of memory or of what is asked, leaves by longjmp. */

#ifndef XML5TREE_COLUMNS_H
#define XML5TREE_COLUMNS_H

#include <setjmp.h>
#include <stdlib.h>

#include "scanner.h"

/* States that are always there: outside of records, in what is not wanted, and a record. */
enum { OUTSIDE, SKIPPED, RECORD, FIRST_STATE };

/* What a column takes of an element: all text, the text before its first child, all text directly in it, trimmed, or an
   attribute; or where the markup of a record is, see `end`. */
typedef enum { FULL_TEXT, OWN_TEXT, DIRECT_TEXT, ATTRIBUTE, RECORD_MARKUP, COLUMN_KINDS } ColumnKind;

/* Flags of a state: its elements are instances in a table, with their text; a table whose elements are looked at by record if
   they have children, or as structures, children beside text; of which a second one in its parent is looked at by record; which
   is always a list; whose text is kept as it is, even if it is empty; which is always a structure. */
enum { TABLE = 1, LEAF = 2, SINGLE = 4, IS_LIST = 8, EXACT = 16, STRUCTURE = 32, STATE_FLAGS = 63 };

/* What an element is to its caller: one of another local name, of that of records, or a record. */
enum { OTHER, ALIKE, IS_RECORD, ROLES };

/* Facts about an instance in a table: it has attributes or children, children, text. */
enum { HAS_MEMBERS = 1, HAS_CHILDREN = 2, HAS_TEXT = 4 };

static const uint32_t PART = 1u << 31, KEPT = 1u << 31, NONE = UINT32_MAX;

/* Bytes in a column after which its records had better be taken. */
static const size_t MANY_BYTES = (size_t)1 << 29;

/* Scopes, and names in all states, after which those that are not needed are forgotten. */
enum { MOST_NAMESPACES = 1 << 13, MOST_NAMES = 1 << 17 };

typedef enum { NO_FAILURE, NO_MEMORY, TOO_LARGE, NOT_ANSWERED } Failure;

typedef struct Allocation {
    struct Allocation *before, *after;
} Allocation;

typedef struct {
    uint8_t *data;
    size_t length, room;
} Buffer;

typedef struct {
    Buffer text;
    int32_t *ends;    /* of values in the text; what comes after the last one belongs to a value that has not ended */
    uint32_t *owners; /* with PART if the value goes on in the next one of this owner */
    size_t count, room;
    uint32_t table;  /* the state of its owners; NONE: they are records */
    ColumnKind kind;
    uint32_t next;   /* the next column of its table; NONE: there is none */
    int is_list; /* whether all values of a record are wanted, or the first */
    int is_open; /* a value is being written, for OWN_TEXT */
} Column;

typedef struct Namespaces {
    struct Namespaces *parent, *next;
    Slice key; /* its declarations as they are written, */
    Binding *bindings;
    Slice *written; /* and that of each binding in it */
    size_t count;
    uint32_t id, hash;
    int is_used;
    Slice around; /* the start tag of an element with all declarations; NULL: not made yet */
} Namespaces;

typedef struct {
    Slice name;
    uint64_t key; /* the scope and the namespace of the record, on which the meaning of names may depend */
    uint32_t next; /* which one came after it the last time */
    uint32_t target, namespace;
    unsigned role;
    uint32_t *columns; /* of an attribute */
    size_t column_count;
} Edge;

typedef struct {
    Edge *items;
    size_t count, room;
    uint32_t *slots;
    size_t slot_count;
    uint32_t guess, previous;
} Edges;

typedef struct {
    Edges children, attributes;
    uint32_t *captures; /* the columns that get text */
    size_t capture_count;
    unsigned flags;
    uint32_t parent, first_child, last_child, next; /* states of tables */
    uint32_t first_column, last_column;             /* of attributes of a table */
    uint32_t *owners; /* of instances: those of the parent, or records */
    uint8_t *facts;
    size_t count, owner_room, fact_room;
} State;

typedef struct {
    int64_t line, offset, characters; /* from 1; bytes and characters before it */
} RecordPlace;

typedef struct {
    uint32_t state, instance; /* an instance, or the record */
    Namespaces *scope;
    size_t open_count; /* columns of full text before it */
    unsigned role;
    int has_own, has_parts;
    RecordPlace place; /* of a record */
} Frame;

typedef struct {
    Slice name, value;
    int is_declaration;
} WrittenAttribute;

static const State NEW_STATE = {.children.previous = UINT32_MAX,
                                .attributes.previous = UINT32_MAX,
                                .parent = UINT32_MAX,
                                .first_child = UINT32_MAX,
                                .last_child = UINT32_MAX,
                                .next = UINT32_MAX,
                                .first_column = UINT32_MAX,
                                .last_column = UINT32_MAX};

/* A record in which another one has begun. */
typedef struct {
    uint32_t record, namespace;
    size_t depth, open_base;
    int has_text, ends_in_space;
} Suspended;

/* Which values or instances are taken, and of whom they are then. */
typedef struct {
    uint32_t *items, *owners;
    size_t count;
    int is_strict; /* the owners ascend */
} Taken;

typedef struct {
    const uint8_t *text;
    int32_t *ends;
    uint32_t *owners;
    size_t count, length;
    int is_copy; /* of the text of the column */
} Values;

typedef struct Columns {
    jmp_buf failed;
    Failure failure;
    Allocation *blocks;
    State *states;
    size_t state_count, state_room;
    Column *columns;
    size_t column_count, column_room;
    uint32_t raw;               /* the column of the markup of records; NONE: there is none */
    const uint8_t *data, *rest; /* what has the part, and in it the markup of the record that is not in that column yet */
    int64_t part_number;        /* from 1 */
    Frame *frames;
    size_t depth, frame_room;
    uint32_t *open; /* the columns whose full text is being read */
    size_t open_count, open_room, open_base;
    WrittenAttribute *attributes;
    size_t attribute_count, attribute_room;
    int has_declarations, has_attributes;
    Namespaces **scopes; /* by hash */
    size_t scope_slots, scope_count, scope_limit;
    Namespaces *outermost;
    uint32_t next_scope, seed;
    size_t name_count;
    Buffer scratch, name;
    uint32_t begun, record, namespace; /* how many records have begun, and the innermost open one with its namespace */
    int in_record, in_section;
    size_t record_depth;
    uint32_t *finished; /* the records that have ended and have not been taken */
    size_t finished_count, finished_room;
    uint8_t *ends; /* of elements of the local name: 1 for a record */
    size_t end_count, end_room;
    int is_source; /* the markup is the source itself: records have places, */
    int counts_characters; /* with characters */
    const uint8_t *valid; /* a whole document is UTF-8 up to here */
    const uint8_t *part; /* lines have been counted up to here, */
    RecordPlace place, *places; /* which is this place; where the records that have ended in a part begin and end */
    size_t place_count, place_room;
    Suspended *suspended;
    size_t suspended_count, suspended_room;
    int has_inner; /* a record has begun in another one, so that they end in another order */
    int has_text, after_inner, ends_in_space; /* since the last tag; whether an inner record has ended since */
    int is_large;
    /* What is asked, with `context`: the edge of a name from a state; the columns of an attribute. They set `answer`, or fail. */
    void (*ask_child)(struct Columns *, uint32_t state, Slice name);
    void (*ask_attribute)(struct Columns *, uint32_t state, Slice name);
    void *context;
    Edge answer;
    size_t answer_room;
    /* While records are taken: */
    uint32_t *record_map, **maps; /* of records; of instances, by state */
    Taken *taken;                 /* by state */
    Values *values;               /* by column */
    uint8_t *irregular;           /* rows that are to be looked at by record */
    size_t row_count, first_left;
} Columns;

/* Memory ------------------------------------------------------------------------------------------------------------ */

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ > 9
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak" /* a block begins before its memory, and is in the list of blocks */
#endif

static void fail(Columns *e, Failure failure)
{
    e->failure = failure;
    longjmp(e->failed, 1);
}

static void *resized(Columns *e, void *memory, size_t size)
{
    Allocation *block = memory ? (Allocation *)memory - 1 : NULL;
    Allocation *found = size > SIZE_MAX / 2 ? NULL : realloc(block, sizeof *block + size + 1);
    if (!found)
        fail(e, NO_MEMORY);
    if (!memory)
        *found = (Allocation){NULL, e->blocks};
    if (found->after)
        found->after->before = found;
    *(found->before ? &found->before->after : &e->blocks) = found;
    return found + 1;
}

static void *zeroed(Columns *e, size_t size)
{
    return memset(resized(e, NULL, size), 0, size);
}

static void release_memory(Columns *e, void *memory)
{
    if (!memory)
        return;
    Allocation *block = (Allocation *)memory - 1;
    if (block->after)
        block->after->before = block->before;
    *(block->before ? &block->before->after : &e->blocks) = block->after;
    free(block);
}

static void release_all(Columns *e)
{
    for (Allocation *block = e->blocks, *after; block; block = after) {
        after = block->after;
        free(block);
    }
    e->blocks = NULL;
}

#define MAKE_ROOM(e, list, wanted, room)                                   \
    do {                                                                   \
        if ((wanted) > (room)) {                                           \
            size_t enough = 2 * (size_t)(wanted) + 8;                      \
            (list) = resized((e), (list), enough * sizeof *(list));        \
            (room) = enough;                                               \
        }                                                                  \
    } while (0)

static uint8_t *room_for(Columns *e, Buffer *buffer, size_t length)
{
    if (length > buffer->room - buffer->length) {
        size_t enough = 2 * (buffer->length + length) + 256;
        buffer->data = resized(e, buffer->data, enough);
        buffer->room = enough;
    }
    return buffer->data + buffer->length;
}

static void append_bytes(Columns *e, Buffer *buffer, const uint8_t *p, size_t length)
{
    uint8_t *to = room_for(e, buffer, length);
    if (length)
        memcpy(to, p, length);
    buffer->length += length;
}

static Slice kept_copy(Columns *e, const uint8_t *p, size_t length)
{
    uint8_t *copy = resized(e, NULL, length);
    if (length)
        memcpy(copy, p, length);
    return (Slice){copy, length};
}

/* Text -------------------------------------------------------------------------------------------------------------- */

/* Append text, with references, or an attribute's value, in which white space is spaces. */
static void append_text(Columns *e, Buffer *buffer, const uint8_t *p, size_t length, int is_value)
{
    uint8_t *to = room_for(e, buffer, length + 4); /* no reference is shorter than its character */
    const uint8_t *stop = p + length;
    while (p < stop) {
        const uint8_t *ampersand = memchr(p, '&', (size_t)(stop - p)), *end = ampersand ? ampersand : stop;
        if (is_value) {
            for (; p < end; p++)
                *to++ = is_space(*p) ? ' ' : *p;
        } else {
            memcpy(to, p, (size_t)(end - p));
            to += end - p;
        }
        if (!ampersand)
            break;
        uint32_t code;
        p = read_reference(ampersand, stop, &code);
        if (p) {
            to += write_character(code, to);
        } else {
            *to++ = '&';
            p = ampersand + 1;
        }
    }
    buffer->length = (size_t)(to - buffer->data);
}

/* Return how many bytes the white space of Python's `str.strip` has that begins here. */
static size_t space_at(const uint8_t *p, const uint8_t *stop)
{
    if (p >= stop)
        return 0;
    if (*p < 0x80)
        return is_space(*p) || (*p >= 9 && *p <= 13) || (*p >= 0x1C && *p <= 0x1F);
    if (stop - p >= 2 && *p == 0xC2)
        return p[1] == 0x85 || p[1] == 0xA0 ? 2 : 0;
    if (stop - p < 3 || (*p & 0xF0) != 0xE0)
        return 0;
    uint32_t code = (uint32_t)(*p & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
    int is = code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
             code == 0x205F || code == 0x3000;
    return is ? 3 : 0;
}

static int ends_in_space(const uint8_t *start, const uint8_t *stop)
{
    size_t back = 1;
    if (start == stop)
        return 0;
    while (back < 3 && stop - back > start && (stop[-(ptrdiff_t)back] & 0xC0) == 0x80)
        back++;
    return space_at(stop - back, stop) == back;
}

/* Return text without white space around it. */
static Slice trimmed(const uint8_t *p, const uint8_t *stop)
{
    for (size_t size; (size = space_at(p, stop)) != 0;)
        p += size;
    while (ends_in_space(p, stop)) {
        for (stop--; stop > p && (*stop & 0xC0) == 0x80; stop--)
            ;
    }
    return (Slice){p, (size_t)(stop - p)};
}

/* Leave out the white space around what a text has from `begin` on; return how long that is then. */
static size_t trim(Buffer *text, size_t begin)
{
    if (text->length == begin)
        return 0;
    uint8_t *start = text->data + begin;
    Slice found = trimmed(start, text->data + text->length);
    if (found.length && found.start != start)
        memmove(start, found.start, found.length);
    text->length = begin + found.length;
    return found.length;
}

/* Values ------------------------------------------------------------------------------------------------------------ */

static size_t begin_of(const Column *column)
{
    return column->count ? (size_t)column->ends[column->count - 1] : 0;
}

static void end_value(Columns *e, Column *column, uint32_t owner)
{
    if (column->count >= column->room) {
        size_t enough = 2 * column->count + 64;
        column->ends = resized(e, column->ends, enough * sizeof *column->ends);
        column->owners = resized(e, column->owners, enough * sizeof *column->owners);
        column->room = enough;
    }
    if (column->text.length > INT32_MAX)
        fail(e, TOO_LARGE);
    e->is_large |= column->text.length > MANY_BYTES;
    column->ends[column->count] = (int32_t)column->text.length;
    column->owners[column->count++] = owner;
}

/* End a part of a value, if there is something of it; return whether there is. */
static int end_part(Columns *e, Column *column, uint32_t owner)
{
    if (column->text.length == begin_of(column))
        return 0;
    end_value(e, column, owner | PART);
    return 1;
}

/* Namespaces -------------------------------------------------------------------------------------------------------- */

static uint32_t hash_of_name(const Columns *e, Slice name, uint64_t key)
{
    uint64_t hash = (14695981039346656037u ^ e->seed) + key * 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ name.start[i]) * 1099511628211u;
    return (uint32_t)(hash ^ hash >> 32);
}

static void place_scopes(Columns *e, size_t slots)
{
    Namespaces **table = zeroed(e, slots * sizeof *table);
    for (size_t i = 0; i < e->scope_slots; i++) {
        for (Namespaces *scope = e->scopes[i], *next; scope; scope = next) {
            next = scope->next;
            scope->next = table[scope->hash % slots];
            table[scope->hash % slots] = scope;
        }
    }
    release_memory(e, e->scopes);
    e->scopes = table;
    e->scope_slots = slots;
}

static Slice prefix_of(Slice name)
{
    return name.length > 5 ? (Slice){name.start + 6, name.length - 6} : (Slice){name.start, 0};
}

/* Return the scope of a tag with declarations. The same declarations in the same scope make the same scope. */
static Namespaces *enter_scope(Columns *e, Namespaces *parent)
{
    size_t count = 0;
    e->scratch.length = 0;
    for (size_t i = 0; i < e->attribute_count; i++) {
        const WrittenAttribute *one = &e->attributes[i];
        if (!one->is_declaration)
            continue;
        const char *quote = memchr(one->value.start, '"', one->value.length) ? "'" : "\"";
        append_bytes(e, &e->scratch, (const uint8_t *)" ", 1);
        append_bytes(e, &e->scratch, one->name.start, one->name.length);
        append_bytes(e, &e->scratch, (const uint8_t *)"=", 1);
        append_bytes(e, &e->scratch, (const uint8_t *)quote, 1);
        append_bytes(e, &e->scratch, one->value.start, one->value.length);
        append_bytes(e, &e->scratch, (const uint8_t *)quote, 1);
        count++;
    }
    Slice key = {e->scratch.data, e->scratch.length};
    uint32_t hash = hash_of_name(e, key, parent->id);
    for (Namespaces *scope = e->scopes[hash % e->scope_slots]; scope; scope = scope->next)
        if (scope->hash == hash && scope->parent == parent && same(scope->key, key))
            return scope;
    if (e->scope_count >= e->scope_slots)
        place_scopes(e, 4 * e->scope_slots);
    Namespaces *scope = resized(e, NULL, sizeof *scope);
    *scope = (Namespaces){.parent = parent, .id = e->next_scope++, .hash = hash, .key = kept_copy(e, key.start, key.length)};
    scope->bindings = resized(e, NULL, count * sizeof *scope->bindings);
    scope->written = resized(e, NULL, count * sizeof *scope->written);
    const uint8_t *written = scope->key.start;
    for (size_t i = 0; i < e->attribute_count; i++) {
        const WrittenAttribute *one = &e->attributes[i];
        if (!one->is_declaration)
            continue;
        Slice prefix = prefix_of(one->name);
        e->scratch.length = 0;
        append_bytes(e, &e->scratch, prefix.start, prefix.length);
        append_text(e, &e->scratch, one->value.start, one->value.length, 1);
        Slice both = kept_copy(e, e->scratch.data, e->scratch.length);
        scope->written[scope->count] = (Slice){written, one->name.length + one->value.length + 4};
        written += scope->written[scope->count].length;
        scope->bindings[scope->count++] = (Binding){
            {both.start, prefix.length}, {both.start + prefix.length, both.length - prefix.length}, PLAIN};
    }
    Namespaces **slot = &e->scopes[hash % e->scope_slots];
    scope->next = *slot;
    *slot = scope;
    e->scope_count++;
    return scope;
}

static void release_namespaces(Columns *e, Namespaces *scope)
{
    for (size_t i = 0; i < scope->count; i++)
        release_memory(e, (void *)scope->bindings[i].prefix.start);
    release_memory(e, scope->bindings);
    release_memory(e, scope->written);
    release_memory(e, (void *)scope->key.start);
    release_memory(e, (void *)scope->around.start);
    release_memory(e, scope);
}

static const Binding *binding_of(const Namespaces *scope, Slice prefix)
{
    for (; scope; scope = scope->parent)
        for (size_t i = 0; i < scope->count; i++)
            if (same(scope->bindings[i].prefix, prefix))
                return &scope->bindings[i];
    return NULL;
}

static Slice written_prefix(Slice name)
{
    const uint8_t *colon = memchr(name.start, ':', name.length);
    return (Slice){name.start, colon ? (size_t)(colon - name.start) : 0};
}

/* Return a name with its namespace in braces; it lives until the next call. */
static Slice expanded(Columns *e, const Namespaces *scope, Slice name, int is_attribute)
{
    const Slice prefix = written_prefix(name);
    if (is_attribute && !prefix.length)
        return name;
    const Binding *binding = binding_of(scope, prefix);
    Slice uri = is_text(prefix, "xml") ? slice_of(XML_NAMESPACE) : binding ? binding->uri : (Slice){NULL, 0};
    if (!uri.length)
        return name;
    const uint8_t *local = name.start + (prefix.length ? prefix.length + 1 : 0);
    e->name.length = 0;
    append_bytes(e, &e->name, (const uint8_t *)"{", 1);
    append_bytes(e, &e->name, uri.start, uri.length);
    append_bytes(e, &e->name, (const uint8_t *)"}", 1);
    append_bytes(e, &e->name, local, (size_t)(name.start + name.length - local));
    return (Slice){e->name.data, e->name.length};
}

/* Return a start tag that declares what a scope does; records are put in it to be read alone. */
static Slice tag_around(Columns *e, Namespaces *scope)
{
    if (scope->around.start)
        return scope->around;
    e->scratch.length = 0;
    append_bytes(e, &e->scratch, (const uint8_t *)"<x", 2);
    for (const Namespaces *one = scope; one; one = one->parent)
        for (size_t i = 0; i < one->count; i++)
            if (binding_of(scope, one->bindings[i].prefix) == &one->bindings[i])
                append_bytes(e, &e->scratch, one->written[i].start, one->written[i].length);
    append_bytes(e, &e->scratch, (const uint8_t *)">", 1);
    scope->around = kept_copy(e, e->scratch.data, e->scratch.length);
    return scope->around;
}

/* Edges ------------------------------------------------------------------------------------------------------------- */

static void place_edge(const Columns *e, Edges *edges, uint32_t i)
{
    size_t last = edges->slot_count - 1, slot = hash_of_name(e, edges->items[i].name, edges->items[i].key) & last;
    while (edges->slots[slot] != NONE)
        slot = (slot + 1) & last;
    edges->slots[slot] = i;
}

static void place_edges(Columns *e, Edges *edges, size_t slots)
{
    edges->slots = resized(e, edges->slots, slots * sizeof *edges->slots);
    edges->slot_count = slots;
    memset(edges->slots, 0xFF, slots * sizeof *edges->slots);
    for (uint32_t i = 0; i < edges->count; i++)
        place_edge(e, edges, i);
}

/* Return the number of the edge of a name; that of the next one to be if it is not known. */
static uint32_t look_for(const Columns *e, const Edges *edges, Slice name, uint64_t key)
{
    size_t slot = hash_of_name(e, name, key) & (edges->slot_count - 1);
    uint32_t i = NONE;
    while (edges->slot_count && (i = edges->slots[slot]) != NONE && (edges->items[i].key != key || !same(edges->items[i].name, name)))
        slot = (slot + 1) & (edges->slot_count - 1);
    return i == NONE ? (uint32_t)edges->count : i;
}

static void add_edge(Columns *e, Edges *edges, Slice name, uint64_t key)
{
    MAKE_ROOM(e, edges->items, edges->count + 1, edges->room);
    Edge *edge = &edges->items[edges->count];
    *edge = e->answer;
    edge->name = kept_copy(e, name.start, name.length);
    edge->key = key;
    edge->columns = resized(e, NULL, edge->column_count * sizeof *edge->columns);
    if (edge->column_count)
        memcpy(edge->columns, e->answer.columns, edge->column_count * sizeof *edge->columns);
    edge->next = (uint32_t)++edges->count;
    e->name_count++;
    if (2 * edges->count > edges->slot_count)
        place_edges(e, edges, edges->slot_count ? 4 * edges->slot_count : 16);
    else
        place_edge(e, edges, (uint32_t)edges->count - 1);
}

static void forget_edges(Columns *e, Edges *edges)
{
    for (size_t i = 0; i < edges->count; i++) {
        release_memory(e, (void *)edges->items[i].name.start);
        release_memory(e, edges->items[i].columns);
    }
    release_memory(e, edges->items);
    release_memory(e, edges->slots);
    *edges = (Edges){.previous = UINT32_MAX};
}

/* Forget all names, and the scopes of no open element. */
static void forget(Columns *e)
{
    for (size_t i = 0; i < e->state_count; i++) {
        forget_edges(e, &e->states[i].children);
        forget_edges(e, &e->states[i].attributes);
    }
    for (size_t i = 0; i < e->depth; i++)
        for (Namespaces *scope = e->frames[i].scope; scope && !scope->is_used; scope = scope->parent)
            scope->is_used = 1;
    e->scope_count = 0;
    for (size_t i = 0; i < e->scope_slots; i++) {
        Namespaces **link = &e->scopes[i];
        while (*link) {
            Namespaces *scope = *link;
            if (scope->is_used) {
                scope->is_used = 0;
                e->scope_count++;
                link = &scope->next;
            } else {
                *link = scope->next;
                release_namespaces(e, scope);
            }
        }
    }
    e->outermost->is_used = 0;
    e->name_count = 0;
    e->scope_limit = 2 * e->scope_count + MOST_NAMESPACES;
}

/* Return what the meaning of a name depends on. */
static uint64_t key_of(const Columns *e, const Namespaces *scope)
{
    return (uint64_t)e->namespace << 32 | scope->id;
}

/* Return an edge that comes now. */
static Edge *follow(Edges *edges, uint32_t i)
{
    if (edges->previous < edges->count)
        edges->items[edges->previous].next = i;
    edges->previous = i;
    edges->guess = edges->items[i].next;
    return &edges->items[i];
}

/* Return the edge of a name from a state, where most often the one comes that came the last time. */
static Edge *edge_of(Columns *e, uint32_t state, int is_attribute, Slice name, const Namespaces *scope)
{
    uint64_t key = key_of(e, scope);
    Edges *edges = is_attribute ? &e->states[state].attributes : &e->states[state].children;
    uint32_t i = edges->guess;
    if (!(i < edges->count && edges->items[i].key == key && same(edges->items[i].name, name))) {
        i = look_for(e, edges, name, key);
        if (i == edges->count) {
            Slice whole = expanded(e, scope, name, is_attribute);
            e->answer = (Edge){.target = SKIPPED, .columns = e->answer.columns};
            (is_attribute ? e->ask_attribute : e->ask_child)(e, state, whole);
            edges = is_attribute ? &e->states[state].attributes : &e->states[state].children;
            add_edge(e, edges, name, key);
        }
    }
    return follow(edges, i);
}

static void start_again(Edges *edges)
{
    edges->guess = 0;
    edges->previous = NONE;
}

/* What answers call. */

static uint32_t add_column(Columns *e, ColumnKind kind, int is_list, uint32_t table)
{
    MAKE_ROOM(e, e->columns, e->column_count + 1, e->column_room);
    e->columns[e->column_count] = (Column){.kind = kind, .is_list = is_list, .table = table, .next = NONE};
    if (kind == ATTRIBUTE && table != NONE) {
        State *state = &e->states[table];
        *(state->last_column == NONE ? &state->first_column : &e->columns[state->last_column].next) = (uint32_t)e->column_count;
        state->last_column = (uint32_t)e->column_count;
    }
    return (uint32_t)e->column_count++;
}

/* Add a state with columns for text; one with a table has a column of its own for that. */
static uint32_t add_state(Columns *e, uint32_t parent, unsigned flags, const uint32_t *captures, size_t count)
{
    MAKE_ROOM(e, e->states, e->state_count + 1, e->state_room);
    uint32_t number = (uint32_t)e->state_count;
    State *state = &e->states[number], *above = &e->states[parent];
    *state = NEW_STATE;
    state->parent = parent;
    state->flags = flags;
    if (flags & TABLE) {
        *(above->last_child == NONE ? &above->first_child : &e->states[above->last_child].next) = number;
        above->last_child = number;
    }
    e->state_count++;
    state->captures = resized(e, NULL, (count + 1) * sizeof *captures);
    for (size_t i = 0; i < count; i++)
        state->captures[state->capture_count++] = captures[i];
    if (flags & TABLE)
        state->captures[state->capture_count++] = add_column(e, DIRECT_TEXT, 0, number);
    return number;
}

static void answer_column(Columns *e, uint32_t column)
{
    MAKE_ROOM(e, e->answer.columns, e->answer.column_count + 1, e->answer_room);
    e->answer.columns[e->answer.column_count++] = column;
}

#endif
