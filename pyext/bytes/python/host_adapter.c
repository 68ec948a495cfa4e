/**
 * The memory of the whole process, as the kernel and the allocators count it.
 * The adapter reads this before the walk, to leave out the capture's own
 * memory.
 */
#include "bytes/common/bytes_common.h"
#include "bytes/python/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
    bool known;
    lg__stack_pointers_of_python(&stacks);
    /* The kernel looks at each resident page, which takes a sixtieth of a
     * second for each GiB. Let other threads run meanwhile. */
    Py_BEGIN_ALLOW_THREADS
    known = lg__mapped_bytes_read(&stacks, &mapped);
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
    lg__allocator_bytes bytes = lg__allocator_bytes_read();
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
    lg__process_counts counts = lg__process_counts_read();
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
