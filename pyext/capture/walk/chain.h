/**
 * The collector's lists, followed by the way. An object that the collector
 * tracks is linked to the next of its list by words that lie before it, so that
 * whoever walks the object has them at hand: the walk meets the next as it
 * meets what the object refers to. Once it has nothing left to do, all that was
 * walked has led to its next, and so every list, of which the first was
 * numbered at the beginning, has been met to its end. That spares a pass over
 * all lists, which waits for one object to come from memory after the other,
 * and has little to tell that the references did not. The lists are gone
 * through after all once a word turns out to be none of the collector's.
 *
 * Included by heap_walk.c and enumerate.c alone.
 */
#ifndef LEAKGRAPH_CHAIN_H
#define LEAKGRAPH_CHAIN_H

#include "capture/walk/heap_walk.h"

/** Numbers the first object of each list, if lists may be followed. */
void lg_chain_begin(lg_walk *walk);

/** When nothing is left to walk: goes on to the next of an object that was put
 *  off, if its word proves to be the collector's. False when none is left that
 *  leads to something new; if lists are still followed then, all were met. */
bool lg_chain_go_on(lg_walk *walk);

/** Remembers a node whose word may not be the collector's: mostly what it leads
 *  to is met in another way. */
void lg_chain_put_off(lg_walk *walk, uint32_t node);

/** Marks an object that the collector tracks, and meets the next of its list.
 * To be called before what the object refers to is met: neighbours in a list
 * are mostly neighbours in memory. */
static inline void
lg_chain_follow(lg_walk *walk, uint32_t node, PyObject *object,
                const lg_type_info *info)
{
    lg_tracked *lists = &walk->tracked;
    if (!lists->followed || info->head == LG_HEAD_NONE ||
        (info->head == LG_HEAD_ASK && !info->type->tp_is_gc(object)))
        return;
    const PyGC_Head *next = lg_gc_next((const PyGC_Head *)object - 1);
    if (next == NULL)
        return;
    bool is_last = (uintptr_t)next - lists->heads < lists->heads_size;
    /* What was not allocated by the collector has something else before it,
       which is not to be believed: a variable of some library's, or an object
       that a library has allocated as if it were of no interest to the
       collector. */
    bool is_sure = info->head_is_sure && !lg_images_have(&walk->images, object);
    if (!is_last && !is_sure &&
        lg_address_map_find(&walk->address_map, next + 1) == 0) {
        lg_chain_put_off(walk, node);
        return;
    }
    walk->builder->node_flags[node] |= LG_NODE_TRACKED;
    if (!is_last)
        lg_walk_node(walk, next + 1);
}

#endif
