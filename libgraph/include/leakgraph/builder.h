/**
 * Making a graph: the producer's side.
 *
 * A capture walks millions of objects with the world stopped, so the builder's
 * columns are open: a producer appends nodes and edges with the inline
 * functions below, which compile to a store and a bounds check. Everything else
 * (texts, types, roots) goes through ordinary calls.
 *
 * Order: nodes may be added at any time. Out-edges are appended for node 0,
 * then node 1 and so on, each opened with lg_builder_open; nodes left unopened
 * have no edges. Late edges (lg_builder_add_late_edge) may come for any node at
 * any time and are merged when the graph is finished.
 *
 * Errors are sticky: the first failed append is remembered, later ones are
 * dropped, and lg_builder_finish reports it. So a visitor that may not fail
 * (tp_traverse) need not check anything.
 */
#ifndef LEAKGRAPH_BUILDER_H
#define LEAKGRAPH_BUILDER_H

#include <leakgraph/allocator.h>
#include <leakgraph/kinds.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Of a device's allocator: see graph.h. */
typedef struct lg_segment lg_segment;
typedef struct lg_block lg_block;

typedef struct lg_builder {
    uint32_t node_count;
    uint32_t node_capacity;
    uint64_t edge_count;
    uint64_t edge_capacity;
    lg_node open_node; /**< node whose edges are being appended, or LG_NONE */
    uint32_t opened;   /**< nodes below have their first_edge */

    uint64_t *address;
    uint32_t *type;
    uint32_t *size;
    uint32_t *refcount;
    uint16_t *node_flags;
    lg_edge *first_edge;

    lg_node *edge_target;
    uint32_t *edge_payload;
    uint8_t *edge_kind;

    /** See lg_builder_share; NULL: only the producer uses the columns. */
    void (*hold)(void *context, bool begin);
    void *hold_context;

    lg_status status;             /**< first failure; LG_OK so far */
    struct lg_builder_rest *rest; /**< strings, types, roots: private */
} lg_builder;

/** allocator may be NULL (malloc). The builder takes the allocator over, also
 *  on failure. */
LG_API lg_status lg_builder_new(const lg_allocator *allocator, lg_builder **out,
                                lg_error *err);
/** Frees the builder and all it holds. */
LG_API void lg_builder_free(lg_builder *builder);

/** Grow the node or edge columns; called by the inline functions. False, with
 *  status set, when memory ran out. */
LG_API bool lg_builder_grow_nodes(lg_builder *builder);
LG_API bool lg_builder_grow_edges(lg_builder *builder);

/** Makes room for so many nodes and edges at once, which saves the moves of
 *  growing. Only a hint: false, and nothing lost, when memory ran out. */
LG_API bool lg_builder_reserve(lg_builder *builder, uint32_t nodes,
                               uint64_t edges);

/**
 * What a second thread adds to a builder, while the producer goes on: texts of
 * nodes, and counts of references. It has memory of its own, so that neither
 * thread waits for the other. One thread at a time uses it.
 */
typedef struct lg_side lg_side;

/** The builder's side, which the first call makes and the builder frees. Its
 *  allocator must bear two threads from then on, because lg_builder_finish uses
 *  two if there are many nodes. NULL if memory ran out. */
LG_API lg_side *lg_builder_side(lg_builder *builder);

/** Says that a second thread uses the columns. Before they move to new
 *  addresses, the builder calls hold(context, true), which keeps that thread
 *  away, and after that hold(context, false). NULL: only the producer is left.
 *  The builder's allocator must bear both threads. */
LG_API void lg_builder_share(lg_builder *builder,
                             void (*hold)(void *context, bool begin),
                             void *context);

/** lg_builder_set_text for the second thread: the last text of a node counts,
 *  but any that the producer sets counts more. It is dropped if the node never
 *  gets a number. False, and nothing changed, if memory ran out. */
LG_API bool lg_side_set_text(lg_side *side, lg_node node, const char *bytes,
                             size_t length);
/** The node of each text of the side, borrowed until the next text. */
LG_API const lg_node *lg_side_texts(const lg_side *side, size_t *count);

/** How far the producer is. */
typedef struct lg_reached {
    uint64_t edges;   /**< these are complete: none is the open node's */
    uint32_t nodes;   /**< these have numbers */
    uint32_t strings; /**< these have ids */
} lg_reached;

/** Call it before a node is opened. */
LG_API lg_reached lg_builder_reached(const lg_builder *builder);
/** Counts the references of the complete edges from where the last call ended,
 *  at most `most`; lg_builder_finish counts the rest. An edge that was counted
 *  keeps its target, LG_EDGE_UNCOUNTED and LG_EDGE_WEAK: see
 *  lg_builder_weaken. Returns whether it counted any: not if none is left, one
 *  is unsound, memory ran out, or there are 4 billion edges. That does no harm.
 *  O(most). */
LG_API bool lg_side_count(lg_side *side, const lg_builder *builder,
                          const lg_reached *reached, uint64_t most);
/** How many edges are counted. */
LG_API uint64_t lg_side_counted(const lg_side *side);
/** The namespaces to which the edges below *end lead: their targets by
 *  LG_EDGE_DICT, in the order of the edges. *end is as a rule what is counted,
 *  and less if memory ran out. Borrowed until the next count. For NULL, there
 *  are none and *end is 0. */
LG_API const lg_node *lg_side_namespaces(const lg_side *side, size_t *count,
                                         lg_edge *end);
/** Makes an edge weak, so that its reference does not count, although it may
 *  have been counted. Call it when the second thread has ended. */
LG_API void lg_builder_weaken(lg_builder *builder, lg_edge edge);

/** How much text a builder has. */
typedef struct lg_builder_texts {
    uint64_t strings;    /**< interned ones, and nodes' own texts */
    uint64_t bytes;      /**< of these */
    uint64_t texts;      /**< texts given to nodes */
    uint64_t side_texts; /**< those of the side, beyond these */
    uint64_t side_bytes;
} lg_builder_texts;

/** What the builder has so far: a good guess for the next one. */
LG_API lg_builder_texts lg_builder_count_texts(const lg_builder *builder);
/** Makes room for texts, like lg_builder_reserve; on the side if there is one
 *  by now. */
LG_API bool lg_builder_reserve_texts(lg_builder *builder,
                                     const lg_builder_texts *expected);

/** Appends a node with its address and with no flags: the producer sets type,
 *  size and refcount. LG_NONE on failure. */
static inline lg_node
lg_builder_number_node(lg_builder *builder, uint64_t address)
{
    if (builder->node_count == builder->node_capacity &&
        !lg_builder_grow_nodes(builder))
        return LG_NONE;
    lg_node node = builder->node_count++;
    builder->address[node] = address;
    builder->node_flags[node] = 0;
    return node;
}

/** Appends a node with all columns zero but its address (type 0 until set) and
 *  returns its index; LG_NONE on failure. */
static inline lg_node
lg_builder_add_node(lg_builder *builder, uint64_t address)
{
    lg_node node = lg_builder_number_node(builder, address);
    if (node != LG_NONE) {
        builder->type[node] = 0;
        builder->size[node] = 0;
        builder->refcount[node] = 0;
    }
    return node;
}

/** Begins the edges of `node`, which must be above every node opened before. */
static inline void
lg_builder_open(lg_builder *builder, lg_node node)
{
    if (node < builder->opened && builder->status == LG_OK)
        builder->status = LG_EINVAL;
    lg_edge *first_edge = builder->first_edge;
    lg_edge edge = builder->edge_count;
    uint32_t opened = builder->opened;
    while (opened <= node)
        first_edge[opened++] = edge;
    builder->opened = opened;
    builder->open_node = node;
}

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

/** Appends an edge of the open node. A target of LG_NONE is ignored. */
static inline void
lg_builder_add_edge(lg_builder *builder, lg_node target, unsigned kind,
                    uint32_t payload)
{
    if (target == LG_NONE)
        return;
    if (builder->edge_count == builder->edge_capacity &&
        !lg_builder_grow_edges(builder))
        return;
    lg_edge edge = builder->edge_count++;
    builder->edge_target[edge] = target;
    builder->edge_payload[edge] = payload;
    builder->edge_kind[edge] = (uint8_t)kind;
}

/** An edge of any node, to be merged behind that node's own edges. */
LG_API void lg_builder_add_late_edge(lg_builder *builder, lg_node source,
                                     lg_node target, unsigned kind,
                                     uint32_t payload);

/** An edge that the graph gets only if the target misses references: it has
 * more than are found without the possible edges. If a target misses fewer than
 * are possible, the graph gets none of those. For what may be a reference or
 * stale. It is merged like a late edge. */
LG_API void lg_builder_add_possible_edge(lg_builder *builder, lg_node source,
                                         lg_node target, unsigned kind,
                                         uint32_t payload);

/** Sets the shallow size, also of 4 GiB and more. */
LG_API void lg_builder_set_size(lg_builder *builder, lg_node node,
                                uint64_t bytes);

/** The shallow size set so far. O(1), but O(large sizes) for 4 GiB and more. */
LG_API uint64_t lg_builder_size(const lg_builder *builder, lg_node node);

/** Declares a device other than the host ("cuda:0") and returns its id, from 1.
 *  LG_NONE on failure. */
LG_API uint32_t lg_builder_add_device(lg_builder *builder, const char *name);
/** Puts the node's size on that device instead of the host (0: the host); the
 *  last one given wins. */
LG_API void lg_builder_set_device(lg_builder *builder, lg_node node,
                                  uint32_t device);

/**
 * Memory that a node keeps alive outside of its own allocation: an array's
 * data, a tensor's storage. When the graph is finished, the spans of each
 * device are merged: every maximal union of overlapping intervals becomes one
 * buffer node (LG_NODE_BUFFER) that carries those bytes once, however many
 * views there are, with one edge (LG_EDGE_NATIVE, uncounted) from each holder.
 * Intervals that only touch are not merged. Buffers come behind all other
 * nodes, by device and address.
 */
typedef struct lg_span {
    lg_node holder;   /**< the node that keeps the memory alive */
    uint32_t device;  /**< 0: the host */
    uint64_t address; /**< 0: not known; the span is then a buffer of its own */
    uint64_t length;  /**< bytes; a span of 0 bytes makes no buffer */
    uint64_t extra;   /**< bytes of host memory that come with it, beyond the
                           interval: the allocator's rounding, the struct that
                           describes it. Those of all spans are added up: give
                           each byte once. Counted on the buffer, or, where
                           there is none on the host, on the holder */
    uint32_t type;    /**< type id of the buffer node: the longest owner's, else
                           the longest span's, counts */
    uint32_t text;    /**< string id of the buffer's own text, chosen alike:
                           `float32[256, 1024]`; 0: none */
    uint32_t label;   /**< string id of the edge's name: "data" */
    unsigned flags;   /**< LG_SPAN_ bits */
    uint32_t file;    /**< string id of the fact "file" of a mapped buffer: the
                           longest span's that has one counts; 0: none */
} lg_span;

enum {
    LG_SPAN_OWNER = 1 << 0,  /**< the holder allocated it, or frees it */
    LG_SPAN_INLINE = 1 << 1, /**< the interval is part of the holder's own
                                  allocation, and of its size: no buffer is
                                  made, the holders of spans inside it refer to
                                  this node, and a buffer that reaches into it
                                  leaves those bytes out */
    LG_SPAN_MAPPED = 1 << 2, /**< pages of a file or shared memory, not of this
                                  process's own heap */
    LG_SPAN_PINNED = 1 << 3, /**< page-locked host memory */
};

/** Adds a span (copied). Any number, in any order; O(log) each when the graph
 *  is finished. */
LG_API void lg_builder_add_span(lg_builder *builder, const lg_span *span);

/** Adds a fact about a node: see lg_node_fact. The last value for a key wins.
 *  Interns key and value. */
LG_API void lg_builder_add_fact(lg_builder *builder, lg_node node,
                                const char *key, const char *value,
                                size_t length);
/** The same with strings that are interned already. O(1). */
LG_API void lg_builder_add_fact_ids(lg_builder *builder, lg_node node,
                                    uint32_t key, uint32_t value);

/**
 * Which objects have equal contents, without keeping any: the builder hashes
 * what it is given and forgets the hashes when the graph is finished. The graph
 * has a group for each content that two objects or more have
 * (lg_node_equal).
 */
typedef struct lg_comparison {
    uint64_t seed; /**< of the hashes: a random number */
    uint64_t most; /**< bytes of spans to read at most; 0: any number */
    /** Copies memory that may be gone meanwhile; false if it is. */
    bool (*read)(void *to, const void *from, size_t size);
    const lg_monitor *monitor; /**< called while spans are read; or NULL */
} lg_comparison;

/** Begins to compare. Without it, the next two do nothing. */
LG_API void lg_builder_compare_contents(lg_builder *builder,
                                        const lg_comparison *options);
/** Hashes the contents of a node, at once. Contents are equal if kind, length
 *  and bytes are. Give each node once. O(length). */
LG_API void lg_builder_add_contents(lg_builder *builder, lg_node node,
                                    uint64_t kind, const void *bytes,
                                    size_t length);
/** Hashes the spans of the host that their holders own, for the holders that
 *  have one span: not what is mapped or part of an object. Spans of one type
 *  may be equal, if their texts agree up to the shape. Reads the first 4 KiB of
 * each, and the rest of those that agree so far. */
LG_API void lg_builder_add_span_contents(lg_builder *builder);

/** The account of a device's allocator: see lg_segment, lg_block. A block lies
 *  inside the segment with that index. Any order. */
LG_API uint32_t lg_builder_add_segment(lg_builder *builder,
                                       const lg_segment *segment);
LG_API void lg_builder_add_block(lg_builder *builder, const lg_block *block);

/** Returns whether the path is in a folder of the standard library or of
 *  installed packages. */
LG_API bool lg_path_is_installed(lg_string path);
/** Says of a module whether it is the program's own, by the path of its file:
 *  one that is not installed. */
LG_API void lg_builder_set_origin(lg_builder *builder, lg_node module,
                                  lg_string path);

/** Counts references to `node` that exist but are not edges, because the
 *  interpreter or the capturing call holds them. */
LG_API void lg_builder_add_found(lg_builder *builder, lg_node node,
                                 uint32_t count);

/** The id of an interned string (hashed): for names that repeat. Any bytes are
 *  accepted; what is not valid UTF-8, control characters, and characters that
 *  nobody sees are escaped as repr() does: \xNN, \uNNNN. Truncated at 4096
 *  bytes. UINT32_MAX on failure. */
LG_API uint32_t lg_builder_intern(lg_builder *builder, const char *bytes,
                                  size_t length);

/** A node's own text, not interned; the last one given wins. */
LG_API void lg_builder_set_text(lg_builder *builder, lg_node node,
                                const char *bytes, size_t length);
/** The same with a string that is interned already; UINT32_MAX is ignored.
 *  O(1). */
LG_API void lg_builder_set_text_id(lg_builder *builder, lg_node node,
                                   uint32_t string);

/** Declares a type and returns its id. `node` is the type object's node or
 *  LG_NONE. `mro` are the ids of its bases in resolution order, itself left out
 *  (it is put first). Declaring a name twice makes two types. Type 0 exists
 *  from the start: "?", for nodes whose type is not known. UINT32_MAX on
 *  failure. */
LG_API uint32_t lg_builder_add_type(lg_builder *builder, const char *name,
                                    size_t length, lg_node node,
                                    const uint32_t *mro, uint32_t mro_count);

/** Declares that reachability starts at `node`; a node may have several roots.
 *  `name` may be empty. */
LG_API void lg_builder_add_root(lg_builder *builder, lg_node node,
                                lg_root_kind kind, const char *name,
                                size_t length);

/** Sets an info text, in order of first use. */
LG_API void lg_builder_set_info(lg_builder *builder, const char *key,
                                const char *value);

/** Declares the graph partial and says why, in a few words. */
LG_API void lg_builder_set_partial(lg_builder *builder, const char *why);

/**
 * Makes the graph and frees the builder, also on failure. Counts references
 * found, adds a native root for each mortal node with unexplained references
 * (whole graphs only), merges late edges, sorts texts, trims the columns.
 * O(nodes + edges). Needs no GIL.
 */
LG_API lg_status lg_builder_finish(lg_builder *builder, lg_graph **out,
                                   lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
