// The limits of a picture: the objects within each limit, and one beyond it.

#include "heap.h"
#include "test.h"

#include <leakgraph/view.h>

// The text of a picture of the first `count` nodes.
static lg_status
draw(const lg_graph *graph, size_t count, lg_view_options options, lg_text *out,
     lg_error *err)
{
    uint32_t nodes[16];
    lg_view *view = NULL;
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = i;
    lg_status status =
        lg_view_new(graph, nodes, count, &options, NULL, &view, err);
    if (!status)
        REQUIRE(!lg_view_text(view, out, NULL));
    lg_view_free(view);
    return status;
}

// The text of a picture of the heap's first node. Closes the heap.
static lg_text
draw_first(test_heap *heap, lg_view_options options)
{
    lg_error error = {0};
    lg_text text = {0};
    lg_graph *graph = heap_close(heap);
    REQUIRE(!draw(graph, 1, options, &text, &error));
    lg_graph_free(graph);
    return text;
}

static void
check_says(const lg_text *text, const char *what, bool expected)
{
    bool says = strstr(text->data, what) != NULL;
    if (says != expected)
        fprintf(stderr, "%s '%s' in\n%s", expected ? "no" : "there is", what,
                text->data);
    CHECK(says == expected);
}

static void
test_paths_to_eight_objects(void)
{
    test_heap heap;
    lg_error error = {0};
    lg_text text = {0};
    lg_view_options options = {
        .size = sizeof options, .direction = LG_PATH, .max_nodes = 120};
    heap_open(&heap);
    for (uint32_t i = 0; i < 9; i++)
        heap_add(&heap, "app.Data", 48);
    uint32_t app = heap_add_module(&heap, "app");
    for (uint32_t i = 0; i < 9; i++)
        heap_index(&heap, app, i, i);
    lg_graph *graph = heap_close(&heap);
    CHECK(draw(graph, 8, options, &text, &error) == LG_OK);
    CHECK(draw(graph, 9, options, &text, &error) == LG_EINVAL);
    CHECK(strstr(error.message, "give at most 8 nodes"));
    lg_text_free(&text);
    lg_graph_free(graph);
}

// A picture omits the numbers and texts that a neighbour keeps, unless they are
// big.
static void
test_values_are_shown_from_16_kib_on(void)
{
    for (uint32_t less = 0; less < 2; less++) {
        test_heap heap;
        lg_view_options options = {
            .size = sizeof options, .direction = LG_REFS, .max_depth = 3};
        heap_open(&heap);
        uint32_t owner = heap_add(&heap, "app.Owner", 48);
        uint32_t part = heap_add(&heap, "app.Part", 48);
        heap_attribute(&heap, owner, part, "part");
        for (uint32_t i = 0; i < 8; i++)
            heap_index(&heap, part,
                       heap_add(&heap, "bytes", 2048 - (i == 0 ? less : 0)), i);
        lg_text text = draw_first(&heap, options);
        check_says(&text, "bytes", !less);
        lg_text_free(&text);
    }
}

// In a picture of many nodes, a neighbour with a tenth of the heaviest one's
// bytes is opened, and a lighter one is not.
static void
test_a_tenth_of_the_heaviest_is_opened(void)
{
    for (uint32_t less = 0; less < 2; less++) {
        test_heap heap;
        lg_view_options options = {
            .size = sizeof options, .direction = LG_REFS, .max_nodes = 300};
        heap_open(&heap);
        uint32_t owner = heap_add(&heap, "app.Owner", 48);
        for (uint32_t i = 0; i < 26; i++) {
            static char outer[26][32],
                inner[26][32]; // the heap keeps these names
            snprintf(outer[i], sizeof outer[i], "app.Part%u", i);
            snprintf(inner[i], sizeof inner[i], "app.Inner%u", i);
            uint64_t bytes = i == 4 ? 100000 : i == 17 ? 10000 - less : 100;
            uint32_t part = heap_add(&heap, outer[i], 0);
            uint32_t last = heap_add(&heap, inner[i], bytes);
            heap_index(&heap, owner, part, i);
            heap_index(&heap, part, last, 0);
        }
        lg_text text = draw_first(&heap, options);
        check_says(&text, "Inner4 ", true);
        check_says(&text, "Inner16 ", false);
        check_says(&text, "Inner17 ", !less);
        lg_text_free(&text);
    }
}

// A picture shows all of a path of 16 objects, and the ends of a longer one.
static void
test_the_longest_path(void)
{
    for (uint32_t count = 16; count < 18; count++) {
        test_heap heap;
        lg_view_options options = {
            .size = sizeof options, .direction = LG_PATH, .max_nodes = 120};
        heap_open(&heap);
        for (uint32_t i = 0; i < count - 1; i++) {
            heap_add(&heap, "app.Link", 48);
            if (i > 0)
                heap_attribute(&heap, i, i - 1, "next");
        }
        heap_attribute(&heap, heap_add_module(&heap, "app"), count - 2, "x");
        lg_text text = draw_first(&heap, options);
        check_says(&text, " more objects", count > 16);
        lg_text_free(&text);
    }
}

// Values that share one box name the first five.
static void
test_five_names_of_values(void)
{
    static const char *const names[] = {"v0", "v1", "v2", "v3",
                                        "v4", "v5", "v6"};
    static const char *const expected[] = {".v0 .v1 .v2 .v3 .v4  ",
                                           ".v0 .v1 .v2 .v3 .v4 …"};
    for (uint32_t count = 5; count < 7; count++) {
        test_heap heap;
        lg_view_options options = {
            .size = sizeof options, .direction = LG_REFS, .max_siblings = 8};
        heap_open(&heap);
        uint32_t owner = heap_add(&heap, "app.Owner", 48);
        for (uint32_t i = 0; i < count; i++)
            heap_attribute(&heap, owner, heap_add(&heap, "int", 28), names[i]);
        lg_text text = draw_first(&heap, options);
        check_says(&text, expected[count - 5], true);
        lg_text_free(&text);
    }
}

SUITE(picked)
{
    RUN(test_paths_to_eight_objects);
    RUN(test_values_are_shown_from_16_kib_on);
    RUN(test_a_tenth_of_the_heaviest_is_opened);
    RUN(test_the_longest_path);
    RUN(test_five_names_of_values);
    return test_result();
}
