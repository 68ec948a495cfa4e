/**
 * What other rooms may use of the functions that take, save and load snapshots.
 */
#ifndef LEAKGRAPH_BINDING_CAPTURE_H
#define LEAKGRAPH_BINDING_CAPTURE_H

#include "binding/capture/asked_now.h"
#include "binding/capture/attaching.h"
#include "binding/capture/counters.h"
#include "binding/capture/native_blocks.h"
#include "binding/capture/recorder.h"
#include "binding/capture/referrers.h"
#include "binding/capture/snapshot_file.h"

#endif
