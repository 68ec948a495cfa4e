/**
 * Finds the offset of a member: the only place where every sample has the value
 * that it must have. Private to this folder.
 */
#ifndef LEAKGRAPH_TORCH_FINDER_H
#define LEAKGRAPH_TORCH_FINDER_H

#include "bytes/common/rtti.h"

typedef struct lg_finder {
    lg_memory *memory;
    PyObject *made; /**< the calibration objects: a dict by name */
    char *reason;   /**< where the first failure is written */
    size_t reason_size;
    bool failed;
} lg_finder;

/** An object in memory, and what one of its members must be. */
typedef struct lg_sample {
    uintptr_t base;
    uintptr_t value;
} lg_sample;

static inline lg_sample
lg_sample_of(uintptr_t base, uintptr_t value)
{
    return (lg_sample){base, value};
}

/** What to look for. */
typedef struct lg_sought {
    const char *what; /**< for the reason: "a tensor's storage" */
    size_t begin;     /**< offsets looked at */
    size_t end;
    size_t step;       /**< alignment, and bytes compared: 1, 2 or 8 */
    uintptr_t ignored; /**< bits of the word that may be anything */
} lg_sought;

/** Remembers the first failure. Returns 0, so that it can be passed on. */
uint16_t lg_finder_fail(lg_finder *finder, const char *what, const char *how);

/** The one offset that fits all samples. 0, with a failure, when there is none
 *  or there are several, or when something failed before. */
uint16_t lg_finder_find(lg_finder *finder, const lg_sought *sought,
                        const lg_sample *samples, size_t count);
/** The same; 0 without a failure when nothing fits. */
uint16_t lg_finder_try(lg_finder *finder, const lg_sought *sought,
                       const lg_sample *samples, size_t count);
/** The same; false, without a failure, when nothing fits; *out may be 0. */
bool lg_finder_any(lg_finder *finder, const lg_sought *sought,
                   const lg_sample *samples, size_t count, uint16_t *out);
/** The one word of each sample that points at an object of this C++ class. */
uint16_t lg_finder_class(lg_finder *finder, const lg_sought *sought,
                         const lg_sample *samples, size_t count,
                         const char *mangled);
/** The same; 0 without a failure when there is none. */
uint16_t lg_finder_try_class(lg_finder *finder, const lg_sought *sought,
                             const lg_sample *samples, size_t count,
                             const char *mangled);
/** Fails unless it is so. */
bool lg_finder_check(lg_finder *finder, bool is_so, const char *what);

/** A calibration object; fails when it is missing. Borrowed. */
PyObject *lg_finder_object(lg_finder *finder, const char *name);
/** A calibration object that some versions do not have: NULL. */
PyObject *lg_finder_optional(lg_finder *finder, const char *name);
/** The same, as an address. */
uintptr_t lg_finder_at(lg_finder *finder, const char *name);
/** Where the C++ object of a calibration object (tensor, storage) is. */
uintptr_t lg_finder_address(lg_finder *finder, const char *name);
/** What PyTorch says of where a tensor's data are. */
uintptr_t lg_finder_data(lg_finder *finder, const char *name);
/** A word of memory; fails when it cannot be read. */
uintptr_t lg_finder_word(lg_finder *finder, uintptr_t address);
/** Returns whether a C++ object is of this class, or of one derived from it. */
bool lg_finder_is_a(lg_finder *finder, uintptr_t object, const char *mangled);
/** Bytes of the block that begins there. */
size_t lg_finder_end(lg_finder *finder, uintptr_t block);

#endif
