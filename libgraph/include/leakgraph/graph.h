/**
 * A graph: its nodes and edges, its types and roots, and what is known of the
 * process that it was taken of.
 *
 * The conventions of leakgraph.h hold. Sizes are bytes. Addresses are opaque
 * numbers, never dereferenced.
 */
#ifndef LEAKGRAPH_GRAPH_H
#define LEAKGRAPH_GRAPH_H

#include <leakgraph/kinds.h>
#include <leakgraph/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------- nodes and edges --- */

/** The columns of a graph, read-only, all owned by it. Out-edges of node i are
 *  edge_target[first_edge[i]] up to, not including, first_edge[i + 1]. */
typedef struct lg_columns {
    uint32_t node_count;
    uint64_t edge_count;
    const uint64_t *address;      /**< [node_count] */
    const uint32_t *type;         /**< [node_count] type id */
    const uint32_t *size;         /**< [node_count] shallow bytes; UINT32_MAX:
                                       ask lg_node_size */
    const uint32_t *refcount;     /**< [node_count] saturates at UINT32_MAX */
    const uint32_t *found;        /**< [node_count] references found: counted
                                       strong in-edges, and what the interpreter
                                       or the capturing call holds */
    const uint16_t *node_flags;   /**< [node_count] */
    const lg_edge *first_edge;    /**< [node_count + 1] */
    const lg_node *edge_target;   /**< [edge_count] */
    const uint32_t *edge_payload; /**< [edge_count] meaning depends on kind */
    const uint8_t *edge_kind;     /**< [edge_count] kind | LG_EDGE_ flags */
} lg_columns;

/** All columns at once. O(1). */
LG_API const lg_columns *lg_graph_columns(const lg_graph *graph);
LG_API void lg_graph_free(lg_graph *graph);
/** The bytes that it has allocated: not the file that it is mapped from. */
LG_API uint64_t lg_graph_memory(const lg_graph *graph);

/** Whether the graph is partial: it then refuses whole-heap questions. */
LG_API bool lg_graph_is_partial(const lg_graph *graph);

/** Shallow size of any node. O(1), or O(log overflow) for 4 GiB and more. */
LG_API uint64_t lg_node_size(const lg_graph *graph, lg_node node);
/** Bytes that the allocators spend on a node, which is more than its size: as
 *  pymalloc and glibc's malloc round it up. An int of 28 bytes takes 32. */
LG_API uint64_t lg_node_spent(const lg_graph *graph, lg_node node);
/** Bytes on the host, and on all devices together. */
typedef struct lg_bytes {
    uint64_t host;
    uint64_t devices;
} lg_bytes;

/** The shallow size of a node and the buffers that it alone holds (folded into
 *  it, see lg_node_folded_into). O(log buffers); the first call makes the
 *  folds. */
LG_API lg_bytes lg_node_bytes(const lg_graph *graph, lg_node node);
/** The same on one device of the graph; 0: the host, LG_NONE: everywhere. */
LG_API uint64_t lg_node_bytes_on(const lg_graph *graph, lg_node node,
                                 uint32_t device);
/** The same as text: `1.93 GiB cuda:0 · 72 B host`, `72 B`. */
LG_API void lg_node_bytes_format(const lg_graph *graph, lg_node node,
                                 lg_text *out);
/**
 * Everywhere, a device of a graph is a number: 0 is the host, 1 up to this
 * count are the others, and LG_NONE, where it is allowed, means all of them
 * together. Bytes by device are [lg_graph_device_count + 1] numbers in that
 * order, and in JSON an object by name: {"host": 12, "cuda:0": 34}.
 */
LG_API uint32_t lg_graph_device_count(const lg_graph *graph);
/** "cuda:0"; "host" for 0; empty for an id out of range. */
LG_API lg_string lg_graph_device_name(const lg_graph *graph, uint32_t device);
/** The device with that name; "host" and "cpu" are 0. LG_ENOTFOUND names those
 *  that the graph has. */
LG_API lg_status lg_graph_device_find(const lg_graph *graph, const char *name,
                                      uint32_t *out, lg_error *err);
/** The device that the node's size lies on; 0: the host. O(log placed). */
LG_API uint32_t lg_node_device(const lg_graph *graph, lg_node node);
/**
 * A fact about a node that no column has, as text; empty if there is none.
 * O(log facts). Keys in use: tensors (with or without a wrapper), arrays:
 *     "dtype" ("float32"), "shape" ("256, 1024"), "bytes" (numel * itemsize, in
 *     decimal), "device", "layout" (if not strided), "requires_grad" ("yes")
 *   autograd nodes: "saved" (number of saved tensors), "hooked" (of those, the
 *     ones that hooks have replaced), "modified" (of those, the ones that were
 *     modified in place since, so that a backward pass would raise an error)
 *   any object, and buffers: "allocation" (where it was allocated, frames
 *     separated by " < ", innermost first: see allocations.h)
 *   buffers: "memory" ("mapped": pages of a file or shared memory; "pinned":
 *     page-locked), "file" (what mapped memory is pages of, and the descriptor
 *     that is open for it), "bytes" (of the interval, if the size has more: the
 *     allocator's rounding, the struct that describes it)
 *   figures: "number", "size" ("640x480"), "axes", "artists", "canvas" (bytes),
 *     "closed" ("yes" or "no": whether pyplot's registry lacks it)
 *   functools.lru_cache: "maxsize" (how many results it keeps at most; without,
 *     there is no limit), "hits", "misses" (how many calls found their result,
 *     and how many did not)
 *   collections.deque: "maxlen" (how many elements it keeps at most; without,
 *     there is no limit)
 *   instances with an attribute such as `maxsize` or `capacity`, which by its
 *     name limits the containers beside it: "limit" (its number), "used" (the
 *     number of an attribute such as `currsize`)
 *   adapters' remarks: "not inspected" (why)
 */
LG_API lg_string lg_node_fact(const lg_graph *graph, lg_node node,
                              const char *key);
/** The group of nodes with the same contents that a node is in; LG_NONE if its
 *  contents are its own, or were not compared (info "contents"). O(log). */
LG_API uint32_t lg_node_equal(const lg_graph *graph, lg_node node);
/** A fact that is a decimal number; `otherwise` if there is none. */
LG_API uint64_t lg_node_fact_number(const lg_graph *graph, lg_node node,
                                    const char *key, uint64_t otherwise);
/** All facts of a node, by index; false beyond the last. */
LG_API bool lg_node_fact_at(const lg_graph *graph, lg_node node, uint32_t index,
                            lg_string *key, lg_string *value);

/** refcount - references found; 0 for immortal and synthetic nodes and for
 *  partial graphs. Positive: native code holds it. Negative: a borrowed
 *  reference was counted. */
LG_API int64_t lg_node_unexplained(const lg_graph *graph, lg_node node);
/** Adds a positive number of them: `2 references leakgraph cannot see`. */
LG_API void lg_unexplained_format(uint64_t count, lg_text *out);
/** The node's own text: a function's qualified name, a module's name, a str
 *  key's text ... ; length 0 if there is none. O(log texts). */
LG_API lg_string lg_node_text(const lg_graph *graph, lg_node node);
/** The string with that id; empty for an id out of range. */
LG_API lg_string lg_graph_string(const lg_graph *graph, uint32_t id);
/** The source node of an edge. O(log nodes). */
LG_API lg_node lg_edge_source(const lg_graph *graph, lg_edge edge);

/** Copies up to `capacity` in-edges of `node` into `edges` and returns how many
 *  there are in all. The reverse index is built at the first call (O(edges)
 *  time, 8 bytes an edge) and kept; UINT64_MAX if memory ran out for it. */
LG_API uint64_t lg_node_referrers(const lg_graph *graph, lg_node node,
                                  lg_edge *edges, uint64_t capacity);

/** An owned list of nodes. */
typedef struct lg_nodes {
    lg_node *items;
    size_t count;
} lg_nodes;

/** Makes room for that many nodes in all, and keeps those that are there; a
 * list of zeros has room for none. Returns false when memory ran out. */
LG_API bool lg_nodes_reserve(lg_nodes *nodes, size_t count);
LG_API void lg_nodes_free(lg_nodes *nodes);

/* ----------------------------------------------------------- types --- */

/** The category of a type; pictures colour by it. */
typedef enum lg_category {
    LG_CATEGORY_OTHER = 0,
    LG_CATEGORY_CONTAINER, /**< dict, list, tuple, set, deque ... */
    LG_CATEGORY_MODULE,
    LG_CATEGORY_TYPE,
    LG_CATEGORY_FUNCTION, /**< function, method, code, cell, partial ... */
    LG_CATEGORY_FRAME,    /**< frame, generator, coroutine, traceback */
    LG_CATEGORY_TENSOR,   /**< torch, jax, cupy arrays */
    LG_CATEGORY_ARRAY,    /**< numpy, pandas, array.array, bytes-likes */
    LG_CATEGORY_FIGURE,   /**< matplotlib figures and canvases */
    LG_CATEGORY_ROOT,     /**< threads, the interpreter */
    LG_CATEGORY_EXCEPTION,
    LG_CATEGORY_ATOM, /**< str, int, float, None ... */
} lg_category;

/** "object" for LG_CATEGORY_OTHER, "container", "module" and so on. */
LG_API const char *lg_category_name(lg_category category);

typedef struct lg_type {
    lg_string name;      /**< "torch.Tensor"; builtins bare: "list" */
    lg_node node;        /**< the type object itself, or LG_NONE */
    const uint32_t *mro; /**< type ids, the type itself first */
    uint32_t mro_count;
    lg_category category;
} lg_type;

/** Ids of types are below the count. */
LG_API uint32_t lg_graph_type_count(const lg_graph *graph);
LG_API lg_type lg_graph_type(const lg_graph *graph, uint32_t id);

/* ----------------------------------------------------------- roots --- */

typedef struct lg_root {
    lg_node node;
    lg_root_kind kind;
    lg_string name; /**< may be empty */
} lg_root;

/** Indices of roots are below the count. */
LG_API uint32_t lg_graph_root_count(const lg_graph *graph);
LG_API lg_root lg_graph_root(const lg_graph *graph, uint32_t index);
/** "module", "thread", ... */
LG_API const char *lg_root_kind_name(lg_root_kind kind);

/* ------------------------------------------------------------ info --- */

/** Texts about the snapshot, as ordered key/value pairs. Keys in use:
 *  "time" (ISO 8601, UTC), "pid", "rank" (lg_process_rank; absent: of no job),
 *  "program" (lg_program; absent: unknown), "python", "platform",
 * "capture.method"
 *  ("internal" or "public: reason"), "capture.seconds", "partial" ("no" or
 *  why), "keys", "previews", "contents" ("yes" if equal contents are known),
 *  "contents.left_out" (bytes that were too many to compare), "leakgraph",
 * "adapter.NAME" ("inspected: version" or "not inspected: reason"), the
 * collector's state: "gc.enabled" ("yes", "no"), "gc.debug" ("no", or flags:
 * "DEBUG_STATS|DEBUG_SAVEALL"), "gc.thresholds" and "gc.counts" ("700, 10,
 * 10"), "gc.garbage" (how many objects gc.garbage has); what the kernel and the
 *  allocators said of the process (lg_graph_accounts), "memory.*" in bytes and
 *  "process.*" as numbers, decimal: "memory.rss", "memory.malloc" (in use),
 *  "memory.python" (pymalloc arenas), "memory.leakgraph" (what leakgraph
 *  itself keeps) and more, "device.D.*"
 *  (lg_graph_segments). */
LG_API uint32_t lg_graph_info_count(const lg_graph *graph);
LG_API void lg_graph_info(const lg_graph *graph, uint32_t index, lg_string *key,
                          lg_string *value);
/** The value for key, or an empty string. */
LG_API lg_string lg_graph_info_find(const lg_graph *graph, const char *key);

/* ------------------------------------------------------ allocators --- */

/** A range that a device's caching allocator holds from the driver. */
typedef struct lg_segment {
    uint64_t address;
    uint64_t size;
    uint64_t stream;
    uint32_t device; /**< of the graph, from 1 */
    uint32_t kind;   /**< string id: "small", "large"; 0: unknown */
    uint32_t pool;   /**< string id: private pool, "1.0"; 0: the default pool */
    uint32_t expandable; /**< 1: grown in place, else 0 */
} lg_segment;

typedef enum lg_block_state {
    LG_BLOCK_ALLOCATED = 0, /**< in use */
    LG_BLOCK_PENDING,       /**< freed, but a stream may still use it */
    LG_BLOCK_INACTIVE,      /**< free, kept for reuse */
    LG_BLOCK_STRANGE, /**< in a state that leakgraph does not know: counts as
                           allocated; info text "allocator.strange_states" */
} lg_block_state;

/** A piece of a segment. */
typedef struct lg_block {
    uint64_t address;
    uint64_t size;
    uint64_t requested; /**< bytes requested; size if unknown */
    uint32_t segment;   /**< index of its segment */
    uint32_t state;     /**< lg_block_state */
    uint32_t frames;    /**< string id: where it was allocated, innermost first,
                             separated by " < "; 0: not recorded */
    uint32_t in_flux;   /**< 1: it was not the same before and after the walk */
} lg_block;

/** The segments and blocks as the allocators gave them, sorted by device and
 *  address (blocks by segment and address); borrowed. Totals that the allocator
 *  and the driver gave for device D are info texts: "device.D.allocated",
 *  ".reserved", ".peak_allocated", ".peak_reserved", ".driver_total",
 *  ".driver_free", ".driver_process" (bytes, decimal). */
LG_API const lg_segment *lg_graph_segments(const lg_graph *graph,
                                           size_t *count);
LG_API const lg_block *lg_graph_blocks(const lg_graph *graph, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
