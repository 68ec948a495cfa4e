// Who owns what: dominators over the references of objects and the words that
// count, by the algorithm of Lengauer and Tarjan in the form of Georgiadis
// (semi-NCA). The analysis of the finished graph does not serve here, because
// it may need igraph, and nothing may be loaded in a forked child; and it would
// need a graph of all blocks, which the groups shall save.
//
// Numbers below are places in a depth-first order, from 1 on; 0 is none.
#include "native/native_private.h"

#include <string.h>

typedef struct reference_web {
    lg__native *native;
    uint64_t *first; // [vertices + 1] of each vertex's targets
    uint32_t *target;
    uint32_t *number; // [vertices] in depth-first order
    uint32_t *vertex; // [reached + 1] by number
    uint32_t *parent; // by number, in the tree of the search
    uint32_t count;   // reached
} reference_web;

static bool
is_implicit(const lg__native *native, uint32_t node)
{
    return native->policy.mark[node] &
           (LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE);
}

typedef void (*visit_target)(void *context, uint32_t source, uint32_t target);

// The references of an object, as an analysis sees them.
static void
visit_references(const lg__native *native, uint32_t node, visit_target visit,
                 void *context)
{
    const lg_columns *columns = &native->graph->columns;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (!(columns->edge_kind[edge] & LG_EDGE_WEAK) && target != node &&
            !is_implicit(native, target))
            visit(context, node, target);
    }
}

static void
visit_words(const lg__native *native, uint32_t vertex, visit_target visit,
            void *context)
{
    const lg__word *words = native->word.data;
    uint32_t block = lg__block_of_vertex(native, vertex);
    if (block == LG_NONE)
        return;
    for (uint64_t i = native->first_word[block];
         i < native->first_word[block + 1]; i++)
        if (lg__word_counts(native, vertex, &words[i]))
            visit(context, vertex, lg__vertex_of(native, words[i].target));
}

static void
visit_holder(const lg__native *native, uint32_t vertex, visit_target visit,
             void *context)
{
    const lg__outer_word *words = native->outer.data;
    uint32_t holder = vertex - native->nodes - native->blocks;
    for (uint64_t i = native->first_outer[holder];
         i < native->first_outer[holder + 1]; i++)
        if (lg__outer_counts(native, &words[i]))
            visit(context, vertex, lg__vertex_of(native, words[i].target));
}

static void
visit_root(const lg__native *native, visit_target visit, void *context)
{
    const uint32_t root = lg__native_root(native);
    const lg_graph *graph = native->graph;
    for (uint32_t holder = 0; holder < native->holders; holder++)
        visit(context, root, lg__native_holder(native, holder));
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (lg__root_counts(native, i) &&
            !(native->policy.mark[graph->root_node[i]] & LG__MARK_NAMESPACE))
            visit(context, root, graph->root_node[i]);
    for (uint32_t node = 0; node < native->nodes; node++)
        if ((native->policy.mark[node] & LG__MARK_IMPLICIT_ROOT) ||
            native->entrance[node])
            visit(context, root, node);
    for (uint32_t i = 0; i < native->policy.module_count; i++)
        visit(context, native->policy.modules[i].module,
              native->policy.modules[i].dict);
}

static void
visit_all(const lg__native *native, visit_target visit, void *context)
{
    for (uint32_t vertex = 0; vertex < native->vertices; vertex++) {
        if (vertex < native->nodes)
            visit_references(native, vertex, visit, context);
        if (vertex < native->nodes + native->blocks)
            visit_words(native, vertex, visit, context);
        else if (vertex != lg__native_root(native))
            visit_holder(native, vertex, visit, context);
    }
    visit_root(native, visit, context);
}

static void
count_target(void *context, uint32_t source, uint32_t target)
{
    (void)target;
    ((reference_web *)context)->first[source + 1]++;
}

static void
store_target(void *context, uint32_t source, uint32_t target)
{
    reference_web *web = context;
    web->target[web->first[source]++] = target;
}

// Lists the targets of every vertex.
static bool
weave(reference_web *web)
{
    lg__native *native = web->native;
    const size_t vertices = native->vertices;
    web->first = lg__native_take_zero(native, vertices + 1, 8);
    if (web->first == NULL)
        return false;
    visit_all(native, count_target, web);
    for (size_t i = 0; i < vertices; i++)
        web->first[i + 1] += web->first[i];
    web->target = lg__native_take(native, web->first[vertices], 4);
    if (web->target == NULL)
        return false;
    visit_all(native, store_target, web);
    for (size_t i = vertices; i > 0; i--)
        web->first[i] = web->first[i - 1];
    web->first[0] = 0;
    return true;
}

// Numbers the vertices depth first. `next` has the next target of each vertex
// that the search is in; the stack is the row of parents.
static bool
search(reference_web *web)
{
    lg__native *native = web->native;
    uint64_t *next = lg__native_take(native, native->vertices, 8);
    web->number = lg__native_take_zero(native, native->vertices, 4);
    web->vertex = lg__native_take(native, (size_t)native->vertices + 1, 4);
    web->parent = lg__native_take(native, (size_t)native->vertices + 1, 4);
    if (next == NULL || web->number == NULL || web->vertex == NULL ||
        web->parent == NULL)
        return false;
    uint32_t at = lg__native_root(native);
    web->number[at] = web->count = 1;
    web->vertex[1] = at;
    web->parent[1] = 0;
    next[at] = web->first[at];
    for (;;) {
        if (next[at] == web->first[at + 1]) {
            uint32_t up = web->parent[web->number[at]];
            if (up == 0)
                break;
            at = web->vertex[up];
            continue;
        }
        uint32_t target = web->target[next[at]++];
        if (web->number[target] != 0)
            continue;
        web->number[target] = ++web->count;
        web->vertex[web->count] = target;
        web->parent[web->count] = web->number[at];
        next[target] = web->first[target];
        at = target;
    }
    lg__native_drop(native, next);
    return true;
}

// The referrers of every vertex, by numbers.
typedef struct referrer_lists {
    uint64_t *first; // [count + 2]
    uint32_t *number;
} referrer_lists;

static bool
turn(const reference_web *web, referrer_lists *out)
{
    lg__native *native = web->native;
    out->first = lg__native_take_zero(native, (size_t)web->count + 2, 8);
    if (out->first == NULL)
        return false;
    for (uint32_t n = 1; n <= web->count; n++) {
        uint32_t vertex = web->vertex[n];
        for (uint64_t i = web->first[vertex]; i < web->first[vertex + 1]; i++)
            out->first[web->number[web->target[i]] + 1]++;
    }
    for (uint32_t n = 1; n <= web->count + 1; n++)
        out->first[n] += out->first[n - 1];
    out->number = lg__native_take(native, out->first[web->count + 1], 4);
    if (out->number == NULL)
        return false;
    for (uint32_t n = 1; n <= web->count; n++) {
        uint32_t vertex = web->vertex[n];
        for (uint64_t i = web->first[vertex]; i < web->first[vertex + 1]; i++)
            out->number[out->first[web->number[web->target[i]]]++] = n;
    }
    for (uint32_t n = web->count + 1; n > 0; n--)
        out->first[n] = out->first[n - 1];
    out->first[0] = 0;
    return true;
}

// A forest whose paths are compressed. label[n] has the smallest semidominator
// on the path from n to the root of its tree, the root left out.
typedef struct compressed_forest {
    uint32_t *semi;
    uint32_t *label;
    uint32_t *ancestor;
    uint32_t *path;
} compressed_forest;

static uint32_t
smallest_semi(compressed_forest *forest, uint32_t number)
{
    uint32_t *ancestor = forest->ancestor;
    uint32_t length = 0;
    for (uint32_t at = number; ancestor[at] != 0 && ancestor[ancestor[at]] != 0;
         at = ancestor[at])
        forest->path[length++] = at;
    while (length > 0) {
        uint32_t at = forest->path[--length];
        uint32_t above = ancestor[at];
        if (forest->semi[forest->label[above]] <
            forest->semi[forest->label[at]])
            forest->label[at] = forest->label[above];
        if (ancestor[above] != 0)
            ancestor[at] = ancestor[above];
    }
    return forest->semi[forest->label[number]];
}

static void
find_semidominators(const reference_web *web, const referrer_lists *referrers,
                    compressed_forest *forest)
{
    for (uint32_t n = 1; n <= web->count; n++)
        forest->semi[n] = forest->label[n] = n;
    for (uint32_t n = web->count; n >= 2; n--) {
        uint32_t best = web->parent[n];
        for (uint64_t i = referrers->first[n]; i < referrers->first[n + 1];
             i++) {
            uint32_t from = referrers->number[i];
            uint32_t semi = from > n ? smallest_semi(forest, from) : from;
            best = semi < best ? semi : best;
        }
        forest->semi[n] = best;
        forest->ancestor[n] = web->parent[n];
    }
}

// The dominator of a vertex is the nearest ancestor in the tree of dominators
// of its parent that is not below its semidominator. `label` is free by now.
static void
find_dominators(const reference_web *web, const compressed_forest *forest)
{
    lg__native *native = web->native;
    uint32_t *dominator = forest->label;
    dominator[1] = 1;
    for (uint32_t n = 2; n <= web->count; n++) {
        uint32_t at = web->parent[n];
        while (at > forest->semi[n])
            at = dominator[at];
        dominator[n] = at;
    }
    for (uint32_t n = 1; n <= web->count; n++) {
        native->dominator[web->vertex[n]] = web->vertex[dominator[n]];
        native->order[n - 1] = web->vertex[n];
    }
    native->reached = web->count;
}

static bool
solve(const reference_web *web)
{
    lg__native *native = web->native;
    const size_t count = (size_t)web->count + 1;
    referrer_lists referrers = {NULL, NULL};
    bool enough = turn(web, &referrers);
    compressed_forest forest = {lg__native_take(native, count, 4),
                                lg__native_take(native, count, 4),
                                lg__native_take_zero(native, count, 4),
                                lg__native_take(native, count, 4)};
    enough = enough && forest.semi != NULL && forest.label != NULL &&
             forest.ancestor != NULL && forest.path != NULL;
    if (enough) {
        find_semidominators(web, &referrers, &forest);
        find_dominators(web, &forest);
    }
    lg__native_drop(native, forest.path);
    lg__native_drop(native, forest.ancestor);
    lg__native_drop(native, forest.label);
    lg__native_drop(native, forest.semi);
    lg__native_drop(native, referrers.number);
    lg__native_drop(native, referrers.first);
    return enough;
}

bool
lg__native_dominate(lg__native *native)
{
    reference_web web = {.native = native};
    native->dominator = lg__native_take(native, native->vertices, 4);
    native->order = lg__native_take(native, native->vertices, 4);
    if (native->dominator == NULL || native->order == NULL)
        return false;
    memset(native->dominator, 0xff, 4 * (size_t)native->vertices);
    bool enough = weave(&web) && search(&web) && solve(&web);
    lg__native_drop(native, web.parent);
    lg__native_drop(native, web.vertex);
    lg__native_drop(native, web.number);
    lg__native_drop(native, web.target);
    lg__native_drop(native, web.first);
    return enough;
}
