// Chooses which of the merged paths get a row: the biggest. An item above
// another is at least as big, so it gets its row first, and whatever is shown
// has all that is above it. A lower limit shows no item that a
// higher one does not, so it can fall until the rows fit.
#include "paths/merged_tree.h"
#include "graph/graph_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct pruning {
    const lg__merged_tree *paths;
    const lg__pruning *options;
    lg__pruned out;
    uint32_t *order; // [count] biggest first
    uint32_t *above; // [count] steps up and down to the next branch
    uint32_t *below;
} pruning;

// Compares by size. An item above another comes before it.
static int
biggest_first(const void *left, const void *right, void *context)
{
    const lg__merged_tree *paths = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    const lg__merged *one = &paths->items[a];
    const lg__merged *other = &paths->items[b];
    if (one->total != other->total)
        return one->total > other->total ? -1 : 1;
    if (one->targets != other->targets)
        return one->targets > other->targets ? -1 : 1;
    return a < b ? -1 : a > b;
}

// Finds the end of each item's descendants, which follow it because parents
// come first.
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

// Counts, for each item on a path without branches, the steps to its two ends.
// Items come after their parents, so one pass forward counts from above, and
// one backward from below.
static void
measure_paths(pruning *state)
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

// Returns whether the item is in the middle of a long path, and not the only
// one to leave out.
static bool
is_passed(const pruning *state, uint32_t item)
{
    uint32_t above = state->above[item];
    uint32_t below = state->below[item];
    uint32_t head = state->options->head;
    uint32_t tail = state->options->tail;
    return head + tail > 0 && above >= head && below >= tail &&
           above + below > head + tail;
}

static bool
is_slight(const pruning *state, const lg__merged *item)
{
    return item->total < state->options->min_bytes &&
           item->targets < state->options->min_targets;
}

// Goes from the biggest item down, so whatever is chosen has all items above it
// chosen or passed already.
static void
choose(pruning *state, size_t limit)
{
    size_t count = state->paths->count;
    size_t shown = 0;
    memset(state->out.state, LG__PRUNE_FOLDED, count);
    for (size_t i = 0; i < count && shown < limit; i++) {
        uint32_t item = state->order[i];
        bool passed = is_passed(state, item);
        if (is_slight(state, &state->paths->items[item]))
            continue;
        state->out.state[item] = passed ? LG__PRUNE_PASSED : LG__PRUNE_SHOWN;
        shown += !passed;
    }
}

static size_t
count_rows(const pruning *state)
{
    size_t count = 0;
    for (uint32_t at = 0; at < state->paths->count;
         at = lg__pruned_next(state->paths, &state->out, at))
        count++;
    return count;
}

static void
choose_most(pruning *state)
{
    size_t count = state->paths->count;
    size_t most = state->options->most > 0 ? state->options->most : SIZE_MAX;
    size_t limit = state->options->limit > 0 ? state->options->limit : count;
    size_t rows;
    for (uint32_t i = 0; i < count; i++)
        state->order[i] = i;
    qsort_r(state->order, count, sizeof *state->order, biggest_first,
            (void *)(uintptr_t)state->paths);
    choose(state, limit);
    limit = limit < most ? limit : most;
    while ((rows = count_rows(state)) > most && limit > 1) {
        size_t fewer = (rows - most + 1) / 2;
        limit = fewer < limit ? limit - fewer : 1;
        choose(state, limit);
    }
}

lg_status
lg__paths_prune(const lg__merged_tree *tree, const lg__pruning *options,
                lg__pruned *out, lg_error *err)
{
    size_t room = tree->count + 1;
    pruning state = {
        .paths = tree,
        .options = options,
        .out = {lg__alloc(room * sizeof(uint32_t)), lg__calloc(room, 1)},
        .order = lg__alloc(room * sizeof(uint32_t)),
        .above = lg__alloc(room * sizeof(uint32_t)),
        .below = lg__alloc(room * sizeof(uint32_t)),
    };
    bool enough = state.out.end && state.out.state && state.order &&
                  state.above && state.below;
    if (enough) {
        find_ends(&state);
        measure_paths(&state);
        choose_most(&state);
    }
    lg__free(state.order);
    lg__free(state.above);
    lg__free(state.below);
    *out = state.out;
    return enough ? LG_OK : lg__error_memory(err);
}

static uint32_t
end_of_siblings(const lg__merged_tree *tree, const lg__pruned *pruned,
                uint32_t item)
{
    uint32_t parent = tree->items[item].parent;
    return parent == LG_NONE ? (uint32_t)tree->count : pruned->end[parent];
}

// Returns whether only one leaf would be left out: its own row says more than a
// row that counts it.
static bool
is_last_leaf(const lg__merged_tree *tree, const lg__pruned *pruned,
             uint32_t item)
{
    return pruned->end[item] == item + 1 &&
           end_of_siblings(tree, pruned, item) == item + 1;
}

uint8_t
lg__pruned_state(const lg__merged_tree *tree, const lg__pruned *pruned,
                 uint32_t item)
{
    uint8_t state = pruned->state[item];
    return state == LG__PRUNE_FOLDED && is_last_leaf(tree, pruned, item)
               ? LG__PRUNE_SHOWN
               : state;
}

uint32_t
lg__pruned_next(const lg__merged_tree *tree, const lg__pruned *pruned,
                uint32_t item)
{
    uint32_t end = item + 1;
    switch (lg__pruned_state(tree, pruned, item)) {
    case LG__PRUNE_FOLDED:
        return end_of_siblings(tree, pruned, item);
    case LG__PRUNE_PASSED:
        while (end < tree->count && pruned->state[end] == LG__PRUNE_PASSED &&
               tree->items[end].parent == end - 1)
            end++;
        return end;
    default:
        return end;
    }
}

void
lg__pruned_free(lg__pruned *pruned)
{
    lg__free(pruned->end);
    lg__free(pruned->state);
    *pruned = (lg__pruned){0};
}
