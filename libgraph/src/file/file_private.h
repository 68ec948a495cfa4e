/**
 * The .lgs file: a header, a directory of sections, and the sections. Each
 * section is one array of the graph. docs/file-format.md describes every byte.
 */
#ifndef LEAKGRAPH_FILE_PRIVATE_H
#define LEAKGRAPH_FILE_PRIVATE_H

#include "analysis/analysis_private.h"
#include "file/contexts.h"
#include "file/planes.h"
#include "file/targets.h"
#include "graph/graph_private.h"

#define LG__FILE_MAGIC "\x89LGS\r\n\x1a\n"

enum {
    LG__FILE_MAJOR = 4,
    LG__FILE_MINOR = 0,
    LG__FILE_ALIGNMENT = 64,
    LG__FILE_SECTIONS_MAX = 1024,
    LG__FILE_RATIO = 1024, /**< most raw bytes for each byte of a file */
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
                                      sections; it does not depend on their
                                      encoding */
    uint64_t reserved;
    uint64_t header_checksum; /**< XXH3-64 of the bytes before it */
} lg__file_header;

typedef enum lg__encoding {
    LG__ENCODING_RAW = 0,
    LG__ENCODING_ZSTD,        /**< one zstd frame */
    LG__ENCODING_PLANES,      /**< one zstd frame of planes of bytes */
    LG__ENCODING_DIFFERENCES, /**< one zstd frame of planes of differences */
    LG__ENCODING_SORTED,      /**< planes of elements sorted by a key */
    LG__ENCODING_SORTED_DIFFERENCES,
    LG__ENCODING_BY_SIZE,  /**< differences of addresses sorted by size class */
    LG__ENCODING_TARGETS,  /**< one zstd frame of lg__targets */
    LG__ENCODING_KINDS,    /**< planes of lg__kinds */
    LG__ENCODING_PAYLOADS, /**< planes of lg__payloads */
} lg__encoding;

enum {
    LG__SECTION_REQUIRED = 1 << 0, /**< a reader that does not know it must
                                        refuse the file */
};

typedef struct lg__file_section {
    uint32_t id;
    uint32_t flags;
    uint32_t encoding;
    uint32_t element; /**< bytes of an element */
    uint64_t offset;
    uint64_t stored_length;
    uint64_t raw_length;
    uint64_t checksum; /**< XXH3-64 of the raw bytes */
    uint64_t reserved[2];
} lg__file_section;

_Static_assert(sizeof(lg__file_header) == 64, "the header is 64 bytes");
_Static_assert(sizeof(lg__file_section) == 64, "an entry is 64 bytes");

/** Returns how many bytes the compressed sections of a file may hold, so that a
 *  small file cannot ask for much memory. Readers refuse files that hold more,
 *  and writers lengthen such files with zeros. */
static inline uint64_t
lg__file_raw_limit(uint64_t file_length)
{
    const uint64_t slack = 1 << 26;
    if (file_length > (UINT64_MAX - slack) / LG__FILE_RATIO)
        return UINT64_MAX;
    return file_length * LG__FILE_RATIO + slack;
}

/** Returns whether a section may have the encoding. */
bool lg__encoding_is_for(uint32_t encoding, enum lg__array_name name);

/** Returns whether the planes of an encoding hold differences in contexts. */
static inline bool
lg__encoding_is_of_contexts(uint32_t encoding)
{
    return encoding == LG__ENCODING_KINDS || encoding == LG__ENCODING_PAYLOADS;
}

/** Returns whether the other arrays that the encoding of an array needs are as
 *  long as they must be. */
bool lg__encoding_is_ready(uint32_t encoding, enum lg__array_name name,
                           uint64_t count, const lg__array *arrays);

/** Returns the planes that a column becomes under an encoding; their width is 0
 *  if it becomes none. */
lg__planes lg__encoding_planes(uint32_t encoding, enum lg__array_name name,
                               const lg__array *arrays, uint64_t count);

/** Returns the contexts of the graph's references, before lg__contexts_begin.
 *  Types and first edges are those of the columns. */
lg__contexts lg__encoding_contexts(const lg__array *arrays,
                                   const lg_columns *columns);
/** The same with the columns that payloads belong to. */
lg__payloads lg__encoding_payloads(const lg__array *arrays,
                                   const lg_columns *columns);

/** Sections from this id on are not part of the graph. */
#define LG__FILE_BEYOND_GRAPH 64u

/** Returns the checksum of a graph, from the directory of its file. */
uint64_t lg__file_graph_checksum(const lg__file_section *sections,
                                 uint32_t count);

/** Returns LG_EUNSUPPORTED on a machine that is not little-endian. */
lg_status lg__file_check_machine(lg_error *err);

/** Where a reader's bytes come from: memory, or a descriptor. */
typedef struct lg__source {
    const char *name; /**< for messages */
    const uint8_t *memory;
    int descriptor;
    uint64_t length;
    bool brief; /**< for a graph, read only what lg__graph_load_brief needs */
} lg__source;

lg_status lg__source_read(const lg__source *source, uint64_t offset,
                          void *buffer, size_t length, lg_error *err);

/** A section to be read. */
typedef struct lg__stored {
    const lg__file_section *section;
    enum lg__array_name name;
    const lg__array *arrays; /**< all of them: its own began, and those that
                                  its encoding needs are complete */
} lg__stored;

enum { LG__SECTION_INPUT = 1 << 17 };

/** Memory for the blocks of several sections, one section after the other. All
 *  zeros at first. */
typedef struct lg__section_room {
    lg__planes_room planes;
    struct ZSTD_DCtx_s *zstd;
    uint8_t *input; /**< [LG__SECTION_INPUT], a window on stored bytes */
    uint8_t *block; /**< [LG__TARGETS_ROOM] of a column of references; or
                         NULL */
} lg__section_room;

/** Returns the room's block; NULL when memory ran out. */
uint8_t *lg__section_room_block(lg__section_room *room);
void lg__section_room_free(lg__section_room *room);

/** Begins an array: counts its elements and takes memory for them, or borrows
 *  those of a raw section in memory. The array's block belongs to the graph. */
lg_status lg__section_begin(const lg__source *source,
                            const lg__file_section *section,
                            const lg_allocator *allocator, lg__array *out,
                            lg_error *err);

/** Reads one section into its array, which began: decodes it and verifies its
 *  checksum. */
lg_status lg__section_read(const lg__source *source, const lg__stored *stored,
                           lg__section_room *room, lg_error *err);

/** Loads a graph for lg_tabulate_info only. References, addresses and counts
 *  are not read, checked or kept: only their numbers are known. */
lg_status lg__graph_load_brief(const char *path, unsigned flags,
                               const lg_monitor *monitor, lg_graph **out,
                               lg_error *err);

// An analysis stands in sections beside those of its graph.

/** The analysis section: the checksum of its graph, and the version of the
 *  policy that it follows. */
enum { LG__ANALYSIS_POLICY = 1, LG__ANALYSIS_WORDS = 2 };

/** Points the arrays of the analysis at what to write; binding[0] is still to
 *  be set. *dominators gets one of them, to be freed. LG_EINVAL if the analysis
 *  is of another graph. */
lg_status lg__analysis_arrays(const lg_analysis *analysis,
                              const lg_graph *graph,
                              lg__array arrays[LG__ARRAY_COUNT],
                              uint64_t binding[LG__ANALYSIS_WORDS],
                              uint32_t **dominators, lg_error *err);

/** Where a file goes. */
typedef struct lg__destination lg__destination;

/** Room for a temporary name, with its NUL. */
enum { LG__TEMPORARY_ROOM = 256 };

/** A file that is being written, either for a destination or, if path is NULL,
 * to a descriptor of the caller. */
typedef struct lg__sink {
    char *path; /**< the path as given, for messages */
    lg__destination *destination;
    char temporary[LG__TEMPORARY_ROOM]; /**< its current name; "": it has
                                             none, or is in its place */
    int descriptor;
    uint64_t offset;
} lg__sink;

lg_status lg__sink_open(lg__sink *sink, const char *path, lg_error *err);
lg_status lg__sink_write(lg__sink *sink, const void *bytes, size_t length,
                         lg_error *err);
/** Goes back to an earlier offset and drops what follows. */
lg_status lg__sink_rewind(lg__sink *sink, uint64_t offset, lg_error *err);
/** Syncs the file and puts it into its place. */
lg_status lg__sink_commit(lg__sink *sink, lg_error *err);
/** Removes the temporary file unless it was committed, and frees the rest. */
void lg__sink_close(lg__sink *sink);

#endif
