#include "bytes/common/maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

bool
lg__maps_open(lg__maps *maps, const char *path)
{
    maps->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    maps->at = maps->end = 0;
    return maps->descriptor >= 0;
}

void
lg__maps_rewind(lg__maps *maps)
{
    lseek(maps->descriptor, 0, SEEK_SET);
    maps->at = maps->end = 0;
}

void
lg__maps_close(lg__maps *maps)
{
    close(maps->descriptor);
}

static bool
has_bytes(lg__maps *maps)
{
    if (maps->at < maps->end)
        return true;
    ssize_t count = read(maps->descriptor, maps->bytes, sizeof maps->bytes);
    maps->at = 0;
    maps->end = count > 0 ? (size_t)count : 0;
    return count > 0;
}

bool
lg__maps_line(lg__maps *maps, char line[LG__MAPS_LINE])
{
    size_t length = 0;
    bool ends = false, any = false;
    while (!ends && has_bytes(maps)) {
        const char *begin = maps->bytes + maps->at;
        size_t rest = maps->end - maps->at;
        const char *newline = memchr(begin, '\n', rest);
        size_t size = newline != NULL ? (size_t)(newline - begin) : rest;
        size_t room = LG__MAPS_LINE - 1 - length;
        size_t kept = size < room ? size : room;
        memcpy(line + length, begin, kept);
        length += kept;
        maps->at += size + (newline != NULL);
        ends = newline != NULL;
        any = true;
    }
    line[length] = '\0';
    return any;
}

/* At least 16: not a digit. */
static unsigned
digit_of(char character)
{
    if (character >= '0' && character <= '9')
        return (unsigned)(character - '0');
    return character >= 'a' && character <= 'f'
               ? (unsigned)(character - 'a') + 10
               : 16;
}

/* Reads a number and the character that ends it. sscanf() would take most of
   the time of reading a line. */
static bool
read_number(const char **line, unsigned base, char end, unsigned long *out)
{
    const char *at = *line;
    unsigned long number = 0;
    for (unsigned digit; (digit = digit_of(*at)) < base; at++)
        number = number * base + digit;
    if (at == *line || *at != end)
        return false;
    *line = at + 1;
    *out = number;
    return true;
}

/* proc(5): "7f00-7f10 rw-p 00000000 fe:00 260386    /usr/lib/libc.so.6" */
bool
lg__map_of(const char *line, lg__mapping *out)
{
    unsigned long start, end, offset, major, minor, inode;
    if (!read_number(&line, 16, '-', &start) ||
        !read_number(&line, 16, ' ', &end))
        return false;
    size_t access = strcspn(line, " ");
    const char *rights = line;
    line += access + (line[access] == ' ');
    if (!read_number(&line, 16, ' ', &offset) ||
        !read_number(&line, 16, ':', &major) ||
        !read_number(&line, 16, ' ', &minor) ||
        !read_number(&line, 10, ' ', &inode))
        return false;
    *out = (lg__mapping){.start = start,
                         .end = end,
                         .device = makedev((unsigned)major, (unsigned)minor),
                         .inode = inode,
                         .offset = offset,
                         .readable = memchr(rights, 'r', access) != NULL,
                         .writable = memchr(rights, 'w', access) != NULL,
                         .executable = memchr(rights, 'x', access) != NULL,
                         .shared = memchr(rights, 's', access) != NULL,
                         .path = line + strspn(line, " ")};
    return true;
}

bool
lg__maps_next(lg__maps *maps, char line[LG__MAPS_LINE], lg__mapping *out)
{
    while (lg__maps_line(maps, line))
        if (lg__map_of(line, out))
            return true;
    return false;
}

/* Counts all, and fills as many items as have room. */
static size_t
read_all(lg__maps *maps, lg__range *items, size_t room)
{
    char line[LG__MAPS_LINE];
    lg__mapping found;
    size_t count = 0;
    lg__maps_rewind(maps);
    while (lg__maps_next(maps, line, &found)) {
        if (found.inode == 0)
            continue;
        if (count < room)
            items[count] = (lg__range){found.start, found.end};
        count++;
    }
    return count;
}

lg__mappings
lg__mappings_read(lg__adapter_pass *pass)
{
    lg__mappings out = {0};
    lg__maps maps;
    if (!lg__maps_open(&maps, "/proc/self/maps"))
        return out;
    size_t room = read_all(&maps, NULL, 0) + 16;
    out.items = lg__pass_keep(pass, room * sizeof *out.items);
    size_t count = out.items != NULL ? read_all(&maps, out.items, room) : 0;
    out.count = count < room ? count : room;
    lg__maps_close(&maps);
    return out;
}

bool
lg__mappings_have(const lg__mappings *mappings, uintptr_t address)
{
    return lg__ranges_have(mappings->items, mappings->count, address);
}

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
read_mapped(lg__adapter_pass *pass, lg__mapped_files *out, lg__maps *maps,
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
        read_mapped(pass, out, &maps, folder);
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
