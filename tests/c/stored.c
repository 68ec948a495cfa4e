#include "stored.h"

#include <leakgraph/builder.h>
#include <leakgraph/graph.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/segments.h>

#include <stdio.h>
#include <string.h>

enum { KIB = 1024, MIB = 1024 * 1024 };

static const struct {
    const char *type;
    const char *base;
    unsigned flags;
    const char *text;
} nodes[STORED_GIVEN] = {
    [STORED_THREAD] = {"thread", NULL, LG_NODE_SYNTHETIC, "MainThread"},
    [STORED_FRAME] = {"frame", NULL, 0, "train() train.py:9"},
    [STORED_TRAIN] = {"module", NULL, LG_NODE_TRACKED, "train"},
    [STORED_LAYER] = {"torch.nn.modules.linear.Linear",
                      "torch.nn.modules.module.Module", LG_NODE_TRACKED, NULL},
    [STORED_PARAMETERS] = {"dict", NULL, LG_NODE_TRACKED, NULL},
    [STORED_WEIGHT] = {"torch.nn.parameter.Parameter", "torch.Tensor",
                       LG_NODE_TRACKED, NULL},
    [STORED_GRADIENT] = {"torch.Tensor", NULL, LG_NODE_TRACKED, NULL},
    [STORED_OPTIMIZER] = {"torch.optim.adam.Adam",
                          "torch.optim.optimizer.Optimizer", LG_NODE_TRACKED,
                          NULL},
    [STORED_STATE] = {"dict", NULL, LG_NODE_TRACKED, NULL},
    [STORED_MOMENTS] = {"dict", NULL, LG_NODE_TRACKED, NULL},
    [STORED_MOMENT] = {"torch.Tensor", NULL, LG_NODE_TRACKED, NULL},
    [STORED_LOSSES] = {"list", NULL, LG_NODE_TRACKED, NULL},
    [STORED_LOSS] = {"torch.Tensor", NULL, LG_NODE_TRACKED, NULL},
    [STORED_MUL] = {"MulBackward0", "torch.autograd.Node",
                    LG_NODE_SYNTHETIC | LG_NODE_CPP, NULL},
    [STORED_SAVED] = {"torch.Tensor (C++)", "torch.Tensor",
                      LG_NODE_SYNTHETIC | LG_NODE_CPP, NULL},
    [STORED_BATCH] = {"torch.Tensor", NULL, LG_NODE_TRACKED, NULL},
    [STORED_SLICE] = {"torch.Tensor", NULL, LG_NODE_TRACKED, NULL},
    [STORED_ARRAY] = {"numpy.ndarray", NULL, 0, NULL},
    [STORED_TAIL] = {"numpy.ndarray", NULL, 0, NULL},
    [STORED_BYTES] = {"bytes", NULL, 0, NULL},
    [STORED_LETTERS] = {"numpy.ndarray", NULL, 0, NULL},
    [STORED_MAP] = {"mmap.mmap", NULL, 0, NULL},
};

static const struct {
    uint32_t source;
    uint32_t target;
    unsigned kind;
    const char *name;
} edges[] = {
    {STORED_THREAD, STORED_FRAME, LG_EDGE_FRAME, NULL},
    {STORED_FRAME, STORED_BATCH, LG_EDGE_LOCAL, "batch"},
    {STORED_FRAME, STORED_SLICE, LG_EDGE_LOCAL, "first"},
    {STORED_TRAIN, STORED_LAYER, LG_EDGE_ATTRIBUTE, "layer"},
    {STORED_TRAIN, STORED_OPTIMIZER, LG_EDGE_ATTRIBUTE, "optimizer"},
    {STORED_TRAIN, STORED_LOSSES, LG_EDGE_ATTRIBUTE, "losses"},
    {STORED_TRAIN, STORED_ARRAY, LG_EDGE_ATTRIBUTE, "array"},
    {STORED_TRAIN, STORED_TAIL, LG_EDGE_ATTRIBUTE, "tail"},
    {STORED_TRAIN, STORED_BYTES, LG_EDGE_ATTRIBUTE, "text"},
    {STORED_TRAIN, STORED_LETTERS, LG_EDGE_ATTRIBUTE, "letters"},
    {STORED_TRAIN, STORED_MAP, LG_EDGE_ATTRIBUTE, "map"},
    {STORED_LAYER, STORED_PARAMETERS, LG_EDGE_ATTRIBUTE, "_parameters"},
    {STORED_PARAMETERS, STORED_WEIGHT, LG_EDGE_VALUE, NULL},
    {STORED_WEIGHT, STORED_GRADIENT, LG_EDGE_ATTRIBUTE, "grad"},
    {STORED_OPTIMIZER, STORED_STATE, LG_EDGE_ATTRIBUTE, "state"},
    {STORED_STATE, STORED_WEIGHT, LG_EDGE_KEY, NULL},
    {STORED_STATE, STORED_MOMENTS, LG_EDGE_VALUE, NULL},
    {STORED_MOMENTS, STORED_MOMENT, LG_EDGE_VALUE, NULL},
    {STORED_LOSSES, STORED_LOSS, LG_EDGE_INDEX, NULL},
    {STORED_LOSS, STORED_MUL, LG_EDGE_ATTRIBUTE, "grad_fn"},
    {STORED_MUL, STORED_SAVED, LG_EDGE_NATIVE, "saved"},
    {STORED_TAIL, STORED_ARRAY, LG_EDGE_ATTRIBUTE, "base"},
    {STORED_LETTERS, STORED_BYTES, LG_EDGE_ATTRIBUTE, "base"},
};

static const struct {
    uint32_t holder;
    uint32_t device;
    uint64_t address;
    uint64_t length;
    uint64_t extra;
    unsigned flags;
    const char *type;
    const char *dtype; // bytes of the holder as well
    const char *shape;
    const char *shown; // bytes that the holder shows
} spans[] = {
    {STORED_WEIGHT, 1, STORED_GPU, MIB, 160, LG_SPAN_OWNER, "torch.storage",
     "float32", "512, 512", "1048576"},
    {STORED_GRADIENT, 1, STORED_GPU + MIB, MIB, 160, LG_SPAN_OWNER,
     "torch.storage", "float32", "512, 512", "1048576"},
    {STORED_MOMENT, 1, STORED_GPU + 2 * MIB, MIB, 160, LG_SPAN_OWNER,
     "torch.storage", "float32", "512, 512", "1048576"},
    {STORED_SAVED, 1, STORED_GPU + 3 * MIB, 100, 160, LG_SPAN_OWNER,
     "torch.storage", "float32", "25", "100"},
    {STORED_BATCH, 1, STORED_GPU + 3 * MIB + 512, 400 * KIB, 160, LG_SPAN_OWNER,
     "torch.storage", "uint8", "100, 4096", "409600"},
    {STORED_SLICE, 1, STORED_GPU + 3 * MIB + 512, 400 * KIB, 0, 0,
     "torch.storage", "uint8", "4096", "4096"},
    {STORED_LOSS, 0, 0x5000100, 4, 172, LG_SPAN_OWNER, "torch.storage",
     "float32", "", "4"},
    {STORED_ARRAY, 0, 0x5000000 - 8000, 8000, 16, LG_SPAN_OWNER, "numpy.memory",
     "float64", "1000", "8000"},
    {STORED_TAIL, 0, 0x5000000 - 80, 80, 0, 0, "numpy.memory", "float64", "10",
     "80"},
    {STORED_BYTES, 0, 0x6000020, 26, 0, LG_SPAN_OWNER | LG_SPAN_INLINE,
     "mmap.memory", NULL, NULL, NULL},
    {STORED_LETTERS, 0, 0x6000020, 26, 0, 0, "numpy.memory", "uint8", "26",
     "26"},
    {STORED_MAP, 0, 0x7f0000000000, 64 * KIB, 0, LG_SPAN_OWNER | LG_SPAN_MAPPED,
     "mmap.memory", NULL, NULL, NULL},
};

// Adds the blocks out of order, because callers need not sort them.
static const lg_segment segments[] = {
    {STORED_GPU + 4 * MIB, 2 * MIB, 7, 1, 0, 0, 1},
    {STORED_GPU, 2 * MIB, 0, 1, 0, 0, 0},
    {STORED_GPU + 2 * MIB, 2 * MIB, 0, 1, 0, 0, 0},
};

static const lg_block blocks[] = {
    {STORED_GPU + 2 * MIB, MIB, MIB, 2, LG_BLOCK_ALLOCATED, 0, 0},
    {STORED_GPU + 3 * MIB, 512, 100, 2, LG_BLOCK_ALLOCATED, 0, 0},
    {STORED_GPU + 3 * MIB + 512, 409600, 409600, 2, LG_BLOCK_ALLOCATED, 1, 0},
    {STORED_GPU + 3 * MIB + 410112, 638464, 638464, 2, LG_BLOCK_INACTIVE, 0, 0},
    {STORED_GPU, MIB, MIB, 1, LG_BLOCK_ALLOCATED, 0, 0},
    {STORED_GPU + MIB, MIB, MIB, 1, LG_BLOCK_ALLOCATED, 0, 0},
    {STORED_GPU + 4 * MIB, MIB, MIB, 0, LG_BLOCK_ALLOCATED, 0, 1},
    {STORED_GPU + 5 * MIB, MIB, MIB, 0, LG_BLOCK_PENDING, 0, 0},
};

static uint32_t
intern(lg_builder *builder, const char *text)
{
    return lg_builder_intern(builder, text, strlen(text));
}

static void
add_fact(lg_builder *builder, uint32_t node, const char *key, const char *value)
{
    lg_builder_add_fact(builder, node, key, value, strlen(value));
}

// Returns a type by name. Adds it, and first its base, if they are new.
static uint32_t
type_of(lg_builder *builder, const char *names[], uint32_t *count,
        const char *name, const char *base)
{
    uint32_t base_id = LG_NONE;
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return i + 1;
    if (base != NULL)
        base_id = type_of(builder, names, count, base, NULL);
    names[(*count)++] = name;
    return lg_builder_add_type(builder, name, strlen(name), LG_NONE, &base_id,
                               base != NULL);
}

static void
add_nodes(lg_builder *builder, const char *names[], uint32_t *types)
{
    for (uint32_t i = 0; i < STORED_GIVEN; i++) {
        uint32_t node =
            lg_builder_add_node(builder, 0x4000000 + 64 * (uint64_t)i);
        uint32_t type =
            type_of(builder, names, types, nodes[i].type, nodes[i].base);
        if (node == LG_NONE)
            return;
        lg_builder_put_type(builder, node, type);
        builder->node_flags[node] = (uint16_t)nodes[i].flags;
        lg_builder_set_size(builder, node, 100);
        if (nodes[i].text != NULL)
            lg_builder_set_text(builder, node, nodes[i].text,
                                strlen(nodes[i].text));
    }
}

static void
add_spans(lg_builder *builder, const char *names[], uint32_t *types)
{
    char text[64];
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        const char *dtype = spans[i].dtype;
        lg_span span = {
            .holder = spans[i].holder,
            .device = spans[i].device,
            .address = spans[i].address,
            .length = spans[i].length,
            .extra = spans[i].extra,
            .type = type_of(builder, names, types, spans[i].type, NULL),
            .label = intern(builder, "data"),
            .flags = spans[i].flags,
        };
        if (dtype != NULL) {
            snprintf(text, sizeof text, "%s[%s]", dtype, spans[i].shape);
            span.text = intern(builder, text);
            lg_builder_set_text(builder, span.holder, text, strlen(text));
            if (strcmp(spans[i].type, "torch.storage") == 0)
                add_fact(builder, span.holder, "device",
                         spans[i].device ? "cuda:0" : "cpu");
            add_fact(builder, span.holder, "dtype", dtype);
            add_fact(builder, span.holder, "shape", spans[i].shape);
            add_fact(builder, span.holder, "bytes", spans[i].shown);
        }
        lg_builder_add_span(builder, &span);
    }
}

static void
add_gpu(lg_builder *builder)
{
    uint32_t pool = intern(builder, "1.0");
    uint32_t frames = intern(builder, "load train.py:3 < train train.py:9");
    uint32_t kind = intern(builder, "small");
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        lg_segment segment = segments[i];
        segment.kind = kind;
        segment.pool = segment.stream ? pool : 0;
        lg_builder_add_segment(builder, &segment);
    }
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        lg_block block = blocks[i];
        block.frames = block.frames ? frames : 0;
        lg_builder_add_block(builder, &block);
    }
    lg_builder_set_info(builder, "device.cuda:0.allocated", "4604928");
    lg_builder_set_info(builder, "device.cuda:0.reserved", "6291456");
    lg_builder_set_info(builder, "device.cuda:0.driver_total", "85899345920");
    lg_builder_set_info(builder, "device.cuda:0.driver_free", "85000000000");
    lg_builder_set_info(builder, "memory.rss", "123456789");
}

lg_status
stored_new(const lg_allocator *allocator, lg_graph **out, lg_error *err)
{
    const char *names[40];
    uint32_t types = 0;
    lg_builder *builder;
    lg_status status = lg_builder_new_in(allocator, &builder, err);
    if (status != LG_OK)
        return status;
    lg_builder_add_device(builder, "cuda:0");
    add_nodes(builder, names, &types);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        lg_builder_add_late_edge(builder, edges[i].source, edges[i].target,
                                 edges[i].kind,
                                 edges[i].name ? intern(builder, edges[i].name)
                                 : edges[i].kind == LG_EDGE_VALUE ? LG_NONE
                                                                  : 0);
    add_spans(builder, names, &types);
    add_gpu(builder);
    add_fact(builder, STORED_LOSS, "requires_grad", "no");
    add_fact(builder, STORED_LOSS, "requires_grad", "yes");
    add_fact(builder, STORED_LOSS, "remark", "the user's own words");
    add_fact(builder, STORED_MUL, "saved", "1");
    lg_builder_add_root(builder, STORED_THREAD, LG_ROOT_THREAD, "MainThread",
                        10);
    lg_builder_add_root(builder, STORED_TRAIN, LG_ROOT_MODULE, "train", 5);
    return lg_builder_finish(builder, out, err);
}
