/**
 * What a walk knows of the types it met. Private to this folder; included by
 * heap_walk.h.
 */
#ifndef LEAKGRAPH_TYPE_TABLE_H
#define LEAKGRAPH_TYPE_TABLE_H

#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct lg__heap_walk lg__heap_walk;
typedef struct lg__name lg__name;

/** How instances of a type are walked. */
typedef enum lg__plan {
    LG__PLAN_ATOM,     /**< no references at all */
    LG__PLAN_LEAF,     /**< a reference to its type alone */
    LG__PLAN_LIST,     /**< exact list */
    LG__PLAN_TUPLE,    /**< exact tuple */
    LG__PLAN_DICT,     /**< exact dict or frozendict */
    LG__PLAN_SET,      /**< exact set or frozenset */
    LG__PLAN_INSTANCE, /**< plain instance of a Python class */
    LG__PLAN_STRUCT,   /**< a struct of CPython's whose words are all known:
                           see shape.c */
    LG__PLAN_NAMED,    /**< tp_traverse, then names for what it reported */
} lg__plan;

/** The cases in which instances of a type have a collector's head. */
typedef enum lg__head {
    LG__HEAD_NONE,
    LG__HEAD_ALWAYS,
    LG__HEAD_ASK, /**< as its tp_is_gc says of each instance */
} lg__head;

/** What a type's instances are in C, beyond their named words. */
typedef enum lg__shape {
    LG__SHAPE_PLAIN,
    LG__SHAPE_LIST,
    LG__SHAPE_TUPLE,
    LG__SHAPE_DICT,
    LG__SHAPE_SET,
    LG__SHAPE_STR,
    LG__SHAPE_INT,
    LG__SHAPE_BYTES,
    LG__SHAPE_TYPE,
    LG__SHAPE_FUNCTION,
    LG__SHAPE_BUILTIN,
    LG__SHAPE_DESCRIPTOR,
    LG__SHAPE_CODE,
    LG__SHAPE_FRAME,
    LG__SHAPE_GENERATOR,
    LG__SHAPE_MODULE,
    LG__SHAPE_WEAKREF,
    LG__SHAPE_DEQUE,
    LG__SHAPE_LRU_CACHE,
    LG__SHAPE_EXCEPTION,
    LG__SHAPE_CONTEXT_VARIABLE,
    LG__SHAPE_HAMT, /**< a node of the mapping in a context */
    LG__SHAPE_TASK,
    LG__SHAPE_LOCAL,    /**< threading.local */
    LG__SHAPE_SENTINEL, /**< from 3.15 on */
    LG__SHAPE_LAZY,     /**< an import that waits for its first use, from 3.15
                             on */
} lg__shape;

/** A named word, its name interned in the builder. */
typedef struct lg__named_field {
    uint32_t offset;
    uint32_t name;
    uint8_t kind;  /**< LG__PLAN_STRUCT: with LG_EDGE_TRAVERSED if reported */
    bool declared; /**< only a declaration of the type names the word */
    bool stale;    /**< the type never clears the word: it is a reference only
                        if the traverser reports it */
} lg__named_field;

/** All that the walk must know of a type, found when it first meets the
 *  type. */
/** Where instances have a number: in an attribute of their namespace, or in a
 *  word of their struct. */
typedef struct lg__number_at {
    const char *name; /**< the type's; NULL: they have none */
    uint32_t offset;  /**< 0: it is in the namespace */
} lg__number_at;

/** A method that bounds a container, and what the reading of its code found:
 *  bounds.c. */
struct lg__bounding_method;

typedef struct lg__type_info {
    PyTypeObject *type;
    uint32_t id;   /**< in the builder's type table */
    uint32_t node; /**< the type object's node */
    uint8_t plan;
    uint8_t shape;
    uint8_t head; /**< whether instances have a collector's head: lg__head */
    bool head_is_sure;  /**< no library allocates instances without a head */
    bool traverse;      /**< instances may be given to tp_traverse */
    bool untracked_too; /**< ... also when the collector does not track them */
    bool has_sizeof;    /**< ask the C __sizeof__ of the library type */
    bool immortal;      /**< instances are static: counts mean nothing */
    bool holds_unseen;  /**< named words are references for sure, although
                             tp_traverse leaves them out up to 3.11 */
    bool is_part;       /**< a part of the program: lg__name_part */
    bool special;       /**< has_sizeof, immortal, a limit, or a type of
                           types */
    bool learns_limit;  /**< instances share no names: the first that has any
                           says where the limit is */
    bool learns_bounds; /**< the first instance looks for methods that bound a
                           container */
    uint8_t adapter;    /**< 1 + index in lg__adapters; 0: none wants it */
    uint8_t adapter_kind;
    uint8_t rest_kind;  /**< lg_edge_kind of unnamed edges; LG_EDGE_REFERENCE:
                           look for the word */
    uint32_t base_size; /**< tp_basicsize, the words before the object, and what
                           malloc has for each instance */
    uint32_t item_size;
    uint32_t fixed_size; /**< the bytes of every instance; 0: they differ */
    uint32_t dict_kind;  /**< LG__DICT_NONE ...: where instances keep it */
    uint32_t field_count;
    lg__named_field *fields;
    uint32_t *attribute_names; /**< [attribute_capacity] inline values' names;
                                    UINT32_MAX: not interned yet */
    uint32_t attribute_capacity;
    lg__number_at limit;    /**< how many elements instances keep at most */
    lg__number_at lifetime; /**< after how many seconds elements leave */
    lg__number_at used;     /**< how much of that is used */
    lg__number_at timers;   /**< their queue of timers */
    struct lg__bounding_method *bounding; /**< [bounding_count] */
    uint32_t bounding_count;
} lg__type_info;

enum {
    LG__DICT_NONE,    /**< instances have none */
    LG__DICT_MANAGED, /**< in words before the object, or inline values */
    LG__DICT_OFFSET,  /**< a word at tp_dictoffset */
};

typedef struct lg__type_slot {
    PyTypeObject *type; /**< NULL: free */
    lg__type_info *info;
} lg__type_slot;

/** The types met so far, by address: a table with open addressing, doubled when
 *  half full, so that there is always room. */
typedef struct lg__type_table {
    lg__type_slot *slots;
    size_t capacity;
    size_t count;
    lg__type_info **by_id; /**< NULL: others have declared the type */
    uint32_t id_capacity;
} lg__type_table;

/** The slot of a type in the table, or the slot where it belongs. */
static inline lg__type_slot *
lg__type_slot_of(const lg__type_table *table, const PyTypeObject *type)
{
    size_t mask = table->capacity - 1;
    size_t i = ((uintptr_t)type >> 4) * 0x9E3779B97F4A7C15u >> 32 & mask;
    while (table->slots[i].type != NULL && table->slots[i].type != type)
        i = (i + 1) & mask;
    return &table->slots[i];
}

/*
 * The functions of type_table.c.
 */

/** The info of a type that is new; NULL when memory ran out. */
lg__type_info *lg__walk_new_type(lg__heap_walk *walk, PyTypeObject *type);
/** Makes the table; false when memory ran out. */
bool lg__types_open(lg__heap_walk *walk);
/** Finds where instances have their limit by the names of an instance. */
void lg__type_learn_limit(lg__type_info *info, PyObject *instance);
/** Writes the name of a type: "torch.Tensor". */
void lg__type_name(const lg__heap_walk *walk, PyTypeObject *type,
                   lg__name *out);

/** Fills shape, fields and dict_kind of a type's info; false when memory ran
 *  out. */
bool lg__type_lay_out(lg__heap_walk *walk, lg__type_info *info);
/** Returns whether LG__PLAN_STRUCT suits a type. Probes the type's traverser
 *  once, with an object made of marks, and sorts the fields in the order in
 *  which it reports their words: see shape.c. */
bool lg__probe_struct(lg__type_info *info);

#endif
