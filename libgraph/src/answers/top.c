// Who retains the most.
#include "analysis/analysis_private.h"
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>

// A node that passes on this much of what it retains to one other gathers
// nothing itself.
enum { PASSED_ON_PERCENT = 80 };

typedef struct ranking {
    const lg_analysis *analysis;
    uint32_t device;
    const lg__fold *folds;
    lg__gathered heap; // the biggest on top
    lg__gathered below;
} ranking;

uint64_t
lg__top_weight(const lg_analysis *analysis, uint32_t node, uint32_t device)
{
    return device == LG_NONE ? lg__freed_by(analysis, node)
                             : lg_node_retained_on(analysis, node, device);
}

static uint64_t
weight(const ranking *state, uint32_t node)
{
    return lg__top_weight(state->analysis, node, state->device);
}

static bool
is_bigger(const ranking *state, uint32_t a, uint32_t b)
{
    uint64_t left = weight(state, a);
    uint64_t right = weight(state, b);
    return left != right ? left > right : a < b;
}

static bool
push(ranking *state, uint32_t node)
{
    lg__gathered *heap = &state->heap;
    if (weight(state, node) == 0)
        return true;
    if (!lg__gather_append(heap, node))
        return false;
    size_t at = heap->count - 1;
    for (; at > 0 && is_bigger(state, node, heap->items[(at - 1) / 2]);
         at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = node;
    return true;
}

static uint32_t
pop(ranking *state)
{
    uint32_t *items = state->heap.items;
    uint32_t top = items[0];
    uint32_t node = items[--state->heap.count];
    size_t at = 0;
    for (;;) {
        size_t next = 2 * at + 1;
        if (next >= state->heap.count)
            break;
        if (next + 1 < state->heap.count &&
            is_bigger(state, items[next + 1], items[next]))
            next++;
        if (!is_bigger(state, items[next], node))
            break;
        items[at] = items[next];
        at = next;
    }
    items[at] = node;
    return top;
}

static bool
push_below(ranking *state, uint32_t node)
{
    bool going = lg__gather_dominated(state->analysis, state->folds, node, 1,
                                      &state->below);
    for (size_t i = 0; i < state->below.count && going; i++)
        going = push(state, state->below.items[i]);
    state->below.count = 0;
    return going;
}

// Modules, threads and frames are places, not objects that somebody made. A
// generator is a frame that somebody made.
static bool
is_place(const lg_graph *graph, uint32_t node)
{
    lg_category category = lg__node_category(graph, node);
    return category == LG_CATEGORY_MODULE || category == LG_CATEGORY_ROOT ||
           (category == LG_CATEGORY_FRAME &&
            lg__node_role(graph, node) != LG__ROLE_SUSPENDED);
}

// Whether the node stands for itself; if not, what is below it is pushed.
static bool
is_gatherer(ranking *state, uint32_t node, bool *going)
{
    const lg_analysis *analysis = state->analysis;
    uint64_t most = 0;
    bool gathers = false;
    *going =
        lg__gather_dominated(analysis, state->folds, node, 1, &state->below);
    for (size_t i = 0; i < state->below.count; i++) {
        uint64_t bytes = weight(state, state->below.items[i]);
        most = bytes > most ? bytes : most;
    }
    if (!is_place(analysis->graph, node))
        gathers = most / PASSED_ON_PERCENT < weight(state, node) / 100;
    for (size_t i = 0; i < state->below.count && !gathers && *going; i++)
        *going = push(state, state->below.items[i]);
    state->below.count = 0;
    return gathers;
}

lg_status
lg__top_objects(const lg_analysis *analysis, uint32_t device, size_t limit,
                lg__gathered *out, lg_error *err)
{
    ranking state = {.analysis = analysis,
                     .device = device,
                     .folds = lg__graph_folds(analysis->graph)};
    lg__gathered found = {0};
    bool going = state.folds != NULL && push_below(&state, LG_NONE) &&
                 push_below(&state, analysis->graph->columns.node_count + 1);
    while (going && state.heap.count > 0 && found.count < limit) {
        uint32_t node = pop(&state);
        if (is_gatherer(&state, node, &going) && going)
            going = lg__gather_append(&found, node);
    }
    free(state.heap.items);
    free(state.below.items);
    if (!going) {
        free(found.items);
        return lg__error_memory(err);
    }
    *out = found;
    return LG_OK;
}

typedef struct grouping {
    const lg_analysis *analysis;
    const uint32_t *group_of;
    uint32_t device;
    lg__top_group *groups;
    size_t devices;   // and the host
    uint64_t *size;   // [group * devices] of members
    uint32_t *open;   // [group] members above the node that is walked
    uint32_t *cursor; // [node] its child to be walked next
} grouping;

static uint32_t
group_of(const grouping *state, uint32_t node)
{
    return state->group_of[state->analysis->graph->columns.type[node]];
}

static void
enter(grouping *state, uint32_t node)
{
    lg__top_group *group = &state->groups[group_of(state, node)];
    group->count++;
    state->size[(size_t)group_of(state, node) * state->devices +
                lg_node_device(state->analysis->graph, node)] +=
        lg_node_size(state->analysis->graph, node);
    if (state->open[group_of(state, node)]++ == 0)
        group->bound +=
            state->device == LG_NONE
                ? lg__retained_by(state->analysis, node)
                : lg__dominated_on(state->analysis, node, state->device);
    state->cursor[node] = state->analysis->first_child[node];
}

// Walks the dominator tree below one of its two roots. Retained bytes of a
// group's topmost members add up; others lie within theirs.
static void
walk(grouping *state, uint32_t root)
{
    const lg_analysis *analysis = state->analysis;
    uint32_t at = root;
    state->cursor[root] = analysis->first_child[root];
    for (;;) {
        if (state->cursor[at] < analysis->first_child[at + 1]) {
            at = analysis->child[state->cursor[at]++];
            enter(state, at);
        } else if (at == root) {
            return;
        } else {
            state->open[group_of(state, at)]--;
            at = analysis->dominator[at];
        }
    }
}

static int
by_bound(const void *left, const void *right)
{
    const lg__top_group *a = left;
    const lg__top_group *b = right;
    if (a->bound != b->bound)
        return a->bound > b->bound ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

static int
by_rank(const void *left, const void *right)
{
    const lg__top_group *a = left;
    const lg__top_group *b = right;
    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

// Up to so many groups at once.
enum { SIMD_LANES = 64 };

// Weighs a few groups, whose bytes lie one after the other.
static lg_status
weigh_some(const grouping *state, lg__top_group *groups, uint32_t count,
           uint32_t *lane_of, const lg_monitor *monitor, lg_error *err)
{
    const lg_graph *graph = state->analysis->graph;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        lane_of[type] = SIMD_LANES;
        for (uint32_t lane = 0; lane < count; lane++)
            if (state->group_of[type] == groups[lane].group)
                lane_of[type] = lane;
    }
    lg_status status = lg__groups_retained(state->analysis, lane_of, count,
                                           monitor, groups->retained, err);
    for (uint32_t lane = 0; lane < count && status == LG_OK; lane++)
        for (uint32_t device = 0; device <= graph->device_count; device++)
            if (state->device == LG_NONE || state->device == device)
                groups[lane].rank += groups[lane].retained[device];
    return status;
}

static lg_status
weigh(const grouping *state, lg__top_group *groups, size_t count,
      const lg_monitor *monitor, lg_error *err)
{
    const lg_graph *graph = state->analysis->graph;
    uint32_t *lane_of =
        malloc(((size_t)graph->type_count + 1) * sizeof *lane_of);
    lg_status status = lane_of ? LG_OK : lg__error_memory(err);
    for (size_t i = 0; i < count && status == LG_OK; i += SIMD_LANES) {
        uint32_t some =
            count - i < SIMD_LANES ? (uint32_t)(count - i) : SIMD_LANES;
        status =
            lg__monitor_goes_on(monitor, "weighing groups",
                                (double)i / (double)count, err)
                ? weigh_some(state, groups + i, some, lane_of, monitor, err)
                : LG_ECANCELLED;
    }
    free(lane_of);
    return status;
}

// The groups with the highest bounds, each weighed.
static lg_status
weigh_best(grouping *state, uint32_t group_count, size_t limit,
           const lg_monitor *monitor, lg__top_list *out, lg_error *err)
{
    size_t devices = state->devices;
    size_t count = 0;
    qsort(state->groups, group_count, sizeof *state->groups, by_bound);
    while (count < group_count && count < limit &&
           state->groups[count].count > 0)
        count++;
    out->bytes = malloc((count + 1) * 2 * devices * sizeof *out->bytes);
    if (out->bytes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++) {
        lg__top_group *group = &state->groups[i];
        group->retained = out->bytes + i * devices;
        group->size = out->bytes + (count + i) * devices;
        memcpy(group->size, state->size + group->group * devices,
               devices * sizeof *group->size);
    }
    lg_status status = weigh(state, state->groups, count, monitor, err);
    qsort(state->groups, count, sizeof *state->groups, by_rank);
    while (count > 0 && state->device != LG_NONE &&
           state->groups[count - 1].rank == 0)
        count--;
    out->count = count;
    return status;
}

lg_status
lg__top_groups(const lg_analysis *analysis, const uint32_t *group_of_type,
               uint32_t group_count, uint32_t device, size_t limit,
               const lg_monitor *monitor, lg__top_list *out, lg_error *err)
{
    size_t nodes = analysis->graph->columns.node_count;
    size_t devices = (size_t)analysis->graph->device_count + 1;
    grouping state = {
        .analysis = analysis,
        .group_of = group_of_type,
        .device = device,
        .groups = calloc((size_t)group_count + 1, sizeof(lg__top_group)),
        .devices = devices,
        .size = calloc(((size_t)group_count + 1) * devices, sizeof(uint64_t)),
        .open = calloc((size_t)group_count + 1, sizeof(uint32_t)),
        .cursor = malloc((nodes + 2) * sizeof(uint32_t)),
    };
    lg__top_list list = {.items = state.groups};
    lg_status status = LG_OK;
    if (!state.groups || !state.size || !state.open || !state.cursor) {
        status = lg__error_memory(err);
        goto done;
    }
    for (uint32_t i = 0; i < group_count; i++)
        state.groups[i].group = i;
    walk(&state, (uint32_t)nodes);
    walk(&state, (uint32_t)nodes + 1);
    status = weigh_best(&state, group_count, limit, monitor, &list, err);
    if (status != LG_OK)
        goto done;
    *out = list;
    list = (lg__top_list){0};

done:
    lg__top_list_free(&list);
    free(state.size);
    free(state.open);
    free(state.cursor);
    return status;
}

void
lg__top_list_free(lg__top_list *list)
{
    free(list->items);
    free(list->bytes);
    *list = (lg__top_list){0};
}
