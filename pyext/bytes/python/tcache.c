/**
 * The freed blocks that glibc keeps for each thread. Its own account counts
 * them as in use, so that a pool of threads seems to grow until all caches are
 * full.
 *
 * Each thread has a variable of glibc's that points to its cache, and so lies
 * at the same distance from the thread's pthread_t in all threads. A block of
 * malloc contains the cache (malloc.c, tcache_perthread_struct): for each size,
 * the number of blocks and the first one. This is how glibc 2.30 to 2.41 lays
 * it out. The variable has no name outside glibc; this finds it in the calling
 * thread as the word that points to a block which is such a cache: of that
 * size, and with a first block for just those sizes of which it counts blocks.
 */
#include "bytes/python/process.h"
#include "capture/common/capture_common.h"

#include <Python.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

enum {
    SIZES = 64,
    SMALLEST = 32, /* bytes of a block, with its header, in steps of STEP */
    STEP = 16,
    FLAGS = 7, /* the bits of a block's size that mean other things */
};

/** A block of malloc with a thread's cache. */
typedef struct cache_block {
    size_t size;
    uint16_t counts[SIZES];
    uintptr_t first[SIZES];
} cache_block;

/** Reads the block that this word points to; false: it is not of a cache's
 *  size. */
static bool
read_block(uintptr_t word, cache_block *out)
{
    enum { HEADER = sizeof out->size, WHOLE = sizeof *out + HEADER };
    return word > HEADER && word % STEP == 0 &&
           lg__peek(out, (const void *)(word - HEADER), sizeof *out) &&
           (out->size & ~(size_t)FLAGS) == WHOLE;
}

/** Whether a block of that size is a cache, if its thread does not run now. */
static bool
is_cache(const cache_block *block)
{
    for (size_t i = 0; i < SIZES; i++)
        if ((block->counts[i] == 0) != (block->first[i] == 0))
            return false;
    return true;
}

static uint64_t
bytes_in(const cache_block *block)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < SIZES; i++)
        bytes += (uint64_t)block->counts[i] * (SMALLEST + i * STEP);
    return bytes;
}

/** The calling thread's variables of one library. */
typedef struct variables {
    const void *code; /**< an address in the library */
    const uintptr_t *words;
    size_t count;
} variables;

/** Stops at the library that contains the address, with its variables. */
static int
find_variables(struct dl_phdr_info *library, size_t size, void *context)
{
    variables *out = context;
    uintptr_t at = (uintptr_t)out->code - library->dlpi_addr;
    bool is_it = false;
    size_t bytes = 0;
    if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(void *))
        return 0;
    for (size_t i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type == PT_LOAD)
            is_it = is_it || at - part->p_vaddr < part->p_memsz;
        if (part->p_type == PT_TLS)
            bytes = part->p_memsz;
    }
    if (!is_it || library->dlpi_tls_data == NULL)
        return is_it;
    out->words = library->dlpi_tls_data;
    out->count = bytes / sizeof *out->words;
    return 1;
}

/** How far the variable lies from a thread's pthread_t, the same for all; 0:
 *  unknown. Searched once and kept: the search takes the loader's lock, which a
 *  thread that a forked child lacks may hold for ever. */
static uintptr_t distance;

void
lg__malloc_cached_find(void)
{
    /* Another malloc may replace other functions of glibc's, but not this. */
    variables own = {.code = dlsym(RTLD_DEFAULT, "gnu_get_libc_version")};
    cache_block block;
    if (own.code != NULL)
        dl_iterate_phdr(find_variables, &own);
    for (size_t i = 0; i < own.count && distance == 0; i++)
        if (read_block(own.words[i], &block) && is_cache(&block))
            distance = (uintptr_t)&own.words[i] - (uintptr_t)pthread_self();
}

#ifndef Py_GIL_DISABLED

/** Before 3.12, a thread that begins has at first the pthread_t of the thread
 *  that started it; later, 0. */
static bool
counts_already(PyThreadState *first, const PyThreadState *thread)
{
    while (first != thread && first->thread_id != thread->thread_id)
        first = PyThreadState_Next(first);
    return first != thread || thread->thread_id == 0;
}

uint64_t
lg__malloc_cached(void)
{
    enum { MOST_THREADS = 1 << 12 };
    PyInterpreterState *interpreter = PyThreadState_Get()->interp;
    PyThreadState *first = PyInterpreterState_ThreadHead(interpreter);
    PyThreadState *thread = first;
    cache_block block;
    uint64_t bytes = 0;
    for (int i = 0; distance != 0 && thread != NULL && i < MOST_THREADS; i++) {
        uintptr_t word;
        const void *variable = (const void *)(thread->thread_id + distance);
        if (!counts_already(first, thread) &&
            lg__peek(&word, variable, sizeof word) && read_block(word, &block))
            bytes += bytes_in(&block);
        thread = PyThreadState_Next(thread);
    }
    return bytes;
}

#else

uint64_t
lg__malloc_cached(void)
{
    return 0;
}

#endif
