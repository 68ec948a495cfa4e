/**
 * The follower: a thread that comes some thousand nodes behind the walk. It
 * gives texts to the nodes that the walk has done (the names of parts of the
 * program, the texts of keys and names), counts the references that the walk
 * has found, and asks the kernel for the pages that the walk will fill next.
 * What it adds lies in a part of the builder that the walk does not use
 * (lg_additions), so neither waits for the other.
 *
 * A small or partial walk has no follower, and neither has one on a single
 * processor or in a forked child. The walk gives all texts itself then.
 *
 * Included by heap_walk.h.
 */
#ifndef LEAKGRAPH_FOLLOWER_H
#define LEAKGRAPH_FOLLOWER_H

#include "capture/memory/capture_memory.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/helper.h>
#include <leakgraph/internal/second_thread.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct lg__heap_walk lg__heap_walk;

enum {
    LG__LINES = 128, /**< bytes of two cache lines, which processors fetch
                          together */
    LG__FILLED = 11, /**< blocks that the walk fills: columns and the map */
    LG__FILLED_MAP = LG__FILLED - 1, /**< which of them is the map */
};

/** What lies below the numbers that the walk tells is complete, and the walk
 *  changes it no more. So the follower reads it without further order:
 *  the lock only keeps the columns where they are meanwhile. Numbers only rise,
 *  and old ones are as good as new ones, which let the follower do more. Only
 *  flags of such nodes still change: both threads take them from
 *  lg_builder_mark and lg_builder_flags, and what the follower reads too early
 *  is done when it has ended. */
typedef struct lg__follower {
    lg_helper *thread;       /**< NULL: there is none */
    lg_additions *additions; /**< what the follower adds */
    pthread_mutex_t lock;    /**< the follower has it while it reads columns */

    /* Written by the walk. */
    _Alignas(LG__LINES) _Atomic uint32_t walked; /**< nodes below are done */
    _Atomic uint64_t edges;                      /**< see lg_reached */
    _Atomic uint32_t nodes;
    _Atomic uint32_t strings;
    /** The newest chunk of the address map, and where its unused rest begins.
     */
    _Atomic(const lg__address_map_chunk *) map;
    _Atomic(const char *) map_rest;
    _Atomic bool wanted; /**< the walk waits for the lock */
    _Atomic bool ends;   /**< no more nodes come */

    /* Written by the follower. */
    _Alignas(LG__LINES) uint32_t followed; /**< nodes below have their texts */
    bool failed;                           /**< memory ran out */
    lg__populated filled[LG__FILLED];
} lg__follower;

/** Makes the additions of the builder. False if a follower does not pay, or
 * memory ran out. */
bool lg__follower_open(lg__heap_walk *walk);
/** Starts the follower, if there are two processors. The caller keeps the GIL
 *  from here to lg__follower_end, and does not fork. */
void lg__follower_start(lg__heap_walk *walk);
/** Tells how far the walk is. */
void lg__follower_tell(lg__heap_walk *walk, uint32_t walked);
/** Waits until all nodes have their texts. What the follower added is in
 *  `additions`. */
void lg__follower_end(lg__heap_walk *walk);

/** Keeps the follower away from what moves to a new address, such as the table
 *  of types, or lets it go on. */
static inline void
lg__follower_hold(lg__follower *follower, bool begin)
{
    if (follower->thread == NULL)
        return;
    if (begin) {
        follower->wanted = true;
        pthread_mutex_lock(&follower->lock);
    } else {
        pthread_mutex_unlock(&follower->lock);
        follower->wanted = false;
    }
}

#endif
