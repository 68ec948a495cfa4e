/** An analysis in a file, in sections beside those of its graph. */
#ifndef LEAKGRAPH_SAVED_H
#define LEAKGRAPH_SAVED_H

#include "analysis/analysis_private.h"

/** The analysis section: the checksum of its graph, and the version of the
 *  policy that it follows. */
enum { LG__ANALYSIS_POLICY = 1, LG__ANALYSIS_WORDS = 2 };

/** Points the arrays of the analysis at what to write; binding[0] is still to
 *  be set. LG_EINVAL if the analysis is of another graph. */
lg_status lg__analysis_arrays(const lg_analysis *analysis,
                              const lg_graph *graph,
                              lg__array arrays[LG__ARRAY_COUNT],
                              uint64_t binding[LG__ANALYSIS_WORDS],
                              lg_error *err);

#endif
