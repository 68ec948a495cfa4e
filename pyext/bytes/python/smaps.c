#include "bytes/common/bytes_common.h"
#include "bytes/python/process.h"
#include "capture/memory/capture_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A mapping as smaps(5) describes it, in bytes. */
typedef struct mapping {
    uintptr_t start, end;
    dev_t device;
    ino_t inode;
    bool executable;
    char path[32]; /**< the beginning of the path */
    uint64_t resident, shared, anonymous, swapped;
} mapping;

typedef enum mapping_kind {
    OF_FILE,
    OF_SHARED_MEMORY,
    OF_JIT,
    OF_STACK,
    OF_PROCESS, /**< mapped by the kernel: vdso and its like */
    OF_ANYBODY,
} mapping_kind;

static bool
begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static mapping_kind
kind_of(const mapping *at)
{
    static const char *const shared[] = {"/dev/shm/", "/memfd:", "/SYSV",
                                         "/dev/zero"};
    if (at->inode != 0) {
        for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
            if (begins(at->path, shared[i]))
                return OF_SHARED_MEMORY;
        return OF_FILE;
    }
    if (begins(at->path, "[stack"))
        return OF_STACK;
    if (begins(at->path, "[v") || begins(at->path, "[uprobes"))
        return OF_PROCESS;
    return at->executable && !begins(at->path, "[heap]") ? OF_JIT : OF_ANYBODY;
}

static uint64_t
stacks_in(const mapping *at, const lg__stack_pointers *pointers, uint64_t most)
{
    uint64_t bytes = begins(at->path, "[heap]")
                         ? 0
                         : lg__stack_bytes(pointers, at->start, at->end);
    return bytes < most ? bytes : most;
}

/* mimalloc asks for addresses from 2 TiB on, and starts again after 30 TiB
   (MI_HINT_BASE and MI_HINT_MAX in its src/os.c, 2.0 to 3.4). The kernel itself
   chooses addresses far above. */
static bool
is_of_mimalloc(const mapping *at)
{
    const uint64_t first = (uint64_t)2 << 40, last = (uint64_t)32 << 40;
    return at->path[0] == '\0' && at->start >= first && at->end <= last;
}

static void
add_up(const mapping *at, const lg__stack_pointers *pointers,
       lg__mapped_bytes *out)
{
    uint64_t of_file =
        at->resident > at->anonymous ? at->resident - at->anonymous : 0;
    uint64_t own = at->resident - of_file + at->swapped;
    uint64_t stacks;
    out->resident += at->resident;
    out->swapped += at->swapped;
    out->shared += at->shared;
    switch (kind_of(at)) {
    case OF_FILE:
        out->files += of_file;
        out->changed += own;
        break;
    case OF_SHARED_MEMORY:
        out->shmem += of_file + own;
        break;
    case OF_STACK:
        out->stacks += of_file + own;
        break;
    case OF_PROCESS:
        out->files += of_file + own;
        break;
    case OF_JIT:
        stacks = stacks_in(at, pointers, of_file + own);
        out->stacks += stacks;
        out->jit += of_file + own - stacks;
        break;
    case OF_ANYBODY:
        stacks = stacks_in(at, pointers, of_file + own);
        out->stacks += stacks;
        out->mimalloc += is_of_mimalloc(at) ? of_file + own - stacks : 0;
    }
}

static mapping
mapping_of(const lg__mapping *heading)
{
    mapping out = {.start = heading->start,
                   .end = heading->end,
                   .device = heading->device,
                   .inode = heading->inode,
                   .executable = heading->executable};
    snprintf(out.path, sizeof out.path, "%s", heading->path);
    return out;
}

/* "Shared_Dirty:          16 kB" */
static void
read_field(const char *line, mapping *out)
{
    const struct {
        const char *name;
        uint64_t *sum;
    } fields[] = {
        {"Rss:", &out->resident},        {"Shared_Clean:", &out->shared},
        {"Shared_Dirty:", &out->shared}, {"Anonymous:", &out->anonymous},
        {"Swap:", &out->swapped},
    };
    if (strchr("RSA", *line) == NULL)
        return;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (begins(line, fields[i].name))
            *fields[i].sum +=
                1024 * strtoull(line + strlen(fields[i].name), NULL, 10);
}

static bool
is_field(const char *line)
{
    return *line >= 'A' && *line <= 'Z';
}

/* Finds the mapping of this code. */
static mapping
find_library(void)
{
    char line[LG__MAPS_LINE];
    lg__mapping at;
    lg__maps maps;
    mapping found = {0};
    uintptr_t here = (uintptr_t)&find_library;
    if (!lg__maps_open(&maps, "/proc/self/maps"))
        return found;
    while (found.inode == 0 && lg__maps_next(&maps, line, &at))
        if (at.start <= here && here < at.end)
            found = mapping_of(&at);
    lg__maps_close(&maps);
    return found;
}

static bool
is_of_file(const mapping *at, const mapping *file)
{
    return file->inode != 0 && at->inode == file->inode &&
           at->device == file->device;
}

bool
lg__mapped_bytes_read(bool visits, uint64_t left, lg__stack_pointers *stacks,
                      lg__mapped_bytes *out)
{
    char line[LG__MAPS_LINE];
    lg__mapping heading;
    mapping at = {0};
    mapping library = visits ? find_library() : at;
    lg__maps maps;
    *out = (lg__mapped_bytes){0};
    if (!lg__maps_open(&maps, "/proc/self/smaps"))
        return false;
    lg__stack_pointers_read(stacks);
    while (lg__maps_line(&maps, line)) {
        if (is_field(line)) {
            read_field(line, &at);
        } else if (lg__map_of(line, &heading)) {
            if (!is_of_file(&at, &library))
                add_up(&at, stacks, out);
            at = mapping_of(&heading);
        }
    }
    if (!is_of_file(&at, &library))
        add_up(&at, stacks, out);
    lg__maps_close(&maps);
    const uint64_t own = lg__own_pages_bytes();
    if (own > left && own - left < out->resident)
        out->resident -= own - left;
    return out->resident > 0;
}

/* proc(5): the second number of statm is resident pages. */
uint64_t
lg__resident_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    bool known = fscanf(file, "%*u %llu", &pages) == 1;
    fclose(file);
    return known ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
