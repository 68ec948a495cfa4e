/**
 * What other rooms may use of a capture: one here, or one in a forked child.
 */
#ifndef LEAKGRAPH_CAPTURE_RUN_H
#define LEAKGRAPH_CAPTURE_RUN_H

#include "capture/run/capture.h"
#include "capture/run/control_groups.h"
#include "capture/run/fork.h"
#include "capture/run/group_room.h"

#endif
