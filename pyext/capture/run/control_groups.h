/**
 * The control groups of a process: the folders in which the kernel says what a
 * group may take, and what becomes of it.
 */
#ifndef LEAKGRAPH_CONTROL_GROUPS_H
#define LEAKGRAPH_CONTROL_GROUPS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lg__group {
    int version; /**< 1 or 2: the names of its files depend on it */
    char folder[PATH_MAX];
} lg__group;

/** Returns whether to go on with the group above. */
typedef bool lg__group_look(void *context, const lg__group *group);

/** Looks at the groups of a process (0: this one) that have a controller, such
 *  as "memory": from its own up to the one that is mounted, in each hierarchy.
 *  Groups above a container's are not mounted there, and those of a process in
 *  another container are not either: then it looks at none. `root` stands for
 *  "/", for tests. Looks at none if /proc does not tell, or memory is short. */
void lg__groups_each(const char *root, int process, const char *controller,
                     lg__group_look *look, void *context);

/** Reads a small file into `text`, ended by 0; false if there is none. Reads by
 *  place, so it takes nothing from a pipe that another thread has put in the
 *  place of the file. Allocates nothing. */
bool lg__group_read(const char *path, char *text, size_t size);

/** Reads the number behind a name at the beginning of a line in a file of the
 *  group; an empty name: that at the beginning of the file. False if it has
 *  none, as a limit has that is "max". */
bool lg__group_number(const lg__group *group, const char *file,
                      const char *name, uint64_t *out);

#endif
