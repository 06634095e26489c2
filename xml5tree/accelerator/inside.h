/* The inside of a start tag, read as the pattern `TOKEN` of xml5tree/dialects/xml5/intent/window.py reads it. It reads
   [p, stop) only, whatever the bytes are, and knows nothing of Python. */

#ifndef XML5TREE_INSIDE_H
#define XML5TREE_INSIDE_H

#include <stddef.h>
#include <stdint.h>

#include "simd.h"

static inline int is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t';
}

/* Return where the first of two bytes is, or `stop`. */
static const uint8_t *find_either(const uint8_t *p, const uint8_t *stop, uint8_t one, uint8_t two)
{
    while ((p = find_any(p, stop, one, two, two)) < stop && *p != one && *p != two)
        p++;
    return p;
}

static int ends_tag_name(uint8_t byte)
{
    return is_space(byte) || byte == '/' || byte == '>' || byte == '"' || byte == '\'' || byte == '<' || byte == '=';
}

static const uint8_t *skip_spaces(const uint8_t *p, const uint8_t *stop)
{
    while (p < stop && is_space(*p))
        p++;
    return p;
}

/* How many characters a value with "<" in it may have. */
enum { LONGEST_CROSSING = 200, MOST_CROSSINGS = 8 };

/* Return where a value with "<" in it ends that begins with the quote here; `p` if there is none; NULL where that is
   not known. */
static const uint8_t *skip_crossing(const uint8_t *p, const uint8_t *stop)
{
    const uint8_t *q = p + 1;
    for (size_t characters = 0; q < stop && *q != *p; q++) {
        if ((*q & 0xC0) != 0x80 && ++characters > LONGEST_CROSSING)
            return p;
    }
    if (q >= stop)
        return NULL;
    const uint8_t *end = q + 1, *after = skip_spaces(end, stop);
    if (after >= stop)
        return NULL;
    if (*after == '>')
        return end;
    if (*after == '/')
        return after + 1 >= stop ? NULL : after[1] == '>' ? end : p;
    if (after == end)
        return p;
    for (q = after; q < stop && !ends_tag_name(*q); q++)
        ;
    if (q == after)
        return p;
    q = skip_spaces(q, stop);
    return q >= stop ? NULL : *q == '=' ? end : p;
}

/* Return the end of a start or empty tag, from the end of its name on: after its ">", or before the next "<" if it lacks the
   ">". `p` where there is no end; NULL where it is not known. A quote without a partner counts as any other character. */
static const uint8_t *skip_inside(const uint8_t *p, const uint8_t *stop)
{
    const uint8_t *q = p;
    for (unsigned crossings = 0; q < stop;) {
        const uint8_t *end;
        switch (*q) {
        case '>':
            return q + 1;
        case '<':
            return q;
        case '/':
            if (q + 1 >= stop)
                return NULL;
            q += q[1] == '>' ? 2 : 1;
            if (q[-1] == '>')
                return q;
            break;
        case '"':
        case '\'':
            end = find_either(q + 1, stop, *q, '<');
            if (end >= stop || (*end == *q && end + 1 >= stop))
                return NULL;
            if (*end == *q && (is_space(end[1]) || end[1] == '/' || end[1] == '>' || end[1] == '?')) {
                q = end + 1;
                break;
            }
            end = skip_crossing(q, stop);
            if (!end)
                return NULL;
            if (end == q)
                q++;
            else if (crossings++ == MOST_CROSSINGS)
                return p;
            else
                q = end;
            break;
        default:
            q++;
        }
    }
    return NULL;
}

#endif
