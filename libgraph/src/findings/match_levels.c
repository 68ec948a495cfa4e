// Tells matches apart of which one keeps the holder of another.
//
// A loss in a list that a cached object keeps is two mistakes, the list and the
// cache, and either fix frees the loss. So such matches are weighed without
// each other.
#include "findings/context.h"

#include <stdlib.h>

// Counts the kept things that own a node or are the node, LG__LEVELS - 1 at
// most. Uses the known counts of its dominators. `known` is [node], 1 + the
// count.
static unsigned
count_owners(const lg__detection *detection, const uint8_t *is_kept,
             uint32_t node, uint8_t *known)
{
    unsigned count = 0;
    uint32_t top = node;
    while (top != LG_NONE && known[top] == 0) {
        count += is_kept[top];
        top = lg_node_dominator(detection->analysis, top);
    }
    count += top == LG_NONE ? 0 : known[top] - 1u;
    unsigned left = count;
    for (uint32_t at = node; at != top;
         at = lg_node_dominator(detection->analysis, at)) {
        known[at] =
            (uint8_t)(1 + (left < LG__LEVELS - 1 ? left : LG__LEVELS - 1));
        left -= is_kept[at];
    }
    return count < LG__LEVELS - 1 ? count : LG__LEVELS - 1;
}

static bool
keeps(const lg__match *match, uint32_t node)
{
    for (size_t i = 0; i < match->kept.count; i++)
        if (match->kept.items[i] == node)
            return true;
    return false;
}

bool
lg__match_levels(const lg__detection *detection, uint8_t *level)
{
    size_t nodes = (size_t)detection->graph->columns.node_count + 1;
    uint8_t *known = lg__wide_calloc(nodes, 1);
    uint8_t *is_kept = lg__wide_calloc(nodes, 1);
    for (size_t i = 0; i < detection->match_count && is_kept != NULL; i++)
        for (size_t j = 0; j < detection->matches[i].kept.count; j++)
            is_kept[detection->matches[i].kept.items[j]] = 1;
    for (size_t i = 0; i < detection->match_count && known && is_kept; i++) {
        uint32_t holder = detection->matches[i].holder;
        if (holder != LG_NONE && is_kept[holder] &&
            keeps(&detection->matches[i], holder))
            holder = lg_node_dominator(detection->analysis, holder);
        if (holder != LG_NONE)
            level[i] = (uint8_t)count_owners(detection, is_kept, holder, known);
    }
    bool enough = known != NULL && is_kept != NULL;
    lg__wide_free(known);
    lg__wide_free(is_kept);
    return enough;
}
