/**
 * Where blocks that nobody owns were allocated: each recorded stack once.
 */
#ifndef LG_STACKS_H
#define LG_STACKS_H

#include "accounts.h"

typedef struct lg__stack {
    lg_string frames; /**< not empty; of the graph or of the state */
    uint64_t bytes;
    uint64_t blocks;
    uint32_t device;
    lg_evidence evidence;
} lg__stack;

typedef struct lg__stacks {
    lg__stack *items; /**< biggest first; to be released with free() */
    size_t count;
} lg__stacks;

lg_status lg__stacks_make(const lg_graph *graph,
                          const lg_allocator_state *state, const uint8_t *fates,
                          lg__stacks *out, lg_error *err);

#endif
