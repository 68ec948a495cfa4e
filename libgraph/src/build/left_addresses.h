/**
 * The addresses of nodes that the producer of a builder has left: packed, as a
 * graph has them. Those of the other nodes are plain in the builder's columns,
 * since the producer reads them again and again.
 *
 * The second thread, if there is one, packs addresses beside those that anybody
 * reads. Once they are many, the producer adds them to these, while that thread
 * is away. Their plain ones become 0, as an empty page is, which sends readers
 * to the packed ones, and the pages go back.
 */
#ifndef LEAKGRAPH_LEFT_ADDRESSES_H
#define LEAKGRAPH_LEFT_ADDRESSES_H

#include "graph/graph_private.h"

#include <leakgraph/internal/capture_builder.h>

typedef struct lg__left_addresses {
    bool wanted;               /**< lg_builder_pack_addresses was called */
    uint32_t packed;           /**< nodes below are in `read` */
    _Atomic uint32_t prepared; /**< those from there to here are in `next` */
    lg__packing read;
    lg__packing next;
} lg__left_addresses;

#endif
