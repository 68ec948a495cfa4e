/**
 * Memory for a capture: anonymous mappings, grown by mremap, so that the walked
 * heap never changes under the walk and growing a column moves page tables
 * instead of bytes.
 */
#ifndef LEAKGRAPH_ARENA_H
#define LEAKGRAPH_ARENA_H

#include <stdatomic.h>
#include <leakgraph/internal/allocator.h>

/** An allocator with a budget in bytes (0: none). Its context is reference
 *  counted by hand: released with the graph. allocator->context is NULL when
 *  memory ran out. */
lg_allocator lg__arena_new(uint64_t max_bytes);

/** Call it when the capture is over. What was kept for its blocks goes back to
 *  the system, and so will each freed block, except for what
 * lg__page_cache_keep allows. */
void lg__arena_rest(const lg_allocator *allocator);

#endif
