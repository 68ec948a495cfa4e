/** Writes files whole or not at all. */
#ifndef LEAKGRAPH_RENDER_PRIVATE_H
#define LEAKGRAPH_RENDER_PRIVATE_H

#include <leakgraph/base.h>

#include <time.h>

/** Writes a file as lg_graph_save does, or straight into a pipe or a device;
 *  "-" is standard output. */
lg_status lg__file_write(const char *path, const char *data, size_t length,
                         lg_error *err);

/** The seconds of a monotonic clock. */
static inline double
lg__seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
