/**
 * Tables of places, as the room makes them.
 */
#ifndef LG_GROWTH_PRIVATE_H
#define LG_GROWTH_PRIVATE_H

#include "bytes/bytes_private.h"
#include "paths/paths_private.h"

#include <leakgraph/growth.h>

/** A place without its bytes. Label and type are strings of the table. */
typedef struct lg__place_item {
    uint64_t key;
    uint64_t members;
    uint64_t references;
    uint32_t parent;
    uint32_t label;
    uint32_t type;
    uint32_t example;
    uint8_t kind;   /**< lg_place_kind */
    uint32_t below; /**< bits of the keys of places below it */
} lg__place_item;

typedef struct lg__key_slot {
    uint32_t number; /**< of a place or string, and 1; 0: free */
    uint32_t tag;    /**< the upper half of its key */
} lg__key_slot;

/** Finds things by their keys, which are hashes already: open addressing. */
typedef struct lg__key_index {
    lg__key_slot *slot; /**< [mask + 1] */
    uint32_t mask;
} lg__key_index;

struct lg_places {
    lg_allocator allocator;
    lg__vector items;    /**< lg__place_item */
    lg__vector bytes;    /**< uint64_t [count * 2 * each]: own, then retained */
    lg__key_index index; /**< of the first `indexed` items */
    uint32_t indexed;
    uint64_t *seen; /**< bits of the keys of all items; see place_table.c */
    lg__key_index known; /**< of strings */
    lg__strings strings; /**< without a table of its own */
    lg__vector string_offset;
    lg__vector string_bytes;
    lg__vector string_hash; /**< uint64_t of each string */
    lg__vector devices;     /**< uint32_t: strings; the first is the host's */
    uint32_t each;          /**< devices, and the host */
};

/** How far up a step looks for itself. */
enum { LG__RECURSION = 16 };
/** Steps of a way that are written; the middle of a longer one is left out. */
enum { LG__STEPS_SHOWN = 24 };

/** An empty table; NULL when memory ran out. */
lg_places *lg__places_begin(void);
/** Adds a device behind the others, or the host; all before the first place.
 *  False when memory ran out. */
bool lg__places_add_device(lg_places *places, lg_string name);
/** The string's number in the table; LG_NONE when memory ran out. */
uint32_t lg__places_string(lg_places *places, lg_string string);
/** The number of a string that the table has; LG_NONE: it has none such. */
uint32_t lg__places_seek(const lg_places *places, lg_string string);
/** Of a number. */
lg_string lg__places_text(const lg_places *places, uint32_t string);
/** Makes room for about so many places, which is not touched before it is
 *  needed; once, when all devices are added and no place. False when memory ran
 *  out. */
bool lg__places_expect(lg_places *places, size_t count);
/** The place with that last step, which may be new; LG_NONE when memory ran
 *  out. */
uint32_t lg__places_add(lg_places *places, uint32_t parent, lg_place_kind kind,
                        uint32_t label, uint32_t type);
/** The same, quicker for many: nothing else finds what was put in before
 *  lg__places_index. */
uint32_t lg__places_put(lg_places *places, uint32_t parent, lg_place_kind kind,
                        uint32_t label, uint32_t type);
void lg__places_index(lg_places *places);
/** The place that the step leads back to, which is `parent` or lies above it;
 *  LG_NONE: the step repeats none. */
uint32_t lg__places_recur(const lg_places *places, uint32_t parent,
                          lg_place_kind kind, uint32_t label, uint32_t type);

static inline lg__place_item *
lg__place_at(const lg_places *places, uint32_t index)
{
    return (lg__place_item *)places->items.data + index;
}

static inline uint64_t *
lg__place_own(const lg_places *places, uint32_t index)
{
    return (uint64_t *)places->bytes.data + (size_t)2 * index * places->each;
}

static inline uint64_t *
lg__place_retained(const lg_places *places, uint32_t index)
{
    return lg__place_own(places, index) + places->each;
}

/** The last step to a node, as a place writes it. */
typedef struct lg__step {
    lg_place_kind kind;
    uint32_t label;
} lg__step;

/** Instances of a class share their keys. */
enum { LG__NAMES_CACHED = 1024 };

/** Writes the labels of a graph's references into a table. */
typedef struct lg__labels {
    const lg_graph *graph;
    const lg__fold *folds;
    const uint32_t *dominator;
    lg_places *places;
    uint32_t *dotted;  /**< [string_count] of a string of the graph: the number
                            of `.string` in the table; LG_NONE: not yet */
    uint32_t *text_at; /**< where the texts of each block of nodes begin */
    uint32_t named[LG__NAMES_CACHED]; /**< nodes of keys, by their lower bits */
    uint32_t names[LG__NAMES_CACHED]; /**< their texts */
    uint32_t item;                    /**< numbers of frequent labels: `[*]` */
    uint32_t key;
    uint32_t none; /**< an empty one */
    lg_text scratch;
} lg__labels;

/** What a module calls one of its values: strings of the graph. */
typedef struct lg__module_name {
    uint64_t edge;
    uint32_t module;
    uint32_t name;
} lg__module_name;

/** A reference, and the node that it is a reference of. */
typedef struct lg__via {
    uint64_t edge; /**< LG__NO_EDGE: none */
    uint32_t source;
} lg__via;

#define LG__NO_EDGE UINT64_MAX
/** What lg_summary.rest has for 0: what is counted but not resident is
 *  deducted. */
#define LG__RESIDENT_ZERO (UINT64_C(1) << 52)

/** The number of the graph's string that names the reference; LG_NONE: a folded
 *  position, or no name. */
uint32_t lg__label_name(lg__labels *labels, lg__via via);
/** Whether the node is a namespace that is folded into its owner: its values
 *  are attributes. */
bool lg__label_is_namespace(const lg__labels *labels, uint32_t node);
/** The number of the graph's string that is the node's text, or LG_NONE. */
uint32_t lg__label_text(const lg__labels *labels, uint32_t node);
lg_status lg__labels_begin(lg__labels *labels, lg_error *err);
/** The step to a node that a root holds, or garbage that nothing does. A
 *  namespace of a module may name it. False when memory ran out. */
bool lg__label_top(lg__labels *labels, uint32_t node, lg_place_kind kind,
                   const lg__module_name *name, lg__step *out);
/** The step to a node by the reference that its dominator has, or that one's
 *  namespace. False when memory ran out. */
bool lg__label_step(lg__labels *labels, uint32_t node, lg__via via,
                    lg__step *out);
void lg__labels_free(lg__labels *labels);
/** Adds a text with each number in it as `*`: threads of a pool are alike. */
void lg__text_add_uncounted(lg_string text, lg_text *out);

/** Objects of a type. Its name is a string of the places. */
typedef struct lg__type_sum {
    uint32_t name;
    uint64_t count;
    uint64_t bytes; /**< shallow, on the host and all devices */
} lg__type_sum;

/** An info text, as strings of the places. */
typedef struct lg__info_text {
    uint32_t key;
    uint32_t value;
} lg__info_text;

/** What is counted besides objects. Strings are of the places. */
typedef struct lg__tally {
    uint64_t key;    /**< a hash of kind, name, detail and holder */
    uint64_t holder; /**< key of a place, or 0 */
    uint64_t kept;   /**< likewise */
    uint64_t count;
    uint64_t bytes;
    uint32_t name;
    uint32_t detail;
    uint32_t kind; /**< lg_tally_kind */
} lg__tally;

struct lg_summary {
    lg_places *places;
    lg__vector types;   /**< lg__type_sum */
    lg__vector infos;   /**< lg__info_text */
    lg__vector tallies; /**< lg__tally, by key */
    uint64_t objects;   /**< shallow bytes on the host */
    uint64_t large; /**< of those, what malloc has, as it rounds them up: larger
                       objects and buffers, except mapped files */
    uint64_t small; /**< of those, what pymalloc spends */
    uint64_t mapped; /**< of those, in mappings of their own */
    uint64_t
        rest; /**< resident, and in no account, and RESIDENT_ZERO; 0: unknown */
};

/** Sorts types by name. Those of one name become one; what has no objects is
 *  left out. */
void lg__types_join(lg__vector *types);
/** A table of the `most` biggest places at most, with all that is above them.
 *  The own bytes of a place that is left out are its parent's. False when
 * memory ran out. */
bool lg__places_prune(const lg_places *from, uint32_t most, lg_places **out);
/** An empty summary that takes over the places; NULL when memory ran out. */
lg_summary *lg__summary_begin(lg_places *places);
/** All but the tallies of an analysed graph, and the place of every node, to
 *  free(). */
lg_status lg__summary_make(const lg_analysis *analysis,
                           const lg_monitor *monitor, lg_summary **out,
                           uint32_t **place_of, lg_error *err);
/** Adds a tally, or adds to that with the same kind, name, detail and holder.
 *  False when memory ran out. */
bool lg__summary_count(lg_summary *summary, lg__tally tally);
/** Sorts tallies by key. Those of one key become one. */
void lg__tallies_join(lg__vector *tallies);
/** What an info text says in bytes; -1: nothing. */
int64_t lg__summary_bytes(const lg_summary *summary, const char *key);
/** Whether it is of several snapshots, added up. */
bool lg__summary_is_sum(const lg_summary *summary);
/** The info text; empty: there is none. */
lg_string lg__summary_text(const lg_summary *summary, const char *key);
/** The resident set, less what leakgraph itself keeps; -1: unknown. */
int64_t lg__summary_rss(const lg_summary *summary);
/** What malloc has in use and no object explains; -1: malloc says nothing. */
int64_t lg__summary_unexplained(const lg_summary *summary);

// Comparing summaries.

/** One comparison at work. */
typedef struct lg__comparison {
    const lg_summary *const *summaries;
    uint32_t count;
    const lg_places *newest;
    const lg_analysis *analysis; /**< of the newest, or NULL */
    const lg_monitor *monitor;
    lg_growth_options options;
    double *x;          /**< [count] steps, or 0, 1, 2 ... */
    double *y;          /**< [count] scratch */
    uint32_t *at;       /**< [count] a place in every summary */
    uint32_t *above;    /**< [count] its parent */
    uint32_t each;      /**< devices of the growth, and the host */
    lg_string *devices; /**< [each] */
    lg__vector found;   /**< lg__grown */
    lg__vector numbers; /**< uint64_t, of the series */
    uint8_t *is_holder; /**< [places of the newest] of a row */
} lg__comparison;

/** A place that grows. Places of one group become one row. */
typedef struct lg__grown {
    uint32_t verdict; /**< lg_growth_verdict */
    uint32_t group;
    uint32_t place;
    int64_t gained;
} lg__grown;

/** Whether a module, a class or a type of that name is leakgraph's. */
bool lg__growth_is_own(lg_string name);
/** The places that grow. False when memory ran out. */
bool lg__growth_search(lg__comparison *state);
/** Finds a place of the newest in every summary. */
void lg__comparison_find(const lg__comparison *state, uint32_t place,
                         uint32_t *at);
/** Makes rows of what was found; their series are offsets into the numbers. */
lg_status lg__growth_rows(lg__comparison *state, lg_growth *out, lg_error *err);
/** Adds the rows of native growth, for which there is room. False when memory
 *  ran out. */
bool lg__growth_native(lg__comparison *state, lg_growth *out);
/** The numbers of one more row: counts, and bytes by device. NULL when memory
 *  ran out. */
uint64_t *lg__growth_numbers(lg__comparison *state);
/** What the row gained, and how fast. */
void lg__growth_rate(const lg__comparison *state, const uint64_t *bytes,
                     lg_growth_row *row);
/** The types and the accounts, and growth that no object explains. */
lg_status lg__growth_accounts(lg__comparison *state, lg_growth *out,
                              lg_error *err);
/** Whether the place is `gc.garbage[*]`. */
bool lg__place_is_listed(const lg_places *places, uint32_t place);
/** The tallies, and the findings that rows belong to; after the rows. */
lg_status lg__growth_tallies(lg__comparison *state, lg_growth *out,
                             lg_error *err);
/** Why garbage piles up; after the tallies. */
void lg__growth_reasons(const lg__comparison *state, lg_growth *out);
/** Frees the paths of a row, which then has none. */
void lg__growth_paths_free(lg_growth_row *row);
/** The paths of the rows. */
lg_status lg__growth_paths(const lg__comparison *state, lg_growth *out,
                           lg_error *err);

// Whether a series of numbers grows.

typedef enum lg__trend {
    LG__TREND_NONE = 0, /**< it falls, stays, or goes up and down */
    LG__TREND_SETTLED,  /**< it rose, and stopped */
    LG__TREND_GROWS,
} lg__trend;

/** Of `count` numbers at points `x`. */
lg__trend lg__trend_of(const double *x, const double *y, size_t count);
/** The median of a few numbers, which it puts into order; `count` is not 0. */
double lg__median_of(double *numbers, size_t count);
/** The median of the slopes of any two points; 0 of fewer than two. */
double lg__slope_of(const double *x, const double *y, size_t count);

#endif
