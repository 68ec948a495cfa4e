// The steps of finishing a builder. Each is linear in what it reads.
#include "base/base_private.h"
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

static lg_status
out_of_order(lg_error *err, const char *what, uint64_t where)
{
    return lg_error_set(err, LG_EINVAL, "%s is out of range or order (at %llu)",
                        what, (unsigned long long)where);
}

// Closes the nodes after the last opened one, which have no edges.
lg_status
lg__finish_first_edges(lg_builder *builder, lg_error *err)
{
    if (builder->node_capacity == 0 && !lg_builder_grow_nodes(builder))
        return lg__error_memory(err);
    if (builder->edge_capacity == 0 && !lg_builder_grow_edges(builder))
        return lg__error_memory(err);
    uint32_t *first = builder->first_edge;
    for (uint64_t node = builder->opened; node <= builder->node_count; node++)
        first[node] = (uint32_t)builder->edge_count;
    if (first[0] != 0)
        return out_of_order(err, "an edge added before any node was opened", 0);
    return LG_OK;
}

// All nodes have their edges, but for the late ones.
lg_status
lg__finish_payloads(lg_builder *builder, lg_error *err)
{
    return lg__windows_end(builder) ? LG_OK : lg__error_memory(err);
}

static void
move_edges(lg_builder *builder, uint64_t from, uint64_t to, uint64_t count)
{
    memmove(builder->edge_target + to, builder->edge_target + from,
            count * sizeof *builder->edge_target);
    memmove(builder->edge_kind + to, builder->edge_kind + from, count);
}

// Moves the own edges of the nodes [begin, end), which end at `own_end`, and
// updates their offsets.
static void
shift_edges(lg_builder *builder, uint32_t begin, uint32_t end, uint64_t own_end,
            uint64_t shift)
{
    uint32_t *first = builder->first_edge;
    if (begin == end)
        return;
    move_edges(builder, first[begin], first[begin] + shift,
               own_end - first[begin]);
    for (uint32_t node = begin; node < end; node++)
        first[node] += (uint32_t)shift;
}

// Merges late edges, from the last node to the first, so that edges move in
// place. A node's late edges go behind its own. All edges behind them move as a
// block.
static void
merge_late(lg_builder *builder, const lg__late_edge *late, size_t count)
{
    uint32_t behind = builder->node_count; // nodes from here on have moved
    uint64_t own_end = builder->edge_count;
    builder->edge_count += count;
    builder->first_edge[behind] = (uint32_t)builder->edge_count;
    while (count > 0) {
        uint32_t source = late[count - 1].source;
        uint64_t own =
            source + 1 == behind ? own_end : builder->first_edge[source + 1];
        shift_edges(builder, source + 1, behind, own_end, count);
        own_end = own;
        behind = source + 1;
        for (uint64_t end = own + count;
             count > 0 && late[count - 1].source == source;) {
            const lg__late_edge *edge = &late[--count];
            end--;
            builder->edge_target[end] = edge->target;
            builder->edge_kind[end] = (uint8_t)edge->kind;
        }
    }
}

static lg_status
merge_all_late(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__vector *late = &rest->late;
    if (late->count == 0)
        return LG_OK;
    if (!lg__builder_reserve_edges(builder, builder->edge_count + late->count))
        return lg__builder_status(builder, err);
    lg__late_edge *edges = late->data;
    if (!lg__radix_sort(&rest->allocator, edges, late->count, sizeof *edges))
        return lg__error_memory(err);
    if (edges[late->count - 1].source >= builder->node_count)
        return out_of_order(err, "the source of a late edge",
                            edges[late->count - 1].source);
    merge_late(builder, edges, late->count);
    return LG_OK;
}

lg_status
lg__finish_late_edges(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg_status status = merge_all_late(builder, err);
    if (status != LG_OK)
        return status;
    if (!lg__windows_complete(builder, &rest->late, &rest->payloads))
        return lg__error_memory(err);
    lg__vector_free(&rest->allocator, &rest->late);
    return LG_OK;
}

// Compares by node, then by number.
static int
compare_in_order(const void *left, const void *right)
{
    const lg__node_number *a = left;
    const lg__node_number *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

// Lists large sizes. A producer may set a node's size more than once. An entry
// counts only if the column still says "large", and the last entry counts.
lg_status
lg__finish_sizes(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__node_number *big = rest->big.data;
    size_t count = rest->big.count;
    size_t kept = 0;
    for (size_t i = count; i-- > 0;) {
        uint32_t node = big[i].node;
        if (builder->size[node] != UINT32_MAX)
            continue;
        // A size of 0 marks the node as listed; a later loop restores the
        // column.
        builder->size[node] = 0;
        kept++;
        big[count - kept] = big[i];
    }
    if (kept == 0)
        return LG_OK;
    big += count - kept;
    lg__sort(big, kept, sizeof *big, compare_in_order);
    for (size_t i = 0; i < kept; i++) {
        builder->size[big[i].node] = UINT32_MAX;
        uint64_t *size =
            lg__vector_extend(&rest->allocator, &rest->table[LG__BIG_SIZE], 1);
        if (size == NULL || !lg__rest_push(rest, LG__BIG_NODE, big[i].node))
            return lg__error_memory(err);
        *size = big[i].number;
    }
    return LG_OK;
}

// Lists the devices. A node's last device counts; device 0 is the host.
lg_status
lg__finish_devices(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__node_number *placed = rest->placed.data;
    const size_t count = rest->placed.count;
    if (count > 0)
        lg__sort(placed, count, sizeof *placed, compare_in_order);
    for (size_t i = 0; i < count; i++) {
        uint32_t last = (uint32_t)placed[i].number;
        if (i + 1 < count && placed[i + 1].node == placed[i].node)
            continue;
        if (last != 0 &&
            (!lg__rest_push(rest, LG__DEVICE_NODE, placed[i].node) ||
             !lg__rest_push(rest, LG__DEVICE_ID, last)))
            return lg__error_memory(err);
    }
    return LG_OK;
}

static bool
is_partial(const lg_builder *builder)
{
    const struct lg_builder_rest *rest = builder->rest;
    const uint64_t *end = rest->strings.offset->data;
    const char *bytes = rest->strings.bytes->data;
    const uint32_t *keys = rest->table[LG__INFO_KEY].data;
    const uint32_t *values = rest->table[LG__INFO_VALUE].data;
    for (size_t i = 0; i < rest->table[LG__INFO_KEY].count; i++) {
        lg_string key = {bytes + end[keys[i]],
                         (uint32_t)(end[keys[i] + 1] - end[keys[i]])};
        lg_string value = {bytes + end[values[i]],
                           (uint32_t)(end[values[i] + 1] - end[values[i]])};
        if (lg__string_is(key, "partial"))
            return !lg__string_is(value, "no");
    }
    return false;
}

lg_status
lg__finish_roots(lg_builder *builder, lg_error *err)
{
    if (is_partial(builder))
        return LG_OK;
    const uint32_t *found = builder->rest->table[LG__FOUND].data;
    const unsigned countless = LG_NODE_IMMORTAL | LG_NODE_SYNTHETIC;
    const uint32_t *counts = builder->refcount;
    const uint64_t nodes = builder->node_count;
    for (uint64_t node = lg__first_above(counts, found, 0, nodes); node < nodes;
         node = lg__first_above(counts, found, node + 1, nodes))
        if (!(builder->node_flags[node] & countless))
            lg_builder_add_root(builder, (uint32_t)node, LG_ROOT_NATIVE, "", 0);
    return builder->status == LG_OK ? LG_OK : lg__error_memory(err);
}
