/* What is tried after a reading: the operations of xml5tree/intent/search.py, in their order. */

#ifndef XML5TREE_EXPAND_H
#define XML5TREE_EXPAND_H

#include "hypotheses.h"

/* End tags --------------------------------------------------------------------------------------------------------- */

/* Return what follows a place and white space, up to 256 octets after the place. */
static const uint8_t *after_space(const Search *s, uint64_t place, const uint8_t **end)
{
    uint64_t stop = s->fed - place > 256 ? place + 256 : s->fed;
    const uint8_t *p = s->text + (place - s->base);
    *end = s->text + (stop - s->base);
    while (p < *end && (is_white(*p) || *p == '\v' || *p == '\f'))
        p++;
    return p;
}

/* Return whether only white space is between a place and a tag, or an end tag. */
static int is_before_tag(const Search *s, uint64_t place, int is_end)
{
    const uint8_t *end, *p = after_space(s, place, &end);
    return p < end && *p == '<' && (!is_end || (p + 1 < end && p[1] == '/'));
}

/* Return what the start of an element costs between others, if its name has end tags only. */
static int32_t after_others_cost(const Search *s, uint32_t frame, uint32_t name)
{
    uint32_t previous = s->frames[frame].previous;
    if (previous == name || previous == FIRST || previous == FIRST_WITH || s->names[name].starts || s->names[name].ends < 3)
        return 0;
    uint64_t place = s->edge.kind == END_EDGE ? s->edge.end : s->edge.begin;
    return is_before_tag(s, place, 0) ? COST(s, start_after_others) : 0;
}

/* Return whether text beside elements is all that is in one which lacks its start tag, as no other does: `_lacks_start`. */
static int lacks_start(Search *s, uint32_t frame, uint32_t name)
{
    uint32_t previous = s->frames[frame].previous;
    uint64_t length = s->names[name].length, after = s->edge.end + length + 3;
    const uint8_t *p = s->text + (s->edge.end - s->base);
    if (memchr(s->text + (s->edge.begin - s->base), '>', (size_t)(s->edge.end - s->edge.begin))) /* the rest of a tag, perhaps */
        return 0;
    if (s->names[name].ends - s->names[name].starts != 1 || after > s->fed || memcmp(p, "</", 2) || memcmp(p + 2, octets_of(s, name), length) || p[length + 2] != '>')
        return 0;
    if ((previous == FIRST || previous == FIRST_WITH) && (!s->names[s->frames[frame].name].ends || is_before_tag(s, after, 1)))
        return 0;
    if (previous == name || s->names[previous].kinds & IS_INLINE || is_near(s, name, s->frames[frame].name))
        return 0;
    return is_before_tag(s, after, 0);
}

/* Return whether a place looks like one within a tag: `_is_torn`. */
static int is_torn(const Search *s, uint64_t place)
{
    const uint8_t *end, *p = after_space(s, place, &end), *begin = p;
    while (p < end && *p != '>' && *p != '<')
        p++;
    return p < end && *p == '>' && p > begin;
}

/* Return whether a name has elements, and another that is near has none: so they are hardly the same. */
static int has_own_elements(const Search *s, uint32_t name, uint32_t other)
{
    const Name *one = &s->names[name], *two = &s->names[other];
    int has_some = one->complete || (started(s, name) > 1 && one->ends > 1);
    return has_some && !two->complete && !two->ends && !have_same_stem(s, name, other);
}

static void read_end_tag(Search *s, uint32_t frame, int32_t cost)
{
    Edge edge = s->edge;
    uint32_t name = edge.name, parent = parent_of(s, frame);
    int32_t surplus = habit(s, SURPLUS_END, name);
    int is_own = parent && (!name || s->frames[frame].name == name);
    unsigned owed_count = s->from->owed_count;
    const uint32_t *owed = s->from->owed;
    if (is_own) {
        int32_t closing = close_cost(s, frame, edge.column) + loss_cost(s, frame);
        put_owing(s, cost + closing, name ? parent : early(s, parent), owed, owed_count, (Step){0});
        if (closing <= COST(s, sure) && !edge.cost && !has_number(s->surplus, s->surplus_count, name) && parent_of(s, parent))
            return;
    }
    uint32_t previous = s->frames[frame].previous;
    if (!parent && previous != FIRST) {
        put_owing(s, cost + (previous == AGAIN ? 0 : COST(s, after_root_each)), frame, owed, owed_count, (Step){.operation = AFTER_ROOT});
        return;
    }
    uint32_t rest[OWED];
    unsigned rest_count = 0;
    for (unsigned i = 0; i < owed_count; i++) {
        if (owed[i] != name)
            rest[rest_count++] = owed[i];
    }
    if (rest_count < owed_count) {
        put_owing(s, cost + COST(s, drop_end_owed), frame, rest, rest_count, (Step){.operation = DROP_END});
    }
    else {
        int32_t dropping = COST(s, drop_end) + surplus;
        if (parent && !parent_of(s, parent) && is_torn(s, edge.end))
            dropping += COST(s, torn_tail);
        if (is_own)
            dropping += s->names[name].starts == 1 ? -COST(s, goes_on_once) : COST(s, goes_on);
        if (s->from->step.operation == GOES_ON)
            dropping = dropping * COST(s, gap) / 1000;
        put_owing(s, cost + dropping, frame, owed, owed_count, (Step){.operation = is_own ? GOES_ON : DROP_END});
    }
    if (!parent)
        return;
    if (is_void(s, name) && edge.cost >= 0) { /* else it is near a name that the caller lists */
        int32_t opening = open_cost(s, frame, name, edge.column);
        put_owing(s, cost + COST(s, void_end) + opening, after(s, frame, name, edge.column), owed, owed_count,
                  (Step){.operation = VOID_END});
    }
    /* It ends an outer element, or has another name than the one that it ends. */
    uint32_t others[OWED + OUTER], outer = frame;
    unsigned others_count = owed_count;
    memcpy(others, owed, owed_count * sizeof *owed);
    int32_t before = cost;
    for (int closed = 0; closed < OUTER; closed++) {
        uint32_t around = parent_of(s, outer), inner = s->frames[outer].name;
        if (!around || before > bound_of(s))
            break;
        unsigned left = others_count < OWED ? others_count : OWED;
        const uint32_t *latest = others + others_count - left;
        if (closed && inner == name) {
            put_owing(s, before + close_cost(s, outer, edge.column) + loss_cost(s, outer), around, latest, left,
                      (Step){.operation = END_OF, .closed = (uint8_t)closed});
        }
        else if (name && inner != name && closed < OTHERS) {
            int32_t wrong = before + (surplus + habit(s, MISSING_END, inner)) / 2;
            int nearby = is_near(s, name, inner);
            wrong += (nearby ? COST(s, wrong_end_near) : COST(s, wrong_end)) + root_cost(s, outer);
            if (nearby && is_odd_case(s, inner, name, s->frames[around].name))
                wrong += COST(s, odd_case);
            if (nearby && has_own_elements(s, name, inner))
                wrong += COST(s, unseen_start);
            if (wrong <= bound_of(s)) {
                wrong += close_cost(s, outer, edge.column);
                put_owing(s, wrong, early(s, around), latest, left,
                          (Step){.operation = nearby ? WRONG_END_NEAR : WRONG_END, .closed = (uint8_t)closed, .name = inner});
            }
        }
        before += missing_end(s, outer, closed);
        others[others_count++] = inner;
        outer = around;
    }
    if (name) {
        int32_t opening = cost + COST(s, end_as_start) + surplus + after_others_cost(s, frame, name);
        opening += open_cost(s, frame, name, edge.column);
        if (opening <= bound_of(s))
            put(s, opening, push(s, frame, name, edge.column, FIRST), (Step){.operation = END_AS_START});
    }
}

/* Opening tags and text -------------------------------------------------------------------------------------------- */

static int is_restart(const Search *s, uint64_t place)
{
    return has_place(s->restarts, s->restarts_count, place);
}

/* Return whether a start tag that hardly occurs twice is that of the root. */
static int is_root_tag(const Search *s, const Edge *edge)
{
    if (edge->begin == s->root_place || (!(edge->facts & HAS_ATTRIBUTES) && !is_restart(s, edge->begin)))
        return 0;
    size_t length = (size_t)(edge->end - edge->begin) - 1; /* without the ">" */
    if (length >= s->root_tag_count || memcmp(s->text + (edge->begin - s->base), s->root_tag, length))
        return 0;
    return s->root_tag[length] == '>' || is_white(s->root_tag[length]);
}

/* Try an opening tag as the end tag of the current element. */
static void read_as_end_tag(Search *s, uint32_t number, int32_t cost, int fault, Step step)
{
    Frame frame = s->frames[number];
    const Edge *edge = &s->edge;
    if (edge->facts & HAS_ATTRIBUTES || !frame.parent || frame.name != edge->name || frame.previous == FIRST ||
        frame.previous == FIRST_WITH)
        return;
    cost += root_cost(s, number) + habit(s, fault, edge->name) + close_cost(s, number, edge->column);
    step.name = frame.name;
    put(s, cost, early(s, frame.parent), step);
}

/* Try a start tag under another name. */
static void rename_start(Search *s, uint32_t frame, uint32_t other, int32_t cost, Step step)
{
    uint32_t name = s->edge.name;
    int nearby = is_near(s, other, name);
    if (!nearby && other == name)
        return;
    cost += nearby && !have_same_stem(s, other, name) ? COST(s, rename_start) : COST(s, rename_far);
    cost += habit(s, SURPLUS_START, name) / 2;
    if (started(s, other) <= 0 && !s->names[other].complete)
        cost += COST(s, unseen_name);
    if (s->names[name].ends || s->names[name].complete)
        cost += COST(s, complete_name);
    size_t prefix = prefix_of(octets_of(s, name), s->names[name].length);
    if (prefix && is_name(s, other, octets_of(s, name) + prefix, s->names[name].length - prefix))
        cost += COST(s, prefix);
    cost += open_cost(s, frame, other, s->edge.column);
    if (cost <= bound_of(s)) {
        step.operation = RENAME_START;
        step.name = other;
        put(s, cost, push(s, frame, other, s->edge.column, first_of(&s->edge)), step);
    }
}

/* Try a start tag as text. */
static void read_as_text(Search *s, uint32_t frame, int32_t cost, Step step)
{
    const Edge *edge = &s->edge;
    uint32_t previous = s->frames[frame].previous;
    const uint8_t *begin = s->text + (edge->begin - s->base);
    int is_printed = s->names[edge->name].kinds & IS_PRINTED && !(edge->facts & HAS_ATTRIBUTES);
    cost += is_printed ? COST(s, printed) : COST(s, start_as_text);
    int is_after_tag = previous != CHARACTERS || (edge->begin > s->base && (begin[-1] == '>' || begin[-1] == '\n'));
    if (is_after_tag && !is_printed)
        cost += COST(s, between_tags);
    if (edge->facts & HAS_ATTRIBUTES || s->names[edge->name].kinds & IS_PHRASE)
        cost += COST(s, phrase_text);
    if (previous != CHARACTERS)
        cost += event_cost(s, frame, CHARACTERS);
    step.operation = START_AS_TEXT;
    put(s, cost, after(s, frame, CHARACTERS, NO_COLUMN), step);
}

static int32_t after_root_cost(const Search *s, uint32_t frame)
{
    int32_t each = s->frames[frame].child_column == EARLY_COLUMN ? COST(s, after_root_early) : COST(s, after_root_each);
    return each * (1 + (int32_t)((s->to - s->edge.begin) / 40));
}

/* Return what text costs that is in no element. */
static int32_t outer_text_cost(const Search *s, uint32_t frame)
{
    uint32_t previous = s->frames[frame].previous;
    if (s->has_many_roots || previous == AGAIN)
        return 0;
    if (previous != FIRST)
        return after_root_cost(s, frame);
    const uint8_t *begin = s->text + (s->edge.begin - s->base);
    int is_section = s->edge.end - s->edge.begin > 1 && begin[1] == '!';
    return *begin == '<' && !is_section ? COST(s, text_before_root) : 0;
}

/* Try an opening tag after the root: the draft drops it. */
static void read_after_root(Search *s, uint32_t number, int32_t cost, Step step)
{
    Frame frame = s->frames[number];
    if (frame.previous == AGAIN) {
        put(s, cost, number, step);
    }
    else if (frame.previous == s->edge.name && (is_restart(s, s->edge.begin) || is_root_tag(s, &s->edge))) {
        put(s, cost + COST(s, after_root) - COST(s, next_root), after(s, number, AGAIN, NO_COLUMN), step);
    }
    else {
        cost += after_root_cost(s, number) + (frame.child_column > FREE_COLUMN ? COST(s, after_root) : 0);
        int32_t column = frame.child_column < FREE_COLUMN ? EARLY_COLUMN : FREE_COLUMN;
        put(s, cost, frame_of(s, frame.name, 0, frame.previous, NO_COLUMN, column), step);
    }
}

/* Try text or an opening tag in an element. */
static void enter(Search *s, uint32_t number, int32_t cost, int closed, uint32_t opened)
{
    Frame frame = s->frames[number];
    Edge edge = s->edge;
    uint32_t name = edge.name;
    Step step = {.closed = (uint8_t)closed, .opened = opened};
    if (edge.kind == TEXT_EDGE) {
        if (frame.parent) {
            if (frame.previous != CHARACTERS) {
                cost += event_cost(s, number, CHARACTERS);
                number = after(s, number, CHARACTERS, NO_COLUMN);
            }
            put_owing(s, cost, number, s->from->owed, s->from->owed_count, step);
        }
        else if (!opened) {
            put(s, cost + outer_text_cost(s, number), number, step);
        }
        return;
    }
    if (!frame.parent && frame.previous != FIRST && !s->has_many_roots) {
        read_after_root(s, number, cost, step);
        return;
    }
    int32_t inside = open_cost(s, number, name, edge.column);
    if (s->is_element) {
        put(s, cost + inside, after(s, number, name, edge.column), step);
        return;
    }
    const Name *facts = &s->names[name];
    int32_t swapped;
    if (edge.kind == EMPTY_EDGE) {
        uint32_t next = after(s, number, name, edge.column);
        if (edge.facts & HAS_OPERATION && !frame.parent && !s->has_many_roots) {
            inside += early_cost(s);
            next = early(s, next);
        }
        put(s, cost + inside, next, step);
        if (facts->ends > started(s, name)) {
            int32_t filled = COST(s, empty_as_start) * systematic(s, MISSING_START, name) / 1000;
            filled += cost + inside + habit(s, MISSING_START, name);
            put(s, filled, push(s, number, name, edge.column, first_of(&edge)), (Step){.operation = EMPTY_AS_START, .closed = (uint8_t)closed, .opened = opened});
        }
        swapped = COST(s, empty_as_end) * systematic(s, MISSING_END, name) / 1000;
        read_as_end_tag(s, number, cost + swapped, MISSING_END, (Step){.operation = EMPTY_AS_END, .closed = (uint8_t)closed, .opened = opened});
        return;
    }
    put(s, cost + inside, push(s, number, name, edge.column, first_of(&edge)), step);
    if (!frame.parent)
        return;
    if (!parent_of(s, frame.parent) && is_root_tag(s, &edge)) {
        uint32_t again = frame_of(s, frame.name, early(s, frame.parent), frame.previous, frame.column, frame.child_column);
        int32_t share = is_restart(s, edge.begin) ? COST(s, restart) : 1000;
        put_owing(s, cost + COST(s, root_again) * share / 1000, again, s->from->owed, s->from->owed_count,
                  (Step){.operation = ROOT_AGAIN, .closed = (uint8_t)closed, .opened = opened});
    }
    swapped = COST(s, start_as_end) * systematic(s, SWAP, name) / 1000;
    int is_text = frame.previous == CHARACTERS;
    if (!facts->ends) {
        if (is_text && facts->kinds & IS_INLINE)
            swapped -= COST(s, start_as_end_inline);
        else if (!is_before_tag(s, edge.end, !is_text))
            swapped += COST(s, start_as_end_unseen);
    }
    read_as_end_tag(s, number, cost + swapped, SWAP, (Step){.operation = START_AS_END, .closed = (uint8_t)closed, .opened = opened});
    if (started(s, name) > s->names[name].ends) {
        for (uint32_t i = 0; i < s->surplus_count; i++)
            rename_start(s, number, s->surplus[i], cost, step);
        facts = &s->names[name];
        if (!facts->ends && !facts->complete && !is_void(s, name))
            read_as_text(s, number, cost, step);
    }
}

/* Try text or an opening tag in the current element; after the ends of some; in assumed ones. */
static void enter_all(Search *s, uint32_t frame, int32_t cost)
{
    int restarts = is_restart(s, s->edge.begin) && (s->has_many_roots || is_root_tag(s, &s->edge));
    for (int closed = 0; closed <= INNER; closed++) {
        enter(s, frame, cost, closed, NOTHING);
        if (parent_of(s, frame) || s->frames[frame].previous == FIRST) {
            for (uint32_t i = 0; i < s->surplus_count; i++) {
                uint32_t name = s->surplus[i];
                int32_t assumed = COST(s, missing_start) * systematic(s, MISSING_START, name) / 1000;
                assumed += cost + habit(s, MISSING_START, name) + after_others_cost(s, frame, name);
                if (is_usual_child(s, name, FIRST, s->edge.name ? s->edge.name : CHARACTERS))
                    assumed -= COST(s, usual_start);
                else if (s->edge.kind == TEXT_EDGE && !closed && lacks_start(s, frame, name))
                    assumed -= COST(s, only_start);
                assumed += open_cost(s, frame, name, NO_COLUMN);
                if (assumed <= bound_of(s))
                    enter(s, push(s, early(s, frame), name, NO_COLUMN, FIRST), assumed, closed, name);
            }
        }
        uint32_t parent = parent_of(s, frame);
        if (!parent || (!parent_of(s, parent) && !s->has_many_roots))
            return;
        int32_t ending = missing_end(s, frame, closed);
        cost += restarts ? ending * COST(s, restart) / 1000 : ending;
        if (cost > bound_of(s))
            return;
        frame = parent;
    }
}

#endif
