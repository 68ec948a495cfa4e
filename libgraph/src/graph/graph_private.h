/**
 * The private layout of a graph: arrays, the same in memory and in a file, and
 * indexes that are made when first used. Also walks over the folded graph, and
 * names.
 */
#ifndef LEAKGRAPH_GRAPH_PRIVATE_H
#define LEAKGRAPH_GRAPH_PRIVATE_H

#include <stdatomic.h>

#include <leakgraph/internal/growth.h>
#include <leakgraph/internal/lock.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/segments.h>

#include "base/base_private.h"
#include "graph/arrays.h"
#include "graph/compact.h"
#include "graph/fold.h"
#include "graph/payload_coder.h"
#include "graph/reverse.h"
#include "graph/shapes.h"
#include "graph/short_columns.h"
#include "graph/spent.h"
#include "graph/texts.h"

// Files contain these structs, so their sizes never change.
_Static_assert(sizeof(lg_segment) == 40, "a segment is 40 bytes");
_Static_assert(sizeof(lg_block) == 40, "a block is 40 bytes");

/** Traits of a type that its category does not tell. */
typedef enum lg__role {
    LG__ROLE_NONE = 0,
    LG__ROLE_CELL,
    LG__ROLE_TUPLE,
    LG__ROLE_FUNCTION,
    LG__ROLE_STR,
    LG__ROLE_SUSPENDED,  /**< generator, coroutine, task */
    LG__ROLE_SIZED,      /**< a container whose elements people count */
    LG__ROLE_WRAPPER,    /**< it calls a function that it refers to: a method, a
                              functools.partial, a property */
    LG__ROLE_DESCRIPTOR, /**< C code or `__slots__` give it to a class, and it
                              never changes */
    LG__ROLE_CONTEXT,    /**< a context's mapping of variables to values */
    LG__ROLE_CONTEXT_NODE, /**< a node of such a mapping, which has some of its
                                values: no program sees it */
} lg__role;

typedef struct lg__trait {
    uint8_t category; /**< lg_category */
    uint8_t role;     /**< lg__role */
    uint8_t parted;   /**< number of its lg__block_parts; 0: one block */
} lg__trait;

/** A folded buffer, and its only holder. */
typedef struct lg__folded_buffer {
    uint32_t holder;
    uint32_t buffer;
} lg__folded_buffer;

/** Indexes that the graph makes when first used, and keeps. The thread that
 *  makes one sets the flag, under the lock, when the index is complete. Without
 *  the flag, do not read the index: a fork may have left it incomplete in the
 *  child. */
typedef struct lg__lazy {
    lg_lock lock;
    atomic_bool has_reverse;
    lg__reverse reverse;
    atomic_bool has_folds;
    lg__folds folds;
    lg__vector buffers; /**< lg__folded_buffer, sorted by holder; made with
                             folds */
    uint8_t *frozen; /**< [type] see lg__attribute_is_frozen; made with folds */
    atomic_bool has_by_address;
    uint32_t *by_address;
    uint32_t by_address_count;
    atomic_bool has_paths;
    lg__compact path_before; /**< [node] see lg__roottree */
    uint32_t *path_root;
    atomic_bool has_texts;
    lg__marked_block *texts; /**< [node_count / 64 + 1] */
    atomic_bool has_late;
    uint8_t *late;     /**< [node] see lg__late_find; NULL: 0 for all */
    atomic_uint asked; /**< number of searches by address without an index */
} lg__lazy;

struct lg_graph {
    lg_columns columns;
    const lg_graph *whole; /**< the graph whose in-edges this one shares, or
                                NULL */

    uint32_t string_count;
    const uint64_t *string_offset; /**< [string_count + 1]; NULL: see
                                        lg__string_begin */
    lg__compact string_place;
    const char *string_bytes;

    uint32_t text_count;
    const uint32_t *text_node; /**< ascending; NULL: see lg__graph_texts */
    const uint32_t *text_string;

    uint32_t big_count;
    const uint32_t *big_node; /**< ascending */
    const uint64_t *big_size;

    uint32_t type_count;
    const uint32_t *type_name;
    const uint32_t *type_node;
    const uint32_t *type_first_base; /**< [type_count + 1] */
    const uint32_t *type_base;
    lg__trait *type_trait;

    uint32_t root_count;
    const uint32_t *root_node;
    const uint8_t *root_kind;
    const uint32_t *root_name;

    uint32_t info_count;
    const uint32_t *info_key;
    const uint32_t *info_value;

    uint32_t device_count;
    const uint32_t *device_name; /**< string ids, from device 1 on */
    uint32_t placed_count;
    const uint32_t *device_node; /**< ascending: nodes whose bytes are not on
                                      the host */
    const uint32_t *device_id;

    uint32_t fact_count;
    const uint32_t *fact_node; /**< ascending; facts of one node by key */
    const uint32_t *fact_key;  /**< string ids; a node has each key once */
    const uint32_t *fact_value;

    uint32_t segment_count;
    const lg_segment *segment; /**< sorted by device and address */
    uint32_t block_count;
    const lg_block *block; /**< sorted by device and address */

    uint32_t equal_count;
    const uint32_t *equal_node;  /**< ascending: nodes with the same contents
                                      as another node */
    const uint32_t *equal_group; /**< below equal_count */

    bool partial;
    uint64_t checksum; /**< checksum of its file; 0: it has none */

    /** A narrow column has its low parts here, without `data`. */
    lg__array array[LG__ARRAY_COUNT];
    lg__array beside[LG_NARROW_COUNT]; /**< what narrow columns have besides */
    lg_allocator allocator;
    void *map; /**< the mapped file, or NULL */
    size_t map_size;
    lg__lazy *lazy;
};

/** Where a string begins among the bytes of all, or the last one ends. */
static inline uint64_t
lg__string_begin(const lg_graph *graph, uint32_t id)
{
    return graph->string_offset != NULL
               ? graph->string_offset[id]
               : lg__compact_at(&graph->string_place, id);
}

/** Asks for that ahead. */
static inline void
lg__string_ahead(const lg_graph *graph, uint32_t id)
{
    if (graph->string_offset != NULL)
        __builtin_prefetch(graph->string_offset + id);
    else
        __builtin_prefetch(lg__compact_distance(&graph->string_place, id));
}

/** Hands a vector's block over to an array. */
lg__array lg__vector_take(lg__vector *vector);

/** Makes a graph without arrays. Takes the allocator over, also on failure. */
lg_status lg__graph_new(const lg_allocator *allocator, lg_graph **out,
                        lg_error *err);

/** Makes a column of addresses, sizes or counts narrow if the graph owns it and
 *  it suits, also before the graph is bound. Returns false when memory ran out;
 *  the column is whole then. */
bool lg__column_narrow(lg_graph *graph, lg_narrow_name name);

/** Sets the typed pointers from the arrays, and makes columns narrow that the
 *  graph owns. Fails if the counts of arrays disagree. */
lg_status lg__graph_bind(lg_graph *graph, lg_error *err);

/** The array that each narrow column has its low parts in. */
extern const enum lg__array_name lg__narrow_arrays[LG_NARROW_COUNT];

/** Bytes of an element in memory, which may be fewer than in a file. */
size_t lg__element_in_memory(enum lg__array_name name);

/** A larger share of large numbers makes a column wide. */
enum { LG__LISTED_SHARE = 8 };

/** The least number that has no element of its own in a narrow column. */
static inline uint32_t
lg__narrow_limit(size_t width)
{
    return (1U << 8 * width) - 2;
}

/** Gives a narrow column the list of its large numbers, which the caller fills:
 *  `listed` nodes, then their numbers. Returns false when memory ran out. */
bool lg__narrow_list(const lg_allocator *allocator, size_t listed,
                     lg_narrow *column, lg__array *beside);

/** A column that has its form before its graph is there. */
typedef struct lg__made_column {
    lg__array array;
    lg__array beside;
    lg_narrow numbers;
    lg_addresses addresses;
} lg__made_column;

/** Hands such a column over to a graph that has none of that name, but knows
 *  the number of its elements. */
void lg__column_give(lg_graph *graph, lg_narrow_name name,
                     const lg__made_column *made);

/** Hands payloads over to a graph that has none. */
void lg__payloads_give(lg_graph *graph, const lg__payload_arrays *made);

/** Gives back all but the first bytes of an array's block, which are no
 *  elements as files have them. Returns false when memory ran out. */
static inline bool
lg__array_keep_front(lg_graph *graph, lg__array *array, size_t size)
{
    lg__vector block = {array->owned, size, array->owned_size, 1};
    lg__vector_trim(&graph->allocator, &block);
    *array = (lg__array){NULL, array->count, block.data, block.capacity};
    return block.capacity == size;
}

/** How many elements to copy at a time where there is no memory but the stack.
 */
enum { LG__COPY_ELEMENTS = 1 << 11 };
/** Copies `count` elements of an array, from one on, as files have them. */
void lg__array_copy(const lg_graph *graph, enum lg__array_name name,
                    uint64_t from, uint64_t count, void *to);
/** Copies all elements of an array, as graphs have them that are not bound. */
void lg__array_copy_all(const lg_graph *graph, enum lg__array_name name,
                        void *to);

/** Derives from checked arrays the traits of types, the patterns of payloads,
 *  and whether the graph is partial. Makes columns compact that the graph
 *  owns. */
lg_status lg__graph_settle(lg_graph *graph, lg_error *err);

/** The parts of lg_graph_check. */
lg_status lg__check_edges(const lg_graph *graph, lg_error *err);
/** The part of lg__check_edges that reads no edge. */
lg_status lg__check_first_edges(const lg_columns *columns, lg_error *err);

/** The rules for edges of one kind. */
typedef struct lg__edge_rule {
    uint64_t limit;   /**< every label is below it; 0: there is no such kind */
    uint32_t added;   /**< added to a label before it is compared */
    uint32_t counted; /**< 1: the target counts each of them */
} lg__edge_rule;

/** The rules of all kinds, indexed by the kind's byte. */
typedef struct lg__edge_rules {
    uint32_t nodes;
    lg__edge_rule of[UINT8_MAX + 1];
} lg__edge_rules;

lg__edge_rules lg__edge_rules_of(uint32_t nodes, uint32_t strings);

static inline bool
lg__edge_is_sound(const lg__edge_rules *rules, uint32_t target, unsigned kind,
                  uint32_t payload)
{
    const lg__edge_rule *rule = &rules->of[kind];
    return target < rules->nodes &&
           (uint32_t)(payload + rule->added) < rule->limit;
}

/** Describes the fault of an unsound edge. */
lg_status lg__edge_failed(const lg__edge_rules *rules, uint64_t edge,
                          uint32_t target, unsigned kind, lg_error *err);

lg_status lg__check_tables(const lg_graph *graph, lg_error *err);
lg_status lg__check_strings(const lg_graph *graph, lg_error *err);

/** Returns whether a fact with this key may contain the user's text. */
bool lg__fact_is_users(lg_string key);

/** Returns the traits of a type by its name and those of its bases, except for
 *  its blocks. */
lg__trait lg__type_trait(const lg_graph *graph, uint32_t type);
/** The names of categories, in their order; NULL at the end. */
extern const char *const lg__category_words[];
/** The category of a type of which only the name is known. */
lg_category lg__category_of_name(lg_string type);

/** Gets the reverse index, and makes it first if necessary. Returns false when
 *  memory ran out. */
bool lg__graph_reverse(const lg_graph *graph, lg__reverse *out);
/** Returns the folds of all nodes, and makes them first if necessary. Returns
 *  NULL when memory ran out. */
const lg__folds *lg__graph_folds(const lg_graph *graph);

static inline lg__role
lg__node_role(const lg_graph *graph, uint32_t node)
{
    return (lg__role)graph->type_trait[lg_columns_type(&graph->columns, node)]
        .role;
}

/** Returns whether the node is a context's mapping, or a node of one. */
static inline bool
lg__node_is_of_context(const lg_graph *graph, uint32_t node)
{
    const lg__role role = lg__node_role(graph, node);
    return role == LG__ROLE_CONTEXT || role == LG__ROLE_CONTEXT_NODE;
}

/** Returns whether answers pass over a node on the way from another one: what
 *  leads there stays within a context's mapping, and no program sees which of
 *  the mapping's nodes has a variable. The other one may be a root of
 *  dominators, which passes over nothing. */
static inline bool
lg__passes_over(const lg_graph *graph, uint32_t from, uint32_t node)
{
    return lg__node_role(graph, node) == LG__ROLE_CONTEXT_NODE &&
           from < graph->columns.node_count &&
           lg__node_is_of_context(graph, from);
}

/** Returns whether the node stands for native memory (native.h). */
static inline bool
lg__node_is_native(const lg_graph *graph, uint32_t node)
{
    return (lg_columns_flags(&graph->columns, node) & LG_NODE_NATIVE) != 0;
}

/** Returns whether the graph has native nodes, which are its last. */
static inline bool
lg__graph_has_native(const lg_graph *graph)
{
    uint32_t count = graph->columns.node_count;
    return count > 0 && lg__node_is_native(graph, count - 1);
}

/** Returns the first of the native nodes, which are the last of a graph that
 *  has any; the number of nodes if it has none. O(native nodes). */
static inline uint32_t
lg__first_native(const lg_graph *graph)
{
    uint32_t node = graph->columns.node_count;
    while (node > 0 && lg__node_is_native(graph, node - 1))
        node--;
    return node;
}

static inline lg_category
lg__node_category(const lg_graph *graph, uint32_t node)
{
    uint32_t type = lg_columns_type(&graph->columns, node);
    return (lg_category)graph->type_trait[type].category;
}

/** Returns what allocators spend on all nodes beyond the nodes' sizes.
 *  O(nodes). */
uint64_t lg__graph_rounding(const lg_graph *graph);

static inline unsigned
lg__edge_kind(const lg_graph *graph, uint64_t edge)
{
    return lg_columns_kind(&graph->columns, edge) & LG_EDGE_KIND_MASK;
}

/** Returns how many references of one kind a node has. */
uint64_t lg__count_edges(const lg_graph *graph, uint32_t node,
                         lg_edge_kind kind);
/** Returns the value of a key in a dict. The capture must have the key's text.
 *  LG_NONE: there is none. */
uint32_t lg__dict_value(const lg_graph *graph, uint32_t dict, lg_string name);
/** Returns whether no program can change that attribute of the node, because a
 *  frozen dataclass, class of attrs or model of pydantic has declared it. */
bool lg__attribute_is_frozen(const lg_graph *graph, uint32_t node,
                             lg_string name);
/** Returns the value of an attribute, also in the `__dict__`, or LG_NONE. */
uint32_t lg__node_attribute(const lg_graph *graph, uint32_t node,
                            const char *name);
/** Returns the value of an attribute that a class or the first of its bases
 *  has, or LG_NONE. */
uint32_t lg__class_attribute(const lg_graph *graph, uint32_t class,
                             const char *name);

/** Returns a fact by its index among those of all nodes. */
lg_fact lg__fact_of(const lg_graph *graph, uint32_t index);
/** Reads a decimal number. Returns false and leaves *out alone if the string
 *  is not one or the number does not fit. */
bool lg__decimal_read(lg_string text, uint64_t *out);
/** Returns the number that the info with that key is; 0 if it is none. */
uint64_t lg__info_number(const lg_graph *graph, const char *key);

/** Returns the last part of the name of the node's type. */
lg_string lg__node_kind(const lg_graph *graph, uint32_t node);
/** Returns the part of a name after its last dot. */
lg_string lg__last_part(lg_string name);
/** Writes the text of a str in quotes. Escapes of characters that names must
 *  not have stay as the graph keeps them. */
void lg__text_add_quoted(lg_text *out, lg_string string);
/** Writes a node in one or two words: `Trainer`, `list`, `function
 *  train.step`. */
void lg__format_node(const lg_graph *graph, uint32_t node, lg_text *out);
/** Returns the number of elements of a container; for a dict, of its values.
 *  O(edges). */
uint64_t lg__count_elements(const lg_graph *graph, uint32_t node);
/** Returns whether a short title of both says the same: types, texts, numbers
 *  of elements and devices. O(edges of both). */
bool lg__nodes_alike(const lg_graph *graph, uint32_t a, uint32_t b);
/** Returns whether two strings are equal. */
bool lg__string_same(lg_string a, lg_string b);
/** Returns whether a string equals `expected`. */
bool lg__string_is(lg_string string, const char *expected);
/** Returns whether a reference is to the value of a context variable that a
 *  program declares: something else than the mapping, such as a module, refers
 *  to the variable. Variables that nothing else refers to are made again and
 *  again, and are in one place. */
bool lg__edge_is_of_variable(const lg_graph *graph, uint32_t source,
                             uint64_t edge);
/** How the globals begin that torch.compile adds, one for each compilation:
 *  `__compiled_fn_7_76802d2c_...`. */
#define LG__COMPILED "__compiled_fn_"
/** Returns a string that has the text. */
lg_string lg__string_of(const char *text);
/** Returns whether a string begins with `start`. */
bool lg__string_begins(lg_string string, const char *start);
/** Returns whether a text is the pattern, in which `*` may stand for a number:
 *  `app.req_7` fits `app.req_*`. */
bool lg__string_fits(lg_string text, lg_string pattern);
/** Returns whether a string contains `part`. */
bool lg__string_contains(lg_string string, const char *part);
/** Returns where a string has `part`, of `length` bytes, at `from` or later, in
 *  upper or lower case; SIZE_MAX if nowhere. */
size_t lg__string_find_any_case(lg_string string, const char *part,
                                size_t length, size_t from);
/** Compares strings in order of bytes, as strcmp does. */
int lg__string_compare(lg_string a, lg_string b);

/** Returns whether the class of the node, or one of its bases, has this name,
 *  such as "torch.nn.modules.module.Module". O(bases). */
bool lg__node_is_a(const lg_graph *graph, uint32_t node, const char *type);
/** Returns whether objects of the type are tasks of asyncio. */
bool lg__type_is_task(const lg_graph *graph, uint32_t type);
bool lg__node_is_task(const lg_graph *graph, uint32_t node);
#define LG__TORCH_MODULE "torch.nn.modules.module.Module"
#define LG__LRU_CACHE "functools._lru_cache_wrapper"

/** A dictionary with weak values. */
#define LG__WEAK_VALUES "weakref.WeakValueDictionary"

/** Returns whether objects of the type are dictionaries with weak keys or weak
 *  values. Their entries are in a dict, `data`. */
bool lg__type_is_weak_dict(const lg_graph *graph, uint32_t type);

/** An entry of a weak dictionary. It goes when `weak` dies. */
typedef struct lg__weak_entry {
    uint32_t reference; /**< the weak reference */
    uint32_t weak;      /**< what it refers to: the key, or the value */
    uint32_t strong;    /**< the other one */
    bool by_key;        /**< `weak` is the key */
} lg__weak_entry;

/** Reads the entry to which an edge of the dict leads. Returns false for any
 *  other edge, and if neither the key nor the value is a weak reference to
 *  something alive. */
bool lg__weak_entry_read(const lg_graph *graph, uint64_t edge,
                         lg__weak_entry *out);
/** Returns what a weak reference refers to, or LG_NONE. */
uint32_t lg__weak_referent(const lg_graph *graph, uint32_t reference);

/** Calls the monitor. If it says stop, sets the error and returns false. */
bool lg__monitor_goes_on(const lg_monitor *monitor, const char *phase,
                         double done, lg_error *err);

// Walks over the folded graph that do not collect it. `folds` and `reverse` are
// the graph's indexes, which the walker gets once.

/** Receives each hop, which is valid during the call only. Returns false to
 *  stop the walk. */
typedef bool (*lg__hop_visit)(void *context, const lg_hop *hop);

typedef struct lg__hop_walk {
    const lg_graph *graph;
    const lg__folds *fold;
    lg__reverse reverse; /**< only hops in need it */
    lg__hop_visit visit;
    void *context;
    bool everything; /**< also visit what a folded namespace hides: the strs
                          of its names, and its type */
} lg__hop_walk;

/** Returns false if the visitor stopped the walk. */
bool lg__hops_out_walk(const lg__hop_walk *walk, uint32_t node);
/** Visits the hops out that begin with this edge of the node, which is not
 *  folded. */
bool lg__hops_by_walk(const lg__hop_walk *walk, uint32_t node, uint64_t edge);
/** Visits the hops out that begin with the first edge and go on, from what it
 *  opens, by the second. */
bool lg__hops_through(const lg__hop_walk *walk, uint32_t source,
                      uint64_t opener, uint64_t edge);
bool lg__hops_in_walk(const lg__hop_walk *walk, uint32_t node);

/** Returns whether the edge leads into a namespace or closure tuple that is
 *  folded into its source. */
bool lg__edge_opens(const lg__hop_walk *walk, uint32_t source, uint64_t edge);

/** Returns whether a hop leads from one autograd node to the next. */
bool lg__hop_is_backward(const lg_graph *graph, const lg_hop *hop);

// How a torch.nn.Module names its parts. It keeps submodules, parameters and
// buffers in dicts of its own, and looks up attributes there: in Python,
// `model._modules['fc']._parameters['weight']` is `model.fc.weight`
// (torch.nn.Module.__getattr__).

/** Returns whether the edge leads from a thread to the dict of what it has in a
 *  threading.local. */
bool lg__edge_opens_local(const lg_graph *graph, uint64_t edge);
/** Returns whether a hop leads from such a module to one of the dicts. */
bool lg__hop_opens_parts(const lg_graph *graph, const lg_hop *hop,
                         lg_text *scratch);

/** Writes `.fc`, or `[0]` as in a torch.nn.Sequential, for a hop from one of
 *  the dicts to a part. If its key is neither, returns false and writes
 *  nothing. */
bool lg__format_part(const lg_graph *graph, const lg_hop *hop, lg_text *scratch,
                     lg_text *out);

// Distinguishes classes of common libraries from those that the user may have
// written.

/** Returns whether a type is a builtin, or belongs to the standard library or
 *  another common one. Goes by the name alone: a class of an unknown library
 *  counts as the user's own. */
bool lg__type_is_well_known(const lg_graph *graph, uint32_t type);
/** Returns "torch" of torch.nn.Linear; empty without a dot. Borrowed from the
 *  name. */
lg_string lg__package_of(lg_string name);
/** Returns whether the package, or the module, is of the standard library. */
bool lg__package_is_standard(lg_string package);
/** Returns whether the package is of the standard library, or another common
 *  one. */
bool lg__package_is_well_known(lg_string package);

/** Who made an object: the program, or a library. */
typedef enum lg__origin {
    LG__ORIGIN_ANYBODY = 0, /**< a container or a builtin, which does not
                                 tell */
    LG__ORIGIN_PROGRAM,     /**< an instance of a class of the program, or
                                 its functions, frames and classes; also a
                                 tensor, an array or a torch.nn.Module,
                                 because programs make these */
    LG__ORIGIN_LIBRARY,
} lg__origin;

/** Returns the origin of a node, by names as lg__type_is_well_known does.
 *  `package` (NULL: not asked for) gets the name of the library, borrowed from
 *  the graph. O(log packages). */
lg__origin lg__node_origin(const lg_graph *graph, uint32_t node,
                           lg_string *package);

/** Returns whether a module belongs to the standard library or an installed
 *  package, and not to the program. */
bool lg__module_is_library(const lg_graph *graph, uint32_t module);

/** Returns lg__seen_node by the folds of the graph; the node itself if memory
 *  ran out. */
uint32_t lg__graph_seen_node(const lg_graph *graph, uint32_t node);

/** "native memory grows", "executable memory grows", "fragmentation grows". */
const char *lg__native_kind_what(lg_native_kind kind);

#endif
