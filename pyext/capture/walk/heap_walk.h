/**
 * The walk: the shared state of one capture, and the few operations that every
 * walker uses.
 *
 * Nodes get their numbers as the walk meets them. A node's edges are appended
 * when its number comes up, so the builder's edge columns fill in order.
 * Nothing here may run Python code, allocate through Python, or write to an
 * object.
 */
#ifndef LEAKGRAPH_HEAP_WALK_H
#define LEAKGRAPH_HEAP_WALK_H

#include "capture/cpython/capture_cpython.h"
#include "capture/common/capture_common.h"
#include "capture/memory/capture_memory.h"
#include "capture/walk/follower.h"
#include "capture/walk/literals.h"
#include "capture/walk/lookup.h"
#include "capture/walk/name.h"
#include "capture/walk/openings.h"
#include "capture/walk/type_table.h"
#include <leakgraph/builder.h>

/** A block of the walk's own memory that grows. */
typedef struct lg__scratch {
    void *data;
    size_t size;
} lg__scratch;

/** The edges that tp_traverse reported for the open node and that have no name
 *  yet. */
typedef struct lg__edge_names {
    uint64_t first;
    uint64_t count;
    bool indexed;
    uint32_t mask;
    lg__scratch heads; /**< u32 per bucket: 1 + rank of its first edge */
    lg__scratch links; /**< u32 per edge: 1 + rank of the next in the bucket */
} lg__edge_names;

struct lg__adapter_passes;

/** The collector's lists, and the progress of their enumeration. */
typedef struct lg__tracked {
    lg__gc_link *front; /**< the next from the front; NULL: the list is done */
    lg__gc_link *back;  /**< the next from the back */
    int next_list;
    bool forward;  /**< follow links forward only, not from both ends */
    bool followed; /**< each visited object leads to the next of its list: see
                      chain.h */
    bool done;
    uintptr_t heads; /**< where the lists' own heads begin */
    size_t heads_size;
    lg__scratch put_off; /**< u32 nodes: visit their next object last */
    uint32_t put_off_count;
} lg__tracked;

typedef struct lg__heap_walk {
    lg_builder *builder;
    lg_allocator allocator;
    const lg__capture_options *options;
    PyInterpreterState *interpreter;
    bool internal; /**< the internal layouts are as expected */
    lg__address_map address_map;
    lg__type_table types;
    lg__known known;
    lg__literals literals;
    lg__common_keys keys;
    lg__seen_pages seen;
    lg__tracked tracked;
    lg__images images; /**< only for whole walks with internal layouts */
    lg__edge_names names;
    struct lg__adapter_passes *passes; /**< see adapter_pass.h */
    PyObject *interned; /**< a dict whose references do not count, or NULL */
    lg__scratch sized;  /**< u32 nodes to ask a C __sizeof__ for */
    uint32_t sized_count;
    uint32_t sized_held;      /**< how many of those are held */
    lg__scratch recorded;     /**< u8 per node: which text it has */
    uint32_t thread_count;    /**< nodes 1 to thread_count are threads */
    uint32_t synthetic_count; /**< nodes below this are interpreter, threads,
                                 frames */
    uint32_t walked; /**< nodes below this are done: roots, then others */
    uint32_t asked;  /**< objects of those below were prefetched: see ahead.h */
    uint32_t looked; /**< those below have types; atoms have all columns */
    lg__openings openings;
    lg__frame_view calling_frame; /**< of this call, if its stack is visible */
    double started;               /**< by the monotonic clock, in seconds */
    uint64_t own_before;          /**< bytes of leakgraph itself before */
    uint64_t expected;            /**< expected number of nodes; 0: unknown */
    lg__scratch locals;           /**< objects of threading.local */
    uint32_t local_count;
    lg__scratch name_tuples; /**< u32 nodes: tuples of the names of variables */
    uint32_t names_count;
    lg__scratch locals_given; /**< dicts of these that threads have */
    uint32_t given_count;
    lg__follower follower;
    bool partial;
    bool forked; /**< in a child of the process: no library's code may run */
    lg__scratch depth; /**< partial walks: u8 per node, 1 + hops from the roots;
                         0: do not expand it */
} lg__heap_walk;

/** The node of an object or synthetic address, made if new; the walk fills its
 *  columns later. LG_NONE if memory ran out. The address must not be NULL. */
static inline uint32_t
lg__walk_node(lg__heap_walk *walk, const void *address)
{
    uint32_t *slot = lg__address_map_slot(&walk->address_map, address);
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

/** The same in a walker's loop: the writer has room for the node. */
static inline uint32_t
lg__walk_meet(lg__heap_walk *walk, lg_edge_writer *writer, const void *address)
{
    uint32_t *slot = lg__address_map_slot(&walk->address_map, address);
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
lg__walk_put(lg__heap_walk *walk, const lg_edge_writer *writer)
{
    lg_builder_put(walk->builder, writer);
    if (__builtin_expect(walk->address_map.failed, 0))
        walk->builder->status = LG_ENOMEM;
}

/** An edge of the open node to an object that may be NULL. */
static inline void
lg__walk_edge(lg__heap_walk *walk, PyObject *target, unsigned kind,
              uint32_t payload)
{
    if (target != NULL)
        lg_builder_add_edge(walk->builder, lg__walk_node(walk, target), kind,
                            payload);
}

/** What a static type keeps outside of its type object. */
static inline lg__type_state
lg__walk_type_state(const lg__heap_walk *walk, PyTypeObject *type)
{
    return lg__type_state_of(walk->internal ? walk->interpreter : NULL, type);
}

/** Zeroed memory that lasts until the end of the walk; NULL if memory ran
 *  out. */
void *lg__walk_keep(lg__heap_walk *walk, size_t size);
/** Grows a scratch block to at least `size` bytes. */
bool lg__walk_scratch(lg__heap_walk *walk, lg__scratch *scratch, size_t size);
void lg__walk_scratch_free(lg__heap_walk *walk, lg__scratch *scratch);
uint32_t lg__walk_intern(lg__heap_walk *walk, const char *name);
/** Releases the memory of the walk, but not the builder. */
void lg__walk_free(lg__heap_walk *walk);
/** The text of a str object as an interned name, read from its memory. */
uint32_t lg__walk_intern_str(lg__heap_walk *walk, PyObject *str);

/** The info of a type that is new; NULL when memory ran out. */
lg__type_info *lg__walk_new_type(lg__heap_walk *walk, PyTypeObject *type);

/** The info of a type; NULL when it was not met yet. */
static inline lg__type_info *
lg__type_lookup(const lg__heap_walk *walk, const PyTypeObject *type)
{
    return lg__type_slot_of(&walk->types, type)->info;
}

/** The info of a type, made if new; NULL when memory ran out. */
static inline lg__type_info *
lg__walk_type_info(lg__heap_walk *walk, PyTypeObject *type)
{
    lg__type_info *info = lg__type_lookup(walk, type);
    return __builtin_expect(info != NULL, 1) ? info
                                             : lg__walk_new_type(walk, type);
}

/** The info of the object at a node, whose type is known by now; NULL if no
 *  object is there. */
static inline lg__type_info *
lg__walk_info(const lg__heap_walk *walk, uint32_t node)
{
    const lg_builder *builder = walk->builder;
    return builder->node_flags[node] & LG_NODE_SYNTHETIC
               ? NULL
               : walk->types.by_id[builder->type[node]];
}

/** Makes the table; false when memory ran out. */
bool lg__types_open(lg__heap_walk *walk);
/** Fills shape, fields and dict_kind of a type's info; false when memory ran
 *  out. */
bool lg__type_lay_out(lg__heap_walk *walk, lg__type_info *info);
/** Returns whether LG__PLAN_STRUCT suits a type. Probes the type's traverser
 *  once, with an object made of marks, and sorts the fields in the order in
 *  which it reports their words: see probe.c. */
bool lg__probe_struct(lg__type_info *info);
/** The C function behind a library type's __sizeof__, or NULL. */
PyCFunction lg__type_sizeof(lg__heap_walk *walk, PyTypeObject *type);

/* Walkers: append the edges of the open node. */

void lg__walk_list(lg__heap_walk *walk, PyObject *object);
void lg__walk_tuple(lg__heap_walk *walk, PyObject *object);
void lg__walk_dict(lg__heap_walk *walk, PyObject *object);
void lg__walk_set(lg__heap_walk *walk, PyObject *object);
/** An object of LG__PLAN_STRUCT. */
void lg__walk_struct(lg__heap_walk *walk, PyObject *object,
                     const lg__type_info *info);
/** False if the instance needs lg__walk_named. */
bool lg__walk_instance(lg__heap_walk *walk, PyObject *object,
                       lg__type_info *info);
void lg__walk_named(lg__heap_walk *walk, PyObject *object, lg__type_info *info);

/** Name of inline value i of instances of this type. */
uint32_t lg__attribute_name(lg__heap_walk *walk, lg__type_info *info,
                            Py_ssize_t i);
/** Mapping items of a dict or dict subclass, with their names. */
void lg__name_edges_of_items(lg__heap_walk *walk, PyObject *dict);
/** Frame, generator and thread edges. */
void lg__name_edges_of_frame(lg__heap_walk *walk, const lg__frame_view *view);
/** Text `train() train.py:12` of a frame. */
void lg__name_frame(lg__name *name, const lg__frame *frame,
                    const PyCodeObject *code);
/** Text `train.step train.py:10` of a code object. */
void lg__name_code(lg__name *name, const PyCodeObject *code);
void lg__name_edges_of_frame_object(lg__heap_walk *walk, PyObject *object);
void lg__name_edges_of_generator(lg__heap_walk *walk, PyObject *object);
void lg__name_edges_of_type(lg__heap_walk *walk, PyObject *object);
void lg__name_edges_of_code(lg__heap_walk *walk, PyObject *object);

/* Dicts of thread-local data: see thread_locals.c. */

/** Appends edges from the open node, a thread, to its dicts. */
void lg__locals_of_thread(lg__heap_walk *walk, const PyThreadState *thread);
/** Notes in which dict an object of threading.local keeps them. */
void lg__locals_note(lg__heap_walk *walk, PyObject *object,
                     const lg__type_info *info);
/** Call it after the walk. Leaves the threads as the holders of their dicts. */
void lg__locals_finish(lg__heap_walk *walk);

/* Columns of one node. */

/** The size of a compact str of ASCII characters, which holds its text. */
static inline size_t
lg__ascii_size(PyObject *str)
{
    return sizeof(PyASCIIObject) + (size_t)PyUnicode_GET_LENGTH(str) + 1;
}

uint64_t lg__object_size(lg__heap_walk *walk, PyObject *object,
                         const lg__type_info *info);
/** The bytes that every instance of a type has; 0 if they differ: see
 *  lg__type_info. */
uint32_t lg__fixed_size(const lg__type_info *info);
/** Call it after the walk. Asks the C __sizeof__ of library types for the
 *  instances that need it, of those met since the last call. */
void lg__sizes_finish(lg__heap_walk *walk);
/** Holds those instances until then: other threads may run meanwhile. */
void lg__sizes_hold(lg__heap_walk *walk);
/** Releases these references. */
void lg__sizes_release(lg__heap_walk *walk);
/** Writes the name of a type: "torch.Tensor". */
void lg__type_name(const lg__heap_walk *walk, PyTypeObject *type,
                   lg__name *out);
/** Call it after the walk. Sets the texts of functions, frames, keys ... */
void lg__texts_finish(lg__heap_walk *walk);
/** Sets the text of a short key or name as the walk looks at it, unless the
 *  follower will: in the end it is out of the cache. Call it for ascending
 *  nodes. */
void lg__text_early(lg__heap_walk *walk, uint32_t node, PyObject *object);
/** The text of a key or name that can be given early, borrowed. False: it
 *  cannot. */
bool lg__text_of_key(const lg__heap_walk *walk, PyObject *object,
                     lg_string *out);
/** Sets the text of one node now, if it is a key, a name or needs a preview;
 *  again if it turns out to be more than one of these. */
void lg__text_record(lg__heap_walk *walk, uint32_t node);
/** Marks the keys of a namespace as names, and sets their texts. */
void lg__text_record_names(lg__heap_walk *walk, uint32_t dict);
/** Writes the name of a part of the program (lg__type_info.is_part); empty if
 *  it has none. */
void lg__name_part(const lg__heap_walk *walk, PyObject *object,
                   const lg__type_info *info, lg__name *out);
/** Gives the open node its own text, if its shape has one and no follower will
 *  give it. */
void lg__name_object(lg__heap_walk *walk, PyObject *object,
                     const lg__type_info *info);

/** Numbers what a walk begins with, and appends the edges of the roots. */
void lg__capture_roots(lg__heap_walk *walk);
/** Does the whole walk while all other threads are stopped: see stopped.c. */
void lg__stopped_walk(lg__heap_walk *walk);

/* The call that takes the capture: see calling_frame.c. */

/** Finds the frame that called for this capture. */
void lg__calling_frame_find(lg__heap_walk *walk);
/** Returns whether an object is on a frame's stack as an argument of that
 *  call. */
bool lg__calling_frame_holds(const lg__heap_walk *walk,
                             const lg__frame_view *view, PyObject *object);
/** Gives every argument its node and counts the call's references to it. */
void lg__calling_frame_note(lg__heap_walk *walk);
/** Returns whether a frame runs leakgraph's own Python code, which is the
 *  observer. */
bool lg__is_own_frame(const lg__frame_view *view);

/* The steps of a capture, for callers that fork between them. */

/** Opens the walk and does everything that may run Python code before it. Call
 *  it with the GIL. On failure there is nothing to free. */
lg_status lg__capture_begin(lg__heap_walk *walk,
                            const lg__capture_options *options, lg_error *err);
/** Walks the heap. Runs no Python code, and changes nothing of Python's.
 *  Allocates from the walk's own memory only and takes no lock that another
 *  thread may hold in a forked child. */
lg_status lg__capture_walk(lg__heap_walk *walk, lg_error *err);
/** Makes the graph and takes over the builder, by the same rules, without the
 *  GIL. Free the walk first. */
lg_status lg__capture_end(lg__heap_walk *walk, lg_graph **out, lg_error *err);
/** Frees everything. Call it with the GIL. */
void lg__capture_abandon(lg__heap_walk *walk);

/* Beginning and end. */

/** Numbers the objects that a partial walk starts from: see partial.h. */
void lg__walk_roots_given(lg__heap_walk *walk);
/** Walks every node that is neither done nor synthetic, and those that it
 *  meets. */
void lg__walk_run(lg__heap_walk *walk);
/** Returns whether the self-check allows the internal layouts. */
bool lg__capture_internal(void);

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
/** Numbers the interpreter, its threads and their frames: the first nodes. */
void lg__roots_open(lg__heap_walk *walk);
/** Appends the edges of these nodes, before any other node is opened. */
void lg__roots_walk(lg__heap_walk *walk);
/** Declares the roots: threads, interpreter, modules, static types. */
void lg__roots_finish(lg__heap_walk *walk);

/** Returns whether a str has exactly this ASCII text. */
bool lg__str_equals(PyObject *str, const char *text);
/** The value of a named word in an object of that type: borrowed, NULL if the
 *  type has no such word. */
PyObject *lg__named_word(lg__heap_walk *walk, PyObject *object,
                         const lg__type_info *info, const char *name);
/** An instance's attribute by name, from its own storage; borrowed. */
PyObject *lg__instance_find(lg__heap_walk *walk, PyObject *object,
                            const char *name);

/*
 * What the walk asks adapters to do. capture/adapters defines these functions.
 */
/** Notes an instance for the adapter that its type belongs to. */
void lg__pass_instance(lg__heap_walk *walk, uint32_t node,
                       const lg__type_info *info);
/** Lets the adapter name what the open object refers to. */
void lg__pass_visit(lg__heap_walk *walk, PyObject *object,
                    const lg__type_info *info);
/** Notes the adapter that wants instances of a type, and in which role. */
void lg__pass_choose(lg__heap_walk *walk, lg__type_info *info);

/** The results of the self-check. */
extern const void *lg__general_lookup;
extern traverseproc lg__subtype_traverse;
extern destructor lg__subtype_dealloc;

#include "capture/walk/edge_names.h"

#endif
