/**
 * The columns of a graph, and what else lies behind it. Their layout may change
 * with every version.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_COLUMNS_H
#define LEAKGRAPH_COLUMNS_H

#include <leakgraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The columns of a graph, read-only, all owned by it. Out-edges of node i are
 *  edge_target[first_edge[i]] up to, not including, first_edge[i + 1]. */
typedef struct lg_columns {
    uint32_t node_count;
    uint64_t edge_count;
    const uint64_t *address;      /**< [node_count] */
    const uint32_t *type;         /**< [node_count] type id */
    const uint32_t *size;         /**< [node_count] shallow bytes; UINT32_MAX:
                                       ask lg_node_size */
    const uint32_t *refcount;     /**< [node_count] saturates at UINT32_MAX */
    const uint32_t *found;        /**< [node_count] references found: counted
                                       strong in-edges, and what the interpreter
                                       or the capturing call holds */
    const uint16_t *node_flags;   /**< [node_count] */
    const lg_edge *first_edge;    /**< [node_count + 1] */
    const lg_node *edge_target;   /**< [edge_count] */
    const uint32_t *edge_payload; /**< [edge_count] meaning depends on kind */
    const uint8_t *edge_kind;     /**< [edge_count] kind | LG_EDGE_ flags */
} lg_columns;

/** All columns at once. O(1). */
const lg_columns *lg_graph_columns(const lg_graph *graph);

/** The bytes that it has allocated: not the file that it is mapped from. */
uint64_t lg_graph_memory(const lg_graph *graph);

/** The string with that id; empty for an id out of range. */
lg_string lg_graph_string(const lg_graph *graph, uint32_t id);

/** Bytes that the allocators spend on a node, which is more than its size: as
 *  pymalloc and glibc's malloc round it up. An int of 28 bytes takes 32. */
uint64_t lg_node_spent(const lg_graph *graph, lg_node node);

/** Makes room for that many nodes in all, and keeps those that are there; a
 * list of zeros has room for none. Returns false when memory ran out. */
bool lg_nodes_reserve(lg_nodes *nodes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
