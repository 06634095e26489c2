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

/* Return the length of what is up to the last colon, or 0. */
static size_t prefix_of(const uint8_t *p, size_t length)
{
    while (length && p[length - 1] != ':')
        length--;
    return length;
}

/* Return whether at most `most` octets are left out, inserted, replaced, or exchanged with the next one. */
static int are_within(const uint8_t *one, const uint8_t *one_end, const uint8_t *other, const uint8_t *other_end, int most)
{
    for (; one < one_end && other < other_end && *one == *other; one++)
        other++;
    ptrdiff_t length = one_end - one, other_length = other_end - other;
    if (!length && !other_length)
        return 1;
    if (!most--)
        return 0;
    return (length && other_length && are_within(one + 1, one_end, other + 1, other_end, most)) ||
           (length && are_within(one + 1, one_end, other, other_end, most)) ||
           (other_length && are_within(one, one_end, other + 1, other_end, most)) ||
           (length > 1 && other_length > 1 && one[0] == other[1] && one[1] == other[0] &&
            are_within(one + 2, one_end, other + 2, other_end, most));
}

/* `is_near` of xml5tree/xml/nearness.py. */
static int compare_names(const Search *s, uint32_t name, uint32_t other)
{
    const Name *of[2] = {&s->names[name], &s->names[other]};
    uint8_t names[2][LONGEST_NAME], *local[2];
    size_t length[2], prefix[2];
    for (int k = 0; k < 2; k++) {
        length[k] = of[k]->length;
        if (length[k] > LONGEST_NAME)
            return 0;
        for (size_t i = 0; i < length[k]; i++)
            names[k][i] = lower(s->octets[of[k]->offset + i]);
        prefix[k] = prefix_of(names[k], length[k]);
        local[k] = names[k] + prefix[k];
    }
    if (length[0] - prefix[0] == length[1] - prefix[1] && !memcmp(local[0], local[1], length[0] - prefix[0]))
        return 1;
    int has_same_prefix = prefix[0] == prefix[1] && !memcmp(names[0], names[1], prefix[0]);
    for (int k = 0; k < 2; k++) {
        local[k] = has_same_prefix ? local[k] : names[k];
        length[k] -= has_same_prefix ? prefix[k] : 0;
    }
    int shorter = length[1] < length[0];
    const uint8_t *one = local[shorter], *two = local[!shorter];
    size_t size = length[shorter], most = length[!shorter];
    if (size >= 2 && 2 * size >= most && !memcmp(one, two, size))
        return 1;
    if (size <= 2)
        return size && most == size + 1 && !memcmp(one, two, size) && two[size] == one[size - 1];
    return are_within(one, one + size, two, two + most, size >= 7 ? 2 : 1);
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
