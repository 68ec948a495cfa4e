// Where nodes are, in words.
#include "report/where.h"
#include "report/words.h"

// Garbage has no path; who dominates it says what it is part of.
lg_status
lg__garbage_format(const lg_analysis *analysis, uint32_t node, lg_text *out,
                   lg_error *err)
{
    lg__walk walk = {.graph = lg_analysis_graph(analysis), .everything = true};
    uint32_t dominator = lg_node_dominator(analysis, node);
    walk.fold = lg__graph_folds(walk.graph);
    if (walk.fold == NULL || !lg__graph_reverse(walk.graph, &walk.reverse))
        return lg__error_memory(err);
    lg_text_add(out, "garbage");
    if (lg__format_garbage_component(analysis, node, out))
        return LG_OK;
    if (dominator != LG_NONE && walk.fold[dominator].owner != LG_NONE)
        dominator = walk.fold[dominator].owner;
    if (dominator == LG_NONE || dominator == node)
        return LG_OK;
    lg_hop hop = lg__hop_between(&walk, dominator, node);
    lg_text_add(out, hop.edge_count > 0 ? ": " : " below ");
    lg__format_node(walk.graph, dominator, out);
    if (hop.edge_count > 0)
        lg__format_label(walk.graph, &hop, out);
    return LG_OK;
}

lg_status
lg__where_format(lg__where *where, uint32_t node, const lg_monitor *monitor,
                 lg_text *out, lg_error *err)
{
    lg_path path;
    if (!lg_node_is_reachable(where->analysis, node))
        return lg__garbage_format(where->analysis, node, out, err);
    where->ways.graph = lg_analysis_graph(where->analysis);
    lg_status status = lg__way_find(&where->ways, node, monitor, &path, err);
    if (status == LG_ENOTFOUND) {
        lg_text_add(out, "the interpreter");
        return LG_OK;
    }
    if (status != LG_OK)
        return status;
    lg_path_label(lg_analysis_graph(where->analysis), &path, out);
    lg_path_free(&path);
    return LG_OK;
}

void
lg__where_free(lg__where *where)
{
    lg__finder_free(&where->ways);
}
