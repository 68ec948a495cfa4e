/**
 * The nodes that the walk has looked at and will open: those whose objects
 * refer to others. Most objects of a process refer to nothing, so the later
 * steps do not meet their nodes. Included by heap_walk.h.
 */
#ifndef LEAKGRAPH_OPENINGS_H
#define LEAKGRAPH_OPENINGS_H

#include "capture/walk/type_table.h"

#include <stdint.h>

/** A node that the walk will open. */
typedef struct lg__opening {
    uint32_t node;
    lg__type_info *info;
} lg__opening;

/** Ascending nodes, in a ring that has room for all that are prepared at a
 *  time: see ahead.h. */
typedef struct lg__openings {
    lg__opening ring[64];
    uint32_t first;  /**< rank of the next that the walk opens */
    uint32_t traced; /**< slots of the referents of those below were
                        prefetched */
    uint32_t count;  /**< rank of the next that is added */
} lg__openings;

/** The opening of a rank that is in the ring. */
static inline lg__opening *
lg__opening_at(lg__openings *openings, uint32_t rank)
{
    enum { ROOM = sizeof openings->ring / sizeof *openings->ring };
    return &openings->ring[rank % ROOM];
}

static inline void
lg__opening_add(lg__openings *openings, uint32_t node, lg__type_info *info)
{
    *lg__opening_at(openings, openings->count++) = (lg__opening){node, info};
}

#endif
