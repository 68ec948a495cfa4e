/** Summaries, their tables of places, and comparisons of summaries. */
#ifndef LEAKGRAPH_GROWTH_PRIVATE_H
#define LEAKGRAPH_GROWTH_PRIVATE_H

#include "bytes/bytes_private.h"
#include "paths/paths_private.h"

#include <leakgraph/internal/growth.h>

/** A place. Label and type are strings of the table. It has the size of a line
 *  of the processor's cache, because a walk goes from any to any other. */
typedef struct lg__place_item {
    uint64_t key;
    uint64_t host[2]; /**< own and retained bytes. Valid only in a table without
                           devices; during a walk, sums over all devices */
    uint64_t members;
    uint64_t references; /**< of native nodes, their blocks. While a walk looks
                              for places: bits of the steps to it, see
                              lg__places_put */
    uint32_t parent;
    uint32_t label;
    uint32_t type;
    uint32_t example;
    uint64_t reference : 40; /**< for a walk: the reference to the example */
    uint64_t kind : 8;       /**< lg_place_kind */
    uint64_t below : 16;     /**< bits of the keys of the places below it */
} lg__place_item;

typedef struct lg__key_slot {
    uint32_t number; /**< 1 + the number of a place or string; 0: free */
    uint32_t tag;    /**< the upper half of its key */
} lg__key_slot;

/** An index by keys that are hashes already: open addressing. */
typedef struct lg__key_index {
    lg__key_slot *slot; /**< [mask + 1] */
    uint32_t mask;
} lg__key_index;

/** Returns how many slots the index needs so that half of them are free with
 *  one key more than `count`; 0: it has enough. An index without slots gets
 *  `first`. */
static inline size_t
lg__key_index_growth(const lg__key_index *index, size_t count, size_t first)
{
    size_t slots = index->slot != NULL ? (size_t)index->mask + 1 : 0;
    if (2 * (count + 1) <= slots)
        return 0;
    slots = slots != 0 ? 4 * slots : first;
    while (slots < 2 * (count + 1))
        slots *= 4;
    return slots;
}

/** What is known of a place besides its steps. Strings are those of the table,
 *  or LG_NONE. */
typedef struct lg__place_words {
    uint32_t place;
    uint32_t keeper; /**< of a place whose last step has no name: the place from
                          which the shortest paths reach most of its members,
                          or LG_NONE */
    uint32_t holder; /**< the path to the example, where the steps do not say
                          it: `thread T-1 in Queue.get() queue.py:171 local
                          self` */
    uint32_t title;  /**< which function, class, method ... its members are:
                          `function app.view.<locals>.done` */
} lg__place_words;

struct lg_places {
    lg_allocator allocator;
    lg__vector items;    /**< lg__place_item */
    lg__vector bytes;    /**< uint64_t [count * 2 * each]: own bytes, then
                              retained ones; empty if there is no device */
    lg__key_index index; /**< index of the first `indexed` items */
    uint32_t indexed;
    uint64_t *seen; /**< bits of the keys of all items: see place_table.c */
    lg__key_index known; /**< index of the strings */
    lg__strings strings; /**< it has no table of its own */
    lg__vector string_offset;
    lg__vector string_bytes;
    lg__vector string_hash; /**< uint64_t: the hash of each string */
    lg__vector devices;     /**< uint32_t: their strings; the first is the
                                 host's */
    uint32_t each;          /**< number of devices, and the host */
    lg__vector words;       /**< lg__place_words, by place, at most one each */
};

/** Adds words. Whoever reads words needs them in the order of places. Returns
 *  false when memory ran out. */
bool lg__places_add_words(lg_places *places, lg__place_words words);
/** Returns the words of a place, or NULL. */
const lg__place_words *lg__places_words(const lg_places *places,
                                        uint32_t place);
/** Returns which function, class or method the members of a place are; empty if
 *  they are none. */
lg_string lg__place_title(const lg_places *places, uint32_t place);
/** Returns how many containers there are like the one that the text of a place
 *  names, which holds its members; 1 if the text names none of several. */
uint64_t lg__place_alike(const lg_places *places, uint32_t place);
/** Returns the place that holds the members of a place in words: its keeper, or
 *  else its parent. LG_NONE: none is known. */
uint32_t lg__place_above(const lg_places *places, uint32_t place);
/** Returns whether the paths to a place lead through another one, or end there.
 */
bool lg__place_is_through(const lg_places *places, uint32_t place,
                          uint32_t through);

/** Finds the analysis that places follow: that of the graph in which momentary
 *  references count only for what nothing else reaches; `analysis` itself if
 *  there are none. It has dominators and sums, and `analysis` keeps it. */
lg_status lg__analysis_at_rest(const lg_analysis *analysis,
                               const lg_monitor *monitor,
                               const lg_analysis **out, lg_error *err);
/** Like lg_places_walk; the places of nodes are freed with
 *  lg__places_of_free. */
lg_status lg__places_walk(const lg_analysis *analysis,
                          const lg_monitor *monitor, lg_places **out,
                          uint32_t **place_of, lg_error *err);
void lg__places_of_free(uint32_t *place_of, const lg_analysis *analysis);
/** How far up a step looks for itself. */
enum { LG__RECURSION = 16 };
/** Longer paths are written without their middle. */
enum { LG__STEPS_SHOWN = 24 };
/** How many steps up from a place a search takes at most. */
enum { LG__STEPS_MOST = 256 };

/** Makes an empty table; NULL when memory ran out. */
lg_places *lg__places_begin(void);
/** Adds the host or one more device, before the first place is added. Returns
 *  false when memory ran out. */
bool lg__places_add_device(lg_places *places, lg_string name);
/** Returns the number of a device in the table, 0 for the host; LG_NONE if the
 *  table does not have it. */
uint32_t lg__places_device(const lg_places *places, lg_string name);
/** Returns the string's number in the table; LG_NONE when memory ran out. */
uint32_t lg__places_string(lg_places *places, lg_string string);
/** How many names lg__places_names takes at most. */
enum { LG__NAMES_AT_ONCE = 1024 };
/** Writes the numbers of names of a graph, with a dot before each if they are
 *  `dotted`. No name is empty or has LG__STRING_MAX bytes or more. They are
 *  clean already, and the memory of many is read at a time, so this is quicker
 *  than lg__places_string. Returns false when memory ran out. */
bool lg__places_names(lg_places *places, bool dotted, const lg_string *names,
                      uint32_t count, uint32_t *numbers);
/** Returns the number of a string in the table; LG_NONE if the table does not
 *  have it. */
uint32_t lg__places_seek(const lg_places *places, lg_string string);
/** Returns the string with that number. */
lg_string lg__places_text(const lg_places *places, uint32_t string);

/** Makes room for about `count` places, and slots for half as many. Call it
 * once, after all devices and before the first place. The room is not touched
 * before it is used. Returns false when memory ran out. */
bool lg__places_expect(lg_places *places, size_t count);
/** Returns the place with that last step, which may be new; LG_NONE when memory
 *  ran out. */
uint32_t lg__places_add(lg_places *places, uint32_t parent, lg_place_kind kind,
                        uint32_t label, uint32_t type);
/** Like lg__places_add, for a walk and quicker for many places: other functions
 *  do not find these before lg__places_index, and their `references` are bits
 *  until places_add_up, after which nothing is put. A step that `parent`, or a
 *  place above it, has as its last one leads back to that place. */
uint32_t lg__places_put(lg_places *places, uint32_t parent, lg_place_kind kind,
                        uint32_t label, uint32_t type);
void lg__places_index(lg_places *places);

static inline lg__place_item *
lg__place_at(const lg_places *places, uint32_t index)
{
    return (lg__place_item *)places->items.data + index;
}

/** Returns whether a place is the other one, or lies below it. Places have
 *  higher numbers than those above them. */
static inline bool
lg__place_is_below(const lg_places *places, uint32_t place, uint32_t top)
{
    while (place != LG_NONE && place > top)
        place = lg__place_at(places, place)->parent;
    return place == top;
}

/** The type of the pieces of a buffer that grows piece by piece. A piece is a
 *  part of what has the buffer: how many there are says little, and what they
 *  hold is what piles up. */
#define LG__PIECE "itertools._tee_dataobject"

/** Returns the place at the top of the path to a place. */
static inline const lg__place_item *
lg__place_top(const lg_places *places, uint32_t place)
{
    while (lg__place_at(places, place)->parent != LG_NONE)
        place = lg__place_at(places, place)->parent;
    return lg__place_at(places, place);
}

/** Returns whether the place is below many modules that stand for each other,
 *  of which more than one has it. */
static inline bool
lg__place_is_in_modules(const lg_places *places, uint32_t place)
{
    uint32_t top = LG_NONE;
    for (; place != LG_NONE; place = lg__place_at(places, place)->parent) {
        if (lg__place_at(places, place)->members < 2)
            return false;
        top = place;
    }
    return top != LG_NONE &&
           lg__string_is(
               lg__places_text(places, lg__place_at(places, top)->type),
               "module");
}

/** Returns whether no root reaches the place. */
static inline bool
lg__place_is_garbage(const lg_places *places, uint32_t place)
{
    return lg__place_top(places, place)->kind == LG_PLACE_GARBAGE;
}

static inline uint64_t *
lg__place_own(const lg_places *places, uint32_t index)
{
    if (places->each == 1)
        return lg__place_at(places, index)->host;
    return (uint64_t *)places->bytes.data + (size_t)2 * index * places->each;
}

static inline uint64_t *
lg__place_retained(const lg_places *places, uint32_t index)
{
    return lg__place_own(places, index) + places->each;
}

/** What lg_summary.rest is for 0. It may be less, because bytes that are
 *  counted but not resident are deducted. */
#define LG__RESIDENT_ZERO (UINT64_C(1) << 52)

/** Adds a text with each number in it as `*`, because the threads of a pool are
 *  alike. */
void lg__text_add_uncounted(lg_string text, lg_text *out);
/** Returns whether lg__text_add_uncounted writes `uncounted` for the text, or
 *  whether that is the text. */
bool lg__text_is_like(lg_string text, lg_string uncounted);

/** The objects of a type. The type's name is a string of the places. */
typedef struct lg__type_sum {
    uint32_t name;
    uint32_t bytes; /**< index in lg_summary.bytes: shallow bytes */
    uint64_t count;
} lg__type_sum;

/** An info text, as strings of the places. */
typedef struct lg__info_text {
    uint32_t key;
    uint32_t value;
} lg__info_text;

/** What is counted besides objects. Strings are those of the places. */
typedef struct lg__tally {
    uint64_t key;    /**< a hash of kind, name, detail and holder */
    uint64_t holder; /**< key of a place, or 0 */
    uint64_t kept;   /**< key of a place, or 0; of a limit, how many elements
                          there are */
    uint64_t count;
    uint32_t bytes; /**< index in lg_summary.bytes */
    uint32_t name;
    uint32_t detail;
    uint32_t kind; /**< lg_tally_kind or LG__TALLY_LIMIT */
} lg__tally;

/** Containers in a place, its holder, that keep only so many elements: instead
 *  of bytes on the host, how many all of them keep at most. With the detail
 *  "shared", the members of the place that only such containers keep. */
enum {
    LG__TALLY_LIMIT = LG_TALLY_COUNT,
    LG__TALLY_ACTIVATION, /**< of a function that holds members of a place, its
                               holder; the detail tells it from others */
    LG__TALLY_COUNT
};
/** More elements than that are this many. A limit above it is no number of
 *  elements: by so many milliseconds it is above, after so many elements leave.
 */
#define LG__LIMIT_MOST (UINT64_C(1) << 32)
/** What a tally of limits counts: the containers of a place, their references,
 *  its members that such containers share, or those that are elements of one.
 */
typedef enum lg__limit_kind {
    LG__LIMIT_CONTAINERS,
    LG__LIMIT_REFERENCES,
    LG__LIMIT_SHARED,
    LG__LIMIT_ELEMENTS,
} lg__limit_kind;

/** What rows of answers with one key are about, all together. */
typedef struct lg__row_sum {
    uint64_t key;
    uint64_t count;
    uint64_t bytes; /**< on all devices */
} lg__row_sum;

struct lg_summary {
    lg_places *places;
    lg__vector types;   /**< lg__type_sum */
    lg__vector infos;   /**< lg__info_text */
    lg__vector tallies; /**< lg__tally, by key */
    lg__vector bytes;   /**< uint64_t: those of types and tallies, each
                             [places->each], the host first */
    lg__vector rows;    /**< lg__row_sum, by key; files do not have them */
    bool has_rows;      /**< they are counted */
    uint64_t objects;   /**< shallow bytes on the host */
    uint64_t large;     /**< of those, larger objects and buffers, except mapped
                             files, in bytes that malloc rounds up */
    uint64_t small;     /**< of those, what pymalloc spends */
    uint64_t mapped;    /**< of those, what has mappings of its own */
    uint64_t rest; /**< resident bytes in no account, plus RESIDENT_ZERO; 0:
                        unknown */
};

/** Adds bytes by device, of which the first `count` are those given, and the
 *  others 0. Returns their index; LG_NONE when memory ran out. */
uint32_t lg__summary_add_bytes(lg_summary *summary, const uint64_t *bytes,
                               uint32_t count);

/** Adds bytes by device at one index to those at another. */
void lg__summary_sum_bytes(lg_summary *summary, uint32_t to, uint32_t from);

/** Returns bytes by device, until more are added. */
static inline uint64_t *
lg__summary_bytes_at(const lg_summary *summary, uint32_t index)
{
    return (uint64_t *)summary->bytes.data + index;
}

/** Returns the objects of the type with that name, or NULL. */
const lg__type_sum *lg__summary_find_type(const lg_summary *summary,
                                          lg_string name);
/** Sorts types by name and merges those of one name. Leaves out types without
 *  objects. */
void lg__summary_join_types(lg_summary *summary);
/** Makes a table of the `most` biggest places at most, with everything above
 *  them. Adds the own bytes of a place that is left out to its parent's. No
 *  such place retains more than `*least`, which is 0 if none is left out.
 *  Returns false when memory ran out. */
bool lg__places_prune(const lg_places *from, uint32_t most, lg_places **out,
                      uint64_t *least);
/** The info text of a file's summary that left places out: what they retain at
 *  most, each. */
#define LG__SUMMARY_LEAST "summary.least"
/** Finds what the biggest place after the `most` biggest retains, or 0. Returns
 *  false when memory ran out. */
bool lg__places_least(const lg_places *places, uint32_t most, uint64_t *out);
/** Returns the bytes that a place retains, on the host and all devices. */
uint64_t lg__place_total(const lg_places *places, uint32_t index);
/** How many places a file keeps: the biggest, and everything above them. */
enum { LG__PLACES_SAVED = 8192 };
/** Finds the words of places, and an example for each place whose last step has
 *  no name: a member that is held as most are. The holder is known of as many
 *  places as a file keeps. `place_of` is what lg__places_walk returns.
 *  O(nodes), and O(nodes + edges) unless the graph has the tree of paths. */
lg_status lg__places_find_words(lg_places *places, const uint32_t *place_of,
                                const lg_analysis *analysis,
                                const lg_monitor *monitor, lg_error *err);
/** Makes an empty summary that takes the places over; NULL when memory ran
 *  out. */
lg_summary *lg__summary_begin(lg_places *places);
/** Makes a summary of an analysed graph without the tallies, and the place of
 *  every node, which lg__places_of_free frees. */
lg_status lg__summary_make(const lg_analysis *analysis,
                           const lg_monitor *monitor, lg_summary **out,
                           uint32_t **place_of, lg_error *err);
/** Adds a tally, whose bytes are those of the first `devices` of the summary.
 *  Several may have the same kind, name, detail and holder until they are
 *  joined. Returns false when memory ran out. */
bool lg__summary_count(lg_summary *summary, lg__tally tally,
                       const uint64_t *bytes, uint32_t devices);
/** Counts the containers that keep only so many elements, and the objects that
 *  several of these share and nothing else keeps. `place_of` is what
 *  lg__places_walk returns. O(nodes + edges). */
lg_status lg__summary_count_limits(lg_summary *summary,
                                   const lg_analysis *analysis,
                                   const uint32_t *place_of,
                                   const lg_monitor *monitor, lg_error *err);
/** Returns what limits the place with a key, or NULL. */
const lg__tally *lg__summary_limit(const lg_summary *summary, uint64_t key,
                                   lg__limit_kind kind);
/** Counts the activations of functions that hold the members of each place
 *  right below a thread. `place_of` is what lg__places_walk returns. O(nodes +
 *  edges). */
lg_status lg__summary_count_activations(lg_summary *summary,
                                        const lg_analysis *analysis,
                                        const uint32_t *place_of,
                                        const lg_monitor *monitor,
                                        lg_error *err);
/** Returns the tally with the same kind, name, detail and holder, or NULL. */
const lg__tally *lg__summary_find_tally(const lg_summary *summary,
                                        const lg__tally *wanted);
/** The same of what a row is about; names need not be among the strings. */
const lg__tally *lg__summary_find_named(const lg_summary *summary,
                                        lg_tally_kind kind, lg_string name,
                                        lg_string detail, uint64_t holder);
/** Sorts tallies by key and merges those of one key. */
void lg__summary_join_tallies(lg_summary *summary);
/** Returns the bytes that an info text gives; -1: none. */
int64_t lg__summary_bytes(const lg_summary *summary, const char *key);
/** Returns an info text; empty if there is none. */
lg_string lg__summary_text(const lg_summary *summary, const char *key);
/** Returns whether the snapshot has native memory. */
bool lg__summary_has_native(const lg_summary *summary);
/** Returns the resident set without leakgraph's own memory; -1: unknown. */
int64_t lg__summary_rss(const lg_summary *summary);
/** Returns the bytes that malloc has in use and no object explains; -1: malloc
 *  does not say. */
int64_t lg__summary_unexplained(const lg_summary *summary);
/** Returns whether a module, class or type of that name is leakgraph's. */
bool lg__growth_is_own(lg_string name);

/** Appends the containers that hold nodes together, ascending: those that rows
 *  of growth name, if the nodes of each place accumulate. Other holders are
 * left out. Empties `nodes`. O(nodes + edges). */
lg_status lg__containers_find(const lg_analysis *analysis, lg__gathered *nodes,
                              const lg_monitor *monitor, lg__gathered *out,
                              lg_error *err);

/** The names of verdicts and degrees; NULL at the end. */
extern const char *const lg__growth_verdicts[];
extern const char *const lg__growth_degrees[];

#endif
