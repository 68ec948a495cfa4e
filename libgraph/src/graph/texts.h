/** The strings of a graph, and the index of texts, with which nobody has to
 *  search for the text of a node. */
#ifndef LEAKGRAPH_TEXTS_H
#define LEAKGRAPH_TEXTS_H

#include <leakgraph/graph.h>

#include "graph/marked.h"

/** Makes the index if necessary, which the graph keeps: the nodes that have a
 *  text, and where in the column it is. O(nodes) the first time. Returns NULL
 *  when memory ran out. */
const lg__marked_block *lg__graph_texts(const lg_graph *graph);

/** Returns the string that is the text of the node, by the index and the column
 *  of texts; LG_NONE if it has none. */
static inline uint32_t
lg__text_of(const lg__marked_block *texts, const uint32_t *text_string,
            uint32_t node)
{
    return lg__is_marked(texts, node)
               ? text_string[lg__marked_place(texts, node)]
               : LG_NONE;
}

/** Copies the nodes of `count` texts, from one on, in order. O(count). */
void lg__text_nodes_write(const lg_graph *graph, uint64_t from, uint64_t count,
                          uint32_t *out);
/** Copies where `count` strings begin, from one on; the end of the last is the
 *  place behind it. O(count). */
void lg__strings_begin(const lg_graph *graph, uint64_t from, uint64_t count,
                       uint64_t *out);

/** Makes the columns of strings and texts shorter if the graph owns them. They
 *  are sound. Returns false when memory ran out. */
bool lg__texts_shorten(lg_graph *graph);
void lg__texts_free(lg_graph *graph);

#endif
