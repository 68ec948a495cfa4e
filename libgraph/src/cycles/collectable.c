// Finds what CPython's collector would free: runs deduce_unreachable() of
// Modules/gcmodule.c (3.9 to 3.12) and Python/gc.c (3.13) on the snapshot.
//
// The collector visits tracked objects that are not frozen. From each reference
// count it subtracts the references that tp_traverse reports from such objects.
// An object with a positive rest has other referrers, so it and everything that
// it leads to is alive. The others are garbage.
//
// What marked nodes lead to: the capture numbers nodes as it meets them, so
// most edges lead to higher numbers, and one pass in order of nodes reads the
// edges in sequence. Nodes that edges lead back to wait on a stack. Whether a
// target is new is as good as random, so the code does not branch on it.
#include "cycles/cycles_private.h"

#include <stdlib.h>
#include <string.h>

// This many nodes are passed together if all of them are reached, because most
// have few edges.
enum { TOGETHER = 8 };

typedef struct reaching {
    const lg_columns *columns;
    unsigned mask, value;
    uint8_t *state;
    uint32_t *behind; // nodes reached after the pass, each once
    uint32_t behind_count;
} reaching;

// Follows a range of edges. `at` is the node that the pass has come to. Stores
// each target, and counts it only if it is new and lies before `at`. A node
// becomes new once, so at most node_count of them are ever counted, and the
// store that does not count needs the one place more.
static inline void
reach_by(reaching *to, uint64_t edge, uint64_t end, uint32_t at)
{
    const lg_edge_targets targets = to->columns->target;
    const lg_edge_kinds kinds = to->columns->kind;
    uint8_t *state = to->state;
    uint32_t *behind = to->behind;
    uint32_t count = to->behind_count;
    unsigned mask = to->mask, value = to->value;
    for (; edge < end; edge++) {
        uint32_t target = lg_edge_targets_at(&targets, edge);
        uint8_t known = state[target];
        unsigned is_new = (known == 0) &
                          ((lg_edge_kinds_at(&kinds, edge) & mask) == value) &
                          LG__REACHED;
        state[target] = (uint8_t)(known | is_new);
        behind[count] = target;
        count += is_new & (target < at);
    }
    to->behind_count = count;
}

static void
follow_back(reaching *to, uint32_t at)
{
    const lg_columns *columns = to->columns;
    while (to->behind_count > 0) {
        uint32_t node = to->behind[--to->behind_count];
        reach_by(to, lg_columns_first_edge(columns, node),
                 lg_columns_first_edge(columns, node + 1), at);
    }
}

// Returns how many reached nodes from `at` on can be passed together.
static uint32_t
count_together(const reaching *to, uint32_t at)
{
    static const uint8_t all[TOGETHER] = {LG__REACHED, LG__REACHED, LG__REACHED,
                                          LG__REACHED, LG__REACHED, LG__REACHED,
                                          LG__REACHED, LG__REACHED};
    if (to->columns->node_count - at >= TOGETHER &&
        memcmp(to->state + at, all, TOGETHER) == 0)
        return TOGETHER;
    return 1;
}

// When the pass comes to a node, all edges of the reached nodes before it have
// been followed: a target ahead waits for the pass, and one behind goes onto
// the stack and is followed at once. Nodes that are passed together are all
// reached already, so an edge from one of them to another finds nothing new.
// Each edge of a reached node is read once.
bool
lg__reach(const lg_columns *columns, unsigned mask, unsigned value,
          uint8_t *state)
{
    size_t room = (size_t)columns->node_count + 1;
    reaching to = {
        columns, mask, value, state, lg__sparse_calloc(room, sizeof(uint32_t)),
        0};
    if (to.behind == NULL)
        return false;
    for (uint32_t at = 0, count; at < columns->node_count; at += count) {
        count = count_together(&to, at);
        if (state[at] != LG__REACHED)
            continue;
        reach_by(&to, lg_columns_first_edge(columns, at),
                 lg_columns_first_edge(columns, at + count), at);
        follow_back(&to, at);
    }
    lg__free(to.behind);
    return true;
}

enum {
    GARBAGE = 0, // until something proves it reachable
    REACHABLE = LG__REACHED,
    IGNORED = LG__BLOCKED,
};

// Of nearly all nodes, a byte has what the collector cannot explain.
enum {
    UNCOUNTED = UINT8_MAX - 1,
    LARGE = UINT8_MAX, // see the list of large numbers
};

typedef struct deduction {
    const lg_columns *columns;
    uint8_t *references; // gc_refs
    uint32_t *large;     // [node] few pages of it are written
    uint8_t *state;
} deduction;

static void
begin_references(deduction *state)
{
    const lg_columns *columns = state->columns;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        const uint32_t count = lg_columns_refcount(columns, node);
        uint8_t *references = &state->references[node];
        *references = (uint8_t)count;
        if (!lg__is_counted(columns, node)) {
            *references = UNCOUNTED;
        } else if (count >= UNCOUNTED) {
            *references = LARGE;
            state->large[node] = count;
        }
    }
}

static inline void
subtract_one(deduction *state, uint32_t node)
{
    const uint8_t left = state->references[node];
    if (left < UNCOUNTED)
        state->references[node] = (uint8_t)(left - (left > 0));
    else if (left == LARGE)
        state->large[node] -=
            state->large[node] > 0 && state->large[node] < UINT32_MAX;
}

enum { AHEAD = 16 }; // how many edges ahead to prefetch targets

static void
subtract_references(deduction *state)
{
    const lg_columns *columns = state->columns;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        if (!lg__is_visited(columns, node))
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            if (edge + AHEAD < columns->edge_count)
                __builtin_prefetch(&state->references[lg_columns_target(
                    columns, edge + AHEAD)]);
            if (lg_columns_kind(columns, edge) & LG_EDGE_TRAVERSED)
                subtract_one(state, lg_columns_target(columns, edge));
        }
    }
}

static bool
has_references(const deduction *state, uint32_t node)
{
    return state->references[node] == LARGE ? state->large[node] > 0
                                            : state->references[node] > 0;
}

static void
split(deduction *state)
{
    for (uint32_t node = 0; node < state->columns->node_count; node++)
        state->state[node] = !lg__is_visited(state->columns, node) ? IGNORED
                             : has_references(state, node)         ? REACHABLE
                                                                   : GARBAGE;
}

static lg_status
deduce(deduction *state, lg_error *err)
{
    if (state->references == NULL || state->large == NULL ||
        state->state == NULL)
        return lg__error_memory(err);
    begin_references(state);
    subtract_references(state);
    split(state);
    if (!lg__reach(state->columns, LG_EDGE_TRAVERSED, LG_EDGE_TRAVERSED,
                   state->state))
        return lg__error_memory(err);
    for (uint32_t node = 0; node < state->columns->node_count; node++)
        state->state[node] = state->state[node] == GARBAGE;
    return LG_OK;
}

lg_status
lg__graph_collectable(const lg_graph *graph, uint8_t **flags, lg_error *err)
{
    if (graph->partial)
        return lg_error_set(err, LG_EPARTIAL,
                            "what is collectable needs a whole snapshot, and "
                            "this one is partial");
    size_t nodes = (size_t)graph->columns.node_count + 1;
    deduction state = {
        .columns = &graph->columns,
        .references = lg__alloc(nodes),
        .large = lg__sparse_calloc(nodes, sizeof(uint32_t)),
        .state = lg__calloc(nodes, 1),
    };
    lg_status status = deduce(&state, err);
    lg__free(state.references);
    lg__free(state.large);
    if (status == LG_OK)
        *flags = state.state;
    else
        lg__free(state.state);
    return status;
}

// Copies the flags, so that free() frees them.
lg_status
lg_graph_collectable(const lg_graph *graph, uint8_t **flags, lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    uint8_t *found = NULL;
    lg_status status = lg__graph_collectable(graph, &found, err);
    if (status != LG_OK)
        return status;
    uint8_t *copy = malloc(nodes);
    if (copy != NULL)
        memcpy(copy, found, nodes);
    lg__free(found);
    if (copy == NULL)
        return lg__error_memory(err);
    *flags = copy;
    return LG_OK;
}

const char *
lg_cycle_kind_name(lg_cycle_kind kind)
{
    static const char *const names[] = {"collectable", "held", "uncollectable"};
    size_t index = (size_t)kind;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}
