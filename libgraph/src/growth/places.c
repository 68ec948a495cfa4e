// Folds the dominator tree into places: one walk, depth first, that knows how
// many members of each place lie above the node where it is.
#include "growth/growth_private.h"

#include <stdlib.h>

// In `place`: another member dominates the node, or it is part of one.
#define INNER (UINT32_C(1) << 31)
// In `place`: it is part of another node.
#define PART (UINT32_C(1) << 30)
// In `place`: it is a code object, or part of one.
#define CODE (UINT32_C(1) << 29)
#define MARKS (INNER | PART | CODE)

// Of the nodes of a process with a few libraries, about one in so many has a
// place of its own.
enum { EXPECTED_SHARE = 8 };

// The step that the walk took last below a place: siblings are alike.
typedef struct last_step {
    uint32_t label;
    uint32_t type;
    uint32_t place;
    uint32_t kind;
} last_step;

typedef struct walking {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_places *places;
    lg__labels labels;
    uint32_t *place;   // [node]
    uint32_t *cursor;  // [node] the next child
    uint32_t code;     // the number of "code" in the table
    uint32_t str;      // the same of "str"
    uint32_t *type;    // [type] the name's number in the table
    lg__vector active; // uint32_t [place] members above the node, and itself
    lg__vector last;   // last_step [place]
    last_step at_root[2];
} walking;

static uint32_t
place_above(const walking *state, uint32_t node)
{
    uint32_t above = state->analysis->dominator[node];
    return above < state->graph->columns.node_count
               ? state->place[above] & ~MARKS
               : LG_NONE;
}

static uint32_t
type_of(const walking *state, uint32_t node)
{
    return state->type[state->graph->columns.type[node]];
}

static bool
is_code(const walking *state, uint32_t node)
{
    return type_of(state, node) == state->code;
}

// The texts and the code of a function never change: they are part of it, and
// so is all that a code object has.
static bool
is_part_of_code(const walking *state, uint32_t node, uint32_t above)
{
    uint32_t type = type_of(state, node);
    return (state->place[above] & CODE) != 0 ||
           ((type == state->code || type == state->str) &&
            lg__node_category(state->graph, above) == LG_CATEGORY_FUNCTION);
}

// Whether the node is part of its dominator, or of what that one is part of.
static bool
is_part(const walking *state, uint32_t node)
{
    const lg__fold *folds = state->labels.folds;
    uint32_t owner = folds[node].owner;
    uint32_t above = state->analysis->dominator[node];
    if (above >= state->graph->columns.node_count)
        return false;
    return (owner != LG_NONE &&
            (owner == above || owner == folds[above].owner)) ||
           is_part_of_code(state, node, above);
}

static last_step *
last_below(walking *state, uint32_t node, uint32_t parent)
{
    if (parent != LG_NONE)
        return (last_step *)state->last.data + parent;
    return &state->at_root[state->analysis->dominator[node] !=
                           state->graph->columns.node_count];
}

// Makes `active` and `last` as long as the table.
static bool
widen(walking *state)
{
    size_t count = state->places->items.count;
    const lg_allocator *allocator = &state->places->allocator;
    if (state->active.count == count)
        return true;
    uint32_t *active = lg__vector_extend(allocator, &state->active, 1);
    last_step *last = lg__vector_extend(allocator, &state->last, 1);
    if (active == NULL || last == NULL)
        return false;
    *active = 0;
    *last = (last_step){.place = LG_NONE};
    return true;
}

// The place of a node that is no part of another; LG_NONE when memory ran out.
static uint32_t
find_place(walking *state, uint32_t node)
{
    lg__step step;
    uint32_t parent = place_above(state, node);
    uint32_t type = type_of(state, node);
    if (!lg__label_step(&state->labels, node, &step))
        return LG_NONE;
    last_step *last = last_below(state, node, parent);
    if (last->place != LG_NONE && last->label == step.label &&
        last->type == type && last->kind == step.kind)
        return last->place;
    uint32_t place =
        lg__places_recur(state->places, parent, step.kind, step.label, type);
    if (place == LG_NONE)
        place =
            lg__places_add(state->places, parent, step.kind, step.label, type);
    if (place == LG_NONE || !widen(state))
        return LG_NONE;
    *last_below(state, node, parent) =
        (last_step){step.label, type, place, step.kind};
    return place;
}

// Of two members, the one to which the reference comes later.
static bool
is_later(const walking *state, uint32_t node, uint32_t other)
{
    if (other == LG_NONE)
        return true;
    uint64_t a = state->labels.via[node];
    uint64_t b = state->labels.via[other];
    return a != b ? a > b : node > other;
}

static void
add_own(walking *state, uint32_t node, uint32_t place)
{
    const lg_columns *columns = &state->graph->columns;
    lg__place_own(state->places, place)[0] += lg_node_size(state->graph, node);
    lg__place_at(state->places, place)->references +=
        columns->first_edge[node + 1] - columns->first_edge[node];
}

static bool
is_at_top_of_garbage(const walking *state, uint32_t node)
{
    return state->analysis->dominator[node] ==
           state->graph->columns.node_count + 1;
}

// A namespace whose instance is garbage, too, and dominates nothing more than
// it does: before CPython 3.11 a cycle leads through it.
static bool
is_loose_part(const walking *state, uint32_t node)
{
    uint32_t owner = state->labels.folds[node].owner;
    return owner != LG_NONE && is_at_top_of_garbage(state, node) &&
           is_at_top_of_garbage(state, owner);
}

static bool
enter(walking *state, uint32_t node)
{
    if (is_part(state, node)) {
        uint32_t place = place_above(state, node);
        uint32_t above = state->analysis->dominator[node];
        bool inside = (state->place[above] & CODE) || is_code(state, node);
        uint32_t code = inside ? CODE : 0;
        state->place[node] = place | INNER | PART | code;
        add_own(state, node, place);
        return true;
    }
    bool loose = is_loose_part(state, node);
    uint32_t place =
        find_place(state, loose ? state->labels.folds[node].owner : node);
    if (place == LG_NONE)
        return false;
    uint32_t *active = (uint32_t *)state->active.data + place;
    lg__place_item *item = lg__place_at(state->places, place);
    state->place[node] = (*active > 0 ? place | INNER : place) |
                         (is_code(state, node) ? CODE : 0);
    if (*active == 0) {
        lg__place_retained(state->places, place)[0] +=
            state->analysis->host[node];
        if (!loose && is_later(state, node, item->example))
            item->example = node;
    }
    ++*active;
    item->members += !loose;
    add_own(state, node, place);
    return true;
}

static void
leave(walking *state, uint32_t node)
{
    if (!(state->place[node] & PART))
        ((uint32_t *)state->active.data)[state->place[node] & ~MARKS]--;
}

static lg_status
walk_from(walking *state, uint32_t top, const lg_monitor *monitor,
          lg_error *err)
{
    const uint32_t *first = state->analysis->first_child;
    uint32_t node = top;
    state->cursor[top] = first[top];
    for (uint32_t steps = 1;; steps++) {
        if (steps % 65536 == 0 &&
            !lg__monitor_goes_on(monitor, "finding places", 0, err))
            return LG_ECANCELLED;
        if (state->cursor[node] < first[node + 1]) {
            node = state->analysis->child[state->cursor[node]++];
            state->cursor[node] = first[node];
            if (!enter(state, node))
                return lg__error_memory(err);
            continue;
        }
        if (node == top)
            return LG_OK;
        leave(state, node);
        node = state->analysis->dominator[node];
    }
}

// Moves the bytes that lie on devices there.
static void
place_devices(walking *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t i = 0; i < graph->placed_count; i++) {
        uint32_t node = graph->device_node[i];
        uint64_t bytes = lg_node_size(graph, node);
        uint64_t *own =
            lg__place_own(state->places, state->place[node] & ~MARKS);
        own[0] -= bytes;
        own[graph->device_id[i]] += bytes;
    }
    const lg__on_device *entries = state->analysis->device.data;
    for (size_t i = 0; i < state->analysis->device.count; i++) {
        uint32_t node = entries[i].node;
        if (node < graph->columns.node_count && !(state->place[node] & INNER))
            lg__place_retained(state->places, state->place[node] &
                                                  ~MARKS)[entries[i].device] +=
                entries[i].bytes;
    }
}

static bool
make_room(walking *state)
{
    const lg_graph *graph = state->graph;
    size_t nodes = graph->columns.node_count;
    state->labels.folds = lg__graph_folds(graph);
    state->places = state->labels.places = lg__places_begin();
    state->place = lg__wide_alloc((nodes + 1) * sizeof *state->place);
    state->cursor = lg__wide_alloc((nodes + 2) * sizeof *state->cursor);
    state->type = malloc((graph->type_count + 1) * sizeof *state->type);
    if (!state->labels.folds || !state->places || !state->place ||
        !state->cursor || !state->type)
        return false;
    for (uint32_t i = 0; i < graph->type_count; i++) {
        state->type[i] =
            lg__places_string(state->places, lg_graph_type(graph, i).name);
        if (state->type[i] == LG_NONE)
            return false;
    }
    state->code = lg__places_string(state->places, (lg_string){"code", 4});
    state->str = lg__places_string(state->places, (lg_string){"str", 3});
    if (state->code == LG_NONE || state->str == LG_NONE ||
        !lg__places_expect(state->places, nodes / EXPECTED_SHARE))
        return false;
    for (uint32_t i = 0; i <= graph->device_count; i++)
        if (!lg__places_add_device(state->places,
                                   lg_graph_device_name(graph, i)))
            return false;
    return true;
}

lg_status
lg__places_walk(const lg_analysis *analysis, const lg_monitor *monitor,
                lg_places **out, uint32_t **place_of, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    uint32_t nodes = graph->columns.node_count;
    walking state = {
        .analysis = analysis,
        .graph = graph,
        .labels = {.graph = graph, .dominator = analysis->dominator},
        .active = {.element = sizeof(uint32_t)},
        .last = {.element = sizeof(last_step)},
        .at_root = {{.place = LG_NONE}, {.place = LG_NONE}},
    };
    lg_allocator allocator = lg_allocator_default();
    lg_status status = make_room(&state) ? LG_OK : lg__error_memory(err);
    if (status == LG_OK)
        status = lg__labels_begin(&state.labels, err);
    if (status == LG_OK)
        status = walk_from(&state, nodes, monitor, err);
    if (status == LG_OK)
        status = walk_from(&state, nodes + 1, monitor, err);
    if (status == LG_OK)
        place_devices(&state);
    lg__labels_free(&state.labels);
    lg__vector_free(&allocator, &state.active);
    lg__vector_free(&allocator, &state.last);
    free(state.cursor);
    free(state.type);
    if (status != LG_OK) {
        lg_places_free(state.places);
        free(state.place);
        return status;
    }
    for (uint32_t node = 0; node < nodes; node++)
        state.place[node] &= ~MARKS;
    *out = state.places;
    *place_of = state.place;
    return LG_OK;
}

lg_status
lg_places_new(const lg_analysis *analysis, const lg_monitor *monitor,
              lg_places **out, lg_error *err)
{
    uint32_t *place_of = NULL;
    lg_status status = lg__places_walk(analysis, monitor, out, &place_of, err);
    free(place_of);
    return status;
}
