// Which of the merged paths are worth a line: the biggest. What is above an
// item is no smaller, and so is shown before it.
#include "paths/paths_private.h"
#include "graph/graph_private.h"

#include <stdlib.h>

// What is shown of a long way without branches.
enum { HEAD = 8, TAIL = 6 };

typedef struct pruning {
    const lg_merged_paths *paths;
    lg__pruned out;
    uint32_t *order; // [count] biggest first
    uint32_t *above; // [count] steps up and down to where the way branches
    uint32_t *below;
} pruning;

// Whatever is above an item comes before it.
static int
biggest_first(const void *left, const void *right, void *context)
{
    const lg_merged_paths *paths = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    const lg_merged *one = &paths->items[a];
    const lg_merged *other = &paths->items[b];
    uint64_t more = one->bytes.host + one->bytes.device;
    uint64_t less = other->bytes.host + other->bytes.device;
    if (more != less)
        return more > less ? -1 : 1;
    if (one->targets != other->targets)
        return one->targets > other->targets ? -1 : 1;
    return a < b ? -1 : a > b;
}

// Items stand parents first, so that what is below one follows it.
static void
find_ends(pruning *state)
{
    uint32_t *end = state->out.end;
    uint32_t count = (uint32_t)state->paths->count;
    for (uint32_t i = 0; i < count; i++)
        end[i] = i + 1;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t parent = state->paths->items[i].parent;
        if (parent != LG_NONE && end[parent] < end[i])
            end[parent] = end[i];
    }
}

static bool
has_one_child(const pruning *state, uint32_t item)
{
    const uint32_t *end = state->out.end;
    return end[item] > item + 1 && end[item + 1] == end[item];
}

static void
measure_ways(pruning *state)
{
    uint32_t count = (uint32_t)state->paths->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = state->paths->items[i].parent;
        state->above[i] = parent != LG_NONE && has_one_child(state, parent)
                              ? state->above[parent] + 1
                              : 0;
    }
    for (uint32_t i = count; i-- > 0;)
        state->below[i] = has_one_child(state, i) ? state->below[i + 1] + 1 : 0;
}

static bool
is_passed(const pruning *state, uint32_t item)
{
    uint32_t above = state->above[item];
    uint32_t below = state->below[item];
    return above >= HEAD && below >= TAIL && above + below > HEAD + TAIL;
}

static void
choose(pruning *state, size_t limit)
{
    size_t count = state->paths->count;
    for (uint32_t i = 0; i < count; i++)
        state->order[i] = i;
    qsort_r(state->order, count, sizeof *state->order, biggest_first,
            (void *)(uintptr_t)state->paths);
    for (size_t i = 0; i < count && state->out.shown < limit; i++) {
        uint32_t item = state->order[i];
        bool passed = is_passed(state, item);
        state->out.state[item] = passed ? LG__PRUNE_PASSED : LG__PRUNE_SHOWN;
        state->out.shown += !passed;
    }
}

static void
show_all(pruning *state)
{
    state->out.shown = state->paths->count;
    for (size_t i = 0; i < state->paths->count; i++)
        state->out.state[i] = LG__PRUNE_SHOWN;
}

lg_status
lg__paths_prune(const lg_merged_paths *paths, size_t limit, lg__pruned *out,
                lg_error *err)
{
    size_t room = paths->count + 1;
    pruning state = {
        .paths = paths,
        .out = {malloc(room * sizeof(uint32_t)), calloc(room, 1), 0},
        .order = malloc(room * sizeof(uint32_t)),
        .above = malloc(room * sizeof(uint32_t)),
        .below = malloc(room * sizeof(uint32_t)),
    };
    bool enough = state.out.end && state.out.state && state.order &&
                  state.above && state.below;
    if (enough) {
        find_ends(&state);
        measure_ways(&state);
        if (limit > 0)
            choose(&state, limit);
        else
            show_all(&state);
    }
    free(state.order);
    free(state.above);
    free(state.below);
    *out = state.out;
    return enough ? LG_OK : lg__error_memory(err);
}

void
lg__pruned_free(lg__pruned *pruned)
{
    free(pruned->end);
    free(pruned->state);
    *pruned = (lg__pruned){0};
}
