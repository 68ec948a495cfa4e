/**
 * The state of a walk, and the few operations by which walkers give it what
 * they find: nodes, edges, names, and memory that lasts as long as the walk.
 * All files of the room use it, and it uses none of them.
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
#include "capture/walk/lookup.h"
#include "capture/walk/type_table.h"
#include <leakgraph/base.h>
#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>

#include <stdint.h>
#include <string.h>

/** A node that the walk will open. */
typedef struct lg__opening {
    uint32_t node;
    lg__type_info *info;
} lg__opening;

/** Ascending nodes, in a ring that has room for all that are prepared at a
 *  time: see ahead.h. */
typedef struct lg__openings {
    lg__opening ring[64];
    uint32_t first;  /**< rank of the next that the walk opens */
    uint32_t traced; /**< slots of the referents of those below were
                        prefetched */
    uint32_t count;  /**< rank of the next that is added */
} lg__openings;

/** The opening of a rank that is in the ring. */
static inline lg__opening *
lg__opening_at(lg__openings *openings, uint32_t rank)
{
    enum { ROOM = sizeof openings->ring / sizeof *openings->ring };
    return &openings->ring[rank % ROOM];
}

static inline void
lg__opening_add(lg__openings *openings, uint32_t node, lg__type_info *info)
{
    *lg__opening_at(openings, openings->count++) = (lg__opening){node, info};
}

/* A short text that is being written. */

/** A flag of nodes, during a walk only: a tuple of the names of variables. */
enum { LG__NODE_VARIABLES = 1 << 13 };

/** Longest name kept, in bytes. */
#define LG__NAME_LIMIT 512

/** A short text that is being written, cut when full. It allocates no memory.
 */
typedef struct lg__name {
    size_t length;
    char data[1024];
} lg__name;

static inline void
lg__name_add_bytes(lg__name *name, const char *bytes, size_t length)
{
    size_t room = sizeof name->data - name->length;
    if (__builtin_expect(length > room, 0))
        length = room;
    memcpy(name->data + name->length, bytes, length);
    name->length += length;
}

/** Adds a text. It is inline because most are literals of a few characters. */
static inline void
lg__name_add(lg__name *name, const char *text)
{
    lg__name_add_bytes(name, text, strlen(text));
}

/** Adds an integer in decimal digits. */
void lg__name_add_int(lg__name *name, long long number);
void lg__name_addf(lg__name *name, const char *format, ...) LG_PRINTF(2, 3);
/** The same from a character on. */
void lg__name_add_str_from(lg__name *name, PyObject *str, Py_ssize_t start,
                           size_t limit);
/** Adds the text of a str from its memory, as UTF-8: at most `limit` bytes of
 *  it, and an ellipsis behind them if that is not all. */
void lg__name_add_str(lg__name *name, PyObject *str, size_t limit);

/** A block of the walk's own memory that grows. */
typedef struct lg__scratch {
    void *data;
    size_t size;
} lg__scratch;

/** Pages on which the capture has found objects, by their numbers; 0: none. An
 *  object does not go away during the walk, and so its page does not either. */
typedef struct lg__seen_pages {
    uintptr_t page[64];
} lg__seen_pages;

enum { LG__LITERAL_BITS = 7 };

/** Names that are written in the program: the last at each place, and its
 *  string. */
typedef struct lg__literals {
    const char *text[1 << LG__LITERAL_BITS];
    uint32_t id[1 << LG__LITERAL_BITS];
} lg__literals;

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
                      collector_lists.h */
    bool done;
    uintptr_t heads; /**< where the lists' own heads begin */
    size_t heads_size;
    lg__scratch put_off; /**< u32 nodes: visit their next object last */
    uint32_t put_off_count;
} lg__tracked;

/** A call f(*args, **kwargs) that takes the capture, or is inside one that
 * does: see running.c. */
typedef struct lg__own_call {
    const lg__slot *slots; /**< of the frame that calls */
    PyObject *tuple;
    PyObject *dict;    /**< NULL: there is none */
    bool owns_tuple;   /**< the stack owns its reference to the tuple */
    bool passes_tuple; /**< the walk passes over the tuple */
    bool passes_dict;
    bool in_array;   /**< C code refers to all arguments once more */
    PyObject *names; /**< of the keywords; the walk passes over it; or NULL */
    bool is_innermost;
    bool is_own_frame; /**< leakgraph calls, not the program */
} lg__own_call;

/** The most such calls that a capture knows. */
enum { LG__OWN_CALLS = 8 };

typedef struct lg__heap_walk lg__heap_walk;

/** What the walk asks those who know libraries. Each type is chosen once, when
 *  the walk meets it and before it looks at any instance, since how it walks
 *  them depends on that. Then `visit` and `instance` come once for each
 * instance of a wanted type, in the order of nodes: `visit` while the node is
 * open and its edges have no names yet, `instance` when all have. A partial
 * walk calls only `instance` for a node that it does not enter. */
typedef struct lg__walk_hooks {
    /** Notes who wants instances of a new type, and in which role. */
    void (*choose)(lg__heap_walk *walk, lg__type_info *info);
    /** Notes an instance for whoever wants its type. */
    void (*instance)(lg__heap_walk *walk, uint32_t node,
                     const lg__type_info *info);
    /** Lets whoever wants its type name what the open object refers to. */
    void (*visit)(lg__heap_walk *walk, PyObject *object,
                  const lg__type_info *info);
} lg__walk_hooks;

/** Code of methods and properties, in classes of a module, that knows the time,
 *  by their names. */
typedef struct lg__timely_names {
    const PyObject *globals;
    uint32_t count;
    PyObject *name[32];
    const PyCodeObject *code[32]; /**< NULL: several classes have that name */
} lg__timely_names;

struct lg__heap_walk {
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
    const lg__walk_hooks *hooks;
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
    lg__own_call own_calls[LG__OWN_CALLS]; /**< the innermost first */
    uint32_t own_call_count;
    PyObject *forwarder; /**< what the calling frame calls or asks for items,
                              and passes the call on to leakgraph, if its
                              stack is hidden; or NULL */
    uint32_t forwarder_held; /**< references of the call to it */
    double started;          /**< by the monotonic clock, in seconds */
    uint64_t own_before;     /**< lg__own_pages_bytes before */
    uint64_t expected;       /**< expected number of nodes; 0: unknown */
    lg__scratch locals;      /**< objects of threading.local */
    uint32_t local_count;
    lg__scratch name_tuples; /**< u32 nodes: tuples of the names of variables */
    uint32_t names_count;
    lg__scratch locals_given; /**< dicts of these that threads have */
    uint32_t given_count;
    uint32_t limits; /**< instances whose limit is noted, or was looked for */
    Py_ssize_t timers_read;      /**< of queues of timers */
    lg__timely_names timely[16]; /**< of some modules */
    uint32_t modules_read;       /**< to find these */
    const PyObject *code_file;   /**< of the code that was read last */
    bool code_is_own;            /**< it is not in a folder of libraries */
    uint32_t bounds_asked; /**< instances whose containers code may bound */
    uint32_t bounded_count;
    uint32_t bounded[1 << 10]; /**< nodes of containers that code bounds */
    const PyCodeObject *waiting[1 << 6]; /**< code that runs, and sleeps */
    uint32_t waiting_count;
    lg__scratch own_codes; /**< the program's own code objects */
    uint32_t own_code_count;
    uint32_t codes_read; /**< how often */
    lg__scratch filled;  /**< containers that code bounds by adding no more */
    uint32_t filled_count;
    lg__follower follower;
    bool partial;
    bool forked; /**< in a child of the process: no library's code may run */
    lg__scratch depth; /**< partial walks: u8 per node, 1 + hops from the roots;
                         0: do not expand it */
};

/** The node of an object or synthetic address, made if new; the walk fills its
 *  columns later. LG_NONE, and no new number, if memory ran out
 *  before. The address must not be NULL. */
static inline uint32_t
lg__walk_node(lg__heap_walk *walk, const void *address)
{
    const lg__address_place place =
        lg__address_map_place(&walk->address_map, address);
    const uint32_t known = lg__address_place_mark(place);
    if (known)
        return known - 1;
    if (__builtin_expect(walk->address_map.failed, 0)) {
        walk->builder->status = LG_ENOMEM;
        return LG_NONE;
    }
    uint32_t node =
        lg_builder_number_node(walk->builder, (uint64_t)(uintptr_t)address);
    if (node != LG_NONE)
        lg__address_map_set(&walk->address_map, place, address, node + 1);
    if (__builtin_expect(walk->address_map.failed, 0))
        walk->builder->status = LG_ENOMEM;
    return node;
}

/** The same in a walker's loop: the writer has room for the node. Always
 *  inline, for the sake of that loop. */
static inline __attribute__((always_inline)) uint32_t
lg__walk_meet(lg__heap_walk *walk, lg_edge_writer *writer, const void *address)
{
    const lg__address_place place =
        lg__address_map_place(&walk->address_map, address);
    const uint32_t known = lg__address_place_mark(place);
    if (known)
        return known - 1;
    const uint32_t node =
        lg_edge_writer_number(writer, (uint64_t)(uintptr_t)address);
    lg__address_map_set(&walk->address_map, place, address, node + 1);
    return node;
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
        lg_builder_append_edge(walk->builder, lg__walk_node(walk, target), kind,
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
/** Does the same for a text that never changes, such as "__mro__", without
 *  hashing it again for each of thousands of types and code objects. */
uint32_t lg__walk_intern_literal(lg__heap_walk *walk, const char *literal);
/** The text of a str object as an interned name, read from its memory. */
uint32_t lg__walk_intern_str(lg__heap_walk *walk, PyObject *str);

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
    return lg_builder_flags(builder, node) & LG_NODE_SYNTHETIC
               ? NULL
               : walk->types.by_id[lg_builder_type(builder, node)];
}

#endif
