/**
 * The capture's side of adapters: who takes part, and the instances noted for
 * each. Adapters see adapter.h only.
 */
#ifndef LEAKGRAPH_ADAPTER_PASS_H
#define LEAKGRAPH_ADAPTER_PASS_H

#include "capture/walk/heap_walk.h"
#include "capture/adapters/adapter.h"

/** An instance as it is noted: its kind is its type's. */
typedef struct lg_noted {
    uint32_t node;
    uint32_t kind;
} lg_noted;

struct lg_adapter_pass {
    lg_walk *walk;
    const lg_adapter *adapter; /**< NULL: takes no part */
    void *state;
    lg_scratch noted; /**< lg_noted */
    uint32_t noted_count;
    uint32_t given; /**< of those */
    uint32_t held;  /**< of those */
};

/** A name with the id it was given: C++ types, devices. */
typedef struct lg_named_id {
    const char *name;
    uint32_t id;
    struct lg_named_id *next;
} lg_named_id;

typedef struct lg_adapter_passes {
    lg_adapter_pass each[LG_ADAPTERS_MAX];
    lg_named_id *types;
    lg_named_id *devices;
    PyObject *raised[3]; /**< what lg_pass_interrupt took over, or NULL */
} lg_adapter_passes;

/** Prepares every adapter whose library is there. May run Python code. False
 *  when memory ran out. */
bool lg_passes_open(lg_walk *walk);
/** Runs the surveys, and the walk of what they find, until nothing is new. */
void lg_passes_run(lg_walk *walk);
/** Lets adapters count what was found, once nothing more will be. */
void lg_passes_settle(lg_walk *walk);
/** Whether adapters were not yet shown all that was met. */
bool lg_passes_have_news(const lg_walk *walk);
/** Takes references to the instances that adapters will ask about. */
void lg_passes_hold(lg_walk *walk);
/** Lets adapters ask their libraries. May run Python code. */
void lg_passes_ask(lg_walk *walk);
/** Gives the exception away that an adapter has ended the capture with, as
 *  PyErr_Restore takes it: NULLs if none has. */
void lg_passes_take_raised(lg_walk *walk, PyObject *raised[3]);
void lg_passes_close(lg_walk *walk);

#endif
