// Finds components by what they retain. From each wanted instance it goes up
// the dominators, and to components that dominate collectively, up to the first
// marked node.
#include "cycles/cycles_private.h"
#include "analysis/analysis_private.h"
#include "paths/paths_private.h"

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

// Returns whether there is such a class. It may have no instances.
static bool
is_class(const lg_graph *graph, const char *name)
{
    const lg_columns *columns = lg_graph_columns(graph);
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (lg__node_category(graph, node) == LG_CATEGORY_TYPE &&
            lg__glob_matches(name, strlen(name), lg_node_text(graph, node)))
            return true;
    return false;
}

// Refuses an unknown name, because a mistyped name would never find a leak.
static lg_status
no_such_type(const lg_graph *graph, const char *name, lg_error *err)
{
    lg__guess guess = lg__guess_new(name, strlen(name));
    lg__guess_offer(&guess, (lg_string){"tensor", 6});
    lg__guess_offer(&guess, (lg_string){"figure", 6});
    for (uint32_t type = 0; type < graph->type_count; type++)
        lg__guess_offer(&guess, lg_graph_type(graph, type).name);
    if (guess.best.length == 0)
        return lg_error_set(err, LG_ENOTFOUND,
                            "the snapshot knows no type %.200s", name);
    return lg_error_set(err, LG_ENOTFOUND,
                        "the snapshot knows no type %.200s; did you mean "
                        "%.*s?",
                        name, (int)guess.best.length, guess.best.data);
}

static bool
is_wanted(const lg_graph *graph, const lg_cycle_options *options, uint32_t type)
{
    lg_category category = lg_graph_type(graph, type).category;
    if (options->holding_type != NULL)
        return options->holding_type(options->context, type);
    if (options->holding != NULL)
        return is_named(graph, options->holding, type);
    return category == LG_CATEGORY_TENSOR || category == LG_CATEGORY_FIGURE;
}

static lg_status
find_types(const lg_graph *graph, const lg_cycle_options *options, bool **out,
           lg_error *err)
{
    const char *name = options->holding_type == NULL ? options->holding : NULL;
    bool *wanted = lg__calloc((size_t)graph->type_count + 1, sizeof *wanted);
    bool any = name == NULL || is_category(name, LG_CATEGORY_TENSOR) ||
               is_category(name, LG_CATEGORY_FIGURE);
    if (wanted == NULL)
        return lg__error_memory(err);
    for (uint32_t type = 0; type < graph->type_count; type++) {
        wanted[type] = is_wanted(graph, options, type);
        any |= wanted[type];
    }
    if (any || is_class(graph, name)) {
        *out = wanted;
        return LG_OK;
    }
    lg__free(wanted);
    return no_such_type(graph, name, err);
}

typedef struct marking {
    const lg_analysis *analysis;
    uint8_t *marked;  // [node]
    uint8_t *holding; // [component]
    lg__gathered starts;
} marking;

static bool
follow_collective(marking *state, uint32_t node)
{
    uint32_t by = lg__collective_find(state->analysis, node);
    return by == LG_NONE || lg__gather_append(&state->starts, by);
}

// Marks a component, and the dominators above it. Its members together retain
// what it dominates collectively.
static bool
mark_component(marking *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    bool going = true;
    if (state->holding[index])
        return true;
    state->holding[index] = 1;
    for (uint32_t i = 0; i < component.count && going; i++)
        going = follow_collective(state, component.nodes[i]);
    return going;
}

// Marks everything that retains the node and is not yet marked. A walk up stops
// at a marked node, because an earlier walk has marked what is above it and has
// queued what dominates it collectively. So over all calls each node is passed
// once.
static bool
mark_dominators(marking *state, uint32_t node)
{
    bool going = lg__gather_append(&state->starts, node);
    while (going && state->starts.count > 0) {
        uint32_t at = state->starts.items[--state->starts.count];
        for (; at != LG_NONE && !state->marked[at] && going;
             at = lg_node_dominator(state->analysis, at)) {
            uint32_t component = lg_node_component(state->analysis, at);
            state->marked[at] = 1;
            going = component == LG_NONE ? follow_collective(state, at)
                                         : mark_component(state, component);
        }
    }
    return going;
}

static lg_status
mark_components(const lg_analysis *analysis, const bool *wanted, uint8_t **out,
                lg_error *err)
{
    const lg_columns *columns = lg_graph_columns(lg_analysis_graph(analysis));
    marking state = {
        .analysis = analysis,
        .marked = lg__calloc((size_t)columns->node_count + 1, 1),
        .holding =
            lg__calloc((size_t)lg_analysis_component_count(analysis) + 1, 1),
    };
    bool going = state.marked != NULL && state.holding != NULL;
    for (uint32_t node = 0; node < columns->node_count && going; node++)
        if (wanted[lg_columns_type(columns, node)])
            going = mark_dominators(&state, node);
    lg__free(state.marked);
    lg__free(state.starts.items);
    if (!going) {
        lg__free(state.holding);
        return lg__error_memory(err);
    }
    *out = state.holding;
    return LG_OK;
}

lg_status
lg__cycles_holding(const lg_analysis *analysis, const lg_cycle_options *options,
                   uint8_t **out, lg_error *err)
{
    bool *wanted = NULL;
    lg_status status =
        find_types(lg_analysis_graph(analysis), options, &wanted, err);
    if (status == LG_OK)
        status = mark_components(analysis, wanted, out, err);
    lg__free(wanted);
    return status;
}
