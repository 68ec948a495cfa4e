// Addresses are packed in blocks, so those of the last nodes stay plain until
// the end. Only the producer changes what is read. What comes next has one user
// at a time: the second thread, if there is one, and else the producer.
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

enum {
    AT_ONCE = 1 << 15, // nodes whose pages are worth a call
    SOME = 1 << 11,    // nodes that a second thread does between others' work
};

uint64_t
lg_builder_rare_address(const lg_builder *builder, lg_node node)
{
    const struct lg_builder_rest *rest = builder->rest;
    const lg__packing *read = &rest->left.read;
    if (node < rest->left.packed)
        return lg_packed_at(&(lg_packed){read->block.data, read->word.data},
                            node);
    const lg__node_number *items = rest->far.data;
    const size_t at = lg__node_number_at(&rest->far, node);
    return at < rest->far.count && items[at].node == node
               ? items[at].number
               : (uint64_t)LG__FAR_HALF << 32 | builder->address_low[node];
}

static bool
pack(const lg_builder *builder, lg__packing *packing, uint32_t node,
     size_t count)
{
    uint64_t complements[LG_PACKED_BLOCK];
    for (size_t i = 0; i < count; i++)
        complements[i] = ~lg_builder_address(builder, node + (uint32_t)i);
    return lg__packing_add(&builder->rest->allocator, packing, complements,
                           count);
}

// Packs whole blocks of nodes below `end`. Without memory, a later call does
// it.
static bool
prepare(lg_builder *builder, uint32_t end)
{
    lg__left_addresses *left = &builder->rest->left;
    const uint32_t before = left->prepared;
    while (left->wanted && end >= LG_PACKED_BLOCK &&
           left->prepared <= end - LG_PACKED_BLOCK &&
           pack(builder, &left->next, left->prepared, LG_PACKED_BLOCK))
        left->prepared += LG_PACKED_BLOCK;
    return left->prepared > before;
}

bool
lg_builder_pack_some(lg_builder *builder, uint32_t end)
{
    const uint32_t before = builder->rest->left.prepared;
    if (end < before)
        return false;
    return prepare(builder, end - before < SOME ? end : before + SOME);
}

// Forgets the plain addresses below `end`.
static void
forget(lg_builder *builder, uint32_t from, uint32_t end)
{
    const lg_allocator *allocator = &builder->rest->allocator;
    uint16_t *high = builder->address_high;
    uint32_t *low = builder->address_low;
    memset(high + from, 0, (end - from) * sizeof *high);
    lg__drop(allocator, high, from * sizeof *high, end * sizeof *high);
    lg__drop(allocator, low, from * sizeof *low, end * sizeof *low);
}

// Without memory, all stays as it is.
static void
read_next(lg_builder *builder)
{
    lg__left_addresses *left = &builder->rest->left;
    const uint32_t from = left->packed;
    if (left->prepared == from ||
        !lg__packing_move(&builder->rest->allocator, &left->next, &left->read))
        return;
    left->packed = left->prepared;
    forget(builder, from, left->packed);
}

void
lg_builder_pack_addresses(lg_builder *builder)
{
    builder->rest->left.wanted = true;
}

void
lg_builder_leave_nodes(lg_builder *builder, uint32_t end)
{
    const lg__left_addresses *left = &builder->rest->left;
    if (builder->hold == NULL)
        prepare(builder, end);
    if (left->prepared - left->packed < AT_ONCE)
        return;
    lg__builder_hold(builder, true);
    read_next(builder);
    lg__builder_hold(builder, false);
}

void
lg_builder_leave_all_nodes(lg_builder *builder)
{
    prepare(builder, builder->node_count);
    read_next(builder);
}
