#include "bytes/common/mapped_files.h"
#include "bytes/common/maps.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct mapped {
    uintptr_t start, end;
    dev_t device;
    ino_t inode;
    char *name;
} mapped;

typedef struct opened {
    dev_t device;
    ino_t inode;
    int descriptor;
} opened;

struct lg__mapped_files {
    mapped *maps; /* by address */
    size_t map_count;
    opened *open; /* by file, then by number */
    size_t open_count;
};

/* Fills as many items as have room, and counts all. */
static size_t
read_maps(lg__adapter_pass *pass, FILE *file, mapped *items, size_t room)
{
    char line[LG__MAPS_LINE];
    lg__mapping found;
    size_t count = 0;
    rewind(file);
    while (lg__maps_next(file, line, &found)) {
        if (found.inode == 0 || *found.path != '/')
            continue;
        if (count < room) {
            size_t size = strlen(found.path) + 1;
            char *name = lg__pass_keep(pass, size);
            if (name == NULL)
                break;
            memcpy(name, found.path, size);
            items[count] = (mapped){found.start, found.end, found.device,
                                    found.inode, name};
        }
        count++;
    }
    return count;
}

static size_t
read_open(DIR *folder, opened *items, size_t room)
{
    struct stat known;
    size_t count = 0;
    rewinddir(folder);
    for (struct dirent *at; (at = readdir(folder)) != NULL;) {
        if (at->d_name[0] == '.' ||
            fstatat(dirfd(folder), at->d_name, &known, 0) != 0 ||
            !S_ISREG(known.st_mode))
            continue;
        if (count < room)
            items[count] =
                (opened){known.st_dev, known.st_ino, atoi(at->d_name)};
        count++;
    }
    return count;
}

static int
by_file(const void *left, const void *right)
{
    const opened *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->inode != b->inode)
        return a->inode < b->inode ? -1 : 1;
    return (a->descriptor > b->descriptor) - (a->descriptor < b->descriptor);
}

static void
read_all(lg__adapter_pass *pass, lg__mapped_files *out, FILE *maps, DIR *folder)
{
    size_t room = read_maps(pass, maps, NULL, 0);
    out->maps = lg__pass_keep(pass, (room + 1) * sizeof *out->maps);
    size_t count = out->maps ? read_maps(pass, maps, out->maps, room) : 0;
    out->map_count = count < room ? count : room;
    room = read_open(folder, NULL, 0);
    out->open = lg__pass_keep(pass, (room + 1) * sizeof *out->open);
    count = out->open ? read_open(folder, out->open, room) : 0;
    out->open_count = count < room ? count : room;
    if (out->open_count > 0)
        qsort(out->open, out->open_count, sizeof *out->open, by_file);
}

const lg__mapped_files *
lg__mapped_files_read(lg__adapter_pass *pass)
{
    lg__mapped_files *out = lg__pass_keep(pass, sizeof *out);
    FILE *maps = fopen("/proc/self/maps", "re");
    DIR *folder = opendir("/proc/self/fd");
    if (out != NULL)
        *out = (lg__mapped_files){0};
    if (out != NULL && maps != NULL && folder != NULL)
        read_all(pass, out, maps, folder);
    if (maps != NULL)
        fclose(maps);
    if (folder != NULL)
        closedir(folder);
    return out;
}

static const mapped *
map_of(const lg__mapped_files *of, uintptr_t address)
{
    size_t low = 0;
    size_t high = of->map_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (of->maps[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < of->maps[low - 1].end ? &of->maps[low - 1]
                                                      : NULL;
}

/* -1: none. */
static int
descriptor_of(const lg__mapped_files *of, const mapped *file)
{
    const opened wanted = {file->device, file->inode, -1};
    size_t low = 0;
    size_t high = of->open_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_file(&of->open[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < of->open_count && of->open[low].device == file->device &&
                   of->open[low].inode == file->inode
               ? of->open[low].descriptor
               : -1;
}

bool
lg__mapped_files_name(const lg__mapped_files *of, uintptr_t address, char *out,
                      size_t size)
{
    const mapped *file = of != NULL ? map_of(of, address) : NULL;
    if (file == NULL)
        return false;
    int descriptor = descriptor_of(of, file);
    if (descriptor < 0)
        snprintf(out, size, "%s", file->name);
    else
        snprintf(out, size, "%s, descriptor %d", file->name, descriptor);
    return true;
}
