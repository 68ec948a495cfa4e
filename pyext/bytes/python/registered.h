/** Shared by reading and by asking registered types. */
#ifndef LEAKGRAPH_REGISTERED_H
#define LEAKGRAPH_REGISTERED_H

#include "capture/adapters/adapter.h"

/** How the memory of a type's instances is found; all borrowed from the
 *  registry. */
typedef struct lg_ways {
    bool given;
    PyObject *address; /**< None, str or int */
    PyObject *length;  /**< likewise; None: to be asked */
    bool protocol;
    PyObject *reader; /**< or None */
} lg_ways;

typedef struct lg_registered {
    PyObject *registry; /**< dict of types */
    PyTypeObject *type; /**< the last one looked up, */
    lg_ways ways;       /**< and what was found */
} lg_registered;

/** The ways of a type, by the nearest of its bases that is registered; NULL if
 *  none is. Valid until the next call. */
const lg_ways *lg_registered_ways(lg_registered *state, PyTypeObject *type);
/** Charges memory to an instance. */
void lg_registered_add(lg_adapter_pass *pass, const lg_instance *instance,
                       const void *address, uint64_t length, uint32_t device);
/** Notes why nothing is known of an instance. */
void lg_registered_fail(lg_adapter_pass *pass, uint32_t node, const char *why);

void lg_registered_ask(lg_adapter_pass *pass, void *state);
/** True while this thread asks registered types: a reader that takes a
 *  snapshot is not asked for it in turn. */
extern _Thread_local bool lg_registered_asking;

#endif
