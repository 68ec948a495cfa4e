// Types, sizes and flags become one number where nodes have few shapes, and
// are read as before.
#include <string.h>
#include <unistd.h>

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/draft.h>

#include "build/build_private.h"
#include "scarce.h"
#include "test.h"

enum { TYPES = 5 };

// A heap of which each node has one of so many shapes.
typedef struct heap_plan {
    uint32_t nodes;
    uint32_t shapes;
    uint32_t types;
} heap_plan;

static uint32_t
type_of(const heap_plan *plan, uint32_t node)
{
    return 1 + node % plan->shapes % plan->types;
}

// Some have more bits than the columns of a builder or of a file have room for.
static uint64_t
size_of(const heap_plan *plan, uint32_t node)
{
    const uint64_t shape = node % plan->shapes;
    return shape % 7 == 3   ? 65533 + shape
           : shape % 7 == 4 ? UINT32_MAX - shape
           : shape == 12    ? UINT64_C(1) << 40
                            : shape;
}

static unsigned
flags_of(const heap_plan *plan, uint32_t node)
{
    return LG_NODE_SYNTHETIC |
           (node % plan->shapes % 3 == 0 ? LG_NODE_BUFFER : 0);
}

static lg_builder *
filled(const heap_plan *plan)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < plan->types; i++)
        lg_builder_add_type(builder, "t", 1, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const lg_node node = lg_builder_add_node(builder, 64 * (i + 1));
        lg_builder_put_type(builder, node, type_of(plan, i));
        lg_builder_put_size(builder, node, size_of(plan, i));
        lg_builder_mark(builder, node, flags_of(plan, i));
    }
    return builder;
}

static lg_graph *
made(const heap_plan *plan)
{
    lg_graph *graph;
    REQUIRE(lg_builder_finish(filled(plan), &graph, NULL) == LG_OK);
    return graph;
}

static bool
reads_as_given(const lg_graph *graph, const heap_plan *plan)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t node = 0;
    while (node < plan->nodes &&
           lg_columns_type(columns, node) == type_of(plan, node) &&
           lg_node_size(graph, node) == size_of(plan, node) &&
           lg_columns_flags(columns, node) == flags_of(plan, node))
        node++;
    return node == plan->nodes && lg_graph_check(graph, NULL) == LG_OK;
}

static bool
writes_as_given(const lg_graph *graph, const heap_plan *plan)
{
    enum { FROM = 37, COUNT = 300 };
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t types[COUNT], sizes[COUNT];
    uint16_t flags[COUNT];
    lg_columns_write(columns, LG_NARROW_TYPE, FROM, COUNT, types);
    lg_columns_write(columns, LG_NARROW_SIZE, FROM, COUNT, sizes);
    lg_columns_write(columns, LG_NARROW_FLAGS, FROM, COUNT, flags);
    bool same = true;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t size = size_of(plan, FROM + i);
        same = same && types[i] == type_of(plan, FROM + i) &&
               sizes[i] == (size < UINT32_MAX ? size : UINT32_MAX) &&
               flags[i] == flags_of(plan, FROM + i);
    }
    return same;
}

static bool
has_shapes(const lg_graph *graph)
{
    return lg_graph_columns(graph)->shape.number != NULL;
}

static void
few(void)
{
    static const heap_plan plans[] = {
        {4000, 1, TYPES},
        {4000, 255, TYPES},
        {4000, 500, TYPES},
        {70000, 300, 200},
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        lg_graph *graph = made(&plans[i]);
        CHECK(has_shapes(graph));
        CHECK(reads_as_given(graph, &plans[i]));
        CHECK(writes_as_given(graph, &plans[i]));
        CHECK(lg__shapes_make(graph) && reads_as_given(graph, &plans[i]));
        lg_graph_free(graph);
    }
}

// What a graph has that has more shapes than numbers, or than are worth it.
static void
many(void)
{
    static const struct {
        heap_plan plan;
        bool shaped;
    } cases[] = {
        {{4000, 501, TYPES}, false},
        {{4000, 4000, TYPES}, false},
        {{LG__SHAPED * LG__SHAPES, LG__SHAPES, TYPES}, true},
        {{LG__SHAPED * (LG__SHAPES + 1), LG__SHAPES + 1, TYPES}, false},
        {{4000, 100, LG__SHAPE_TYPES - 1}, true},
        {{4000, 100, LG__SHAPE_TYPES}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_graph *graph = made(&cases[i].plan);
        CHECK(has_shapes(graph) == cases[i].shaped);
        CHECK(reads_as_given(graph, &cases[i].plan));
        CHECK(writes_as_given(graph, &cases[i].plan));
        lg_graph_free(graph);
    }
}

// Files have the columns, whatever the form in memory. Those of an uncompressed
// file that is mapped stay there.
static void
files(void)
{
    static const heap_plan plans[] = {{4000, 300, TYPES}, {4000, 4000, TYPES}};
    char path[] = "/tmp/leakgraph-XXXXXX";
    int descriptor = mkstemp(path);
    REQUIRE(descriptor >= 0);
    close(descriptor);
    for (int way = 0; way < 8; way++) {
        const heap_plan *plan = &plans[way / 4];
        lg_save_options options = LG_SAVE_OPTIONS_INIT;
        lg_graph *graph = made(plan);
        lg_graph *again;
        options.compress = way % 2;
        REQUIRE(lg_graph_save(graph, path, &options, NULL, NULL) == LG_OK);
        REQUIRE(lg_graph_load(path, way / 2 % 2 ? LG_LOAD_MAPPED : 0, NULL,
                              &again, NULL) == LG_OK);
        CHECK(has_shapes(again) == (plan == plans && way != 2));
        CHECK(reads_as_given(again, plan) && writes_as_given(again, plan));
        lg_graph_free(again);
        lg_graph_free(graph);
    }
    unlink(path);
}

static void
copies(void)
{
    static const heap_plan plan = {4000, 300, TYPES};
    lg_graph *graph = made(&plan);
    lg_graph *stripped, *without;
    REQUIRE(lg_graph_strip(graph, &stripped, NULL) == LG_OK);
    CHECK(has_shapes(stripped) && reads_as_given(stripped, &plan));
    lg_graph_free(stripped);
    REQUIRE(lg__graph_without(graph, NULL, 0, &without, NULL) == LG_OK);
    CHECK(reads_as_given(without, &plan));
    lg_graph_free(without);
    lg_graph_free(graph);
}

// Two bytes a node instead of five, and ten a shape.
static void
memory(void)
{
    static const heap_plan shaped = {40000, 200, TYPES};
    lg_graph *graph = made(&shaped);
    const lg__array *array = graph->array;
    CHECK(array[LG__TYPE].owned == NULL && array[LG__NODE_FLAGS].owned == NULL);
    CHECK(array[LG__SIZE].owned_size == shaped.nodes * sizeof(uint16_t));
    CHECK(graph->beside[LG_NARROW_SIZE].owned_size == 200 * 10);
    lg_graph_free(graph);
}

// Without memory for shapes, a graph fails, and a builder leaves nothing.
static void
scarce(void)
{
    static const heap_plan plan = {4000, 300, TYPES};
    long succeed = 0;
    lg_status status = LG_ENOMEM;
    for (; status != LG_OK; succeed++) {
        lg_builder *builder = filled(&plan);
        lg_graph *graph = NULL;
        malloc_left = succeed;
        status = lg_builder_finish(builder, &graph, NULL);
        malloc_left = -1;
        CHECK(status == LG_OK || status == LG_ENOMEM);
        if (status == LG_OK) {
            CHECK(has_shapes(graph) && reads_as_given(graph, &plan));
            lg_graph_free(graph);
        }
    }
    CHECK(succeed > 10);
}

SUITE(shapes)
{
    RUN(few);
    RUN(many);
    RUN(files);
    RUN(copies);
    RUN(memory);
    RUN(scarce);
    return test_result();
}
