/* The scanner: how far content is clean. The contract is `Content` in _scan.pyi.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [start, stop) of the data only. Whatever the bytes
   are, valid UTF-8 or not, it reads and writes nothing else; what is not UTF-8 in a name ends the run. There is no
   recursion, and every count is bounded by the number of bytes. */

#ifndef XML5TREE_SCANNER_H
#define XML5TREE_SCANNER_H

#include "endtags.h"
#include "sections.h"

/* Text ----------------------------------------------------------------------------------------------------------- */

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

/* Return the end of a `<` or `</` that is text; NULL where none is here. */
static const uint8_t *skip_less_than(const Scanner *scanner, const uint8_t *p)
{
    const uint8_t *next = p + 1 + (p + 1 < scanner->stop && p[1] == '/');
    int is_text = next < scanner->stop &&
                  (is_space(*next) || *next == ':' || *next == '<' || (*next == '>' && next == p + 1));
    return is_text && scanner->around->takes_errors ? next : NULL;
}

/* Note that a `<` or `</` up to `next` is text. 0 where more must be seen to know its effect. */
static int note_less_than(Scanner *scanner, const uint8_t *p, const uint8_t *next)
{
    int is_tag = resembles_tag(next, scanner->stop);
    if (is_tag >= 0)
        note_error(scanner, NO_TAG, p, (Slice){p, (size_t)(next - p)})->effect = is_tag ? "moved" : NULL;
    return is_tag >= 0;
}

/* Read a `<` or `</` that is text, which is an error. */
static const uint8_t *read_less_than(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *next = skip_less_than(scanner, p);
    if (!next || !note_less_than(scanner, p, next))
        return NULL;
    replace(scanner, (Slice){p, 1}, slice_of("&lt;"));
    judge_child(scanner, slice_of("#"), p);
    return next;
}

/* Write a ">" as a reference that would make "]]>" with brackets from before what was left out of the markup. */
static void escape_end(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
    int has_bracket = p < stop && *p == ']', count = scanner->brackets + has_bracket;
    p += has_bracket;
    if (count >= 2 && p < stop && *p == '>')
        replace(scanner, (Slice){p, 1}, slice_of("&gt;"));
}

/* Return the end of the text that begins at `p`: the `<` after it, something that the states must read, or the end of the data. */
static const uint8_t *skip_text(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop, *first = scanner->around->judge ? skip_spaces(p, stop) : NULL;
    for (;;) {
        if (scanner->brackets && p == scanner->text)
            escape_end(scanner, p);
        p = find_special(scanner, p, '<', '&', ']');
        if (first && first < p) {
            judge_child(scanner, slice_of("#"), first);
            first = NULL;
        }
        if (p >= stop || scanner->has_failed)
            return p;
        if (*p == ']') {
            if (starts_with(p, stop, "]]>", 3)) {
                if (!scanner->around->takes_errors)
                    return p;
                note_error(scanner, CDATA_END, p, (Slice){p, 1});
                replace(scanner, (Slice){p + 2, 1}, slice_of("&gt;"));
                p += 2;
            }
            p++;
        } else if (*p == 0xEF && !is_noncharacter(scanner, p)) {
            p += 3;
        } else {
            const uint8_t *end = *p == '<' ? NULL : *p == '&' ? read_ampersand(scanner, p) : read_forbidden(scanner, p);
            if (!end)
                return p;
            p = end;
        }
    }
}

/* Read the markup that begins with the `<` here; NULL also where `read_less_than` may read it. */
static const uint8_t *read_markup(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *end;
    if (scanner->stop - p < 3)
        return NULL;
    if (p[1] == '/')
        return read_end_tag(scanner, p + 2);
    if (starts_with(p, scanner->stop, "<![CDATA[", 9)) {
        judge_child(scanner, slice_of("#"), p);
        return read_cdata(scanner, p + 9);
    }
    if (p[1] == '?') {
        end = read_instruction(scanner, p);
    } else if (p[1] == '!') {
        end = read_declaration(scanner, p);
    } else {
        end = read_tag(scanner, p + 1);
    }
    if (end)
        scanner->is_coerced = 0;
    return end;
}

/* Read the markup that begins with the `<` here, or the `<` as text. */
static const uint8_t *read_from_less_than(Scanner *scanner, const uint8_t *p)
{
    Mark before = mark_of(scanner, p);
    int is_coerced = scanner->is_coerced;
    const uint8_t *end = read_markup(scanner, p);
    if (!end && !scanner->has_failed) {
        take_back(scanner, &before);
        scanner->is_coerced = is_coerced;
        end = read_less_than(scanner, p);
    }
    return end;
}

/* Outside the root element -------------------------------------------------------------------------------------------- */

/* Begin the text that is dropped at a place, if there is none: before what is noted of its first character. */
static void begin_outer(Scanner *scanner, const uint8_t *p)
{
    if (!scanner->outer.mark.place)
        scanner->outer = (OuterText){.mark = mark_of(scanner, p)};
}

/* Add a character to the text that is dropped, which begins at `p` if there is none. */
static void add_outer(Scanner *scanner, const uint8_t *p, uint32_t code, int is_reference)
{
    OuterText *text = &scanner->outer;
    begin_outer(scanner, p);
    text->length++;
    text->is_reference |= is_reference;
    if (code != ' ' && code != '\t' && code != '\n' && code != '\r') {
        text->visible = text->length;
        text->is_text |= !is_reference;
        text->is_content |= code != 0xFEFF;
    }
}

/* Read the reference here, or the ampersand, which is dropped. NULL where the states must read it. */
static const uint8_t *read_outer_ampersand(Scanner *scanner, const uint8_t *p)
{
    Reference reference;
    begin_outer(scanner, p);
    const uint8_t *end = read_any_reference(scanner, p, scanner->stop, &reference);
    if (!end || reference.kind == IS_ENTITY)
        return NULL;
    add_outer(scanner, p, reference.code, reference.kind != IS_TEXT);
    return end;
}

/* Return the end of the text that begins at `p`, outside the root element: the `<` after it, something that the states must read,
   or the end of the data. White space is kept up to the first character that is dropped. */
static const uint8_t *skip_outer_text(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
    while (p < stop && *p != '<') {
        uint32_t code = *p;
        size_t length = 1;
        if (!scanner->outer.mark.place && is_space(*p)) {
            p++;
        } else if (!scanner->around->takes_errors || (code >= 0x80 && (length = decode(p, stop, &code)) == 0)) {
            return p;
        } else if (code == '&') {
            const uint8_t *end = read_outer_ampersand(scanner, p);
            if (!end)
                return p;
            p = end;
        } else {
            add_outer(scanner, p, code, 0);
            if (starts_with(p, stop, "]]>", 3))
                note_error(scanner, CDATA_END, p, (Slice){p, 1});
            p += length;
        }
    }
    return p;
}

/* Drop what is outside the root element from a place on; return its end, or NULL where the states must do it. */
static const uint8_t *drop_outer(Scanner *scanner, const uint8_t *start, const uint8_t *end)
{
    Slice source = {start, (size_t)(end - start)};
    if (!lose_lines(scanner, source))
        return NULL;
    replace(scanner, source, (Slice){end, 0});
    return end;
}

/* Read the end tag outside the root element whose name begins here. */
static const uint8_t *read_outer_end_tag(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *end = p, *tag = p - 2;
    Slice name = {p, 0};
    if (*p == '>')
        note_error(scanner, NAMELESS, tag, (Slice){tag, 0});
    else
        end = read_name_and_junk(scanner, p, &name);
    if (!end)
        return NULL;
    note_outer_text(scanner, 0);
    note_error(scanner, OUTER_END, tag, name)->within = (size_t)scanner->has_root;
    return drop_outer(scanner, tag, end + 1);
}

/* Read the start or empty tag after the root element whose name begins here. */
static const uint8_t *read_dropped_tag(Scanner *scanner, const uint8_t *p)
{
    uint32_t code;
    if (*p >= 0x80 && !decode(p, scanner->stop, &code))
        return NULL;
    scanner->attribute_count = 0;
    drop(scanner);
    Tag tag = {0};
    Attribute element;
    const uint8_t *end = read_attributes(scanner, read_name(scanner, p, 0, &element, &tag), &tag);
    if (!end)
        return NULL;
    note_outer_text(scanner, 0);
    note_error(scanner, tag.is_empty ? DROPPED_EMPTY : DROPPED_START, p - 1, element.name);
    return drop_outer(scanner, p - 1, end + 1);
}

/* Read a `<` or `</` outside the root element that is text. */
static const uint8_t *read_outer_less_than(Scanner *scanner, const uint8_t *p, const uint8_t *next)
{
    begin_outer(scanner, p);
    if (!note_less_than(scanner, p, next))
        return NULL;
    for (; p < next; p++)
        add_outer(scanner, p, *p, 0);
    return next;
}

/* Read the markup that begins with the `<` here, outside the root element, or the `<` as text. */
static const uint8_t *read_outer_markup(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop, *text = scanner->outer.mark.place, *next = skip_less_than(scanner, p), *end;
    if (stop - p < 3 || starts_with(p, stop, "<![CDATA[", 9))
        return NULL;
    if (next)
        return scanner->around->takes_errors ? read_outer_less_than(scanner, p, next) : NULL;
    if (text && !drop_outer(scanner, text, p))
        return NULL;
    if (p[1] == '?' || p[1] == '!') {
        end = p[1] == '?' ? read_instruction(scanner, p) : read_declaration(scanner, p);
    } else if (p[1] == '/') {
        end = scanner->around->takes_errors ? read_outer_end_tag(scanner, p + 2) : NULL;
    } else if (scanner->has_root) {
        end = scanner->around->takes_errors ? read_dropped_tag(scanner, p + 1) : NULL;
    } else {
        end = read_from_less_than(scanner, p);
        scanner->has_root = end != NULL;
    }
    return end;
}

/* Read what is outside the root element, up to its start tag, or to the end; set whether more can be read. */
static const uint8_t *read_outside(Scanner *scanner, const uint8_t *p, int *goes_on)
{
    Mark before;
    for (;;) {
        p = skip_outer_text(scanner, p);
        *goes_on = p < scanner->stop && *p == '<';
        OuterText text = scanner->outer;
        before = mark_of(scanner, p);
        const uint8_t *end = *goes_on ? read_outer_markup(scanner, p) : NULL;
        if (!end) {
            *goes_on = 0;
            scanner->outer = text;
            break;
        }
        p = end;
        if (scanner->opened_count)
            return p;
    }
    if (scanner->outer.mark.place) { /* what it ends with is for the states */
        before = scanner->outer.mark;
        p = before.place;
        scanner->outer.mark.place = NULL;
    }
    take_back(scanner, &before);
    return p;
}

/* Begin at a place; `release` must be called. */
static void begin(Scanner *scanner, const Surroundings *around, const uint8_t *start, const uint8_t *stop)
{
    memset(scanner, 0, sizeof *scanner);
    scanner->around = around;
    scanner->start = scanner->text = start;
    scanner->stop = stop;
    scanner->has_root = !around->is_outside;
}

/* Read the run that begins where the scanner does; 0 if memory is short, or a callback has failed. */
static int read_run(Scanner *scanner)
{
    const Surroundings *around = scanner->around;
    const uint8_t *start = scanner->start, *stop = scanner->stop, *p = start;
    const Mark before = mark_of(scanner, p);
    int goes_on = 1;
    do {
        if (scanner->ended == around->depth && !scanner->opened_count) {
            p = read_outside(scanner, p, &goes_on);
        } else {
            if (p < stop && *p != '<')
                p = skip_text(scanner, p);
            const uint8_t *end = p < stop && *p == '<' ? read_from_less_than(scanner, p) : NULL;
            goes_on = end != NULL;
            p = end ? end : p;
        }
    } while (goes_on && !scanner->has_failed && !(around->stops_at_error && scanner->error_count));
    scanner->resume = p < stop ? p + 1 : stop;
    scanner->end = p;
    if (!scanner->has_root) {
        take_back(scanner, &before);
        scanner->end = start;
    }
    while (scanner->end > start && scanner->end[-1] == ']')
        scanner->end--;
    return !scanner->has_failed;
}

/* Callbacks of `begin_document`. They accept every name and end tag that the scan asks about. All of these are errors, as the
   document declares nothing and is read from its root on; but a namespace name may be right. */
static Verdict any_name(void *context, uint8_t kind, Slice name, Found *found)
{
    (void)context;
    *found = (Found){.first = name, .second = {name.start, 0}};
    return kind == '=' ? REFUSED : ACCEPTED;
}

static Verdict any_end_tag(void *context, Slice name)
{
    (void)context;
    (void)name;
    return ACCEPTED;
}

/* Begin in the prolog of a document in UTF-8 without a DOCTYPE, of which the first error ends the run. */
static void begin_document(Scanner *scanner, Surroundings *around, Slice part, long long levels, int has_fifth_edition_names)
{
    *around = (Surroundings){
        .max_depth = levels < 0 ? 0 : (size_t)levels,
        .first_class = has_fifth_edition_names ? FIRST_IN_FIFTH : FIRST_IN_FOURTH,
        .name_class = has_fifth_edition_names ? IN_FIFTH : IN_FOURTH,
        .find = any_name,
        .unmatched = any_end_tag,
        .takes_errors = 1,
        .keeps_lines = 1,
        .is_outside = 1,
        .stops_at_error = 1,
    };
    begin(scanner, around, part.start, part.start + part.length);
    scanner->end = part.start;
}

/* Return whether a document has been read to its end without an error, if it is UTF-8. */
static int is_well_formed(const Scanner *scanner)
{
    return scanner->end == scanner->stop && scanner->has_root && !scanner->opened_count && !scanner->error_count;
}

/* Return whether a document is likely to have an error: outside comments and CDATA sections, an ampersand begins no reference, or
   start tags are not as many as end tags. That takes a tenth of the time of a run. After a DOCTYPE, all entities may be declared. */
static int seems_broken(const uint8_t *p, const uint8_t *stop)
{
    long long unended = 0;
    int has_doctype = 0;
    while (p < stop) {
        const uint8_t *start = p, *end = memchr(p, '!', (size_t)(stop - p));
        end = end ? end : stop;
        unended += count_unended(p, end);
        uint32_t code;
        while (p < end && (p = memchr(p, '&', (size_t)(end - p)))) {
            const uint8_t *name = p + 1;
            p = read_reference(p, end, &code);
            if (!p && has_doctype && (p = skip_any_name(name, end)) != NULL)
                p = p > name && *p == ';' ? p + 1 : NULL;
            if (!p)
                return 1;
        }
        has_doctype |= starts_with(end, stop, "!DOCTYPE", 8);
        p = end < stop ? end + 1 : stop;
        if (end > start && end[-1] == '<' && (starts_with(p, stop, "--", 2) || starts_with(p, stop, "[CDATA[", 7)) &&
            !(p = skip_section(end - 1, stop)))
            return 1;
    }
    return unended != 0;
}

#endif
