/**
 * Which knots retain an instance of certain types.
 */
#ifndef LG_HOLDING_H
#define LG_HOLDING_H

#include <leakgraph/analysis.h>

#include "graph.h"

/** One byte per knot: 1 where the knot retains an instance of a type for which
 *  wanted[type] is set. O(nodes). *out is released with free(). */
lg_status lg__knots_holding(const lg_analysis *analysis, const bool *wanted,
                            uint8_t **out, lg_error *err);

/** The types that the options ask for, as one bool per type id; all tensors and
 *  figures if they ask for none. *out is released with free(). */
lg_status lg__holding_types(const lg_graph *graph,
                            const lg_cycle_options *options, bool **out,
                            lg_error *err);

#endif
