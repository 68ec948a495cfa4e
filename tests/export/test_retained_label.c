// The text in a picture about the bytes that an object retains.
#include "shapes.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/capture_builder.h>
#include "test.h"

// Next to bytes on a device, the label gives the host's bytes if they are at
// least a thousandth.
static void
test_small_parts_on_the_host_are_not_told(void)
{
    static const struct {
        uint64_t device;
        uint64_t host;
        const char *expected;
    } cases[] = {
        {1000000, 1000, ";977 KiB cuda:0 · 1000 B host</FONT>"},
        {1000000, 999, ";977 KiB cuda:0</FONT>"},
        {500, 0, ";500 B cuda:0</FONT>"},
        {0, 400, ";400 B</FONT>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_heap heap;
        lg_analysis *analysis = NULL;
        lg_text dot = {0};
        lg_view *view = NULL;
        heap_open(&heap);
        lg_builder_add_device(heap.builder, "cuda:0");
        uint32_t app = heap_add_module(&heap, "app");
        uint32_t owner = heap_add(&heap, "app.Owner", cases[i].host);
        uint32_t memory = heap_add(&heap, "torch.storage", cases[i].device);
        heap_attribute(&heap, app, owner, "owner");
        heap_attribute(&heap, owner, memory, "memory");
        lg_builder_set_device(heap.builder, memory, 1);
        lg_graph *graph = heap_close(&heap);
        REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
        REQUIRE(!view_why(analysis, owner, NULL, &view));
        REQUIRE(!lg_view_dot(view, NULL, &dot, NULL));
        if (!strstr(dot.data, cases[i].expected))
            fprintf(stderr, "no '%s' in\n%s", cases[i].expected, dot.data);
        CHECK(strstr(dot.data, cases[i].expected));
        lg_text_free(&dot);
        lg_view_free(view);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

static void
expect_devices(lg_view *view, const char *title, const char *retained)
{
    lg_text json = {0};
    REQUIRE(!lg_view_json(view, &json, NULL));
    const char *box = strstr(json.data, title);
    const char *end = box ? strchr(box, '\n') : NULL;
    const char *said = box ? strstr(box, "\"retained\": ") : NULL;
    CHECK(
        end && said && said < end &&
        !strncmp(said + strlen("\"retained\": "), retained, strlen(retained)));
    lg_text_free(&json);
    lg_view_free(view);
}

// The JSON of every picture names the devices.
static void
test_json_names_devices(void)
{
    static const char expected[] =
        "{\"host\": 100, \"cuda:0\": 3000, \"cuda:1\": 40000}";
    static const char everything[] =
        "{\"host\": 172, \"cuda:0\": 3000, \"cuda:1\": 40000}";
    test_heap heap;
    lg_analysis *analysis = NULL;
    lg_view *view = NULL;
    heap_open(&heap);
    lg_builder_add_device(heap.builder, "cuda:0");
    lg_builder_add_device(heap.builder, "cuda:1");
    uint32_t app = heap_add_module(&heap, "app");
    uint32_t owner = heap_add(&heap, "app.Owner", 100);
    heap_attribute(&heap, app, owner, "owner");
    for (uint32_t on = 1; on <= 2; on++) {
        uint32_t memory =
            heap_add(&heap, "torch.storage", on == 1 ? 3000 : 40000);
        heap_attribute(&heap, owner, memory, on == 1 ? "first" : "second");
        lg_builder_set_device(heap.builder, memory, on);
    }
    lg_graph *graph = heap_close(&heap);
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    REQUIRE(!view_why(analysis, owner, NULL, &view));
    expect_devices(view, "\"title\": \"Owner", expected);
    REQUIRE(!lg_view_dominators(analysis, NULL, NULL, NULL, &view, NULL));
    expect_devices(view, "everything alive", everything);
    REQUIRE(!lg_view_paths(analysis, &owner, 1, NULL, NULL, &view, NULL));
    expect_devices(view, "\"title\": \"Owner", expected);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static lg_graph *
make_graph(uint32_t nodes, bool partial)
{
    lg_builder *builder;
    lg_graph *graph = NULL;
    REQUIRE(!lg_builder_new(&builder, NULL));
    uint32_t type = lg_builder_add_type(builder, "int", 3, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = lg_builder_add_node(builder, 16 * (uint64_t)i + 16);
        lg_builder_put_type(builder, node, type);
    }
    if (partial)
        lg_builder_set_partial(builder, "roots");
    REQUIRE(!lg_builder_finish(builder, &graph, NULL));
    return graph;
}

// A picture of two million objects analyses the heap unasked.
static void
test_what_is_quick(void)
{
    static const struct {
        uint32_t nodes;
        bool partial;
        bool quick;
    } cases[] = {
        {3, false, true},
        {3, true, false},
        {2000000, false, true},
        {2000001, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_graph *graph = make_graph(cases[i].nodes, cases[i].partial);
        CHECK(lg_view_is_quick(graph) == cases[i].quick);
        lg_graph_free(graph);
    }
}

SUITE(retained_label)
{
    RUN(test_what_is_quick);
    RUN(test_small_parts_on_the_host_are_not_told);
    RUN(test_json_names_devices);
    return test_result();
}
