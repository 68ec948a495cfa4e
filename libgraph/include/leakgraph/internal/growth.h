/**
 * Growth: what grows from snapshot to snapshot, and who holds it.
 *
 * The conventions of leakgraph.h hold. Snapshots are compared by their places
 * (places.h), never by the identity of objects, because addresses are used
 * again. A *summary* is what a comparison needs of a snapshot: its places,
 * types and accounts, without its nodes.
 */
#ifndef LEAKGRAPH_GROWTH_H
#define LEAKGRAPH_GROWTH_H

#include <leakgraph/summary.h>
#include <leakgraph/internal/baseline.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/places.h>
#include <leakgraph/internal/scope.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Like lg_summary_new, but only for lg_growth_find, which takes words for
 *  places from the newest summary alone: one that is not the newest has none,
 *  and is neither saved nor merged. */
lg_status lg_summary_new_compared(const lg_analysis *analysis, bool newest,
                                  const lg_monitor *monitor, lg_summary **out,
                                  lg_error *err);
/** Opens a saved summary from memory, which it does not keep. */
lg_status lg_summary_load_memory(const void *data, size_t length,
                                 lg_summary **out, lg_error *err);
/** Makes the bytes of its file; free *data with free(). */
lg_status lg_summary_save_memory(const lg_summary *summary, void **data,
                                 size_t *length, lg_error *err);
/** Whether a file begins as a summary does. False if it cannot be read. */
bool lg_summary_is_file(const char *path);
const lg_places *lg_summary_places(const lg_summary *summary);
/** Texts about the snapshot, as lg_graph_info, and `places.host` and the like:
 *  the bytes of all places on a device, including places that a file leaves
 *  out. Returns false for an index beyond the last. */
bool lg_summary_info(const lg_summary *summary, uint32_t index, lg_string *key,
                     lg_string *value);

/**
 * Adds up summaries of any processes: places, types, accounts and tallies are
 * sums, and the info "snapshots" is the number of snapshots. The order does not
 * matter, and sums can be added up again, because a saved sum leaves nothing
 * out. It has the infos in bytes ("places.*" and "memory.*") as sums, in which
 * a missing one counts as 0, and no other infos. It borrows nothing. LG_EINVAL
 * without a summary. O(places of all).
 */
lg_status lg_summary_merge(const lg_summary *const *summaries, size_t count,
                           lg_summary **out, lg_error *err);

typedef enum lg_growth_verdict {
    LG_GROWTH_ACCUMULATES = 0, /**< more and more members */
    LG_GROWTH_IN_PLACE,        /**< the same members, with more bytes of their
                                    own */
    LG_GROWTH_GARBAGE,         /**< no root reaches it, and nothing frees it */
    LG_GROWTH_NATIVE,          /**< memory that no object explains */
    LG_GROWTH_SETTLED,         /**< it grew, and stopped; or it fills up to a
                                    limit */
    LG_GROWTH_VERDICT_COUNT,
} lg_growth_verdict;

/** Memory outside of Python's. */
typedef enum lg_native_kind {
    LG_NATIVE_MALLOC = 0, /**< malloc's memory in use that no object explains */
    LG_NATIVE_STACKS,     /**< stacks of threads */
    LG_NATIVE_MAPPED,     /**< resident, but no allocator's and no file's */
    LG_NATIVE_SMALL, /**< pymalloc's memory in use that no object explains */
    LG_NATIVE_CODE,  /**< anonymous memory that may be executed */
    LG_NATIVE_FREE,  /**< freed, and kept by malloc between blocks in use */
    LG_NATIVE_COUNT,
} lg_native_kind;

/** "memory that no object explains", "stacks of threads", "mapped memory that
 *  no object explains", "small blocks of Python that no object explains", "code
 *  that compilers made at run time", "freed memory that malloc keeps between
 *  blocks in use". */
const char *lg_native_kind_text(lg_native_kind kind);
/** What helps against growth of that kind, in sentences. */
const char *lg_native_kind_fix(lg_native_kind kind);

/** Why garbage piles up, or what it waits for. */
typedef enum lg_growth_reason {
    LG_GROWTH_NO_REASON = 0, /**< of other rows, or not known */
    LG_GROWTH_DISABLED,      /**< gc.disable() */
    LG_GROWTH_NO_THRESHOLD,  /**< gc.set_threshold(0) */
    LG_GROWTH_NOT_RUN,       /**< the collector could free it */
    LG_GROWTH_SAVED,         /**< gc.DEBUG_SAVEALL: gc.garbage has it */
    LG_GROWTH_LISTED,        /**< gc.garbage has it without that flag */
    LG_GROWTH_FROZEN,        /**< gc.freeze() */
    LG_GROWTH_NATIVE_HOLDER, /**< native code refers to it */
    LG_GROWTH_UNTRAVERSED,   /**< the collector does not see a reference */
    LG_GROWTH_UNTRACKED,     /**< the collector does not see an object */
    LG_GROWTH_WAITS,         /**< the collector frees it at its thresholds: it
                                  has settled */
    LG_GROWTH_REASON_COUNT,
} lg_growth_reason;

/** One clause: "the collector is disabled"; empty: no reason. */
const char *lg_growth_reason_text(lg_growth_reason reason);

/** "accumulates", "grows in place", "garbage piles up", "native", "settled".
 */
const char *lg_growth_verdict_name(lg_growth_verdict verdict);

/** How many companions of a row have a name. */
enum { LG_COMPANIONS = 2 };
/** The most of its companions that others may hold, too: each takes a search.
 */
enum { LG_SHARED = 8 };

/** How it goes on. What rises and never falls is told even if it pauses,
 * because real load comes in bursts. */
typedef enum lg_growth_degree {
    LG_GROWTH_STEADY = 0,
    LG_GROWTH_SLOWING,   /**< at less than three tenths of its first rate */
    LG_GROWTH_IN_BURSTS, /**< it pauses in more than one interval of four */
    LG_GROWTH_LATE,      /**< only the last interval gained */
    LG_GROWTH_IDLE,      /**< the last intervals gained nothing */
    LG_GROWTH_FILLING,   /**< its container limits its elements */
    LG_GROWTH_STOPPED,   /**< it is idle for most of the time: it settled */
    LG_GROWTH_DEGREE_COUNT,
} lg_growth_degree;

/** "steady", "slowing", "in bursts", "late", "idle", "filling", "stopped". */
const char *lg_growth_degree_name(lg_growth_degree degree);

/** Containers, or references, that hold what a row counts in one way. */
typedef struct lg_growth_holder {
    uint64_t key;   /**< of the place of the containers, or of what the
                         references lead to */
    lg_node node;   /**< the biggest of them */
    uint64_t count; /**< how many there are */
    bool empties;   /**< they are containers, which a program empties; else
                         references, which it cuts */
    const uint64_t *alone; /**< what goes if only they let go, by device */
    uint64_t total;        /**< of that, all devices together */
    lg_path path;          /**< from a root to the biggest */
} lg_growth_holder;

typedef struct lg_growth_row {
    lg_growth_verdict verdict;
    lg_growth_degree degree;
    uint32_t idle;     /**< how many intervals at the end gained nothing */
    uint64_t limit;    /**< how many elements its containers keep at most; 0: no
                            limit is known */
    uint64_t filled;   /**< of these, how many there are */
    uint64_t at_limit; /**< about how many bytes there are when it is full */
    double lifetime;   /**< after so many seconds elements leave, and `limit` is
                            what comes in that time; 0: unknown */
    double observed;   /**< for so many seconds the snapshots have seen them */
    lg_growth_reason reason; /**< of garbage */
    uint32_t finding; /**< index in lg_growth.tallies of the finding that the
                           row belongs to, or LG_NONE */
    lg_native_kind native; /**< of native growth */
    uint32_t place; /**< of the newest summary: where members accumulate, or
                         what grows in place; of native growth that of the
                         objects it is in step with, or LG_NONE */
    uint64_t key;   /**< of that place; of native growth that of its kind, which
                         is the same everywhere */
    lg_string type; /**< of the row's types the one that gained the most */
    uint32_t types; /**< how many types, or places, the row takes together */
    const uint64_t *counts; /**< [snapshots] members */
    const uint64_t *bytes;  /**< [snapshots][devices + 1] retained by them, with
                                 the bytes by which their holder grew; of what
                                 grows in place its own bytes */
    int64_t gained;         /**< bytes of the last snapshot less the first's, on
                                 the host and all devices */
    double per_interval;    /**< bytes: the median slope of any two snapshots,
                                 with tables that jump smoothed; the sum of such
                                 slopes if rows were joined */
    double per_step;        /**< the same; 0: steps are not known */
    lg_node node; /**< a member of the newest snapshot; LG_NONE: compared by a
                       summary */
    lg_path path; /**< to it from a root, if there is one */
    lg_path *others; /**< to other holders of that member */
    size_t other_count;
    uint32_t lead; /**< index of the row that leads its leak: rows with a holder
                        in common are one leak, and the row that gained the most
                        leads it */
    lg_growth_holder *holders; /**< of a row that leads: all that must let go,
                                    who frees the most alone first, and only
                                    that one if it frees nearly all and
                                    no row of size goes with this one; none
                                    if they are not known */
    size_t holder_count;
    const uint64_t *freed; /**< what goes when all holders let go, by device:
                                [devices + 1]; NULL without holders */
    uint64_t freed_total;  /**< of that, all devices together */
    uint32_t companions;   /**< how many kinds of objects grow only along with
                                these, because these refer to them: the row has
                                their bytes, too */
    lg_string companion[LG_COMPANIONS]; /**< the types of the biggest */
    uint64_t shared[LG_SHARED]; /**< keys of the places of companions that
                                         others may hold, too */
    uint32_t shared_count;
    bool threads_end;  /**< companions are threads that wait for work of the
                            members, which are executors: they end, and let go
                            of what they have, when these go */
    lg_string in_step; /**< of native growth: the type whose new objects it is
                          in step with, and probably belongs to; empty: none */
    uint32_t losers;   /**< of lost native memory that is in step: the place of
                            these objects; else LG_NONE */
    uint32_t rivals;   /**< how many other types that pile up elsewhere it is in
                            step with: then it is more of a guess */
    uint64_t each_in_step; /**< its bytes for each of these objects; of other
                                rows, the native bytes that each new member
                                probably has, and that are part of the row */
    uint64_t blocks;       /**< of native memory that `node` retains, if they
                                are most of it; else 0 */
    uint64_t blocks_bytes; /**< what these have */
    const char *fix; /**< what helps, where that does not depend on the program:
                          of native growth and of what C code holds; else NULL
                      */
    bool minor; /**< it gained next to nothing beside the first row: reports
                     count such rows instead of listing them */
} lg_growth_row;

/** What rates are per. */
typedef enum lg_growth_unit {
    LG_PER_STEP = 0,
    LG_PER_CALL,
    LG_PER_SECOND,
    LG_PER_SNAPSHOT, /**< steps are not known */
    LG_PER_COUNT,
} lg_growth_unit;

/** "per step", "per call", "per second", "per snapshot". */
const char *lg_growth_unit_text(lg_growth_unit unit);

/** Objects of a type, in every snapshot. */
typedef struct lg_growth_type {
    lg_string name;
    const uint64_t *counts; /**< [snapshots] */
    const uint64_t *bytes;  /**< [snapshots][devices + 1] shallow */
    int64_t gained;         /**< bytes of the last snapshot less the first's, on
                                 the host and all devices */
} lg_growth_type;

/** What is counted besides objects. */
typedef enum lg_tally_kind {
    LG_TALLY_FINDING = 0, /**< findings that are alike: what they keep */
    LG_TALLY_CYCLE,       /**< cycles that are alike and that no root reaches */
    LG_TALLY_TENSOR,      /**< storages of one kind */
    LG_TALLY_FIGURE,      /**< matplotlib's, with the bytes of their canvas */
    LG_TALLY_THREAD,      /**< threads whose names differ only in numbers */
    LG_TALLY_COUNT,
} lg_tally_kind;

/** "findings", "cycles", "tensors", "figures", "threads". */
const char *lg_tally_kind_name(lg_tally_kind kind);

/** The same thing in every snapshot. */
typedef struct lg_growth_tally {
    lg_tally_kind kind;
    lg_string name;   /**< a pattern ("loss-history"), the hops of a cycle, a
                           kind of tensors, a thread's name */
    lg_string detail; /**< of a cycle "collectable", or what the collector
                           stumbles over; of a finding the registry
                           (lg_holder_registry); else empty */
    uint64_t holder;  /**< of a finding: the key of the place to cut at; 0 */
    uint64_t kept;    /**< likewise, of the place of what it keeps */
    const uint64_t *counts; /**< [snapshots] */
    const uint64_t *bytes;  /**< [snapshots][devices + 1] */
    int64_t gained;         /**< as of a type */
    bool is_new;            /**< the first snapshot has none */
    bool is_growing;        /**< counts or bytes grow and do not stop */
    uint32_t row; /**< of a finding: the index of its row, or LG_NONE */
} lg_growth_tally;

typedef enum lg_growth_account_kind {
    LG_ACCOUNT_OBJECTS = 0, /**< all objects and buffers on the host */
    LG_ACCOUNT_RSS,         /**< resident set of the process, less what
                                 leakgraph itself keeps */
    LG_ACCOUNT_MALLOC,      /**< in use of malloc, less the same */
    LG_ACCOUNT_ARENAS,      /**< arenas of pymalloc */
    LG_ACCOUNT_COUNT,
} lg_growth_account_kind;

/** "objects", "rss", "malloc", "arenas". */
const char *lg_growth_account_name(lg_growth_account_kind kind);

typedef struct lg_growth {
    uint32_t snapshots;
    bool has_steps;
    double *steps; /**< [snapshots] when each was taken; 0, 1, 2 ... if steps
                        are not known */
    lg_growth_unit unit;     /**< what rates are per */
    uint32_t devices;        /**< besides the host: those of the newest
                                  snapshot first */
    lg_string *device_names; /**< [devices + 1], "host" first */
    lg_growth_row *rows;     /**< the most bytes gained first */
    size_t count;
    size_t settled;         /**< rows that were left out as settled */
    int64_t settled_gained; /**< what these gained */
    lg_growth_row *stopped; /**< of these, the ones of some size, the most bytes
                                 first; they lie behind the rows */
    size_t stopped_count;
    const char *note;       /**< that of the options */
    uint64_t min_bytes;     /**< what gained less has no row */
    int64_t objects_gained; /**< by all objects, on the host and all devices */
    int64_t told_gained;    /**< of that, what rows explain */
    int64_t native_gained;  /**< what rows have besides: memory of C code that
                                 is no object */
    int64_t stopped_gained; /**< ... and what the stopped ones explain */
    size_t bounded;         /**< settled rows of what keeps only so many
                                 elements, and fills up */
    int64_t bounded_gained; /**< what these gained */
    size_t known;           /**< ... because a baseline knows them */
    bool scoped;            /**< whether a scope limits rows */
    size_t elsewhere;       /**< ... and how many it left out */
    lg_growth_type *types;  /**< those with more bytes at the end, the most
                                 first */
    size_t type_count;
    lg_growth_tally *tallies; /**< those of the newest, by kind, the most bytes
                                   gained first */
    size_t tally_count;
    const int64_t *accounts[LG_ACCOUNT_COUNT]; /**< [snapshots]; -1: unknown */
    int64_t unexplained;        /**< bytes by which memory in use grew more than
                                     objects did: the sum of the two below */
    int64_t unexplained_malloc; /**< of malloc; 0 where it is not known */
    int64_t unexplained_small;  /**< of pymalloc, which has what is small: ints,
                                     floats and texts that are no objects of a
                                     snapshot; 0 where it is not known */
    bool unexplained_known;     /**< that of malloc */
    bool unexplained_small_known;
    bool has_native; /**< the newest snapshot has native memory (native.h) */
    const int64_t *native[LG_NATIVE_COUNT]; /**< [snapshots]; -1: unknown. Of
                              mappings and small blocks only differences
                              count */
    const lg_places *places;                /**< of the newest summary */
    bool is_checked;    /**< by lg_growth_check; reports say the result */
    int64_t max_growth; /**< what it was checked against */
    uint64_t *numbers;  /**< what the series of rows point into */
    uint64_t *sums;     /**< those of types and accounts */
    uint64_t *series;   /**< those of tallies */
} lg_growth;

/** In which order to compare snapshots, and which. */
typedef struct lg_growth_order {
    size_t *index; /**< [count] of what was given, the oldest first */
    size_t count;
    lg_text said; /**< lines: what is sorted, left out or not inspected, and
                       why; empty if nothing is */
    bool sorted;  /**< they were given in another order */
} lg_growth_order;

/**
 * Finds the order of snapshots. They are sorted by time, or stay as they are
 * given if one of them has no time. A snapshot in which a library was not
 * inspected that another one has inspected is left out, if two remain: the
 * memory of that library would seem to have gone. That they are of several
 * processes is said, and so is what library no snapshot could inspect.
 * LG_EINVAL, with the names, if they are of several programs
 * (lg_program_differs), unless `other_programs` allows that: then it is said.
 * O(count * count * infos).
 */
lg_status lg_growth_order_find(const lg_summary *const *summaries, size_t count,
                               bool other_programs, lg_growth_order *out,
                               lg_error *err);
void lg_growth_order_free(lg_growth_order *order);

/** Start from LG_GROWTH_OPTIONS_INIT. */
typedef struct lg_growth_options {
    size_t size;           /**< of this struct */
    const double *steps;   /**< [count] ascending: when each was taken; NULL:
                                not known */
    lg_growth_unit unit;   /**< what a step is. Without steps, LG_PER_SECOND
                                takes the times of the snapshots, if these
                                ascend; any other is a snapshot then */
    uint64_t min_bytes;    /**< rows that gained less are left out */
    bool settled;          /**< also what grew and stopped, or is small */
    const lg_scope *scope; /**< rows only for what it has, of the graph of
                                `newest`; no types, and only the tallies of
                                such rows; or NULL */
    const char *note;      /**< lines that reports show as they are, such as
                                those of lg_growth_order; the growth borrows
                                them; or NULL */
} lg_growth_options;

#define LG_GROWTH_OPTIONS_INIT                                                 \
    {                                                                          \
        .size = sizeof(lg_growth_options)                                      \
    }

/**
 * Compares summaries of one program, the oldest first. A row is a holder: all
 * that accumulates in one container is one row, keys and values together. What
 * came once and stayed, what goes up and down, and what filled up to a limit
 * has no row. What rose, paused and never fell has one from 64 KiB on, and what
 * fills up to a known limit from 1 MiB on. What becomes more in each of three
 * intervals and moves between places is one row. `newest` is the analysis from
 * which the last summary was made; with NULL, rows have no nodes and no paths.
 * The growth borrows the summaries. LG_EINVAL for fewer than two summaries,
 * steps that do not ascend, or a scope without `newest`. O(places of all), and
 * O(nodes + edges) for `newest`.
 */
lg_status lg_growth_find(const lg_summary *const *summaries, size_t count,
                         const lg_analysis *newest,
                         const lg_growth_options *options,
                         const lg_monitor *monitor, lg_growth *out,
                         lg_error *err);
/** Rows that grow: all but those that settled, are idle, or fill up to a limit.
 */
size_t lg_growth_growing(const lg_growth *growth);
/** Whether memory of C code grows whose holder snapshots with native memory
 *  (native.h) would name. */
bool lg_growth_needs_native(const lg_growth *growth);
/** Bytes that these rows gained together, and those that are idle: what paused
 * at the last snapshot may still leak. */
int64_t lg_growth_kept(const lg_growth *growth);
/** Returns whether what lg_growth_kept says is at most `max_growth`. From then
 *  on, reports of this growth say so, or which places gained how much, and how
 *  much is too much. */
bool lg_growth_check(lg_growth *growth, int64_t max_growth);
/** Leaves out the rows that the baseline knows. */
void lg_growth_leave_out(lg_growth *growth, const lg_baseline *baseline);
/** Adds the places that grow to the baseline, each with its type, and the kinds
 *  of native memory. */
lg_status lg_growth_note(const lg_growth *growth, lg_baseline *baseline,
                         lg_error *err);
void lg_growth_free(lg_growth *growth);

/** Whether numbers rise in each interval, and by no less than a tenth of the
 *  mean: a few objects come and go in any program. False for two snapshots. */
bool lg_growth_rises(const uint64_t *counts, uint32_t snapshots);
/** Whether a row gained next to nothing beside another one. */
bool lg_growth_is_minor(const lg_growth_row *row, const lg_growth_row *beside);
/** What the rows of one leak gain in each step, or else in each snapshot, and
 *  gained, together. `row` is the one that leads it. */
double lg_growth_leak_rate(const lg_growth *growth, size_t row);
int64_t lg_growth_leak_gained(const lg_growth *growth, size_t row);
/** The bytes of the last snapshot of a row whose holders free less than half of
 *  them, because something else holds most of them, too: the arrays of views.
 *  0: the holders free most, or are not known. */
uint64_t lg_growth_shared(const lg_growth *growth, const lg_growth_row *row);
/** What a chart of memory over the snapshots shows, from the bottom to the top.
 */
typedef enum lg_area_kind {
    LG_AREA_OBJECTS = 0, /**< all objects that are in no other area */
    LG_AREA_LEAK,        /**< what a leak keeps */
    LG_AREA_UNEXPLAINED, /**< resident memory that no object explains */
} lg_area_kind;

/** "objects", "leak", "unexplained". */
const char *lg_area_kind_name(lg_area_kind kind);

typedef struct lg_growth_area {
    lg_area_kind kind;
    size_t row; /**< of a leak: the row that leads it; else SIZE_MAX */
    const uint64_t *bytes; /**< [snapshots] on the host */
} lg_growth_area;

enum { LG_LEAK_AREAS = 5 };

/** The memory of the process on the host in each snapshot: areas that add up,
 *  of which up to LG_LEAK_AREAS are leaks, and its resident set. */
typedef struct lg_growth_areas {
    lg_growth_area items[LG_LEAK_AREAS + 2];
    size_t count;
    const int64_t *rss; /**< [snapshots], borrowed from the growth; NULL:
                           unknown in one of them */
    uint64_t *bytes;    /**< what the areas point into */
} lg_growth_areas;

/** Splits that memory. Free with lg_growth_areas_free. O(rows * snapshots). */
lg_status lg_growth_areas_find(const lg_growth *growth, lg_growth_areas *out,
                               lg_error *err);
void lg_growth_areas_free(lg_growth_areas *areas);
/** The bytes of a leak in each snapshot, on the host and all devices,
 *  [snapshots]. `row` is the one that leads it. */
void lg_growth_leak_series(const lg_growth *growth, size_t row,
                           uint64_t *series);
/** The bytes that a row gains in each step, or else in each snapshot. */
double lg_growth_rate(const lg_growth *growth, const lg_growth_row *row);
/** The numbers that show how a row grows, [snapshots]: of its objects, or, if
 *  their number is the same at the end, their bytes. Returns whether it is of
 *  objects. */
bool lg_growth_series(const lg_growth *growth, const lg_growth_row *row,
                      uint64_t *series);
/** Whether nearly all that a row gained came with the last of three snapshots
 *  or more. */
bool lg_growth_came_last(const lg_growth *growth, const lg_growth_row *row);

/** How many places grow and how much, and how much of what all objects gained
 *  the rows explain: `2 places grow: +61.9 MiB in 3 snapshots; rows
 *  explain 61.9 MiB of 63.3 MiB`, or `... all that objects gained`. That
 *  nothing grows it says only if nothing of size was gained. */
void lg_growth_headline(const lg_growth *growth, lg_text *out);
/** What the number of snapshots leaves open: a clause, static; NULL: nothing.
 */
const char *lg_growth_caveat(const lg_growth *growth);
/** `idle in the last 2 intervals`; nothing for what is steady or stopped. */
void lg_growth_degree_format(const lg_growth_row *row, lg_text *out);
/** `+939 B per step`. */
void lg_growth_rate_format(const lg_growth *growth, double rate, lg_text *out);
/** All of a row in one sentence: `__main__.log[*]: list accumulates, 100 → 200
 * → 300 objects, +183 KiB in all, +939 B per step`. newest: the graph of the
 *  newest snapshot, or NULL. */
void lg_growth_row_format(const lg_growth *growth, const lg_graph *newest,
                          const lg_growth_row *row, lg_text *out);

#ifdef __cplusplus
}
#endif

#endif
