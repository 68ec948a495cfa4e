// The sample program, and comparisons of graphs.
#include "sample.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/facts.h>
#include <leakgraph/internal/segments.h>

#include <stdlib.h>
#include <string.h>

typedef struct maker {
    lg_builder *builder;
    uint32_t type[SAMPLE_COUNT];
} maker;

static uint32_t
add_type(lg_builder *builder, const char *name, uint32_t base)
{
    return lg_builder_add_type(builder, name, strlen(name), LG_NONE, &base,
                               base != LG_NONE);
}

static void
set_text(lg_builder *builder, uint32_t node, const char *text)
{
    lg_builder_set_text(builder, node, text, strlen(text));
}

static uint32_t
intern(lg_builder *builder, const char *text)
{
    return lg_builder_intern(builder, text, strlen(text));
}

static const struct {
    const char *type;
    uint32_t refcount; // the true count, which includes native references
    unsigned flags;
    const char *text;
} nodes[SAMPLE_COUNT] = {
    [SAMPLE_THREAD] = {"thread", 0, LG_NODE_SYNTHETIC, "MainThread"},
    [SAMPLE_FRAME] = {"frame", 1, 0, "train() train.py:12"},
    [SAMPLE_TRAIN] = {"module", 1, LG_NODE_TRACKED, "train"},
    [SAMPLE_TRAIN_DICT] = {"dict", 2, LG_NODE_TRACKED, NULL},
    [SAMPLE_LOSSES_KEY] = {"str", 1, LG_NODE_NAME | LG_NODE_KEY, "losses"},
    [SAMPLE_LOSSES] = {"list", 3, LG_NODE_TRACKED, NULL},
    [SAMPLE_LOSS] = {"torch.Tensor", 2, LG_NODE_TRACKED, NULL},
    [SAMPLE_STATE] = {"dict", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_STEP_KEY] = {"str", 1, LG_NODE_KEY, "it's"},
    [SAMPLE_NUMBER] = {"int", 1, 0, "17"},
    [SAMPLE_TRAINER_KEY] = {"str", 1, LG_NODE_NAME, "trainer"},
    [SAMPLE_TRAINER] = {"train.Trainer", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_TRAINER_DICT] = {"dict", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_MODEL_KEY] = {"str", 1, LG_NODE_NAME, "model"},
    [SAMPLE_MODEL] = {"train.Model", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_STEP] = {"function", 1, LG_NODE_TRACKED, "train.step"},
    [SAMPLE_CODE] = {"code", 1, 0, "step"},
    [SAMPLE_NAMES] = {"tuple", 1, 0, NULL},
    [SAMPLE_MODEL_NAME] = {"str", 1, LG_NODE_NAME, "captured"},
    [SAMPLE_OTHER_NAME] = {"str", 1, LG_NODE_NAME, "argument"},
    [SAMPLE_CLOSURE] = {"tuple", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_CELL] = {"cell", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_CAPTURED] = {"torch.Tensor", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_SHARED_OWNER] = {"train.Trainer", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_SHARED_DICT] = {"dict", 2, LG_NODE_TRACKED, NULL},
    [SAMPLE_GENERATOR] = {"generator", 1, LG_NODE_TRACKED,
                          "produce() train.py:30"},
    [SAMPLE_GC] = {"module", 1, LG_NODE_TRACKED, "gc"},
    [SAMPLE_GARBAGE] = {"list", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_NATIVE] = {"list", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_HUGE] = {"numpy.ndarray", 1, LG_NODE_TRACKED, NULL},
    [SAMPLE_CLASS] = {"type", 1, LG_NODE_TRACKED, "train.Trainer"},
};

static void
add_types(maker *to)
{
    lg_builder *builder = to->builder;
    uint32_t base = add_type(builder, "train.Base", LG_NONE);
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        to->type[i] = LG_NONE;
        for (int j = 0; j < i && to->type[i] == LG_NONE; j++)
            if (strcmp(nodes[i].type, nodes[j].type) == 0)
                to->type[i] = to->type[j];
        if (to->type[i] == LG_NONE)
            to->type[i] = add_type(builder, nodes[i].type,
                                   i == SAMPLE_TRAINER ? base : LG_NONE);
    }
}

static void
add_nodes(maker *to)
{
    lg_builder *builder = to->builder;
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        uint32_t node = lg_builder_add_node(builder, SAMPLE_ADDRESS(i));
        if (node == LG_NONE)
            return;
        lg_builder_put_type(builder, node, to->type[i]);
        lg_builder_put_refcount(builder, node, nodes[i].refcount);
        builder->node_flags[node] = (uint16_t)nodes[i].flags;
        lg_builder_set_size(builder, node, 48 + i);
        if (nodes[i].text != NULL)
            set_text(builder, node, nodes[i].text);
    }
    lg_builder_set_size(builder, SAMPLE_HUGE, (uint64_t)8 << 30);
    lg_builder_add_found(builder, SAMPLE_TRAIN, 1);
    lg_builder_add_found(builder, SAMPLE_GC, 1);
    lg_builder_add_found(builder, SAMPLE_CLASS, 1);
    lg_builder_add_found(builder, SAMPLE_GARBAGE, 1);
}

typedef struct edge {
    uint32_t source;
    uint32_t target;
    unsigned kind;
    const char *name; // the payload, if it is a string
    uint32_t payload;
} edge;

static const edge edges[] = {
    {SAMPLE_THREAD, SAMPLE_FRAME, LG_EDGE_FRAME, NULL, 0},
    {SAMPLE_FRAME, SAMPLE_LOSS, LG_EDGE_LOCAL, "loss", 0},
    {SAMPLE_FRAME, SAMPLE_LOSSES, LG_EDGE_LOCAL, "all_losses", 0},
    {SAMPLE_TRAIN, SAMPLE_TRAIN_DICT, LG_EDGE_DICT, NULL, 0},
    {SAMPLE_TRAIN_DICT, SAMPLE_LOSSES_KEY, LG_EDGE_KEY, NULL, 0},
    {SAMPLE_TRAIN_DICT, SAMPLE_LOSSES, LG_EDGE_VALUE, NULL, SAMPLE_LOSSES_KEY},
    {SAMPLE_TRAIN_DICT, SAMPLE_TRAINER_KEY, LG_EDGE_KEY, NULL, 1},
    {SAMPLE_TRAIN_DICT, SAMPLE_TRAINER, LG_EDGE_VALUE, NULL,
     SAMPLE_TRAINER_KEY},
    {SAMPLE_LOSSES, SAMPLE_LOSS, LG_EDGE_INDEX, NULL, 0},
    {SAMPLE_LOSSES, SAMPLE_STATE, LG_EDGE_INDEX, NULL, 1},
    {SAMPLE_STATE, SAMPLE_STEP_KEY, LG_EDGE_KEY, NULL, 0},
    {SAMPLE_STATE, SAMPLE_STEP, LG_EDGE_VALUE, NULL, SAMPLE_STEP_KEY},
    {SAMPLE_STATE, SAMPLE_NUMBER, LG_EDGE_KEY, NULL, 1},
    {SAMPLE_STATE, SAMPLE_SHARED_OWNER, LG_EDGE_VALUE, NULL, SAMPLE_NUMBER},
    {SAMPLE_TRAINER, SAMPLE_TRAINER_DICT, LG_EDGE_DICT, NULL, 0},
    {SAMPLE_TRAINER, SAMPLE_CLASS, LG_EDGE_TYPE | LG_EDGE_UNCOUNTED, NULL, 0},
    {SAMPLE_TRAINER_DICT, SAMPLE_MODEL_KEY, LG_EDGE_KEY, NULL, 0},
    {SAMPLE_TRAINER_DICT, SAMPLE_MODEL, LG_EDGE_VALUE, NULL, SAMPLE_MODEL_KEY},
    {SAMPLE_MODEL, SAMPLE_TRAINER, LG_EDGE_REFERENT | LG_EDGE_WEAK, NULL, 0},
    {SAMPLE_STEP, SAMPLE_CODE, LG_EDGE_ATTRIBUTE, "__code__", 0},
    {SAMPLE_STEP, SAMPLE_TRAIN_DICT, LG_EDGE_GLOBALS, "__globals__", 0},
    {SAMPLE_STEP, SAMPLE_CLOSURE, LG_EDGE_ATTRIBUTE, "__closure__", 0},
    {SAMPLE_CODE, SAMPLE_NAMES, LG_EDGE_ATTRIBUTE, "co_localsplusnames", 0},
    {SAMPLE_NAMES, SAMPLE_OTHER_NAME, LG_EDGE_INDEX, NULL, 0},
    {SAMPLE_NAMES, SAMPLE_MODEL_NAME, LG_EDGE_INDEX, NULL, 1},
    {SAMPLE_CLOSURE, SAMPLE_CELL, LG_EDGE_INDEX, NULL, 0},
    {SAMPLE_CELL, SAMPLE_CAPTURED, LG_EDGE_CELL, NULL, 0},
    {SAMPLE_SHARED_OWNER, SAMPLE_SHARED_DICT, LG_EDGE_DICT, NULL, 0},
    {SAMPLE_SHARED_OWNER, SAMPLE_SHARED_DICT, LG_EDGE_ATTRIBUTE, "view", 0},
    {SAMPLE_SHARED_OWNER, SAMPLE_GENERATOR, LG_EDGE_ATTRIBUTE, "source", 0},
    {SAMPLE_GENERATOR, SAMPLE_LOSSES, LG_EDGE_LOCAL | LG_EDGE_UNCOUNTED,
     "queue", 0},
    {SAMPLE_GC, SAMPLE_LOSSES, LG_EDGE_ATTRIBUTE, "held", 0},
    {SAMPLE_NATIVE, SAMPLE_HUGE, LG_EDGE_INDEX, NULL, 0},
};

// Adds the last edge of each node late, so that the builder merges it.
static void
add_edges(lg_builder *builder)
{
    const size_t count = sizeof edges / sizeof *edges;
    uint32_t open = LG_NONE;
    for (size_t i = 0; i < count; i++) {
        const edge *at = &edges[i];
        uint32_t payload = at->name ? intern(builder, at->name) : at->payload;
        if (i + 1 == count || edges[i + 1].source != at->source) {
            lg_builder_add_late_edge(builder, at->source, at->target, at->kind,
                                     payload);
            continue;
        }
        if (at->source != open)
            lg_builder_open(builder, open = at->source);
        lg_builder_add_edge(builder, at->target, at->kind, payload);
    }
}

lg_status
sample_new(const lg_allocator *allocator, lg_graph **out, lg_error *err)
{
    maker to;
    lg_status status = lg_builder_new_in(allocator, &to.builder, err);
    if (status != LG_OK)
        return status;
    add_types(&to);
    add_nodes(&to);
    if (to.builder->node_count == SAMPLE_COUNT)
        add_edges(to.builder);
    lg_builder_add_root(to.builder, SAMPLE_THREAD, LG_ROOT_THREAD, "MainThread",
                        10);
    lg_builder_add_root(to.builder, SAMPLE_TRAIN, LG_ROOT_MODULE, "train", 5);
    lg_builder_add_root(to.builder, SAMPLE_GC, LG_ROOT_MODULE, "gc", 2);
    lg_builder_set_info(to.builder, "python", "3.11.7");
    lg_builder_set_info(to.builder, "keys", "yes");
    lg_builder_set_info(to.builder, "pid", "1");
    lg_builder_set_info(to.builder, "pid", "4321");
    return lg_builder_finish(to.builder, out, err);
}

static bool
same_string(lg_string a, lg_string b)
{
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

static bool
same_numbers(const lg_columns *a, const lg_columns *b)
{
    uint32_t node = 0;
    while (node < a->node_count &&
           lg_columns_address(a, node) == lg_columns_address(b, node) &&
           lg_columns_type(a, node) == lg_columns_type(b, node) &&
           lg_columns_first_edge(a, node) == lg_columns_first_edge(b, node) &&
           lg_columns_size(a, node) == lg_columns_size(b, node) &&
           lg_columns_flags(a, node) == lg_columns_flags(b, node) &&
           lg_columns_refcount(a, node) == lg_columns_refcount(b, node) &&
           lg_columns_found(a, node) == lg_columns_found(b, node))
        node++;
    return node == a->node_count;
}

static bool
same_payloads(const lg_columns *a, const lg_columns *b)
{
    uint64_t at = 0;
    while (at < a->edge_count &&
           lg_columns_payload(a, at) == lg_columns_payload(b, at))
        at++;
    return at == a->edge_count;
}

static bool
same_edges(const lg_columns *a, const lg_columns *b)
{
    bool same = true;
    for (uint64_t i = 0; i < a->edge_count; i++)
        same = same && lg_columns_target(a, i) == lg_columns_target(b, i) &&
               lg_columns_kind(a, i) == lg_columns_kind(b, i);
    return same;
}

static bool
same_columns(const lg_columns *a, const lg_columns *b)
{
    size_t n = a->node_count;
    size_t e = (size_t)a->edge_count;
    if (n != b->node_count || e != b->edge_count)
        return false;
    return same_numbers(a, b) && same_edges(a, b) && same_payloads(a, b);
}

static bool
same_types(const lg_graph *a, const lg_graph *b)
{
    if (lg_graph_type_count(a) != lg_graph_type_count(b))
        return false;
    for (uint32_t i = 0; i < lg_graph_type_count(a); i++) {
        lg_type left = lg_graph_type(a, i);
        lg_type right = lg_graph_type(b, i);
        if (!same_string(left.name, right.name) || left.node != right.node ||
            left.mro_count != right.mro_count ||
            left.category != right.category ||
            memcmp(left.mro, right.mro, left.mro_count * sizeof *left.mro))
            return false;
    }
    return true;
}

static bool
same_roots_and_info(const lg_graph *a, const lg_graph *b)
{
    if (lg_graph_root_count(a) != lg_graph_root_count(b) ||
        lg_graph_info_count(a) != lg_graph_info_count(b))
        return false;
    for (uint32_t i = 0; i < lg_graph_root_count(a); i++) {
        lg_root left = lg_graph_root(a, i);
        lg_root right = lg_graph_root(b, i);
        if (left.node != right.node || left.kind != right.kind ||
            !same_string(left.name, right.name))
            return false;
    }
    for (uint32_t i = 0; i < lg_graph_info_count(a); i++) {
        lg_string key[2];
        lg_string value[2];
        lg_graph_info(a, i, &key[0], &value[0]);
        lg_graph_info(b, i, &key[1], &value[1]);
        if (!same_string(key[0], key[1]) || !same_string(value[0], value[1]))
            return false;
    }
    return true;
}

static bool
same_facts(const lg_graph *a, const lg_graph *b, uint32_t node)
{
    lg_fact one, other;
    uint32_t i = 0;
    while (lg_node_fact_at(a, node, i, &one)) {
        if (!lg_node_fact_at(b, node, i++, &other) ||
            !same_string(one.key, other.key) ||
            !same_string(one.text, other.text))
            return false;
    }
    return !lg_node_fact_at(b, node, i, &other) &&
           lg_node_device(a, node) == lg_node_device(b, node);
}

static bool
same_blocks(const lg_graph *a, const lg_graph *b)
{
    size_t count[4];
    const lg_segment *segments[] = {lg_graph_segments(a, &count[0]),
                                    lg_graph_segments(b, &count[1])};
    const lg_block *blocks[] = {lg_graph_blocks(a, &count[2]),
                                lg_graph_blocks(b, &count[3])};
    return count[0] == count[1] && count[2] == count[3] &&
           !memcmp(segments[0], segments[1], count[0] * sizeof **segments) &&
           !memcmp(blocks[0], blocks[1], count[2] * sizeof **blocks);
}

bool
sample_equal(const lg_graph *a, const lg_graph *b)
{
    const lg_columns *columns = lg_graph_columns(a);
    if (!same_columns(columns, lg_graph_columns(b)) || !same_types(a, b) ||
        !same_roots_and_info(a, b) || !same_blocks(a, b) ||
        lg_graph_is_partial(a) != lg_graph_is_partial(b))
        return false;
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (lg_node_size(a, node) != lg_node_size(b, node) ||
            !same_facts(a, b, node) ||
            !same_string(lg_node_text(a, node), lg_node_text(b, node)))
            return false;
    uint32_t id = 0;
    while (lg_graph_string(a, id).length > 0 || id == 0) {
        if (!same_string(lg_graph_string(a, id), lg_graph_string(b, id)))
            return false;
        id++;
    }
    return true;
}

char *
sample_label(const lg_graph *graph, const lg_hop *hop)
{
    lg_text text = {0};
    lg_hop_label(graph, hop, &text);
    return text.data;
}
