// Marks what marked nodes lead to.
//
// The capture numbers nodes as it meets them, so most edges lead to higher
// numbers, and one pass in order of nodes reads the edges in sequence. Nodes
// that edges lead back to wait on a stack. Whether a target is new is as good
// as random, so the code does not branch on it.
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

// Follows a range of edges. `at` is the node that the pass has come to.
static inline void
reach_by(reaching *to, uint64_t edge, uint64_t end, uint32_t at)
{
    const uint32_t *targets = to->columns->edge_target;
    const uint8_t *kinds = to->columns->edge_kind;
    uint8_t *state = to->state;
    uint32_t *behind = to->behind;
    uint32_t count = to->behind_count;
    unsigned mask = to->mask, value = to->value;
    for (; edge < end; edge++) {
        uint32_t target = targets[edge];
        uint8_t known = state[target];
        unsigned is_new =
            (known == 0) & ((kinds[edge] & mask) == value) & LG__REACHED;
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
