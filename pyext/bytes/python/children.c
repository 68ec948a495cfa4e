/** The child processes, and the segments of shared memory that wait in them:
 *  a worker of PyTorch's DataLoader keeps a batch open until its parent takes
 *  it. */
#include "bytes/python/process.h"
#include "bytes/python/shm_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* Looks at the segments of at most so many children: each costs some system
   calls. */
enum { CHILDREN = 256 };

/* Appends the children of one thread. */
static bool
add_children_of(const char *thread, lg__children *to)
{
    char path[300];
    int child;
    snprintf(path, sizeof path, "/proc/self/task/%s/children", thread);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (fscanf(file, "%d", &child) == 1) {
        int *more = realloc(to->items, (to->count + 1) * sizeof *more);
        if (more == NULL)
            break;
        to->items = more;
        to->items[to->count++] = child;
    }
    fclose(file);
    return true;
}

bool
lg__children_list(lg__children *out)
{
    bool known = false;
    *out = (lg__children){0};
    DIR *folder = opendir("/proc/self/task");
    if (folder == NULL)
        return false;
    for (struct dirent *at; (at = readdir(folder)) != NULL;)
        if (at->d_name[0] != '.')
            known |= add_children_of(at->d_name, out);
    closedir(folder);
    return known;
}

void
lg__process_children_read(const lg__segments_seen *own, lg__process_counts *out)
{
    char path[64];
    lg__children children;
    lg__segments_seen theirs = {0};
    int64_t bytes = 0;
    bool known = lg__children_list(&children);
    for (size_t i = 0; i < children.count && i < CHILDREN; i++) {
        snprintf(path, sizeof path, "/proc/%d/fd", children.items[i]);
        lg__segments_add_open(&theirs, path);
    }
    lg__segments_tidy(&theirs);
    for (size_t i = 0; i < theirs.count; i++)
        if (!lg__segments_have(own, theirs.items[i].inode))
            bytes += (int64_t)theirs.items[i].bytes;
    free(theirs.items);
    free(children.items);
    if (known) {
        out->children = (int64_t)children.count;
        out->children_shmem = bytes;
    }
}
