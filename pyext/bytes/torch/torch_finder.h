/**
 * Finds the offset of a member: the only offset at which every sample has the
 * right value.
 */
#ifndef LEAKGRAPH_TORCH_FINDER_H
#define LEAKGRAPH_TORCH_FINDER_H

#include "bytes/common/bytes_common.h"

typedef struct lg__torch_finder {
    lg__memory *memory;
    PyObject *made; /**< the calibration objects: a dict by name */
    char *reason;   /**< gets the first failure */
    size_t reason_size;
    bool failed;
} lg__torch_finder;

/** An object in memory, and the value that one of its members must have. */
typedef struct lg__sample {
    uintptr_t base;
    uintptr_t value;
} lg__sample;

static inline lg__sample
lg__sample_of(uintptr_t base, uintptr_t value)
{
    return (lg__sample){base, value};
}

/** What to look for. */
typedef struct lg__sought {
    const char *what; /**< named in the reason: "a tensor's storage" */
    size_t begin;     /**< the first offset to try */
    size_t end;
    size_t step;       /**< alignment and width in bytes: 1, 2, 4 or 8 */
    uintptr_t ignored; /**< bits of the word that may be anything */
} lg__sought;

/** Records the first failure. Returns 0, for the caller to return. */
uint16_t lg__finder_fail(lg__torch_finder *finder, const char *what,
                         const char *how);

/** Finds the one offset that fits all samples. Returns 0, with a failure, if
 *  none or several fit, or after an earlier failure. */
uint16_t lg__finder_find(lg__torch_finder *finder, const lg__sought *sought,
                         const lg__sample *samples, size_t count);
/** Finds the first offset that fits all samples, for a member that only padding
 *  follows: padding has what was in memory before. Fails like
 *  lg__finder_find if none fits. */
uint16_t lg__finder_first(lg__torch_finder *finder, const lg__sought *sought,
                          const lg__sample *samples, size_t count);
/** The same as lg__finder_find; 0 without a failure if no offset fits. */
uint16_t lg__finder_try(lg__torch_finder *finder, const lg__sought *sought,
                        const lg__sample *samples, size_t count);
/** The same; false without a failure if no offset fits; *out may be 0. */
bool lg__finder_any(lg__torch_finder *finder, const lg__sought *sought,
                    const lg__sample *samples, size_t count, uint16_t *out);
/** The offset of the one word in each sample that points at an object of this
 *  C++ class. */
uint16_t lg__finder_class(lg__torch_finder *finder, const lg__sought *sought,
                          const lg__sample *samples, size_t count,
                          const char *mangled);
/** The same; 0 without a failure if there is none. */
uint16_t lg__finder_try_class(lg__torch_finder *finder,
                              const lg__sought *sought,
                              const lg__sample *samples, size_t count,
                              const char *mangled);
/** Fails unless `is_so`. */
bool lg__finder_check(lg__torch_finder *finder, bool is_so, const char *what);

/** A calibration object, borrowed; fails if it is missing. */
PyObject *lg__finder_object(lg__torch_finder *finder, const char *name);
/** A calibration object that some versions do not have: NULL then. */
PyObject *lg__finder_optional(lg__torch_finder *finder, const char *name);
/** The same as an address. */
uintptr_t lg__finder_at(lg__torch_finder *finder, const char *name);
/** The address of the C++ object of a calibration object (tensor, storage). */
uintptr_t lg__finder_address(lg__torch_finder *finder, const char *name);
/** The address of a tensor's data, from PyTorch. */
uintptr_t lg__finder_data(lg__torch_finder *finder, const char *name);
/** A word of memory; fails if it is not readable. */
uintptr_t lg__finder_word(lg__torch_finder *finder, uintptr_t address);
/** Returns whether a C++ object is of this class or of a subclass. */
bool lg__finder_is_a(lg__torch_finder *finder, uintptr_t object,
                     const char *mangled);
/** The size in bytes of the block at that address. */
size_t lg__finder_end(lg__torch_finder *finder, uintptr_t block);

#endif
