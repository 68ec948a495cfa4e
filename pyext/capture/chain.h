/**
 * The collector's lists, followed by the way. An object that the collector
 * tracks is linked to the next of its list by words that lie before it, so that
 * whoever walks the object has them at hand: the walk meets the next as it
 * meets what the object refers to. Once it has nothing left to do, all that was
 * walked has led to its next, and so every list, of which the first was
 * numbered at the beginning, has been met to its end. That spares a pass over
 * all lists, which waits for one object to come from memory after the other,
 * and has little to tell that the references did not.
 *
 * Included by walk.c and enumerate.c alone.
 */
#ifndef LEAKGRAPH_CAPTURE_CHAIN_H
#define LEAKGRAPH_CAPTURE_CHAIN_H

#include "walk.h"

/** Numbers the first object of each list, if lists may be followed. */
void lg_chain_begin(lg_walk *walk);

/** Whether what lies before an object is a head, as far as can be told: the
 * next of the list, of which nothing is known, refers back to it. Reads
 * through the kernel where no object was met nearby: there may be nothing. */
bool lg_chain_is_linked(const lg_walk *walk, const PyGC_Head *head,
                        const PyGC_Head *next);

/** Marks an object that the collector tracks, and meets the next of its list.
 * To be called before what the object refers to is met: neighbours in a list
 * are mostly neighbours in memory. */
static inline void
lg_chain_follow(lg_walk *walk, uint32_t node, PyObject *object,
                const lg_type_info *info)
{
    if (info->head == LG_HEAD_NONE ||
        (info->head == LG_HEAD_ASK && !info->type->tp_is_gc(object)))
        return;
    const PyGC_Head *head = (const PyGC_Head *)object - 1;
    const PyGC_Head *next = lg_gc_next(head);
    if (next == NULL)
        return;
    lg_tracked *lists = &walk->tracked;
    walk->builder->node_flags[node] |= LG_NODE_TRACKED;
    bool is_last = (uintptr_t)next - lists->heads < lists->heads_size;
    if (!lists->followed || is_last)
        return;
    /* What was not allocated by the collector has something else before it,
       which is not to be believed: a variable of some library's, or an object
       that a library has allocated as if it were of no interest to the
       collector. The lists are then gone through after all. */
    if (lg_images_have(&walk->images, object) ||
        !(info->head_is_sure || lg_chain_is_linked(walk, head, next)))
        lists->followed = false;
    else
        lg_walk_node(walk, next + 1);
}

#endif
