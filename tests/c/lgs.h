/**
 * Files as bytes: saving to them, taking sections out, putting damage in.
 */
#ifndef LG_LGS_H
#define LG_LGS_H

#include <leakgraph/base.h>

typedef struct bytes {
    uint8_t *data; /**< aligned to 64, to be released with free() */
    size_t length;
} bytes;

/** An entry of the directory. */
typedef struct section {
    uint32_t id, flags, encoding, element;
    uint64_t offset, stored, raw, checksum, reserved[2];
} section;

/** A folder for this test's files, made once, and a path in it: valid until
 *  three more were asked for. */
void folder_make(void);
const char *folder_path(void);
char *path_of(const char *name);
/** Removes the folder, in which only "graph" may be left. */
void folder_remove(void);

bytes aligned(size_t length);
/** What is in path_of("graph"). */
bytes file_bytes(void);
/** The graph as the bytes of a file, compressed at that level; the file itself
 *  is path_of("graph"). */
bytes saved(const lg_graph *graph, int level);

uint32_t section_count(bytes file);
section section_at(bytes file, uint32_t index);
/** Replaces an entry and puts the checksums of directory and header right. */
void put_section(bytes file, uint32_t index, section about);
/** Puts the checksums of directory and header right. */
void seal(bytes file);

#endif
