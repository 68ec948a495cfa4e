// Resolves paths that reports write through an autograd graph: of several
// steps, such a path names only the last node. Several nodes may match.
#include "graph/graph_private.h"
#include "paths/selection.h"

#include <stdlib.h>
#include <string.h>

typedef struct elided {
    const lg_graph *graph;
    const lg_monitor *monitor;
    const char *whole;
    const char *rest;   // the text behind a gap
    lg__gathered nodes; // the autograd nodes behind the gap
    lg__gathered found;
    uint8_t *seen;
    lg_text title;
    lg_error *err;
    bool failed;
} elided;

static void
append(elided *state, lg__gathered *to, uint32_t node)
{
    if (!lg__gather_append(to, node))
        state->failed = true;
}

static bool
step_back(void *context, const lg_hop *hop)
{
    elided *state = context;
    if (lg__hop_is_backward(state->graph, hop) && !state->seen[hop->target]) {
        state->seen[hop->target] = 1;
        append(state, &state->nodes, hop->target);
    }
    return !state->failed;
}

static void
go_back(elided *state, const lg_nodes *from)
{
    lg__walk walk = {.graph = state->graph,
                     .fold = lg__graph_folds(state->graph),
                     .visit = step_back,
                     .context = state};
    state->failed = walk.fold == NULL;
    for (size_t i = 0; i < from->count && !state->failed; i++)
        lg__hops_out_walk(&walk, from->items[i]);
    for (size_t i = 0; i < state->nodes.count && !state->failed; i++)
        lg__hops_out_walk(&walk, state->nodes.items[i]);
}

// Takes what the steps behind the gap lead to, if the steps begin with this
// node.
static lg_status
take(elided *state, uint32_t node)
{
    uint32_t target;
    lg_status status =
        lg__titled_follow(state->graph, state->rest, state->whole, node,
                          &state->title, &target, state->err);
    if (status == LG_OK)
        append(state, &state->found, target);
    return status == LG_ENOTFOUND ? LG_OK : status;
}

static lg_status
take_all(elided *state, const lg_nodes *from)
{
    lg_status status = LG_OK;
    go_back(state, from);
    for (size_t i = 0; i < state->nodes.count && status == LG_OK; i++)
        status = take(state, state->nodes.items[i]);
    return status == LG_OK && state->failed ? lg__error_memory(state->err)
                                            : status;
}

static lg_status
select_part(elided *state, const char *text, size_t length, lg_nodes *out)
{
    lg_text part = {0};
    lg_text_add_bytes(&part, text, length);
    lg_status status = part.failed
                           ? lg__error_memory(state->err)
                           : lg_graph_select(state->graph, part.data,
                                             state->monitor, out, state->err);
    lg_text_free(&part);
    return status;
}

// Crosses one gap: replaces the nodes by those behind it.
static lg_status
cross(elided *state, const char *text, size_t length, lg_nodes *nodes)
{
    lg_text part = {0};
    lg_nodes from = *nodes;
    lg_text_add_bytes(&part, text, length);
    memset(state->seen, 0, state->graph->columns.node_count);
    state->nodes.count = state->found.count = 0;
    state->rest = part.data;
    *nodes = (lg_nodes){0};
    lg_status status =
        part.failed ? lg__error_memory(state->err) : take_all(state, &from);
    if (status == LG_OK)
        status = lg__nodes_take(&state->found, state->whole, nodes, state->err);
    lg_nodes_free(&from);
    lg_text_free(&part);
    return status;
}

static lg_status
cross_all(elided *state, lg_nodes *nodes)
{
    static const char gap[] = " … ";
    const char *text = state->whole;
    const char *end = strstr(text, gap);
    lg_status status = select_part(state, text, (size_t)(end - text), nodes);
    while (status == LG_OK && *end != '\0') {
        text = end + sizeof gap - 1;
        end = strstr(text, gap);
        if (end == NULL)
            end = text + strlen(text);
        status = cross(state, text, (size_t)(end - text), nodes);
    }
    return status;
}

lg_status
lg__elided_select(const lg_graph *graph, const char *text,
                  const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    elided state = {.graph = graph,
                    .monitor = monitor,
                    .whole = text,
                    .seen =
                        lg__wide_alloc((size_t)graph->columns.node_count + 1),
                    .err = err};
    lg_nodes nodes = {0};
    lg_status status =
        state.seen == NULL ? lg__error_memory(err) : cross_all(&state, &nodes);
    if (status == LG_OK)
        *out = nodes;
    else
        lg_nodes_free(&nodes);
    lg__wide_free(state.nodes.items);
    lg__wide_free(state.found.items);
    lg_text_free(&state.title);
    lg__wide_free(state.seen);
    return status;
}
