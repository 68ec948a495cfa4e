// Turns arrays from a builder or a file into the typed columns of a graph.
#include "graph/graph_private.h"

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
        .address = array[LG__ADDRESS].data,
        .type = array[LG__TYPE].data,
        .size = array[LG__SIZE].data,
        .refcount = array[LG__REFCOUNT].data,
        .found = array[LG__FOUND].data,
        .node_flags = array[LG__NODE_FLAGS].data,
        .first_edge = array[LG__FIRST_EDGE].data,
        .edge_target = array[LG__EDGE_TARGET].data,
        .edge_payload = array[LG__EDGE_PAYLOAD].data,
        .edge_kind = array[LG__EDGE_KIND].data,
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
    bind_nodes_and_edges(graph);
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
    return LG_OK;
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
