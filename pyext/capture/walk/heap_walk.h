/**
 * The walk: the shared state of one capture, and the few operations that every
 * walker uses. Private to this folder.
 *
 * Nodes get their numbers as the walk meets them. A node's edges are appended
 * when its number comes up, so the builder's edge columns fill in order.
 * Nothing here may run Python code, allocate through Python, or write to an
 * object.
 */
#ifndef LEAKGRAPH_HEAP_WALK_H
#define LEAKGRAPH_HEAP_WALK_H

#include "capture/cpython/compat.h" /* first: it decides which of CPython's headers are seen */
#include "capture/cpython/compat_dict.h"
#include "capture/cpython/compat_fields.h"
#include "capture/walk/capture_options.h"
#include "capture/memory/images.h"
#include "capture/memory/address_map.h"
#include "capture/walk/known.h"
#include "capture/walk/type_table.h"
#include <leakgraph/builder.h>

/** Longest name kept, in bytes. */
#define LG_NAME_LIMIT 512

/** A short text that is being written, cut when full. It allocates no memory.
 */
typedef struct lg_name {
    size_t length;
    char data[1024];
} lg_name;

/** A block of the walk's own memory that grows. */
typedef struct lg_scratch {
    void *data;
    size_t size;
} lg_scratch;

/** The edges that tp_traverse reported for the open node and that have no name
 *  yet. */
typedef struct lg_edge_names {
    uint64_t first;
    uint64_t count;
    bool indexed;
    uint32_t mask;
    lg_scratch heads; /**< u32 per bucket: 1 + rank of its first edge */
    lg_scratch links; /**< u32 per edge: 1 + rank of the next in the bucket */
} lg_edge_names;

struct lg_adapter_passes;

/** The collector's lists, and the progress of their enumeration. */
typedef struct lg_tracked {
    PyGC_Head *front; /**< the next from the front; NULL: the list is done */
    PyGC_Head *back;  /**< the next from the back */
    int next_list;
    bool forward;  /**< follow links forward only, not from both ends */
    bool followed; /**< each visited object leads to the next of its list: see
                      chain.h */
    bool done;
    uintptr_t heads; /**< where the lists' own heads begin */
    size_t heads_size;
    lg_scratch
        put_off; /**< u32 nodes whose next object is visited at the end */
    uint32_t put_off_count;
} lg_tracked;

typedef struct lg_walk {
    lg_builder *builder;
    lg_allocator allocator;
    const lg_capture_options *options;
    PyInterpreterState *interpreter;
    bool internal; /**< the internal layouts are as expected */
    lg_address_map address_map;
    lg_type_table types;
    lg_known known;
    lg_tracked tracked;
    lg_images images; /**< only for whole walks with internal layouts */
    lg_edge_names names;
    struct lg_adapter_passes *passes; /**< see adapter_pass.h */
    PyObject *interned; /**< a dict whose references do not count, or NULL */
    lg_scratch sized;   /**< u32 nodes to ask a C __sizeof__ for */
    uint32_t sized_count;
    uint32_t sized_held;      /**< how many of those are held */
    lg_scratch recorded;      /**< u8 per node: which text it has */
    uint32_t thread_count;    /**< nodes 1 to thread_count are threads */
    uint32_t synthetic_count; /**< nodes below this are interpreter, threads,
                                 frames */
    uint32_t walked; /**< nodes below this are done: roots, then others */
    uint32_t looked; /**< nodes below this have types, and all columns if they
                        refer to nothing */
    lg_frame_view calling_frame; /**< the frame that takes the capture, if its
                                    stack is visible */
    double started;              /**< by the monotonic clock, in seconds */
    uint64_t own_before; /**< bytes of leakgraph itself before; this capture
                            uses some of them again */
    uint64_t expected;   /**< expected number of nodes; 0: unknown */
    lg_scratch locals;   /**< u32 nodes: the dicts by thread that
                              threading.local objects keep */
    uint32_t local_count;
    lg_scratch name_tuples; /**< u32 nodes: tuples of the names of variables */
    uint32_t names_count;
    lg_scratch locals_given; /**< u32 nodes: those that threads have */
    uint32_t given_count;
    bool partial;
    bool forked; /**< in a child of the process: no library's code may run */
    lg_scratch depth; /**< partial walks: u8 per node, 1 + hops from the roots;
                         0: do not expand it */
} lg_walk;

/** The node of an object or synthetic address, made if new; the walk fills its
 *  columns later. LG_NONE if memory ran out. The address must not be NULL. */
static inline uint32_t
lg_walk_node(lg_walk *walk, const void *address)
{
    uint32_t *slot = lg_address_map_slot(&walk->address_map, address);
    if (*slot)
        return *slot - 1;
    if (__builtin_expect(walk->address_map.failed, 0)) {
        walk->builder->status = LG_ENOMEM;
        return LG_NONE;
    }
    uint32_t node =
        lg_builder_number_node(walk->builder, (uint64_t)(uintptr_t)address);
    *slot = node + 1;
    return node;
}

/** The same in a walker's loop. No branch depends on whether the node is new,
 *  so the processor need not wait for a slot before it continues with the
 *  next. Hence the arithmetic in place of conditions. */
static inline uint32_t
lg_walk_meet(lg_walk *walk, lg_edge_writer *writer, const void *address)
{
    uint32_t *slot = lg_address_map_slot(&walk->address_map, address);
    uint32_t known = *slot;
    if (known)
        return known - 1;
    writer->address[writer->node] = (uint64_t)(uintptr_t)address;
    writer->node_flags[writer->node] = 0;
    uint32_t mark = ++writer->node;
    *slot = mark;
    return mark - 1;
}

/** Gives the edges of a walker's loop to the builder. */
static inline void
lg_walk_put(lg_walk *walk, const lg_edge_writer *writer)
{
    lg_builder_put(walk->builder, writer);
    if (__builtin_expect(walk->address_map.failed, 0))
        walk->builder->status = LG_ENOMEM;
}

/** An edge of the open node to an object that may be NULL. */
static inline void
lg_walk_edge(lg_walk *walk, PyObject *target, unsigned kind, uint32_t payload)
{
    if (target != NULL)
        lg_builder_add_edge(walk->builder, lg_walk_node(walk, target), kind,
                            payload);
}

/** What a static type keeps outside of its type object. */
static inline lg_type_state
lg_walk_type_state(const lg_walk *walk, PyTypeObject *type)
{
    return lg_type_state_of(walk->internal ? walk->interpreter : NULL, type);
}

/** Zeroed memory that lasts until the end of the walk; NULL if memory ran
 *  out. */
void *lg_walk_keep(lg_walk *walk, size_t size);
/** Grows a scratch block to at least `size` bytes. */
bool lg_walk_scratch(lg_walk *walk, lg_scratch *scratch, size_t size);
void lg_walk_scratch_free(lg_walk *walk, lg_scratch *scratch);
uint32_t lg_walk_intern(lg_walk *walk, const char *name);
/** Releases the memory of the walk, but not the builder. */
void lg_walk_free(lg_walk *walk);
/** The text of a str object as an interned name, read from its memory. */
uint32_t lg_walk_intern_str(lg_walk *walk, PyObject *str);

/** The info of a type that is new; NULL when memory ran out. */
lg_type_info *lg_walk_new_type(lg_walk *walk, PyTypeObject *type);

/** The info of a type; NULL when it was not met yet. */
static inline lg_type_info *
lg_type_lookup(const lg_walk *walk, const PyTypeObject *type)
{
    return lg_type_slot_of(&walk->types, type)->info;
}

/** The info of a type, made if new; NULL when memory ran out. */
static inline lg_type_info *
lg_walk_type(lg_walk *walk, PyTypeObject *type)
{
    lg_type_info *info = lg_type_lookup(walk, type);
    return __builtin_expect(info != NULL, 1) ? info
                                             : lg_walk_new_type(walk, type);
}

/** The info of the object at a node, whose type is known by now; NULL if no
 *  object is there. */
static inline lg_type_info *
lg_walk_info(const lg_walk *walk, uint32_t node)
{
    const lg_builder *builder = walk->builder;
    return builder->node_flags[node] & LG_NODE_SYNTHETIC
               ? NULL
               : walk->types.by_id[builder->type[node]];
}

/** Makes the table; false when memory ran out. */
bool lg_types_open(lg_walk *walk);
/** Fills shape, fields and dict_kind of a type's info; false when memory ran
 *  out. */
bool lg_type_lay_out(lg_walk *walk, lg_type_info *info);
/** Returns whether LG_PLAN_STRUCT suits a type. Probes the type's traverser
 *  once, with an object made of marks, and sorts the fields in the order in
 *  which it reports their words: see probe.c. */
bool lg_probe_struct(lg_type_info *info);
/** The C function behind a library type's __sizeof__, or NULL. */
PyCFunction lg_type_sizeof(lg_walk *walk, PyTypeObject *type);

/* Walkers: append the edges of the open node. */

void lg_walk_list(lg_walk *walk, PyObject *object);
void lg_walk_tuple(lg_walk *walk, PyObject *object);
void lg_walk_dict(lg_walk *walk, PyObject *object);
void lg_walk_set(lg_walk *walk, PyObject *object);
/** An object of LG_PLAN_STRUCT. */
void lg_walk_struct(lg_walk *walk, PyObject *object, const lg_type_info *info);
/** False if the instance needs lg_walk_named. */
bool lg_walk_instance(lg_walk *walk, PyObject *object, lg_type_info *info);
void lg_walk_named(lg_walk *walk, PyObject *object, lg_type_info *info);

/** Name of inline value i of instances of this type. */
uint32_t lg_attribute_name(lg_walk *walk, lg_type_info *info, Py_ssize_t i);
/** Mapping items of a dict or dict subclass, with their names. */
void lg_name_edges_of_items(lg_walk *walk, PyObject *dict);
/** Frame, generator and thread edges. */
void lg_name_edges_of_frame(lg_walk *walk, const lg_frame_view *view);
/** Text `train() train.py:12` of a frame. */
void lg_name_frame(lg_name *name, const lg_frame *frame,
                   const PyCodeObject *code);
/** Text `train.step train.py:10` of a code object. */
void lg_name_code(lg_name *name, const PyCodeObject *code);
void lg_name_edges_of_frame_object(lg_walk *walk, PyObject *object);
void lg_name_edges_of_generator(lg_walk *walk, PyObject *object);
void lg_name_edges_of_type(lg_walk *walk, PyObject *object);
void lg_name_edges_of_code(lg_walk *walk, PyObject *object);

/* Dicts of thread-local data: see thread_locals.c. */

/** Appends edges from the open node, a thread, to its dicts. */
void lg_locals_of_thread(lg_walk *walk, const PyThreadState *thread);
/** Notes in which dict an object of threading.local keeps them. */
void lg_locals_note(lg_walk *walk, PyObject *object, const lg_type_info *info);
/** Call it after the walk. Leaves the threads as the holders of their dicts. */
void lg_locals_finish(lg_walk *walk);

/* Columns of one node. */

uint64_t lg_size_of(lg_walk *walk, PyObject *object, const lg_type_info *info);
/** The bytes that every instance of a type has; 0 if they differ: see
 *  lg_type_info. */
uint32_t lg_fixed_size(const lg_type_info *info);
/** Call it after the walk. Asks the C __sizeof__ of library types for the
 *  instances that need it, of those met since the last call. */
void lg_sizes_finish(lg_walk *walk);
/** Holds those instances until then, because other threads may run
 *  meanwhile. */
void lg_sizes_hold(lg_walk *walk);
/** Releases these references. */
void lg_sizes_release(lg_walk *walk);
/** Writes the name of a type: "torch.Tensor". */
void lg_type_name(PyTypeObject *type, lg_name *out);
/** Call it after the walk. Sets the texts of functions, modules, frames, keys
 *  ... */
void lg_texts_finish(lg_walk *walk);
/** Sets the text of one node now, if it is a key, a name or needs a preview;
 *  again if it turns out to be more than one of these. */
void lg_text_record(lg_walk *walk, uint32_t node);
/** Marks the keys of a namespace as names, and sets their texts. */
void lg_text_record_names(lg_walk *walk, uint32_t dict);
void lg_name_add(lg_name *name, const char *text);
/** Adds an integer in decimal digits. */
void lg_name_add_int(lg_name *name, long long number);
/** Adds a count with thousands separators. */
void lg_name_add_count(lg_name *name, uint64_t count);
void lg_name_addf(lg_name *name, const char *format, ...) LG_PRINTF(2, 3);
/** Adds the text of a str from its memory, as UTF-8, at most `limit` bytes. */
void lg_name_add_str(lg_name *name, PyObject *str, size_t limit);
/** Gives the open node its own text, if its shape has one. */
void lg_name_object(lg_walk *walk, PyObject *object, const lg_type_info *info);

/** Numbers what a walk begins with, and appends the edges of the roots. */
void lg_capture_roots(lg_walk *walk);
/** Does the whole walk while all other threads are stopped: see stopped.c. */
void lg_stopped_walk(lg_walk *walk);

/* The call that takes the capture: see calling_frame.c. */

/** Finds the frame that called for this capture. */
void lg_calling_frame_find(lg_walk *walk);
/** Returns whether an object is on a frame's stack as an argument of that
 *  call. */
bool lg_calling_frame_holds(const lg_walk *walk, const lg_frame_view *view,
                            PyObject *object);
/** Gives every argument its node and counts the call's references to it. */
void lg_calling_frame_note(lg_walk *walk);
/** Returns whether a frame runs leakgraph's own Python code, which is the
 *  observer. */
bool lg_is_own_frame(const lg_frame_view *view);

/* The steps of a capture, for callers that fork between them. */

/** Opens the walk and does everything that may run Python code before it. Call
 *  it with the GIL. On failure there is nothing to free. */
lg_status lg_capture_begin(lg_walk *walk, const lg_capture_options *options,
                           lg_error *err);
/** Walks the heap. Runs no Python code, and changes nothing of Python's.
 *  Allocates from the walk's own memory only and takes no lock. */
lg_status lg_capture_walk(lg_walk *walk, lg_error *err);
/** Makes the graph and takes over the builder, by the same rules, without the
 *  GIL. Free the walk first. */
lg_status lg_capture_end(lg_walk *walk, lg_graph **out, lg_error *err);
/** Frees everything. Call it with the GIL. */
void lg_capture_abandon(lg_walk *walk);

/* Beginning and end. */

/** Numbers the objects that a partial walk starts from. */
void lg_walk_roots_given(lg_walk *walk);
/** Walks every node that is neither done nor synthetic, and those that it
 *  meets. */
void lg_walk_run(lg_walk *walk);
/** Returns whether the self-check allows the internal layouts. */
bool lg_capture_internal(void);

/** Begins to number the objects in the collector's lists: numbers the first of
 *  each list, and all frozen ones. */
void lg_enumerate_begin(lg_walk *walk);
/** Makes sure that there is a node `next`, and some beyond, while objects
 *  without nodes are left. Numbers so few at a time that an object is still in
 *  the cache when the walk visits it, and that its number is close to those of
 *  its referents. */
void lg_enumerate_ahead(lg_walk *walk, uint32_t next, uint32_t beyond);
/** Numbers all by public calls, which run Python code, make a list of all
 *  objects, and cannot see frozen ones. */
lg_status lg_enumerate_public(lg_walk *walk, lg_error *err);
/** Numbers the interpreter, its threads and their frames: the first nodes. */
void lg_roots_open(lg_walk *walk);
/** Appends the edges of these nodes, before any other node is opened. */
void lg_roots_walk(lg_walk *walk);
/** Declares the roots: threads, interpreter, modules, static types. */
void lg_roots_finish(lg_walk *walk);

/** Finds the value of a str key in an exact dict by identity or text, without
 *  hashing; borrowed, NULL if absent. */
PyObject *lg_dict_find(PyObject *dict, const char *key);
/** Returns whether a str has exactly this ASCII text. */
bool lg_str_equals(PyObject *str, const char *text);
/** The value of a named word in an object of that type: borrowed, NULL if the
 *  type has no such word. */
PyObject *lg_named_word(lg_walk *walk, PyObject *object,
                        const lg_type_info *info, const char *name);
/** An instance's attribute by name, from its own storage; borrowed. */
PyObject *lg_instance_find(lg_walk *walk, PyObject *object, const char *name);

/*
 * What the walk asks adapters to do. capture/adapters defines these functions.
 */
/** Notes an instance for the adapter that its type belongs to. */
void lg_pass_instance(lg_walk *walk, uint32_t node, const lg_type_info *info);
/** Lets the adapter name what the open object refers to. */
void lg_pass_visit(lg_walk *walk, PyObject *object, const lg_type_info *info);
/** Notes the adapter that wants instances of a type, and in which role. */
void lg_pass_choose(lg_walk *walk, lg_type_info *info);

/** The results of the self-check. */
extern const void *lg_general_lookup;
extern traverseproc lg_subtype_traverse;
extern destructor lg_subtype_dealloc;

#include "capture/walk/edge_names.h"

#endif
