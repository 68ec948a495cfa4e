/**
 * The file of a summary: a header, and one zstd frame with the content. The
 * frame has the lengths of all strings, their bytes, zeros up to a multiple of
 * 8, seven numbers (the sums of objects, large ones, mapped ones; the rest of
 * the resident memory; the number of tallies; the sum of small objects; the
 * number of words), the places, the types, the info texts, the tallies, the
 * words, and the names of the devices.
 *
 * Version 3 adds to each type and tally its bytes on each device besides the
 * host. In version 2 they are one number for the host and all devices. A file
 * without such devices is the same in both, and is written as version 2.
 * Version 4 adds the words of places: who holds them, and what they are. A file
 * without words is written as an earlier version, without their number.
 */
#ifndef LEAKGRAPH_SUMMARY_FILE_H
#define LEAKGRAPH_SUMMARY_FILE_H

#include "file/file_private.h"
#include "growth/growth_private.h"

#define LG__SUMMARY_MAGIC "\x89LGP\r\n\x1a\n"

enum { LG__SUMMARY_TOTALS = 2, LG__SUMMARY_DEVICES, LG__SUMMARY_MAJOR };

typedef struct lg__summary_header {
    char magic[8];
    uint32_t major;
    uint32_t devices;
    uint32_t strings;
    uint32_t places;
    uint32_t types;
    uint32_t infos;
    uint64_t raw_length;
    uint64_t checksum; /**< XXH3-64 of the raw bytes */
    uint64_t header_checksum;
} lg__summary_header;

/** A place. Its own and its retained bytes by device come after it. */
typedef struct lg__summary_place {
    uint32_t parent;
    uint32_t label;
    uint32_t type;
    uint32_t kind;
    uint64_t members;
    uint64_t references;
} lg__summary_place;

/** A type. Its bytes on other devices come after it. */
typedef struct lg__summary_type {
    uint64_t count;
    uint64_t host;
    uint32_t name;
    uint32_t reserved;
} lg__summary_type;

/** A tally. Its bytes on other devices come after it. */
typedef struct lg__summary_tally {
    uint64_t holder;
    uint64_t kept;
    uint64_t count;
    uint64_t host;
    uint32_t name;
    uint32_t detail;
    uint32_t kind;
    uint32_t reserved;
} lg__summary_tally;

_Static_assert(sizeof(lg__summary_tally) == 48, "a tally is 48 bytes");
_Static_assert(sizeof(lg__summary_header) == 56, "a header is 56 bytes");
_Static_assert(sizeof(lg__summary_place) == 32, "a place is 32 bytes");
_Static_assert(sizeof(lg__summary_type) == 24, "a type is 24 bytes");

#endif
