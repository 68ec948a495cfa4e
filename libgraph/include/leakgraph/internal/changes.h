/**
 * Changes: what several snapshots of a program say about one thing, such as a
 * type, or the objects in a place.
 *
 * The conventions of leakgraph.h hold. Tables of the newest snapshot show these
 * changes in columns, and so do trees and pages of objects.
 */
#ifndef LEAKGRAPH_CHANGES_H
#define LEAKGRAPH_CHANGES_H

#include <leakgraph/internal/growth.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a row is about. */
typedef enum lg_thing_kind {
    LG_THING_PLACE = 0, /**< all objects in the place of a node */
    LG_THING_TYPE,      /**< all objects of a type */
    LG_THING_TALLY,     /**< what is counted besides objects */
    LG_THING_ROW,       /**< what a row of an answer is about, if summaries have
                             its rows: lg_summary_count_rows */
} lg_thing_kind;

typedef struct lg_thing {
    lg_thing_kind kind;
    lg_node node;        /**< of a place: one of its objects; of a tally or row:
                              an object of the place that tells it from others,
                              or LG_NONE */
    lg_tally_kind tally; /**< which of those */
    lg_string name;      /**< of a type, tally or row; empty: all of the kind */
    lg_string detail;    /**< of a tally, what tells it from others of its name;
                              of a row, the question */
    uint64_t number;     /**< of a row: the same for it in every snapshot */
    bool whole;          /**< it is all that the newest snapshot has of that
                              kind, whatever `count` and `bytes` say */
    bool partly;    /**< of a row: without it in an answer, nothing is known
                         of that snapshot */
    uint64_t count; /**< objects of the newest snapshot; 0: not checked */
    uint64_t bytes; /**< of them, on all devices: what the objects of a
                         place retain, or have by themselves */
} lg_thing;

/** Adds what rows of an answer are about, one at a time. `counting` has walked
 *  through the snapshot of the summary. */
typedef struct lg_row_counting lg_row_counting;
lg_status lg_row_counting_begin(lg_summary *summary,
                                const lg_analysis *analysis,
                                const lg_monitor *monitor,
                                lg_row_counting **out, lg_error *err);
lg_status lg_row_counting_add(lg_row_counting *counting, const lg_thing *row,
                              lg_error *err);
/** From now on, the summary knows the rows. Frees the counting. */
void lg_row_counting_end(lg_row_counting *counting);

/** How it changed from the first snapshot to the newest. */
typedef struct lg_change {
    int64_t objects;
    int64_t bytes;
    int64_t each; /**< bytes in each step, or else in each snapshot: the median
                       slope */
} lg_change;

typedef struct lg_changes lg_changes;

/** Finds the change of a thing. False: the snapshots do not say, or the newest
 *  has more objects or bytes of that kind than the thing, which is only a part
 *  of what they compare. O(snapshots * log). */
typedef bool lg_change_finder(const lg_changes *changes, const lg_thing *thing,
                              lg_change *out);

/** What may be asked for changes. Never changes once made; any number of
 *  threads may read it. */
struct lg_changes {
    lg_change_finder *find;
    const char *each; /**< what `each` is per: "per step" */
};

/** Prepares changes from summaries of one program, the oldest first, to
 *  `newest`, from which the last was made. `steps` is as in lg_growth_options.
 *  The changes borrow summaries, steps and analysis; they are NULL without two
 *  summaries to compare. Free with lg_changes_free.
 *  O(nodes + edges). */
lg_status lg_changes_new(const lg_summary *const *summaries, size_t count,
                         const double *steps, const lg_analysis *newest,
                         const lg_monitor *monitor, const lg_changes **out,
                         lg_error *err);
void lg_changes_free(const lg_changes *changes);

#ifdef __cplusplus
}
#endif

#endif
