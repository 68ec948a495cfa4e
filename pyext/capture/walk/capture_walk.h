/** What other rooms of the capture may use of the walk. */
#ifndef LEAKGRAPH_CAPTURE_WALK_H
#define LEAKGRAPH_CAPTURE_WALK_H

#include "capture/walk/heap_walk.h"
#include "capture/walk/call_arguments.h"
#include "capture/walk/comparable.h"
#include "capture/walk/signal_handlers.h"

#endif
