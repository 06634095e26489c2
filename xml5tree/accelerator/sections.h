/* Comments, processing instructions and CDATA sections, read as the states of §1.3.7 to §1.3.23 and §1.3.34 read them. For the
   rules about errors see `note_error` in run.h. Nothing here knows of Python. */

#ifndef XML5TREE_SECTIONS_H
#define XML5TREE_SECTIONS_H

#include "broken.h"

/* Read the forbidden character here. It is an error only if none is before it in the same text. */
static const uint8_t *read_forbidden(Scanner *scanner, const uint8_t *p)
{
    uint32_t code = *p;
    size_t length = code == 0xEF ? decode(p, scanner->stop, &code) : 1;
    Slice source = {p, length};
    if (!scanner->around->takes_errors || !length || code == '\0' || code == '\r')
        return NULL;
    if (!scanner->is_coerced)
        note_error(scanner, FORBIDDEN, p, source);
    scanner->is_coerced = 1;
    replace(scanner, source, slice_of(*p == '\f' ? " " : "\xEF\xBF\xBD"));
    return p + length;
}

/* Read the CDATA section whose content begins here. */
static const uint8_t *read_cdata(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
    while ((p = find_special(scanner, p, ']', ']', ']')) < stop) {
        if (*p == ']') {
            if (starts_with(p, stop, "]]>", 3))
                return p + 3;
            p++;
        } else if (*p == 0xEF && !is_noncharacter(scanner, p)) {
            p += 3;
        } else if (!(p = read_forbidden(scanner, p))) {
            return NULL;
        }
    }
    return NULL;
}

/* Note what is in a comment or an instruction before the root element, if it may have tags. */
static void note_outer_node(Scanner *scanner, Kind kind, const uint8_t *start, Slice data)
{
    if (scanner->around->is_outside && !scanner->has_root && !scanner->around->stops_at_error && data.length &&
        memchr(data.start, '<', data.length))
        note_error(scanner, kind, start, data);
}

/* Take a comment as it stands from `start` on, or write it anew. */
static const uint8_t *write_comment(Scanner *scanner, const uint8_t *start, Slice data, const uint8_t *end)
{
    Slice allowed = coerced_text(scanner, data), coerced = allowed;
    const uint8_t *last = allowed.start + allowed.length - 1, *kept = allowed.start;
    for (const uint8_t *p = allowed.start; p <= last && (p = memchr(p, '-', (size_t)(last + 1 - p))); p++) {
        if (p == last || p[1] == '-') {
            put(scanner, kept, (size_t)(p + 1 - kept));
            put_text(scanner, " ");
            kept = p + 1;
        }
    }
    if (kept > allowed.start) {
        put(scanner, kept, (size_t)(last + 1 - kept));
        coerced = finish(scanner);
    }
    scanner->tag = start;
    note_outer_text(scanner, 0);
    note_outer_node(scanner, OUTER_COMMENT, start, data);
    if (coerced.start == data.start && data.start == start + 4 && end == data.start + data.length + 3)
        return end;
    if (!scanner->around->takes_errors)
        return NULL;
    if (coerced.start != allowed.start)
        note_of_tag(scanner, COERCED_COMMENT, allowed, coerced);
    if (allowed.start != data.start)
        note_error(scanner, CHANGED_COMMENT, start, (Slice){start, 0});
    put_text(scanner, "<!--");
    put_slice(scanner, coerced);
    put_text(scanner, "-->");
    replace(scanner, (Slice){start, (size_t)(end - start)}, finish(scanner));
    return end;
}

/* Read the markup that begins with "<!" or "<?" here as a comment, up to ">". */
static const uint8_t *read_bogus_comment(Scanner *scanner, const uint8_t *p, Kind kind)
{
    const uint8_t *data = p + 2, *end = memchr(data, '>', (size_t)(scanner->stop - data));
    if (!end)
        return NULL;
    note_error(scanner, kind, p, (Slice){p, 0});
    return write_comment(scanner, p, (Slice){data, (size_t)(end - data)}, end + 1);
}

/* Return the end of the comment whose content begins here, and note its errors; NULL where it is not there. The names of the
   places are those of the states of §1.3.13 to §1.3.20. */
static const uint8_t *skip_comment(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
comment:
    p = find_special(scanner, p, '-', '<', '-');
    if (p >= stop)
        return NULL;
    if (*p++ == '-')
        goto end_dash;
    if (p[-1] != '<')
        goto comment;
less_than_sign:
    if (p < stop && *p == '<') {
        p++;
        goto less_than_sign;
    }
    if (p + 1 >= stop)
        return NULL;
    if (p[0] != '!' || p[1] != '-') {
        p += p[0] == '!';
        goto comment;
    }
    p += 2;
    if (p + 1 >= stop)
        return NULL;
    if (*p != '-')
        goto end_dash;
    p++;
    if (*p != '>')
        note_error(scanner, NESTED_COMMENT, p, (Slice){p, 0});
    goto end;
end_dash:
    if (p >= stop)
        return NULL;
    if (*p != '-')
        goto comment;
    p++;
end:
    while (p < stop && *p == '-')
        p++;
    if (p >= stop)
        return NULL;
    if (*p == '>')
        return p + 1;
    if (*p != '!')
        goto comment;
    if (++p >= stop)
        return NULL;
    if (*p == '-') {
        p++;
        goto end_dash;
    }
    if (*p != '>')
        goto comment;
    note_error(scanner, WRONG_END, p, (Slice){p, 0});
    return p + 1;
}

/* Read the comment whose `<` is here. */
static const uint8_t *read_comment(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *data = p + 4, *stop = scanner->stop, *end;
    if (data + 1 >= stop)
        return NULL;
    int is_empty = *data == '>' ? 1 : starts_with(data, stop, "->", 2) ? 2 : 0;
    if (is_empty) { /* unless it has a proper end after all */
        const uint8_t *dashes = find_text(data, stop, "--", 2);
        if (!dashes || dashes + 2 >= stop)
            return NULL;
        if (dashes[2] == '>')
            return write_comment(scanner, p, (Slice){data, (size_t)(dashes - data)}, dashes + 3);
        note_error(scanner, EMPTY_COMMENT, p, (Slice){p, 0});
        return write_comment(scanner, p, (Slice){data, 0}, data + is_empty);
    }
    end = skip_comment(scanner, data);
    return end ? write_comment(scanner, p, (Slice){data, (size_t)(end - data) - (end[-2] == '!' ? 4 : 3)}, end) : NULL;
}

/* Return the target of an instruction as it is written: an NCName that is not "xml". NULL if `decode` fails. */
static Slice coerced_target(Scanner *scanner, Slice target)
{
    const uint8_t *p = target.start;
    if (target.length != 3 || (p[0] | 0x20) != 'x' || (p[1] | 0x20) != 'm' || (p[2] | 0x20) != 'l')
        return coerced_name(scanner, target);
    put_text(scanner, *p == 'x' ? "U000078" : "U000058");
    put(scanner, p + 1, 2);
    return finish(scanner);
}

/* Read the processing instruction whose `<` is here. */
static const uint8_t *read_instruction(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop, *name = p + 2;
    uint32_t code;
    if (name >= stop || (*name >= 0x80 && !decode(name, stop, &code)))
        return NULL;
    if (is_space(*name))
        return read_bogus_comment(scanner, p, NO_TARGET);
    const uint8_t *data = skip_others(name + 1, stop, "\t\n ?"), *spaces = data;
    Slice target = {name, (size_t)(data - name)};
    data = skip_spaces(data, stop);
    const uint8_t *end = find_text(data, stop, "?>", 2);
    if (!end || target.length > LONGEST_WRITTEN_NAME)
        return NULL;
    int is_glued = data == spaces && end > data, is_xml = is_text(target, "xml");
    if (is_glued)
        note_error(scanner, ABSENT_SPACE, data, (Slice){data, 0});
    scanner->tag = p;
    int is_dropped = is_xml && scanner->around->is_outside && !scanner->has_root;
    Slice written, text = {data, (size_t)(end - data)};
    note_outer_text(scanner, is_dropped);
    if (is_dropped) {
        Slice source = {p, (size_t)(end + 2 - p)};
        if (!scanner->around->takes_errors || !lose_lines(scanner, source))
            return NULL;
        note_of_tag(scanner, DROPPED_XML, (Slice){p, 0}, target);
        replace(scanner, source, (Slice){p, 0});
        return end + 2;
    }
    note_outer_node(scanner, OUTER_INSTRUCTION, p, text);
    if (is_xml)
        note_of_tag(scanner, XML_TARGET, (Slice){p, 0}, target);
    written = coerced_target(scanner, target);
    if (!written.start)
        return NULL;
    if (written.start != target.start)
        note_of_tag(scanner, COERCED_TARGET, target, written)->effect = is_name(scanner, target, 1) ? "kept" : NULL;
    Slice coerced = coerced_text(scanner, text);
    if (coerced.start != text.start)
        note_of_tag(scanner, COERCED, text, coerced);
    if (!is_glued && !is_xml && written.start == target.start && coerced.start == text.start)
        return end + 2;
    if (!scanner->around->takes_errors || !lose_lines(scanner, (Slice){spaces, (size_t)(data - spaces)}))
        return NULL;
    put_text(scanner, "<?");
    put_slice(scanner, written);
    if (coerced.length)
        put_text(scanner, " ");
    put_slice(scanner, coerced);
    put_text(scanner, "?>");
    replace(scanner, (Slice){p, (size_t)(end + 2 - p)}, finish(scanner));
    return end + 2;
}

/* Read the comment or the CDATA section, or what is taken for a comment, whose `<` is here; NULL also where it is none. */
static const uint8_t *read_declaration(Scanner *scanner, const uint8_t *p)
{
    const uint8_t *stop = scanner->stop;
    static const char *const BEGINNINGS[] = {"--", "[CDATA[", "DOCTYPE"};
    if (starts_with(p, stop, "<!--", 4))
        return read_comment(scanner, p);
    for (size_t i = 0; i < sizeof BEGINNINGS / sizeof *BEGINNINGS; i++) {
        size_t length = strlen(BEGINNINGS[i]), left = (size_t)(stop - p) - 2;
        if (!memcmp(p + 2, BEGINNINGS[i], left < length ? left : length))
            return NULL;
    }
    return read_bogus_comment(scanner, p, NO_COMMENT);
}

#endif
