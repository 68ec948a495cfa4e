/** Puts the landing into a process, and takes it out again. */
#ifndef LEAKGRAPH_PLANT_H
#define LEAKGRAPH_PLANT_H

#include "attach/attach_target.h"
#include "attach/tracee.h"

/** What is in the process: memory, and one end of a pair of sockets, until the
 *  landing closes it. */
typedef struct lg__plant {
    const lg__attach_target *target;
    uint64_t region; /**< 0: nothing */
    int socket;      /**< our end; closing it makes the landing do nothing */
    int theirs;      /**< the number of the other end */
    char path[LG__PATH_BYTES]; /**< of the library as the process sees it, or
                                  empty */
    bool here;                 /**< the main thread was asked to take the GIL */
    bool away;         /**< the main thread has not been brought back yet */
    lg__tracee before; /**< the thread when it was sent away */
} lg__plant;

/** Stops the process for less than a millisecond, and has its main thread call
 *  the landing with the orders. `library` and `file` are descriptors that it
 *  gets. lg__plant_settle must follow. */
lg_status lg__plant_set(lg__plant *self, const lg__attach_target *target,
                        const lg__orders *orders, int library, int file,
                        lg_error *err);

/** Brings the main thread back once it has called the landing. Waits for that
 *  for so many milliseconds. */
void lg__plant_settle(lg__plant *self, unsigned milliseconds);

/** Asks the main thread again if it has begun to wait since and has not called
 *  the landing yet. */
lg_status lg__plant_remind(lg__plant *self, lg_error *err);

/** Takes the exit status of a child of the process (0: of none), and unmaps the
 *  memory if nothing runs there any more. */
int lg__plant_clear(lg__plant *self, int child);

#endif
