/**
 * Making a graph: the producer's side.
 *
 * Order: nodes may be added at any time. Out-edges are appended for node 0,
 * then node 1 and so on, each opened with lg_builder_open; nodes left unopened
 * have no edges.
 *
 * Errors are sticky: the first failed call is remembered, later ones do
 * nothing, and lg_builder_finish reports it. So a producer need not check each
 * call.
 */
#ifndef LEAKGRAPH_BUILDER_H
#define LEAKGRAPH_BUILDER_H

#include <leakgraph/kinds.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A graph that is being made. */
typedef struct lg_builder lg_builder;
/** Begins a graph without nodes. */
LG_API lg_status lg_builder_new(lg_builder **out, lg_error *err);
/** Frees the builder and all it holds. */
LG_API void lg_builder_free(lg_builder *builder);

/** Appends a node and returns its index; LG_NONE on failure. Its type is 0, and
 *  its size and reference count, until they are set. */
LG_API lg_node lg_builder_add_node(lg_builder *builder, uint64_t address);
/** Begins the edges of `node`, which must be above every node opened before. */
LG_API void lg_builder_open(lg_builder *builder, lg_node node);
/** Appends an edge of the open node. A target of LG_NONE is ignored. */
LG_API void lg_builder_add_edge(lg_builder *builder, lg_node target,
                                unsigned kind, uint32_t payload);

/** Sets the shallow size, also of 4 GiB and more. */
LG_API void lg_builder_set_size(lg_builder *builder, lg_node node,
                                uint64_t bytes);

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

/** Adds a fact about a node: see lg_node_fact, which says which keys are of
 *  numbers, in decimal, or of bools, "yes" or "no". The last value for a key
 *  wins. Interns key and value. */
LG_API void lg_builder_add_fact(lg_builder *builder, lg_node node,
                                const char *key, const char *value,
                                size_t length);

/** The id of an interned string (hashed): for names that repeat. Any bytes are
 *  accepted; what is not valid UTF-8, control characters, and characters that
 *  nobody sees are escaped as repr() does: \xNN, \uNNNN. Truncated at 4096
 *  bytes. UINT32_MAX on failure. */
LG_API uint32_t lg_builder_intern(lg_builder *builder, const char *bytes,
                                  size_t length);

/** A node's own text, not interned; the last one given wins. */
LG_API void lg_builder_set_text(lg_builder *builder, lg_node node,
                                const char *bytes, size_t length);

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
