// An analysis: how it is made, and what can be asked of it.
#include "retained.h"

#include <stdlib.h>
#include <string.h>

static lg_status
take_dominators(lg_analysis *analysis, const lg__lift *lift, lg_error *err)
{
    uint32_t nodes = analysis->graph->columns.node_count;
    uint32_t *dominator =
        lg__wide_alloc(((size_t)nodes + 1) * sizeof *dominator);
    analysis->dominator = dominator;
    if (dominator == NULL)
        return lg__error_memory(err);
    for (uint32_t node = 0; node < nodes; node++)
        dominator[node] = lift->branch[node].parent;
    return LG_OK;
}

static lg_status
analyse(lg_analysis *analysis, const lg_monitor *monitor, lg_error *err)
{
    lg__lift lift = {0};
    lg_status status = lg__policy_new(analysis->graph, &analysis->policy, err);
    if (status == LG_OK)
        status = lg__lift_run(&lift, analysis->graph, &analysis->policy,
                              monitor, err);
    if (status == LG_OK)
        status = take_dominators(analysis, &lift, err);
    if (status == LG_OK)
        status = lg__retained_sum(analysis, lift.order, err);
    if (status == LG_OK)
        status = lg__knots_keep(analysis, &lift, err);
    lg__lift_free(&lift);
    if (status == LG_OK)
        status = lg__retained_children(analysis, err);
    return status == LG_OK ? lg__adopted_index(analysis, err) : status;
}

lg_status
lg__analysis_begin(const lg_graph *graph, lg_analysis **out, lg_error *err)
{
    if (graph->partial)
        return lg_error_set(err, LG_EPARTIAL,
                            "who retains what needs a whole snapshot, and this "
                            "one is partial");
    lg_analysis *analysis = calloc(1, sizeof *analysis);
    if (analysis == NULL)
        return lg__error_memory(err);
    analysis->graph = graph;
    analysis->device.element = sizeof(lg__on_device);
    analysis->knot_device.element = sizeof(lg__on_device);
    analysis->adopted.element = sizeof(lg__adoption);
    *out = analysis;
    return LG_OK;
}

lg_status
lg_analysis_new(const lg_graph *graph, const lg_monitor *monitor,
                lg_analysis **out, lg_error *err)
{
    lg_analysis *analysis = NULL;
    lg_status status = lg__analysis_begin(graph, &analysis, err);
    if (status == LG_OK)
        status = analyse(analysis, monitor, err);
    if (status == LG_OK)
        *out = analysis;
    else
        lg_analysis_free(analysis);
    return status;
}

void
lg_analysis_free(lg_analysis *analysis)
{
    if (analysis == NULL)
        return;
    lg_allocator allocator = lg_allocator_default();
    lg__policy_free(&analysis->policy);
    free(analysis->dominator);
    free(analysis->host);
    free(analysis->first_child);
    free(analysis->child);
    lg__vector_free(&allocator, &analysis->device);
    free(analysis->knot_first);
    free(analysis->knot_node);
    free(analysis->knot_host);
    free(analysis->member);
    free(analysis->adopted_by);
    lg__vector_free(&allocator, &analysis->knot_device);
    lg__vector_free(&allocator, &analysis->adopted);
    free(analysis);
}

const lg_graph *
lg_analysis_graph(const lg_analysis *analysis)
{
    return analysis->graph;
}

uint32_t
lg_node_dominator(const lg_analysis *analysis, uint32_t node)
{
    uint32_t dominator = analysis->dominator[node];
    return dominator < analysis->graph->columns.node_count ? dominator
                                                           : LG_NONE;
}

bool
lg_node_is_reachable(const lg_analysis *analysis, uint32_t node)
{
    return (analysis->policy.mark[node] & LG__MARK_LIVE) != 0;
}

uint32_t
lg__bundle_of(const lg_analysis *analysis, uint32_t node)
{
    return lg_node_is_reachable(analysis, node) ||
                   lg_node_dominator(analysis, node) != LG_NONE
               ? LG_NONE
               : lg_node_knot(analysis, node);
}

uint64_t
lg_node_retained_on(const lg_analysis *analysis, uint32_t node, uint32_t device)
{
    uint32_t knot = lg__bundle_of(analysis, node);
    if (knot != LG_NONE)
        return lg_knot_retained_on(analysis, knot, device);
    return lg__dominated_on(analysis, node, device);
}

static lg_bytes
retained(const lg_analysis *analysis, uint32_t node)
{
    uint64_t host = analysis->host[node];
    return (lg_bytes){host, lg__retained_by(analysis, node) - host};
}

lg_bytes
lg_node_retained(const lg_analysis *analysis, uint32_t node)
{
    uint32_t knot = lg__bundle_of(analysis, node);
    return knot != LG_NONE ? lg_analysis_knot(analysis, knot).retained
                           : retained(analysis, node);
}

uint64_t
lg__freed_by(const lg_analysis *analysis, uint32_t node)
{
    lg_bytes bytes = lg_node_retained(analysis, node);
    return bytes.host + bytes.device;
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

// Whether a comes before b where the biggest stand first.
static bool
is_bigger(const lg_analysis *analysis, uint32_t a, uint32_t b)
{
    uint64_t left = lg__retained_by(analysis, a);
    uint64_t right = lg__retained_by(analysis, b);
    return left != right ? left > right : a < b;
}

// Moves a node down a heap whose top is the smallest.
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

uint32_t
lg_node_dominated(const lg_analysis *analysis, uint32_t node, uint32_t *nodes,
                  uint32_t capacity)
{
    uint32_t root = analysis->graph->columns.node_count;
    const uint32_t *first = analysis->first_child + (node < root ? node : root);
    const uint32_t *child = analysis->child + first[0];
    uint32_t count = first[1] - first[0];
    uint32_t kept = count < capacity ? count : capacity;
    if (kept == 0)
        return count;
    memcpy(nodes, child, kept * sizeof *nodes);
    for (uint32_t at = kept / 2; at-- > 0;)
        sift(analysis, nodes, kept, at);
    for (uint32_t i = kept; i < count; i++) {
        if (is_bigger(analysis, child[i], nodes[0])) {
            nodes[0] = child[i];
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
