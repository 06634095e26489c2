/* The scanner: how far content is clean. The contract is `Scan` in xml5tree/fastpath/contract.py.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [start, stop) of the data only. Whatever the bytes
   are, valid UTF-8 or not, it reads and writes nothing else; what is not UTF-8 in a name ends the run. There is no
   recursion, and every count is bounded by the number of bytes. */

#ifndef XML5TREE_SCANNER_H
#define XML5TREE_SCANNER_H

#include "broken.h"
#include "simd.h"

/* Text and references ---------------------------------------------------------------------------------------------- */

/* Return the end of the reference that begins here, and its character in `*code`; NULL where it is neither to a character that
   XML allows nor one of the five. */
static const uint8_t *read_reference(const uint8_t *p, const uint8_t *stop, uint32_t *code)
{
    if (++p >= stop || *p != '#') {
        const uint8_t *end = memchr(p, ';', stop - p < 5 ? (size_t)(stop - p) : 5);
        *code = end ? predefined((Slice){p, (size_t)(end - p)}) : 0;
        return *code ? end + 1 : NULL;
    }
    int is_hexadecimal = ++p < stop && *p == 'x';
    const uint8_t *digits = p + is_hexadecimal, *end = skip_digits(digits, stop, is_hexadecimal ? 16 : 10, code);
    if (end == digits || end >= stop || *end != ';' || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF) ||
        is_forbidden(*code))
        return NULL;
    return end + 1;
}

static const uint8_t *skip_reference(const Scanner *scanner, const uint8_t *p)
{
    uint32_t code;
    return read_reference(p, scanner->stop, &code);
}

/* Read what begins with the ampersand here, in text or in an attribute value: a reference without an error, a reference to a
   known name, or an ampersand that can only be text. */
static const uint8_t *read_ampersand(Scanner *scanner, const uint8_t *p, int in_value)
{
    const Surroundings *around = scanner->around;
    const uint8_t *end = skip_reference(scanner, p);
    if (end || !(around->references || around->entities) || p + 1 >= scanner->stop)
        return end;
    if (p[1] == '#')
        return in_value || !around->takes_broken ? NULL : read_broken_number(scanner, p);
    end = skip_any_name(p + 1, scanner->stop);
    if (!end)
        return NULL;
    Slice name = {p + 1, (size_t)(end - p - 1)}, source = {p, 1}, markup = slice_of("&amp;");
    int is_ended = *end == ';';
    if (name.length && is_ended && around->entities) {
        if (is_accepted(scanner, around->entities(around->context, scanner, name, in_value, &markup)))
            return replace(scanner, (Slice){p, name.length + 2}, markup) ? end + 1 : NULL;
    }
    if (!around->references || scanner->has_failed)
        return NULL;
    if (name.length && is_ended && !is_accepted(scanner, around->references(around->context, name, &markup)))
        return NULL;
    if (!name.length || !is_ended) {
        Slice detail = {p, name.length + 1};
        return note_error(scanner, name.length ? NO_REFERENCE : AMPERSAND, p, detail) &&
                       replace(scanner, source, markup)
                   ? end
                   : NULL;
    }
    source.length = (size_t)(++end - p);
    return note_error(scanner, REFERENCE, p, name) && replace(scanner, source, markup) ? end : NULL;
}

/* Return whether the byte 0xEF begins U+FFFE or U+FFFF, or no character at all. */
static int is_noncharacter(const Scanner *scanner, const uint8_t *p)
{
    uint32_t code;
    return decode(p, scanner->stop, &code) == 0 || code == 0xFFFE || code == 0xFFFF;
}

/* Read the forbidden character here. It is an error only if none is before it in the same text. */
static const uint8_t *read_forbidden(Scanner *scanner, const uint8_t *p)
{
    uint32_t code = *p;
    size_t length = code == 0xEF ? decode(p, scanner->stop, &code) : 1;
    Slice source = {p, length};
    if (!scanner->around->references || !scanner->around->replaces_forbidden || !length || code == '\0' || code == '\r')
        return NULL;
    if (!scanner->forbidden.place) {
        scanner->forbidden = mark_of(scanner, p);
        if (!note_error(scanner, FORBIDDEN, p, source))
            return NULL;
    }
    return replace(scanner, source, slice_of(*p == '\f' ? " " : "\xEF\xBF\xBD")) ? p + length : NULL;
}

/* The most characters after such a `<` or `</` that are looked at. */
enum { MOST_OF_TAG = 64 };

/* Return whether text after a `<` or `</` would be a tag without the white space or colons here: see `_TAG_IN_TEXT` in
   dialects/xml5/tokenizer.py. -1 where it is not known before `stop`. */
static int resembles_tag(const uint8_t *p, const uint8_t *stop)
{
    const uint8_t *limit = p;
    int count = 0;
    for (size_t length = 1; limit < stop && length && count < MOST_OF_TAG; limit += length, count++) {
        uint32_t code;
        length = *limit < 0x80 ? 1 : decode(limit, stop, &code);
    }
    int unknown = limit == stop && count < MOST_OF_TAG ? -1 : 0;
    while (p < limit && (is_space(*p) || *p == ':'))
        p++;
    for (int names = 0; names < 2; names++) {
        const uint8_t *end = skip_any_name(p, limit);
        if (end == p && !names)
            return 0;
        p = end ? skip_spaces(end, limit) : limit;
        if (p >= limit)
            return unknown;
        if (!names && *p == '>')
            return 1;
        if (!names && *p == '/')
            return p + 1 < limit ? p[1] == '>' : unknown;
    }
    if (*p != '=')
        return 0;
    p = skip_spaces(p + 1, limit);
    return p < limit ? *p == '"' || *p == '\'' : unknown;
}

/* Read a `<` or `</` that is text, which is an error. */
static const uint8_t *read_less_than(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *next = p + 1, *stop = scanner->stop;
    if (next < stop && *next == '/')
        next++;
    if (next >= stop || !(is_space(*next) || *next == ':' || *next == '<' || (*next == '>' && next == p + 1)) ||
        !scanner->around->references)
        return NULL;
    int is_tag = resembles_tag(next, stop);
    Error *error = is_tag < 0 ? NULL : note_error(scanner, NO_TAG, p, (Slice){p, (size_t)(next - p)});
    if (!error)
        return NULL;
    error->effect = is_tag ? "moved" : NULL;
    return replace(scanner, (Slice){p, 1}, slice_of("&lt;")) ? next : NULL;
}

/* Return the end of the text that begins at `p`: the `<` after it, something that the states must read, or the end of the data. */
static const uint8_t *skip_text(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
    while ((p = find_any(p, stop, '<', '&', ']')) < stop) {
        if (*p == ']') {
            if (starts_with(p, stop, "]]>", 3)) {
                if (!scanner->around->takes_broken || !note_error(scanner, CDATA_END, p, (Slice){p, 1}) ||
                    !replace(scanner, (Slice){p + 2, 1}, slice_of("&gt;")))
                    return p;
                p += 2;
            }
            p++;
        } else if (*p == '&') {
            const uint8_t *end = read_ampersand(scanner, p, 0);
            if (!end)
                return p;
            p = end;
        } else if (*p == 0xEF && !is_noncharacter(scanner, p)) {
            p += 3;
        } else {
            const uint8_t *end = *p == '<' ? NULL : read_forbidden(scanner, p);
            if (!end)
                return p;
            p = end;
        }
    }
    return p;
}

/* Return the end of an attribute value, at its quote; NULL where the states must read it. */
static const uint8_t *skip_value(Scanner *scanner, const uint8_t *p, uint8_t quote)
{
    const uint8_t *stop = scanner->stop;
    while ((p = find_any(p, stop, '<', '&', quote)) < stop && *p != quote) {
        if (*p == '&') {
            p = read_ampersand(scanner, p, 1);
            if (!p)
                return NULL;
        } else if (*p == 0xEF && !is_noncharacter(scanner, p)) {
            p += 3;
        } else {
            return NULL;
        }
    }
    return p < stop ? p : NULL;
}

/* Return the end of what is neither text nor a tag, after its terminator; NULL where that is missing, or where a forbidden
   character is before it. */
static const uint8_t *skip_until(const Scanner *scanner, const uint8_t *p, const char *terminator, size_t length)
{
    const uint8_t *stop = scanner->stop;
    const uint8_t first = (uint8_t)terminator[0];
    while ((p = find_any(p, stop, first, first, first)) < stop) {
        if (*p == first) {
            if (starts_with(p, stop, terminator, length))
                return p + length;
            p++;
        } else if (*p == 0xEF && !is_noncharacter(scanner, p)) {
            p += 3;
        } else {
            return NULL;
        }
    }
    return NULL;
}

/* Tags --------------------------------------------------------------------------------------------------------------- */

static int compare(Slice a, Slice b)
{
    int order = memcmp(a.start, b.start, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static Slice local_name(const Attribute *attribute)
{
    size_t skip = attribute->prefix_length ? attribute->prefix_length + 1 : 0;
    return (Slice){attribute->name.start + skip, attribute->name.length - skip};
}

/* Compare two attributes by their names as they stand, or (`expanded`) by local name and namespace. */
static int compare_attributes(const Attribute *a, const Attribute *b, int expanded)
{
    if (!expanded)
        return compare(a->name, b->name);
    int order = compare(local_name(a), local_name(b));
    if (!order && a->prefix_length && b->prefix_length)
        return compare(a->uri, b->uri);
    return order ? order : (a->prefix_length != 0) - (b->prefix_length != 0);
}

static void swap(Attribute *a, Attribute *b)
{
    Attribute other = *a;
    *a = *b;
    *b = other;
}

/* Sort attributes: a heapsort, because the time of the C library's `qsort` may be quadratic. */
static void sort_attributes(Attribute *items, size_t count, int expanded)
{
    for (size_t heap = count / 2, end = count; end > 1;) {
        if (heap)
            heap--;
        else
            swap(&items[0], &items[--end]);
        for (size_t parent = heap, child; (child = 2 * parent + 1) < end; parent = child) {
            if (child + 1 < end && compare_attributes(&items[child], &items[child + 1], expanded) < 0)
                child++;
            if (compare_attributes(&items[parent], &items[child], expanded) >= 0)
                break;
            swap(&items[parent], &items[child]);
        }
    }
}

/* Return whether two attributes of the current tag have the same name, or (`expanded`) the same expanded name. It may
   change the order of the attributes. */
static int has_duplicates(Scanner *scanner, int expanded)
{
    Attribute *items = scanner->attributes;
    size_t count = scanner->attribute_count;
    if (count > FEW_ATTRIBUTES) {
        sort_attributes(items, count, expanded);
        for (size_t i = 1; i < count; i++) {
            if (compare_attributes(&items[i - 1], &items[i], expanded) == 0)
                return 1;
        }
        return 0;
    }
    for (size_t i = 1; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (expanded ? compare_attributes(&items[i], &items[j], 1) == 0 : same(items[i].name, items[j].name))
                return 1;
        }
    }
    return 0;
}

/* Return the end of the unquoted value that begins here; NULL where the states must read it. */
static const uint8_t *skip_unquoted(const Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
    for (; p < stop && *p != '>' && !is_space(*p); p++) {
        if (*p == '<' || *p == '&' || *p == '"' || may_be_forbidden(*p))
            return NULL;
        if (!scanner->around->unmatched && (*p == '\'' || starts_with(p, stop, "/>", 2)))
            return NULL;
    }
    return p < stop ? p : NULL;
}

/* Read the value of an attribute that lacks its quotes or is not there. `p` is where the attribute's name ends. */
static const uint8_t *read_faulty_value(Scanner *scanner, Attribute *attribute, const uint8_t *p)
{
    const uint8_t *name = attribute->name.start, *stop = scanner->stop;
    if (!scanner->around->references || p >= stop)
        return NULL;
    attribute->value = (Slice){p, 0};
    if (*p != '=') { /* the tag goes on, or is ended */
        const uint8_t *next = skip_spaces(p, scanner->stop);
        if (next >= stop || *next == '=' || (next == p && *p != '>' && *p != '/'))
            return NULL;
        int is_torn = precedes_value(next, stop);
        Error *missing = is_torn < 0 ? NULL : note_error(scanner, NO_VALUE, name, attribute->name);
        if (!missing || !replace(scanner, attribute->value, slice_of("=\"\"")))
            return NULL;
        /* The attribute may be part of the value before it, or its value may be after the tag. */
        missing->effect = name == attribute->start || is_torn ? "moved" : NULL;
        return p;
    }
    attribute->value.start = ++p;
    const uint8_t *end = skip_unquoted(scanner, p);
    if (!end)
        return NULL;
    if (end == p) {
        if (*p != '>')
            return NULL;
        int is_torn = precedes_value(end, stop);
        Error *missing = is_torn < 0 ? NULL : note_error(scanner, EMPTY_VALUE, name, attribute->name);
        if (!missing || !replace(scanner, attribute->value, slice_of("\"\"")))
            return NULL;
        missing->effect = is_torn ? "moved" : NULL;
        return end;
    }
    attribute->value.length = (size_t)(end - p);
    if (!note_error(scanner, UNQUOTED, p, attribute->value) || !replace(scanner, (Slice){p, 0}, slice_of("\"")) ||
        !replace(scanner, (Slice){end, 0}, slice_of("\"")))
        return NULL;
    return end;
}

/* Note that an attribute is left out, with the white space before it, from `start` on. 0 where the states must do it. */
static int drop_attribute(Scanner *scanner, const uint8_t *start, const uint8_t *end, size_t replaced)
{
    Slice source = {start, (size_t)(end - start)};
    return scanner->replacement_count == replaced && !memchr(start, '\n', source.length) &&
           replace(scanner, source, (Slice){end, 0});
}

/* Read the attribute that begins here, after the white space from `start` on. */
static const uint8_t *read_attribute(Scanner *scanner, const uint8_t *start, const uint8_t *p)
{
    Attribute *attribute = next_attribute(scanner);
    const uint8_t *end = attribute ? skip_name(scanner, p, &attribute->prefix_length) : NULL;
    if (!end)
        return NULL;
    attribute->name = (Slice){p, (size_t)(end - p)};
    attribute->start = start;
    int is_declaration = declares(attribute->name);
    if (is_declaration)
        attribute->uri = slice_of("http://www.w3.org/2000/xmlns/");
    size_t first = find_duplicate(scanner, attribute->name);
    int is_dropped = first > 0;
    if ((is_dropped || start == p) && !scanner->around->references)
        return NULL;
    size_t replaced = scanner->replacement_count;
    if (start == p && (!note_error(scanner, NO_SPACE, p, attribute->name) ||
                       !(is_dropped || replace(scanner, (Slice){p, 0}, slice_of(" ")))))
        return NULL;
    size_t error = scanner->error_count;
    if (is_dropped && !note_error(scanner, DUPLICATE, p, attribute->name))
        return NULL;
    p = skip_spaces(end, scanner->stop);
    const uint8_t *value = p < scanner->stop && *p == '=' ? skip_spaces(p + 1, scanner->stop) : scanner->stop;
    if (value < scanner->stop && (*value == '"' || *value == '\'')) {
        attribute->quote = *value++;
        p = skip_value(scanner, value, attribute->quote);
        if (!p)
            return NULL;
        attribute->value = (Slice){value, (size_t)(p++ - value)};
    } else {
        attribute->quote = 0;
        p = read_faulty_value(scanner, attribute, end);
        if (!p)
            return NULL;
    }
    if (is_dropped && !compare_duplicate(scanner, error, first, attribute->value))
        return NULL;
    if (is_dropped)
        return drop_attribute(scanner, start, p, replaced) ? p : NULL;
    scanner->declared += (size_t)is_declaration;
    scanner->prefixed += attribute->prefix_length && !is_declaration;
    scanner->attribute_count++;
    return p;
}

/* Return whether a value written anew, in double quotes, would be unchanged. */
static int is_as_rewritten(Slice value, const uint8_t *stop)
{
    for (const uint8_t *p = value.start, *end = p + value.length; p < end; p++) {
        if (*p == '\t' || *p == '\n')
            return 0;
        if (*p == '&' && (p[1] == '#' || starts_with(p, stop, "&gt;", 4) || starts_with(p, stop, "&apos;", 6)))
            return 0;
    }
    return value.start[-1] == '"';
}

/* Return whether the current tag, written anew, would be unchanged, but for noted replacements and white space at its end. */
static int is_tag_as_rewritten(const Scanner *scanner)
{
    for (size_t i = 0; i < scanner->attribute_count; i++) {
        const Attribute *attribute = &scanner->attributes[i];
        const uint8_t *name = attribute->name.start;
        if (name > attribute->start && (name > attribute->start + 1 || *attribute->start != ' '))
            return 0;
        if (attribute->quote && (attribute->value.start != name + attribute->name.length + 2 ||
                                 !is_as_rewritten(attribute->value, scanner->stop)))
            return 0;
    }
    return 1;
}

/* Note that white space at the end of a tag is left out; 0 where the states must do it, as lines are lost. */
static int drop_space(Scanner *scanner, const uint8_t *start, const uint8_t *end)
{
    Slice source = {start, (size_t)(end - start)};
    return !source.length || (!memchr(start, '\n', source.length) && replace(scanner, source, (Slice){end, 0}));
}

/* Read the start or empty tag whose name begins here. */
static const uint8_t *read_tag(Scanner *scanner, const uint8_t *p)
{
    const Surroundings *around = scanner->around;
    size_t prefix_length;
    const uint8_t *end = skip_name(scanner, p, &prefix_length);
    if (!end)
        return NULL;
    Slice name = {p, (size_t)(end - p)};
    if (level_of(scanner) >= around->levels)
        return NULL;
    size_t scopes = scanner->scope_count;
    scanner->tag = mark_of(scanner, p - 1);
    scanner->attribute_count = scanner->prefixed = scanner->declared = 0;
    for (p = end;; p = end) {
        end = skip_spaces(p, scanner->stop);
        if (end >= scanner->stop)
            return NULL;
        if (*end == '>' || *end == '/')
            break;
        end = read_attribute(scanner, p, end);
        if (!end)
            return NULL;
    }
    int is_empty = *end == '/';
    if (is_empty && !starts_with(end, scanner->stop, "/>", 2))
        return NULL;
    if (!resolve_names(scanner, name, prefix_length))
        return NULL;
    /* The states write a tag with an error anew; if it has one, it has a replacement (`note_error`). */
    if (scanner->replacement_count > scanner->tag.replacement_count &&
        !(is_tag_as_rewritten(scanner) && drop_space(scanner, p, end)))
        return NULL;
    if (scanner->attribute_count > FEW_ATTRIBUTES && has_duplicates(scanner, 0)) /* of few, it is known */
        return NULL;
    if (scanner->prefixed > 1 && has_duplicates(scanner, 1))
        return NULL;
    if (around->declarations && !is_accepted(scanner, around->declarations(around->context, scanner, name, end)))
        return NULL;
    if (is_empty) {
        scanner->scope_count = scopes;
        return end + 2;
    }
    return push(scanner, name, (Slice){NULL, 0}) ? end + 1 : NULL;
}

/* Note that the end tag of a name, `tag`, is an error; NULL where memory is short. */
static Error *note_end_tag(Scanner *scanner, Kind kind, Slice tag, Slice name)
{
    Error *error = note_error(scanner, kind, tag.start, name);
    if (error)
        error->lowest = scanner->lowest;
    return error;
}

/* Note that the end tag of an outer element, `tag`, also ends the `within` elements in it. 0 where memory is short. */
static int end_outer_element(Scanner *scanner, Slice tag, Slice name, size_t within)
{
    Error *error = note_end_tag(scanner, MISMATCHED, tag, name);
    if (!error)
        return 0;
    error->within = within;
    open_element(scanner, 0, &error->current);
    Slice current;
    for (; within && written_element(scanner, 0, &current); within--) {
        if (!replace_by_end_tag(scanner, (Slice){tag.start, 0}, current))
            return 0;
        pop(scanner);
    }
    if (written_element(scanner, 0, &current) && !same(current, name) && !replace(scanner, name, current))
        return 0;
    pop(scanner);
    error->level = scanner->lowest = level_of(scanner);
    return 1;
}

/* Note that an end tag that ends nothing, `tag`, is left out. 0 where the states must do it. */
static int drop_end_tag(Scanner *scanner, Slice tag, Slice name)
{
    const Surroundings *around = scanner->around;
    if (tag.start > scanner->start && tag.start[-1] == ']') /* what comes after it must not make "]]>" of that */
        return 0;
    if (!is_accepted(scanner, around->unmatched(around->context, name)))
        return 0;
    Error *error = note_end_tag(scanner, UNMATCHED, tag, name);
    if (!error)
        return 0;
    error->level = scanner->lowest = level_of(scanner);
    return replace(scanner, tag, (Slice){tag.start, 0});
}

/* The number of innermost open elements that an end tag is compared with. Where more are open, the states read the end tags
   that match none of these: else time would grow with the number of end tags times the depth. */
enum { MOST_LOOKED_AT = 64 };

/* Return how many elements the end tag of a name ends, 0 where it matches none: see xml5tree/tree/endtags.py. More than
   MOST_LOOKED_AT where the number is not known. */
static size_t ended_by_name(const Scanner *scanner, Slice name)
{
    Slice open;
    for (size_t ended = 1; open_element(scanner, ended - 1, &open); ended++) {
        if (ended > MOST_LOOKED_AT || same(name, open))
            return ended;
    }
    return 0;
}

/* Read the end tag whose name begins here, and is not that of the current element. */
static const uint8_t *read_faulty_end_tag(Scanner *scanner, const uint8_t *p)
{
    size_t prefix_length;
    const uint8_t *end = skip_name(scanner, p, &prefix_length);
    if (!scanner->around->unmatched || !end || *end != '>')
        return NULL;
    Slice name = {p, (size_t)(end - p)}, tag = {p - 2, name.length + 3};
    size_t ended = ended_by_name(scanner, name);
    if (ended > MOST_LOOKED_AT)
        return NULL;
    int is_noted = ended ? end_outer_element(scanner, tag, name, ended - 1) : drop_end_tag(scanner, tag, name);
    return is_noted ? end + 1 : NULL;
}

/* Read the end tag whose name begins here. */
static const uint8_t *read_end_tag(Scanner *scanner, const uint8_t *p)
{
    Slice name, written;
    if (p < scanner->stop && *p == '>')
        return read_short_end_tag(scanner, p);
    if (!open_element(scanner, 0, &name) || (size_t)(scanner->stop - p) <= name.length ||
        memcmp(p, name.start, name.length) != 0)
        return read_faulty_end_tag(scanner, p);
    const uint8_t *after = p + name.length, *end = skip_spaces(after, scanner->stop);
    int is_whole = end < scanner->stop && *end == '>', is_renamed = written_element(scanner, 0, &written) && written.start != name.start;
    if (!is_whole && *after != '/' && !is_space(*after)) /* it has a longer name */
        return read_faulty_end_tag(scanner, p);
    if (is_renamed && !replace(scanner, (Slice){p, name.length}, written))
        return NULL;
    if (!is_whole)
        end = read_junk(scanner, after);
    else if (is_renamed && !drop_space(scanner, after, end))
        return NULL;
    if (!end)
        return NULL;
    pop(scanner);
    return end + 1;
}

/* Read the processing instruction whose target begins here. */
static const uint8_t *read_instruction(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *end = skip_ncname(scanner, p);
    if (!end || end >= scanner->stop)
        return NULL;
    for (const uint8_t *q = p; q < end; q++) {
        if (*q >= 0x80)
            return NULL;
    }
    if (end - p == 3 && (p[0] | 0x20) == 'x' && (p[1] | 0x20) == 'm' && (p[2] | 0x20) == 'l')
        return NULL;
    if (!is_space(*end))
        return starts_with(end, scanner->stop, "?>", 2) ? end + 2 : NULL;
    return skip_until(scanner, end, "?>", 2);
}

/* Read the comment whose `<` is here; NULL also where it is none. */
static const uint8_t *read_comment(const Scanner *scanner, const uint8_t *p)
{
    if (!starts_with(p, scanner->stop, "<!--", 4))
        return NULL;
    const uint8_t *end = skip_until(scanner, p + 4, "--", 2);
    return end && end < scanner->stop && *end == '>' ? end + 1 : NULL;
}

/* Read the markup that begins with the `<` here; NULL also where `read_broken_tag` or `read_less_than` may read it. */
static const uint8_t *read_markup(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
    if (stop - p < 3)
        return NULL;
    if (p[1] == '/')
        return read_end_tag(scanner, p + 2);
    if (starts_with(p, stop, "<![CDATA[", 9))
        return skip_until(scanner, p + 9, "]]>", 3);
    const uint8_t *end = p[1] == '?'   ? read_instruction(scanner, p + 2)
                         : p[1] == '!' ? read_comment(scanner, p)
                                       : read_tag(scanner, p + 1);
    if (end)
        scanner->forbidden.place = NULL;
    return end;
}

/* Take back what has been noted of markup that the states must read, which began at a mark. */
static void take_back(Scanner *scanner, const Mark *mark, size_t scope_count)
{
    scanner->replacement_count = mark->replacement_count;
    scanner->error_count = mark->error_count;
    scanner->cost = mark->cost;
    scanner->scope_count = scope_count;
}

/* Read the markup that begins with the `<` here, or the `<` as text. */
static const uint8_t *read_from_less_than(Scanner *scanner, const uint8_t *p)
{
    Mark before = mark_of(scanner, p);
    size_t scopes = scanner->scope_count;
    const uint8_t *end = read_markup(scanner, p);
    if (!end && !scanner->has_failed) {
        take_back(scanner, &before, scopes);
        end = read_broken_tag(scanner, p + 1);
        if (end)
            scanner->forbidden.place = NULL;
    }
    if (!end && !scanner->has_failed) {
        take_back(scanner, &before, scopes);
        end = read_less_than(scanner, p);
    }
    return end;
}

/* Read the comment, the processing instruction or the root's tag whose `<` is here, outside the root element; `*has_root`:
   whether that has begun. */
static const uint8_t *read_outer_markup(Scanner *scanner, const uint8_t *p, int *has_root)
{
    if (scanner->stop - p < 3)
        return NULL;
    if (p[1] == '?')
        return read_instruction(scanner, p + 2);
    if (p[1] == '!')
        return read_comment(scanner, p);
    if (*has_root || p[1] == '/' || p[1] == ':' || p[1] == '<' || p[1] == '>' || is_space(p[1]))
        return NULL;
    const uint8_t *end = read_from_less_than(scanner, p);
    *has_root = end != NULL;
    return end;
}

/* Read the run that begins at `start`; 0 if memory is short, or a callback has failed. */
static int read_run(Scanner *scanner, const Surroundings *around, const uint8_t *start, const uint8_t *stop)
{
    memset(scanner, 0, sizeof *scanner);
    scanner->around = around;
    scanner->start = start;
    scanner->stop = stop;
    const uint8_t *p = start;
    int has_root = !around->is_outside;
    for (;;) {
        int is_outer = around->is_outside && !scanner->opened_count;
        p = is_outer ? skip_spaces(p, scanner->stop) : skip_text(scanner, p);
        if (around->stops_at_error && scanner->error_count)
            return !scanner->has_failed;
        if (p == stop || *p != '<')
            break;
        const uint8_t *end =
            is_outer ? read_outer_markup(scanner, p, &has_root) : read_from_less_than(scanner, p);
        if (!end)
            break;
        p = end;
    }
    scanner->resume = p < stop ? p + 1 : stop;
    scanner->end = has_root ? p : start;
    if (scanner->forbidden.place) /* else the states would report another one in the rest of the text */
        go_back(scanner, &scanner->forbidden);
    while (scanner->end > start && scanner->end[-1] == ']')
        scanner->end--;
    return !scanner->has_failed;
}

/* Return whether a document is likely to have an error: outside CDATA sections, an ampersand begins no reference, or
   start tags are not as many as end tags. That takes a tenth of the time of a run. */
static int seems_broken(const uint8_t *p, const uint8_t *stop)
{
    long long unended = 0;
    for (const uint8_t *end; p < stop; p = end) {
        const uint8_t *section = find_text(p, stop, "![CDATA[", 8);
        end = section ? section : stop;
        unended += count_unended(p, end);
        uint32_t code;
        while (p < end && (p = memchr(p, '&', (size_t)(end - p)))) {
            p = read_reference(p, end, &code);
            if (!p)
                return 1;
        }
        if (section && !(end = find_text(section, stop, "]]>", 3)))
            return 1;
    }
    return unended != 0;
}

#endif
