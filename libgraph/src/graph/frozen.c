// Finds attributes that no program can change: those of frozen dataclasses, and
// of frozen classes of attrs.
#include "graph/graph_private.h"

enum {
    DATACLASS = 1, // the class is a frozen dataclass itself
    ATTRS = 2,     // it is a frozen class of attrs itself
    FIELDS = 4,    // nobody can change fields of frozen dataclasses
    ALL = 8,       // nobody can change any attribute
};

static lg_string
text_of_attribute(const lg_graph *graph, uint32_t node, const char *name)
{
    uint32_t found =
        node != LG_NONE ? lg__node_attribute(graph, node, name) : LG_NONE;
    return found != LG_NONE ? lg_node_text(graph, found) : (lg_string){"", 0};
}

static uint8_t
made_as(const lg_graph *graph, uint32_t class)
{
    uint32_t options = lg__node_attribute(graph, class, "__dataclass_params__");
    if (lg__string_is(text_of_attribute(graph, options, "frozen"), "True"))
        return DATACLASS;
    return lg__string_is(text_of_attribute(graph, class, "__setattr__"),
                         "attr._make._frozen_setattrs")
               ? ATTRS
               : 0;
}

// A class that only derives from a frozen dataclass may have attributes besides
// the fields (Lib/dataclasses.py, _frozen_get_del_attr, 3.9 to 3.14); one that
// derives from a frozen class of attrs may not.
static uint8_t
derived_as(const lg_graph *graph, const uint8_t *frozen, uint32_t type)
{
    lg_type of = lg_graph_type(graph, type);
    uint8_t bases = frozen[type] & (DATACLASS | ATTRS);
    if (bases != 0)
        return ALL;
    for (uint32_t i = 0; i < of.mro_count; i++)
        bases |= frozen[of.mro[i]];
    return bases & ATTRS ? ALL : bases & DATACLASS ? FIELDS : 0;
}

uint8_t *
lg__frozen_types(const lg_graph *graph)
{
    uint8_t *frozen = lg__allocate(&graph->allocator, graph->type_count);
    if (frozen == NULL)
        return NULL;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        uint32_t class = graph->type_node[type];
        frozen[type] = class != LG_NONE ? made_as(graph, class) : 0;
    }
    for (uint32_t type = 0; type < graph->type_count; type++)
        frozen[type] |= derived_as(graph, frozen, type);
    return frozen;
}

static bool
has_key(const lg_graph *graph, uint32_t dict, lg_string name)
{
    const lg_columns *columns = &graph->columns;
    uint64_t end = columns->first_edge[dict + 1];
    for (uint64_t edge = columns->first_edge[dict]; edge < end; edge++) {
        uint32_t key = columns->edge_payload[edge];
        if (lg__edge_kind(graph, edge) == LG_EDGE_VALUE && key != LG_NONE &&
            lg__string_same(lg_node_text(graph, key), name))
            return true;
    }
    return false;
}

static bool
is_frozen_field(const lg_graph *graph, uint32_t type, lg_string name)
{
    const uint8_t *frozen = graph->lazy->frozen;
    lg_type of = lg_graph_type(graph, type);
    for (uint32_t i = 0; i < of.mro_count; i++) {
        if (!(frozen[of.mro[i]] & DATACLASS))
            continue;
        uint32_t fields = lg__node_attribute(graph, graph->type_node[of.mro[i]],
                                             "__dataclass_fields__");
        if (fields != LG_NONE && has_key(graph, fields, name))
            return true;
    }
    return false;
}

bool
lg__attribute_is_frozen(const lg_graph *graph, uint32_t node, lg_string name)
{
    uint32_t type = graph->columns.type[node];
    if (lg__graph_folds(graph) == NULL)
        return false;
    uint8_t frozen = graph->lazy->frozen[type];
    return (frozen & ALL) ||
           ((frozen & FIELDS) && is_frozen_field(graph, type, name));
}
