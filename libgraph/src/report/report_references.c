// Writes the references of one object, and the objects of a list, as tables.
#include "analysis/analysis_private.h"
#include "report/report_private.h"

#include <leakgraph/internal/retained.h>

static const lg__layout layout = {.noun = "object"};

enum { OBJECT, RETAINED, SIZE, OF_NODES };

static const lg__column of_nodes[OF_NODES] = {
    [OBJECT] = {"node", "object", .type = LG_COLUMN_NODE},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .gap = 2},
    [SIZE] = {"size", .type = LG_COLUMN_SIZE, .gap = 2},
};

static uint64_t
size_on(const lg_analysis *analysis, uint32_t node, uint32_t device)
{
    return lg_node_bytes_on(analysis->graph, node, device);
}

lg_status
lg_tabulate_nodes(const lg_analysis *analysis, const lg_node *nodes,
                  size_t count, lg_table **out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    for (size_t i = 0; i < count; i++)
        if (nodes[i] >= graph->columns.node_count)
            return lg_error_set(err, LG_EINVAL, "there is no node %u",
                                nodes[i]);
    lg_table *table = lg__table_new(graph, layout, of_nodes, OF_NODES);
    for (size_t i = 0; i < count; i++) {
        lg__table_row(table);
        lg__put_node(table, OBJECT, graph, nodes[i]);
        lg__put_retained(table, RETAINED, analysis, lg_node_retained_on,
                         nodes[i]);
        lg__put_retained(table, SIZE, analysis, size_on, nodes[i]);
    }
    return lg__table_finish(table, out, err);
}

enum { LABEL, OTHER, OTHER_RETAINED, OTHER_SIZE, CUT, WEAK, OF_REFERENCES };

static const lg__column of_references[OF_REFERENCES] = {
    [LABEL] = {"label", "reference", .type = LG_COLUMN_TEXT},
    [OTHER] = {"node", "object", .type = LG_COLUMN_NODE, .gap = 2},
    [OTHER_RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .gap = 2},
    [OTHER_SIZE] = {"size", .type = LG_COLUMN_SIZE, .gap = 2},
    [CUT] = {"cut", .gap = 2},
    [WEAK] = {"weak", .type = LG_COLUMN_BOOL, .shown_in = LG__IN_DATA},
};

static void
put_hop(lg_table *table, const lg_analysis *analysis, const lg_hop *hop,
        bool inward)
{
    const lg_graph *graph = analysis->graph;
    uint32_t other = inward ? hop->source : hop->target;
    lg_text label = {0};
    lg_text cut = {0};
    lg_hop_label(graph, hop, &label);
    lg_text_add(&label, hop->weak ? " (weak)" : "");
    lg__table_row(table);
    lg__put_formatted(table, LABEL, &label);
    lg__put_node(table, OTHER, graph, other);
    lg__put_retained(table, OTHER_RETAINED, analysis, lg_node_retained_on,
                     other);
    lg__put_retained(table, OTHER_SIZE, analysis, size_on, other);
    if (!hop->weak)
        lg_text_addf(&cut, "#%u->#%u", hop->source, hop->target);
    lg__put_formatted(table, CUT, &cut);
    lg__put_bool(table, WEAK, hop->weak);
}

lg_status
lg_tabulate_references(const lg_analysis *analysis, const lg_hops *hops,
                       bool inward, lg_table **out, lg_error *err)
{
    lg_table *table = lg__table_new(analysis->graph, (lg__layout){0},
                                    of_references, OF_REFERENCES);
    for (size_t i = 0; i < hops->count; i++)
        put_hop(table, analysis, &hops->items[i], inward);
    return lg__table_finish(table, out, err);
}
