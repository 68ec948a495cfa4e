/**
 * The account of a device's caching allocator.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_SEGMENTS_H
#define LEAKGRAPH_SEGMENTS_H

#include <leakgraph/builder.h>
#include <leakgraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A range that a device's caching allocator holds from the driver. */
typedef struct lg_segment {
    uint64_t address;
    uint64_t size;
    uint64_t stream;
    uint32_t device; /**< of the graph, from 1 */
    uint32_t kind;   /**< string id: "small", "large"; 0: unknown */
    uint32_t pool;   /**< string id: private pool, "1.0"; 0: the default pool */
    uint32_t expandable; /**< 1: grown in place, else 0 */
} lg_segment;

typedef enum lg_block_state {
    LG_BLOCK_ALLOCATED = 0, /**< in use */
    LG_BLOCK_PENDING,       /**< freed, but a stream may still use it */
    LG_BLOCK_INACTIVE,      /**< free, kept for reuse */
    LG_BLOCK_STRANGE, /**< in a state that leakgraph does not know: counts as
                           allocated; info text "allocator.strange_states" */
} lg_block_state;

/** A piece of a segment. */
typedef struct lg_block {
    uint64_t address;
    uint64_t size;
    uint64_t requested; /**< bytes requested; size if unknown */
    uint32_t segment;   /**< index of its segment */
    uint32_t state;     /**< lg_block_state */
    uint32_t frames;    /**< string id: where it was allocated, innermost first,
                             separated by " < "; 0: not recorded */
    uint32_t in_flux;   /**< 1: it was not the same before and after the walk */
} lg_block;

/** The segments and blocks as the allocators gave them, sorted by device and
 *  address (blocks by segment and address); borrowed. Totals that the allocator
 *  and the driver gave for device D are info texts: "device.D.allocated",
 *  ".reserved", ".peak_allocated", ".peak_reserved", ".driver_total",
 *  ".driver_free", ".driver_process" (bytes, decimal). */
const lg_segment *lg_graph_segments(const lg_graph *graph, size_t *count);
const lg_block *lg_graph_blocks(const lg_graph *graph, size_t *count);

/** The account of a device's allocator: see lg_segment, lg_block. A block lies
 *  inside the segment with that index. Any order. */
uint32_t lg_builder_add_segment(lg_builder *builder, const lg_segment *segment);
void lg_builder_add_block(lg_builder *builder, const lg_block *block);

#ifdef __cplusplus
}
#endif

#endif
