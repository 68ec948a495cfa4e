// Finds out why a node is alive, or, for garbage, what to free it with.
//
// One reference that every path goes through is enough to cut: if the path has
// such hops, the set to cut spares the dominator; if it has none, the smallest
// set separates the node from all roots. Of several hints, the last that
// applies stands: a call, the cache of a function, a cycle that stays as
// garbage, the results of a shell, a copy of variables.
#include "answers/answers_private.h"
#include "bytes/bytes_private.h"
#include "cycles/cycles_private.h"
#include "paths/paths_private.h"

#include <leakgraph/internal/retained.h>
#include <leakgraph/why.h>

#include <stdlib.h>

// Returns whether the edge of a cached function leads into its cache.
static bool
leads_into_cache(const lg_graph *graph, uint64_t edge)
{
    unsigned kind = lg__edge_kind(graph, edge);
    return kind == LG_EDGE_KEY || kind == LG_EDGE_VALUE ||
           kind == LG_EDGE_INDEX ||
           lg__string_is(lg__edge_name(graph, edge), "cache");
}

// Returns the last cached function on the path whose cache the path goes
// through, or LG_NONE.
static uint32_t
function_on(const lg_graph *graph, const lg_path *path)
{
    for (size_t i = path->count; i-- > 0;)
        if (lg__node_is_a(graph, path->hops[i].source, LG__LRU_CACHE) &&
            leads_into_cache(graph, path->hops[i].edges[0]))
            return path->hops[i].source;
    return LG_NONE;
}

static bool
dominates(const lg_analysis *analysis, uint32_t above, uint32_t node)
{
    while (node != LG_NONE && node != above)
        node = lg_node_dominator(analysis, node);
    return node == above;
}

// Finds the cache to clear for the node to go, if it is a cached function, or
// in the cache of one. Needs the path and the cuts.
static void
find_cache(lg_why *why)
{
    const lg_graph *graph = lg_analysis_graph(why->analysis);
    why->cached = function_on(graph, &why->path);
    for (size_t i = 0; i < why->cuts.count && why->cached == LG_NONE; i++)
        why->cached = function_on(graph, &why->cuts.items[i].path);
    if (lg__node_is_a(graph, why->node, LG__LRU_CACHE)) {
        why->cached = why->node;
        why->hint = LG_HINT_CACHED;
    } else if (why->cached != LG_NONE) {
        why->hint = dominates(why->analysis, why->cached, why->node)
                        ? LG_HINT_CACHE
                        : LG_HINT_CACHE_IN;
    }
}

// Nobody reads more references than this.
enum { CUTS_LISTED = 16 };

typedef struct explaining {
    lg_why why;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__hop_walk walk;
} explaining;

static bool
has_edge(const lg_hop *hop, uint64_t edge)
{
    for (uint32_t i = 0; i < hop->edge_count; i++)
        if (hop->edges[i] == edge)
            return true;
    return false;
}

// Marks the hop with the only reference to cut: every path goes through it, and
// so does this one.
static void
mark_single_cut(lg_why *why)
{
    const lg_cut *cut = &why->cuts.items[0];
    const lg_hop *hop = &cut->path.hops[cut->hop];
    uint64_t edge = hop->edges[hop->edge_count - 1];
    for (size_t i = 0; i < why->path.count; i++)
        if (has_edge(&why->path.hops[i], edge) && !why->frees[i]) {
            why->frees[i] = true;
            why->frees_count++;
        }
}

// Explains what is alive. A cached function stays; its cache can be cleared.
static lg_status
explain_alive(explaining *to, lg_error *err)
{
    lg_why *why = &to->why;
    why->frees = lg__calloc(why->path.count + 1, sizeof *why->frees);
    if (why->frees == NULL)
        return lg__error_memory(err);
    why->frees_count = lg__suspects_mark(why->analysis, &to->walk, &why->path,
                                         why->node, why->frees);
    if (lg__node_is_a(to->graph, why->node, LG__LRU_CACHE))
        return LG_OK;
    lg_node from = why->frees_count > 0
                       ? lg__shown_dominator(why->analysis, why->node)
                       : LG_NONE;
    lg_status status =
        lg__cuts_below(why->analysis, why->node, from, CUTS_LISTED, to->monitor,
                       &why->cuts, err);
    if (status == LG_OK && why->cuts.count == 1 && !why->cuts.is_kept)
        mark_single_cut(why);
    return status;
}

static bool
is_kept_by_shell(const explaining *to, const lg_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        for (uint32_t k = 0; k < path->hops[i].edge_count; k++)
            if (lg__edge_is_of_shell(to->graph, path->hops[i].edges[k]))
                return true;
    return false;
}

// Finds the call that cuts the last reference of a hop.
static void
find_call(explaining *to, const lg_hop *hop)
{
    lg_cutting_call call =
        lg__native_edge_call(to->graph, hop->edges[hop->edge_count - 1]);
    if (call == LG_CALL_NONE || to->why.call != LG_CALL_NONE)
        return;
    to->why.call = call;
    to->why.hint = LG_HINT_CALL;
}

static void
find_calls(explaining *to)
{
    const lg_why *why = &to->why;
    for (size_t i = 0; i < why->path.count && why->frees_count > 0; i++)
        if (why->frees[i])
            find_call(to, &why->path.hops[i]);
    for (size_t i = 0; i < why->cuts.count && lg_why_needs_several(why); i++)
        find_call(to, &why->cuts.items[i].path.hops[why->cuts.items[i].hop]);
}

static void
find_hint(explaining *to)
{
    const uint8_t *late = to->graph->lazy->late;
    find_calls(to);
    size_t listed = lg_why_needs_several(&to->why) ? to->why.cuts.count : 0;
    if (!to->why.garbage)
        find_cache(&to->why);
    if (!to->why.garbage && to->why.component != LG_NONE &&
        lg__component_is_stuck(to->why.analysis, to->why.component))
        to->why.hint = LG_HINT_CYCLE;
    for (size_t i = 0; i < listed; i++)
        if (is_kept_by_shell(to, &to->why.cuts.items[i].path))
            to->why.hint = LG_HINT_SHELL;
    for (size_t i = 0; i < listed; i++)
        if (lg__late_level(late, &to->why.cuts.items[i].path) == LG__LATE_COPY)
            to->why.hint = LG_HINT_LOCALS;
}

static lg_status
explain_garbage(explaining *to, lg_error *err)
{
    lg__uncollectable known = {0};
    lg_status status = lg__uncollectable_new(to->graph, &known, err);
    if (status == LG_OK) {
        to->why.reason = lg__uncollectable_reason(&known, to->why.node);
        to->why.culprit = lg__uncollectable_culprit(&known, to->why.node);
    }
    lg__uncollectable_free(&known);
    return status;
}

// Finds a cycle of the node or, for garbage, of one of its dominators.
static lg_status
explain_component(explaining *to, lg_error *err)
{
    lg_why *why = &to->why;
    uint32_t node = why->node;
    while (node != LG_NONE && lg_node_component(why->analysis, node) == LG_NONE)
        node = why->garbage ? lg_node_dominator(why->analysis, node) : LG_NONE;
    if (node == LG_NONE)
        return LG_OK;
    uint32_t component = lg_node_component(why->analysis, node);
    lg_component known = lg_analysis_component(why->analysis, component);
    lg_cycle cycle = {0};
    lg__cycle_notes notes;
    lg_status status =
        lg__cycle_notes_new(to->graph, &notes)
            ? lg__cycle_cut(&to->walk, &known, &notes, &cycle, err)
            : lg__error_memory(err);
    lg__cycle_notes_free(&notes);
    if (status == LG_OK && cycle.shortest.count > 0) {
        why->component = component;
        why->member = lg__seen_node(to->walk.fold, node);
        why->cycle = cycle.shortest;
        why->cycle_cut = cycle.cut;
        cycle.shortest = (lg_hops){0};
    }
    lg__cycle_clear(&cycle);
    return status;
}

// Returns where an object or a buffer, or else its first buffer, was allocated.
static lg_string
allocation_of(const lg_graph *graph, uint32_t node)
{
    const lg_columns *at = &graph->columns;
    lg_string frames = lg__buffer_allocation(graph, node);
    if (frames.length > 0 || (lg_columns_flags(at, node) & LG_NODE_BUFFER))
        return frames;
    const lg_edge_range edges = lg_columns_edges(at, node);
    for (uint64_t i = edges.begin; i < edges.end; i++)
        if (lg_columns_flags(at, lg_columns_target(at, i)) & LG_NODE_BUFFER)
            return lg__buffer_allocation(graph, lg_columns_target(at, i));
    return (lg_string){"", 0};
}

static lg_status
open_walk(explaining *to, uint32_t node, lg_error *err)
{
    to->walk = (lg__hop_walk){.graph = to->graph, .everything = true};
    to->walk.fold = lg__graph_folds(to->graph);
    if (to->walk.fold == NULL ||
        !lg__graph_reverse(to->graph, &to->walk.reverse))
        return lg__error_memory(err);
    lg_why *why = &to->why;
    why->node = lg__seen_node(to->walk.fold, node);
    why->dominator = lg__seen_node(
        to->walk.fold, lg__shown_dominator(why->analysis, why->node));
    return LG_OK;
}

static void
see_path(const lg_graph *graph, lg_path *path, bool *marks)
{
    path->count =
        lg_hops_seen(graph, path->hops, path->count, marks, path->hops, marks);
}

static void
see_cut(const lg_graph *graph, lg_cut *cut)
{
    const lg_hop *hop = &cut->path.hops[cut->hop];
    const uint64_t edge = hop->edges[hop->edge_count - 1];
    see_path(graph, &cut->path, NULL);
    for (cut->hop = 0; !has_edge(&cut->path.hops[cut->hop], edge);)
        cut->hop++;
}

// Leaves out of all paths what answers pass over, so that every face of the
// answer says of the same object that it has the reference to cut.
static void
see_paths(explaining *to)
{
    lg_why *why = &to->why;
    see_path(to->graph, &why->path, why->frees);
    see_path(to->graph, &why->cuts.kept, NULL);
    for (size_t i = 0; i < why->cuts.count; i++)
        see_cut(to->graph, &why->cuts.items[i]);
}

static lg_status
explain(explaining *to, uint32_t node, lg_error *err)
{
    lg_why *why = &to->why;
    lg_status status = open_walk(to, node, err);
    if (status != LG_OK)
        return status;
    status = lg_retained_rounding(why->analysis, why->node, &why->spent, err);
    if (status != LG_OK)
        return status;
    why->allocation = allocation_of(to->graph, why->node);
    why->spent += lg_node_retained_on(why->analysis, why->node, 0);
    status =
        lg_path_from_root(to->graph, why->node, to->monitor, &why->path, err);
    why->garbage = status == LG_ENOTFOUND;
    if (why->garbage)
        status = explain_garbage(to, err);
    else if (status == LG_OK)
        status = explain_alive(to, err);
    if (status == LG_OK)
        status = explain_component(to, err);
    find_hint(to);
    see_paths(to);
    if (status == LG_OK)
        status = lg_node_findings(why->analysis, why->node, to->monitor,
                                  &why->findings, err);
    return status;
}

lg_status
lg_node_why(const lg_analysis *analysis, lg_node node,
            const lg_monitor *monitor, lg_why *out, lg_error *err)
{
    explaining to = {.why = {.analysis = analysis,
                             .culprit = LG_NONE,
                             .cached = LG_NONE,
                             .component = LG_NONE,
                             .member = LG_NONE},
                     .graph = lg_analysis_graph(analysis),
                     .monitor = monitor};
    if (node >= to.graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", node);
    lg_status status = explain(&to, node, err);
    if (status == LG_OK)
        *out = to.why;
    else
        lg_why_clear(&to.why);
    return status;
}

bool
lg_why_needs_several(const lg_why *why)
{
    return why->cuts.total > 1 || (why->cuts.total > 0 && why->cuts.is_kept);
}

void
lg_why_clear(lg_why *why)
{
    lg_path_free(&why->path);
    lg__free(why->frees);
    lg_cuts_free(&why->cuts);
    lg_hops_free(&why->cycle);
    lg_findings_free(&why->findings);
    *why = (lg_why){0};
}
