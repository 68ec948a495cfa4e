// How sure it is who holds a block: by the weakest reference on the best way to
// it from what is no native memory.
#include "native/native_private.h"

#include "graph/graph_private.h"

typedef struct worth_search {
    const lg_graph *graph;
    lg_allocator allocator;
    uint8_t *worth;    // [node] lg_native_level
    lg__vector raised; // u32, nodes whose references are still to follow
} worth_search;

static bool
raise(worth_search *search, uint32_t node, unsigned level)
{
    if (search->worth[node] >= level)
        return true;
    search->worth[node] = (uint8_t)level;
    uint32_t *place = lg__vector_extend(&search->allocator, &search->raised, 1);
    if (place != NULL)
        *place = node;
    return place != NULL;
}

static bool
follow(worth_search *search, uint32_t node)
{
    const lg_columns *columns = &search->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    const unsigned here = search->worth[node];
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (lg__edge_kind(search->graph, edge) != LG_EDGE_NATIVE)
            continue;
        const unsigned level = lg_edge_level(search->graph, edge);
        if (!raise(search, lg_columns_target(columns, edge),
                   level < here ? level : here))
            return false;
    }
    return true;
}

// A node is followed again whenever a better way to it is found: at most once
// for each level.
static bool
search_all(worth_search *search)
{
    const lg_columns *columns = &search->graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (lg_node_blocks(search->graph, node) == 0)
            search->worth[node] = LG_LEVEL_EXACT;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        if (lg_node_blocks(search->graph, node) > 0)
            continue;
        if (!follow(search, node))
            return false;
        while (search->raised.count > 0) {
            const uint32_t *raised = search->raised.data;
            if (!follow(search, raised[--search->raised.count]))
                return false;
        }
    }
    return true;
}

uint8_t *
lg__native_worth(const lg_graph *graph)
{
    worth_search search = {
        .graph = graph,
        .allocator = lg_allocator_default(),
        .worth = lg__calloc((size_t)graph->columns.node_count + 1, 1),
        .raised = {.element = sizeof(uint32_t)}};
    if (search.worth != NULL && !search_all(&search)) {
        lg__free(search.worth);
        search.worth = NULL;
    }
    lg__vector_free(&search.allocator, &search.raised);
    return search.worth;
}

lg_native_level
lg__native_claim_level(const lg__native_claim *claim)
{
    uint64_t all = 0;
    uint64_t sure = 0;
    int level = LG_LEVEL_EXACT;
    for (int i = LG_LEVEL_NONE; i <= LG_LEVEL_EXACT; i++)
        all += claim->bytes[i];
    while (level > LG_LEVEL_NONE) {
        sure += claim->bytes[level];
        if (2 * sure >= all)
            break;
        level--;
    }
    return (lg_native_level)level;
}

void
lg__native_claim_add_words(lg_native_level level, lg_text *out)
{
    if (level > LG_LEVEL_LEFTOVER && level < LG_LEVEL_POINTER)
        lg_text_add(out, "perhaps ");
}
