// The columns of the nodes that a joined graph has: those of the graph before,
// and behind them what the added nodes have. Each is made when the one before
// is still there, which then goes, so no two columns stand twice at a time.
#include "native/native_private.h"

#include <string.h>

static void
free_array(const lg_allocator *allocator, lg__array *array)
{
    lg__deallocate(allocator, array->owned, array->owned_size);
    *array = (lg__array){.count = array->count};
}

void
lg__source_drop(lg_graph *source, enum lg__array_name name)
{
    free_array(&source->allocator, &source->array[name]);
    for (int i = 0; i < LG_NARROW_COUNT; i++)
        if (lg__narrow_arrays[i] == name)
            free_array(&source->allocator, &source->beside[i]);
}

bool
lg__column_join(const lg_graph *source, enum lg__array_name name,
                const lg_allocator *allocator, lg__vector *added)
{
    const size_t count = source->columns.node_count;
    lg__vector joined = {.element = added->element};
    if (!lg__vector_reserve(allocator, &joined, count + added->count))
        return false;
    char *place = lg__vector_extend(allocator, &joined, count + added->count);
    lg__array_copy(source, name, 0, count, place);
    if (added->count > 0)
        memcpy(place + count * added->element, added->data,
               added->count * added->element);
    lg__vector_free(allocator, added);
    *added = joined;
    return true;
}

// A column of numbers while it is made.
typedef struct joined_numbers {
    const lg_allocator *allocator;
    lg__numbers numbers;
    lg__vector elements;
} joined_numbers;

static bool
set_numbers(joined_numbers *column, uint32_t from, const uint32_t *number,
            size_t count)
{
    bool enough = true;
    for (size_t i = 0; i < count && enough; i++)
        enough = lg__numbers_set(column->allocator, &column->numbers,
                                 column->elements.data, from + (uint32_t)i,
                                 number[i]);
    return enough;
}

static bool
set_from_source(joined_numbers *column, const lg_graph *source,
                enum lg__array_name name)
{
    const uint32_t nodes = source->columns.node_count;
    uint32_t part[LG__COPY_ELEMENTS];
    bool enough = true;
    for (uint32_t node = 0; node < nodes && enough; node += LG__COPY_ELEMENTS) {
        const uint32_t left = nodes - node;
        const uint32_t count =
            left < LG__COPY_ELEMENTS ? left : LG__COPY_ELEMENTS;
        lg__array_copy(source, name, node, count, part);
        enough = set_numbers(column, node, part, count);
    }
    return enough;
}

// What explained nodes lacked of their references has been found.
static bool
set_explained(joined_numbers *column, const lg_graph *source,
              const lg__vector *explained)
{
    const uint32_t *nodes = explained->data;
    bool enough = true;
    for (size_t i = 0; i < explained->count && enough; i++) {
        const uint32_t found = lg_columns_refcount(&source->columns, nodes[i]);
        enough = set_numbers(column, nodes[i], &found, 1);
    }
    return enough;
}

static bool
join_numbers(lg__joined *joined, lg_narrow_name name, lg__made_column *out)
{
    const enum lg__array_name array = lg__narrow_arrays[name];
    const uint32_t before = joined->source->columns.node_count;
    const lg__vector *added = &joined->added[array];
    const bool sizes = name == LG_NARROW_SIZE;
    joined_numbers column = {
        .allocator = joined->allocator,
        .numbers = lg__numbers_open(sizes ? sizeof(uint16_t) : sizeof(uint8_t),
                                    name != LG_NARROW_REFCOUNT),
        .elements.element = sizes ? sizeof(uint16_t) : sizeof(uint8_t)};
    const size_t all = before + added->count;
    bool enough =
        lg__vector_reserve(column.allocator, &column.elements, all) &&
        lg__vector_extend(column.allocator, &column.elements, all) != NULL &&
        set_from_source(&column, joined->source, array) &&
        set_numbers(&column, before, added->data, added->count) &&
        (name != LG_NARROW_FOUND ||
         set_explained(&column, joined->source, joined->explained)) &&
        lg__numbers_finish(column.allocator, &column.numbers, &column.elements,
                           out);
    lg__vector_free(column.allocator, &column.elements);
    lg__vector_free(column.allocator, &column.numbers.listed);
    return enough;
}

static bool
join_addresses(lg__joined *joined, lg__made_column *out)
{
    const lg_columns *columns = &joined->source->columns;
    const lg__vector *added = &joined->added[LG__ADDRESS];
    const uint64_t *addresses = added->data;
    const uint32_t before = columns->node_count;
    const uint32_t all = before + (uint32_t)added->count;
    uint64_t complements[LG_PACKED_BLOCK];
    lg__packing packing;
    bool enough = lg__packing_open(joined->allocator, all, &packing);
    for (uint32_t node = 0; node < all && enough;) {
        size_t count = 0;
        for (; count < LG_PACKED_BLOCK && node < all; node++)
            complements[count++] =
                ~(node < before ? lg_columns_address(columns, node)
                                : addresses[node - before]);
        enough =
            lg__packing_add(joined->allocator, &packing, complements, count);
    }
    if (enough)
        return lg__packing_finish(joined->allocator, &packing, all, out);
    lg__packing_free(joined->allocator, &packing);
    return false;
}

// Found references come before the counts, which tell what explained nodes
// have.
bool
lg__columns_join(lg__joined *joined, lg_graph *graph)
{
    static const lg_narrow_name names[] = {LG_NARROW_FOUND, LG_NARROW_REFCOUNT,
                                           LG_NARROW_SIZE, LG_NARROW_ADDRESS};
    bool enough = true;
    for (size_t i = 0; i < sizeof names / sizeof *names && enough; i++) {
        lg__made_column made = {.array.data = NULL};
        enough = names[i] == LG_NARROW_ADDRESS
                     ? join_addresses(joined, &made)
                     : join_numbers(joined, names[i], &made);
        if (enough)
            lg__column_give(graph, names[i], &made);
        lg__source_drop(joined->source, lg__narrow_arrays[names[i]]);
    }
    return enough;
}
