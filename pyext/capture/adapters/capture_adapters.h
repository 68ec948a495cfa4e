/**
 * What other rooms may use of adapters: how one is written, and how a capture
 * runs them.
 */
#ifndef LEAKGRAPH_CAPTURE_ADAPTERS_H
#define LEAKGRAPH_CAPTURE_ADAPTERS_H

#include "capture/adapters/adapter.h"
#include "capture/adapters/adapter_passes.h"

#endif
