/**
 * What a capture asks of a builder, beyond builder.h.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_CAPTURE_BUILDER_H
#define LEAKGRAPH_CAPTURE_BUILDER_H

#include <leakgraph/builder.h>
#include <leakgraph/internal/allocator.h>
#include <leakgraph/internal/columns.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Declares the graph partial and says why, in a few words. */
void lg_builder_set_partial(lg_builder *builder, const char *why);

/** Stands for the upper halves of addresses that have more than 48 bits. An
 *  address may also have it, but is slow to get then: no system puts objects
 *  there. Programs have addresses below 2^47 on x86-64. On ARM, they have
 *  addresses below 2^48, and most of their objects lie near that. */
enum { LG__FAR_HALF = 0x8000 };

/** The columns are open to a capture, which walks millions of objects with the
 *  world stopped: the inline functions below append nodes and edges with a
 *  store and a bounds check. */
typedef struct lg_builder {
    uint32_t node_count;
    uint32_t node_capacity;
    uint64_t edge_count;
    uint64_t edge_capacity;
    lg_node open_node; /**< node whose edges are being appended, or LG_NONE */
    uint32_t opened;   /**< nodes below have their first edge */

    uint32_t *address_low;  /**< lg_builder_address */
    uint16_t *address_high; /**< with other bits of LG__FAR_HALF; 0: the address
                                 may be listed or packed */
    uint16_t *type;         /**< lg_builder_put_type, lg_builder_type */
    uint32_t *wide_type;    /**< instead, once there are 65,535 types */
    uint16_t *size;         /**< lg_builder_put_size, lg_builder_size */
    uint8_t *refcount;      /**< lg_builder_put_refcount, lg_builder_refcount */
    uint16_t *node_flags;
    uint32_t *first_base;  /**< as lg_first_edges has them */
    uint16_t *first_above; /**< of the nodes below `opened` */
    uint32_t block_base;   /**< of the block that `opened` is in */
    uint32_t block_end;    /**< the nodes below are in it or before it */

    uint64_t edge_room;  /**< of the next two columns */
    uint32_t *edge_word; /**< lg_builder_target, lg_builder_kind */
    uint8_t *edge_kind;  /**< NULL until there is room for more than 2^24
                              nodes: words have the kinds, too */
    uint32_t *far_block; /**< as lg_first_edges has them, with room for as
                              many far blocks as the edges can make */
    uint32_t *far_number;
    uint32_t far_count;
    uint32_t *edge_payload; /**< of the edges from `window` on: the builder has
                                 coded those before */
    lg_edge window;         /**< no edge of the open node is before it */

    /** NULL: only the producer uses the columns. */
    void (*hold)(void *context, bool begin);
    void *hold_context;

    lg_status status;             /**< first failure; LG_OK so far */
    struct lg_builder_rest *rest; /**< strings, types, roots: private */
} lg_builder;

/** lg_builder_new with memory of an allocator, which the builder takes over,
 * also on failure; NULL: malloc. */
lg_status lg_builder_new_in(const lg_allocator *allocator, lg_builder **out,
                            lg_error *err);

/** Grow the node or edge columns; called by the functions below. False, with
 *  status set, when memory ran out. */
bool lg_builder_grow_nodes(lg_builder *builder);
bool lg_builder_grow_edges(lg_builder *builder);

/** The span that was added as number i, from 0; NULL behind the last. */
const lg_span *lg_builder_span_at(const lg_builder *builder, size_t i);

/** Makes room for that many nodes and edges at once, which saves the moves of
 *  growing. Only a hint: false, and nothing lost, when memory ran out. */
bool lg_builder_reserve(lg_builder *builder, uint32_t nodes, uint64_t edges);

/** What the functions below do with numbers that do not fit. Each fails as all
 *  calls of a builder do. */
void lg_builder_list_address(lg_builder *builder, lg_node node,
                             uint64_t address);
uint64_t lg_builder_rare_address(const lg_builder *builder, lg_node node);
void lg_builder_list_refcount(lg_builder *builder, lg_node node,
                              uint64_t count);

/** Lets the builder pack the addresses of nodes that the producer has left, and
 *  give the pages of the plain ones back. That saves memory, and takes the
 *  pages from whoever keeps blocks for later. */
void lg_builder_pack_addresses(lg_builder *builder);
/** Says that the producer rarely reads the addresses of nodes below `end` from
 *  now on. */
void lg_builder_leave_nodes(lg_builder *builder, uint32_t end);
/** Says it of all nodes so far. Call it while no second thread uses the
 *  builder. */
void lg_builder_leave_all_nodes(lg_builder *builder);

/** The reference count set so far. O(log large counts). */
uint64_t lg_builder_refcount(const lg_builder *builder, lg_node node);

/** Appends a node with its address and with no flags: the producer sets type,
 *  size and refcount. LG_NONE on failure. */
static inline lg_node
lg_builder_number_node(lg_builder *builder, uint64_t address)
{
    if (builder->node_count == builder->node_capacity &&
        !lg_builder_grow_nodes(builder))
        return LG_NONE;
    lg_node node = builder->node_count++;
    builder->address_low[node] = (uint32_t)address;
    builder->address_high[node] = (uint16_t)(address >> 32 ^ LG__FAR_HALF);
    builder->node_flags[node] = 0;
    if (__builtin_expect(address >> 32 > UINT16_MAX, 0))
        lg_builder_list_address(builder, node, address);
    return node;
}

/** The address of a node. */
static inline uint64_t
lg_builder_address(const lg_builder *builder, lg_node node)
{
    const uint64_t high = builder->address_high[node];
    return __builtin_expect(high == 0, 0)
               ? lg_builder_rare_address(builder, node)
               : (high ^ LG__FAR_HALF) << 32 | builder->address_low[node];
}

/** Sets a reference count, which saturates at UINT32_MAX. */
static inline void
lg_builder_put_refcount(lg_builder *builder, lg_node node, uint64_t count)
{
    if (__builtin_expect(count < UINT8_MAX - 1, 1))
        builder->refcount[node] = (uint8_t)count;
    else
        lg_builder_list_refcount(builder, node, count);
}

/** lg_builder_set_size for a node that is there. */
static inline void
lg_builder_put_size(lg_builder *builder, lg_node node, uint64_t bytes)
{
    if (__builtin_expect(bytes < UINT16_MAX - 1, 1))
        builder->size[node] = (uint16_t)bytes;
    else
        lg_builder_set_size(builder, node, bytes);
}

/** Sets the type of a node: an id that lg_builder_add_type has returned. */
static inline void
lg_builder_put_type(lg_builder *builder, lg_node node, uint32_t type)
{
    if (__builtin_expect(builder->wide_type != NULL, 0))
        builder->wide_type[node] = type;
    else
        builder->type[node] = (uint16_t)type;
}

/** The type id that was set. */
static inline uint32_t
lg_builder_type(const lg_builder *builder, lg_node node)
{
    return __builtin_expect(builder->wide_type != NULL, 0)
               ? builder->wide_type[node]
               : builder->type[node];
}

/** Adds flags to those of a node which a second thread may read just then. Only
 *  one thread writes flags, so that is no read-modify-write. The other sees the
 *  flags before or after. */
static inline void
lg_flags_add(uint16_t *flags, unsigned more)
{
    unsigned before = __atomic_load_n(flags, __ATOMIC_RELAXED);
    __atomic_store_n(flags, (uint16_t)(before | more), __ATOMIC_RELAXED);
}

/** The same to the flags of a node that is opened, or may be. */
static inline void
lg_builder_mark(lg_builder *builder, lg_node node, unsigned flags)
{
    lg_flags_add(&builder->node_flags[node], flags);
}

/** Takes flags off in the same way. */
static inline void
lg_builder_unmark(lg_builder *builder, lg_node node, unsigned flags)
{
    unsigned before =
        __atomic_load_n(&builder->node_flags[node], __ATOMIC_RELAXED);
    __atomic_store_n(&builder->node_flags[node], (uint16_t)(before & ~flags),
                     __ATOMIC_RELAXED);
}

/** The flags so far, for a second thread, too. */
static inline unsigned
lg_builder_flags(const lg_builder *builder, lg_node node)
{
    return __atomic_load_n(&builder->node_flags[node], __ATOMIC_RELAXED);
}

/** What lg_builder_begin_edges does where a block of first edges begins, and
 *  where one is far: sets those from `opened` to that of the node. */
void lg_builder_put_first_edges(lg_builder *builder, lg_node node,
                                uint32_t edge);

/** The first edges so far. */
static inline lg_first_edges
lg_builder_first_edges(const lg_builder *builder)
{
    const lg_first_edges first = {
        NULL,
        builder->first_base,
        builder->first_above,
        builder->far_count,
        builder->far_block,
        builder->far_number,
    };
    return first;
}

/** The first edge of a node below `opened`. */
static inline uint32_t
lg_builder_first_edge(const lg_builder *builder, lg_node node)
{
    const lg_first_edges first = lg_builder_first_edges(builder);
    return lg_first_edges_at(&first, node);
}

/** Begins the edges of `node`, which must be above every node opened before. */
static inline void
lg_builder_begin_edges(lg_builder *builder, lg_node node)
{
    if (node < builder->opened && builder->status == LG_OK)
        builder->status = LG_EINVAL;
    const uint32_t edge = (uint32_t)builder->edge_count;
    const uint32_t above = edge - builder->block_base;
    if (__builtin_expect(node < builder->block_end && above < UINT16_MAX, 1)) {
        uint32_t opened = builder->opened;
        uint16_t *to = builder->first_above + opened / LG_FIRST_EDGES_BLOCK;
        while (opened <= node)
            to[opened++] = (uint16_t)above;
        builder->opened = opened;
    } else {
        lg_builder_put_first_edges(builder, node, edge);
    }
    builder->open_node = node;
}

/** Says whether words have the kinds of edges, too, as lg_edge_targets_packed
 * and lg_edge_kinds_packed read them. */
static inline bool
lg_builder_packs_edges(const lg_builder *builder)
{
    return __builtin_expect(builder->edge_kind == NULL, 1);
}

/** The targets of the edges so far. */
static inline lg_edge_targets
lg_builder_targets(const lg_builder *builder)
{
    const lg_edge_targets wide = {builder->edge_word, UINT32_MAX};
    return lg_builder_packs_edges(builder)
               ? lg_edge_targets_packed(builder->edge_word)
               : wide;
}

/** The kinds of the edges so far. */
static inline lg_edge_kinds
lg_builder_kinds(const lg_builder *builder)
{
    const lg_edge_kinds wide = {builder->edge_kind, 0};
    return lg_builder_packs_edges(builder)
               ? lg_edge_kinds_packed(builder->edge_word)
               : wide;
}

/** The node that an edge leads to. */
static inline lg_node
lg_builder_target(const lg_builder *builder, lg_edge edge)
{
    const uint32_t word = builder->edge_word[edge];
    return lg_builder_packs_edges(builder) ? word & LG_TARGET_MASK : word;
}

/** The kind of an edge, with its flags. */
static inline uint8_t
lg_builder_kind(const lg_builder *builder, lg_edge edge)
{
    return lg_builder_packs_edges(builder)
               ? (uint8_t)(builder->edge_word[edge] >> LG_TARGET_BITS)
               : builder->edge_kind[edge];
}

/** Writes an edge, which leads to a node that there is room for. */
static inline void
lg_builder_write_edge(lg_builder *builder, lg_edge edge, lg_node target,
                      unsigned kind)
{
    if (lg_builder_packs_edges(builder)) {
        builder->edge_word[edge] = target | kind << LG_TARGET_BITS;
    } else {
        builder->edge_word[edge] = target;
        builder->edge_kind[edge] = (uint8_t)kind;
    }
}

/** Gives an edge another kind. */
static inline void
lg_builder_set_kind(lg_builder *builder, lg_edge edge, unsigned kind)
{
    lg_builder_write_edge(builder, edge, lg_builder_target(builder, edge),
                          kind);
}

/** Appends an edge of the open node to a node that there is room for. A target
 *  of LG_NONE is ignored. */
static inline void
lg_builder_append_edge(lg_builder *builder, lg_node target, unsigned kind,
                       uint32_t payload)
{
    if (target == LG_NONE)
        return;
    if (builder->edge_count == builder->edge_capacity &&
        !lg_builder_grow_edges(builder))
        return;
    lg_edge edge = builder->edge_count++;
    lg_builder_write_edge(builder, edge, target, kind);
    builder->edge_payload[edge - builder->window] = payload;
}

/** Names an edge of the open node anew. */
static inline void
lg_builder_name_edge(lg_builder *builder, lg_edge edge, unsigned kind,
                     uint32_t payload)
{
    lg_builder_set_kind(builder, edge, kind);
    builder->edge_payload[edge - builder->window] = payload;
}

/** Names any edge anew, so that it counts as before. O(1). */
void lg_builder_rename(lg_builder *builder, lg_edge edge, unsigned kind,
                       uint32_t payload);

/** The node of the key to an edge of the kind LG_EDGE_VALUE. Call it while no
 *  second thread uses the builder. */
lg_node lg_builder_key(const lg_builder *builder, lg_edge edge);

/** An edge of any node, to be merged behind that node's own edges. */
void lg_builder_add_late_edge(lg_builder *builder, lg_node source,
                              lg_node target, unsigned kind, uint32_t payload);

/** lg_builder_set_text with a string that is interned already; UINT32_MAX is
 *  ignored. O(1). */
void lg_builder_set_text_id(lg_builder *builder, lg_node node, uint32_t string);

/** Counts references to `node` that exist but are not edges, because the
 *  interpreter or the capturing call holds them. */
void lg_builder_add_found(lg_builder *builder, lg_node node, uint32_t count);

/** How much text a builder has. */
typedef struct lg_builder_texts {
    uint64_t strings;     /**< interned ones, and nodes' own texts */
    uint64_t bytes;       /**< of these */
    uint64_t texts;       /**< texts given to nodes */
    uint64_t added_texts; /**< those of the additions, beyond these */
    uint64_t added_bytes;
} lg_builder_texts;

/** What the builder has so far: a good guess for the next one. */
lg_builder_texts lg_builder_count_texts(const lg_builder *builder);

/** Makes room for texts, like lg_builder_reserve; in the additions if there are
 * any by now. */
bool lg_builder_reserve_texts(lg_builder *builder,
                              const lg_builder_texts *expected);

/** The edges that a node has so far: from *first to before *end. */
static inline void
lg_builder_edges(const lg_builder *builder, lg_node node, lg_edge *first,
                 lg_edge *end)
{
    uint64_t last = builder->edge_count;
    *first =
        node < builder->opened ? lg_builder_first_edge(builder, node) : last;
    *end = node + 1 < builder->opened ? lg_builder_first_edge(builder, node + 1)
                                      : last;
}

/** A writer for the edges of the open node, and for nodes, once there is room
 *  for them: for loops that append many. It is a copy of the loop's own, so
 *  that the compiler keeps it in registers. */
typedef struct lg_edge_writer {
    uint32_t *word;
    uint8_t *kind;     /**< NULL: words have the kinds, too */
    uint32_t *payload; /**< of the next edge */
    lg_edge edge;      /**< the next */
    uint32_t *address_low;
    uint16_t *address_high;
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
        builder->edge_word,
        builder->edge_kind,
        builder->edge_payload + (builder->edge_count - builder->window),
        builder->edge_count,
        builder->address_low,
        builder->address_high,
        builder->node_flags,
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
    uint32_t word = target;
    if (__builtin_expect(writer->kind == NULL, 1))
        word |= kind << LG_TARGET_BITS;
    else
        writer->kind[writer->edge] = (uint8_t)kind;
    writer->word[writer->edge++] = word;
    *writer->payload++ = payload;
}

/** Numbers a node at the address of an object, which is below 2^48. */
static inline lg_node
lg_edge_writer_number(lg_edge_writer *writer, uint64_t address)
{
    writer->address_low[writer->node] = (uint32_t)address;
    writer->address_high[writer->node] =
        (uint16_t)(address >> 32 ^ LG__FAR_HALF);
    writer->node_flags[writer->node] = 0;
    return writer->node++;
}

/** Gives the edges and nodes of the writer to the builder. */
static inline void
lg_builder_put(lg_builder *builder, const lg_edge_writer *writer)
{
    builder->edge_count = writer->edge;
    builder->node_count = writer->node;
}

/** The first edge of a kind in [edge, end), or `end`, with any flags. Compares
 *  four at a time, for kinds that are rare. */
static inline lg_edge
lg_builder_edge_of_kind(const lg_builder *builder, unsigned kind, lg_edge edge,
                        lg_edge end)
{
    const lg_edge_kinds kinds = lg_builder_kinds(builder);
    for (; end - edge >= 4; edge += 4) {
        unsigned found = 0;
        for (unsigned i = 0; i < 4; i++)
            found |= (lg_edge_kinds_at(&kinds, edge + i) & LG_EDGE_KIND_MASK) ==
                     kind;
        if (found)
            break;
    }
    while (edge < end &&
           (lg_edge_kinds_at(&kinds, edge) & LG_EDGE_KIND_MASK) != kind)
        edge++;
    return edge;
}

/** An edge that the graph gets only if the target misses references: it has
 * more than are found without the tentative edges. If a target misses fewer
 * than are tentative, the graph gets none of those. For what may be a reference
 * or stale. It is merged like a late edge. */
void lg_builder_add_tentative_edge(lg_builder *builder, lg_node source,
                                   lg_node target, unsigned kind,
                                   uint32_t payload);

/** The shallow size set so far. O(log large sizes). */
uint64_t lg_builder_size(const lg_builder *builder, lg_node node);

/** lg_builder_add_fact with a number in decimal. */
void lg_builder_add_fact_number(lg_builder *builder, lg_node node,
                                const char *key, uint64_t number);

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
