// Puts every node into its place, in order of nodes, because the columns of
// nodes lie in memory in that order, and the dominator tree does not. A node
// whose dominator comes later waits for it.
#include "growth/place_find.h"
#include "growth/place_parts.h"

#include <stdlib.h>
#include <string.h>

// In a process with a few libraries, about one node in this many has a place of
// its own.
enum { EXPECTED_SHARE = 4 };

typedef struct walking {
    lg__place_walk shared;
    lg__gathered waiting; // nodes, each dominated by the next
} walking;

static const lg__walk_type *
type_of(const lg__place_walk *walk, uint32_t node)
{
    return &walk->types[walk->graph->columns.type[node]];
}

// Notes what the path to a member has visited, which leads back to a place or
// is below such a step. Returns the marks of the member; LG_NONE when memory
// ran out.
static uint32_t
visit(lg__place_walk *walk, uint32_t node, uint32_t above, uint32_t place)
{
    bool turned = walk->place[above] & LG__PLACE_BACK;
    uint32_t parent = walk->place[above] & ~LG__PLACE_MARKS;
    uint32_t last = turned ? walk->visited[above] : LG_NONE;
    uint32_t next = last;
    if (place > parent)
        next = lg__visit_next(walk, last, place);
    else if (!turned)
        next = lg__visit_first(walk, parent);
    if (next == LG_NONE)
        return LG_NONE;
    walk->visited[node] = next;
    bool inner = place <= parent || next == last;
    return LG__PLACE_BACK | (inner ? LG__PLACE_INNER : 0);
}

// Adds a member below a step that leads back to a place above. An inner member
// is counted at once, because later it looks like a part.
static bool
add_turned(lg__place_walk *walk, uint32_t node, uint32_t above, uint32_t place,
           const lg__walk_type *type)
{
    uint32_t marks = visit(walk, node, above, place);
    if (marks == LG_NONE)
        return false;
    walk->place[node] = place | marks | type->marks;
    if (marks & LG__PLACE_INNER)
        lg__place_at(walk->places, place)->members++;
    return true;
}

// Adds a member below another node, whose place and marks are `at`. If its
// place is not a child of that place, it leads back there.
static bool
add_member(lg__place_walk *walk, uint32_t node, uint32_t above, uint32_t at,
           const lg__walk_type *type)
{
    uint32_t parent = at & ~LG__PLACE_MARKS;
    uint32_t place = lg__place_find(walk, parent, node, above, type->name);
    if (place == LG_NONE)
        return false;
    if (place <= parent || (at & LG__PLACE_BACK))
        return add_turned(walk, node, above, place, type);
    walk->place[node] = place | type->marks;
    return true;
}

// Returns whether the node is a namespace that is loose: its instance is
// garbage, too, and does not dominate it. Before CPython 3.11, a cycle leads
// through it.
static bool
is_loose(const lg__place_walk *walk, uint32_t node)
{
    const uint32_t *dominator = walk->analysis->dominator;
    uint32_t owner = lg__fold_owner(walk->labels.folds, node);
    return owner != LG_NONE && dominator[owner] == dominator[node];
}

// Many nodes of a type are in one place: strings, numbers, and what several
// modules refer to.
static uint32_t
find_top(lg__place_walk *walk, uint32_t node, lg_place_kind kind, uint32_t name)
{
    lg__walk_type *type = &walk->types[walk->graph->columns.type[node]];
    bool unnamed = name == 0 || !(type->by_module || type->titled);
    bool plain = kind == LG_PLACE_ROOT && unnamed && !type->titled;
    if (plain && type->top != LG_NONE)
        return type->top;
    const lg__module_name *names = walk->names.data;
    lg__step step;
    if (!lg__label_top(&walk->labels, node, kind,
                       unnamed ? NULL : &names[name - 1], &step))
        return LG_NONE;
    uint32_t place = lg__place_find_top(walk, &step, type->name);
    if (plain)
        type->top = place;
    return place;
}

// Adds a node that nothing dominates. A loose namespace goes into the place of
// its instance, but is no member, and no example.
static bool
add_top(walking *state, uint32_t node)
{
    lg__place_walk *walk = &state->shared;
    const lg_analysis *analysis = walk->analysis;
    bool garbage = analysis->dominator[node] != walk->graph->columns.node_count;
    bool loose = garbage && is_loose(walk, node);
    uint32_t name = walk->place[node];
    uint32_t named = loose ? lg__fold_owner(walk->labels.folds, node) : node;
    uint32_t place =
        find_top(walk, named, garbage ? LG_PLACE_GARBAGE : LG_PLACE_ROOT, name);
    if (place == LG_NONE)
        return false;
    walk->place[node] = place | type_of(walk, node)->marks;
    walk->via[node] = loose ? 0 : lg__top_dominator_label(walk, name);
    if (loose)
        lg__place_at(walk->places, place)->members--;
    return true;
}

static bool
add_node(walking *state, uint32_t node)
{
    lg__place_walk *walk = &state->shared;
    uint32_t above = walk->analysis->dominator[node];
    if (above >= walk->graph->columns.node_count)
        return add_top(state, node);
    const lg__walk_type *type = type_of(walk, node);
    uint32_t at = walk->place[above];
    uint32_t part = lg__part_marks(walk, type, node, above, at);
    if (part == 0)
        return add_member(walk, node, above, at, type);
    walk->place[node] = (at & ~LG__PLACE_FUNCTION) | part | type->marks;
    if (at & LG__PLACE_BACK)
        walk->visited[node] = walk->visited[above];
    return true;
}

static bool
is_early(const walking *state, uint32_t node)
{
    return state->shared.early[node / 64] >> node % 64 & 1;
}

// Lets a node wait, and each dominator above it that has no place yet but the
// highest. Returns that one, or the node; LG_NONE when memory ran out.
static uint32_t
wait_below(walking *state, uint32_t node)
{
    const uint32_t *dominator = state->shared.analysis->dominator;
    uint32_t nodes = state->shared.graph->columns.node_count;
    uint32_t next = node;
    for (uint32_t above = dominator[node];
         above > node && above < nodes && !is_early(state, above);
         above = dominator[above]) {
        if (!lg__gather_append(&state->waiting, next))
            return LG_NONE;
        next = above;
    }
    return next;
}

// Returns the node that waits for `done`, which gets its place early.
static uint32_t
next_below(walking *state, uint32_t done)
{
    state->shared.early[done / 64] |= UINT64_C(1) << done % 64;
    return state->waiting.items[--state->waiting.count];
}

// Adds a node, and before it the nodes above it that have no place yet.
static bool
add_with_above(walking *state, uint32_t node)
{
    uint32_t next = wait_below(state, node);
    for (;; next = next_below(state, next)) {
        if (next == LG_NONE || !add_node(state, next))
            return false;
        if (next == node)
            return true;
    }
}

static bool
add_range(walking *state, uint32_t begin, uint32_t end)
{
    const uint32_t *dominator = state->shared.analysis->dominator;
    uint32_t nodes = state->shared.graph->columns.node_count;
    for (uint32_t node = begin; node < end; node++) {
        uint32_t above = dominator[node];
        if (is_early(state, node))
            continue;
        if (!(above > node && above < nodes ? add_with_above(state, node)
                                            : add_node(state, node)))
            return false;
    }
    return true;
}

static lg_status
add_nodes(walking *state, const lg_monitor *monitor, lg_error *err)
{
    enum { ONE_REPORT = 65536 };
    uint32_t nodes = state->shared.graph->columns.node_count;
    for (uint32_t begin = 0, end; begin < nodes; begin = end) {
        end = nodes - begin < ONE_REPORT ? nodes : begin + ONE_REPORT;
        if (!add_range(state, begin, end))
            return lg__error_memory(err);
        if (end < nodes && !lg__monitor_goes_on(monitor, "finding places",
                                                (double)end / nodes, err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

static bool
make_room(walking *state)
{
    lg__place_walk *walk = &state->shared;
    const lg_graph *graph = walk->graph;
    size_t nodes = graph->columns.node_count;
    lg__walk_room room;
    if (!lg__walk_room_begin(graph, &room))
        return false;
    walk->place = room.place;
    walk->via = room.via;
    walk->early = room.early;
    walk->types = room.types;
    walk->visited = room.visited;
    walk->labels.locals = room.locals;
    walk->labels.dotted = room.dotted;
    walk->labels.plain = room.plain;
    walk->labels.folds = lg__graph_folds(graph);
    walk->places = walk->labels.places = lg__places_begin();
    if (!walk->labels.folds || !walk->places)
        return false;
    memset(walk->spaces, 0xff, sizeof walk->spaces);
    for (size_t i = 0; i < LG__TAKEN; i++)
        walk->taken[i].place = LG_NONE;
    for (uint32_t i = 0; i <= graph->device_count; i++)
        if (!lg__places_add_device(walk->places,
                                   lg_graph_device_name(graph, i)))
            return false;
    return lg__places_expect(walk->places, nodes / EXPECTED_SHARE + 1) &&
           lg__walk_types_begin(walk);
}

static lg_status
run(walking *state, const lg_monitor *monitor, lg_error *err)
{
    lg__place_walk *walk = &state->shared;
    lg_status status = make_room(state) ? lg__labels_begin(&walk->labels, err)
                                        : lg__error_memory(err);
    if (status == LG_OK &&
        !(lg__dominator_labels_choose(walk) && lg__walk_types_merge(walk)))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = add_nodes(state, monitor, err);
    if (status == LG_OK) {
        lg__places_index(walk->places);
        lg__places_add_up(walk);
        lg__places_on_devices(walk);
    }
    return status;
}

static void
free_walk(walking *state)
{
    lg_allocator allocator = lg_allocator_default();
    lg__place_walk *walk = &state->shared;
    lg__vector_free(&allocator, &walk->names);
    lg__labels_free(&walk->labels);
    lg__visits_free(walk);
    lg__wide_free(state->waiting.items);
    lg__wide_free(state);
}

static walking *
begin_walk(const lg_analysis *analysis)
{
    walking *state = lg__wide_alloc(sizeof *state);
    if (state == NULL)
        return NULL;
    state->waiting = (lg__gathered){0};
    state->shared = (lg__place_walk){
        .analysis = analysis,
        .graph = analysis->graph,
        .labels = {.graph = analysis->graph, .dominator = analysis->dominator},
        .names = {.element = sizeof(lg__module_name)},
        .visits = {.element = sizeof(lg__place_visit)},
    };
    return state;
}

// The places of nodes still contain their marks.
static lg_status
find_places(const lg_analysis *analysis, const lg_monitor *monitor,
            lg_places **out, uint32_t **place_of, lg_error *err)
{
    walking *state = begin_walk(analysis);
    if (state == NULL)
        return lg__error_memory(err);
    lg_status status = run(state, monitor, err);
    if (status == LG_OK) {
        *out = state->shared.places;
        *place_of = state->shared.place;
    } else {
        lg_places_free(state->shared.places);
        lg__places_of_free(state->shared.place, analysis);
    }
    free_walk(state);
    return status;
}

lg_status
lg__places_walk(const lg_analysis *analysis, const lg_monitor *monitor,
                lg_places **out, uint32_t **place_of, lg_error *err)
{
    lg_status status = find_places(analysis, monitor, out, place_of, err);
    uint32_t nodes = analysis->graph->columns.node_count;
    for (uint32_t i = 0; i < nodes && status == LG_OK; i++)
        (*place_of)[i] &= ~LG__PLACE_MARKS;
    return status;
}

// Copies the places of nodes, so that free() frees them.
lg_status
lg_places_walk(const lg_analysis *analysis, const lg_monitor *monitor,
               lg_places **out, uint32_t **place_of, lg_error *err)
{
    lg_places *places = NULL;
    uint32_t *place = NULL;
    lg_status status = lg__places_walk(analysis, monitor, &places, &place, err);
    if (status != LG_OK)
        return status;
    size_t size =
        ((size_t)analysis->graph->columns.node_count + 1) * sizeof *place;
    uint32_t *copy = malloc(size);
    if (copy != NULL)
        memcpy(copy, place, size);
    lg__places_of_free(place, analysis);
    if (copy == NULL) {
        lg_places_free(places);
        return lg__error_memory(err);
    }
    *out = places;
    *place_of = copy;
    return LG_OK;
}

lg_status
lg_places_new(const lg_analysis *analysis, const lg_monitor *monitor,
              lg_places **out, lg_error *err)
{
    uint32_t *place_of = NULL;
    lg_status status = find_places(analysis, monitor, out, &place_of, err);
    if (status == LG_OK)
        lg__places_of_free(place_of, analysis);
    return status;
}
