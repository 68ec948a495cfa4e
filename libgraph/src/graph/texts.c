// Finds texts of nodes without a search.
#include "graph/graph_private.h"

// The columns of texts are in order of nodes.
static void
fill(const lg_graph *graph, lg__text_block *block, size_t blocks)
{
    uint32_t at = 0;
    for (size_t i = 0; i < blocks; i++) {
        block[i] = (lg__text_block){.first = at};
        for (; at < graph->text_count && graph->text_node[at] / 64 == i; at++)
            block[i].has |= UINT64_C(1) << graph->text_node[at] % 64;
    }
}

static lg__text_block *
make(const lg_graph *graph)
{
    size_t blocks = (size_t)graph->columns.node_count / 64 + 1;
    lg__text_block *made = lg__wide_alloc(blocks * sizeof *made);
    if (made != NULL)
        fill(graph, made, blocks);
    return made;
}

const lg__text_block *
lg__graph_texts(const lg_graph *graph)
{
    lg__lazy *lazy = graph->lazy;
    if (lazy->has_texts)
        return lazy->texts;
    lg_lock_take(&lazy->lock);
    if (!lazy->has_texts) {
        lazy->texts = make(graph);
        lazy->has_texts = lazy->texts != NULL;
    }
    lg_lock_give(&lazy->lock);
    return lazy->has_texts ? lazy->texts : NULL;
}

uint32_t
lg__node_text_id(const lg_graph *graph, uint32_t node)
{
    if (graph->lazy->has_texts && node < graph->columns.node_count)
        return lg__text_of(graph->lazy->texts, graph->text_string, node);
    uint32_t place =
        lg__ascending_find(graph->text_node, graph->text_count, node);
    return place == LG_NONE ? LG_NONE : graph->text_string[place];
}
