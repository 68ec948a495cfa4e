/** What other rooms of the capture may use of the walk. */
#ifndef LEAKGRAPH_CAPTURE_WALK_H
#define LEAKGRAPH_CAPTURE_WALK_H

#include "capture/walk/running.h"
#include "capture/walk/collector_lists.h"
#include "capture/walk/driver.h"
#include "capture/walk/edge_names.h"
#include "capture/walk/heap_walk.h"
#include "capture/walk/key.h"
#include "capture/walk/leading.h"
#include "capture/walk/names.h"
#include "capture/walk/object_size.h"
#include "capture/walk/roots.h"
#include "capture/walk/thread_locals.h"

#endif
