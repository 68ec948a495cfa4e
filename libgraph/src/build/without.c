// A graph without some of its references.
#include "build/build_private.h"

#include <string.h>

// Shares the arrays of the graph, except two, which the copy owns.
static void
borrow(const lg_graph *graph, lg_graph *copy, uint8_t *kinds, lg__trait *traits)
{
    lg_allocator allocator = copy->allocator;
    lg__lazy *lazy = copy->lazy;
    *copy = *graph;
    copy->allocator = allocator;
    copy->lazy = lazy;
    copy->whole = graph;
    copy->map = NULL;
    copy->checksum = 0;
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++)
        copy->array[i].owned = NULL;
    memset(copy->beside, 0, sizeof copy->beside);
    lg__array *array = &copy->array[LG__EDGE_KIND];
    array->data = array->owned = kinds;
    array->owned_size = (size_t)graph->columns.edge_count + 1;
    copy->columns.edge_kind = kinds;
    copy->type_trait = traits;
}

lg_status
lg__graph_without(const lg_graph *graph, const uint64_t *edges, size_t count,
                  lg_graph **out, lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    lg_graph *copy;
    lg_status status = lg__graph_new(&allocator, &copy, err);
    if (status != LG_OK)
        return status;
    size_t size = (size_t)graph->columns.edge_count;
    size_t types = graph->type_count * sizeof(lg__trait);
    uint8_t *kinds = lg__allocate(&copy->allocator, size + 1);
    lg__trait *traits = lg__allocate(&copy->allocator, types);
    if (kinds == NULL || traits == NULL) {
        lg__deallocate(&copy->allocator, kinds, size + 1);
        lg__deallocate(&copy->allocator, traits, types);
        lg_graph_free(copy);
        return lg__error_memory(err);
    }
    if (size > 0)
        memcpy(kinds, graph->columns.edge_kind, size);
    memcpy(traits, graph->type_trait, types);
    for (size_t i = 0; i < count; i++)
        kinds[edges[i]] |= LG_EDGE_WEAK;
    borrow(graph, copy, kinds, traits);
    *out = copy;
    return LG_OK;
}
