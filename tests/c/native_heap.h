/**
 * A small process with native memory, for tests: a module that refers to
 * objects, and blocks that a test links by writing words.
 */
#ifndef LEAKGRAPH_NATIVE_HEAP_H
#define LEAKGRAPH_NATIVE_HEAP_H

#include <leakgraph/analysis.h>
#include <leakgraph/internal/native.h>

enum {
    NATIVE_WORDS = 1 << 20,
    NATIVE_BLOCKS = 1 << 16,
    NATIVE_OBJECTS = 64,
    NATIVE_FIXED = 32, /* bytes of an object; behind that are its items */
    NATIVE_CHUNK = 8,  /* what a chunk of malloc takes beyond its bytes */
    NATIVE_LIST_BYTES = 48 + 32 + 2 * NATIVE_CHUNK, /* of each of a list */
    NATIVE_HOLDER_TYPE = 0x2000, /* the addresses of the types */
    NATIVE_INT_TYPE = 0x3000,
    NATIVE_LOCK_TYPE = 0x4000,
    NATIVE_PATTERN_TYPE = 0x5000,
    NATIVE_OTHER_TYPE = 0x6000,
};

typedef struct native_heap {
    uint64_t *words; /* the memory, NATIVE_WORDS */
    size_t used;
    lg_native_block *blocks;
    size_t block_count;
    uint64_t *objects[NATIVE_OBJECTS]; /* node i + 1 */
    uint32_t refcounts[NATIVE_OBJECTS];
    bool owned[NATIVE_OBJECTS];         /* by the module */
    uint32_t refers_to[NATIVE_OBJECTS]; /* a node, or 0 */
    bool number[NATIVE_OBJECTS];        /* an int */
    bool lock[NATIVE_OBJECTS];          /* of a thread */
    bool pattern[NATIVE_OBJECTS];       /* a compiled one */
    bool other[NATIVE_OBJECTS];         /* of another type */
    uint32_t tables[NATIVE_OBJECTS];    /* bytes of its size beyond its block */
    uint32_t object_count;
    lg_native_range ranges[8];
    size_t range_count;
    const lg_monitor *monitor; /* of the work; or NULL */
    lg_graph *graph;           /* without, and */
    lg_graph *joined;          /* with native memory */
    lg_analysis *found;        /* of that */
} native_heap;

void native_heap_open(native_heap *heap);
void native_heap_close(native_heap *heap);

/** Allocates zeroes in a chunk of malloc. */
uint64_t *native_heap_block(native_heap *heap, size_t bytes);
uint64_t native_heap_address(const uint64_t *words);
/** Allocates a list of so many structs of 48 bytes, each with a text of 32, and
 *  returns the first; NULL if there is none. */
uint64_t *native_heap_list(native_heap *heap, uint32_t count);
/** Adds an object of the type "lib.Holder" with a block, whose words from 2 to
 *  3 are fields; the module refers to it if `owned`. Returns its words. */
uint64_t *native_heap_object(native_heap *heap, bool owned);
/** The same, behind a head of two words that the collector has; nothing refers
 *  to it. */
uint64_t *native_heap_tracked(native_heap *heap);
/** Adds a lock to which the module refers, and returns its words. */
uint64_t *native_heap_lock(native_heap *heap);
/** Adds a re.Pattern to which the module refers, and returns its words. */
uint64_t *native_heap_pattern(native_heap *heap);
/** Adds an object of the type "lib.Other" to which the module refers, and
 *  returns its words. */
uint64_t *native_heap_other(native_heap *heap);
/** Adds an int to which the module refers, with the head that CPython 3.12
 *  (`tagged`) or one before it gives it. Returns its words. */
uint64_t *native_heap_int(native_heap *heap, uint64_t value, bool tagged);
/** Adds a range of so many words that are zeroes, and returns them. */
uint64_t *native_heap_range(native_heap *heap, lg_range_kind kind,
                            const char *name, size_t words);
/** Makes both graphs, and the analysis. */
void native_heap_finish(native_heap *heap);
/** Makes the graph with native memory once more, in other memory (NULL: the
 *  usual). */
lg_status native_heap_join(const native_heap *heap,
                           const lg_allocator *allocator, lg_graph **out,
                           lg_error *err);

/** What the i-th object retains beyond its own size. */
uint64_t native_heap_held(const native_heap *heap, uint32_t object);
/** What the node of a type retains, in the graph with native memory; 0 if there
 *  is none. */
uint64_t native_heap_of(const native_heap *heap, const char *type);
/** How many native nodes that graph has. */
uint32_t native_heap_nodes(const native_heap *heap);

#endif
