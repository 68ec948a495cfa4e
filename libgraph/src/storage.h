/**
 * Storages: the buffers that tensors look at, and what each is for.
 */
#ifndef LG_STORAGE_H
#define LG_STORAGE_H

#include <leakgraph/bytes.h>

#include "graph.h"

/** What a type is to tensors; bits. */
enum {
    LG__CLASS_TENSOR = 1 << 0,
    LG__CLASS_STORAGE = 1 << 1, /**< a Python object that is a storage */
    LG__CLASS_PARAMETER = 1 << 2,
    LG__CLASS_BUFFER = 1 << 3,
    LG__CLASS_MODULE = 1 << 4,
    LG__CLASS_OPTIMIZER = 1 << 5,
    LG__CLASS_AUTOGRAD = 1 << 6, /**< what keeps tensors for backward: a node, a
                                      function's ctx */
};

typedef struct lg__storages {
    lg_tensor_row *rows;
    uint32_t count;
    uint32_t *slot;   /**< [node] 1 + row of a buffer, or of the first buffer of
                           a tensor; 0: none */
    uint8_t *classes; /**< [type] */
    uint32_t *via;    /**< [node] 1 + who gives a tensor its kind: the mapping
                           of a module, the tensor whose gradient it is; 0: none
                       */
} lg__storages;

/** All storages, in no order that matters. */
lg_status lg__storages_find(const lg_graph *graph, lg__storages *out,
                            lg_error *err);
void lg__storages_free(lg__storages *storages);
/** lg_graph_tensors; *storages, without its rows, is the caller's to free. */
lg_status lg__storages_list(const lg_graph *graph, uint32_t device,
                            size_t limit, lg__storages *storages,
                            lg_tensor_rows *out, lg_error *err);

/** Marks of a node: bits 1 << lg_tensor_kind for the kinds before temporary,
 *  and who else holds it. A tensor without any is kept by tensors of the same
 *  storage alone, as a view's base is. */
enum {
    LG__MARK_FRAME = 1 << 5,
    LG__MARK_ELSE = 1 << 6, /**< anything but a frame */
};

/** Marks tensors, and sets `via`. *out is [node], to be released with free().
 */
lg_status lg__storages_mark(const lg_graph *graph, lg__storages *storages,
                            uint8_t **out, lg_error *err);

/** The autograd node that made a tensor, or LG_NONE. */
uint32_t lg__tensor_grad_fn(const lg_graph *graph, uint32_t tensor);

/** Bytes of a buffer's interval alone. */
uint64_t lg__buffer_bytes(const lg_graph *graph, uint32_t buffer);

static inline unsigned
lg__node_class(const lg_graph *graph, const lg__storages *storages,
               uint32_t node)
{
    return storages->classes[graph->columns.type[node]];
}

#endif
