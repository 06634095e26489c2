/* The open elements of a part of a run, and the columns of their tags: see `PureReader` in
   xml5tree/dialects/xml5/intent/runs/pure.py. Like tokens.h it knows nothing of Python. */

#ifndef XML5TREE_STACK_H
#define XML5TREE_STACK_H

#include <limits.h>

#include "tags.h"
#include "tokens.h"

/* Columns up to this one are looked at, so that time is linear; there is the same number in constants.py. */
enum { MOST_INDENT = 255 };

/* Instead of a column: the tag is not the first on its line; or there is no such tag. The same numbers are in columns.py. */
enum { NO_COLUMN = -1, NO_SIBLING = -2 };

/* For `most` below: no limit. */
#define ANY_INDENT LLONG_MAX

/* How many of the open elements are known: one more than a run may end. There is the same number in runs/contract.py. */
enum { MOST_KNOWN = 7 };

/* Instead of an index: it is before the part, or there is no such tag. */
#define NO_INDEX SIZE_MAX

/* An open element: its name and that of its last child, as numbers, the latter `TEXT_CHILD` if it has only text and `NO_NAME`
   if nothing; where its tag begins, or else its column; and whether it had text before of which nothing was learned. */
typedef struct {
    uint32_t name;
    uint32_t last;
    size_t start;
    int column;
    int had_text;
} OpenElement;

typedef struct {
    OpenElement *items;
    size_t count;
    size_t room;
    const uint8_t *data;
    size_t start;      /* where the part begins */
    long long column;  /* the column there */
    size_t ended;      /* how many of the elements that were open before it are ended */
    size_t child;      /* where the last child of the current element begins */
    int child_before;  /* the column of that child if it begins before the part */
    int has_start_tag;
    size_t sure_parent; /* an element known to end soon: where it begins; if before the part, SIZE_MAX less its depth */
    size_t sure_end;    /* where its end begins; 0: none is known */
} OpenElements;

static OpenElement *current_of(const OpenElements *open)
{
    return &open->items[open->count - 1];
}

/* Open an element; 0 where memory is short. */
static int push_element(OpenElements *open, OpenElement element)
{
    OpenElement *items = with_room(open->items, open->count, &open->room, sizeof *items);
    if (!items)
        return 0;
    open->items = items;
    items[open->count++] = element;
    open->child = NO_INDEX;
    open->child_before = NO_SIBLING;
    return 1;
}

/* End the current element, which is not the only one. */
static void pop_element(OpenElements *open)
{
    const OpenElement ended = open->items[--open->count];
    current_of(open)->last = ended.name;
    open->child = ended.start;
    if (ended.start == NO_INDEX) {
        open->ended++;
        open->child_before = ended.column;
    }
}

/* Columns ---------------------------------------------------------------------------------------------------------- */

/* Return how much white space is before a place on its line; NO_COLUMN where something else is, or more than `most`. */
static long long column_of(const OpenElements *open, size_t index, long long most)
{
    for (long long column = 0; column <= most; column++, index--) {
        if (index == open->start) {
            long long begun = open->column;
            return begun < 0 || begun > most - column ? NO_COLUMN : begun + column;
        }
        if (open->data[index - 1] == '\n')
            return column;
        if (open->data[index - 1] != ' ' && open->data[index - 1] != '\t')
            return NO_COLUMN;
    }
    return NO_COLUMN;
}

static long long column_of_parent(const OpenElements *open)
{
    const OpenElement *parent = current_of(open);
    return parent->start == NO_INDEX ? parent->column : column_of(open, parent->start, MOST_INDENT);
}

static long long column_of_child(const OpenElements *open)
{
    return open->child == NO_INDEX ? open->child_before : column_of(open, open->child, MOST_INDENT);
}

/* Return whether columns contradict that a tag is in the current element: see `contradict` in columns.py. */
static int is_misplaced(const OpenElements *open, size_t index)
{
    long long column = column_of(open, index, MOST_INDENT);
    if (column < 0)
        return 0;
    long long child = column_of_child(open);
    if (child != NO_SIBLING)
        return child >= 0 && child != column;
    return column <= column_of_parent(open);
}

/* Return whether columns surely do not contradict that a tag is in the current element. */
static int fits_surely(const OpenElements *open, size_t index)
{
    long long column = column_of(open, index, MOST_INDENT);
    if (column < 0)
        return index == open->start ? open->column < 0 : !is_space(open->data[index - 1]);
    long long child = column_of_child(open);
    if (child != NO_SIBLING)
        return child == column;
    long long parent = column_of_parent(open);
    return parent >= 0 && column > parent;
}

/* Return whether the current element ends by one of the `most` tags from an index on, within `reach` bytes. The end is looked
   for once for all children: after each child, fewer tags and bytes are left up to it. */
static int ends_soon(OpenElements *open, size_t index, const uint8_t *stop, unsigned most, size_t reach)
{
    size_t parent = current_of(open)->start == NO_INDEX ? SIZE_MAX - open->count : current_of(open)->start;
    if (index < open->sure_end && parent == open->sure_parent)
        return 1;
    const uint8_t *end = find_end(open->data + index, stop, most, reach);
    if (end) {
        open->sure_parent = parent;
        open->sure_end = (size_t)(end - open->data);
    }
    return end != NULL;
}

#endif
