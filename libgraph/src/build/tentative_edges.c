// Decides which tentative edges the graph gets.
//
// It gets all tentative edges to a node, or none: all, if the node lacks at
// least so many references. So they never explain more references than there
// are, and chance does not choose among holders.
#include "base/base_private.h"

#include <leakgraph/internal/capture_builder.h>
#include "build/build_private.h"

void
lg_builder_add_tentative_edge(lg_builder *builder, lg_node source,
                              lg_node target, unsigned kind, uint32_t payload)
{
    if (target == LG_NONE || source == LG_NONE)
        return;
    struct lg_builder_rest *rest = builder->rest;
    lg__late_edge *edge =
        lg__vector_extend(&rest->allocator, &rest->tentative, 1);
    if (edge == NULL) {
        lg__builder_fail(builder, LG_ENOMEM);
        return;
    }
    *edge = (lg__late_edge){source, target, payload, kind};
}

// By target; the same references side by side.
static int
compare(const void *left, const void *right)
{
    const lg__late_edge *a = left;
    const lg__late_edge *b = right;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->payload < b->payload ? -1 : a->payload > b->payload;
}

// Returns whether the target misses at least so many references.
static bool
misses(const lg_builder *builder, uint32_t target, size_t count)
{
    const uint64_t found = lg__builder_found(builder, target);
    const uint64_t refcount = lg_builder_refcount(builder, target);
    return !(builder->node_flags[target] &
             (LG_NODE_IMMORTAL | LG_NODE_SYNTHETIC)) &&
           refcount > found && refcount - found >= count;
}

// Adds the edges to one target as late edges.
static void
accept(lg_builder *builder, const lg__late_edge *edges, size_t count)
{
    if (!lg__builder_add_found(builder, edges->target, (int64_t)count))
        lg__builder_fail(builder, LG_ENOMEM);
    for (size_t i = 0; i < count; i++)
        lg_builder_add_late_edge(builder, edges[i].source, edges[i].target,
                                 edges[i].kind, edges[i].payload);
}

static lg_status
check_tentative(const lg_builder *builder, const lg__late_edge *edges,
                size_t count, lg_error *err)
{
    lg__edge_rules rules = lg__edge_rules_of(
        builder->node_count,
        (uint32_t)builder->rest->table[LG__STRING_OFFSET].count - 1);
    for (size_t i = 0; i < count; i++)
        if (!lg__edge_is_sound(&rules, edges[i].target, edges[i].kind,
                               edges[i].payload))
            return lg__edge_failed(&rules, i, edges[i].target, edges[i].kind,
                                   err);
    return LG_OK;
}

lg_status
lg__finish_tentative(lg_builder *builder, lg_error *err)
{
    lg__vector *tentative = &builder->rest->tentative;
    lg__late_edge *edges = tentative->data;
    size_t end;
    lg_status status = check_tentative(builder, edges, tentative->count, err);
    if (status != LG_OK || tentative->count == 0)
        return status;
    lg__sort(edges, tentative->count, sizeof *edges, compare);
    for (size_t i = 0; i < tentative->count; i = end) {
        for (end = i + 1;
             end < tentative->count && edges[end].target == edges[i].target;)
            end++;
        if (misses(builder, edges[i].target, end - i))
            accept(builder, &edges[i], end - i);
    }
    lg__vector_free(&builder->rest->allocator, tentative);
    return lg__builder_status(builder, err);
}
