/** The index of texts, with which nobody has to search for the text of a
 *  node. */
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

#endif
