/**
 * The files and segments of shared memory that this process maps, and the
 * descriptors by which it has them open.
 */
#ifndef LEAKGRAPH_MAPPED_FILES_H
#define LEAKGRAPH_MAPPED_FILES_H

#include "capture/adapters/capture_adapters.h"

typedef struct lg__mapped_files lg__mapped_files;

/** Reads both from the kernel, without malloc; NULL if that fails, or if memory
 * ran out. Valid until the end of the capture. O(mappings + descriptors). */
const lg__mapped_files *lg__mapped_files_read(lg__adapter_pass *pass);
/** Writes "/dev/shm/torch_7_0 (deleted), descriptor 3": the file that has the
 *  page of an address, and its lowest descriptor if one is open. False: no file
 *  has it. O(log mappings + descriptors). */
bool lg__mapped_files_name(const lg__mapped_files *of, uintptr_t address,
                           char *out, size_t size);

#endif
