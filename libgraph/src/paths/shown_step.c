// Follows paths as reports write them. Their steps may be neither .attribute
// nor [index]: `thread MainThread in main() app.py:3 local x`, `.f[0][1].y`.
#include "graph/graph_private.h"
#include "paths/selection.h"

#include <string.h>

typedef struct matching {
    const lg_graph *graph;
    const char *text;
    lg_text label;
    size_t longest;
    uint32_t target;
    bool ahead; // look one step ahead, to distinguish hops with equal labels
} matching;

static bool has_next(const matching *state, uint32_t node, const char *text);

static bool
ends_a_step(char after)
{
    return after == '\0' || after == '.' || after == '[' || after == ' ';
}

static void
write_label(const lg_graph *graph, const lg_hop *hop, lg_text *label)
{
    label->length = 0;
    if (lg__edge_kind(graph, hop->edges[0]) == LG_EDGE_FRAME) {
        lg_text_add(label, "in ");
        lg_string frame = lg_node_text(graph, hop->target);
        lg_text_add_bytes(label, frame.data, frame.length);
    } else {
        lg_hop_label(graph, hop, label);
    }
}

size_t
lg__shown_step_length(const lg_graph *graph, const lg_hop *hop,
                      const char *text, lg_text *label)
{
    write_label(graph, hop, label);
    if (label->failed || label->length == 0)
        return 0;
    size_t space = label->data[0] != '.' && label->data[0] != '[';
    size_t length = space + label->length;
    bool begins = (!space || *text == ' ') &&
                  strncmp(text + space, label->data, label->length) == 0 &&
                  ends_a_step(text[length]);
    return begins ? length : 0;
}

static bool
keep_longest(void *context, const lg_hop *hop)
{
    matching *state = context;
    size_t length =
        lg__shown_step_length(state->graph, hop, state->text, &state->label);
    if (length == 0 || length < state->longest)
        return !state->label.failed;
    if (length > state->longest ||
        (state->ahead && has_next(state, hop->target, state->text + length)))
        state->target = hop->target;
    state->longest = length;
    return true;
}

static bool
find_longest(matching *state, uint32_t node)
{
    lg__hop_walk walk = {.graph = state->graph,
                         .fold = lg__graph_folds(state->graph),
                         .visit = keep_longest,
                         .context = state};
    state->target = LG_NONE;
    if (walk.fold != NULL)
        lg__hops_out_walk(&walk, node);
    bool enough = walk.fold != NULL && !state->label.failed;
    lg_text_free(&state->label);
    return enough;
}

static bool
has_next(const matching *state, uint32_t node, const char *text)
{
    matching next = {.graph = state->graph, .text = text};
    return find_longest(&next, node) && next.target != LG_NONE;
}

lg_status
lg__shown_step_follow(const lg_graph *graph, const char **text, uint32_t *node,
                      lg_error *err)
{
    matching state = {.graph = graph, .text = *text, .ahead = true};
    if (!find_longest(&state, *node))
        return lg__error_memory(err);
    if (state.target == LG_NONE)
        return LG_ENOTFOUND;
    *text += state.longest;
    *node = state.target;
    return LG_OK;
}

uint32_t
lg__thread_begin(const lg_graph *graph, const char **text)
{
    size_t longest = 0;
    uint32_t found = LG_NONE;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        if (graph->root_kind[i] != LG_ROOT_THREAD)
            continue;
        lg_string name = lg_graph_string(graph, graph->root_name[i]);
        if (name.length == 0)
            name = lg_node_text(graph, graph->root_node[i]);
        if (name.length <= longest ||
            strncmp(*text, name.data, name.length) != 0 ||
            !ends_a_step((*text)[name.length]))
            continue;
        longest = name.length;
        found = graph->root_node[i];
    }
    *text += longest;
    return found;
}
