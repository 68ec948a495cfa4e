// Finds attributes that no program can change: those of frozen dataclasses, of
// frozen classes of attrs, and of frozen models of pydantic.
#include "graph/graph_private.h"

enum {
    DATACLASS = 1, // the class is a frozen dataclass itself
    ATTRS = 2,     // it is a frozen class of attrs itself
    FIELDS = 4,    // nobody can change fields of frozen dataclasses
    ALL = 8,       // nobody can change any attribute
    MODEL = 16,    // it is a class of models: each says which fields are frozen
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

static bool
is_model(const lg_graph *graph, uint32_t type)
{
    lg_type of = lg_graph_type(graph, type);
    for (uint32_t i = 0; i < of.mro_count; i++) {
        lg_string base = lg_graph_type(graph, of.mro[i]).name;
        if (lg__string_is(base, "pydantic.main.BaseModel") ||
            lg__string_is(base, "pydantic.v1.main.BaseModel"))
            return true;
    }
    return false;
}

// A class that only derives from a frozen dataclass may have attributes besides
// the fields (Lib/dataclasses.py, _frozen_get_del_attr, 3.9 to 3.15); one that
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
        if (class != LG_NONE && is_model(graph, type))
            frozen[type] |= MODEL;
    }
    for (uint32_t type = 0; type < graph->type_count; type++)
        frozen[type] |= derived_as(graph, frozen, type);
    return frozen;
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
        if (fields != LG_NONE && lg__dict_value(graph, fields, name) != LG_NONE)
            return true;
    }
    return false;
}

// Returns the value that a class or the first of its bases has.
static uint32_t
inherited(const lg_graph *graph, uint32_t class, const char *name)
{
    uint32_t found = lg__node_attribute(graph, class, name);
    uint32_t order = lg__node_attribute(graph, class, "__mro__");
    const lg_columns *columns = &graph->columns;
    if (order == LG_NONE)
        return found;
    for (uint64_t edge = columns->first_edge[order];
         edge < columns->first_edge[order + 1] && found == LG_NONE; edge++)
        found = lg__node_attribute(graph, columns->edge_target[edge], name);
    return found;
}

// Returns whether a setting of a class is that truth value.
static bool
has_set(const lg_graph *graph, uint32_t class, const char *name,
        const char *value)
{
    uint32_t found = inherited(graph, class, name);
    return found != LG_NONE && lg__string_is(lg_node_text(graph, found), value);
}

// Version 1 (pydantic/main.py, BaseModel.__setattr__, 1.0 to 1.10). It lets
// programs delete such a field, which leaves a model without it.
static bool
is_frozen_of_old_model(const lg_graph *graph, uint32_t class, uint32_t config,
                       lg_string name)
{
    uint32_t fields = lg__node_attribute(graph, class, "__fields__");
    uint32_t field =
        fields != LG_NONE ? lg__dict_value(graph, fields, name) : LG_NONE;
    if (field == LG_NONE)
        return false;
    uint32_t declared = lg__node_attribute(graph, field, "field_info");
    return has_set(graph, config, "allow_mutation", "False") ||
           has_set(graph, config, "frozen", "True") ||
           (has_set(graph, config, "validate_assignment", "True") &&
            lg__string_is(text_of_attribute(graph, declared, "allow_mutation"),
                          "False"));
}

// A class of models has the fields and the settings of its bases, too
// (pydantic/main.py, _check_frozen, 2.0 to 2.14).
static bool
is_frozen_of_model(const lg_graph *graph, uint32_t type, lg_string name)
{
    uint32_t class = graph->type_node[type];
    uint32_t old = lg__node_attribute(graph, class, "__config__");
    if (old != LG_NONE)
        return is_frozen_of_old_model(graph, class, old, name);
    uint32_t fields = lg__node_attribute(graph, class, "__pydantic_fields__");
    if (fields == LG_NONE) // up to 2.9
        fields = lg__node_attribute(graph, class, "model_fields");
    uint32_t field =
        fields != LG_NONE ? lg__dict_value(graph, fields, name) : LG_NONE;
    if (field == LG_NONE)
        return false;
    uint32_t config = lg__node_attribute(graph, class, "model_config");
    uint32_t frozen =
        config != LG_NONE
            ? lg__dict_value(graph, config, (lg_string){"frozen", 6})
            : LG_NONE;
    return lg__string_is(text_of_attribute(graph, field, "frozen"), "True") ||
           (frozen != LG_NONE &&
            lg__string_is(lg_node_text(graph, frozen), "True"));
}

bool
lg__attribute_is_frozen(const lg_graph *graph, uint32_t node, lg_string name)
{
    uint32_t type = graph->columns.type[node];
    if (lg__graph_folds(graph) == NULL)
        return false;
    uint8_t frozen = graph->lazy->frozen[type];
    return (frozen & ALL) ||
           ((frozen & MODEL) && is_frozen_of_model(graph, type, name)) ||
           ((frozen & FIELDS) && is_frozen_field(graph, type, name));
}
