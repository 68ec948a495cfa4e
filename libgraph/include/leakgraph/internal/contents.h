/**
 * Which objects have equal contents.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_CONTENTS_H
#define LEAKGRAPH_CONTENTS_H

#include <leakgraph/builder.h>

#ifdef __cplusplus
extern "C" {
#endif

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
void lg_builder_compare_contents(lg_builder *builder,
                                 const lg_comparison *options);

/** Hashes the contents of a node, at once. Contents are equal if kind, length
 *  and bytes are. Give each node once. O(length). */
void lg_builder_add_contents(lg_builder *builder, lg_node node, uint64_t kind,
                             const void *bytes, size_t length);

/** Hashes the spans of the host that their holders own, for the holders that
 *  have one span: not what is mapped or part of an object. Spans of one type
 *  may be equal, if their texts agree up to the shape. Reads the first 4 KiB of
 * each, and the rest of those that agree so far. */
void lg_builder_add_span_contents(lg_builder *builder);

#ifdef __cplusplus
}
#endif

#endif
