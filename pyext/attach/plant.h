/** Puts the landing into a process, and takes it out again. */
#ifndef LEAKGRAPH_PLANT_H
#define LEAKGRAPH_PLANT_H

#include "attach/attach_target.h"
#include "attach/tracee.h"

/** What is in the process: memory, and one end of a pair of sockets, until the
 *  landing closes it. */
typedef struct lg_plant {
    const lg_target *target;
    uint64_t region;    /**< 0: nothing */
    int socket;         /**< our end; closing it makes the landing do nothing */
    int theirs;         /**< the number of the other end */
    char path[LG_PATH]; /**< of the library as the process sees it, or empty */
    bool here;          /**< the main thread was asked to take the GIL */
    bool away;          /**< the main thread has not been brought back yet */
    lg_tracee before;   /**< the thread when it was sent away */
} lg_plant;

/** Stops the process for less than a millisecond, and has its main thread call
 *  the landing with the orders. `library` and `file` are descriptors that it
 *  gets. lg_plant_settle must follow. */
lg_status lg_plant_set(lg_plant *self, const lg_target *target,
                       const lg_orders *orders, int library, int file,
                       lg_error *err);

/** Brings the main thread back once it has called the landing. Waits for that
 *  for so many milliseconds. */
void lg_plant_settle(lg_plant *self, unsigned milliseconds);

/** Asks the main thread again if it has begun to wait since and has not called
 *  the landing yet. */
lg_status lg_plant_remind(lg_plant *self, lg_error *err);

/** Takes the exit status of a child of the process (0: of none), and unmaps the
 *  memory if nothing runs there any more. */
int lg_plant_clear(lg_plant *self, int child);

#endif
