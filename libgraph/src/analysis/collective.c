// What knots dominate as a whole: found when they are contracted, kept because
// the dominator tree alone does not say it.
#include "analysis/analysis_private.h"

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

static int
by_knot(const void *left, const void *right)
{
    const lg__adopted *a = left;
    const lg__adopted *b = right;
    if (a->knot != b->knot)
        return a->knot < b->knot ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

lg_status
lg__adopted_index(lg_analysis *analysis, lg_error *err)
{
    size_t count = analysis->adopted.count;
    const lg__adoption *entries = analysis->adopted.data;
    lg__adopted *index = malloc((count + 1) * sizeof *index);
    if (index == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        index[i] = (lg__adopted){lg_node_knot(analysis, entries[i].by),
                                 entries[i].node};
    qsort(index, count, sizeof *index, by_knot);
    analysis->adopted_by = index;
    return LG_OK;
}

const lg__adopted *
lg__adopted_list(const lg_analysis *analysis, uint32_t knot, size_t *count)
{
    const lg__adopted *index = analysis->adopted_by;
    size_t end = analysis->adopted.count;
    size_t low = 0;
    size_t high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index[middle].knot < knot)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < end && index[low + *count].knot == knot)
        ++*count;
    return index + low;
}
