/**
 * One level of a tree: what an object owns, or what refers to it, with objects
 * of one type that stand in one place together.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_BRANCHES_H
#define LEAKGRAPH_BRANCHES_H

#include <leakgraph/internal/answers.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Objects of one type under one label, such as 300 Tensors at `[*]`. */
typedef struct lg_branch {
    lg_node node;      /**< the one that retains the most */
    lg_hop hop;        /**< a reference to it from the object, or from it to the
                            object; edge_count 0: no direct one */
    uint64_t count;    /**< objects */
    uint64_t retained; /**< by them on all devices; of referrers, by `node` */
    uint64_t own;      /**< their own bytes on all devices */
    bool opens;        /**< there is something below it */
} lg_branch;

typedef struct lg_branches {
    lg_branch *items; /**< those that retain the most first */
    size_t count;
} lg_branches;

typedef enum lg_branch_way {
    LG_BRANCH_OWNED = 0, /**< what the object dominates immediately */
    LG_BRANCH_REFERRERS, /**< what refers to it, by strong references */
} lg_branch_way;

/** The branches of a node. With `like` (LG_NONE: none), the objects of the
 *  branch that has this object instead, each for itself. O(objects and
 *  references of the node * log); LG_EINVAL: there is no such node. */
lg_status lg_node_branches(const lg_analysis *analysis, lg_node node,
                           lg_branch_way way, lg_node like, lg_branches *out,
                           lg_error *err);
void lg_branches_free(lg_branches *branches);
/** Writes the label of a branch: `.history`, `[*]`, or nothing. */
void lg_branch_label(const lg_graph *graph, const lg_branch *branch,
                     lg_text *out);

#ifdef __cplusplus
}
#endif

#endif
