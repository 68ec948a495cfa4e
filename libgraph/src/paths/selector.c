// Resolves selectors: the text that names objects.
#include "paths/selection.h"
#include "graph/graph_private.h"

#include <leakgraph/internal/growth.h>
#include <leakgraph/internal/hops.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
        if (lg__roottree_before(&tree, node) == LG_NONE &&
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
        state->walk.fold, lg__shown_dominator(state->analysis, node));
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
        if (lg__roottree_before(&tree, seen) == LG_NONE &&
            !(lg_columns_flags(&graph->columns, node) & LG_NODE_IMMORTAL) &&
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

static lg_status
select_unnamed(const lg_graph *graph, const char *text,
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

static lg_status
select_garbage(const lg_graph *graph, const char *text,
               const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    return select_gathered(graph, text, gather_garbage, monitor,
                           "there is no garbage: roots reach every object", out,
                           err);
}

static lg_status
select_native(const lg_graph *graph, const char *text,
              const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    return select_gathered(graph, text, gather_native, monitor,
                           "native code keeps no object of its own", out, err);
}

static lg_status
select_interpreters(const lg_graph *graph, const char *text,
                    const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    return select_by(graph, text, NULL, monitor, take_interpreters, out, err);
}

static lg_status
select_cycles(const lg_graph *graph, const char *text,
              const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    return select_by(graph, text, text + strlen("garbage"), monitor,
                     take_cycles, out, err);
}

static lg_status
select_below(const lg_graph *graph, const char *text, const lg_monitor *monitor,
             lg_nodes *out, lg_error *err)
{
    return select_by(graph, text, text + strlen("garbage below "), monitor,
                     take_below, out, err);
}

// What such a text begins with, or is as a whole. The first one that fits
// counts.
static const struct form {
    const char *text;
    bool whole;
    lg__select *select;
} forms[] = {
    {"garbage", true, select_garbage},
    {"native code", true, select_native},
    {"the interpreter", true, select_interpreters},
    {"garbage: a cycle of ", false, select_cycles},
    {"garbage below ", false, select_below},
    {"native code: ", false, select_unnamed},
    {"garbage: ", false, select_unnamed},
};

static const struct form *
form_of(const char *text)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t length = strlen(forms[i].text);
        if (strncmp(text, forms[i].text, length) == 0 &&
            forms[i].whole == (text[length] == '\0'))
            return &forms[i];
    }
    return NULL;
}

static lg_status
malformed(const char *selector, lg_error *err)
{
    return lg_error_set(
        err, LG_EINVAL,
        "cannot read the selector '%.100s': write node:17 or #17, an address "
        "such as 0x7f1200, type:torch.Tensor (with * for any text, a trailing "
        "+ for subclasses too), name:train.losses[0]['x'].y (also without "
        "name:), module:train, or garbage",
        selector);
}

static bool
read_number(const char *digits, int base, uint64_t *out)
{
    char *end;
    if (strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789") !=
            strlen(digits) ||
        *digits == '\0')
        return false;
    errno = 0;
    *out = strtoull(digits, &end, base);
    return errno == 0;
}

static lg_status
select_node(const lg_graph *graph, const char *digits, const char *selector,
            lg_nodes *out, lg_error *err)
{
    uint64_t node;
    if (!read_number(digits, 10, &node))
        return malformed(selector, err);
    if (node >= graph->columns.node_count)
        return lg_error_set(err, LG_ENOTFOUND,
                            "there is no %s: nodes go from 0 to %lld", selector,
                            (long long)graph->columns.node_count - 1);
    return lg__nodes_one((uint32_t)node, out, err);
}

static lg_status
select_address(const lg_graph *graph, const char *selector, lg_nodes *out,
               lg_error *err)
{
    uint64_t address;
    if (!read_number(selector + 2, 16, &address))
        return malformed(selector, err);
    uint32_t node = lg_graph_find(graph, address);
    if (node == LG_NONE)
        return lg_error_set(err, LG_ENOTFOUND, "no object is at %s", selector);
    return lg__nodes_one(node, out, err);
}

// Finds the one node that a text names.
typedef lg_status finder(const lg_graph *graph, const char *text,
                         uint32_t *node, lg_error *err);

static lg_status
select_found(const lg_graph *graph, const char *text, finder *find,
             lg_nodes *out, lg_error *err)
{
    uint32_t node;
    lg_status status = find(graph, text, &node, err);
    return status == LG_OK ? lg__nodes_one(node, out, err) : status;
}

static lg_status
select_module(const lg_graph *graph, const char *name, lg_nodes *out,
              lg_error *err)
{
    uint32_t root = lg__module_find(graph, name, strlen(name));
    if (root != LG_NONE)
        return lg__nodes_one(graph->root_node[root], out, err);
    lg__guess guess = lg__guess_new(name, strlen(name));
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] == LG_ROOT_MODULE)
            lg__guess_offer(&guess,
                            lg_graph_string(graph, graph->root_name[i]));
    if (guess.best.length == 0)
        return lg_error_set(err, LG_ENOTFOUND, "there is no module:%.200s",
                            name);
    return lg_error_set(err, LG_ENOTFOUND,
                        "there is no module:%.200s; did you mean module:%.*s?",
                        name, (int)guess.best.length, guess.best.data);
}

// Marks the types whose name matches, and with a trailing `+` also their
// subclasses. Returns false if there is none.
static bool
mark_types(const lg_graph *graph, const char *pattern, bool *marked)
{
    size_t length = strlen(pattern);
    bool subclasses = length > 1 && pattern[length - 1] == '+';
    bool any = false;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        lg_type about = lg_graph_type(graph, type);
        uint32_t looked_at = subclasses ? about.mro_count : 1;
        for (uint32_t i = 0; i < looked_at && !marked[type]; i++)
            marked[type] = lg__glob_matches(
                pattern, length - subclasses,
                lg_graph_string(graph, graph->type_name[about.mro[i]]));
        any |= marked[type];
    }
    return any;
}

static lg_status
no_type(const lg_graph *graph, const char *pattern, bool known, lg_error *err)
{
    if (known)
        return lg_error_set(err, LG_ENOTFOUND,
                            "there is no instance of type:%.200s", pattern);
    size_t length = strlen(pattern);
    if (length > 1 && pattern[length - 1] == '+')
        length--;
    lg__guess guess = lg__guess_new(pattern, length);
    for (uint32_t type = 0; type < graph->type_count; type++)
        lg__guess_offer(&guess, lg_graph_string(graph, graph->type_name[type]));
    if (guess.best.length == 0)
        return lg_error_set(err, LG_ENOTFOUND, "there is no type:%.200s",
                            pattern);
    return lg_error_set(err, LG_ENOTFOUND,
                        "there is no type:%.200s; did you mean type:%.*s?",
                        pattern, (int)guess.best.length, guess.best.data);
}

static lg_status
collect_marked(const lg_graph *graph, const bool *marked, lg_nodes *out,
               lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    size_t count = 0;
    for (uint32_t node = 0; node < columns->node_count; node++)
        count += marked[lg_columns_type(columns, node)];
    if (count == 0)
        return LG_ENOTFOUND;
    uint32_t *items = lg__alloc(count * sizeof *items);
    if (items == NULL)
        return lg__error_memory(err);
    *out = (lg_nodes){items, count};
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (marked[lg_columns_type(columns, node)])
            *items++ = node;
    return LG_OK;
}

static lg_status
select_type(const lg_graph *graph, const char *pattern, lg_nodes *out,
            lg_error *err)
{
    bool *marked = lg__calloc(graph->type_count, sizeof *marked);
    if (marked == NULL)
        return lg__error_memory(err);
    bool known = mark_types(graph, pattern, marked);
    lg_status status =
        known ? collect_marked(graph, marked, out, err) : LG_ENOTFOUND;
    if (status == LG_ENOTFOUND)
        status = no_type(graph, pattern, known, err);
    lg__free(marked);
    return status;
}

static const char *
after(const char *selector, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(selector, prefix, length) == 0 && selector[length] != '\0'
               ? selector + length
               : NULL;
}

// Finds the node of a text that follows `thread `: `MainThread in main()
// app.py:3 local x`.
static lg_status
thread_resolve(const lg_graph *graph, const char *name, uint32_t *out,
               lg_error *err)
{
    const char *rest = name;
    uint32_t node = lg__thread_begin(graph, &rest);
    if (node == LG_NONE)
        return lg_error_set(err, LG_ENOTFOUND,
                            "no thread begins 'thread %.200s'", name);
    return lg__steps_follow(graph, rest, name, node, out, err);
}

static lg_status
select_whole(const lg_graph *graph, const char *selector,
             const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    const char *rest;
    const struct form *form;
    if ((rest = after(selector, "node:")) || (rest = after(selector, "#")))
        return select_node(graph, rest, selector, out, err);
    if (after(selector, "0x") || after(selector, "0X"))
        return select_address(graph, selector, out, err);
    if ((rest = after(selector, "type:")))
        return select_type(graph, rest, out, err);
    if ((rest = after(selector, "name:")))
        return select_found(graph, rest, lg__name_resolve, out, err);
    if ((rest = after(selector, "module:")))
        return select_module(graph, rest, out, err);
    if ((form = form_of(selector)))
        return form->select(graph, selector, monitor, out, err);
    // This is how reports write paths.
    if ((rest = after(selector, "thread ")))
        return select_found(graph, rest, thread_resolve, out, err);
    if (lg__name_is_likely(selector))
        return select_found(graph, selector, lg__name_resolve, out, err);
    return malformed(selector, err);
}

// Native memory that grows has a row in reports, too.
static bool
is_native_memory(const char *text)
{
    for (int kind = 0; kind < LG_NATIVE_COUNT; kind++)
        if (strcmp(text, lg_native_kind_text((lg_native_kind)kind)) == 0)
            return true;
    return false;
}

// A key may look as if a report had left something out, or as a title does.
lg_status
lg_graph_select(const lg_graph *graph, const char *selector,
                const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    lg_nodes nodes;
    lg_error ignored;
    const char *name = after(selector, "name:");
    const char *text = name != NULL ? name : selector;
    lg_status status = select_whole(graph, selector, monitor, out, err);
    if (status != LG_ENOTFOUND && status != LG_EINVAL)
        return status;
    if (is_native_memory(text))
        return lg_error_set(err, LG_ENOTFOUND,
                            "'%s' is no object: `memory` accounts for it",
                            text);
    lg_status pasted =
        name != NULL ? select_whole(graph, name, monitor, &nodes, &ignored)
                     : LG_ENOTFOUND;
    if (pasted == LG_ENOTFOUND || pasted == LG_EINVAL)
        pasted = lg__pasted_select(graph, text, lg_graph_select, monitor,
                                   &nodes, &ignored);
    if (pasted == LG_ECANCELLED)
        return lg_error_set(err, pasted, "%s", ignored.message);
    if (pasted != LG_OK)
        return status;
    *out = nodes;
    return LG_OK;
}
