/**
 * Known mistakes, recognised by their shape.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_FINDINGS_H
#define LEAKGRAPH_FINDINGS_H

#include <leakgraph/analysis.h>
#include <leakgraph/internal/baseline.h>
#include <leakgraph/internal/scope.h>
#include <leakgraph/path.h>
#include <leakgraph/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A known mistake, recognised by its shape. */
typedef struct lg_pattern {
    const char *name;  /**< stable: "loss-history" */
    const char *cause; /**< one sentence */
    const char *fix;   /**< one line */
} lg_pattern;

/** The patterns, in the order of the table; NULL beyond the last. Static. */
const lg_pattern *lg_pattern_at(size_t index);
/** The pattern with that name; NULL: there is none. Static. */
const lg_pattern *lg_pattern_find(lg_string name);

/** A node that keeps the things of a finding alive. */
typedef struct lg_holder {
    const lg_pattern *pattern; /**< the mistake there; "other-holder", which is
                                    not in the table: none that is known */
    lg_node node;    /**< where to cut: the list, closure, cache ..., or the
                          kept thing where no container has it; LG_NONE: C++
                          that no snapshot sees */
    lg_node example; /**< one of what it keeps, of the commonest type; LG_NONE
                          likewise */
    uint64_t count;  /**< things kept in the same way */
    const uint64_t *retained; /**< what goes if only this holder lets go, by
                                 device; 0 from the 64th holder of a finding
                                 on */
    uint64_t total;           /**< of that, all devices together */
    lg_node source; /**< what refers to the node there, if the node is the kept
                         thing; otherwise LG_NONE */
    lg_path path;   /**< from a root to the node, if there is one */
} lg_holder;

/** Most holders that make no mistake, for one finding. */
enum { LG_OTHERS_LISTED = 16 };

/** What a mistake keeps, or several mistakes that share it: the memory goes
 * when all holders let go. Holders that share nothing are findings of their
 * own. Other objects of the program that keep a substantial part of it, too,
 * are the last holders. */
typedef struct lg_finding {
    const lg_pattern *pattern; /**< of the first holder */
    const lg_holder *holders;  /**< who frees most alone comes first */
    size_t holder_count;       /**< 1 or more */
    uint64_t count;            /**< things kept, each once */
    uint64_t of_type; /**< of those, with the type of the first holder's
                           example */
    bool varied;      /**< they differ in more than their addresses: shapes,
                           devices */
    const uint64_t
        *retained;         /**< by them, each byte counted once, by device:
                                [lg_graph_device_count + 1], the host first */
    uint64_t total;        /**< of that, all devices together */
    const uint64_t *freed; /**< what goes if only the mistakes are mended, by
                                device */
    uint64_t freed_total;  /**< of that, all devices together */
    size_t others;         /**< holders that make no mistake, listed or not */
    size_t alike;          /**< index of the biggest of those that it is like */
    uint64_t key; /**< of those that are alike: the same in every run; for
                       baselines */
} lg_finding;

/** A group of findings with the same cause: the same patterns, the same types
 * of holder and of kept objects, and the same path to the holder. Paths are
 *  compared without indexes, keys, names of threads and repeated steps. Two
 *  functions, classes, modules or frames have the same type if they have the
 *  same name. Garbage has no path: the object that it goes with takes its
 *  place. */
typedef struct lg_finding_group {
    size_t first;             /**< index of the biggest */
    size_t findings;          /**< how many */
    uint64_t count;           /**< things kept, of all of them */
    uint64_t of_type;         /**< of those, with the example's type */
    const uint64_t *retained; /**< what each retains, added up; by device */
    uint64_t total;
    const uint64_t *freed; /**< what mending the mistakes frees, added up; by
                                device */
    uint64_t freed_total;
    bool varied; /**< those of that type differ in more than their addresses */
} lg_finding_group;

typedef struct lg_findings {
    lg_finding *items; /**< biggest retained first */
    size_t count;
    lg_finding_group *groups; /**< biggest retained first */
    size_t group_count;
    lg_holder *holders; /**< of all findings */
    size_t holder_count;
    uint64_t *bytes; /**< what `retained` points into */
    size_t known;    /**< findings that were left out, because a baseline knows
                          them */
} lg_findings;

void lg_findings_free(lg_findings *findings);
/** No weakref.WeakMethod helps against what functions refer to. */
#define LG_REGISTRY_OF_FUNCTIONS "function"
/** The registry that the holder is, if handlers are taken out of it in a way of
 *  its own: "atexit", "os.register_at_fork", "sys.addaudithook", "future";
 *  for threads of executors that are gone "ThreadPoolExecutor"; of a container
 *  of functions LG_REGISTRY_OF_FUNCTIONS; otherwise empty. Static. */
const char *lg_holder_registry(const lg_graph *graph, const lg_holder *holder);
/** What to do about a mistake at a holder that is this registry; static. */
const char *lg_pattern_fix(const lg_pattern *pattern, lg_string registry);
/** Writes what else the snapshot knows of the mistake, as sentences: how often
 *  calls of a cached function found their result. Writes nothing if it knows
 *  nothing. */
void lg_holder_evidence_format(const lg_graph *graph, const lg_holder *holder,
                               lg_text *out);
/** Finds everything in the snapshot that a pattern recognises. */
lg_status lg_analysis_findings(const lg_analysis *analysis,
                               const lg_scope *scope, const lg_monitor *monitor,
                               lg_findings *out, lg_error *err);
/** Finds the mistakes that keep one node. */
lg_status lg_node_findings(const lg_analysis *analysis, lg_node node,
                           const lg_monitor *monitor, lg_findings *out,
                           lg_error *err);
/** The same of several nodes, each finding once. */
lg_status lg_nodes_findings(const lg_analysis *analysis, const lg_node *nodes,
                            size_t count, const lg_monitor *monitor,
                            lg_findings *out, lg_error *err);

/** Leaves out the findings that the baseline knows. */
lg_status lg_findings_leave_out(lg_findings *findings,
                                const lg_baseline *baseline, lg_error *err);
/** Adds the findings to the baseline, each with its pattern and where it is
 *  held. */
lg_status lg_findings_note(const lg_graph *graph, const lg_findings *findings,
                           lg_baseline *baseline, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
