// Turns arrays from a builder or a file into the typed columns of a graph.
//
// Some columns become narrow, in their own blocks. The element of a node is
// never behind the wide one that it replaces, and wide ones are read in order,
// so each is read before its bytes are overwritten. The end of the block goes
// back to the allocator. Addresses are packed into new blocks.
#include "graph/graph_private.h"

#include <string.h>

typedef struct group {
    enum lg__array_name leader;
    enum lg__array_name follower;
    uint64_t more; // how many more elements the follower has than the leader
} group;

// Arrays that must have as many elements as another.
static const group groups[] = {
    {LG__ADDRESS, LG__TYPE, 0},
    {LG__ADDRESS, LG__SIZE, 0},
    {LG__ADDRESS, LG__REFCOUNT, 0},
    {LG__ADDRESS, LG__FOUND, 0},
    {LG__ADDRESS, LG__NODE_FLAGS, 0},
    {LG__ADDRESS, LG__FIRST_EDGE, 1},
    {LG__EDGE_TARGET, LG__EDGE_PAYLOAD, 0},
    {LG__EDGE_TARGET, LG__EDGE_KIND, 0},
    {LG__TEXT_NODE, LG__TEXT_STRING, 0},
    {LG__BIG_NODE, LG__BIG_SIZE, 0},
    {LG__TYPE_NAME, LG__TYPE_NODE, 0},
    {LG__TYPE_NAME, LG__TYPE_FIRST_BASE, 1},
    {LG__ROOT_NODE, LG__ROOT_KIND, 0},
    {LG__ROOT_NODE, LG__ROOT_NAME, 0},
    {LG__INFO_KEY, LG__INFO_VALUE, 0},
    {LG__DEVICE_NODE, LG__DEVICE_ID, 0},
    {LG__FACT_NODE, LG__FACT_KEY, 0},
    {LG__FACT_NODE, LG__FACT_VALUE, 0},
    {LG__EQUAL_NODE, LG__EQUAL_GROUP, 0},
};

// Arrays with 32-bit indexes, which must be shorter than LG_NONE.
static const enum lg__array_name counted[] = {
    LG__ADDRESS,     LG__STRING_OFFSET, LG__TEXT_NODE, LG__BIG_NODE,
    LG__TYPE_NAME,   LG__TYPE_BASE,     LG__ROOT_NODE, LG__INFO_KEY,
    LG__DEVICE_NODE, LG__DEVICE_NAME,   LG__FACT_NODE, LG__SEGMENT,
    LG__BLOCK,       LG__EQUAL_NODE,
};

static lg_status
check_counts(const lg_graph *graph, lg_error *err)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const group *at = &groups[i];
        if (graph->array[at->follower].count !=
            graph->array[at->leader].count + at->more)
            return lg_error_set(err, LG_EFORMAT,
                                "the %s and %s columns disagree in length",
                                lg__array_infos[at->leader].title,
                                lg__array_infos[at->follower].title);
    }
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (graph->array[counted[i]].count >= LG_NONE)
            return lg_error_set(err, LG_EFORMAT,
                                "the %s column has too many elements",
                                lg__array_infos[counted[i]].title);
    if (graph->array[LG__STRING_OFFSET].count == 0 ||
        graph->array[LG__TYPE_NAME].count == 0)
        return lg_error_set(err, LG_EFORMAT,
                            "the graph has no strings or no types");
    return LG_OK;
}

static void
bind_nodes_and_edges(lg_graph *graph)
{
    const lg__array *array = graph->array;
    graph->columns = (lg_columns){
        .node_count = (uint32_t)array[LG__ADDRESS].count,
        .edge_count = array[LG__EDGE_TARGET].count,
        .address = {.wide = array[LG__ADDRESS].data},
        .size = {.wide = array[LG__SIZE].data},
        .refcount = {.wide = array[LG__REFCOUNT].data},
        .found = {.wide = array[LG__FOUND].data},
        .type = lg_type_ids_wide(array[LG__TYPE].data),
        .node_flags = array[LG__NODE_FLAGS].data,
        .first_edge = {.wide = array[LG__FIRST_EDGE].data},
        .target = {array[LG__EDGE_TARGET].data, UINT32_MAX},
        .kind = {array[LG__EDGE_KIND].data, 0},
        .payload = {.wide = array[LG__EDGE_PAYLOAD].data},
    };
}

static void
bind_bytes(lg_graph *graph)
{
    const lg__array *array = graph->array;
    graph->device_count = (uint32_t)array[LG__DEVICE_NAME].count;
    graph->device_name = array[LG__DEVICE_NAME].data;
    graph->placed_count = (uint32_t)array[LG__DEVICE_NODE].count;
    graph->device_node = array[LG__DEVICE_NODE].data;
    graph->device_id = array[LG__DEVICE_ID].data;
    graph->fact_count = (uint32_t)array[LG__FACT_NODE].count;
    graph->fact_node = array[LG__FACT_NODE].data;
    graph->fact_key = array[LG__FACT_KEY].data;
    graph->fact_value = array[LG__FACT_VALUE].data;
    graph->segment_count = (uint32_t)array[LG__SEGMENT].count;
    graph->segment = array[LG__SEGMENT].data;
    graph->block_count = (uint32_t)array[LG__BLOCK].count;
    graph->block = array[LG__BLOCK].data;
    graph->equal_count = (uint32_t)array[LG__EQUAL_NODE].count;
    graph->equal_node = array[LG__EQUAL_NODE].data;
    graph->equal_group = array[LG__EQUAL_GROUP].data;
}

enum {
    SAMPLE = 64
}; // one of this number of nodes tells the usual large number

// Returns the number, at least `limit`, that most nodes of a sample have, if
// more than half of those have one. Otherwise it is any. This is the majority
// vote of Boyer and Moore.
static uint32_t
usual_of(const uint32_t *numbers, uint64_t count, uint32_t limit)
{
    uint32_t usual = limit;
    size_t votes = 0;
    for (uint64_t i = 0; i < count; i += SAMPLE) {
        if (numbers[i] < limit)
            continue;
        if (votes == 0)
            usual = numbers[i];
        votes += numbers[i] == usual ? 1 : (size_t)-1;
    }
    return usual;
}

static uint64_t
count_listed(const uint32_t *numbers, uint64_t count, uint32_t limit,
             uint32_t usual)
{
    uint64_t listed = 0;
    for (uint64_t i = lg__first_at_least(numbers, 0, count, limit); i < count;
         i = lg__first_at_least(numbers, i + 1, count, limit))
        listed += numbers[i] != usual;
    return listed;
}

// Writes numbers that fit, in bytes or words, which overwrite only what was
// read.
static void
write_bytes(const uint32_t *numbers, void *to)
{
    uint8_t low[LG__SIMD_BLOCK];
    for (unsigned i = 0; i < LG__SIMD_BLOCK; i++)
        low[i] = (uint8_t)numbers[i];
    memcpy(to, low, sizeof low);
}

static void
write_words(const uint32_t *numbers, void *to)
{
    uint16_t low[LG__SIMD_BLOCK];
    for (unsigned i = 0; i < LG__SIMD_BLOCK; i++)
        low[i] = (uint16_t)numbers[i];
    memcpy(to, low, sizeof low);
}

// Replaces numbers by elements of `width` bytes, and lists those that do not
// fit. `limit` stands for the usual number, and the next one for a number in
// the list.
static void
write_low(uint32_t *numbers, uint64_t count, size_t width,
          const lg_narrow *column, uint32_t *list)
{
    const uint32_t limit = lg__narrow_limit(width);
    char *low = (char *)numbers;
    uint64_t next = lg__first_at_least(numbers, 0, count, limit);
    for (uint64_t i = 0; i < count;) {
        if (next - i >= LG__SIMD_BLOCK) {
            (width == 1 ? write_bytes : write_words)(numbers + i,
                                                     low + i * width);
            i += LG__SIMD_BLOCK;
            continue;
        }
        uint32_t number = numbers[i];
        if (i == next) {
            next = lg__first_at_least(numbers, i + 1, count, limit);
            const bool listed = number != column->usual;
            if (listed) {
                list[column->listed] = number;
                *list++ = (uint32_t)i;
            }
            number = limit + listed;
        }
        memcpy(low + i++ * width, &number, width);
    }
}

bool
lg__narrow_list(const lg_allocator *allocator, size_t listed, lg_narrow *column,
                lg__array *beside)
{
    const size_t size = listed * 2 * sizeof(uint32_t);
    uint32_t *list = size > 0 ? lg__allocate(allocator, size) : NULL;
    if (size > 0 && list == NULL)
        return false;
    *beside = (lg__array){list, listed, list, size};
    column->listed = (uint32_t)listed;
    column->node = list;
    column->value = list != NULL ? list + listed : NULL;
    return true;
}

static bool
narrow_numbers(lg_graph *graph, lg_narrow_name name, size_t width,
               lg_narrow *column)
{
    lg__array *array = &graph->array[lg__narrow_arrays[name]];
    const uint32_t limit = lg__narrow_limit(width);
    const uint32_t usual =
        width == 1 ? usual_of(array->data, array->count, limit) : limit;
    const uint64_t listed =
        count_listed(array->data, array->count, limit, usual);
    if (listed > array->count / LG__LISTED_SHARE)
        return true;
    lg_narrow narrow = {.usual = usual};
    if (!lg__narrow_list(&graph->allocator, (size_t)listed, &narrow,
                         &graph->beside[name]))
        return false;
    *column = narrow;
    write_low(array->owned, array->count, width, column,
              graph->beside[name].owned);
    const bool kept =
        lg__array_keep_front(graph, array, (size_t)array->count * width);
    column->low = array->owned;
    return kept;
}

static bool
pack_addresses(lg_graph *graph, lg__packing *packing)
{
    const lg__array *array = &graph->array[LG__ADDRESS];
    const uint64_t *addresses = array->data;
    uint64_t complements[LG_PACKED_BLOCK];
    bool enough = true;
    for (uint64_t i = 0; i < array->count && enough;) {
        size_t count = 0;
        while (count < LG_PACKED_BLOCK && i < array->count)
            complements[count++] = ~addresses[i++];
        enough =
            lg__packing_add(&graph->allocator, packing, complements, count);
    }
    return enough;
}

static bool
narrow_addresses(lg_graph *graph)
{
    const lg_allocator *allocator = &graph->allocator;
    const lg__array array = graph->array[LG__ADDRESS];
    lg__packing packing;
    lg__made_column made;
    if (!lg__packing_open(allocator, array.count, &packing) ||
        !pack_addresses(graph, &packing)) {
        lg__packing_free(allocator, &packing);
        return false;
    }
    if (!lg__packing_finish(allocator, &packing, array.count, &made))
        return false;
    lg__deallocate(allocator, array.owned, array.owned_size);
    lg__column_give(graph, LG_NARROW_ADDRESS, &made);
    return true;
}

bool
lg__column_narrow(lg_graph *graph, lg_narrow_name name)
{
    lg_columns *columns = &graph->columns;
    const lg__array *array = &graph->array[lg__narrow_arrays[name]];
    if (array->owned == NULL || array->owned != array->data ||
        array->count == 0)
        return true;
    switch (name) {
    case LG_NARROW_ADDRESS:
        return narrow_addresses(graph);
    case LG_NARROW_SIZE:
        return narrow_numbers(graph, name, sizeof(uint16_t), &columns->size);
    case LG_NARROW_REFCOUNT:
        return narrow_numbers(graph, name, 1, &columns->refcount);
    default:
        return narrow_numbers(graph, name, 1, &columns->found);
    }
}

void
lg__column_give(lg_graph *graph, lg_narrow_name name,
                const lg__made_column *made)
{
    lg_columns *columns = &graph->columns;
    if (graph->array[lg__narrow_arrays[name]].count == 0)
        return;
    graph->array[lg__narrow_arrays[name]] = made->array;
    graph->beside[name] = made->beside;
    switch (name) {
    case LG_NARROW_ADDRESS:
        columns->address = made->addresses;
        break;
    case LG_NARROW_SIZE:
        columns->size = made->numbers;
        break;
    case LG_NARROW_REFCOUNT:
        columns->refcount = made->numbers;
        break;
    default:
        columns->found = made->numbers;
    }
}

// Keeps the columns that had the form that they have in memory before others
// were bound.
static void
keep_formed(lg_graph *graph, const lg_columns *before)
{
    lg_columns *columns = &graph->columns;
    const bool formed[] = {
        [LG_NARROW_ADDRESS] = before->address.packed.block != NULL,
        [LG_NARROW_SIZE] = before->size.low != NULL,
        [LG_NARROW_REFCOUNT] = before->refcount.low != NULL,
        [LG_NARROW_FOUND] = before->found.low != NULL,
    };
    if (formed[LG_NARROW_ADDRESS])
        columns->address = before->address;
    if (formed[LG_NARROW_SIZE])
        columns->size = before->size;
    if (formed[LG_NARROW_REFCOUNT])
        columns->refcount = before->refcount;
    if (formed[LG_NARROW_FOUND])
        columns->found = before->found;
    for (int i = 0; i <= LG_NARROW_FOUND; i++)
        if (formed[i])
            graph->array[lg__narrow_arrays[i]].data = NULL;
    if (before->kind.shift != 0)
        lg__edges_are_packed(graph);
}

// An empty array still points somewhere, because offsets to NULL are undefined.
static const uint64_t nothing[1];

lg_status
lg__graph_bind(lg_graph *graph, lg_error *err)
{
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++)
        if (graph->array[i].data == NULL)
            graph->array[i].data = nothing;
    lg_status status = check_counts(graph, err);
    if (status != LG_OK)
        return status;
    const lg__array *array = graph->array;
    const lg_columns before = graph->columns;
    bind_nodes_and_edges(graph);
    keep_formed(graph, &before);
    graph->string_count = (uint32_t)array[LG__STRING_OFFSET].count - 1;
    graph->string_offset = array[LG__STRING_OFFSET].data;
    graph->string_bytes = array[LG__STRING_BYTES].data;
    graph->text_count = (uint32_t)array[LG__TEXT_NODE].count;
    graph->text_node = array[LG__TEXT_NODE].data;
    graph->text_string = array[LG__TEXT_STRING].data;
    graph->big_count = (uint32_t)array[LG__BIG_NODE].count;
    graph->big_node = array[LG__BIG_NODE].data;
    graph->big_size = array[LG__BIG_SIZE].data;
    graph->type_count = (uint32_t)array[LG__TYPE_NAME].count;
    graph->type_name = array[LG__TYPE_NAME].data;
    graph->type_node = array[LG__TYPE_NODE].data;
    graph->type_first_base = array[LG__TYPE_FIRST_BASE].data;
    graph->type_base = array[LG__TYPE_BASE].data;
    graph->root_count = (uint32_t)array[LG__ROOT_NODE].count;
    graph->root_node = array[LG__ROOT_NODE].data;
    graph->root_kind = array[LG__ROOT_KIND].data;
    graph->root_name = array[LG__ROOT_NAME].data;
    graph->info_count = (uint32_t)array[LG__INFO_KEY].count;
    graph->info_key = array[LG__INFO_KEY].data;
    graph->info_value = array[LG__INFO_VALUE].data;
    bind_bytes(graph);
    bool enough = true;
    for (int i = LG_NARROW_FOUND + 1; i-- > 0 && enough;)
        enough = lg__column_narrow(graph, (lg_narrow_name)i);
    return enough ? LG_OK : lg__error_memory(err);
}

lg__array
lg__vector_take(lg__vector *vector)
{
    lg__array array = {vector->data, vector->count, vector->data,
                       vector->capacity * vector->element};
    vector->data = NULL;
    vector->count = vector->capacity = 0;
    return array;
}
