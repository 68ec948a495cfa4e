/** What other rooms may use of the capture's memory. */
#ifndef LEAKGRAPH_CAPTURE_MEMORY_H
#define LEAKGRAPH_CAPTURE_MEMORY_H

#include "capture/memory/address_map.h"
#include "capture/memory/arena.h"
#include "capture/memory/cold_pages.h"
#include "capture/memory/images.h"

#endif
