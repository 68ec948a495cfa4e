// The limits of a picture: the objects at each limit, and one beyond it; and
// what stands out.

#include "asked.h"
#include "heap.h"
#include "test.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/cycles.h>
#include <leakgraph/view.h>
#include <leakgraph/why.h>
#include <leakgraph/internal/answer_views.h>

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

// In a picture of many nodes, a neighbour opens if it has a tenth of the
// heaviest one's bytes; a lighter one does not.
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

// The text of a picture of why the node is alive. Closes the heap.
static lg_text
draw_why(test_heap *heap, uint32_t node)
{
    lg_why why;
    lg_view *view = NULL;
    lg_analysis *analysis = NULL;
    lg_text text = {0};
    lg_graph *graph = heap_close(heap);
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    REQUIRE(!lg_node_why(analysis, node, NULL, &why, NULL));
    REQUIRE(!lg_view_why(&why, NULL, NULL, &view, NULL));
    REQUIRE(!lg_view_text(view, &text, NULL));
    lg_view_free(view);
    lg_why_clear(&why);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return text;
}

// A path of 40 links. Cutting one of two references is not enough, so it can be
// cut only at `cut`, and at its begin if `also_first`. Returns its last link.
static uint32_t
add_links(test_heap *heap, uint32_t cut, bool also_first)
{
    enum { LINKS = 40 };
    static char names[LINKS][16]; // the heap keeps these names
    uint32_t last = heap_add_module(heap, "app");
    for (uint32_t i = 0; i < LINKS; i++) {
        uint32_t next = heap_add(heap, "app.Link", 48);
        snprintf(names[i], sizeof names[i], "part%u", i);
        heap_attribute(heap, last, next, names[i]);
        if (i != cut && (i != 0 || !also_first))
            heap_attribute(heap, last, next, "twin");
        last = next;
    }
    return last;
}

// The two hops around the reference to cut are drawn in the middle of a long
// path, and the last two at its end.
static void
test_what_to_cut_in_the_middle_of_a_path(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t last = add_links(&heap, 20, false);
    lg_text text = draw_why(&heap, last);
    check_says(&text, ".part19\n", true);
    check_says(&text, ".part20\n", true);
    check_says(&text, ".part21\n", false);
    check_says(&text, ".part38\n", true);
    lg_text_free(&text);
}

// If the ends of a long path show a reference to cut, its middle is folded.
static void
test_what_to_cut_at_an_end_of_a_path(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t last = add_links(&heap, 20, true);
    lg_text text = draw_why(&heap, last);
    check_says(&text, ".part0\n", true);
    check_says(&text, ".part20\n", false);
    lg_text_free(&text);
}

// A path that half of the objects share does not stand out.
static void
test_most_objects_stand_out(void)
{
    for (uint32_t third = 0; third < 2; third++) {
        test_heap heap;
        lg_view *view = NULL;
        lg_analysis *analysis = NULL;
        lg_text dot = {0};
        uint32_t nodes[3];
        heap_open(&heap);
        uint32_t app = heap_add_module(&heap, "app");
        nodes[0] = heap_add(&heap, "app.Data", 48);
        nodes[1] = heap_add(&heap, "app.Data", 48);
        nodes[2] = heap_add(&heap, "app.Data", 48);
        heap_attribute(&heap, app, nodes[0], "one");
        heap_attribute(&heap, app, nodes[1], third ? "one" : "other");
        heap_attribute(&heap, app, nodes[2], "rest");
        lg_graph *graph = heap_close(&heap);
        REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
        REQUIRE(!lg_view_paths(analysis, nodes, 2 + third, NULL, NULL, &view,
                               NULL));
        REQUIRE(!lg_view_dot(view, NULL, &dot, NULL));
        check_says(&dot, "penwidth=2.0", third);
        lg_text_free(&dot);
        lg_view_free(view);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

static void
test_a_share_is_at_most_1(void)
{
    test_heap heap;
    lg_view *view = NULL;
    lg_analysis *analysis = NULL;
    lg_error error = {0};
    heap_open(&heap);
    heap_add_module(&heap, "app");
    lg_graph *graph = heap_close(&heap);
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    CHECK(lg_view_dominators(analysis, &TREE(NULL, 1.5), &BOXES(0), NULL, &view,
                             &error) == LG_EINVAL);
    CHECK(!strcmp(error.message, "min_share is 1.5: give a share from 0 to 1"));
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// If two of four kinds fit, the picture draws the first two.
static void
test_the_first_of_equals_are_drawn(void)
{
    test_heap heap;
    lg_view_options options = {
        .size = sizeof options, .direction = LG_REFS, .max_nodes = 5};
    static const char *const types[] = {"app.D", "app.B", "app.C", "app.A"};
    heap_open(&heap);
    uint32_t owner = heap_add(&heap, "app.Owner", 48);
    for (uint32_t i = 0; i < 4; i++)
        heap_index(&heap, owner, heap_add(&heap, types[i], 100), i);
    lg_text text = draw_first(&heap, options);
    check_says(&text, "[0]  D", true);
    check_says(&text, "[1]  B", true);
    check_says(&text, "[2]  C", false);
    check_says(&text, "[3]  A", false);
    lg_text_free(&text);
}

// The box for all other kinds, and the edge to it, count their objects.
static void
test_the_rest_is_counted(void)
{
    test_heap heap;
    lg_view_options options = {
        .size = sizeof options, .direction = LG_REFS, .max_nodes = 5};
    static const char *const types[] = {"app.D", "app.B", "app.C", "app.A"};
    lg_view *view = NULL;
    lg_text text = {0};
    heap_open(&heap);
    uint32_t owner = heap_add(&heap, "app.Owner", 48);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t n = 0; n < 20; n++)
            heap_index(&heap, owner, heap_add(&heap, types[i], 100),
                       20 * i + n);
    lg_graph *graph = heap_close(&heap);
    REQUIRE(!lg_view_new(graph, &owner, 1, &options, NULL, &view, NULL));
    REQUIRE(!lg_view_json(view, &text, NULL));
    check_says(&text, "\"title\": \"40 more\"", true);
    check_says(&text, "\"label\": \"…\", \"count\": 40", true);
    lg_text_free(&text);
    lg_view_free(view);
    lg_graph_free(graph);
}

// What keeps a cycle alive from outside of it leads to the cycle.
static void
test_a_culprit_outside_of_the_cycle(void)
{
    test_heap heap;
    lg_analysis *analysis = NULL;
    lg_cycles cycles = {0};
    lg_view *view = NULL;
    lg_text text = {0};
    heap_open(&heap);
    uint32_t native = heap_add(&heap, "app.Native", 48);
    uint32_t below = heap_add(&heap, "app.Below", 1000);
    heap_track(&heap, native);
    heap_track(&heap, below);
    heap_attribute(&heap, native, below, "below");
    heap_attribute(&heap, below, below, "me");
    heap_hold(&heap, native, 2);
    lg_graph *graph = heap_close(&heap);
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    REQUIRE(!lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL));
    REQUIRE(cycles.count == 1);
    REQUIRE(!lg_view_cycle(analysis, cycles.items, &view, NULL));
    REQUIRE(!lg_view_json(view, &text, NULL));
    check_says(&text, "\"label\": \"leads to\"", true);
    lg_text_free(&text);
    lg_view_free(view);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Values that share a box name the first five.
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
    RUN(test_what_to_cut_in_the_middle_of_a_path);
    RUN(test_what_to_cut_at_an_end_of_a_path);
    RUN(test_most_objects_stand_out);
    RUN(test_a_share_is_at_most_1);
    RUN(test_the_first_of_equals_are_drawn);
    RUN(test_the_rest_is_counted);
    RUN(test_a_culprit_outside_of_the_cycle);
    return test_result();
}
