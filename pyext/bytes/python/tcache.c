/**
 * The freed blocks that glibc keeps for each thread. Its own account counts
 * them as in use, so that a pool of threads seems to grow until all caches are
 * full.
 *
 * Each thread has a variable of glibc's that points to its cache, and so lies
 * at the same distance from the thread's pthread_t in all threads. A block of
 * malloc contains the cache (malloc.c, tcache_perthread_struct): a number and
 * the first block for each size. Until glibc 2.41, the numbers count blocks;
 * from 2.42 on, they count the blocks that may still come, as many for all
 * sizes at first. The variable has no name outside glibc; this finds it in the
 * calling thread as the word that points to a block which is such a cache: of
 * that size, and with a first block for just those sizes of which it has
 * blocks.
 */
#include "bytes/python/process_memory.h"
#include "bytes/python/thread_cache.h"
#include "capture/common/capture_common.h"

#include <Python.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

enum {
    SMALLEST = 32, /* bytes of a block of the first list, with its header */
    FLAGS = 7,     /* the bits of a block's size that mean other things */
};

/** A thread's cache. */
typedef struct cache {
    const lg__cache_layout *form;
    uint16_t numbers[LG__CACHE_MOST_LISTS];
    uintptr_t first[LG__CACHE_MOST_LISTS];
} cache;

static const lg__cache_layout *
layout_of(size_t block)
{
    for (size_t i = 0; i < LG__CACHE_LAYOUTS; i++)
        if (lg__cache_block(&lg__cache_layouts[i]) == block)
            return &lg__cache_layouts[i];
    return NULL;
}

/** Reads the block that this word points to; false: it is not of a cache's
 *  size. */
static bool
read_cache(uintptr_t word, cache *out)
{
    size_t size;
    if (word <= sizeof size || word % LG__CACHE_STEP != 0 ||
        !lg__peek(&size, (const void *)(word - sizeof size), sizeof size))
        return false;
    out->form = layout_of(size & ~(size_t)FLAGS);
    if (out->form == NULL)
        return false;
    size_t numbers = lg__cache_first(out->form);
    size_t first = out->form->lists * sizeof *out->first;
    return lg__peek(out->numbers, (const void *)word, numbers) &&
           lg__peek(out->first, (const void *)(word + numbers), first);
}

/** The number of an empty list. */
static unsigned
number_of_none(const cache *self)
{
    unsigned most = 0;
    for (size_t i = 0; self->form->counts_left && i < self->form->lists; i++)
        most = self->numbers[i] > most ? self->numbers[i] : most;
    return most;
}

/** Whether what was read is a cache, if its thread does not run now. */
static bool
is_cache(const cache *self)
{
    unsigned none = number_of_none(self);
    for (size_t i = 0; i < self->form->lists; i++)
        if ((self->numbers[i] == none) != (self->first[i] == 0))
            return false;
    return true;
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
    cache found;
    if (own.code != NULL)
        dl_iterate_phdr(find_variables, &own);
    for (size_t i = 0; i < own.count && distance == 0; i++)
        if (read_cache(own.words[i], &found) && is_cache(&found))
            distance = (uintptr_t)&own.words[i] - (uintptr_t)pthread_self();
}

#ifndef Py_GIL_DISABLED

static uint64_t
bytes_in(const cache *self)
{
    unsigned none = number_of_none(self);
    uint64_t bytes = 0;
    for (size_t i = 0; i < LG__CACHE_SIZES; i++) {
        unsigned number = self->numbers[i];
        unsigned count = self->form->counts_left ? none - number : number;
        bytes += (uint64_t)count * (SMALLEST + i * LG__CACHE_STEP);
    }
    return bytes;
}

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
    cache found;
    uint64_t bytes = 0;
    for (int i = 0; distance != 0 && thread != NULL && i < MOST_THREADS; i++) {
        uintptr_t word;
        const void *variable = (const void *)(thread->thread_id + distance);
        if (!counts_already(first, thread) &&
            lg__peek(&word, variable, sizeof word) && read_cache(word, &found))
            bytes += bytes_in(&found);
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
