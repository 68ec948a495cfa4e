/**
 * Prefetches what the walk will read, some nodes ahead: objects, then what
 * their types keep elsewhere, then the slots of their referents. Each step
 * reads only what an earlier step has brought into the cache. Included by
 * heap_walk.c, follower.c and key.c alone.
 */
#ifndef LEAKGRAPH_AHEAD_H
#define LEAKGRAPH_AHEAD_H

#include "capture/walk/heap_walk.h"

/** How many nodes behind a block the walk prefetches an object's slots, its
 *  parts, and the object itself. */
enum { LG__AHEAD_SLOTS = 8, LG__AHEAD_PARTS = 16, LG__AHEAD_OBJECT = 32 };

/** Returns the index up to which nodes are prefetched: `ahead` past `end`, at
 *  most `count`. */
static inline uint32_t
lg__ahead_end(uint32_t end, uint32_t ahead, uint32_t count)
{
    return count - end > ahead ? end + ahead : count;
}

/** Prefetches two cache lines: the collector's head before an object, the
 *  object, and what of it lies in the line of the text of an ASCII str. */
static inline void
lg__ahead_object(const char *object)
{
    lg__prefetch(object - sizeof(lg__gc_link));
    lg__prefetch(object + 3 * sizeof(PyObject));
}

/** Prefetches the memory that a walker will read second. */
static inline void
lg__ahead_parts(PyObject *object, const lg__type_info *info)
{
    switch ((lg__plan)info->plan) {
    case LG__PLAN_LIST:
        lg__prefetch(((PyListObject *)object)->ob_item);
        return;
    case LG__PLAN_DICT:
        lg__prefetch(((PyDictObject *)object)->ma_keys);
        return;
    case LG__PLAN_INSTANCE:
        lg__prefetch((const char *)object + 64);
        if (info->dict_kind == LG__DICT_MANAGED)
            lg__prefetch(lg__managed_word(object));
        return;
    case LG__PLAN_STRUCT: /* functions and code have structs of several lines */
    case LG__PLAN_NAMED:
        lg__prefetch((const char *)object + 64);
        lg__prefetch((const char *)object + 128);
        if (info->shape == LG__SHAPE_BUILTIN)
            lg__prefetch(((const PyCFunctionObject *)object)->m_ml);
        return;
    default:
        return;
    }
}

/** Prefetches the slot of a referent. Nearby referents need none: the slots are
 *  in the cache since the walk visited their neighbours. */
static inline void
lg__ahead_slot(const lg__address_map *address_map, const PyObject *object,
               const PyObject *target)
{
    enum { NEAR = 1 << 10 };
    if ((uintptr_t)target - (uintptr_t)object + NEAR > 2 * NEAR)
        lg__address_map_prefetch(address_map, target);
}

/** Prefetches the slots of a container's first items; few have more. */
static inline void
lg__ahead_items(const lg__address_map *address_map, const PyObject *object,
                PyObject *const *items, Py_ssize_t count)
{
    enum { MOST = 6 };
    for (Py_ssize_t i = 0; i < count && i < MOST; i++)
        lg__ahead_slot(address_map, object, items[i]);
}

/** Prefetches the slots of what an object's own fields refer to. */
static inline void
lg__ahead_fields(const lg__address_map *address_map, PyObject *object,
                 const lg__type_info *info)
{
    for (uint32_t i = 0; i < info->field_count; i++)
        lg__address_map_prefetch(
            address_map,
            *(PyObject **)((char *)object + info->fields[i].offset));
}

/** Prefetches a str with the beginning of its text. */
static inline void
lg__ahead_str(const PyObject *str)
{
    lg__prefetch(str);
    lg__prefetch((const char *)str + 64);
}

static inline void
lg__ahead_builtin(const PyCFunctionObject *function)
{
    if (function->m_ml != NULL)
        lg__prefetch(function->m_ml->ml_name);
}

static inline void
lg__ahead_type(const PyTypeObject *type)
{
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE))
        return;
    lg__prefetch(type->tp_dict);
    lg__ahead_str(((const PyHeapTypeObject *)type)->ht_qualname);
}

/** Prefetches what the text of a part of the program is made of. */
static inline void
lg__ahead_name(const PyObject *object, const lg__type_info *info)
{
    if (info->shape == LG__SHAPE_FUNCTION)
        lg__ahead_str(((const PyFunctionObject *)object)->func_qualname);
    else if (info->shape == LG__SHAPE_CODE)
        lg__ahead_str(lg__code_qualified_name((const PyCodeObject *)object));
    else if (info->shape == LG__SHAPE_DESCRIPTOR)
        lg__ahead_str(((const PyDescrObject *)object)->d_name);
    else if (info->shape == LG__SHAPE_BUILTIN)
        lg__ahead_builtin((const PyCFunctionObject *)object);
    else if (info->shape == LG__SHAPE_TYPE)
        lg__ahead_type((const PyTypeObject *)object);
}

/** Prefetches the slot of the next object in the collector's list. */
static inline void
lg__ahead_next(const lg__address_map *address_map, const PyObject *object)
{
    const lg__gc_link *head = (const lg__gc_link *)object - 1;
    lg__ahead_slot(address_map, object,
                   (const PyObject *)(lg__gc_next(head) + 1));
}

static inline void
lg__ahead_slots(const lg__heap_walk *walk, const lg__opening *opening)
{
    const lg__type_info *info = opening->info;
    const lg__address_map *address_map = &walk->address_map;
    PyObject *object =
        (PyObject *)(uintptr_t)lg_builder_address(walk->builder, opening->node);
    lg__inline_values inlined;
    if (info->head == LG__HEAD_ALWAYS)
        lg__ahead_next(address_map, object);
    switch ((lg__plan)info->plan) {
    case LG__PLAN_LIST:
        lg__ahead_items(address_map, object, ((PyListObject *)object)->ob_item,
                        Py_SIZE(object));
        return;
    case LG__PLAN_TUPLE:
        lg__ahead_items(address_map, object, ((PyTupleObject *)object)->ob_item,
                        Py_SIZE(object));
        return;
    case LG__PLAN_DICT: {
        const lg__dict_keys *keys = ((PyDictObject *)object)->ma_keys;
        if (keys == NULL)
            return;
        lg__dict_table table = lg__dict_table_of(keys, lg__general_lookup);
        lg__prefetch(table.base);
        lg__prefetch(table.base + 64);
        lg__prefetch(table.base + 128);
        return;
    }
    case LG__PLAN_INSTANCE:
        lg__ahead_fields(address_map, object, info);
        if (info->dict_kind != LG__DICT_MANAGED)
            return;
        inlined = lg__inline_values_of(object);
        lg__ahead_items(address_map, object, inlined.values, inlined.count);
        return;
    case LG__PLAN_STRUCT:
    case LG__PLAN_NAMED:
        lg__ahead_name(object, info);
        lg__ahead_fields(address_map, object, info);
        return;
    default:
        return;
    }
}

#endif
