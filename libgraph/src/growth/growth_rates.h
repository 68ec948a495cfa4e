/** How fast something grows. */
#ifndef LEAKGRAPH_GROWTH_RATES_H
#define LEAKGRAPH_GROWTH_RATES_H

#include "growth/growth_comparison.h"

/** Returns the bytes by which a series grows for each unit of x. */
double lg__growth_slope(const lg__comparison *state, const uint64_t *bytes);
/** Returns the same of the own bytes of a place that all snapshots have. If its
 *  tables grow by jumps, few of which are between snapshots, it is what they
 *  gained for each new reference, within what a reference can take. The series
 *  `beside`, or NULL, is added before: what moves from the one to the other is
 *  no growth. */
double lg__table_slope(const lg__comparison *state, uint32_t place,
                       const uint64_t *beside);
/** Fills what the row gained, and how fast. */
void lg__growth_rate(const lg__comparison *state, const uint64_t *bytes,
                     double slope, lg_growth_row *row);

#endif
