/**
 * Who retains what: components, dominators, retained sizes, cycles, and paths.
 *
 * The conventions of leakgraph.h hold. All of it works on the *policy graph*:
 * the strong edges of the snapshot, from a super-root that refers to every GC
 * root and to the interpreter's own furniture (each module together with its
 * namespace, immortal and static objects, classes that a module or such a class
 * names). What the super-root refers to directly is charged to nobody else, so
 * that classes and modules do not tie the heap into one component. Any other
 * class is an ordinary node, charged to who holds it. Weak edges are never
 * followed. Dominators are exact for that graph.
 *
 * Nothing here needs the GIL. Two threads may analyse one graph. igraph solves
 * what is hard: components of more than 64 nodes whose loops have several ways
 * in. It is opened when there is one, and called under one lock.
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
 * Components, dominators and retained sizes of every node, garbage included
 * (what no root reaches hangs from the source components of the unreachable
 * part). A module's namespace is one with the module: the module dominates it
 * and what it refers to, and of the namespace itself only its own bytes are
 * known. The analysis borrows the graph, which must outlive it. LG_EPARTIAL on
 * a partial graph; LG_EUNSUPPORTED, where igraph is needed, says how to install
 * it. O((nodes + edges) log nodes) time; 35 to 45 bytes a node while it runs,
 * and 400 for each that igraph is asked about. */
LG_API lg_status lg_analysis_new(const lg_graph *graph,
                                 const lg_monitor *monitor, lg_analysis **out,
                                 lg_error *err);
/** The analysis that was saved with the graph; LG_ENOTFOUND if there is none,
 *  LG_EFORMAT if it is not of this graph or not a tree. */
LG_API lg_status lg_analysis_load(const lg_graph *graph, lg_analysis **out,
                                  lg_error *err);
LG_API void lg_analysis_free(lg_analysis *analysis);
LG_API const lg_graph *lg_analysis_graph(const lg_analysis *analysis);

/** The immediate dominator; LG_NONE when only the super-root dominates the node
 *  (or, in garbage, nothing). O(1). */
LG_API uint32_t lg_node_dominator(const lg_analysis *analysis, uint32_t node);
/** Whether any root reaches the node. */
LG_API bool lg_node_is_reachable(const lg_analysis *analysis, uint32_t node);
/** Bytes that would be freed with the node: its own and of all it dominates. Of
 *  garbage in a component that nothing else dominates: what the component
 * retains, whose members go together. */
LG_API lg_bytes lg_node_retained(const lg_analysis *analysis, uint32_t node);
/** The same on one device of the graph (0: the host). */
LG_API uint64_t lg_node_retained_on(const lg_analysis *analysis, uint32_t node,
                                    uint32_t device);
/** Copies up to `capacity` nodes that `node` dominates immediately (LG_NONE:
 * the super-root), biggest first; returns how many there are. */
LG_API uint32_t lg_node_dominated(const lg_analysis *analysis, uint32_t node,
                                  uint32_t *nodes, uint32_t capacity);
/** All bytes of what the roots reach, and of garbage. */
LG_API lg_bytes lg_analysis_reachable_bytes(const lg_analysis *analysis);
LG_API lg_bytes lg_analysis_garbage_bytes(const lg_analysis *analysis);

/** Exact retained bytes of a set of nodes: what only they keep alive. O(nodes +
 *  edges). */
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

/* --------------------------------------------------------------- components
 * --- */

/** A strongly connected component of more than one node, or of one with an edge
 *  to itself: of the policy graph among what is reachable, of the raw strong
 *  graph among garbage. */
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
    size_t alike; /**< references like that which must be cut too, for no cycle
                       of the component to be left; 0: none, or that would not
                     do */
    const char *cut_reason; /**< one clause; static */
} lg_cycle;

typedef struct lg_cycles {
    lg_cycle *items;
    size_t count;      /**< those asked for */
    size_t total;      /**< that passed the filter, before `limit` */
    size_t of_kind[3]; /**< of those, by lg_cycle_kind */
} lg_cycles;

typedef struct lg_cycle_options {
    /** Names of types that a cycle must retain an instance of (subclasses
     *  included); "tensor" and "figure" stand for their categories. NULL:
     * any.*/
    const char *holding;
    /** Instead of a name: asked for every type id of the graph, once. */
    bool (*holding_type)(void *context, uint32_t type);
    void *context;
    unsigned kinds;    /**< bits 1 << lg_cycle_kind; 0: all */
    int64_t min_bytes; /**< retained, host and devices; -1: the default: every
                            collectable and uncollectable one, and held ones
                            of 1 MiB or more or that retain a tensor or
                            figure */
    size_t limit;      /**< 0: all */
    uint32_t by;       /**< what makes them big: see lg_report_top */
} lg_cycle_options;

/** The cycles of the graph, biggest retained bytes first. options may be NULL.
 *  Collectable is decided by CPython's own algorithm (refcounts less traversed
 *  edges among tracked, unfrozen nodes, then propagation), run on the snapshot:
 *  O(nodes + edges). */
LG_API lg_status lg_analysis_cycles(const lg_analysis *analysis,
                                    const lg_cycle_options *options,
                                    const lg_monitor *monitor, lg_cycles *out,
                                    lg_error *err);
LG_API void lg_cycles_free(lg_cycles *cycles);
/** The shortest way round in one line: `Parent.children -> list[0] ->
 *  Child.parent -> back to Parent`. The middle of a long one is left out. */
LG_API void lg_cycle_label(const lg_graph *graph, const lg_cycle *cycle,
                           lg_text *out);
/** What to cut, and why it: `Child.parent: the back reference ...`. Nothing of
 * a cycle without a way round. */
LG_API void lg_cycle_advice(const lg_graph *graph, const lg_cycle *cycle,
                            lg_text *out);
LG_API const char *lg_cycle_kind_name(lg_cycle_kind kind);
/** One byte a node: 1 where CPython's collector would free it now. *flags is
 *  released with free(). */
LG_API lg_status lg_graph_collectable(const lg_graph *graph, uint8_t **flags,
                                      lg_error *err);

/* --------------------------------------------------------------- paths --- */

typedef struct lg_paths {
    lg_path *items; /**< shortest first */
    size_t count;
    bool more; /**< there are more than the limit */
} lg_paths;

LG_API void lg_paths_free(lg_paths *paths);

/** A maximum set of strong paths to the target that share no inner node, from
 *  its immediate dominator (or, without one, from the roots): everything that
 *  must be cut. At most `limit` (0: 16). Unit-capacity flow, O(limit * (nodes +
 *  edges)). For the super-root, each path's `root` is filled. */
LG_API lg_status lg_paths_disjoint(const lg_analysis *analysis, uint32_t target,
                                   size_t limit, const lg_monitor *monitor,
                                   lg_paths *out, lg_error *err);

/** One node of the merged shortest paths of many targets: how many of them come
 *  through here. */
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
/** Shortest root paths of all targets, folded where the type's name and the
 *  label (indexes and keys taken as one) agree. */
LG_API lg_status lg_paths_merged(const lg_analysis *analysis,
                                 const uint32_t *targets, size_t count,
                                 const lg_monitor *monitor,
                                 lg_merged_paths *out, lg_error *err);

/** The reference to it, as reports write it: `.x`; `[*]` where indexes or keys
 *  differ. Not of a root. */
LG_API void lg_merged_label(const lg_graph *graph, const lg_merged *merged,
                            lg_text *out);

/* ------------------------------------------------------------- reports --- */

typedef enum lg_group {
    LG_GROUP_OBJECT = 0, /**< the biggest dominators */
    LG_GROUP_TYPE,       /**< by type: exact retained bytes of all instances */
    LG_GROUP_MODULE,     /**< by module of the type */
} lg_group;

/** Text and JSON, written once for the command and for Python. Ranked by what
 *  is retained on one device, `by` being its id in the graph and 1 (1: the
 *  host), or for 0 on the host and all devices together. limit 0: all. */
LG_API lg_status lg_report_top(const lg_analysis *analysis, lg_group group,
                               uint32_t by, size_t limit,
                               const lg_monitor *monitor, lg_format format,
                               lg_text *out, lg_error *err);
LG_API lg_status lg_report_cycles(const lg_analysis *analysis,
                                  const lg_cycles *cycles, lg_format format,
                                  lg_text *out, lg_error *err);
LG_API lg_status lg_report_dominators(const lg_analysis *analysis,
                                      uint32_t node, double min_share,
                                      lg_format format, lg_text *out,
                                      lg_error *err);
/** The merged paths of many nodes as a tree with counts and bytes: `limit` (0:
 *  all) lines of it, the biggest first, the rest folded into "12 more". */
LG_API lg_status lg_report_paths(const lg_analysis *analysis,
                                 const uint32_t *nodes, size_t count,
                                 size_t limit, const lg_monitor *monitor,
                                 lg_format format, lg_text *out, lg_error *err);
/** Why nodes are alive. Of one: root, each hop with its label, who dominates
 *  it, what it retains, every path to cut. Of several: their merged paths, then
 *  that of the one that retains the most. `note` is one more line about it,
 * such as where it was allocated, or NULL. */
LG_API lg_status lg_report_why(const lg_analysis *analysis,
                               const uint32_t *nodes, size_t count,
                               const char *note, const lg_monitor *monitor,
                               lg_format format, lg_text *out, lg_error *err);
/** Of several nodes, the one that retains the most, and among equals the first.
 *  LG_NONE of none. */
LG_API uint32_t lg_nodes_biggest(const lg_analysis *analysis,
                                 const uint32_t *nodes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
