/**
 * What all rooms share. No header here includes one of CPython's internal
 * headers.
 */
#ifndef LEAKGRAPH_CAPTURE_COMMON_H
#define LEAKGRAPH_CAPTURE_COMMON_H

#include "capture/common/capture_options.h"
#include "capture/common/internals.h"
#include "capture/common/known.h"
#include "capture/common/members.h"
#include "capture/common/addresses.h"

#include <leakgraph/internal/clock.h>

#endif
