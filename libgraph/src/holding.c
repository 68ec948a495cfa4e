// Knots by what they retain: from each wanted instance up the dominators, a
// node once marked being the end of the way.
#include "holding.h"
#include "select.h"

#include <stdlib.h>
#include <string.h>

static bool
is_category(const char *name, lg_category category)
{
    return (category == LG_CATEGORY_TENSOR && strcmp(name, "tensor") == 0) ||
           (category == LG_CATEGORY_FIGURE && strcmp(name, "figure") == 0);
}

static bool
is_named(const lg_graph *graph, const char *name, uint32_t type)
{
    lg_type about = lg_graph_type(graph, type);
    if (is_category(name, about.category))
        return true;
    for (uint32_t i = 0; i < about.mro_count; i++)
        if (lg__glob_matches(name, strlen(name),
                             lg_graph_type(graph, about.mro[i]).name))
            return true;
    return false;
}

lg_status
lg__holding_types(const lg_graph *graph, const lg_cycle_options *options,
                  bool **out, lg_error *err)
{
    bool *wanted = calloc((size_t)graph->type_count + 1, sizeof *wanted);
    if (wanted == NULL)
        return lg__error_memory(err);
    for (uint32_t type = 0; type < graph->type_count; type++) {
        lg_category category = lg_graph_type(graph, type).category;
        if (options->holding_type != NULL)
            wanted[type] = options->holding_type(options->context, type);
        else if (options->holding != NULL)
            wanted[type] = is_named(graph, options->holding, type);
        else
            wanted[type] = category == LG_CATEGORY_TENSOR ||
                           category == LG_CATEGORY_FIGURE;
    }
    *out = wanted;
    return LG_OK;
}

lg_status
lg__knots_holding(const lg_analysis *analysis, const bool *wanted,
                  uint8_t **out, lg_error *err)
{
    const lg_columns *columns = lg_graph_columns(lg_analysis_graph(analysis));
    uint8_t *marked = calloc((size_t)columns->node_count + 1, 1);
    uint8_t *holding = calloc((size_t)lg_analysis_knot_count(analysis) + 1, 1);
    if (marked == NULL || holding == NULL) {
        free(marked);
        free(holding);
        return lg__error_memory(err);
    }
    for (uint32_t node = 0; node < columns->node_count; node++) {
        if (!wanted[columns->type[node]])
            continue;
        for (uint32_t at = node; at != LG_NONE && !marked[at];
             at = lg_node_dominator(analysis, at)) {
            uint32_t knot = lg_node_knot(analysis, at);
            marked[at] = 1;
            if (knot != LG_NONE)
                holding[knot] = 1;
        }
    }
    free(marked);
    *out = holding;
    return LG_OK;
}
