// Counts each node's incoming references, and finds the nodes that more refers
// to than the graph shows: roots.
#include "build/build_private.h"
#include "base/base_private.h"

#include <leakgraph/internal/capture_builder.h>

// Returns how many references to a node are found, once the counts are settled.
static uint64_t
builder_found(const lg_builder *builder, uint32_t node)
{
    const struct lg_builder_rest *rest = builder->rest;
    return lg__numbers_get(&rest->found, rest->counts.low.data, node);
}

static bool
builder_add_found(lg_builder *builder, uint32_t node, int64_t more)
{
    struct lg_builder_rest *rest = builder->rest;
    const uint64_t found = builder_found(builder, node) + (uint64_t)more;
    return more == 0 || lg__numbers_set(&rest->allocator, &rest->found,
                                        rest->counts.low.data, node, found);
}

// Counts the edges that nobody has counted ahead.
static lg_status
count_rest(lg_builder *builder, const lg__edge_rules *rules, uint64_t counted,
           lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg_edge_targets targets = lg_builder_targets(builder);
    const lg_edge_kinds kinds = lg_builder_kinds(builder);
    const uint64_t reached =
        lg__counts_add_edges(&rest->allocator, &rest->counts, rules, &targets,
                             &kinds, counted, builder->edge_count);
    if (reached == builder->edge_count)
        return LG_OK;
    return lg_builder_target(builder, reached) < rules->nodes
               ? lg__error_memory(err)
               : lg__edge_failed(rules, reached,
                                 lg_builder_target(builder, reached),
                                 lg_builder_kind(builder, reached), err);
}

static lg_status
count_late(lg_builder *builder, const lg__edge_rules *rules, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg__late_edge *late = rest->late.data;
    for (size_t i = 0; i < rest->late.count; i++) {
        if (!lg__edge_is_sound(rules, late[i].target, late[i].kind,
                               late[i].payload))
            return lg__edge_failed(rules, builder->edge_count + i,
                                   late[i].target, late[i].kind, err);
        if (!lg__counts_add(&rest->allocator, &rest->counts, late[i].target,
                            rules->of[late[i].kind].counted))
            return lg__error_memory(err);
    }
    return LG_OK;
}

// Takes over what the additions have counted. Counts of other nodes are 0.
static bool
take_counts(struct lg_builder_rest *rest, uint32_t nodes)
{
    if (rest->additions != NULL) {
        rest->counts = rest->additions->counts;
        rest->additions->counts = lg__counts_open();
    }
    return lg__counts_extend(&rest->allocator, &rest->counts, nodes);
}

// Makes the counts final. Other references than edges count, too, and edges
// that were made weak do not.
static bool
settle(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg__node_number *held = rest->held.data;
    const lg__vector *weakened =
        rest->additions != NULL ? &rest->additions->weakened : NULL;
    bool enough =
        lg__counts_settle(&rest->allocator, &rest->counts, &rest->found);
    for (size_t i = 0; i < rest->held.count && enough; i++)
        enough =
            builder_add_found(builder, held[i].node, (int64_t)held[i].number);
    for (size_t i = 0; weakened != NULL && i < weakened->count && enough; i++)
        enough = builder_add_found(builder,
                                   ((const uint32_t *)weakened->data)[i], -1);
    return enough;
}

static bool
is_changed(const lg__vector *changed, uint32_t edge)
{
    return lg_items_find(changed->data, changed->count,
                         LG_ITEM_KEY(lg__new_payload, edge), edge) != NULL;
}

static lg_status
check_edge(const lg__edge_rules *rules, const lg__late_edge *at, lg_error *err)
{
    return lg__edge_is_sound(rules, at->target, at->kind, at->payload)
               ? LG_OK
               : lg__edge_failed(rules, at->source, at->target, at->kind, err);
}

// Fails if an edge is unsound.
static lg_status
check_windows(const lg_builder *builder, const lg__edge_rules *rules,
              lg_error *err)
{
    const lg__payload_windows *windows = &builder->rest->windows;
    const lg__late_edge *edges = windows->doubtful.data;
    const lg__new_payload *changed = windows->changed.data;
    lg_status status = LG_OK;
    for (size_t i = 0; i < windows->doubtful.count && status == LG_OK; i++)
        if (!is_changed(&windows->changed, edges[i].source))
            status = check_edge(rules, &edges[i], err);
    for (size_t i = 0; i < windows->changed.count && status == LG_OK; i++) {
        const uint32_t edge = changed[i].edge;
        const lg__late_edge at = {edge, lg_builder_target(builder, edge),
                                  changed[i].payload,
                                  lg_builder_kind(builder, edge)};
        status = check_edge(rules, &at, err);
    }
    return status;
}

// Passes over the edges that nobody has counted, and also checks that all are
// sound. The late ones are not merged yet.
static lg_status
count_found(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg__edge_rules rules =
        lg__edge_rules_of(builder->node_count,
                          (uint32_t)rest->table[LG__STRING_OFFSET].count - 1);
    if (!take_counts(rest, builder->node_count))
        return lg__error_memory(err);
    lg_status status = check_windows(builder, &rules, err);
    if (status == LG_OK)
        status = count_rest(
            builder, &rules,
            rest->additions != NULL ? rest->additions->counted : 0, err);
    if (status == LG_OK)
        status = count_late(builder, &rules, err);
    if (status == LG_OK && !settle(builder))
        status = lg__error_memory(err);
    return status;
}

// Decides which tentative edges the graph gets.
//
// It gets all tentative edges to a node, or none: all, if the node lacks at
// least so many references. So they never explain more references than there
// are, and chance does not choose among holders.

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

// Returns whether the target misses at least that many references.
static bool
misses(const lg_builder *builder, uint32_t target, size_t count)
{
    const uint64_t found = builder_found(builder, target);
    const uint64_t refcount = lg_builder_refcount(builder, target);
    return !(builder->node_flags[target] &
             (LG_NODE_IMMORTAL | LG_NODE_SYNTHETIC)) &&
           refcount > found && refcount - found >= count;
}

// Adds the edges to one target as late edges.
static void
accept(lg_builder *builder, const lg__late_edge *edges, size_t count)
{
    if (!builder_add_found(builder, edges->target, (int64_t)count))
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

static lg_status
decide_tentative(lg_builder *builder, lg_error *err)
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

lg_status
lg__finish_found(lg_builder *builder, lg_error *err)
{
    const lg_status status = count_found(builder, err);
    return status == LG_OK ? decide_tentative(builder, err) : status;
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

// Bytes tell whether more is counted than found, unless the count is large.
lg_status
lg__finish_roots(lg_builder *builder, lg_error *err)
{
    const struct lg_builder_rest *rest = builder->rest;
    if (is_partial(builder))
        return LG_OK;
    const unsigned countless = LG_NODE_IMMORTAL | LG_NODE_SYNTHETIC;
    const uint8_t *found = rest->counts.low.data;
    const uint8_t *counts = builder->refcount;
    const uint8_t limit = (uint8_t)lg__numbers_limit(&rest->refcount);
    const uint64_t nodes = builder->node_count;
    for (uint64_t at = lg__first_byte_above(counts, found, 0, nodes, limit);
         at < nodes;
         at = lg__first_byte_above(counts, found, at + 1, nodes, limit)) {
        const uint32_t node = (uint32_t)at;
        if (!(builder->node_flags[node] & countless) &&
            lg_builder_refcount(builder, node) > builder_found(builder, node))
            lg_builder_add_root(builder, node, LG_ROOT_NATIVE, "", 0);
    }
    return builder->status == LG_OK ? LG_OK : lg__error_memory(err);
}
