#include "bytes/python/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A mapping as smaps(5) describes it; bytes. */
typedef struct mapping {
    uintptr_t start, end;
    unsigned long inode;
    bool executable;
    char path[32]; /**< its beginning */
    uint64_t resident, shared, anonymous, swapped;
} mapping;

typedef enum mapping_kind {
    OF_FILE,
    OF_SHARED_MEMORY,
    OF_JIT,
    OF_STACK,
    OF_PROCESS, /**< of anybody else: vdso and its like */
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
stacks_in(const mapping *at, const lg_stack_pointers *pointers, uint64_t most)
{
    uint64_t bytes = begins(at->path, "[heap]")
                         ? 0
                         : lg_stack_bytes(pointers, at->start, at->end);
    return bytes < most ? bytes : most;
}

static void
add_up(const mapping *at, const lg_stack_pointers *pointers,
       lg_mapped_bytes *out)
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
        out->stacks += stacks_in(at, pointers, of_file + own);
    }
}

/* "7f00-7f10 rw-p 00000000 fe:00 260386    /usr/lib/libc.so.6" */
static bool
read_heading(const char *line, mapping *out)
{
    char access[5];
    mapping found = {0};
    unsigned long start, end;
    int at = 0;
    if (sscanf(line, "%lx-%lx %4s %*s %*s %lu %n", &start, &end, access,
               &found.inode, &at) != 4)
        return false;
    found.start = start;
    found.end = end;
    found.executable = strchr(access, 'x') != NULL;
    snprintf(found.path, sizeof found.path, "%s", at > 0 ? line + at : "");
    *out = found;
    return true;
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

bool
lg_mapped_bytes_read(lg_mapped_bytes *out)
{
    char line[512];
    mapping at = {0};
    bool whole = true; /* the last line ended where the buffer did */
    lg_stack_pointers pointers;
    FILE *file = fopen("/proc/self/smaps", "re");
    *out = (lg_mapped_bytes){0};
    if (file == NULL)
        return false;
    lg_stack_pointers_read(&pointers);
    while (fgets(line, sizeof line, file) != NULL) {
        bool begun = whole;
        whole = strchr(line, '\n') != NULL;
        if (begun && is_field(line)) {
            read_field(line, &at);
        } else if (begun) {
            add_up(&at, &pointers, out);
            read_heading(line, &at);
        }
    }
    add_up(&at, &pointers, out);
    fclose(file);
    free(pointers.items);
    return out->resident > 0;
}

/* proc(5): the second number of statm is resident pages. */
uint64_t
lg_resident_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    bool known = fscanf(file, "%*u %llu", &pages) == 1;
    fclose(file);
    return known ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
