// Questions about the nodes of an analysis.
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/hops.h>
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
    uint32_t dominator = analysis->dominator[node];
    return dominator < analysis->graph->columns.node_count ? dominator
                                                           : LG_NONE;
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

// Copies the children of a node or of the super-root, the biggest first.
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
