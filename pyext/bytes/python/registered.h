/** What registered.c and registered_ask.c share. */
#ifndef LEAKGRAPH_REGISTERED_H
#define LEAKGRAPH_REGISTERED_H

#include "capture/adapters/adapter.h"

/** How to find the memory of a type's instances. The registry owns all of
 *  it. */
typedef struct lg_registration {
    bool given;
    PyObject *address; /**< None, str or int */
    PyObject *length;  /**< the same; None: ask the reader or the protocol */
    bool protocol;
    PyObject *reader; /**< or None */
} lg_registration;

typedef struct lg_registered {
    PyObject *registry;    /**< dict of types */
    const char *refused;   /**< why the types' own code may not run, or NULL */
    PyTypeObject *type;    /**< the last type looked up */
    lg_registration entry; /**< its registration */
} lg_registered;

/** The registration of the type or of its nearest registered base; NULL if
 *  there is none. Valid until the next call. */
const lg_registration *lg_registered_find(lg_registered *state,
                                          PyTypeObject *type);
/** Charges memory to an instance. */
void lg_registered_add(lg_adapter_pass *pass, const lg_instance *instance,
                       const void *address, uint64_t length, uint32_t device);
/** Notes why the memory of an instance is unknown, in the facts of the instance
 *  and of the snapshot. */
void lg_registered_fail(lg_adapter_pass *pass, const lg_instance *instance,
                        const char *why);

void lg_registered_ask(lg_adapter_pass *pass, void *state);

#endif
