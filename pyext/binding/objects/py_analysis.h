/** The analysis of a Snapshot: made at the first question that needs it. */
#ifndef LEAKGRAPH_PY_ANALYSIS_H
#define LEAKGRAPH_PY_ANALYSIS_H

#include "binding/support/binding_support.h"
#include "binding/objects/py_snapshot.h"

#include <leakgraph/table.h>

/** The analysis, for work without the GIL: each success needs one
 *  lg__snapshot_release. Makes it if need be, or waits for the thread that
 * makes it. NULL with an exception. */
const lg_analysis *lg__analysis_acquire(lg__snapshot_object *snapshot,
                                        const lg_monitor *monitor);

/** The same for work under the GIL, watched as `progress=None` would. */
const lg_analysis *lg__analysis_get(lg__snapshot_object *snapshot);

#endif
