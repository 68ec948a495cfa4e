// Finding out why a node is alive, or what it goes with.
#include "answers/answers_private.h"
#include "cycles/cycles_private.h"
#include "paths/paths_private.h"

#include <stdlib.h>

static lg_status
explain_alive(lg__why *to, lg_error *err)
{
    to->suspect = calloc(to->path.count + 1, sizeof *to->suspect);
    if (to->suspect == NULL)
        return lg__error_memory(err);
    to->suspects = lg__suspects_mark(to->analysis, &to->walk, &to->path,
                                     to->node, to->suspect);
    return lg_paths_disjoint(to->analysis, to->node, 0, to->monitor, &to->cuts,
                             err);
}

// A cycle that the node is in, or that one of its dominators is.
static lg_status
explain_component(lg__why *to, lg_error *err)
{
    uint32_t node = to->node;
    while (node != LG_NONE && lg_node_component(to->analysis, node) == LG_NONE)
        node = to->garbage ? lg_node_dominator(to->analysis, node) : LG_NONE;
    if (node == LG_NONE)
        return LG_OK;
    to->component = lg_node_component(to->analysis, node);
    lg_component component = lg_analysis_component(to->analysis, to->component);
    lg__members members = {component.nodes, component.count};
    lg_status status =
        lg__shortest_cycle_find(&to->walk, &members, &to->round_trip, err);
    if (status != LG_OK || to->round_trip.count == 0)
        return status;
    uint32_t owner = to->walk.fold[node].owner;
    to->in_component = owner == LG_NONE ? node : owner;
    size_t alike;
    if (lg__shortest_cycle_cut(&to->walk, &members, &to->round_trip, &to->cut,
                               &alike) == NULL)
        return lg__error_memory(err);
    return LG_OK;
}

lg_status
lg__why_explain(lg__why *to, lg_error *err)
{
    to->walk.graph = to->graph;
    to->walk.everything = true;
    to->walk.fold = lg__graph_folds(to->graph);
    if (to->walk.fold == NULL ||
        !lg__graph_reverse(to->graph, &to->walk.reverse))
        return lg__error_memory(err);
    if (to->walk.fold[to->node].owner != LG_NONE)
        to->node = to->walk.fold[to->node].owner;
    lg_status status =
        lg_path_from_root(to->graph, to->node, to->monitor, &to->path, err);
    to->garbage = status == LG_ENOTFOUND;
    if (to->garbage)
        status = lg__uncollectable_new(to->graph, &to->uncollectable, err);
    else if (status == LG_OK)
        status = explain_alive(to, err);
    if (status == LG_OK)
        status = explain_component(to, err);
    if (status == LG_OK)
        status = lg_node_findings(to->analysis, to->node, to->monitor,
                                  &to->findings, err);
    return status;
}

void
lg__why_free(lg__why *why)
{
    lg_path_free(&why->path);
    lg_paths_free(&why->cuts);
    free(why->suspect);
    lg__uncollectable_free(&why->uncollectable);
    lg_hops_free(&why->round_trip);
    lg_findings_free(&why->findings);
}
