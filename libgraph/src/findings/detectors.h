/** The detectors: one for each known mistake. */
#ifndef LEAKGRAPH_DETECTORS_H
#define LEAKGRAPH_DETECTORS_H

#include "findings/context.h"

/** What a mistake must keep before a report names it. Good programs also do
 * some of what the detectors look for, but keep little this way: an exception
 * of the last error, a cache of settings, a short output. */
enum {
    /** Any amount counts: each step of a training loop adds to it, or the
     *  collector can never free it. */
    LG__ANY = 0,
    /** Less than 64 KiB makes no difference to what a process needs. */
    LG__MUCH = 64 * 1024,
    /** A view that keeps a buffer is often intended, and a copy costs time, so
     *  it must pay. */
    LG__WORTH_A_COPY = 256 * 1024,
    /** Programs that collect when it suits them leave garbage until then. */
    LG__TO_COLLECT = 1024 * 1024,
};

/** What the fix of a mistake does. */
typedef enum lg__fix {
    LG__FIX_DROPS, /**< the holder lets go of what it keeps, or of data in it */
    LG__FIX_GRAPHS, /**< the holder keeps the tensors, without their graphs */
    LG__FIX_ALL, /**< all of it goes, whoever else refers to it: the program no
                      longer makes it, or nothing else kept it when it was
                      noted */
} lg__fix;

/** What a match of a mistake is. */
typedef enum lg__match_kind {
    LG__SINGLE,      /**< the whole mistake */
    LG__ACCUMULATES, /**< a thing of which there may be many: what has several
                          of them is the holder */
} lg__match_kind;

/** A known mistake, its cause and its fix, and what looks for it. */
typedef struct lg__detector {
    lg_pattern pattern;
    uint64_t least; /**< the kept things must retain at least this many bytes,
                       in all findings that are alike */
    void (*look)(lg__detection *detection);
    lg__fix effect;
    lg__match_kind kind;
} lg__detector;

/** All detectors. Each may rely on the matches of those before it. */
extern const lg__detector *const lg__detectors[];
extern const size_t lg__detector_count;

extern const lg__detector lg__detect_loss_history;
extern const lg__detector lg__detect_running_total;
extern const lg__detector lg__detect_hook_cycle;
extern const lg__detector lg__detect_kept_activations;
extern const lg__detector lg__detect_output_history;
extern const lg__detector lg__detect_carried_state;
extern const lg__detector lg__detect_create_graph_cycle;
extern const lg__detector lg__detect_retained_graph;
extern const lg__detector lg__detect_exception_traceback;
extern const lg__detector lg__detect_lru_cache;
extern const lg__detector lg__detect_notebook_output;
extern const lg__detector lg__detect_stale_optimizer;
extern const lg__detector lg__detect_several_optimizers;
extern const lg__detector lg__detect_prefetched_batches;
extern const lg__detector lg__detect_autocast_cache;
extern const lg__detector lg__detect_compiled_code;
extern const lg__detector lg__detect_small_view;
extern const lg__detector lg__detect_open_figures;
extern const lg__detector lg__detect_canvas_callback;
extern const lg__detector lg__detect_animation_frames;
extern const lg__detector lg__detect_saved_garbage;
extern const lg__detector lg__detect_disabled_collector;
extern const lg__detector lg__detect_frozen_garbage;
extern const lg__detector lg__detect_event_handlers;
extern const lg__detector lg__detect_log_handlers;
extern const lg__detector lg__detect_log_records;
extern const lg__detector lg__detect_endless_threads;
extern const lg__detector lg__detect_thread_locals;
extern const lg__detector lg__detect_unawaited_tasks;
extern const lg__detector lg__detect_done_tasks;
extern const lg__detector lg__detect_unfinished_generators;
extern const lg__detector lg__detect_finalizer_cycle;
extern const lg__detector lg__detect_weak_keys;
extern const lg__detector lg__detect_per_call_classes;
extern const lg__detector lg__detect_wrapped_functions;
extern const lg__detector lg__detect_id_keyed_cache;
extern const lg__detector lg__detect_dataframe_slice;

#endif
