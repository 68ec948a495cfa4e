/**
 * Where a builder and its graph take their memory.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_ALLOCATOR_H
#define LEAKGRAPH_ALLOCATOR_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The source of memory of a builder and of its graph. `resize` with
 *  old == NULL allocates, with new_size == 0 frees; it returns NULL when memory
 *  or the budget ran out, the old block staying valid. New bytes beyond
 *  old_size need not be zero. Must be usable from any thread, without the GIL,
 *  until the graph is freed; `release` is then called once with the context.
 *  `drop`, if there is one, gives back the memory of bytes of a block, of which
 *  those before `begin` are not needed either; it returns false to leave that
 *  to whoever asks. */
typedef struct lg_allocator {
    void *(*resize)(void *context, void *old, size_t old_size, size_t new_size);
    void (*release)(void *context);
    void *context;
    bool (*drop)(void *context, void *block, size_t begin, size_t end);
} lg_allocator;

/** malloc and free; a block of 256 KiB or more is a mapping of its own, so its
 *  memory returns to the system when it is freed. */
lg_allocator lg_allocator_default(void);

/** What libgraph has of this process's memory: blocks of graphs, analyses and
 *  answers, in bytes. Small single structs are not counted. */
typedef struct lg_own_bytes {
    uint64_t all;
    uint64_t malloc; /* those from malloc; the others are mappings */
} lg_own_bytes;

/** Returns what it has now. Any thread may call it. */
lg_own_bytes lg_own_bytes_now(void);

#ifdef __cplusplus
}
#endif

#endif
