// Resolves the texts by which reports name objects, which somebody may paste as
// a selector. Such a text says less than a path: a title with a number, the
// kind of a holder, or a path with a gap. So several objects may match.
#include "graph/graph_private.h"
#include "paths/selection.h"

#include <leakgraph/internal/hops.h>

#include <stdlib.h>
#include <string.h>

// Reads an object as reports write it: `list of 2 #17`, also behind its place.

// Returns where the last part of a line of a report begins, behind two spaces.
static const char *
last_cell(const char *text)
{
    const char *cell = text;
    for (const char *next; (next = strstr(cell, "  ")) != NULL;)
        cell = next + strspn(next, " ");
    return cell;
}

static lg_status
has_title(const lg_graph *graph, uint32_t node, const char *cell, bool *out,
          lg_error *err)
{
    lg_text title = {0};
    lg_node_title(graph, node, false, &title);
    bool failed = title.failed;
    *out = !failed && title.length > 0 &&
           strncmp(cell, title.data, title.length) == 0 &&
           cell[title.length] == ' ';
    lg_text_free(&title);
    return failed ? lg__error_memory(err) : LG_OK;
}

lg_status
lg__numbered_find(const lg_graph *graph, const char *text, uint32_t *out,
                  lg_error *err)
{
    const char *cell = last_cell(text);
    const char *number = strrchr(cell, '#');
    bool found = false;
    char *end;
    if (number == NULL || number == cell || number[-1] != ' ' ||
        strspn(number + 1, "0123456789") == 0)
        return LG_ENOTFOUND;
    unsigned long long node = strtoull(number + 1, &end, 10);
    if (*end != '\0' || node >= graph->columns.node_count)
        return LG_ENOTFOUND;
    lg_status status = has_title(graph, (uint32_t)node, cell, &found, err);
    if (status == LG_OK && !found)
        status = LG_ENOTFOUND;
    if (status == LG_OK)
        *out = (uint32_t)node;
    return status;
}

// Selects what reports describe by an analysis, because no root leads there:
// `the interpreter`, `garbage: a cycle of 4 objects`, `garbage below dict of
// 3`.

typedef struct search {
    const lg_graph *graph;
    lg_analysis *analysis;
    const lg_monitor *monitor;
    const char *text; // what follows `garbage` or `garbage below `
    lg__hop_walk walk;
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

// Resolves places that reports write for what no module and no thread leads to:
// the kind of an object, and the steps from there. Several objects may match.
// Without steps, all of them do.

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

// Returns the length of a name if the text begins with it; else 0.
static size_t
length_of(const char *text, lg_string name)
{
    bool begins = name.length > 0 &&
                  strncmp(text, name.data, name.length) == 0 &&
                  strchr(" .[", text[name.length]) != NULL;
    return begins ? name.length : 0;
}

// Follows the steps that a text has behind the node's title, as reports write
// it. LG_ENOTFOUND, without a message, if the text does not begin with the
// title, or if the steps lead to nothing. `title` is scratch; `whole` is for
// messages.
static lg_status
titled_follow(const lg_graph *graph, const char *text, const char *whole,
              uint32_t node, lg_text *title, uint32_t *target, lg_error *err)
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
take(unnamed *state, uint32_t node, bool native)
{
    uint32_t target = LG_NONE;
    bool wanted = true;
    lg_status status = titled_follow(state->graph, state->text, state->whole,
                                     node, &state->title, &target, state->err);
    if (status == LG_OK && !native)
        status = is_garbage(state, target, &wanted);
    if (status != LG_OK || !wanted)
        return status == LG_ENOTFOUND ? LG_OK : status;
    return lg__gather_append(&state->found, target)
               ? LG_OK
               : lg__error_memory(state->err);
}

static lg_status
select_by(const lg_graph *graph, const char *whole, const char *text,
          const lg_monitor *monitor, lg_status find(search *, lg_error *),
          lg_nodes *out, lg_error *err)
{
    search state = {.graph = graph,
                    .monitor = monitor,
                    .text = text,
                    .walk = {.graph = graph, .everything = true}};
    lg_status status = analyse(graph, monitor, &state.analysis, err);
    if (status == LG_OK)
        status = find(&state, err);
    if (status == LG_OK)
        status = lg__nodes_take(&state.found, whole, out, err);
    lg__free(state.found.items);
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

// Resolves paths that reports write through an autograd graph: of several
// steps, such a path names only the last node. Several nodes may match.

typedef struct elided {
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__select *select; // resolves what stands before the first gap
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
append_node(elided *state, lg__gathered *to, uint32_t node)
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
        append_node(state, &state->nodes, hop->target);
    }
    return !state->failed;
}

static void
go_back(elided *state, const lg_nodes *from)
{
    lg__hop_walk walk = {.graph = state->graph,
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
take_behind(elided *state, uint32_t node)
{
    uint32_t target;
    lg_status status = titled_follow(state->graph, state->rest, state->whole,
                                     node, &state->title, &target, state->err);
    if (status == LG_OK)
        append_node(state, &state->found, target);
    return status == LG_ENOTFOUND ? LG_OK : status;
}

static lg_status
take_all_behind(elided *state, const lg_nodes *from)
{
    lg_status status = LG_OK;
    go_back(state, from);
    for (size_t i = 0; i < state->nodes.count && status == LG_OK; i++)
        status = take_behind(state, state->nodes.items[i]);
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
                           : state->select(state->graph, part.data,
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
    lg_status status = part.failed ? lg__error_memory(state->err)
                                   : take_all_behind(state, &from);
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
lg__elided_select(const lg_graph *graph, const char *text, lg__select *select,
                  const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    elided state = {.graph = graph,
                    .monitor = monitor,
                    .select = select,
                    .whole = text,
                    .seen = lg__alloc((size_t)graph->columns.node_count + 1),
                    .err = err};
    lg_nodes nodes = {0};
    lg_status status =
        state.seen == NULL ? lg__error_memory(err) : cross_all(&state, &nodes);
    if (status == LG_OK)
        *out = nodes;
    else
        lg_nodes_free(&nodes);
    lg__free(state.nodes.items);
    lg__free(state.found.items);
    lg_text_free(&state.title);
    lg__free(state.seen);
    return status;
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
    lg__free(found.items);
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
    lg__free(state.found.items);
    lg_text_free(&state.title);
    lg__finder_free(&state.finder);
    return status;
}
