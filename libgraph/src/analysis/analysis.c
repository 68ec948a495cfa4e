// Makes an analysis, which also keeps what other rooms compute from it.
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/retained.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// What other rooms compute once from an analysis.

lg__cached *
lg__cached_of(const lg_analysis *analysis, lg__cache which)
{
    return atomic_load(&analysis->cached[which]);
}

static bool
cached_begin(lg_analysis *analysis)
{
    analysis->cached = lg__calloc(LG__CACHES, sizeof *analysis->cached);
    return analysis->cached != NULL;
}

static void
cached_end(lg_analysis *analysis)
{
    for (int i = 0; analysis->cached != NULL && i < LG__CACHES; i++) {
        lg__cached *cached = lg__cached_of(analysis, (lg__cache)i);
        if (cached != NULL)
            cached->free(cached);
    }
    lg__free(analysis->cached);
}

lg__cached *
lg__cached_keep(const lg_analysis *analysis, lg__cache which,
                lg__cached *cached)
{
    lg__cached *before = NULL;
    if (atomic_compare_exchange_strong(&analysis->cached[which], &before,
                                       cached))
        return cached;
    cached->free(cached);
    return before;
}

// Keeps the parents of the branches.
static void
take_dominators(lg_analysis *analysis, lg__dominator_builder *building)
{
    analysis->dominators = building->branches.parents;
    analysis->dominator = building->branches.parent;
    building->branches.parents = (lg__compact){.block = {.data = NULL}};
    lg__branches_free(&building->branches);
}

bool
lg__dominators_open(lg_analysis *analysis)
{
    const lg_allocator allocator = lg_allocator_default();
    analysis->dominator = lg__compact_open(
        &allocator, analysis->graph->columns.node_count, &analysis->dominators);
    return analysis->dominator != NULL;
}

void
lg__dominators_close(lg_analysis *analysis)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__compact_close(&allocator, &analysis->dominators,
                      analysis->graph->columns.node_count);
    analysis->dominator = NULL;
}

static lg_status
analyse(lg_analysis *analysis, const lg_monitor *monitor, lg_error *err)
{
    lg__dominator_builder building = {0};
    lg_status status =
        lg__policy_new(analysis->graph, NULL, &analysis->policy, err);
    if (status == LG_OK)
        status = lg__dominators_run(&building, analysis->graph,
                                    &analysis->policy, monitor, err);
    if (status == LG_OK)
        status = lg__components_relate(analysis, &building, err);
    if (status == LG_OK) {
        take_dominators(analysis, &building);
        status = lg__retained_sum(analysis, building.order, err);
    }
    if (status == LG_OK)
        status = lg__components_keep(analysis, &building, err);
    lg__dominators_free(&building);
    if (status == LG_OK)
        status = lg__retained_children(analysis, err);
    if (status == LG_OK)
        lg__dominators_close(analysis);
    return status == LG_OK ? lg__collective_index(analysis, err) : status;
}

lg_status
lg__analysis_begin(const lg_graph *graph, lg_analysis **out, lg_error *err)
{
    if (graph->partial)
        return lg_error_set(err, LG_EPARTIAL,
                            "the analysis needs a whole snapshot, and this one "
                            "is partial: take it without roots and max_depth");
    lg_analysis *analysis = lg__calloc(1, sizeof *analysis);
    if (analysis == NULL || !cached_begin(analysis)) {
        lg__free(analysis);
        return lg__error_memory(err);
    }
    analysis->graph = graph;
    analysis->device.element = sizeof(lg__on_device);
    analysis->component_device.element = sizeof(lg__on_device);
    analysis->collective.element = sizeof(lg__collective);
    *out = analysis;
    return LG_OK;
}

lg_status
lg_analysis_new(const lg_graph *graph, const lg_monitor *monitor,
                lg_analysis **out, lg_error *err)
{
    lg_analysis *analysis = NULL;
    lg_status status = lg__analysis_begin(graph, &analysis, err);
    if (status == LG_OK)
        status = analyse(analysis, monitor, err);
    if (status == LG_OK)
        *out = analysis;
    else
        lg_analysis_free(analysis);
    return status;
}

void
lg_analysis_free(lg_analysis *analysis)
{
    if (analysis == NULL)
        return;
    lg_allocator allocator = lg_allocator_default();
    cached_end(analysis);
    if (!analysis->borrows)
        lg__policy_free(&analysis->policy);
    if (analysis->changes == NULL) {
        lg__compact_free(&allocator, &analysis->dominators);
        lg__compact_free(&allocator, &analysis->host.low);
        lg__free(analysis->host.high);
    }
    lg__children_forget(analysis);
    lg__vector_free(&allocator, &analysis->device);
    lg__changes_free(analysis->changes);
    lg__free(analysis->component_first);
    lg__free(analysis->component_node);
    lg__free(analysis->component_host);
    lg__free(analysis->member);
    lg__free(analysis->collective_by);
    lg__vector_free(&allocator, &analysis->component_device);
    lg__vector_free(&allocator, &analysis->collective);
    lg__free(analysis);
}
