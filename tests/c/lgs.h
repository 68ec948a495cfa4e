/**
 * Files as bytes: save a graph to them, take out sections, damage them.
 */
#ifndef LEAKGRAPH_LGS_H
#define LEAKGRAPH_LGS_H

#include <leakgraph/base.h>

typedef struct bytes {
    uint8_t *data; /**< aligned to 64; release it with free() */
    size_t length;
} bytes;

/** An entry of the directory. */
typedef struct section {
    uint32_t id, flags, encoding, element;
    uint64_t offset, stored, raw, checksum, reserved[2];
} section;

/** Make a folder for this test's files, and return its path and paths in it. A
 *  path is valid for three more calls of path_of. */
void folder_make(void);
const char *folder_path(void);
char *path_of(const char *name);
/** Removes the folder, which may then contain only "graph". */
void folder_remove(void);

bytes aligned(size_t length);
/** Returns the content of path_of("graph"). */
bytes file_bytes(void);
/** Returns the graph as the bytes of a file, compressed at that level. The file
 *  itself is path_of("graph"). */
bytes saved(const lg_graph *graph, int level);

uint32_t section_count(bytes file);
section section_at(bytes file, uint32_t index);
/** Replaces an entry, and corrects the checksums of the directory and the
 *  header. */
void put_section(bytes file, uint32_t index, section about);
/** Corrects the checksums of the directory and the header. */
void seal(bytes file);

#endif
