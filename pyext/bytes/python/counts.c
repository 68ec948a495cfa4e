#include "bytes/common/bytes_common.h"
#include "bytes/python/process.h"
#include "bytes/python/shm_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static bool
add_mapped(lg__segments_seen *to)
{
    char line[LG__MAPS_LINE];
    lg__mapping found;
    lg__maps maps;
    if (!lg__maps_open(&maps, "/proc/self/maps"))
        return false;
    while (lg__maps_next(&maps, line, &found))
        if (strncmp(found.path, LG__SEGMENTS_FOLDER,
                    strlen(LG__SEGMENTS_FOLDER)) == 0)
            lg__segments_add(to, found.inode, 0);
    lg__maps_close(&maps);
    return true;
}

/** -1: there is no such folder of /proc. */
static int64_t
count_entries(const char *path)
{
    int64_t count = 0;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return -1;
    for (struct dirent *at; (at = readdir(folder)) != NULL;)
        count += at->d_name[0] != '.';
    closedir(folder);
    return count;
}

lg__process_counts
lg__process_counts_read(void)
{
    lg__segments_seen segments = {0};
    struct rlimit limit;
    lg__process_counts out = {.segments = -1,
                              .descriptors_most = -1,
                              .children = -1,
                              .children_shmem = -1};
    bool has_maps = add_mapped(&segments);
    out.threads = count_entries("/proc/self/task");
    out.descriptors = lg__segments_add_open(&segments, "/proc/self/fd");
    if (out.descriptors > 0)
        out.descriptors--; /* the folder itself */
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY)
        out.descriptors_most = (int64_t)limit.rlim_cur;
    lg__segments_tidy(&segments);
    if (has_maps)
        out.segments = (int64_t)segments.count;
    lg__process_children_read(&segments, &out);
    free(segments.items);
    return out;
}
