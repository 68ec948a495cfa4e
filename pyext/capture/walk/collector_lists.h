/**
 * Follows the collector's lists during the walk. Words before each tracked
 * object link it to the next of its list, and a visit of the object brings them
 * into the cache. So the walk follows this link like a reference. At the end
 * each visited object has led to its next, so the walk has visited every list
 * from its first object to its end. This saves a pass over all lists, which
 * would wait for the memory of one object after the other and find little that
 * is new. If a word turns out not to be the collector's, the walk makes that
 * pass after all: it numbers the objects from the lists or, if the self-check
 * did not recognise them, from gc.get_objects().
 */
#ifndef LEAKGRAPH_COLLECTOR_LISTS_H
#define LEAKGRAPH_COLLECTOR_LISTS_H

#include "capture/walk/heap_walk.h"

/** Begins to number the objects in the collector's lists: numbers the first of
 *  each list, and all frozen ones. */
void lg__enumerate_begin(lg__heap_walk *walk);
/** Makes sure that there is a node `next`, and some beyond, while objects
 *  without nodes are left. Numbers so few at a time that an object is still in
 *  the cache when the walk visits it, and that its number is close to those of
 *  its referents. */
void lg__enumerate_ahead(lg__heap_walk *walk, uint32_t next, uint32_t beyond);
/** Numbers all by public calls, which run Python code, make a list of all
 *  objects, and cannot see frozen ones. */
lg_status lg__enumerate_public(lg__heap_walk *walk, lg_error *err);

/** Remembers a node whose word may not be the collector's. The walk mostly
 *  meets the next object in another way. */
void lg__chain_put_off(lg__heap_walk *walk, uint32_t node);

/** Marks an object that the collector tracks, and gives the next of its list a
 *  node. Call it before the walk meets the referents of the object: neighbours
 *  in a list are mostly neighbours in memory. */
static inline void
lg__chain_follow(lg__heap_walk *walk, uint32_t node, PyObject *object,
                 const lg__type_info *info)
{
    lg__tracked *lists = &walk->tracked;
    if (!lists->followed || info->head == LG__HEAD_NONE ||
        (info->head == LG__HEAD_ASK && !info->type->tp_is_gc(object)))
        return;
    const lg__gc_link *next = lg__gc_next((const lg__gc_link *)object - 1);
    if (next == NULL)
        return;
    bool is_last = (uintptr_t)next - lists->heads < lists->heads_size;
    /* Do not trust the word of an object that the collector did not allocate:
       it may be a variable of a library, or other memory of a library. */
    bool is_sure =
        info->head_is_sure && !lg__images_have(&walk->images, object);
    if (!is_last && !is_sure &&
        lg__address_map_find(&walk->address_map, next + 1) == 0) {
        lg__chain_put_off(walk, node);
        return;
    }
    lg_builder_mark(walk->builder, node, LG_NODE_TRACKED);
    if (!is_last)
        lg__walk_node(walk, next + 1);
}

#endif
