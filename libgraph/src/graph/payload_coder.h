/**
 * Writes payloads of edges by the patterns of types, node after node, and
 * without the column that has them all.
 *
 * An edge is listed if its payload is not the expected one, and while the
 * pattern of its source's type is being learned. Listing more than differs does
 * no harm: the last step drops what it can.
 */
#ifndef LEAKGRAPH_PAYLOAD_CODER_H
#define LEAKGRAPH_PAYLOAD_CODER_H

#include <leakgraph/internal/columns.h>

#include "base/base_private.h"

/** An edge that comes behind those that its source has. */
typedef struct lg__late_edge {
    uint32_t source;
    uint32_t target;
    uint32_t payload;
    uint32_t kind;
} lg__late_edge;

/** The payload that an edge gets instead of the one it had. */
typedef struct lg__new_payload {
    uint32_t edge;
    uint32_t payload;
} lg__new_payload;

typedef struct lg__payload_coder {
    lg__vector block;   /**< lg_payload_block, without `source` */
    lg__vector listed;  /**< u32 */
    lg__vector place;   /**< u32 per type: 1 + where it is among `learned` */
    lg__vector learned; /**< what is known of each type */
    uint32_t node;      /**< the next */
} lg__payload_coder;

/** What edges are checked by while they are coded. */
typedef struct lg__payload_doubts {
    const struct lg__edge_rules *rules;
    lg__vector *edges; /**< lg__late_edge: gets the unsound ones, with their own
                            numbers for sources */
} lg__payload_doubts;

void lg__payload_coder_open(lg__payload_coder *coder);
void lg__payload_coder_free(const lg_allocator *allocator,
                            lg__payload_coder *coder);

/** Codes the edges of all nodes before `end` that are not coded yet. Their
 *  sources' types, and the edges' targets and kinds, stay as they are from now
 *  on, but for flags. payload[0] is that of edge `first`. Edges that are known
 *  to be sound need no doubts (NULL). Targets are not checked. Returns false
 *  when memory ran out; the next call goes on. */
bool lg__payloads_code(const lg_allocator *allocator, lg__payload_coder *coder,
                       const lg_columns *columns, const uint32_t *payload,
                       uint64_t first, uint32_t end,
                       const lg__payload_doubts *doubts);

/** Returns the payload of a coded edge whose kind is LG_EDGE_VALUE. */
uint32_t lg__payload_coded(const lg__payload_coder *coder,
                           const lg_columns *columns, uint64_t edge);

/** What has changed since the edges were coded. */
typedef struct lg__payload_changes {
    const lg__late_edge *late; /**< by source; the columns have them by now */
    size_t late_count;
    const lg__new_payload *changed; /**< by edge, numbered as when coded */
    size_t changed_count;
} lg__payload_changes;

/** Everything that payloads need. */
typedef struct lg__payload_arrays {
    void *block; /**< the blocks, then the patterns */
    size_t block_size;
    lg__vector listed;
    lg_payloads payloads;
} lg__payload_arrays;

/** Makes the payloads of the complete columns, and empties the coder. Returns
 *  false when memory ran out. */
bool lg__payloads_complete(const lg_allocator *allocator,
                           lg__payload_coder *coder, const lg_columns *columns,
                           uint32_t type_count,
                           const lg__payload_changes *changes,
                           lg__payload_arrays *out);

#endif
