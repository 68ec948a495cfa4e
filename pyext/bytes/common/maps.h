/**
 * Lines of /proc/self/maps, and of smaps, whose headings are the same.
 */
#ifndef LEAKGRAPH_MAPS_H
#define LEAKGRAPH_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/** Characters of a line that are kept: a path is cut there. */
enum { LG_MAPS_LINE = 512 };

/** A mapping of this process. */
typedef struct lg_map {
    uintptr_t start, end;
    dev_t device;
    ino_t inode; /**< 0: anonymous pages */
    bool executable;
    const char *path; /**< in the line: "/usr/lib/libc.so.6", "[heap]", "" */
} lg_map;

/** Reads the next line, without its end. False: there is none. */
bool lg_maps_line(FILE *file, char line[LG_MAPS_LINE]);
/** Takes a line apart. False: it describes no mapping. */
bool lg_map_of(const char *line, lg_map *out);
/** Both, for files that have no other lines. */
bool lg_maps_next(FILE *file, char line[LG_MAPS_LINE], lg_map *out);

#endif
