/**
 * leakgraph: an immutable graph of a process's objects, its file, and questions
 * about it.
 *
 * Conventions that hold for every function declared here:
 *
 * - A function that can fail returns lg_status and takes `lg_error *err` last;
 *   err may be NULL. On failure outputs are untouched and err->message holds
 *   one sentence: what, where, what to do.
 * - `lg_x **out` hands over ownership; the matching lg_x_free(NULL) is a no-op.
 *   Getters lend: what they return lives as long as the graph.
 * - A graph never changes once made. Any number of threads may use it at once,
 *   as long as none frees it meanwhile.
 * - Nothing prints, exits, aborts or keeps global state.
 *
 * Sizes are bytes. Addresses are opaque numbers, never dereferenced.
 */
#ifndef LEAKGRAPH_H
#define LEAKGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LG_API __attribute__((visibility("default")))
#define LG_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define LG_API
#define LG_PRINTF(string, first)
#endif

#define LG_VERSION "0.1.0"

/* ------------------------------------------------------------- errors --- */

typedef enum lg_status {
    LG_OK = 0,
    LG_ENOMEM,       /**< memory ran out */
    LG_EINVAL,       /**< an argument makes no sense: message says which */
    LG_EIO,          /**< the system refused to read or write */
    LG_EFORMAT,      /**< the file is damaged, cut short or not ours */
    LG_EVERSION,     /**< the file was written by a newer major version */
    LG_ENOTFOUND,    /**< nothing in the graph answers to that name */
    LG_ELIMIT,       /**< a limit that the caller set was reached */
    LG_ECANCELLED,   /**< the caller's monitor asked to stop */
    LG_EPARTIAL,     /**< the question needs a whole snapshot, and this one is
                        partial */
    LG_EUNSUPPORTED, /**< this build or machine cannot do that */
    LG_ECHILD,       /**< the process that did the work died */
    LG_ERENDER, /**< the picture cannot be drawn; the text of the view still can
                 */
} lg_status;

typedef struct lg_error {
    lg_status status;
    char message[512]; /**< one sentence, UTF-8, NUL-terminated */
} lg_error;

/** Fills *err (if not NULL) and returns status, so that a caller can write
 *  `return lg_error_set(err, LG_EINVAL, "...")`. Truncates, never fails. */
LG_API lg_status lg_error_set(lg_error *err, lg_status status,
                              const char *format, ...) LG_PRINTF(3, 4);

/** A short name for the status, such as "damaged file". */
LG_API const char *lg_status_name(lg_status status);

/** Watches over long work. The working thread calls `tick` now and then with
 *  the name of the phase and the part that is done (0 to 1). If `tick` returns
 *  false, the work stops and fails with LG_ECANCELLED. Every function accepts
 *  a NULL monitor. */
typedef struct lg_monitor {
    bool (*tick)(void *context, const char *phase, double done);
    void *context;
} lg_monitor;

/* --------------------------------------------------------------- text --- */

/** A growing UTF-8 string. Start from `lg_text t = {0}`. `data` is NULL until
 *  something is added, and NUL-terminated afterwards. A failure to grow is
 *  sticky (`failed`), so a writer checks once, at the end. */
typedef struct lg_text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
} lg_text;

/** Each adds to the end of the text. */
LG_API void lg_text_add(lg_text *text, const char *string);
LG_API void lg_text_add_bytes(lg_text *text, const char *bytes, size_t length);
LG_API void lg_text_addf(lg_text *text, const char *format, ...)
    LG_PRINTF(2, 3);
/** Adds bytes as reports show them: "812 B", "12.0 MiB", "1.93 GiB". */
LG_API void lg_text_add_size(lg_text *text, uint64_t bytes);
/** Adds a count with thousands separators: "1,284,301". */
LG_API void lg_text_add_count(lg_text *text, uint64_t count);
/** Makes the decimal point of what printf wrote a `.`, whatever the locale;
 *  `digits` is a number in decimal notation, and of no other grouping. */
LG_API void lg_number_point(char *digits);
/** Adds a number with that many decimals, 9 at most, and a decimal point. */
LG_API void lg_text_add_fixed(lg_text *text, double number, int decimals);
/** Adds a JSON string literal, quotes included. Bytes that are not valid UTF-8
 *  become U+FFFD. */
LG_API void lg_text_add_json(lg_text *text, const char *string, size_t length);
/** Adds text for HTML: <, >, & and " escaped, line feeds as <br>. */
LG_API void lg_text_add_html(lg_text *text, const char *string, size_t length);
/** Frees the buffer and zeroes *text. */
LG_API void lg_text_free(lg_text *text);

/** A borrowed string: not NUL-terminated. Valid UTF-8 without control
 *  characters, also when it comes from a file. */
typedef struct lg_string {
    const char *data;
    uint32_t length;
} lg_string;

/* -------------------------------------------------------------- graph --- */

typedef struct lg_graph lg_graph;

/** No node. */
#define LG_NONE UINT32_MAX

/** The meaning of an edge; the payload of its label depends on the kind. */
typedef enum lg_edge_kind {
    LG_EDGE_REFERENCE = 0, /**< nothing is known but its rank: payload rank */
    LG_EDGE_ATTRIBUTE,     /**< `.x`: instance attribute, slot or C member:
                                payload string */
    LG_EDGE_VALUE,         /**< `['k']`: mapping value: payload key's node */
    LG_EDGE_KEY,           /**< the mapping's key itself: payload rank */
    LG_EDGE_INDEX,         /**< `[i]`: sequence element: payload index */
    LG_EDGE_ELEMENT,       /**< member of a set: payload rank */
    LG_EDGE_LOCAL,         /**< a frame's, generator's or coroutine's local
                                variable: payload string */
    LG_EDGE_STACK,         /**< evaluation stack temporary: payload depth */
    LG_EDGE_CELL,          /**< cell to its contents: payload 0 */
    LG_EDGE_DICT,          /**< owner to its own namespace: payload 0 */
    LG_EDGE_GLOBALS,       /**< function or frame to a namespace it only reads
                                names from: payload string */
    LG_EDGE_TYPE,          /**< object to its type: payload 0 */
    LG_EDGE_REFERENT,      /**< weak reference to its referent: payload 0 */
    LG_EDGE_FIELD,         /**< word of the C struct: payload byte offset */
    LG_EDGE_FRAME,         /**< thread to its frame, innermost 0: payload
                                depth */
    LG_EDGE_NATIVE,        /**< held by the interpreter or native code: payload
                                string */
    LG_EDGE_KIND_COUNT,
    LG_EDGE_KIND_MASK = 0x1f,
} lg_edge_kind;

/** Kept in the same byte as the kind. */
enum {
    LG_EDGE_WEAK = 0x20,      /**< never followed for retention */
    LG_EDGE_UNCOUNTED = 0x40, /**< borrowed: no reference count behind it */
    LG_EDGE_TRAVERSED = 0x80, /**< tp_traverse reports it: CPython's collector
                                   sees it */
};

/** Node flags. */
enum {
    LG_NODE_TRACKED = 1 << 0,   /**< tracked by the cyclic collector */
    LG_NODE_FROZEN = 1 << 1,    /**< in the permanent generation (gc.freeze) */
    LG_NODE_IMMORTAL = 1 << 2,  /**< its reference count means nothing */
    LG_NODE_SYNTHETIC = 1 << 3, /**< not a Python object: thread, interpreter */
    LG_NODE_FRONTIER = 1 << 4,  /**< a partial capture stopped here: its out-
                                     edges are unknown */
    LG_NODE_NAME = 1 << 5,      /**< a str that names something (attribute,
                                     variable, module): its text is kept */
    LG_NODE_KEY = 1 << 6,       /**< a str that is a key: its text is user data
                                     and goes with `keys=False` and strip */
    LG_NODE_BUFFER = 1 << 7,    /**< memory outside of any object's own
                                     allocation: an interval that begins at its
                                     address (0: not known), on its device;
                                     synthetic */
    LG_NODE_CPP = 1 << 8, /**< a C++ object (autograd node, tensor without a
                               Python wrapper); synthetic */
};

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
    const uint64_t *first_edge;   /**< [node_count + 1] */
    const uint32_t *edge_target;  /**< [edge_count] */
    const uint32_t *edge_payload; /**< [edge_count] meaning depends on kind */
    const uint8_t *edge_kind;     /**< [edge_count] kind | LG_EDGE_ flags */
} lg_columns;

/** All columns at once. O(1). */
LG_API const lg_columns *lg_graph_columns(const lg_graph *graph);
LG_API void lg_graph_free(lg_graph *graph);

/** Why a partial graph refuses whole-heap questions. */
LG_API bool lg_graph_is_partial(const lg_graph *graph);

/** Shallow size of any node. O(1), or O(log overflow) for 4 GiB and more. */
LG_API uint64_t lg_node_size(const lg_graph *graph, uint32_t node);
/** Bytes on the host, and on all devices together. */
typedef struct lg_bytes {
    uint64_t host;
    uint64_t device;
} lg_bytes;

/** The shallow size of a node and the buffers that it alone holds (folded into
 *  it, see lg_node_folded_into). O(log buffers); the first call makes the
 *  folds. */
LG_API lg_bytes lg_node_bytes(const lg_graph *graph, uint32_t node);
/** The same on one device of the graph; 0: the host, LG_NONE: everywhere. */
LG_API uint64_t lg_node_bytes_on(const lg_graph *graph, uint32_t node,
                                 uint32_t device);
/** The same as text: `1.93 GiB cuda:0 · 72 B host`, `72 B`. */
LG_API void lg_node_bytes_format(const lg_graph *graph, uint32_t node,
                                 lg_text *out);
/**
 * Everywhere, a device of a graph is a number: 0 is the host, 1 up to this
 * count are the others, and LG_NONE, where it is allowed, means all of them
 * together. Bytes by device are [lg_graph_device_count + 1] numbers in that
 * order, and in JSON an object by name: {"host": 12, "cuda:0": 34}.
 */
LG_API uint32_t lg_graph_device_count(const lg_graph *graph);
/** Adds bytes by device: "1.93 GiB cuda:0 · 12 MiB host", without what is zero;
 *  a host alone is not named. bytes[i] lie on devices[i], of which the first is
 *  the host. */
LG_API void lg_text_add_sizes(lg_text *text, const lg_string *devices,
                              const uint64_t *bytes, size_t count);
/** "cuda:0"; "host" for 0; empty for an id out of range. */
LG_API lg_string lg_graph_device_name(const lg_graph *graph, uint32_t device);
/** The device with that name; "host" and "cpu" are 0. LG_ENOTFOUND names those
 *  that the graph has. */
LG_API lg_status lg_graph_device_find(const lg_graph *graph, const char *name,
                                      uint32_t *out, lg_error *err);
/** The device that the node's size lies on; 0: the host. O(log placed). */
LG_API uint32_t lg_node_device(const lg_graph *graph, uint32_t node);
/**
 * A fact about a node that no column has, as text; empty if there is none.
 * O(log facts). Keys in use: tensors (with or without a wrapper), arrays:
 *     "dtype" ("float32"), "shape" ("256, 1024"), "bytes" (numel * itemsize, in
 *     decimal), "device", "layout" (if not strided), "requires_grad" ("yes")
 *   autograd nodes: "saved" (number of saved tensors), "hooked" (of those, the
 *     ones that hooks have replaced)
 *   buffers: "allocation" (where it was allocated, frames separated by " < "),
 *     "memory" ("mapped": pages of a file or shared memory; "pinned":
 *     page-locked), "bytes" (of the interval, if the size has more: the
 *     allocator's rounding, the struct that describes it)
 *   figures: "number", "size" ("640x480"), "axes", "artists", "canvas" (bytes),
 *     "closed" ("yes" or "no": whether pyplot's registry lacks it)
 *   adapters' remarks: "not inspected" (why)
 */
LG_API lg_string lg_node_fact(const lg_graph *graph, uint32_t node,
                              const char *key);
/** A fact that is a decimal number; `otherwise` if there is none. */
LG_API uint64_t lg_node_fact_number(const lg_graph *graph, uint32_t node,
                                    const char *key, uint64_t otherwise);
/** All facts of a node, by index; false beyond the last. */
LG_API bool lg_node_fact_at(const lg_graph *graph, uint32_t node,
                            uint32_t index, lg_string *key, lg_string *value);

/** refcount - references found; 0 for immortal and synthetic nodes and for
 *  partial graphs. Positive: native code holds it. Negative: a borrowed
 *  reference was counted. */
LG_API int64_t lg_node_unexplained(const lg_graph *graph, uint32_t node);
/** The node's own text: a function's qualified name, a module's name, a str
 *  key's text ... ; length 0 if there is none. O(log texts). */
LG_API lg_string lg_node_text(const lg_graph *graph, uint32_t node);
/** The string with that id; empty for an id out of range. */
LG_API lg_string lg_graph_string(const lg_graph *graph, uint32_t id);
/** The source node of an edge. O(log nodes). */
LG_API uint32_t lg_edge_source(const lg_graph *graph, uint64_t edge);

/** Copies up to `capacity` in-edges of `node` into `edges` and returns how many
 *  there are in all. The reverse index is built at the first call (O(edges)
 *  time, 8 bytes an edge) and kept; UINT64_MAX if memory ran out for it. */
LG_API uint64_t lg_node_referrers(const lg_graph *graph, uint32_t node,
                                  uint64_t *edges, uint64_t capacity);

/* -------------------------------------------------------------- types --- */

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
    uint32_t node;       /**< the type object itself, or LG_NONE */
    const uint32_t *mro; /**< type ids, the type itself first */
    uint32_t mro_count;
    lg_category category;
} lg_type;

/** Ids of types are below the count. */
LG_API uint32_t lg_graph_type_count(const lg_graph *graph);
LG_API lg_type lg_graph_type(const lg_graph *graph, uint32_t id);

/* -------------------------------------------------------------- roots --- */

typedef enum lg_root_kind {
    LG_ROOT_MODULE = 0,  /**< a module of sys.modules; name: its key there */
    LG_ROOT_THREAD,      /**< a thread (synthetic node); name: its name */
    LG_ROOT_INTERPRETER, /**< interpreter state (synthetic node) */
    LG_ROOT_STATIC,      /**< static or immortal object that nothing else
                              needs to hold, such as a static type */
    LG_ROOT_NATIVE,      /**< referred to by native code only seen as an
                              unexplained reference */
    LG_ROOT_GIVEN,       /**< an object that a partial capture started from */
} lg_root_kind;

typedef struct lg_root {
    uint32_t node;
    lg_root_kind kind;
    lg_string name; /**< may be empty */
} lg_root;

/** Indices of roots are below the count. */
LG_API uint32_t lg_graph_root_count(const lg_graph *graph);
LG_API lg_root lg_graph_root(const lg_graph *graph, uint32_t index);
/** "module", "thread", ... */
LG_API const char *lg_root_kind_name(lg_root_kind kind);

/* --------------------------------------------------------------- info --- */

/** Texts about the snapshot, as ordered key/value pairs. Keys in use:
 *  "time" (ISO 8601, UTC), "pid", "python", "platform", "capture.method"
 *  ("internal" or "public: reason"), "capture.seconds", "partial" ("no" or
 *  why), "keys", "previews", "leakgraph", "adapter.NAME" ("inspected: version"
 *  or "not inspected: reason"), "memory.rss", "memory.malloc" (in use),
 *  "memory.python" (pymalloc arenas), "memory.leakgraph" (what leakgraph
 *  itself keeps; all bytes, decimal), "device.D.*"
 *  (lg_graph_segments). */
LG_API uint32_t lg_graph_info_count(const lg_graph *graph);
LG_API void lg_graph_info(const lg_graph *graph, uint32_t index, lg_string *key,
                          lg_string *value);
/** The value for key, or an empty string. */
LG_API lg_string lg_graph_info_find(const lg_graph *graph, const char *key);

/* ---------------------------------------------------------- allocators --- */

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
 * and the driver gave for device D are info texts: "device.D.allocated",
 * ".reserved", ".driver_total",
 *  ".driver_free" (bytes, decimal). */
LG_API const lg_segment *lg_graph_segments(const lg_graph *graph,
                                           size_t *count);
LG_API const lg_block *lg_graph_blocks(const lg_graph *graph, size_t *count);

/* --------------------------------------------------------------- file --- */

enum {
    /** Use the file straight from a mapping. Fast, but a file cut short while
     *  mapped raises SIGBUS: only for programs that own their signals, as the
     *  command does. Without it the file is read into private memory. */
    LG_LOAD_MAPPED = 1 << 0,
};

/** Opens a saved graph. Everything in the file is checked before *out is set:
 *  checksums, every index, every string; a hostile file gives LG_EFORMAT, never
 *  a crash. O(file). */
LG_API lg_status lg_graph_load(const char *path, unsigned flags,
                               const lg_monitor *monitor, lg_graph **out,
                               lg_error *err);
/** The same from memory, which must stay until the graph is freed and be
 *  aligned to 64 bytes. */
LG_API lg_status lg_graph_load_memory(const void *data, size_t length,
                                      lg_graph **out, lg_error *err);

struct lg_analysis;

typedef struct lg_save_options {
    int compress; /**< zstd level 1 to 19 for every section; 0: none */
    /** Kept in the file with the graph that it is of (lg_analysis_load); NULL:
     *  none. */
    const struct lg_analysis *analysis;
} lg_save_options;

/** Writes the graph to a file without a name, or a temporary one beside `path`,
 *  syncs it and puts it there: an interrupted save leaves the old file whole.
 *  The file is the user's alone (mode 0600), unless it takes the place of one
 * of the user's, whose mode it keeps. A symbolic link stays and its target is
 *  replaced; one of another user, root aside, is refused. options may be NULL.
 */
LG_API lg_status lg_graph_save(const lg_graph *graph, const char *path,
                               const lg_save_options *options,
                               const lg_monitor *monitor, lg_error *err);

/** A file that is being written. It has no name, or a temporary one beside its
 *  place, until it is complete. For writers other than lg_graph_save. */
typedef struct lg_draft lg_draft;

/** Makes an empty one, with the mode that lg_graph_save gives. */
LG_API lg_status lg_draft_new(const char *path, lg_draft **out, lg_error *err);
/** The descriptor to write to: an open, empty file that belongs to the draft.
 */
LG_API int lg_draft_descriptor(const lg_draft *draft);
/** Syncs the file and puts it into its place. Once. */
LG_API lg_status lg_draft_commit(lg_draft *draft, lg_error *err);
/** Removes the file, unless it was committed. */
LG_API void lg_draft_free(lg_draft *draft);

/** Writes the graph, uncompressed, to an open and empty file. Allocates
 *  nothing, takes no lock, and calls nothing that might: a forked child of a
 *  process with threads may call it. On LG_EIO errno says why, and the message
 *  only gives its number. */
LG_API lg_status lg_graph_write(const lg_graph *graph, int descriptor,
                                const lg_monitor *monitor, lg_error *err);

/** A copy of the graph without the user's own text: str keys, previews, facts
 *  under other keys than those of lg_node_fact. Names of types, attributes,
 *  variables and modules stay. An analysis that was saved
 *  with the graph is left out. */
LG_API lg_status lg_graph_strip(const lg_graph *graph, lg_graph **out,
                                lg_error *err);

/** Checks every invariant of a graph (ranges, order, payloads); what load runs
 *  on a file. O(nodes + edges). */
LG_API lg_status lg_graph_check(const lg_graph *graph, lg_error *err);

/* ---------------------------------------------------------- selectors --- */

/** An owned list of nodes. */
typedef struct lg_nodes {
    uint32_t *items;
    size_t count;
} lg_nodes;

LG_API void lg_nodes_free(lg_nodes *nodes);

/**
 * The nodes that a selector names, ascending:
 *   node:17 or #17           that node
 *   0x7f12..                 the object at that address
 *   type:torch.Tensor        instances; `*` globs; a trailing `+` takes
 *                            subclasses in
 *   name:train.losses[0]['x'].y
 *                            longest module prefix, then attributes and keys
 *   module:train             a module of sys.modules
 * LG_EINVAL for a malformed one (the message lists the forms), LG_ENOTFOUND
 * with the nearest known name when nothing matches.
 */
LG_API lg_status lg_graph_select(const lg_graph *graph, const char *selector,
                                 lg_nodes *out, lg_error *err);

/** The node at that address, or LG_NONE. O(nodes), when asked often O(log
 *  nodes). */
LG_API uint32_t lg_graph_find(const lg_graph *graph, uint64_t address);

/* --------------------------------------------------------------- hops --- */

/**
 * A step that counts as one in Python: instance, module and class with their
 * own dict are one hop `.x`; a function with its closure tuple and cell is one
 * hop to the variable's value. A dict with another holder is not folded. A
 * buffer with one holder is folded into it.
 */
typedef struct lg_hop {
    uint32_t source;
    uint32_t target;
    uint64_t edges[4];   /**< the edges taken, in order */
    uint32_t edge_count; /**< 1 to 4 */
    bool weak;           /**< one of them is weak */
} lg_hop;

typedef struct lg_hops {
    lg_hop *items;
    size_t count;
} lg_hops;

LG_API void lg_hops_free(lg_hops *hops);

/** Folded out-edges of a node, in the order of its edges. The folded-away dict,
 *  tuple and cells do not appear. */
LG_API lg_status lg_node_hops_out(const lg_graph *graph, uint32_t node,
                                  lg_hops *out, lg_error *err);
/** Folded in-edges of a node. */
LG_API lg_status lg_node_hops_in(const lg_graph *graph, uint32_t node,
                                 lg_hops *out, lg_error *err);
/** The owner of a node that hops fold away: a namespace, a part of a closure,
 *  or a buffer with one holder. LG_NONE for other nodes. */
LG_API uint32_t lg_node_folded_into(const lg_graph *graph, uint32_t node);

/** Label of a hop as Python would write it: `.losses`, `[0]`, `['key']`,
 *  `local batch`, `closure model`, `__class__` ... */
LG_API void lg_hop_label(const lg_graph *graph, const lg_hop *hop,
                         lg_text *out);
/** Label of one raw edge. */
LG_API void lg_edge_label(const lg_graph *graph, uint64_t edge, lg_text *out);
/** "attribute", "value", "index", ... : stable names for JSON and Python. */
LG_API const char *lg_edge_kind_name(unsigned kind);
/** What a node is, in a few words: `list of 1,000`, `function train.step`,
 *  `module train`, `Trainer`. `long_form` gives the whole type name. */
LG_API void lg_node_title(const lg_graph *graph, uint32_t node, bool long_form,
                          lg_text *out);

/* -------------------------------------------------------------- paths --- */

typedef struct lg_path {
    lg_root root;
    lg_hop *hops; /**< from the root's node to the target */
    size_t count; /**< 0: the target is the root's node itself */
} lg_path;

LG_API void lg_path_free(lg_path *path);
/** A path as one expression: `train.trainer.losses[0]`. The middle of a long
 * one is left out. */
LG_API void lg_path_label(const lg_graph *graph, const lg_path *path,
                          lg_text *out);

/**
 * A shortest strong path from a GC root, counted in hops; among the shortest,
 * a local, a global or an attribute of the user's own code beats a cache, `gc`
 * or `sys` bookkeeping. Native roots are used only when no other root reaches
 * the target. LG_ENOTFOUND: garbage, no root reaches it. LG_EPARTIAL on a
 * partial graph. O(nodes + edges).
 */
LG_API lg_status lg_path_from_root(const lg_graph *graph, uint32_t target,
                                   const lg_monitor *monitor, lg_path *out,
                                   lg_error *err);

/* ------------------------------------------------------------ reports --- */

typedef enum lg_format { LG_FORMAT_TEXT = 0, LG_FORMAT_JSON } lg_format;

typedef enum lg_sort { LG_SORT_BYTES = 0, LG_SORT_COUNT, LG_SORT_NAME } lg_sort;

/** One row of the type table. */
typedef struct lg_type_row {
    uint32_t type;
    uint64_t count;
    uint64_t bytes; /**< shallow, on the host and all devices */
} lg_type_row;

/** One row per type with at least one node, sorted. *rows is the caller's, to
 *  release with free(). */
LG_API lg_status lg_graph_type_rows(const lg_graph *graph, lg_sort sort,
                                    lg_type_row **rows, size_t *count,
                                    lg_error *err);

/** Text reports, the same for the command and for Python; JSON is deterministic
 *  and ends with a newline. limit: rows (0: all). */
LG_API lg_status lg_report_info(const lg_graph *graph, lg_format format,
                                lg_text *out, lg_error *err);
LG_API lg_status lg_report_types(const lg_graph *graph, lg_sort sort,
                                 size_t limit, lg_format format, lg_text *out,
                                 lg_error *err);
/** Each thread with its frames, innermost first, and each suspended generator,
 *  coroutine and task, with their locals and what these retain. The analysis is
 *  one of the graph; NULL: their own sizes only. */
LG_API lg_status lg_report_threads(const lg_graph *graph,
                                   const struct lg_analysis *analysis,
                                   lg_format format, lg_text *out,
                                   lg_error *err);

/* ------------------------------------------------------------ plugins --- */

/** Opens `file`, a bare name, for parts that not every program needs, where
 *  the loader looks for the caller, and returns the address of `symbol`. The
 *  file stays open, and another call is cheap. LG_EUNSUPPORTED: `what` cannot
 *  be opened; the message ends with `remedy`, such as "install it (on Debian:
 *  apt install ...)". */
LG_API lg_status lg_plugin_open(const char *file, const char *symbol,
                                const char *what, const char *remedy,
                                void **out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
