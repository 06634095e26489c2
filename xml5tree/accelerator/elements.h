/* The elements of one local name in a clean run that was read without `takes_broken` (see run.h), so that quotes tell
   where tags end; what they are looked for is in xml5tree/output/places.py.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [p, stop) only, whatever the bytes are. */

#ifndef XML5TREE_ELEMENTS_H
#define XML5TREE_ELEMENTS_H

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

/* Return whether a local name stands here, and the name of the tag ends with it. */
static int is_at_name(const uint8_t *p, const uint8_t *stop, Slice local_name)
{
    return (size_t)(stop - p) > local_name.length && *p == *local_name.start &&
           memcmp(p, local_name.start, local_name.length) == 0 && ends_name(p[local_name.length]);
}

/* Return whether an element may have a prefix before the local name. Most stretches have none, so that names of other elements
   need not be read. */
static int may_have_prefixes(const uint8_t *p, const uint8_t *stop, Slice local_name)
{
    while (p < stop && (p = memchr(p, ':', (size_t)(stop - p))) != NULL) {
        if (is_at_name(++p, stop, local_name))
            return 1;
    }
    return 0;
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

/* Find the next tag of an element of a local name, which is not empty, from `*p` on, and set `*p` to its end. Return 1; 0 for
   no such tag; -1 if something is not as in such a run, or not clear. */
static int find_tag_of(Slice local_name, int has_prefixes, const uint8_t **p, const uint8_t *stop,
                       const uint8_t **start)
{
    const uint8_t *q = *p;
    while (q < stop && (q = memchr(q, '<', (size_t)(stop - q))) != NULL) {
        if (stop - q < 3)
            return -1;
        if (q[1] == '!' || q[1] == '?') {
            q = read_section(q, stop);
            if (!q)
                return -1;
            continue;
        }
        const uint8_t *name = q + (q[1] == '/' ? 2 : 1);
        if (is_at_name(has_prefixes ? skip_prefix(name, stop) : name, stop, local_name)) {
            *start = q;
            *p = skip_tag(name, stop);
            return *p ? 1 : -1;
        }
        q++;
    }
    return 0;
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
