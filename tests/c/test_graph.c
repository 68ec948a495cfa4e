// Accessors, the reverse and address indexes, and categories.
#include <pthread.h>

#include <leakgraph/builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/facts.h>

#include "drawn.h"
#include "graph/graph_private.h"
#include "sample.h"
#include "test.h"

static void
referrers(void)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        lg_graph *graph = sample_random(seed, 40, false);
        const lg_columns *columns = lg_graph_columns(graph);
        uint64_t total = 0;
        for (uint32_t node = 0; node < 40; node++) {
            uint64_t edges[400];
            uint64_t count = lg_node_referrers(graph, node, edges, 400);
            CHECK(lg_node_referrers(graph, node, NULL, 0) == count);
            for (uint64_t i = 0; i < count; i++) {
                CHECK(lg_columns_target(columns, edges[i]) == node);
                CHECK(i == 0 || edges[i] > edges[i - 1]);
            }
            total += count;
        }
        CHECK(total == columns->edge_count);
        lg_graph_free(graph);
    }
}

static void
sources_of_referrers(void)
{
    const lg_allocator allocator = lg_allocator_default();
    for (uint64_t seed = 0; seed < 20; seed++) {
        lg_graph *graph = sample_random(seed, 40, false);
        const lg_columns *columns = lg_graph_columns(graph);
        lg__reverse reverse;
        REQUIRE(lg__reverse_make(columns, &allocator, &reverse));
        for (uint64_t place = 0; place < columns->edge_count; place++) {
            lg__in_edge in = lg__in_at(&reverse, place);
            CHECK(in.source == lg__in_source(&reverse, place));
            CHECK(in.edge >= lg_columns_first_edge(columns, in.source) &&
                  in.edge < lg_columns_first_edge(columns, in.source + 1));
        }
        lg__reverse_free(columns, &allocator, &reverse);
        lg_graph_free(graph);
    }
}

static void
addresses(void)
{
    lg_builder *builder;
    lg_graph *graph;
    uint64_t state = 3;
    uint64_t given[2000];
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < 2000; i++) {
        given[i] = (uint64_t)test_random(&state) << (test_random(&state) % 33);
        given[i] |= 1;
        lg_builder_add_node(builder, i % 100 == 0 ? 0 : given[i]);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_graph_find(graph, 2) == LG_NONE);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t found = lg_graph_find(graph, given[i]);
        if (i % 100 != 0)
            CHECK(found <= i && lg_columns_address(lg_graph_columns(graph),
                                                   found) == given[i]);
    }
    CHECK(lg_graph_find(graph, 0) == LG_NONE);
    CHECK(lg_graph_find(graph, 2) == LG_NONE);
    CHECK(lg_graph_find(graph, UINT64_MAX) == LG_NONE);
    lg_graph_free(graph);
}

static lg_category
category(const lg_graph *graph, uint32_t node)
{
    return lg_graph_type(graph, lg_columns_type(lg_graph_columns(graph), node))
        .category;
}

static void
categories(void)
{
    lg_graph *graph;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    CHECK(category(graph, SAMPLE_THREAD) == LG_CATEGORY_ROOT);
    CHECK(category(graph, SAMPLE_FRAME) == LG_CATEGORY_FRAME);
    CHECK(category(graph, SAMPLE_TRAIN) == LG_CATEGORY_MODULE);
    CHECK(category(graph, SAMPLE_STATE) == LG_CATEGORY_CONTAINER);
    CHECK(category(graph, SAMPLE_LOSS) == LG_CATEGORY_TENSOR);
    CHECK(category(graph, SAMPLE_HUGE) == LG_CATEGORY_ARRAY);
    CHECK(category(graph, SAMPLE_STEP) == LG_CATEGORY_FUNCTION);
    CHECK(category(graph, SAMPLE_NUMBER) == LG_CATEGORY_ATOM);
    CHECK(category(graph, SAMPLE_CLASS) == LG_CATEGORY_TYPE);
    CHECK(category(graph, SAMPLE_MODEL) == LG_CATEGORY_OTHER);
    lg_graph_free(graph);
}

// A subclass has the categories of its bases.
static void
inherited_categories(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t exception =
        lg_builder_add_type(builder, "BaseException", 13, LG_NONE, NULL, 0);
    uint32_t error =
        lg_builder_add_type(builder, "MyError", 7, LG_NONE, &exception, 1);
    uint32_t storage = lg_builder_add_type(
        builder, "torch.storage.UntypedStorage", 28, LG_NONE, NULL, 0);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_graph_type(graph, error).category == LG_CATEGORY_EXCEPTION);
    CHECK(lg_graph_type(graph, storage).category == LG_CATEGORY_TENSOR);
    CHECK(lg_graph_type(graph, error).mro_count == 2);
    CHECK(lg_graph_type(graph, error).mro[0] == error);
    CHECK(lg_graph_type(graph, 0).category == LG_CATEGORY_OTHER);
    lg_graph_free(graph);
}

static void
info(void)
{
    lg_graph *graph;
    lg_string key;
    lg_string value;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    CHECK(lg_graph_info_count(graph) == 4);
    lg_graph_info(graph, 2, &key, &value);
    CHECK(key.length == 3 && memcmp(key.data, "pid", 3) == 0);
    CHECK(value.length == 4 && memcmp(value.data, "4321", 4) == 0);
    CHECK(lg_graph_info_find(graph, "absent").length == 0);
    lg_graph_free(graph);
}

static void *
use(void *context)
{
    const lg_graph *graph = context;
    lg_hops hops;
    for (uint32_t node = 0; node < SAMPLE_COUNT; node++) {
        CHECK(lg_graph_find(graph, SAMPLE_ADDRESS(node)) == node);
        CHECK(lg_node_hops_in(graph, node, &hops, NULL) == LG_OK);
        lg_hops_free(&hops);
    }
    return NULL;
}

static void
many_threads(void)
{
    lg_graph *graph;
    pthread_t threads[4];
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    for (size_t i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, use, graph) == 0);
    for (size_t i = 0; i < 4; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    lg_graph_free(graph);
}

static void
devices(void)
{
    lg_error err;
    uint32_t device = 9;
    lg_graph *graph = drawn_with_devices();
    CHECK(!lg_graph_device_find(graph, "cuda:1", &device, &err) && device == 2);
    CHECK(!lg_graph_device_find(graph, "host", &device, &err) && device == 0);
    CHECK(!lg_graph_device_find(graph, "cpu", &device, &err) && device == 0);
    device = 9;
    CHECK(lg_graph_device_find(graph, "cuda", &device, &err) == LG_ENOTFOUND);
    CHECK(device == 9);
    CHECK(strcmp(err.message, "the snapshot has no device 'cuda'; it has "
                              "'host', 'cuda:0', 'cuda:1'") == 0);
    lg_graph_free(graph);
}

SUITE(graph)
{
    RUN(devices);
    RUN(referrers);
    RUN(sources_of_referrers);
    RUN(addresses);
    RUN(categories);
    RUN(inherited_categories);
    RUN(info);
    RUN(many_threads);
    return test_result();
}
