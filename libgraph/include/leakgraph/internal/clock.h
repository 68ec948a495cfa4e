/**
 * A clock for waits and for progress.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_CLOCK_H
#define LEAKGRAPH_CLOCK_H

#include <time.h>

/** The seconds of a monotonic clock. */
static inline double
lg__clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
