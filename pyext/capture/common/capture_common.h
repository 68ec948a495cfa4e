/**
 * What all rooms share. No header here includes one of CPython's internal
 * headers.
 */
#ifndef LEAKGRAPH_CAPTURE_COMMON_H
#define LEAKGRAPH_CAPTURE_COMMON_H

#include "capture/common/capture_options.h"
#include "capture/common/internals.h"
#include "capture/common/known.h"
#include "capture/common/members.h"
#include "capture/common/addresses.h"

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
