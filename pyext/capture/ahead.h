/**
 * Bringing into the cache what the walk will read, some nodes before their turn
 * comes: objects, then what their types keep elsewhere, then the slots of what
 * they refer to. Each step reads only what an earlier one has brought. Included
 * by walk.c alone.
 */
#ifndef LEAKGRAPH_CAPTURE_AHEAD_H
#define LEAKGRAPH_CAPTURE_AHEAD_H

#include "walk.h"

/** How many nodes before its turn an object's slots are asked for, its parts,
 *  and the object itself. */
enum { LG_AHEAD_SLOTS = 8, LG_AHEAD_PARTS = 16, LG_AHEAD_OBJECT = 32 };

/** An object whose type was looked up; node 0 (the interpreter): none. */
typedef struct lg_upcoming {
    uint32_t node;
    PyObject *object;
    lg_type_info *info; /**< NULL: not met yet */
} lg_upcoming;

/** Those that come next, each at its node's number. */
typedef struct lg_ahead {
    lg_upcoming ring[LG_AHEAD_PARTS];
} lg_ahead;

static inline lg_upcoming *
lg_ahead_at(lg_ahead *ahead, uint32_t node)
{
    return &ahead->ring[node % LG_AHEAD_PARTS];
}

/** An object and the collector's head before it, which may lie in two lines. */
static inline void
lg_ahead_object(const char *object)
{
    __builtin_prefetch(object - sizeof(PyGC_Head));
    __builtin_prefetch(object + sizeof(PyObject));
}

/** The second memory that a walker will read. */
static inline void
lg_ahead_parts(const lg_upcoming *next)
{
    PyObject *object = next->object;
    switch ((lg_plan)next->info->plan) {
    case LG_PLAN_LIST:
        __builtin_prefetch(((PyListObject *)object)->ob_item);
        return;
    case LG_PLAN_DICT:
        __builtin_prefetch(((PyDictObject *)object)->ma_keys);
        return;
    case LG_PLAN_INSTANCE:
        __builtin_prefetch((const char *)object + 64);
        if (next->info->dict_kind == LG_DICT_MANAGED)
            __builtin_prefetch(lg_managed_word(object));
        return;
    default:
        return;
    }
}

/** The slot of what an object refers to. Near the object there is no need: its
 *  neighbours' slots are in the cache since they had their turn. */
static inline void
lg_ahead_slot(const lg_shadow *shadow, const PyObject *object,
              const PyObject *target)
{
    enum { NEAR = 1 << 18 };
    if ((uintptr_t)target - (uintptr_t)object + NEAR > 2 * NEAR)
        lg_shadow_prefetch(shadow, target);
}

/** The slots of a container's first items; few have more. */
static inline void
lg_ahead_items(const lg_shadow *shadow, const PyObject *object,
               PyObject *const *items, Py_ssize_t count)
{
    enum { MOST = 6 };
    for (Py_ssize_t i = 0; i < count && i < MOST; i++)
        lg_ahead_slot(shadow, object, items[i]);
}

static inline void
lg_ahead_slots(const lg_shadow *shadow, const lg_upcoming *next)
{
    PyObject *object = next->object;
    const lg_type_info *info = next->info;
    lg_inline_values inlined;
    switch ((lg_plan)info->plan) {
    case LG_PLAN_LIST:
        lg_ahead_items(shadow, object, ((PyListObject *)object)->ob_item,
                       Py_SIZE(object));
        return;
    case LG_PLAN_TUPLE:
        lg_ahead_items(shadow, object, ((PyTupleObject *)object)->ob_item,
                       Py_SIZE(object));
        return;
    case LG_PLAN_INSTANCE:
        for (uint32_t i = 0; i < info->field_count; i++)
            lg_ahead_slot(
                shadow, object,
                *(PyObject **)((char *)object + info->fields[i].offset));
        if (info->dict_kind != LG_DICT_MANAGED)
            return;
        inlined = lg_inline_values_of(object);
        lg_ahead_items(shadow, object, inlined.values, inlined.count);
        return;
    default:
        return;
    }
}

/** Looks up the type of the object at `node`, if there is one by now. */
static inline void
lg_ahead_look_up(lg_walk *walk, uint32_t node, lg_upcoming *next)
{
    const lg_builder *builder = walk->builder;
    if (node >= builder->node_count ||
        (builder->node_flags[node] & LG_NODE_SYNTHETIC))
        return;
    PyObject *object = (PyObject *)(uintptr_t)builder->address[node];
    *next = (lg_upcoming){node, object, lg_type_lookup(walk, Py_TYPE(object))};
    if (next->info != NULL)
        lg_ahead_parts(next);
}

/** Does what `node` is the time for, and returns what was found out about its
 *  type: NULL if nothing. */
static inline lg_type_info *
lg_ahead_step(lg_ahead *ahead, lg_walk *walk, uint32_t node)
{
    const lg_builder *builder = walk->builder;
    lg_upcoming now = *lg_ahead_at(ahead, node);
    if (node + LG_AHEAD_OBJECT < builder->node_count)
        lg_ahead_object(
            (const char *)(uintptr_t)builder->address[node + LG_AHEAD_OBJECT]);
    lg_ahead_look_up(walk, node + LG_AHEAD_PARTS,
                     lg_ahead_at(ahead, node + LG_AHEAD_PARTS));
    const lg_upcoming *near = lg_ahead_at(ahead, node + LG_AHEAD_SLOTS);
    if (near->node == node + LG_AHEAD_SLOTS && near->info != NULL)
        lg_ahead_slots(&walk->shadow, near);
    return now.node == node ? now.info : NULL;
}

#endif
