/* Start and empty tags, and numeric references with errors: read as the states of §1.3.24 to §1.3.33 and §1.3.35 read them, and
   written as they stand, or anew as tree construction writes them. For the rules about errors see
   `note_error` in run.h. Nothing here knows of Python. */

#ifndef XML5TREE_BROKEN_H
#define XML5TREE_BROKEN_H

#include "namespaces.h"

static void put_slice(Scanner *scanner, Slice text)
{
    put(scanner, text.start, text.length);
}

static void put_text(Scanner *scanner, const char *text)
{
    put(scanner, text, strlen(text));
}

/* Write a character in UTF-8, and return its length. */
static size_t write_character(uint32_t code, uint8_t *bytes)
{
    static const uint8_t LEADS[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        bytes[i] = (uint8_t)(0x80 | (code & 0x3F));
    bytes[0] = (uint8_t)(LEADS[length] | code);
    return length;
}

/* Append a character in UTF-8. */
static void put_character(Scanner *scanner, uint32_t code)
{
    uint8_t bytes[4];
    put(scanner, bytes, write_character(code, bytes));
}

/* References ------------------------------------------------------------------------------------------------------- */

/* Read the digits of the numeric reference that begins here, and note what is wrong with its form. Return its end, and set where
   its digits begin and end. NULL where the reference may go on after `stop`. */
static const uint8_t *read_digits(Scanner *scanner, const uint8_t *p, const uint8_t *stop, const uint8_t *place,
                                  uint32_t *number)
{
    int is_upper = p + 2 < stop && p[2] == 'X', is_hexadecimal = is_upper || (p + 2 < stop && p[2] == 'x');
    const uint8_t *digits = p + 2 + is_hexadecimal, *end = skip_digits(digits, stop, is_hexadecimal ? 16 : 10, number);
    if (end >= stop)
        return NULL;
    int is_ended = *end == ';';
    Slice source = {p, (size_t)(end + is_ended - p)};
    if (end == digits) {
        note_error(scanner, NO_DIGITS, place, source);
        return p + 1;
    }
    if (is_upper)
        note_error(scanner, UPPERCASE_X, place, source);
    if (!is_ended)
        note_error(scanner, UNENDED_NUMBER, place, source);
    return end + is_ended;
}

/* Read the second half of a surrogate pair, if it begins at `low`; the first half begins at `p` and has a number. Return `low`
   where there is none, and NULL where it may go on after `stop`. */
static const uint8_t *read_low_half(Scanner *scanner, const uint8_t *p, const uint8_t *low, const uint8_t *stop,
                                    uint32_t *code)
{
    uint32_t high = *code, number;
    if (low + 2 >= stop)
        return NULL;
    if (low[0] != '&' || low[1] != '#')
        return low;
    size_t errors = scanner->error_count;
    const uint8_t *end = read_digits(scanner, low, stop, p, &number);
    if (!end)
        return NULL;
    if (end == low + 1 || number < 0xDC00 || number > 0xDFFF) {
        scanner->error_count = errors;
        return low;
    }
    *code = 0x10000 + ((high - 0xD800) << 10) + (number - 0xDC00);
    note_error(scanner, PAIR, p, (Slice){p, (size_t)(end - p)})->lowest = (long long)*code;
    return end;
}

/* Read the numeric reference that begins here, and note its errors. Return its end, and its character in `*code`. Without
   digits, the ampersand stands alone: the end is after the ampersand, which is the character. NULL where the reference may go
   on after `stop`. See xml5tree/xml/references.py. */
static const uint8_t *read_number(Scanner *scanner, const uint8_t *p, const uint8_t *stop, uint32_t *code)
{
    uint32_t number;
    const uint8_t *end = read_digits(scanner, p, stop, p, &number);
    *code = '&';
    if (!end || end == p + 1)
        return end;
    Slice source = {p, (size_t)(end - p)};
    int is_surrogate = number >= 0xD800 && number <= 0xDFFF, is_outside = number > 0x10FFFF;
    if (is_surrogate && number < 0xDC00 && scanner->around->takes_pairs) {
        *code = number;
        const uint8_t *pair = read_low_half(scanner, p, end, stop, code);
        if (pair != end)
            return pair;
    }
    *code = number == 0 || is_outside || is_surrogate ? 0xFFFD : number;
    Kind kind = number == 0    ? NULL_REFERENCE
                : is_surrogate ? SURROGATE_REFERENCE
                : is_outside ? OUTSIDE_REFERENCE
                : number == 0xFFFE || number == 0xFFFF ? NONCHARACTER_REFERENCE
                                                       : CONTROL_REFERENCE;
    int is_wrong = kind != CONTROL_REFERENCE || is_forbidden(number);
    if (is_wrong)
        note_error(scanner, kind, p, source);
    return end;
}

/* Return what stands for a character in text, or in a value in double quotes; NULL: itself. */
static const char *escape_of(uint32_t code, int in_value)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return in_value ? NULL : "&gt;";
    case '"':
        return in_value ? "&quot;" : NULL;
    case '\t':
        return in_value ? "&#9;" : NULL;
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

/* A reference, or an ampersand that is none. */
typedef struct {
    enum { IS_CORRECT, IS_CHARACTER, IS_ENTITY, IS_TEXT } kind;
    uint32_t code; /* the character; not of an entity */
    Found found;   /* what stands for an entity */
} Reference;

/* Read the reference in text or a value that begins here, and note its errors. Return its end: after the ampersand, if that is
   none. */
static const uint8_t *read_any_reference(Scanner *scanner, const uint8_t *p, const uint8_t *stop, Reference *reference)
{
    const uint8_t *end = read_reference(p, stop, &reference->code);
    size_t errors = scanner->error_count;
    reference->kind = IS_CORRECT;
    if (end)
        return end;
    if (p + 1 < stop && p[1] == '#') {
        end = scanner->around->takes_errors ? read_number(scanner, p, stop, &reference->code) : NULL;
        reference->kind = end == p + 1 ? IS_TEXT : IS_CHARACTER;
        if (!end)
            scanner->error_count = errors;
        return end;
    }
    end = skip_any_name(p + 1, stop);
    if (!end)
        return NULL;
    Slice name = {p + 1, (size_t)(end - p - 1)};
    if (name.length && *end == ';') {
        reference->kind = IS_ENTITY;
        return take_entity(scanner, p, name, &reference->found) ? end + 1 : NULL;
    }
    if (!scanner->around->takes_errors)
        return NULL;
    note_unended(scanner, p, name);
    reference->kind = IS_TEXT;
    reference->code = '&';
    return p + 1;
}

/* Return what is written in text for the character of a reference, which ends at a place. */
static Slice written_in_text(Scanner *scanner, const uint8_t *p, const uint8_t *end, uint32_t code)
{
    if (is_forbidden(code)) {
        if (!scanner->is_coerced)
            note_error(scanner, FORBIDDEN, p, (Slice){p, 1});
        scanner->is_coerced = 1;
        code = code == '\f' ? ' ' : 0xFFFD;
    }
    if (code == ']') { /* of which "]]>" may come */
        scanner->brackets = 1 + (count_brackets(scanner, p) > 0);
        scanner->text = end;
    }
    const char *escape = escape_of(code, 0);
    if (escape)
        put_text(scanner, escape);
    else
        put_character(scanner, code);
    return finish(scanner);
}

/* Read what begins with the ampersand here, in text. */
static const uint8_t *read_ampersand(Scanner *scanner, const uint8_t *p)
{
    Reference reference;
    const uint8_t *end = read_any_reference(scanner, p, scanner->stop, &reference);
    if (!end || reference.kind == IS_CORRECT)
        return end;
    Slice written = reference.kind == IS_TEXT     ? slice_of("&amp;")
                    : reference.kind == IS_ENTITY ? reference.found.first
                                               : written_in_text(scanner, p, end, reference.code);
    replace(scanner, (Slice){p, (size_t)(end - p)}, written);
    return end;
}

/* Append the text of markup that is the value of an attribute in double quotes. */
static void put_unescaped(Scanner *scanner, Slice markup)
{
    for (const uint8_t *p = markup.start, *after = p + markup.length, *end; p < after; p = end) {
        uint32_t code;
        if (*p == '&' && (end = read_reference(p, after, &code)) != NULL) {
            put_character(scanner, code);
        } else {
            put(scanner, p, 1);
            end = p + 1;
        }
    }
}

/* Read the reference in an attribute value that begins here, and append what it stands for; see `read_…` in run.h. */
static const uint8_t *collect_reference(Scanner *scanner, Attribute *attribute, const uint8_t *p, const uint8_t *stop)
{
    Reference reference;
    const uint8_t *end = read_any_reference(scanner, p, stop, &reference);
    if (end && reference.kind == IS_ENTITY) {
        attribute->has_entity = 1;
        put_unescaped(scanner, reference.found.is_pair ? reference.found.second : reference.found.first);
    } else if (end) {
        put_character(scanner, reference.code);
    }
    return end;
}

/* The attributes of a tag -------------------------------------------------------------------------------------------- */

/* The most attributes that are compared in pairs; a table of hashes takes more time than that for so few. */
enum { FEW_ATTRIBUTES = 12 };

/* A number that nobody can know who writes a document, so that nobody can choose names of the same hash: the module sets it. */
static uint32_t hash_seed = 2166136261u;

static uint32_t hash_of(Slice text, uint32_t hash)
{
    for (size_t i = 0; i < text.length; i++)
        hash = (hash ^ text.start[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* Return whether two attributes of the current tag have the same name as it stands, or (`expanded`) as it is written. */
static int is_same_name(const Attribute *a, const Attribute *b, int expanded)
{
    return expanded ? same(a->local, b->local) && same(a->uri, b->uri) : same(a->name, b->name);
}

/* Put the number of an attribute into the table, which has room; return that of one with the same name, from 1, or 0. */
static size_t find_slot(Scanner *scanner, size_t number, int expanded)
{
    const Attribute *items = scanner->attributes, *item = &items[number];
    uint32_t hash = expanded ? hash_of(item->uri, hash_of(item->local, hash_seed)) : hash_of(item->name, hash_seed);
    for (size_t i = hash & (scanner->slot_count - 1);; i = (i + 1) & (scanner->slot_count - 1)) {
        if (!scanner->slots[i]) {
            scanner->slots[i] = (uint32_t)number + 1;
            return 0;
        }
        if (is_same_name(&items[scanner->slots[i] - 1], item, expanded))
            return scanner->slots[i];
    }
}

/* Make the table of the first attributes of the current tag, with room for as many again; 0 where memory is short. */
static int index_attributes(Scanner *scanner, size_t count, int expanded)
{
    size_t size = 64;
    while (size < 4 * count)
        size *= 2;
    scanner->slot_count = 0;
    if (size > scanner->slot_room) {
        free(scanner->slots);
        scanner->slots = malloc(size * sizeof *scanner->slots);
        scanner->slot_room = scanner->slots ? size : 0;
        scanner->has_failed |= !scanner->slots;
    }
    if (!scanner->slots)
        return 0;
    scanner->slot_count = size;
    memset(scanner->slots, 0, size * sizeof *scanner->slots);
    for (size_t i = 0; i < count; i++)
        (void)find_slot(scanner, i, expanded);
    return 1;
}

/* Return the number of the earlier attribute with the name of number `number`, counted from 1; 0 if there is none, or memory
   is short. Attributes are asked about in their order, each that is not a duplicate. */
static size_t find_duplicate(Scanner *scanner, size_t number, int expanded)
{
    if (number < FEW_ATTRIBUTES) {
        for (size_t i = 0; i < number; i++) {
            if (is_same_name(&scanner->attributes[i], &scanner->attributes[number], expanded))
                return i + 1;
        }
        return 0;
    }
    if ((number == FEW_ATTRIBUTES || 2 * number >= scanner->slot_count) && !index_attributes(scanner, number, expanded))
        return 0;
    return find_slot(scanner, number, expanded);
}

/* Return whether the end of a tag begins here, and after the tag what may be the value of its last attribute: see
   `_END_AND_VALUE` in dialects/xml5/tokenizer.py. -1 where it is not known before `stop`. */
static int precedes_value(const uint8_t *p, const uint8_t *stop)
{
    p += p < stop && *p == '/';
    if (p >= stop)
        return -1;
    if (*p != '>')
        return 0;
    return ++p < stop ? *p == '=' || *p == '"' || *p == '\'' : -1;
}

/* Return the next attribute of the current tag, which counts once `attribute_count` is raised; NULL where memory is short. */
static Attribute *next_attribute(Scanner *scanner)
{
    Attribute *items =
        room_in(scanner, scanner->attributes, scanner->attribute_count, &scanner->attribute_room, sizeof *items);
    if (!items)
        return NULL;
    scanner->attributes = items;
    return &items[scanner->attribute_count];
}

/* Skip characters up to the first one of a set. */
static const uint8_t *skip_others(const uint8_t *p, const uint8_t *stop, const char *set)
{
    while (p < stop && !(*p && strchr(set, *p)))
        p++;
    return p;
}

/* A tag that is being read. */
struct Tag {
    const uint8_t *after_value; /* the end of the last attribute's value, if that has quotes; else NULL */
    int is_after_name;          /* whether the last attribute has no value, and white space follows it */
    int is_empty;
    int is_changed;   /* whether it cannot stand as it is, though it may have no error */
    int has_declaration; /* of a namespace */
    size_t prefixed;     /* how many of its other attributes have a prefix, */
    size_t improper;     /* or are not written with their names */
    size_t collected;    /* how many have values that are not as they are in the document */
    size_t longest;      /* the length of the longest name */
};

/* Read a name, which ends before white space, "/", ">", or (`is_attribute`) "=". */
static const uint8_t *read_name(const Scanner *scanner, const uint8_t *p, int is_attribute, Attribute *read, Tag *tag)
{
    const uint8_t *end = skip_name(scanner, p, &read->prefix_length);
    read->is_proper = end && (is_space(*end) || *end == '>' || *end == '/' || (*end == '=' && is_attribute));
    if (!read->is_proper) {
        read->prefix_length = 0;
        end = skip_others(p + 1, scanner->stop, is_attribute ? "\t\n =/>" : "\t\n />");
    }
    size_t skip = read->prefix_length ? read->prefix_length + 1 : 0;
    read->name = (Slice){p, (size_t)(end - p)};
    read->prefix = (Slice){p, read->prefix_length};
    read->local = (Slice){p + skip, read->name.length - skip};
    read->uri = (Slice){p, 0};
    tag->longest = read->name.length > tag->longest ? read->name.length : tag->longest;
    return end;
}

/* Read the value of an attribute that begins here, and note its errors; `quote` is 0 if the value has no quotes. Return its
   end, without the closing quote. NULL where the states must read it. */
static const uint8_t *collect_value(Scanner *scanner, Attribute *attribute, const uint8_t *p, uint8_t quote)
{
    const uint8_t *start = p, *stop = scanner->stop;
    uint8_t bracket = 0; /* the first one */
    int is_as_written = 1;
    for (;;) {
        const uint8_t *piece = p, *kept = p;
        for (; p < stop && *p != '&' && (quote ? *p != quote : *p != '>' && !is_space(*p)); p++) {
            if (!bracket && (*p == '<' || *p == '>'))
                bracket = *p;
        }
        if (p >= stop)
            return NULL;
        for (; piece < p; piece++) {
            if (*piece == '<') {
                Error *error = note_error(scanner, LESS_THAN, piece, (Slice){piece, 1});
                error->effect = quote && bracket == '<' ? "kept" : "moved";
            } else if (*piece == '\t' || *piece == '\n') {
                is_as_written = 0;
                put(scanner, kept, (size_t)(piece - kept));
                put_text(scanner, " ");
                kept = piece + 1;
            }
        }
        if (*p == '&')
            is_as_written = 0;
        if (!is_as_written)
            put(scanner, kept, (size_t)(p - kept));
        if (*p != '&')
            break;
        p = collect_reference(scanner, attribute, p, stop);
        if (!p)
            return NULL;
    }
    attribute->value = is_as_written ? (Slice){start, (size_t)(p - start)} : finish(scanner);
    return p;
}

/* Have spaces stand for white space in a value. */
static void normalize(Scanner *scanner, Attribute *attribute)
{
    const uint8_t *p = attribute->value.start, *end = p + attribute->value.length;
    size_t length = attribute->value.length;
    if (attribute->is_raw && (memchr(p, '\n', length) || memchr(p, '\t', length))) {
        for (; p < end; p++)
            put(scanner, is_space(*p) ? (const uint8_t *)" " : p, 1);
        attribute->value = finish(scanner);
    }
    attribute->is_raw = 0;
}

/* Return the effect of an attribute of which another one has the name. */
static const char *effect_of_second(Scanner *scanner, Attribute *first, Attribute *second)
{
    normalize(scanner, first);
    normalize(scanner, second);
    return same(first->value, second->value) ? "kept" : "lost";
}

/* Read the attribute that begins here. */
static const uint8_t *read_attribute(Scanner *scanner, const uint8_t *p, Tag *tag)
{
    const uint8_t *stop = scanner->stop, *start = p;
    Attribute *attribute = next_attribute(scanner);
    if (!attribute)
        return NULL;
    tag->is_empty = 0;
    attribute->is_declaration = attribute->has_entity = attribute->is_reserved = attribute->is_dropped = 0;
    p = read_name(scanner, p, 1, attribute, tag);
    attribute->value = (Slice){p, 0};
    attribute->is_raw = 0;
    size_t first = find_duplicate(scanner, scanner->attribute_count, 0), error = scanner->error_count;
    int is_dropped = first > 0;
    if (is_dropped)
        note_error(scanner, DUPLICATE, start, attribute->name);
    p = skip_spaces(p, stop);
    if (p >= stop)
        return NULL;
    int is_glued = start == tag->after_value;
    tag->after_value = NULL;
    tag->is_after_name = 0;
    if (*p != '=') {
        tag->is_after_name = is_space(p[-1]);
        int is_torn = precedes_value(p, stop);
        if (is_torn < 0)
            return NULL;
        Error *missing = note_error(scanner, NO_VALUE, start, attribute->name);
        missing->effect = is_glued || is_torn ? "moved" : NULL; /* part of that value, or of one after the tag */
    } else {
        p = skip_spaces(p + 1, stop);
        if (p >= stop)
            return NULL;
        if (*p == '"' || *p == '\'') {
            const uint8_t *end = find_special(scanner, p + 1, '<', '&', *p);
            attribute->is_raw = end < stop && *end == *p;
            attribute->value = (Slice){p + 1, (size_t)(end - p - 1)};
            p = attribute->is_raw ? end : collect_value(scanner, attribute, p + 1, *p);
            if (!p)
                return NULL;
            tag->after_value = ++p;
        } else {
            int is_absent = *p == '>', is_torn = is_absent ? precedes_value(p, stop) : 0;
            Kind kind = is_absent ? EMPTY_VALUE : UNQUOTED;
            if (is_torn < 0)
                return NULL;
            Error *wrong = note_error(scanner, kind, is_absent ? start : p, (Slice){p, 0});
            wrong->effect = is_torn || (is_absent && is_glued) ? "moved" : NULL;
            if (!is_absent)
                p = collect_value(scanner, attribute, p, 0);
            if (!p)
                return NULL;
        }
    }
    if (is_dropped && !scanner->has_failed)
        scanner->errors[error].effect = effect_of_second(scanner, &scanner->attributes[first - 1], attribute);
    tag->is_changed |= attribute->has_entity;
    if (is_dropped)
        return p;
    tag->collected += !attribute->is_raw;
    scanner->attribute_count++;
    if (!declares(attribute->name)) {
        tag->prefixed += attribute->prefix_length > 0;
        tag->improper += !attribute->is_proper;
        return p;
    }
    tag->has_declaration = 1;
    for (; error < scanner->error_count; error++) {
        if (scanner->errors[error].kind == LESS_THAN)
            scanner->errors[error].effect = "lost"; /* no tree has the name of a namespace as text */
    }
    return attribute->has_entity ? NULL : p; /* the states know what of it counts */
}

/* Read the rest of a start or empty tag after its name, up to its ">". */
static const uint8_t *read_attributes(Scanner *scanner, const uint8_t *p, Tag *tag)
{
    const uint8_t *stop = scanner->stop;
    for (;;) {
        p = skip_spaces(p, stop);
        if (p >= stop)
            return NULL;
        if (*p == '>')
            return p;
        if (*p == '/') {
            tag->is_empty = 1;
            if (++p >= stop)
                return NULL;
            if (*p == '>')
                return p;
            tag->is_after_name = 0;
            note_error(scanner, SOLIDUS, p - 1, (Slice){p - 1, 1});
        } else if (*p == ':' && !tag->is_after_name) { /* after a name, 1.3.28 knows no ':', so an attribute begins with it */
            note_error(scanner, COLON, p, (Slice){p, 1});
            p++;
        } else {
            if (p == tag->after_value)
                note_error(scanner, NO_SPACE, p, (Slice){p, 1});
            p = read_attribute(scanner, p, tag);
            if (!p)
                return NULL;
        }
    }
}

/* What is written: see xml5tree/tree/infoset.py and namespaces.py ---------------------------------------------------- */

/* Note an error of the current tag as a whole: `written` stands for `source`. */
static Error *note_of_tag(Scanner *scanner, Kind kind, Slice source, Slice written)
{
    Error *error = note_error(scanner, kind, scanner->tag, source);
    error->current = written;
    return error;
}

/* Append text without characters that XML forbids; return whether it has some. */
static int put_coerced(Scanner *scanner, const uint8_t *p, const uint8_t *end)
{
    int is_changed = 0;
    while (p < end) {
        const uint8_t *next = find_any(p, end, 0xEF, 0xEF, 0xEF);
        put(scanner, p, (size_t)(next - p));
        p = next;
        if (p < end) {
            uint32_t code = *p;
            size_t length = code == 0xEF ? decode(p, end, &code) : 1;
            if (length && !is_forbidden(code)) {
                put(scanner, p, length);
            } else {
                is_changed = 1;
                put_text(scanner, code == '\f' ? " " : "\xEF\xBF\xBD");
            }
            p += length ? length : 1;
        }
    }
    return is_changed;
}

/* Return text without characters that XML forbids. */
static Slice coerced_text(Scanner *scanner, Slice text)
{
    const uint8_t *end = text.start + text.length;
    if (find_any(text.start, end, 0xEF, 0xEF, 0xEF) < end) {
        if (put_coerced(scanner, text.start, end))
            return finish(scanner);
        drop(scanner);
    }
    return text;
}

/* Return a name as an NCName, each character escaped that cannot stand there; NULL if `decode` fails. */
static Slice coerced_name(Scanner *scanner, Slice name)
{
    static const char digits[] = "0123456789ABCDEF";
    int is_changed = 0;
    unsigned wanted = scanner->around->first_class;
    if (is_name(scanner, name, 0))
        return name;
    for (const uint8_t *p = name.start, *end = p + name.length; p < end;) {
        uint32_t code = *p;
        size_t length = code < 0x80 ? 1 : decode(p, end, &code);
        if (!length) {
            drop(scanner);
            return (Slice){NULL, 0};
        }
        if (code != ':' && is_of_class(scanner->around, code, wanted)) {
            put(scanner, p, length);
        } else {
            is_changed = 1;
            put_text(scanner, "U");
            for (int shift = 20; shift >= 0; shift -= 4)
                put(scanner, &digits[code >> shift & 15], 1);
        }
        p += length;
        wanted = scanner->around->name_class;
    }
    if (is_changed)
        return finish(scanner);
    drop(scanner);
    return name;
}

/* Note the coerced form of a name, `written`, if it is one. 0 where the states must do it. A name with one of `<"'` is markup
   that was read as a name, so the effect is "moved": see `_NO_NAME` in xml5tree/tree/namespaces.py. */
static int note_coerced(Scanner *scanner, Kind kind, Slice name, Slice local, Slice *written)
{
    *written = coerced_name(scanner, local);
    if (written->start && written->start != local.start) {
        Error *error = note_of_tag(scanner, kind, name, *written);
        if (skip_others(name.start, name.start + name.length, "<\"'") < name.start + name.length)
            error->effect = "moved";
    }
    return written->start != NULL;
}

/* Read what an attribute declares, if it declares a namespace, and bind it. 0 where the states must do it: where the binding
   of a prefix in the markup is not that in the document. */
static int take_declaration(Scanner *scanner, Attribute *attribute, Tag *tag)
{
    const Surroundings *around = scanner->around;
    if (!declares(attribute->name))
        return 1;
    normalize(scanner, attribute);
    Slice name = attribute->name, prefix = {name.start + 5, 0}, uri = attribute->value;
    if (name.length > 5)
        prefix = (Slice){name.start + 6, name.length - 6};
    tag->improper += !attribute->is_proper;
    if (name.length == 6 || memchr(prefix.start, ':', prefix.length)) /* it is an attribute like others */
        return 1;
    int is_xml = is_text(prefix, "xml"), names_xml = is_text(uri, XML_NAMESPACE);
    if ((is_xml && !names_xml) || is_text(prefix, "xmlns") || is_text(uri, XMLNS_NAMESPACE)) {
        put_text(scanner, prefix.length ? "xmlnsU00003A" : "U000078mlns");
        put_slice(scanner, prefix);
        attribute->local = coerced_name(scanner, finish(scanner));
        attribute->is_reserved = 1;
        attribute->prefix.length = 0;
        tag->improper++;
        note_of_tag(scanner, RESERVED, name, name);
        return attribute->local.start != NULL;
    }
    attribute->is_declaration = 1;
    attribute->prefix = (Slice){name.start, prefix.length ? 5 : 0};
    attribute->local = prefix.length ? prefix : name;
    attribute->uri = slice_of(XMLNS_NAMESPACE);
    if (is_xml)
        return 1;
    if (prefix.length && (names_xml || !uri.length)) {
        attribute->is_dropped = 1;
        note_of_tag(scanner, names_xml ? NAMES_XML : UNDECLARING, name, name);
        return bind_prefix(scanner, prefix, uri, names_xml ? AS_XML : UNBOUND);
    }
    if (names_xml || (prefix.length && !is_name(scanner, prefix, 0)))
        return 0;
    if (!is_plain_uri(uri)) {
        Found found;
        if (!around->takes_errors || !is_accepted(scanner, around->find(around->context, '=', uri, &found)))
            return 0;
        attribute->value = found.first;
        if (!same(uri, attribute->value))
            note_of_tag(scanner, COERCED_URI, uri, attribute->value);
    }
    return bind_prefix(scanner, prefix, attribute->value, PLAIN);
}

/* Find the written form of a name, whose `prefix` is set to "" or that before its first colon, as of `split_name` in
   namespaces.py. A prefix that is not in scope is bound, and its declaration added. 0 where the states must do it. */
static int write_name(Scanner *scanner, Kind kind, Attribute *written, Tag *tag)
{
    const Surroundings *around = scanner->around;
    Slice name = written->name;
    if (written->is_proper && !written->prefix_length)
        return 1;
    if (around->checks_ids && is_text(name, "xml:id"))
        return 0;
    const uint8_t *colon = written->is_proper ? NULL : memchr(name.start, ':', name.length);
    if (colon && colon > name.start && name.start[name.length - 1] != ':') {
        written->prefix.length = (size_t)(colon - name.start);
        written->local = (Slice){colon + 1, name.length - written->prefix.length - 1};
    }
    if (is_text(written->prefix, "xmlns")) { /* of an attribute, it would be a declaration if it could */
        if (kind == COERCED_ELEMENT)
            note_of_tag(scanner, XMLNS_PREFIX, written->prefix, name);
        written->prefix.length = 0;
        written->local = name;
        written->is_proper = 0;
    }
    if (!written->is_proper && !note_coerced(scanner, kind, name, written->local, &written->local))
        return 0;
    if (!written->prefix.length)
        return 1;
    Binding binding = find_binding(scanner, written->prefix, 0);
    written->uri = binding.uri;
    if (binding.meaning == AS_XML) {
        written->prefix = slice_of("xml");
        tag->is_changed = 1;
        return !is_text(written->local, "id"); /* as some readers check the value */
    }
    if (binding.meaning != UNBOUND)
        return binding.meaning == PLAIN;
    Slice *added;
    Found found;
    if (!around->takes_errors || !is_accepted(scanner, around->find(around->context, ':', written->prefix, &found)) ||
        (found.number && scanner->scope_count) ||
        !(added = room_in(scanner, scanner->added, scanner->added_count, &scanner->added_room, sizeof *added)))
        return 0;
    note_of_tag(scanner, UNDECLARED, written->prefix, found.first);
    scanner->added = added;
    written->uri = found.first;
    binding = find_binding(scanner, written->prefix, 1);
    if (binding.meaning != PLAIN || !same(binding.uri, written->uri))
        added[scanner->added_count++] = found.second;
    return bind_prefix(scanner, written->prefix, written->uri, PLAIN);
}

/* Note that an attribute has the expanded name of an earlier one, if so; return whether it is the first. */
static int is_first(Scanner *scanner, size_t number)
{
    Attribute *item = &scanner->attributes[number];
    size_t first = find_duplicate(scanner, number, 1);
    Attribute *other = item - number + (first ? first - 1 : 0);
    if (first)
        note_of_tag(scanner, SAME_NAME, item->name, other->name)->effect = effect_of_second(scanner, other, item);
    return !first;
}

/* Find the written names of the current tag, and note what is coerced in it. Return 0 where the states must do it. */
static int resolve_names(Scanner *scanner, Attribute *element, Tag *tag)
{
    Attribute *items = scanner->attributes;
    size_t count = 0, size = scanner->attribute_count;
    for (size_t i = 0; tag->collected && i < size; i++) {
        if (items[i].is_raw)
            continue;
        Slice value = coerced_text(scanner, items[i].value);
        if (value.start != items[i].value.start)
            note_of_tag(scanner, COERCED, items[i].value, value);
        items[i].value = value;
    }
    for (size_t i = 0; tag->has_declaration && i < size; i++) {
        if (!take_declaration(scanner, &items[i], tag))
            return 0;
    }
    if (!write_name(scanner, COERCED_ELEMENT, element, tag))
        return 0;
    int may_be_same = tag->prefixed > 1 || tag->improper;
    for (size_t i = 0; i < size; i++) {
        Attribute *item = &items[count];
        if (items[i].is_dropped)
            continue;
        if (count < i)
            *item = items[i];
        if (!item->is_declaration && !item->is_reserved && !write_name(scanner, COERCED_ATTRIBUTE, item, tag))
            return 0;
        count += !may_be_same || is_first(scanner, count);
    }
    scanner->attribute_count = count;
    return !scanner->has_failed;
}

/* Append a name. */
static void put_name(Scanner *scanner, const Attribute *name)
{
    put_slice(scanner, name->prefix);
    if (name->prefix.length)
        put_text(scanner, ":");
    put_slice(scanner, name->local);
}

/* Append an attribute with its value as it is written. */
static void put_attribute(Scanner *scanner, const Attribute *attribute)
{
    put_text(scanner, " ");
    put_name(scanner, attribute);
    put_text(scanner, "=\"");
    const uint8_t *p = attribute->value.start, *end = p + attribute->value.length, *kept = p;
    for (; p < end; p++) {
        const char *escape = escape_of(*p, 1);
        if (escape) {
            put(scanner, kept, (size_t)(p - kept));
            put_text(scanner, escape);
            kept = p + 1;
        }
    }
    put(scanner, kept, (size_t)(p - kept));
    put_text(scanner, "\"");
}

/* Text outside the root element --------------------------------------------------------------------------------------- */

/* Note that the text outside the root element ends here, if there is some; `is_before`: what follows belongs to a beginning of
   the document. */
static void note_outer_text(Scanner *scanner, int is_before)
{
    OuterText *text = &scanner->outer;
    if (!text->mark.place)
        return;
    Error *error = note_error(scanner, OUTER_TEXT, text->mark.place, (Slice){text->mark.place, 0});
    error->lowest = (long long)text->length;
    error->level = (long long)text->visible;
    error->effect = text->is_content && !is_before ? "lost" : "kept";
    error->within = (size_t)text->is_text | (size_t)scanner->has_root << 1 | (size_t)text->is_reference << 2;
    text->mark.place = NULL;
}

/* Read the start or empty tag whose name begins here. It is written anew if it has an error or an entity. */
static const uint8_t *read_tag(Scanner *scanner, const uint8_t *p)
{
    const Surroundings *around = scanner->around;
    if (p >= scanner->stop)
        return NULL;
    uint32_t code = *p;
    if (code >= 0x80 ? !decode(p, scanner->stop, &code) : is_space(*p) || (code && strchr("/?!:<>", *p)))
        return NULL;
    size_t scopes = scanner->scope_count, errors = scanner->error_count;
    const Block *block = scanner->block;
    scanner->tag = p - 1;
    scanner->attribute_count = scanner->added_count = 0;
    drop(scanner);
    size_t made = scanner->made, replacements = scanner->replacement_count;
    Attribute element;
    Tag tag = {0};
    Slice defaults = {p, 0};
    const uint8_t *end = read_name(scanner, p, 0, &element, &tag);
    end = read_attributes(scanner, end, &tag);
    if (!end || (around->declarations &&
                 !is_accepted(scanner, around->declarations(around->context, scanner, element.name, &tag, &defaults))))
        return NULL;
    tag.is_changed |= scanner->error_count > errors || (defaults.length && (tag.prefixed > 1 || tag.has_declaration));
    note_outer_text(scanner, 0);
    judge_child(scanner, element.name, p - 1);
    Slice source = {p - 1, (size_t)(end + 1 - (p - 1))}, written = {NULL, 0};
    if (scanner->has_failed || !make_room(scanner, source))
        return NULL;
    errors = scanner->error_count; /* those before are not of the names */
    int is_simple = element.is_proper && !element.prefix_length && !tag.prefixed && !tag.improper && !tag.collected;
    if ((!is_simple || tag.has_declaration) && !resolve_names(scanner, &element, &tag))
        return NULL;
    if (tag.is_changed || scanner->error_count > errors) {
        if (!around->takes_errors || tag.longest > LONGEST_WRITTEN_NAME || !lose_lines(scanner, source))
            return NULL;
        for (size_t i = 0; i < scanner->attribute_count; i++)
            normalize(scanner, &scanner->attributes[i]);
        put_text(scanner, "<");
        put_name(scanner, &element);
        size_t length = scanner->made - scanner->item - 1;
        for (size_t i = 0; i < scanner->added_count; i++)
            put_slice(scanner, scanner->added[i]);
        for (size_t i = 0; i < scanner->attribute_count; i++)
            put_attribute(scanner, &scanner->attributes[i]);
        put_slice(scanner, defaults);
        put_missing_lines(scanner);
        put_text(scanner, tag.is_empty ? "/>" : ">");
        Slice markup = finish(scanner);
        if (scanner->has_failed)
            return NULL;
        replace(scanner, source, markup);
        if (!same(element.name, (Slice){markup.start + 1, length}))
            written = (Slice){markup.start + 1, length};
    } else {
        const uint8_t *place = end - tag.is_empty;
        if (scanner->block == block && scanner->replacement_count == replacements && !defaults.length && !tag.has_declaration)
            scanner->made = scanner->item = made; /* nothing that was made is used */
        if (defaults.length)
            replace(scanner, (Slice){place, 0}, defaults);
        add_missing_lines(scanner, place);
    }
    Slice name = written.start ? written : element.name;
    note_element(scanner, name, p - 1, NULL, 0);
    if (tag.is_empty) {
        note_element(scanner, name, p - 1, end + 1, 0);
        scanner->scope_count = scopes;
    } else {
        push(scanner, element.name, written);
    }
    return end + 1;
}

#endif
