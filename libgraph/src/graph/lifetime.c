// Makes and frees graphs.
#include "graph/graph_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

lg_status
lg__graph_new(const lg_allocator *allocator, lg_graph **out, lg_error *err)
{
    lg_graph *graph = lg__allocate(allocator, sizeof *graph);
    lg__lazy *lazy = lg__allocate(allocator, sizeof *lazy);
    if (graph == NULL || lazy == NULL)
        goto fail;
    memset(lazy, 0, sizeof *lazy);
    memset(graph, 0, sizeof *graph);
    graph->allocator = *allocator;
    graph->lazy = lazy;
    *out = graph;
    return LG_OK;

fail:
    lg__deallocate(allocator, lazy, sizeof *lazy);
    lg__deallocate(allocator, graph, sizeof *graph);
    lg__allocator_release(allocator);
    return lg__error_memory(err);
}

static void
free_lazy(lg_graph *graph)
{
    const lg_allocator *allocator = &graph->allocator;
    const lg_allocator own = lg_allocator_default();
    lg__lazy *lazy = graph->lazy;
    size_t nodes = graph->columns.node_count;
    if (lazy->has_reverse)
        lg__reverse_free(&graph->columns, allocator, &lazy->reverse);
    if (lazy->has_paths) {
        lg__compact_free(&own, &lazy->path_before);
        lg__free(lazy->path_root);
    }
    if (lazy->has_late)
        lg__free(lazy->late);
    if (lazy->has_folds) {
        lg__deallocate(allocator, lazy->folds.marked,
                       lg__marked_blocks(graph->columns.node_count) *
                           sizeof *lazy->folds.marked);
        lg__vector_free(allocator, &lazy->folds.items);
        lg__vector_free(allocator, &lazy->buffers);
        lg__deallocate(allocator, lazy->frozen, graph->type_count);
    }
    if (lazy->has_by_address)
        lg__deallocate(allocator, lazy->by_address, nodes * sizeof(uint32_t));
    lg__deallocate(allocator, lazy, sizeof *lazy);
}

void
lg_graph_free(lg_graph *graph)
{
    if (graph == NULL)
        return;
    lg_allocator allocator = graph->allocator;
    lg__texts_free(graph);
    free_lazy(graph);
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++)
        lg__deallocate(&allocator, graph->array[i].owned,
                       graph->array[i].owned_size);
    for (size_t i = 0; i < LG_NARROW_COUNT; i++)
        lg__deallocate(&allocator, graph->beside[i].owned,
                       graph->beside[i].owned_size);
    lg__deallocate(&allocator, graph->type_trait,
                   graph->type_count * sizeof(lg__trait));
    if (graph->map != NULL)
        munmap(graph->map, graph->map_size);
    lg__deallocate(&allocator, graph, sizeof *graph);
    lg__allocator_release(&allocator);
}

// Replaces the payloads of a graph that owns them by what differs from the
// patterns of types. Any numbers do. Returns false when memory ran out; the
// column is whole then.
static bool
make_payloads(lg_graph *graph)
{
    const lg__array wide = graph->array[LG__EDGE_PAYLOAD];
    const lg_allocator *allocator = &graph->allocator;
    const lg__payload_changes none = {.late_count = 0};
    lg__payload_coder coder;
    lg__payload_arrays made;
    if (wide.owned == NULL || wide.owned != wide.data || wide.count < 2)
        return true;
    lg__payload_coder_open(&coder);
    if (!lg__payloads_code(allocator, &coder, &graph->columns, wide.data, 0,
                           graph->columns.node_count, NULL) ||
        !lg__payloads_complete(allocator, &coder, &graph->columns,
                               graph->type_count, &none, &made)) {
        lg__payload_coder_free(allocator, &coder);
        return false;
    }
    lg__deallocate(allocator, wide.owned, wide.owned_size);
    lg__payloads_give(graph, &made);
    return true;
}

lg_status
lg__graph_settle(lg_graph *graph, lg_error *err)
{
    lg__trait *traits =
        lg__allocate(&graph->allocator, graph->type_count * sizeof *traits);
    if (traits == NULL)
        return lg__error_memory(err);
    for (uint32_t type = 0; type < graph->type_count; type++) {
        traits[type] = lg__type_trait(graph, type);
        traits[type].parted =
            lg__parts_number(lg_graph_string(graph, graph->type_name[type]));
    }
    graph->type_trait = traits;
    lg_string partial = lg_graph_info_find(graph, "partial");
    graph->partial = partial.length > 0 && !lg__string_is(partial, "no");
    const bool enough = make_payloads(graph) && lg__shapes_make(graph) &&
                        lg__type_ids_shorten(graph) &&
                        lg__texts_shorten(graph) &&
                        lg__first_edges_shorten(graph);
    lg__edges_pack(graph);
    return enough ? LG_OK : lg__error_memory(err);
}
