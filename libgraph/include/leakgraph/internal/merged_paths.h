/**
 * How the roots reach many objects: their shortest paths, merged into one tree.
 *
 * The conventions of answers.h hold.
 */
#ifndef LEAKGRAPH_MERGED_PATHS_H
#define LEAKGRAPH_MERGED_PATHS_H

#include <leakgraph/analysis.h>
#include <leakgraph/path.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lg_merged_kind {
    LG_MERGED_NODES = 0, /**< nodes of one type, which one label leads to */
    LG_MERGED_PASSED,    /**< left out: the middle of a path without branches */
    LG_MERGED_REST,      /**< left out: smaller siblings, with all below them */
} lg_merged_kind;

/** Nodes that the shortest paths to many targets have in common. */
typedef struct lg_merged_row {
    lg_merged_kind kind;
    uint32_t parent;  /**< the row above; LG_NONE at a root */
    uint32_t depth;   /**< 0 at a root */
    uint32_t count;   /**< nodes that are merged here; or rows left out */
    uint64_t targets; /**< targets here or below */
    uint64_t ends;    /**< targets here; 0 for what is left out */
    const uint64_t *retained; /**< by those targets, by device; each byte
                                   counted once */
    uint64_t total;           /**< of all devices */
    /* Of LG_MERGED_NODES alone: */
    uint32_t root; /**< its index among the graph's roots, or LG_NONE */
    lg_node node;  /**< one of the nodes; LG_NONE of what is left out */
    uint32_t type; /**< of that node; the others have one of that name */
    lg_hop hop;    /**< from a node of the row above; edge_count 0 at a root */
    bool varied;   /**< the hops differ in their index or key */
} lg_merged_row;

typedef struct lg_merged_paths {
    lg_merged_row *rows; /**< parents before children, the biggest first, and of
                              siblings those left out at last */
    size_t count;
    uint64_t targets;     /**< asked about, each of them once */
    uint64_t unreachable; /**< of those, what no root reaches: garbage */
    uint64_t *retained;   /**< by all of them together, by device */
    uint64_t total;       /**< of all devices */
    uint32_t devices;     /**< and the host */
    uint64_t *bytes;      /**< what `retained` of rows points into */
} lg_merged_paths;

/** Start from LG_MERGED_OPTIONS_INIT. */
typedef struct lg_merged_options {
    size_t size;  /**< of this struct */
    size_t limit; /**< rows of nodes, the biggest first, each with all above it
                       (0: all) */
    size_t most;  /**< rows in all, at least 3; `limit` gives way (0: any) */
    /** Of an unbranched path, the first `head` and the last `tail` rows are
     *  shown, and the rest is one row. Both 0: 8 and 6 if there is a limit, all
     *  otherwise. */
    uint32_t head;
    uint32_t tail;
    /** A row retains at least this part of the bytes, or leads to at least that
     *  part of the targets. */
    double min_bytes;
    double min_targets;
} lg_merged_options;

#define LG_MERGED_OPTIONS_INIT                                                 \
    {                                                                          \
        .size = sizeof(lg_merged_options)                                      \
    }

/** Finds how the roots reach many nodes: their shortest paths, merged from the
 *  roots down where the type's name and the label agree; indexes and keys count
 *  as one label. options may be NULL. LG_EINVAL for a node that does not exist,
 *  or a share outside 0 to 1. O(nodes + edges), and O(rows log rows) to order
 *  them. */
lg_status lg_analysis_merged_paths(const lg_analysis *analysis,
                                   const lg_node *targets, size_t count,
                                   const lg_merged_options *options,
                                   const lg_monitor *monitor,
                                   lg_merged_paths *out, lg_error *err);
void lg_merged_paths_free(lg_merged_paths *paths);

/** Adds the label of the reference to a row, as reports write it: `.x`, or
 *  `[*]` if indexes or keys differ. Adds nothing at a root, or for what is left
 *  out. */
void lg_merged_label(const lg_graph *graph, const lg_merged_row *row,
                     lg_text *out);

#ifdef __cplusplus
}
#endif

#endif
