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
    const lg_graph *graph;   /**< has the narrow columns */
    const lg__array *arrays; /**< those of narrow columns have no data */
    lg__file_section sections[LG__ARRAY_COUNT];
    uint32_t section_count;
    const lg_monitor *monitor;
    uint64_t total; /**< bytes of all arrays */
    uint64_t done;
} lg__writer;

enum {
    /** A sample has one block of so many elements of a column. */
    LG__SAMPLE_ELEMENTS = 16 * LG__BLOCK_ELEMENTS,
};

/** A column in an encoding. */
typedef struct lg__coding {
    enum lg__array_name name;
    uint32_t encoding;
    uint64_t *ends;       /**< for planes, write a sample, and note here the
                               offset in the file after each block; or NULL */
    const uint64_t *most; /**< for targets, as a sample finds it for another
                               encoding; or NULL */
    bool stopped;         /**< targets need more */
} lg__coding;

/** Writes the column to the file, in an encoding that its array may have. */
lg_status lg__encode(lg__writer *out, lg__coding *coding, lg_error *err);

#endif
