/* The scanner: how far content is clean. The contract is `Scan` in xml5tree/fastpath/contract.py.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [start, stop) of the data only. Whatever the bytes
   are, valid UTF-8 or not, it reads and writes nothing else; what is not UTF-8 in a name ends the run. There is no
   recursion, and every count is bounded by the number of bytes. */

#ifndef XML5TREE_SCANNER_H
#define XML5TREE_SCANNER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "simd.h"

typedef struct {
    const uint8_t *start;
    size_t length;
} Slice;

/* A prefix and its namespace. */
typedef struct {
    Slice prefix;
    Slice uri;
} Binding;

typedef struct {
    Slice name;
    size_t prefix_length; /* 0 where there is none */
    Slice uri;            /* where there is one */
    Slice value;
} Attribute;

/* What the markup has in the place of a slice of the document, which is empty where something is only added. */
typedef struct {
    Slice source;
    Slice markup;
} Replacement;

typedef struct Scanner Scanner;

typedef enum { VERBATIM, REFUSED, FAILED } Verdict;

/* What the declarations of the DOCTYPE do to a start or empty tag, whose attributes the scanner has: it may stand, with
   what has been added before `end`; or the states must read it; or memory is short. */
typedef Verdict (*Declarations)(void *context, Scanner *scanner, Slice name, const uint8_t *end);

/* What the markup has for a reference to a name: in `*markup`; or the states must read it; or memory is short. */
typedef Verdict (*References)(void *context, Slice name, Slice *markup);

typedef struct {
    const Slice *open_names; /* from the outermost */
    size_t open_count;
    const Binding *bindings;
    size_t binding_count;
    long long levels;
    unsigned first_class; /* the classes of names.h: of a name's first character, */
    unsigned name_class;  /* and of any */
    Declarations declarations; /* NULL: there are none */
    References references;     /* NULL: the states read all ampersands that are errors */
    void *context;
} Surroundings;

/* The run that is being read, and what came of it. */
struct Scanner {
    const Surroundings *around;
    const uint8_t *stop;
    const uint8_t *end;    /* of the run */
    const uint8_t *resume; /* see `Run` in contract.py */
    size_t ended;
    Slice *opened;
    size_t opened_count;
    size_t opened_room;
    Attribute *attributes; /* of the current tag */
    size_t attribute_count;
    size_t attribute_room;
    size_t prefixed;
    Replacement *replacements; /* in the order of their places */
    size_t replacement_count;
    size_t replacement_room;
    int out_of_memory;
};

static inline int is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t';
}

static inline int same(Slice a, Slice b)
{
    return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

static inline int starts_with(const uint8_t *p, const uint8_t *stop, const char *text, size_t length)
{
    return (size_t)(stop - p) >= length && memcmp(p, text, length) == 0;
}

/* Room for one more item in an array that grows; NULL where memory is short. */
static void *with_room(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    size_t more = *room ? 2 * *room : 16;
    if (more > SIZE_MAX / size)
        return NULL;
    void *grown = realloc(items, more * size);
    if (grown)
        *room = more;
    return grown;
}

/* Note that the markup has something else than the document; 0 where memory is short. */
static int replace(Scanner *scanner, Slice source, Slice markup)
{
    Replacement *items =
        with_room(scanner->replacements, scanner->replacement_count, &scanner->replacement_room, sizeof *items);
    if (!items) {
        scanner->out_of_memory = 1;
        return 0;
    }
    scanner->replacements = items;
    items[scanner->replacement_count++] = (Replacement){source, markup};
    return 1;
}

/* Characters and names ------------------------------------------------------------------------------------------- */

/* The length of the character of two to four bytes that begins here, and its code point; 0 where there is none. */
static size_t decode(const uint8_t *p, const uint8_t *stop, uint32_t *code)
{
    size_t left = (size_t)(stop - p);
    if (p[0] >= 0xC2 && p[0] < 0xE0 && left >= 2 && (p[1] & 0xC0) == 0x80) {
        *code = (uint32_t)(p[0] & 0x1F) << 6 | (uint32_t)(p[1] & 0x3F);
        return 2;
    }
    if (p[0] >= 0xE0 && p[0] < 0xF0 && left >= 3 && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80) {
        *code = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (uint32_t)(p[2] & 0x3F);
        return *code >= 0x800 ? 3 : 0;
    }
    if (p[0] >= 0xF0 && p[0] < 0xF5 && left >= 4 && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80 &&
        (p[3] & 0xC0) == 0x80) {
        *code = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 |
                (uint32_t)(p[3] & 0x3F);
        return *code >= 0x10000 && *code <= 0x10FFFF ? 4 : 0;
    }
    return 0;
}

/* Where the NCName that begins here ends; NULL where none does. */
static const uint8_t *skip_ncname(const Scanner *scanner, const uint8_t *p)
{
    const uint8_t *start = p, *stop = scanner->stop;
    unsigned wanted = scanner->around->first_class;
    while (p < stop) {
        uint32_t code = *p;
        size_t length = 1;
        if (code >= 0x80 && (length = decode(p, stop, &code)) == 0)
            return NULL;
        if (!(class_of(code) & wanted))
            break;
        p += length;
        wanted = scanner->around->name_class;
    }
    return p > start ? p : NULL;
}

/* Where the qualified name that begins here ends, and how long its prefix is; NULL where none does. */
static const uint8_t *skip_name(const Scanner *scanner, const uint8_t *p, size_t *prefix_length)
{
    const uint8_t *end = skip_ncname(scanner, p);
    *prefix_length = 0;
    if (end && end < scanner->stop && *end == ':') {
        *prefix_length = (size_t)(end - p);
        end = skip_ncname(scanner, end + 1);
    }
    return end && end < scanner->stop && *end != ':' ? end : NULL;
}

static const uint8_t *skip_space(const Scanner *scanner, const uint8_t *p)
{
    while (p < scanner->stop && is_space(*p))
        p++;
    return p;
}

/* Whether a prefix is in scope, and its namespace. */
static int resolve(const Surroundings *around, Slice prefix, Slice *uri)
{
    static const uint8_t xml[] = "xml";
    for (size_t i = 0; i < around->binding_count; i++) {
        if (same(around->bindings[i].prefix, prefix)) {
            *uri = around->bindings[i].uri;
            return 1;
        }
    }
    *uri = (Slice){xml, 0}; /* no other prefix has that of `xml` */
    return prefix.length == 3 && memcmp(prefix.start, xml, 3) == 0;
}

/* Whether a name is `xmlns` or has that prefix. */
static int declares(Slice name)
{
    return name.length >= 5 && memcmp(name.start, "xmlns", 5) == 0 && (name.length == 5 || name.start[5] == ':');
}

/* Text and references ---------------------------------------------------------------------------------------------- */

/* Where the reference that begins here ends: to a character that XML allows, or one of the five. Else NULL. */
static const uint8_t *skip_reference(const Scanner *scanner, const uint8_t *p)
{
    static const char *const names[] = {"amp;", "lt;", "gt;", "quot;", "apos;"};
    const uint8_t *stop = scanner->stop;
    p++;
    if (p >= stop || *p != '#') {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (starts_with(p, stop, names[i], strlen(names[i])))
                return p + strlen(names[i]);
        }
        return NULL;
    }
    p++;
    uint32_t base = 10, code = 0;
    if (p < stop && *p == 'x') {
        base = 16;
        p++;
    }
    const uint8_t *digits = p;
    for (; p < stop && *p != ';'; p++) {
        uint32_t digit = *p >= '0' && *p <= '9'   ? *p - (uint32_t)'0'
                         : *p >= 'a' && *p <= 'f' ? *p - (uint32_t)'a' + 10
                         : *p >= 'A' && *p <= 'F' ? *p - (uint32_t)'A' + 10
                                                  : 16;
        if (digit >= base)
            return NULL;
        code = code * base + digit;
        if (code > 0x10FFFF)
            return NULL;
    }
    if (p == digits || p >= stop || (code >= 0xD800 && code <= 0xDFFF) || code == 0xFFFE || code == 0xFFFF ||
        (code < 0x20 && code != '\t' && code != '\n' && code != '\r'))
        return NULL;
    return p + 1;
}

/* Where the Name, colons included, that begins here ends: here where none does. NULL where it may go on after `stop`, or
   what follows is no UTF-8. */
static const uint8_t *skip_any_name(const uint8_t *p, const uint8_t *stop)
{
    for (unsigned wanted = FIRST_IN_FIFTH; p < stop; wanted = IN_FIFTH) {
        uint32_t code = *p;
        size_t length = 1;
        if (code >= 0x80 && (length = decode(p, stop, &code)) == 0)
            return NULL;
        if (code != ':' && !(class_of(code) & wanted))
            return p;
        p += length;
    }
    return NULL;
}

/* Where what the ampersand here begins ends: a reference that is free of errors, or, once it has been noted what the
   markup has instead, one to a name that is known, or something that can only be text. NULL where the states must
   read it. */
static const uint8_t *read_ampersand(Scanner *scanner, const uint8_t *p)
{
    static const uint8_t escape[] = "&amp;";
    const Surroundings *around = scanner->around;
    const uint8_t *end = skip_reference(scanner, p);
    if (end || !around->references || p + 1 >= scanner->stop || p[1] == '#')
        return end;
    end = skip_any_name(p + 1, scanner->stop);
    if (!end)
        return NULL;
    Slice source = {p, 1}, markup = {escape, sizeof escape - 1};
    if (end > p + 1 && *end == ';') {
        Verdict verdict = around->references(around->context, (Slice){p + 1, (size_t)(end - p - 1)}, &markup);
        if (verdict != VERBATIM) {
            scanner->out_of_memory = verdict == FAILED;
            return NULL;
        }
        source.length = (size_t)(++end - p);
    }
    return replace(scanner, source, markup) ? end : NULL;
}

/* Whether the byte 0xEF begins U+FFFE or U+FFFF, or no character at all. */
static int is_noncharacter(const Scanner *scanner, const uint8_t *p)
{
    uint32_t code;
    return decode(p, scanner->stop, &code) == 0 || code == 0xFFFE || code == 0xFFFF;
}

/* Where text that begins at `p` ends: at the `<` after it, at something that it must not contain, or at the end. */
static const uint8_t *skip_text(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
    while ((p = find_any(p, stop, '<', '&', ']')) < stop) {
        if (*p == ']') {
            if (starts_with(p, stop, "]]>", 3))
                return p;
            p++;
        } else if (*p == '&') {
            const uint8_t *end = read_ampersand(scanner, p);
            if (!end)
                return p;
            p = end;
        } else if (*p == 0xEF && !is_noncharacter(scanner, p)) {
            p += 3;
        } else {
            return p;
        }
    }
    return p;
}

/* Where an attribute value ends, at its quote; NULL where there is an error in it. */
static const uint8_t *skip_value(Scanner *scanner, const uint8_t *p, uint8_t quote)
{
    const uint8_t *stop = scanner->stop;
    while ((p = find_any(p, stop, '<', '&', quote)) < stop && *p != quote) {
        if (*p == '&') {
            p = read_ampersand(scanner, p);
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

/* Where what is neither text nor a tag ends, after its terminator; NULL where it does not, or has a forbidden character.
   The terminator begins with `first`. */
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

/* The order of two attributes by their names as they stand, or (`expanded`) by local name and namespace. */
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

/* So many attributes are compared in pairs, which takes less time than sorting them. */
enum { FEW_ATTRIBUTES = 12 };

/* Whether two attributes of the current tag have the same name, or (`expanded`) the same expanded name. It may change
   the order of the attributes. */
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

/* Where the attribute that begins here ends; it is noted. NULL where there is an error in it. */
static const uint8_t *read_attribute(Scanner *scanner, const uint8_t *p)
{
    Attribute *items =
        with_room(scanner->attributes, scanner->attribute_count, &scanner->attribute_room, sizeof *items);
    if (!items) {
        scanner->out_of_memory = 1;
        return NULL;
    }
    scanner->attributes = items;
    Attribute *attribute = &items[scanner->attribute_count];
    const uint8_t *end = skip_name(scanner, p, &attribute->prefix_length);
    if (!end)
        return NULL;
    attribute->name = (Slice){p, (size_t)(end - p)};
    if (declares(attribute->name))
        return NULL;
    if (attribute->prefix_length) {
        if (!resolve(scanner->around, (Slice){p, attribute->prefix_length}, &attribute->uri))
            return NULL;
        scanner->prefixed++;
    }
    p = skip_space(scanner, end);
    if (p >= scanner->stop || *p != '=')
        return NULL;
    p = skip_space(scanner, p + 1);
    if (p >= scanner->stop || (*p != '"' && *p != '\''))
        return NULL;
    end = skip_value(scanner, p + 1, *p);
    if (!end)
        return NULL;
    attribute->value = (Slice){p + 1, (size_t)(end - p - 1)};
    scanner->attribute_count++;
    return end + 1;
}

/* Whether a value that was written anew, in double quotes, would be what it is. */
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

/* Whether the current tag, written anew with its attributes in the same order, would be what it is. `p` is where its
   name ends, `end` is its `>` or `/>`. */
static int is_tag_as_rewritten(const Scanner *scanner, const uint8_t *p, const uint8_t *end)
{
    for (size_t i = 0; i < scanner->attribute_count; i++) {
        const Attribute *attribute = &scanner->attributes[i];
        const uint8_t *value = attribute->value.start;
        if (*p != ' ' || attribute->name.start != p + 1 || value != p + 1 + attribute->name.length + 2 ||
            !is_as_rewritten(attribute->value, scanner->stop))
            return 0;
        p = value + attribute->value.length + 1;
    }
    return p == end;
}

/* Note that an element has been opened; 0 where memory is short. */
static int push(Scanner *scanner, Slice name)
{
    Slice *opened = with_room(scanner->opened, scanner->opened_count, &scanner->opened_room, sizeof *opened);
    if (!opened) {
        scanner->out_of_memory = 1;
        return 0;
    }
    scanner->opened = opened;
    opened[scanner->opened_count++] = name;
    return 1;
}

/* Where the start or empty tag ends whose name begins here; NULL where the states must read it. */
static const uint8_t *read_tag(Scanner *scanner, const uint8_t *p)
{
    const Surroundings *around = scanner->around;
    size_t prefix_length;
    Slice uri;
    const uint8_t *end = skip_name(scanner, p, &prefix_length);
    if (!end)
        return NULL;
    Slice name = {p, (size_t)(end - p)};
    if (prefix_length && !resolve(around, (Slice){p, prefix_length}, &uri))
        return NULL;
    if ((long long)scanner->opened_count - (long long)scanner->ended >= around->levels)
        return NULL;
    size_t replaced = scanner->replacement_count;
    scanner->attribute_count = scanner->prefixed = 0;
    for (p = end;; p = end) {
        end = skip_space(scanner, p);
        if (end >= scanner->stop)
            return NULL;
        if (*end == '>' || *end == '/')
            break;
        if (end == p) /* no white space before an attribute */
            return NULL;
        end = read_attribute(scanner, end);
        if (!end)
            return NULL;
    }
    int is_empty = *end == '/';
    if (is_empty && !starts_with(end, scanner->stop, "/>", 2))
        return NULL;
    /* The states write a tag with an error anew. */
    if (scanner->replacement_count > replaced && !is_tag_as_rewritten(scanner, name.start + name.length, end))
        return NULL;
    if (scanner->attribute_count > 1 && has_duplicates(scanner, 0))
        return NULL;
    if (scanner->prefixed > 1 && has_duplicates(scanner, 1))
        return NULL;
    if (around->declarations) {
        Verdict verdict = around->declarations(around->context, scanner, name, end);
        if (verdict != VERBATIM) {
            scanner->out_of_memory = verdict == FAILED;
            return NULL;
        }
    }
    if (is_empty)
        return end + 2;
    return push(scanner, name) ? end + 1 : NULL;
}

/* Where the end tag ends whose name begins here, if it is that of the current element; else NULL. */
static const uint8_t *read_end_tag(Scanner *scanner, const uint8_t *p)
{
    const Surroundings *around = scanner->around;
    Slice name;
    if (scanner->opened_count)
        name = scanner->opened[scanner->opened_count - 1];
    else if (scanner->ended < around->open_count)
        name = around->open_names[around->open_count - 1 - scanner->ended];
    else
        return NULL;
    if ((size_t)(scanner->stop - p) <= name.length || memcmp(p, name.start, name.length) != 0)
        return NULL;
    p = skip_space(scanner, p + name.length);
    if (p >= scanner->stop || *p != '>')
        return NULL;
    if (scanner->opened_count)
        scanner->opened_count--;
    else
        scanner->ended++;
    return p + 1;
}

/* Where the processing instruction ends whose target begins here; NULL where the states must read it. */
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

/* Where the markup ends that begins with the `<` here; NULL where the states must read it. */
static const uint8_t *read_markup(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
    if (stop - p < 3)
        return NULL;
    if (p[1] == '/')
        return read_end_tag(scanner, p + 2);
    if (p[1] == '?')
        return read_instruction(scanner, p + 2);
    if (p[1] != '!')
        return read_tag(scanner, p + 1);
    if (starts_with(p, stop, "<!--", 4)) {
        const uint8_t *end = skip_until(scanner, p + 4, "--", 2);
        return end && end < stop && *end == '>' ? end + 1 : NULL;
    }
    if (starts_with(p, stop, "<![CDATA[", 9) && !starts_with(p, stop, "<![CDATA[]]>", 12))
        return skip_until(scanner, p + 9, "]]>", 3);
    return NULL;
}

/* Read the run that begins at `start`; 0 where memory is short, or the declarations have failed. */
static int read_run(Scanner *scanner, const Surroundings *around, const uint8_t *start, const uint8_t *stop)
{
    memset(scanner, 0, sizeof *scanner);
    scanner->around = around;
    scanner->stop = stop;
    const uint8_t *p = start;
    for (;;) {
        const uint8_t *text = p;
        p = skip_text(scanner, text);
        size_t replaced = scanner->replacement_count;
        const uint8_t *end = p < stop && *p == '<' ? read_markup(scanner, p) : NULL;
        if (!end) {
            scanner->replacement_count = replaced;
            scanner->end = p;
            while (scanner->end > text && scanner->end[-1] == ']')
                scanner->end--;
            scanner->resume = p < stop ? p + 1 : stop;
            break;
        }
        p = end;
    }
    return !scanner->out_of_memory;
}

static void release(Scanner *scanner)
{
    free(scanner->opened);
    free(scanner->attributes);
    free(scanner->replacements);
}

#endif
