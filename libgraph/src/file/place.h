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

/** Finds the place of a path. Follows symbolic links, so that they stay links.
 *  Refuses links of other users than root, and anything but a regular file.
 *  Removes files that killed saves left there. */
lg_status lg__place_open(const char *path, lg__place **out, lg_error *err);
void lg__place_close(lg__place *place);

/** Room for a temporary name, with its NUL. */
enum { LG__TEMPORARY_ROOM = 256 };

/** Makes a temporary name for a file that is to go to the place; another one at
 *  each call. */
void lg__place_temporary(const lg__place *place, char out[LG__TEMPORARY_ROOM]);

/** Sets the error for a file that cannot be written, from errno. Without a
 *  path, it gives only the number, because that takes no lock and no memory.
 *  Restores errno. */
lg_status lg__place_refused(lg_error *err, const char *doing, const char *path);

#endif
