// Questions about the nodes of an analysis.
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/native.h>
#include <leakgraph/internal/retained.h>

#include <string.h>

const lg_graph *
lg_analysis_graph(const lg_analysis *analysis)
{
    return analysis->graph;
}

lg_node
lg_node_dominator(const lg_analysis *analysis, lg_node node)
{
    uint32_t dominator = lg__dominator_of(analysis, node);
    return dominator < analysis->graph->columns.node_count ? dominator
                                                           : LG_NONE;
}

uint32_t
lg__shown_dominator(const lg_analysis *analysis, uint32_t node)
{
    uint32_t shown = lg_node_dominator(analysis, node);
    while (shown != LG_NONE &&
           lg__passes_over(analysis->graph, lg__dominator_of(analysis, shown),
                           shown))
        shown = lg_node_dominator(analysis, shown);
    return shown;
}

bool
lg_node_is_reachable(const lg_analysis *analysis, lg_node node)
{
    return (analysis->policy.mark[node] & LG__MARK_LIVE) != 0;
}

uint32_t
lg__garbage_component_of(const lg_analysis *analysis, uint32_t node)
{
    return lg_node_is_reachable(analysis, node) ||
                   lg_node_dominator(analysis, node) != LG_NONE
               ? LG_NONE
               : lg_node_component(analysis, node);
}

uint32_t
lg__count_seen(const lg_graph *graph, const lg_component *component)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < component->count; i++)
        count += lg_node_folded_into(graph, component->nodes[i]) == LG_NONE;
    return count;
}

uint32_t
lg_component_objects(const lg_analysis *analysis, uint32_t index)
{
    lg_component component = lg_analysis_component(analysis, index);
    return lg__count_seen(lg_analysis_graph(analysis), &component);
}

bool
lg__format_garbage_component(const lg_analysis *analysis, uint32_t node,
                             lg_text *out)
{
    uint32_t garbage = lg__garbage_component_of(analysis, node);
    if (garbage == LG_NONE)
        return false;
    lg_component component = lg_analysis_component(analysis, garbage);
    uint32_t seen = lg__count_seen(lg_analysis_graph(analysis), &component);
    lg_text_add(out, ": a cycle of ");
    lg_text_add_count(out, seen);
    lg_text_add(out, seen == 1 ? " object" : " objects");
    return true;
}

uint64_t
lg_node_retained_on(const lg_analysis *analysis, lg_node node, uint32_t device)
{
    uint32_t component = lg__garbage_component_of(analysis, node);
    if (component != LG_NONE)
        return lg_component_retained_on(analysis, component, device);
    return lg__dominated_on(analysis, node, device);
}

static lg_bytes
retained(const lg_analysis *analysis, uint32_t node)
{
    uint64_t host = lg__sum_of(&analysis->host, node);
    return (lg_bytes){host, lg__retained_by(analysis, node) - host};
}

lg_bytes
lg_node_retained(const lg_analysis *analysis, lg_node node)
{
    uint32_t component = lg__garbage_component_of(analysis, node);
    return component != LG_NONE
               ? lg_analysis_component(analysis, component).retained
               : retained(analysis, node);
}

lg_bytes
lg_analysis_reachable_bytes(const lg_analysis *analysis)
{
    return retained(analysis, analysis->graph->columns.node_count);
}

lg_bytes
lg_analysis_garbage_bytes(const lg_analysis *analysis)
{
    return retained(analysis, analysis->graph->columns.node_count + 1);
}

// Returns whether a comes before b in an order with the biggest first.
static bool
is_bigger(const lg_analysis *analysis, uint32_t a, uint32_t b)
{
    uint64_t left = lg__retained_by(analysis, a);
    uint64_t right = lg__retained_by(analysis, b);
    return left != right ? left > right : a < b;
}

// Moves a node down a heap that has the smallest on top.
static void
sift(const lg_analysis *analysis, uint32_t *heap, uint32_t count, uint32_t at)
{
    for (;;) {
        uint64_t least = 2 * (uint64_t)at + 1;
        if (least >= count)
            return;
        if (least + 1 < count &&
            is_bigger(analysis, heap[least], heap[least + 1]))
            least++;
        if (is_bigger(analysis, heap[least], heap[at]))
            return;
        uint32_t node = heap[at];
        heap[at] = heap[least];
        heap[least] = node;
        at = (uint32_t)least;
    }
}

// Copies the children of a node or of the super-root, the biggest first. Keeps
// the biggest ones met so far in a heap with the smallest on top, and at the
// end takes the smallest off again and again, into the place that becomes free
// behind the heap. O(children log capacity), without more memory than the
// caller's.
static uint32_t
copy_children(const lg_analysis *analysis, uint32_t node, lg_node *nodes,
              uint32_t capacity)
{
    lg__children children = lg__children_of(analysis, node);
    uint32_t count = children.end - children.begin;
    uint32_t kept = count < capacity ? count : capacity;
    if (kept == 0)
        return count;
    children.end = children.begin + kept;
    lg__children_copy(analysis, children, nodes);
    for (uint32_t at = kept / 2; at-- > 0;)
        sift(analysis, nodes, kept, at);
    for (uint32_t i = kept; i < count; i++) {
        const uint32_t child = lg__child_at(analysis, children.begin + i);
        if (is_bigger(analysis, child, nodes[0])) {
            nodes[0] = child;
            sift(analysis, nodes, kept, 0);
        }
    }
    for (uint32_t left = kept; left-- > 1;) {
        uint32_t smallest = nodes[0];
        nodes[0] = nodes[left];
        nodes[left] = smallest;
        sift(analysis, nodes, left, 0);
    }
    return count;
}

uint32_t
lg_node_dominated(const lg_analysis *analysis, lg_node node, lg_node *nodes,
                  uint32_t capacity)
{
    uint32_t roots = analysis->graph->columns.node_count;
    if (node >= roots && node != LG_NONE)
        return 0;
    return copy_children(analysis, node < roots ? node : roots, nodes,
                         capacity);
}

// Sums over all that a node retains: what allocators spend beyond its bytes,
// and the native memory in it.
//
// What a node retains is a tree: each node in it is queued by the one node, or
// the one component of garbage, that dominates it. So none is added twice.

// A node whose dominated nodes are still to be added.
typedef struct waiting {
    uint32_t node;
    bool whole; // for a component of garbage: add all that goes with it
} waiting;

typedef struct summing {
    const lg_analysis *analysis;
    lg_allocator allocator;
    lg__vector stack; // of waiting
    void (*see)(void *context, uint32_t node);
    void *context;
} summing;

static waiting *
add_room(summing *state, size_t count)
{
    return lg__vector_extend(&state->allocator, &state->stack, count);
}

// Adds a node, and queues what it dominates.
static bool
expand(summing *state, uint32_t node)
{
    const lg_analysis *analysis = state->analysis;
    const lg__children children = lg__children_of(analysis, node);
    const uint32_t count = children.end - children.begin;
    state->see(state->context, node);
    if (count == 0)
        return true;
    waiting *room = add_room(state, count);
    for (uint32_t i = 0; room != NULL && i < count; i++)
        room[i] = (waiting){lg__child_at(analysis, children.begin + i), false};
    return room != NULL;
}

// Queues the members of a component of garbage that nothing dominates, and what
// the component dominates as a whole. Takes room for all members at once, and
// gives back that of each member that another node dominates, because it is
// queued there.
static bool
expand_garbage(summing *state, uint32_t index)
{
    const lg_analysis *analysis = state->analysis;
    lg_component component = lg_analysis_component(analysis, index);
    size_t count;
    const lg__collective_of *collective =
        lg__collective_list(analysis, index, &count);
    waiting *room = add_room(state, component.count + count);
    if (room == NULL)
        return false;
    for (uint32_t i = 0; i < component.count; i++)
        if (lg__garbage_component_of(analysis, component.nodes[i]) != LG_NONE)
            *room++ = (waiting){component.nodes[i], false};
        else
            state->stack.count--;
    for (size_t i = 0; i < count; i++)
        *room++ = (waiting){collective[i].node, true};
    return true;
}

lg_status
lg__retained_each(const lg_analysis *analysis, uint32_t node,
                  void (*see)(void *context, uint32_t node), void *context,
                  lg_error *err)
{
    summing state = {.analysis = analysis,
                     .see = see,
                     .context = context,
                     .allocator = lg_allocator_default(),
                     .stack = {.element = sizeof(waiting)}};
    waiting *room = add_room(&state, 1);
    bool enough = room != NULL;
    if (enough)
        *room = (waiting){node, true};
    while (enough && state.stack.count > 0) {
        waiting next = ((waiting *)state.stack.data)[--state.stack.count];
        uint32_t garbage = next.whole
                               ? lg__garbage_component_of(analysis, next.node)
                               : LG_NONE;
        enough = garbage == LG_NONE ? expand(&state, next.node)
                                    : expand_garbage(&state, garbage);
    }
    lg__vector_free(&state.allocator, &state.stack);
    return enough ? LG_OK : lg__error_memory(err);
}

// A sum of one part of each node.
typedef struct part_sum {
    const lg_graph *graph;
    uint64_t (*part)(const lg_graph *graph, uint32_t node);
    uint64_t bytes;
} part_sum;

static void
add_part(void *context, uint32_t node)
{
    part_sum *sum = context;
    sum->bytes += sum->part(sum->graph, node);
}

static lg_status
sum_retained(const lg_analysis *analysis, uint32_t node,
             uint64_t (*part)(const lg_graph *graph, uint32_t node),
             uint64_t *out, lg_error *err)
{
    part_sum sum = {analysis->graph, part, 0};
    lg_status status = lg__retained_each(analysis, node, add_part, &sum, err);
    if (status == LG_OK)
        *out = sum.bytes;
    return status;
}

static uint64_t
rounding_of(const lg_graph *graph, uint32_t node)
{
    return lg_node_spent(graph, node) - lg_node_size(graph, node);
}

static uint64_t
native_of(const lg_graph *graph, uint32_t node)
{
    return lg__node_is_native(graph, node) ? lg_node_size(graph, node) : 0;
}

lg_status
lg_retained_rounding(const lg_analysis *analysis, lg_node node, uint64_t *out,
                     lg_error *err)
{
    return sum_retained(analysis, node, rounding_of, out, err);
}

lg_status
lg_node_native(const lg_analysis *analysis, lg_node node, uint64_t *out,
               lg_error *err)
{
    if (!lg__graph_has_native(analysis->graph)) {
        *out = 0;
        return LG_OK;
    }
    return sum_retained(analysis, node, native_of, out, err);
}

uint64_t
lg_analysis_rounding(const lg_analysis *analysis)
{
    return lg__graph_rounding(analysis->graph);
}
