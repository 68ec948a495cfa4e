/**
 * A heap around one storage, made by hand: what kind is its tensor?
 */
#ifndef LG_DETECTION_H
#define LG_DETECTION_H

#include <leakgraph/bytes.h>

#include "story.h"

typedef struct detection {
    story story;
    uint32_t storage; // type
    uint32_t tensor;
} detection;

/** Begins a heap with a tensor that shows that many bytes of its storage. */
detection detection_begin(uint64_t shown);
/** A tensor with a storage of 1,000 bytes, of which it shows that many. */
uint32_t detection_tensor(detection *to, const char *type, uint64_t address,
                          uint64_t shown);
/** A dict entry with a str key. */
uint32_t detection_dict(story *to, const char *key, uint32_t value);
/** The kind of its first storage; *out, if it is not NULL, gets its
 *  row. */
lg_tensor_kind detection_end(detection *to, lg_tensor_row *out);

#endif
