/* Compares readings of tags as xml5tree/dialects/xml5/intent/simulation.py does, which explains each part. Like tags.h, it
   knows nothing of Python. */

#ifndef XML5TREE_READINGS_H
#define XML5TREE_READINGS_H

#include <limits.h>

#include "tags.h"

typedef struct {
    uint32_t *items;
    size_t count;
    size_t room;
} Stack;

/* Questions about what a document has shown: each answer is 0 or 1, or -1 on failure. */
typedef struct {
    void *context;
    int (*is_known)(void *context, uint32_t parent, uint32_t child);
    int (*may_be_void)(void *context, uint32_t name);
    int (*is_slip)(void *context, uint32_t name, uint32_t current); /* `name` is unknown and near `current` */
} Facts;

/* A pair of parent and child: it is known, or one of the new pairs of a comparison. */
typedef struct {
    uint32_t parent;
    uint32_t child;
    uint32_t round; /* KNOWN, or the last comparison that found the pair to be new; 0: the slot is free */
    uint32_t index; /* among the new pairs of that comparison */
} Pair;

/* A new pair, with a bit for each reading in both fields. */
typedef struct {
    uint32_t has; /* the reading has the pair */
    uint32_t had; /* the reading has joined another one that had the pair at that time */
} NewPair;

enum { MOST_READINGS = 31 };
#define ALL_READINGS ((uint32_t)1 << MOST_READINGS) /* the bit of pairs that all readings have */
#define KNOWN UINT32_MAX

/* Answers that are kept from one comparison to the next: known pairs stay known. */
typedef struct {
    uint64_t factors[2]; /* of the hash of pairs: random, so that nobody can choose names whose pairs collide */
    Pair *slots;
    size_t slot_count;
    size_t used;
    uint32_t round;
    NewPair *fresh;
    size_t fresh_count;
    size_t fresh_room;
    uint32_t *voids; /* by name: 2 * (the round in which `may_be_void` was last asked) + its answer */
    size_t void_count;
} Memory;

typedef struct {
    Stack stack;
    Stack forced;
    long long errors;
    long long after_root;
    long long outside;
} Simulation;

typedef struct {
    size_t own;
    size_t other;
    long long errors;
} Joined;

typedef struct {
    size_t most_evidence;
    size_t most_doubts;
    size_t most_inside;
    long long most_after_root;
    long long new_pair; /* this and the next two are costs in the same unit */
    long long error;
    long long doubtful;
    uint32_t around; /* the name of the element around the roots */
} Numbers;

/* The tags that are looked at. */
typedef struct {
    size_t first;
    size_t end;      /* index after the last tag that has been read and is within the limit: see `end_view` */
    int is_complete; /* whether no more tags can follow in the window */
    int at_end;      /* whether no more tags follow in the document */
    int begins_with_text;
    long long stop; /* offset up to which text counts as looked at, once all tags have been */
} View;

typedef enum { FINISHED, WANTS_MORE, BROKEN } Progress;

typedef struct {
    Tags *tags;
    Memory *memory;
    const Facts *facts;
    const Numbers *numbers;
    View view;
    Simulation *all;
    size_t count;
    size_t going[MOST_READINGS];
    size_t going_count;
    Joined joined[MOST_READINGS];
    size_t joined_count;
    Stack shared;
    Stack ends;    /* the end tags that follow one that ends several elements */
    size_t doubts; /* how often `ends` has been found */
    long long errors;
    size_t looked; /* the index after the last tag that has been looked at; SIZE_MAX: all text of the view */
} Comparison;

static int push_name(Stack *stack, uint32_t name)
{
    uint32_t *items = with_room(stack->items, stack->count, &stack->room, sizeof *items);
    if (!items)
        return 0;
    stack->items = items;
    items[stack->count++] = name;
    return 1;
}

static uint32_t top_of(const Stack *stack)
{
    return stack->items[stack->count - 1];
}

/* Return how many elements an end tag ends, 0 where it matches none: see xml5tree/tree/endtags.py. */
static size_t ended_by(const Stack *stack, uint32_t name)
{
    size_t place = stack->count;
    while (place && name != NO_NAME && stack->items[place - 1] != name)
        place--;
    return place ? stack->count - place + 1 : 0;
}

/* Take the first occurrence of a name out of a stack; return whether there is one. */
static int take_out(Stack *stack, uint32_t name)
{
    for (size_t i = 0; i < stack->count; i++) {
        if (stack->items[i] == name) {
            memmove(stack->items + i, stack->items + i + 1, (stack->count - i - 1) * sizeof *stack->items);
            stack->count--;
            return 1;
        }
    }
    return 0;
}

static int same_stack(const Stack *a, const Stack *b)
{
    return a->count == b->count && (!a->count || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

/* Known pairs and names ------------------------------------------------------------------------------------------------ */

static size_t slot_of(const Memory *memory, uint32_t parent, uint32_t child)
{
    size_t mask = memory->slot_count - 1;
    size_t slot = (size_t)((parent * memory->factors[0] + child * memory->factors[1]) >> 32) & mask;
    while (memory->slots[slot].round && (memory->slots[slot].parent != parent || memory->slots[slot].child != child))
        slot = (slot + 1) & mask;
    return slot;
}

/* Begin without pairs. */
static void begin_memory(Memory *memory, uint64_t seed)
{
    memset(memory, 0, sizeof *memory);
    memory->factors[0] = seed | 1;
    memory->factors[1] = (seed * 6364136223846793005u + 1442695040888963407u) | 1;
}

static int grow_pairs(Memory *memory)
{
    Memory grown = *memory;
    grown.slot_count = memory->slot_count ? 2 * memory->slot_count : 256;
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return 0;
    for (size_t i = 0; i < memory->slot_count; i++) {
        const Pair *pair = &memory->slots[i];
        if (pair->round)
            grown.slots[slot_of(&grown, pair->parent, pair->child)] = *pair;
    }
    free(memory->slots);
    *memory = grown;
    return 1;
}

static void forget_all(Memory *memory)
{
    free(memory->slots);
    free(memory->fresh);
    free(memory->voids);
    begin_memory(memory, memory->factors[0]);
}

/* The most pairs that are remembered: more than a document is learned from, and than one comparison has. */
enum { MOST_PAIRS_KEPT = 1 << 16 };

static void begin_round(Memory *memory)
{
    if (memory->used > MOST_PAIRS_KEPT || memory->round >= UINT32_MAX / 2 - 2)
        forget_all(memory);
    memory->round++;
    memory->fresh_count = 0;
}

/* Note that a reading has a pair; 0 on failure. */
static int note_pair(Comparison *comparison, uint32_t parent, uint32_t child, uint32_t reading)
{
    Memory *memory = comparison->memory;
    if (2 * memory->used >= memory->slot_count && !grow_pairs(memory))
        return 0;
    Pair *pair = &memory->slots[slot_of(memory, parent, child)];
    if (pair->round == KNOWN)
        return 1;
    if (pair->round != memory->round) {
        NewPair *fresh = with_room(memory->fresh, memory->fresh_count, &memory->fresh_room, sizeof *fresh);
        if (!fresh)
            return 0;
        memory->fresh = fresh;
        int is_known = comparison->facts->is_known(comparison->facts->context, parent, child);
        if (is_known < 0)
            return 0;
        memory->used += pair->round == 0;
        *pair = (Pair){parent, child, is_known ? KNOWN : memory->round, (uint32_t)memory->fresh_count};
        if (is_known)
            return 1;
        fresh[memory->fresh_count++] = (NewPair){0, 0};
    }
    memory->fresh[pair->index].has |= reading;
    return 1;
}

/* Return whether a start tag of a name may be an empty tag that lacks its "/"; -1 on failure. */
static int may_be_void(Comparison *comparison, uint32_t name)
{
    Memory *memory = comparison->memory;
    if (name >= memory->void_count) {
        size_t count = 2 * comparison->tags->names.count;
        uint32_t *voids = realloc(memory->voids, count * sizeof *voids);
        if (!voids)
            return -1;
        memset(voids + memory->void_count, 0, (count - memory->void_count) * sizeof *voids);
        memory->voids = voids;
        memory->void_count = count;
    }
    if (memory->voids[name] >> 1 != memory->round) {
        int answer = comparison->facts->may_be_void(comparison->facts->context, name);
        if (answer < 0)
            return -1;
        memory->voids[name] = memory->round << 1 | (uint32_t)answer;
    }
    return (int)(memory->voids[name] & 1);
}

/* One reading ---------------------------------------------------------------------------------------------------------- */

static void read_outside(Simulation *simulation, uint32_t kind)
{
    if (kind == IS_END) {
        if (simulation->outside)
            simulation->outside--;
        else
            simulation->errors++;
    } else if (kind != IS_TEXT) {
        simulation->after_root++;
        simulation->outside += kind == IS_START;
    }
}

/* Return whether there are `ends`, and they end the first `count` elements of a stack, innermost first. */
static int are_of(const Stack *ends, const Stack *stack, size_t count)
{
    for (size_t i = 0; i < ends->count && i < count; i++) {
        if (ends->items[i] != NO_NAME && ends->items[i] != stack->items[count - 1 - i])
            return 0;
    }
    return ends->count > 0;
}

/* Read an end tag in an element; `ends` are the end tags that follow, see `find_ends`. Return 0 on failure. */
static int read_end(Simulation *simulation, const Facts *facts, uint32_t name, const Stack *ends)
{
    Stack *stack = &simulation->stack, *forced = &simulation->forced;
    size_t ended = ended_by(stack, name);
    if (ended == 1) {
        stack->count--;
        return 1;
    }
    if (!ended) {
        if (take_out(forced, name))
            return 1;
        simulation->errors++;
        int is_slip = stack->count > 1 ? facts->is_slip(facts->context, name, top_of(stack)) : 0;
        if (stack->count > 1 && !is_slip)
            is_slip = facts->is_slip(facts->context, top_of(stack), name);
        if (is_slip > 0)
            stack->count--;
        return is_slip >= 0;
    }
    if (are_of(ends, stack, stack->count)) {
        simulation->errors++; /* it belongs to nothing */
        return 1;
    }
    if (are_of(ends, stack, stack->count - 1)) {
        simulation->errors++; /* it is meant for the current element */
        stack->count--;
        return 1;
    }
    simulation->errors += (long long)ended - 1;
    for (; ended > 1; ended--) {
        if (!push_name(forced, stack->items[--stack->count]))
            return 0;
    }
    stack->count--;
    return 1;
}

static int same_reading(const Simulation *a, const Simulation *b)
{
    return same_stack(&a->stack, &b->stack) && same_stack(&a->forced, &b->forced) && a->outside == b->outside &&
           a->after_root == b->after_root;
}

/* The comparison ------------------------------------------------------------------------------------------------------- */

/* Join readings that have become equal; the others go on. */
static void join(Comparison *comparison)
{
    const Memory *memory = comparison->memory;
    size_t kept = 0;
    for (size_t i = 0; i < comparison->going_count; i++) {
        size_t own = comparison->going[i], other = 0;
        while (other < kept && !same_reading(&comparison->all[own], &comparison->all[comparison->going[other]]))
            other++;
        if (other == kept) {
            comparison->going[kept++] = own;
            continue;
        }
        other = comparison->going[other];
        comparison->joined[comparison->joined_count++] = (Joined){own, other, comparison->all[other].errors};
        for (size_t pair = 0; pair < memory->fresh_count; pair++)
            memory->fresh[pair].had |= (memory->fresh[pair].has >> other & 1) << own;
    }
    comparison->going_count = kept;
}

/* Count the errors and the new pairs of each reading so far. */
static void outcomes(const Comparison *comparison, long long *errors, long long *pairs)
{
    for (size_t i = 0; i < comparison->count; i++) {
        errors[i] = comparison->all[i].errors;
        pairs[i] = 0;
    }
    for (size_t i = comparison->joined_count; i--;) {
        const Joined *joined = &comparison->joined[i];
        errors[joined->own] += errors[joined->other] - joined->errors;
    }
    for (size_t index = 0; index < comparison->memory->fresh_count; index++) {
        const NewPair *pair = &comparison->memory->fresh[index];
        uint32_t has = pair->has;
        for (size_t i = comparison->joined_count; i--;) {
            const Joined *joined = &comparison->joined[i];
            has |= (has >> joined->other & ~(pair->had >> joined->own) & 1) << joined->own;
        }
        for (size_t i = 0; i < comparison->count; i++)
            pairs[i] += (has & ALL_READINGS || has >> i & 1) ? 1 : 0;
    }
    for (size_t i = 0; i < comparison->count; i++)
        errors[i] += comparison->errors;
}

/* Return whether the two best outcomes are so far apart that no more tags are read for new pairs. The costs of the
   assumptions are not known here. */
static int is_settled(const Comparison *comparison)
{
    const Numbers *numbers = comparison->numbers;
    long long errors[MOST_READINGS], pairs[MOST_READINGS], best = LLONG_MAX, second = LLONG_MAX, most = 0;
    outcomes(comparison, errors, pairs);
    for (size_t i = 0; i < comparison->count; i++) {
        long long cost = numbers->error * errors[i] + numbers->new_pair * pairs[i], own = 0;
        if (cost < best) {
            second = best;
            best = cost;
        } else if (cost < second) {
            second = cost;
        }
        for (size_t pair = 0; pair < comparison->memory->fresh_count; pair++)
            own += comparison->memory->fresh[pair].has >> i & 1;
        if (own > most)
            most = own;
    }
    return second - best > numbers->doubtful + numbers->new_pair * most;
}

/* Set `*answer`: whether the next tag with the name of the start tag at `index` is no end tag, or there is none. */
static Progress is_unclosed(Comparison *comparison, size_t index, int *answer)
{
    const View *view = &comparison->view;
    const Tag *items = comparison->tags->items;
    size_t next = index + 1;
    while (next < view->end && items[next].name != items[index].name)
        next++;
    if (next == view->end && !view->is_complete)
        return WANTS_MORE;
    size_t looked = next == view->end ? SIZE_MAX : next + 1;
    if (looked > comparison->looked)
        comparison->looked = looked;
    *answer = next == view->end || items[next].kind != IS_END;
    return FINISHED;
}

/* Set `*answer`: whether a tag may be an empty tag that lacks its "/", and has no end tag. */
static Progress is_void(Comparison *comparison, size_t index, uint32_t kind, uint32_t name, int *answer)
{
    *answer = 0;
    int may_be = kind == IS_START ? may_be_void(comparison, name) : 0;
    return may_be < 0 ? BROKEN : may_be ? is_unclosed(comparison, index, answer) : FINISHED;
}

/* Find the end tags that follow the tag at `index`, if that ends several elements in a reading: see `Window.ends_after`. */
static Progress find_ends(Comparison *comparison, size_t index, uint32_t name)
{
    const View *view = &comparison->view;
    Stack *ends = &comparison->ends;
    size_t level = 0, left = comparison->numbers->most_inside;
    int is_doubted = 0;
    ends->count = 0;
    for (size_t i = 0; i < comparison->going_count; i++) {
        const Stack *stack = &comparison->all[comparison->going[i]].stack;
        is_doubted = is_doubted || (stack->count && ended_by(stack, name) > 1);
    }
    if (!is_doubted || comparison->doubts == comparison->numbers->most_doubts)
        return FINISHED;
    while (left) {
        if (++index == view->end) {
            if (!view->is_complete)
                return WANTS_MORE;
            comparison->looked = SIZE_MAX;
            break;
        }
        const Tag *tag = &comparison->tags->items[index];
        if (tag->kind == IS_PASSED_OVER)
            continue;
        left--;
        if (comparison->looked < index + 1)
            comparison->looked = index + 1;
        if (tag->kind == IS_END && !level && !push_name(ends, tag->name))
            return BROKEN;
        level += tag->kind == IS_START;
        level -= tag->kind == IS_END && level;
    }
    comparison->doubts++;
    return FINISHED;
}

/* Read a tag that may have different effects in the readings. */
static Progress read_apart(Comparison *comparison, size_t index, uint32_t kind, uint32_t name)
{
    Stack *shared = &comparison->shared;
    int has_void, is_shared = 1;
    Progress progress = is_void(comparison, index, kind, name, &has_void);
    if (progress != FINISHED)
        return progress;
    for (size_t i = 0; i < comparison->going_count; i++) {
        Stack *stack = &comparison->all[comparison->going[i]].stack;
        for (size_t level = 0; level < shared->count; level++) {
            if (!push_name(stack, shared->items[level]))
                return BROKEN;
        }
        is_shared = is_shared && stack->count;
    }
    shared->count = 0;
    is_shared = is_shared && kind == IS_START && !has_void;
    if (kind == IS_END && (progress = find_ends(comparison, index, name)) != FINISHED)
        return progress;
    for (size_t i = 0; i < comparison->going_count; i++) {
        Simulation *simulation = &comparison->all[comparison->going[i]];
        if (!simulation->stack.count) {
            read_outside(simulation, kind);
        } else if (kind == IS_END) {
            if (!read_end(simulation, comparison->facts, name, &comparison->ends))
                return BROKEN;
        } else {
            if (!note_pair(comparison, top_of(&simulation->stack), name, (uint32_t)1 << comparison->going[i]))
                return BROKEN;
            simulation->errors += has_void;
            if (kind != IS_TEXT)
                simulation->forced.count = 0;
            if (kind == IS_START && !has_void && !is_shared && !push_name(&simulation->stack, name))
                return BROKEN;
        }
    }
    if (comparison->going_count > 1 && (kind == IS_START || kind == IS_END))
        join(comparison);
    return is_shared && !push_name(shared, name) ? BROKEN : FINISHED;
}

/* Read a tag; set `*is_apart`: whether the readings may have become equal. */
static Progress read_one(Comparison *comparison, size_t index, uint32_t kind, uint32_t name, int *is_apart)
{
    Stack *shared = &comparison->shared;
    *is_apart = !shared->count || (kind == IS_END && name != NO_NAME && name != top_of(shared));
    if (*is_apart)
        return read_apart(comparison, index, kind, name);
    if (kind == IS_END) {
        shared->count--;
        return FINISHED;
    }
    int has_void;
    Progress progress = is_void(comparison, index, kind, name, &has_void);
    if (progress != FINISHED)
        return progress;
    if (!note_pair(comparison, top_of(shared), name, ALL_READINGS))
        return BROKEN;
    comparison->errors += has_void;
    return kind == IS_START && !has_void && !push_name(shared, name) ? BROKEN : FINISHED;
}

/* Set the end of a view: after `most` tags and the text of the last one's token, or after all tags that have been read. */
static void end_view(const Tags *tags, size_t most, View *view)
{
    size_t number = 0, index = view->first;
    for (; index < tags->count && number < most; index++)
        number += tags->items[index].kind < IS_TEXT;
    if (number == most && index > view->first) {
        const Tag *last = &tags->items[index - 1];
        if (index < tags->count && tags->items[index].start == last->start)
            index++;
        view->is_complete = 1;
        view->at_end = view->at_end && last->end >= view->stop;
        view->stop = last->end;
    }
    view->end = index;
}

/* Read tags until no more of them can decide between the readings. */
static Progress read_all(Comparison *comparison)
{
    const View *view = &comparison->view;
    size_t index = view->first, left = SIZE_MAX; /* tags still to read, once only one reading is left */
    int begins = view->begins_with_text;
    for (;;) {
        uint32_t kind = IS_TEXT, name = TEXT_CHILD;
        if (left == 0)
            break;
        if (!begins) {
            while (index < view->end && comparison->tags->items[index].kind == IS_PASSED_OVER)
                index++;
            if (index == view->end) {
                if (!view->is_complete)
                    return WANTS_MORE;
                comparison->looked = SIZE_MAX;
                break;
            }
            kind = comparison->tags->items[index].kind;
            name = comparison->tags->items[index].name;
        }
        int is_apart;
        Progress progress = read_one(comparison, index, kind, name, &is_apart);
        if (progress != FINISHED)
            return progress;
        if (!begins && comparison->looked < ++index)
            comparison->looked = index;
        begins = 0;
        left -= left != SIZE_MAX;
        if (is_apart && left == SIZE_MAX && comparison->count > 1 && comparison->going_count == 1) {
            if (is_settled(comparison))
                return FINISHED;
            left = comparison->numbers->most_evidence;
        }
    }
    for (size_t i = 0; i < comparison->going_count; i++) {
        Simulation *simulation = &comparison->all[comparison->going[i]];
        long long most = comparison->numbers->most_after_root;
        simulation->errors += simulation->after_root < most ? simulation->after_root : most;
        if (left == SIZE_MAX && view->at_end && simulation->stack.count &&
            top_of(&simulation->stack) != comparison->numbers->around)
            simulation->errors++;
    }
    return FINISHED;
}

/* Return the offset up to which tags have been looked at; -1 if none has. */
static long long reach_of(const Comparison *comparison)
{
    size_t looked = comparison->looked;
    return looked == SIZE_MAX ? comparison->view.stop : looked ? comparison->tags->items[looked - 1].end : -1;
}

/* The draft's reading -------------------------------------------------------------------------------------------------- */

typedef enum { RIGHT, WRONG, NO_MEMORY } Verity;

/* Read a tag as the draft does; tags after the root element are right. */
static Verity read_rightly(Simulation *reading, const Tag *tag)
{
    Stack *stack = &reading->stack, *forced = &reading->forced;
    if (!stack->count || tag->kind >= IS_TEXT)
        return RIGHT;
    if (tag->kind != IS_END) {
        forced->count = 0;
        return tag->kind == IS_EMPTY || push_name(stack, tag->name) ? RIGHT : NO_MEMORY;
    }
    size_t ended = ended_by(stack, tag->name);
    if (ended != 1)
        return !ended && take_out(forced, tag->name) ? RIGHT : WRONG;
    stack->count--;
    return RIGHT;
}

static void release_reading(Simulation *reading)
{
    free(reading->stack.items);
    free(reading->forced.items);
}

/* Leave out tags that end after the offset `stop`. */
static void end_view_at(const Tags *tags, long long stop, View *view)
{
    size_t index = view->first;
    while (index < view->end && tags->items[index].end <= stop)
        index++;
    view->is_complete = view->is_complete || index < view->end;
    view->end = index;
}

/* Read tags as the draft does, up to the end of the outermost element, an error, or the end of the view. */
static Verity read_to_end(const Tags *tags, const View *view, Simulation *reading)
{
    Verity verity = RIGHT;
    for (size_t i = view->first; verity == RIGHT && reading->stack.count && i < view->end; i++)
        verity = read_rightly(reading, &tags->items[i]);
    return verity;
}

static void release_comparison(Comparison *comparison)
{
    for (size_t i = 0; comparison->all && i < comparison->count; i++) {
        release_reading(&comparison->all[i]);
    }
    free(comparison->all);
    free(comparison->shared.items);
    free(comparison->ends.items);
}

#endif
