// What a view shows of a heap: its budget, its folds and its omissions.

#include "heap.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/columns.h>
#include "shapes.h"
#include "test.h"

static lg_view *
view_of(const lg_graph *graph, uint32_t subject, lg_view_options options)
{
    lg_error error = {0};
    lg_view *view = NULL;
    lg_status status =
        lg_view_new(graph, &subject, 1, &options, NULL, &view, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    REQUIRE(!status);
    return view;
}

// Returns the view's text; the caller frees it.
static char *
text_of(const lg_graph *graph, uint32_t subject, lg_view_options options)
{
    lg_text text = {0};
    lg_view *view = view_of(graph, subject, options);
    REQUIRE(!lg_view_text(view, &text, NULL));
    lg_view_free(view);
    return text.data;
}

static void
check_text(const char *name, lg_view_options options, const char *wanted,
           const char *unwanted)
{
    uint32_t subject;
    lg_graph *graph = shape_find(name)->make(&subject);
    char *text = text_of(graph, subject, options);
    if (wanted && !strstr(text, wanted))
        fprintf(stderr, "no %s in\n%s", wanted, text);
    CHECK(!wanted || strstr(text, wanted));
    CHECK(!unwanted || !strstr(text, unwanted));
    free(text);
    lg_graph_free(graph);
}

static void
test_budget_holds(void)
{
    static const uint32_t limits[] = {3, 4, 5, 7, 12, 40, 120};
    for (size_t i = 0; i < shape_count; i++) {
        uint32_t subject;
        lg_graph *graph = shapes[i].make(&subject);
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            lg_view_options options = {.size = sizeof options,
                                       .direction =
                                           (lg_direction)shapes[i].direction,
                                       .max_nodes = limits[k],
                                       .max_depth = 6,
                                       .weak = true};
            lg_view *view = view_of(graph, subject, options);
            CHECK(lg_view_node_count(view) <= limits[k]);
            CHECK(lg_view_node_count(view) > 0);
            lg_view_free(view);
        }
        lg_graph_free(graph);
    }
}

static void
test_siblings_fold(void)
{
    lg_view_options options = {.size = sizeof options, .direction = LG_REFS};
    check_text("losses", options, "[3] … [999]  997 more Tensor  1.95 GiB",
               "[3]  Tensor");
    options.max_siblings = 5;
    check_text("losses", options, "[5] … [999]  995 more Tensor", NULL);
}

static void
test_small_values_fold(void)
{
    lg_view_options options = {.size = sizeof options, .direction = LG_REFS};
    check_text("losses", options, "3 values: .lr .epoch .seed", NULL);
    check_text("wide", options, "99,925 values: [0] [1]", NULL);
}

static void
test_every_type_is_shown(void)
{
    // Seven boxes for the list and five kinds.
    lg_view_options options = {.size = sizeof options,
                               .direction = LG_REFS,
                               .max_nodes = 7,
                               .max_depth = 1};
    check_text("wide", options, "Order", NULL);
    check_text("wide", options, "ndarray", NULL);
}

static void
test_noise_comes_last(void)
{
    lg_view_options options = {.size = sizeof options, .direction = LG_REFS};
    uint32_t subject;
    lg_graph *graph = shape_find("class")->make(&subject);
    char *text = text_of(graph, subject, options);
    const char *noise = strstr(text, "4 more str: .__doc__");
    const char *method = strstr(text, ".method_1");
    CHECK(noise && method && noise > method);
    CHECK(noise && !strchr(strchr(noise, '\n') + 1, '\n'));
    free(text);
    lg_graph_free(graph);
}

static void
test_depth_is_told(void)
{
    lg_view_options options = {
        .size = sizeof options, .direction = LG_REFS, .max_depth = 1};
    check_text("losses", options, "list of 1,000  7.87 KiB  +1,000 not shown",
               "Tensor");
}

static void
test_root_path_is_shown(void)
{
    lg_view_options options = {
        .size = sizeof options, .direction = LG_BACKREFS, .max_depth = 1};
    check_text("chain-back", options, "root: an imported module",
               "+1 not shown");
    options.max_nodes = 3;
    check_text("chain-back", options, "+1 not shown", "root: ");
}

static void
test_weak_is_asked_for(void)
{
    lg_view_options options = {.size = sizeof options, .direction = LG_REFS};
    check_text("loop", options, "weakref", "referent");
    options.weak = true;
    check_text("loop", options, "referent", NULL);
}

static void
test_native_holder_is_told(void)
{
    lg_view_options options = {.size = sizeof options,
                               .direction = LG_BACKREFS};
    check_text("held", options,
               "held by native code (2 references leakgraph cannot see)", NULL);
}

static void
test_roots_end_the_search(void)
{
    lg_view_options options = {
        .size = sizeof options, .direction = LG_BACKREFS, .max_depth = 9};
    check_text("who", options, "module train  .trainer", NULL);
    check_text("who", options, "root: an imported module", NULL);
}

// With any options, the owner of a namespace or a cell represents it in paths.
static void
test_path_to_every_node(void)
{
    static const uint32_t limits[] = {3, 4, 5, 9, 120};
    for (size_t i = 0; i < shape_count; i++) {
        uint32_t subject;
        lg_graph *graph = shapes[i].make(&subject);
        uint32_t nodes = lg_graph_columns(graph)->node_count;
        nodes = lg_graph_is_partial(graph) ? 0 : nodes < 100 ? nodes : 100;
        for (uint32_t node = 0; node < nodes; node++) {
            lg_view_options options = {.size = sizeof options,
                                       .direction = LG_PATH,
                                       .max_nodes = limits[node % 5]};
            lg_view *view = view_of(graph, node, options);
            CHECK(lg_view_node_count(view) <= options.max_nodes);
            lg_view_free(view);
        }
        lg_graph_free(graph);
    }
}

// module train -> its namespace -> function -> closure tuple -> cell -> value
static void
test_path_to_what_is_folded(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t module = heap_add_module(&heap, "train");
    uint32_t namespace = heap_add(&heap, "dict", 64);
    uint32_t function = heap_add(&heap, "function", 120);
    uint32_t closure = heap_add(&heap, "tuple", 48);
    uint32_t cell = heap_add(&heap, "cell", 40);
    heap_edge(&heap, module, namespace, LG_EDGE_DICT, 0);
    heap_value(&heap, namespace, function, "step");
    heap_attribute(&heap, function, closure, "__closure__");
    heap_index(&heap, closure, cell, 0);
    heap_edge(&heap, cell, heap_add(&heap, "app.Order", 48), LG_EDGE_CELL, 0);
    heap_root(&heap, module, LG_ROOT_MODULE, "train");
    lg_graph *graph = heap_close(&heap);
    const struct {
        uint32_t node;
        const char *wanted;
    } paths[] = {{namespace, ".__dict__\n╰→ dict of 1"},
                 {closure, ".__closure__\n╰→ tuple of 1"},
                 {cell, ".__closure__[0]\n╰→ cell"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        REQUIRE(lg_node_folded_into(graph, paths[i].node) != LG_NONE);
        lg_view_options options = {.size = sizeof options,
                                   .direction = LG_PATH};
        char *text = text_of(graph, paths[i].node, options);
        if (!strstr(text, paths[i].wanted))
            fprintf(stderr, "no %s in\n%s", paths[i].wanted, text);
        CHECK(strstr(text, paths[i].wanted));
        free(text);
        options.max_nodes = 3; // no room for the second part of a long name
        text = text_of(graph, paths[i].node, options);
        CHECK(strstr(text, i ? "╰→ function" : "module train"));
        free(text);
    }
    lg_graph_free(graph);
}

static void
test_path_is_cut_in_the_middle(void)
{
    lg_view_options options = {.size = sizeof options, .direction = LG_PATH};
    check_text("chain", options, "more objects", NULL);
    check_text("chain", options, "╰→ Node", NULL);
    options.max_nodes = 3;
    check_text("chain", options, "2,000 more objects", NULL);
}

static void
test_garbage_is_called_so(void)
{
    lg_view_options options = {.size = sizeof options, .direction = LG_PATH};
    check_text("loop", options, "no root reaches it", NULL);
}

// Several references to one object are one edge.
static void
test_repeats_are_counted(void)
{
    test_heap heap;
    lg_view_options options = {.size = sizeof options, .direction = LG_REFS};
    heap_open(&heap);
    uint32_t list = heap_add(&heap, "list", 56);
    uint32_t one = heap_add(&heap, "app.Order", 48);
    for (uint32_t i = 0; i < 2000; i++)
        heap_index(&heap, list, one, i);
    heap_index(&heap, list, list, 2000);
    heap_index(&heap, list, list, 2001);
    lg_graph *graph = heap_close(&heap);
    lg_view *view = view_of(graph, list, options);
    CHECK(lg_view_node_count(view) == 2);
    lg_view_free(view);
    char *text = text_of(graph, list, options);
    CHECK(strstr(text, "[0] +1,999  Order"));
    CHECK(strstr(text, "[2000] +1  list"));
    free(text);
    lg_graph_free(graph);
}

// A wide neighbour leaves room for the others. A frame inside a call holds an
// object by a variable and on its stack.
static void
test_one_holder_by_two_kinds_of_edge(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t batch = heap_add(&heap, "Batch", 64);
    uint32_t frame = heap_add(&heap, "frame", 120);
    heap_local(&heap, frame, batch, "batch");
    heap_edge(&heap, frame, batch, LG_EDGE_STACK, 0);
    heap_root(&heap, frame, LG_ROOT_THREAD, "MainThread");
    lg_graph *graph = heap_close(&heap);
    lg_view_options options = {.size = sizeof options,
                               .direction = LG_BACKREFS};
    lg_view *view = view_of(graph, batch, options);
    CHECK(lg_view_node_count(view) == 2);
    lg_view_free(view);
    lg_graph_free(graph);
}

static void
test_room_is_shared(void)
{
    test_heap heap;
    lg_view_options options = {
        .size = sizeof options, .direction = LG_REFS, .max_siblings = 100};
    heap_open(&heap);
    uint32_t top = heap_add(&heap, "tuple", 56);
    uint32_t wide = heap_add(&heap, "list", 56);
    uint32_t last = heap_add(&heap, "app.Last", 48);
    heap_index(&heap, top, wide, 0);
    heap_index(&heap, top, last, 1);
    for (uint32_t i = 0; i < 5000; i++)
        heap_index(&heap, wide, heap_add(&heap, "app.Order", 48), i);
    heap_attribute(&heap, last, heap_add(&heap, "app.Precious", 48), "x");
    lg_graph *graph = heap_close(&heap);
    char *text = text_of(graph, top, options);
    CHECK(strstr(text, "Precious"));
    free(text);
    lg_graph_free(graph);
}

static void
test_errors(void)
{
    uint32_t subject;
    lg_graph *graph = shape_find("single")->make(&subject);
    lg_error error = {0};
    lg_view *view = NULL;
    lg_view_options options = {.size = sizeof options, .max_nodes = 2};
    uint32_t stranger = 77;
    CHECK(lg_view_new(graph, &subject, 0, NULL, NULL, &view, &error) ==
          LG_EINVAL);
    CHECK(lg_view_new(graph, &stranger, 1, NULL, NULL, &view, &error) ==
          LG_EINVAL);
    CHECK(strstr(error.message, "node 77"));
    CHECK(lg_view_new(graph, &subject, 1, &options, NULL, &view, &error) ==
          LG_EINVAL);
    CHECK(!view);
    lg_view_free(NULL);
    lg_graph_free(graph);
}

static bool
refuse(void *context, const char *phase, double done)
{
    (void)context;
    (void)phase;
    (void)done;
    return false;
}

static void
test_drawing_can_be_stopped(void)
{
    uint32_t subject;
    lg_graph *graph = shape_find("losses")->make(&subject);
    lg_monitor monitor = {refuse, NULL};
    lg_view *view = NULL;
    CHECK(lg_view_new(graph, &subject, 1, NULL, &monitor, &view, NULL) ==
          LG_ECANCELLED);
    CHECK(!view);
    lg_graph_free(graph);
}

SUITE(view)
{
    RUN(test_budget_holds);
    RUN(test_siblings_fold);
    RUN(test_small_values_fold);
    RUN(test_every_type_is_shown);
    RUN(test_noise_comes_last);
    RUN(test_depth_is_told);
    RUN(test_root_path_is_shown);
    RUN(test_weak_is_asked_for);
    RUN(test_native_holder_is_told);
    RUN(test_roots_end_the_search);
    RUN(test_path_to_every_node);
    RUN(test_path_to_what_is_folded);
    RUN(test_path_is_cut_in_the_middle);
    RUN(test_garbage_is_called_so);
    RUN(test_repeats_are_counted);
    RUN(test_one_holder_by_two_kinds_of_edge);
    RUN(test_room_is_shared);
    RUN(test_errors);
    RUN(test_drawing_can_be_stopped);
    return test_result();
}
