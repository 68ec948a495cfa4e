/**
 * Where a file goes: a name in an open folder. A path is resolved only once, so
 * that nobody can put another folder or link there meanwhile.
 */
#ifndef LEAKGRAPH_PLACE_H
#define LEAKGRAPH_PLACE_H

#include <sys/types.h>

#include <leakgraph/base.h>

typedef struct lg__place {
    int folder;  /**< open, but not always readable */
    mode_t mode; /**< mode of the new file: 0600, or that of the existing
                      file if the user owns that */
    char name[]; /**< name in the folder */
} lg__place;

/** Room for a temporary name, with its NUL. */
enum { LG__TEMPORARY_ROOM = 256 };

#endif
