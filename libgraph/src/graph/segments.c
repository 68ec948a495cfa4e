// The segments and blocks of devices' allocators.
#include "graph/check.h"

static lg_status
check_segments(const lg_graph *graph, lg_error *err)
{
    for (uint32_t i = 0; i < graph->segment_count; i++) {
        const lg_segment *at = &graph->segment[i];
        if (at->device == 0 || at->device > graph->device_count ||
            at->kind >= graph->string_count ||
            at->pool >= graph->string_count || at->expandable > 1 ||
            at->size > UINT64_MAX - at->address)
            return lg__check_failed(err, "a segment", i);
        if (i > 0 &&
            (at->device < at[-1].device ||
             (at->device == at[-1].device && at->address < at[-1].address)))
            return lg__check_failed(err, "a segment", i);
    }
    return LG_OK;
}

lg_status
lg__check_blocks(const lg_graph *graph, lg_error *err)
{
    lg_status status = check_segments(graph, err);
    if (status != LG_OK)
        return status;
    for (uint32_t i = 0; i < graph->block_count; i++) {
        const lg_block *at = &graph->block[i];
        if (at->segment >= graph->segment_count ||
            at->state > LG_BLOCK_STRANGE || at->frames >= graph->string_count ||
            at->in_flux > 1 || at->size > UINT64_MAX - at->address)
            return lg__check_failed(err, "a block", i);
        if (i > 0 &&
            (at->segment < at[-1].segment ||
             (at->segment == at[-1].segment && at->address < at[-1].address)))
            return lg__check_failed(err, "a block", i);
    }
    return LG_OK;
}

const lg_segment *
lg_graph_segments(const lg_graph *graph, size_t *count)
{
    *count = graph->segment_count;
    return graph->segment;
}

const lg_block *
lg_graph_blocks(const lg_graph *graph, size_t *count)
{
    *count = graph->block_count;
    return graph->block;
}
