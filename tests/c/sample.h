/**
 * Graphs for tests: a small hand-made program, and random ones.
 */
#ifndef LEAKGRAPH_SAMPLE_H
#define LEAKGRAPH_SAMPLE_H

#include <leakgraph/internal/allocator.h>
#include <leakgraph/path.h>

/** Nodes of the sample, by name. */
enum sample_node {
    SAMPLE_THREAD,       /* thread MainThread */
    SAMPLE_FRAME,        /* its frame, train() train.py:12 */
    SAMPLE_TRAIN,        /* module train */
    SAMPLE_TRAIN_DICT,   /* its namespace */
    SAMPLE_LOSSES_KEY,   /* 'losses' */
    SAMPLE_LOSSES,       /* train.losses, a list of 2 */
    SAMPLE_LOSS,         /* train.losses[0], a tensor */
    SAMPLE_STATE,        /* train.losses[1], a dict */
    SAMPLE_STEP_KEY,     /* 'it''s', user data */
    SAMPLE_NUMBER,       /* 17, also a key */
    SAMPLE_TRAINER_KEY,  /* 'trainer' */
    SAMPLE_TRAINER,      /* train.trainer, an instance */
    SAMPLE_TRAINER_DICT, /* its own namespace */
    SAMPLE_MODEL_KEY,    /* 'model' */
    SAMPLE_MODEL,        /* train.trainer.model */
    SAMPLE_STEP,         /* train.losses[1]['it''s'], a function */
    SAMPLE_CODE,         /* its code */
    SAMPLE_NAMES,        /* the code's names */
    SAMPLE_MODEL_NAME,   /* 'model_of_closure' */
    SAMPLE_OTHER_NAME,   /* 'argument' */
    SAMPLE_CLOSURE,      /* its closure tuple */
    SAMPLE_CELL,         /* the cell in it */
    SAMPLE_CAPTURED,     /* the cell's content */
    SAMPLE_SHARED_OWNER, /* an instance whose namespace has another holder */
    SAMPLE_SHARED_DICT,  /* that namespace */
    SAMPLE_GENERATOR,    /* a suspended generator */
    SAMPLE_GC,           /* module gc, which also holds the losses */
    SAMPLE_GARBAGE,      /* nothing reaches it */
    SAMPLE_NATIVE,       /* only native code holds it */
    SAMPLE_HUGE,         /* 8 GiB, held by SAMPLE_NATIVE */
    SAMPLE_CLASS,        /* class train.Trainer */
    SAMPLE_COUNT,
};

/** The address of a node in the sample. */
#define SAMPLE_ADDRESS(node) (0x7f0000001000u + 64u * (uint64_t)(node))

/** Builds the sample with the allocator (NULL: malloc). */
lg_status sample_new(const lg_allocator *allocator, lg_graph **out,
                     lg_error *err);

/** Makes a random graph with every kind of edge and node, complete or
 *  partial. */
lg_graph *sample_random(uint64_t seed, uint32_t nodes, bool partial);

/** Makes a chain: node 0, a module, refers to node 1, node 1 to 2, and so
 *  on. */
lg_graph *sample_chain(uint32_t nodes);

/** Returns whether every accessor gives the same for both graphs. */
bool sample_equal(const lg_graph *a, const lg_graph *b);

/** Returns the text of lg_hop_label; release it with free(). */
char *sample_label(const lg_graph *graph, const lg_hop *hop);

#endif
