/* The edges of the commonest doubtful start tags: those of `_Opening` in xml5tree/intent/tags.py, by the attributes as
   attributes.py reads them. Where that does more than is done here, or sees the end of what can be seen, Python is asked. */

#ifndef XML5TREE_LOOSE_H
#define XML5TREE_LOOSE_H

#include "edges.h"

enum { DEAREST = 25000, MOST_CHANGES = 8, LONGEST_BEGINNING = 64 };
/* What is read instead, and operations: `INSTEAD` and `OPERATIONS_OF_TAGS` of compiled.py. */
enum { NONE, EQUALS, QUOTE, APOSTROPHE, ESCAPED_QUOTE, ESCAPED_APOSTROPHE, NO_VALUE, CLOSE, CLOSE_EMPTY, BRACKET };
enum { NO_OPERATION, SOLIDUS, QUOTES, VALUE_WITHOUT_END, NO_EQUALS, EMPTY_AFTER_VALUE, TAG_WITHOUT_END, AS_TEXT, SPACED_TAG, TORN, TWICE };
enum { WITH_SPACE = 16 }; /* before what is read instead */

/* A reading of the attributes of a tag: `Attributes` of attributes.py. */
typedef struct {
    const Search *s;
    const uint8_t *at, *limit;
    int trusts, is_unsure, is_empty, is_closed, is_long, has_solidus_in_value, has_doubt, operation, changes_count;
    int32_t cost, dearest, words, values;
    Change changes[MOST_CHANGES];
} Attributes;

/* The tag whose edges are added: where it and its name begin. */
typedef struct {
    Search *s;
    const uint8_t *begin, *name;
    uint32_t number;
    size_t first; /* of its edges */
    int is_strange; /* whether its name has what names of correct tags have not */
} Loose;

static uint64_t place_of(const Search *s, const uint8_t *p)
{
    return s->base + (uint64_t)(p - s->text);
}

/* Return an octet of the tag. Where it cannot be seen, the reading is not sure, and ends. */
static uint8_t octet(Attributes *a, const uint8_t *p)
{
    if (p < a->limit)
        return *p;
    a->is_unsure = 1;
    return '<';
}

static int is_quote(uint8_t c)
{
    return c == '"' || c == '\'';
}

static int may_follow_value(uint8_t c)
{
    return is_white(c) || c == '/' || c == '>';
}

static const uint8_t *skip_space(Attributes *a, const uint8_t *p)
{
    while (is_white(octet(a, p)))
        p++;
    return p;
}

/* Return where what may be the name of an attribute ends, as a pattern looks for it. */
static const uint8_t *end_of_key(Attributes *a, const uint8_t *p)
{
    while (is_in_name(octet(a, p)))
        p++;
    return p;
}

/* Return what follows a name, white space, "=" and white space, or NULL; the name may be absent. */
static const uint8_t *after_equals(Attributes *a, const uint8_t *p)
{
    p = skip_space(a, p);
    return octet(a, p) == '=' ? skip_space(a, p + 1) : NULL;
}

/* Return whether a tag ends at a place, with ">" or "/>". */
static int ends_tag(Attributes *a, const uint8_t *p)
{
    return octet(a, p) == '>' || (octet(a, p) == '/' && octet(a, p + 1) == '>');
}

static void change(Attributes *a, const uint8_t *begin, const uint8_t *end, int instead)
{
    if (a->changes_count == MOST_CHANGES)
        a->is_unsure = 1;
    else
        a->changes[a->changes_count++] = (Change){place_of(a->s, begin), place_of(a->s, end), instead};
}

/* Pay for changes, of which the dearest tells the operation, or one that drops something. */
static void pay(Attributes *a, int32_t cost, int operation)
{
    a->cost += cost;
    if (operation && cost >= a->dearest) {
        a->dearest = operation == TORN ? DEAREST : cost;
        a->operation = operation;
    }
}

/* Return whether a quote before a place is inside a value: `_QUOTE_FOLLOWS`. */
static int quote_follows(Attributes *a, const uint8_t *p, uint8_t quote)
{
    const uint8_t *begin = p + 1;
    if (!is_white(octet(a, p)))
        return 0;
    for (p = begin; p - begin < 200 && octet(a, p) != '<' && *p != '>' && *p != '=' && *p != quote; p++)
        ;
    if (p == begin || octet(a, p) != quote)
        return 0;
    const uint8_t *key = skip_space(a, p + 1), *end = end_of_key(a, key);
    return ends_tag(a, key) || (end > key && after_equals(a, end));
}

/* Return what it costs that a value ends at a quote. */
static int32_t doubt_of(Attributes *a, const uint8_t *begin, const uint8_t *close)
{
    int32_t odd = COST(a->s, odd_value), doubt = 0;
    const uint8_t *p = close + 1, *lowest = close - begin + 1 > 200 ? close - 200 : begin - 1;
    if (memchr(begin, '<', (size_t)(close - begin)))
        doubt += odd;
    if (memchr(begin, '>', (size_t)(close - begin)))
        doubt += odd / 2;
    uint8_t c = octet(a, p);
    int goes_on = may_follow_value(c) || c == '?' || c == ',' || c == ';';
    if (!goes_on) {
        const uint8_t *end = end_of_key(a, p);
        goes_on = end > p && octet(a, end) == '=' && is_quote(octet(a, end + 1));
    }
    if (!goes_on || quote_follows(a, p, *close))
        doubt += odd;
    while (close > lowest && is_white(close[-1])) /* `_NAME_AT_END` */
        close--;
    if (close > lowest && close[-1] == '=') {
        const uint8_t *end = close - 1;
        while (end > lowest && is_white(end[-1]))
            end--;
        const uint8_t *key = end;
        while (key > lowest && (is_in_name(key[-1]) || key[-1] == '/'))
            key--;
        if (key < end && key > lowest && (is_white(key[-1]) || is_quote(key[-1])))
            doubt += 2 * odd;
    }
    return doubt;
}

/* Return where a value without its closing quote ends: `_END_OF_VALUE`. */
static const uint8_t *end_of_unclosed(Attributes *a, const uint8_t *p)
{
    for (; octet(a, p) != '<'; p++) {
        if (is_white(p[-1]) || !may_follow_value(*p))
            continue;
        const uint8_t *key = skip_space(a, p), *end = end_of_key(a, key);
        if (ends_tag(a, key))
            break;
        const uint8_t *value = key > p && end > key ? after_equals(a, end) : NULL;
        if (value && is_quote(octet(a, value)))
            break;
    }
    return p;
}

/* Read a value that ends before the next attribute, the end of the tag, or a "<". */
static void end_early(Attributes *a, const uint8_t *begin, uint8_t quote)
{
    const uint8_t *end = a->at = end_of_unclosed(a, begin);
    while (end > begin && is_white(end[-1]))
        end--;
    int has_quote = end > begin && is_quote(end[-1]);
    end -= has_quote;
    int is_inner = has_quote && *end == quote, before = a->changes_count;
    for (const uint8_t *p = begin; p < end; p++) {
        if (*p == quote)
            change(a, p, p + 1, quote == '"' ? ESCAPED_QUOTE : ESCAPED_APOSTROPHE);
    }
    if (!is_inner)
        change(a, end, end + has_quote, quote == '"' ? QUOTE : APOSTROPHE);
    if (is_inner)
        pay(a, COST(a->s, inner_quote), a->changes_count > before ? QUOTES : NO_OPERATION);
    else
        pay(a, COST(a->s, no_quote), VALUE_WITHOUT_END);
}

/* Read a value with a quote at its end only: `_NO_OPENING`; return whether it is one. */
static int read_unopened(Attributes *a, const uint8_t *at)
{
    for (int kind = 0; kind < 2; kind++) { /* at first, neither quote is in it */
        const uint8_t *p = at;
        int has_space = 0;
        while (octet(a, p) != '<' && *p != '>' && *p != '"' && (kind || *p != '\'')) {
            const uint8_t *next = skip_space(a, p);
            if (next > p) {
                if (octet(a, next) < 0x80 && begins_name(octet(a, next)) && after_equals(a, end_of_key(a, next)))
                    break;
                has_space = 1;
            }
            p = next > p ? next : p + 1;
        }
        if (p > at && is_quote(octet(a, p)) && (may_follow_value(octet(a, p + 1)) || octet(a, p + 1) == '?')) {
            change(a, at, at, *p == '"' ? QUOTE : APOSTROPHE);
            pay(a, has_space ? COST(a->s, odd_value) : 700, QUOTES);
            a->at = p + 1;
            return 1;
        }
    }
    return 0;
}

/* Return the third octet of a typographic quote from U+2018 to U+201F, or 0. */
static uint8_t typographic(const uint8_t *p)
{
    return p[0] == 0xE2 && p[1] == 0x80 && p[2] >= 0x98 && p[2] <= 0x9F ? p[2] : 0;
}

/* Read a value between typographic quotes: of `_ODD_QUOTES`, those that are most usual. */
static void read_typographic(Attributes *a, const uint8_t *at)
{
    /* By opening quotes, those that close: two at most. */
    static const uint8_t CLOSING[8][2] = {{0x99}, {0x99}, {0x98, 0x99}, {0}, {0x9D}, {0x9D}, {0x9C, 0x9D}, {0}};
    uint8_t opening = a->limit - at > 3 ? typographic(at) : 0;
    const uint8_t *closing = CLOSING[opening ? opening - 0x98 : 3], *end = at + 3;
    while (*closing && a->limit - end > 4 && *end != '<' && *end != '>' && *end != '"' &&
           !(typographic(end) && (end[2] == closing[0] || end[2] == closing[1])))
        end++;
    if (!*closing || a->limit - end <= 4 || *end != 0xE2) {
        a->is_unsure = 1;
        return;
    }
    change(a, at, at + 3, QUOTE);
    change(a, end, end + 3, QUOTE);
    pay(a, 500, QUOTES);
    a->at = end + 3;
}

static void read_value(Attributes *a, const uint8_t *at)
{
    uint8_t quote = octet(a, at);
    a->values++;
    a->is_empty = 0;
    if (quote == 0xE2) {
        read_typographic(a, at);
    }
    else if (quote >= 0x80 || quote == '`' || quote == '\\' || quote == '&' || at + 2 >= a->limit) {
        a->is_unsure = 1;
    }
    else if (is_quote(quote)) {
        const uint8_t *begin = at + 1, *close = memchr(begin, quote, (size_t)(a->limit - begin));
        if (!close) { /* the value may be longer than can be seen */
            const uint8_t *end = a->s->text + (a->s->fed - a->s->base);
            a->is_long = a->has_doubt = 1;
            a->is_unsure = a->limit == end;
            a->at = begin;
            if (!a->trusts && !a->is_unsure) {
                end_early(a, begin, quote);
                a->is_long = a->at == a->limit;
                a->is_unsure &= !a->is_long;
            }
            return;
        }
        if ((*begin == quote && !may_follow_value(begin[1])) || octet(a, close + 1) == quote ||
            may_lack_semicolon(begin, close, a->limit)) {
            a->is_unsure = 1;
            return;
        }
        int32_t doubt = doubt_of(a, begin, close);
        a->has_doubt |= doubt > 0;
        if (doubt > 0 && !a->trusts) {
            end_early(a, begin, quote);
            return;
        }
        a->cost += doubt;
        a->at = close + 1;
    }
    else if (!read_unopened(a, at)) {
        const uint8_t *end = at;
        uint8_t c;
        while (!is_white(c = octet(a, end)) && c != '<' && c != '>' && c != '&' && !ends_tag(a, end))
            end++;
        a->is_unsure |= c == '&';
        a->cost += 200;
        if (end == at && c != '>') {
            change(a, at, at, NO_VALUE);
            pay(a, 0, EMPTY_AFTER_VALUE);
        }
        if (c == '/') { /* without white space, the draft reads it as a part of the value */
            change(a, end, end, WITH_SPACE);
            pay(a, 0, EMPTY_AFTER_VALUE);
        }
        a->has_solidus_in_value = c == '/';
        a->at = end;
    }
}

/* Read an attribute; it begins no white space, "/", "<", ">" or "=". */
static void read_attribute(Attributes *a)
{
    const uint8_t *name = a->at, *end = name, *quote = NULL;
    int is_proper = begins_name(*name);
    for (uint8_t c; is_in_name(c = octet(a, end)) || is_quote(c); end++) {
        if (is_quote(c) && !quote)
            quote = end;
        is_proper &= c > 0x7F || !strchr("&,;(){}|+*!?#$%@[]\\^~", c);
        a->is_unsure |= c == 0xE2 || !c; /* it may be a typographic quote */
    }
    const uint8_t *value = after_equals(a, end);
    if (value) {
        a->is_unsure |= quote || octet(a, value) == '=' || octet(a, value) == '3'; /* the rest of "=3D" */
        read_value(a, value);
    }
    else if (quote > name) { /* name"value" */
        change(a, quote - (quote[-1] == ':' && quote - 1 > name), quote, EQUALS);
        pay(a, 1000, NO_EQUALS);
        read_value(a, quote);
    }
    else if (quote) {
        a->at = end;
        change(a, name, end, NONE);
        pay(a, COST(a->s, no_quote), end - name == 1 ? QUOTES : TORN);
    }
    else {
        const uint8_t *next = skip_space(a, end);
        a->is_unsure |= is_quote(octet(a, octet(a, next) == ':' ? skip_space(a, next + 1) : next)); /* an "=" may be missing */
        a->at = end;
        a->is_empty = 0;
        a->words++;
        if (!(word_of(name, (size_t)(end - name))->kinds & IS_BOOLEAN))
            a->cost += is_proper ? COST(a->s, word) : 2 * COST(a->s, word);
    }
}

/* Read the rest of a tag; return whether it is a reading. */
static int read_attributes(Attributes *a)
{
    while (a->cost <= DEAREST && !a->is_unsure) {
        const uint8_t *p = a->at = skip_space(a, a->at);
        uint8_t c = octet(a, p);
        if (c == ',' || c == ';' || c == 0xC2 || c == 0xE2 || c == 0xEF) {
            a->is_unsure = 1;
        }
        else if (c == '<' || ends_tag(a, p)) {
            a->is_closed = c != '<';
            a->is_empty |= c == '/';
            a->at = p + (c == '>') + 2 * (c == '/');
            return !a->is_unsure;
        }
        else if (c == '/' || c == '=' || c == ':') { /* the draft ignores all but "=" */
            if (c == '=')
                change(a, p, p + 1, NONE);
            pay(a, 1000, c == '=' ? SOLIDUS : NO_OPERATION);
            a->is_empty |= c == '/';
            a->at++;
        }
        else {
            read_attribute(a);
            if (a->is_long)
                return a->trusts && !a->is_unsure;
        }
    }
    return 0;
}

/* Tags that are longer than can be seen: `_long` and `_in_tag` of tags.py ------------------------------------------ */

/* Return where a tag ends, from a place in it on; else the quote of a value without its end, or the limit. */
static const uint8_t *end_of_tag(const uint8_t *p, const uint8_t *limit, uint8_t *quote)
{
    if (*quote && !(p = memchr(p, *quote, (size_t)(limit - p))))
        return limit;
    p += *quote != 0;
    *quote = 0;
    for (; p < limit && *p != '>'; p++) {
        const uint8_t *begin = p;
        if (is_quote(*p) && !(p = memchr(p + 1, *p, (size_t)(limit - p - 1)))) {
            *quote = *begin;
            return begin;
        }
    }
    return p;
}

static int is_in_word(uint8_t c)
{
    return (uint8_t)((c | 0x20) - 'a') < 26 || (uint8_t)(c - '0') < 10;
}

/* Return where what is longer than can be seen is cut: `Context.cut`. */
static const uint8_t *cut_within_word(const Search *s, const uint8_t *limit)
{
    const uint8_t *lowest = limit - s->text > LONGEST_LEAD ? limit - LONGEST_LEAD : s->text, *to = limit;
    while (--to > lowest && !(is_in_word(to[-1]) && is_in_word(*to)))
        ;
    return to > lowest ? to : limit;
}

/* Add the edge of a part of a tag, after which the tag goes on. */
static void add_part(Search *s, const uint8_t *p, const uint8_t *to, uint32_t name, uint8_t quote)
{
    int is_section = *p == '<' && (p[1] == '!' || p[1] == '?');
    add_edge(s, SPACE_EDGE, NOTHING, p, to, 0);
    if (!is_section && find_text(p, to, "]]>", 3))
        s->edges[s->edges_count - 1].index = -2; /* it is not sound */
    ROOM_FOR(s, inside, 1);
    s->inside[s->inside_count++] = (Inside){place_of(s, to), name, quote};
}

/* Return what is known of a place in what is longer than LOOK, or NULL. */
static const Inside *inside_at(const Search *s, uint64_t place)
{
    for (size_t i = s->inside_count; i--;) {
        if (s->inside[i].place == place)
            return &s->inside[i];
    }
    return NULL;
}

/* Add the edge of the next part of a tag. */
static void read_in_tag(Search *s, const uint8_t *p, const uint8_t *limit, Inside inside)
{
    uint8_t quote = inside.quote;
    const uint8_t *to = end_of_tag(p, limit, &quote);
    int is_seen = to < limit, is_closed = is_seen && *to == '>';
    if (!is_closed && place_of(s, limit) < s->fed) {
        to = cut_within_word(s, limit);
        (void)end_of_tag(p, to, &inside.quote);
        add_part(s, p, to, inside.name, inside.quote);
        return;
    }
    to = is_closed ? to + 1 : limit;
    add_edge(s, is_seen && to[-2] == '/' ? EMPTY_EDGE : START_EDGE, inside.name, p, to, HAS_ATTRIBUTES);
}

/* Add the first part of a tag whose last value, which begins before a place, is longer than can be seen. */
static int add_long(const Loose *loose, const uint8_t *value, const uint8_t *limit)
{
    const uint8_t *to = cut_within_word(loose->s, limit);
    if (to - value < 2 * LONGEST_LEAD || find_text(loose->begin, to, "</", 2))
        return 0;
    add_part(loose->s, loose->begin, to, loose->number, value[-1]);
    return 1;
}

/* Add an edge with the changes of a reading, if any, and one at its end, if `instead`; return 0 if there is one of its kind
   with its end. */
static int add_loose(const Loose *loose, int kind, const uint8_t *end, int32_t cost, const Attributes *reading, int instead)
{
    Search *s = loose->s;
    uint64_t begin = place_of(s, loose->begin), to = place_of(s, end);
    int is_spaced = kind != TEXT_EDGE && loose->name > loose->begin + 1;
    for (size_t i = loose->first; i < s->edges_count; i++) {
        if (s->edges[i].kind == kind && s->edges[i].end == to)
            return 0;
    }
    size_t count = reading ? (size_t)reading->changes_count : 0;
    ROOM_FOR(s, changes, count + 3);
    Change *row = s->changes + s->changes_count, *next = row + 1;
    if (is_spaced)
        *next++ = (Change){begin + 1, place_of(s, loose->name), NONE};
    for (size_t i = 0; i < count; i++)
        *next++ = reading->changes[i];
    if (instead != NONE)
        *next++ = (Change){kind == TEXT_EDGE ? begin : to, to, instead};
    int operation = kind == TEXT_EDGE                 ? AS_TEXT
                    : instead != NONE                 ? TAG_WITHOUT_END
                    : reading && reading->operation ? reading->operation
                    : is_spaced                       ? SPACED_TAG
                                                      : SOLIDUS;
    *row = (Change){begin, (uint64_t)(next - row) - 1, operation};
    cost += is_spaced ? COST(s, space) : 0;
    int has_changes = next > row + 1;
    add_edge(s, kind, kind == TEXT_EDGE ? NOTHING : loose->number, loose->begin, end,
             (has_changes ? HAS_INSTEAD | HAS_OPERATION : 0) | (!cost ? IS_SOUND : 0));
    Edge *edge = &s->edges[s->edges_count - 1];
    if (kind != TEXT_EDGE && reading && (reading->words || reading->values))
        edge->facts |= HAS_ATTRIBUTES;
    edge->cost = cost;
    edge->index = -2; /* Python does not know it */
    if (has_changes) {
        edge->changes = (uint32_t)s->changes_count + 1 + s->changes_dropped;
        s->changes_count += (size_t)(next - row);
    }
    return 1;
}

/* Add the edge of a stretch that is dropped, as it stands again where it ends. */
static void add_twice(Search *s, uint32_t name, const uint8_t *p, const uint8_t *to)
{
    ROOM_FOR(s, changes, 2);
    Change *row = s->changes + s->changes_count;
    row[0] = (Change){place_of(s, p), 1, TWICE};
    row[1] = (Change){place_of(s, p), place_of(s, to), NONE};
    add_edge(s, SPACE_EDGE, name, p, to, HAS_INSTEAD | HAS_OPERATION);
    Edge *edge = &s->edges[s->edges_count - 1];
    edge->cost = COST(s, twice);
    edge->index = -2;
    edge->changes = (uint32_t)s->changes_count + 1 + s->changes_dropped;
    s->changes_count += 2;
}

/* Add the readings of a closed tag; where a value without quotes may have its "/", two. Return as `add_loose`. */
static int add_closed(const Loose *loose, int32_t cost, Attributes *a, int has_ends)
{
    const uint8_t *to = a->at, *lowest = to - loose->s->text > 200 ? to - 200 : loose->s->text, *path = to - 2;
    if (!a->has_solidus_in_value)
        return add_loose(loose, a->is_empty ? EMPTY_EDGE : START_EDGE, to, cost, a, NONE);
    while (--path > lowest && *path != '/')
        ;
    int is_path = has_ends && *path == '/' && path > loose->s->text;
    int is_new = add_loose(loose, EMPTY_EDGE, to, cost + 1000 * is_path, a, NONE);
    Attributes rest = *a;
    while (rest.changes_count && rest.changes[rest.changes_count - 1].begin >= place_of(a->s, to - 2))
        rest.changes_count--;
    rest.operation = NO_OPERATION;
    return add_loose(loose, START_EDGE, to, cost + 1000 * !is_path, &rest, NONE) && is_new;
}

/* Add the readings with all attributes: quotes end values, or do not where that is doubtful. Return the last one, or NULL. */
static const Attributes *add_whole(Loose *loose, Attributes *readings, int is_unknown, int has_ends)
{
    Search *s = loose->s;
    const uint8_t *name_end = readings[0].at, *limit = readings[0].limit, *to = NULL;
    const Attributes *last = &readings[0];
    size_t first = s->edges_count;
    int32_t least = 0;
    for (int i = 0; i < 2; i++) {
        Attributes *a = &readings[i];
        memset(a, 0, offsetof(Attributes, changes));
        a->s = s;
        a->at = name_end;
        a->limit = limit;
        a->trusts = !i;
        if (is_quote(*name_end))
            change(a, name_end, name_end, WITH_SPACE);
        int is_reading = read_attributes(a), has_attributes = a->words || a->values, is_new = 1;
        if (a->is_unsure)
            return NULL;
        if (!is_reading) { /* it would be too dear */
            a->words = a->values = 0;
            continue;
        }
        last = a;
        if (a->is_long) {
            to = limit;
            if (!add_long(loose, a->at, limit))
                return NULL;
            continue;
        }
        if (a->at == to && a->cost >= least)
            continue;
        if (a->at == to) { /* this reading is cheaper */
            if (is_white(to[-1])) /* not all of the other's edges end there */
                return NULL;
            s->edges_count = first;
        }
        to = a->at;
        least = a->cost;
        int32_t cost = a->cost + (is_unknown && a->words && !a->values ? COST(s, word) : 0);
        cost += loose->is_strange && !has_ends ? COST(s, strange) : 0;
        if (a->is_closed) {
            is_new = add_closed(loose, cost, a, has_ends);
        }
        else {
            const uint8_t *end = to;
            uint64_t lowest = a->changes_count ? a->changes[a->changes_count - 1].end : 0;
            while (is_white(end[-1]) && place_of(s, end) > lowest)
                end--;
            int space = has_attributes && !is_quote(end[-1]) && !is_white(end[-1]) ? WITH_SPACE : 0;
            cost += COST(s, no_gt);
            if (!a->is_empty)
                is_new = add_loose(loose, START_EDGE, end, cost, a, CLOSE | space);
            is_new &= add_loose(loose, EMPTY_EDGE, end, cost + (has_ends ? 500 : 0), a,
                                (a->is_empty ? CLOSE : CLOSE_EMPTY) | space);
        }
        if (!is_new)
            return NULL;
        if (!a->has_doubt) /* the other reading is the same */
            break;
    }
    return last;
}

/* Add the tag that ends after its correct attributes, which text follows; return 0 where Python is to be asked. */
static int add_glued(const Loose *loose, const uint8_t *name_end, const Attributes *last)
{
    int seen = 0;
    const uint8_t *limit = last->limit, *to = end_of_attributes(name_end, limit, PROPER, &seen), *rest = to;
    if (to == name_end || to >= limit || *to == '/' || *to == '>')
        return 1;
    int is_glued = !is_white(*to) && *to != '<';
    while (rest < limit && *rest != '<' && *rest != '>' && !is_quote(*rest))
        rest++;
    if ((!is_glued && !last->words) || rest >= limit || is_quote(*rest))
        return 1;
    Attributes glued = {.values = 1};
    return add_loose(loose, START_EDGE, to, COST(loose->s, no_gt) + (is_glued ? -1000 : 1000), &glued, CLOSE) ||
           !(last->is_closed || last->changes_count || last->has_doubt);
}

static int is_known_name(const Name *name)
{
    return name && (name->seen_ends > 0 || name->seen_starts > 1 || name->read_as[0] == IS_TAG);
}

/* Add the edges of a start tag; return 0 where Python is to be asked. */
static int add_readings(Loose *loose, const uint8_t *name_end, const uint8_t *limit)
{
    Search *s = loose->s;
    const Name *found = &s->names[loose->number];
    int is_unknown = !is_known_name(found), has_ends = found->seen_ends > 0, is_spaced = loose->name > loose->begin + 1;
    Attributes readings[2];
    readings[0].at = name_end;
    readings[0].limit = limit;
    const Attributes *last = add_whole(loose, readings, is_unknown, has_ends);
    if (!last)
        return 0;
    int32_t cost = COST(s, no_gt) + (is_unknown ? 2000 : 0) + (last->values ? 3000 : 0);
    if (*name_end != '>' && !add_loose(loose, START_EDGE, name_end, cost, NULL, CLOSE) &&
        (last->words || last->values || last->changes_count))
        return 0;
    if (!add_glued(loose, name_end, last))
        return 0;
    cost = (is_spaced ? 0 : COST(s, lt_text)) + (is_unknown ? 0 : 3000) + (last->values ? COST(s, has_values) : 0);
    (void)add_loose(loose, TEXT_EDGE, loose->begin + 1, cost, NULL, is_spaced ? NONE : BRACKET);
    return 1;
}

/* Add the edges of a start tag that is not correct, the cheapest first; return 0 where Python is to be asked. */
static int read_loose_tag(Search *s, const uint8_t *p, const uint8_t *name, const uint8_t *limit)
{
    const uint8_t *name_end = end_of_name(name, limit), *next = skip_white(name_end, limit);
    size_t length = (size_t)(name_end - name);
    int is_strange = name_end[-1] == ':';
    if (next + 2 >= limit || *next == '=' || has_odd_space(name, name_end))
        return 0;
    for (const uint8_t *q = name; q < name_end; q++)
        is_strange |= CLASSES[*q] & STRANGE;
    uint32_t number = intern(s, name, length);
    if (s->lists_names && s->names[number].read_as[0] != IS_TAG)
        return 0;
    int is_unknown = !is_known_name(&s->names[number]);
    for (size_t i = length < LONGEST_BEGINNING ? length : LONGEST_BEGINNING; is_unknown && --i;) {
        if (is_known_name(find_name(s, name, i)))
            return 0;
    }
    Loose loose = {s, p, name, number, s->edges_count, is_strange};
    size_t changes = s->changes_count, inside = s->inside_count;
    if (!add_readings(&loose, name_end, limit)) {
        s->inside_count = inside;
        s->edges_count = loose.first;
        s->changes_count = changes;
        return 0;
    }
    for (size_t i = loose.first + 1; i < s->edges_count; i++) {
        Edge edge = s->edges[i];
        size_t at = i;
        for (; at > loose.first && s->edges[at - 1].cost > edge.cost; at--)
            s->edges[at] = s->edges[at - 1];
        s->edges[at] = edge;
    }
    return 1;
}

#endif
