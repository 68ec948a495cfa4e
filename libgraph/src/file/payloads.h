/**
 * The kinds and payloads of references in a form that compresses well: as
 * differences to what their contexts let expect.
 */
#ifndef LEAKGRAPH_PAYLOADS_H
#define LEAKGRAPH_PAYLOADS_H

#include "file/contexts.h"

/** Replaces kinds, those of the references from `at` on, by their differences
 *  modulo 256 to the last kind in their context, at first 0. */
void lg__kinds_subtract(lg__contexts *contexts, const uint8_t *kind,
                        uint64_t at, size_t count, uint8_t *out);
/** Replaces the differences by the kinds. */
void lg__kinds_add(lg__contexts *contexts, uint64_t at, size_t count,
                   uint8_t *kind);

/** The columns that payloads belong to. */
typedef struct lg__payloads {
    const uint8_t *kind;
    const uint32_t *target;
    uint64_t count;
    lg__contexts contexts;
} lg__payloads;

/** Replaces payloads by differences modulo 2 to the 32, with the sign in the
 *  lowest bit: that of a value to the target of the next reference, if there is
 *  one, and any other one to the last such payload in its context, at first
 *  0. Both blocks may be the same. */
void lg__payloads_subtract(lg__payloads *payloads, const uint32_t *payload,
                           uint64_t at, size_t count, uint32_t *out);
/** Replaces the differences by the payloads. */
void lg__payloads_add(lg__payloads *payloads, uint64_t at, size_t count,
                      uint32_t *payload);

#endif
