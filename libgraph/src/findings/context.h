/**
 * A heap as the detectors of known mistakes see it: the nodes of the types that
 * they look for, what is below a node, and the matches so far.
 */
#ifndef LEAKGRAPH_CONTEXT_H
#define LEAKGRAPH_CONTEXT_H

#include <leakgraph/internal/findings.h>

#include "analysis/analysis_private.h"
#include "cycles/cycles_private.h"

/** Kinds of types that detectors look for, as bits. */
enum {
    LG__TYPE_TENSOR = 1 << 0,
    LG__TYPE_MODULE = 1 << 1, /**< torch.nn.Module */
    LG__TYPE_OPTIMIZER = 1 << 2,
    LG__TYPE_LOADER = 1 << 3, /**< iterator of a DataLoader */
    LG__TYPE_EXCEPTION = 1 << 4,
    LG__TYPE_TRACEBACK = 1 << 5,
    LG__TYPE_CACHE = 1 << 6,     /**< functools.lru_cache */
    LG__TYPE_CALLBACK = 1 << 7,  /**< a strong callback of matplotlib */
    LG__TYPE_ANIMATION = 1 << 8, /**< of matplotlib */
    LG__TYPE_FIGURE = 1 << 9,
    LG__TYPE_CALLABLE = 1 << 10, /**< function, bound method, partial */
    LG__TYPE_CONTAINER = 1 << 11,
    LG__TYPE_ARRAY = 1 << 12, /**< anything else with a buffer */
    LG__TYPE_OPAQUE =
        1 << 13, /**< modules, types, code: searches do not enter them */
    LG__TYPE_SHELL = 1 << 14, /**< of IPython */
    LG__TYPE_METHOD = 1 << 15,
    LG__TYPE_LOG_HANDLER = 1 << 16, /**< of logging */
    LG__TYPE_LOG_RECORD = 1 << 17,
    LG__TYPE_THREAD = 1 << 18,    /**< threading.Thread */
    LG__TYPE_LOCAL = 1 << 19,     /**< threading.local */
    LG__TYPE_TASK = 1 << 20,      /**< of asyncio */
    LG__TYPE_SUSPENDED = 1 << 21, /**< generator, coroutine */
    LG__TYPE_FINALIZER = 1 << 22, /**< the record of weakref.finalize() */
    LG__TYPE_WEAK_DICT = 1 << 23, /**< with weak keys or weak values */
    LG__TYPE_REFERENCE = 1 << 24, /**< weakref.ref */
    LG__TYPE_FUTURE = 1 << 25,    /**< of asyncio; a task, too */
    LG__TYPE_JOB = 1 << 26,       /**< future of an executor */
    LG__TYPE_COUNT = 27,
    /** Searches enter these as they enter any instance. */
    LG__TYPE_INSTANCE = LG__TYPE_LOG_HANDLER | LG__TYPE_LOG_RECORD |
                        LG__TYPE_THREAD | LG__TYPE_LOCAL | LG__TYPE_FINALIZER |
                        LG__TYPE_WEAK_DICT | LG__TYPE_REFERENCE |
                        LG__TYPE_FUTURE | LG__TYPE_JOB,
};

/** The class of the futures of executors. */
#define LG__JOB "concurrent.futures._base.Future"

/** A match: a finding without sizes yet. */
typedef struct lg__match {
    uint32_t pattern;       /**< index in the table */
    uint32_t holder;        /**< LG_NONE: nothing in the graph is the holder */
    lg__gathered kept;      /**< what the holder keeps, no node twice */
    lg__gathered along;     /**< what is freed with that; it counts in the
                                 size, not in the number */
    lg__gathered supposed;  /**< pairs: a node that the holder keeps if
                                 nothing else does, and what is freed with
                                 that node or LG_NONE; or LG_NONE, and a node
                                 that is freed if nothing else keeps it */
    lg__gathered stores;    /**< what else the fix changes */
    uint64_t unseen;        /**< number of kept things that are not nodes of
                                 the graph */
    uint64_t *unseen_bytes; /**< bytes of those, by device; NULL: none */
} lg__match;

void lg__match_free(lg__match *match);

typedef struct lg__detection {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg__hop_walk walk;   /**< with folds and reverse index */
    uint32_t *type_bits; /**< [type] LG__TYPE_ bits */
    lg__gathered of_type_bits[LG__TYPE_COUNT];
    uint32_t *seen; /**< [node] number of the last search that met it */
    uint32_t searches;
    uint64_t hops;         /**< that the searches of the running detector looked
                                at */
    uint8_t *is_kept;      /**< [node] whether a match keeps it */
    lg__gathered cuts;     /**< nodes that the fixes cut off from what matches
                                may keep */
    lg__gathered unrooted; /**< nodes that are not roots by themselves */
    uint32_t pattern;      /**< index of the running detector */
    lg__match *matches;
    size_t match_count;
    uint32_t *match_at; /**< [node + 1] 1 + the last match with that holder */
    lg__uncollectable uncollectable; /**< empty until somebody asks for a
                                          reason */
    bool failed;                     /**< memory ran out */
} lg__detection;

lg_status lg__detection_new(const lg_analysis *analysis, lg__detection *out,
                            lg_error *err);
/** Frees everything but the types' bits and the matches. */
void lg__detection_close(lg__detection *detection);
void lg__detection_free(lg__detection *detection);

static inline unsigned
lg__type_bits_of(const lg__detection *detection, uint32_t node)
{
    return detection
        ->type_bits[lg_columns_type(&detection->graph->columns, node)];
}
/** Returns the nodes whose type has these bits, ascending. */
const lg__gathered *lg__detection_all(const lg__detection *detection,
                                      unsigned type_bits);

/** Notes that `holder` keeps `node`, for the running detector. */
void lg__detection_note(lg__detection *detection, uint32_t holder,
                        uint32_t node);
/** Notes that `part` is freed with what the last call noted. */
void lg__detection_note_along(lg__detection *detection, uint32_t holder,
                              uint32_t part);
/** Notes that `holder` keeps `node`, and that `part` (or LG_NONE) is freed with
 *  it, if nothing else keeps `node` once all cut nodes are cut. */
void lg__detection_suppose(lg__detection *detection, uint32_t holder,
                           uint32_t node, uint32_t part);
/** Notes that the fix changes what `store` holds, too. */
void lg__detection_note_store(lg__detection *detection, uint32_t holder,
                              uint32_t store);
/** Notes that `part` is freed, too, if nothing else keeps it likewise. */
void lg__detection_suppose_along(lg__detection *detection, uint32_t holder,
                                 uint32_t part);
/** Notes that the fix of the running detector cuts off what `node` refers
 *  to. */
void lg__detection_cut(lg__detection *detection, uint32_t node);
/** Notes that something outside the graph keeps this many bytes of a device. */
void lg__detection_note_unseen(lg__detection *detection, uint32_t device,
                               uint64_t count, uint64_t bytes);

/** Keeps what was supposed and is true, and drops matches that keep nothing.
 *  Merges matches in one container, and those whose holder another match holds.
 *  O(nodes + edges). */
lg_status lg__matches_settle(lg__detection *detection,
                             const lg_monitor *monitor, lg_error *err);
/** Makes the findings of all matches, or of those that concern marked nodes.
 *  Matches that share what they keep become one finding. The findings lack only
 *  paths and groups. O(nodes + edges). */
lg_status lg__matches_weigh(lg__detection *detection, const uint8_t *marked,
                            const lg_monitor *monitor, lg_findings *out,
                            lg_error *err);
/** A loss in a list that a cached object keeps is two mistakes, the list and
 * the cache, and either fix frees the loss. So such matches are weighed without
 *  each other: by level, which is how many kept things own their holder. */
enum { LG__LEVELS = 4 };

/** What makes no known mistake, and keeps nodes that a match keeps. */
typedef struct lg__other_holder {
    uint32_t node;   /**< where to cut: a container, or the kept node */
    uint32_t source; /**< what refers to the kept node; LG_NONE for a container,
                          and for a root */
    uint32_t kept;   /**< what goes, as in match_gather */
    uint32_t example;
} lg__other_holder;

/** Bits of a node, for matches weighed together. KEPT_AGAIN: by several. */
enum { LG__HOLDS = 1, LG__KEPT = 2, LG__KEPT_AGAIN = 4, LG__STORES = 8 };

/** Returns why the collector does not free a node of garbage. If memory ran
 *  out, sets detection->failed and returns LG_REASON_NONE. O(nodes + edges) the
 *  first time. */
lg_cycle_reason lg__detection_reason(lg__detection *detection, uint32_t node);
/** Returns the root of kind LG_ROOT_MODULE with that name, or LG_NONE. */
uint32_t lg__detection_module(const lg__detection *detection, const char *name);
/** Returns the target of `.name`, in the instance itself or in its dict, or
 *  LG_NONE. */
uint32_t lg__detection_attribute(const lg__detection *detection, uint32_t node,
                                 const char *name);
/** Returns the value of a str key in a dict, or LG_NONE. */
uint32_t lg__detection_item(const lg__detection *detection, uint32_t dict,
                            const char *key);
/** Returns an attribute edge's name without a leading dot, or a str key's text;
 *  empty for any other edge. */
lg_string lg__detection_name(const lg__detection *detection, uint64_t edge);
/** Returns whether the name is `wanted`, or `wanted` with an index:
 *  `saved[0]`. */
bool lg__name_is(lg_string name, const char *wanted);

/** Returns whether the node is data that a program keeps, without being a
 *  tensor or an array: a container, an object, a text, a frame. */
bool lg__detection_is_thing(const lg__detection *detection, uint32_t node);

/** The limits of a search from a node. */
typedef struct lg__search {
    unsigned depth;   /**< most hops */
    unsigned wanted;  /**< bits of types to find, which it does not enter */
    unsigned through; /**< bits of types to enter; never LG__TYPE_OPAQUE */
    bool instances;   /**< enter instances without bits, too */
    bool parameters;  /**< enter the parts of a torch.nn.Module, too */
    bool (*accept)(const lg__detection *detection,
                   uint32_t node); /**< or NULL */
    lg__gathered *stores; /**< or NULL: takes what refers to what it finds */
} lg__search;

/** Appends to *out what the search finds below `start`, without `start`, the
 *  nearest first. Looks at 262,144 references at most, and at 512 once the
 *  searches of the running detector have looked at four million. */
void lg__detection_search(lg__detection *detection, uint32_t start,
                          const lg__search *search, lg__gathered *out);

/** One of several similar things below one container. */
typedef struct lg__one_of_many {
    uint32_t container; /**< the container that owns it */
    uint32_t kind; /**< equal for things that are alike, otherwise any number */
    uint32_t subject; /**< members with the same subject count once */
    uint32_t node;
} lg__one_of_many;

typedef struct lg__detected_group {
    lg__one_of_many *items; /**< release with lg__free */
    size_t count;
} lg__detected_group;

/** Returns the first container that owns the node: a list, dict, set or deque
 *  with more than four references, which is no local variable of a running
 *  function. Passes through smaller containers, and through instances and
 *  functions if `instances`. LG_NONE if there is none, or if a module, class or
 *  frame comes first. */
uint32_t lg__detection_container(const lg__detection *detection, uint32_t node,
                                 bool instances);
/** How many containers that share a node are told at most. */
enum { LG__SHARING = 4 };
/** Writes that container to `out`. If no container owns the node, but several
 *  share it, writes these. Returns their number: 0 if anything but containers,
 *  and instances in them, leads to the node: a frame, a callback or a local
 *  variable. */
size_t lg__detection_containers(const lg__detection *detection, uint32_t node,
                                bool instances, uint32_t out[LG__SHARING]);
/** Returns the first collection among the node itself and what owns it: such a
 *  container, or else an array of more than four objects. Passes through what
 * lg__detection_container passes through with `instances`; LG_NONE likewise. */
uint32_t lg__detection_collection(const lg__detection *detection,
                                  uint32_t node);
/** Returns whether `owner` is one of the node's first 64 dominators. */
bool lg__detection_owns(const lg__detection *detection, uint32_t owner,
                        uint32_t node);
void lg__detected_group_add(lg__detection *detection, lg__detected_group *group,
                            lg__one_of_many member);
/** Receives the members of one container and kind, if they are many. */
typedef void lg__detected_group_visit(lg__detection *detection,
                                      const lg__one_of_many *members,
                                      size_t count);
/** Sorts the members. Calls `visit` for each container and kind that has `many`
 *  subjects or more. */
void lg__detected_group_each(lg__detection *detection,
                             lg__detected_group *group, size_t many,
                             lg__detected_group_visit *visit);
/** Notes that the container keeps the members. */
void lg__detected_group_note(lg__detection *detection,
                             const lg__one_of_many *members, size_t count);

/** Returns the function of a bound method or partial, or the node itself;
 *  LG_NONE if it is not a Python function. */
uint32_t lg__detection_function(const lg__detection *detection,
                                uint32_t callable);

#endif
