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
};

typedef struct lg__storages {
    lg_tensor_row *rows;
    uint32_t count;
    uint32_t *slot;   /**< [node] 1 + row of a buffer, or of the first buffer of
                           a tensor; 0: none */
    uint8_t *classes; /**< [type] */
} lg__storages;

/** All storages, in no order that matters. */
lg_status lg__storages_find(const lg_graph *graph, lg__storages *out,
                            lg_error *err);
void lg__storages_free(lg__storages *storages);

/** Sets the kind of every row. */
lg_status lg__storages_judge(const lg_graph *graph, lg__storages *storages,
                             lg_error *err);

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
