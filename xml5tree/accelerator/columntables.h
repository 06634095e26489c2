/* Takes records of columns.h that have ended: their values, and which instances of elements have which parent. */

#ifndef XML5TREE_COLUMNTABLES_H
#define XML5TREE_COLUMNTABLES_H

#include "columnreader.h"

/* Choose what is taken of items with these owners, in the order of its owners; `map` tells whose it is then. */
static Taken choose(Columns *e, const uint32_t *owners, size_t count, const uint32_t *map, size_t owner_count)
{
    Taken taken = {resized(e, NULL, count * sizeof(uint32_t)), resized(e, NULL, count * sizeof(uint32_t)), 0, 1};
    int is_sorted = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t owner = map[owners[i] & ~PART];
        if (owner & KEPT)
            continue;
        if (taken.count) {
            is_sorted &= owner >= taken.owners[taken.count - 1];
            taken.is_strict &= owner > taken.owners[taken.count - 1];
        }
        taken.items[taken.count] = i;
        taken.owners[taken.count++] = owner;
    }
    if (is_sorted)
        return taken;
    uint32_t *places = zeroed(e, (owner_count + 1) * sizeof *places);
    for (size_t i = 0; i < taken.count; i++)
        places[taken.owners[i] + 1]++;
    for (size_t i = 0; i < owner_count; i++)
        places[i + 1] += places[i];
    Taken sorted = {resized(e, NULL, count * sizeof(uint32_t)), resized(e, NULL, count * sizeof(uint32_t)), taken.count, 1};
    for (size_t i = 0; i < taken.count; i++) {
        uint32_t place = places[taken.owners[i]]++;
        sorted.items[place] = taken.items[i];
        sorted.owners[place] = taken.owners[i];
    }
    for (size_t i = 1; i < sorted.count; i++)
        sorted.is_strict &= sorted.owners[i] != sorted.owners[i - 1];
    release_memory(e, places);
    release_memory(e, taken.items);
    release_memory(e, taken.owners);
    return sorted;
}

/* Return the values of a column that are taken. Parts are joined; of several values of one owner that are no list, one counts:
   the first of a record, the last of an instance. */
static Values values_of(Columns *e, const Column *column, const uint32_t *map, size_t owner_count)
{
    Taken taken = choose(e, column->owners, column->count, map, owner_count);
    Values values = {.ends = resized(e, NULL, taken.count * sizeof(int32_t)), .owners = taken.owners};
    int is_plain = taken.is_strict || column->is_list;
    for (size_t i = 0; i < taken.count && is_plain; i++)
        is_plain = taken.items[i] - taken.items[0] == i && !(column->owners[taken.items[i]] & PART);
    if (is_plain) { /* they follow one another */
        int32_t begin = taken.count && taken.items[0] ? column->ends[taken.items[0] - 1] : 0;
        for (size_t i = 0; i < taken.count; i++)
            values.ends[i] = column->ends[taken.items[i]] - begin;
        values.text = column->text.data ? column->text.data + begin : NULL;
        values.count = taken.count;
        values.length = taken.count ? (size_t)values.ends[taken.count - 1] : 0;
        release_memory(e, taken.items);
        return values;
    }
    Buffer text = {0};
    size_t from = 0; /* of the value in the text */
    for (size_t i = 0; i < taken.count; i++) {
        uint32_t item = taken.items[i], owner = taken.owners[i];
        int is_first = !values.count || values.owners[values.count - 1] != owner;
        int is_last = i + 1 == taken.count || taken.owners[i + 1] != owner, is_part = (column->owners[item] & PART) != 0;
        int32_t begin = item ? column->ends[item - 1] : 0;
        append_bytes(e, &text, column->text.data + begin, (size_t)(column->ends[item] - begin));
        if (is_part)
            continue;
        if (column->kind == DIRECT_TEXT && !(e->states[column->table].flags & EXACT) && !trim(&text, from))
            continue;
        if (!column->is_list && !(column->table == NONE ? is_first : is_last)) {
            text.length = from;
            continue;
        }
        if (text.length > INT32_MAX)
            fail(e, TOO_LARGE);
        values.ends[values.count] = (int32_t)text.length;
        values.owners[values.count++] = owner;
        from = text.length;
    }
    values.text = text.data;
    values.length = from;
    values.is_copy = 1;
    release_memory(e, taken.items);
    return values;
}

static void note_irregular(Columns *e, uint32_t state, uint32_t instance)
{
    for (; state != RECORD; state = e->states[state].parent)
        instance = e->taken[state].owners[instance];
    e->irregular[instance] = 1;
}

/* Choose the instances of a table that are taken, and write a map of all: what is taken has its new number, what is kept its own with
   KEPT. */
static void take_table(Columns *e, uint32_t number)
{
    State *state = &e->states[number];
    const uint32_t *map = e->maps[state->parent];
    uint32_t *found = resized(e, NULL, state->count * sizeof *found), count = 0, kept = 0;
    int has_no_children = (state->flags & (LEAF | STRUCTURE)) == LEAF;
    Taken *taken = &e->taken[number];
    *taken = choose(e, state->owners, state->count, map, e->taken[state->parent].count);
    for (size_t i = 0; i < state->count; i++) {
        uint32_t owner = map[state->owners[i]];
        found[i] = owner != NONE && owner & KEPT ? kept++ | KEPT : NONE;
    }
    for (size_t i = 0; i < taken->count; i++) {
        if (i && state->flags & SINGLE && taken->owners[i] == taken->owners[i - 1]) {
            note_irregular(e, state->parent, taken->owners[i]);
            continue;
        }
        uint32_t item = taken->items[count] = taken->items[i];
        taken->owners[count] = taken->owners[i];
        if (has_no_children && state->facts[item] & HAS_CHILDREN)
            note_irregular(e, number, count);
        found[item] = count++;
    }
    taken->count = count;
    e->maps[number] = found;
}

/* Note which instances have text. In a leaf that is a structure, children count beside other text than white space. */
static void note_texts(Columns *e, uint32_t table, const Values *values)
{
    const State *state = &e->states[table];
    for (size_t i = 0; i < values->count; i++) {
        uint8_t *facts = &state->facts[e->taken[table].items[values->owners[i]]];
        *facts |= HAS_TEXT;
        if ((state->flags & (LEAF | STRUCTURE)) == (LEAF | STRUCTURE) && *facts & HAS_CHILDREN) {
            const uint8_t *text = values->text + (i ? values->ends[i - 1] : 0), *stop = values->text + values->ends[i];
            if (trimmed(text, stop).length)
                note_irregular(e, table, values->owners[i]);
        }
    }
}

/* Take some of the records that have ended: those in these ranges of their order of ending. The others before `stop` are dropped;
   those after it stay. What is taken is valid until `end_taking`. */
static void take(Columns *e, const size_t (*ranges)[2], size_t range_count, size_t stop)
{
    uint32_t kept = 0, rows = 0;
    e->record_map = zeroed(e, e->begun * sizeof *e->record_map);
    for (size_t i = 0; i < stop; i++)
        e->record_map[e->finished[i]] = NONE;
    for (uint32_t i = 0; i < e->begun; i++)
        if (e->record_map[i] != NONE)
            e->record_map[i] = kept++ | KEPT;
    for (size_t k = 0; k < range_count; k++)
        for (size_t i = ranges[k][0]; i < ranges[k][1]; i++)
            e->record_map[e->finished[i]] = rows++;
    e->row_count = rows;
    e->first_left = stop;
    e->irregular = zeroed(e, rows);
    e->maps = zeroed(e, e->state_count * sizeof *e->maps);
    e->taken = zeroed(e, e->state_count * sizeof *e->taken);
    e->values = zeroed(e, e->column_count * sizeof *e->values);
    e->maps[RECORD] = e->record_map;
    e->taken[RECORD].count = rows;
    for (uint32_t i = FIRST_STATE; i < e->state_count; i++)
        if (e->states[i].flags & TABLE)
            take_table(e, i);
    for (size_t i = 0; i < e->column_count; i++) {
        const Column *column = &e->columns[i];
        uint32_t table = column->table == NONE ? RECORD : column->table;
        e->values[i] = values_of(e, column, e->maps[table], e->taken[table].count);
        if (column->kind == DIRECT_TEXT && table != RECORD)
            note_texts(e, table, &e->values[i]);
    }
}

/* Return whether some instance of a table has attributes or children. */
static int has_members(const Columns *e, uint32_t state)
{
    const Taken *taken = &e->taken[state];
    if (e->states[state].flags & STRUCTURE)
        return 1;
    for (size_t i = 0; i < taken->count && !(e->states[state].flags & LEAF); i++)
        if (e->states[state].facts[taken->items[i]] & HAS_MEMBERS)
            return 1;
    return 0;
}

/* Return the first instance with text and members, whose structure has a place for text; the number of instances if none has. */
static size_t first_with_both(const Columns *e, uint32_t state)
{
    const Taken *taken = &e->taken[state];
    size_t i = 0;
    while (i < taken->count && (e->states[state].facts[taken->items[i]] & (HAS_MEMBERS | HAS_TEXT)) != (HAS_MEMBERS | HAS_TEXT))
        i++;
    return i;
}

static void set_bit(uint8_t *bits, size_t i)
{
    bits[i >> 3] |= (uint8_t)(1u << (i & 7));
}

/* Write the offsets and validity of values, one or none for each of `size` places; return how many have none. `places` are those of
   the owners; NULL: they are their own. */
static size_t lay_values(const Values *values, const uint32_t *places, size_t size, int32_t *offsets, uint8_t *validity)
{
    size_t at = 0;
    offsets[0] = 0;
    for (size_t k = 0; k < values->count; k++) {
        size_t place = places ? places[values->owners[k]] : values->owners[k];
        for (; at < place; at++)
            offsets[at + 1] = offsets[at];
        set_bit(validity, place);
        offsets[++at] = values->ends[k];
    }
    for (; at < size; at++)
        offsets[at + 1] = offsets[at];
    return size - values->count;
}

/* Write the offsets of lists of items by their owners. */
static void lay_lists(const uint32_t *owners, size_t count, const uint32_t *places, size_t size, int32_t *offsets)
{
    size_t at = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t place = places ? places[owners[k]] : owners[k]; at <= place; at++)
            offsets[at] = (int32_t)k;
    for (; at <= size; at++)
        offsets[at] = (int32_t)count;
}

/* Write which structures are there; return how many are not. */
static size_t lay_structures(const Columns *e, uint32_t state, const uint32_t *places, size_t size, uint8_t *validity)
{
    const Taken *taken = &e->taken[state];
    size_t there = 0;
    for (size_t i = 0; i < taken->count; i++) {
        if (e->states[state].facts[taken->items[i]] & (HAS_MEMBERS | HAS_TEXT)) {
            set_bit(validity, places ? places[i] : i);
            there++;
        }
    }
    return size - there;
}

/* Write which lists have a value: not those of one empty element. Return how many have none. */
static size_t lay_validity(const Columns *e, uint32_t state, const int32_t *offsets, size_t size, uint8_t *validity)
{
    const Taken *taken = &e->taken[state];
    size_t nulls = 0;
    for (size_t i = 0; i < size; i++) {
        int32_t count = offsets[i + 1] - offsets[i];
        if (count > 1 || (count && e->states[state].facts[taken->items[offsets[i]]] & (HAS_MEMBERS | HAS_TEXT)))
            set_bit(validity, i);
        else
            nulls++;
    }
    return nulls;
}

static uint32_t renumbered(uint32_t number, const uint32_t *map)
{
    return map[number] == NONE ? 0 : map[number] & ~KEPT;
}

static void keep_values(Column *column, const uint32_t *map)
{
    Buffer *text = &column->text;
    size_t count = 0, begin = 0, length = 0, last = begin_of(column);
    for (size_t i = 0; i < column->count; i++) {
        size_t end = (size_t)column->ends[i];
        uint32_t owner = map[column->owners[i] & ~PART];
        if (owner != NONE && owner & KEPT) {
            if (begin != length)
                memmove(text->data + length, text->data + begin, end - begin);
            length += end - begin;
            column->ends[count] = (int32_t)length;
            column->owners[count++] = (owner & ~KEPT) | (column->owners[i] & PART);
        }
        begin = end;
    }
    column->count = count;
    if (text->length > last && last != length)
        memmove(text->data + length, text->data + last, text->length - last);
    text->length = length + (text->length - last);
}

static void keep_instances(State *state, const uint32_t *map)
{
    size_t count = 0;
    for (size_t i = 0; i < state->count; i++) {
        uint32_t owner = map[state->owners[i]];
        if (owner != NONE && owner & KEPT) {
            state->owners[count] = owner & ~KEPT;
            state->facts[count++] = state->facts[i];
        }
    }
    state->count = count;
}

/* Drop what has been taken. */
static void end_taking(Columns *e)
{
    const uint32_t *map = e->record_map;
    uint32_t kept = 0, record = 0;
    for (size_t i = 0; i < e->column_count; i++) {
        Column *column = &e->columns[i];
        if (e->values[i].is_copy)
            release_memory(e, (void *)e->values[i].text);
        release_memory(e, e->values[i].ends);
        release_memory(e, e->values[i].owners);
        keep_values(column, e->maps[column->table == NONE ? RECORD : column->table]);
    }
    for (size_t i = 0; i < e->depth; i++) {
        Frame *frame = &e->frames[i];
        if (frame->role == IS_RECORD)
            record = renumbered(frame->instance, map);
        int is_instance = e->states[frame->state].flags & TABLE && frame->state != RECORD;
        frame->instance = is_instance ? renumbered(frame->instance, e->maps[frame->state]) : record;
    }
    for (size_t i = e->state_count; i-- > FIRST_STATE;) {
        if (e->maps[i]) {
            keep_instances(&e->states[i], e->maps[e->states[i].parent]);
            release_memory(e, e->taken[i].items);
            release_memory(e, e->taken[i].owners);
        }
    }
    for (size_t i = FIRST_STATE; i < e->state_count; i++)
        release_memory(e, e->maps[i]);
    for (size_t i = 0; i < e->suspended_count; i++)
        e->suspended[i].record = renumbered(e->suspended[i].record, map);
    for (size_t i = e->first_left; i < e->finished_count; i++)
        e->finished[i - e->first_left] = renumbered(e->finished[i], map);
    e->finished_count -= e->first_left;
    e->record = e->in_record ? renumbered(e->record, map) : 0;
    for (uint32_t i = 0; i < e->begun; i++)
        kept += map[i] != NONE && map[i] & KEPT;
    e->begun = kept;
    e->is_large = 0;
    release_memory(e, e->record_map);
    release_memory(e, e->maps);
    release_memory(e, e->taken);
    release_memory(e, e->values);
    release_memory(e, e->irregular);
}

/* Begin; there are the states that are always there. `seed` is for hashes. */
static void begin_columns(Columns *e, uint32_t seed)
{
    e->seed = seed;
    e->raw = NONE;
    e->scope_limit = MOST_NAMESPACES;
    e->next_scope = 1;
    e->place.line = 1;
    MAKE_ROOM(e, e->states, FIRST_STATE, e->state_room);
    for (size_t i = 0; i < FIRST_STATE; i++)
        e->states[i] = NEW_STATE;
    e->state_count = FIRST_STATE;
    place_scopes(e, 64);
    e->outermost = resized(e, NULL, sizeof *e->outermost);
    *e->outermost = (Namespaces){0};
    MAKE_ROOM(e, e->frames, 64, e->frame_room);
    e->frames[0] = (Frame){.state = OUTSIDE, .scope = e->outermost};
    e->depth = 1;
}

#endif
