/**
 * What answers ask of hops and labels.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_HOPS_H
#define LEAKGRAPH_HOPS_H

#include <leakgraph/path.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lg_hops {
    lg_hop *items;
    size_t count;
    bool more; /**< only a part was asked for, and others follow */
} lg_hops;

void lg_hops_free(lg_hops *hops);

/** Folded out-edges of a node, in the order of its edges. The folded-away dict,
 *  tuple and cells do not appear. */
lg_status lg_node_hops_out(const lg_graph *graph, lg_node node, lg_hops *out,
                           lg_error *err);
/** Folded in-edges of a node. */
lg_status lg_node_hops_in(const lg_graph *graph, lg_node node, lg_hops *out,
                          lg_error *err);
/** The owner of a node that hops fold away: a namespace, a part of a closure,
 *  or a buffer with one holder. LG_NONE for other nodes. */
lg_node lg_node_folded_into(const lg_graph *graph, lg_node node);

/** Copies the hops that a program sees, and the marks of each, and returns how
 *  many there are: all but those within the mapping of a context, whose nodes
 *  say nothing, unless such a hop is the last one. The hop behind them leads
 *  from the mapping. `marks` may be NULL, and then so may `seen_marks`. `seen`
 *  may be `hops`, and `seen_marks` be `marks`. */
size_t lg_hops_seen(const lg_graph *graph, const lg_hop *hops, size_t count,
                    const bool *marks, lg_hop *seen, bool *seen_marks);

/** `limit` folded out-edges or in-edges (`inward`) of a node behind the `first`
 *  ones. As quick for the first of ten million as for the first of ten: O(first
 *  + limit). */
lg_status lg_node_hops_range(const lg_graph *graph, lg_node node, bool inward,
                             uint64_t first, size_t limit, lg_hops *out,
                             lg_error *err);

/** Whether labels write what a key of a dict is: `['x']`, `[(53, 103)]`. Of
 *  other keys they have the type and the address. */
bool lg_key_is_written(const lg_graph *graph, lg_node key);

/** Adds up to `most` values that an object refers to and the snapshot keeps,
 *  with their labels, and `…` if there are more: `.user = 'ann', .age = 41`.
 *  Nothing of a class, function or module, and nothing of a snapshot without
 *  previews. Reads the first 64 references. */
void lg_node_values(const lg_graph *graph, lg_node node, size_t most,
                    lg_text *out);

/** Up to `limit` selectors that begin as the text does, a line each: what may
 *  follow a name (attributes, items and keys), then variables of the program's
 *  own modules, modules and types whose names begin so or have it inside.
 *  Nothing for numbers and addresses. O(types + roots), and up to 100,000
 *  references of the objects named. */
lg_status lg_graph_complete(const lg_graph *graph, const char *text,
                            size_t limit, lg_text *out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
