/* The edges of the commonest doubtful start tags: those of `_Opening` in xml5tree/intent/tags.py, by the attributes as
   attributes.py reads them. Where that does more than is done here, or sees the end of what can be seen, Python is asked. */

#ifndef XML5TREE_LOOSE_H
#define XML5TREE_LOOSE_H

#include "edges.h"

enum { DEAREST = 25000, MOST_LOOSE = 12, MOST_CHANGES = 8, LONGEST_BEGINNING = 64 };
/* What is read instead, and operations: `INSTEAD` and `OPERATIONS_OF_TAGS` of compiled.py. */
enum { NONE, EQUALS, QUOTE, APOSTROPHE, ESCAPED_QUOTE, ESCAPED_APOSTROPHE, NO_VALUE, CLOSE, CLOSE_EMPTY, BRACKET };
enum { NO_OPERATION, SOLIDUS, QUOTES, VALUE_WITHOUT_END, NO_EQUALS, EMPTY_AFTER_VALUE, TAG_WITHOUT_END, AS_TEXT, SPACED_TAG };
enum { WITH_SPACE = 16 }; /* before what is read instead */

/* The attributes of a tag: `_Reader` of attributes.py. */
typedef struct {
    const Search *s;
    const uint8_t *at, *limit;
    int trusts, is_unsure, is_empty, is_closed, has_doubt, operation;
    int32_t cost, dearest, words, values;
    Change changes[MOST_CHANGES + 1]; /* the one that is added is for the end of the tag */
    int changes_count;
} Attributes;

typedef struct {
    Edge edges[MOST_LOOSE];
    Attributes *readings[MOST_LOOSE]; /* whose changes they have */
    Change last[MOST_LOOSE];          /* after these, if it is an end */
    Change space; /* before the name */
    int count, is_unsure;
} Loose;

static int is_quote(uint8_t c)
{
    return c == '"' || c == '\'';
}

static int may_follow_value(uint8_t c)
{
    return is_white(c) || c == '/' || c == '>';
}

/* Return whether an octet may be in the name of an attribute that a pattern looks for. */
static int is_in_attribute(uint8_t c)
{
    return !is_white(c) && !is_quote(c) && c != '<' && c != '>' && c != '=' && c != '/';
}

static uint64_t place_of(const Search *s, const uint8_t *p)
{
    return s->base + (uint64_t)(p - s->text);
}

static void change(Attributes *a, const uint8_t *begin, const uint8_t *end, int instead)
{
    if (a->changes_count == MOST_CHANGES)
        a->is_unsure = 1;
    else
        a->changes[a->changes_count++] = (Change){place_of(a->s, begin), place_of(a->s, end), instead};
}

/* Pay for changes, of which the dearest tells the operation. */
static void pay(Attributes *a, int32_t cost, int operation)
{
    a->cost += cost;
    if (operation && cost >= a->dearest) {
        a->dearest = cost;
        a->operation = operation;
    }
}

/* Return what follows a name, white space, "=" and white space, or NULL; the name may be absent. */
static const uint8_t *after_equals(const uint8_t *p, const uint8_t *limit)
{
    p = skip_white(p, limit);
    return p < limit && *p == '=' ? skip_white(p + 1, limit) : NULL;
}

/* Return whether a quote before a place is inside a value: `_QUOTE_FOLLOWS`. */
static int quote_follows(Attributes *a, const uint8_t *p, uint8_t quote)
{
    const uint8_t *begin = p + 1;
    if (!is_white(*p))
        return 0;
    for (p = begin; p < a->limit && p - begin < 200 && *p != '=' && *p != '<' && *p != '>' && *p != quote; p++)
        ;
    if (p == begin || (p < a->limit && *p != quote))
        return 0;
    const uint8_t *next = p < a->limit ? skip_white(p + 1, a->limit) : p, *name = next;
    while (next < a->limit && is_in_attribute(*next))
        next++;
    const uint8_t *value = after_equals(next, a->limit);
    if (next + 1 >= a->limit || (value && value >= a->limit)) {
        a->is_unsure = 1;
        return 0;
    }
    return *name == '>' || (*name == '/' && name[1] == '>') || (next > name && value);
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
    int goes_on = may_follow_value(*p) || *p == '?' || *p == ',' || *p == ';';
    if (!goes_on) {
        const uint8_t *q = p;
        while (q < a->limit && is_in_attribute(*q))
            q++;
        if (q + 1 >= a->limit)
            a->is_unsure = 1;
        else
            goes_on = q > p && *q == '=' && is_quote(q[1]);
    }
    if (!goes_on || quote_follows(a, p, *close))
        doubt += odd;
    const uint8_t *q = close;
    while (q > lowest && is_white(q[-1]))
        q--;
    if (q > lowest && q[-1] == '=') {
        q--;
        while (q > lowest && is_white(q[-1]))
            q--;
        const uint8_t *name = q;
        while (name > lowest && !is_white(name[-1]) && !is_quote(name[-1]) && name[-1] != '<' && name[-1] != '>' && name[-1] != '=')
            name--;
        if (name < q && name > lowest && (is_white(name[-1]) || is_quote(name[-1])))
            doubt += 2 * odd;
    }
    return doubt;
}

/* Return where a value without its closing quote ends: `_END_OF_VALUE`; NULL if that is not in sight. */
static const uint8_t *end_of_unclosed(const uint8_t *p, const uint8_t *limit)
{
    for (; p < limit; p++) {
        if (*p == '<')
            return p;
        if (is_white(p[-1]))
            continue;
        const uint8_t *q = skip_white(p, limit), *name = q;
        if (q + 1 >= limit)
            return NULL;
        if (*q == '>' || (*q == '/' && q[1] == '>'))
            return p;
        if (q == p)
            continue;
        while (q < limit && is_in_attribute(*q))
            q++;
        const uint8_t *value = q > name ? after_equals(q, limit) : NULL;
        if (q >= limit || (value && value >= limit))
            return NULL;
        if (value && is_quote(*value))
            return p;
    }
    return NULL;
}

/* Read a value that ends before the next attribute, the end of the tag, or a "<". */
static void end_early(Attributes *a, const uint8_t *begin, uint8_t quote)
{
    const uint8_t *stop = end_of_unclosed(begin, a->limit), *end = stop;
    if (!stop) {
        a->is_unsure = 1;
        return;
    }
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
    a->at = stop;
}

/* Read a value with a quote at its end only: `_NO_OPENING`; return whether it is one. */
static int read_unopened(Attributes *a, const uint8_t *at)
{
    for (int kind = 0; kind < 2; kind++) { /* at first, neither quote is in it */
        const uint8_t *p = at;
        int has_space = 0;
        while (p < a->limit && *p != '<' && *p != '>' && *p != '"' && (kind || *p != '\'')) {
            const uint8_t *q = skip_white(p, a->limit), *name = q;
            if (q > p) {
                if (q < a->limit && begins_name(*q) && *q < 0x80) {
                    while (q < a->limit && is_in_attribute(*q))
                        q++;
                    const uint8_t *value = after_equals(q, a->limit);
                    if (q >= a->limit || (value && value >= a->limit))
                        a->is_unsure = 1;
                    if (value)
                        break;
                }
                has_space = 1;
                p = name;
            }
            else {
                p++;
            }
        }
        if (p + 1 >= a->limit) {
            a->is_unsure = 1;
            return 1;
        }
        if (p > at && is_quote(*p) && (may_follow_value(p[1]) || p[1] == '?')) {
            change(a, at, at, *p == '"' ? QUOTE : APOSTROPHE);
            pay(a, has_space ? COST(a->s, odd_value) : 700, QUOTES);
            a->at = p + 1;
            return 1;
        }
    }
    return 0;
}

static void read_value(Attributes *a, const uint8_t *at)
{
    a->values++;
    a->is_empty = 0;
    if (at + 2 >= a->limit || *at >= 0x80 || *at == '`' || *at == '\\' || *at == '&') {
        a->is_unsure = 1;
        return;
    }
    if (!is_quote(*at)) {
        if (read_unopened(a, at))
            return;
        const uint8_t *end = at;
        while (end + 1 < a->limit && !is_white(*end) && *end != '<' && *end != '>' && *end != '&' &&
               !(*end == '/' && end[1] == '>'))
            end++;
        if (end + 1 >= a->limit || *end == '&' || *end == '/')
            a->is_unsure = 1;
        a->cost += 200;
        if (end == at && *end != '>') {
            change(a, at, at, NO_VALUE);
            pay(a, 0, EMPTY_AFTER_VALUE);
        }
        a->at = end;
        return;
    }
    const uint8_t *begin = at + 1, *close = memchr(begin, *at, (size_t)(a->limit - begin));
    if ((*begin == *at && !may_follow_value(begin[1])) || !close || close + 2 >= a->limit || close[1] == *at ||
        may_lack_semicolon(begin, close, a->limit)) {
        a->is_unsure = 1;
        return;
    }
    int32_t doubt = doubt_of(a, begin, close);
    a->has_doubt |= doubt > 0;
    if (doubt > 0 && !a->trusts) {
        end_early(a, begin, *at);
        return;
    }
    a->cost += doubt;
    a->at = close + 1;
}

static const char *const BOOLEAN_NAMES = " async autofocus checked controls default defer disabled hidden loop multiple muted "
                                         "nohref noshade novalidate nowrap readonly required reversed selected ";

/* Read an attribute; it begins no white space, "/", "<", ">" or "=". */
static void read_attribute(Attributes *a)
{
    const uint8_t *name = a->at, *end = name, *quote = NULL;
    int is_proper = begins_name(*name);
    for (; end < a->limit && !is_white(*end) && *end != '/' && *end != '<' && *end != '>' && *end != '='; end++) {
        if (is_quote(*end) && !quote)
            quote = end;
        if (*end == 0xE2) /* it may be a typographic quote */
            a->is_unsure = 1;
        is_proper &= *end > 0x7F || !strchr("&,;(){}|+*!?#$%@[]\\^~", *end);
    }
    const uint8_t *next = skip_white(end, a->limit), *value = after_equals(end, a->limit);
    if (next + 1 >= a->limit || (value && (value >= a->limit || *value == '=')) || memchr(name, 0, (size_t)(end - name))) {
        a->is_unsure = 1;
        return;
    }
    if (value) {
        read_value(a, value);
        return;
    }
    if (quote > name) { /* name"value" */
        change(a, quote - (quote[-1] == ':' && quote - 1 > name), quote, EQUALS);
        pay(a, 1000, NO_EQUALS);
        read_value(a, quote);
        return;
    }
    a->at = end;
    if (quote) {
        change(a, name, end, NONE);
        pay(a, COST(a->s, no_quote), QUOTES);
        return;
    }
    if (*next == ':')
        next = skip_white(next + 1, a->limit);
    if (next >= a->limit || is_quote(*next)) /* there may be an "=" missing */
        a->is_unsure = 1;
    a->is_empty = 0;
    a->words++;
    if (!is_word(BOOLEAN_NAMES, name, (size_t)(end - name)))
        a->cost += is_proper ? COST(a->s, word) : 2 * COST(a->s, word);
}

/* Read the rest of a tag; return whether it is a reading. */
static int read_attributes(Attributes *a)
{
    while (a->cost <= DEAREST && !a->is_unsure) {
        const uint8_t *p = a->at = skip_white(a->at, a->limit);
        if (p + 1 >= a->limit || *p == ',' || *p == ';' || *p == 0xC2 || *p == 0xE2 || *p == 0xEF || *p == '=' || *p == ':') {
            a->is_unsure = 1;
        }
        else if (*p == '>' || *p == '<' || (*p == '/' && p[1] == '>')) {
            a->is_closed = *p != '<';
            a->is_empty |= *p == '/';
            a->at = p + (*p == '>') + 2 * (*p == '/');
            return 1;
        }
        else if (*p == '/') {
            a->cost += 1000;
            a->is_empty = 1;
            a->at++;
        }
        else {
            read_attribute(a);
        }
    }
    return 0;
}

/* Add an edge with the changes of a reading, if any, and one at its end, if `instead`; return 0 if there is one of its kind
   with its end. */
static int add_loose(const Search *s, Loose *loose, int kind, const uint8_t *p, const uint8_t *end, int32_t cost, int has_attributes,
                     Attributes *reading, int instead)
{
    int is_spaced = kind >= START_EDGE && loose->space.end;
    int is_changed = is_spaced || instead != NONE || (reading && reading->changes_count);
    cost += is_spaced ? COST(s, space) : 0;
    Edge edge = {.begin = place_of(s, p),
                 .end = place_of(s, end),
                 .column = kind >= START_EDGE ? column_of(s, p) : NO_COLUMN,
                 .cost = cost,
                 .kind = (uint8_t)kind,
                 .facts = (uint8_t)((has_attributes ? HAS_ATTRIBUTES : 0) | (is_changed ? HAS_INSTEAD | HAS_OPERATION : 0) |
                                    (!cost ? IS_SOUND : 0))};
    for (int i = 0; i < loose->count; i++) {
        if (loose->edges[i].kind == edge.kind && loose->edges[i].end == edge.end)
            return 0;
    }
    if (loose->count == MOST_LOOSE) {
        loose->is_unsure = 1;
        return 1;
    }
    loose->edges[loose->count] = edge;
    loose->readings[loose->count] = reading;
    loose->last[loose->count++] = (Change){kind == TEXT_EDGE ? edge.begin : edge.end, edge.end, instead};
    return 1;
}

/* Add the readings with all attributes: quotes end values, or do not where that is doubtful. */
static void add_whole(const Search *s, Loose *loose, const uint8_t *p, Attributes *readings, Attributes **last, int is_unknown,
                      int has_ends)
{
    const uint8_t *name_end = readings[0].at, *limit = readings[0].limit, *to = NULL;
    int32_t least = 0;
    for (int i = 0; i < 2; i++) {
        Attributes *a = &readings[i];
        memset(a, 0, offsetof(Attributes, changes));
        a->s = s;
        a->at = name_end;
        a->limit = limit;
        a->trusts = !i;
        a->changes_count = 0;
        int is_reading = read_attributes(a), has_attributes = a->words || a->values;
        loose->is_unsure |= a->is_unsure;
        if (loose->is_unsure)
            return;
        if (!is_reading)
            continue;
        *last = a;
        if (a->at == to && a->cost >= least)
            continue;
        if (a->at == to) { /* this reading is cheaper */
            loose->count = loose->space.end != 0;
            loose->is_unsure |= !a->is_closed;
        }
        to = a->at;
        least = a->cost;
        int32_t cost = a->cost + (is_unknown && a->words && !a->values ? COST(s, word) : 0);
        int added = 1;
        if (a->is_closed) {
            added = add_loose(s, loose, a->is_empty ? EMPTY_EDGE : START_EDGE, p, to, cost, has_attributes, a, NONE);
        }
        else {
            const uint8_t *end = to;
            uint64_t lowest = a->changes_count ? a->changes[a->changes_count - 1].end : 0;
            while (is_white(end[-1]) && place_of(s, end) > lowest)
                end--;
            int space = has_attributes && !is_quote(end[-1]) && !is_white(end[-1]) ? WITH_SPACE : 0;
            cost += COST(s, no_gt);
            if (!a->is_empty)
                added = add_loose(s, loose, START_EDGE, p, end, cost, has_attributes, a, CLOSE | space);
            added &= add_loose(s, loose, EMPTY_EDGE, p, end, cost + (has_ends ? 500 : 0), has_attributes, a,
                               (a->is_empty ? CLOSE : CLOSE_EMPTY) | space);
        }
        loose->is_unsure |= !added;
        if (!a->has_doubt && !i) /* the other reading is the same */
            return;
    }
}

/* Add the tag that ends after its correct attributes, which text follows. */
static void add_glued(const Search *s, Loose *loose, const uint8_t *p, const uint8_t *name_end, const Attributes *last)
{
    const uint8_t *to = end_of_attributes(name_end, last->limit, PROPER);
    if (to == name_end || to >= last->limit || *to == '/' || *to == '>')
        return;
    int is_glued = !is_white(*to) && *to != '<';
    if (!is_glued && !last->words)
        return;
    const uint8_t *rest = to;
    while (rest < last->limit && *rest != '<' && *rest != '>' && !is_quote(*rest))
        rest++;
    if (rest >= last->limit || is_quote(*rest))
        return;
    if (!add_loose(s, loose, START_EDGE, p, to, COST(s, no_gt) + (is_glued ? -1000 : 1000), 1, NULL, CLOSE))
        loose->is_unsure |= last->is_closed || last->changes_count || last->has_doubt;
}

static int is_known_name(const Name *name)
{
    return name && (name->seen_ends > 0 || name->seen_starts > 1);
}

/* Keep the changes of an edge. */
static uint32_t keep_changes(Search *s, const Loose *loose, int i)
{
    const Attributes *reading = loose->readings[i];
    size_t count = reading ? (size_t)reading->changes_count : 0, more = loose->last[i].instead != NONE;
    size_t is_spaced = loose->edges[i].kind >= START_EDGE && loose->space.end;
    ROOM_FOR(s, changes, is_spaced + count + more + 1);
    Change *changes = s->changes + s->changes_count;
    int operation = loose->edges[i].kind == TEXT_EDGE ? AS_TEXT
                    : more                            ? TAG_WITHOUT_END
                    : reading->operation              ? reading->operation
                    : is_spaced                       ? SPACED_TAG
                                                      : SOLIDUS;
    changes[0] = (Change){loose->edges[i].begin, is_spaced + count + more, operation};
    if (is_spaced)
        *++changes = loose->space;
    if (count)
        memcpy(changes + 1, reading->changes, count * sizeof *changes);
    if (more)
        changes[count + 1] = loose->last[i];
    size_t all = is_spaced + count + more + 1;
    s->changes_count += all;
    return (uint32_t)(s->changes_count - all + 1) + s->changes_dropped;
}

/* Keep the edges, the cheapest first. */
static void keep_loose(Search *s, Loose *loose, uint32_t name)
{
    ROOM_FOR(s, edges, (size_t)loose->count);
    Edge *edges = s->edges + s->edges_count;
    for (int i = 0; i < loose->count; i++) {
        Edge edge = loose->edges[i];
        edge.name = edge.kind == TEXT_EDGE ? NOTHING : name;
        edge.changes = edge.facts & HAS_INSTEAD ? keep_changes(s, loose, i) : 0;
        int at = i;
        for (; at && edges[at - 1].cost > edge.cost; at--)
            edges[at] = edges[at - 1];
        edges[at] = edge;
    }
    for (int i = 0; i < loose->count; i++)
        edges[i].index = -2; /* Python does not know it */
    s->edges_count += (size_t)loose->count;
}

/* Add the edges of a start tag that is not correct; return 0 where Python is to be asked. */
static int read_loose_tag(Search *s, const uint8_t *p, const uint8_t *name, const uint8_t *limit)
{
    const uint8_t *name_end = end_of_name(name, limit);
    int is_spaced = name > p + 1;
    size_t length = (size_t)(name_end - name);
    if (name_end + 2 >= limit || !(is_white(*name_end) || *name_end == '/') || after_equals(name_end, limit))
        return 0;
    for (const uint8_t *q = name; q < name_end; q++) {
        if (*q >= 0x80 || (!begins_name(*q) && (uint8_t)(*q - '0') >= 10 && *q != '.' && *q != ':' && *q != '-'))
            return 0;
    }
    uint32_t number = intern(s, name, length);
    int is_unknown = !is_known_name(&s->names[number]), has_ends = s->names[number].seen_ends > 0;
    if (name_end[-1] == ':')
        return 0;
    for (size_t i = length < LONGEST_BEGINNING ? length : LONGEST_BEGINNING; is_unknown && --i;) {
        if (is_known_name(find_name(s, name, i)))
            return 0;
    }
    Loose loose = {.count = 0};
    if (is_spaced) {
        loose.space = (Change){place_of(s, p + 1), place_of(s, name), NONE};
        (void)add_loose(s, &loose, TEXT_EDGE, p, p + 1, is_unknown ? 0 : 3000, 0, NULL, NONE);
    }
    Attributes readings[2], *last = &readings[0];
    readings[0].at = name_end;
    readings[0].limit = limit;
    add_whole(s, &loose, p, readings, &last, is_unknown, has_ends);
    if (loose.is_unsure)
        return 0;
    int32_t cost = COST(s, no_gt) + (is_unknown ? 2000 : 0) + (last->values ? 3000 : 0);
    int is_new = add_loose(s, &loose, START_EDGE, p, name_end, cost, 0, NULL, CLOSE);
    if (!is_new && (last->words || last->values || last->changes_count))
        return 0;
    add_glued(s, &loose, p, name_end, last);
    cost = COST(s, lt_text) + (is_unknown ? 0 : 3000) + (last->values ? COST(s, has_values) : 0);
    if (!is_spaced)
        (void)add_loose(s, &loose, TEXT_EDGE, p, p + 1, cost, 0, NULL, BRACKET);
    if (loose.is_unsure)
        return 0;
    keep_loose(s, &loose, number);
    return 1;
}

#endif
