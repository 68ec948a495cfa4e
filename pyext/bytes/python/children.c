/** The child processes, and the segments of shared memory that wait in them:
 *  a worker of PyTorch's DataLoader keeps a batch open until its parent takes
 *  it. */
#include "bytes/python/process.h"
#include "bytes/python/shm_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/** Looks at no more of them: each costs some system calls. */
enum { CHILDREN = 256 };

/** The children that one thread has forked; false if the kernel does not list
 *  them. */
static bool
add_children_of(const char *thread, lg_segments_seen *to, int64_t *children)
{
    char path[300];
    int child;
    snprintf(path, sizeof path, "/proc/self/task/%s/children", thread);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (fscanf(file, "%d", &child) == 1) {
        snprintf(path, sizeof path, "/proc/%d/fd", child);
        if ((*children)++ < CHILDREN)
            lg_segments_add_open(to, path);
    }
    fclose(file);
    return true;
}

void
lg_process_children_read(const lg_segments_seen *own, lg_process_counts *out)
{
    lg_segments_seen theirs = {0};
    int64_t children = 0, bytes = 0;
    bool known = false;
    DIR *folder = opendir("/proc/self/task");
    if (folder == NULL)
        return;
    for (struct dirent *at; (at = readdir(folder)) != NULL;)
        if (at->d_name[0] != '.')
            known |= add_children_of(at->d_name, &theirs, &children);
    closedir(folder);
    lg_segments_tidy(&theirs);
    for (size_t i = 0; i < theirs.count; i++)
        if (!lg_segments_have(own, theirs.items[i].inode))
            bytes += (int64_t)theirs.items[i].bytes;
    free(theirs.items);
    if (known) {
        out->children = children;
        out->children_shmem = bytes;
    }
}
