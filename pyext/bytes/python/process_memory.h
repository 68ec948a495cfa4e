/**
 * The memory of this process as the kernel and the allocators count it. It
 * reads /proc, and runs no Python code.
 */
#ifndef LEAKGRAPH_PROCESS_MEMORY_H
#define LEAKGRAPH_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes by kind of mapping, from /proc/self/smaps. A byte that is resident or
 *  swapped out counts in at most one of the last five. */
typedef struct lg__mapped_bytes {
    uint64_t resident;
    uint64_t swapped;
    uint64_t shared;   /**< the resident part that other processes map, too */
    uint64_t files;    /**< pages of files that are as in the file */
    uint64_t changed;  /**< pages of files that this process has changed */
    uint64_t shmem;    /**< shared memory, swapped out or not */
    uint64_t jit;      /**< anonymous executable pages */
    uint64_t stacks;   /**< the stacks of threads */
    uint64_t mimalloc; /**< where mimalloc maps memory, and hardly anybody else;
                            in none of those five */
} lg__mapped_bytes;

/** The resident bytes by the kernel's own count, which may lag a few pages
 *  behind; 0: unknown. */
uint64_t lg__resident_bytes(void);

/** An address in the stack of a thread. */
typedef struct lg__stack_pointer {
    uintptr_t at;
    bool is_end; /**< the stack lies below it; otherwise what is used of the
                      stack lies above it */
} lg__stack_pointer;

/** Begin with zeros; release items with free(). */
typedef struct lg__stack_pointers {
    lg__stack_pointer *items; /**< ascending, once they are read */
    size_t count, room;
} lg__stack_pointers;

/** Adds an address for each thread of this interpreter, even if it is not
 *  waiting: with glibc and musl, pthread_t is an address at the end of the
 *  stack. Call with the GIL held; a free-threaded build adds none. */
void lg__stack_pointers_of_python(lg__stack_pointers *out);
/** Adds the stack pointers of all threads that wait in the kernel, and of the
 *  calling one, and sorts all. Adds none if the kernel does not tell. */
void lg__stack_pointers_read(lg__stack_pointers *out);

/** What allocators report of themselves. */
typedef struct lg__allocator_bytes {
    bool malloc_known; /**< glibc from 2.33 on, jemalloc, tcmalloc */
    uint64_t malloc_used, malloc_free;
    bool arenas_known; /**< Python uses pymalloc */
    uint64_t arenas;
    uint64_t arenas_used; /**< without the blocks in Python's free lists */
} lg__allocator_bytes;

/* malloc_bytes.c */

/** glibc 2.33's struct mallinfo2. Whoever asks looks the function up, because a
 *  build for older systems runs on newer ones, and musl does not have it. */
typedef struct lg__mallinfo {
    size_t arena, ordblks, smblks, hblks, hblkhd;
    size_t usmblks, fsmblks, uordblks, fordblks, keepcost;
} lg__mallinfo;

/** Reads only what malloc reports, and leaves the rest as it is. What threads
 *  keep of freed blocks counts as free. O(free blocks). */
void lg__malloc_bytes_read(uint64_t cached, lg__allocator_bytes *out);

/* tcache.c */

/** Finds out where glibc's malloc keeps freed blocks for each thread. Call it
 *  once, when leakgraph is loaded. Takes the loader's lock. */
void lg__malloc_cached_find(void);

/** The bytes of freed blocks that glibc's malloc keeps for each thread of this
 *  interpreter; 0 if they are unknown: in a free-threaded build, and before
 *  glibc 2.30. Call with the GIL held. */
uint64_t lg__malloc_cached(void);

/** How many threads, descriptors, segments and children a process has. */
typedef struct lg__process_counts {
    int64_t threads; /**< -1: unknown, here and below */
    int64_t descriptors;
    int64_t descriptors_most;
    int64_t segments; /**< of /dev/shm: mapped or open, each once */
    int64_t children;
    int64_t children_shmem; /**< bytes of segments open only in children */
} lg__process_counts;

/** Process ids. */
typedef struct lg__children {
    int *items; /**< release it with free() */
    size_t count;
} lg__children;

/** Lists the children of all threads of this process; false if the kernel does
 *  not list them. */
bool lg__children_list(lg__children *out);
/** Fills `children` and `children_shmem`, given this process's own segments,
 *  sorted. */
struct lg__segments_seen;

#endif
