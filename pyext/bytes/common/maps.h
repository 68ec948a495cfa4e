/**
 * Lines of /proc/self/maps. The headings of smaps have the same form.
 */
#ifndef LEAKGRAPH_MAPS_H
#define LEAKGRAPH_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/** The most characters of a line that are kept; a longer path is cut. */
enum { LG__MAPS_LINE = 512 };

/** A mapping of this process. */
typedef struct lg__mapping {
    uintptr_t start, end;
    dev_t device;
    ino_t inode; /**< 0: anonymous pages */
    bool executable;
    const char *path; /**< in the line: "/usr/lib/libc.so.6", "[heap]", "" */
} lg__mapping;

/** Reads the next line, without its newline. False: there is none. */
bool lg__maps_line(FILE *file, char line[LG__MAPS_LINE]);
/** Parses a line. False: it describes no mapping. */
bool lg__map_of(const char *line, lg__mapping *out);
/** Reads and parses a line, for files with no other kind of line. */
bool lg__maps_next(FILE *file, char line[LG__MAPS_LINE], lg__mapping *out);

#endif
