// Makes the graph: runs the steps of finish_steps.c, then hands over every
// block.
#include "build/build_private.h"

#include <string.h>

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
    return lg__finish_texts(builder, err);
}

// The longest two steps share nothing.
static lg_status
run_both_steps(lg_builder *builder, lg_error *err)
{
    const lg__work merging = {merge, builder};
    const lg__work listing = {list_texts, builder};
    return lg__run_both(&merging, &listing, is_for_two(builder), err);
}

static lg_status
run_all_steps(lg_builder *builder, lg_error *err)
{
    static const step before[] = {
        add_missing_info,  lg__finish_equal, lg__finish_spans,
        lg__finish_blocks, lg__finish_facts, lg__finish_first_edges,
        lg__finish_found,
    };
    static const step after[] = {
        lg__finish_possible,
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
    static const enum lg__array_name edge_columns[] = {
        LG__EDGE_TARGET, LG__EDGE_PAYLOAD, LG__EDGE_KIND};
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
check_tables(void *graph, lg_error *err)
{
    return lg__check_tables(graph, err);
}

static lg_status
check_first_edges(void *graph, lg_error *err)
{
    return lg__check_first_edges(&((const lg_graph *)graph)->columns, err);
}

static lg_status
check(lg_graph *graph, bool at_once, lg_error *err)
{
    const lg__work tables = {check_tables, graph};
    const lg__work first_edges = {check_first_edges, graph};
    return lg__run_both(&tables, &first_edges, at_once, err);
}

lg_status
lg_builder_finish(lg_builder *builder, lg_graph **out, lg_error *err)
{
    const bool for_two = is_for_two(builder);
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
    take_columns(builder, graph);
    free_shell(builder);
    graph->allocator.release = allocator.release;
    status = lg__graph_bind(graph, err);
    if (status == LG_OK)
        status = check(graph, for_two, err);
    if (status == LG_OK)
        status = lg__graph_settle(graph, err);
    if (status == LG_OK)
        *out = graph;
    else
        lg_graph_free(graph);
    return invalid_input(status, err);
}
