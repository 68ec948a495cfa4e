/**
 * Paths through a graph as Python writes them, and names of nodes.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_PATH_H
#define LEAKGRAPH_PATH_H

#include <leakgraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The nodes that a selector names, ascending:
 *   node:17 or #17           that node
 *   0x7f12..                 the object at that address
 *   type:torch.Tensor        instances; `*` globs; a trailing `+` takes
 *                            subclasses in
 *   name:train.losses[0]['x'].y
 *                            longest module prefix, then attributes and keys;
 *                            `name:` may be left out
 *   module:train             a module of sys.modules
 *   garbage                  what no root reaches
 *   native code              what native code keeps
 *   the interpreter          what only the interpreter keeps
 * A place that a report writes is one, too. `the interpreter`, and places of
 * garbage that name a cycle or `garbage below`, take an analysis. The monitor
 * (or NULL) may cancel what takes long.
 * LG_EINVAL for a malformed one (the message lists the forms), LG_ENOTFOUND
 * with the nearest known name when nothing matches.
 */
LG_API lg_status lg_graph_select(const lg_graph *graph, const char *selector,
                                 const lg_monitor *monitor, lg_nodes *out,
                                 lg_error *err);

/** The node at that address, or LG_NONE. O(nodes), when asked often O(log
 *  nodes). */
LG_API lg_node lg_graph_find(const lg_graph *graph, uint64_t address);

/**
 * A step that counts as one in Python: instance, module and class with their
 * own dict are one hop `.x`; a function with its closure tuple and cell is one
 * hop to the variable's value. A dict with another holder is not folded. A
 * buffer with one holder is folded into it.
 */
typedef struct lg_hop {
    lg_node source;
    lg_node target;
    lg_edge edges[4];    /**< the edges taken, in order */
    uint32_t edge_count; /**< 1 to 4 */
    bool weak;           /**< one of them is weak */
} lg_hop;

/** Label of a hop as Python would write it: `.losses`, `[0]`, `['key']`,
 *  `local batch`, `closure model`, `__class__` ... */
LG_API void lg_hop_label(const lg_graph *graph, const lg_hop *hop,
                         lg_text *out);
/** Label of one raw edge. */
LG_API void lg_edge_label(const lg_graph *graph, lg_edge edge, lg_text *out);
/** "attribute", "value", "index", ... : stable names for JSON and Python. */
LG_API const char *lg_edge_kind_name(unsigned kind);
/** What a node is, in a few words: `list of 1,000`, `function train.step`,
 *  `module train`, `Trainer`. `long_form` gives the whole type name. */
LG_API void lg_node_title(const lg_graph *graph, lg_node node, bool long_form,
                          lg_text *out);

typedef enum lg_path_start {
    LG_STARTS_NOWHERE = 0, /**< there is no path */
    LG_STARTS_AT_ROOT,
    LG_STARTS_AT_NODE, /**< at a node that is no root */
} lg_path_start;

typedef struct lg_path {
    lg_path_start start; /**< where it begins */
    lg_root root; /**< the root where it begins; if it begins at a node, only
                       root.node counts, which is that node */
    lg_hop *hops; /**< from root.node to the target */
    size_t count; /**< 0: the target is root.node itself */
} lg_path;

LG_API void lg_path_free(lg_path *path);
/** A path as one expression: `train.trainer.losses[0]`. The middle of a long
 * one is left out. */
LG_API void lg_path_label(const lg_graph *graph, const lg_path *path,
                          lg_text *out);

/**
 * A shortest strong path from a GC root, counted in hops; among the shortest,
 * a local, a global or an attribute of the user's own code beats a cache, `gc`
 * or `sys` bookkeeping. What a debugger has, then the copies of a function's
 * variables in `f_locals`, and then native roots are used only when nothing
 * else reaches the target. LG_ENOTFOUND: garbage, no root reaches it.
 * LG_EPARTIAL on a partial graph, unless its references explain the reference
 * counts of all that the path leads through: a whole graph has the same path
 * then. O(nodes + edges).
 */
LG_API lg_status lg_path_from_root(const lg_graph *graph, lg_node target,
                                   const lg_monitor *monitor, lg_path *out,
                                   lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
