/**
 * Why an object is alive, and what to cut to free it.
 *
 * The conventions of leakgraph.h hold. Answers hold facts: nodes, hops, sizes.
 * They borrow the analysis and its graph, which must outlive them.
 */
#ifndef LEAKGRAPH_WHY_FACTS_H
#define LEAKGRAPH_WHY_FACTS_H

#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/findings.h>
#include <leakgraph/text.h>
#include <leakgraph/why.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A path to a node, and the reference on it to cut. */
typedef struct lg_cut {
    lg_path path; /**< from a root, or from the `from` of lg_node_cuts */
    uint32_t hop; /**< path.hops[hop] is the reference to cut */
} lg_cut;

/** The smallest set of references that keeps a node alive. */
typedef struct lg_cuts {
    lg_cut *items;  /**< shortest path first */
    size_t count;   /**< how many are listed */
    uint64_t total; /**< how many there are; 0: there is no such set */
    bool is_kept;   /**< cutting them is not enough: see `kept` */
    lg_path kept;   /**< a path on which a program can cut nothing, such as an
                         item of a tuple, or what native code holds */
} lg_cuts;

/**
 * Finds the smallest set of references that you must cut so that no path leads
 * to `node` from `from`, a node that dominates it, or from the roots (NULL).
 * Among the smallest sets, it prefers one of attributes, items and variables,
 * and then the one nearest to the node. It lists at most `limit` (0: all). What
 * native code refers to stays alive; the set then separates the node from all
 * other roots. Empty for garbage that nothing dominates.
 *
 * Edges that no program can cut: an object's own namespace and type, items of
 * tuples, attributes that frozen dataclasses, frozen classes of attrs
 * and frozen models of pydantic declare, attributes that can only be read, such
 * as the base of an ndarray or the object of a memoryview, what C++ objects and
 * operations of autograd refer to, items of a container of which there are only
 * views or iterators, functions of os.register_at_fork and sys.addaudithook,
 * fields of functions and methods, what native structures refer to (except for
 * what one call lets go of: functions of atexit, sys.setprofile, sys.settrace,
 * sys.set_asyncgen_hooks, signal and readline), a thread's frames, temporaries
 * of frames, and the namespaces of an IPython shell. O(edges * sqrt(edges)) at
 * worst, usually linear in what leads to the node. Free with lg_cuts_free.
 */
lg_status lg_node_cuts(const lg_analysis *analysis, lg_node node,
                       const lg_node *from, size_t limit,
                       const lg_monitor *monitor, lg_cuts *out, lg_error *err);
void lg_cuts_free(lg_cuts *cuts);

/** Whether a program can cut the last reference of a hop. */
bool lg_hop_can_be_cut(const lg_graph *graph, const lg_hop *hop);

/** A call with which a program cuts what the interpreter refers to. */
typedef enum lg_cutting_call {
    LG_CALL_NONE = 0,
    LG_CALL_ATEXIT,       /**< atexit.unregister() */
    LG_CALL_PROFILE,      /**< sys.setprofile(None) */
    LG_CALL_TRACE,        /**< sys.settrace(None) */
    LG_CALL_ASYNCGEN,     /**< sys.set_asyncgen_hooks(None, None) */
    LG_CALL_SIGNAL,       /**< signal.signal(N, signal.SIG_DFL) */
    LG_CALL_COMPLETER,    /**< readline.set_completer(None) */
    LG_CALL_STARTUP_HOOK, /**< readline.set_startup_hook(None) */
    LG_CALL_INPUT_HOOK,   /**< readline.set_pre_input_hook(None) */
    LG_CALL_DISPLAY_HOOK, /**< readline.set_completion_display_matches_hook(
                               None) */
    LG_CALL_CODECS,       /**< codecs.unregister() */
} lg_cutting_call;

/** What helps to cut what keeps a node. */
typedef enum lg_why_hint {
    LG_HINT_NONE = 0,
    LG_HINT_CALL,     /**< a call cuts it: see `call` */
    LG_HINT_CACHED,   /**< it is a cached function, `cached`: clearing its cache
                           frees what that keeps */
    LG_HINT_CACHE,    /**< clearing the cache of `cached` frees it */
    LG_HINT_CACHE_IN, /**< clearing that cache cuts references to it */
    LG_HINT_CYCLE,    /**< the collector does not see the cycle that it is part
                           of, which must be broken, too */
    LG_HINT_SHELL,    /**< IPython keeps it as a result */
    LG_HINT_LOCALS,   /**< a copy of variables, which goes with its frame */
} lg_why_hint;

/** Why a node is alive, or why it is garbage. */
typedef struct lg_why {
    const lg_analysis *analysis;
    lg_node node;      /**< the node asked for, or what it is folded into */
    lg_node dominator; /**< what every path from the roots goes through, with
                             folded namespaces as their owners; LG_NONE */
    bool garbage;      /**< no root reaches it */
    uint64_t spent;    /**< bytes of the host that allocators spend on what the
                            node retains: see lg_retained_rounding */
    lg_string
        allocation; /**< the functions that allocated its buffer, as its
                         allocator recorded them, innermost first; empty */

    lg_path path; /**< a shortest path from a root; none for garbage */
    bool *frees;  /**< [path.count] cutting this hop alone frees the node */
    size_t frees_count;

    /** What to cut: the smallest set. If one hop of `path` is enough, the set
     *  that frees the node and spares its dominator, or the nearest one of
     *  those above it after which a program can cut. */
    lg_cuts cuts;
    lg_why_hint hint; /**< how to cut them: see lg_why_hint_format */
    lg_cutting_call call;
    lg_node cached; /**< a function with a cache, or LG_NONE */

    lg_cycle_reason reason; /**< why the collector does not free garbage */
    lg_node culprit; /**< the node that the reason is about, or LG_NONE */

    uint32_t component; /**< of the node, or of the garbage that it goes with;
                             LG_NONE */
    lg_node member;   /**< the member of it: the node itself, or a dominator */
    lg_hops cycle;    /**< a short cycle in that component */
    size_t cycle_cut; /**< the hop of it to cut; its count: nothing can be */

    lg_findings findings; /**< known mistakes that keep the node */
} lg_why;

/** Explains one node. O(nodes + edges). Free with lg_why_clear. */
lg_status lg_node_why(const lg_analysis *analysis, lg_node node,
                      const lg_monitor *monitor, lg_why *out, lg_error *err);
void lg_why_clear(lg_why *why);

/** Whether `cuts` says more than the marked hops of the path: several
 * references must go, or cutting them is not enough. */
bool lg_why_needs_several(const lg_why *why);

#ifdef __cplusplus
}
#endif

#endif
