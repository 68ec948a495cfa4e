/**
 * The shortest paths to many objects, merged into one tree.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_MERGED_PATHS_H
#define LEAKGRAPH_MERGED_PATHS_H

#include <leakgraph/analysis.h>
#include <leakgraph/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A node of the merged shortest paths to many targets. */
typedef struct lg_merged {
    uint32_t parent;  /**< index in the array; LG_NONE for a root */
    uint32_t root;    /**< its index among the graph's roots, or LG_NONE */
    lg_node node;     /**< one node as an example */
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
                                 const lg_node *targets, size_t count,
                                 const lg_monitor *monitor,
                                 lg_merged_paths *out, lg_error *err);

/** The label of the reference to it, as reports write it: `.x`, or `[*]` if
 *  indexes or keys differ. Not for a root. */
LG_API void lg_merged_label(const lg_graph *graph, const lg_merged *merged,
                            lg_text *out);

#ifdef __cplusplus
}
#endif

#endif
