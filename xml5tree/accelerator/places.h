/* What may stand at a place: `Lattice.edges` of xml5tree/intent/lattice.py. */

#ifndef XML5TREE_PLACES_H
#define XML5TREE_PLACES_H

#include "loose.h"

/* Add the edges of a "<" that white space follows; return 0 where there may be others. */
static int read_bracket(Search *s, const uint8_t *p, const uint8_t *limit)
{
    const uint8_t *next = p + 2;
    if (next < limit && is_white(*next))
        next++;
    if (next < limit && *next < 0x80 && begins_name(*next))
        return read_loose_tag(s, p, next, limit);
    if (next >= limit || *next >= 0x80 || *next == '/' || *next == '\\' || *next == '!')
        return 0;
    add_edge(s, TEXT_EDGE, NOTHING, p, p + 1, 0);
    return 1;
}

/* Names that the caller lists ------------------------------------------------------------------------------------------ */

/* Read a tag as others of its name were read; return 0 where Python is to be asked. */
static int read_listed(const Search *s, const uint8_t *p, Tag *token)
{
    uint8_t read_as = s->names[token->name].read_as[token->kind - START_EDGE];
    if (read_as == IS_TEXT)
        return set_token(s, token, TEXT_EDGE, p, p + 1);
    return read_as == IS_TAG;
}

/* Note how Python has read a tag, by its first edge. An end tag that may be a misspelt one of a listed name, and a start tag
   whose content is raw, are asked about each time. */
static void note_reading(Search *s, const uint8_t *p, const uint8_t *limit, Place found)
{
    const Edge *edge = &s->edges[found.first];
    const uint8_t *name = p + 1 + (p + 1 < limit && p[1] == '/'), *name_end = end_of_name(name, limit);
    int is_end = name > p + 1, is_correct = skip_white(name_end, limit) < limit && *skip_white(name_end, limit) == '>';
    int is_certain = name_end < limit && (is_end ? is_correct && !edge->cost : *name_end != '=');
    if (*p != '<' || !begins_name(*name) || !is_certain)
        return;
    uint32_t number = intern(s, name, (size_t)(name_end - name));
    uint8_t *read_as = s->names[number].read_as;
    if (edge->kind >= START_EDGE && edge->name == number && !(edge->facts & ENDS_INSIDE))
        read_as[edge->kind - START_EDGE] = IS_TAG;
    else if (edge->kind == TEXT_EDGE && found.count == 1 && is_end)
        read_as[END_EDGE - START_EDGE] = IS_TEXT;
    else if (edge->kind == TEXT_EDGE && found.count == 1)
        read_as[0] = read_as[EMPTY_EDGE - START_EDGE] = IS_TEXT;
}

/* Add the edge of a "<" that begins no tag with a listed name; return 0 where Python is to be asked. */
static int read_unlisted(Search *s, const uint8_t *p, const uint8_t *limit)
{
    const uint8_t *name = p + 1;
    while (name < limit && name - p < 3 && is_white(*name))
        name++;
    if (name >= limit || *name >= 0x80 || strchr("/\\![?", *name))
        return 0;
    if (begins_name(*name)) {
        const Name *found = find_name(s, name, (size_t)(end_of_name(name, limit) - name));
        if (!found || found->read_as[0] != IS_TEXT)
            return 0;
    }
    add_edge(s, TEXT_EDGE, NOTHING, p, p + 1, 0);
    return 1;
}

/* Tags ---------------------------------------------------------------------------------------------------------------- */

/* Set `*token` to a correct tag; return 0 where there is none. */
static int plain_tag(Search *s, const uint8_t *p, const uint8_t *limit, Tag *token)
{
    const Tag *tag = tag_at(s, s->base + (uint64_t)(p - s->text));
    if (tag) {
        *token = *tag;
        return !s->lists_names || read_listed(s, p, token);
    }
    return parse_any_tag(s, p, limit, NOTHING, token) && (!s->lists_names || read_listed(s, p, token));
}

/* Add the edge of a "<" before a sign or a digit, which is text; return 0 where there may be others: `_no_name` of tags.py. */
static int read_sign(Search *s, const uint8_t *p, const uint8_t *limit)
{
    const uint8_t *next = p + 1;
    if (limit - p < 3 || place_of(s, p) <= s->first_tag || strchr("/\\![?<:>", *next))
        return 0;
    if (*next >= '0' && *next <= '9') { /* a number may be a name */
        next = skip_white(end_of_name(next, limit), limit);
        next += next < limit && *next == '/';
        if (next >= limit || *next == '>')
            return 0;
    }
    Loose loose = {.s = s, .begin = p, .name = p + 1, .first = s->edges_count};
    return add_loose(&loose, TEXT_EDGE, p + 1, 0, NULL, BRACKET);
}

/* Add the edges of a tag that is not plain; return 0 where Python is to be asked. */
static int read_tag(Search *s, const uint8_t *p, const uint8_t *limit)
{
    const uint8_t *name = p + 1, *name_end;
    if (s->lists_names && read_unlisted(s, p, limit))
        return 1;
    if (name < limit && is_white(*name))
        return read_bracket(s, p, limit);
    if (name >= limit || !begins_name(*name))
        return read_sign(s, p, limit);
    if (is_no_letter(name, limit))
        return 0;
    name_end = end_of_name(name, limit);
    int seen = 0;
    const uint8_t *attributes = end_of_attributes(name_end, limit, CORRECT, &seen), *rest = skip_white(attributes, limit);
    if (rest < limit && *rest == '/')
        rest++;
    if (rest >= limit || *rest == '>' || has_odd_space(name, attributes))
        return 0;
    return read_loose_tag(s, p, name, limit);
}

/* Return whether there may be a tag without its "<" in a text: `_LOST` of characters.py. */
static int may_have_lost(const Search *s, const uint8_t *p, const uint8_t *end)
{
    for (; p < end; p++) {
        int is_after = p == s->text || is_white(p[-1]) || p[-1] == '>';
        const uint8_t *name = p + (*p == '/');
        if ((!is_after && *p != '/') || name >= end || !begins_name(*name))
            continue;
        const Name *found = find_name(s, name, (size_t)(end_of_name(name, end) - name));
        if (found && (found->seen_starts || found->seen_ends))
            return 1;
    }
    return 0;
}

/* Set `*token` to plain text; return 0 where it may be read otherwise. */
static int plain_text(Search *s, const uint8_t *p, const uint8_t *limit, Tag *token)
{
    const uint8_t *end = p + 1 < limit ? memchr(p + 1, '<', (size_t)(limit - p - 1)) : NULL;
    if (!end)
        end = limit;
    if (may_lack_semicolon(p, end, limit))
        return 0;
    if (memchr(p, '>', (size_t)(end - p))) {
        int is_after_bracket = p > s->text && p[-1] == '<'; /* that is text */
        if (find_text(p, end, "]]>", 3) || (!is_after_bracket && may_have_lost(s, p, end)))
            return 0;
    }
    return set_token(s, token, is_blank(p, end) ? SPACE_EDGE : TEXT_EDGE, p, end);
}

/* Set `*token` to what is plain at a place; return 0 where nothing is. No other reading is cheaper; only a tag may have one. */
static int plain_token(Search *s, const uint8_t *p, const uint8_t *limit, Tag *token)
{
    if (*p != '<')
        return plain_text(s, p, limit, token);
    if (p + 1 < limit && (p[1] == '!' || p[1] == '?'))
        return plain_section(s, p, limit, token);
    return plain_tag(s, p, limit, token);
}

/* Return whether an attribute may declare a namespace but for a slip in `xmlns`: `misspelt_declarations`. */
static int may_be_misspelt(const uint8_t *name, const uint8_t *end)
{
    uint8_t first = lower(name[0]), second = end - name > 1 ? lower(name[1]) : 0;
    if (!(first == 'x' && (second == 'm' || second == 'l' || second == 'n')) && !(first == 'm' && second == 'l'))
        return 0;
    const uint8_t *name_end = end_of_name(name, end), *value = skip_white(name_end, end);
    if (value < end && *value == '=' && name_end - name >= 5 && !memcmp(name, "xmlns", 5) &&
        (name_end - name == 5 || (name[5] == ':' && name_end - name > 6)))
        return 0;
    while (value < end && *value != '"' && *value != '\'')
        value++;
    return end - value > 1 && (value[1] == 'h' || value[1] == 'u'); /* as addresses begin */
}

/* Return whether the first tag, which is at a place, may have readings that only Python knows: beginning.py. */
static int is_beginning_doubtful(const uint8_t *p, const uint8_t *limit)
{
    const uint8_t *name = p + 1, *end = end_of_name(name, limit), *q = name;
    size_t length = (size_t)(end - name);
    int is_before = word_of(name, length)->kinds & IS_BEFORE;
    if (*name >= 0x80 || end[-1] == ':' || (length == 3 && !memcmp(name, "xml", 3)) ||
        (length == 7 && !memcmp(name, "DOCTYPE", 7)))
        return 1;
    for (; q < end; q++) {
        if (CLASSES[*q] & STRANGE)
            return 1;
    }
    for (; q + 1 < limit && *q != '<' && *q != '>'; q++) {
        if ((is_white(*q) || *q == '"' || *q == '\'') && may_be_misspelt(q + 1, limit))
            return 1;
    }
    if (q + 1 < limit && *q == '<') /* markup may tear the tag */
        return 1;
    for (; (q = memchr(q, '<', (size_t)(limit - q))) && limit - q > 2; q++) { /* another document may begin */
        name = q + 1 + (q[1] == '/');
        if ((q[1] == '?' && q[2] == 'x') || (q[1] == '!' && q[2] == 'D'))
            return 1;
        if (is_before && begins_name(*name) && !(word_of(name, (size_t)(end_of_name(name, limit) - name))->kinds & IS_BEFORE))
            return 1;
    }
    return 0;
}

/* Look at the first tag, of which Python may have to be asked. */
static void look_at_beginning(Search *s)
{
    const uint8_t *end = s->text + s->fed, *stop = s->fed > LOOK ? s->text + LOOK : end, *p = s->text, *after;
    s->first_tag = s->doubtful = UINT64_MAX;
    for (; (p = memchr(p, '<', (size_t)(stop - p))); p = after ? after : p + 1) {
        after = skip_section(p, stop);
        if (!after && stop - p > 1 && begins_name(p[1])) {
            if (is_no_letter(p + 1, stop))
                continue;
            s->first_tag = (uint64_t)(p - s->text);
            if (is_beginning_doubtful(p, end - p > LOOK ? p + LOOK : end))
                s->doubtful = s->first_tag;
            return;
        }
    }
}

static const uint8_t *limit_of(const Search *s, uint64_t place)
{
    if (s->fed - place <= LOOK)
        return s->text + (s->fed - s->base);
    const uint8_t *limit = s->text + (place + LOOK - s->base);
    for (int i = 0; i < 3 && (*limit & 0xC0) == 0x80; i++) /* an edge ends between characters */
        limit--;
    return limit;
}

/* Return whether Python need not be asked about a place before it is looked at. */
static int is_plain_place(const Search *s, uint64_t place)
{
    const uint8_t *p = s->text; /* the head of a message may be before the document, or junk before a root with a listed name */
    return place != s->doubtful && (place || (!s->root_names_count && (*p == '<' || is_white(*p))));
}

/* Return what may stand at a place, for the first time. */
static Place read_place(Search *s, uint64_t place)
{
    const uint8_t *p = s->text + (place - s->base), *limit = limit_of(s, place);
    Place found = {place, (uint32_t)s->edges_count, 0};
    const Inside *inside = inside_at(s, place);
    int is_read = is_plain_place(s, place) && !inside;
    Tag token;
    if (inside && inside->name) {
        read_in_tag(s, p, limit, *inside);
        is_read = 1;
    }
    else if (is_read && plain_token(s, p, limit, &token)) {
        const uint8_t *again = token.name ? find_repeated(s, &token, limit) : NULL;
        is_read = !again || !has_words(p, again); /* else it may be a row that is equal to another */
        if (is_read)
            add_edge(s, token.kind, token.name, p, s->text + (token.end - s->base), token.facts);
        if (is_read && again)
            add_twice(s, token.name, p, again);
    }
    else if (is_read) {
        is_read = *p == '<' && !(p + 1 < limit && (p[1] == '!' || p[1] == '?')) && read_tag(s, p, limit);
    }
    int is_asked = !is_read;
    if (is_asked && !s->ask(s, place))
        fail(s);
    found.count = (uint32_t)s->edges_count - found.first;
    if (is_asked && s->lists_names && !inside)
        note_reading(s, p, limit, found);
    for (size_t i = found.first; i < s->edges_count; i++) {
        if (s->edges[i].facts & ENDS_INSIDE) {
            ROOM_FOR(s, inside, 1);
            s->inside[s->inside_count++] = (Inside){s->edges[i].end, NOTHING, 0};
        }
    }
    return found;
}

/* Let places be found. No two that are asked for again are as far apart as there are slots. */
static void place_slots(Search *s)
{
    for (size_t i = 0; i < s->places_count; i++)
        s->place_slots[s->places[i].place & s->place_mask] = (uint32_t)i;
}

/* Return what may stand at a place. */
static Place edges_at(Search *s, uint64_t place)
{
    if (place - s->base > s->place_mask && s->place_mask < MOST_SLOTS - 1) {
        renew(s, &s->place_slots, &s->place_mask, s->place_mask < MOST_SLOTS / 8 ? s->place_mask * 8 + 7 : MOST_SLOTS - 1);
        place_slots(s);
    }
    uint32_t *slot = &s->place_slots[place & s->place_mask];
    /* The slot may be that of a place that is forgotten. */
    if (place <= s->farthest && *slot < s->places_count && s->places[*slot].place == place)
        return s->places[*slot];
    Place found = read_place(s, place);
    ROOM_FOR(s, places, 1);
    *slot = (uint32_t)s->places_count;
    s->places[s->places_count++] = found;
    s->farthest = place > s->farthest ? place : s->farthest;
    return found;
}

/* Return a place before which nothing will be read any more. */
static uint64_t kept_from(const Search *s)
{
    return !s->is_quiet ? s->place : s->mark > s->lexed ? s->mark : s->quiet_place;
}

/* Forget the places in what is longer than LOOK before one. */
static void forget_inside(Search *s, uint64_t before)
{
    size_t inside = 0;
    for (size_t i = 0; i < s->inside_count; i++) {
        if (s->inside[i].place >= before)
            s->inside[inside++] = s->inside[i];
    }
    s->inside_count = inside;
}

/* Forget the edges of places before one. */
static void forget_edges(Search *s, uint64_t before)
{
    size_t places = 0, edges = 0;
    uint32_t *moved = malloc(s->edges_count * sizeof *moved);
    if (!moved)
        fail(s);
    memset(moved, 0xFF, s->edges_count * sizeof *moved);
    uint32_t dropped = s->changes_dropped + (uint32_t)s->changes_count;
    /* Edges stand in the order in which their places were read, so that each moves down, if at all. */
    for (size_t i = 0; i < s->places_count; i++) {
        Place place = s->places[i];
        if (place.place < before)
            continue;
        for (uint32_t k = 0; k < place.count; k++) {
            moved[place.first + k] = (uint32_t)edges + k;
            s->edges[edges + k] = s->edges[place.first + k];
            if (s->edges[edges + k].changes && s->edges[edges + k].changes - 1 < dropped)
                dropped = s->edges[edges + k].changes - 1;
        }
        place.first = (uint32_t)edges;
        edges += place.count;
        s->places[places++] = place;
    }
#define MOVE(edge) (edge) = (edge) == NO_EDGE ? NO_EDGE : moved[edge]
    for (size_t i = 1; i < s->nodes_count; i++)
        MOVE(s->nodes[i].edge);
    for (size_t i = 0; i < s->order_count; i++) {
        Waiting *waiting = &s->waitings[s->order[i]];
        for (uint32_t k = 0; k < waiting->count; k++) {
            MOVE(waiting->hypotheses[k].step.edge);
            MOVE(waiting->hypotheses[k].rival.edge);
        }
    }
    for (size_t i = 0; i < s->stack_count + (size_t)s->has_root; i++) {
        Element *element = i < s->stack_count ? &s->stack[i] : &s->root;
        MOVE(element->edge);
        for (unsigned k = 0; k < element->recent_count; k++) {
            MOVE(element->recent[k].edge);
        }
    }
    free(moved);
    uint32_t more = dropped - s->changes_dropped;
    s->changes_count -= more;
    if (s->changes_count)
        memmove(s->changes, s->changes + more, s->changes_count * sizeof *s->changes);
    s->changes_dropped = dropped;
    s->places_count = places;
    s->edges_count = edges;
    s->most_edges = edges * 2 + 1024;
    place_slots(s);
    forget_inside(s, before);
}

#endif
