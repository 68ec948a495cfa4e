// Makes the graph: runs the steps of finish_steps.c, then hands over every
// block.
#include "build/build_private.h"
#include "base/base_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

// Counts each node's incoming references.

static void
add_saturated(uint32_t *count, uint64_t more)
{
    *count = more < UINT32_MAX - *count ? *count + (uint32_t)more : UINT32_MAX;
}

// The caller has a copy without saturation, for graphs with too few edges to
// saturate a count. Returns the first edge that leads to no node, or the end.
static inline uint64_t
count_from(const lg_builder *builder, const lg__edge_rules *rules,
           uint64_t edge, uint32_t *restrict found, bool may_saturate)
{
    const uint32_t *targets = builder->edge_target;
    const uint8_t *kinds = builder->edge_kind;
    const uint64_t end = builder->edge_count;
    for (; edge < end; edge++) {
        uint32_t target = targets[edge];
        unsigned kind = kinds[edge];
        if (target >= rules->nodes)
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

// Passes over the edges that nobody has counted, and also checks that all are
// sound. The late ones are not merged yet.
static lg_status
finish_found(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg__edge_rules rules =
        lg__edge_rules_of(builder->node_count,
                          (uint32_t)rest->table[LG__STRING_OFFSET].count - 1);
    if (!take_counts(builder))
        return lg__error_memory(err);
    lg_status status = lg__windows_check(builder, &rules, err);
    if (status == LG_OK)
        status = count_rest(builder, &rules,
                            rest->side != NULL ? rest->side->counted : 0, err);
    if (status == LG_OK)
        status = count_late(builder, &rules, err);
    uint32_t *found = rest->table[LG__FOUND].data;
    const lg__node_number *held = rest->held.data;
    for (size_t i = 0; i < rest->held.count && status == LG_OK; i++)
        add_saturated(&found[held[i].node], held[i].number);
    return status;
}

// Turns the hashes of contents into groups of nodes, and drops the hashes,
// because short texts could be guessed from them.

static bool
sort_contents(struct lg_builder_rest *rest)
{
    lg__content *items = rest->content.data;
    for (int pass = 0; pass < 2; pass++) {
        if (!lg__radix_sort(&rest->allocator, items, rest->content.count,
                            sizeof *items))
            return false;
        for (size_t i = 0; i < rest->content.count; i++)
            items[i] =
                (lg__content){items[i].other, items[i].number, items[i].node};
    }
    return true;
}

static bool
is_same(const lg__content *a, const lg__content *b)
{
    return a->number == b->number && a->other == b->other;
}

// Replaces the hashes by the members of all groups: a node to sort by, and its
// group. Returns the number of members.
static size_t
group(lg__content *items, size_t count, uint32_t *groups)
{
    size_t kept = 0;
    uint32_t known = 0;
    for (size_t begin = 0, end; begin < count; begin = end) {
        const lg__content first = items[begin];
        for (end = begin + 1; end < count && is_same(&first, &items[end]);)
            end++;
        if (end - begin == 1)
            continue;
        for (size_t i = begin; i < end; i++)
            items[kept++] =
                (lg__content){.number = items[i].node, .other = known};
        known++;
    }
    *groups = known;
    return kept;
}

// Numbers groups in order of their first nodes, so that nothing of the hashes
// is left, and writes the columns.
static bool
write_members(struct lg_builder_rest *rest, const lg__content *members,
              size_t count, uint32_t groups)
{
    const lg_allocator *allocator = &rest->allocator;
    size_t room = groups * sizeof(uint32_t);
    uint32_t *number = lg__allocate(allocator, room);
    uint32_t *nodes =
        lg__vector_extend(allocator, &rest->table[LG__EQUAL_NODE], count);
    uint32_t *ids =
        lg__vector_extend(allocator, &rest->table[LG__EQUAL_GROUP], count);
    bool enough = number != NULL && nodes != NULL && ids != NULL;
    uint32_t next = 0;
    for (uint32_t i = 0; i < groups && enough; i++)
        number[i] = LG_NONE;
    for (size_t i = 0; i < count && enough; i++) {
        uint32_t *known = &number[members[i].other];
        *known = *known == LG_NONE ? next++ : *known;
        nodes[i] = members[i].number;
        ids[i] = *known;
    }
    lg__deallocate(allocator, number, room);
    return enough;
}

static lg_status
finish_equal(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__content *items = rest->content.data;
    uint32_t groups = 0;
    if (rest->content.count == 0)
        return LG_OK;
    if (!sort_contents(rest))
        return lg__error_memory(err);
    size_t count = group(items, rest->content.count, &groups);
    if (count > 0 &&
        (!lg__radix_sort(&rest->allocator, items, count, sizeof *items) ||
         !write_members(rest, items, count, groups)))
        return lg__error_memory(err);
    lg__vector_free(&rest->allocator, &rest->content);
    return LG_OK;
}

// Lists the texts of the nodes. A node's last text counts: the builder's if the
// producer set one, otherwise that of the side.

static void
list_marked(const lg__marked_block *blocks, size_t count, uint32_t *nodes)
{
    for (size_t i = 0; i < count; i++)
        for (uint64_t rest = blocks[i].has; rest != 0; rest &= rest - 1)
            *nodes++ = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(rest);
}

// The side may have texts of nodes that the builder does not.
static void
mark_all(const lg_builder *builder, lg__marked_block *blocks)
{
    size_t count;
    const uint32_t *side = lg_side_texts(builder->rest->side, &count);
    const lg__vector *own = &builder->rest->text;
    for (size_t i = 0; i < count; i++)
        if (side[i] < builder->node_count)
            lg__mark_node(blocks, side[i]);
    for (size_t i = 0; i < own->count; i++)
        lg__mark_node(blocks, ((const lg__node_text *)own->data)[i].node);
}

// Stores each string at the place of its node, in order of arrival.
static void
store_strings(const lg_builder *builder, const lg__marked_block *blocks,
              uint32_t first_of_side, uint32_t *strings)
{
    size_t count;
    const uint32_t *side = lg_side_texts(builder->rest->side, &count);
    const lg__node_text *own = builder->rest->text.data;
    for (size_t i = 0; i < count; i++)
        if (side[i] < builder->node_count)
            strings[lg__marked_place(blocks, side[i])] =
                first_of_side + (uint32_t)i;
    for (size_t i = 0; i < builder->rest->text.count; i++)
        strings[lg__marked_place(blocks, own[i].node)] = own[i].string;
}

static bool
list_blocks(lg_builder *builder, lg__marked_block *blocks)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t first_of_side = 0;
    mark_all(builder, blocks);
    uint32_t count =
        lg__count_marks(blocks, lg__marked_blocks(builder->node_count));
    uint32_t *nodes =
        lg__vector_extend(&rest->allocator, &rest->table[LG__TEXT_NODE], count);
    uint32_t *strings = lg__vector_extend(&rest->allocator,
                                          &rest->table[LG__TEXT_STRING], count);
    if (nodes == NULL || strings == NULL ||
        !lg__side_append(builder, &first_of_side))
        return false;
    list_marked(blocks, lg__marked_blocks(builder->node_count), nodes);
    store_strings(builder, blocks, first_of_side, strings);
    return true;
}

static lg_status
finish_texts(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t count;
    lg_side_texts(rest->side, &count);
    bool listed = count + rest->text.count == 0;
    const size_t size =
        lg__marked_blocks(builder->node_count) * sizeof(lg__marked_block);
    lg__marked_block *blocks =
        listed ? NULL : lg__allocate(&rest->allocator, size);
    if (blocks != NULL) {
        memset(blocks, 0, size);
        listed = list_blocks(builder, blocks);
        lg__deallocate(&rest->allocator, blocks, size);
    }
    lg__vector_free(&rest->allocator, &rest->text);
    lg__side_free(builder);
    return listed ? LG_OK : lg__error_memory(err);
}

static lg_status
add_missing_info(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t key = lg_builder_intern(builder, "partial", 7);
    const uint32_t *keys = rest->table[LG__INFO_KEY].data;
    for (size_t i = 0; i < rest->table[LG__INFO_KEY].count; i++)
        if (keys[i] == key)
            return LG_OK;
    lg_builder_set_info(builder, "partial", "no");
    return builder->status == LG_OK ? LG_OK : lg__error_memory(err);
}

// From this many nodes on, a second thread does a part of the work.
enum { FOR_HELPER = 1 << 17 };

// A builder with a side has an allocator that bears two threads. One without
// may be in a child of fork(), where no thread may start.
static bool
is_for_two(const lg_builder *builder)
{
    return builder->rest->side != NULL && builder->node_count >= FOR_HELPER;
}

typedef lg_status (*step)(lg_builder *builder, lg_error *err);

static lg_status
run_steps(lg_builder *builder, const step *steps, size_t count, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK; i++)
        status = steps[i](builder, err);
    return status;
}

static lg_status
merge(void *builder, lg_error *err)
{
    return lg__finish_late_edges(builder, err);
}

static lg_status
list_texts(void *builder, lg_error *err)
{
    return finish_texts(builder, err);
}

// The longest two steps share nothing.
static lg_status
run_both_steps(lg_builder *builder, lg_error *err)
{
    const lg__work merging = {merge, builder};
    const lg__work listing = {list_texts, builder};
    return lg__run_parallel(&merging, &listing, is_for_two(builder), err);
}

static lg_status
run_all_steps(lg_builder *builder, lg_error *err)
{
    static const step before[] = {
        add_missing_info,    finish_equal,     lg__finish_spans,
        lg__finish_blocks,   lg__finish_facts, lg__finish_first_edges,
        lg__finish_payloads, finish_found,     lg__finish_tentative,
    };
    static const step after[] = {
        lg__finish_sizes,
        lg__finish_devices,
        lg__finish_roots,
    };
    lg_status status = lg__builder_status(builder, err);
    if (status == LG_OK)
        status =
            run_steps(builder, before, sizeof before / sizeof *before, err);
    if (status == LG_OK)
        status = run_both_steps(builder, err);
    if (status == LG_OK)
        status = run_steps(builder, after, sizeof after / sizeof *after, err);
    return status;
}

static void
take_columns(lg_builder *builder, lg_graph *graph)
{
    static const enum lg__array_name node_columns[] = {
        LG__ADDRESS, LG__TYPE, LG__SIZE, LG__REFCOUNT, LG__NODE_FLAGS};
    static const enum lg__array_name edge_columns[] = {LG__EDGE_TARGET,
                                                       LG__EDGE_KIND};
    uint64_t nodes = builder->node_count;
    struct lg_builder_rest *rest = builder->rest;
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++) {
        lg__vector_trim(&rest->allocator, &rest->table[i]);
        graph->array[i] = lg__vector_take(&rest->table[i]);
    }
    for (size_t i = 0; i < sizeof node_columns / sizeof *node_columns; i++)
        graph->array[node_columns[i]] =
            lg__builder_take(builder, node_columns[i], nodes);
    graph->array[LG__FIRST_EDGE] =
        lg__builder_take(builder, LG__FIRST_EDGE, nodes + 1);
    for (size_t i = 0; i < sizeof edge_columns / sizeof *edge_columns; i++)
        graph->array[edge_columns[i]] =
            lg__builder_take(builder, edge_columns[i], builder->edge_count);
    graph->array[LG__EDGE_PAYLOAD].count = builder->edge_count;
}

// Frees what is left of a builder once the graph owns its blocks and its
// allocator.
static void
free_shell(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    rest->allocator.release = NULL;
    lg_builder_free(builder);
}

// Reports what the checks call damage as an argument that is not valid.
static lg_status
invalid_input(lg_status status, lg_error *err)
{
    if (status != LG_EFORMAT)
        return status;
    if (err != NULL)
        err->status = LG_EINVAL;
    return LG_EINVAL;
}

static lg_status
check(const lg_graph *graph, lg_error *err)
{
    const lg_status status = lg__check_tables(graph, err);
    return status == LG_OK ? lg__check_first_edges(&graph->columns, err)
                           : status;
}

lg_status
lg_builder_finish(lg_builder *builder, lg_graph **out, lg_error *err)
{
    lg_status status = run_all_steps(builder, err);
    if (status != LG_OK) {
        lg_builder_free(builder);
        return invalid_input(status, err);
    }
    lg_allocator allocator = builder->rest->allocator;
    lg_allocator unreleased = allocator;
    unreleased.release = NULL;
    lg_graph *graph = NULL;
    status = lg__graph_new(&unreleased, &graph, err);
    if (status != LG_OK) {
        lg_builder_free(builder);
        return status;
    }
    const lg__payload_arrays payloads = builder->rest->payloads;
    builder->rest->payloads = (lg__payload_arrays){.block = NULL};
    take_columns(builder, graph);
    free_shell(builder);
    graph->allocator.release = allocator.release;
    status = lg__graph_bind(graph, err);
    lg__payloads_give(graph, &payloads);
    if (status == LG_OK)
        status = check(graph, err);
    if (status == LG_OK)
        status = lg__graph_settle(graph, err);
    if (status == LG_OK)
        *out = graph;
    else
        lg_graph_free(graph);
    return invalid_input(status, err);
}
