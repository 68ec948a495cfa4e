/**
 * Where a file goes: a name in an open folder. What a path means is found out
 * once, so that nobody can put another folder or link there meanwhile.
 */
#ifndef LG_FILE_PLACE_H
#define LG_FILE_PLACE_H

#include <sys/types.h>

#include <leakgraph/base.h>

typedef struct lg__place {
    int folder;  /**< open; not always readable */
    mode_t mode; /**< what the file is to have: 0600, or that of the file there,
                      if it is the user's own */
    char name[]; /**< in the folder */
} lg__place;

/** The place of a path, behind symbolic links, so that they stay links. Links
 *  of other users than root are refused, and what is no regular file. Removes
 *  what saves that were killed have left there. */
lg_status lg__place_open(const char *path, lg__place **out, lg_error *err);
void lg__place_close(lg__place *place);

/** Room for a temporary name, with its NUL. */
enum { LG__TEMPORARY_ROOM = 256 };

/** A name for a file that is to become the one at the place, another at each
 *  call. */
void lg__place_temporary(const lg__place *place, char out[LG__TEMPORARY_ROOM]);

/** Why a file cannot be written, from errno. Without a path the number alone is
 *  told, which takes neither lock nor memory; errno is as it was then. */
lg_status lg__place_refused(lg_error *err, const char *doing, const char *path);

#endif
