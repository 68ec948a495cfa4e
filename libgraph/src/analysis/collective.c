// What components dominate collectively. Contracting the components finds it,
// and the analysis stores it, because the dominator tree does not contain it.
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>

#include <stdlib.h>

bool
lg__collective_add(lg_analysis *analysis, uint32_t node, uint32_t by)
{
    lg_allocator allocator = lg_allocator_default();
    lg__collective *entry =
        lg__vector_extend(&allocator, &analysis->collective, 1);
    if (entry == NULL)
        return false;
    *entry = (lg__collective){node, by};
    return true;
}

static int
compare(const void *left, const void *right)
{
    const lg__collective *a = left;
    const lg__collective *b = right;
    return a->node < b->node ? -1 : a->node > b->node;
}

void
lg__collective_sort(lg_analysis *analysis)
{
    if (analysis->collective.count > 0)
        qsort(analysis->collective.data, analysis->collective.count,
              sizeof(lg__collective), compare);
}

uint32_t
lg__collective_find(const lg_analysis *analysis, uint32_t node)
{
    const lg__collective key = {node, 0};
    const lg__collective *found =
        analysis->collective.count == 0
            ? NULL
            : bsearch(&key, analysis->collective.data,
                      analysis->collective.count, sizeof key, compare);
    return found == NULL ? LG_NONE : found->by;
}

static int
by_component(const void *left, const void *right)
{
    const lg__collective_of *a = left;
    const lg__collective_of *b = right;
    if (a->component != b->component)
        return a->component < b->component ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

lg_status
lg__collective_index(lg_analysis *analysis, lg_error *err)
{
    size_t count = analysis->collective.count;
    const lg__collective *entries = analysis->collective.data;
    lg__collective_of *index = lg__alloc((count + 1) * sizeof *index);
    if (index == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        index[i] = (lg__collective_of){
            lg_node_component(analysis, entries[i].by), entries[i].node};
    qsort(index, count, sizeof *index, by_component);
    analysis->collective_by = index;
    return LG_OK;
}

const lg__collective_of *
lg__collective_list(const lg_analysis *analysis, uint32_t component,
                    size_t *count)
{
    const lg__collective_of *index = analysis->collective_by;
    size_t end = analysis->collective.count;
    size_t low = 0;
    size_t high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index[middle].component < component)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < end && index[low + *count].component == component)
        ++*count;
    return index + low;
}
