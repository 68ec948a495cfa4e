/**
 * Writes sections of a file, compressed or as they are.
 */
#ifndef LEAKGRAPH_WRITER_H
#define LEAKGRAPH_WRITER_H

#include <zstd.h>

#include "file/file_private.h"

typedef struct lg__writer {
    lg__sink sink;
    ZSTD_CCtx *zstd; /**< NULL: sections are stored without compression */
    int level;       /**< compression level */
    void *buffer;
    size_t buffer_size;
    lg__section_room room;
    const lg__array *arrays;
    lg__file_section sections[LG__ARRAY_COUNT];
    uint32_t section_count;
    const lg_monitor *monitor;
    uint64_t total; /**< bytes of all arrays */
    uint64_t done;
} lg__writer;

/** Prepares to compress at a level; 0: not at all. */
lg_status lg__writer_compress(lg__writer *out, int level, lg_error *err);

/** Writes an array, as it is if compression does not help, and fills its entry
 *  of the directory. */
lg_status lg__writer_section(lg__writer *out, enum lg__array_name name,
                             lg__file_section *section, lg_error *err);

/** Frees what the writer has, but not its sink. */
void lg__writer_free(lg__writer *out);

#endif
