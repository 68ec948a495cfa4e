// Chooses the reference by which a node's dominator holds it.
#include "growth/growth_private.h"

#include <stdlib.h>
#include <string.h>

// If a dominator refers to a node several times, the label is that of the kind
// with the lowest rank; of the same kind, the label that comes first in the
// order of bytes. So it depends on the order of references never.
// Targets lie anywhere: so many references ahead, the dominator is read.
enum { AHEAD = 16 };

static const uint8_t ranks[LG_EDGE_KIND_COUNT] = {
    [LG_EDGE_ATTRIBUTE] = 0, [LG_EDGE_LOCAL] = 1,      [LG_EDGE_VALUE] = 2,
    [LG_EDGE_INDEX] = 3,     [LG_EDGE_ELEMENT] = 4,    [LG_EDGE_CELL] = 5,
    [LG_EDGE_FRAME] = 6,     [LG_EDGE_DICT] = 7,       [LG_EDGE_NATIVE] = 8,
    [LG_EDGE_REFERENT] = 9,  [LG_EDGE_KEY] = 10,       [LG_EDGE_STACK] = 11,
    [LG_EDGE_FIELD] = 12,    [LG_EDGE_REFERENCE] = 13, [LG_EDGE_GLOBALS] = 14,
    [LG_EDGE_TYPE] = 15,
};

// A namespace that is folded into its owner: its values are attributes.
static bool
is_namespace(const lg__labels *labels, uint32_t source)
{
    return labels->folds[source].owner != LG_NONE &&
           lg__node_category(labels->graph, source) == LG_CATEGORY_CONTAINER &&
           lg__node_role(labels->graph, source) != LG__ROLE_TUPLE;
}

// As lg__node_text_id, which searches.
static uint32_t
text_of_key(lg__labels *labels, uint32_t key)
{
    uint32_t at = key % LG__NAMES_CACHED;
    if (labels->named[at] != key) {
        labels->named[at] = key;
        labels->names[at] = lg__node_text_id(labels->graph, key);
    }
    return labels->names[at];
}

uint32_t
lg__label_name(lg__labels *labels, uint32_t source, uint64_t edge)
{
    const lg_graph *graph = labels->graph;
    uint32_t payload = graph->columns.edge_payload[edge];
    switch (lg__edge_kind(graph, edge)) {
    case LG_EDGE_ATTRIBUTE:
    case LG_EDGE_LOCAL:
    case LG_EDGE_NATIVE:
        return payload < graph->string_count ? payload : LG_NONE;
    case LG_EDGE_VALUE:
        return payload != LG_NONE && is_namespace(labels, source)
                   ? text_of_key(labels, payload)
                   : LG_NONE;
    default:
        return LG_NONE;
    }
}

static int
compare_names(const lg_graph *graph, uint32_t left, uint32_t right)
{
    return lg__string_compare(lg_graph_string(graph, left),
                              lg_graph_string(graph, right));
}

// Whether `edge` labels its target rather than `other` does.
static bool
is_preferred(lg__labels *labels, uint32_t source, uint64_t edge, uint64_t other)
{
    const lg_graph *graph = labels->graph;
    // Most of a node's referrers that count are one. Sources come in order.
    uint32_t before = other >= graph->columns.first_edge[source]
                          ? source
                          : lg_edge_source(graph, other);
    uint32_t name = lg__label_name(labels, source, edge);
    uint32_t known = lg__label_name(labels, before, other);
    // An attribute is one, whether the instance has a namespace or not.
    uint8_t rank = name != LG_NONE ? 0 : ranks[lg__edge_kind(graph, edge)];
    uint8_t least = known != LG_NONE ? 0 : ranks[lg__edge_kind(graph, other)];
    if (rank != least || name == LG_NONE)
        return rank < least;
    return compare_names(graph, name, known) < 0;
}

uint32_t
lg__label_module(const lg__labels *labels, uint32_t space)
{
    uint32_t owner = labels->folds[space].owner;
    bool is = owner != LG_NONE && is_namespace(labels, space) &&
              lg__node_category(labels->graph, owner) == LG_CATEGORY_MODULE;
    return is ? owner : LG_NONE;
}

// Whether `edge` names its target rather than `other` does. Both come from
// namespaces of modules.
static bool
is_first_name(lg__labels *labels, uint64_t edge, uint64_t other)
{
    const lg_graph *graph = labels->graph;
    uint32_t source = lg_edge_source(graph, edge);
    uint32_t before = lg_edge_source(graph, other);
    int order = lg__string_compare(
        lg_node_text(graph, lg__label_module(labels, source)),
        lg_node_text(graph, lg__label_module(labels, before)));
    return order != 0
               ? order < 0
               : compare_names(graph, lg__label_name(labels, source, edge),
                               lg__label_name(labels, before, other)) < 0;
}

// What several hold goes by the first name that a module has for it.
static void
name_roots(lg__labels *labels, uint32_t space)
{
    const lg_columns *columns = &labels->graph->columns;
    uint64_t end = columns->first_edge[space + 1];
    for (uint64_t edge = columns->first_edge[space]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (labels->dominator[target] != columns->node_count ||
            lg__edge_kind(labels->graph, edge) != LG_EDGE_VALUE ||
            lg__label_name(labels, space, edge) == LG_NONE)
            continue;
        uint64_t known = labels->via[target];
        if (known == LG__NO_EDGE || is_first_name(labels, edge, known))
            labels->via[target] = edge;
    }
}

static void
choose_of(lg__labels *labels, uint32_t source)
{
    const lg_columns *columns = &labels->graph->columns;
    const uint32_t *dominator = labels->dominator;
    uint32_t owner = labels->folds[source].owner;
    uint64_t end = columns->first_edge[source + 1];
    if (lg__label_module(labels, source) != LG_NONE)
        name_roots(labels, source);
    for (uint64_t edge = columns->first_edge[source]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        uint32_t above = dominator[target];
        if (edge + AHEAD < columns->edge_count)
            __builtin_prefetch(&dominator[columns->edge_target[edge + AHEAD]]);
        if ((above != source && above != owner) ||
            (columns->edge_kind[edge] & LG_EDGE_WEAK))
            continue;
        uint64_t known = labels->via[target];
        if (known == LG__NO_EDGE || is_preferred(labels, source, edge, known))
            labels->via[target] = edge;
    }
}

// Most labels are one of a few.
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
    size_t nodes = graph->columns.node_count;
    size_t strings = graph->string_count;
    labels->via = lg__wide_alloc((nodes + 1) * sizeof *labels->via);
    labels->dotted = malloc((strings + 1) * sizeof *labels->dotted);
    if (labels->via == NULL || labels->dotted == NULL || !make_frequent(labels))
        return lg__error_memory(err);
    memset(labels->named, 0xff, sizeof labels->named);
    memset(labels->via, 0xff, nodes * sizeof *labels->via);
    memset(labels->dotted, 0xff, strings * sizeof *labels->dotted);
    for (uint32_t node = 0; node < nodes; node++)
        choose_of(labels, node);
    return LG_OK;
}

void
lg__labels_free(lg__labels *labels)
{
    free(labels->via);
    free(labels->dotted);
    lg_text_free(&labels->scratch);
}
