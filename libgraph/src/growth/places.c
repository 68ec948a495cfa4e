// Folds the dominator tree into places: one walk, depth first, that knows how
// many members of each place lie above the node where it is.
#include "growth/place_walk.h"

#include <stdlib.h>

// Of the nodes of a process with a few libraries, about one in so many has a
// place of its own.
enum { EXPECTED_SHARE = 4 };

// A step below a place leads to one place. Objects of one class take the same
// few steps, so the walk remembers some.
enum { TAKEN_BITS = 12, TAKEN = 1 << TAKEN_BITS };

// The walk reads ahead so many siblings.
enum { AHEAD = 8 };

typedef struct taken_step {
    uint32_t parent;
    uint32_t kind;
    lg__node_step step;
    uint32_t place; // LG_NONE: nothing
} taken_step;

// A node whose children the walk goes through.
typedef struct level {
    uint32_t next;
    uint32_t end;
    uint32_t place;
    uint32_t marks; // PART, CODE
} level;

typedef struct walking {
    lg__place_walk shared;
    lg__vector active; // uint32_t [place] members above the node, and itself
    lg__vector levels; // level
    taken_step taken[TAKEN];
} walking;

static taken_step *
find_taken(walking *state, uint32_t parent, uint32_t kind, lg__node_step step)
{
    // Multipliers of no meaning: odd, with many bits.
    uint32_t mixed = parent * UINT32_C(0x9e3779b1) ^
                     step.label * UINT32_C(0x85ebca77) ^
                     (step.type + kind) * UINT32_C(0xc2b2ae3d);
    return &state->taken[mixed >> (32 - TAKEN_BITS)];
}

// The place below `parent`, or one above it; LG_NONE when memory ran out.
static uint32_t
add_place(walking *state, uint32_t parent, uint32_t kind, lg__node_step step)
{
    lg_places *places = state->shared.places;
    uint32_t place = lg__places_recur(places, parent, (lg_place_kind)kind,
                                      step.label, step.type);
    if (place == LG_NONE)
        place = lg__places_add(places, parent, (lg_place_kind)kind, step.label,
                               step.type);
    if (place == LG_NONE || place < state->active.count)
        return place;
    uint32_t *active = lg__vector_extend(&places->allocator, &state->active, 1);
    if (active == NULL)
        return LG_NONE;
    *active = 0;
    return place;
}

static uint32_t
find_place(walking *state, uint32_t parent, uint32_t kind, lg__node_step step)
{
    taken_step *taken = find_taken(state, parent, kind, step);
    if (taken->place != LG_NONE && taken->parent == parent &&
        taken->kind == kind && taken->step.label == step.label &&
        taken->step.type == step.type)
        return taken->place;
    uint32_t place = add_place(state, parent, kind, step);
    *taken = (taken_step){parent, kind, step, place};
    return place;
}

// Puts a node into its place, and goes to its children if it has any.
static bool
enter(walking *state, uint32_t node, uint32_t place, uint32_t marks)
{
    const uint32_t *first = state->shared.analysis->first_child;
    uint32_t *active = (uint32_t *)state->active.data + place;
    bool part = (marks & LG__PLACE_PART) != 0;
    bool inner = part || *active > 0;
    bool loose = (state->shared.place[node] & LG__PLACE_LOOSE) != 0;
    state->shared.place[node] = place | (part ? LG__PLACE_PART : 0) |
                                (inner ? LG__PLACE_INNER : 0) |
                                (loose ? LG__PLACE_LOOSE : 0);
    if (first[node] == first[node + 1])
        return true;
    level *below =
        lg__vector_extend(&state->shared.places->allocator, &state->levels, 1);
    if (below == NULL)
        return false;
    *active += !part;
    *below = (level){first[node], first[node + 1], place, marks};
    return true;
}

static bool
visit(walking *state, uint32_t node, const level *above)
{
    uint32_t marks = state->shared.place[node];
    uint32_t code = (marks | above->marks) & LG__PLACE_CODE;
    if ((marks & LG__PLACE_PART) || (above->marks & LG__PLACE_CODE))
        return enter(state, node, above->place, LG__PLACE_PART | code);
    uint32_t place = find_place(state, above->place, marks & ~LG__PLACE_MARKS,
                                state->shared.step[node]);
    return place != LG_NONE && enter(state, node, place, code);
}

static void
leave(walking *state, const level *last)
{
    if (last->place != LG_NONE && !(last->marks & LG__PLACE_PART))
        ((uint32_t *)state->active.data)[last->place]--;
    state->levels.count--;
}

// What a dominator's children have lies anywhere.
static void
read_ahead(const lg__place_walk *walk, uint32_t at)
{
    if (at + AHEAD >= walk->graph->columns.node_count)
        return;
    uint32_t node = walk->analysis->child[at + AHEAD];
    __builtin_prefetch(&walk->step[node]);
    __builtin_prefetch(&walk->place[node]);
    __builtin_prefetch(&walk->analysis->first_child[node]);
}

static lg_status
walk_from(walking *state, uint32_t top, const lg_monitor *monitor,
          lg_error *err)
{
    const lg_analysis *analysis = state->shared.analysis;
    level *first =
        lg__vector_extend(&state->shared.places->allocator, &state->levels, 1);
    if (first == NULL)
        return lg__error_memory(err);
    *first = (level){analysis->first_child[top], analysis->first_child[top + 1],
                     LG_NONE, 0};
    for (uint32_t steps = 1; state->levels.count > 0; steps++) {
        level *last = (level *)state->levels.data + state->levels.count - 1;
        if (steps % 65536 == 0 &&
            !lg__monitor_goes_on(monitor, "finding places", 0, err))
            return LG_ECANCELLED;
        if (last->next == last->end) {
            leave(state, last);
            continue;
        }
        read_ahead(&state->shared, last->next);
        level above = *last;
        if (!visit(state, analysis->child[last->next++], &above))
            return lg__error_memory(err);
    }
    return LG_OK;
}

static bool
make_room(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    size_t nodes = graph->columns.node_count;
    walk->labels.folds = lg__graph_folds(graph);
    walk->places = walk->labels.places = lg__places_begin();
    walk->place = lg__wide_alloc((nodes + 1) * sizeof *walk->place);
    walk->step = lg__wide_alloc((nodes + 1) * sizeof *walk->step);
    if (!walk->labels.folds || !walk->places || !walk->place || !walk->step)
        return false;
    for (uint32_t i = 0; i <= graph->device_count; i++)
        if (!lg__places_add_device(walk->places,
                                   lg_graph_device_name(graph, i)))
            return false;
    return lg__places_expect(walk->places, nodes / EXPECTED_SHARE);
}

static lg_status
run(walking *state, const lg_monitor *monitor, lg_error *err)
{
    uint32_t nodes = state->shared.graph->columns.node_count;
    for (size_t i = 0; i < TAKEN; i++)
        state->taken[i].place = LG_NONE;
    lg_status status =
        make_room(&state->shared) ? LG_OK : lg__error_memory(err);
    if (status == LG_OK)
        status = lg__place_steps(&state->shared, err);
    if (status == LG_OK)
        status = walk_from(state, nodes, monitor, err);
    if (status == LG_OK)
        status = walk_from(state, nodes + 1, monitor, err);
    if (status == LG_OK)
        lg__place_sums(&state->shared);
    return status;
}

lg_status
lg_places_walk(const lg_analysis *analysis, const lg_monitor *monitor,
               lg_places **out, uint32_t **place_of, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    lg_allocator allocator = lg_allocator_default();
    walking *state = malloc(sizeof *state);
    if (state == NULL)
        return lg__error_memory(err);
    state->shared = (lg__place_walk){
        .analysis = analysis,
        .graph = graph,
        .labels = {.graph = graph, .dominator = analysis->dominator},
    };
    state->active = (lg__vector){.element = sizeof(uint32_t)};
    state->levels = (lg__vector){.element = sizeof(level)};
    lg_status status = run(state, monitor, err);
    lg__place_walk *walk = &state->shared;
    for (uint32_t i = 0; i < graph->columns.node_count && status == LG_OK; i++)
        walk->place[i] &= ~LG__PLACE_MARKS;
    lg__labels_free(&walk->labels);
    lg__vector_free(&allocator, &state->active);
    lg__vector_free(&allocator, &state->levels);
    free(walk->step);
    if (status == LG_OK) {
        *out = walk->places;
        *place_of = walk->place;
    } else {
        lg_places_free(walk->places);
        free(walk->place);
    }
    free(state);
    return status;
}

lg_status
lg_places_new(const lg_analysis *analysis, const lg_monitor *monitor,
              lg_places **out, lg_error *err)
{
    uint32_t *place_of = NULL;
    lg_status status = lg_places_walk(analysis, monitor, out, &place_of, err);
    free(place_of);
    return status;
}
