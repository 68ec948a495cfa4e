/**
 * The .lgs file: a header, a directory of sections, and the sections, each one
 * array of the graph. docs/file-format.md describes it byte by byte.
 */
#ifndef LG_FILE_PRIVATE_H
#define LG_FILE_PRIVATE_H

#include "file/place.h"
#include "file/planes.h"
#include "graph/graph_private.h"

#define LG__FILE_MAGIC "\x89LGS\r\n\x1a\n"

enum {
    LG__FILE_MAJOR = 3,
    LG__FILE_MINOR = 0,
    LG__FILE_ALIGNMENT = 64,
    LG__FILE_SECTIONS_MAX = 1024,
    LG__FILE_RATIO = 1024, /**< raw bytes for each byte of a file, at most */
};

typedef struct lg__file_header {
    char magic[8];
    uint16_t major;
    uint16_t minor;
    uint32_t section_count;
    uint64_t directory_offset;
    uint64_t file_length;
    uint64_t directory_checksum; /**< XXH3-64 of the directory */
    uint64_t graph_checksum;     /**< XXH3-64 of the checksums of the graph's
                                      sections, the same whatever their encoding
                                    */
    uint64_t reserved;
    uint64_t header_checksum; /**< XXH3-64 of the bytes before it */
} lg__file_header;

typedef enum lg__encoding {
    LG__ENCODING_RAW = 0,
    LG__ENCODING_ZSTD,        /**< one zstd frame */
    LG__ENCODING_PLANES,      /**< one zstd frame of planes of bytes */
    LG__ENCODING_DIFFERENCES, /**< the same of differences */
    LG__ENCODING_SORTED,      /**< planes of elements sorted by their key */
    LG__ENCODING_SORTED_DIFFERENCES,
} lg__encoding;

static inline bool
lg__encoding_sorts(uint32_t encoding)
{
    return encoding == LG__ENCODING_SORTED ||
           encoding == LG__ENCODING_SORTED_DIFFERENCES;
}

static inline bool
lg__encoding_subtracts(uint32_t encoding)
{
    return encoding == LG__ENCODING_DIFFERENCES ||
           encoding == LG__ENCODING_SORTED_DIFFERENCES;
}

/** The array that sorted elements of an array are sorted by;
 *  LG__ARRAY_COUNT: none. */
enum lg__array_name lg__array_key(enum lg__array_name name);

enum {
    LG__SECTION_REQUIRED = 1 << 0, /**< a reader that does not know it must
                                        refuse the file */
};

typedef struct lg__file_section {
    uint32_t id;
    uint32_t flags;
    uint32_t encoding;
    uint32_t element; /**< bytes */
    uint64_t offset;
    uint64_t stored_length;
    uint64_t raw_length;
    uint64_t checksum; /**< XXH3-64 of the raw bytes */
    uint64_t reserved[2];
} lg__file_section;

_Static_assert(sizeof(lg__file_header) == 64, "the header is 64 bytes");
_Static_assert(sizeof(lg__file_section) == 64, "an entry is 64 bytes");

/** The bytes that the compressed sections of a file may hold: a small file
 *  cannot ask for much memory. Readers refuse files with more, and writers
 *  lengthen theirs with zeros. */
static inline uint64_t
lg__file_raw_limit(uint64_t file_length)
{
    const uint64_t slack = 1 << 26;
    if (file_length > (UINT64_MAX - slack) / LG__FILE_RATIO)
        return UINT64_MAX;
    return file_length * LG__FILE_RATIO + slack;
}

/** The planes that a column becomes under an encoding; of width 0 if it stays
 *  as it is. The key (NULL: none) has as many elements. */
lg__planes lg__encoding_planes(uint32_t encoding, uint64_t count,
                               uint32_t element, const lg__array *key,
                               uint32_t key_element);

/** Sections from this id on are not part of the graph. */
#define LG__FILE_BEYOND_GRAPH 64u

/** The checksum of a graph, from the directory of its file. */
uint64_t lg__file_graph_checksum(const lg__file_section *sections,
                                 uint32_t count);

/** LG_EUNSUPPORTED on a machine that is not little-endian. */
lg_status lg__file_check_machine(lg_error *err);

/** The source of a reader's bytes: memory, or a descriptor. */
typedef struct lg__source {
    const char *name; /**< for messages */
    const uint8_t *memory;
    int descriptor;
    uint64_t length;
    bool brief; /**< of a graph, read what lg__graph_load_brief needs only */
} lg__source;

lg_status lg__source_read(const lg__source *source, uint64_t offset,
                          void *buffer, size_t length, lg_error *err);

/** A section to be read. */
typedef struct lg__stored {
    const lg__file_section *section;
    const char *title;
    const lg__array *key; /**< NULL, or what it is sorted by: complete */
    uint32_t key_element;
} lg__stored;

/** Reads one section into an array, decoding and verifying its checksum. Raw
 *  sections of memory are borrowed. The array's block is the graph's. */
lg_status lg__section_read(const lg__source *source, const lg__stored *stored,
                           lg__planes_room *room, const lg_allocator *allocator,
                           lg__array *out, lg_error *err);

/** Loads a graph for lg_tabulate_info, and for nothing else: of references,
 *  addresses and counts it has the number only, and they are not checked. */
lg_status lg__graph_load_brief(const char *path, unsigned flags,
                               const lg_monitor *monitor, lg_graph **out,
                               lg_error *err);

/** Loads a graph from a source. */
lg_status lg__file_read(const lg__source *source, const lg_monitor *monitor,
                        lg_graph **out, lg_error *err);

/** A file being written, either on its way to its place or, if path is NULL,
 *  to a descriptor of the caller's. */
typedef struct lg__sink {
    char *path; /**< as it was given, for messages */
    lg__place *place;
    char temporary[LG__TEMPORARY_ROOM]; /**< its name now; "": it has none, or
                                             is in its place */
    int descriptor;
    uint64_t offset;
} lg__sink;

lg_status lg__sink_open(lg__sink *sink, const char *path, lg_error *err);
lg_status lg__sink_write(lg__sink *sink, const void *bytes, size_t length,
                         lg_error *err);
/** Pads with zeros to the sections' alignment. */
lg_status lg__sink_align(lg__sink *sink, lg_error *err);
/** Returns to an earlier offset and drops what follows. */
lg_status lg__sink_rewind(lg__sink *sink, uint64_t offset, lg_error *err);
/** Syncs and puts it into its place. */
lg_status lg__sink_commit(lg__sink *sink, lg_error *err);
/** Removes the temporary file unless it was committed; frees the rest. */
void lg__sink_close(lg__sink *sink);

#endif
