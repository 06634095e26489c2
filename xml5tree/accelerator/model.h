/* What the document shows: xml5tree/intent/model.py, equal to the last bit. */

#ifndef XML5TREE_MODEL_H
#define XML5TREE_MODEL_H

#include "knowledge.h"

/* Kinds of entries of the table of counts. */
enum { TRIPLE, PAIR, CONTEXT, NEIGHBOURS, COLUMN, SEEN };
enum { OF_STARTS, OF_ENDS, OF_COMPLETE, OF_NESTED, OF_COLUMNS, OF_SEEN };
enum { CLEAN = 20, UNCLEAN = 4, CUT = 2, NEVER = 1 };
#define MOST_COUNTED 0x80000000u
enum { MOST_CHILDREN = 64, SURPLUS = 8, STRICT = 1500 };
enum { SIBLING, CHILD, ENDS };
enum { SURPLUS_END, MISSING_START, MISSING_END, SURPLUS_START, SWAP };

/* Logarithms, of all searches; they are made when the module is imported, and never change. */
static int32_t logarithms[4096];
static uint64_t logarithm_of_two;

/* Return 1,000 times the natural logarithm of a positive number: `ln` of costs.py. */
static int32_t ln(uint64_t number)
{
#ifdef __GNUC__
    unsigned bits = 63 - (unsigned)__builtin_clzll(number);
#else
    unsigned bits = 0;
    for (uint64_t rest = number; rest >>= 1;)
        bits++;
#endif
    uint64_t mantissa = bits >= 12 ? number >> (bits - 12) : number << (12 - bits);
    return (int32_t)(bits * logarithm_of_two >> 40) + logarithms[mantissa & 4095];
}

static void make_logarithms(void)
{
    uint64_t total = 0;
    if (logarithm_of_two)
        return;
    for (uint64_t number = 4096; number < 8192; number++) {
        logarithms[number - 4096] = (int32_t)((1000 * total + (1ull << 39)) >> 40);
        uint64_t odd = 2 * number + 1;
        total += (2ull << 40) / odd + (2ull << 40) / (3 * odd * odd * odd);
    }
    logarithm_of_two = 1000 * total;
}

static void forget_model(Search *s)
{
    clear_table(&s->counts);
    memset(s->kinds, 0, sizeof s->kinds);
    s->triples = s->total = s->symbols = s->texts = s->mixes = s->columns_all = s->columns_most = 0;
    memset(s->fits, 0, sizeof s->fits);
    memset(s->column_costs, 0, sizeof s->column_costs);
    s->root = (Element){.edge = NO_EDGE};
    s->has_root = s->is_ended = 0;
    memset(s->is_strict, 0, sizeof s->is_strict);
    s->stack_count = s->children_count = s->maybe_count = 0;
    s->surplus_count = 0;
    s->mixed = 0;
    for (size_t i = 0; i < s->names_count; i++) {
        Name *name = &s->names[i];
        name->starts = name->ends = name->complete = name->nested = 0;
        name->open = name->symbols = name->parents = name->most = name->befores = 0;
        name->is_maybe = name->is_filled = 0;
        name->seen_column = NO_COLUMN;
    }
}

/* Count a token by itself. */
static void tally(Search *s, const Edge *edge)
{
    if (edge->kind < START_EDGE)
        return;
    if (edge->column >= 0) {
        Entry *entry = entry_of(s, &s->counts, COLUMN, (uint32_t)edge->column, 0, 0, s->kinds[OF_COLUMNS] < MOST);
        if (entry) {
            s->kinds[OF_COLUMNS] += !entry->number++;
            s->columns_all++;
            if (entry->number > s->columns_most)
                s->columns_most = entry->number;
        }
    }
    Name *name = &s->names[edge->name];
    if (edge->kind == END_EDGE) {
        count_name(&name->ends, &s->kinds[OF_ENDS]);
        if (edge->name && name->ends > name->starts && !name->is_maybe) {
            name->is_maybe = 1;
            ROOM_FOR(s, maybe, 1);
            s->maybe[s->maybe_count++] = edge->name;
        }
    }
    else if (edge->kind == START_EDGE) {
        count_name(&name->starts, &s->kinds[OF_STARTS]);
    }
}

/* Return how many start tags of a name may have to have an end tag by now. */
static int32_t started(const Search *s, uint32_t number)
{
    const Name *name = &s->names[number];
    return name->starts && !s->is_ended && name->open ? name->starts - 1 : name->starts;
}

/* Learning --------------------------------------------------------------------------------------------------------- */

static uint32_t place_of_entry(Search *s, uint32_t kind, uint32_t a, uint32_t b)
{
    return (uint32_t)(entry_of(s, &s->counts, kind, a, b, 0, 1) - s->counts.entries);
}

/* Count a child after another one in a parent, if no number can overflow. */
static void count(Search *s, uint32_t parent, uint32_t previous, uint32_t symbol, uint32_t weight)
{
    if (s->total >= MOST_COUNTED)
        return;
    /* Children mostly follow each other as they did the last time. */
    uint32_t *last = symbol >= FIRST_NAME ? &s->names[symbol].triples[0] : &s->names[parent].triples[1 + (symbol == LAST)];
    Entry *triple = *last < s->counts.count ? &s->counts.entries[*last] : NULL;
    if (!triple || triple->kind != TRIPLE || triple->a != parent || triple->b != previous || triple->c != symbol) {
        int is_full = s->triples >= MOST;
        if (is_full && !s->names[symbol].symbols) /* there is none */
            return;
        triple = entry_of(s, &s->counts, TRIPLE, parent, previous, symbol, !is_full);
        if (!triple)
            return;
        *last = (uint32_t)(triple - s->counts.entries);
    }
    if (!triple->number) {
        uint32_t links[3] = {place_of_entry(s, PAIR, parent, symbol), 0, 0};
        s->triples++;
        if (previous) {
            links[1] = place_of_entry(s, CONTEXT, parent, previous);
            links[2] = place_of_entry(s, NEIGHBOURS, previous, symbol);
        }
        triple = entry_of(s, &s->counts, TRIPLE, parent, previous, symbol, 1); /* it may have been moved */
        memcpy(triple->links, links, sizeof links);
    }
    Entry *entries = s->counts.entries;
    uint32_t number = triple->number += weight, pair = entries[triple->links[0]].number += weight;
    if (pair > s->names[parent].most)
        s->names[parent].most = pair;
    s->names[parent].parents += weight;
    if (previous) {
        Entry *context = &entries[triple->links[1]];
        context->number += weight;
        if (number > context->other)
            context->other = number;
        entries[triple->links[2]].number += weight;
        s->names[previous].befores += weight;
    }
    s->symbols += !s->names[symbol].symbols;
    s->names[symbol].symbols += weight;
    s->total += weight;
}

/* Return how much an element without an end tag teaches: it may have what follows it as well. */
static uint32_t weight_of_cut(const Search *s, const Element *element)
{
    const Name *name = &s->names[element->name];
    if (name->complete || element->is_endless)
        return 0;
    return name->ends ? CUT : NEVER;
}

static void learn_children(Search *s, Element *element, const Child *children, size_t size, uint32_t weight)
{
    if (!weight)
        return;
    uint32_t previous = element->previous;
    int32_t before = element->before;
    for (size_t i = 0; i < size; i++) {
        Child child = children[i];
        if (child.name == UNKNOWN) {
            previous = NOTHING;
            before = FREE_COLUMN;
            continue;
        }
        count(s, element->name, previous, child.name, weight);
        previous = child.name;
        if (!child.is_text && weight == CLEAN) {
            if (child.name == element->name)
                count_name(&s->names[child.name].nested, &s->kinds[OF_NESTED]);
            if (child.column >= 0) {
                if (before >= 0)
                    s->fits[SIBLING][child.column == before]++;
                else if (element->column >= 0)
                    s->fits[CHILD][child.column > element->column]++;
                before = child.column;
            }
        }
    }
    element->previous = previous;
    element->before = before;
}

/* Learn an element that is no longer on the stack, with its children. */
static void learn(Search *s, Element *element, uint32_t weight, int is_last)
{
    learn_children(s, element, s->children + element->children, s->children_count - element->children, weight);
    if (is_last && weight > CUT && element->previous)
        count(s, element->name, element->previous, LAST, weight);
}

/* Note of what kinds children are. */
static void note_children(Element *element, const Child *children, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (children[i].name == UNKNOWN)
            continue;
        if (children[i].is_text) {
            element->has_text = 1;
            continue;
        }
        element->has_tags = 1;
        element->is_low |= children[i].column >= 0 && children[i].column <= element->column;
    }
}

/* Add a child to the current element; `name` may be UNKNOWN. */
static void add_child(Search *s, uint32_t name, int32_t column, int is_text)
{
    Element *element = &s->stack[s->stack_count - 1];
    size_t size = s->children_count - element->children;
    uint32_t last = !size ? element->previous : s->children[s->children_count - 1].name;
    if (name != UNKNOWN && is_text && last == CHARACTERS)
        return;
    ROOM_FOR(s, children, 1);
    s->children[s->children_count++] = (Child){name, column, (uint8_t)is_text};
    if (++size >= MOST_CHILDREN + 8) {
        Child *children = s->children + element->children;
        note_children(element, children, MOST_CHILDREN);
        if (weight_of_cut(s, element))
            learn_children(s, element, children, MOST_CHILDREN, UNCLEAN);
        memmove(children, children + MOST_CHILDREN, (size - MOST_CHILDREN) * sizeof *children);
        s->children_count -= MOST_CHILDREN;
    }
}

/* Nesting ---------------------------------------------------------------------------------------------------------- */

static uint32_t first_of(const Edge *edge)
{
    return edge->facts & HAS_ATTRIBUTES ? FIRST_WITH : FIRST;
}

/* Return whether an element is like others of its name: it would not be taken for two. */
static int is_usual(Search *s, Element *element, const Edge *edge)
{
    note_children(element, s->children + element->children, s->children_count - element->children);
    if (element->column < 0)
        return 1;
    return !((s->is_strict[ENDS] && edge->column >= 0 && edge->column != element->column) ||
             (s->is_strict[CHILD] && element->is_low));
}

/* Note the start tag of a child that is clean. */
static void add_recent(Element *parent, uint32_t name, uint32_t edge)
{
    if (parent->recent_count == RECENT)
        memmove(parent->recent, parent->recent + 1, (RECENT - 1) * sizeof *parent->recent);
    else
        parent->recent_count++;
    parent->recent[parent->recent_count - 1].name = name;
    parent->recent[parent->recent_count - 1].edge = edge;
}

/* Take the current element from the stack; it stays behind its end. */
static Element *pop_element(Search *s)
{
    Element *element = &s->stack[--s->stack_count];
    if (s->stack_count)
        s->stack[s->stack_count - 1].has_never |= element->has_never;
    else if (!s->has_root) {
        s->root = *element;
        s->has_root = 1;
    }
    return element;
}

/* End the current element by its own end tag. */
static void end_element(Search *s, const Edge *edge, int has_mates)
{
    Element *element = pop_element(s); /* nothing takes its place here */
    s->names[element->name].open--;
    int is_clean = element->is_clean && is_usual(s, element, edge);
    int may_mate = has_mates && !(edge->facts & HAS_INSTEAD) && edge->name && s->stack_count && !element->has_never;
    if (is_clean && may_mate && element->name != s->stack[0].name) {
        if (element->edge != NO_EDGE)
            s->edges[element->edge].mate_end = edge->end;
        add_recent(&s->stack[s->stack_count - 1], element->name, element->edge);
    }
    int has_its_own = 0;
    for (size_t i = element->children; i < s->children_count; i++)
        has_its_own |= s->children[i].name == element->name;
    if (!is_clean && has_its_own)
        count_name(&s->names[element->name].nested, &s->kinds[OF_NESTED]);
    learn(s, element, is_clean ? CLEAN : UNCLEAN, 1);
    s->children_count = element->children;
    if (s->stack_count) {
        add_child(s, element->name, element->column, 0);
        s->stack[s->stack_count - 1].is_clean &= (uint8_t)is_clean;
    }
    if (is_clean) {
        count_name(&s->names[element->name].complete, &s->kinds[OF_COMPLETE]);
        if (element->has_text) {
            s->texts++;
            s->mixes += element->has_tags;
        }
    }
}

/* Learn the current element, which has no end tag, and take it from the stack. */
static void cut(Search *s)
{
    Element element = *pop_element(s);
    learn(s, &element, weight_of_cut(s, &element), 1);
    s->children_count = element.children;
    if (s->stack_count)
        add_child(s, UNKNOWN, NO_COLUMN, 0);
}

/* Return whether the current element seems to have the end tag, where one of the two names is written wrong. */
static int is_slip(Search *s, uint32_t number, uint32_t other)
{
    const Name *name = &s->names[other];
    if (!name->starts == !s->names[number].ends || (name->open && name->ends <= name->starts))
        return 0;
    size_t length = s->names[number].length, prefix = prefix_of(octets_of(s, number), length);
    return (length - prefix != name->length || memcmp(octets_of(s, number) + prefix, octets_of(s, other), name->length)) &&
           is_near(s, number, other);
}

/* End the current element where its end tag has another name, which is right if start tags have it. */
static void end_slip(Search *s, uint32_t name)
{
    Element element = *pop_element(s);
    s->names[element.name].open--;
    if (s->names[name].starts)
        element.name = name;
    learn(s, &element, UNCLEAN, 1);
    s->children_count = element.children;
    if (s->stack_count) {
        add_child(s, element.name, element.column, 0);
        s->stack[s->stack_count - 1].is_clean = 0;
    }
}

/* Let the last child of a name be no clean element: it may have ended too early. */
static void doubt_recent(Search *s, const Element *element, uint32_t name)
{
    for (unsigned i = element->recent_count; i--;) {
        if (element->recent[i].name != name)
            continue;
        if (element->recent[i].edge != NO_EDGE)
            s->edges[element->recent[i].edge].mate_end = 0;
        return;
    }
}

/* Take an end tag that is not the current element's. */
static void mismatch(Search *s, uint32_t name)
{
    if (!s->stack_count) {
        doubt_recent(s, &s->root, name);
        return;
    }
    Element *current = &s->stack[s->stack_count - 1];
    int is_open = name && s->names[name].open;
    current->is_clean = 0;
    if (!is_open)
        doubt_recent(s, current, name);
    if (!is_open && s->names[name].starts + s->names[name].ends > 1) {
        for (int i = 0; i < RECENT && s->children_count > current->children; i++) {
            uint32_t last = s->children[s->children_count - 1].name;
            if (last != UNKNOWN && last != name)
                s->children_count--;
        }
    }
    add_child(s, UNKNOWN, NO_COLUMN, 0);
    while (is_open) {
        uint32_t current_name = s->stack[s->stack_count - 1].name;
        s->names[current_name].open--;
        is_open = current_name != name;
        cut(s);
        if (s->stack_count)
            s->stack[s->stack_count - 1].is_clean = 0;
    }
}

/* Take the next token of the usual readings, which is edge number `at`; NO_EDGE: it is in no list. */
static void nest(Search *s, const Edge *edge, uint32_t at, int is_doubtful, int has_mates)
{
    if ((is_doubtful || edge->facts & HAS_INSTEAD) && s->stack_count)
        s->stack[s->stack_count - 1].is_clean = 0;
    if (edge->kind == SPACE_EDGE)
        return;
    uint32_t name = edge->name;
    if (edge->column >= 0) {
        if (edge->kind == START_EDGE) {
            if (s->names[name].seen_column != edge->column) {
                Entry *entry = entry_of(s, &s->counts, SEEN, name, (uint32_t)edge->column, 0, s->kinds[OF_SEEN] < MOST);
                if (entry) {
                    s->kinds[OF_SEEN] += !entry->number;
                    entry->number = 1;
                    s->names[name].seen_column = edge->column;
                }
            }
        }
        else if (edge->kind == END_EDGE && s->names[name].starts) {
            s->fits[ENDS][s->names[name].seen_column == edge->column ||
                          number_of(s, &s->counts, SEEN, name, (uint32_t)edge->column, 0)]++;
        }
    }
    if (s->stack_count && edge->kind != END_EDGE)
        s->stack[s->stack_count - 1].has_never |= (uint8_t)has_never(s, name);
    switch (edge->kind) {
    case TEXT_EDGE:
        if (s->stack_count)
            add_child(s, CHARACTERS, edge->column, 1);
        break;
    case EMPTY_EDGE:
        if (s->stack_count)
            add_child(s, name, edge->column, 0);
        if (s->names[name].ends <= s->names[name].starts &&
            (edge->facts & HAS_ATTRIBUTES || s->names[name].ends || !s->names[name].open))
            count(s, name, first_of(edge), LAST, CLEAN); /* else it may be meant for another tag */
        break;
    case START_EDGE: {
        const Element *around = s->stack_count ? &s->stack[s->stack_count - 1] : NULL;
        if (around && around->name == name && s->names[name].starts && s->children_count > around->children) {
            uint32_t last = s->children[s->children_count - 1].name;
            s->names[name].is_filled |= last >= FIRST_NAME && last != UNKNOWN;
        }
        ROOM_FOR(s, stack, 1);
        s->stack[s->stack_count++] = (Element){.name = name,
                                               .edge = at,
                                               .children = s->children_count,
                                               .previous = first_of(edge),
                                               .column = edge->column,
                                               .before = FREE_COLUMN,
                                               .is_clean = !is_doubtful,
                                               .is_endless = edge->cost >= COST(s, no_gt)};
        s->names[name].open++;
        break;
    }
    default:
        if (s->stack_count && (!name || s->stack[s->stack_count - 1].name == name))
            end_element(s, edge, has_mates);
        else if (s->stack_count && is_slip(s, s->stack[s->stack_count - 1].name, name))
            end_slip(s, name);
        else
            mismatch(s, name);
    }
}

/* Go on at a later place, where elements of these names are open: what is between teaches nothing. */
static void resume_model(Search *s, const Frame *open, size_t count)
{
    size_t same = 0;
    while (same < s->stack_count && same < count && s->stack[same].name == open[same].name)
        same++;
    while (s->stack_count > same) {
        const Element *element = pop_element(s);
        s->children_count = element->children;
        s->names[element->name].open--;
        count_name(&s->names[element->name].ends, &s->kinds[OF_ENDS]);
    }
    if (same)
        add_child(s, UNKNOWN, NO_COLUMN, 0);
    for (size_t i = same; i < count; i++) {
        ROOM_FOR(s, stack, 1);
        s->stack[s->stack_count++] = (Element){.name = open[i].name,
                                               .edge = NO_EDGE,
                                               .children = s->children_count,
                                               .previous = NOTHING,
                                               .column = NO_COLUMN,
                                               .before = FREE_COLUMN};
        s->names[open[i].name].open++;
        count_name(&s->names[open[i].name].starts, &s->kinds[OF_STARTS]);
    }
}

/* Take the end of the document. */
static void end_model(Search *s)
{
    s->is_ended = s->stack_count && s->names[s->stack[0].name].ends;
    while (s->stack_count > 1)
        cut(s);
    if (s->stack_count)
        learn(s, &s->stack[0], UNCLEAN, 0);
    s->stack_count = s->children_count = 0;
}

/* Costs ------------------------------------------------------------------------------------------------------------ */

/* Let the costs be those of all that has been learned by now. */
static void refresh(Search *s)
{
    s->stamp++;
    clear_table(&s->events);
    size_t left = 0;
    for (size_t i = 0; i < s->maybe_count; i++) {
        uint32_t number = s->maybe[i];
        if (s->names[number].ends > started(s, number))
            s->maybe[left++] = number;
        else
            s->names[number].is_maybe = 0;
    }
    s->maybe_count = left;
    s->surplus_count = left < SURPLUS ? (uint32_t)left : SURPLUS;
    for (uint32_t i = 0; i < s->surplus_count; i++)
        s->surplus[i] = s->maybe[left - s->surplus_count + i];
    int32_t rare = ln(2 * (uint64_t)s->texts + 16) - ln(2 * (uint64_t)s->mixes + 1) - 1000;
    s->mixed = COST(s, mixed) * (rare < 0 ? 0 : rare > 3000 ? 3000 : rare) / 1000;
    uint64_t all = s->columns_all, indented = all ? 4000 * (all - s->columns_most) / all : 0;
    if (indented > 1000)
        indented = 1000;
    for (int kind = 0; kind < 3; kind++) {
        uint64_t prior = 4000 + (kind == CHILD ? 4 * indented : 0);
        int32_t cost = ln(2000 * (uint64_t)s->fits[kind][1] + prior) - ln(2000 * (uint64_t)s->fits[kind][0] + 1000);
        s->column_costs[kind] = cost < 0 ? 0 : cost > 4000 ? 4000 : cost;
    }
}

/* Let columns decide what is clean, from now on. */
static void be_strict(Search *s)
{
    for (int kind = 0; kind < 3; kind++)
        s->is_strict[kind] = s->column_costs[kind] > STRICT;
}

static int32_t make_event(Search *s, uint32_t parent, uint32_t previous, uint32_t symbol)
{
    const Name *of_parent = &s->names[parent], *of_symbol = &s->names[symbol];
    int is_mixed = symbol == CHARACTERS && previous != FIRST && previous != FIRST_WITH && previous != CHARACTERS && previous;
    uint64_t alone = (((uint64_t)of_symbol->symbols + 6) << 32) / ((uint64_t)s->total + 6 * ((uint64_t)s->symbols + 2));
    if (is_mixed)
        alone /= 5;
    /* What has not been counted by itself is in no other table. */
    int is_seen = of_symbol->symbols > 0, was_before = s->names[previous].befores > 0;
    uint64_t together = is_seen && was_before ? number_of(s, &s->counts, NEIGHBOURS, previous, symbol, 0) : 0;
    uint64_t near = ((together << 32) + 40 * alone) / ((uint64_t)s->names[previous].befores + 40);
    uint64_t pairs = is_seen && of_parent->parents ? number_of(s, &s->counts, PAIR, parent, symbol, 0) : 0;
    uint64_t inside = ((pairs << 32) + 20 * near) / ((uint64_t)of_parent->parents + 20);
    const Entry *context = was_before ? entry_of(s, &s->counts, CONTEXT, parent, previous, 0, 0) : NULL;
    uint64_t all = context ? context->number : 0, most = context ? context->other : 0;
    uint64_t shown = is_seen && context ? number_of(s, &s->counts, TRIPLE, parent, previous, symbol) : 0;
    uint64_t share = ((shown << 32) + 20 * inside) / (all + 20), usual = 0;
    if (of_parent->complete)
        usual = ((uint64_t)of_parent->most << 32) / ((uint64_t)of_parent->parents + 400);
    uint64_t likeliest = ((most << 32) + 20 * usual) / (all + 20);
    if (!share)
        share = 1;
    int32_t cost = 0;
    if (likeliest > share) {
        cost = ln(likeliest) - ln(share);
        if (cost > COST(s, most))
            cost = COST(s, most);
    }
    if (symbol != CHARACTERS && symbol != LAST && !of_parent->complete && !of_symbol->nested) {
        int32_t others = ln((uint64_t)of_symbol->symbols + 40) - ln(pairs + 40);
        if (others > COST(s, most))
            others = COST(s, most);
        cost = cost < others ? others : cost;
    }
    if (symbol == LAST && of_parent->starts == 1)
        cost = 0; /* nothing shows where the only element of its name should end */
    int never_ends = !of_parent->ends, is_void_name = is_void(s, parent);
    if (is_mixed && !number_of(s, &s->counts, PAIR, parent, CHARACTERS, 0) && cost < COST(s, bare_text))
        cost = COST(s, bare_text);
    int is_first = previous == FIRST || (previous == FIRST_WITH && !never_ends);
    if (symbol == LAST && is_first && !shown && !is_void_name)
        cost += COST(s, hollow);
    if (previous == CHARACTERS && symbol != CHARACTERS && symbol != LAST && shown < CLEAN &&
        !(of_symbol->kinds & IS_INLINE) && !is_void(s, symbol))
        cost += s->mixed;
    if (symbol == parent && !of_symbol->nested)
        cost += COST(s, self_nest);
    if (never_ends && is_void_name) {
        if (symbol != LAST)
            cost += previous == FIRST_WITH || of_parent->kinds & IS_NEVER_FILLED ? COST(s, void_with) : COST(s, void);
        else if (cost > COST(s, void_ends))
            cost = COST(s, void_ends);
    }
    return known_cost(s, parent, symbol, cost);
}

/* Return what a child costs after another; or the end of the element, after its last child. */
static int32_t event(Search *s, uint32_t parent, uint32_t previous, uint32_t symbol)
{
    Entry *entry = entry_of(s, &s->events, 0, parent, previous, symbol, 1);
    if (!entry->other) {
        entry->number = (uint32_t)make_event(s, parent, previous, symbol);
        entry->other = 1;
    }
    return (int32_t)entry->number;
}

/* Return whether several clean elements have had a child after another. */
static int is_usual_child(Search *s, uint32_t parent, uint32_t previous, uint32_t symbol)
{
    return number_of(s, &s->counts, TRIPLE, parent, previous, symbol) >= 2 * CLEAN;
}

/* Return how much more a fault costs in tags of a name, by how rare tags that lack another are. */
static int32_t make_habit(const Search *s, int fault, uint32_t name)
{
    int32_t starts = started(s, name), ends = s->names[name].ends;
    int lacks_start = fault == SURPLUS_END || fault == MISSING_START;
    int32_t of = lacks_start ? ends : starts, without = lacks_start ? ends - starts : starts - ends;
    int32_t halves = fault == SWAP ? without : 2 * without;
    if (!of && !without)
        return 3000;
    int32_t cost = ln(20 * (uint64_t)of + 20) - ln(10 * (uint64_t)(halves < 0 ? 0 : halves) + 1);
    return fault != SWAP && cost > COST(s, rare) ? COST(s, rare) : cost;
}

static int32_t habit(Search *s, int fault, uint32_t number)
{
    Name *name = &s->names[number];
    if (name->habits_stamp[fault] != s->stamp) {
        name->habits[fault] = make_habit(s, fault, number);
        name->habits_stamp[fault] = s->stamp;
    }
    return name->habits[fault];
}

/* Return, per mille, what a fault still costs if (nearly) all tags of a name have it. */
static int32_t systematic(const Search *s, int fault, uint32_t name)
{
    int64_t starts = started(s, name), ends = s->names[name].ends, more, of, share = 600;
    if (fault == MISSING_START) {
        more = ends - starts - 1;
        of = ends - 1;
        share = 450;
    }
    else if (fault == SWAP) {
        more = starts - ends - 2;
        of = starts - 2;
    }
    else {
        more = starts - ends - 1;
        of = starts - 1;
    }
    return (int32_t)(1000 - share * (more < 0 ? 0 : more) / (of < 2 ? 2 : of));
}

/* Begin anew, but for what the first time has shown of columns. */
static void forget_for_second_time(Search *s)
{
    uint8_t strict[3];
    be_strict(s);
    memcpy(strict, s->is_strict, sizeof strict);
    forget_model(s);
    memcpy(s->is_strict, strict, sizeof strict);
}

#endif
