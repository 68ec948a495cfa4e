/**
 * The capture's side of adapters: which of them take part, and which instances
 * are noted for each. Adapters include adapter.h only.
 */
#ifndef LEAKGRAPH_ADAPTER_PASS_H
#define LEAKGRAPH_ADAPTER_PASS_H

#include "capture/walk/heap_walk.h"
#include "capture/adapters/adapter.h"

/** A noted instance; its kind is that of its type. */
typedef struct lg_noted {
    uint32_t node;
    uint32_t kind;
} lg_noted;

struct lg_adapter_pass {
    lg_walk *walk;
    const lg_adapter *adapter; /**< NULL: does not take part */
    void *state;
    lg_scratch noted; /**< lg_noted */
    uint32_t noted_count;
    uint32_t given; /**< how many of them the adapter has got */
    uint32_t held;  /**< how many of them the capture holds */
};

/** A name and its id: a C++ type or a device. */
typedef struct lg_named_id {
    const char *name;
    uint32_t id;
    struct lg_named_id *next;
} lg_named_id;

typedef struct lg_adapter_passes {
    lg_adapter_pass each[LG_ADAPTERS_MAX];
    lg_named_id *types;
    lg_named_id *devices;
    PyObject *raised[3]; /**< the exception of lg_pass_interrupt, or NULL */
} lg_adapter_passes;

/** Prepares every adapter whose library is loaded. May run Python code. False
 *  when memory ran out. */
bool lg_passes_open(lg_walk *walk);
/** Runs the passes, and the walk of what they add, until nothing is new. */
void lg_passes_run(lg_walk *walk);
/** Lets adapters count what they found, after the last pass. */
void lg_passes_settle(lg_walk *walk);
/** Whether there are instances that an adapter has not got yet. */
bool lg_passes_have_news(const lg_walk *walk);
/** Takes references to the instances that adapters will ask about. */
void lg_passes_hold(lg_walk *walk);
/** Lets adapters ask their libraries. May run Python code. */
void lg_passes_ask(lg_walk *walk);
/** Hands over the exception with which an adapter ended the capture, as
 *  PyErr_Restore takes it; NULLs if there is none. */
void lg_passes_take_raised(lg_walk *walk, PyObject *raised[3]);
void lg_passes_close(lg_walk *walk);

#endif
