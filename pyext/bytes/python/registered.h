/** What registered.c and registered_ask.c share. */
#ifndef LEAKGRAPH_REGISTERED_H
#define LEAKGRAPH_REGISTERED_H

#include "capture/adapters/capture_adapters.h"

/** How to find the memory of a type's instances. The registry owns all of
 *  it. */
typedef struct lg__registration {
    bool given;
    PyObject *address; /**< None, str or int */
    PyObject *length;  /**< the same; None: ask the reader or the protocol */
    bool protocol;
    PyObject *reader; /**< or None */
} lg__registration;

typedef struct lg__registered {
    PyObject *registry;     /**< dict of types */
    const char *refused;    /**< why the types' own code may not run, or NULL */
    PyTypeObject *type;     /**< the last type looked up */
    lg__registration entry; /**< its registration */
} lg__registered;

/** The registration of the type or of its nearest registered base; NULL if
 *  there is none. Valid until the next call. */
const lg__registration *lg__registered_find(lg__registered *state,
                                            PyTypeObject *type);
/** Charges memory to an instance. */
void lg__registered_add(lg__adapter_pass *pass, const lg__instance *instance,
                        const void *address, uint64_t length, uint32_t device);
/** Notes why the memory of an instance is unknown, in the facts of the instance
 *  and of the snapshot. */
void lg__registered_fail(lg__adapter_pass *pass, const lg__instance *instance,
                         const char *why);

void lg__registered_ask(lg__adapter_pass *pass, void *state);

#endif
