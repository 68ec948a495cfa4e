/**
 * The memory that is left to a process until the kernel kills its control group
 * whole (memory.oom.group), as Kubernetes has it: then a forked child that
 * takes too much ends its parent as well. In any other group the kernel kills
 * the child alone.
 */
#ifndef LEAKGRAPH_GROUP_ROOM_H
#define LEAKGRAPH_GROUP_ROOM_H

#include "capture/common/capture_common.h"
#include "capture/run/control_groups.h"

typedef struct lg__group_room {
    uint64_t bytes;    /**< UINT64_MAX: nothing ends a group whole */
    const char *limit; /**< the file of the group that leaves them, or the row
                            of the machine's memory */
    lg__group group;   /**< without a folder: the machine */
    double looked;     /**< when a child looked last whether it is short */
} lg__group_room;

/** What a child takes at any rate: its stack, its buffers, pages of libraries
 *  that it changes. */
#define LG__CHILD_LEAST ((uint64_t)16 << 20)

/** Reads the tightest limit at which the kernel kills a group of the process
 *  whole: that of each group such that it, or one below it, ends whole; and the
 *  memory of the machine. `root` and `process` are as in lg__groups_each(). */
void lg__group_room_read(const char *root, int process, lg__group_room *out);

/** Refuses to take so many bytes, with what else to do, if anything. */
lg_status lg__group_room_refuse(const lg__group_room *self, uint64_t need,
                                const char *advice, lg_error *err);

/** Estimates the bytes that a child takes that captures this process, without
 *  the pages that this process changes meanwhile: two to three times what it
 *  takes of most heaps, and half of it if lists have millions of references to
 *  few objects. `spill`: it keeps its memory in a file. Call with the GIL held.
 * O(pools of pymalloc, free blocks of malloc). */
uint64_t lg__child_need(const lg__capture_options *options, bool spill);

/** LG_EUNSUPPORTED with a sentence if a forked child may take more than is left
 *  to a group that ends whole. */
lg_status lg__group_room_check(const lg__capture_options *options, bool spill,
                               lg__group_room *room, lg_error *err);

/** Whether so little is left by now that a child gives up. Looks a hundred
 * times a second, however often it is called. Allocates nothing. */
bool lg__group_room_is_short(lg__group_room *self);

#endif
