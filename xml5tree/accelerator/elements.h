/* The elements of one local name in a clean run that was read without `unmatched` (see run.h), so that quotes tell
   where tags end; what they are looked for is in xml5tree/output/places.py.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [p, stop) only, whatever the bytes are. */

#ifndef XML5TREE_ELEMENTS_H
#define XML5TREE_ELEMENTS_H

#include "walk.h"

/* Whether a local name stands here, and the name of the tag ends with it. */
static int is_at_name(const uint8_t *p, const uint8_t *stop, Slice local_name)
{
    return (size_t)(stop - p) > local_name.length && *p == *local_name.start &&
           memcmp(p, local_name.start, local_name.length) == 0 && ends_name(p[local_name.length]);
}

/* Whether an element may have a prefix before the local name. Most stretches have no such thing, so that names of other
   elements need not be read. */
static int may_have_prefixes(const uint8_t *p, const uint8_t *stop, Slice local_name)
{
    while (p < stop && (p = memchr(p, ':', (size_t)(stop - p))) != NULL) {
        if (is_at_name(++p, stop, local_name))
            return 1;
    }
    return 0;
}

/* Where the local part of a name begins. */
static const uint8_t *skip_prefix(const uint8_t *name, const uint8_t *stop)
{
    for (const uint8_t *p = name; p < stop && !ends_name(*p); p++) {
        if (*p == ':')
            name = p + 1;
    }
    return name;
}

/* Find the next tag of an element of a local name, which is not empty, from `*p` on, and go on to its end: 1. 0: there is
   none. -1: something is not as in such a run, or not clear. */
static int find_tag_of(Slice local_name, int has_prefixes, const uint8_t **p, const uint8_t *stop,
                       const uint8_t **start, Token *tag)
{
    const uint8_t *q = *p;
    while (q < stop && (q = memchr(q, '<', (size_t)(stop - q))) != NULL) {
        if (stop - q < 3)
            return -1;
        if (q[1] == '!' || q[1] == '?') {
            q = read_section(q, stop, &tag->flags);
            if (!q)
                return -1;
            continue;
        }
        const uint8_t *name = q + (q[1] == '/' ? 2 : 1);
        if (is_at_name(has_prefixes ? skip_prefix(name, stop) : name, stop, local_name)) {
            *start = q;
            *p = tag->end = read_whole_tag(q, stop, tag);
            return tag->end ? 1 : -1;
        }
        q++;
    }
    return 0;
}

#endif
