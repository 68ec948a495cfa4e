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
explain_knot(lg__why *to, lg_error *err)
{
    uint32_t node = to->node;
    while (node != LG_NONE && lg_node_knot(to->analysis, node) == LG_NONE)
        node = to->garbage ? lg_node_dominator(to->analysis, node) : LG_NONE;
    if (node == LG_NONE)
        return LG_OK;
    to->knot = lg_node_knot(to->analysis, node);
    lg_knot knot = lg_analysis_knot(to->analysis, to->knot);
    lg__members members = {knot.nodes, knot.count};
    lg_status status = lg__circuit_find(&to->walk, &members, &to->circuit, err);
    if (status != LG_OK || to->circuit.count == 0)
        return status;
    uint32_t owner = to->walk.fold[node].owner;
    to->in_knot = owner == LG_NONE ? node : owner;
    size_t alike;
    if (lg__circuit_cut(&to->walk, &members, &to->circuit, &to->cut, &alike) ==
        NULL)
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
        status = lg__blame_new(to->graph, &to->blame, err);
    else if (status == LG_OK)
        status = explain_alive(to, err);
    if (status == LG_OK)
        status = explain_knot(to, err);
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
    lg__blame_free(&why->blame);
    lg_hops_free(&why->circuit);
    lg_findings_free(&why->findings);
}
