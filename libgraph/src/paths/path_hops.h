/** Paths and their hops: to look up, to extend, to write. */
#ifndef LEAKGRAPH_PATH_HOPS_H
#define LEAKGRAPH_PATH_HOPS_H

#include "paths/measure.h"

/** Returns a path without hops that begins at the node: at the most telling
 *  root there or at a node folded into it; of several equal ones, the first. */
lg_path lg__path_at(const lg__hop_walk *walk, uint32_t node);

/** Appends hops to a path. If memory runs out, the path stays as it was. */
lg_status lg__path_extend(lg_path *path, const lg_hop *hops, size_t count,
                          lg_error *err);

/** Writes what comes between a holder and what it holds: `.x` and `[0]` as they
 *  are, anything else after a space. */
void lg__format_label(const lg_graph *graph, const lg_hop *hop, lg_text *out);

/** Returns whether a hop leads to an element of a container, or to a value of
 *  one that is not folded away. */
bool lg__hop_is_position(const lg_graph *graph, const lg_hop *hop);
/** Writes a path with every position in a container as `[*]`, and a chain of
 *  objects as one step: `__main__.trainer.losses[*]`, `__main__.head.next`. */
void lg__format_folded_path(const lg_graph *graph, const lg_path *path,
                            lg_text *out);
/** Writes the same of what many modules have, if the path begins at one of
 *  them: `sys.modules[*].TABLE`. */
void lg__format_path_in_modules(const lg_graph *graph, const lg_path *path,
                                lg_text *out);

/** Writes the hops of a path from one on, as the paths above have them. */
void lg__format_path_end(const lg_graph *graph, const lg_path *path,
                         size_t first, bool folded, lg_text *out);

/** Returns the dict of a module that has the target as a parameter or a buffer,
 *  or the parameter whose gradient the target is: a path through it says what
 *  the target is. LG_NONE if there is none, or if the target is a root. The
 *  walk needs the reverse index. */
uint32_t lg__path_entrance(const lg__hop_walk *walk, uint32_t target);
/** Returns whether the path to an entrance leads through one, too: that to a
 *  parameter. */
bool lg__entrance_has_one(const lg_graph *graph, uint32_t entrance);
/** Returns whether the path to the target's entrance may lead on to the target:
 *  it begins at a non-native root, and does not pass the target. */
bool lg__path_enters(const lg_path *path, uint32_t target);

/** Returns a hop from `source` to `target` with the least penalty; its
 *  edge_count is 0 if there is none. The walk needs the folds. O(hops out of
 *  the source), or with the reverse index O(hops into the target) if that is
 *  less. */
lg_hop lg__hop_between(const lg__hop_walk *walk, uint32_t source,
                       uint32_t target);
/** Returns such a hop from an object to one that lg__gather_dominated has for
 *  it. It leaves the object itself, or a node that answers pass over. */
lg_hop lg__hop_below(const lg__hop_walk *walk, const lg_analysis *analysis,
                     uint32_t object, uint32_t node);

/** Receives a hop to the target with that index. */
typedef void lg__best_hop(void *context, size_t index, const lg_hop *hop);

/** What searches for the best hops from one object to several need: a byte for
 *  each target, and a number for each node. It begins as {0}. */
typedef struct lg__best_hops {
    uint8_t *penalty; /**< [target] of the best hop so far */
    size_t capacity;
    uint32_t *slot; /**< [node] 1 + its index among the targets; all 0
                         between calls */
} lg__best_hops;

/** Calls `visit` for each target at least once. The last hop that it receives
 *  is as good as what lg__hop_between finds; those before it are worse. None
 *  leads from the two roots of dominators. Returns false when memory ran out.
 *  O(hops out of the source), or less for few targets. */
bool lg__best_hops_find(lg__best_hops *room, const lg__hop_walk *walk,
                        uint32_t source, const lg__gathered *targets,
                        lg__best_hop *visit, void *context);
void lg__best_hops_free(lg__best_hops *room);

/** Returns the index of a module's root, or LG_NONE. */
uint32_t lg__module_find(const lg_graph *graph, const char *name,
                         size_t length);

/** Sorts edges and drops repetitions. Returns how many are left. */
size_t lg__edges_unify(uint64_t *edges, size_t count);

/** Adds the part of a hop's label that all elements of its container share:
 *  without index and key. For a frame, that is its function. */
void lg__hop_common(const lg_graph *graph, const lg_hop *hop, lg_text *out);

// The hops of a path each of which would free its target.

/** Sets suspect[i] for each hop of the path without which no root reaches
 *  the target. Returns how many there are. Hops that no program can cut,
 *  such as from a thread to its frame, do not count. The walk needs the
 *  reverse index. */
size_t lg__suspects_mark(const lg_analysis *analysis, const lg__hop_walk *walk,
                         const lg_path *path, uint32_t target, bool *suspect);

#endif
