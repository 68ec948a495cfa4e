// What a second thread adds: texts, which have strings of their own until the
// graph is finished, and counts of references.
#include "base/base_private.h"

#include <leakgraph/internal/capture_builder.h>
#include "build/build_private.h"

#include <limits.h>
#include <string.h>

static bool
init(lg_side *side, const lg_allocator *allocator)
{
    memset(side, 0, sizeof *side);
    side->allocator = *allocator;
    side->node.element = sizeof(uint32_t);
    side->found.element = sizeof(uint8_t);
    side->carried.element = sizeof(uint32_t);
    side->weakened.element = sizeof(uint32_t);
    side->namespaces.element = sizeof(uint32_t);
    return lg__strings_open(allocator, &side->strings, &side->offset,
                            &side->bytes);
}

lg_side *
lg_builder_side(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    if (rest->side != NULL)
        return rest->side;
    rest->side = lg__allocate(&rest->allocator, LG__SIDE_SIZE);
    if (rest->side != NULL && !init(rest->side, &rest->allocator))
        lg__side_free(builder);
    return rest->side;
}

bool
lg_side_set_text(lg_side *side, lg_node node, const char *bytes, size_t length)
{
    uint32_t *place = lg__vector_extend(&side->allocator, &side->node, 1);
    if (place == NULL)
        return false;
    if (lg__strings_append(&side->allocator, &side->strings, bytes, length) ==
        LG_NONE) {
        side->node.count--;
        return false;
    }
    *place = node;
    return true;
}

const lg_node *
lg_side_texts(const lg_side *side, size_t *count)
{
    *count = side != NULL ? side->node.count : 0;
    return side != NULL ? side->node.data : NULL;
}

lg_reached
lg_builder_reached(const lg_builder *builder)
{
    return (lg_reached){
        .edges = builder->edge_count,
        .nodes = builder->node_count,
        .strings = (uint32_t)builder->rest->table[LG__STRING_OFFSET].count - 1,
    };
}

// Making the rules takes longer than to count some edges.
static const lg__edge_rules *
rules_for(lg_side *side, const lg_reached *reached)
{
    if (side->rule_nodes != reached->nodes ||
        side->rule_strings != reached->strings)
        side->rules = lg__edge_rules_of(reached->nodes, reached->strings);
    side->rule_nodes = reached->nodes;
    side->rule_strings = reached->strings;
    return &side->rules;
}

// Lists the namespaces to which counted edges lead. If memory runs out, the
// next call goes on.
static void
list_namespaces(lg_side *side, const lg_builder *builder)
{
    const uint8_t *kinds = builder->edge_kind;
    const lg_edge end = side->counted;
    for (;;) {
        side->listed = lg_edge_of_kind(kinds, LG_EDGE_DICT, side->listed, end);
        if (side->listed == end)
            return;
        lg_node *place =
            lg__vector_extend(&side->allocator, &side->namespaces, 1);
        if (place == NULL)
            return;
        *place = builder->edge_target[side->listed++];
    }
}

const lg_node *
lg_side_namespaces(const lg_side *side, size_t *count, lg_edge *end)
{
    *count = side != NULL ? side->namespaces.count : 0;
    *end = side != NULL ? side->listed : 0;
    return side != NULL ? side->namespaces.data : NULL;
}

bool
lg__extend_found(const lg_allocator *allocator, lg__vector *found, size_t nodes)
{
    const size_t before = found->count;
    if (nodes <= before)
        return true;
    void *added = lg__vector_extend(allocator, found, nodes - before);
    if (added != NULL)
        memset(added, 0, (nodes - before) * found->element);
    return added != NULL;
}

// Notes that the references of a node have come to another 256.
static bool
carry(lg_side *side, uint32_t node)
{
    uint32_t *place = lg__vector_extend(&side->allocator, &side->carried, 1);
    if (place != NULL)
        *place = node;
    return place != NULL;
}

// Returns the first edge that is not counted: the end, or one that leads to no
// node, or that memory was missing for.
static uint64_t
count_until(lg_side *side, const lg_builder *builder,
            const lg__edge_rules *rules, uint64_t end)
{
    const uint32_t *targets = builder->edge_target;
    const uint8_t *kinds = builder->edge_kind;
    uint8_t *found = side->found.data;
    uint64_t edge = side->counted;
    for (; edge < end; edge++) {
        const uint32_t target = targets[edge];
        const unsigned kind = kinds[edge];
        if (target >= rules->nodes)
            break;
        const uint8_t sum = (uint8_t)(found[target] + rules->of[kind].counted);
        if (sum < found[target] && !carry(side, target))
            break;
        found[target] = sum;
    }
    return edge;
}

bool
lg_side_count(lg_side *side, const lg_builder *builder,
              const lg_reached *reached, uint64_t most)
{
    const uint64_t before = side->counted;
    const uint64_t left = reached->edges - before;
    if (reached->edges >= UINT32_MAX ||
        !lg__extend_found(&side->allocator, &side->found, reached->nodes))
        return false;
    side->counted = count_until(side, builder, rules_for(side, reached),
                                before + (left < most ? left : most));
    list_namespaces(side, builder);
    return side->counted > before;
}

void
lg_builder_weaken(lg_builder *builder, lg_edge edge)
{
    lg_side *side = builder->rest->side;
    uint8_t *kind = &builder->edge_kind[edge];
    if (side != NULL && edge < side->counted &&
        !(*kind & (LG_EDGE_WEAK | LG_EDGE_UNCOUNTED))) {
        uint32_t *place =
            lg__vector_extend(&side->allocator, &side->weakened, 1);
        if (place != NULL)
            *place = builder->edge_target[edge];
        else if (builder->status == LG_OK)
            builder->status = LG_ENOMEM;
    }
    *kind |= LG_EDGE_WEAK;
}

void
lg__side_take_counts(lg_side *side, uint32_t *found, uint32_t nodes)
{
    const uint8_t *counts = side->found.data;
    const uint32_t *carried = side->carried.data;
    const uint32_t *weakened = side->weakened.data;
    const size_t known =
        side->found.count < nodes ? side->found.count : (size_t)nodes;
    for (size_t node = 0; node < known; node++)
        found[node] = counts[node];
    for (size_t i = 0; i < side->carried.count; i++)
        found[carried[i]] += 1U << CHAR_BIT;
    for (size_t i = 0; i < side->weakened.count; i++)
        found[weakened[i]]--;
    lg__vector_free(&side->allocator, &side->found);
    lg__vector_free(&side->allocator, &side->carried);
    lg__vector_free(&side->allocator, &side->weakened);
}

uint64_t
lg_side_counted(const lg_side *side)
{
    return side->counted;
}

bool
lg__side_append(lg_builder *builder, uint32_t *first)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__vector *offsets = &rest->table[LG__STRING_OFFSET];
    lg__vector *bytes = &rest->table[LG__STRING_BYTES];
    const lg_side *side = rest->side;
    if (side == NULL)
        return true;
    const size_t count = side->node.count;
    const uint64_t begin = bytes->count;
    const uint64_t before = offsets->count - 1;
    if (before + count >= LG_NONE)
        return false;
    char *to = lg__vector_extend(&rest->allocator, bytes, side->bytes.count);
    uint64_t *ends = lg__vector_extend(&rest->allocator, offsets, count);
    if ((to == NULL && side->bytes.count > 0) || (ends == NULL && count > 0))
        return false;
    if (side->bytes.count > 0)
        memcpy(to, side->bytes.data, side->bytes.count);
    const uint64_t *side_ends = side->offset.data;
    for (size_t i = 0; i < count; i++)
        ends[i] = begin + side_ends[i + 1];
    *first = (uint32_t)before;
    return true;
}

void
lg__side_free(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    lg_side *side = rest->side;
    if (side == NULL)
        return;
    lg__vector_free(&rest->allocator, &side->offset);
    lg__vector_free(&rest->allocator, &side->bytes);
    lg__vector_free(&rest->allocator, &side->node);
    lg__vector_free(&rest->allocator, &side->found);
    lg__vector_free(&rest->allocator, &side->carried);
    lg__vector_free(&rest->allocator, &side->weakened);
    lg__vector_free(&rest->allocator, &side->namespaces);
    lg__deallocate(&rest->allocator, side, LG__SIDE_SIZE);
    rest->side = NULL;
}
