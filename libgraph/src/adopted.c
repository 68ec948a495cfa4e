// What knots dominate as a whole: found when they are contracted, kept because
// the dominator tree alone does not say it.
#include "retained.h"

#include <stdlib.h>

bool
lg__adopted_add(lg_analysis *analysis, uint32_t node, uint32_t by)
{
    lg_allocator allocator = lg_allocator_default();
    lg__adoption *entry = lg__vector_extend(&allocator, &analysis->adopted, 1);
    if (entry == NULL)
        return false;
    *entry = (lg__adoption){node, by};
    return true;
}

static int
compare(const void *left, const void *right)
{
    const lg__adoption *a = left;
    const lg__adoption *b = right;
    return a->node < b->node ? -1 : a->node > b->node;
}

void
lg__adopted_sort(lg_analysis *analysis)
{
    if (analysis->adopted.count > 0)
        qsort(analysis->adopted.data, analysis->adopted.count,
              sizeof(lg__adoption), compare);
}

uint32_t
lg__adopted_find(const lg_analysis *analysis, uint32_t node)
{
    const lg__adoption key = {node, 0};
    const lg__adoption *found =
        analysis->adopted.count == 0
            ? NULL
            : bsearch(&key, analysis->adopted.data, analysis->adopted.count,
                      sizeof key, compare);
    return found == NULL ? LG_NONE : found->by;
}
