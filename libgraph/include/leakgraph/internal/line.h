/**
 * Whether noisy numbers rise: of memory that is looked at again and again.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_LINE_H
#define LEAKGRAPH_LINE_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A line through points, which outliers do not move. */
typedef struct lg_line {
    double slope; /**< the repeated median of the slopes of any two points */
    double noise; /**< the median distance of a number from the line */
    bool rises;   /**< by more than its noise, and to the end: what rose, and
                       stopped in the first half, does not */
} lg_line;

/** Fewer points than this do not rise. */
#define LG_LINE_LEAST 8

/**
 * The line through `count` points; `x` ascends. Of many points it takes up to
 * 64 at equal distances. It needs no memory. O(64 * 64 * 64) at most.
 */
lg_line lg_line_of(const double *x, const double *y, size_t count);

#ifdef __cplusplus
}
#endif

#endif
