#include "twins.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

static uint8_t memory[8][TWIN_MEMORY];

// Memory that the read refuses.
static uint8_t gone[TWIN_MEMORY];

static bool
read_memory(void *to, const void *from, size_t size)
{
    const uint8_t *at = from;
    if (at >= gone && at < gone + sizeof gone)
        return false;
    memcpy(to, from, size);
    return true;
}

lg_comparison
twins_options(void)
{
    return (lg_comparison){.seed = 7, .read = read_memory};
}

static const char *const types[TWIN_COUNT] = {
    "module",        "list",          "str",           "str",
    "str",           "bytes",         "numpy.ndarray", "numpy.ndarray",
    "numpy.ndarray", "numpy.ndarray", "numpy.ndarray", "numpy.ndarray",
    "numpy.ndarray", "numpy.ndarray", "numpy.ndarray"};

static void
add_nodes(lg_builder *builder, uint32_t *array)
{
    for (uint32_t i = 0; i < TWIN_COUNT; i++) {
        lg_builder_add_node(builder, 4096 + 64 * (uint64_t)i);
        lg_builder_put_type(builder, i,
                            i > 0 && strcmp(types[i], types[i - 1]) == 0
                                ? builder->type[i - 1]
                                : lg_builder_add_type(builder, types[i],
                                                      strlen(types[i]), LG_NONE,
                                                      NULL, 0));
        lg_builder_set_size(builder, i, i < TWIN_ARRAY ? 100 : 112);
        builder->refcount[i] = 1;
    }
    *array = builder->type[TWIN_ARRAY];
}

static void
add_edges(lg_builder *builder)
{
    lg_builder_add_late_edge(builder, TWIN_APP, TWIN_LIST, LG_EDGE_ATTRIBUTE,
                             lg_builder_intern(builder, "all", 3));
    for (uint32_t i = TWIN_LIST + 1; i < TWIN_COUNT; i++)
        lg_builder_add_late_edge(builder, TWIN_LIST, i, LG_EDGE_INDEX,
                                 i - TWIN_LIST - 1);
    lg_builder_add_root(builder, TWIN_APP, LG_ROOT_MODULE, "app", 3);
}

static void
add_texts(lg_builder *builder)
{
    const char *other = "correct horse batters";
    size_t length = strlen(TWIN_SECRET);
    lg_builder_add_contents(builder, TWIN_TEXT, 1, TWIN_SECRET, length);
    lg_builder_add_contents(builder, TWIN_SAME, 1, TWIN_SECRET, length);
    lg_builder_add_contents(builder, TWIN_OTHER, 1, other, length);
    lg_builder_add_contents(builder, TWIN_BYTES, 0, TWIN_SECRET, length);
}

static void
add_span(lg_builder *builder, lg_span span, const uint8_t *at, const char *text)
{
    span.address = (uint64_t)(uintptr_t)at;
    span.length = TWIN_MEMORY;
    span.flags |= LG_SPAN_OWNER;
    span.label = lg_builder_intern(builder, "data", 4);
    span.text = lg_builder_intern(builder, text, strlen(text));
    lg_builder_add_span(builder, &span);
}

static void
add_spans(lg_builder *builder, uint32_t type)
{
    const char *flat = "uint8[6000]";
    memory[2][TWIN_MEMORY - 1] = 1;
    lg_builder_add_device(builder, "cuda:0");
    const struct {
        lg_span span;
        const uint8_t *at;
        const char *text;
    } all[] = {
        {{.holder = TWIN_ALIAS}, memory[0], flat},
        {{.holder = TWIN_ARRAY}, memory[0], flat},
        {{.holder = TWIN_COPY}, memory[1], "uint8[60, 100]"},
        {{.holder = TWIN_CHANGED}, memory[2], flat},
        {{.holder = TWIN_TYPED}, memory[3], "int8[6000]"},
        {{.holder = TWIN_DOUBLE}, memory[4], flat},
        {{.holder = TWIN_DOUBLE}, memory[5], flat},
        {{.holder = TWIN_MAPPED, .flags = LG_SPAN_MAPPED}, memory[6], flat},
        {{.holder = TWIN_DEVICE, .device = 1}, memory[7], flat},
        {{.holder = TWIN_GONE}, gone, flat},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        lg_span span = all[i].span;
        span.type = type;
        add_span(builder, span, all[i].at, all[i].text);
    }
}

lg_status
twins_made(const lg_allocator *allocator, const lg_comparison *options,
           lg_graph **out, lg_error *err)
{
    uint32_t array;
    lg_builder *builder;
    lg_status status = lg_builder_new_in(allocator, &builder, err);
    if (status != LG_OK)
        return status;
    if (options != NULL)
        lg_builder_compare_contents(builder, options);
    if (lg_builder_reserve(builder, TWIN_COUNT, 1)) {
        add_nodes(builder, &array);
        add_edges(builder);
        add_texts(builder);
        add_spans(builder, array);
        lg_builder_add_span_contents(builder);
    } else {
        builder->status = LG_ENOMEM;
    }
    return lg_builder_finish(builder, out, err);
}

lg_status
twins_new(const lg_allocator *allocator, lg_graph **out, lg_error *err)
{
    lg_comparison options = twins_options();
    return twins_made(allocator, &options, out, err);
}
