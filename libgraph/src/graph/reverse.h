/**
 * The references to each node: the numbers of their edges, in ascending order.
 *
 * The numbers of the edges are packed, and the places where those of a node
 * begin are compact: an edge has two bytes or three, and a node little more
 * than one. No source is stored: the sources of every 64th edge are, and the
 * offsets of the nodes between two of these tell which one an edge begins at.
 * That reads the two cache lines that the offset of a stored source would need,
 * too.
 */
#ifndef LEAKGRAPH_REVERSE_H
#define LEAKGRAPH_REVERSE_H

#include "graph/compact.h"
#include "graph/packed.h"
#include "graph/short_columns.h"

enum { LG__REVERSE_STEP = 64 };

typedef struct lg__reverse {
    const lg_columns *columns; /**< the graph's */
    lg__compact first;         /**< [node_count + 1] */
    lg_packed edge;            /**< [edge_count] */
    uint32_t *source;    /**< [edge_count / LG__REVERSE_STEP + 2] sources of
                              every so many edges, then the last node; NULL:
                              there is no index */
    lg__packing packing; /**< which has the numbers */
} lg__reverse;

/** An edge and its source. */
typedef struct lg__in_edge {
    uint64_t edge;
    uint32_t source;
} lg__in_edge;

/** Returns the place of the first reference to a node. Those to the next node
 *  begin where its own end. */
static inline uint64_t
lg__first_in(const lg__reverse *reverse, uint32_t node)
{
    return lg__compact_at(&reverse->first, node);
}

/** Returns how many references lead to a node. */
static inline uint64_t
lg__count_in(const lg__reverse *reverse, uint32_t node)
{
    return lg__first_in(reverse, node + 1) - lg__first_in(reverse, node);
}

/** Returns the edge at a place. */
static inline uint64_t
lg__in_number(const lg__reverse *reverse, uint64_t place)
{
    return lg__packed_near(&reverse->edge, place);
}

/** Returns the node that an edge begins at, the last one whose edges begin no
 *  later, if it is none before `low` and none behind `high`. */
static inline uint32_t
lg__edge_source_between(const lg_columns *columns, uint64_t edge, uint32_t low,
                        uint32_t high)
{
    return lg__first_edges_find(&columns->first_edge, edge, low, high);
}

/** Returns the node that an edge begins at. */
static inline uint32_t
lg__edge_source(const lg__reverse *reverse, uint64_t edge)
{
    const uint32_t *around = &reverse->source[edge / LG__REVERSE_STEP];
    return lg__edge_source_between(reverse->columns, edge, around[0],
                                   around[1]);
}

/** Returns the source of the edge at a place. */
static inline uint32_t
lg__in_source(const lg__reverse *reverse, uint64_t place)
{
    return lg__edge_source(reverse, lg__in_number(reverse, place));
}

/** Returns the edge at a place, and its source. */
static inline lg__in_edge
lg__in_at(const lg__reverse *reverse, uint64_t place)
{
    const uint64_t edge = lg__in_number(reverse, place);
    return (lg__in_edge){edge, lg__edge_source(reverse, edge)};
}

/** Returns how many sources an index has. */
static inline size_t
lg__reverse_sources(const lg_columns *columns)
{
    return (size_t)(columns->edge_count / LG__REVERSE_STEP) + 2;
}

/** Makes the index. Returns false when memory ran out. O(nodes + edges). */
bool lg__reverse_make(const lg_columns *columns, const lg_allocator *allocator,
                      lg__reverse *out);
void lg__reverse_free(const lg_columns *columns, const lg_allocator *allocator,
                      lg__reverse *reverse);

#endif
