/* End tags, read as the states of §1.3.5 and §1.3.6 read them, and what they end: the same rule as in xml5tree/tree/endtags.py.
   For the rules about errors see `note_error` in run.h. Nothing here knows of Python. */

#ifndef XML5TREE_ENDTAGS_H
#define XML5TREE_ENDTAGS_H

#include "broken.h"

/* Read the name that begins here, and what else is in its end tag, up to the ">". */
static const uint8_t *read_name_and_junk(Scanner *scanner, const uint8_t *p, Slice *name)
{
    const uint8_t *stop = scanner->stop;
    uint32_t first;
    if (*p >= 0x80 && !decode(p, stop, &first))
        return NULL;
    name->start = p;
    p = skip_others(p + 1, stop, "\t\n />");
    name->length = (size_t)(p - name->start);
    if (p < stop && *p == '/')
        note_error(scanner, END_SOLIDUS, p, (Slice){p, 1});
    for (p += p < stop && *p != '>'; p < stop && *p != '>';) {
        uint32_t code;
        size_t length = *p < 0x80 ? 1 : decode(p, stop, &code);
        if (!length)
            return NULL;
        if (!is_space(*p))
            note_error(scanner, JUNK, p, (Slice){p, length});
        p += length;
    }
    return p < stop ? p : NULL;
}

/* Note that the markup lacks a tag, so that texts around it meet. */
static void leave_out(Scanner *scanner, Slice tag)
{
    scanner->brackets = count_brackets(scanner, tag.start);
    scanner->text = tag.start + tag.length;
    replace(scanner, tag, (Slice){scanner->text, 0});
}

/* Note that the markup has end tags for the current element, and for the `within` elements around it, in place of `tag`. 0 where
   the states must do it. */
static int end_elements(Scanner *scanner, Slice tag, size_t within)
{
    Slice name;
    if (!lose_lines(scanner, tag))
        return 0;
    for (size_t i = 0; i <= within && written_element(scanner, 0, &name); i++) {
        if (is_end_written(scanner)) {
            put_text(scanner, "</");
            put_slice(scanner, name);
            put_missing_lines(scanner);
            put_text(scanner, ">");
            note_element(scanner, name, tag.start, tag.start + tag.length, i < within);
        }
        pop(scanner);
    }
    Slice markup = finish(scanner);
    if (markup.length)
        replace(scanner, tag, markup);
    else
        leave_out(scanner, tag);
    return 1;
}

/* Read the end tag without a name whose ">" is here. */
static const uint8_t *read_short_end_tag(Scanner *scanner, const uint8_t *p)
{
    Slice name, tag = {p - 2, 3};
    if (!scanner->around->takes_errors || !open_element(scanner, 0, &name))
        return NULL;
    note_error(scanner, NAMELESS, tag.start, (Slice){tag.start, 0});
    return end_elements(scanner, tag, 0) ? p + 1 : NULL;
}

/* Note that an end tag of a name is an error: it ends other elements, too, or nothing. */
static Error *note_end_tag(Scanner *scanner, Kind kind, Slice tag, Slice name, Slice current)
{
    Error *error = note_error(scanner, kind, tag.start, name);
    error->lowest = scanner->lowest;
    error->current = current;
    return error;
}

/* Note that the end tag of an outer element also ends the `within` elements in it. 0 where the states must do it. */
static int end_outer_element(Scanner *scanner, Slice tag, Slice name, size_t within)
{
    Slice current = name;
    open_element(scanner, 0, &current);
    Error *error = note_end_tag(scanner, MISMATCHED, tag, name, current);
    if (!end_elements(scanner, tag, within))
        return 0;
    error->within = within;
    error->level = scanner->lowest = level_of(scanner);
    return 1;
}

/* Note that an end tag that ends nothing is left out. 0 where the states must do it. */
static int drop_end_tag(Scanner *scanner, Slice tag, Slice name)
{
    if (!lose_lines(scanner, tag))
        return 0;
    Error *error = note_end_tag(scanner, UNMATCHED, tag, name, (Slice){tag.start + tag.length, 0});
    error->level = scanner->lowest = level_of(scanner);
    leave_out(scanner, tag);
    return 1;
}

/* The number of innermost open elements that each end tag is compared with, and of others, for each byte of the run, that all end
   tags together are compared with: else time would grow with the number of end tags times the depth. */
enum { MOST_LOOKED_AT = 64, MOST_FOR_BYTE = 8 };

/* Return how many elements the end tag of a name at a place ends, 0 where it matches none: see xml5tree/tree/endtags.py. Return
   SIZE_MAX where the states know. */
static size_t ended_by_name(Scanner *scanner, Slice name, const uint8_t *place)
{
    const Surroundings *around = scanner->around;
    size_t most = MOST_LOOKED_AT + MOST_FOR_BYTE * (size_t)(place - scanner->start) - scanner->looked_at;
    Slice open;
    for (size_t number = 0; number < most; number++) {
        if (number == scanner->opened_count && is_accepted(scanner, around->unmatched(around->context, name)))
            return 0;
        if (!open_element(scanner, number, &open))
            break;
        scanner->looked_at += number >= MOST_LOOKED_AT;
        if (same(name, open))
            return number + 1;
    }
    return SIZE_MAX;
}

/* Read the end tag whose name begins here, and is not just that of the current element. */
static const uint8_t *read_broken_end_tag(Scanner *scanner, const uint8_t *p)
{
    if (!scanner->around->takes_errors || p >= scanner->stop || is_space(*p) || *p == ':' || *p == '<')
        return NULL;
    Slice name;
    const uint8_t *end = read_name_and_junk(scanner, p, &name);
    if (!end)
        return NULL;
    Slice tag = {p - 2, (size_t)(end + 1 - (p - 2))};
    size_t ended = ended_by_name(scanner, name, p);
    if (ended == SIZE_MAX)
        return NULL;
    int is_noted = ended > 1    ? end_outer_element(scanner, tag, name, ended - 1)
                   : ended == 1 ? end_elements(scanner, tag, 0)
                                : drop_end_tag(scanner, tag, name);
    return is_noted ? end + 1 : NULL;
}

/* Read the end tag whose name begins here. */
static const uint8_t *read_end_tag(Scanner *scanner, const uint8_t *p)
{
    Slice name, written;
    if (p < scanner->stop && *p == '>')
        return read_short_end_tag(scanner, p);
    if (!written_element(scanner, 0, &written) || !open_element(scanner, 0, &name) || written.start != name.start ||
        (size_t)(scanner->stop - p) <= name.length || memcmp(p, name.start, name.length) != 0)
        return read_broken_end_tag(scanner, p);
    const uint8_t *end = skip_spaces(p + name.length, scanner->stop);
    if (end >= scanner->stop || *end != '>' || !is_end_written(scanner))
        return read_broken_end_tag(scanner, p);
    add_missing_lines(scanner, end);
    note_element(scanner, name, p - 2, end + 1, 0);
    pop(scanner);
    return end + 1;
}

#endif
