/**
 * Getting an answer from another process: visits until it has an interpreter
 * that loads the library, or until the time is up.
 */
#ifndef LEAKGRAPH_CALL_H
#define LEAKGRAPH_CALL_H

#include "attach/attach.h"
#include "attach/visit.h"

typedef struct lg__call {
    const lg__attach_request *request;
    const lg__attach_target *target;
    int library;               /**< descriptor of the extension module */
    char path[LG__PATH_BYTES]; /**< of the library as the process sees it, or
                                    empty */
    double started;
    int locked;      /**< how often the queue of pending calls was locked */
    lg__visit visit; /**< the last one */
    lg__answer answer;
    int descriptors[2]; /**< that came with it */
} lg__call;

/** Visits the process until it answers. On failure it goes on, and what was
 *  planted does nothing any more. In any case lg__call_end must follow. */
lg_status lg__call_make(lg__call *self, lg_error *err);

/** Waits until the thread has come home and has unmapped the region, for some
 *  seconds at most. It does so whether anybody waits or not. */
void lg__call_await_home(lg__call *self);

/** Takes the exit status of a child of the process. */
int lg__call_reap(lg__call *self, int child);

void lg__call_end(lg__call *self);

#endif
