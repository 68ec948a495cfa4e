/**
 * What would die if you cut some references, and what would live on.
 *
 * The conventions of leakgraph.h hold. An answer holds facts: nodes, edges and
 * hops of its graph, which must outlive it. Bytes by device are numbers in the
 * order of lg_graph_device_name, the host first.
 */
#ifndef LEAKGRAPH_WHAT_IF_H
#define LEAKGRAPH_WHAT_IF_H

#include <leakgraph/internal/scope.h>
#include <leakgraph/why.h>
#include <leakgraph/internal/why_facts.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An owned list of edges. */
typedef struct lg_edges {
    lg_edge *items;
    size_t count;
} lg_edges;

void lg_edges_free(lg_edges *edges);
/** Adds edges to a list, which stays ascending with each once. LG_ENOMEM leaves
 *  it as it is. O(n log n). */
lg_status lg_edges_add(lg_edges *all, const lg_edges *more, lg_error *err);

/**
 * Adds the references that a text names to a list, as lg_edges_add does:
 *   train.trainer.losses     the reference at the end of a path, which begins
 *                            with a module, `#17` or an address
 *   train.losses[*].graph    `[*]` is every item, `.*` every attribute
 *   train.server.request_*   every attribute with a number there
 *   #17->#42                 all references from one selector's nodes to
 *                            another's; `*` on one side stands for all nodes
 * Weak references are left out. LG_EINVAL for a text that names none,
 * LG_ENOTFOUND with the nearest known name when nothing matches; a failure
 * leaves the list as it is. O(hops of the nodes on the path). The monitor (or
 * NULL) is for lg_graph_select.
 */
lg_status lg_graph_references(const lg_graph *graph, const char *text,
                              const lg_monitor *monitor, lg_edges *out,
                              lg_error *err);

/** Objects of one type that would die. */
typedef struct lg_dying {
    uint32_t type;
    uint64_t count;
    uint64_t total;       /**< bytes on the host and all devices */
    const uint64_t *size; /**< the same by device */
} lg_dying;

/** Objects of one place that would live on. */
typedef struct lg_survivor {
    lg_node node;   /**< the one that retains the most */
    uint64_t count; /**< how many they are */
    bool is_target; /**< a cut reference led to it; else something that would
                         die refers to it */
    uint64_t total; /**< retained on the host and all devices after the cut, by
                         all of them */
    const uint64_t *retained; /**< the same by device */
    lg_path path; /**< a shortest path to `node` that stays from a root; none
                       below immortal objects that have none */
    lg_cuts cuts; /**< the smallest set to cut next, which frees it and spares
                       its dominator, or the nearest one of those above it after
                       which a program can cut */
} lg_survivor;

typedef struct lg_what_if {
    size_t references;    /**< cut references; the keys of items go with them */
    lg_nodes nodes;       /**< nodes that would die, ascending */
    const uint64_t *size; /**< their bytes, by device */
    uint64_t waiting; /**< how many of them wait for the collector, because they
                           are in cycles or below */
    const uint64_t *waiting_size;
    uint64_t listed; /**< how many of them the scope has */
    const uint64_t *listed_size;
    lg_dying *types; /**< of those, the biggest first */
    size_t type_count;
    lg_survivor *kept; /**< targets first, then the biggest; none that is below
                            another, and of what the scope has only */
    size_t kept_count;
    uint64_t kept_total; /**< objects that would live on and that the scope has,
                              shown or not: of the program's own and
                              containers */
    uint64_t *bytes;     /**< what the sizes point into */
} lg_what_if;

/** Start from LG_WHAT_IF_OPTIONS_INIT. */
typedef struct lg_what_if_options {
    size_t size;           /**< of this struct */
    size_t limit;          /**< rows of survivors, the biggest first (0: all) */
    const lg_scope *scope; /**< only what it has is listed, but all is added
                                up; or NULL */
} lg_what_if_options;

#define LG_WHAT_IF_OPTIONS_INIT                                                \
    {                                                                          \
        .size = sizeof(lg_what_if_options)                                     \
    }

/**
 * Finds exactly what would die if you cut these references: what the roots
 * reach now and would not reach then, and garbage that loses its last
 * reference. An item of a dict goes with its key. options may be NULL.
 * LG_EINVAL for an edge that does not exist. Computes anew only what the cuts
 * change: where they change much, that costs as much as an analysis. Also
 * O(nodes + edges) for each survivor. Free with lg_what_if_free.
 */
lg_status lg_analysis_what_if(const lg_analysis *analysis, const lg_edge *edges,
                              size_t count, const lg_what_if_options *options,
                              const lg_monitor *monitor, lg_what_if *out,
                              lg_error *err);
void lg_what_if_free(lg_what_if *answer);

#ifdef __cplusplus
}
#endif

#endif
