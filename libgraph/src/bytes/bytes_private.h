/**
 * Where the bytes are: storages and their tensors, figures, the accounts of
 * each device's allocator, and views.
 */
#ifndef LEAKGRAPH_BYTES_PRIVATE_H
#define LEAKGRAPH_BYTES_PRIVATE_H

#include <leakgraph/internal/bytes.h>

#include "paths/paths_private.h"

// Storages are the buffers that tensors use. Each has a role.

/** What a type means for tensors, as bits. */
enum {
    LG__CLASS_TENSOR = 1 << 0,
    LG__CLASS_STORAGE = 1 << 1, /**< a Python object that is a storage */
    LG__CLASS_PARAMETER = 1 << 2,
    LG__CLASS_BUFFER = 1 << 3,
    LG__CLASS_MODULE = 1 << 4,
    LG__CLASS_OPTIMIZER = 1 << 5,
    LG__CLASS_AUTOGRAD = 1 << 6, /**< keeps tensors for the backward pass: an
                                    autograd node, or a function's ctx */
    LG__CLASS_REDUCER = 1 << 7,  /**< copies gradients between processes */
    LG__CLASS_BOUND = 1 << 8,    /**< keeps memory in C++: packed weights */
};

typedef struct lg__storages {
    lg_tensor_row *rows;
    uint32_t count;
    uint32_t *slot; /**< [node] 1 + the row of a buffer, or of a tensor's first
                       buffer; 0: none */
    uint16_t *classes;   /**< [type] */
    uint32_t *kind_from; /**< [node] 1 + the node that gives a tensor its kind:
                        a module's mapping, or the tensor whose gradient it is;
                        0: none */
} lg__storages;

/** Finds all storages, in no order. */
lg_status lg__storages_find(const lg_graph *graph, lg__storages *out,
                            lg_error *err);
void lg__storages_free(lg__storages *storages);
/** Lists tensors for lg_graph_storages. The caller frees *storages, whose rows
 *  have moved to the list. */
lg_status lg__storages_list(const lg_graph *graph, const lg_scope *scope,
                            uint32_t device, size_t limit,
                            lg__storages *storages, lg_tensor_rows *out,
                            lg_error *err);
/** Returns the node that represents a row: its tensor, or the storage if it has
 *  none. */
lg_node lg__tensor_node(const lg_tensor_row *row);
/** Returns a fact about a row's tensor; empty if there is none. */
lg_string lg__tensor_fact(const lg_graph *graph, const lg_tensor_row *row,
                          const char *key);
/** Returns the bytes of all rows on a device. `rows` is an lg_tensor_rows. */
uint64_t lg__tensor_bytes_on(const void *rows, uint32_t device);

/** Marks of a node: bit 1 << lg_tensor_kind for each kind before temporary, and
 *  the other holders. Only tensors of the same storage keep a tensor without
 *  marks; for example, only a view keeps its base. */
enum {
    LG__MARK_FRAME = 1 << 5,
    LG__MARK_ELSE = 1 << 6, /**< anything else but a frame */
};

/** Returns the autograd node that made a tensor, or LG_NONE. */
uint32_t lg__tensor_grad_fn(const lg_graph *graph, uint32_t tensor);

/** Returns the length of a buffer's address interval. */
uint64_t lg__buffer_bytes(const lg_graph *graph, uint32_t buffer);

/** Returns the functions that allocated a buffer, innermost first, as the
 *  capture or the device's allocator recorded them; empty if neither did. */
lg_string lg__buffer_allocation(const lg_graph *graph, uint32_t buffer);
/** Returns the same as the device's allocator recorded it, as the number of a
 *  string; 0: it did not. */
uint32_t lg__buffer_block_frames(const lg_graph *graph, uint32_t buffer);

static inline unsigned
lg__node_class(const lg_graph *graph, const lg__storages *storages,
               uint32_t node)
{
    return storages->classes[lg_columns_type(&graph->columns, node)];
}

// Accounts match the buffers of the graph with the blocks of the allocators.

/** Returns what a block is that no object of the graph uses. */
lg_evidence lg__evidence_of(const lg_block *block, lg_string pool,
                            lg_string frames);

/** Returns whether the text of a frame is the program's note about a block,
 *  "user_metadata 'text'", which stands before the frames. */
bool lg__is_metadata(lg_string frame);

/** What becomes of a block in an account, besides the evidences. */
enum {
    LG__FATE_OWNED = LG_EVIDENCE_COUNT, /**< an object of the graph uses it */
    LG__FATE_FREE,                      /**< it is not allocated */
};

/** An interval of a device's memory. */
typedef struct lg__piece {
    uint64_t begin;
    uint64_t end;
    uint32_t device;
    uint32_t index; /**< index of its segment, block or node */
} lg__piece;

typedef struct lg__pieces {
    lg__piece *items; /**< sorted by device, then begin */
    size_t count;
} lg__pieces;

// Figures and their parts: canvas, manager, axes and all other artists.

/** What a type means for figures, as bits. */
enum {
    LG__IS_FIGURE = 1 << 0,
    LG__IS_PART = 1 << 1, /**< a part of a figure that holds artists itself */
    LG__IS_ARTIST = 1 << 2,
    LG__IS_PIXELS = 1 << 3,
    LG__IS_ANIMATION = 1 << 4,
};

typedef struct lg__figures {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg__hop_walk walk;
    uint8_t *classes;    /**< [type] */
    lg_figure_rows rows; /**< sorted by retained bytes, biggest first */
    /** [node] number of the figure that has the node as a part, or that alone
     *  keeps it alive; LG__SHARED: several figures do; 0: none. A row has the
     *  number of its own node. */
    uint32_t *label;
    lg__gathered members; /**< parts, sorted by figure number */
    lg__gathered first;   /**< [number - 1] index of the first member; the last
                             element is the end */
} lg__figures;

/** Finds the figures. Free them with lg__figures_free, also on failure. O(nodes
 *  + edges). */
lg_status lg__figures_find(const lg_analysis *analysis, lg__figures *out,
                           lg_error *err);
void lg__figures_free(lg__figures *figures);

static inline unsigned
lg__figures_class(const lg__figures *figures, uint32_t node)
{
    return figures->classes[lg_columns_type(&figures->graph->columns, node)];
}

// Views are arrays, tensors and memoryviews of memory that something else made.

typedef struct lg__views {
    const lg_graph *graph;
    lg__reverse reverse;
    uint32_t *seen; /**< [node] number of the last search that met it */
    uint32_t searches;
    lg__gathered arrays; /**< those of the last search */
    lg__gathered held; /**< of those, the ones to which anything else refers */
    uint64_t shown;    /**< bytes of the held ones */
    uint32_t widest;   /**< the widest of those, or LG_NONE */
    uint64_t widest_shown; /**< bytes of the widest one */
    bool unknown;          /**< something shows an unknown part of the memory */
} lg__views;

/** Returns false when memory ran out. Free with lg__views_end, also on
 *  failure. */
bool lg__views_begin(lg__views *views, const lg_graph *graph);
/** Finds what shows a part of the memory. Returns false when memory ran out.
 *  O(views). */
bool lg__views_look(lg__views *views, uint32_t memory);
void lg__views_end(lg__views *views);
/** Returns whether views may show the node: a buffer, or a bytes object, which
 *  contains its memory. */
bool lg__node_is_memory(const lg_graph *graph, uint32_t node);

#endif
