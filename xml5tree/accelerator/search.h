/* The cheapest reading of a document: xml5tree/intent/search.py, equal to the last bit. */

#ifndef XML5TREE_SEARCH_H
#define XML5TREE_SEARCH_H

#include "expand.h"

/* The beam --------------------------------------------------------------------------------------------------------- */

/* Put the numbers of the hypotheses that have a chance in order, the best first; return how many. */
static uint32_t rank(const Search *s, const Waiting *waiting, uint32_t *ranked)
{
    const Hypothesis *hypotheses = waiting->hypotheses;
    uint32_t count = 0;
    for (uint32_t i = 0; i < waiting->count; i++) {
        uint32_t at = count++;
        for (; at && is_before(&hypotheses[i], &hypotheses[ranked[at - 1]]); at--)
            ranked[at] = ranked[at - 1];
        ranked[at] = i;
    }
    while (count && hypotheses[ranked[count - 1]].cost > hypotheses[ranked[0]].cost + COST(s, width))
        count--;
    return count;
}

/* Let the hypotheses go on that wait before a place. */
static void search_to(Search *s, uint64_t to)
{
    uint32_t ranked[BEAM];
    while (s->order_count && s->waitings[s->order[s->order_count - 1]].place < to) {
        uint32_t number = s->order[--s->order_count];
        uint64_t place = s->waitings[number].place;
        uint32_t count = rank(s, &s->waitings[number], ranked);
        for (uint32_t i = 0; i < count; i++)
            (void)keep(s, &s->waitings[number].hypotheses[ranked[i]]);
        Place found = count ? edges_at(s, place) : (Place){0};
        s->has_choice = found.count > 1;
        for (uint32_t k = 0; k < found.count; k++) {
            s->edge_number = found.first + k;
            s->edge = s->edges[s->edge_number];
            s->is_element = s->edge.mate_end && s->edge.kind == START_EDGE;
            s->to = s->is_element ? s->edge.mate_end : s->edge.end;
            s->there = waiting_at(s, s->to);
            s->no_root = s->is_final && s->to == s->fed ? COST(s, no_root) : 0;
            for (uint32_t i = 0; i < count; i++) {
                const Hypothesis *from = &s->waitings[number].hypotheses[ranked[i]];
                int32_t cost = from->cost + s->edge.cost;
                if (cost > bound_of(s))
                    continue;
                s->from = from;
                if (s->edge.kind == SPACE_EDGE)
                    put_owing(s, cost, s->edge.name ? early(s, from->frame) : from->frame, from->owed, from->owed_count,
                              (Step){0});
                else if (s->edge.kind == END_EDGE)
                    read_end_tag(s, from->frame, cost);
                else
                    enter_all(s, from->frame, cost);
            }
        }
        s->unused[s->unused_count++] = number;
    }
}

static void wait_for(Search *s, const Hypothesis *hypothesis)
{
    s->there = waiting_at(s, hypothesis->step.place);
    Waiting *waiting = &s->waitings[s->there];
    waiting->hypotheses[0] = *hypothesis;
    waiting->count = 1;
    limit(s, waiting);
}

/* Set the path to the steps from the last one that was decided to a node. */
static void set_path(Search *s, uint32_t node)
{
    s->path_count = 0;
    for (uint32_t at = node; at && at != s->last_node; at = s->nodes[at].before) {
        ROOM_FOR(s, path, 1);
        s->path[s->path_count++] = at;
    }
    for (size_t i = 0; i < s->path_count / 2; i++) {
        uint32_t other = s->path[i];
        s->path[i] = s->path[s->path_count - 1 - i];
        s->path[s->path_count - 1 - i] = other;
    }
}

/* Decide on the steps up to a node. */
static void follow_path(Search *s, uint32_t node)
{
    set_path(s, node);
    s->place = s->nodes[node].place;
    s->last_node = node;
}

/* Return whether a step is more than the token as it stands. */
static int is_choice(const Search *s, const Step *step)
{
    return step->operation || step->closed || step->opened || s->edges[step->edge].facts & HAS_OPERATION;
}

/* Weigh the steps of the best reading against the rivals of each. */
static void weigh_rivals(Search *s, uint32_t best)
{
    uint32_t since = RIVALS; /* steps since the last choice */
    set_path(s, best);
    for (size_t i = 0; i < s->path_count; i++) {
        Step *step = &s->nodes[s->path[i]];
        since = is_choice(s, step) ? 0 : since + 1;
        if (since < RIVALS && step->rival)
            weigh(s, s->path[i], step->rival, s->nodes[step->rival].margin, RIVALS);
        step->rival = 0;
    }
    s->path_count = 0;
}

/* Drop the hypotheses that contradict the best one in what is final now. */
static void commit(Search *s)
{
    s->path_count = 0;
    Hypothesis *best = NULL; /* the nearest of equally dear ones */
    for (size_t i = s->order_count; i--;) {
        Waiting *waiting = &s->waitings[s->order[i]];
        Hypothesis *first = waiting->hypotheses;
        for (uint32_t k = 1; k < waiting->count; k++) {
            if (is_before(&waiting->hypotheses[k], first))
                first = &waiting->hypotheses[k];
        }
        if (waiting->count && (!best || first->cost < best->cost))
            best = first;
    }
    if (!best)
        return;
    uint32_t decided = best->anchor_count >= DEPTH ? best->anchors[0] : 0, best_node = keep(s, best);
    int32_t least = best->cost;
    s->best = *best;
    weigh_rivals(s, best_node);
    size_t kept_places = 0;
    for (size_t i = 0; i < s->order_count; i++) {
        uint32_t number = s->order[i], kept = 0;
        for (uint32_t k = 0; k < s->waitings[number].count; k++) {
            Hypothesis *hypothesis = &s->waitings[number].hypotheses[k];
            uint32_t node = node_of(s, hypothesis);
            if (decided && !(hypothesis->anchor_count >= DEPTH && hypothesis->anchors[0] == decided)) {
                weigh(s, best_node, node, hypothesis->cost > least ? hypothesis->cost - least : 0, UINT32_MAX);
                continue;
            }
            if (hypothesis->anchor_count == DEPTH)
                memmove(hypothesis->anchors, hypothesis->anchors + 1, (DEPTH - 1) * sizeof *hypothesis->anchors);
            else
                hypothesis->anchor_count++;
            hypothesis->anchors[hypothesis->anchor_count - 1] = node;
            hypothesis->cost -= least; /* so that costs stay small, however long the document is */
            s->waitings[number].hypotheses[kept++] = *hypothesis;
        }
        s->waitings[number].count = kept;
        limit(s, &s->waitings[number]);
        if (kept)
            s->order[kept_places++] = number;
        else
            s->unused[s->unused_count++] = number;
    }
    s->order_count = kept_places;
    s->cost += least;
    if (decided)
        follow_path(s, decided);
}

/* Memory ----------------------------------------------------------------------------------------------------------- */

/* Mark an item and those that it refers to, as far as they are not marked. */
#define MARK(search, list, marks, from, next)                                                                                    \
    for (uint32_t at = (from); at && !(marks)[at]; at = (search)->list[at].next)                                                 \
        (marks)[at] = 1

/* Give marked items the numbers that they have without the others; the first is 0 for none. */
static uint32_t renumber(uint32_t *marks, size_t count)
{
    uint32_t number = 0;
    for (size_t i = 1; i < count; i++)
        marks[i] = marks[i] ? ++number : 0;
    return number;
}

/* Forget the frames and steps that no hypothesis needs. */
static void collect(Search *s)
{
    size_t most = s->frames_count > s->nodes_count ? s->frames_count : s->nodes_count;
    uint32_t *marks = calloc(2 * most, sizeof *marks);
    if (!marks)
        fail(s);
    uint32_t *frames = marks, *nodes = marks + most;
    MARK(s, frames, frames, s->last_frame, parent);
    if (s->last_node) {
        nodes[s->last_node] = 1;
        s->nodes[s->last_node].before = 0;
    }
    for (size_t i = 0; i < s->order_count; i++) {
        const Waiting *waiting = &s->waitings[s->order[i]];
        for (uint32_t k = 0; k < waiting->count; k++) {
            const Hypothesis *hypothesis = &waiting->hypotheses[k];
            MARK(s, frames, frames, hypothesis->frame, parent);
            MARK(s, nodes, nodes, hypothesis->node, before);
            MARK(s, nodes, nodes, hypothesis->step.before, before);
            MARK(s, nodes, nodes, hypothesis->rival.place ? hypothesis->rival.before : 0, before);
            for (unsigned n = 0; n < hypothesis->anchor_count; n++)
                MARK(s, nodes, nodes, hypothesis->anchors[n], before);
        }
    }
    for (size_t i = 1; i < s->nodes_count; i++) { /* those of rivals alone have no rivals */
        uint32_t rival = nodes[i] == 1 ? s->nodes[i].rival : 0;
        for (; rival && !nodes[rival] && s->nodes[rival].place > s->nodes[s->last_node].place; rival = s->nodes[rival].before)
            nodes[rival] = 2;
    }
    uint32_t frame_count = renumber(frames, s->frames_count), node_count = renumber(nodes, s->nodes_count);
    for (size_t i = 1; i < s->frames_count; i++) {
        if (frames[i]) {
            s->frames[frames[i]] = s->frames[i];
            s->frames[frames[i]].parent = frames[s->frames[i].parent];
        }
    }
    for (size_t i = 1; i < s->nodes_count; i++) {
        if (nodes[i]) {
            s->nodes[nodes[i]] = s->nodes[i];
            s->nodes[nodes[i]].before = nodes[s->nodes[i].before];
            s->nodes[nodes[i]].rival = nodes[s->nodes[i].rival];
        }
    }
    for (size_t i = 0; i < s->order_count; i++) {
        Waiting *waiting = &s->waitings[s->order[i]];
        for (uint32_t k = 0; k < waiting->count; k++) {
            Hypothesis *hypothesis = &waiting->hypotheses[k];
            hypothesis->frame = frames[hypothesis->frame];
            hypothesis->node = nodes[hypothesis->node];
            hypothesis->step.before = nodes[hypothesis->step.before];
            hypothesis->rival.before = nodes[hypothesis->rival.before];
            for (unsigned n = 0; n < hypothesis->anchor_count; n++)
                hypothesis->anchors[n] = nodes[hypothesis->anchors[n]];
        }
    }
    s->last_frame = frames[s->last_frame];
    s->last_node = nodes[s->last_node];
    free(marks);
    s->frames_count = frame_count + 1;
    s->nodes_count = node_count + 1;
    s->most_frames = 2 * s->frames_count + (1 << 12);
    s->most_nodes = 2 * s->nodes_count + (1 << 12);
    memset(s->frame_slots, 0, ((size_t)s->frame_mask + 1) * sizeof *s->frame_slots);
    place_frames(s);
}

static void tidy(Search *s)
{
    if (s->restarts_count > MOST) {
        size_t kept = 0;
        for (size_t i = 0; i < s->restarts_count; i++) {
            if (s->restarts[i] >= s->place)
                s->restarts[kept++] = s->restarts[i];
        }
        s->restarts_count = kept;
    }
    if (s->nearness.count > MOST)
        clear_table(&s->nearness);
    if (s->frames_count > s->most_frames || s->nodes_count > s->most_nodes)
        collect(s);
}

/* Learning of the text ahead --------------------------------------------------------------------------------------- */

/* Return whether a section is an XML declaration. */
static int is_declaration(const Search *s, const Tag *token)
{
    const uint8_t *p = s->text + (token->begin - s->base);
    return token->end - token->begin >= 6 && !memcmp(p, "<?xml", 5) && (is_white(p[5]) || p[5] == '\v' || p[5] == '\f');
}

static void note_start(Search *s, const Tag *token)
{
    const uint8_t *p = s->text + (token->begin - s->base);
    size_t length = (size_t)(token->end - token->begin);
    if (token->kind == SPACE_EDGE) {
        if (token->begin == s->declared || is_declaration(s, token))
            s->declared = token->end;
    }
    else if (token->kind == START_EDGE || token->kind == EMPTY_EDGE) {
        if (!s->root_tag_count) {
            ROOM_FOR(s, root_tag, length);
            memcpy(s->root_tag, p, length);
            s->root_tag_count = length;
            s->root_place = token->begin;
            s->root_name = token->name;
        }
        else if (token->begin == s->declared && token->begin != s->root_place) {
            ROOM_FOR(s, restarts, 1);
            s->restarts[s->restarts_count++] = token->begin;
        }
    }
}

/* Let the model take the tape, and let it count. */
static void learn_tape(Search *s, int has_mates)
{
    for (size_t i = 0; i < s->tape_count; i++)
        tally(s, &s->edges[s->tape[i] >> 1]);
    for (size_t i = 0; i < s->tape_count; i++)
        nest(s, &s->edges[s->tape[i] >> 1], s->tape[i] >> 1, s->tape[i] & 1, has_mates);
    refresh(s);
}

/* Put the usual readings up to a place on the tape. */
static void lex_to(Search *s, uint64_t front)
{
    s->tape_count = 0;
    while (s->lexed < front) {
        Place found = edges_at(s, s->lexed);
        const Edge *edge = &s->edges[found.first];
        uint32_t is_doubtful = edge->cost > 0;
        if (!is_doubtful && found.count > 1)
            is_doubtful = edge->kind >= START_EDGE || s->text[edge->begin - s->base] == '<';
        ROOM_FOR(s, tape, 1);
        s->tape[s->tape_count++] = found.first << 1 | is_doubtful;
        note_start(s, &(Tag){.begin = edge->begin, .end = edge->end, .name = edge->name, .kind = edge->kind});
        s->lexed = edge->end;
    }
}

/* Let the model take the tape; twice for the first time: what is clean is known after that. */
static void learn_lexed(Search *s)
{
    int is_first = !s->is_taught;
    s->is_taught = 1;
    if (is_first) {
        learn_tape(s, 0);
        forget_for_second_time(s);
        resume_model(s, s->quiet + 1, s->quiet_count - 1);
    }
    learn_tape(s, 1);
    if (s->is_final && s->lexed >= s->fed) {
        end_model(s);
        refresh(s);
    }
    if (!is_first)
        be_strict(s);
}

/* Quiet ------------------------------------------------------------------------------------------------------------ */

/* Return which of the edges at a place is the draft's reading, or NULL. */
static const Edge *draft_reading(const Search *s, Place place)
{
    for (uint32_t k = 0; k < place.count; k++) {
        if (!(s->edges[place.first + k].facts & (HAS_INSTEAD | HAS_OPERATION)))
            return &s->edges[place.first + k];
    }
    return NULL;
}

/* Set `*read` to what the draft reads at a place; return 0 if that cannot be well-formed. What is read ahead of the search
   is not kept: more may be known when the place is searched. */
static int read_as_draft(Search *s, uint64_t place, Tag *read)
{
    int is_ahead = place >= s->lexed;
    if (is_ahead && is_plain_place(s, place) && !s->inside_count &&
        plain_token(s, s->text + (place - s->base), limit_of(s, place), read))
        return 1;
    size_t places = s->places_count, changes = s->changes_count;
    s->is_ahead = is_ahead;
    Place found = edges_at(s, place);
    s->is_ahead = 0;
    const Edge *edge = draft_reading(s, found);
    *read = edge ? (Tag){.begin = edge->begin, .end = edge->end, .name = edge->name, .kind = edge->kind} : (Tag){0};
    if (is_ahead && s->places_count > places) {
        s->places_count = places;
        s->edges_count = found.first;
        s->changes_count = changes;
    }
    return edge && (edge->index == -1 || edge->facts & IS_SOUND);
}

static int is_usual_in(Search *s, uint32_t name, uint32_t parent)
{
    return number_of(s, &s->pairs, 0, parent, name, 0) >= ENOUGH;
}

/* Return whether the first child of its name makes the current element suspicious. */
static int is_suspicious(Search *s, uint32_t name, size_t level)
{
    uint32_t parent = s->levels[level].name;
    if (level < 2 || !(is_void(s, parent) || is_usual_in(s, parent, s->levels[level - 1].name)))
        return 0;
    for (size_t outer = level; outer > 1 && level - outer < DEEP; outer--) {
        uint32_t around = s->levels[outer - 1].name;
        if (is_usual_in(s, name, around) || (has_never(s, name) && is_never_in(s, name, around)))
            return 1;
    }
    return 0;
}

/* Return whether a usual child would be directly in two elements of its name. */
static int is_nested(Search *s, uint32_t name, const Entry *pair, size_t level)
{
    int is_third = level > 1 && s->levels[level].name == name && s->levels[level - 1].name == name;
    return is_third && pair->number >= ENOUGH && !number_of(s, &s->pairs, 0, name, NOTHING, 0);
}

/* Count a child of the current element; but no new kind of child within what is suspicious. */
static void note_child(Search *s, uint32_t name, uint64_t place)
{
    size_t last = s->levels_count - 1;
    uint32_t parent = s->levels[last].name;
    Entry *entry = entry_of(s, &s->pairs, 0, parent, name, 0, 0);
    if (!entry && (s->suspect.level || s->pairs.count >= MOST))
        return;
    if (!s->suspect.level && (entry ? is_nested(s, name, entry, last) : is_suspicious(s, name, last))) {
        s->suspect = (Suspect){place, last, name};
        return;
    }
    if (!entry)
        entry = entry_of(s, &s->pairs, 0, parent, name, 0, 1);
    entry->number++;
}

/* Suspect nothing more; the child is one that such a parent may have. */
static void accept_suspect(Search *s, uint32_t parent)
{
    uint32_t name = s->suspect.name;
    if (is_usual_in(s, name, parent))
        entry_of(s, &s->pairs, 0, name, NOTHING, 0, 1)->number = 1; /* elements of the name may be in each other */
    entry_of(s, &s->pairs, 0, parent, name, 0, 1)->number++;
    s->suspect.level = 0;
}

static void enter_level(Search *s, uint32_t name, uint64_t place)
{
    note_child(s, name, place);
    ROOM_FOR(s, levels, 1);
    s->levels[s->levels_count++] = (Level){name, place};
}

static void leave_level(Search *s)
{
    Level level = s->levels[--s->levels_count];
    if (s->suspect.level == s->levels_count)
        accept_suspect(s, level.name);
    if (level.begin < s->next_mark) {
        ROOM_FOR(s, ended, 1);
        s->ended[s->ended_count++] = level;
    }
}

/* Note that there is no error before a place. */
static void pass_sound(Search *s, uint64_t place)
{
    s->sound_place = place;
    if (place < s->next_mark + WINDOW)
        return;
    s->mark = s->next_mark;
    s->next_mark = place;
    s->ended_count -= s->ended_between;
    if (s->ended_count)
        memmove(s->ended, s->ended + s->ended_between, s->ended_count * sizeof *s->ended);
    s->ended_between = s->ended_count;
    forget_inside(s, kept_from(s));
}

static void pass_token(Search *s, const Tag *token)
{
    if (token->kind == START_EDGE)
        enter_level(s, token->name, token->begin);
    else if (token->kind == EMPTY_EDGE)
        note_child(s, token->name, token->begin);
    else if (token->kind == END_EDGE)
        leave_level(s);
    pass_sound(s, token->end);
}

/* Pass balanced tags within the root that have been counted, and the plain text between them. */
static void pass_counted(Search *s, uint64_t front)
{
    if (s->has_error || s->lists_names || s->inside_count || s->sound_place < s->lexed)
        return;
    for (; s->levels_count > 1 && s->next_tag < s->tags_count; s->next_tag++) {
        const Tag *tag = &s->tags[s->next_tag];
        if (tag->begin - tag->before != s->sound_place || tag->begin >= front || tag->begin == s->doubtful)
            return;
        if (tag->kind == END_EDGE && s->levels[s->levels_count - 1].name != tag->name)
            return;
        pass_sound(s, tag->begin);
        pass_token(s, tag);
    }
}

/* Look for errors of structure up to a place: soundness.py. */
static void look_for_errors(Search *s, uint64_t front)
{
    while (pass_counted(s, front), s->sound_place < front && !s->has_error) {
        Tag token;
        s->has_error = !read_as_draft(s, s->sound_place, &token);
        if (s->has_error)
            return;
        int is_outside = s->levels_count == 1;
        if (token.kind == END_EDGE) {
            s->has_error = is_outside || s->levels[s->levels_count - 1].name != token.name;
            if (s->has_error)
                return;
        }
        else if (token.kind == SPACE_EDGE) {
            s->has_error = !is_outside && is_declaration(s, &token);
            if (s->has_error)
                return;
        }
        else if (is_outside) {
            s->has_error = (token.kind == TEXT_EDGE || s->sound_has_root) && !s->has_many_roots;
            if (token.kind != TEXT_EDGE && !s->sound_has_root) {
                note_start(s, &token);
                s->sound_has_root = 1;
            }
        }
        pass_token(s, &token);
    }
    if (s->is_final && s->sound_place >= s->fed && (s->levels_count > 1 || !s->sound_has_root))
        s->has_error = 1;
}

/* Return whether an error has been seen, or an element before a place is under suspicion. */
static int is_wrong_before(const Search *s, uint64_t place)
{
    return s->has_error || (s->suspect.level && s->suspect.place < place);
}

static void enter_quiet(Search *s, uint32_t name, uint32_t previous, int32_t column)
{
    ROOM_FOR(s, quiet, 1);
    s->quiet[s->quiet_count++] = (Frame){name, 0, previous, column, NO_COLUMN};
}

/* Prepare for learning what is before an error, but not what is before the mark. */
static void resume(Search *s)
{
    if (s->mark <= s->lexed)
        return;
    s->quiet_count = 0;
    enter_quiet(s, NOTHING, s->root_tag_count && s->root_place < s->mark ? s->root_name : FIRST, NO_COLUMN);
    for (size_t i = 1; i < s->levels_count && s->levels[i].begin < s->mark; i++)
        enter_quiet(s, s->levels[i].name, NOTHING, NO_COLUMN);
    for (size_t i = s->ended_count; i--;) { /* those that have ended since the mark, the outermost first */
        if (s->ended[i].begin < s->mark)
            enter_quiet(s, s->ended[i].name, NOTHING, NO_COLUMN);
    }
    for (size_t i = 1; i < s->quiet_count; i++)
        s->quiet[i - 1].previous = s->quiet[i].name;
    resume_model(s, s->quiet + 1, s->quiet_count - 1);
    s->lexed = s->quiet_place = s->mark;
}

/* Read as the draft does up to where the beam begins. */
static void follow(Search *s)
{
    uint64_t place = s->quiet_place;
    while (place < s->place) {
        const Edge *edge = draft_reading(s, edges_at(s, place));
        Frame *frame = &s->quiet[s->quiet_count - 1];
        place = edge->end;
        if (edge->kind == TEXT_EDGE) {
            if (s->quiet_count > 1)
                frame->previous = CHARACTERS;
        }
        else if (edge->kind == END_EDGE) {
            s->quiet_count--;
        }
        else if (edge->kind != SPACE_EDGE) {
            frame->previous = edge->name;
            if (edge->column >= 0)
                frame->child_column = edge->column;
            if (edge->kind == START_EDGE)
                enter_quiet(s, edge->name, first_of(edge), edge->column);
        }
    }
    s->place = place;
}

/* If no error is in sight after the best reading, and all its operations are decided, let quiet begin there; return 0 if
   not. */
static int begin_quiet(Search *s)
{
    const Hypothesis *best = &s->best;
    size_t depth = 0;
    if (best->owed_count || best->step.place <= s->retry || best->anchor_count + 1 < DEPTH)
        return 0;
    for (uint32_t at = best->node; at && at != s->last_node; at = s->nodes[at].before) {
        if (is_choice(s, &s->nodes[at]))
            return 0;
    }
    for (uint32_t at = best->frame; parent_of(s, at) && depth <= QUIET; at = parent_of(s, at))
        depth++;
    if (!depth || depth > QUIET)
        return 0;
    s->quiet_count = s->levels_count = 0;
    ROOM_FOR(s, quiet, depth + 1);
    ROOM_FOR(s, levels, depth + 1);
    s->quiet_count = s->levels_count = depth + 1;
    for (uint32_t at = best->frame; depth + 1; at = s->frames[at].parent, depth--) {
        s->quiet[depth] = s->frames[at];
        s->levels[depth] = (Level){s->frames[at].name, 0};
    }
    if (s->suspect.level && s->suspect.level < s->levels_count && s->suspect.place < best->step.place)
        accept_suspect(s, s->levels[s->suspect.level].name); /* the search has seen what follows it */
    s->suspect.level = 0;
    s->sound_place = best->step.place;
    s->mark = s->next_mark = s->lexed;
    s->ended_count = s->ended_between = 0;
    s->sound_has_root = 1;
    s->has_error = 0;
    look_for_errors(s, s->front);
    if (is_wrong_before(s, s->step)) {
        s->retry = s->sound_place;
        return 0;
    }
    s->quiet_place = best->step.place;
    while (s->order_count)
        s->unused[s->unused_count++] = s->order[--s->order_count];
    s->is_quiet = 1;
    follow_path(s, best->node);
    return 1;
}

/* The decided reading ---------------------------------------------------------------------------------------------- */

static void walk_in(Search *s, uint32_t name)
{
    ROOM_FOR(s, walk, 1);
    s->walk[s->walk_count++] = name;
    s->names[name].walked++;
}

static uint32_t walk_out(Search *s)
{
    uint32_t name = s->walk[--s->walk_count];
    s->names[name].walked--;
    return name;
}

/* Let the beam begin where quiet ends. */
static void begin_beam(Search *s)
{
    follow(s);
    s->is_quiet = 0;
    s->has_start = 0;
    if (s->doubt < 0)
        s->doubt = (int64_t)s->place;
    s->last_frame = 0;
    while (s->walk_count)
        (void)walk_out(s);
    for (size_t i = 0; i < s->quiet_count; i++) {
        const Frame *frame = &s->quiet[i];
        s->last_frame = frame_of(s, frame->name, s->last_frame, frame->previous, frame->column, frame->child_column);
        if (i)
            walk_in(s, frame->name);
    }
    Hypothesis first = {.frame = s->last_frame, .step = {.place = s->place, .edge = NO_EDGE}};
    s->last_node = node_of(s, &first);
    wait_for(s, &first);
}

/* Facts about a step of the decided reading: `Step` of steps.py. */
typedef struct {
    uint32_t inner[OUTER + 1], inner_count, own; /* elements that it ends, before another one; that one, or NOTHING */
    int is_open, is_last, has_start;             /* whether an element of its name is open; the root is the current one */
    Edge start;                                  /* the start tag that it follows directly, if `has_start` */
} Facts;

/* Take the next step of the decided reading. Return whether it is more than a token as it stands. */
static int take_step(Search *s, const Step *step, Facts *facts)
{
    const Edge *edge = &s->edges[step->edge];
    int operation = step->operation;
    memset(facts, 0, sizeof *facts);
    int is_odd = operation != AS_IT_STANDS || step->closed || step->opened || edge->facts & (HAS_INSTEAD | HAS_OPERATION);
    if (edge->kind == SPACE_EDGE) {
        s->has_start &= !(edge->facts & HAS_INSTEAD);
        return (edge->facts & HAS_INSTEAD) != 0;
    }
    facts->has_start = s->has_start;
    facts->start = s->start;
    s->has_start = 0;
    facts->is_open = edge->name ? s->names[edge->name].walked > 0 : s->walk_count > 0;
    facts->is_last = s->walk_count == 1;
    for (int i = 0; i < step->closed && s->walk_count; i++)
        facts->inner[facts->inner_count++] = walk_out(s);
    if (step->opened)
        walk_in(s, step->opened);
    switch (operation) {
    case END_OF:
    case WRONG_END:
    case WRONG_END_NEAR:
    case START_AS_END:
    case EMPTY_AS_END:
        if (s->walk_count)
            facts->own = walk_out(s);
        break;
    case END_AS_START:
    case EMPTY_AS_START:
        walk_in(s, edge->name);
        break;
    case RENAME_START:
        walk_in(s, step->name);
        break;
    case AS_IT_STANDS:
        if (edge->kind == END_EDGE && s->walk_count) {
            (void)walk_out(s);
        }
        else if (edge->kind == START_EDGE && edge->end == step->place) {
            walk_in(s, edge->name);
            s->start = *edge;
            s->has_start = !(edge->facts & HAS_INSTEAD);
        }
        break;
    default:
        break;
    }
    return is_odd;
}

/* The end ---------------------------------------------------------------------------------------------------------- */

/* Set the path to the rest of the best reading at the end of the document: what is open ends there. */
static void finish(Search *s)
{
    uint32_t ranked[BEAM], number = waiting_at(s, s->fed), best = 0, count = rank(s, &s->waitings[number], ranked);
    int32_t least = INT32_MAX, costs[BEAM];
    s->edge.kind = END_EDGE; /* what follows is no text */
    for (uint32_t i = 0; i < count; i++) {
        int64_t each = 0;
        Hypothesis *hypothesis = &s->waitings[number].hypotheses[ranked[i]];
        int32_t cost = hypothesis->cost, open = 0;
        uint32_t frame = hypothesis->frame;
        for (; parent_of(s, frame); frame = parent_of(s, frame)) {
            each += missing_end(s, frame, 0);
            open++;
        }
        if (open) {
            int64_t cut_off = COST(s, cut_off) + (int64_t)COST(s, cut_off_each) * open;
            cost += (int32_t)(each < cut_off ? each : cut_off);
        }
        costs[i] = cost;
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    s->order_count = 0;
    if (!count)
        return;
    s->cost += least;
    s->place = s->fed;
    uint32_t node = keep(s, &s->waitings[number].hypotheses[ranked[best]]);
    weigh_rivals(s, node);
    for (uint32_t i = 0; i < count; i++)
        weigh(s, node, node_of(s, &s->waitings[number].hypotheses[ranked[i]]), costs[i] - least, UINT32_MAX);
    follow_path(s, node);
}

/* Set `front` to how far the next step looks; return 0 if there is none yet, or none any more. */
static int has_front(Search *s)
{
    if (s->step && s->is_final && s->step > s->fed)
        return 0;
    s->front = s->step + LOOK;
    if (s->is_final && s->fed <= s->front + LOOK)
        s->front = s->fed;
    return s->is_final || s->fed > s->front + LOOK;
}

/* Begin the step at `step`: learn, and set the path to what is final. The text is known up to `front` and LOOK octets
   farther. */
static void begin_of_step(Search *s)
{
    uint64_t front = s->front;
    s->path_count = 0;
    if (!s->step)
        look_at_beginning(s);
    count_names(s, s->fed - front > LOOK ? front + LOOK : s->fed);
    if (s->edges_count > s->most_edges)
        forget_edges(s, kept_from(s));
    s->step = s->is_final && front == s->fed ? front + 1 : s->step + STEP;
    if (s->is_quiet) {
        look_for_errors(s, front);
        if (!is_wrong_before(s, s->step)) {
            uint64_t to = s->step < s->fed ? s->step : s->fed;
            s->place = s->place < to ? to : s->place;
            return;
        }
        resume(s);
    }
    lex_to(s, front);
    learn_lexed(s);
    if (s->is_quiet)
        begin_beam(s);
    commit(s);
}

/* Search up to the next step, or to the end of the document; the path is set to the rest then. */
static void rest_of_step(Search *s)
{
    int is_at_end = s->is_final && s->step > s->fed;
    s->path_count = 0;
    if (s->is_quiet || begin_quiet(s))
        return;
    tidy(s);
    search_to(s, is_at_end ? s->fed : s->step);
    if (is_at_end)
        finish(s);
}

/* Begin with nothing. */
static void begin_search(Search *s)
{
    ROOM_FOR(s, names, FIRST_NAME);
    memset(s->names, 0, FIRST_NAME * sizeof *s->names);
    s->names_count = FIRST_NAME;
    ROOM_FOR(s, octets, 1);
    ROOM_FOR(s, frames, 1);
    ROOM_FOR(s, nodes, 1);
    memset(s->nodes, 0, sizeof *s->nodes);
    memset(s->frames, 0, sizeof *s->frames);
    renew(s, &s->name_slots, &s->name_mask, 255);
    renew(s, &s->place_slots, &s->place_mask, 1023);
    renew(s, &s->frame_slots, &s->frame_mask, 255);
    enter_quiet(s, NOTHING, FIRST, NO_COLUMN);
    ROOM_FOR(s, levels, 1);
    s->levels[0] = (Level){NOTHING, 0};
    s->levels_count = 1;
    s->most_edges = 1 << 11;
    s->is_quiet = 1;
    s->doubt = -1;
    s->declared = UINT64_MAX;
    s->frames_count = s->nodes_count = 1;
    s->most_frames = 1 << 12;
    s->most_nodes = 1 << 12;
}

#endif
