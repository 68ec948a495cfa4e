/**
 * Pictures of a graph: the few dozen nodes worth drawing (lg_view), as a text
 * tree, as JSON and as DOT.
 *
 * The conventions of leakgraph.h hold. A view borrows nothing: it may outlive
 * the graph that it was made from.
 */
#ifndef LEAKGRAPH_VIEW_H
#define LEAKGRAPH_VIEW_H

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
LG_API void lg_view_free(lg_view *view);

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
    bool upright; /**< the picture runs down the page, with short lines above
                       it, as a narrow screen shows it */
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
