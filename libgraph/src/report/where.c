// Where nodes are, in words.
#include "report/where.h"
#include "report/words.h"

#include <leakgraph/report.h>

void
lg__where_write(const lg_graph *graph, const lg_analysis *analysis,
                uint32_t node, const lg_where *where, lg_text *out)
{
    if (where->kind == LG_WHERE_PATH) {
        lg_path_label(graph, &where->path, out);
        return;
    }
    if (where->kind == LG_WHERE_INTERPRETER) {
        lg_text_add(out, "the interpreter");
        return;
    }
    lg_text_add(out, "garbage");
    if (analysis == NULL || lg__format_garbage_component(analysis, node, out) ||
        where->dominator == LG_NONE)
        return;
    lg_text_add(out, where->hop.edge_count > 0 ? ": " : " below ");
    lg__format_node(graph, where->dominator, out);
    if (where->hop.edge_count > 0)
        lg__format_label(graph, &where->hop, out);
}

lg_status
lg__garbage_format(const lg_analysis *analysis, uint32_t node, lg_text *out,
                   lg_error *err)
{
    lg_where where;
    lg_status status = lg__garbage_find(analysis, node, &where, err);
    if (status == LG_OK)
        lg__where_write(lg_analysis_graph(analysis), analysis, node, &where,
                        out);
    return status;
}

lg_status
lg__where_format(lg__where *to, uint32_t node, const lg_monitor *monitor,
                 lg_text *out, lg_error *err)
{
    lg_where where;
    lg_status status =
        lg__where_find(&to->finder, to->analysis, node, monitor, &where, err);
    if (status != LG_OK)
        return status;
    lg__where_write(lg_analysis_graph(to->analysis), to->analysis, node, &where,
                    out);
    lg_where_free(&where);
    return LG_OK;
}

void
lg__where_free(lg__where *where)
{
    lg__finder_free(&where->finder);
}

lg_status
lg_nodes_path_labels(const lg_analysis *analysis, const lg_node *nodes,
                     size_t count, const lg_monitor *monitor, lg_text *labels,
                     lg_error *err)
{
    lg__where where = {.analysis = analysis};
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        if (nodes[i] == LG_NONE)
            continue;
        status = lg__where_format(&where, nodes[i], monitor, &labels[i], err);
        if (status == LG_OK && labels[i].failed)
            status = lg__error_memory(err);
    }
    lg__where_free(&where);
    return status;
}
