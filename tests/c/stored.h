/**
 * A small training program with its bytes: tensors on the host and on a GPU,
 * arrays, and the state of the GPU's allocator.
 */
#ifndef LEAKGRAPH_STORED_H
#define LEAKGRAPH_STORED_H

#include <leakgraph/internal/allocator.h>

/** The program's objects; buffers come after them. */
enum stored_node {
    STORED_THREAD,
    STORED_FRAME,
    STORED_TRAIN,      /* module train */
    STORED_LAYER,      /* train.layer, a Linear */
    STORED_PARAMETERS, /* its _parameters */
    STORED_WEIGHT,     /* its weight, a Parameter on the GPU */
    STORED_GRADIENT,   /* weight.grad */
    STORED_OPTIMIZER,  /* train.optimizer, an Adam */
    STORED_STATE,      /* its state */
    STORED_MOMENTS,    /* state of the weight */
    STORED_MOMENT,     /* exp_avg */
    STORED_LOSSES,     /* train.losses, a list of 1 */
    STORED_LOSS,       /* a tensor on the host */
    STORED_MUL,        /* its grad_fn */
    STORED_SAVED,      /* its saved tensor, without a wrapper, on the GPU */
    STORED_BATCH,      /* a local of a frame, on the GPU */
    STORED_SLICE,      /* batch[0] */
    STORED_ARRAY,      /* train.array */
    STORED_TAIL,       /* train.tail = array[-10:] */
    STORED_BYTES,      /* train.text */
    STORED_LETTERS,    /* train.letters = frombuffer(text) */
    STORED_MAP,        /* train.map, an mmap */
    STORED_GIVEN,      /* the nodes that tests add; buffers follow */
    STORED_ARRAY_DATA = STORED_GIVEN,
    STORED_LOSS_DATA,
    STORED_MAP_DATA,
    STORED_WEIGHT_DATA,
    STORED_GRADIENT_DATA,
    STORED_MOMENT_DATA,
    STORED_SAVED_DATA,
    STORED_BATCH_DATA,
    STORED_COUNT,
};

/** Builds the program with the allocator (NULL: malloc). */
lg_status stored_new(const lg_allocator *allocator, lg_graph **out,
                     lg_error *err);

/** Where the GPU's memory begins: two segments of 2 MiB, then one of a private
 *  pool. */
#define STORED_GPU 0x7e0000000000u

#endif
