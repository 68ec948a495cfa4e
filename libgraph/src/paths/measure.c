// What makes one path from a root better than another: the rank of its root,
// how much each hop tells, and which objects its last step leads through. Finds
// the best hops from one object to several.
#include "paths/path_hops.h"
#include "paths/measure.h"

#include <limits.h>
#include <stdlib.h>
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
    uint32_t type = lg_columns_type(&graph->columns, hop->target);
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

// Makes the hop the best one if it has a smaller penalty, or if `best` has
// no edges yet. Returns the penalty of the best one.
static unsigned
hop_choose(const lg_graph *graph, const lg_hop *hop, lg_hop *best)
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
    return hop_choose(state->graph, hop, &state->best) > 0;
}

// Returns whether searching backward is shorter: a list of a million has a
// million hops out, but its element has few in.
static bool
is_shorter_backwards(const lg__hop_walk *walk, uint32_t source, uint32_t target)
{
    const lg_columns *columns = &walk->graph->columns;
    return walk->reverse.source != NULL &&
           lg__count_in(&walk->reverse, target) <
               lg_columns_first_edge(columns, source + 1) -
                   lg_columns_first_edge(columns, source);
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

lg_hop
lg__hop_below(const lg__hop_walk *walk, const lg_analysis *analysis,
              uint32_t object, uint32_t node)
{
    const lg_hop hop = lg__hop_between(walk, object, node);
    const uint32_t dominator = lg_node_dominator(analysis, node);
    const bool passed = hop.edge_count == 0 && dominator != LG_NONE &&
                        lg__passes_over(walk->graph, object, dominator);
    return passed ? lg__hop_between(walk, dominator, node) : hop;
}

// From this many targets on, looking at all hops out of the object is faster
// than looking for each.
enum { MANY = 8 };

// The penalty of no hop at all: more than any hop has.
enum { NO_HOP = UINT8_MAX };

typedef struct best_search {
    const lg__best_hops *room;
    const lg__hop_walk *walk;
    uint32_t source;
    const lg__gathered *targets;
    lg__best_hop *visit;
    void *context;
} best_search;

static bool
take(void *context, const lg_hop *hop)
{
    const best_search *search = context;
    uint32_t slot = search->room->slot[hop->target];
    if (slot == 0 || hop->weak)
        return true;
    unsigned penalty = lg__hop_penalty(search->walk->graph, hop);
    if (penalty < search->room->penalty[slot - 1]) {
        search->room->penalty[slot - 1] = (uint8_t)penalty;
        search->visit(search->context, slot - 1, hop);
    }
    return true;
}

// Each target has a slot while the hops out of the source are visited, so one
// pass serves all targets. Only the slots that were set are cleared, because
// the array has one for each node and serves many searches.
static void
find_many(best_search *search)
{
    static const lg_hop none = {0};
    const lg__best_hops *room = search->room;
    const lg__gathered *targets = search->targets;
    lg__hop_walk again = *search->walk;
    again.visit = take;
    again.context = search;
    memset(room->penalty, NO_HOP, targets->count);
    for (size_t i = 0; i < targets->count; i++)
        room->slot[targets->items[i]] = (uint32_t)i + 1;
    if (search->source < again.graph->columns.node_count)
        lg__hops_out_walk(&again, search->source);
    for (size_t i = 0; i < targets->count; i++) {
        room->slot[targets->items[i]] = 0;
        if (room->penalty[i] == NO_HOP)
            search->visit(search->context, i, &none);
    }
}

static void
find_few(best_search *search)
{
    const lg__hop_walk *walk = search->walk;
    for (size_t i = 0; i < search->targets->count; i++) {
        lg_hop hop = {0};
        if (search->source < walk->graph->columns.node_count)
            hop = lg__hop_between(walk, search->source,
                                  search->targets->items[i]);
        search->visit(search->context, i, &hop);
    }
}

static bool
make_room(lg__best_hops *room, const lg_graph *graph, size_t count)
{
    if (room->slot == NULL)
        room->slot = lg__sparse_calloc((size_t)graph->columns.node_count + 1,
                                       sizeof *room->slot);
    if (count > room->capacity) {
        lg__free(room->penalty);
        room->penalty = lg__alloc(2 * count);
        room->capacity = room->penalty == NULL ? 0 : 2 * count;
    }
    return room->slot != NULL && count <= room->capacity;
}

bool
lg__best_hops_find(lg__best_hops *room, const lg__hop_walk *walk,
                   uint32_t source, const lg__gathered *targets,
                   lg__best_hop *visit, void *context)
{
    best_search search = {room, walk, source, targets, visit, context};
    bool many = targets->count >= MANY;
    if (many && !make_room(room, walk->graph, targets->count))
        return false;
    (many ? find_many : find_few)(&search);
    return true;
}

void
lg__best_hops_free(lg__best_hops *room)
{
    lg__free(room->penalty);
    lg__free(room->slot);
    *room = (lg__best_hops){0};
}

// The last step of a path. A parameter of a module belongs to the module,
// though the path through the optimizer may be shorter. The rest of the path is
// the best one to the module's dict. A gradient belongs to its parameter in the
// same way, and a storage to the tensor that is one of these, unless it is a
// bucket of several.

// An object with more referrers, such as None, is no module's parameter.
enum { FEW = 1000 };

// torch.nn.Module names its own dicts `_parameters` and `_buffers`.
static bool
is_named_so(const lg_graph *graph, uint64_t edge)
{
    lg_string name = lg__edge_name(graph, edge);
    return lg__string_is(name, "_parameters") ||
           lg__string_is(name, "_buffers");
}

static bool
is_modules_dict(const lg_graph *graph, const lg__reverse *reverse,
                uint32_t dict)
{
    uint64_t begin = lg__first_in(reverse, dict);
    uint64_t end = lg__first_in(reverse, dict + 1);
    if (lg__node_category(graph, dict) != LG_CATEGORY_CONTAINER ||
        end - begin > FEW)
        return false;
    for (uint64_t i = begin; i < end; i++)
        if (is_named_so(graph, lg__in_number(reverse, i)))
            return true;
    return false;
}

typedef bool (*is_entrance)(const lg_graph *graph, const lg__reverse *reverse,
                            lg__in_edge in);

static uint32_t
find_source(const lg_graph *graph, const lg__reverse *reverse, uint32_t target,
            is_entrance suits)
{
    uint64_t end = lg__first_in(reverse, target + 1);
    if (end - lg__first_in(reverse, target) > FEW)
        return LG_NONE;
    for (uint64_t i = lg__first_in(reverse, target); i < end; i++) {
        lg__in_edge in = lg__in_at(reverse, i);
        if (suits(graph, reverse, in))
            return in.source;
    }
    return LG_NONE;
}

// Returns the source that suits; LG_NONE if several do.
static uint32_t
find_only_source(const lg_graph *graph, const lg__reverse *reverse,
                 uint32_t target, is_entrance suits)
{
    uint32_t found = find_source(graph, reverse, target, suits);
    uint64_t end = lg__first_in(reverse, target + 1);
    for (uint64_t i = lg__first_in(reverse, target);
         i < end && found != LG_NONE; i++) {
        lg__in_edge in = lg__in_at(reverse, i);
        if (in.source != found && suits(graph, reverse, in))
            found = LG_NONE;
    }
    return found;
}

static bool
comes_from_modules_dict(const lg_graph *graph, const lg__reverse *reverse,
                        lg__in_edge in)
{
    return lg__edge_kind(graph, in.edge) == LG_EDGE_VALUE &&
           is_modules_dict(graph, reverse, in.source);
}

static bool
comes_from_parameter(const lg_graph *graph, const lg__reverse *reverse,
                     lg__in_edge in)
{
    return lg__node_category(graph, in.source) == LG_CATEGORY_TENSOR &&
           lg__string_is(lg__edge_name(graph, in.edge), "grad") &&
           find_source(graph, reverse, in.source, comes_from_modules_dict) !=
               LG_NONE;
}

static bool
comes_from_module(const lg_graph *graph, const lg__reverse *reverse,
                  lg__in_edge in)
{
    return lg__node_category(graph, in.source) == LG_CATEGORY_TENSOR &&
           lg__edge_kind(graph, in.edge) == LG_EDGE_NATIVE &&
           (find_source(graph, reverse, in.source, comes_from_modules_dict) !=
                LG_NONE ||
            find_source(graph, reverse, in.source, comes_from_parameter) !=
                LG_NONE);
}

static bool
is_telling(const lg_path *path)
{
    return path->start == LG_STARTS_AT_ROOT &&
           path->root.kind != LG_ROOT_NATIVE;
}

uint32_t
lg__path_entrance(const lg__hop_walk *walk, uint32_t target)
{
    const lg_graph *graph = walk->graph;
    const lg__reverse *reverse = &walk->reverse;
    uint32_t entrance =
        find_source(graph, reverse, target, comes_from_modules_dict);
    if (entrance == LG_NONE &&
        lg__node_category(graph, target) == LG_CATEGORY_TENSOR)
        entrance = find_source(graph, reverse, target, comes_from_parameter);
    if (entrance == LG_NONE &&
        (lg_columns_flags(&graph->columns, target) & LG_NODE_BUFFER))
        entrance = find_only_source(graph, reverse, target, comes_from_module);
    if (entrance == LG_NONE)
        return LG_NONE;
    lg_path own = lg__path_at(walk, target);
    return is_telling(&own) ? LG_NONE : entrance;
}

bool
lg__entrance_has_one(const lg_graph *graph, uint32_t entrance)
{
    return lg__node_category(graph, entrance) == LG_CATEGORY_TENSOR;
}

bool
lg__path_enters(const lg_path *path, uint32_t target)
{
    bool passes = path->root.node == target;
    for (size_t i = 0; i < path->count; i++)
        passes |= path->hops[i].target == target;
    return !passes && is_telling(path);
}
