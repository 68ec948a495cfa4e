/**
 * Who retains what: components, dominators, retained sizes.
 *
 * The conventions of leakgraph.h hold. All functions work on the *policy
 * graph*: the strong edges of the snapshot, and a super-root that refers to
 * every GC root and every *implicit root*. Implicit roots are what the
 * interpreter keeps anyway: each module together with its namespace, immortal
 * and static objects, and classes that a module or such a class names. No other
 * node is charged for an implicit root, so classes and modules do not tie the
 * heap into one component. Any other class is an ordinary node, charged to its
 * holders. Weak edges do not count. Dominators are exact for this graph.
 *
 * No function needs the GIL. Two threads may analyse one graph. igraph solves
 * the hard part: irreducible components of more than 64 nodes. The library
 * opens igraph when it meets such a component, and calls it under one lock.
 */
#ifndef LEAKGRAPH_ANALYSIS_H
#define LEAKGRAPH_ANALYSIS_H

#include <leakgraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Components, dominators and retained sizes of every node, garbage included: it
 * hangs from the source components of the unreachable part. A module and its
 * namespace count as one: the module dominates the namespace and what it refers
 * to, and the namespace retains only its own bytes. The analysis borrows the
 * graph, which must outlive it. LG_EPARTIAL on a partial graph;
 * LG_EUNSUPPORTED, where igraph is needed, says how to install it. O((nodes +
 * edges) log nodes) time; 35 to 45 bytes a node while it runs, and 400 for each
 * node that igraph solves.
 */
LG_API lg_status lg_analysis_new(const lg_graph *graph,
                                 const lg_monitor *monitor, lg_analysis **out,
                                 lg_error *err);
/** The analysis that was saved with the graph; LG_ENOTFOUND if there is none,
 *  LG_EFORMAT if it is not of this graph or not a tree. */
LG_API lg_status lg_analysis_load(const lg_graph *graph, lg_analysis **out,
                                  lg_error *err);
LG_API void lg_analysis_free(lg_analysis *analysis);
LG_API const lg_graph *lg_analysis_graph(const lg_analysis *analysis);

/** The immediate dominator, or LG_NONE: no node dominates this one. O(1). */
LG_API lg_node lg_node_dominator(const lg_analysis *analysis, lg_node node);
/** Returns whether any root reaches the node. */
LG_API bool lg_node_is_reachable(const lg_analysis *analysis, lg_node node);
/** The retained size: the bytes of the node and of all that it dominates. The
 *  members of a garbage component that nothing else dominates each retain what
 *  the component retains, because they go together. */
LG_API lg_bytes lg_node_retained(const lg_analysis *analysis, lg_node node);
/** The same on one device of the graph (0: the host). */
LG_API uint64_t lg_node_retained_on(const lg_analysis *analysis, lg_node node,
                                    uint32_t device);
/** Of some nodes, the one that retains the most. */
LG_API lg_node lg_nodes_biggest(const lg_analysis *analysis,
                                const lg_node *nodes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
