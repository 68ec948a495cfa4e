// Counts each node's incoming references.
#include "base/base_private.h"
#include "build/build_private.h"

#include <string.h>

static void
add_saturated(uint32_t *count, uint64_t more)
{
    *count = more < UINT32_MAX - *count ? *count + (uint32_t)more : UINT32_MAX;
}

// The caller has a copy without saturation, for graphs with too few edges to
// saturate a count. Returns the first edge that is unsound, or the end.
static inline uint64_t
count_from(const lg_builder *builder, const lg__edge_rules *rules,
           uint64_t edge, uint32_t *restrict found, bool may_saturate)
{
    const uint32_t *targets = builder->edge_target;
    const uint32_t *payloads = builder->edge_payload;
    const uint8_t *kinds = builder->edge_kind;
    const uint64_t end = builder->edge_count;
    for (; edge < end; edge++) {
        uint32_t target = targets[edge];
        unsigned kind = kinds[edge];
        if (!lg__edge_is_sound(rules, target, kind, payloads[edge]))
            return edge;
        uint32_t counted = rules->of[kind].counted;
        if (may_saturate)
            add_saturated(&found[target], counted);
        else
            found[target] += counted;
    }
    return end;
}

// Counts the edges that nobody has counted ahead.
static lg_status
count_rest(const lg_builder *builder, const lg__edge_rules *rules,
           uint64_t counted, lg_error *err)
{
    uint32_t *found = builder->rest->table[LG__FOUND].data;
    uint64_t failed = builder->edge_count < UINT32_MAX
                          ? count_from(builder, rules, counted, found, false)
                          : count_from(builder, rules, counted, found, true);
    return failed == builder->edge_count
               ? LG_OK
               : lg__edge_failed(rules, failed, builder->edge_target[failed],
                                 builder->edge_kind[failed], err);
}

static lg_status
count_late(const lg_builder *builder, const lg__edge_rules *rules,
           lg_error *err)
{
    uint32_t *found = builder->rest->table[LG__FOUND].data;
    const lg__late_edge *late = builder->rest->late.data;
    for (size_t i = 0; i < builder->rest->late.count; i++) {
        if (!lg__edge_is_sound(rules, late[i].target, late[i].kind,
                               late[i].payload))
            return lg__edge_failed(rules, builder->edge_count + i,
                                   late[i].target, late[i].kind, err);
        add_saturated(&found[late[i].target], rules->of[late[i].kind].counted);
    }
    return LG_OK;
}

// Takes over what the side has counted. Counts of other nodes are 0.
static bool
take_counts(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__vector *column = &rest->table[LG__FOUND];
    if (!lg__extend_found(&rest->allocator, column, builder->node_count))
        return false;
    if (rest->side != NULL)
        lg__side_take_counts(rest->side, column->data, builder->node_count);
    return true;
}

// Passes over the edges once, and also checks that they are sound. The late
// ones are not merged yet.
lg_status
lg__finish_found(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg__edge_rules rules =
        lg__edge_rules_of(builder->node_count,
                          (uint32_t)rest->table[LG__STRING_OFFSET].count - 1);
    if (!take_counts(builder))
        return lg__error_memory(err);
    lg_status status = count_rest(
        builder, &rules, rest->side != NULL ? rest->side->counted : 0, err);
    if (status == LG_OK)
        status = count_late(builder, &rules, err);
    uint32_t *found = rest->table[LG__FOUND].data;
    const lg__node_number *held = rest->held.data;
    for (size_t i = 0; i < rest->held.count && status == LG_OK; i++)
        add_saturated(&found[held[i].node], held[i].number);
    return status;
}
