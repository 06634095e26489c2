/* Names: which are near each other: xml5tree/intent/names.py. */

#ifndef XML5TREE_NEARNESS_H
#define XML5TREE_NEARNESS_H

#include "places.h"

enum { LONGEST_NAME = 64 };

static const uint8_t *octets_of(const Search *s, uint32_t name)
{
    return s->octets + s->names[name].offset;
}

/* Return the length of a name without the number at its end. */
static size_t stem_of(const Search *s, uint32_t name)
{
    const uint8_t *p = octets_of(s, name);
    size_t length = s->names[name].length;
    while (length && p[length - 1] >= '0' && p[length - 1] <= '9')
        length--;
    return length;
}

static int have_same_stem(const Search *s, uint32_t name, uint32_t other)
{
    size_t length = stem_of(s, name);
    return length == stem_of(s, other) && !memcmp(octets_of(s, name), octets_of(s, other), length);
}

/* Return how many octets are inserted, lost, replaced or swapped with the next; the first name is not longer. */
static unsigned distance(const uint8_t *name, size_t size, const uint8_t *other, size_t length)
{
    unsigned rows[3][LONGEST_NAME + 1];
    unsigned *before = rows[0], *row = rows[1], *next = rows[2];
    if (length - size > 2)
        return 3;
    for (size_t j = 0; j <= length; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= size; i++) {
        next[0] = (unsigned)i;
        for (size_t j = 1; j <= length; j++) {
            unsigned least = row[j] + 1, changed = row[j - 1] + (name[i - 1] != other[j - 1]);
            if (next[j - 1] + 1 < least)
                least = next[j - 1] + 1;
            if (changed < least)
                least = changed;
            if (i > 1 && j > 1 && name[i - 1] == other[j - 2] && name[i - 2] == other[j - 1] && before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            next[j] = least;
        }
        unsigned *old = before;
        before = row;
        row = next;
        next = old;
    }
    return row[length];
}

/* Return the length of what is up to the last colon, or 0. */
static size_t prefix_of(const uint8_t *p, size_t length)
{
    while (length && p[length - 1] != ':')
        length--;
    return length;
}

static int compare_names(const Search *s, uint32_t name, uint32_t other)
{
    size_t lengths[2] = {s->names[name].length, s->names[other].length};
    if (!name || !other || lengths[0] > LONGEST_NAME || lengths[1] > LONGEST_NAME)
        return 0;
    uint8_t names[2][LONGEST_NAME];
    const uint8_t *written[2] = {octets_of(s, name), octets_of(s, other)}, *shorter = names[0], *longer = names[1];
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < lengths[k]; i++)
            names[k][i] = lower(written[k][i]);
    }
    if (lengths[0] == lengths[1] && !memcmp(names[0], names[1], lengths[0]))
        return 1;
    size_t prefixes[2] = {prefix_of(written[0], lengths[0]), prefix_of(written[1], lengths[1])};
    if (lengths[0] - prefixes[0] == lengths[1] - prefixes[1] &&
        !memcmp(written[0] + prefixes[0], written[1] + prefixes[1], lengths[0] - prefixes[0]))
        return 1;
    const uint8_t *colons[2] = {memchr(names[0], ':', lengths[0]), memchr(names[1], ':', lengths[1])};
    size_t size = lengths[0], length = lengths[1];
    if (colons[0] && colons[1]) {
        size_t before = (size_t)(colons[0] - names[0]);
        if (before != (size_t)(colons[1] - names[1]) || memcmp(names[0], names[1], before))
            return 0;
        shorter = colons[0] + 1;
        longer = colons[1] + 1;
        size -= before + 1;
        length -= before + 1;
    }
    if (size > length) {
        const uint8_t *swapped = shorter;
        shorter = longer;
        longer = swapped;
        size_t other_size = size;
        size = length;
        length = other_size;
    }
    if (size >= 2 && 2 * size >= length && !memcmp(shorter, longer, size))
        return 1;
    if (size <= 2)
        return size && length == size + 1 && !memcmp(shorter, longer, size) && longer[size] == shorter[size - 1];
    return distance(shorter, size, longer, length) <= (size >= 7 ? 2 : 1);
}

/* Return whether one name may be a slip of the other. */
static int is_near(Search *s, uint32_t name, uint32_t other)
{
    Entry *entry = entry_of(s, &s->nearness, 0, name, other, 0, 1);
    if (!entry->number)
        entry->number = compare_names(s, name, other) ? 2 : 1;
    return entry->number == 2;
}

/* Return the octet with which a name begins after its prefix, or 0. */
static uint8_t first_octet(const Search *s, uint32_t name)
{
    const uint8_t *p = octets_of(s, name);
    size_t length = s->names[name].length, prefix = prefix_of(p, length);
    return prefix < length ? p[prefix] : 0;
}

static int is_upper(uint8_t c)
{
    return c >= 'A' && c <= 'Z';
}

/* Return whether two names differ in case only, and just the other begins like a name around it. */
static int is_odd_case(const Search *s, uint32_t name, uint32_t other, uint32_t around)
{
    size_t length = s->names[name].length;
    if (length != s->names[other].length || !around)
        return 0;
    for (size_t i = 0; i < length; i++) {
        if (lower(octets_of(s, name)[i]) != lower(octets_of(s, other)[i]))
            return 0;
    }
    int other_is_upper = is_upper(first_octet(s, other));
    return is_upper(first_octet(s, name)) != other_is_upper && other_is_upper == is_upper(first_octet(s, around));
}

#endif
