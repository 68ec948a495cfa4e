/**
 * What a walk knows of the types it met. Private to this folder; included by
 * heap_walk.h.
 */
#ifndef LEAKGRAPH_TYPE_TABLE_H
#define LEAKGRAPH_TYPE_TABLE_H

#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

/** How instances of a type are walked. */
typedef enum lg_plan {
    LG_PLAN_ATOM,     /**< no references at all */
    LG_PLAN_LEAF,     /**< a reference to its type alone */
    LG_PLAN_LIST,     /**< exact list */
    LG_PLAN_TUPLE,    /**< exact tuple */
    LG_PLAN_DICT,     /**< exact dict */
    LG_PLAN_SET,      /**< exact set or frozenset */
    LG_PLAN_INSTANCE, /**< plain instance of a Python class */
    LG_PLAN_STRUCT,   /**< a struct of CPython's whose words are all known:
                           see probe.c */
    LG_PLAN_NAMED,    /**< tp_traverse, then names for what it reported */
} lg_plan;

/** The cases in which instances of a type have a collector's head. */
typedef enum lg_head {
    LG_HEAD_NONE,
    LG_HEAD_ALWAYS,
    LG_HEAD_ASK, /**< as its tp_is_gc says of each instance */
} lg_head;

/** What a type's instances are in C, beyond their named words. */
typedef enum lg_shape {
    LG_SHAPE_PLAIN,
    LG_SHAPE_LIST,
    LG_SHAPE_TUPLE,
    LG_SHAPE_DICT,
    LG_SHAPE_SET,
    LG_SHAPE_STR,
    LG_SHAPE_INT,
    LG_SHAPE_BYTES,
    LG_SHAPE_TYPE,
    LG_SHAPE_FUNCTION,
    LG_SHAPE_BUILTIN,
    LG_SHAPE_DESCRIPTOR,
    LG_SHAPE_CODE,
    LG_SHAPE_FRAME,
    LG_SHAPE_GENERATOR,
    LG_SHAPE_MODULE,
    LG_SHAPE_WEAKREF,
    LG_SHAPE_DEQUE,
    LG_SHAPE_LRU_CACHE,
    LG_SHAPE_EXCEPTION,
    LG_SHAPE_CONTEXT_VARIABLE,
    LG_SHAPE_HAMT, /**< a node of the mapping in a context */
    LG_SHAPE_TASK,
    LG_SHAPE_LOCAL, /**< threading.local */
} lg_shape;

/** A named word, its name interned in the builder. */
typedef struct lg_named_field {
    uint32_t offset;
    uint32_t name;
    uint8_t kind;  /**< LG_PLAN_STRUCT: with LG_EDGE_TRAVERSED if reported */
    bool declared; /**< only a declaration of the type names the word */
} lg_named_field;

/** All that the walk must know of a type, found when it first meets the
 *  type. */
typedef struct lg_type_info {
    PyTypeObject *type;
    uint32_t id;   /**< in the builder's type table */
    uint32_t node; /**< the type object's node */
    uint8_t plan;
    uint8_t shape;
    uint8_t head; /**< whether instances have a collector's head: lg_head */
    bool head_is_sure;  /**< no library allocates instances without a head */
    bool traverse;      /**< instances may be given to tp_traverse */
    bool untracked_too; /**< ... also when the collector does not track them */
    bool has_sizeof;    /**< ask the C __sizeof__ of the library type */
    bool immortal;      /**< instances are static: counts mean nothing */
    bool special;       /**< has_sizeof, immortal, or a type of types */
    uint8_t adapter;    /**< 1 + index in lg_adapters; 0: none wants it */
    uint8_t adapter_kind;
    uint8_t rest_kind;  /**< lg_edge_kind of unnamed edges; LG_EDGE_REFERENCE:
                           look for the word */
    uint32_t base_size; /**< tp_basicsize and the words before the object */
    uint32_t item_size;
    uint32_t fixed_size; /**< the bytes of every instance; 0: they differ */
    uint32_t dict_kind;  /**< where instances keep their dict: lg_dict_kind */
    uint32_t field_count;
    lg_named_field *fields;
    uint32_t *attribute_names; /**< [attribute_capacity] inline values' names;
                                    UINT32_MAX: not interned yet */
    uint32_t attribute_capacity;
} lg_type_info;

enum {
    LG_DICT_NONE,    /**< instances have none */
    LG_DICT_MANAGED, /**< in words before the object, or inline values */
    LG_DICT_OFFSET,  /**< a word at tp_dictoffset */
};

typedef struct lg_type_slot {
    PyTypeObject *type; /**< NULL: free */
    lg_type_info *info;
} lg_type_slot;

/** The types met so far, by address: a table with open addressing, doubled when
 *  half full, so that there is always room. */
typedef struct lg_type_table {
    lg_type_slot *slots;
    size_t capacity;
    size_t count;
    lg_type_info **by_id; /**< NULL: others have declared the type */
    uint32_t id_capacity;
} lg_type_table;

/** The slot of a type in the table, or the slot where it belongs. */
static inline lg_type_slot *
lg_type_slot_of(const lg_type_table *table, const PyTypeObject *type)
{
    size_t mask = table->capacity - 1;
    size_t i = ((uintptr_t)type >> 4) * 0x9E3779B97F4A7C15u >> 32 & mask;
    while (table->slots[i].type != NULL && table->slots[i].type != type)
        i = (i + 1) & mask;
    return &table->slots[i];
}

#endif
