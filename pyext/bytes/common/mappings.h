/**
 * The addresses of this process that are pages of files or shared memory.
 */
#ifndef LEAKGRAPH_MAPPINGS_H
#define LEAKGRAPH_MAPPINGS_H

#include "capture/adapters/capture_adapters.h"
#include "capture/common/capture_common.h"

/** Mappings sorted by address, as they were when they were read. Valid until
 *  the end of the capture. */
typedef struct lg__mappings {
    lg__range *items;
    size_t count;
} lg__mappings;

/** Reads the mappings from the kernel; none if that fails, or if memory ran
 *  out. O(mappings). */
lg__mappings lg__mappings_read(lg__adapter_pass *pass);
/** Returns whether the address lies in one. O(log mappings). */
bool lg__mappings_have(const lg__mappings *mappings, uintptr_t address);

#endif
