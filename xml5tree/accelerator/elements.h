/* The elements of one local name in an error-free stretch, whose tags are whole; what they are looked for is in
   xml5tree/output/places.py.

   It knows nothing of Python, so that it can be fuzzed alone. It reads [p, stop) only, whatever the bytes are. */

#ifndef XML5TREE_ELEMENTS_H
#define XML5TREE_ELEMENTS_H

#include "walk.h"

static int has_local_name(Slice name, Slice local_name)
{
    size_t before = name.length - local_name.length;
    return name.length >= local_name.length && memcmp(name.start + before, local_name.start, local_name.length) == 0 &&
           (!before || name.start[before - 1] == ':');
}

/* Find the next tag of an element of a local name from `*p` on, and go on to its end: 1. 0: there is none. -1: something
   is not as in an error-free stretch. */
static int find_tag_of(Slice local_name, const uint8_t **p, const uint8_t *stop, const uint8_t **start, Token *tag)
{
    const uint8_t *end = *p;
    while (end < stop && (*start = memchr(end, '<', (size_t)(stop - end))) != NULL) {
        if (stop - *start < 3)
            return -1;
        tag->name.length = 0;
        if ((*start)[1] == '!' || (*start)[1] == '?')
            end = read_section(*start, stop, &tag->flags);
        else
            end = read_whole_tag(*start, stop, tag);
        if (!end)
            return -1;
        if (tag->name.length && has_local_name(tag->name, local_name)) {
            *p = tag->end = end;
            return 1;
        }
    }
    return 0;
}

#endif
