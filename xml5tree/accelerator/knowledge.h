/* What the caller and the document's own DTD say of its elements: xml5tree/intent/knowledge.py. */

#ifndef XML5TREE_KNOWLEDGE_H
#define XML5TREE_KNOWLEDGE_H

#include "nearness.h"

enum { AROUND = 64 };      /* elements around one that are looked at */
enum { IN_IT, AROUND_IT }; /* kinds of entries of `content`, by a known name and another one */
enum { MAY_HAVE_SOME = 1, HAS_NONE };

/* Return the name under which something is known of the elements of a name. */
static uint32_t known_of(Search *s, uint32_t number)
{
    Name *name = &s->names[number];
    if (number < FIRST_NAME)
        return number;
    if (!name->known) {
        size_t prefix = prefix_of(octets_of(s, number), name->length);
        const Name *local = find_name(s, octets_of(s, number) + prefix, name->length - prefix);
        name->known = local && local->has_any_prefix ? (uint32_t)(local - s->names) : number;
    }
    return name->known;
}

/* Return whether elements have nothing in them, in HTML or as it is known. */
static int is_void(Search *s, uint32_t number)
{
    return s->names[number].kinds & IS_VOID || (s->knows && s->names[known_of(s, number)].has_children == HAS_NONE);
}

/* Return what a child costs, which costs so much otherwise, by what may be in an element, as it is known. */
static int32_t known_cost(Search *s, uint32_t parent, uint32_t symbol, int32_t cost)
{
    uint32_t known = s->knows ? known_of(s, parent) : NOTHING;
    uint8_t has_children = s->names[known].has_children;
    if (!has_children)
        return cost;
    if (symbol == LAST)
        return has_children == HAS_NONE ? 0 : cost;
    if (!number_of(s, &s->content, IN_IT, known, known_of(s, symbol), 0))
        return cost + COST(s, undeclared);
    return cost < COST(s, declared) ? cost : COST(s, declared);
}

/* Return whether there are elements in which those of a name never are. */
static int has_never(Search *s, uint32_t name)
{
    return s->knows && s->names[known_of(s, name)].around;
}

/* Return whether elements of a name are never in those of another one, as it is known. */
static int is_never_in(Search *s, uint32_t name, uint32_t around)
{
    return number_of(s, &s->content, AROUND_IT, known_of(s, name), known_of(s, around), 0) != 0;
}

/* Return what an element costs that is never in one of those around it, as it is known. */
static int32_t never_cost(Search *s, uint32_t frame, uint32_t name)
{
    for (int i = 0; i < AROUND && has_never(s, name) && s->frames[frame].parent; i++, frame = s->frames[frame].parent) {
        if (is_never_in(s, name, s->frames[frame].name))
            return COST(s, undeclared);
    }
    return 0;
}

#endif
