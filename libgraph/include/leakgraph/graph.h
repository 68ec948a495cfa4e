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

LG_API void lg_graph_free(lg_graph *graph);

/** Nodes and edges are numbered from 0; these are below the counts. */
LG_API uint32_t lg_graph_node_count(const lg_graph *graph);
LG_API uint64_t lg_graph_edge_count(const lg_graph *graph);
/** The address of an object, an opaque number; 0: it has none. O(1). */
LG_API uint64_t lg_node_address(const lg_graph *graph, lg_node node);
/** The id of its type: see lg_graph_type. O(1). */
LG_API uint32_t lg_node_type(const lg_graph *graph, lg_node node);
/** LG_NODE_ bits. O(1). */
LG_API unsigned lg_node_flags(const lg_graph *graph, lg_node node);
/** The out-edges of a node: from *first up to, not including, *end. O(1). */
LG_API void lg_node_edges(const lg_graph *graph, lg_node node, lg_edge *first,
                          lg_edge *end);
/** The node that an edge leads to. O(1). */
LG_API lg_node lg_edge_target(const lg_graph *graph, lg_edge edge);
/** What kind of reference it is. O(1). */
LG_API lg_edge_kind lg_edge_kind_of(const lg_graph *graph, lg_edge edge);
/** LG_EDGE_WEAK and the other bits beside the kind. O(1). */
LG_API unsigned lg_edge_flags(const lg_graph *graph, lg_edge edge);

/** Whether the graph is partial: it then refuses whole-heap questions. */
LG_API bool lg_graph_is_partial(const lg_graph *graph);

/** Shallow size of any node. O(1), or O(log overflow) for 4 GiB and more. */
LG_API uint64_t lg_node_size(const lg_graph *graph, lg_node node);
/** Bytes on the host, and on all devices together. */
typedef struct lg_bytes {
    uint64_t host;
    uint64_t devices;
} lg_bytes;

/**
 * Everywhere, a device of a graph is a number: 0 is the host, 1 up to this
 * count are the others, and LG_NONE, where it is allowed, means all of them
 * together. Bytes by device are [lg_graph_device_count + 1] numbers in that
 * order, and in JSON an object by name: {"host": 12, "cuda:0": 34}.
 */
LG_API uint32_t lg_graph_device_count(const lg_graph *graph);
/** "cuda:0"; "host" for 0; empty for an id out of range. */
LG_API lg_string lg_graph_device_name(const lg_graph *graph, uint32_t device);
/** The device that the node's size lies on; 0: the host. O(log placed). */
LG_API uint32_t lg_node_device(const lg_graph *graph, lg_node node);

typedef enum lg_fact_type {
    LG_FACT_TEXT = 0,
    LG_FACT_NUMBER,
    LG_FACT_BOOL,
} lg_fact_type;

/** A fact about a node that no column has, such as the dtype of an array. */
typedef struct lg_fact {
    lg_string key;
    lg_fact_type type; /**< the key says which */
    lg_string text;    /**< as the capture wrote it, of any type */
    uint64_t number;   /**< of a number; 1 or 0 of a bool */
} lg_fact;

/**
 * Finds a fact of a node by its key; false if there is none. O(log facts). The
 * keys in use, by the type of their facts:
 *   texts:
 *     tensors (with or without a wrapper), arrays: "dtype" ("float32"), "shape"
 *       ("256, 1024"), "device", "layout" (if not strided)
 *     any object, and buffers: "allocation" (where it was allocated, frames
 *       separated by " < ", innermost first)
 *     lists, dicts and sets: "table allocation" (where the block that has their
 *       items was allocated, if that is elsewhere)
 *     owners of buffers: "buffer allocation" (where the block was allocated)
 *     buffers: "memory" ("mapped": pages of a file or shared memory; "pinned":
 *       page-locked), "file" (what mapped memory is pages of, and the
 *       descriptor that is open for it)
 *     figures: "size" ("640x480")
 *     memory of C code: "library" (which one has allocated it, as far as
 *       pointers tell), "text" (the beginning of a text in a block of it, if
 *       nothing holds them; only with previews)
 *     adapters' remarks: "not inspected" (why)
 *   numbers:
 *     tensors, arrays: "bytes" (numel * itemsize)
 *     autograd nodes: "saved" (how many tensors), "hooked" (how many of those
 *       hooks have replaced), "modified" (how many of those were modified in
 *       place since, so that a backward pass would raise an error)
 *     lists, dicts and sets: "table bytes" (of the block with their items)
 *     buffers: "bytes" (of the interval, if the size has more: the allocator's
 *       rounding, the struct that describes it)
 *     figures: "number", "axes", "artists", "canvas" (bytes)
 *     functools.lru_cache: "maxsize" (how many results it keeps at most;
 *       without, there is no limit), "hits", "misses" (how many calls found
 *       their result, and how many did not)
 *     collections.deque: "maxlen" (how many elements it keeps at most; without,
 *       there is no limit)
 *     instances with an attribute such as `maxsize` or `capacity`, which by its
 *       name limits the containers beside it: "limit" (its number), "used" (the
 *       number of an attribute such as `currsize`)
 *     containers that a program clears of old elements, queues of timers, and
 *       caches such as cachetools.TTLCache: "lifetime" (after how many
 *       milliseconds elements leave)
 *     memory of C code: "blocks" (how many)
 *   bools:
 *     tensors: "requires_grad"
 *     figures: "closed" (whether pyplot's registry lacks it)
 * Facts with other keys are texts, and so are values that are neither numbers
 * nor bools, such as a figure's "number" below 0.
 */
LG_API bool lg_node_fact(const lg_graph *graph, lg_node node, const char *key,
                         lg_fact *out);
/** Writes a fact of a node into *out, in no certain order; false beyond the
 *  last. O(log facts). */
LG_API bool lg_node_fact_at(const lg_graph *graph, lg_node node, uint32_t index,
                            lg_fact *out);

/** refcount - references found; 0 for immortal and synthetic nodes and for
 *  partial graphs. Positive: native code holds it. Negative: a borrowed
 *  reference was counted. */
LG_API int64_t lg_node_unexplained(const lg_graph *graph, lg_node node);
/** The node's own text: a function's qualified name, a module's name, a str
 *  key's text ... ; length 0 if there is none. O(log texts). */
LG_API lg_string lg_node_text(const lg_graph *graph, lg_node node);
/** The source node of an edge. O(log nodes). */
LG_API lg_node lg_edge_source(const lg_graph *graph, lg_edge edge);

/** Copies up to `capacity` in-edges of `node` into `edges` and returns how many
 *  there are in all. The reverse index is built at the first call (O(edges)
 *  time, 4 bytes an edge) and kept; UINT64_MAX if memory ran out for it. */
LG_API uint64_t lg_node_referrers(const lg_graph *graph, lg_node node,
                                  lg_edge *edges, uint64_t capacity);

/** An owned list of nodes. */
typedef struct lg_nodes {
    lg_node *items;
    size_t count;
} lg_nodes;

LG_API void lg_nodes_free(lg_nodes *nodes);

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

/** The text about the snapshot with that key, or an empty string. Keys in use:
 *     "time" (ISO 8601, UTC), "pid", "rank" (absent: of no job), "program"
 *     (absent: unknown), "python", "platform", "leakgraph"
 *     "capture.method" ("internal" or "public: reason"), "capture.seconds"
 *     "partial" ("no" or why), "keys", "previews", "contents" ("yes" if equal
 *     contents are known), "contents.left_out" (bytes that were too many to
 *     compare)
 *     "adapter.NAME" ("inspected: version" or "not inspected: reason")
 *     "gc.enabled" ("yes", "no"), "gc.debug" ("no", or flags:
 *     "DEBUG_STATS|DEBUG_SAVEALL"), "gc.thresholds" and "gc.counts" ("700, 10,
 *     10"), "gc.garbage" (how many objects gc.garbage has)
 *     "memory.*" (bytes) and "process.*" (numbers), decimal, as the kernel and
 *     the allocators said: "memory.rss", "memory.malloc" (in use),
 *     "memory.python" (pymalloc arenas), "memory.leakgraph" (what leakgraph
 *     itself keeps) and more
 *     "device.D.*" (bytes of the allocator and the driver of device D) */
LG_API lg_string lg_graph_info_find(const lg_graph *graph, const char *key);

#ifdef __cplusplus
}
#endif

#endif
