// Suggests what a name that does not exist may mean.
#include "paths/selection.h"

#include <string.h>

// The label nearest to the step, and a copy of it.
typedef struct nearest {
    const lg_graph *graph;
    lg__guess guess;
    lg_text label;
    lg_text best;
} nearest;

static bool
offer_label(void *context, const lg_hop *hop)
{
    nearest *state = context;
    size_t distance = state->guess.distance;
    state->label.length = 0;
    lg_hop_label(state->graph, hop, &state->label);
    lg__guess_offer(&state->guess, (lg_string){state->label.data,
                                               (uint32_t)state->label.length});
    if (state->guess.distance < distance) {
        state->best.length = 0;
        lg_text_add_bytes(&state->best, state->label.data, state->label.length);
    }
    state->guess.best = (lg_string){"", 0}; // the label will be overwritten
    return !state->label.failed;
}

static void
offer_hops(nearest *state, uint32_t node)
{
    lg__hop_walk walk = {.graph = state->graph,
                         .fold = lg__graph_folds(state->graph),
                         .visit = offer_label,
                         .context = state};
    if (walk.fold != NULL)
        lg__hops_out_walk(&walk, node);
}

// Suggests nothing for an index, because no index is near another.
lg_status
lg__step_missing(const lg_graph *graph, const lg_text *step, uint32_t node,
                 lg_error *err)
{
    lg_text title = {0};
    nearest state = {.graph = graph,
                     .guess = lg__guess_new(step->data, step->length)};
    bool named = step->data[0] == '.' || step->data[1] == '\'';
    if (named)
        offer_hops(&state, node);
    lg_node_title(graph, node, false, &title);
    bool known = state.best.length > 0 && !state.best.failed;
    lg_status status =
        lg_error_set(err, LG_ENOTFOUND,
                     known ? "%.200s has no %.200s; did you mean %.200s?"
                           : "%.200s has no %.200s",
                     title.failed ? "it" : title.data, step->data,
                     known ? state.best.data : "");
    lg_text_free(&title);
    lg_text_free(&state.label);
    lg_text_free(&state.best);
    return status;
}

bool
lg__variable_suggest(const lg_graph *graph, const char *name, size_t distance,
                     lg_error *err)
{
    size_t length = strcspn(name, ".[");
    uint32_t root = LG_NONE;
    lg_text step = {0};
    lg_text_add(&step, ".");
    lg_text_add_bytes(&step, name, length);
    nearest state = {.graph = graph};
    if (!step.failed)
        state.guess = lg__guess_new(step.data, step.length);
    for (uint32_t i = 0; i < graph->root_count; i++) {
        size_t before = state.guess.distance;
        if (graph->root_kind[i] == LG_ROOT_MODULE &&
            !lg__module_is_library(graph, graph->root_node[i]))
            offer_hops(&state, graph->root_node[i]);
        root = state.guess.distance < before ? i : root;
    }
    bool found = root != LG_NONE && state.guess.distance < distance &&
                 state.best.length > 0 && !state.best.failed;
    if (found) {
        lg_string module = lg_graph_string(graph, graph->root_name[root]);
        lg_error_set(err, LG_ENOTFOUND,
                     "name:%.200s does not begin with a module; did you mean "
                     "name:%.*s%.200s%.200s?",
                     name, (int)module.length, module.data, state.best.data,
                     name + length);
    }
    lg_text_free(&step);
    lg_text_free(&state.label);
    lg_text_free(&state.best);
    return found;
}
