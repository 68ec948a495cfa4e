#include "bytes/python/shm_list.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512 /* what st_blocks counts */ };

void
lg__segments_add(lg__segments_seen *to, uint64_t inode, uint64_t bytes)
{
    if (to->count == to->room) {
        size_t room = 2 * to->room + 32;
        lg__segment_seen *grown = realloc(to->items, room * sizeof *grown);
        if (grown == NULL)
            return;
        to->items = grown;
        to->room = room;
    }
    to->items[to->count++] = (lg__segment_seen){inode, bytes};
}

static void
add_open(lg__segments_seen *to, int folder, const char *descriptor)
{
    char target[sizeof LG__SEGMENTS_FOLDER];
    struct stat known;
    ssize_t length = readlinkat(folder, descriptor, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    if (strcmp(target, LG__SEGMENTS_FOLDER) == 0 &&
        fstatat(folder, descriptor, &known, 0) == 0)
        lg__segments_add(to, known.st_ino, (uint64_t)known.st_blocks * BLOCK);
}

int64_t
lg__segments_add_open(lg__segments_seen *to, const char *path)
{
    int64_t count = 0;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return -1;
    for (struct dirent *at; (at = readdir(folder)) != NULL;) {
        if (at->d_name[0] == '.')
            continue;
        count++;
        add_open(to, dirfd(folder), at->d_name);
    }
    closedir(folder);
    return count;
}

static int
by_inode(const void *left, const void *right)
{
    const lg__segment_seen *a = left, *b = right;
    return (a->inode > b->inode) - (a->inode < b->inode);
}

void
lg__segments_tidy(lg__segments_seen *of)
{
    size_t kept = 0;
    if (of->count > 0)
        qsort(of->items, of->count, sizeof *of->items, by_inode);
    for (size_t i = 0; i < of->count; i++)
        if (kept == 0 || of->items[i].inode != of->items[kept - 1].inode)
            of->items[kept++] = of->items[i];
    of->count = kept;
}

bool
lg__segments_have(const lg__segments_seen *tidy, uint64_t inode)
{
    const lg__segment_seen wanted = {.inode = inode};
    return tidy->count > 0 && bsearch(&wanted, tidy->items, tidy->count,
                                      sizeof wanted, by_inode) != NULL;
}
