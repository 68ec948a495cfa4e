/**
 * Cycles: which ones there are, why they stay, what to cut.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_CYCLES_H
#define LEAKGRAPH_CYCLES_H

#include <leakgraph/analysis.h>
#include <leakgraph/path.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    lg_node culprit;        /**< node that the reason is about, or LG_NONE */
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

/** Start from LG_CYCLE_OPTIONS_INIT. */
typedef struct lg_cycle_options {
    size_t size; /**< of this struct */
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

#define LG_CYCLE_OPTIONS_INIT                                                  \
    {                                                                          \
        .size = sizeof(lg_cycle_options), .min_bytes = -1, .device = LG_NONE   \
    }

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

#ifdef __cplusplus
}
#endif

#endif
