/**
 * What a capture asks of a builder, beyond builder.h.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_CAPTURE_BUILDER_H
#define LEAKGRAPH_CAPTURE_BUILDER_H

#include <leakgraph/builder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How much text a builder has. */
typedef struct lg_builder_texts {
    uint64_t strings;    /**< interned ones, and nodes' own texts */
    uint64_t bytes;      /**< of these */
    uint64_t texts;      /**< texts given to nodes */
    uint64_t side_texts; /**< those of the side, beyond these */
    uint64_t side_bytes;
} lg_builder_texts;

/** What the builder has so far: a good guess for the next one. */
lg_builder_texts lg_builder_count_texts(const lg_builder *builder);

/** Makes room for texts, like lg_builder_reserve; on the side if there is one
 *  by now. */
bool lg_builder_reserve_texts(lg_builder *builder,
                              const lg_builder_texts *expected);

/** The edges that a node has so far: from *first to before *end. */
static inline void
lg_builder_edges(const lg_builder *builder, lg_node node, lg_edge *first,
                 lg_edge *end)
{
    uint64_t last = builder->edge_count;
    *first = node < builder->opened ? builder->first_edge[node] : last;
    *end = node + 1 < builder->opened ? builder->first_edge[node + 1] : last;
}

/** A writer for the edges of the open node, and for nodes, once there is room
 *  for them: for loops that append many. It is a copy of the loop's own, so
 *  that the compiler keeps it in registers. */
typedef struct lg_edge_writer {
    lg_node *target;
    uint32_t *payload;
    uint8_t *kind;
    lg_edge edge; /**< the next */
    uint64_t *address;
    uint16_t *node_flags;
    lg_node node; /**< the next */
} lg_edge_writer;

/** Makes room for `count` edges and as many nodes, and fills the writer *out.
 * Nothing else may be appended until lg_builder_put. False if memory ran out.
 */
static inline bool
lg_builder_write_edges(lg_builder *builder, uint32_t count, lg_edge_writer *out)
{
    while (builder->edge_capacity - builder->edge_count < count)
        if (!lg_builder_grow_edges(builder))
            return false;
    while (builder->node_capacity - builder->node_count < count)
        if (!lg_builder_grow_nodes(builder))
            return false;
    lg_edge_writer writer = {
        builder->edge_target, builder->edge_payload, builder->edge_kind,
        builder->edge_count,  builder->address,      builder->node_flags,
        builder->node_count,
    };
    *out = writer;
    return true;
}

/** Writes an edge. */
static inline void
lg_edge_writer_add(lg_edge_writer *writer, lg_node target, unsigned kind,
                   uint32_t payload)
{
    writer->target[writer->edge] = target;
    writer->payload[writer->edge] = payload;
    writer->kind[writer->edge++] = (uint8_t)kind;
}

/** Gives the edges and nodes of the writer to the builder. */
static inline void
lg_builder_put(lg_builder *builder, const lg_edge_writer *writer)
{
    builder->edge_count = writer->edge;
    builder->node_count = writer->node;
}

/** The first edge of a kind in [edge, end), or `end`, with any flags. Compares
 *  eight at a time, for kinds that are rare: a byte of a word is zero where the
 *  kind is. */
static inline lg_edge
lg_edge_of_kind(const uint8_t *kinds, unsigned kind, lg_edge edge, lg_edge end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (; end - edge >= 8; edge += 8) {
        uint64_t eight;
        memcpy(&eight, kinds + edge, sizeof eight);
        eight = (eight & ones * LG_EDGE_KIND_MASK) ^ ones * kind;
        if ((eight - ones) & ~eight & ones * 0x80)
            break;
    }
    while (edge < end && (kinds[edge] & LG_EDGE_KIND_MASK) != kind)
        edge++;
    return edge;
}

/** An edge that the graph gets only if the target misses references: it has
 * more than are found without the possible edges. If a target misses fewer than
 * are possible, the graph gets none of those. For what may be a reference or
 * stale. It is merged like a late edge. */
void lg_builder_add_possible_edge(lg_builder *builder, lg_node source,
                                  lg_node target, unsigned kind,
                                  uint32_t payload);

/** The shallow size set so far. O(1), but O(large sizes) for 4 GiB and more. */
uint64_t lg_builder_size(const lg_builder *builder, lg_node node);

/** lg_builder_add_fact with strings that are interned already. O(1). */
void lg_builder_add_fact_ids(lg_builder *builder, lg_node node, uint32_t key,
                             uint32_t value);

/** Returns whether the path is in a folder of the standard library or of
 *  installed packages. */
bool lg_path_is_installed(lg_string path);

/** Says of a module whether it is the program's own, by the path of its file:
 *  one that is not installed. */
void lg_builder_set_origin(lg_builder *builder, lg_node module, lg_string path);

#ifdef __cplusplus
}
#endif

#endif
