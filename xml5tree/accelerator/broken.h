/* Tags and references with errors that the draft decides from the token itself: read as the states of §1.3.24 to §1.3.33 and
   §1.3.35 read them, and written anew as tree construction does. `read_broken_tag` reads each start or empty tag again that
   `read_tag` in scanner.h has refused, so it notes the errors that `read_tag` notes, too. What it refuses, the states read.
   For the rules about errors see `note_error` in run.h. Nothing here knows of Python. */

#ifndef XML5TREE_BROKEN_H
#define XML5TREE_BROKEN_H

#include "run.h"

/* The most bytes of such a tag, and of its markup. They bound the time lost on refused tags. */
enum { MOST_BROKEN = 2048, MOST_MADE = 16 * MOST_BROKEN };

/* Append to what is being made; where there is no room, the states have to read it. */
static void put(Scanner *scanner, const void *bytes, size_t length)
{
    if (length > MOST_MADE - scanner->making_length) {
        scanner->is_making_full = 1;
        return;
    }
    memcpy(scanner->making + scanner->making_length, bytes, length);
    scanner->making_length += length;
}

static void put_slice(Scanner *scanner, Slice text)
{
    put(scanner, text.start, text.length);
}

static void put_text(Scanner *scanner, const char *text)
{
    put(scanner, text, strlen(text));
}

/* Return what has been made from a place on. */
static Slice made_since(const Scanner *scanner, size_t place)
{
    return (Slice){scanner->making + place, scanner->making_length - place};
}

/* Begin to make something; 0 where memory is short. */
static int begin_making(Scanner *scanner)
{
    if (!scanner->making)
        scanner->making = malloc(MOST_MADE);
    scanner->has_failed |= !scanner->making;
    scanner->making_length = 0;
    scanner->is_making_full = 0;
    return scanner->making != NULL;
}

/* Keep what has been made as long as the scanner; NULL where that cannot be. */
static const uint8_t *keep_made(Scanner *scanner)
{
    if (scanner->is_making_full)
        return NULL;
    uint8_t **items = room_in(scanner, scanner->made, scanner->made_count, &scanner->made_room, sizeof *items);
    if (items)
        scanner->made = items;
    uint8_t *made = items ? malloc(scanner->making_length + 1) : NULL;
    if (!made) {
        scanner->has_failed = 1;
        return NULL;
    }
    memcpy(made, scanner->making, scanner->making_length);
    items[scanner->made_count++] = made;
    return made;
}

/* Redirect a slice from the scratch buffer to the kept copy of that. */
static void move_to(const Scanner *scanner, Slice *slice, const uint8_t *made)
{
    if (slice->start >= scanner->making && slice->start <= scanner->making + scanner->making_length)
        slice->start = made + (slice->start - scanner->making);
}

/* Write a character in UTF-8, and return its length. */
static size_t write_character(uint32_t code, uint8_t *to)
{
    size_t length = 0;
    if (code < 0x80) {
        to[length++] = (uint8_t)code;
    } else {
        if (code < 0x800) {
            to[length++] = (uint8_t)(0xC0 | code >> 6);
        } else {
            if (code < 0x10000) {
                to[length++] = (uint8_t)(0xE0 | code >> 12);
            } else {
                to[length++] = (uint8_t)(0xF0 | code >> 18);
                to[length++] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
            }
            to[length++] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        }
        to[length++] = (uint8_t)(0x80 | (code & 0x3F));
    }
    return length;
}

/* Append a character in UTF-8. */
static void put_character(Scanner *scanner, uint32_t code)
{
    uint8_t bytes[4];
    put(scanner, bytes, write_character(code, bytes));
}

/* References ------------------------------------------------------------------------------------------------------- */

/* Read the numeric reference that begins here, and note its errors. Return its end, and its character in `*code`. Without
   digits, the ampersand stands alone: the end is after the ampersand, which is the character. NULL where the reference may go
   on after `stop`. See xml5tree/xml/references.py. */
static const uint8_t *read_number(Scanner *scanner, const uint8_t *p, const uint8_t *stop, uint32_t *code)
{
    int is_upper = p + 2 < stop && p[2] == 'X', is_hexadecimal = is_upper || (p + 2 < stop && p[2] == 'x');
    uint32_t number;
    const uint8_t *digits = p + 2 + is_hexadecimal, *end = skip_digits(digits, stop, is_hexadecimal ? 16 : 10, &number);
    if (end >= stop)
        return NULL;
    int has_digits = end > digits, is_ended = *end == ';';
    end += is_ended;
    Slice source = {p, (size_t)(end - p)};
    *code = '&';
    if (!has_digits)
        return note_error(scanner, NO_DIGITS, p, source) ? p + 1 : NULL;
    if ((is_upper && !note_error(scanner, UPPERCASE_X, p, source)) ||
        (!is_ended && !note_error(scanner, UNENDED_NUMBER, p, source)))
        return NULL;
    int is_surrogate = number >= 0xD800 && number <= 0xDFFF, is_outside = number > 0x10FFFF;
    if (is_surrogate) /* perhaps half of a pair */
        return NULL;
    *code = number == 0 || is_outside ? 0xFFFD : number;
    Kind kind = number == 0    ? NULL_REFERENCE
                : is_outside ? OUTSIDE_REFERENCE
                : number == 0xFFFE || number == 0xFFFF ? NONCHARACTER_REFERENCE
                                                       : CONTROL_REFERENCE;
    int is_wrong = kind != CONTROL_REFERENCE || is_forbidden(number);
    if (is_wrong && number < 0x10000 && !scanner->around->replaces_forbidden)
        return NULL;
    return !is_wrong || note_error(scanner, kind, p, source) ? end : NULL;
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

/* Read the numeric reference in text that begins here, at the mark. */
static const uint8_t *rewrite_number(Scanner *scanner, const uint8_t *p, const Mark *mark)
{
    uint32_t code;
    const uint8_t *end = read_number(scanner, p, scanner->stop, &code), *made;
    if (!end || !begin_making(scanner))
        return NULL;
    if (end == p + 1)
        return replace(scanner, (Slice){p, 1}, slice_of("&amp;")) ? end : NULL;
    if (is_forbidden(code)) {
        if (!scanner->forbidden.place) {
            scanner->forbidden = *mark;
            if (!note_error(scanner, FORBIDDEN, p, (Slice){p, 1}))
                return NULL;
        }
        code = code == '\f' ? ' ' : 0xFFFD;
    }
    if (code == ']') /* of which "]]>" may come */
        return NULL;
    const char *escape = escape_of(code, 0);
    if (escape)
        put_text(scanner, escape);
    else
        put_character(scanner, code);
    made = keep_made(scanner);
    Slice markup = {made, scanner->making_length};
    return made && replace(scanner, (Slice){p, (size_t)(end - p)}, markup) ? end : NULL;
}

/* As `rewrite_number`, but take back what has been noted where the states must read it. */
static const uint8_t *read_broken_number(Scanner *scanner, const uint8_t *p)
{
    Mark mark = mark_of(scanner, p), forbidden = scanner->forbidden;
    const uint8_t *end = rewrite_number(scanner, p, &mark);
    if (!end) {
        scanner->error_count = mark.error_count;
        scanner->forbidden = forbidden;
    }
    return end;
}

/* Read the reference in an attribute value that begins here, and append what it stands for; see `read_…` in run.h. */
static const uint8_t *collect_reference(Scanner *scanner, const uint8_t *p, const uint8_t *stop)
{
    const Surroundings *around = scanner->around;
    uint32_t code;
    if (p + 1 < stop && p[1] == '#') {
        const uint8_t *end = read_number(scanner, p, stop, &code);
        if (end)
            put_character(scanner, code);
        return end;
    }
    const uint8_t *end = skip_any_name(p + 1, stop);
    if (!end)
        return NULL;
    Slice name = {p + 1, (size_t)(end - p - 1)}, source = {p, name.length + 1}, markup = {p, 0};
    int is_ended = *end == ';';
    if (!name.length || !is_ended) {
        put_slice(scanner, source);
        return note_error(scanner, name.length ? NO_REFERENCE : AMPERSAND, p, source) ? end : NULL;
    }
    if ((code = predefined(name)) != 0) {
        put_character(scanner, code);
        return end + 1;
    }
    if (around->entities) /* the name may be one of those */
        return NULL;
    if (!is_accepted(scanner, around->references(around->context, name, &markup)) ||
        !note_error(scanner, REFERENCE, p, name))
        return NULL;
    for (const uint8_t *q = markup.start, *after = q + markup.length; q < after;) {
        put(scanner, q, 1);
        q += starts_with(q, after, "&amp;", 5) ? 5 : 1;
    }
    return end + 1;
}

/* The attributes of a tag -------------------------------------------------------------------------------------------- */

/* A tag that is being read. */
typedef struct {
    const uint8_t *stop;        /* the tag is read up to here at most */
    const uint8_t *after_value; /* the end of the last attribute's value, if that has quotes; else NULL */
    int is_after_name;          /* whether the last attribute has no value, and white space follows it */
    int is_empty;
} Broken;

/* Skip characters up to the first one of a set. */
static const uint8_t *skip_others(const uint8_t *p, const uint8_t *stop, const char *set)
{
    while (p < stop && !(*p && strchr(set, *p)))
        p++;
    return p;
}

/* Read the value that begins here, and note its errors; `quote` is 0 if the value has no quotes. Return its end, without
   the closing quote. NULL where the states must read it. */
static const uint8_t *collect_value(Scanner *scanner, const uint8_t *p, const uint8_t *stop, uint8_t quote, Slice *value)
{
    const uint8_t *start = p;
    size_t begin = scanner->making_length;
    uint8_t bracket = 0; /* the first one */
    int is_as_written = 1;
    for (;;) {
        const uint8_t *piece = p;
        for (; p < stop && *p != '&' && (quote ? *p != quote : *p != '>' && !is_space(*p)); p++) {
            if (!bracket && (*p == '<' || *p == '>'))
                bracket = *p;
        }
        if (p >= stop)
            return NULL;
        for (; piece < p; piece++) {
            if (*piece == '<') {
                Error *error = note_error(scanner, LESS_THAN, piece, (Slice){piece, 1});
                if (!error)
                    return NULL;
                error->effect = quote && bracket == '<' ? "kept" : "moved";
            }
            int is_blank = *piece == '\t' || *piece == '\n';
            is_as_written &= !is_blank;
            put(scanner, is_blank ? (const uint8_t *)" " : piece, 1);
        }
        if (*p != '&')
            break;
        is_as_written = 0;
        p = collect_reference(scanner, p, stop);
        if (!p)
            return NULL;
    }
    *value = made_since(scanner, begin);
    if (is_as_written) {
        *value = (Slice){start, (size_t)(p - start)};
        scanner->making_length = begin;
    }
    return p;
}

/* Read the attribute that begins here. */
static const uint8_t *read_broken_attribute(Scanner *scanner, const uint8_t *p, Broken *tag)
{
    const uint8_t *stop = tag->stop, *start = p;
    Attribute *attribute = next_attribute(scanner);
    if (!attribute || scanner->attribute_count >= FEW_ATTRIBUTES)
        return NULL;
    tag->is_empty = 0;
    p = skip_others(p + 1, stop, "\t\n =/>");
    attribute->name = (Slice){start, (size_t)(p - start)};
    attribute->value = (Slice){p, 0};
    attribute->start = start;
    size_t first = find_duplicate(scanner, attribute->name), error = scanner->error_count;
    int is_dropped = first > 0;
    if (is_dropped && !note_error(scanner, DUPLICATE, start, attribute->name))
        return NULL;
    p = skip_spaces(p, stop);
    if (p >= stop)
        return NULL;
    int is_glued = start == tag->after_value;
    tag->after_value = NULL;
    tag->is_after_name = 0;
    if (*p != '=') {
        tag->is_after_name = is_space(p[-1]);
        int is_torn = precedes_value(p, stop);
        Error *missing = is_torn < 0 ? NULL : note_error(scanner, NO_VALUE, start, attribute->name);
        if (!missing)
            return NULL;
        missing->effect = is_glued || is_torn ? "moved" : NULL; /* part of that value, or of one after the tag */
    } else {
        p = skip_spaces(p + 1, stop);
        if (p >= stop || *p == '\\')
            return NULL;
        if (*p == '"' || *p == '\'') {
            p = collect_value(scanner, p + 1, stop, *p, &attribute->value);
            if (!p)
                return NULL;
            tag->after_value = ++p;
        } else {
            int is_absent = *p == '>', is_torn = is_absent ? precedes_value(p, stop) : 0;
            Kind kind = is_absent ? EMPTY_VALUE : UNQUOTED;
            Error *wrong = is_torn < 0 ? NULL : note_error(scanner, kind, is_absent ? start : p, (Slice){p, 0});
            if (!wrong)
                return NULL;
            wrong->effect = is_torn ? "moved" : NULL;
            if (!is_absent)
                p = collect_value(scanner, p, stop, 0, &attribute->value);
            if (!p)
                return NULL;
        }
    }
    if (is_dropped)
        scanner->errors[error].effect = same(attribute->value, scanner->attributes[first - 1].value) ? "kept" : "lost";
    for (; !is_dropped && declares(attribute->name) && error < scanner->error_count; error++) {
        if (scanner->errors[error].kind == LESS_THAN)
            scanner->errors[error].effect = "lost"; /* no tree has the name of a namespace as text */
    }
    scanner->attribute_count += !is_dropped;
    return p;
}

/* Read the rest of a start or empty tag after its name, up to its ">". */
static const uint8_t *read_attributes(Scanner *scanner, const uint8_t *p, Broken *tag)
{
    const uint8_t *stop = tag->stop;
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
            if (!note_error(scanner, SOLIDUS, p - 1, (Slice){p - 1, 1}))
                return NULL;
        } else if (*p == ':' && !tag->is_after_name) { /* after a name, 1.3.28 knows no ':', so an attribute begins with it */
            if (!note_error(scanner, COLON, p, (Slice){p, 1}))
                return NULL;
            p++;
        } else {
            if (p == tag->after_value && !note_error(scanner, NO_SPACE, p, (Slice){p, 1}))
                return NULL;
            p = read_broken_attribute(scanner, p, tag);
            if (!p)
                return NULL;
        }
    }
}

/* What is written --------------------------------------------------------------------------------------------------- */

/* Note an error of the current tag as a whole: `written` stands for `source`. 0 where memory is short. A name with one of
   `<"'` is markup that was read as a name, so the effect is "moved": see `_NO_NAME` in xml5tree/tree/namespaces.py. */
static int note_of_tag(Scanner *scanner, Kind kind, Slice source, Slice written)
{
    Error *error = note_error(scanner, kind, scanner->tag.place, source);
    if (!error)
        return 0;
    error->current = written;
    if (kind != COERCED && skip_others(source.start, source.start + source.length, "<\"'") < source.start + source.length)
        error->effect = "moved";
    return 1;
}

/* Return a value without characters that XML forbids; see xml5tree/tree/infoset.py. */
static Slice coerced_value(Scanner *scanner, Slice value)
{
    size_t begin = scanner->making_length;
    int is_changed = 0;
    for (const uint8_t *p = value.start, *end = p + value.length; p < end;) {
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
    if (is_changed)
        return made_since(scanner, begin);
    scanner->making_length = begin;
    return value;
}

/* Return a local name as it is written, each character escaped that cannot stand there; NULL if `decode` fails. See
   xml5tree/tree/infoset.py. */
static Slice coerced_name(Scanner *scanner, Slice name)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t begin = scanner->making_length;
    int is_changed = 0;
    unsigned wanted = scanner->around->first_class;
    for (const uint8_t *p = name.start, *end = p + name.length; p < end;) {
        uint32_t code = *p;
        size_t length = code < 0x80 ? 1 : decode(p, end, &code);
        if (!length)
            return (Slice){NULL, 0};
        if (code != ':' && class_of(code) & wanted) {
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
        return made_since(scanner, begin);
    scanner->making_length = begin;
    return name;
}

/* A name that is written. */
typedef struct {
    Slice prefix; /* empty where there is none */
    Slice local;
    Slice uri;
} Written;

/* Append a name. */
static void put_name(Scanner *scanner, const Written *name)
{
    put_slice(scanner, name->prefix);
    if (name->prefix.length)
        put_text(scanner, ":");
    put_slice(scanner, name->local);
}

/* Write a name; a prefix that is not in scope is bound, and its declaration added to `added`. Return 0 where the states
   must do it. */
static int write_name(Scanner *scanner, Slice name, Kind kind, Written *written, Slice *added, size_t *added_count)
{
    static const uint8_t xmlns[] = "xmlns";
    const Surroundings *around = scanner->around;
    const uint8_t *colon = memchr(name.start, ':', name.length);
    *written = (Written){{name.start, 0}, name, {xmlns, 0}};
    if (colon && colon > name.start && name.start[name.length - 1] != ':') {
        written->prefix.length = (size_t)(colon - name.start);
        written->local.start = colon + 1;
        written->local.length -= written->prefix.length + 1;
    }
    Slice local = coerced_name(scanner, written->local);
    if (!local.start || is_text(written->prefix, "xmlns"))
        return 0;
    if (local.start != written->local.start && !note_of_tag(scanner, kind, name, local))
        return 0;
    written->local = local;
    if (!written->prefix.length || find_binding(scanner, written->prefix, &written->uri))
        return 1;
    Slice markup;
    if (!around->adoptions || *added_count >= FEW_ATTRIBUTES)
        return 0;
    if (!is_accepted(scanner, around->adoptions(around->context, scanner, written->prefix, &written->uri, &markup)) ||
        !note_of_tag(scanner, UNDECLARED, written->prefix, written->uri))
        return 0;
    added[(*added_count)++] = markup;
    return bind_prefix(scanner, written->prefix, written->uri);
}

/* Append an attribute with its value as it is written. */
static void put_attribute(Scanner *scanner, const Written *name, Slice value)
{
    put_text(scanner, " ");
    put_name(scanner, name);
    put_text(scanner, "=\"");
    for (size_t i = 0; i < value.length; i++) {
        const char *escape = escape_of(value.start[i], 1);
        if (escape)
            put_text(scanner, escape);
        else
            put(scanner, value.start + i, 1);
    }
    put_text(scanner, "\"");
}

/* Return whether what the attributes of the current tag declare can be written as it stands. */
static int has_plain_declarations(const Scanner *scanner)
{
    for (size_t i = 0; i < scanner->attribute_count; i++) {
        const Attribute *attribute = &scanner->attributes[i];
        Slice name = attribute->name;
        if (!declares(name))
            continue;
        if (name.length > 5 && (name.length == 6 || skip_ncname(scanner, name.start + 6) != name.start + name.length))
            return 0;
        if (attribute->value.start < scanner->start || attribute->value.start >= scanner->stop)
            return 0;
    }
    return 1;
}

/* Write the current tag anew in `*markup`, and note what is coerced in it. Its attributes have been read, and its `>` is at
   `end`. `*element` is the element's name as it is written. 0 where the states must do it. */
static int write_tag(Scanner *scanner, Slice name, const uint8_t *end, int is_empty, Slice *element, Slice *markup)
{
    Written written[FEW_ATTRIBUTES + 1];
    Slice added[FEW_ATTRIBUTES];
    size_t added_count = 0, count = scanner->attribute_count;
    Attribute *attributes = scanner->attributes;
    for (size_t i = 0; i < count; i++) {
        Slice value = coerced_value(scanner, attributes[i].value);
        if (value.start != attributes[i].value.start &&
            !(scanner->around->replaces_forbidden && note_of_tag(scanner, COERCED, attributes[i].value, value)))
            return 0;
        attributes[i].value = value;
    }
    if (!has_plain_declarations(scanner) || !bind_declarations(scanner) ||
        !write_name(scanner, name, COERCED_ELEMENT, &written[count], added, &added_count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (declares(attributes[i].name)) {
            written[i] = (Written){{attributes[i].name.start, 0}, attributes[i].name, {attributes[i].name.start, 5}};
            if (attributes[i].name.length > 5) {
                written[i].prefix.length = 5;
                written[i].local.start += 6;
                written[i].local.length -= 6;
            }
        } else if (!write_name(scanner, attributes[i].name, COERCED_ATTRIBUTE, &written[i], added, &added_count)) {
            return 0;
        }
        for (size_t j = 0; j < i; j++) {
            if (same(written[j].local, written[i].local) && same(written[j].uri, written[i].uri))
                return 0;
        }
    }
    size_t begin = scanner->making_length;
    put_text(scanner, "<");
    put_name(scanner, &written[count]);
    *element = made_since(scanner, begin + 1);
    for (size_t i = 0; i < added_count; i++)
        put_slice(scanner, added[i]);
    for (size_t i = 0; i < count; i++)
        put_attribute(scanner, &written[i], attributes[i].value);
    for (const uint8_t *p = name.start; p < end; p++) { /* else elements after it were on other lines */
        if (*p == '\n')
            put(scanner, p, 1);
    }
    put_text(scanner, is_empty ? "/>" : ">");
    *markup = made_since(scanner, begin);
    return !scanner->is_making_full;
}

/* Read the start or empty tag whose name begins here, if it has an error. */
static const uint8_t *read_broken_tag(Scanner *scanner, const uint8_t *p)
{
    const Surroundings *around = scanner->around;
    const uint8_t *stop = scanner->stop - p > MOST_BROKEN ? p + MOST_BROKEN : scanner->stop;
    if (!around->takes_broken || around->declarations || p >= stop || is_space(*p) || (*p && strchr("/?!:<>", *p)) ||
        level_of(scanner) >= around->levels || !begin_making(scanner))
        return NULL;
    size_t scopes = scanner->scope_count;
    scanner->tag = mark_of(scanner, p - 1);
    scanner->attribute_count = scanner->prefixed = scanner->declared = 0;
    const uint8_t *end = skip_others(p + 1, stop, "\t\n />");
    Slice name = {p, (size_t)(end - p)}, element, markup;
    uint32_t code = *p;
    Broken tag = {.stop = stop};
    if (code >= 0x80 && !decode(p, stop, &code))
        return NULL;
    end = read_attributes(scanner, end, &tag);
    if (!end || (!around->keeps_lines && memchr(p, '\n', (size_t)(end - p))) ||
        !write_tag(scanner, name, end, tag.is_empty, &element, &markup) ||
        scanner->error_count == scanner->tag.error_count)
        return NULL;
    const uint8_t *made = keep_made(scanner);
    if (!made)
        return NULL;
    for (size_t i = scanner->tag.error_count; i < scanner->error_count; i++) {
        move_to(scanner, &scanner->errors[i].detail, made);
        move_to(scanner, &scanner->errors[i].current, made);
    }
    move_to(scanner, &element, made);
    move_to(scanner, &markup, made);
    scanner->replacement_count = scanner->tag.replacement_count;
    if (!replace(scanner, (Slice){p - 1, (size_t)(end - p) + 2}, markup))
        return NULL;
    if (tag.is_empty)
        scanner->scope_count = scopes;
    else if (!push(scanner, name, same(name, element) ? (Slice){NULL, 0} : element))
        return NULL;
    return end + 1;
}

/* End tags ----------------------------------------------------------------------------------------------------------- */

/* Read the end tag without a name whose ">" is here. */
static const uint8_t *read_short_end_tag(Scanner *scanner, const uint8_t *p)
{
    Slice name, tag = {p - 2, 3};
    if (!scanner->around->takes_broken || !written_element(scanner, 0, &name))
        return NULL;
    if (!note_error(scanner, NAMELESS, tag.start, (Slice){tag.start, 0}) || !replace_by_end_tag(scanner, tag, name))
        return NULL;
    pop(scanner);
    return p + 1;
}

/* Read what else is in the end tag of the current element after its name, which ends here, up to its ">". */
static const uint8_t *read_junk(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *start = p, *stop = scanner->stop - p > MOST_BROKEN ? p + MOST_BROKEN : scanner->stop;
    if (!scanner->around->takes_broken || p >= stop || !(is_space(*p) || *p == '/'))
        return NULL;
    if (*p == '/' && !note_error(scanner, END_SOLIDUS, p, (Slice){p, 1}))
        return NULL;
    for (p++; p < stop && *p != '>';) {
        uint32_t code = *p;
        size_t length = code < 0x80 ? 1 : decode(p, stop, &code);
        if (!length || code == '\n' || (!is_space(*p) && !note_error(scanner, JUNK, p, (Slice){p, length})))
            return NULL;
        p += length;
    }
    if (p >= stop || *start == '\n')
        return NULL;
    return replace(scanner, (Slice){start, (size_t)(p - start)}, (Slice){p, 0}) ? p : NULL;
}

#endif
