/**
 * The columns of a graph, and what else lies behind it. Their layout may change
 * with every version.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_COLUMNS_H
#define LEAKGRAPH_COLUMNS_H

#include <leakgraph/graph.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Types by shapes, or in as many bytes as the greatest needs: one, two or four
 * for all. Those of a mapped file have four. */
typedef struct lg_type_ids {
    const void *numbers; /**< three more bytes may be read, without shapes */
    uint32_t shift;      /**< 0, 1 or 2: 1 << shift bytes for each */
    uint32_t mask;       /**< the bits of a number */
    const uint32_t *of;  /**< NULL, or the type of each shape, whose number has
                              two bytes */
} lg_type_ids;

/** Types of four bytes each. */
static inline lg_type_ids
lg_type_ids_wide(const uint32_t *numbers)
{
    const lg_type_ids types = {numbers, 2, UINT32_MAX, NULL};
    return types;
}

/** Types of two bytes each. */
static inline lg_type_ids
lg_type_ids_words(const uint16_t *numbers)
{
    const lg_type_ids types = {numbers, 1, UINT16_MAX, NULL};
    return types;
}

/** The type with that index. */
static inline uint32_t
lg_type_ids_at(const lg_type_ids *types, uint64_t index)
{
    uint32_t bytes;
    if (types->of != NULL)
        return types->of[((const uint16_t *)types->numbers)[index]];
    memcpy(&bytes, (const char *)types->numbers + (index << types->shift),
           sizeof bytes);
    return bytes & types->mask;
}

/** Where each node's edges begin. 64 of these numbers have the first of them,
 *  and each its distance to that in two bytes; so has the number behind them,
 *  so that a node's edges lie between two distances of one block. A block with
 *  a greater distance is far: its numbers are listed. */
typedef struct lg_first_edges {
    const uint32_t *wide;  /**< NULL: the other fields count */
    const uint32_t *base;  /**< of each block */
    const uint16_t *above; /**< of each block, LG_FIRST_EDGES_STEP distances;
                                all of a far one are UINT16_MAX */
    uint32_t far_count;
    const uint32_t *far_block;  /**< [far_count] ascending */
    const uint32_t *far_number; /**< of each far block, LG_FIRST_EDGES_BLOCK */
} lg_first_edges;

enum {
    LG_FIRST_EDGES_BLOCK = 64,
    LG_FIRST_EDGES_STEP = LG_FIRST_EDGES_BLOCK + 1,
};

/** Where the distance of the number with that index is. */
static inline const uint16_t *
lg_first_edges_above(const lg_first_edges *first, uint64_t index)
{
    return first->above + index + index / LG_FIRST_EDGES_BLOCK;
}

/** A number of a far block. O(log far blocks). */
uint32_t lg_first_edges_far(const lg_first_edges *first, uint64_t index)
    __attribute__((cold));

/** The number with that index. */
static inline uint32_t
lg_first_edges_at(const lg_first_edges *first, uint64_t index)
{
    if (first->wide != NULL)
        return first->wide[index];
    const uint16_t above = *lg_first_edges_above(first, index);
    return above != UINT16_MAX
               ? first->base[index / LG_FIRST_EDGES_BLOCK] + above
               : lg_first_edges_far(first, index);
}

/** What to ask for ahead of a number with that index. */
static inline const void *
lg_first_edges_ahead(const lg_first_edges *first, uint64_t index)
{
    return first->wide != NULL ? (const void *)(first->wide + index)
                               : lg_first_edges_above(first, index);
}

/** Numbers of all nodes, of which nearly all are small: a byte or two for each,
 *  and a list of the others. Where many are large, or the numbers lie in a
 *  mapped file, they stay as they are. Ask the functions below. */
typedef struct lg_narrow {
    const uint32_t *wide; /**< [node_count]; NULL: the other fields count */
    const void *low;      /**< [node_count] of one or two bytes: the number; the
                               greatest: see the list; the one before: `usual` */
    uint32_t usual;       /**< a number that many nodes have: the count of what
                               never dies */
    uint32_t listed;
    const uint32_t *node;  /**< [listed] ascending */
    const uint32_t *value; /**< [listed] */
} lg_narrow;

/** What a node's type, size and flags say together is its shape. A graph has
 *  few shapes, so their numbers have two bytes. Types have the same numbers:
 *  see lg_type_ids. Where there are more than 65,535, or the columns lie in a
 *  mapped file, these stay as they are. */
typedef struct lg_shapes {
    const uint16_t *number; /**< [node_count]; NULL: other columns count */
    const uint32_t *size;   /**< of each shape */
    const uint16_t *flags;  /**< of each shape */
} lg_shapes;

/** Of the complements of numbers in a row. An address itself would be a pointer
 *  to what is there, and a snapshot with native memory would say that an
 *  earlier one holds it. */
typedef struct lg_packed_block {
    uint64_t base;  /**< the least complement that is not listed */
    uint32_t begin; /**< its first word; those of listed numbers are its last */
    uint8_t width;  /**< bits of each one: how far above the base it is */
    uint8_t shift;  /**< how many bits are left out, which are 0 */
    uint8_t listed; /**< how many numbers have one of the greatest such
                         distances and lie in the words behind */
} lg_packed_block;

/** Numbers in blocks, which need fewer bytes where those of a block are close.
 *  Any of them is read without the others. */
typedef struct lg_packed {
    const lg_packed_block *block; /**< [lg_packed_blocks] */
    const uint64_t *word;
} lg_packed;

/** Numbers in a block. */
enum { LG_PACKED_BLOCK = 128 };

/** The number of blocks of that many numbers. */
static inline uint64_t
lg_packed_blocks(uint64_t count)
{
    return (count + LG_PACKED_BLOCK - 1) / LG_PACKED_BLOCK;
}

/** How many words the bits of a block have. */
static inline size_t
lg_packed_words(const lg_packed_block *block)
{
    return (size_t)block->width * (LG_PACKED_BLOCK / 64);
}

/** The greatest distance that a block has bits for. */
static inline uint64_t
lg_packed_greatest(const lg_packed_block *block)
{
    return (UINT64_C(1) << block->width) - 1;
}

/** The number with that index. */
static inline uint64_t
lg_packed_at(const lg_packed *packed, uint64_t index)
{
    const lg_packed_block *block = &packed->block[index / LG_PACKED_BLOCK];
    const uint64_t *words = packed->word + block->begin;
    const uint64_t bit = index % LG_PACKED_BLOCK * block->width;
    const uint64_t greatest = lg_packed_greatest(block);
    uint64_t bits;
    memcpy(&bits, (const char *)words + bit / 8, sizeof bits);
    const uint64_t above = bits >> bit % 8 & greatest;
    return above <= greatest - block->listed
               ? ~(block->base + (above << block->shift))
               : ~words[lg_packed_words(block) + (greatest - above)];
}

/** The addresses of all nodes. Those of a mapped file stay as they are. */
typedef struct lg_addresses {
    const uint64_t *wide; /**< [node_count]; NULL: the other field counts */
    lg_packed packed;
} lg_addresses;

/** Where edges lead to: the lower bits of a word for each. */
typedef struct lg_edge_targets {
    const uint32_t *word;
    uint32_t mask; /**< LG_TARGET_MASK, or all bits */
} lg_edge_targets;

/** The kinds of edges. */
typedef struct lg_edge_kinds {
    const uint8_t *byte;
    uint32_t shift; /**< 1 << shift bytes from each to the next: 0 or 2 */
} lg_edge_kinds;

/** Where all nodes have numbers below 2^24, a word has the target of an edge in
 *  its lower bits and the kind in its highest byte. Otherwise, and in mapped
 *  files, targets and kinds are two columns. */
#define LG_TARGET_BITS 24
#define LG_TARGET_MASK ((UINT32_C(1) << LG_TARGET_BITS) - 1)

/** The targets that are in such words. */
static inline lg_edge_targets
lg_edge_targets_packed(const uint32_t *words)
{
    const lg_edge_targets targets = {words, LG_TARGET_MASK};
    return targets;
}

/** The kinds that are in such words, of a little-endian machine. */
static inline lg_edge_kinds
lg_edge_kinds_packed(const uint32_t *words)
{
    const lg_edge_kinds kinds = {
        (const uint8_t *)words + LG_TARGET_BITS / 8,
        2,
    };
    return kinds;
}

/** The target of the edge with that index. */
static inline lg_node
lg_edge_targets_at(const lg_edge_targets *targets, lg_edge index)
{
    return targets->word[index] & targets->mask;
}

/** The kind of the edge with that index, with its flags. */
static inline uint8_t
lg_edge_kinds_at(const lg_edge_kinds *kinds, lg_edge index)
{
    return kinds->byte[index << kinds->shift];
}

/** The kinds from the edge with that index on. */
static inline lg_edge_kinds
lg_edge_kinds_from(const lg_edge_kinds *kinds, lg_edge index)
{
    const lg_edge_kinds from = {kinds->byte + (index << kinds->shift),
                                kinds->shift};
    return from;
}

/** Of 64 edges in a row. */
typedef struct lg_payload_block {
    uint64_t listed; /**< which of them have a payload that is listed */
    uint32_t before; /**< how many edges before these have one */
    lg_node source;  /**< the node that the first of them begins at; of a block
                          behind the last edge, the last node */
} lg_payload_block;

/** What the labels of all edges say besides their kinds. Objects of one type
 *  mostly have the same references in the same order, so a type's pattern has
 *  the payload for each place among them. The index of an element tells itself
 *  by its place, and the key of a value is what the next edge leads to. Only
 *  payloads that differ from what is expected are listed. */
typedef struct lg_payloads {
    const uint32_t *wide; /**< [edge_count]; NULL: the other fields count */
    const lg_payload_block *block; /**< [edge_count / 64 + 2] */
    const uint32_t *listed;
    const uint32_t *first_place; /**< [type_count + 1] where the pattern of each
                                      type begins */
    const uint32_t *expected;    /**< of each place of the patterns */
    uint32_t type_count;
} lg_payloads;

/** The columns of a graph, read-only, all owned by it. Out-edges of node i are
 *  those from lg_columns_edges(i).begin up to, not including, its end. */
typedef struct lg_columns {
    uint32_t node_count;
    uint64_t edge_count;
    lg_addresses address; /**< lg_columns_address */
    lg_shapes shape;
    lg_narrow size;             /**< lg_columns_size, without shapes */
    lg_narrow refcount;         /**< lg_columns_refcount */
    lg_narrow found;            /**< lg_columns_found */
    lg_type_ids type;           /**< lg_columns_type */
    const uint16_t *node_flags; /**< [node_count] lg_columns_flags, without
                                     shapes */
    lg_first_edges first_edge;  /**< lg_columns_first_edge */
    lg_edge_targets target;     /**< lg_columns_target */
    lg_edge_kinds kind;         /**< lg_columns_kind */
    lg_payloads payload;        /**< lg_columns_payload */
} lg_columns;

/** A number that needs more than its place in the column: one of the list, or
 *  the usual one. O(log listed). */
uint32_t lg_narrow_large(const lg_narrow *column, lg_node node, bool listed);

/** The number of a node in a column of bytes. */
static inline uint32_t
lg_narrow_byte(const lg_narrow *column, lg_node node)
{
    if (column->wide != NULL)
        return column->wide[node];
    const uint8_t low = ((const uint8_t *)column->low)[node];
    return low < UINT8_MAX - 1
               ? low
               : lg_narrow_large(column, node, low == UINT8_MAX);
}

/** The number of a node in a column of words of two bytes. */
static inline uint32_t
lg_narrow_word(const lg_narrow *column, lg_node node)
{
    if (column->wide != NULL)
        return column->wide[node];
    const uint16_t low = ((const uint16_t *)column->low)[node];
    return low < UINT16_MAX - 1
               ? low
               : lg_narrow_large(column, node, low == UINT16_MAX);
}

/** The address of a node; 0 if it has none. */
static inline uint64_t
lg_columns_address(const lg_columns *columns, lg_node node)
{
    const lg_addresses *of = &columns->address;
    return of->wide != NULL ? of->wide[node] : lg_packed_at(&of->packed, node);
}

/** The type id of a node. */
static inline uint32_t
lg_columns_type(const lg_columns *columns, lg_node node)
{
    return lg_type_ids_at(&columns->type, node);
}

/** The first edge of a node; of node_count, edge_count. */
static inline lg_edge
lg_columns_first_edge(const lg_columns *columns, lg_node node)
{
    return lg_first_edges_at(&columns->first_edge, node);
}

/** Edges in a row: to before `end`. */
typedef struct lg_edge_range {
    lg_edge begin;
    lg_edge end;
} lg_edge_range;

/** The edges of a node whose first edge is wide or in a far block. */
lg_edge_range lg_columns_far_edges(const lg_columns *columns, lg_node node)
    __attribute__((cold));

/** The edges of a node. */
static inline lg_edge_range
lg_columns_edges(const lg_columns *columns, lg_node node)
{
    const lg_first_edges *first = &columns->first_edge;
    if (first->wide != NULL)
        return lg_columns_far_edges(columns, node);
    const uint16_t *above = lg_first_edges_above(first, node);
    if (above[1] == UINT16_MAX)
        return lg_columns_far_edges(columns, node);
    const uint32_t base = first->base[node / LG_FIRST_EDGES_BLOCK];
    const lg_edge_range edges = {base + above[0], base + above[1]};
    return edges;
}

/** The shallow bytes of a node; UINT32_MAX: ask lg_node_size. */
static inline uint32_t
lg_columns_size(const lg_columns *columns, lg_node node)
{
    const lg_shapes *shape = &columns->shape;
    return shape->number != NULL ? shape->size[shape->number[node]]
                                 : lg_narrow_word(&columns->size, node);
}

/** The reference count of a node, which saturates at UINT32_MAX. */
static inline uint32_t
lg_columns_refcount(const lg_columns *columns, lg_node node)
{
    return lg_narrow_byte(&columns->refcount, node);
}

/** The LG_NODE_ flags of a node. */
static inline unsigned
lg_columns_flags(const lg_columns *columns, lg_node node)
{
    const lg_shapes *shape = &columns->shape;
    return shape->number != NULL ? shape->flags[shape->number[node]]
                                 : columns->node_flags[node];
}

/** The references found to a node: counted strong in-edges, and what the
 *  interpreter or the capturing call holds. */
static inline uint32_t
lg_columns_found(const lg_columns *columns, lg_node node)
{
    return lg_narrow_byte(&columns->found, node);
}

/** The node that an edge leads to. */
static inline lg_node
lg_columns_target(const lg_columns *columns, lg_edge edge)
{
    return lg_edge_targets_at(&columns->target, edge);
}

/** The kind of an edge | LG_EDGE_ flags. */
static inline uint8_t
lg_columns_kind(const lg_columns *columns, lg_edge edge)
{
    return lg_edge_kinds_at(&columns->kind, edge);
}

/** Asks for an edge ahead. */
static inline void
lg_columns_prefetch_edge(const lg_columns *columns, lg_edge edge)
{
    __builtin_prefetch(columns->target.word + edge);
    __builtin_prefetch(columns->kind.byte + (edge << columns->kind.shift));
}

/** A payload of edges that have no wide column. */
uint32_t lg_payload_at(const lg_columns *columns, lg_edge edge);
uint32_t lg_payload_of(const lg_columns *columns, lg_node source, lg_edge edge);

/** The payload of an edge, whose meaning depends on the kind. */
static inline uint32_t
lg_columns_payload(const lg_columns *columns, lg_edge edge)
{
    return columns->payload.wide != NULL ? columns->payload.wide[edge]
                                         : lg_payload_at(columns, edge);
}

/** The same if the node is known that the edge begins at: without a search. */
static inline uint32_t
lg_columns_payload_from(const lg_columns *columns, lg_node source, lg_edge edge)
{
    return columns->payload.wide != NULL ? columns->payload.wide[edge]
                                         : lg_payload_of(columns, source, edge);
}

/** The columns that have functions of their own, or fewer bytes than in a
 *  file. */
typedef enum lg_narrow_name {
    LG_NARROW_ADDRESS = 0,
    LG_NARROW_SIZE,
    LG_NARROW_REFCOUNT,
    LG_NARROW_FOUND,
    LG_NARROW_FIRST_EDGE,
    LG_NARROW_TYPE,
    LG_NARROW_PAYLOAD,
    LG_NARROW_TARGET,
    LG_NARROW_KIND,
    LG_NARROW_FLAGS,
    LG_NARROW_COUNT,
} lg_narrow_name;

/** Writes `count` numbers of such a column, from a node or edge on: addresses
 *  and first edges of 8 bytes, flags of two, kinds of one, others of 4. */
void lg_columns_write(const lg_columns *columns, lg_narrow_name name,
                      uint64_t from, size_t count, void *out);

/** All columns at once. O(1). */
const lg_columns *lg_graph_columns(const lg_graph *graph);

/** The string with that id; empty for an id out of range. */
lg_string lg_graph_string(const lg_graph *graph, uint32_t id);

/** Bytes that the allocators spend on a node, which is more than its size: as
 *  pymalloc and glibc's malloc round it up. An int of 28 bytes takes 32. */
uint64_t lg_node_spent(const lg_graph *graph, lg_node node);

/** Makes room for that many nodes in all, and keeps those that are there; a
 * list of zeros has room for none. Returns false when memory ran out. */
bool lg_nodes_reserve(lg_nodes *nodes, size_t count);

/** Sorts nodes and drops repetitions. Returns how many are left. */
size_t lg_nodes_unify(lg_node *nodes, size_t count);

/** "object" for LG_CATEGORY_OTHER, "container", "module" and so on. */
const char *lg_category_name(lg_category category);

/** The device with that name; "host" and "cpu" are 0. LG_ENOTFOUND names those
 *  that the graph has. */
lg_status lg_graph_device_find(const lg_graph *graph, const char *name,
                               uint32_t *out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
