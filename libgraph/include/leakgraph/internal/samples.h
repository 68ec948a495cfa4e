/**
 * The memory of a process at many moments, between its snapshots.
 *
 * The conventions of leakgraph.h hold. `watch(samples=...)` and `attach
 * --samples` write such a file: text, with a line of names and then a line for
 * each sample, and commas between values. A report draws it behind the areas of
 * the snapshots.
 */
#ifndef LEAKGRAPH_SAMPLES_H
#define LEAKGRAPH_SAMPLES_H

#include <leakgraph/internal/growth.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lg_samples {
    double *time;       /**< [count] seconds since 1970, ascending */
    uint64_t *resident; /**< [count] bytes */
    size_t count;
} lg_samples;

/** Reads the columns `time` and `resident`, whatever others there are. A last
 *  line without its end is left out, because a program may still be writing it.
 *  LG_EIO; LG_EFORMAT, with the line: no such file of samples, or fewer than
 *  two of them. O(bytes). */
lg_status lg_samples_load(const char *path, lg_samples *out, lg_error *err);
void lg_samples_free(lg_samples *samples);

/** When a snapshot was taken, in seconds since 1970; negative if it does not
 *  say. */
double lg_graph_time(const lg_graph *graph);
double lg_summary_time(const lg_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
