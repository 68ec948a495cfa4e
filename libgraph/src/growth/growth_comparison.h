/** Comparisons of summaries: which places grow, and the rows of those. */
#ifndef LEAKGRAPH_GROWTH_COMPARISON_H
#define LEAKGRAPH_GROWTH_COMPARISON_H

#include "growth/growth_private.h"

/** A place whose parents grow, too, accumulates only if each parent has this
 *  many times more members at the end. */
#define LG__FULLER 1.05

/** A comparison in progress. */
typedef struct lg__comparison {
    const lg_summary *const *summaries;
    uint32_t count;
    const lg_places *newest;
    const lg_analysis *analysis; /**< analysis of the newest snapshot, or
                                      NULL */
    const lg_analysis *at_rest;  /**< see lg__analysis_at_rest; or NULL */
    const lg_monitor *monitor;
    lg_growth_options options;
    double *x;          /**< [count] steps, or 0, 1, 2 ... */
    bool has_steps;     /**< these are known */
    double *y;          /**< [count] scratch memory */
    uint32_t *at;       /**< [count] a place in every summary */
    uint64_t *members;  /**< [count] how many members that place has */
    uint32_t *above;    /**< [count] the parent of that place */
    double *parts;      /**< [places of the newest] its own bytes, and those
                             that the places right below it retain */
    double *least;      /**< [count] what a place retains at most that the
                             summary may have left out */
    uint32_t each;      /**< number of devices of the growth, and the host */
    lg_string *devices; /**< [each] */
    lg__vector found;   /**< lg__grown */
    lg__vector numbers; /**< uint64_t: numbers of the series */
    lg__vector *activations; /**< [count] see lg__activations_list */
    lg__vector imported;     /**< lg_string: see lg__growth_imports_list */
    uint8_t *told;           /**< [places of the newest] bits of lg__told */
    bool is_waiting;         /**< the garbage waits for the collector */
    bool lists_native;       /**< the newest snapshot has native memory */
} lg__comparison;

/** What rows say of a place. */
enum lg__told {
    LG__TOLD_MEMBERS = 1 << 0,  /**< it is the holder of what accumulates */
    LG__TOLD_IN_PLACE = 1 << 1, /**< it is what grows in place */
    LG__TOLD_WHOLE = 1 << 2,    /**< a row has all that it retains */
    LG__TOLD_OWN = 1 << 3,      /**< a row has its own bytes */
    LG__TOLD_WHOLE_STOPPED = 1 << 4, /**< a stopped row has all ... */
    LG__TOLD_OWN_STOPPED = 1 << 5,
    LG__TOLD_SETTLED = 1 << 6, /**< it is the holder of what settled */
};

/** Rows come in this order. */
typedef enum lg__pace {
    LG__PACE_GROWS =
        0, /**< it grows in most intervals, and does not slow down */
    LG__PACE_UNEVEN,
    LG__PACE_FILLS, /**< up to a limit that is known */
    LG__PACE_SETTLED,
} lg__pace;

/** A place that grows. Places of one group become one row. */
typedef struct lg__grown {
    uint32_t verdict; /**< lg_growth_verdict: how it grew, or still grows */
    uint32_t pace;    /**< lg__pace */
    uint32_t group;
    uint32_t place;
    int64_t weight; /**< bytes gained; half of them of keys, because the values
                         of a dict say more unless the keys have much more */
} lg__grown;

/** A container that keeps only so many elements. */
typedef struct lg__limit {
    uint64_t most;
    uint64_t filled;
    double lifetime; /**< after so many seconds elements leave; 0: unknown */
    double observed; /**< for so many seconds they were seen */
} lg__limit;

/** Returns a number that is not negative without its fraction, or the greatest
 *  one that there is. */
static inline uint64_t
lg__saturated(double number)
{
    return number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
}

/** Returns whether a growing place belongs to containers that keep only so many
 *  elements, and how many. A limit that nobody reaches is none. */
bool lg__growth_limit(const lg__comparison *state, uint32_t place,
                      lg_growth_verdict verdict, lg__limit *out);
/** Finds the holders of rows, and which rows are one leak. O(nodes + edges),
 *  and O(nodes + edges) for each holder. */
lg_status lg__growth_holders(lg__comparison *state, lg_growth *out,
                             lg_error *err);

/** Returns whether a row still grows, and has no limit. */
static inline bool
lg__growth_goes_on(const lg_growth_row *row)
{
    return row->degree < LG_GROWTH_IDLE;
}
/** Returns whether the members of a row have several holders. If several paths
 *  lead from a dominator to a node, the dominator is not its holder. */
static inline bool
lg__growth_is_held_by_several(const lg__comparison *state,
                              const lg_growth_row *row)
{
    unsigned kind = lg__place_at(state->newest, row->place)->kind;
    return kind == LG_PLACE_SEVERAL || kind == LG_PLACE_ROOT;
}
/** What grows unevenly, or grew and stopped, is told from so many bytes on. */
#define LG__LEAST_UNEVEN (INT64_C(64) << 10)

/** Lists the activations of each snapshot by place. Returns false when memory
 *  ran out. */
bool lg__activations_list(lg__comparison *state);
void lg__activations_forget(lg__comparison *state);
/** Returns the first snapshot since which the same activations of functions
 *  hold a place; 0 if no running frame alone holds it. */
uint32_t lg__activations_since(const lg__comparison *state, uint32_t place);
/** Lists the modules that the older one of two snapshots lacks, by their names
 *  in order. Returns false when memory ran out. */
bool lg__growth_imports_list(lg__comparison *state);
/** Returns whether the place came with such a module: it is in it, or of a type
 *  of it, or is a class or a function that came meanwhile. */
bool lg__growth_is_imported(const lg__comparison *state, uint32_t place);
/** Finds the places that grow. Returns false when memory ran out. */
bool lg__growth_search(lg__comparison *state);
/** Returns whether members of a place are below other members of it, in places
 *  that lead back to it: what the places below retain has their bytes then, and
 *  so have the bytes of the place itself. Known from the search on. */
bool lg__growth_is_led_back_to(const lg__comparison *state, uint32_t place);
/** Returns whether growth of the place means nothing. */
bool lg__growth_is_noise(const lg_places *places, uint32_t place);
/** Adds what moves between places, none of which grows by itself. The types of
 *  the growth are known. Returns false when memory ran out. O(places) for each
 *  of a few types. */
bool lg__growth_search_moving(lg__comparison *state, const lg_growth *growth);
/** Finds a place of the newest summary in every summary. */
void lg__comparison_find(const lg__comparison *state, uint32_t place,
                         uint32_t *at);
/** Adds the numbers of a place's members to a series. */
void lg__comparison_add_members(const lg__comparison *state, uint32_t place,
                                uint64_t *series);
/** Makes rows of the growing places. Their series are offsets into the
 *  numbers. */
lg_status lg__growth_rows(lg__comparison *state, lg_growth *out, lg_error *err);
/** Joins rows that only accompany another one with that one, and lets rows of
 *  tuples, dicts and the like name what these wrap. Rows are sorted before, and
 *  not after. Returns false when memory ran out. */
bool lg__growth_join(const lg__comparison *state, lg_growth *out);
/** Adds the bytes of a companion, and its rates, to the row of its cause. */
void lg__growth_add_bytes(const lg__comparison *state, const lg_growth *growth,
                          const lg_growth_row *companion, lg_growth_row *row);
/** Returns whether a row goes with the row that leads its leak: it grows in
 * step with that, or gained little beside it. A row with a finding of its own
 * does not. The holders must be known. */
bool lg__growth_goes_along(const lg__comparison *state, const lg_growth *growth,
                           const lg_growth_row *row);
/** Returns whether lg__growth_has_structs may find structs that grow because
 *  the row does. */
bool lg__growth_leads_structs(const lg__comparison *state,
                              const lg_growth_row *row);
/** Returns whether the row is of structs of C or C++ that grow because the
 * other row does. */
bool lg__growth_has_structs(const lg__comparison *state,
                            const lg_growth_row *row,
                            const lg_growth_row *other);
/** Adds the objects of another row of the same type to a row. */
void lg__growth_add_counts(const lg__comparison *state, const lg_growth *growth,
                           const lg_growth_row *other, lg_growth_row *row);
/** Adds the name of a companion to the row of its cause. Weak references have
 *  no name: they keep nothing, and go with what they are to. */
void lg__growth_note(const lg_growth_row *companion, lg_growth_row *row);
/** Returns whether the row is of keys of the container that holds the other
 * row.
 */
bool lg__growth_is_key_beside(const lg_places *places, const lg_growth_row *row,
                              const lg_growth_row *other);
/** Returns whether native code keeps the members of the row. */
bool lg__growth_is_kept_natively(const lg__comparison *state,
                                 const lg_growth_row *row);
/** Returns whether the row is of the functions that torch.compile made. */
bool lg__growth_is_of_compiled(const lg__comparison *state,
                               const lg_growth_row *row);
/** Returns whether torch.compile keeps the row for its functions, which it may
 *  gain in step with them. */
bool lg__growth_is_kept_for_compiled(const lg__comparison *state,
                                     const lg_growth_row *row,
                                     const lg_growth_row *compiled,
                                     bool in_step);
/** Returns whether the type is of a library or of the program: nearly all that
 *  accumulates brings strings and dicts along. `128-byte block of libz.so` is
 *  none. */
bool lg__growth_is_telling(lg_string type);
/** Returns whether the row names the type as a companion. */
static inline bool
lg__growth_names(const lg_growth_row *row, lg_string type)
{
    for (uint32_t i = 0; i < LG_COMPANIONS && i < row->companions; i++)
        if (lg__string_same(row->companion[i], type))
            return true;
    return false;
}
/** Returns the weak key that a row's example goes with, because only the key's
 *  value keeps it; or LG_NONE. */
uint32_t lg__growth_weak_key(const lg__comparison *state,
                             const lg_growth_row *row);
/** Returns whether the members of a row became more, by their counts, only
 *  because the weak keys that they go with are garbage that waits for the
 *  collector. */
bool lg__growth_waits_for_keys(const lg__comparison *state,
                               const lg_growth_row *row,
                               const uint64_t *counts);
/** Returns whether lg__growth_is_weak_entry_of may find a row with whose
 * members those of this one go, which go with that weak key. */
bool lg__growth_may_be_weak_entry(const lg__comparison *state,
                                  const lg_growth_row *row, uint32_t key);
/** Returns whether the members of a row, which go with that weak key, or those
 *  of a WeakValueDictionary, go with members of the other row. They may also be
 *  below entries of a weak dictionary, or weak references with callbacks. */
bool lg__growth_is_weak_entry_of(const lg__comparison *state,
                                 const lg_growth_row *row, uint32_t key,
                                 const lg_growth_row *other);
/** Returns whether the node is a finalizer, or the table that has it, and most
 *  of a few of its table wait for members of what fills up or has settled. */
bool lg__growth_finalizers_settle(const lg__comparison *state, uint32_t node);
/** Lets rows of tuples, dicts and the like name what these wrap. */
void lg__growth_name_wrapped(const lg_places *places, lg_growth *out);

/** Adds the rows of native growth, which have room. Returns false when memory
 *  ran out. */
bool lg__growth_native(lg__comparison *state, lg_growth *out);
/** Returns how many things of a kind a snapshot counts. */
uint64_t lg__summary_tallied(const lg_summary *summary, lg_tally_kind kind);
/** Returns whether a row of memory that C code keeps for itself, or has lost,
 * is too small to tell: pointers alone say who holds it. */
bool lg__growth_is_vague(const lg__comparison *state, const lg_growth *growth,
                         const lg_growth_row *row);
/** Whether a place begins with memory of C code that no program can let go of:
 *  what is lost, a library's variables, stacks. */
bool lg__place_is_native(const lg_places *places, uint32_t place);
/** Whether a type is that of blocks: these tell their size, or are classes of
 *  C++. A summary has types, but no nodes. */
bool lg__growth_is_type_of_blocks(lg_string type);
/** Whether a row counts objects of Python, hidden ones included, and not blocks
 *  of C code. */
bool lg__growth_is_of_objects(const lg__comparison *state,
                              const lg_growth_row *row);
/** Sets what helps against rows of native growth, and of places below what no
 *  program can cut: memory that C code has lost, or keeps for itself. */
void lg__growth_set_fixes(const lg__comparison *state, lg_growth *out);
/** Returns how many numbers a series has: counts, and bytes by device, of each
 *  snapshot. */
static inline size_t
lg__comparison_numbers(const lg__comparison *state)
{
    return (size_t)state->count * (1 + state->each);
}

/** Checks that series of so many rows are not too large; returns LG_EINVAL if
 *  they are. Files that name many devices could make them so. */
lg_status lg__comparison_check(const lg__comparison *state, size_t rows,
                               const char *what, lg_error *err);
/** Adds bytes of a summary to a series, in the order of the growth's
 *  devices. */
void lg__comparison_add_bytes(const lg__comparison *state, uint32_t snapshot,
                              const uint64_t *bytes, uint64_t *series);
/** Returns the bytes of a snapshot in a series, on the host and all devices. */
uint64_t lg__comparison_total(const lg__comparison *state,
                              const uint64_t *series, uint32_t snapshot);
/** Lets the bytes of elements be no more than their container retains. Those
 * that are below others of the container, as in a tree, are in the bytes of
 * these, too. */
void lg__comparison_limit(const lg__comparison *state, uint32_t place,
                          uint64_t *series);
/** Returns the bytes of the last snapshot in a series less the first's. */
int64_t lg__comparison_gained(const lg__comparison *state,
                              const uint64_t *series);
/** Returns the numbers of a new row: counts, and bytes by device; NULL when
 *  memory ran out. */
uint64_t *lg__growth_numbers(lg__comparison *state);
/** Fills the types and the accounts, and growth that no object explains. */
lg_status lg__growth_accounts(lg__comparison *state, lg_growth *out,
                              lg_error *err);
/** Returns whether the place is `gc.garbage[*]`. */
bool lg__place_is_listed(const lg_places *places, uint32_t place);
/** Fills the tallies, and the findings that rows belong to. The rows must be
 *  complete. */
lg_status lg__growth_tallies(lg__comparison *state, lg_growth *out,
                             lg_error *err);

// Whether a series of numbers grows.

typedef enum lg__trend {
    LG__TREND_NONE = 0, /**< it falls, stays the same, or goes up and down */
    LG__TREND_SETTLED,  /**< it rose, and has stopped, or has only appeared */
    LG__TREND_UNEVEN,   /**< it never falls, and pauses or slows down */
    LG__TREND_GROWS,
} lg__trend;

/** Returns the trend of `count` numbers at the points `x`. */
lg__trend lg__trend_of(const double *x, const double *y, size_t count);

/** Returns whether numbers rise in each interval, and so often, or so evenly,
 *  that samples with nothing in common do so in one series of 4,000. What a
 *  call takes out of a pool, and puts back, goes on growing from call to call.
 */
bool lg__rises_beyond_chance(const double *x, const double *y, uint32_t count);
/** Returns how many intervals at the end have no rise. */
size_t lg__trend_idle(const double *y, size_t count);
/** Returns the degree of numbers that are uneven. */
lg_growth_degree lg__trend_degree(const double *y, size_t count);
/** Returns the median of the slopes between any two points; 0 for fewer than
 *  two points. */
double lg__slope_of(const double *x, const double *y, size_t count);
/** Returns the bytes by which a series grows for each unit of x. */
double lg__growth_slope(const lg__comparison *state, const uint64_t *bytes);
/** Returns the same of the own bytes of a place that all snapshots have. If its
 *  tables grow by jumps, few of which are between snapshots, it is what they
 *  gained for each new reference, within what a reference can take. The series
 *  `beside`, or NULL, is added before: what moves from the one to the other is
 *  no growth. */
double lg__table_slope(const lg__comparison *state, uint32_t place,
                       const uint64_t *beside);
/** Fills what the row gained, and how fast. */
void lg__growth_rate(const lg__comparison *state, const uint64_t *bytes,
                     double slope, lg_growth_row *row);

#endif
