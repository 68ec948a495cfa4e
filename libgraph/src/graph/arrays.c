// The arrays of a graph, with their elements as files have them.
#include "graph/graph_private.h"

#include <string.h>

const lg__array_info lg__array_infos[LG__ARRAY_COUNT] = {
#define X(name, id, element, title) {id, element, title},
    LG__ARRAYS(X)
#undef X
};

const enum lg__array_name lg__narrow_arrays[LG_NARROW_COUNT] = {
    [LG_NARROW_ADDRESS] = LG__ADDRESS,
    [LG_NARROW_SIZE] = LG__SIZE,
    [LG_NARROW_REFCOUNT] = LG__REFCOUNT,
    [LG_NARROW_FOUND] = LG__FOUND,
    [LG_NARROW_FIRST_EDGE] = LG__FIRST_EDGE,
    [LG_NARROW_TYPE] = LG__TYPE,
    [LG_NARROW_PAYLOAD] = LG__EDGE_PAYLOAD,
    [LG_NARROW_TARGET] = LG__EDGE_TARGET,
    [LG_NARROW_KIND] = LG__EDGE_KIND,
    [LG_NARROW_FLAGS] = LG__NODE_FLAGS,
};

size_t
lg__element_in_memory(enum lg__array_name name)
{
    return name == LG__FIRST_EDGE ? sizeof(uint32_t)
                                  : lg__array_infos[name].element;
}

uint32_t
lg_narrow_large(const lg_narrow *column, lg_node node, bool listed)
{
    return listed ? column->value[lg__ascending_find(column->node,
                                                     column->listed, node)]
                  : column->usual;
}

static void
write_types(const lg_type_ids *types, uint64_t from, size_t count,
            uint32_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lg_type_ids_at(types, from + i);
}

static void
write_wide(const lg_first_edges *first, size_t count, uint32_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lg_first_edges_at(first, i);
}

void
lg__array_copy_all(const lg_graph *graph, enum lg__array_name name, void *to)
{
    const lg__array *array = &graph->array[name];
    const size_t element = lg__element_in_memory(name);
    if (element == lg__array_infos[name].element)
        lg__array_copy(graph, name, 0, array->count, to);
    else
        write_wide(&graph->columns.first_edge, (size_t)array->count, to);
}

static lg_narrow_name
narrow_name_of(enum lg__array_name name)
{
    size_t i = 0;
    while (i < LG_NARROW_COUNT - 1 && lg__narrow_arrays[i] != name)
        i++;
    return (lg_narrow_name)i;
}

static void
write_addresses(const lg_columns *columns, uint64_t from, size_t count,
                uint64_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lg_columns_address(columns, (lg_node)(from + i));
}

static void
write_first_edges(const lg_columns *columns, uint64_t from, size_t count,
                  uint64_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lg_columns_first_edge(columns, (lg_node)(from + i));
}

static void
write_payloads(const lg_columns *columns, uint64_t from, size_t count,
               uint32_t *out)
{
    if (count == 0)
        return;
    uint32_t source =
        lg__edge_source_between(columns, from, 0, columns->node_count - 1);
    for (size_t i = 0; i < count; i++) {
        while (lg_columns_first_edge(columns, source + 1) <= from + i)
            source++;
        out[i] = lg_columns_payload_from(columns, source, from + i);
    }
}

static void
write_targets(const lg_columns *columns, uint64_t from, size_t count,
              uint32_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lg_columns_target(columns, from + i);
}

static void
write_kinds(const lg_columns *columns, uint64_t from, size_t count,
            uint8_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lg_columns_kind(columns, from + i);
}

static void
write_flags(const lg_columns *columns, uint64_t from, size_t count,
            uint16_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint16_t)lg_columns_flags(columns, (lg_node)(from + i));
}

typedef uint32_t number_of(const lg_columns *columns, lg_node node);

static void
write_numbers(const lg_columns *columns, number_of *number, uint64_t from,
              size_t count, uint32_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = number(columns, (lg_node)(from + i));
}

void
lg_columns_write(const lg_columns *columns, lg_narrow_name name, uint64_t from,
                 size_t count, void *out)
{
    switch (name) {
    case LG_NARROW_ADDRESS:
        write_addresses(columns, from, count, out);
        return;
    case LG_NARROW_SIZE:
        write_numbers(columns, lg_columns_size, from, count, out);
        return;
    case LG_NARROW_REFCOUNT:
        write_numbers(columns, lg_columns_refcount, from, count, out);
        return;
    case LG_NARROW_FIRST_EDGE:
        write_first_edges(columns, from, count, out);
        return;
    case LG_NARROW_TYPE:
        write_types(&columns->type, from, count, out);
        return;
    case LG_NARROW_PAYLOAD:
        write_payloads(columns, from, count, out);
        return;
    case LG_NARROW_TARGET:
        write_targets(columns, from, count, out);
        return;
    case LG_NARROW_KIND:
        write_kinds(columns, from, count, out);
        return;
    case LG_NARROW_FLAGS:
        write_flags(columns, from, count, out);
        return;
    default:
        write_numbers(columns, lg_columns_found, from, count, out);
    }
}

// Copies elements that memory has in another form.
static void
copy_short(const lg_graph *graph, enum lg__array_name name, uint64_t from,
           uint64_t count, void *to)
{
    if (name == LG__STRING_OFFSET)
        lg__strings_begin(graph, from, count, to);
    else if (name == LG__TEXT_NODE)
        lg__text_nodes_write(graph, from, count, to);
    else
        lg_columns_write(&graph->columns, narrow_name_of(name), from,
                         (size_t)count, to);
}

void
lg__array_copy(const lg_graph *graph, enum lg__array_name name, uint64_t from,
               uint64_t count, void *to)
{
    const lg__array *array = &graph->array[name];
    const size_t element = lg__array_infos[name].element;
    if (array->data == NULL || element != lg__element_in_memory(name))
        copy_short(graph, name, from, count, to);
    else if (count > 0)
        memcpy(to, (const char *)array->data + from * element,
               (size_t)count * element);
}
