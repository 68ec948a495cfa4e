/** Sets of segments of shared memory, by inode. */
#ifndef LEAKGRAPH_SHM_LIST_H
#define LEAKGRAPH_SHM_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LG__SEGMENTS_FOLDER "/dev/shm/"

/** A segment. A list may have it twice. */
typedef struct lg__segment_seen {
    uint64_t inode;
    uint64_t bytes; /**< its bytes in memory; 0: nobody has asked */
} lg__segment_seen;

typedef struct lg__segments_seen {
    lg__segment_seen *items; /**< release it with free() */
    size_t count, room;
} lg__segments_seen;

/** Appends a segment; leaves it out when memory ran out. */
void lg__segments_add(lg__segments_seen *to, uint64_t inode, uint64_t bytes);
/** Counts the entries of a folder of descriptors in /proc and appends the
 *  segments among them; -1: there is no such folder. */
int64_t lg__segments_add_open(lg__segments_seen *to, const char *path);
/** Sorts the list, and keeps each segment once. */
void lg__segments_tidy(lg__segments_seen *of);
/** Returns whether a sorted list has the inode. */
bool lg__segments_have(const lg__segments_seen *tidy, uint64_t inode);

#endif
