/**
 * The private part of a builder: everything but the columns that grow by
 * millions of elements.
 */
#ifndef LEAKGRAPH_BUILD_PRIVATE_H
#define LEAKGRAPH_BUILD_PRIVATE_H

#include "graph/graph_private.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/contents.h>
#include <leakgraph/internal/segments.h>
#include <leakgraph/internal/second_thread.h>

#include "build/counts.h"
#include "build/left_addresses.h"
#include "build/numbers.h"
#include "build/payload_windows.h"

/** A span, and its position in order of arrival. */
typedef struct lg__span {
    lg_span span;
    uint32_t order;
} lg__span;

typedef struct lg__fact {
    uint32_t node;
    uint32_t key;   /**< string id */
    uint32_t value; /**< string id */
} lg__fact;

/** A segment, and the index that its blocks use for it. */
typedef struct lg__segment {
    lg_segment segment;
    uint32_t index;
} lg__segment;

typedef struct lg__node_text {
    uint32_t node;
    uint32_t string;
} lg__node_text;

/** The hash of a node's contents. `number` is the half to sort by. */
typedef struct lg__content {
    uint32_t number;
    uint32_t other;
    uint32_t node;
} lg__content;

/** The strings have ids from 0 on. They get ids of the builder in the end. */
struct lg_additions {
    lg_allocator allocator;
    lg__strings strings; /**< nothing is interned */
    lg__vector offset;
    lg__vector bytes;
    lg__vector node;       /**< u32: the node of each string */
    lg__counts counts;     /**< of references found */
    lg__vector weakened;   /**< u32: a node for each that does not count */
    lg__vector namespaces; /**< u32 nodes */
    uint64_t counted;      /**< edges */
    uint64_t listed;       /**< edges whose namespaces are listed */
    uint32_t rule_nodes;   /**< what the rules are for */
    uint32_t rule_strings;
    lg__edge_rules rules;
};

/** The additions lie in pages of its own, or two threads would write to one
 * cache line. */
enum { LG__ADDITIONS_SIZE = 8192 };
_Static_assert(sizeof(struct lg_additions) <= LG__ADDITIONS_SIZE,
               "the additions fit");

/** The columns of an open builder. */
enum lg__open_column {
    LG__OPEN_ADDRESS_LOW = 0,
    LG__OPEN_ADDRESS_HIGH,
    LG__OPEN_TYPE,
    LG__OPEN_WIDE_TYPE, /**< instead of it, if it exists */
    LG__OPEN_SIZE,
    LG__OPEN_REFCOUNT,
    LG__OPEN_FLAGS,
    LG__OPEN_FIRST_BASE,
    LG__OPEN_FIRST_ABOVE,
    LG__OPEN_WORD,
    LG__OPEN_KIND, /**< NULL: words have the kinds, too */
    LG__OPEN_FAR_BLOCK,
    LG__OPEN_FAR_NUMBER,
    LG__OPEN_COUNT
};

struct lg_builder_rest {
    lg_allocator allocator;
    lg__strings strings;
    /** Arrays that the builder fills in the graph's own layout: strings, types,
     *  roots, info. The others stay empty until the end. */
    lg__vector table[LG__ARRAY_COUNT];
    size_t capacity[LG__OPEN_COUNT];
    lg__numbers size;     /**< of the open column */
    lg__numbers refcount; /**< of the open column */
    lg__counts counts;    /**< of references found, behind the additions */
    lg__numbers found;    /**< of the bytes of these */
    /** What becomes of all that. */
    lg__made_column made[LG_NARROW_FOUND + 1];
    lg__payload_windows windows;
    lg__payload_arrays payloads; /**< made when the late edges are merged */
    lg_additions *additions;     /**< NULL: nobody asked for it */
    lg__vector text;             /**< lg__node_text, in order of arrival */
    lg__marked_block *texts;     /**< in the end, if many nodes have one */
    lg__left_addresses left;
    lg__vector far;    /**< lg__node_number: a node and its address */
    lg__vector held;   /**< lg__node_number: a node and its references found */
    lg__vector placed; /**< lg__node_number: a node, and a device below the
                          order of arrival */
    lg__vector late;   /**< lg__late_edge */
    lg__vector tentative; /**< lg__late_edge */
    lg__vector span;      /**< lg__span */
    lg__vector fact;      /**< lg__fact */
    lg__vector segment;   /**< lg__segment */
    lg__vector block;     /**< lg_block */
    lg__vector content;   /**< lg__content */
    lg_comparison compare;
    bool compares;
};

/** Appends one u32 to a table. Returns false when memory ran out. */
bool lg__rest_push(struct lg_builder_rest *rest, enum lg__array_name name,
                   uint32_t value);

void lg__additions_free(lg_builder *builder);

/** Remembers the first failure. */
void lg__builder_fail(lg_builder *builder, lg_status status);
/** Returns the status of the builder so far, with a message if it failed. */
lg_status lg__builder_status(const lg_builder *builder, lg_error *err);

/** Holds the second thread off, if there is one, or lets it go on: meanwhile,
 *  what it reads may move. */
void lg__builder_hold(lg_builder *builder, bool begin);
bool lg__builder_reserve_edges(lg_builder *builder, uint64_t capacity);
/** Makes room for targets of 32 bits. */
bool lg__builder_widen_targets(lg_builder *builder);

/** Adds to each the number of late edges, which ascend, of nodes before it.
 *  There is room for all edges. O(nodes). */
void lg__first_edges_add(lg_builder *builder, const lg__late_edge *late,
                         size_t count);
/** Takes an open column out of the builder, with `count` elements. */
lg__vector lg__builder_take(lg_builder *builder, enum lg__open_column name,
                            uint64_t count);

/** The steps of finishing, in order. On failure, each leaves the builder
 *  whole. */
lg_status lg__finish_spans(lg_builder *builder, lg_error *err);
lg_status lg__finish_found(lg_builder *builder, lg_error *err);
lg_status lg__finish_roots(lg_builder *builder, lg_error *err);

/** Makes the graph without the edges: a copy in which they are weak, so nothing
 *  follows them. It borrows the graph, which must outlive it. O(edges). */
lg_status lg__graph_without(const lg_graph *graph, const uint64_t *edges,
                            size_t count, lg_graph **out, lg_error *err);
/** A root without its name. */
typedef struct lg__plain_root {
    uint32_t node;
    uint8_t kind;
} lg__plain_root;
/** Gives other roots to a graph of lg__graph_without. Returns false when memory
 *  ran out. */
bool lg__graph_take_roots(lg_graph *copy, const lg__plain_root *roots,
                          uint32_t count);

#endif
