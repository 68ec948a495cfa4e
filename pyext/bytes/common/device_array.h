/**
 * What the adapters of array libraries share: the facts of an array and the
 * memory that it keeps, from the library's public attributes.
 */
#ifndef LEAKGRAPH_DEVICE_ARRAY_H
#define LEAKGRAPH_DEVICE_ARRAY_H

#include "capture/adapters/capture_adapters.h"

/** A piece of memory that an array keeps alive. */
typedef struct lg__array_memory {
    uint64_t address;
    uint64_t length;
    uint32_t device;
    bool owned; /**< the array's library owns it, and did not borrow it */
} lg__array_memory;

/** The id of the device "cuda:N" with that ordinal. */
uint32_t lg__cuda_device(lg__adapter_pass *pass, uint64_t ordinal);

/** The form of an array. */
typedef struct lg__array_form {
    uint32_t text;  /**< string id: `float32[256, 1024]`; 0: unknown */
    uint64_t bytes; /**< bytes of its elements */
} lg__array_form;

/** Finds an array's form and notes dtype, shape and nbytes as facts. */
lg__array_form lg__array_describe(lg__adapter_pass *pass,
                                  const lg__instance *array);
/** Adds the memory as a span of that type ("cupy.memory"). The span gets the
 *  text of an array that fills most of it, but not of a small view. */
void lg__array_keeps(lg__adapter_pass *pass, const lg__instance *array,
                     const lg__array_memory *memory, const char *type,
                     const lg__array_form *form);
/** Notes why an array's memory is unknown. */
void lg__array_unknown(lg__adapter_pass *pass, const lg__instance *array,
                       const char *why);

/** Asks an array for its memory; false if it does not say. */
typedef bool lg__array_asks(lg__adapter_pass *pass, PyObject *array,
                            lg__array_memory *out);
/** Describes all arrays of the pass, and adds the memory of each as a span of
 *  that type, or notes `unknown`. */
void lg__arrays_ask(lg__adapter_pass *pass, lg__array_asks *ask,
                    const char *type, const char *unknown);

/** An adapter's state: the types it wants, borrowed from loaded modules. */
typedef struct lg__array_types {
    PyTypeObject *type[4]; /**< NULL: the library does not have it */
} lg__array_types;

/** Adds the type of that name in a loaded module, if there is one. */
void lg__array_types_add(lg__array_types *types, const char *module,
                         const char *name);
bool lg__array_types_empty(const lg__array_types *types);
/** For lg__adapter: returns 1 for exactly these types. */
unsigned lg__array_types_kind(void *state, PyTypeObject *type);
/** For lg__adapter: only passes over the instances, for adapters that find all
 *  in `ask`. */
void lg__array_types_scan(lg__adapter_pass *pass, void *state);
void lg__array_types_finish(void *state);

#endif
