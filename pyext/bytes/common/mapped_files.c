#include "bytes/common/mapped_files.h"
#include "bytes/common/maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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
    opened *open;
    size_t open_count;
};

/* Fills as many items as have room, and counts all. */
static size_t
read_maps(lg__adapter_pass *pass, lg__maps *maps, mapped *items, size_t room)
{
    char line[LG__MAPS_LINE];
    lg__mapping found;
    size_t count = 0;
    lg__maps_rewind(maps);
    while (lg__maps_next(maps, line, &found)) {
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

/* getdents(2): an entry of a folder. opendir() would ask malloc for memory. */
typedef struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
} entry;

/* Adds what a descriptor has open if that is a file. */
static size_t
add_open(const char *name, opened *items, size_t count, size_t room)
{
    struct stat known;
    int descriptor = atoi(name);
    if (*name == '.' || fstat(descriptor, &known) != 0 ||
        !S_ISREG(known.st_mode))
        return count;
    if (count < room)
        items[count] = (opened){known.st_dev, known.st_ino, descriptor};
    return count + 1;
}

static size_t
read_open(int folder, opened *items, size_t room)
{
    _Alignas(entry) char bytes[4096];
    size_t count = 0;
    long size;
    lseek(folder, 0, SEEK_SET);
    while ((size = syscall(SYS_getdents64, folder, bytes, sizeof bytes)) > 0)
        for (long at = 0; at < size;) {
            const entry *next = (const entry *)(bytes + at);
            count = add_open(next->name, items, count, room);
            at += next->size;
        }
    return count;
}

static void
read_all(lg__adapter_pass *pass, lg__mapped_files *out, lg__maps *maps,
         int folder)
{
    size_t room = read_maps(pass, maps, NULL, 0);
    out->maps = lg__pass_keep(pass, (room + 1) * sizeof *out->maps);
    size_t count = out->maps ? read_maps(pass, maps, out->maps, room) : 0;
    out->map_count = count < room ? count : room;
    room = read_open(folder, NULL, 0);
    out->open = lg__pass_keep(pass, (room + 1) * sizeof *out->open);
    count = out->open ? read_open(folder, out->open, room) : 0;
    out->open_count = count < room ? count : room;
}

const lg__mapped_files *
lg__mapped_files_read(lg__adapter_pass *pass)
{
    lg__mapped_files *out = lg__pass_keep(pass, sizeof *out);
    lg__maps maps;
    bool has_maps = lg__maps_open(&maps, "/proc/self/maps");
    int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out != NULL)
        *out = (lg__mapped_files){0};
    if (out != NULL && has_maps && folder >= 0)
        read_all(pass, out, &maps, folder);
    if (has_maps)
        lg__maps_close(&maps);
    if (folder >= 0)
        close(folder);
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

/* Returns the lowest one; -1: none. */
static int
descriptor_of(const lg__mapped_files *of, const mapped *file)
{
    int lowest = -1;
    for (size_t i = 0; i < of->open_count; i++) {
        const opened *at = &of->open[i];
        bool same = at->device == file->device && at->inode == file->inode;
        if (same && (lowest < 0 || at->descriptor < lowest))
            lowest = at->descriptor;
    }
    return lowest;
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
