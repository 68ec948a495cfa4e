// Finds classes whose instances no program can change: frozen dataclasses, and
// frozen classes of attrs.
#include "graph/graph_private.h"

static lg_string
text_of_attribute(const lg_graph *graph, uint32_t node, const char *name)
{
    uint32_t found =
        node != LG_NONE ? lg__node_attribute(graph, node, name) : LG_NONE;
    return found != LG_NONE ? lg_node_text(graph, found) : (lg_string){"", 0};
}

// Returns whether @dataclass(frozen=True) or @attrs.frozen made this very
// class.
static bool
is_made_frozen(const lg_graph *graph, uint32_t type)
{
    uint32_t class = graph->type_node[type];
    if (class == LG_NONE)
        return false;
    uint32_t options = lg__node_attribute(graph, class, "__dataclass_params__");
    return lg__string_is(text_of_attribute(graph, options, "frozen"), "True") ||
           lg__string_is(text_of_attribute(graph, class, "__setattr__"),
                         "attr._make._frozen_setattrs");
}

// Marks the classes that are made frozen themselves by 1, and what derives from
// them by 2.
static void
mark_all(const lg_graph *graph, uint8_t *frozen)
{
    enum { ITSELF = 1, DERIVED = 2 };
    for (uint32_t type = 0; type < graph->type_count; type++)
        frozen[type] = is_made_frozen(graph, type) ? ITSELF : 0;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        lg_type of = lg_graph_type(graph, type);
        for (uint32_t i = 0; i < of.mro_count; i++)
            if (frozen[of.mro[i]] & ITSELF)
                frozen[type] |= DERIVED;
    }
}

uint8_t *
lg__frozen_types(const lg_graph *graph)
{
    uint8_t *frozen = lg__allocate(&graph->allocator, graph->type_count);
    if (frozen != NULL)
        mark_all(graph, frozen);
    return frozen;
}

bool
lg__node_is_frozen(const lg_graph *graph, uint32_t node)
{
    return lg__graph_folds(graph) != NULL &&
           graph->lazy->frozen[graph->columns.type[node]] != 0;
}
