// Resolves places that reports write for what no module and no thread leads to:
// the kind of an object, and the steps from there. Several objects may match.
// Without steps, all of them do.
#include "graph/graph_private.h"
#include "paths/selection.h"

#include <stdlib.h>
#include <string.h>

typedef struct unnamed {
    const lg_graph *graph;
    const lg_monitor *monitor;
    const char *whole;
    const char *text; // the text behind `garbage: `
    lg__finder finder;
    lg_text title;
    lg__gathered found;
    lg_error *err;
} unnamed;

// Returns the length of a name if the text begins with it; else 0.
static size_t
length_of(const char *text, lg_string name)
{
    bool begins = name.length > 0 &&
                  strncmp(text, name.data, name.length) == 0 &&
                  strchr(" .[", text[name.length]) != NULL;
    return begins ? name.length : 0;
}

lg_status
lg__titled_follow(const lg_graph *graph, const char *text, const char *whole,
                  uint32_t node, lg_text *title, uint32_t *target,
                  lg_error *err)
{
    title->length = 0;
    lg__format_node(graph, node, title);
    if (title->failed)
        return lg__error_memory(err);
    size_t length =
        length_of(text, (lg_string){title->data, (uint32_t)title->length});
    if (length == 0)
        length = length_of(text, lg__node_kind(graph, node));
    if (length == 0)
        return LG_ENOTFOUND;
    lg_status status =
        lg__steps_follow(graph, text + length, whole, node, target, NULL);
    if (status == LG_ENOMEM)
        return lg__error_memory(err);
    return status == LG_OK ? LG_OK : LG_ENOTFOUND;
}

static lg_status
is_garbage(unnamed *state, uint32_t node, bool *garbage)
{
    lg_path path;
    lg_status status = lg__finder_path(&state->finder, node, state->monitor,
                                       &path, state->err);
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
    lg_status status =
        lg__titled_follow(state->graph, state->text, state->whole, node,
                          &state->title, &target, state->err);
    if (status == LG_OK && !native)
        status = is_garbage(state, target, &wanted);
    if (status != LG_OK || !wanted)
        return status == LG_ENOTFOUND ? LG_OK : status;
    return lg__gather_append(&state->found, target)
               ? LG_OK
               : lg__error_memory(state->err);
}

bool
lg__select_goes_on(const lg_monitor *monitor, uint32_t i, uint32_t count,
                   lg_error *err)
{
    enum { EVERY = 1 << 12 };
    return i % EVERY != 0 || lg__monitor_goes_on(monitor, "looking for objects",
                                                 (double)i / count, err);
}

static lg_status
take_all(unnamed *state, bool native)
{
    const lg_graph *graph = state->graph;
    uint32_t count = native ? graph->root_count : graph->columns.node_count;
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < count && status == LG_OK; i++) {
        if (!lg__select_goes_on(state->monitor, i, count, state->err))
            return LG_ECANCELLED;
        if (!native)
            status = take(state, i, false);
        else if (graph->root_kind[i] == LG_ROOT_NATIVE)
            status = take(state, graph->root_node[i], true);
    }
    return status;
}

lg_status
lg__nodes_take(lg__gathered *found, const char *text, lg_nodes *out,
               lg_error *err)
{
    if (found->count == 0)
        return lg_error_set(err, LG_ENOTFOUND,
                            "'%.100s' leads to no object: write the number "
                            "that reports show with the object, such as #17",
                            text);
    *out =
        (lg_nodes){found->items, lg__nodes_unify(found->items, found->count)};
    *found = (lg__gathered){0};
    return LG_OK;
}

// Gathers what no root reaches.
static lg_status
gather_garbage(const lg_graph *graph, const lg_monitor *monitor,
               lg__gathered *out, lg_error *err)
{
    lg__roottree tree;
    lg_status status = lg__roottree_new(graph, monitor, &tree, err);
    if (status != LG_OK)
        return status;
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint32_t seen = lg__seen_node(tree.walk.fold, node);
        if (tree.before[seen] == LG_NONE &&
            !(graph->columns.node_flags[node] & LG_NODE_IMMORTAL) &&
            !lg__gather_append(out, node))
            status = lg__error_memory(err);
    }
    lg__roottree_free(&tree);
    return status;
}

static lg_status
gather_native(const lg_graph *graph, const lg_monitor *monitor,
              lg__gathered *out, lg_error *err)
{
    for (uint32_t i = 0; i < graph->root_count; i++) {
        if (!lg__select_goes_on(monitor, i, graph->root_count, err))
            return LG_ECANCELLED;
        if (graph->root_kind[i] == LG_ROOT_NATIVE &&
            !lg__gather_append(out, graph->root_node[i]))
            return lg__error_memory(err);
    }
    return LG_OK;
}

// Selects what `gather` finds; `none` is the message if that is nothing.
static lg_status
select_gathered(const lg_graph *graph, const char *text,
                lg_status gather(const lg_graph *, const lg_monitor *,
                                 lg__gathered *, lg_error *),
                const lg_monitor *monitor, const char *none, lg_nodes *out,
                lg_error *err)
{
    lg__gathered found = {0};
    lg_status status = gather(graph, monitor, &found, err);
    if (status == LG_OK && found.count == 0)
        status = lg_error_set(err, LG_ENOTFOUND, "%s", none);
    if (status == LG_OK)
        status = lg__nodes_take(&found, text, out, err);
    lg__wide_free(found.items);
    return status;
}

lg_status
lg__garbage_select(const lg_graph *graph, const lg_monitor *monitor,
                   lg_nodes *out, lg_error *err)
{
    return select_gathered(graph, "garbage", gather_garbage, monitor,
                           "there is no garbage: roots reach every object", out,
                           err);
}

lg_status
lg__native_select(const lg_graph *graph, const lg_monitor *monitor,
                  lg_nodes *out, lg_error *err)
{
    return select_gathered(graph, "native code", gather_native, monitor,
                           "native code keeps no object of its own", out, err);
}

lg_status
lg__unnamed_select(const lg_graph *graph, const char *text,
                   const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    unnamed state = {.graph = graph,
                     .monitor = monitor,
                     .whole = text,
                     .text = strstr(text, ": ") + 2,
                     .finder = {.graph = graph},
                     .err = err};
    lg_status status = take_all(&state, strncmp(text, "native", 6) == 0);
    if (status == LG_OK)
        status = lg__nodes_take(&state.found, text, out, err);
    lg__wide_free(state.found.items);
    lg_text_free(&state.title);
    lg__finder_free(&state.finder);
    return status;
}
