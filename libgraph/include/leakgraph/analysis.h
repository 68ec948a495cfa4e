/**
 * Who retains what: components, dominators, retained sizes, cycles, and paths.
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

#include <leakgraph/leakgraph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------- results --- */

typedef struct lg_analysis lg_analysis;

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

/** The immediate dominator; LG_NONE if only the super-root dominates the node
 *  (in garbage: if nothing does). O(1). */
LG_API uint32_t lg_node_dominator(const lg_analysis *analysis, uint32_t node);
/** Returns whether any root reaches the node. */
LG_API bool lg_node_is_reachable(const lg_analysis *analysis, uint32_t node);
/** The retained size: the bytes of the node and of all that it dominates. The
 *  members of a garbage component that nothing else dominates each retain what
 *  the component retains, because they go together. */
LG_API lg_bytes lg_node_retained(const lg_analysis *analysis, uint32_t node);
/** The same on one device of the graph (0: the host). */
LG_API uint64_t lg_node_retained_on(const lg_analysis *analysis, uint32_t node,
                                    uint32_t device);
/** Copies up to `capacity` nodes that `node` (LG_NONE: the super-root)
 *  immediately dominates, biggest first; returns how many there are. */
LG_API uint32_t lg_node_dominated(const lg_analysis *analysis, uint32_t node,
                                  uint32_t *nodes, uint32_t capacity);
/** All bytes of what the roots reach, and of garbage. */
LG_API lg_bytes lg_analysis_reachable_bytes(const lg_analysis *analysis);
LG_API lg_bytes lg_analysis_garbage_bytes(const lg_analysis *analysis);

/** The retained size of a set of nodes: what only they keep alive. Exact.
 *  O(nodes + edges). */
LG_API lg_status lg_nodes_retained(const lg_analysis *analysis,
                                   const uint32_t *nodes, size_t count,
                                   const lg_monitor *monitor, lg_bytes *out,
                                   lg_error *err);
/** The same by device: bytes[0] on the host, and so on up to
 *  lg_graph_device_count. */
LG_API lg_status lg_nodes_retained_each(const lg_analysis *analysis,
                                        const uint32_t *nodes, size_t count,
                                        const lg_monitor *monitor,
                                        uint64_t *bytes, lg_error *err);

/* ---------------------------------------------------------- components --- */

/** A strongly connected component: more than one node, or one node with an
 *  edge to itself. Components of reachable nodes are those of the policy
 *  graph; components of garbage are those of the raw strong graph. */
typedef struct lg_component {
    const uint32_t *nodes; /**< ascending; borrowed */
    uint32_t count;
    lg_bytes retained;
    bool reachable;
} lg_component;

/** Indexes of components are below the count. */
LG_API uint32_t lg_analysis_component_count(const lg_analysis *analysis);
/** Biggest retained bytes first. */
LG_API lg_component lg_analysis_component(const lg_analysis *analysis,
                                          uint32_t index);
/** The component's retained bytes on one device of the graph (0: the host). */
LG_API uint64_t lg_component_retained_on(const lg_analysis *analysis,
                                         uint32_t component, uint32_t device);
/** The component that the node is in, or LG_NONE. */
LG_API uint32_t lg_node_component(const lg_analysis *analysis, uint32_t node);

/* -------------------------------------------------------------- cycles --- */

typedef enum lg_cycle_kind {
    LG_CYCLE_COLLECTABLE = 0, /**< CPython's collector would free it now */
    LG_CYCLE_HELD,            /**< a root reaches it, or native code keeps the
                                   class or function behind it */
    LG_CYCLE_UNCOLLECTABLE,   /**< neither: see the reason */
} lg_cycle_kind;

typedef enum lg_cycle_reason {
    LG_REASON_NONE = 0,
    LG_REASON_NATIVE,      /**< native code holds a reference into it */
    LG_REASON_UNTRAVERSED, /**< an edge that the collector does not see */
    LG_REASON_FROZEN,      /**< in the permanent generation (gc.freeze) */
    LG_REASON_UNTRACKED,   /**< a member that the collector does not track */
} lg_cycle_reason;

typedef struct lg_cycle {
    uint32_t component;
    lg_cycle_kind kind;
    lg_cycle_reason reason; /**< of an uncollectable one */
    uint32_t culprit;       /**< node that the reason is about, or LG_NONE */
    lg_bytes retained;
    lg_hops shortest; /**< the shortest cycle through the component, in hops;
                         owned */
    size_t cut;       /**< index in `shortest` of the hop to cut */
    size_t alike; /**< references like it that you must cut as well to leave no
                     cycle in the component; 0: none, or it is not enough */
    const char *cut_reason; /**< one clause; static */
} lg_cycle;

typedef struct lg_cycles {
    lg_cycle *items;
    size_t count;      /**< those asked for */
    size_t total;      /**< that passed the filter, before `limit` */
    size_t of_kind[3]; /**< of those, by lg_cycle_kind */
} lg_cycles;

typedef struct lg_cycle_options {
    /** The name of a type: a cycle must retain an instance of it or of a
     *  subclass. "tensor" and "figure" stand for their categories. NULL: any.
     */
    const char *holding;
    /** Instead of a name: the analysis calls this once for every type id. */
    bool (*holding_type)(void *context, uint32_t type);
    void *context;
    unsigned kinds;    /**< bits 1 << lg_cycle_kind; 0: all */
    int64_t min_bytes; /**< retained, host and devices; -1: the default: every
                            collectable and uncollectable one, and held ones
                            of 1 MiB or more or that retain a tensor or
                            figure */
    size_t limit;      /**< 0: all */
    uint32_t device;   /**< what is retained there makes them big; LG_NONE: the
                            host and all devices together */
} lg_cycle_options;

/** The cycles of the graph, biggest retained bytes first. options may be NULL.
 *  CPython's own algorithm decides what is collectable (refcounts minus
 *  traversed edges among tracked, unfrozen nodes, then propagation), run on
 *  the snapshot: O(nodes + edges). */
LG_API lg_status lg_analysis_cycles(const lg_analysis *analysis,
                                    const lg_cycle_options *options,
                                    const lg_monitor *monitor, lg_cycles *out,
                                    lg_error *err);
LG_API void lg_cycles_free(lg_cycles *cycles);
/** The shortest cycle in one line: `Parent.children -> list[0] -> Child.parent
 *  -> back to Parent`. A long one leaves out its middle. */
LG_API void lg_cycle_label(const lg_graph *graph, const lg_cycle *cycle,
                           lg_text *out);
/** What to cut, and why: `Child.parent: the back reference ...`. Adds nothing
 *  for a cycle without a shortest cycle. */
LG_API void lg_cycle_advice(const lg_graph *graph, const lg_cycle *cycle,
                            lg_text *out);
LG_API const char *lg_cycle_kind_name(lg_cycle_kind kind);
/** One byte a node: 1 where CPython's collector would free it now. *flags is
 *  released with free(). */
LG_API lg_status lg_graph_collectable(const lg_graph *graph, uint8_t **flags,
                                      lg_error *err);

/* --------------------------------------------------------------- paths --- */

/** A node of the merged shortest paths to many targets. */
typedef struct lg_merged {
    uint32_t parent;  /**< index in the array; LG_NONE for a root */
    uint32_t root;    /**< its index among the graph's roots, or LG_NONE */
    uint32_t node;    /**< one node as an example */
    lg_hop hop;       /**< from a parent's node; edge_count 0 for a root */
    bool varied;      /**< the hops differ in their index or key */
    uint32_t type;    /**< of the example; the others have one of that name */
    uint32_t nodes;   /**< how many are merged here */
    uint64_t targets; /**< that lie at or below */
    lg_bytes bytes;   /**< retained by those targets, no byte twice */
} lg_merged;

typedef struct lg_merged_paths {
    lg_merged *items; /**< parents before children, biggest first */
    size_t count;
    uint64_t unreachable; /**< targets that no root reaches */
} lg_merged_paths;

LG_API void lg_merged_paths_free(lg_merged_paths *paths);
/** Shortest root paths of all targets, merged where the type's name and the
 *  label agree. Indexes and keys count as one label. */
LG_API lg_status lg_paths_merged(const lg_analysis *analysis,
                                 const uint32_t *targets, size_t count,
                                 const lg_monitor *monitor,
                                 lg_merged_paths *out, lg_error *err);

/** The label of the reference to it, as reports write it: `.x`, or `[*]` if
 *  indexes or keys differ. Not for a root. */
LG_API void lg_merged_label(const lg_graph *graph, const lg_merged *merged,
                            lg_text *out);

/* ------------------------------------------------------------- reports --- */

typedef enum lg_group {
    LG_GROUP_OBJECT = 0, /**< the biggest dominators */
    LG_GROUP_TYPE,       /**< by type: exact retained bytes of all instances */
    LG_GROUP_MODULE,     /**< by module of the type */
} lg_group;

/** Text and JSON, for the command and for Python. What is retained on
 *  `device` makes rows big: a device of the graph, or LG_NONE for the host and
 *  all devices together (see lg_graph_device_count). limit 0: all. */
LG_API lg_status lg_report_top(const lg_analysis *analysis, lg_group group,
                               uint32_t device, size_t limit,
                               const lg_monitor *monitor, lg_format format,
                               lg_text *out, lg_error *err);
LG_API lg_status lg_report_cycles(const lg_analysis *analysis,
                                  const lg_cycles *cycles, lg_format format,
                                  lg_text *out, lg_error *err);
LG_API lg_status lg_report_dominators(const lg_analysis *analysis,
                                      uint32_t node, double min_share,
                                      lg_format format, lg_text *out,
                                      lg_error *err);
/** The merged paths of many nodes as a tree with counts and bytes: the `limit`
 *  (0: all) biggest lines, the rest folded into "12 more". */
LG_API lg_status lg_report_paths(const lg_analysis *analysis,
                                 const uint32_t *nodes, size_t count,
                                 size_t limit, const lg_monitor *monitor,
                                 lg_format format, lg_text *out, lg_error *err);
/** A node of the merged shortest paths to many targets. */
LG_API uint32_t lg_nodes_biggest(const lg_analysis *analysis,
                                 const uint32_t *nodes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
