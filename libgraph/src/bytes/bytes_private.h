/**
 * Where the bytes are: storages and their tensors, figures, the accounts of
 * each device's allocator, and suspended frames.
 */
#ifndef LG_BYTES_PRIVATE_H
#define LG_BYTES_PRIVATE_H

#include <leakgraph/bytes.h>

#include "paths/paths_private.h"

// Storages: the buffers that tensors use, and the role of each.

/** What a type means for tensors; bits. */
enum {
    LG__CLASS_TENSOR = 1 << 0,
    LG__CLASS_STORAGE = 1 << 1, /**< a Python object that is a storage */
    LG__CLASS_PARAMETER = 1 << 2,
    LG__CLASS_BUFFER = 1 << 3,
    LG__CLASS_MODULE = 1 << 4,
    LG__CLASS_OPTIMIZER = 1 << 5,
    LG__CLASS_AUTOGRAD = 1 << 6, /**< keeps tensors for backward: an autograd
                                    node, a function's ctx */
    LG__CLASS_REDUCER = 1 << 7,  /**< copies gradients between processes */
    LG__CLASS_BOUND = 1 << 8,    /**< keeps memory in C++: packed weights */
};

typedef struct lg__storages {
    lg_tensor_row *rows;
    uint32_t count;
    uint32_t *slot; /**< [node] 1 + row of a buffer, or of the first buffer of
                         a tensor; 0: none */
    uint16_t *classes; /**< [type] */
    uint32_t *via; /**< [node] 1 + the node that gives a tensor its kind: the
                        mapping of a module, or the tensor whose gradient it
                        is; 0: none */
} lg__storages;

/** Finds all storages; their order means nothing. */
lg_status lg__storages_find(const lg_graph *graph, lg__storages *out,
                            lg_error *err);
void lg__storages_free(lg__storages *storages);
/** lg_graph_tensors. The caller frees *storages, which has no rows then. */
lg_status lg__storages_list(const lg_graph *graph, const lg_scope *scope,
                            uint32_t device, size_t limit,
                            lg__storages *storages, lg_tensor_rows *out,
                            lg_error *err);
/** What stands for a row: its tensor, or the storage if it has none. */
lg_node lg__tensor_node(const lg_tensor_row *row);
/** What is known of a row's tensor; empty if there is none. */
lg_string lg__tensor_fact(const lg_graph *graph, const lg_tensor_row *row,
                          const char *key);
/** Of lg_tensor_rows as context: the bytes of all on a device. */
uint64_t lg__tensor_bytes_on(const void *rows, uint32_t device);

/** Marks of a node: bits 1 << lg_tensor_kind for the kinds before temporary,
 *  and the other holders. Only tensors of the same storage keep a tensor
 *  without marks, such as the base of a view. */
enum {
    LG__MARK_FRAME = 1 << 5,
    LG__MARK_ELSE = 1 << 6, /**< anything but a frame */
};

/** Marks tensors, and sets `via`. *out is [node]; release it with free(). */
lg_status lg__storages_mark(const lg_graph *graph, lg__storages *storages,
                            uint8_t **out, lg_error *err);

/** The autograd node that made a tensor, or LG_NONE. */
uint32_t lg__tensor_grad_fn(const lg_graph *graph, uint32_t tensor);

/** Bytes of the interval of one buffer. */
uint64_t lg__buffer_bytes(const lg_graph *graph, uint32_t buffer);

/** The functions that allocated a buffer, innermost first, as the capture or
 *  the allocator of its device recorded them; empty. */
lg_string lg__buffer_allocation(const lg_graph *graph, uint32_t buffer);

static inline unsigned
lg__node_class(const lg_graph *graph, const lg__storages *storages,
               uint32_t node)
{
    return storages->classes[graph->columns.type[node]];
}

// Accounts: match the buffers of the graph with the blocks of the allocators.

/** What a block is that no object of the graph uses. */
lg_evidence lg__evidence_of(const lg_block *block, lg_string pool,
                            lg_string frames);

/** Whether the text of a frame is what the program noted about a block instead,
 *  "user_metadata 'text'". It stands before the frames. */
bool lg__is_metadata(lg_string frame);

/** The fate of a block of a state, besides the evidences. */
enum {
    LG__FATE_OWNED = LG_EVIDENCE_COUNT, /**< an object of the graph uses it */
    LG__FATE_FREE,                      /**< it is not allocated */
};

/** The state to match with: the given one, or the one of the graph. */
lg_allocator_state lg__allocator_state(const lg_graph *graph,
                                       const lg_allocator_state *given);
lg_string lg__block_frames(const lg_graph *graph,
                           const lg_allocator_state *state, size_t block);

/** Fills the account of the host. */
void lg__accounts_host(const lg_graph *graph, const lg__storages *storages,
                       lg_accounts *out);

/** An interval of a device's memory. */
typedef struct lg__piece {
    uint64_t begin;
    uint64_t end;
    uint32_t device;
    uint32_t index; /**< of its segment, block or node */
} lg__piece;

typedef struct lg__pieces {
    lg__piece *items; /**< by device and begin */
    size_t count;
} lg__pieces;

/** Calls `visit` with each pair that shares memory, and with the shared bytes.
 *  The pieces of one side must not overlap. O(left + right + pairs). */
void lg__pieces_meet(const lg__pieces *left, const lg__pieces *right,
                     void (*visit)(void *context, uint32_t left, uint32_t right,
                                   uint64_t bytes),
                     void *context);

/** Segments and blocks of a state; LG_EINVAL names the first impossible one. */
lg_status lg__pieces_of_segments(const lg_graph *graph,
                                 const lg_allocator_state *state,
                                 lg__pieces *out, lg_error *err);
lg_status lg__pieces_of_blocks(const lg_allocator_state *state, lg__pieces *out,
                               lg_error *err);
/** Buffers on devices, if they have an address. */
lg_status lg__pieces_of_buffers(const lg_graph *graph, lg__pieces *out,
                                lg_error *err);

/** Fills the stacks of the accounts: those that allocated blocks without an
 *  owner. */
lg_status lg__accounts_stacks(const lg_graph *graph,
                              const lg_allocator_state *state,
                              const uint8_t *fates, lg_accounts *out,
                              lg_error *err);

// Figures and their parts: canvas, manager, axes and all other artists.

/** What a type means for figures; bits. */
enum {
    LG__IS_FIGURE = 1 << 0,
    LG__IS_PART = 1 << 1, /**< part of a figure, and holds artists itself */
    LG__IS_ARTIST = 1 << 2,
    LG__IS_PIXELS = 1 << 3,
    LG__IS_ANIMATION = 1 << 4,
};

typedef struct lg__figures {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg__walk walk;
    uint8_t *classes;    /**< [type] */
    lg_figure_rows rows; /**< biggest retained first */
    /** [node] the number of the figure that has the node as a part, or that
     *  alone keeps it alive; LG__SHARED: several figures do; 0: none. The
     *  number of a row is that of its node. */
    uint32_t *label;
    lg__gathered members; /**< by number */
    lg__gathered first;   /**< [number - 1] into members, and the end */
} lg__figures;

/** Free with lg__figures_free, also on failure. O(nodes + edges). */
lg_status lg__figures_find(const lg_analysis *analysis, lg__figures *out,
                           lg_error *err);
void lg__figures_free(lg__figures *figures);

static inline unsigned
lg__figures_class(const lg__figures *figures, uint32_t node)
{
    return figures->classes[figures->graph->columns.type[node]];
}

// Views: arrays, tensors and memoryviews of memory that something else made.

typedef struct lg__views {
    const lg_graph *graph;
    lg__reverse reverse;
    uint32_t *seen; /**< [node] number of the last search that met it */
    uint32_t searches;
    lg__gathered arrays;   /**< of the last one, views of views included */
    uint64_t shown;        /**< bytes of those that anything else refers to */
    uint32_t widest;       /**< of those, or LG_NONE */
    uint64_t widest_shown; /**< bytes of that one */
    bool unknown;          /**< something shows an unknown part of it */
} lg__views;

/** False: memory ran out. Free with lg__views_end, also on failure. */
bool lg__views_begin(lg__views *views, const lg_graph *graph);
/** Looks for what shows a part of the memory. False: memory ran out. O(views).
 */
bool lg__views_look(lg__views *views, uint32_t memory);
void lg__views_end(lg__views *views);
/** Whether views may show it: a buffer, or a bytes object, which has its memory
 *  in itself. */
bool lg__node_is_memory(const lg_graph *graph, uint32_t node);

// Suspended generators, coroutines and tasks.

/** Lists those with local variables that no thread is running, the largest
 *  retained size first; without an analysis (NULL) in order of nodes. Release
 *  the items with free(). O(nodes + edges). */
lg_status lg__suspended_list(const lg_graph *graph, const lg_analysis *analysis,
                             lg__gathered *out, lg_error *err);

#endif
