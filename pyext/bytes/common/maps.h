/**
 * Lines of /proc/self/maps, the addresses of this process that are pages of
 * files or shared memory, and what these files are. The headings of smaps have
 * the same form.
 */
#ifndef LEAKGRAPH_MAPS_H
#define LEAKGRAPH_MAPS_H

#include "capture/adapters/capture_adapters.h"
#include "capture/common/capture_common.h"

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

/** The most characters of a line that are kept; a longer path is cut. */
enum { LG__MAPS_LINE = 512 };

/** A file of lines that is being read. A child that captures may not ask malloc
 *  for memory, as fopen() does. */
typedef struct lg__maps {
    int descriptor;
    size_t at, end; /**< what of the bytes is not read yet */
    char bytes[4096];
} lg__maps;

/** A mapping of this process. */
typedef struct lg__mapping {
    uintptr_t start, end;
    dev_t device;
    ino_t inode;      /**< 0: anonymous pages */
    uintptr_t offset; /**< in the file */
    bool readable, writable, executable, shared;
    const char *path; /**< in the line: "/usr/lib/libc.so.6", "[heap]", "" */
} lg__mapping;

/** Opens a file such as /proc/self/maps. False: the kernel refuses. */
bool lg__maps_open(lg__maps *maps, const char *path);
/** Begins again. */
void lg__maps_rewind(lg__maps *maps);
void lg__maps_close(lg__maps *maps);
/** Reads the next line, without its newline. False: there is none. */
bool lg__maps_line(lg__maps *maps, char line[LG__MAPS_LINE]);
/** Parses a line. False: it describes no mapping. */
bool lg__map_of(const char *line, lg__mapping *out);
/** Reads and parses a line, for files with no other kind of line. */
bool lg__maps_next(lg__maps *maps, char line[LG__MAPS_LINE], lg__mapping *out);

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

/** The files and segments of shared memory that this process maps, and the
 *  descriptors by which it has them open. */
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
