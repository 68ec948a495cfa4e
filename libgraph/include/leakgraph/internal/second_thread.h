/**
 * A second thread that adds to a builder.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_SECOND_THREAD_H
#define LEAKGRAPH_SECOND_THREAD_H

#include <leakgraph/builder.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a second thread adds to a builder, while the producer goes on: texts of
 * nodes, and counts of references. It has memory of its own, so that neither
 * thread waits for the other. One thread at a time uses it.
 */
typedef struct lg_additions lg_additions;

/** The builder's additions, which the first call makes and the builder frees.
 * Its allocator must bear two threads from then on, because lg_builder_finish
 * uses two if there are many nodes. NULL if memory ran out. */
lg_additions *lg_builder_additions(lg_builder *builder);

/** Says that a second thread uses the columns. Before they move to new
 *  addresses, the builder calls hold(context, true), which keeps that thread
 *  away, and after that hold(context, false). NULL: only the producer is left.
 *  The builder's allocator must bear both threads. */
void lg_builder_share(lg_builder *builder,
                      void (*hold)(void *context, bool begin), void *context);

/** lg_builder_set_text for the second thread: the last text of a node counts,
 *  but any that the producer sets counts more. It is dropped if the node never
 *  gets a number. False, and nothing changed, if memory ran out. */
bool lg_additions_set_text(lg_additions *additions, lg_node node,
                           const char *bytes, size_t length);

/** The node of each text of the additions, borrowed until the next text. */
const lg_node *lg_additions_texts(const lg_additions *additions, size_t *count);

/** How far the producer is. */
typedef struct lg_reached {
    uint64_t edges;   /**< these are complete: none is the open node's */
    uint32_t nodes;   /**< these have numbers */
    uint32_t strings; /**< these have ids */
} lg_reached;

/** Call it before a node is opened. */
lg_reached lg_builder_reached(const lg_builder *builder);

/** Counts the references of the complete edges from where the last call ended,
 *  at most `most`; lg_builder_finish counts the rest. An edge that was counted
 *  keeps its target, LG_EDGE_UNCOUNTED and LG_EDGE_WEAK: see
 *  lg_builder_weaken. Returns whether it counted any: not if none is left, one
 *  leads to no node, memory ran out, or there are 4 billion edges. That does no
 * harm. O(most). */
bool lg_additions_count_edges(lg_additions *additions,
                              const lg_builder *builder,
                              const lg_reached *reached, uint64_t most);

/** Codes the labels of some thousand complete edges. Returns whether there were
 *  any; not if memory ran out, which does no harm: lg_builder_finish codes the
 *  rest. */
bool lg_builder_code_labels(lg_builder *builder);

/** Packs the addresses of some nodes below `end`, which the producer has left.
 *  Returns whether there were any; not if memory ran out, which does no
 *  harm. */
bool lg_builder_pack_some(lg_builder *builder, uint32_t end);

/** How many edges are counted. */
uint64_t lg_additions_counted_edges(const lg_additions *additions);

/** The namespaces to which the edges below *end lead: their targets by
 *  LG_EDGE_DICT, in the order of the edges. *end is as a rule what is counted,
 *  and less if memory ran out. Borrowed until the next count. For NULL, there
 *  are none and *end is 0. */
const lg_node *lg_additions_namespaces(const lg_additions *additions,
                                       size_t *count, lg_edge *end);

/** Makes an edge weak, so that its reference does not count, although it may
 *  have been counted. Call it when the second thread has ended. */
void lg_builder_weaken(lg_builder *builder, lg_edge edge);

#ifdef __cplusplus
}
#endif

#endif
