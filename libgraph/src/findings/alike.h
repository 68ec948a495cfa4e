/** Findings, and things that they keep, that are alike. */
#ifndef LEAKGRAPH_ALIKE_H
#define LEAKGRAPH_ALIKE_H

#include "findings/context.h"

/** Returns whether two things of a type differ in their texts or devices.
 *  Lengths of containers and numbers of figures do not count, because nobody
 *  asks for them in a finding. */
bool lg__examples_differ(const lg_graph *graph, uint32_t a, uint32_t b);

/** Fills the groups of findings that lack only paths, their paths, and `alike`.
 *  `bytes` is [count * (device_count + 1)] zeros, for the groups. O(n log n),
 *  plus the paths. */
lg_status lg__findings_fold(const lg__detection *detection,
                            const lg_monitor *monitor, lg_findings *findings,
                            uint64_t *bytes, lg_error *err);

#endif
