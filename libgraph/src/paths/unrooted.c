// Selects what reports describe by an analysis, because no root leads there:
// `the interpreter`, `garbage: a cycle of 4 objects`, `garbage below dict of
// 3`.
#include "graph/graph_private.h"
#include "paths/selection.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    const lg_graph *graph;
    lg_analysis *analysis;
    const lg_monitor *monitor;
    const char *text; // what follows `garbage` or `garbage below `
    lg__walk walk;
    lg_text words;
    lg__gathered found;
} search;

static lg_status
analyse(const lg_graph *graph, const lg_monitor *monitor, lg_analysis **out,
        lg_error *err)
{
    lg_status status = lg_analysis_load(graph, out, err);
    return status == LG_ENOTFOUND ? lg_analysis_new(graph, monitor, out, err)
                                  : status;
}

static bool
append_seen(search *state, uint32_t node)
{
    return lg_node_folded_into(state->graph, node) != LG_NONE ||
           lg__gather_append(&state->found, node);
}

// Appends what is alive, though no path from a root leads there.
static lg_status
take_interpreters(search *state, lg_error *err)
{
    lg__roottree tree;
    lg_status status =
        lg__roottree_new(state->graph, state->monitor, &tree, err);
    if (status != LG_OK)
        return status;
    for (uint32_t node = 0; node < state->graph->columns.node_count; node++)
        if (tree.before[node] == LG_NONE &&
            lg_node_is_reachable(state->analysis, node) &&
            !append_seen(state, node))
            status = lg__error_memory(err);
    lg__roottree_free(&tree);
    return status;
}

// Returns whether the text describes the component of the node.
static bool
is_described(search *state, uint32_t node)
{
    state->words.length = 0;
    return lg__format_garbage_component(state->analysis, node, &state->words) &&
           !state->words.failed && strcmp(state->words.data, state->text) == 0;
}

static lg_status
take_cycles(search *state, lg_error *err)
{
    uint32_t count = lg_analysis_component_count(state->analysis);
    for (uint32_t i = 0; i < count; i++) {
        if (!lg__select_goes_on(state->monitor, i, count, err))
            return LG_ECANCELLED;
        lg_component cycle = lg_analysis_component(state->analysis, i);
        if (!is_described(state, cycle.nodes[0]))
            continue;
        for (uint32_t at = 0; at < cycle.count; at++)
            if (!append_seen(state, cycle.nodes[at]))
                return lg__error_memory(err);
    }
    return state->words.failed ? lg__error_memory(err) : LG_OK;
}

// Returns whether reports write the node as garbage below the text: garbage
// that its dominator holds by no reference of its own.
static bool
is_below(search *state, uint32_t node)
{
    if (lg_node_is_reachable(state->analysis, node))
        return false;
    uint32_t dominator = lg__seen_node(
        state->walk.fold, lg_node_dominator(state->analysis, node));
    if (dominator == LG_NONE || dominator == node)
        return false;
    state->words.length = 0;
    lg__format_node(state->graph, dominator, &state->words);
    return !state->words.failed &&
           strcmp(state->words.data, state->text) == 0 &&
           lg__hop_between(&state->walk, dominator, node).edge_count == 0;
}

static lg_status
take_below(search *state, lg_error *err)
{
    uint32_t count = state->graph->columns.node_count;
    state->walk.fold = lg__graph_folds(state->graph);
    if (state->walk.fold == NULL ||
        !lg__graph_reverse(state->graph, &state->walk.reverse))
        return lg__error_memory(err);
    for (uint32_t node = 0; node < count; node++) {
        if (!lg__select_goes_on(state->monitor, node, count, err))
            return LG_ECANCELLED;
        if (is_below(state, node) && !append_seen(state, node))
            return lg__error_memory(err);
    }
    return state->words.failed ? lg__error_memory(err) : LG_OK;
}

static lg_status
select_by(const lg_graph *graph, const char *whole, const char *text,
          const lg_monitor *monitor, lg_status take(search *, lg_error *),
          lg_nodes *out, lg_error *err)
{
    search state = {.graph = graph,
                    .monitor = monitor,
                    .text = text,
                    .walk = {.graph = graph, .everything = true}};
    lg_status status = analyse(graph, monitor, &state.analysis, err);
    if (status == LG_OK)
        status = take(&state, err);
    if (status == LG_OK)
        status = lg__nodes_take(&state.found, whole, out, err);
    lg__wide_free(state.found.items);
    lg_text_free(&state.words);
    lg_analysis_free(state.analysis);
    return status;
}

bool
lg__unrooted_is(const char *text)
{
    return strcmp(text, "the interpreter") == 0 ||
           strncmp(text, "garbage: a cycle of ", 20) == 0 ||
           strncmp(text, "garbage below ", 14) == 0;
}

lg_status
lg__unrooted_select(const lg_graph *graph, const char *text,
                    const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    if (*text == 't')
        return select_by(graph, text, NULL, monitor, take_interpreters, out,
                         err);
    if (text[7] == ':')
        return select_by(graph, text, text + 7, monitor, take_cycles, out, err);
    return select_by(graph, text, text + 14, monitor, take_below, out, err);
}
