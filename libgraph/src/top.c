// Who retains the most.
#include "top.h"

#include <stdlib.h>
#include <string.h>

// A node that passes on this much of what it retains to one other gathers
// nothing itself.
enum { PASSED_ON_PERCENT = 80 };

typedef struct ranking {
    const lg_analysis *analysis;
    const lg__fold *folds;
    lg__gathered heap; // the biggest on top
    lg__gathered below;
} ranking;

static bool
is_bigger(const ranking *state, uint32_t a, uint32_t b)
{
    uint64_t left = lg__freed_by(state->analysis, a);
    uint64_t right = lg__freed_by(state->analysis, b);
    return left != right ? left > right : a < b;
}

static bool
push(ranking *state, uint32_t node)
{
    lg__gathered *heap = &state->heap;
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
        uint64_t bytes = lg__freed_by(analysis, state->below.items[i]);
        most = bytes > most ? bytes : most;
    }
    if (!is_place(analysis->graph, node))
        gathers = most / PASSED_ON_PERCENT < lg__freed_by(analysis, node) / 100;
    for (size_t i = 0; i < state->below.count && !gathers && *going; i++)
        *going = push(state, state->below.items[i]);
    state->below.count = 0;
    return gathers;
}

lg_status
lg__top_objects(const lg_analysis *analysis, size_t limit, lg__gathered *out,
                lg_error *err)
{
    ranking state = {.analysis = analysis,
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
    lg__top_group *groups;
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
    group->size += lg_node_size(state->analysis->graph, node);
    if (state->open[group_of(state, node)]++ == 0)
        group->bound += lg__retained_by(state->analysis, node);
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
by_retained(const void *left, const void *right)
{
    const lg__top_group *a = left;
    const lg__top_group *b = right;
    uint64_t more = a->retained.host + a->retained.device;
    uint64_t less = b->retained.host + b->retained.device;
    if (more != less)
        return more > less ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

static lg_status
weigh(const grouping *state, lg__top_group *group, const lg_monitor *monitor,
      lg_error *err)
{
    uint32_t nodes = state->analysis->graph->columns.node_count;
    uint32_t *members = malloc((group->count + 1) * sizeof *members);
    if (members == NULL)
        return lg__error_memory(err);
    size_t count = 0;
    for (uint32_t node = 0; node < nodes; node++)
        if (group_of(state, node) == group->group)
            members[count++] = node;
    lg_status status = lg_nodes_retained(state->analysis, members, count,
                                         monitor, &group->retained, err);
    free(members);
    return status;
}

lg_status
lg__top_groups(const lg_analysis *analysis, const uint32_t *group_of_type,
               uint32_t group_count, size_t limit, const lg_monitor *monitor,
               lg__top_group **out, size_t *count, lg_error *err)
{
    size_t nodes = analysis->graph->columns.node_count;
    grouping state = {
        .analysis = analysis,
        .group_of = group_of_type,
        .groups = calloc((size_t)group_count + 1, sizeof(lg__top_group)),
        .open = calloc((size_t)group_count + 1, sizeof(uint32_t)),
        .cursor = malloc((nodes + 2) * sizeof(uint32_t)),
    };
    lg_status status = LG_OK;
    size_t filled = 0;
    if (!state.groups || !state.open || !state.cursor) {
        status = lg__error_memory(err);
        goto done;
    }
    for (uint32_t i = 0; i < group_count; i++)
        state.groups[i].group = i;
    walk(&state, (uint32_t)nodes);
    walk(&state, (uint32_t)nodes + 1);
    qsort(state.groups, group_count, sizeof *state.groups, by_bound);
    while (filled < group_count && filled < limit && status == LG_OK &&
           state.groups[filled].count > 0)
        status = weigh(&state, &state.groups[filled++], monitor, err);
    if (status != LG_OK)
        goto done;
    qsort(state.groups, filled, sizeof *state.groups, by_retained);
    *out = state.groups;
    *count = filled;
    state.groups = NULL;

done:
    free(state.groups);
    free(state.open);
    free(state.cursor);
    return status;
}
