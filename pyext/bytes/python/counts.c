#include "bytes/python/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEGMENTS "/dev/shm/"

/** The inodes of segments, some twice. */
typedef struct inodes {
    unsigned long *items;
    size_t count, room;
} inodes;

static void
add_inode(inodes *to, unsigned long inode)
{
    if (to->count == to->room) {
        size_t room = 2 * to->room + 32;
        unsigned long *grown = realloc(to->items, room * sizeof *grown);
        if (grown == NULL)
            return;
        to->items = grown;
        to->room = room;
    }
    to->items[to->count++] = inode;
}

static int
ascending(const void *left, const void *right)
{
    const unsigned long *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Counts different ones, and frees them. */
static int64_t
count_inodes(inodes *of)
{
    int64_t different = 0;
    if (of->count > 0)
        qsort(of->items, of->count, sizeof *of->items, ascending);
    for (size_t i = 0; i < of->count; i++)
        different += i == 0 || of->items[i] != of->items[i - 1];
    free(of->items);
    return different;
}

static bool
add_mapped(inodes *to)
{
    char line[512];
    bool whole = true;
    FILE *file = fopen("/proc/self/maps", "re");
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned long inode;
        int at = 0;
        bool begun = whole;
        whole = strchr(line, '\n') != NULL;
        if (begun && sscanf(line, "%*s %*s %*s %*s %lu %n", &inode, &at) == 1 &&
            at > 0 && strncmp(line + at, SEGMENTS, strlen(SEGMENTS)) == 0)
            add_inode(to, inode);
    }
    fclose(file);
    return true;
}

static void
add_open(inodes *to, int folder, const char *descriptor)
{
    char target[sizeof SEGMENTS];
    struct stat known;
    ssize_t length = readlinkat(folder, descriptor, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    if (strcmp(target, SEGMENTS) == 0 &&
        fstatat(folder, descriptor, &known, 0) == 0)
        add_inode(to, (unsigned long)known.st_ino);
}

/* Counts the entries of a folder of /proc; -1: there is none. Unless NULL,
   `open` gets the segments among open files. */
static int64_t
count_entries(const char *path, inodes *open)
{
    int64_t count = 0;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return -1;
    for (struct dirent *at; (at = readdir(folder)) != NULL;) {
        if (at->d_name[0] == '.')
            continue;
        count++;
        if (open != NULL)
            add_open(open, dirfd(folder), at->d_name);
    }
    closedir(folder);
    return count;
}

lg_process_counts
lg_process_counts_read(void)
{
    inodes segments = {0};
    struct rlimit limit;
    lg_process_counts out = {.segments = -1, .descriptors_most = -1};
    bool has_maps = add_mapped(&segments);
    out.threads = count_entries("/proc/self/task", NULL);
    out.descriptors = count_entries("/proc/self/fd", &segments);
    if (out.descriptors > 0)
        out.descriptors--; /* the folder itself */
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY)
        out.descriptors_most = (int64_t)limit.rlim_cur;
    int64_t different = count_inodes(&segments);
    if (has_maps)
        out.segments = different;
    return out;
}
