/**
 * A graph in few bytes. A block has some nodes in order, and for each shape
 * among them short columns: the first targets of these nodes, the second ones,
 * their sizes and so on. Any node of a block is read without the others.
 */
#ifndef LEAKGRAPH_PACKED_H
#define LEAKGRAPH_PACKED_H

#include <leakgraph/internal/columns.h>

#include "shape.h"

enum { PACKED_MOST = COLUMN_MOST /**< nodes of a block */ };

/** Bytes by what they are for. */
typedef struct packed_sizes {
    uint64_t shapes; /**< which node has which, and where its columns are */
    uint64_t targets;
    uint64_t items;
    uint64_t address;
    uint64_t size;
    uint64_t counts;
    uint64_t tables; /**< all shapes, the index of the blocks */
    uint64_t sources;
    uint64_t ranks;
} packed_sizes;

typedef struct packed {
    uint32_t nodes;
    uint32_t block; /**< nodes in each: 64, 128 or 256 */
    uint64_t edges;
    shapes shapes;
    bytes blocks;
    uint64_t *begin;      /**< [blocks + 1] in the bytes */
    uint64_t *first_edge; /**< [blocks + 1] */
    bytes in_blocks;
    uint64_t *in_begin; /**< [blocks + 1]; NULL: no references back */
    packed_sizes sizes;
    column_choices choices;
} packed;

/** Makes it from columns. A failed allocation ends the program. */
packed packed_new(const lg_columns *columns, uint32_t block,
                  const column_choices *choices);
void packed_free(packed *graph);

/** Nodes of one shape in a block. */
typedef struct packed_group {
    const packed_shape *shape;
    uint64_t *usual;
    const uint8_t *at; /**< its first column */
    uint32_t number;   /**< among the groups of the block */
    uint32_t count;
    uint64_t member[PACKED_MOST / 64];
} packed_group;

/** A block whose nodes can be read. */
typedef struct packed_block {
    const packed *graph;
    const uint8_t *groups;
    const uint8_t *planes;
    const uint8_t *columns;
    uint32_t count;
    uint32_t group_count;
    uint32_t plane_count;
    bool wide;
} packed_block;

packed_block packed_block_open(const packed *graph, uint32_t number);
packed_group packed_group_open(const packed_block *block, uint32_t number);
/** Opens the group of one node, and stores its place in the group. */
packed_group packed_group_of(const packed_block *block, uint32_t node,
                             uint32_t *place);

/** Columns of a block, in the order of its nodes. */
typedef struct packed_nodes {
    uint32_t count;
    uint64_t address[PACKED_MOST];
    uint32_t type[PACKED_MOST];
    uint32_t size[PACKED_MOST];
    uint32_t refcount[PACKED_MOST];
    uint32_t found[PACKED_MOST];
    uint16_t flags[PACKED_MOST];
    uint32_t first[PACKED_MOST + 1]; /**< edges, from the block's first on */
    uint32_t *target;
    uint32_t *payload;
    uint8_t *kind;
    size_t room;
} packed_nodes;

/** Parts that a pass may want of a block. Targets are always read. */
enum {
    PACKED_WITH_KINDS = 1,
    PACKED_WITH_PAYLOADS = 2,
    PACKED_WITH_NODES = 4,
};

void packed_read(const packed *graph, uint32_t block, unsigned parts,
                 packed_nodes *out);
void packed_nodes_free(packed_nodes *nodes);

/** Targets of one node. All zeros at first. */
typedef struct packed_list {
    uint32_t *items;
    size_t room;
} packed_list;

/** Reads the targets of one node, without those of weak references. Returns how
 *  many there are. */
uint32_t packed_targets(const packed *graph, uint32_t node, packed_list *out);
uint32_t packed_type(const packed *graph, uint32_t node);
uint32_t packed_node_size(const packed *graph, uint32_t node);

/** Adds the references to each node. `passes` bounds the memory that it takes:
 *  each goes through all blocks once. */
void packed_reverse(packed *graph, uint32_t passes);
/** Reads the sources of the references to a node. Returns how many. */
uint32_t packed_sources(const packed *graph, uint32_t node, packed_list *out);

#endif
