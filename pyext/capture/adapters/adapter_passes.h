/**
 * The capture's side of adapters: it runs them all.
 */
#ifndef LEAKGRAPH_ADAPTER_PASSES_H
#define LEAKGRAPH_ADAPTER_PASSES_H

#include "capture/adapters/adapter.h"

typedef struct lg__heap_walk lg__heap_walk;
typedef struct lg__walk_hooks lg__walk_hooks;

/** What the walk calls for types and instances that adapters want. */
extern const lg__walk_hooks lg__passes_hooks;

/** Prepares every adapter of a list that ends with NULL and whose library is
 *  loaded. May run Python code. False when memory ran out. */
bool lg__passes_open(lg__heap_walk *walk, const lg__adapter *const *adapters);
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
