// Grows the node and edge columns of a builder by doubling. If one column
// cannot grow, those before it keep their new sizes, so each column has its own
// capacity.
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <stddef.h>
#include <string.h>

enum { FIRST_EDGES = 1024 }; // that there is room for

static const struct {
    size_t place; // of the pointer in the builder
    size_t element;
} columns[LG__OPEN_COUNT] = {
#define COLUMN(name, member)                                                   \
    [name] = {offsetof(lg_builder, member), sizeof *((lg_builder *)0)->member}
    COLUMN(LG__OPEN_ADDRESS_LOW, address_low),
    COLUMN(LG__OPEN_ADDRESS_HIGH, address_high),
    COLUMN(LG__OPEN_TYPE, type),
    COLUMN(LG__OPEN_WIDE_TYPE, wide_type),
    COLUMN(LG__OPEN_SIZE, size),
    COLUMN(LG__OPEN_REFCOUNT, refcount),
    COLUMN(LG__OPEN_FLAGS, node_flags),
    COLUMN(LG__OPEN_FIRST_BASE, first_base),
    COLUMN(LG__OPEN_FIRST_ABOVE, first_above),
    COLUMN(LG__OPEN_WORD, edge_word),
    COLUMN(LG__OPEN_KIND, edge_kind),
    COLUMN(LG__OPEN_FAR_BLOCK, far_block),
    COLUMN(LG__OPEN_FAR_NUMBER, far_number),
#undef COLUMN
};

static void *
column_of(lg_builder *builder, enum lg__open_column name)
{
    return (char *)builder + columns[name].place;
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

static bool
resize(lg_builder *builder, enum lg__open_column name, size_t capacity)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t *known = &rest->capacity[name];
    if (capacity <= *known)
        return true;
    if (!lg__column_grow(&rest->allocator, column_of(builder, name),
                         columns[name].element, *known, capacity)) {
        if (builder->status == LG_OK)
            builder->status = LG_ENOMEM;
        return false;
    }
    *known = capacity;
    return true;
}

// One of the two columns of types has no elements, and mostly that of kinds.
static bool
is_used(const lg_builder *builder, enum lg__open_column name)
{
    return name == LG__OPEN_TYPE        ? builder->wide_type == NULL
           : name == LG__OPEN_WIDE_TYPE ? builder->wide_type != NULL
           : name == LG__OPEN_KIND      ? builder->edge_kind != NULL
                                        : true;
}

// Whoever reads the last type reads bytes behind it, too. There is a first edge
// behind the last node.
static size_t
room_for(enum lg__open_column name, uint32_t nodes)
{
    const size_t blocks = nodes / LG_FIRST_EDGES_BLOCK + 1;
    switch (name) {
    case LG__OPEN_FIRST_BASE:
        return blocks;
    case LG__OPEN_FIRST_ABOVE:
        return nodes + blocks;
    case LG__OPEN_TYPE:
        return (size_t)nodes + 1;
    default:
        return nodes;
    }
}

static bool
resize_nodes(lg_builder *builder, uint32_t capacity)
{
    for (int i = 0; i <= LG__OPEN_FIRST_ABOVE; i++) {
        const enum lg__open_column name = (enum lg__open_column)i;
        if (is_used(builder, name) &&
            !resize(builder, name, room_for(name, capacity)))
            return false;
    }
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

void
lg__builder_hold(lg_builder *builder, bool begin)
{
    if (builder->hold != NULL)
        builder->hold(builder->hold_context, begin);
}

// Gives the kinds of edges a column of their own.
static bool
part_kinds(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    const size_t capacity =
        builder->edge_room > 0 ? (size_t)builder->edge_room : FIRST_EDGES;
    uint8_t *kinds = NULL;
    if (!lg__column_grow(&rest->allocator, &kinds, sizeof *kinds, 0,
                         capacity)) {
        if (builder->status == LG_OK)
            builder->status = LG_ENOMEM;
        return false;
    }
    for (uint64_t edge = 0; edge < builder->edge_count; edge++) {
        kinds[edge] = lg_builder_kind(builder, edge);
        builder->edge_word[edge] &= LG_TARGET_MASK;
    }
    builder->edge_kind = kinds;
    rest->capacity[LG__OPEN_KIND] = capacity;
    return true;
}

bool
lg__builder_widen_targets(lg_builder *builder)
{
    if (!lg_builder_packs_edges(builder))
        return true;
    lg__builder_hold(builder, true);
    const bool parted = part_kinds(builder);
    lg__builder_hold(builder, false);
    return parted;
}

static bool
reserve_nodes(lg_builder *builder, uint32_t capacity)
{
    if (capacity > LG_TARGET_MASK + 1 && !lg__builder_widen_targets(builder))
        return false;
    lg__builder_hold(builder, true);
    bool resized = resize_nodes(builder, capacity);
    lg__builder_hold(builder, false);
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

// A far block ends at least UINT16_MAX edges behind its beginning.
static bool
resize_edges(lg_builder *builder, uint64_t capacity)
{
    const size_t far = (size_t)(capacity / UINT16_MAX);
    if (!resize(builder, LG__OPEN_WORD, (size_t)capacity) ||
        (is_used(builder, LG__OPEN_KIND) &&
         !resize(builder, LG__OPEN_KIND, (size_t)capacity)) ||
        !resize(builder, LG__OPEN_FAR_BLOCK, far) ||
        !resize(builder, LG__OPEN_FAR_NUMBER, far * LG_FIRST_EDGES_BLOCK))
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
    lg__builder_hold(builder, true);
    bool resized = resize_edges(builder, capacity);
    lg__builder_hold(builder, false);
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
reserve_added_texts(lg_builder *builder, const lg_builder_texts *expected)
{
    const lg_allocator *allocator = &builder->rest->allocator;
    lg_additions *additions = builder->rest->additions;
    return additions == NULL ||
           (lg__vector_reserve(allocator, &additions->offset,
                               expected->strings + expected->added_texts) &&
            lg__vector_reserve(allocator, &additions->bytes,
                               expected->bytes + expected->added_bytes) &&
            lg__vector_reserve(allocator, &additions->node,
                               expected->added_texts));
}

// In the end, the others move into the memory of the additions' strings.
bool
lg_builder_reserve_texts(lg_builder *builder, const lg_builder_texts *expected)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg_allocator *allocator = &rest->allocator;
    return lg__vector_reserve(allocator, &rest->table[LG__STRING_OFFSET],
                              expected->strings) &&
           lg__vector_reserve(allocator, &rest->table[LG__STRING_BYTES],
                              expected->bytes) &&
           lg__vector_reserve(allocator, &rest->text, expected->texts) &&
           reserve_added_texts(builder, expected);
}

static bool
grow_edge_columns(lg_builder *builder)
{
    const uint64_t most = LG_NONE - 1;
    const uint64_t old = builder->edge_room;
    if (old == most)
        return lg__builder_reserve_edges(builder, most + 1);
    const uint64_t doubled = old ? old * 2 : FIRST_EDGES;
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

lg__vector
lg__builder_take(lg_builder *builder, enum lg__open_column name, uint64_t count)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg__vector taken = {column_clear(column_of(builder, name)),
                              (size_t)count, rest->capacity[name],
                              columns[name].element};
    rest->capacity[name] = 0;
    return taken;
}
