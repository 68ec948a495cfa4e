/** What adapters share. */
#ifndef LEAKGRAPH_BYTES_COMMON_H
#define LEAKGRAPH_BYTES_COMMON_H

#include "bytes/common/adapters.h"
#include "bytes/common/ask.h"
#include "bytes/common/device_array.h"
#include "bytes/common/exporter.h"
#include "bytes/common/find_known.h"
#include "bytes/common/frames.h"
#include "bytes/common/maps.h"
#include "bytes/common/numpy_array.h"
#include "bytes/common/target_memory.h"

#endif
