/**
 * What a capture keeps for its adapters: which of them take part, and which
 * instances are noted for each.
 */
#ifndef LEAKGRAPH_ADAPTER_PASS_H
#define LEAKGRAPH_ADAPTER_PASS_H

#include "capture/walk/capture_walk.h"
#include "capture/adapters/adapter.h"
#include "capture/adapters/adapter_passes.h"

/** A noted instance; its kind is that of its type. */
typedef struct lg__noted {
    uint32_t node;
    uint32_t kind;
} lg__noted;

struct lg__adapter_pass {
    lg__heap_walk *walk;
    const lg__adapter *adapter; /**< NULL: does not take part */
    void *state;
    lg__scratch noted; /**< lg__noted */
    uint32_t noted_count;
    uint32_t given; /**< how many of them the adapter has got */
    uint32_t held;  /**< how many of them the capture holds */
};

/** A name and its id: a C++ type or a device. */
typedef struct lg__named_id {
    const char *name;
    uint32_t id;
    struct lg__named_id *next;
} lg__named_id;

typedef struct lg__adapter_passes {
    lg__adapter_pass each[LG__ADAPTERS_MAX];
    lg__named_id *types;
    lg__named_id *devices;
    PyObject *raised[3]; /**< the exception of lg__pass_interrupt, or NULL */
} lg__adapter_passes;

#endif
