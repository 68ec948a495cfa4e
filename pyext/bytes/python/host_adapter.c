// The memory of the whole process, as the kernel and the allocators count it.
// The adapter reads this before the walk, to leave out the capture's own
// memory.
#include "bytes/common/bytes_common.h"
#include "bytes/python/process.h"
#include "bytes/python/shm_list.h"
#include "capture/common/capture_common.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool
count_mapped(lg__segments_seen *to)
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
    lg__segments_seen segments = {0};
    struct rlimit limit;
    lg__process_counts out = {.segments = -1,
                              .descriptors_most = -1,
                              .children = -1,
                              .children_shmem = -1};
    bool has_maps = count_mapped(&segments);
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
    known = lg__mapped_bytes_read(visits, left, &stacks, &mapped);
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
