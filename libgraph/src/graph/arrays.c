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
};

uint32_t
lg_narrow_large(const lg_narrow *column, lg_node node, bool listed)
{
    return listed ? column->value[lg__ascending_find(column->node,
                                                     column->listed, node)]
                  : column->usual;
}

static lg_narrow_name
narrow_name_of(enum lg__array_name name)
{
    size_t i = 0;
    while (i < LG_NARROW_COUNT - 1 && lg__narrow_arrays[i] != name)
        i++;
    return (lg_narrow_name)i;
}

typedef uint32_t number_of(const lg_columns *columns, lg_node node);

void
lg_columns_write(const lg_columns *columns, lg_narrow_name name, lg_node from,
                 size_t count, void *out)
{
    static number_of *const number[LG_NARROW_COUNT] = {
        [LG_NARROW_SIZE] = lg_columns_size,
        [LG_NARROW_REFCOUNT] = lg_columns_refcount,
        [LG_NARROW_FOUND] = lg_columns_found,
    };
    if (name == LG_NARROW_ADDRESS)
        for (size_t i = 0; i < count; i++)
            ((uint64_t *)out)[i] =
                lg_columns_address(columns, from + (lg_node)i);
    else
        for (size_t i = 0; i < count; i++)
            ((uint32_t *)out)[i] = number[name](columns, from + (lg_node)i);
}

void
lg__array_copy(const lg_graph *graph, enum lg__array_name name, uint64_t from,
               uint64_t count, void *to)
{
    const lg__array *array = &graph->array[name];
    const size_t element = lg__array_infos[name].element;
    if (array->data == NULL)
        lg_columns_write(&graph->columns, narrow_name_of(name), (lg_node)from,
                         (size_t)count, to);
    else if (count > 0)
        memcpy(to, (const char *)array->data + from * element,
               (size_t)count * element);
}
