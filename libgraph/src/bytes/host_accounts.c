// Accounts for the memory of the process. The parts add up to what the kernel
// counts.
#include "bytes/bytes_private.h"

#include <leakgraph/internal/facts.h>

static void
add_buffer(const lg_graph *graph, const lg__storages *storages, uint32_t node,
           int64_t bytes, int64_t *host)
{
    lg_string memory = lg_node_fact(graph, node, "memory");
    if (lg__string_is(memory, "mapped"))
        host[LG_HOST_MAPPED] += bytes;
    else if (storages->slot[node] != 0)
        host[LG_HOST_TENSORS] += bytes;
    else
        host[LG_HOST_ARRAYS] += bytes;
    if (lg__string_is(memory, "pinned"))
        host[LG_HOST_PINNED] += bytes;
}

static void
add_nodes(const lg_graph *graph, const lg__storages *storages, int64_t *host)
{
    const lg_columns *columns = &graph->columns;
    uint32_t placed = 0;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        int64_t bytes = (int64_t)lg_node_size(graph, node);
        unsigned flags = columns->node_flags[node];
        if (placed < graph->placed_count &&
            graph->device_node[placed] == node) {
            placed++;
            continue;
        }
        if (flags & LG_NODE_BUFFER)
            add_buffer(graph, storages, node, bytes, host);
        else if (flags & LG_NODE_CPP)
            host[LG_HOST_CPP] += bytes;
        else if (flags & LG_NODE_NATIVE)
            host[LG_HOST_NATIVE] += bytes;
        else {
            host[LG_HOST_PYTHON] += bytes;
            host[LG_HOST_ROUNDING] +=
                (int64_t)lg_node_spent(graph, node) - bytes;
        }
    }
}

static int64_t
recorded(const lg_graph *graph, const char *key)
{
    uint64_t number;
    bool known = lg__decimal_read(lg_graph_info_find(graph, key), &number);
    return known && number <= INT64_MAX ? (int64_t)number : -1;
}

static void
read_facts(const lg_graph *graph, int64_t *host)
{
    static const struct {
        lg_host line;
        const char *key;
    } facts[] = {
        {LG_HOST_RSS, "memory.rss"},
        {LG_HOST_SWAP, "memory.swap"},
        {LG_HOST_SHARED, "memory.shared"},
        {LG_HOST_MALLOC_FREE, "memory.malloc_free"},
        {LG_HOST_FILES, "memory.files"},
        {LG_HOST_CHANGED, "memory.changed"},
        {LG_HOST_SHMEM, "memory.shmem"},
        {LG_HOST_JIT, "memory.jit"},
        {LG_HOST_STACKS, "memory.stacks"},
        {LG_HOST_LEAKGRAPH, "memory.leakgraph"},
        {LG_HOST_PINNED_POOL, "memory.pinned_pool"},
        {LG_HOST_PINNED_USED, "memory.pinned_used"},
        {LG_HOST_PINNED_PEAK, "memory.pinned_peak"},
        {LG_HOST_MALLOC, "memory.malloc"},
        {LG_HOST_ARENAS, "memory.python"},
        {LG_HOST_PYARROW, "memory.pyarrow"},
        {LG_HOST_THREADS, "process.threads"},
        {LG_HOST_DESCRIPTORS, "process.descriptors"},
        {LG_HOST_DESCRIPTORS_MOST, "process.descriptors_most"},
        {LG_HOST_SEGMENTS, "process.segments"},
        {LG_HOST_CHILDREN, "process.children"},
        {LG_HOST_CHILDREN_SHMEM, "memory.children_shmem"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        host[facts[i].line] = recorded(graph, facts[i].key);
}

static int64_t
or_none(int64_t bytes)
{
    return bytes > 0 ? bytes : 0;
}

// Takes a line's bytes from the rest, at most the whole rest, because what is
// not in memory cannot be part of it. An unknown line stays unknown.
static void
take(int64_t *line, int64_t *rest)
{
    if (*line > *rest)
        *line = *rest;
    *rest -= or_none(*line);
}

// Returns what pyarrow's pool has in use, unless that counts as malloc's.
static int64_t
used_in_pool(const lg_graph *graph, const int64_t *host)
{
    lg_string allocator = lg_graph_info_find(graph, "memory.pyarrow_allocator");
    bool own = lg__string_is(allocator, "mimalloc") ||
               lg__string_is(allocator, "jemalloc");
    return own ? or_none(host[LG_HOST_PYARROW]) : 0;
}

// Computes what the allocators have in use beyond the nodes. Buffers may lie
// elsewhere, so this may be too little, never too much.
static int64_t
unseen(const lg_graph *graph, const int64_t *host)
{
    int64_t known = host[LG_HOST_PYTHON] + host[LG_HOST_ARRAYS] +
                    host[LG_HOST_TENSORS] + host[LG_HOST_CPP] +
                    host[LG_HOST_NATIVE] + host[LG_HOST_ROUNDING] +
                    or_none(recorded(graph, "memory.leakgraph_malloc"));
    if (host[LG_HOST_MALLOC] < 0)
        return -1;
    return or_none(host[LG_HOST_MALLOC] +
                   or_none(recorded(graph, "memory.python_used")) +
                   used_in_pool(graph, host) - known);
}

static int64_t
free_in_arenas(const lg_graph *graph, const int64_t *host)
{
    int64_t used = recorded(graph, "memory.python_used");
    bool known = used >= 0 && used <= host[LG_HOST_ARENAS];
    return known ? host[LG_HOST_ARENAS] - used : -1;
}

// mimalloc's pages are known by their addresses, and jemalloc counts its own.
static int64_t
free_in_pool(const lg_graph *graph, const int64_t *host)
{
    lg_string allocator = lg_graph_info_find(graph, "memory.pyarrow_allocator");
    int64_t pages = lg__string_is(allocator, "mimalloc")
                        ? recorded(graph, "memory.mimalloc")
                    : lg__string_is(allocator, "jemalloc")
                        ? recorded(graph, "memory.jemalloc")
                        : -1;
    return pages < 0 ? -1 : or_none(pages - used_in_pool(graph, host));
}

static void
add_up(const lg_graph *graph, int64_t *host)
{
    int64_t rest = host[LG_HOST_RSS] + or_none(host[LG_HOST_SWAP]);
    host[LG_HOST_ELSE] = host[LG_HOST_ABSENT] = -1;
    host[LG_HOST_ALLOCATIONS] = unseen(graph, host);
    host[LG_HOST_ARENAS_FREE] = free_in_arenas(graph, host);
    host[LG_HOST_POOL_FREE] = free_in_pool(graph, host);
    if (host[LG_HOST_RSS] < 0)
        return;
    for (int line = LG_HOST_FILES; line <= LG_HOST_STACKS; line++)
        take(&host[line], &rest);
    for (int line = LG_HOST_PYTHON; line <= LG_HOST_ROUNDING; line++)
        rest -= host[line];
    rest -= or_none(host[LG_HOST_LEAKGRAPH]);
    host[LG_HOST_ABSENT] = or_none(-rest);
    rest = or_none(rest);
    for (int line = LG_HOST_ALLOCATIONS; line <= LG_HOST_POOL_FREE; line++)
        take(&host[line], &rest);
    host[LG_HOST_ELSE] = rest;
}

void
lg__accounts_host(const lg_graph *graph, const lg__storages *storages,
                  lg_accounts *out)
{
    add_nodes(graph, storages, out->host);
    read_facts(graph, out->host);
    add_up(graph, out->host);
}

lg_host_line
lg_host_words(lg_host which)
{
    static const lg_host_line lines[LG_HOST_COUNT] = {
        {"rss", "resident", "memory that the process has (RSS)", LG_HOST_WHOLE},
        {"shared", "of that, shared", "other processes map it, too",
         LG_HOST_WITHIN},
        {"swap", "swapped out", "", LG_HOST_WHOLE},
        {"python", "Python objects", "", LG_HOST_PART},
        {"arrays", "arrays and bytes",
         "data of arrays, bytearrays, memoryviews", LG_HOST_PART},
        {"tensors", "tensors", "", LG_HOST_PART},
        {"cpp", "C++ objects",
         "autograd graphs, tensors without a Python object", LG_HOST_PART},
        {"native", "memory of C code",
         "in blocks of its own; `leakgraph native` says who holds them",
         LG_HOST_PART},
        {"rounding", "allocators' rounding",
         "a Python object takes a multiple of 16 bytes", LG_HOST_PART},
        {"allocations", "other allocations",
         "in use by C code; no object of the snapshot has it", LG_HOST_PART},
        {"malloc_free", "free in malloc", "freed, and kept by malloc for reuse",
         LG_HOST_PART},
        {"arenas_free", "free in arenas",
         "room for small Python objects, which share pages with others",
         LG_HOST_PART},
        {"pool_free", "free in pyarrow's pool",
         "an estimate; default_memory_pool().release_unused() may return it",
         LG_HOST_PART},
        {"files", "files", "code of libraries, and files that are mapped",
         LG_HOST_PART},
        {"changed", "changed pages of files", "data of libraries",
         LG_HOST_PART},
        {"shmem", "shared memory", "", LG_HOST_PART},
        {"jit", "code of JITs", "anonymous memory that may be executed",
         LG_HOST_PART},
        {"stacks", "thread stacks", "", LG_HOST_PART},
        {"leakgraph", "leakgraph", "open snapshots, memory kept for captures",
         LG_HOST_PART},
        {"else", "anything else", "what no line above explains", LG_HOST_PART},
        {"absent", "not resident", "deducted: counted above, but not in memory",
         LG_HOST_DEDUCTED},
        {"mapped", "mapped", "arrays in files and in shared memory",
         LG_HOST_BESIDE},
        {"pinned", "pinned", "page-locked memory of arrays and tensors",
         LG_HOST_BESIDE},
        {"pinned_pool", "PyTorch's pinned pool",
         "page-locked, with what is free in it", LG_HOST_BESIDE},
        {"pinned_used", "pinned, in use", "of that pool", LG_HOST_BESIDE},
        {"pinned_peak", "pinned at most", "of that pool, so far",
         LG_HOST_BESIDE},
        {"malloc", "malloc", "in use", LG_HOST_BESIDE},
        {"arenas", "Python's arenas",
         "for small objects, with what is free in them", LG_HOST_BESIDE},
        {"pyarrow", "pyarrow's pool", "allocated by it, for arrays and in C++",
         LG_HOST_BESIDE},
        {"children_shmem", "in child processes",
         "shared memory that waits there, such as batches of a DataLoader",
         LG_HOST_BESIDE},
        {"threads", "threads", "", LG_HOST_NUMBER},
        {"descriptors", "open descriptors", "", LG_HOST_NUMBER},
        {"descriptors_most", "descriptors at most", "", LG_HOST_NUMBER},
        {"segments", "segments of /dev/shm", "", LG_HOST_NUMBER},
        {"children", "child processes", "", LG_HOST_NUMBER},
    };
    static const lg_host_line none = {"", "", "", LG_HOST_NUMBER};
    return (unsigned)which < LG_HOST_COUNT ? lines[which] : none;
}
