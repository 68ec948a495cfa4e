/** The analysis of a Snapshot: made at the first question that needs it. */
#ifndef LEAKGRAPH_ANALYSIS_OBJECT_H
#define LEAKGRAPH_ANALYSIS_OBJECT_H

#include "progress.h"
#include "snapshot.h"

/** The analysis, for work without the GIL: each success needs one
 *  snapshot_release. Made now if need be, or awaited from another thread that
 *  makes it; NULL with an exception. */
const lg_analysis *analysis_acquire(snapshot_object *snapshot,
                                    const lg_monitor *monitor);

/** The same for work under the GIL, watched as `progress=None` would. */
const lg_analysis *analysis_get(snapshot_object *snapshot);

#endif
