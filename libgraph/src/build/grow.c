// Grows the node and edge columns of a builder by doubling. If one column
// cannot grow, those before it keep their new sizes, so each column has its own
// capacity.
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

// Returns the address of a column's pointer; NULL for arrays that are no open
// column.
static void *
column_of(lg_builder *builder, enum lg__array_name name)
{
    switch (name) {
    case LG__ADDRESS:
        return &builder->address;
    case LG__TYPE:
        return &builder->type;
    case LG__SIZE:
        return &builder->size;
    case LG__REFCOUNT:
        return &builder->refcount;
    case LG__NODE_FLAGS:
        return &builder->node_flags;
    case LG__FIRST_EDGE:
        return &builder->first_edge;
    case LG__EDGE_TARGET:
        return &builder->edge_target;
    case LG__EDGE_KIND:
        return &builder->edge_kind;
    default:
        return NULL;
    }
}

// Takes the block out of a column. Uses memcpy, because the pointers' types
// differ.
static void *
column_clear(void *column)
{
    void *block;
    void *none = NULL;
    memcpy(&block, column, sizeof block);
    memcpy(column, &none, sizeof none);
    return block;
}

bool
lg__builder_resize(lg_builder *builder, enum lg__array_name name,
                   size_t capacity)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t *known = &rest->capacity[name];
    if (capacity <= *known)
        return true;
    if (!lg__column_grow(&rest->allocator, column_of(builder, name),
                         lg__element_in_memory(name), *known, capacity)) {
        if (builder->status == LG_OK)
            builder->status = LG_ENOMEM;
        return false;
    }
    *known = capacity;
    return true;
}

static bool
resize_nodes(lg_builder *builder, uint32_t capacity)
{
    static const enum lg__array_name columns[] = {
        LG__ADDRESS, LG__TYPE, LG__SIZE, LG__REFCOUNT, LG__NODE_FLAGS};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!lg__builder_resize(builder, columns[i], capacity))
            return false;
    if (!lg__builder_resize(builder, LG__FIRST_EDGE, (size_t)capacity + 1))
        return false;
    builder->node_capacity = capacity;
    return true;
}

void
lg_builder_share(lg_builder *builder, void (*hold)(void *context, bool begin),
                 void *context)
{
    builder->hold = hold;
    builder->hold_context = context;
}

static void
hold(lg_builder *builder, bool begin)
{
    if (builder->hold != NULL)
        builder->hold(builder->hold_context, begin);
}

static bool
reserve_nodes(lg_builder *builder, uint32_t capacity)
{
    hold(builder, true);
    bool resized = resize_nodes(builder, capacity);
    hold(builder, false);
    return resized;
}

bool
lg_builder_grow_nodes(lg_builder *builder)
{
    const uint32_t most = LG_NONE - 1;
    uint32_t old = builder->node_capacity;
    if (builder->status != LG_OK)
        return false;
    if (old == most) {
        builder->status = LG_ELIMIT;
        return false;
    }
    uint32_t capacity = old == 0 ? 512 : old > most / 2 ? most : old * 2;
    return reserve_nodes(builder, capacity);
}

// The payloads have room of their own.
static void
set_edge_capacity(lg_builder *builder)
{
    const uint64_t room = lg__windows_room(builder);
    builder->edge_capacity =
        room < builder->edge_room ? room : builder->edge_room;
}

static bool
resize_edges(lg_builder *builder, uint64_t capacity)
{
    if (!lg__builder_resize(builder, LG__EDGE_TARGET, (size_t)capacity) ||
        !lg__builder_resize(builder, LG__EDGE_KIND, (size_t)capacity))
        return false;
    builder->edge_room = capacity;
    set_edge_capacity(builder);
    return true;
}

bool
lg__builder_reserve_edges(lg_builder *builder, uint64_t capacity)
{
    if (capacity <= builder->edge_room)
        return true;
    if (capacity > LG_NONE - 1) {
        builder->status =
            builder->status == LG_OK ? LG_ELIMIT : builder->status;
        return false;
    }
    hold(builder, true);
    bool resized = resize_edges(builder, capacity);
    hold(builder, false);
    return resized;
}

bool
lg_builder_reserve(lg_builder *builder, uint32_t nodes, uint64_t edges)
{
    if (builder->status != LG_OK)
        return false;
    bool reserved = (nodes <= builder->node_capacity || nodes > LG_NONE - 1 ||
                     reserve_nodes(builder, nodes)) &&
                    lg__builder_reserve_edges(builder, edges);
    builder->status = LG_OK;
    return reserved;
}

lg_builder_texts
lg_builder_count_texts(const lg_builder *builder)
{
    const struct lg_builder_rest *rest = builder->rest;
    return (lg_builder_texts){
        .strings = rest->table[LG__STRING_OFFSET].count,
        .bytes = rest->table[LG__STRING_BYTES].count,
        .texts = rest->text.count,
        .added_texts =
            rest->additions != NULL ? rest->additions->node.count : 0,
        .added_bytes =
            rest->additions != NULL ? rest->additions->bytes.count : 0,
    };
}

static bool
reserve_side(lg_builder *builder, const lg_builder_texts *expected)
{
    const lg_allocator *allocator = &builder->rest->allocator;
    lg_additions *additions = builder->rest->additions;
    return additions == NULL ||
           (lg__vector_reserve(allocator, &additions->offset,
                               expected->added_texts + 1) &&
            lg__vector_reserve(allocator, &additions->bytes,
                               expected->added_bytes) &&
            lg__vector_reserve(allocator, &additions->node,
                               expected->added_texts));
}

// The strings of the additions come behind the others in the end.
bool
lg_builder_reserve_texts(lg_builder *builder, const lg_builder_texts *expected)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg_allocator *allocator = &rest->allocator;
    return lg__vector_reserve(allocator, &rest->table[LG__STRING_OFFSET],
                              expected->strings + expected->added_texts) &&
           lg__vector_reserve(allocator, &rest->table[LG__STRING_BYTES],
                              expected->bytes + expected->added_bytes) &&
           lg__vector_reserve(allocator, &rest->text, expected->texts) &&
           reserve_side(builder, expected);
}

static bool
grow_edge_columns(lg_builder *builder)
{
    const uint64_t most = LG_NONE - 1;
    const uint64_t old = builder->edge_room;
    if (old == most)
        return lg__builder_reserve_edges(builder, most + 1);
    const uint64_t doubled = old ? old * 2 : 1024;
    return lg__builder_reserve_edges(builder, doubled < most ? doubled : most);
}

static bool
grow_payloads(lg_builder *builder)
{
    if (!lg__windows_turn(builder)) {
        builder->status = LG_ENOMEM;
        return false;
    }
    set_edge_capacity(builder);
    return true;
}

bool
lg_builder_grow_edges(lg_builder *builder)
{
    const uint64_t before = builder->edge_capacity;
    bool grown = builder->status == LG_OK;
    while (grown && builder->edge_capacity == before)
        grown = builder->edge_room == before ? grow_edge_columns(builder)
                                             : grow_payloads(builder);
    return grown;
}

void
lg__builder_free_columns(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++) {
        void *column = column_of(builder, (enum lg__array_name)i);
        if (column == NULL)
            continue;
        void *block = column_clear(column);
        lg__deallocate(&rest->allocator, block,
                       rest->capacity[i] *
                           lg__element_in_memory((enum lg__array_name)i));
        rest->capacity[i] = 0;
    }
}

lg__array
lg__builder_take(lg_builder *builder, enum lg__array_name name, uint64_t count)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t element = lg__element_in_memory(name);
    void *block = column_clear(column_of(builder, name));
    lg__vector vector = {block, (size_t)count, rest->capacity[name], element};
    lg__vector_trim(&rest->allocator, &vector);
    rest->capacity[name] = 0;
    return lg__vector_take(&vector);
}
