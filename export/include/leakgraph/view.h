/**
 * Pictures of a graph: the few dozen nodes worth drawing (lg_view), as a text
 * tree, as JSON and as DOT.
 *
 * The conventions of leakgraph.h hold. A view borrows nothing: it may outlive
 * the graph that it was made from. Link with leakgraph::pictures.
 */
#ifndef LEAKGRAPH_VIEW_H
#define LEAKGRAPH_VIEW_H

#include <leakgraph/answers.h>
#include <leakgraph/growth.h>
#include <leakgraph/why.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lg_view lg_view;

typedef enum lg_direction {
    LG_REFS = 0, /**< forward: what the nodes refer to */
    LG_BACKREFS, /**< backward: who refers to them */
    LG_PATH,     /**< a shortest strong path from a GC root */
} lg_direction;

/** The most that a picture takes. */
#define LG_VIEW_MOST_NODES 100000u

/** Start from LG_VIEW_OPTIONS_INIT. */
typedef struct lg_view_options {
    size_t size; /**< of this struct */
    lg_direction direction;
    uint32_t max_depth;    /**< hops from the nodes; 0: 3 */
    uint32_t max_nodes;    /**< drawn at most, folded groups included; 0: 120;
                                from 3 to LG_VIEW_MOST_NODES, with which a
                                long path does not fold its middle */
    uint32_t max_siblings; /**< like siblings drawn before the rest is folded
                                into one "997 more Tensor"; 0: 3 */
    bool weak;             /**< follow weak references too (drawn dotted) */
    bool types;            /**< draw the edges from objects to their types */
    /** Of the same graph: nodes show what they retain. NULL: their own
     *  sizes */
    const lg_analysis *analysis;
} lg_view_options;

/** Pictures of heaps up to this many objects show what objects retain unless
 *  somebody asks for something else: the analysis takes a second or less. */
#define LG_VIEW_QUICK_NODES 2000000

/** Whether an analysis of the whole graph is that quick. False for a partial
 *  graph, which has none. */
LG_API bool lg_view_is_quick(const lg_graph *graph);

#define LG_VIEW_OPTIONS_INIT                                                   \
    {                                                                          \
        .size = sizeof(lg_view_options)                                        \
    }

/**
 * Picks what to draw, starting at `nodes`. Folds similar siblings (same type,
 * same kind of label) if there are more than max_siblings of them. A node says
 * what max_depth or max_nodes leaves out ("+12 more"). LG_PATH draws the path
 * of each node (at most 8 nodes). options may be NULL.
 */
LG_API lg_status lg_view_new(const lg_graph *graph, const lg_node *nodes,
                             size_t count, const lg_view_options *options,
                             const lg_monitor *monitor, lg_view **out,
                             lg_error *err);
/**
 * Draws why a node is alive: the path from a root, or, if you must cut several
 * references, the path to each of them (at most 8). Marks the references that
 * the answer says to cut: single ones that free the node, or those of the set.
 * Draws garbage with its referrers. Uses only max_nodes of the options (at
 * least 16). options may be NULL.
 */
LG_API lg_status lg_view_why(const lg_why *why, const lg_view_options *options,
                             const lg_monitor *monitor, lg_view **out,
                             lg_error *err);
/**
 * Draws a cycle: its shortest round, the hop to cut, the path that holds it or
 * whatever keeps the collector from freeing it, and the biggest objects that it
 * retains.
 */
LG_API lg_status lg_view_cycle(const lg_analysis *analysis,
                               const lg_cycle *cycle, lg_view **out,
                               lg_error *err);
/**
 * Draws a dominator tree, the biggest first; folds the others into "312 more".
 * Of `tree`, node, scope and min_share count. `options` may be NULL; only its
 * max_nodes counts (0: 60; at least 3).
 */
LG_API lg_status lg_view_dominators(const lg_analysis *analysis,
                                    const lg_dominator_options *tree,
                                    const lg_view_options *options,
                                    const lg_monitor *monitor, lg_view **out,
                                    lg_error *err);
/**
 * Draws how the roots reach many nodes: their merged shortest paths as a tree
 * from the roots down, the biggest branches first. Each box says how many nodes
 * are behind it, and what these retain together. `options` may be NULL; only
 * its max_nodes counts (0: 48; at least 3). Folds long runs and small branches.
 * LG_ENOTFOUND if no root reaches any of the nodes.
 */
LG_API lg_status lg_view_paths(const lg_analysis *analysis,
                               const lg_node *nodes, size_t count,
                               const lg_view_options *options,
                               const lg_monitor *monitor, lg_view **out,
                               lg_error *err);
/**
 * Draws what grows: the paths from the roots to the first 12 rows, as a tree of
 * places of the newest snapshot. Each row shows its series. Snapshots and
 * summaries give the same picture.
 */
LG_API lg_status lg_view_growth(const lg_growth *growth, lg_view **out,
                                lg_error *err);
/**
 * Draws one leak: how the roots reach each of its holders, and what these hold
 * together, with the series of the row that leads it. Orange references go when
 * the holders let go. LG_ENOTFOUND if the row has no holders. `analysis` is of
 * the newest snapshot.
 */
LG_API lg_status lg_view_leak(const lg_growth *growth, size_t row,
                              const lg_analysis *analysis, lg_view **out,
                              lg_error *err);
LG_API void lg_view_free(lg_view *view);
LG_API size_t lg_view_node_count(const lg_view *view);

/** The view as an indented tree for a terminal. */
LG_API lg_status lg_view_text(const lg_view *view, lg_text *out, lg_error *err);
/** The view as JSON: {"nodes": [...], "edges": [...]}; bytes retained are an
 *  object by device: {"host": 12, "cuda:0": 34}. */
LG_API lg_status lg_view_json(const lg_view *view, lg_text *out, lg_error *err);

/** Start from LG_DOT_OPTIONS_INIT. */
typedef struct lg_dot_options {
    size_t size;       /**< of this struct */
    const char *title; /**< above the picture; NULL: none */
    bool legend;
    /** The box of an object links to the address that begins with this and ends
     *  with the object's number. NULL: no links. */
    const char *links;
} lg_dot_options;

#define LG_DOT_OPTIONS_INIT                                                    \
    {                                                                          \
        .size = sizeof(lg_dot_options)                                         \
    }

/** The view as Graphviz DOT. options may be NULL. */
LG_API lg_status lg_view_dot(const lg_view *view, const lg_dot_options *options,
                             lg_text *out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
