/* Reads repaired markup for columns.h: records in records, events, and their reader. */

#ifndef XML5TREE_COLUMNREADER_H
#define XML5TREE_COLUMNREADER_H

#include "columns.h"

/* Records in records ------------------------------------------------------------------------------------------------ */

/* What the markup of a record has in the place of one within it. */
static const char INNER[] = "<x xmlns='xml5tree:inner-record'/>";

/* End the parts of the values of the open record, in which another one begins at `tag`. */
static void suspend(Columns *e, const uint8_t *tag)
{
    MAKE_ROOM(e, e->suspended, e->suspended_count + 1, e->suspended_room);
    Suspended *outer = &e->suspended[e->suspended_count];
    *outer = (Suspended){.record = e->record,
                         .namespace = e->namespace,
                         .depth = e->record_depth,
                         .open_base = e->open_base,
                         .has_text = e->has_text,
                         .ends_in_space = e->has_text && e->ends_in_space};
    e->suspended_count++;
    e->has_inner = 1;
    int is_seen = 0; /* whether it is known how the text ends */
    for (size_t i = e->record_depth; i <= e->depth; i++) {
        Frame *frame = &e->frames[i - 1];
        const State *state = &e->states[frame->state];
        for (size_t k = 0; k < state->capture_count; k++) {
            Column *column = &e->columns[state->captures[k]];
            if (column->kind == OWN_TEXT ? !column->is_open : column->kind != DIRECT_TEXT)
                continue;
            if (i == e->depth && e->has_text && column->text.length > begin_of(column)) {
                outer->ends_in_space = ends_in_space(column->text.data + begin_of(column), column->text.data + column->text.length);
                is_seen = 1;
            }
            frame->has_parts |= end_part(e, column, frame->instance);
            column->is_open = 0;
        }
    }
    for (size_t i = e->open_base; i < e->open_count; i++) {
        Column *column = &e->columns[e->open[i]];
        if (!is_seen && e->has_text && column->text.length > begin_of(column))
            outer->ends_in_space = ends_in_space(column->text.data + begin_of(column), column->text.data + column->text.length);
        end_part(e, column, e->record);
    }
    if (e->raw != NONE) {
        append_bytes(e, &e->columns[e->raw].text, e->rest, (size_t)(tag - e->rest));
        append_bytes(e, &e->columns[e->raw].text, (const uint8_t *)INNER, sizeof INNER - 1);
        end_part(e, &e->columns[e->raw], e->record);
    }
    e->open_base = e->open_count;
    e->has_text = 0;
}

/* Go on with the outer record, after the end of an inner one. */
static void resume(Columns *e, const uint8_t *after)
{
    Suspended *outer = &e->suspended[--e->suspended_count];
    e->record = outer->record;
    e->namespace = outer->namespace;
    e->record_depth = outer->depth;
    e->open_base = outer->open_base;
    e->in_record = 1;
    e->has_text = outer->has_text;
    e->ends_in_space = outer->ends_in_space;
    e->after_inner = 1;
    e->rest = after;
    Frame *frame = &e->frames[e->depth - 1];
    const State *state = &e->states[frame->state];
    for (size_t k = 0; k < state->capture_count && frame->has_own; k++) {
        Column *column = &e->columns[state->captures[k]];
        column->is_open = column->kind == OWN_TEXT;
    }
}

/* Leave out the white space after an inner record where white space is before it in the same text. */
static void settle(Columns *e)
{
    e->after_inner = 0;
    if (!e->has_text || !e->ends_in_space)
        return;
    const State *state = &e->states[e->frames[e->depth - 1].state];
    size_t own_count = state->capture_count;
    for (size_t i = 0; i < own_count + e->open_count - e->open_base; i++) {
        Column *column = &e->columns[i < own_count ? state->captures[i] : e->open[e->open_base + i - own_count]];
        size_t begin = begin_of(column);
        if (!trimmed(column->text.data + begin, column->text.data + column->text.length).length)
            column->text.length = begin;
    }
}

/* Events ------------------------------------------------------------------------------------------------------------ */

static void end_own(Columns *e, Frame *frame)
{
    const State *state = &e->states[frame->state];
    for (size_t i = 0; i < state->capture_count; i++) {
        Column *column = &e->columns[state->captures[i]];
        if (column->kind != OWN_TEXT || !column->is_open)
            continue;
        column->is_open = 0;
        if (frame->has_parts || column->text.length > begin_of(column))
            end_value(e, column, frame->instance);
    }
    frame->has_own = 0;
}

/* Begin the values of an element, whose attributes have been read. */
static void begin_values(Columns *e, Frame *frame, const Namespaces *scope)
{
    State *state = &e->states[frame->state];
    for (size_t i = 0; i < state->capture_count; i++) {
        Column *column = &e->columns[state->captures[i]];
        if (column->kind == FULL_TEXT) {
            MAKE_ROOM(e, e->open, e->open_count + 1, e->open_room);
            e->open[e->open_count++] = state->captures[i];
        } else if (column->kind == OWN_TEXT) {
            column->is_open = frame->has_own = 1;
        }
    }
    if (!e->has_attributes || (state->flags & (LEAF | STRUCTURE)) == LEAF)
        return;
    start_again(&state->attributes);
    for (size_t i = 0; i < e->attribute_count; i++) {
        if (e->attributes[i].is_declaration)
            continue;
        const Edge *edge = edge_of(e, frame->state, 1, e->attributes[i].name, scope);
        for (size_t k = 0; k < edge->column_count; k++) {
            Column *column = &e->columns[edge->columns[k]];
            append_text(e, &column->text, e->attributes[i].value.start, e->attributes[i].value.length, 1);
            end_value(e, column, frame->instance);
        }
    }
}

/* Count lines, bytes and characters up to a place in the part. */
static RecordPlace count_to(Columns *e, const uint8_t *stop)
{
    for (const uint8_t *p = e->part; e->counts_characters && p < stop; p++)
        e->place.characters += (*p & 0xC0) != 0x80;
    for (const uint8_t *p = e->part; (p = memchr(p, '\n', (size_t)(stop - p))); p++)
        e->place.line++;
    e->place.offset += stop - e->part;
    e->part = stop;
    return e->place;
}

/* Begin an element; `edge` leads to it if that is known. */
static void start(Columns *e, const Edge *edge, Slice name, const uint8_t *tag)
{
    Namespaces *scope = e->frames[e->depth - 1].scope, *outer_scope = scope;
    if (e->has_declarations)
        scope = enter_scope(e, scope);
    if (e->after_inner)
        settle(e);
    if (!edge)
        edge = edge_of(e, e->frames[e->depth - 1].state, 0, name, scope);
    uint32_t target = edge->target, namespace = edge->namespace;
    unsigned role = edge->role;
    Frame *parent = &e->frames[e->depth - 1];
    if (role == IS_RECORD && e->in_record) {
        suspend(e, tag);
    } else {
        State *state = &e->states[parent->state];
        if (parent->has_own)
            end_own(e, parent);
        if (state->flags & TABLE && parent->state != RECORD)
            state->facts[parent->instance] |= HAS_MEMBERS | HAS_CHILDREN;
        e->has_text = 0;
    }
    MAKE_ROOM(e, e->frames, e->depth + 1, e->frame_room);
    parent = &e->frames[e->depth - 1];
    Frame *frame = &e->frames[e->depth++];
    *frame = (Frame){.state = target, .instance = parent->instance, .scope = scope, .open_count = e->open_count, .role = role};
    if (role == IS_RECORD) {
        if (e->begun >= PART - 1)
            fail(e, TOO_LARGE);
        frame->instance = e->record = e->begun++;
        e->namespace = namespace;
        e->in_record = 1;
        e->record_depth = e->depth;
        if (e->is_source)
            frame->place = count_to(e, tag);
        if (e->raw != NONE) {
            Slice around = tag_around(e, outer_scope);
            append_bytes(e, &e->columns[e->raw].text, around.start, around.length);
            e->rest = tag;
        }
    } else if (target == SKIPPED || target == OUTSIDE) {
        return;
    } else if (e->states[target].flags & TABLE) {
        State *state = &e->states[target];
        if (state->count >= PART - 1)
            fail(e, TOO_LARGE);
        MAKE_ROOM(e, state->owners, state->count + 1, state->owner_room);
        MAKE_ROOM(e, state->facts, state->count + 1, state->fact_room);
        state->owners[state->count] = parent->instance;
        state->facts[state->count] = e->has_attributes ? HAS_MEMBERS : 0;
        frame->instance = (uint32_t)state->count++;
    }
    start_again(&e->states[target].children);
    begin_values(e, frame, scope);
}

/* Append text; a plain one has no references. */
static inline void append_content(Columns *e, Column *column, Slice text, int is_plain)
{
    if (is_plain)
        append_bytes(e, &column->text, text.start, text.length);
    else
        append_text(e, &column->text, text.start, text.length, 0);
}

static inline void read_text(Columns *e, const uint8_t *p, const uint8_t *stop, int is_plain)
{
    if (!e->in_record || p == stop)
        return;
    Frame *frame = &e->frames[e->depth - 1];
    const State *state = &e->states[frame->state];
    Slice text = {p, (size_t)(stop - p)};
    e->has_text = 1;
    for (size_t i = e->open_base; i < e->open_count; i++)
        append_content(e, &e->columns[e->open[i]], text, is_plain);
    if (state->flags & TABLE) {
        Column *column = &e->columns[state->captures[0]];
        if (column->text.length == begin_of(column) && !frame->has_parts && !(state->flags & EXACT))
            for (; text.length && is_space(*text.start); text.start++)
                text.length--;
        append_content(e, column, text, is_plain);
    } else if (frame->has_own) {
        for (size_t i = 0; i < state->capture_count; i++)
            if (e->columns[state->captures[i]].is_open)
                append_content(e, &e->columns[state->captures[i]], text, is_plain);
    }
}

/* End the text directly in an element, without the white space around it; with parts, that is left out when they are joined. */
static void end_direct(Columns *e, const Frame *frame, Column *column)
{
    int is_trimmed = !frame->has_parts && !(e->states[frame->state].flags & EXACT);
    if (!is_trimmed || trim(&column->text, begin_of(column)))
        end_value(e, column, frame->instance);
}

static void end(Columns *e, const uint8_t *after)
{
    if (e->after_inner)
        settle(e);
    Frame *frame = &e->frames[--e->depth];
    e->has_text = 0;
    if (frame->has_own)
        end_own(e, frame);
    while (e->open_count > frame->open_count)
        end_value(e, &e->columns[e->open[--e->open_count]], frame->instance);
    const State *state = &e->states[frame->state];
    if (state->flags & TABLE)
        end_direct(e, frame, &e->columns[state->captures[0]]);
    if (frame->role == OTHER)
        return;
    MAKE_ROOM(e, e->ends, e->end_count + 1, e->end_room);
    e->ends[e->end_count++] = frame->role == IS_RECORD;
    if (frame->role != IS_RECORD)
        return;
    if (e->raw != NONE) { /* few ask for the markup: what is in this part is not copied */
        int64_t last[] = {e->part_number, e->rest - e->data, after - e->data};
        append_bytes(e, &e->columns[e->raw].text, (const uint8_t *)last, sizeof last);
        end_value(e, &e->columns[e->raw], frame->instance);
    }
    if (e->is_source) {
        MAKE_ROOM(e, e->places, e->place_count + 2, e->place_room);
        e->places[e->place_count++] = frame->place;
        e->places[e->place_count++] = count_to(e, after);
    }
    MAKE_ROOM(e, e->finished, e->finished_count + 1, e->finished_room);
    e->finished[e->finished_count++] = frame->instance;
    e->in_record = 0;
    e->namespace = 0;
    if (e->suspended_count)
        resume(e, after);
}

/* Markup ------------------------------------------------------------------------------------------------------------ */

static int ends_written(uint8_t byte)
{
    return is_space(byte) || byte == '/' || byte == '>' || byte == '=';
}

static const uint8_t *skip_written(const uint8_t *p, const uint8_t *stop)
{
    while (p < stop && !ends_written(*p))
        p++;
    return p;
}

/* Read the tag of an element; NULL if it does not end here. */
static const uint8_t *read_element(Columns *e, const uint8_t *tag, const uint8_t *stop)
{
    const uint8_t *p = skip_written(tag + 1, stop);
    Slice name = {tag + 1, (size_t)(p - tag - 1)};
    int is_empty = 0;
    e->attribute_count = 0;
    e->has_declarations = e->has_attributes = 0;
    for (;;) {
        while (p < stop && (is_space(*p) || *p == '\r'))
            p++;
        if (p >= stop)
            return NULL;
        if (*p == '>')
            break;
        if (*p == '/') {
            is_empty = 1;
            p++;
            continue;
        }
        const uint8_t *begin = p;
        p = skip_written(p, stop);
        Slice attribute = {begin, (size_t)(p - begin)};
        while (p < stop && *p != '"' && *p != '\'')
            p++;
        const uint8_t *end_quote = p < stop ? memchr(p + 1, *p, (size_t)(stop - p - 1)) : NULL;
        if (!end_quote)
            return NULL;
        int is_declaration = declares(attribute);
        MAKE_ROOM(e, e->attributes, e->attribute_count + 1, e->attribute_room);
        e->attributes[e->attribute_count++] = (WrittenAttribute){attribute, {p + 1, (size_t)(end_quote - p - 1)}, is_declaration};
        e->has_declarations |= is_declaration;
        e->has_attributes |= !is_declaration;
        p = end_quote + 1;
    }
    start(e, NULL, name, tag);
    if (is_empty)
        end(e, p + 1);
    return p + 1;
}

/* Return whether a name is written here, and something after it. Names are short, and `memcmp` takes longer. */
static inline int is_written(const uint8_t *p, const uint8_t *stop, Slice name)
{
    size_t i = 0;
    if ((size_t)(stop - p) <= name.length)
        return 0;
    while (i < name.length && p[i] == name.start[i])
        i++;
    return i == name.length;
}

/* Return whether the end tag of an element of a name is written here, without white space. */
static inline int ends_element(const uint8_t *p, const uint8_t *stop, Slice name)
{
    return stop - p > 2 && p[0] == '<' && p[1] == '/' && is_written(p + 2, stop, name) && p[name.length + 2] == '>';
}

/* Read the attributes of a tag after its name, if they are as likely and have nothing to be resolved, up to the end of the tag;
   NULL: they are not. Each has another name than those before it, as it comes later in `edges`; but with another prefix, it may
   have the same namespace and local name. */
static const uint8_t *read_likely_attributes(Columns *e, const Edges *edges, uint64_t key, const uint8_t *p, const uint8_t *stop)
{
    uint32_t i = 0;
    Slice prefix = {NULL, 0};
    for (size_t least = 0; p < stop && *p == ' '; least = i + 1, i = edges->items[i].next) {
        if (i < least || i >= edges->count || edges->items[i].key != key)
            return NULL;
        Slice name = edges->items[i].name, own = written_prefix(name);
        if (own.length && prefix.length && !same(own, prefix))
            return NULL;
        if (own.length)
            prefix = own;
        p++;
        if ((size_t)(stop - p) < name.length + 3 || !is_written(p, stop, name) || p[name.length] != '=')
            return NULL;
        const uint8_t *value = p + name.length + 2;
        uint8_t quote = value[-1];
        p = quote == '"' || quote == '\'' ? find_byte(value, stop, quote, '<', '&', 0) : stop;
        if (p >= stop || *p != quote)
            return NULL;
        MAKE_ROOM(e, e->attributes, e->attribute_count + 1, e->attribute_room);
        e->attributes[e->attribute_count++] = (WrittenAttribute){name, {value, (size_t)(p - value)}, 0};
        p++;
    }
    return p;
}

/* Read a tag like one that has been checked, with a name that is likely here, and the end of its element if only text comes before
   it; NULL: it is another. The scanner has the names of the open elements; NULL: the markup is known to be right. */
static const uint8_t *read_likely(Columns *e, Scanner *scanner, const uint8_t *tag, const uint8_t *stop)
{
    const Frame *frame = &e->frames[e->depth - 1];
    const uint8_t *p = tag + 1;
    Edges *edges = &e->states[frame->state].children;
    uint64_t key = key_of(e, frame->scope);
    uint32_t i = edges->guess;
    Slice name = {p, i < edges->count && edges->items[i].key == key ? edges->items[i].name.length : 0};
    if (!name.length || !is_written(p, stop, edges->items[i].name) || !ends_written(p[name.length])) {
        name.length = (size_t)(skip_written(p, stop) - p);
        i = look_for(e, edges, name, key);
    }
    p += name.length;
    if (i == edges->count || p == stop || (scanner && scanner->opened_count + 1 >= scanner->around->max_depth))
        return NULL;
    const Edge *edge = &edges->items[i];
    e->attribute_count = 0;
    if (*p == ' ' && edge->target != SKIPPED) {
        uint32_t namespace = edge->role == IS_RECORD ? edge->namespace : e->namespace;
        p = read_likely_attributes(e, &e->states[edge->target].attributes, (uint64_t)namespace << 32 | frame->scope->id, p, stop);
    }
    int is_empty = p && stop - p > 1 && *p == '/';
    if (!p || p + is_empty >= stop || p[is_empty] != '>')
        return NULL;
    p += is_empty + 1;
    e->has_declarations = 0;
    e->has_attributes = e->attribute_count > 0;
    start(e, follow(edges, i), name, tag);
    const uint8_t *end_tag = is_empty ? p : find_byte(p, stop, '<', '&', ']', 0);
    if (!is_empty && !ends_element(end_tag, stop, name)) {
        if (scanner)
            push(scanner, name, (Slice){NULL, 0});
        return p;
    }
    read_text(e, p, end_tag, 1);
    p = end_tag + (is_empty ? 0 : name.length + 3);
    end(e, p);
    return p;
}

/* Skip a comment, an instruction, or a DOCTYPE, which has been read before; NULL if it does not end here. */
static const uint8_t *skip_other(const uint8_t *p, const uint8_t *stop)
{
    int is_inside = 0;
    if (!starts_with(p, stop, "<!DOCTYPE", 9))
        return skip_section(p, stop);
    for (p++; p < stop; p++) {
        const uint8_t *section = skip_section(p, stop), *end = section ? section - 1 : NULL;
        if (*p == '"' || *p == '\'')
            end = memchr(p + 1, *p, (size_t)(stop - p - 1));
        else if (*p == '[' || *p == ']')
            is_inside = *p == '[';
        else if (*p == '>' && !is_inside)
            return p + 1;
        p = end ? end : p;
    }
    return NULL;
}

/* Read a part of the markup; return where the first token begins that is not as it should be. */
static const uint8_t *read_tokens(Columns *e, const uint8_t *p, const uint8_t *stop)
{
    while (p < stop) {
        const uint8_t *from = p, *after;
        if (!e->in_section && *p != '<') {
            p = memchr(p, '<', (size_t)(stop - p));
            p = p ? p : stop;
            read_text(e, from, p, 0);
            continue;
        }
        if (e->in_section || starts_with(p, stop, "<![CDATA[", 9)) {
            const uint8_t *content = from + (e->in_section ? 0 : 9);
            after = find_text(content, stop, "]]>", 3);
            read_text(e, content, after ? after : stop, 1);
            e->in_section = !after;
            p = after ? after + 3 : stop;
            continue;
        }
        if (starts_with(p, stop, "</", 2)) {
            after = memchr(p, '>', (size_t)(stop - p));
            if (!after || e->depth < 2)
                return from;
            end(e, after + 1);
            p = after + 1;
            continue;
        }
        if (stop - p > 1 && (p[1] == '!' || p[1] == '?'))
            p = skip_other(p, stop);
        else if ((after = read_likely(e, NULL, p, stop)))
            p = after;
        else
            p = read_element(e, p, stop);
        if (!p)
            return from;
    }
    return p;
}

static void begin_markup(Columns *e, const uint8_t *data, const uint8_t *start)
{
    e->data = data;
    e->rest = e->part = e->valid = start;
    e->part_number++;
}

/* Keep what the open record has of its markup before a place where a part of it ends. */
static void end_markup(Columns *e, const uint8_t *stop)
{
    if (e->raw != NONE && e->in_record)
        append_bytes(e, &e->columns[e->raw].text, e->rest, (size_t)(stop - e->rest));
}

/* Read a part of the markup; return how many bytes of it are as they should be. */
static size_t read_part(Columns *e, const uint8_t *start, const uint8_t *stop)
{
    begin_markup(e, start, start);
    if (e->scope_count > e->scope_limit || e->name_count > MOST_NAMES)
        forget(e);
    const uint8_t *read = read_tokens(e, start, stop);
    end_markup(e, read);
    return (size_t)(read - start);
}

/* Clean documents ---------------------------------------------------------------------------------------------------- */

/* Read the markup in the root element that begins here; NULL where it has an error, or that is not known. */
static const uint8_t *read_checked(Columns *e, Scanner *scanner, const uint8_t *p)
{
    const uint8_t *after = scanner->stop - p > 2 && p[1] > '?' ? read_likely(e, scanner, p, scanner->stop) : NULL;
    if (after)
        return after;
    const Slice name = scanner->opened[scanner->opened_count - 1].name;
    if (ends_element(p, scanner->stop, name)) {
        pop(scanner);
        after = p + name.length + 3;
    } else {
        after = read_from_less_than(scanner, p);
        if (!after || scanner->error_count || scanner->has_failed)
            return NULL;
    }
    if (p[1] == '/')
        end(e, after);
    else if (p[1] != '!' && p[1] != '?')
        read_element(e, p, after);
    else if (starts_with(p, after, "<![CDATA[", 9))
        read_text(e, p + 9, after - 3, 1);
    return after;
}

/* Return a name that a scanner holds as one that stays when its window goes. */
static Slice kept_name(Columns *e, const Scanner *scanner, Slice name)
{
    int is_in_window = name.start >= scanner->start && name.start < scanner->stop;
    return is_in_window ? kept_copy(e, name.start, name.length) : name;
}

/* Go on with the window of the document that begins where the last one has been read to. */
static void begin_window(Columns *e, Scanner *scanner, Slice window)
{
    scanner->start = scanner->text = scanner->end = window.start;
    scanner->stop = window.start + window.length;
    begin_markup(e, window.start, window.start);
}

/* Have what is kept not depend on the window, which has been read as far as it is. */
static void end_window(Columns *e, Scanner *scanner)
{
    for (size_t i = 0; i < scanner->opened_count; i++)
        scanner->opened[i].name = kept_name(e, scanner, scanner->opened[i].name);
    for (size_t i = 0; i < scanner->scope_count; i++) {
        Binding *binding = &scanner->scopes[i].binding;
        binding->prefix = kept_name(e, scanner, binding->prefix);
        binding->uri = kept_name(e, scanner, binding->uri);
    }
    end_markup(e, scanner->end);
}

/* Bytes that are certainly near when `is_plain_text` looks at them. */
enum { LONGEST_UNCHECKED = 16384 };

/* Read a document that is its own markup on from the end of the scanner's run, as far as it has no error, up to `most` records
   that have ended, and no token that begins at `limit` or later; NULL: it ends with the window. Return whether it has ended itself,
   or that has been reached. */
static int read_document(Columns *e, Scanner *scanner, size_t most, const uint8_t *limit)
{
    const uint8_t *p = scanner->end, *stop = scanner->stop;
    int goes_on = 1;
    while (goes_on && e->finished_count < most && (!limit || p < limit)) {
        const uint8_t *from = p, *after = NULL;
        if (scanner->opened_count) {
            p = find_byte(p, stop, '<', '&', ']', 0);
            int is_plain = p < stop && *p == '<';
            if (!is_plain)
                p = skip_text(scanner, p);
            if (p < stop && *p == '<' && !scanner->error_count) {
                read_text(e, from, p, is_plain);
                after = read_checked(e, scanner, p);
            }
            goes_on = after != NULL;
            p = goes_on ? after : p;
        } else {
            int is_beginning = !scanner->has_root;
            p = read_outside(scanner, p, &goes_on);
            goes_on = scanner->opened_count && !scanner->error_count;
            if (goes_on)
                read_element(e, scanner->tag, p);
            else if (is_beginning) /* the root element is an empty tag, or there is none */
                p = from;
        }
        if (p - e->valid >= LONGEST_UNCHECKED) {
            if (!is_plain_text(e->valid, p, 0))
                break;
            e->valid = p;
            if (e->scope_count > e->scope_limit || e->name_count > MOST_NAMES)
                forget(e);
        }
    }
    scanner->end = p;
    count_to(e, p);
    if (e->finished_count == most)
        return 1;
    return (limit ? goes_on : is_well_formed(scanner)) && is_plain_text(e->valid, limit ? p : stop, 0);
}

#endif
