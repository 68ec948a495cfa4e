// The dominator tree as people see it: what is folded away is seen through.
#include "gather.h"

#include <stdlib.h>

bool
lg__gather_append(lg__gathered *to, uint32_t node)
{
    if (to->count == to->capacity) {
        size_t capacity = to->capacity ? to->capacity * 2 : 64;
        uint32_t *items = realloc(to->items, capacity * sizeof *items);
        if (items == NULL)
            return false;
        to->items = items;
        to->capacity = capacity;
    }
    to->items[to->count++] = node;
    return true;
}

bool
lg__gather_dominated(const lg_analysis *analysis, const lg__fold *folds,
                     uint32_t node, uint64_t least, lg__gathered *out)
{
    uint32_t root = analysis->graph->columns.node_count;
    lg__gathered folded = {0};
    uint32_t at = node == LG_NONE ? root : node;
    bool going = true;
    for (;;) {
        for (uint32_t i = analysis->first_child[at];
             i < analysis->first_child[at + 1] && going; i++) {
            uint32_t child = analysis->child[i];
            if (lg__retained_by(analysis, child) < least)
                continue;
            bool inside = folds[child].owner != LG_NONE;
            going = lg__gather_append(inside ? &folded : out, child);
        }
        if (!going || folded.count == 0)
            break;
        at = folded.items[--folded.count];
    }
    free(folded.items);
    return going;
}
