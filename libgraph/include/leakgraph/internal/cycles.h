/**
 * Reference cycles: what they keep, what keeps them, and what to cut so that
 * reference counts alone free their objects.
 *
 * The conventions of leakgraph.h hold. An answer holds facts, and borrows
 * nothing but its graph: components, nodes, hops and names are the graph's.
 * Bytes by device are numbers in the order of lg_graph_device_name, the host
 * first.
 */
#ifndef LEAKGRAPH_CYCLES_H
#define LEAKGRAPH_CYCLES_H

#include <leakgraph/analysis.h>
#include <leakgraph/internal/baseline.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/scope.h>

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

/** "collectable", "held", "uncollectable". */
const char *lg_cycle_kind_name(lg_cycle_kind kind);
/** "none", "native", "untraversed", "frozen", "untracked". */
const char *lg_cycle_reason_name(lg_cycle_reason reason);

/** Members of a component of one type. */
typedef struct lg_cycle_type {
    uint32_t type;
    uint32_t count;
} lg_cycle_type;

/** What a reference that closes a cycle is, and why to cut it. */
typedef enum lg_cut_reason {
    LG_CUT_NONE = 0,
    LG_CUT_PARENT,          /**< a reference from child to parent */
    LG_CUT_LINK,            /**< of a linked structure, back */
    LG_CUT_TRACEBACK,       /**< an exception with its traceback */
    LG_CUT_HOOK,            /**< a hook captures what it is registered on */
    LG_CUT_CALLBACK,        /**< a callback refers to its owner */
    LG_CUT_CACHE,           /**< a cache keeps what its entries come from */
    LG_CUT_CAPTURE,         /**< a callable captures what stores it */
    LG_CUT_METHOD,          /**< a bound method, stored below its object */
    LG_CUT_SUSPENDED,       /**< a local of a generator or coroutine */
    LG_CUT_LOCAL,           /**< a local of a frame that is kept */
    LG_CUT_GRADIENT,        /**< a gradient with the graph that made it */
    LG_CUT_SAVED,           /**< a hook on saved tensors keeps an output */
    LG_CUT_CONTEXT,         /**< an output, stored on its ctx */
    LG_CUT_NESTED,          /**< a nested function captures itself */
    LG_CUT_WRAPPER,         /**< a wrapper and what it wraps */
    LG_CUT_CLASSES,         /**< two classes */
    LG_CUT_INSTANCE,        /**< an instance, on its own class */
    LG_CUT_OWNER,           /**< from an element to what holds it */
    LG_CUT_ATTRIBUTE,       /**< any attribute */
    LG_CUT_ARRAY,           /**< an element of an array */
    LG_CUT_ENTRY,           /**< an entry of a container */
    LG_CUT_ELEMENT,         /**< an element of a container */
    LG_CUT_REFERENCE,       /**< anything else */
    LG_CUT_KEPT_BY_LIBRARY, /**< an object of a library refers back */
    LG_CUT_SET_BY_LIBRARY,  /**< code of a library sets it */

    /* why nothing can be cut */
    LG_STAYS_CLASS,       /**< a class refers to itself */
    LG_STAYS_LIBRARY,     /**< the own structure of a library */
    LG_STAYS_AUTOGRAD,    /**< inside of the autograd graph */
    LG_STAYS_CPP,         /**< between C++ objects */
    LG_STAYS_FIGURE_OPEN, /**< a figure that pyplot has */
    LG_STAYS_FIGURE,      /**< a figure and its parts */
    LG_STAYS_FIXED,       /**< a program cannot remove it */
    LG_STAYS_FOLDED,      /**< a part of an object, which refers back to it */
} lg_cut_reason;

/** A reference to cut, together with those that are like it: of the same name,
 *  between objects of the same categories. */
typedef struct lg_cycle_cut {
    lg_hop hop; /**< its last edge is the reference */
    lg_cut_reason reason;
    uint64_t *edges; /**< the references like it, which must be cut, too */
    size_t alike;    /**< how many they are */
} lg_cycle_cut;

/** A strongly connected component, and the shortest cycle that says the most
 *  of it. */
typedef struct lg_cycle {
    uint32_t component;
    lg_node node; /**< a member to name it by: where `shortest` begins, if a
                       member does */
    lg_cycle_kind kind;
    lg_cycle_reason reason; /**< of an uncollectable one */
    lg_node culprit;        /**< node that the reason is about, or LG_NONE */
    lg_string library;    /**< the library whose own structure it is: "logging";
                               empty if it is, or keeps, something of the
                               program's */
    bool is_leak;         /**< garbage that the program can avoid: neither a
                               library's own structure nor a closed figure,
                               whose parts refer back to it */
    uint64_t *retained;   /**< by device */
    uint64_t total;       /**< of that, all devices together */
    uint32_t objects;     /**< members, without namespaces that are folded into
                               their owners */
    lg_cycle_type *types; /**< of those, most frequent first */
    size_t type_count;

    lg_hops shortest; /**< empty if every reference among the members is folded
                           into a hop, as in damaged files */
    size_t cut; /**< index in `shortest` of the first cut; its count: nothing
                     can be cut */
    /** Once these and those like them are cut, and `more` others, no cycle is
     *  left among the members but for those that `left` is about. The first is
     *  a hop of `shortest`. At most LG_CYCLE_CUTS_NAMED. */
    lg_cycle_cut *cuts;
    size_t cut_count;
    uint64_t more;   /**< references to cut that are not listed */
    bool more_least; /**< they are at least so many: the component is too large
                          to count them */
    lg_cut_reason left; /**< why no cut ends the cycles that are left;
                             LG_CUT_NONE if none is left */

    lg_path path; /**< of a held one: a shortest path from a root to `node`;
                       else none */
    size_t group; /**< index in lg_cycles.groups */
    uint64_t key; /**< of its kind, types and references without indexes and
                       keys: the same in every run; for baselines */
} lg_cycle;

enum { LG_CYCLE_CUTS_NAMED = 8 };

/** Cycles with the same kind, types, references around and cuts, and the same
 *  path apart from indexes and keys; or the cycles of one library. Sizes and
 *  numbers of objects may differ. */
typedef struct lg_cycle_group {
    size_t first; /**< index in lg_cycles.items of the biggest */
    size_t count;
    uint64_t *retained; /**< added up, by device */
    uint64_t total;     /**< of that, all devices together */
} lg_cycle_group;

typedef struct lg_cycles {
    lg_cycle *items;   /**< biggest first; after them those of libraries */
    size_t count;      /**< cycles in the list */
    size_t total;      /**< cycles that passed the filter, before `limit` */
    size_t of_kind[3]; /**< the same by lg_cycle_kind */
    size_t leaks;      /**< of `total`, those with is_leak */
    size_t known;      /**< cycles that the baseline knows; no other number
                            includes them */
    size_t smaller;    /**< held cycles that only their size leaves out by
                            default; no other number includes them */
    uint64_t least;    /**< bytes; each of those retains less */
    lg_cycle_group *groups; /**< in the order of their first */
    size_t group_count;
    size_t grouped; /**< the biggest cycles, of which groups count all that are
                         alike; less than `total`: there may be more */
} lg_cycles;

/** Start from LG_CYCLE_OPTIONS_INIT. */
typedef struct lg_cycle_options {
    size_t size; /**< of this struct */
    /** The name of a type: a cycle must retain an instance of it or of a
     *  subclass. "tensor" and "figure" stand for their categories. NULL: any.
     *  LG_ENOTFOUND, with a suggestion, if the graph knows no such type.
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
    const lg_scope
        *scope; /**< only cycles with a member that it has; or NULL */
    const lg_baseline *baseline; /**< leave out the collectable and
                                      uncollectable cycles that it knows, but
                                      for those of libraries and of closed
                                      figures; NULL: none */
} lg_cycle_options;

#define LG_CYCLE_OPTIONS_INIT                                                  \
    {                                                                          \
        .size = sizeof(lg_cycle_options), .min_bytes = -1, .device = LG_NONE   \
    }

/** Finds the cycles of the graph, but those of native memory alone, which C
 * code links as it likes. options may be NULL. CPython's own algorithm, run on
 * the snapshot, decides what is collectable (refcounts minus traversed edges
 * among tracked, unfrozen nodes, then propagation). O(nodes + edges), and O(its
 * edges * cuts) for each cycle in the list. Free with lg_cycles_free.
 */
lg_status lg_analysis_cycles(const lg_analysis *analysis,
                             const lg_cycle_options *options,
                             const lg_monitor *monitor, lg_cycles *out,
                             lg_error *err);
/** The cycle of one component, as a list of one. LG_EINVAL: there is no such
 *  component. */
lg_status lg_component_cycle(const lg_analysis *analysis, uint32_t component,
                             const lg_monitor *monitor, lg_cycles *out,
                             lg_error *err);
void lg_cycles_free(lg_cycles *cycles);
/** Adds the cycles of the answer that are leaks to the baseline, each with a
 *  description as its note. */
lg_status lg_cycles_note(const lg_graph *graph, const lg_cycles *cycles,
                         lg_baseline *baseline, lg_error *err);

/** The shortest cycle in one line: `Parent.children -> list[0] -> Child.parent
 *  -> back to Parent`. A long one leaves out its middle. */
void lg_cycle_label(const lg_graph *graph, const lg_cycle *cycle, lg_text *out);
/** Which kind of cycle it is, of which objects or library, and what it retains:
 *  `held · 4 objects (2 app.Child, app.Parent, list) · retains 3.00 MiB`. */
void lg_cycle_headline(const lg_graph *graph, const lg_cycle *cycle,
                       lg_text *out);
/** All that a report says below the headline and the shortest cycle, in lines:
 *  what to cut, and what holds the cycle or why nothing has freed it. */
void lg_cycle_explanation(const lg_graph *graph, const lg_cycle *cycle,
                          lg_text *out);
/** What to cut first, and why: `Child.parent: the back reference ...`; or why
 *  nothing can be cut. */
void lg_cycle_advice(const lg_graph *graph, const lg_cycle *cycle,
                     lg_text *out);

/** One byte a node: 1 where CPython's collector would free it now. *flags is
 *  released with free(). */
lg_status lg_graph_collectable(const lg_graph *graph, uint8_t **flags,
                               lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
