// Finds where things are as if nothing ran.
//
// A list that a module has, and a variable of a running function, too, is
// dominated by neither. So while the variable is there, the list and its
// elements would be elsewhere than before and after, and no place would grow.
//
// Places follow the dominator tree of another graph. What roots reach without
// running frames stands for itself: what frames keep alone does not refer to
// it. So whatever else holds it decides on its place, whether or not code runs
// that has it, too. What frames keep alone is below its dominators. Each node
// has one dominator, so a place retains what it has itself and what the places
// below it retain.
//
// A frame that something else keeps, such as a traceback in a list, or a
// coroutine that is running, is not of its thread: it holds its variables like
// any object. A frame that its thread dominates is running, also while the
// thread handles an exception whose traceback leads to it.
#include "growth/place_walk.h"

#include <leakgraph/internal/retained.h>

static bool
add_reference(lg__vector *to, uint64_t edge)
{
    lg_allocator allocator = lg_allocator_default();
    uint64_t *place = lg__vector_extend(&allocator, to, 1);
    if (place != NULL)
        *place = edge;
    return place != NULL;
}

// Adds the reference from a thread to a frame; of a frame that the thread
// dominates, all references.
static bool
add_frame(const lg_analysis *analysis, const lg__reverse *reverse,
          uint32_t thread, uint64_t edge, lg__vector *to)
{
    uint32_t frame = analysis->graph->columns.edge_target[edge];
    if (analysis->dominator[frame] != thread)
        return add_reference(to, edge);
    bool enough = true;
    for (uint64_t i = lg__first_in(reverse, frame);
         i < lg__first_in(reverse, frame + 1) && enough; i++)
        enough = add_reference(to, lg__in_number(reverse, i));
    return enough;
}

static bool
add_thread(const lg_analysis *analysis, const lg__reverse *reverse,
           uint32_t thread, lg__vector *to)
{
    const lg_edge_range edges =
        lg_columns_edges(&analysis->graph->columns, thread);
    bool enough = true;
    for (uint64_t edge = edges.begin; edge < edges.end && enough; edge++)
        if (lg__edge_kind(analysis->graph, edge) == LG_EDGE_FRAME)
            enough = add_frame(analysis, reverse, thread, edge, to);
    return enough;
}

// Lists the references without which no frame is running.
static bool
list_references(const lg_analysis *analysis, lg__vector *to)
{
    const lg_graph *graph = analysis->graph;
    lg__reverse reverse;
    bool enough = lg__graph_reverse(graph, &reverse);
    for (uint32_t i = 0; i < graph->root_count && enough; i++)
        if (graph->root_kind[i] == LG_ROOT_THREAD)
            enough = add_thread(analysis, &reverse, graph->root_node[i], to);
    return enough;
}

typedef struct kept {
    lg__cached cached;
    lg_analysis *at_rest; // NULL: no frame is running
} kept;

static void
free_kept(lg__cached *cached)
{
    kept *of = (kept *)cached;
    lg_analysis_free(of->at_rest);
    lg__free(of);
}

static lg_status
find_rest(const lg_analysis *analysis, const lg_monitor *monitor, kept *to,
          lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    lg__vector references = {.element = sizeof(uint64_t)};
    lg_status status =
        list_references(analysis, &references) ? LG_OK : lg__error_memory(err);
    if (status == LG_OK && references.count > 0)
        status = lg__analysis_aside(analysis, references.data, references.count,
                                    monitor, &to->at_rest, err);
    lg__vector_free(&allocator, &references);
    return status;
}

lg_status
lg__analysis_at_rest(const lg_analysis *analysis, const lg_monitor *monitor,
                     const lg_analysis **out, lg_error *err)
{
    kept *found = (kept *)lg__cached_of(analysis, LG__CACHE_AT_REST);
    if (found == NULL) {
        kept *made = lg__calloc(1, sizeof *made);
        if (made == NULL)
            return lg__error_memory(err);
        made->cached.free = free_kept;
        lg_status status = find_rest(analysis, monitor, made, err);
        if (status != LG_OK) {
            free_kept(&made->cached);
            return status;
        }
        found =
            (kept *)lg__cached_keep(analysis, LG__CACHE_AT_REST, &made->cached);
    }
    *out = found->at_rest != NULL ? found->at_rest : analysis;
    return LG_OK;
}
