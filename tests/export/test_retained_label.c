// What a picture says of the bytes that an object retains.
#include "shapes.h"
#include "test.h"

// Beside what is on a device, the host's part is told from a thousandth on.
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

SUITE(retained_label)
{
    RUN(test_small_parts_on_the_host_are_not_told);
    return test_result();
}
