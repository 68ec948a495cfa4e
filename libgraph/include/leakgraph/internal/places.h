/**
 * Places: where objects are, in words that hold for any snapshot.
 *
 * The conventions of leakgraph.h hold. A *place* is the path from the
 * super-root along immediate dominators: at each step, the label of the
 * reference and the type of the object. Positions in containers are folded
 * (`[0]` and `['key']` are `[*]`), and so is recursion: a step that repeats one
 * of the sixteen above it leads back there, so all nodes of a linked list are
 * one place. So are the classes and functions that a program makes with names
 * of their own: where no module or attribute names them, their names do not
 * count (`app.*`), or the numbers in them do not (`app.run_*`). A place has no
 * address and no number of a node. Its key is made of strings alone, so it is
 * the same in another snapshot, process or machine.
 */
#ifndef LEAKGRAPH_PLACES_H
#define LEAKGRAPH_PLACES_H

#include <leakgraph/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The places of a graph, or of several added up. It never changes once made
 *  and borrows nothing; any number of threads may read it. */
typedef struct lg_places lg_places;

/** What the last step of a place is. */
typedef enum lg_place_kind {
    LG_PLACE_ROOT = 0, /**< below the super-root; label: the name of a module,
                            thread, class or function ("logging.root"), the
                            first in byte order if a module has several for it;
                            else empty */
    LG_PLACE_GARBAGE,  /**< no root reaches it, and nothing dominates it; the
                            label is that of a root */
    LG_PLACE_NAMED,    /**< label: `.x`, `local x`, `closure x`, a frame's
                            function ... */
    LG_PLACE_ITEM,     /**< an element, or a value of a mapping: `[*]` */
    LG_PLACE_KEY,      /**< the key of a mapping: `key` */
    LG_PLACE_SEVERAL,  /**< the dominator refers to it by several paths, or by a
                            reference without a name; label: the name of a
                            function or module, else empty */
} lg_place_kind;

typedef struct lg_place {
    uint64_t key;
    uint32_t parent; /**< a lower index; LG_NONE: none */
    lg_place_kind kind;
    lg_string label;
    lg_string type;
    uint64_t members;    /**< objects, without what is folded into others */
    uint64_t references; /**< strong references from them: mostly elements; of
                              native memory, its blocks */
    const uint64_t *own; /**< shallow bytes by device, with all that is folded
                              into members: a namespace, a buffer */
    const uint64_t *retained; /**< by members that no other member dominates, by
                                   device */
    lg_node example; /**< of members that no other dominates, the one that its
                          dominator refers to last: the last element of a list;
                          LG_NONE after adding up */
} lg_place;

/** The places of an analysed graph. O(nodes + edges); 4 bytes a node while it
 *  runs, 16 more below a recursion, and about 100 for each place. */
lg_status lg_places_new(const lg_analysis *analysis, const lg_monitor *monitor,
                        lg_places **out, lg_error *err);
/** The same, with the place of every node in *place_of; free it with free(). A
 *  node that is folded into another one is in that node's place. */
lg_status lg_places_walk(const lg_analysis *analysis, const lg_monitor *monitor,
                         lg_places **out, uint32_t **place_of, lg_error *err);
void lg_places_free(lg_places *places);

/** Adds up tables: members, references and bytes of a place are the sums over
 *  all of them. Devices go by name. */
lg_status lg_places_merge(const lg_places *const *tables, size_t count,
                          lg_places **out, lg_error *err);

/** Indexes of places are below the count; parents come first. */
uint32_t lg_places_count(const lg_places *places);
lg_place lg_places_at(const lg_places *places, uint32_t index);
/** The place with that key, or LG_NONE. O(1). */
uint32_t lg_places_find(const lg_places *places, uint64_t key);
/** Devices besides the host, and their names: of 0 "host". */
uint32_t lg_places_device_count(const lg_places *places);
lg_string lg_places_device_name(const lg_places *places, uint32_t device);
/** The category of its members. A place knows the name of their type, but not
 *  its bases; the graph of the places knows them. It may be NULL, and counts
 *  only if the place has an example. */
lg_category lg_place_category(const lg_places *places, uint32_t index,
                              const lg_graph *graph);
/** Adds the last step of a place as a frame of a stack: `.losses list`, `[*]
 *  str`, or `~ Session` if several paths lead there. */
void lg_place_step_format(const lg_place *place, lg_text *out);
/** Adds the path to a place: `__main__.trainer.losses[*]`. Places of a summary
 *  have the path that a snapshot has for their example, where their steps do
 *  not say it: `thread T-1 in Queue.get() queue.py:171 local self`. Otherwise
 *  ` … ` and a type stand for steps that are not known: `__main__ …
 *  Cache.entries[*]`. */
void lg_place_format(const lg_places *places, uint32_t index, lg_text *out);

#ifdef __cplusplus
}
#endif

#endif
