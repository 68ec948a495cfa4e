/**
 * A hand-made heap around one storage. It asks what kind the storage's tensor
 * is.
 */
#ifndef LEAKGRAPH_DETECTION_H
#define LEAKGRAPH_DETECTION_H

#include <leakgraph/internal/bytes.h>

#include "story.h"

typedef struct detection {
    story story;
    uint32_t storage; // type
    uint32_t tensor;
} detection;

/** Begins a heap with a tensor that shows `shown` bytes of its storage. */
detection detection_begin(uint64_t shown);
/** Adds a tensor with a storage of 1,000 bytes, and shows `shown` of them. */
uint32_t detection_tensor(detection *to, const char *type, uint64_t address,
                          uint64_t shown);
/** Adds a dict entry with a str key. */
uint32_t detection_dict(story *to, const char *key, uint32_t value);
/** Returns the kind of the heap's first storage. *out, if it is not NULL, gets
 *  its row. */
lg_tensor_kind detection_end(detection *to, lg_tensor_row *out);

#endif
