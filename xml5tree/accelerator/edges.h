/* The edges of text, tags and sections that are not doubtful, as those of characters.py, tags.py and sections.py in
   xml5tree/intent/. */

#ifndef XML5TREE_EDGES_H
#define XML5TREE_EDGES_H

#include "lattice.h"

/* Return whether there is a no-break or zero-width space in a part of a tag, but in values. */
static int has_odd_space(const uint8_t *p, const uint8_t *end)
{
    for (; end - p >= 2; p++) {
        if (*p == '"' || *p == '\'')
            p = memchr(p + 1, *p, (size_t)(end - p - 1));
        else if (p[0] == 0xC2 && p[1] == 0xA0)
            return 1;
        else if (end - p >= 3 && ((p[0] == 0xE2 && p[1] == 0x80 && p[2] >= 0x8B && p[2] <= 0x8F) ||
                                  (p[0] == 0xE2 && p[1] == 0x81 && p[2] == 0xA0) || (p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF)))
            return 1;
        if (!p)
            return 1;
    }
    return 0;
}

/* Return whether there may be a reference without a semicolon. The octet at `end` may be looked at, if it is before `stop`. */
static int may_lack_semicolon(const uint8_t *p, const uint8_t *end, const uint8_t *stop)
{
    while (p < end && (p = memchr(p, '&', (size_t)(end - p)))) {
        const uint8_t *q = ++p;
        while (q < end && (uint8_t)((*q | 0x20) - 'a') < 26)
            q++;
        size_t letters = (size_t)(q - p), digits = 0;
        while (q < end && (uint8_t)(*q - '0') < 10)
            q++, digits++;
        if (letters < 2 || letters > 8 || digits > 2)
            continue;
        uint8_t next = q < stop ? *q : ' ';
        if (next != ';' && next != '=' && CLASSES[next])
            return 1;
    }
    return 0;
}

/* Set `*token` to what has no name; return 1. */
static int set_token(const Search *s, Tag *token, int kind, const uint8_t *p, const uint8_t *end)
{
    *token = (Tag){.begin = s->base + (uint64_t)(p - s->text),
                   .end = s->base + (uint64_t)(end - s->text),
                   .name = NOTHING,
                   .kind = (uint8_t)kind};
    return 1;
}

/* Set `*tag` to the correct tag at a place; return 0 where there is none. It has a proper name, or NOTHING: any name. */
static int parse_any_tag(Search *s, const uint8_t *p, const uint8_t *limit, uint32_t number, Tag *tag)
{
    int is_end = p + 1 < limit && p[1] == '/', seen = 0;
    const uint8_t *name = p + 1 + is_end, *name_end = name + s->names[number].length;
    if (!number) {
        uint8_t classes = 0, octets = 0;
        if (name >= limit || is_no_letter(name, limit))
            return 0;
        for (; name_end < limit && is_in_name(*name_end) && begins_name(*name); name_end++) {
            classes |= CLASSES[*name_end];
            octets |= *name_end;
        }
        int is_proper = name_end > name && !(classes & STRANGE) && name_end[-1] != ':';
        if ((!is_proper && !is_end) || (octets >= 0x80 && has_odd_space(name, name_end)))
            return 0;
    }
    const uint8_t *attributes = is_end ? name_end : end_of_attributes(name_end, limit, CORRECT, &seen);
    const uint8_t *rest = skip_white(attributes, limit);
    int has_solidus = !is_end && rest < limit && *rest == '/';
    rest += has_solidus;
    if (rest >= limit || *rest != '>' || (seen & NO_ASCII && has_odd_space(name_end, attributes)) ||
        (seen & AMPERSAND && may_lack_semicolon(name_end, attributes, limit)))
        return 0;
    set_token(s, tag, is_end ? END_EDGE : has_solidus ? EMPTY_EDGE : START_EDGE, p, rest + 1);
    tag->name = number ? number : intern(s, name, (size_t)(name_end - name));
    tag->facts = attributes > name_end ? HAS_ATTRIBUTES : 0;
    s->names[tag->name].is_proper |= !is_end;
    return 1;
}

/* Set `*tag` as `parse_any_tag` does, but quickly if the tag has the name of number `guess`. */
static inline int parse_tag(Search *s, const uint8_t *p, const uint8_t *limit, int is_end, uint32_t guess, Tag *tag)
{
    const uint8_t *name = p + 1 + is_end;
    const Name *guessed = &s->names[guess];
    size_t length = guessed->length;
    int is_right = guessed->is_proper && (size_t)(limit - p) >= length + 10 &&
                   !((eight_octets(name) ^ guessed->first) & guessed->mask) && !is_in_name(name[length]) &&
                   (length <= 8 || is_name(s, guess, name, length));
    if (!is_right || name[length] != '>')
        return parse_any_tag(s, p, limit, is_right ? guess : NOTHING, tag);
    set_token(s, tag, is_end ? END_EDGE : START_EDGE, p, name + length + 1);
    tag->name = guess;
    return 1;
}

/* Return the next "<", or NULL; set `*is_plain` to whether what is before it has no ">" and no reference without a semicolon. */
static const uint8_t *find_bracket(const uint8_t *p, const uint8_t *end, int *is_plain)
{
    const uint8_t *next = find_byte(p, end, '<', '&', '>', 0);
    *is_plain = next < end && *next == '<';
    if (*is_plain || next == end)
        return *is_plain ? next : NULL;
    p = memchr(next, '<', (size_t)(end - next));
    *is_plain = p && !memchr(next, '>', (size_t)(p - next)) && !may_lack_semicolon(next, p, end);
    return p;
}

/* Count one more of a name, unless there are too many names in a table. */
static void count_name(int32_t *count, int32_t *kinds)
{
    if (*count || *kinds < MOST)
        *kinds += !(*count)++;
}

/* Return the number of the first tag that does not begin before a place. */
static size_t first_tag_from(const Search *s, uint64_t place)
{
    size_t low = 0, high = s->tags_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->tags[middle].begin < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Drop the tags before a place, if they are many. */
static void drop_tags(Search *s, uint64_t place)
{
    size_t count = first_tag_from(s, place);
    if (count <= s->tags_count / 2)
        return;
    s->tags_count -= count;
    s->next_tag -= count < s->next_tag ? count : s->next_tag;
    memmove(s->tags, s->tags + count, s->tags_count * sizeof *s->tags);
}

/* Count the names in what has its ">" before a place, and keep the correct tags: `Context._count_names`. */
static void count_names(Search *s, uint64_t to)
{
    uint64_t least = s->counted > s->sought ? s->counted : s->sought, stop = to;
    if (least < s->base)
        least = s->base;
    if (stop < least)
        stop = least;
    s->sought = stop;
    if (!memchr(s->text + (least - s->base), '>', (size_t)(stop - least)))
        stop = least;
    while (stop > least && s->text[stop - 1 - s->base] != '>')
        stop--;
    const uint8_t *end = s->text + (stop - s->base);
    const uint8_t *p = s->text + (s->counted > s->base ? s->counted - s->base : 0), *text;
    uint32_t last = NOTHING;
    int was_end = 0, is_plain;
    drop_tags(s, s->mark > s->lexed ? s->mark : s->lexed);
    while (text = p, p < end && (p = find_bracket(p, end, &is_plain))) {
        int is_end = p + 1 < end && p[1] == '/', is_inner = is_end && !was_end, has_solidus, seen = 0;
        const uint8_t *name = p + 1 + is_end, *name_end, *rest;
        if (name >= end || !begins_name(*name)) {
            p++;
            continue;
        }
        ROOM_FOR(s, tags, 1);
        Tag *tag = &s->tags[s->tags_count];
        uint32_t number, guess = is_inner ? last : s->names[last].next[was_end + is_end]; /* tags follow each other as before */
        if (parse_tag(s, p, end, is_end, guess, tag)) {
            number = tag->name;
            if (number != guess && !is_inner)
                s->names[last].next[was_end + is_end] = number;
            last = number;
            was_end = is_end;
            tag->before = is_plain && p - text < LOOK ? (uint16_t)(p - text) : 0;
            s->tags_count += tag->end - tag->begin < LOOK;
            has_solidus = tag->kind == EMPTY_EDGE;
            name_end = s->text + (tag->end - s->base);
            rest = name_end - 1;
        }
        else {
            name_end = rest = end_of_name(name, end);
            if (!is_end)
                rest = skip_white(end_of_attributes(rest, end, ANY, &seen), end);
            has_solidus = rest < end && *rest == '/';
            rest += !is_end && has_solidus;
            if (rest >= end || !(*rest == '>' || (is_end && (is_white(*rest) || *rest == '/' || *rest == '<')))) {
                p++;
                continue;
            }
            number = intern(s, name, (size_t)(name_end - name));
        }
        Name *found = &s->names[number];
        if (is_end) {
            count_name(&found->seen_ends, &s->kinds_of_ends);
        }
        else {
            count_name(&found->seen_starts, &s->kinds_of_starts);
            if (!has_solidus)
                count_name(&found->seen_opened, &s->kinds_of_opened);
        }
        p = is_end ? name_end : rest + 1;
    }
    if (stop > s->counted)
        s->counted = stop;
}

/* Return the tag at a place that has been counted, or NULL. */
static const Tag *tag_at(Search *s, uint64_t place)
{
    size_t at = s->next_tag;
    if (at >= s->tags_count || s->tags[at].begin != place)
        at = first_tag_from(s, place);
    if (at >= s->tags_count || s->tags[at].begin != place)
        return NULL;
    s->next_tag = at + 1;
    return &s->tags[at];
}

/* Return the column of what is first on its line, else -1. */
static int32_t column_of(const Search *s, const uint8_t *p)
{
    const uint8_t *begin = p;
    int has_tab = 0;
    while (begin - s->text >= 8 && p - begin <= LONGEST_LEAD - 8 && eight_octets(begin - 8) == EIGHT_SPACES)
        begin -= 8;
    while (begin > s->text && p - begin < LONGEST_LEAD && (begin[-1] == ' ' || begin[-1] == '\t'))
        has_tab |= *--begin == '\t';
    if (begin == s->text || begin[-1] != '\n')
        return NO_COLUMN;
    if (!has_tab)
        return (int32_t)(p - begin);
    int32_t column = 0;
    for (; begin < p; begin++)
        column = *begin == '\t' ? (column / 8 + 1) * 8 : column + 1;
    return column;
}

static void add_edge(Search *s, int kind, uint32_t name, const uint8_t *p, const uint8_t *end, int facts)
{
    ROOM_FOR(s, edges, 1);
    Edge *edge = &s->edges[s->edges_count++];
    *edge = (Edge){.begin = s->base + (uint64_t)(p - s->text),
                   .end = s->base + (uint64_t)(end - s->text),
                   .name = name,
                   .column = kind >= START_EDGE ? column_of(s, p) : NO_COLUMN,
                   .index = -1,
                   .kind = (uint8_t)kind,
                   .facts = (uint8_t)facts};
}

/* Return whether there are more start tags or fewer than end tags in a stretch, and not end tags alone. */
static int is_unbalanced(const uint8_t *p, const uint8_t *end)
{
    ptrdiff_t depth = 0;
    int has_start = 0;
    for (; p < end; p++) {
        int is_end = p + 1 < end && p[1] == '/';
        if (*p == '/' && p + 1 < end && p[1] == '>')
            depth--;
        if (*p != '<' || p + 1 + is_end >= end || !begins_name(p[1 + is_end]))
            continue;
        if (is_no_letter(p + 1 + is_end, end))
            continue;
        const uint8_t *next = end_of_name(p + 1 + is_end, end);
        if (next < end && (is_white(*next) || *next == '/' || *next == '>')) {
            depth += is_end ? -1 : 1;
            has_start |= !is_end;
        }
    }
    return has_start && depth;
}

/* Return where the octets of the tag that has been read last stand next, up to a place, or NULL. */
static const uint8_t *find_again(const Search *s, const Tag *tag, const uint8_t *stop)
{
    size_t length = (size_t)(tag->end - tag->begin);
    const uint8_t *p = s->text + (tag->begin - s->base);
    const Tag *next = s->tags + s->next_tag, *end = s->tags + s->tags_count;
    int is_counted = s->next_tag && next[-1].begin == tag->begin;
    if (!is_counted || memchr(p, '>', length - 1)) /* one with a ">" in it may not have been counted */
        return find_text(p + length, stop, (const char *)p, length);
    for (uint64_t last = s->base + (uint64_t)(stop - s->text); next < end && next->end <= last; next++) {
        const uint8_t *again = s->text + (next->begin - s->base);
        if (next->name == tag->name && next->end - next->begin == length && !memcmp(p, again, length))
            return again;
    }
    return NULL;
}

/* Return where a stretch that begins with a tag stands again, if that may be a repetition, or NULL: `_repeated` of tags.py. */
static const uint8_t *find_repeated(const Search *s, const Tag *tag, const uint8_t *limit)
{
    const Name *name = &s->names[tag->name];
    if (!name->seen_ends || name->seen_opened == name->seen_ends)
        return NULL;
    const uint8_t *p = s->text + (tag->begin - s->base), *end = s->text + (tag->end - s->base);
    const uint8_t *stop = limit - end > LONGEST_TWICE ? end + LONGEST_TWICE : limit;
    const uint8_t *again = find_again(s, tag, stop);
    if (!again || limit - p < 2 * (again - p))
        return NULL;
    ptrdiff_t length = again - p, after = end - p, before = 0;
    while (after < length && p[after] == again[after])
        after++;
    while (after + before < length && p - before > s->text && p[-before - 1] == again[-before - 1])
        before++;
    return after + before >= length && is_unbalanced(p, again) ? again : NULL;
}

/* Return whether a stretch has text between its tags, or up to the tag where it ends. */
static int has_words(const uint8_t *p, const uint8_t *end)
{
    for (const uint8_t *next; (p = memchr(p, '>', (size_t)(end - p))); p = next) {
        next = find_byte(++p, end, '<', '>', '<', 0);
        if ((next == end || *next == '<') && skip_white(p, end) < next)
            return 1;
    }
    return 0;
}

static int is_blank(const uint8_t *p, const uint8_t *end)
{
    return skip_white(p, end) == end;
}

/* Return the place of what is sought from a place on, or UINT64_MAX; the last answer is kept. It is sought by all its
   octets but the first, of which there are many. */
static uint64_t next_of(const Search *s, Found *found, const char *sought, uint64_t place)
{
    if (place < found->from || place > found->place || found->fed != s->fed) {
        const uint8_t *end = s->text + (s->fed - s->base), *p = s->text + (place - s->base);
        do
            p = find_text(p + 1, end, sought + 1, strlen(sought) - 1);
        while (p && p[-1] != (uint8_t)*sought);
        *found = (Found){place, p ? s->base + (uint64_t)(p - 1 - s->text) : UINT64_MAX, s->fed};
    }
    return found->place;
}

/* Set `*token` to a plain comment, CDATA section or instruction; return 0 where it may be read otherwise. */
static int plain_section(Search *s, const uint8_t *p, const uint8_t *limit, Tag *token)
{
    const uint8_t *end;
    if (limit - p >= 7 && !memcmp(p, "<!--", 4)) {
        const uint8_t *q = p + 4;
        if (*q == '>' || (*q == '-' && q[1] == '>'))
            return 0;
        end = find_text(q, limit, "--", 2);
        if (!end || end + 3 > limit || end[2] != '>' || find_text(q, end, "</", 2) ||
            (end - q >= 2 && end[-2] == '<' && end[-1] == '!'))
            return 0;
        return set_token(s, token, SPACE_EDGE, p, end + 3);
    }
    if (limit - p >= 12 && !memcmp(p, "<![CDATA[", 9)) {
        uint64_t begin = s->base + (uint64_t)(p - s->text) + 9, stop = s->base + (uint64_t)(limit - s->text);
        uint64_t close = next_of(s, &s->next_close, "]]>", begin);
        if (close > stop - 3 || next_of(s, &s->next_opening, "<![CDATA[", begin) < close)
            return 0;
        end = s->text + (close - s->base);
        uint64_t opening = s->next_opening.place;
        if (find_text(end + 3, opening < stop ? s->text + (opening - s->base) : limit, "]]>", 3))
            return 0;
        return set_token(s, token, is_blank(p + 9, end) ? SPACE_EDGE : TEXT_EDGE, p, end + 3);
    }
    if (limit - p >= 5 && p[1] == '?' && begins_name(p[2]) && p[2] < 0x80) {
        end = find_text(p + 2, limit, "?>", 2);
        if (!end || find_text(p + 2, end, "</", 2) || find_text(p + 2, end, "<?", 2))
            return 0;
        return set_token(s, token, SPACE_EDGE, p, end + 2);
    }
    return 0;
}

#endif
