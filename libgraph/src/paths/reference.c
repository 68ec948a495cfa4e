// Resolves texts that name references: a path that ends with them, or what
// refers to what.
#include "paths/selection.h"

#include <leakgraph/internal/what_if.h>

#include <stdlib.h>
#include <string.h>

// The nodes that the steps lead to so far, and the hops of the next step.
typedef struct following {
    const lg_graph *graph;
    lg_allocator allocator;
    lg__vector nodes; // uint32_t
    lg__vector next;  // uint32_t
    lg__vector edges; // uint64_t
    bool any;
    bool failed;
} following;

static bool
append(following *state, lg__vector *to, const void *element)
{
    void *place = lg__vector_extend(&state->allocator, to, 1);
    if (place == NULL)
        state->failed = true;
    else
        memcpy(place, element, to->element);
    return place != NULL;
}

static bool
take_hop(void *context, const lg_hop *hop)
{
    following *state = context;
    state->any = true;
    return hop->weak ||
           (append(state, &state->next, &hop->target) &&
            append(state, &state->edges, &hop->edges[hop->edge_count - 1]));
}

static lg_status
follow_step(following *state, const lg_text *step, lg_error *err)
{
    lg_status status = LG_OK;
    const uint32_t *nodes = state->nodes.data;
    state->next.count = state->edges.count = 0;
    state->any = false;
    for (size_t i = 0; i < state->nodes.count && status == LG_OK; i++)
        status = lg__step_walk(state->graph, step, true, nodes[i], take_hop,
                               state, err);
    if (status != LG_OK)
        return status;
    if (state->failed)
        return lg__error_memory(err);
    if (!state->any)
        return lg__step_missing(state->graph, step, nodes[0], err);
    state->next.count = lg_nodes_unify(state->next.data, state->next.count);
    lg__vector last = state->nodes;
    state->nodes = state->next;
    state->next = last;
    if (state->nodes.count > 0)
        return LG_OK;
    return lg_error_set(err, LG_ENOTFOUND,
                        "there is nothing to cut: %.200s is a weak reference, "
                        "which keeps nothing",
                        step->data);
}

static lg_status
follow_steps(following *state, const char *steps, const char *whole,
             lg_error *err)
{
    lg_status status = LG_OK;
    while (status == LG_OK && *steps != '\0') {
        lg_text step = {0};
        const char *begin = steps;
        status = lg__step_take(&steps, &step)
                     ? follow_step(state, &step, err)
                     : lg__step_malformed(begin, whole, err);
        lg_text_free(&step);
    }
    return status;
}

// Returns the length of `#17`, `node:17` or `0x7f00` before the steps; 0 if
// there is none.
static size_t
length_of_number(const char *text)
{
    static const char *const prefixes[] = {"node:", "#", "0x", "0X"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            return strcspn(text, ".[");
    return 0;
}

static lg_status
begin_at_number(const lg_graph *graph, const char *text, size_t length,
                uint32_t *node, lg_error *err)
{
    char selector[64];
    lg_nodes nodes;
    if (length >= sizeof selector)
        length = sizeof selector - 1;
    memcpy(selector, text, length);
    selector[length] = '\0';
    lg_status status = lg_graph_select(graph, selector, NULL, &nodes, err);
    if (status == LG_OK) {
        *node = nodes.items[0];
        lg_nodes_free(&nodes);
    }
    return status;
}

static lg_status
no_reference(const char *text, lg_error *err)
{
    return lg_error_set(
        err, LG_EINVAL,
        "'%.200s' names no reference: write a path to its end, such as "
        "train.trainer.losses, train.losses[*] or #17.x, or holders->held, "
        "such as #17->#42 or 'type:Child->type:Parent'",
        text);
}

static lg_status
select_path(following *state, const char *text, lg_error *err)
{
    const char *path = strncmp(text, "name:", 5) == 0 ? text + 5 : text;
    size_t number = length_of_number(path);
    const char *steps = path + number;
    uint32_t node = LG_NONE;
    if (number == 0 && !lg__name_is_likely(path))
        return no_reference(text, err);
    lg_status status =
        number > 0 ? begin_at_number(state->graph, path, number, &node, err)
                   : lg__name_begin(state->graph, path, &node, &steps, err);
    if (status != LG_OK)
        return status;
    if (*steps == '\0')
        return no_reference(text, err);
    if (!append(state, &state->nodes, &node))
        return lg__error_memory(err);
    return follow_steps(state, steps, path, err);
}

// References between two sets of nodes. NULL means all nodes.

typedef struct between {
    following *state;
    const uint8_t *held;
} between;

static bool
take_between(void *context, const lg_hop *hop)
{
    const between *pair = context;
    return (pair->held && !pair->held[hop->target]) ||
           take_hop(pair->state, hop);
}

static lg_status
select_side(const lg_graph *graph, const char *text, size_t length,
            const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    lg_text side = {0};
    lg_text_add_bytes(&side, text, length);
    lg_status status =
        side.failed ? lg__error_memory(err)
                    : lg_graph_select(graph, side.data, monitor, out, err);
    lg_text_free(&side);
    return status;
}

static lg_status
walk_between(following *state, const lg_nodes *holders, const lg_nodes *held,
             lg_error *err)
{
    const lg_graph *graph = state->graph;
    between pair = {.state = state};
    lg__hop_walk walk = {.graph = graph,
                         .fold = lg__graph_folds(graph),
                         .visit = take_between,
                         .context = &pair};
    uint8_t *marked = lg__calloc((size_t)graph->columns.node_count + 1, 1);
    bool going = marked != NULL && walk.fold != NULL &&
                 lg__graph_reverse(graph, &walk.reverse);
    for (size_t i = 0; going && i < held->count; i++)
        marked[lg__seen_node(walk.fold, held->items[i])] = 1;
    if (held->count > 0)
        pair.held = marked;
    for (size_t i = 0; going && i < holders->count; i++)
        going = lg__hops_out_walk(&walk,
                                  lg__seen_node(walk.fold, holders->items[i]));
    for (size_t i = 0; going && holders->count == 0 && i < held->count; i++)
        going =
            lg__hops_in_walk(&walk, lg__seen_node(walk.fold, held->items[i]));
    lg__free(marked);
    return going ? LG_OK : lg__error_memory(err);
}

static lg_status
select_between(following *state, const char *text, const char *arrow,
               const lg_monitor *monitor, lg_error *err)
{
    lg_nodes holders = {0};
    lg_nodes held = {0};
    size_t length = (size_t)(arrow - text);
    bool all_holders = length == 1 && *text == '*';
    bool all_held = strcmp(arrow + 2, "*") == 0;
    if (all_holders && all_held)
        return no_reference(text, err);
    lg_status status = LG_OK;
    if (!all_holders)
        status =
            select_side(state->graph, text, length, monitor, &holders, err);
    if (status == LG_OK && !all_held)
        status = select_side(state->graph, arrow + 2, strlen(arrow + 2),
                             monitor, &held, err);
    if (status == LG_OK)
        status = walk_between(state, &holders, &held, err);
    lg_nodes_free(&holders);
    lg_nodes_free(&held);
    if (status == LG_OK && state->edges.count == 0)
        status = lg_error_set(err, LG_ENOTFOUND,
                              "there is no reference %.200s to cut", text);
    return status;
}

lg_status
lg_graph_references(const lg_graph *graph, const char *text,
                    const lg_monitor *monitor, lg_edges *out, lg_error *err)
{
    following state = {.graph = graph,
                       .allocator = lg_allocator_default(),
                       .nodes = {.element = sizeof(uint32_t)},
                       .next = {.element = sizeof(uint32_t)},
                       .edges = {.element = sizeof(uint64_t)}};
    const char *arrow = strstr(text, "->");
    lg_status status = arrow ? select_between(&state, text, arrow, monitor, err)
                             : select_path(&state, text, err);
    if (status == LG_OK) {
        const lg_edges found = {state.edges.data, state.edges.count};
        status = lg_edges_add(out, &found, err);
    }
    lg__vector_free(&state.allocator, &state.nodes);
    lg__vector_free(&state.allocator, &state.next);
    lg__vector_free(&state.allocator, &state.edges);
    return status;
}

lg_status
lg_edges_add(lg_edges *all, const lg_edges *more, lg_error *err)
{
    size_t count = all->count + more->count;
    lg_edge *items = lg__realloc(all->items, (count + 1) * sizeof *items);
    if (items == NULL)
        return lg__error_memory(err);
    if (more->count > 0)
        memcpy(items + all->count, more->items, more->count * sizeof *items);
    *all = (lg_edges){items, lg__edges_unify(items, count)};
    return LG_OK;
}

void
lg_edges_free(lg_edges *edges)
{
    lg__free(edges->items);
    *edges = (lg_edges){0};
}
