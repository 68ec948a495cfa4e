/**
 * What answers ask of an analysis.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_RETAINED_H
#define LEAKGRAPH_RETAINED_H

#include <leakgraph/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether lg_analysis_load finds an analysis of this graph. O(1). */
bool lg_analysis_is_saved(const lg_graph *graph);

/** Bytes that allocators spend beyond the retained size, on the node and on all
 *  that it dominates: see lg_node_spent. O(those). */
lg_status lg_retained_rounding(const lg_analysis *analysis, lg_node node,
                               uint64_t *out, lg_error *err);

/** The same of all nodes together. O(nodes). */
uint64_t lg_analysis_rounding(const lg_analysis *analysis);

/** Adds up bytes by device: of the host, and of each device behind it. */
static inline uint64_t
lg_bytes_sum(const uint64_t *bytes, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += bytes[i];
    return sum;
}

/** Copies up to `capacity` nodes that `node` immediately dominates, biggest
 *  first; returns how many there are. LG_NONE stands for the roots: the nodes
 *  that these reach and no node dominates. */
uint32_t lg_node_dominated(const lg_analysis *analysis, lg_node node,
                           lg_node *nodes, uint32_t capacity);
/** All bytes of what the roots reach, and of garbage. */
lg_bytes lg_analysis_reachable_bytes(const lg_analysis *analysis);
lg_bytes lg_analysis_garbage_bytes(const lg_analysis *analysis);

/** The retained size of a set of nodes: what only they keep alive. Exact.
 *  O(nodes + edges). */
lg_status lg_nodes_retained(const lg_analysis *analysis, const lg_node *nodes,
                            size_t count, const lg_monitor *monitor,
                            lg_bytes *out, lg_error *err);
/** lg_nodes_retained by device: bytes[0] on the host, and so on up to
 *  lg_graph_device_count. */
lg_status lg_nodes_retained_each(const lg_analysis *analysis,
                                 const lg_node *nodes, size_t count,
                                 const lg_monitor *monitor, uint64_t *bytes,
                                 lg_error *err);

/** What a set of objects takes and keeps alive; each array is by device. */
typedef struct lg_set_bytes {
    uint64_t count;
    uint64_t *own;      /**< of the objects themselves */
    uint64_t *sum;      /**< of what each alone retains */
    uint64_t *retained; /**< by all of them together, each byte once */
    uint32_t devices;   /**< and the host */
} lg_set_bytes;

/** Weighs a set. As costly as lg_nodes_retained. */
lg_status lg_nodes_weigh(const lg_analysis *analysis, const lg_node *nodes,
                         size_t count, const lg_monitor *monitor,
                         lg_set_bytes *out, lg_error *err);
void lg_set_bytes_free(lg_set_bytes *set);

/** `limit` of some nodes behind the `first` ones, those that retain the most
 *  first. O(count * log (first + limit)). */
lg_status lg_nodes_ranked(const lg_analysis *analysis, const lg_node *nodes,
                          size_t count, size_t first, size_t limit,
                          lg_nodes *out, lg_error *err);

/** A strongly connected component: more than one node, or one node with an
 *  edge to itself. Components of reachable nodes are those of the policy
 *  graph; components of garbage are those of the raw strong graph. */
typedef struct lg_component {
    const lg_node *nodes; /**< ascending; borrowed */
    uint32_t count;
    lg_bytes retained;
    bool reachable;
} lg_component;

/** Indexes of components are below the count. */
uint32_t lg_analysis_component_count(const lg_analysis *analysis);
/** Biggest retained bytes first. */
lg_component lg_analysis_component(const lg_analysis *analysis, uint32_t index);
/** The component that the node is in, or LG_NONE. */
uint32_t lg_node_component(const lg_analysis *analysis, lg_node node);

/** Counts its members as answers show them: without the namespaces and closures
 *  that are folded into others. O(members). */
uint32_t lg_component_objects(const lg_analysis *analysis, uint32_t component);

/** The shallow size of a node and the buffers that it alone holds (folded into
 *  it, see lg_node_folded_into). O(log buffers); the first call makes the
 *  folds. */
lg_bytes lg_node_bytes(const lg_graph *graph, lg_node node);
/** lg_node_bytes on one device of the graph; 0: the host, LG_NONE: everywhere.
 */
uint64_t lg_node_bytes_on(const lg_graph *graph, lg_node node, uint32_t device);

/** The component's retained bytes on one device of the graph (0: the host). */
uint64_t lg_component_retained_on(const lg_analysis *analysis,
                                  uint32_t component, uint32_t device);

#ifdef __cplusplus
}
#endif

#endif
