/**
 * The addresses of this process that are pages of files or shared memory.
 * Private to this folder.
 */
#ifndef LEAKGRAPH_MAPPINGS_H
#define LEAKGRAPH_MAPPINGS_H

#include "capture/adapters/adapter.h"
#include "capture/memory/range.h"

/** Mappings sorted by address, as they were when they were read. Valid until
 *  the end of the capture. */
typedef struct lg_mappings {
    lg_range *items;
    size_t count;
} lg_mappings;

/** Reads the mappings from the kernel; none if that fails, or if memory ran
 *  out. O(mappings). */
lg_mappings lg_mappings_read(lg_adapter_pass *pass);
/** Returns whether the address lies in one. O(log mappings). */
bool lg_mappings_have(const lg_mappings *mappings, uintptr_t address);

#endif
