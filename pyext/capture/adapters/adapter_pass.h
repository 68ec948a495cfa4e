/**
 * The capture's side of adapters: which of them take part, and which instances
 * are noted for each. Adapters include adapter.h only.
 */
#ifndef LEAKGRAPH_ADAPTER_PASS_H
#define LEAKGRAPH_ADAPTER_PASS_H

#include "capture/walk/heap_walk.h"
#include "capture/adapters/adapter.h"

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

/** Prepares every adapter whose library is loaded. May run Python code. False
 *  when memory ran out. */
bool lg__passes_open(lg__heap_walk *walk);
/** Runs the passes, and the walk of what they add, until nothing is new. */
void lg__passes_run(lg__heap_walk *walk);
/** Lets adapters count what they found, after the last pass. */
void lg__passes_settle(lg__heap_walk *walk);
/** Whether there are instances that an adapter has not got yet. */
bool lg__passes_have_news(const lg__heap_walk *walk);
/** Takes references to the instances that adapters will ask about. */
void lg__passes_hold(lg__heap_walk *walk);
/** Lets adapters ask their libraries. May run Python code. */
void lg__passes_ask(lg__heap_walk *walk);
/** Hands over the exception with which an adapter ended the capture, as
 *  PyErr_Restore takes it; NULLs if there is none. */
void lg__passes_take_raised(lg__heap_walk *walk, PyObject *raised[3]);
void lg__passes_close(lg__heap_walk *walk);

#endif
