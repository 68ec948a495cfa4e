// What makes one path from a root better than another: the rank of its root,
// and how much each hop tells.
#include "paths/path_hops.h"
#include "paths/measure.h"
#include "paths/penalties.h"

#include <limits.h>
#include <string.h>

// Returns whether it is the purpose of a module to refer to other objects.
static bool
is_bookkeeping(lg_string name)
{
    static const char *const names[] = {
        "sys",
        "gc",
        "builtins",
        "linecache",
        "IPython",
        "ipykernel",
        "weakref",
        "_weakrefset",
        "atexit",
        "functools",
        "logging",
        "warnings",
        "importlib",
        "_frozen_importlib",
        "_frozen_importlib_external",
    };
    lg_string top = name;
    for (uint32_t i = 0; i < name.length && top.length == name.length; i++)
        if (name.data[i] == '.')
            top.length = i;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(top, names[i]))
            return true;
    return false;
}

uint8_t
lg__root_rank(const lg_graph *graph, uint32_t index)
{
    lg_root root = lg_graph_root(graph, index);
    switch (root.kind) {
    case LG_ROOT_THREAD:
    case LG_ROOT_GIVEN:
        return LG__RANK_THREAD;
    case LG_ROOT_MODULE:
        return is_bookkeeping(root.name) ? LG__RANK_BOOKKEEPING
                                         : LG__RANK_USER_MODULE;
    case LG_ROOT_INTERPRETER:
        return LG__RANK_INTERPRETER;
    case LG_ROOT_STATIC:
        return LG__RANK_STATIC;
    default:
        return LG__RANK_NATIVE;
    }
}

lg_path
lg__path_at(const lg__hop_walk *walk, uint32_t node)
{
    lg_path path = {.start = LG_STARTS_AT_NODE, .root = {.name = {"", 0}}};
    unsigned least = LG__RANK_NONE;
    for (uint32_t i = 0; i < walk->graph->root_count; i++) {
        uint32_t at = walk->graph->root_node[i];
        if ((at == node || lg__fold_owner(walk->fold, at) == node) &&
            lg__root_rank(walk->graph, i) < least) {
            least = lg__root_rank(walk->graph, i);
            path.start = LG_STARTS_AT_ROOT;
            path.root = lg_graph_root(walk->graph, i);
        }
    }
    path.root.node = node;
    return path;
}

// Returns whether the text is the name of a thing in the module: no more than
// one part behind that of the module.
static bool
is_name_in(lg_string name, lg_string module)
{
    return name.length > module.length + 1 &&
           memcmp(name.data, module.data, module.length) == 0 &&
           name.data[module.length] == '.' &&
           memchr(name.data + module.length + 1, '.',
                  name.length - module.length - 1) == NULL;
}

// Returns whether a module names a class that another module defines, or an
// object of such a class: `from a import B`.
static bool
is_imported(const lg_graph *graph, const lg_hop *hop)
{
    if (lg__node_category(graph, hop->source) != LG_CATEGORY_MODULE)
        return false;
    lg_string module = lg_node_text(graph, hop->source);
    lg_category category = lg__node_category(graph, hop->target);
    uint32_t type = graph->columns.type[hop->target];
    lg_string name = category == LG_CATEGORY_TYPE
                         ? lg_node_text(graph, hop->target)
                         : lg_graph_type(graph, type).name;
    bool named = category == LG_CATEGORY_TYPE ||
                 (category == LG_CATEGORY_OTHER && name.length > 0 &&
                  memchr(name.data, '.', name.length) != NULL);
    return named && !is_name_in(name, module);
}

// How little a reference tells a reader. Among paths of equal length, the one
// with the least sum wins. A kind that is not listed costs nothing, because the
// source names it: `.x`, `[0]` or a local variable.
const uint8_t lg__penalties[LG_EDGE_KIND_COUNT] = {
    // Every instance refers to its class, and every function to its globals.
    // Such a path shows where code comes from, not what keeps data. It must
    // lose even against some references without a name.
    [LG_EDGE_TYPE] = 16,
    [LG_EDGE_GLOBALS] = 16,
    // These hold data, but nothing in the source names them.
    [LG_EDGE_REFERENCE] = 4,
    [LG_EDGE_FIELD] = 4,
    [LG_EDGE_NATIVE] = 4,
    // These have a place but seldom matter: readers look for the value rather
    // than its key, and the next instruction drops a temporary.
    [LG_EDGE_KEY] = 2,
    [LG_EDGE_STACK] = 2,
};
// The module that defines a class comes before those that import it, or an
// object of it. This cost is the smallest, because nothing else should depend
// on it.
enum { PENALTY_IMPORTED = 1 };

unsigned
lg__hop_penalty(const lg_graph *graph, const lg_hop *hop)
{
    unsigned penalty = is_imported(graph, hop) ? PENALTY_IMPORTED : 0;
    for (uint32_t i = 0; i < hop->edge_count; i++)
        penalty += lg__penalties[lg__edge_kind(graph, hop->edges[i])];
    return penalty;
}

unsigned
lg__hop_choose(const lg_graph *graph, const lg_hop *hop, lg_hop *best)
{
    unsigned penalty = lg__hop_penalty(graph, hop);
    unsigned least =
        best->edge_count > 0 ? lg__hop_penalty(graph, best) : UINT_MAX;
    if (penalty >= least)
        return least;
    *best = *hop;
    return penalty;
}

typedef struct choice {
    const lg_graph *graph;
    uint32_t source;
    uint32_t target;
    lg_hop best;
} choice;

static bool
choose(void *context, const lg_hop *hop)
{
    choice *state = context;
    if (hop->weak || hop->source != state->source ||
        hop->target != state->target)
        return true;
    return lg__hop_choose(state->graph, hop, &state->best) > 0;
}

// Returns whether searching backward is shorter: a list of a million has a
// million hops out, but its element has few in.
static bool
is_shorter_backwards(const lg__hop_walk *walk, uint32_t source, uint32_t target)
{
    const uint32_t *first = walk->graph->columns.first_edge;
    return walk->reverse.first != NULL && lg__count_in(&walk->reverse, target) <
                                              first[source + 1] - first[source];
}

lg_hop
lg__hop_between(const lg__hop_walk *walk, uint32_t source, uint32_t target)
{
    choice made = {.graph = walk->graph, .source = source, .target = target};
    lg__hop_walk again = *walk;
    again.visit = choose;
    again.context = &made;
    if (is_shorter_backwards(walk, source, target))
        lg__hops_in_walk(&again, target);
    else
        lg__hops_out_walk(&again, source);
    return made.best;
}
