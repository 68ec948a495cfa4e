// Restricts an answer to what some modules hold: the program's own, or those
// with a certain name.
//
// A module keeps a node by its names, or by the locals of its running
// functions. A path is followed only up to the first node whose keeper is
// known, and then all nodes on it have theirs. So all questions together cost
// O(nodes).
#include "paths/paths_private.h"
#include "paths/keepers.h"
#include "paths/root_tree.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
keeper_of_root(const lg__roottree *tree, uint32_t node)
{
    lg_root root =
        lg_graph_root(tree->walk.graph, lg__roottree_root(tree, node));
    switch (root.kind) {
    case LG_ROOT_MODULE:
        return node;
    case LG_ROOT_THREAD:
        return LG__KEPT_BY_PROGRAM;
    case LG_ROOT_INTERPRETER:
    case LG_ROOT_STATIC:
        return LG__KEPT_BY_INTERPRETER;
    default:
        return LG_NONE;
    }
}

// Returns the keeper of a node from that of its predecessor on the path,
// `before`.
static uint32_t
keeper_behind(const lg_graph *graph, uint32_t node, uint32_t before)
{
    return before == LG__KEPT_BY_PROGRAM &&
                   lg__node_category(graph, node) == LG_CATEGORY_FRAME
               ? lg__frame_module(graph, node)
               : before;
}

// The column has keepers plus this, so that 0 means that nobody has looked for
// one yet.
enum { SHIFT = 4 };

static void
set(lg__keepers *keepers, uint32_t node, uint32_t keeper)
{
    keepers->shifted[node] = keeper + SHIFT;
}

// Returns the keeper of a root, or of a node that no root reaches.
static uint32_t
keeper_of_end(const lg__roottree *tree, uint32_t node)
{
    return lg__roottree_before(tree, node) == node ? keeper_of_root(tree, node)
                                                   : LG_NONE;
}

// Finds the keepers of the node and of those on its path.
static void
follow(lg__keepers *keepers, uint32_t node)
{
    const lg__roottree *tree = &keepers->tree;
    lg__gathered *path = &keepers->path;
    uint32_t at = node;
    path->count = 0;
    uint32_t before = lg__roottree_before(tree, at);
    while (keepers->shifted[at] == 0 && before != LG_NONE && before != at) {
        if (!lg__gather_append(path, at)) {
            keepers->failed = true;
            return;
        }
        at = before;
        before = lg__roottree_before(tree, at);
    }
    if (keepers->shifted[at] == 0)
        set(keepers, at, keeper_of_end(tree, at));
    before = keepers->shifted[at] - SHIFT;
    while (path->count > 0) {
        at = path->items[--path->count];
        before = keeper_behind(tree->walk.graph, at, before);
        set(keepers, at, before);
    }
}

lg_status
lg__keepers_begin(const lg_graph *graph, const lg_monitor *monitor,
                  lg__keepers *out, lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    lg__keepers made = {0};
    lg_status status = lg__roottree_new(graph, monitor, &made.tree, err);
    if (status != LG_OK)
        return status;
    made.shifted = lg__calloc(nodes, sizeof *made.shifted);
    if (made.shifted == NULL) {
        lg__keepers_end(&made);
        return lg__error_memory(err);
    }
    *out = made;
    return LG_OK;
}

uint32_t
lg__keepers_of(lg__keepers *keepers, uint32_t node)
{
    uint32_t seen = lg__seen_node(keepers->tree.walk.fold, node);
    if (keepers->shifted[seen] == 0)
        follow(keepers, seen);
    return keepers->failed ? LG_NONE : keepers->shifted[seen] - SHIFT;
}

void
lg__keepers_end(lg__keepers *keepers)
{
    lg__free(keepers->path.items);
    lg__free(keepers->shifted);
    lg__roottree_free(&keepers->tree);
    *keepers = (lg__keepers){0};
}

struct lg_scope {
    const lg_graph *graph;
    bool mine;      // only the program's own modules
    char *glob;     // only modules whose name matches; NULL: any
    uint8_t *has;   // [node] whether the scope has it
    uint8_t *known; // [node] for a module, whether it is one of them
};

static bool
is_wanted(const lg_scope *scope, uint32_t module)
{
    if (scope->mine && lg__module_is_library(scope->graph, module))
        return false;
    return scope->glob == NULL ||
           lg__glob_matches(scope->glob, strlen(scope->glob),
                            lg_node_text(scope->graph, module));
}

// Offers the names of the program's modules, or of libraries, to a guess.
// Returns whether one matches.
static bool
offer_names(const lg_scope *scope, bool libraries, lg__guess *guess)
{
    const lg_graph *graph = scope->graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        lg_root root = lg_graph_root(graph, i);
        if (root.kind != LG_ROOT_MODULE ||
            lg__module_is_library(graph, root.node) != libraries)
            continue;
        if (lg__glob_matches(scope->glob, strlen(scope->glob), root.name))
            return true;
        lg__guess_offer(guess, root.name);
    }
    return false;
}

static lg_status
check_name(const lg_scope *scope, lg_error *err)
{
    lg__guess guess = lg__guess_new(scope->glob, strlen(scope->glob));
    if (offer_names(scope, false, &guess) || offer_names(scope, true, &guess))
        return LG_OK;
    if (guess.best.length > 0)
        return lg_error_set(
            err, LG_ENOTFOUND, "no module matches '%s'; did you mean '%.*s'?",
            scope->glob, (int)guess.best.length, guess.best.data);
    return lg_error_set(err, LG_ENOTFOUND, "no module matches '%s'",
                        scope->glob);
}

// Decides by the class of a node that no module holds: all but the last part of
// the class's name is the module.
static bool
is_of_wanted_class(const lg_scope *scope, uint32_t node)
{
    const lg_graph *graph = scope->graph;
    lg_string name =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    if (scope->mine && lg__node_origin(graph, node, NULL) != LG__ORIGIN_PROGRAM)
        return false;
    while (name.length > 0 && name.data[name.length - 1] != '.')
        name.length--;
    name.length -= name.length > 0;
    return scope->glob == NULL ||
           lg__glob_matches(scope->glob, strlen(scope->glob), name);
}

enum { NO = 1, YES = 2 };

static bool
is_of_module(lg_scope *scope, uint32_t module)
{
    if (scope->known[module] == 0)
        scope->known[module] = is_wanted(scope, module) ? YES : NO;
    return scope->known[module] == YES;
}

static bool
is_kept(lg_scope *scope, uint32_t node, uint32_t keeper)
{
    const lg_graph *graph = scope->graph;
    if (keeper == LG_NONE)
        return is_of_wanted_class(scope, node);
    if (keeper == LG__KEPT_BY_PROGRAM)
        return scope->glob == NULL;
    if (keeper != LG__KEPT_BY_INTERPRETER && is_of_module(scope, keeper))
        return true;
    return scope->glob == NULL &&
           lg__node_category(graph, node) == LG_CATEGORY_FIGURE;
}

static lg_status
mark(lg_scope *scope, const lg_monitor *monitor, lg_error *err)
{
    uint32_t nodes = scope->graph->columns.node_count;
    lg__keepers keepers = {0};
    scope->known = lg__calloc((size_t)nodes + 1, 1);
    scope->has = lg__alloc((size_t)nodes + 1);
    if (scope->known == NULL || scope->has == NULL)
        return lg__error_memory(err);
    lg_status status = lg__keepers_begin(scope->graph, monitor, &keepers, err);
    for (uint32_t node = 0; node < nodes && status == LG_OK; node++)
        scope->has[node] = is_kept(scope, node, lg__keepers_of(&keepers, node));
    if (keepers.failed)
        status = lg__error_memory(err);
    lg__keepers_end(&keepers);
    return status;
}

lg_status
lg_scope_new(const lg_graph *graph, bool mine, const char *module,
             const lg_monitor *monitor, lg_scope **out, lg_error *err)
{
    if (!mine && module == NULL) {
        *out = NULL;
        return LG_OK;
    }
    lg_scope *scope = lg__calloc(1, sizeof *scope);
    if (scope == NULL)
        return lg__error_memory(err);
    *scope = (lg_scope){
        .graph = graph, .mine = mine, .glob = module ? strdup(module) : NULL};
    lg_status status =
        module != NULL && scope->glob == NULL ? lg__error_memory(err) : LG_OK;
    if (status == LG_OK && module != NULL)
        status = check_name(scope, err);
    if (status == LG_OK)
        status = mark(scope, monitor, err);
    if (status == LG_OK)
        *out = scope;
    else
        lg_scope_free(scope);
    return status;
}

bool
lg_scope_has(const lg_scope *scope, lg_node node)
{
    return scope == NULL || scope->has[node];
}

const uint8_t *
lg__scope_marks(const lg_scope *scope)
{
    return scope != NULL ? scope->has : NULL;
}

bool
lg__scope_runs(const lg_scope *scope, uint32_t frame)
{
    if (scope == NULL)
        return true;
    uint32_t module = lg__frame_module(scope->graph, frame);
    return module == LG__KEPT_BY_PROGRAM ? scope->glob == NULL
                                         : is_wanted(scope, module);
}

void
lg_scope_free(lg_scope *scope)
{
    if (scope == NULL)
        return;
    lg__free(scope->known);
    lg__free(scope->has);
    free(scope->glob);
    lg__free(scope);
}
