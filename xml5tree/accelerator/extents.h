/* The records of a name in a stretch of a file; what they are looked for is in xml5tree/ranges/extents.py.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [p, stop) only, whatever the bytes are. */

#ifndef XML5TREE_EXTENTS_H
#define XML5TREE_EXTENTS_H

#include "scanner.h"

static int ends_name(uint8_t byte)
{
    return is_space(byte) || byte == '/' || byte == '>' || byte == '!' || byte == '?';
}

/* Return where the end tag of a name that begins here ends; NULL where none begins. */
static const uint8_t *read_end_of(const uint8_t *p, const uint8_t *stop, Slice name)
{
    if ((size_t)(stop - p) <= 2 + name.length || p[0] != '<' || p[1] != '/' ||
        memcmp(p + 2, name.start, name.length) != 0)
        return NULL;
    p = skip_spaces(p + 2 + name.length, stop);
    return p < stop && *p == '>' ? p + 1 : NULL;
}

/* Return where the local part of a name begins. */
static const uint8_t *skip_prefix(const uint8_t *name, const uint8_t *stop)
{
    for (const uint8_t *p = name; p < stop && !ends_name(*p); p++) {
        if (*p == ':')
            name = p + 1;
    }
    return name;
}

/* Return where a tag ends, from the end of its name on; NULL where "<" comes before its end, perhaps in a value. */
static const uint8_t *skip_tag(const uint8_t *p, const uint8_t *stop)
{
    uint8_t quote = 0;
    for (; p < stop && *p != '<'; p++) {
        if (quote)
            quote = *p == quote ? 0 : quote;
        else if (*p == '"' || *p == '\'')
            quote = *p;
        else if (*p == '>')
            return p + 1;
    }
    return NULL;
}

/* Return whether the name of records stands here, and ends as `xml5tree.ranges.extents.Tags.pattern` says. */
static int is_at_record_name(const uint8_t *p, const uint8_t *stop, Slice name)
{
    return (size_t)(stop - p) > name.length && memcmp(p, name.start, name.length) == 0 && p[name.length] &&
           strchr(" \t\n\v\f\r/>", p[name.length]) != NULL;
}

/* Return where the record ends that begins here; NULL where it has no start tag and end tag of its name as it is
   written, another tag of its local name, a declaration of a namespace in its start tag, or a tag that is not clear. In
   comments and the like, tags count as elsewhere. */
static const uint8_t *read_record(const uint8_t *p, const uint8_t *stop, Slice name, int has_prefixes)
{
    const uint8_t *end;
    if (stop - p < 2 || *p != '<' || !is_at_record_name(p + 1, stop, name))
        return NULL;
    p += 1 + name.length;
    end = skip_tag(p, stop);
    if (!end || end[-2] == '/')
        return NULL;
    while ((p = memchr(p, 'x', (size_t)(end - p))) != NULL) {
        if (end - p > 5 && memcmp(p, "xmlns", 5) == 0)
            return NULL;
        p++;
    }
    p = end;
    while ((p = memchr(p, '<', (size_t)(stop - p))) != NULL) {
        if (stop - p < 3)
            return NULL;
        if ((end = read_end_of(p, stop, name)) != NULL)
            return end;
        p += p[1] == '/' ? 2 : 1;
        if (is_at_record_name(has_prefixes ? skip_prefix(p, stop) : p, stop, name))
            return NULL;
        if (*p != '!' && *p != '?' && (p = skip_tag(p, stop)) == NULL)
            return NULL;
    }
    return NULL;
}

#endif
