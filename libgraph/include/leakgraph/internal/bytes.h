/**
 * Where the bytes are: tensors, figures, memory by device.
 *
 * The conventions of leakgraph.h hold. Buffer nodes (LG_NODE_BUFFER) have the
 * bytes outside an object's own allocation, each once, however many tensors and
 * arrays use them. These functions add up buffer nodes.
 */
#ifndef LEAKGRAPH_BYTES_H
#define LEAKGRAPH_BYTES_H

#include <leakgraph/analysis.h>
#include <leakgraph/internal/segments.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a tensor is for, in PyTorch's own words. A storage has the first role
 *  that applies to any of its tensors. */
typedef enum lg_tensor_kind {
    LG_TENSOR_PARAMETER = 0,   /**< a torch.nn.Parameter, or listed in a
                                    module's _parameters */
    LG_TENSOR_BUFFER,          /**< in a module's _buffers */
    LG_TENSOR_GRADIENT,        /**< the .grad of another tensor */
    LG_TENSOR_OPTIMIZER_STATE, /**< below the state of an optimizer */
    LG_TENSOR_ACTIVATION,      /**< saved for backward by an autograd node */
    LG_TENSOR_TEMPORARY,       /**< held by a frame's local or stack alone */
    LG_TENSOR_OTHER,
    LG_TENSOR_KIND_COUNT,
} lg_tensor_kind;

/** "parameter", "buffer", "gradient", "optimizer state", "activation",
 *  "temporary", "other". */
const char *lg_tensor_kind_name(lg_tensor_kind kind);

/** One storage. */
typedef struct lg_tensor_row {
    lg_node buffer; /**< the buffer node */
    lg_node tensor; /**< the tensor that shows the most of it, preferably a
                        Python object; LG_NONE: no known tensor uses it */
    uint32_t tensor_count; /**< tensors that use it, views included */
    uint32_t device;
    lg_tensor_kind kind;
    uint64_t bytes; /**< of the storage */
    uint64_t used;  /**< bytes that its widest tensor shows; 0: unknown */
    uint64_t
        allocation; /**< 1 + index of its block (lg_graph_blocks); 0: none */
} lg_tensor_row;

typedef struct lg_tensor_rows {
    lg_tensor_row *items; /**< biggest first */
    size_t count;
    size_t total;   /**< before the limit */
    uint64_t bytes; /**< of all, before the limit */
} lg_tensor_rows;

void lg_tensor_rows_free(lg_tensor_rows *rows);
/** Every storage of torch, each once. device: a device of the graph, or LG_NONE
 *  for all. limit 0: all. O(nodes + edges). Works on partial graphs too. */
lg_status lg_graph_storages(const lg_graph *graph, uint32_t device,
                            size_t limit, lg_tensor_rows *out, lg_error *err);

typedef enum lg_tensor_group {
    LG_TENSORS_BY_PLACE = 0, /**< storages that are held in the same way, and
                                  are alike; lg_tensors_sum does not know it */
    LG_TENSORS_EACH,         /**< a row a storage; nor this */
    LG_TENSORS_BY_KIND,
    LG_TENSORS_BY_DEVICE,
    LG_TENSORS_BY_DTYPE,
    LG_TENSORS_BY_SHAPE,
} lg_tensor_group;

/** The storages of one kind, device, dtype, or dtype and shape. */
typedef struct lg_tensor_sum {
    lg_string key;   /**< the kind, the device or the dtype; empty: unknown */
    lg_string shape; /**< by shape: "3, 224, 224"; else empty */
    const lg_tensor_row *items; /**< its storages */
    size_t count;
    const uint64_t *bytes; /**< of all of them, by device:
                                [lg_graph_device_count + 1], the host first */
    uint64_t total;        /**< of that, all devices together */
} lg_tensor_sum;

typedef struct lg_tensor_sums {
    lg_tensor_sum *items; /**< biggest first */
    size_t count;
    lg_tensor_row *rows; /**< what the `items` of a sum point into */
    uint64_t *bytes;     /**< what the `bytes` of a sum point into */
} lg_tensor_sums;

/** Adds up storages, which lg_graph_storages listed without a limit. A sum
 *  borrows its strings from the graph. LG_EINVAL: `by` is LG_TENSORS_BY_PLACE,
 *  LG_TENSORS_EACH or unknown. O(n log n). */
lg_status lg_tensors_sum(const lg_graph *graph, const lg_tensor_rows *rows,
                         lg_tensor_group by, lg_tensor_sums *out,
                         lg_error *err);
void lg_tensor_sums_free(lg_tensor_sums *sums);

typedef struct lg_figure_row {
    lg_node node;
    int64_t number; /**< pyplot's; -1: pyplot never knew it */
    uint64_t width; /**< pixels of the canvas; 0: not known */
    uint64_t height;
    uint64_t axes;
    uint64_t artists; /**< axes included */
    bool closed;      /**< not in pyplot's registry */
    bool reachable;   /**< false: garbage that waits for the collector */
    const uint64_t *retained; /**< by the figure, its canvas, its manager and
                                   its artists together, and by no other
                                   figure, by device: [lg_graph_device_count +
                                   1], the host first */
    uint64_t total;           /**< of that, all devices together */
    uint64_t canvas;          /**< of that, bytes of pixels; 0: never drawn */
} lg_figure_row;

/** See lg_analysis_figures. */
typedef struct lg_figure_rows {
    lg_figure_row *items; /**< biggest retained first */
    size_t count;
    uint64_t *bytes; /**< what `retained` points into */
} lg_figure_rows;

/** The evidence that says what a group of unattributed blocks is. */
typedef enum lg_evidence {
    LG_EVIDENCE_CUBLAS = 0,  /**< cuBLAS's functions allocated it */
    LG_EVIDENCE_CUBLAS_SIZE, /**< a guess: it has the size of a cuBLAS
                                workspace, and no C++ function was recorded */
    LG_EVIDENCE_GRAPH_POOL,  /**< in a private pool: CUDA graph, MemPool */
    LG_EVIDENCE_BUCKETS,     /**< DistributedDataParallel's reducer allocated
                                it */
    LG_EVIDENCE_BACKWARD,    /**< allocated inside autograd's backward */
    LG_EVIDENCE_AUTOCAST,    /**< autocast's cache of casts */
    LG_EVIDENCE_FRAMES,      /**< other recorded frames: C++ holds it */
    LG_EVIDENCE_IN_FLUX,     /**< allocated or freed during the walk */
    LG_EVIDENCE_STATE,       /**< in a state that leakgraph does not know */
    LG_EVIDENCE_UNLISTED, /**< the allocator counts bytes but lists no blocks:
                             cudaMallocAsync, a pluggable allocator */
    LG_EVIDENCE_UNKNOWN,  /**< allocated before recording began */
    LG_EVIDENCE_COUNT,
} lg_evidence;

/** "cuBLAS workspace", "probably cuBLAS workspace", "private pool", "DDP
 *  buckets", "backward", "autocast cache", "held by C++", "in flux", "unknown
 *  state", "not listed", "unknown". */
const char *lg_evidence_name(lg_evidence evidence);

/**
 * One device's bytes. The allocator's own bytes add up exactly:
 *   reserved  = allocated + pending + inactive
 *   allocated = attributed + unattributed
 *   attributed = used + rounding + slack
 *   attributed = sum of by_kind, unattributed = sum of by_evidence
 * `residual` is what the allocator's own counters say beyond that (stat -
 * allocated): it is shown, never hidden. `outside` are buffers on the device
 * that lie in no segment (another library's, imported by IPC ...), `stale` what
 * lies in a segment but in no allocated block: freed since, or not allocated
 * yet. So all buffers of the device are used + outside + stale. An allocator
 * that lists no blocks has only its own totals: all that is allocated is
 * unattributed, "not listed", and all buffers are `outside`.
 */
typedef struct lg_account {
    uint32_t device;
    lg_string name; /**< "cuda:0"; borrowed from the graph or the state */
    bool known; /**< the allocator listed its blocks; else only buffers count */
    uint64_t reserved, allocated, pending, inactive;
    uint64_t attributed, used, rounding, slack;
    uint64_t unattributed;
    uint64_t by_kind[LG_TENSOR_KIND_COUNT]; /**< a block is of the first kind
                                                 that lies in it */
    uint64_t by_evidence[LG_EVIDENCE_COUNT];
    uint64_t evidence_blocks[LG_EVIDENCE_COUNT];
    uint64_t private_inactive; /**< of inactive: in private pools */
    uint64_t outside;
    uint64_t stale;
    int64_t residual;
    int64_t beyond;  /**< what the driver has in use beyond reserved (all
                          processes); -1: unknown, here and below */
    int64_t process; /**< what this process has by the driver's count: reserved,
                          its context, other libraries */
    int64_t peak_allocated; /**< the most so far, or since it was reset */
    int64_t peak_reserved;
    lg_string strange_states; /**< the names of states that leakgraph does not
                                   know, of any device; their blocks count as
                                   allocated */
} lg_account;

/** The lines of the host's account, in bytes unless a comment says otherwise,
 *  and -1 if unknown. If the capture could read the kernel's account,
 *    rss + swap = the lines of LG_HOST_PART - absent.
 */
typedef enum lg_host {
    LG_HOST_RSS = 0, /**< resident in memory */
    LG_HOST_SHARED,  /**< of rss: other processes map it, too */
    LG_HOST_SWAP,    /**< swapped out */

    LG_HOST_PYTHON,      /**< shallow bytes of Python objects */
    LG_HOST_ARRAYS,      /**< buffers of arrays and bytes-likes */
    LG_HOST_TENSORS,     /**< buffers that tensors look at */
    LG_HOST_CPP,         /**< C++ nodes: autograd graph and tensors' structs */
    LG_HOST_NATIVE,      /**< blocks of C code, in a capture with native memory
                          */
    LG_HOST_ROUNDING,    /**< what allocators spend on Python objects beyond
                              their sizes */
    LG_HOST_ALLOCATIONS, /**< in use in malloc and in Python's arenas, and in
                              none of the nodes */
    LG_HOST_MALLOC_FREE, /**< freed, and kept by malloc */
    LG_HOST_ARENAS_FREE, /**< free in Python's arenas */
    LG_HOST_POOL_FREE,   /**< free in pyarrow's pool, an estimate: what jemalloc
                              counts as resident, or what is resident where
                              mimalloc maps its memory, less what the pool has
                              in use */
    LG_HOST_FILES,       /**< pages of files: code, data that was only read */
    LG_HOST_CHANGED,     /**< pages of files, changed for this process alone */
    LG_HOST_SHMEM,       /**< shared memory */
    LG_HOST_JIT,         /**< anonymous memory that may be executed */
    LG_HOST_STACKS,      /**< of threads */
    LG_HOST_LEAKGRAPH,   /**< what leakgraph itself keeps: open snapshots, their
                              analyses, memory for the next captures */
    LG_HOST_ELSE,        /**< the rest */
    LG_HOST_ABSENT,      /**< in the lines above, but neither resident nor
                              swapped out */

    LG_HOST_MAPPED, /**< buffers in mapped files and shared memory; in none of
                         the other buffers */
    LG_HOST_PINNED, /**< of arrays and tensors: page-locked */
    LG_HOST_PINNED_POOL, /**< page-locked, of PyTorch's allocator for it */
    LG_HOST_PINNED_USED, /**< of that: in use */
    LG_HOST_PINNED_PEAK, /**< the most that it was */
    LG_HOST_MALLOC,      /**< in use by malloc */
    LG_HOST_ARENAS,  /**< of Python's small objects, with what is free there */
    LG_HOST_PYARROW, /**< allocated by pyarrow's pool */
    LG_HOST_CHILDREN_SHMEM, /**< segments of /dev/shm that child processes have
                                 open, and this one has not */

    LG_HOST_THREADS,          /**< how many */
    LG_HOST_DESCRIPTORS,      /**< how many are open */
    LG_HOST_DESCRIPTORS_MOST, /**< how many can be */
    LG_HOST_SEGMENTS,         /**< how many of /dev/shm are open or mapped */
    LG_HOST_CHILDREN,         /**< how many child processes there are */
    LG_HOST_COUNT
} lg_host;

typedef enum lg_host_role {
    LG_HOST_WHOLE = 0, /**< what the parts add up to */
    LG_HOST_WITHIN,    /**< a share of the line above it, in no sum */
    LG_HOST_PART,
    LG_HOST_DEDUCTED, /**< from the sum of the parts */
    LG_HOST_BESIDE,   /**< bytes of other lines, as somebody else counts them */
    LG_HOST_NUMBER,   /**< no bytes */
} lg_host_role;

typedef struct lg_host_line {
    const char *key;  /**< in JSON: "malloc_free" */
    const char *name; /**< for people: "free in malloc" */
    const char *note; /**< for people, may be empty */
    lg_host_role role;
} lg_host_line;

/** The words for a line of the account of the host. */
lg_host_line lg_host_words(lg_host which);

/** Where blocks without an owner were allocated. */
typedef struct lg_block_stack {
    lg_string frames; /**< not empty; the graph or the state owns it */
    uint64_t bytes;
    uint64_t blocks;
    uint32_t device;
    lg_evidence evidence;
} lg_block_stack;

typedef struct lg_accounts {
    lg_account *items; /**< a device each, host left out */
    size_t count;
    int64_t host[LG_HOST_COUNT]; /**< -1: unknown */
    lg_block_stack *stacks;      /**< each once, biggest first */
    size_t stack_count;
} lg_accounts;

void lg_accounts_free(lg_accounts *accounts);

/** Whether what the allocators have in use beyond the nodes is so much of what
 *  is resident that one asks who holds it. */
bool lg_host_wants_native(int64_t resident, int64_t allocations);
/** Returns what that is in a graph whose nodes have so many bytes on the host;
 * 0 if it is less, or if the graph has native memory. */
uint64_t lg_graph_wanting_native(const lg_graph *graph, uint64_t known);

/** Allocator state from elsewhere, such as a recorded snapshot. */
typedef struct lg_allocator_state {
    const lg_segment *segments; /**< string ids of the graph, or 0 */
    size_t segment_count;
    const lg_block *blocks;
    size_t block_count;
    const char *const *block_frames;  /**< [block_count] or NULL: instead of
                                           lg_block.frames */
    const char *const *segment_pools; /**< [segment_count] or NULL: instead of
                                           lg_segment.pool; NULL or empty: the
                                           default pool */
    const char *const *more_devices;  /**< [more_device_count] names of devices
                                           that the graph does not have; their
                                           ids follow those of the graph */
    uint32_t more_device_count;
    const char *strange_states; /**< names of the states of blocks that are
                                     LG_BLOCK_STRANGE; or NULL */
} lg_allocator_state;

/** Matches buffers to blocks by address. `state` NULL stands for the graph's
 *  own. LG_EINVAL names the first impossible block or segment (it overlaps, or
 *  lies outside). O((buffers + blocks) log). In a partial graph, what was not
 *  captured is unattributed. */
lg_status lg_graph_accounts(const lg_graph *graph,
                            const lg_allocator_state *state, lg_accounts *out,
                            lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
