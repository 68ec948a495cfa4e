// Finds names of references and of nodes for a walk over all of them.
#include "growth/growth_private.h"

#include <stdlib.h>
#include <string.h>

// One sorted column has the nodes with a text. For each block of this many
// nodes, an entry says where theirs begin, so that a search looks at few.
enum { BLOCK_BITS = 4 };

static void
index_texts(const lg_graph *graph, uint32_t *text_at, size_t blocks)
{
    uint32_t at = 0;
    for (size_t block = 0; block < blocks; block++) {
        uint64_t begin = (uint64_t)block << BLOCK_BITS;
        while (at < graph->text_count && graph->text_node[at] < begin)
            at++;
        text_at[block] = at;
    }
}

uint32_t
lg__label_text(const lg__labels *labels, uint32_t node)
{
    const lg_graph *graph = labels->graph;
    uint32_t begin = labels->text_at[node >> BLOCK_BITS];
    uint32_t end = labels->text_at[(node >> BLOCK_BITS) + 1];
    uint32_t at =
        lg__ascending_find(graph->text_node + begin, end - begin, node);
    return at == LG_NONE ? LG_NONE : graph->text_string[begin + at];
}

static uint32_t
text_of_key(lg__labels *labels, uint32_t key)
{
    uint32_t at = key % LG__NAMES_CACHED;
    if (labels->named[at] != key) {
        labels->named[at] = key;
        labels->names[at] = lg__label_text(labels, key);
    }
    return labels->names[at];
}

bool
lg__label_is_namespace(const lg__labels *labels, uint32_t node)
{
    return labels->folds[node].owner != LG_NONE &&
           lg__node_category(labels->graph, node) == LG_CATEGORY_CONTAINER &&
           lg__node_role(labels->graph, node) != LG__ROLE_TUPLE;
}

uint32_t
lg__label_name(lg__labels *labels, lg__via via)
{
    const lg_graph *graph = labels->graph;
    uint32_t payload = graph->columns.edge_payload[via.edge];
    switch (lg__edge_kind(graph, via.edge)) {
    case LG_EDGE_ATTRIBUTE:
    case LG_EDGE_LOCAL:
    case LG_EDGE_NATIVE:
        return payload < graph->string_count ? payload : LG_NONE;
    case LG_EDGE_VALUE:
        return payload != LG_NONE && lg__label_is_namespace(labels, via.source)
                   ? text_of_key(labels, payload)
                   : LG_NONE;
    default:
        return LG_NONE;
    }
}

// Adds the labels that most references have.
static bool
make_frequent(lg__labels *labels)
{
    lg_places *to = labels->places;
    labels->item = lg__places_string(to, (lg_string){"[*]", 3});
    labels->key = lg__places_string(to, (lg_string){"key", 3});
    labels->none = lg__places_string(to, (lg_string){"", 0});
    return labels->item != LG_NONE && labels->key != LG_NONE &&
           labels->none != LG_NONE;
}

lg_status
lg__labels_begin(lg__labels *labels, lg_error *err)
{
    const lg_graph *graph = labels->graph;
    size_t strings = graph->string_count;
    size_t blocks = ((size_t)graph->columns.node_count >> BLOCK_BITS) + 2;
    labels->text_at = malloc(blocks * sizeof *labels->text_at);
    labels->dotted = malloc((strings + 1) * sizeof *labels->dotted);
    if (labels->text_at == NULL || labels->dotted == NULL ||
        !make_frequent(labels))
        return lg__error_memory(err);
    index_texts(graph, labels->text_at, blocks);
    memset(labels->named, 0xff, sizeof labels->named);
    memset(labels->dotted, 0xff, strings * sizeof *labels->dotted);
    return LG_OK;
}

void
lg__labels_free(lg__labels *labels)
{
    free(labels->text_at);
    free(labels->dotted);
    lg_text_free(&labels->scratch);
}
