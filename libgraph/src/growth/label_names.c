// Finds names of references and of nodes for a walk over all of them.
#include "growth/labels.h"

static bool
is_local(const lg__labels *labels, uint32_t node)
{
    return labels->locals[node / 64] >> node % 64 & 1;
}

// Returns whether the node is a namespace, so that its keys are names: one
// that is folded into its owner, or what a thread has in a threading.local.
static bool
is_namespace(const lg__labels *labels, uint32_t node)
{
    if (lg__fold_owner(labels->folds, node) == LG_NONE)
        return labels->has_locals && is_local(labels, node);
    return lg__node_category(labels->graph, node) == LG_CATEGORY_CONTAINER &&
           lg__node_role(labels->graph, node) != LG__ROLE_TUPLE;
}

static void
mark(uint64_t *bits, uint32_t node)
{
    bits[node / 64] |= UINT64_C(1) << node % 64;
}

static void
mark_locals_of(lg__labels *labels, uint32_t thread)
{
    const lg_columns *columns = &labels->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, thread);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (!lg__edge_opens_local(labels->graph, edge))
            continue;
        mark(labels->locals, columns->edge_target[edge]);
        labels->has_locals = true;
    }
}

// A thread has no keys, so its own bit is free: it says that its references
// have been read. A damaged file may list one thread many times.
static void
mark_locals(lg__labels *labels)
{
    const lg_graph *graph = labels->graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t thread = graph->root_node[i];
        if (graph->root_kind[i] != LG_ROOT_THREAD || is_local(labels, thread))
            continue;
        mark(labels->locals, thread);
        mark_locals_of(labels, thread);
    }
}

uint32_t
lg__label_name(lg__labels *labels, lg__reference reference)
{
    const lg_graph *graph = labels->graph;
    const uint32_t payload = lg_columns_payload_from(
        &graph->columns, reference.source, reference.edge);
    switch (lg__edge_kind(graph, reference.edge)) {
    case LG_EDGE_ATTRIBUTE:
    case LG_EDGE_LOCAL:
    case LG_EDGE_NATIVE:
        return payload < graph->string_count ? payload : LG_NONE;
    case LG_EDGE_VALUE:
        return payload != LG_NONE && is_namespace(labels, reference.source)
                   ? lg__label_text(labels, payload)
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
    labels->texts = lg__graph_texts(labels->graph);
    if (labels->texts == NULL || !make_frequent(labels))
        return lg__error_memory(err);
    mark_locals(labels);
    return LG_OK;
}

void
lg__labels_free(lg__labels *labels)
{
    lg_text_free(&labels->scratch);
}
