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

// Appends the frames of a thread that are not listed yet.
static bool
list_frames(const lg_graph *graph, uint32_t thread, uint8_t *listed,
            lg__vector *out)
{
    const lg_allocator allocator = lg_allocator_default();
    const lg_edge_range edges = lg_columns_edges(&graph->columns, thread);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t frame = graph->columns.edge_target[edge];
        if (lg__edge_kind(graph, edge) != LG_EDGE_FRAME || listed[frame])
            continue;
        lg__running *added = lg__vector_extend(&allocator, out, 1);
        if (added == NULL)
            return false;
        *added = (lg__running){thread, frame};
        listed[frame] = 1;
    }
    return true;
}

bool
lg__running_list(const lg_graph *graph, lg__vector *out)
{
    uint8_t *listed = lg__calloc((size_t)graph->columns.node_count + 1, 1);
    bool enough = listed != NULL;
    for (uint32_t i = 0; i < graph->root_count && enough; i++) {
        uint32_t thread = graph->root_node[i];
        if (graph->root_kind[i] != LG_ROOT_THREAD || listed[thread])
            continue;
        listed[thread] = 1;
        enough = list_frames(graph, thread, listed, out);
    }
    lg__free(listed);
    return enough;
}

// Adds the references to a frame by which threads run it; if its thread
// dominates the frame, all references.
static bool
add_references(const lg_analysis *analysis, const lg__reverse *reverse,
               const lg__running *of, lg__vector *to)
{
    const lg_allocator allocator = lg_allocator_default();
    bool runs = analysis->dominator[of->frame] == of->thread;
    for (uint64_t i = lg__first_in(reverse, of->frame);
         i < lg__first_in(reverse, of->frame + 1); i++) {
        uint64_t edge = lg__in_number(reverse, i);
        if (!runs && lg__edge_kind(analysis->graph, edge) != LG_EDGE_FRAME)
            continue;
        uint64_t *added = lg__vector_extend(&allocator, to, 1);
        if (added == NULL)
            return false;
        *added = edge;
    }
    return true;
}

// Lists the references without which no frame is running.
static bool
list_references(const lg_analysis *analysis, lg__vector *to)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__vector running = {.element = sizeof(lg__running)};
    lg__reverse reverse;
    bool enough = lg__graph_reverse(analysis->graph, &reverse) &&
                  lg__running_list(analysis->graph, &running);
    const lg__running *items = running.data;
    for (size_t i = 0; i < running.count && enough; i++)
        enough = add_references(analysis, &reverse, &items[i], to);
    lg__vector_free(&allocator, &running);
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
