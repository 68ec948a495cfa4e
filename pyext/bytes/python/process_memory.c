/** The memory of the process: mappings, stacks of threads, segments of shared
 *  memory, and what its children have of these. */
#include "bytes/python/process_memory.h"
#include "capture/memory/capture_memory.h"
#include "bytes/common/bytes_common.h"
#include "capture/common/capture_common.h"

#include <Python.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/** The stacks of this process's threads. */

enum { MOST_THREADS = 1 << 16 };

/* proc(5): "202 0x7f.. ... 0x7ffc0df64718 0x7fa1e84df2ad": a system call, its
   arguments, the stack pointer and the program counter; or "running". */
static uintptr_t
stack_pointer(const char *thread)
{
    char path[64];
    unsigned long pointer = 0;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/syscall", thread);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "-1 %lx", &pointer) != 1) {
        rewind(file);
        if (fscanf(file, "%*d %*s %*s %*s %*s %*s %*s %lx", &pointer) != 1)
            pointer = 0;
    }
    fclose(file);
    return pointer;
}

static int
ascending(const void *left, const void *right)
{
    const lg__stack_pointer *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

static bool
add(lg__stack_pointers *out, lg__stack_pointer pointer)
{
    if (out->count == out->room) {
        size_t room = 2 * out->room + 32;
        lg__stack_pointer *grown = realloc(out->items, room * sizeof *grown);
        if (grown == NULL)
            return false;
        out->items = grown;
        out->room = room;
    }
    out->items[out->count++] = pointer;
    return true;
}

/* The kernel names the main thread's stack, and Python numbers it first. */
void
lg__stack_pointers_of_python(lg__stack_pointers *out)
{
#ifndef Py_GIL_DISABLED
    PyInterpreterState *interpreter = PyThreadState_Get()->interp;
    PyThreadState *thread = PyInterpreterState_ThreadHead(interpreter);
    while (thread != NULL && out->count < MOST_THREADS &&
           (thread->id == 1 ||
            add(out, (lg__stack_pointer){thread->thread_id, true})))
        thread = thread->next;
#else
    (void)out;
#endif
}

void
lg__stack_pointers_read(lg__stack_pointers *out)
{
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *at; threads != NULL && out->count < MOST_THREADS &&
                            (at = readdir(threads)) != NULL;) {
        uintptr_t pointer =
            at->d_name[0] != '.' ? stack_pointer(at->d_name) : 0;
        if (pointer != 0 && !add(out, (lg__stack_pointer){pointer, false}))
            break;
    }
    if (threads != NULL)
        closedir(threads);
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, ascending);
}

static uintptr_t
longest_stack(void)
{
    const uintptr_t usual = (uintptr_t)8 << 20;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > 8 * usual)
        return usual;
    return limit.rlim_cur > usual / 8 ? limit.rlim_cur : usual / 8;
}

/** The resident bytes of the stacks in an anonymous mapping; 0 if no stack
 *  pointer lies in it. A stack is not longer than the limit of stacks, and
 *  begins with the mapping if that is near: below it is a page without access.
 *  From version 2.42 on, glibc marks that page by MADV_GUARD_INSTALL, so that
 *  the mapping may begin with other memory. */
static uint64_t
stack_bytes(const lg__stack_pointers *pointers, uintptr_t start, uintptr_t end)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t longest = longest_stack() & ~(page - 1);
    uint64_t bytes = 0;
    for (size_t i = 0; i < pointers->count; i++) {
        uintptr_t at = pointers->items[i].at;
        if (at < start || at >= end)
            continue;
        bool begins_here = at - start < longest;
        uintptr_t used = pointers->items[i].is_end ? at - longest : at;
        uintptr_t from = begins_here ? start : used & ~(page - 1);
        uintptr_t to = end - from < longest ? end : from + longest;
        bytes += lg__pages_resident(from, to);
        start = to;
    }
    return bytes;
}

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
                         : stack_bytes(pointers, at->start, at->end);
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

/** False without /proc, or when memory ran out. Leaves out what the running
 *  capture has mapped, because it does not belong to the process; `left` bytes
 *  of lg__own_pages_bytes were there before it, and do. If `visits`, leaves
 *  out the file that this library is in, too. Adds to `stacks`, which may
 *  already have threads that lg__stack_pointers_read does not find.
 *  O(mappings + threads), and the kernel looks at each resident page. */
static bool
mapped_bytes_read(bool visits, uint64_t left, lg__stack_pointers *stacks,
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

/** Sets of segments of shared memory, by inode. */

#define SEGMENTS_FOLDER "/dev/shm/"

/** A segment. A list may have it twice. */
typedef struct segment_seen {
    uint64_t inode;
    uint64_t bytes; /**< its bytes in memory; 0: nobody has asked */
} segment_seen;

typedef struct segments_seen {
    segment_seen *items; /**< release it with free() */
    size_t count, room;
} segments_seen;

enum { BLOCK = 512 /* what st_blocks counts */ };

/** Appends a segment; leaves it out when memory ran out. */
static void
segments_add(segments_seen *to, uint64_t inode, uint64_t bytes)
{
    if (to->count == to->room) {
        size_t room = 2 * to->room + 32;
        segment_seen *grown = realloc(to->items, room * sizeof *grown);
        if (grown == NULL)
            return;
        to->items = grown;
        to->room = room;
    }
    to->items[to->count++] = (segment_seen){inode, bytes};
}

static void
add_open(segments_seen *to, int folder, const char *descriptor)
{
    char target[sizeof SEGMENTS_FOLDER];
    struct stat known;
    ssize_t length = readlinkat(folder, descriptor, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    if (strcmp(target, SEGMENTS_FOLDER) == 0 &&
        fstatat(folder, descriptor, &known, 0) == 0)
        segments_add(to, known.st_ino, (uint64_t)known.st_blocks * BLOCK);
}

/** Counts the entries of a folder of descriptors in /proc and appends the
 *  segments among them; -1: there is no such folder. */
static int64_t
segments_add_open(segments_seen *to, const char *path)
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
    const segment_seen *a = left, *b = right;
    return (a->inode > b->inode) - (a->inode < b->inode);
}

/** Sorts the list, and keeps each segment once. */
static void
segments_tidy(segments_seen *of)
{
    size_t kept = 0;
    if (of->count > 0)
        qsort(of->items, of->count, sizeof *of->items, by_inode);
    for (size_t i = 0; i < of->count; i++)
        if (kept == 0 || of->items[i].inode != of->items[kept - 1].inode)
            of->items[kept++] = of->items[i];
    of->count = kept;
}

/** Returns whether a sorted list has the inode. */
static bool
segments_have(const segments_seen *tidy, uint64_t inode)
{
    const segment_seen wanted = {.inode = inode};
    return tidy->count > 0 && bsearch(&wanted, tidy->items, tidy->count,
                                      sizeof wanted, by_inode) != NULL;
}

/** The child processes, and the segments of shared memory that wait in them:
 *  a worker of PyTorch's DataLoader keeps a batch open until its parent takes
 *  it. */

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

static void
process_children_read(const segments_seen *own, lg__process_counts *out)
{
    char path[64];
    lg__children children;
    segments_seen theirs = {0};
    int64_t bytes = 0;
    bool known = lg__children_list(&children);
    for (size_t i = 0; i < children.count && i < CHILDREN; i++) {
        snprintf(path, sizeof path, "/proc/%d/fd", children.items[i]);
        segments_add_open(&theirs, path);
    }
    segments_tidy(&theirs);
    for (size_t i = 0; i < theirs.count; i++)
        if (!segments_have(own, theirs.items[i].inode))
            bytes += (int64_t)theirs.items[i].bytes;
    free(theirs.items);
    free(children.items);
    if (known) {
        out->children = (int64_t)children.count;
        out->children_shmem = bytes;
    }
}

// The memory of the whole process, as the kernel and the allocators count it.
// The adapter reads this before the walk, to leave out the capture's own
// memory.

static bool
count_mapped(segments_seen *to)
{
    char line[LG__MAPS_LINE];
    lg__mapping found;
    lg__maps maps;
    if (!lg__maps_open(&maps, "/proc/self/maps"))
        return false;
    while (lg__maps_next(&maps, line, &found))
        if (strncmp(found.path, SEGMENTS_FOLDER, strlen(SEGMENTS_FOLDER)) == 0)
            segments_add(to, found.inode, 0);
    lg__maps_close(&maps);
    return true;
}

// -1: there is no such folder of /proc.
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

static lg__process_counts
process_counts_read(void)
{
    segments_seen segments = {0};
    struct rlimit limit;
    lg__process_counts out = {.segments = -1,
                              .descriptors_most = -1,
                              .children = -1,
                              .children_shmem = -1};
    bool has_maps = count_mapped(&segments);
    out.threads = count_entries("/proc/self/task");
    out.descriptors = segments_add_open(&segments, "/proc/self/fd");
    if (out.descriptors > 0)
        out.descriptors--; /* the folder itself */
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY)
        out.descriptors_most = (int64_t)limit.rlim_cur;
    segments_tidy(&segments);
    if (has_maps)
        out.segments = (int64_t)segments.count;
    process_children_read(&segments, &out);
    free(segments.items);
    return out;
}

/* Reads the number, with commas, after a name and an equals sign. */
static uint64_t
number_after(const char *account, const char *name)
{
    const char *line = strstr(account, name);
    const char *at = line ? strchr(line, '=') : NULL;
    uint64_t bytes = 0;
    for (; at != NULL && *at != '\0' && *at != '\n'; at++)
        if (*at >= '0' && *at <= '9')
            bytes = bytes * 10 + (uint64_t)(*at - '0');
    return bytes;
}

/* Reads CPython's own account, 3.9 to 3.15: `12 arenas * 1048576 bytes/arena =
   12,582,912` and `# bytes in allocated blocks = 9,123,456`. */
static void
read_arenas(lg__allocator_bytes *out)
{
    int (*write)(FILE *);
    char *account = NULL;
    size_t length = 0;
    void *symbol = dlsym(RTLD_DEFAULT, "_PyObject_DebugMallocStats");
    FILE *file = symbol ? open_memstream(&account, &length) : NULL;
    if (file == NULL)
        return;
    memcpy(&write, &symbol, sizeof write);
    write(file);
    if (fclose(file) == 0) {
        uint64_t used = number_after(account, "# bytes in allocated blocks");
        uint64_t waiting = lg__free_list_bytes();
        out->arenas = number_after(account, " bytes/arena");
        out->arenas_used = used > waiting ? used - waiting : 0;
        out->arenas_known = out->arenas > 0;
    }
    free(account);
}

static lg__allocator_bytes
allocator_bytes_read(void)
{
    lg__allocator_bytes out = {0};
    lg__malloc_bytes_read(lg__malloc_cached(), &out);
    read_arenas(&out);
    return out;
}

static void
add_fact(lg__adapter_pass *pass, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    lg_builder_set_info(lg__pass_builder(pass), key, text);
}

static void
add_mapped(lg__adapter_pass *pass)
{
    lg__mapped_bytes mapped;
    lg__stack_pointers stacks = {0};
    bool known, visits = lg__pass_is_visit(pass);
    const uint64_t left = lg__pass_left_bytes(pass);
    lg__stack_pointers_of_python(&stacks);
    /* The kernel looks at each resident page, which takes a sixtieth of a
     * second for each GiB. Let other threads run meanwhile. */
    Py_BEGIN_ALLOW_THREADS
    known = mapped_bytes_read(visits, left, &stacks, &mapped);
    Py_END_ALLOW_THREADS
    free(stacks.items);
    if (!known) {
        if (lg__resident_bytes() > 0)
            add_fact(pass, "memory.rss", lg__resident_bytes());
        return;
    }
    add_fact(pass, "memory.rss", mapped.resident);
    add_fact(pass, "memory.swap", mapped.swapped);
    add_fact(pass, "memory.shared", mapped.shared);
    add_fact(pass, "memory.files", mapped.files);
    add_fact(pass, "memory.changed", mapped.changed);
    add_fact(pass, "memory.shmem", mapped.shmem);
    add_fact(pass, "memory.jit", mapped.jit);
    add_fact(pass, "memory.stacks", mapped.stacks);
    /* A free-threaded build keeps its own objects in mimalloc, too. */
#ifndef Py_GIL_DISABLED
    add_fact(pass, "memory.mimalloc", mapped.mimalloc);
#endif
}

static void
add_allocators(lg__adapter_pass *pass)
{
    lg__allocator_bytes bytes = allocator_bytes_read();
    if (bytes.malloc_known) {
        add_fact(pass, "memory.malloc", bytes.malloc_used);
        add_fact(pass, "memory.malloc_free", bytes.malloc_free);
    }
    if (lg__pass_traced(pass) > 0)
        add_fact(pass, "memory.tracemalloc", lg__pass_traced(pass));
    if (bytes.arenas_known) {
        add_fact(pass, "memory.python", bytes.arenas);
        add_fact(pass, "memory.python_used", bytes.arenas_used);
    }
}

static void
add_count(lg__adapter_pass *pass, const char *key, int64_t value)
{
    if (value >= 0)
        add_fact(pass, key, (uint64_t)value);
}

static void
add_counts(lg__adapter_pass *pass)
{
    lg__process_counts counts = process_counts_read();
    add_count(pass, "process.threads", counts.threads);
    add_count(pass, "process.descriptors", counts.descriptors);
    add_count(pass, "process.descriptors_most", counts.descriptors_most);
    add_count(pass, "process.segments", counts.segments);
    add_count(pass, "process.children", counts.children);
    add_count(pass, "memory.children_shmem", counts.children_shmem);
    add_count(pass, "memory.machine",
              (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
}

static bool
host_prepare(lg__adapter_pass *pass, void **state)
{
    (void)state;
    if (lg__pass_is_partial(pass))
        return false;
    add_mapped(pass);
    add_allocators(pass);
    add_counts(pass);
    if (lg__pass_own_bytes(pass) > 0) {
        add_fact(pass, "memory.leakgraph", lg__pass_own_bytes(pass));
        add_fact(pass, "memory.leakgraph_malloc", lg__pass_own_malloc());
    }
    return false;
}

const lg__adapter lg__host_adapter = {.name = "host", .prepare = host_prepare};
