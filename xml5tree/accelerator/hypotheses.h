/* Readings of the text up to a place, and what waits there: xml5tree/intent/hypotheses.py, and the costs of search.py. */

#ifndef XML5TREE_HYPOTHESES_H
#define XML5TREE_HYPOTHESES_H

#include "model.h"

enum { INNER = 5, OUTER = 9, OTHERS = 4, DEEP = 6, ENOUGH = 8, RIVALS = 256 };
/* Operations, in the order of `OPERATIONS_OF_STEPS` of compiled.py. */
enum {
    AS_IT_STANDS,
    DROP_END,
    GOES_ON,
    VOID_END,
    END_OF,
    WRONG_END_NEAR,
    WRONG_END,
    END_AS_START,
    EMPTY_AS_START,
    EMPTY_AS_END,
    START_AS_END,
    ROOT_AGAIN,
    RENAME_START,
    START_AS_TEXT,
    AFTER_ROOT
};

/* Frames ----------------------------------------------------------------------------------------------------------- */

static uint32_t hash_frame(const Search *s, const Frame *frame)
{
    return hash_of(s, frame->name, frame->parent, frame->previous,
                   (uint32_t)frame->column * 0x9E3779B1u ^ (uint32_t)frame->child_column);
}

static int is_frame(const Frame *frame, const Frame *other)
{
    return frame->name == other->name && frame->parent == other->parent && frame->previous == other->previous &&
           frame->column == other->column && frame->child_column == other->child_column;
}

static void place_frames(Search *s)
{
    for (uint32_t i = 1; i < s->frames_count; i++) {
        uint32_t to = hash_frame(s, &s->frames[i]) & s->frame_mask;
        while (s->frame_slots[to])
            to = (to + 1) & s->frame_mask;
        s->frame_slots[to] = i;
    }
}

/* Return the number of a frame; that of the document has the parent 0. */
static uint32_t frame_of(Search *s, uint32_t name, uint32_t parent, uint32_t previous, int32_t column, int32_t child_column)
{
    Frame frame = {name, parent, previous, column, child_column};
    uint32_t at = hash_frame(s, &frame) & s->frame_mask;
    for (; s->frame_slots[at]; at = (at + 1) & s->frame_mask) {
        if (is_frame(&s->frames[s->frame_slots[at]], &frame))
            return s->frame_slots[at];
    }
    ROOM_FOR(s, frames, 1);
    uint32_t number = (uint32_t)s->frames_count;
    s->frames[s->frames_count++] = frame;
    s->frame_slots[at] = number;
    if (s->frames_count * 2 > s->frame_mask) {
        renew(s, &s->frame_slots, &s->frame_mask, s->frame_mask * 2 + 1);
        place_frames(s);
    }
    return number;
}

static uint32_t after(Search *s, uint32_t number, uint32_t symbol, int32_t column)
{
    Frame frame = s->frames[number];
    int is_later = column >= 0 && frame.child_column != EARLY_COLUMN;
    return frame_of(s, frame.name, frame.parent, symbol, frame.column, is_later ? column : frame.child_column);
}

static uint32_t push(Search *s, uint32_t number, uint32_t name, int32_t column, uint32_t symbol)
{
    return frame_of(s, name, after(s, number, name, column), symbol, column, NO_COLUMN);
}

static uint32_t parent_of(const Search *s, uint32_t number)
{
    return s->frames[number].parent;
}

/* Costs ------------------------------------------------------------------------------------------------------------ */

/* Return what a child costs, or the end. */
static int32_t event_cost(Search *s, uint32_t number, uint32_t symbol)
{
    const Frame *frame = &s->frames[number];
    return event(s, frame->name, frame->previous, symbol);
}

/* Return whether a tag ends the current element in HTML. */
static int ends_in_html(const Search *s, uint32_t name, uint32_t tag)
{
    return s->names[name].ends_before & s->names[tag].ends_others;
}

/* Return what an element in another one costs. */
static int32_t open_cost(Search *s, uint32_t number, uint32_t name, int32_t column)
{
    Frame frame = s->frames[number];
    int32_t cost = event_cost(s, number, name) + never_cost(s, number, name);
    if (ends_in_html(s, frame.name, name) && !is_usual_child(s, frame.name, frame.previous, name))
        cost += COST(s, html_end);
    if (!frame.parent) {
        if (frame.previous == FIRST)
            cost = !s->root_names_count || has_number(s->root_names, s->root_names_count, name) ? 0 : COST(s, no_root);
        else if (!s->has_many_roots)
            cost += COST(s, after_root);
        else if (cost > COST(s, next_root))
            cost = COST(s, next_root);
    }
    if (column >= 0) {
        if (frame.child_column >= 0) {
            if (column != frame.child_column)
                cost += s->column_costs[SIBLING];
        }
        else if (column <= frame.column) {
            cost += s->column_costs[CHILD];
        }
    }
    return cost;
}

/* Return what the end of an element costs, by the column of its end tag. */
static int32_t close_cost(Search *s, uint32_t number, int32_t column)
{
    Frame frame = s->frames[number];
    int32_t cost = event_cost(s, number, LAST);
    if (column >= 0 && frame.column >= 0 && column != frame.column)
        cost += s->column_costs[ENDS];
    return cost;
}

static int is_root(const Search *s, uint32_t number)
{
    uint32_t parent = parent_of(s, number);
    return parent && !parent_of(s, parent);
}

/* Return what it costs besides that an operation ends the root: `_early_cost`. */
static int32_t early_cost(const Search *s)
{
    uint64_t place = s->edge.end, stop = s->fed - place > 256 ? place + 256 : s->fed;
    const uint8_t *p = s->text + (place - s->base), *end = s->text + (stop - s->base);
    for (;;) { /* past white space and end tags */
        while (p < end && (is_white(*p) || *p == '\v' || *p == '\f'))
            p++;
        if (end - p < 2 || p[0] != '<' || p[1] != '/')
            return p < end ? COST(s, early_end) : 0;
        for (p += 2; p < end && *p != '<' && *p != '>';)
            p++;
        p += p < end && *p == '>';
    }
}

/* Return what it costs besides that the root ends where most of the document follows: `_loss_cost`. */
static int32_t loss_cost(const Search *s, uint32_t number)
{
    uint64_t end = s->edge.end, seen = s->fed - end > LOOK ? LOOK : s->fed - end;
    /* A root whose start tag is assumed may end before the first start tag that there is. */
    int is_most = end < s->root_place || seen > 2 * (end - s->root_place);
    if (!is_most || s->has_many_roots || !is_root(s, number) || !early_cost(s))
        return 0;
    return COST(s, lost_most);
}

static int32_t root_cost(const Search *s, uint32_t number)
{
    if (s->has_many_roots || !is_root(s, number))
        return 0;
    return early_cost(s) + loss_cost(s, number);
}

/* Return what the assumed end of an element costs, where others have been assumed at the same place. */
static int32_t missing_end(Search *s, uint32_t number, int closed)
{
    Frame frame = s->frames[number];
    const Name *name = &s->names[frame.name];
    int32_t share = systematic(s, MISSING_END, frame.name);
    if (!name->ends) {
        if (is_void(s, frame.name))
            share = frame.previous == FIRST || frame.previous == FIRST_WITH ? COST(s, void_name) : COST(s, never_ended);
        else if (frame.previous == FIRST_WITH && s->edge.kind != TEXT_EDGE && !name->is_filled && !is_root(s, number))
            share = started(s, frame.name) > 1 ? COST(s, empty_tag) : COST(s, empty_tag_once);
    }
    int32_t cost = COST(s, missing_end) * share / 1000 + habit(s, MISSING_END, frame.name) + close_cost(s, number, NO_COLUMN);
    return closed ? cost * COST(s, gap) / 1000 : cost;
}

/* Return an element; if it is the document, one in which what follows the root is dear. */
static uint32_t early(Search *s, uint32_t number)
{
    Frame frame = s->frames[number];
    if (parent_of(s, number) || s->has_many_roots)
        return number;
    return frame_of(s, frame.name, 0, frame.previous, NO_COLUMN, EARLY_COLUMN);
}

/* Waiting ---------------------------------------------------------------------------------------------------------- */

static int is_before(const Hypothesis *one, const Hypothesis *other)
{
    return one->cost < other->cost || (one->cost == other->cost && one->number < other->number);
}

static void limit(const Search *s, Waiting *waiting)
{
    int32_t least = NO_BOUND, most = 0;
    for (uint32_t i = 0; i < waiting->count; i++) {
        int32_t cost = waiting->hypotheses[i].cost;
        least = cost < least ? cost : least;
        most = !i || cost > most ? cost : most;
    }
    waiting->bound = least == NO_BOUND ? NO_BOUND : least + COST(s, width);
    if (waiting->count >= BEAM && most - 1 < waiting->bound)
        waiting->bound = most - 1;
}

/* Return the number of what waits at a place. */
static uint32_t waiting_at(Search *s, uint64_t place)
{
    size_t low = 0, high = s->order_count; /* the first place is the last one */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->waitings[s->order[middle]].place > place)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->order_count && s->waitings[s->order[low]].place == place)
        return s->order[low];
    uint32_t number;
    if (s->unused_count) {
        number = s->unused[--s->unused_count];
    }
    else {
        ROOM_FOR(s, waitings, 1);
        ROOM_FOR(s, unused, s->waitings_count + 1);
        number = (uint32_t)s->waitings_count++;
    }
    Waiting *waiting = &s->waitings[number];
    waiting->place = place;
    waiting->count = 0;
    limit(s, waiting);
    ROOM_FOR(s, order, 1);
    memmove(s->order + low + 1, s->order + low, (s->order_count - low) * sizeof *s->order);
    s->order[low] = number;
    s->order_count++;
    return number;
}

static int is_same_state(const Hypothesis *one, uint32_t frame, const uint32_t *owed, unsigned count)
{
    return one->frame == frame && one->owed_count == count && (!count || !memcmp(one->owed, owed, count * sizeof *owed));
}

/* Return the step that keeps a hypothesis. */
static uint32_t node_of(Search *s, Hypothesis *hypothesis)
{
    if (!hypothesis->node) {
        ROOM_FOR(s, nodes, 1);
        hypothesis->node = (uint32_t)s->nodes_count;
        s->nodes[s->nodes_count++] = hypothesis->step;
    }
    return hypothesis->node;
}

/* Keep a hypothesis and its rival; return the number of its step. */
static uint32_t keep(Search *s, Hypothesis *hypothesis)
{
    uint32_t node = node_of(s, hypothesis);
    if (hypothesis->rival.place) {
        ROOM_FOR(s, nodes, 1);
        s->nodes[node].rival = (uint32_t)s->nodes_count;
        s->nodes[s->nodes_count++] = hypothesis->rival;
        hypothesis->rival = (Step){0};
    }
    return node;
}

/* Let no step of a reading that is not decided have a larger margin than `gap`, if a rival reading lacks the step. At most
   `most` steps are compared. */
static void weigh(Search *s, uint32_t node, uint32_t rival, int32_t gap, uint32_t most)
{
    const uint64_t decided = s->nodes[s->last_node].place;
    for (Step *nodes = s->nodes; node != rival && nodes[node].place > decided && most--;) {
        Step *one = &nodes[node];
        const Step *other = &nodes[rival];
        if (other->place > one->place) {
            rival = other->before;
            continue;
        }
        if (other->place == one->place)
            rival = other->before;
        if (gap < one->margin &&
            (other->place != one->place || other->edge != one->edge || other->operation != one->operation ||
             other->closed != one->closed || other->opened != one->opened || other->name != one->name))
            one->margin = (int16_t)gap;
        node = one->before;
    }
}

/* Let a reading wait where its edge ends, unless it has no chance there. Of the step, only what it does besides reading the
   edge is given. */
static void put_owing(Search *s, int32_t cost, uint32_t frame, const uint32_t *owed, unsigned owed_count, Step step)
{
    Waiting *waiting = &s->waitings[s->there];
    if (s->no_root && !parent_of(s, frame) && s->frames[frame].previous == FIRST)
        cost += s->no_root;
    if (cost > waiting->bound)
        return;
    uint32_t at = 0;
    step.place = s->to;
    step.edge = s->edge_number;
    step.before = s->from->node;
    Step rival = {0};
    while (at < waiting->count && !is_same_state(&waiting->hypotheses[at], frame, owed, owed_count))
        at++;
    if (at < waiting->count) {
        Hypothesis *found = &waiting->hypotheses[at];
        int32_t gap = cost - found->cost, least = gap < 0 ? -gap : gap;
        rival = gap < 0 ? found->step : step;
        rival.margin = (int16_t)(least <= COST(s, width) ? least : COST(s, width) + 1);
        if (gap >= 0) {
            if (!found->rival.place || gap < found->rival.margin)
                found->rival = rival;
            return;
        }
    }
    else if (at == BEAM) {
        at = 0;
        for (uint32_t i = 1; i < BEAM; i++) {
            if (is_before(&waiting->hypotheses[at], &waiting->hypotheses[i]))
                at = i;
        }
    }
    else {
        waiting->count++;
    }
    Hypothesis *hypothesis = &waiting->hypotheses[at];
    step.margin = (int16_t)(COST(s, width) + !(s->has_choice || step.operation || step.closed || step.opened));
    hypothesis->step = step;
    hypothesis->rival = rival;
    hypothesis->cost = cost;
    hypothesis->frame = frame;
    hypothesis->number = ++s->numbers;
    if (owed_count)
        memcpy(hypothesis->owed, owed, owed_count * sizeof *owed);
    hypothesis->owed_count = (uint8_t)owed_count;
    hypothesis->node = 0;
    memcpy(hypothesis->anchors, s->from->anchors, sizeof hypothesis->anchors);
    hypothesis->anchor_count = s->from->anchor_count;
    limit(s, waiting);
}

static void put(Search *s, int32_t cost, uint32_t frame, Step step)
{
    put_owing(s, cost, frame, NULL, 0, step);
}

static int32_t bound_of(const Search *s)
{
    return s->waitings[s->there].bound;
}

#endif
