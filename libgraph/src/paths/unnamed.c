// Resolves places that reports write for what no module and no thread leads to:
// the kind of an object, and the steps from there. Several objects may match.
#include "graph/graph_private.h"
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct unnamed {
    const lg_graph *graph;
    const char *whole;
    const char *text; // the text behind `garbage: `
    lg__finder finder;
    lg_allocator allocator;
    lg_text title;
    lg__vector found; // uint32_t
    lg_error *err;
} unnamed;

static lg_status
no_memory(const unnamed *state)
{
    return lg__error_memory(state->err);
}

// Follows the steps from an object. LG_ENOTFOUND, without a message, if the
// text does not begin with this object's kind, or if the steps lead to nothing.
static lg_status
target_of(unnamed *state, uint32_t node, uint32_t *target)
{
    lg_text *title = &state->title;
    title->length = 0;
    lg__format_node(state->graph, node, title);
    if (title->failed)
        return no_memory(state);
    if (title->length == 0 ||
        strncmp(state->text, title->data, title->length) != 0)
        return LG_ENOTFOUND;
    const char *steps = state->text + title->length;
    if (strchr(" .[", *steps) == NULL)
        return LG_ENOTFOUND;
    lg_status status =
        lg__steps_follow(state->graph, steps, state->whole, node, target, NULL);
    return status == LG_EINVAL ? LG_ENOTFOUND : status;
}

static lg_status
is_garbage(unnamed *state, uint32_t node, bool *garbage)
{
    lg_path path;
    lg_status status =
        lg__finder_path(&state->finder, node, NULL, &path, state->err);
    *garbage = status == LG_ENOTFOUND;
    if (status == LG_OK)
        lg_path_free(&path);
    return *garbage ? LG_OK : status;
}

static lg_status
take(unnamed *state, uint32_t node, bool native)
{
    uint32_t target = LG_NONE;
    bool wanted = true;
    lg_status status = target_of(state, node, &target);
    if (status == LG_OK && !native)
        status = is_garbage(state, target, &wanted);
    if (status != LG_OK || !wanted)
        return status == LG_ENOTFOUND ? LG_OK : status;
    uint32_t *place = lg__vector_extend(&state->allocator, &state->found, 1);
    if (place == NULL)
        return no_memory(state);
    *place = target;
    return LG_OK;
}

static lg_status
take_all(unnamed *state, bool native)
{
    const lg_graph *graph = state->graph;
    uint32_t count = native ? graph->root_count : graph->columns.node_count;
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < count && status == LG_OK; i++) {
        if (!native)
            status = take(state, i, false);
        else if (graph->root_kind[i] == LG_ROOT_NATIVE)
            status = take(state, graph->root_node[i], true);
    }
    return status;
}

lg_status
lg__nodes_take(const lg__vector *found, const char *text, lg_nodes *out,
               lg_error *err)
{
    size_t count = found->count;
    if (count == 0)
        return lg_error_set(err, LG_ENOTFOUND,
                            "'%.100s' leads to no object: write the number "
                            "that reports show with the object, such as #17",
                            text);
    uint32_t *items = malloc(count * sizeof *items);
    if (items == NULL)
        return lg__error_memory(err);
    memcpy(items, found->data, count * sizeof *items);
    *out = (lg_nodes){items, lg__nodes_unify(items, count)};
    return LG_OK;
}

lg_status
lg__unnamed_select(const lg_graph *graph, const char *text, lg_nodes *out,
                   lg_error *err)
{
    unnamed state = {.graph = graph,
                     .whole = text,
                     .text = strstr(text, ": ") + 2,
                     .finder = {.graph = graph},
                     .allocator = lg_allocator_default(),
                     .found = {.element = sizeof(uint32_t)},
                     .err = err};
    lg_status status = take_all(&state, strncmp(text, "native", 6) == 0);
    if (status == LG_OK)
        status = lg__nodes_take(&state.found, text, out, err);
    lg__vector_free(&state.allocator, &state.found);
    lg_text_free(&state.title);
    lg__finder_free(&state.finder);
    return status;
}
