// Tests pictures that need an analysis: what they draw, mark and say, and their
// goldens in DOT, text and JSON.

#include "asked.h"
#include "golden.h"
#include "shapes.h"
#include "test.h"

#include <leakgraph/internal/report.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/answer_views.h>

typedef struct subject {
    lg_graph *graph;
    lg_analysis *analysis;
    uint32_t node;
} subject;

static subject
open_shape(const char *name)
{
    subject made = {0};
    lg_error error = {0};
    made.graph = shape_find(name)->make(&made.node);
    if (lg_analysis_new(made.graph, NULL, &made.analysis, &error))
        fprintf(stderr, "%s\n", error.message);
    REQUIRE(made.analysis);
    return made;
}

static void
close_shape(subject *made)
{
    lg_analysis_free(made->analysis);
    lg_graph_free(made->graph);
}

// Frees the view.
static lg_text
dot_of(lg_view *view)
{
    lg_text dot = {0};
    REQUIRE(!lg_view_dot(view, NULL, &dot, NULL));
    lg_view_free(view);
    return dot;
}

static void
compare(const char *name, lg_view *view)
{
    lg_text dot = {0}, text = {0}, json = {0};
    REQUIRE(!lg_view_dot(view, NULL, &dot, NULL));
    REQUIRE(!lg_view_text(view, &text, NULL));
    REQUIRE(!lg_view_json(view, &json, NULL));
    CHECK(golden_matches(name, "dot", &dot));
    CHECK(golden_matches(name, "txt", &text));
    CHECK(golden_matches(name, "json", &json));
    lg_text_free(&dot);
    lg_text_free(&text);
    lg_text_free(&json);
    lg_view_free(view);
}

static lg_view *
view_cycle(const subject *made, size_t index)
{
    lg_cycles cycles = {0};
    lg_view *view = NULL;
    lg_cycle_options options = {.size = sizeof options, .min_bytes = 0};
    REQUIRE(!lg_analysis_cycles(made->analysis, &options, NULL, &cycles, NULL));
    REQUIRE(index < cycles.count);
    REQUIRE(!lg_view_cycle(made->analysis, &cycles.items[index], &view, NULL));
    lg_cycles_free(&cycles);
    return view;
}

static void
test_goldens(void)
{
    static const char *const names[] = {"cycle-held", "cycle-garbage",
                                        "cycle-native"};
    lg_view *view = NULL;
    subject family = open_shape("family"), disjoint = open_shape("disjoint");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        compare(names[i], view_cycle(&family, i));
    REQUIRE(!lg_view_dominators(family.analysis, &TREE(NULL, 0.01), &BOXES(0),
                                NULL, &view, NULL));
    compare("dominators", view);
    REQUIRE(!view_why(disjoint.analysis, disjoint.node, NULL, &view));
    compare("disjoint", view);
    close_shape(&family);
    close_shape(&disjoint);
}

static void
test_golden_of_paths(void)
{
    static const char *const suffixes[] = {"txt", "json"};
    subject losses = open_shape("losses");
    lg_nodes tensors = {0};
    REQUIRE(!lg_graph_select(losses.graph, "type:torch.Tensor", NULL, &tensors,
                             NULL));
    for (int i = 0; i < 2; i++) {
        lg_text text = {0};
        REQUIRE(!paths_report(losses.analysis, tensors.items, tensors.count, 20,
                              (lg_format)i, &text));
        CHECK(golden_matches("paths", suffixes[i], &text));
        lg_text_free(&text);
    }
    lg_nodes_free(&tensors);
    close_shape(&losses);
}

static size_t
count_words(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        count++;
    return count;
}

static void
test_why_draws_every_way(void)
{
    lg_view *view = NULL;
    subject disjoint = open_shape("disjoint");
    REQUIRE(!view_why(disjoint.analysis, disjoint.node, NULL, &view));
    lg_text dot = dot_of(view);
    CHECK(strstr(dot.data, "Cut the orange reference to free 64.0 MiB"));
    CHECK(strstr(dot.data, "every path goes through here"));
    CHECK(count_words(dot.data, "penwidth=2.4") == 1);
    CHECK(count_words(dot.data, "penwidth=2.0") == 5);
    lg_text_free(&dot);
    close_shape(&disjoint);
}

static void
test_why_marks_the_only_holds(void)
{
    lg_view *view = NULL;
    lg_nodes tensor = {0};
    subject losses = open_shape("losses");
    lg_view_options options = {.size = sizeof options, .max_nodes = 3};
    REQUIRE(!lg_graph_select(losses.graph, "name:train.trainer.losses[1]", NULL,
                             &tensor, NULL));
    REQUIRE(!view_why(losses.analysis, tensor.items[0], &options, &view));
    CHECK(lg_view_node_count(view) <= 16);
    lg_text dot = dot_of(view);
    // `.trainer`, `.losses` and `[1]`.
    CHECK(count_words(dot.data, "penwidth=2.4") == 3);
    CHECK(strstr(dot.data, "Cut one orange reference to free 2.00 MiB"));
    lg_text_free(&dot);
    lg_nodes_free(&tensor);
    close_shape(&losses);
}

static void
test_why_of_what_native_code_holds(void)
{
    lg_view *view = NULL;
    subject held = open_shape("held");
    REQUIRE(!view_why(held.analysis, held.node, NULL, &view));
    lg_text dot = dot_of(view);
    CHECK(strstr(dot.data,
                 "Native code holds it, and so do 4 orange references"));
    CHECK(strstr(dot.data, "2 references leakgraph cannot see"));
    lg_text_free(&dot);
    close_shape(&held);
}

static void
test_why_of_garbage(void)
{
    lg_view *view = NULL;
    subject loop = open_shape("loop");
    REQUIRE(!view_why(loop.analysis, loop.node, NULL, &view));
    lg_text dot = dot_of(view);
    CHECK(strstr(dot.data, "Garbage: no root reaches it"));
    lg_text_free(&dot);
    close_shape(&loop);
}

// Includes namespaces and cells, which paths fold away.
static void
test_why_of_every_node(void)
{
    for (size_t i = 0; i < shape_count; i++) {
        if (!strcmp(shapes[i].name, "partial"))
            continue;
        subject made = open_shape(shapes[i].name);
        uint32_t nodes = lg_graph_columns(made.graph)->node_count;
        for (uint32_t node = 0; node < nodes && node < 100; node++) {
            lg_view *view = NULL;
            lg_view_options options = {.size = sizeof options,
                                       .max_nodes = node % 2 ? 16 : 120};
            CHECK(!view_why(made.analysis, node, &options, &view));
            lg_view_free(view);
        }
        close_shape(&made);
    }
}

static void
test_dominators_fold_the_small(void)
{
    lg_view *view = NULL;
    subject losses = open_shape("losses");
    REQUIRE(!lg_view_dominators(losses.analysis, &TREE(NULL, 0), &BOXES(10),
                                NULL, &view, NULL));
    CHECK(lg_view_node_count(view) <= 10);
    lg_text dot = dot_of(view);
    CHECK(strstr(dot.data, "everything"));
    CHECK(strstr(dot.data, "</B>&#160;more"));
    CHECK(strstr(dot.data, "100 %"));
    lg_text_free(&dot);
    close_shape(&losses);
}

static void
test_dominators_end_a_chain(void)
{
    lg_view *view = NULL;
    subject chain = open_shape("chain");
    REQUIRE(!lg_view_dominators(chain.analysis, NULL, NULL, NULL, &view, NULL));
    CHECK(lg_view_node_count(view) < 10);
    lg_view_free(view);
    close_shape(&chain);
}

static lg_status
view_paths(const subject *made, const char *selector, uint32_t max_nodes,
           lg_view **out)
{
    lg_nodes nodes = {0};
    REQUIRE(!lg_graph_select(made->graph, selector, NULL, &nodes, NULL));
    lg_status status = lg_view_paths(made->analysis, nodes.items, nodes.count,
                                     &BOXES(max_nodes), NULL, out, NULL);
    lg_nodes_free(&nodes);
    return status;
}

static void
test_merged_paths(void)
{
    lg_view *view = NULL;
    subject losses = open_shape("losses");
    REQUIRE(!view_paths(&losses, "type:torch.Tensor", 0, &view));
    compare("merged-paths", view);
    REQUIRE(!view_paths(&losses, "type:*", 6, &view));
    CHECK(lg_view_node_count(view) <= 6);
    lg_text dot = dot_of(view);
    CHECK(strstr(dot.data, "more</B>") || strstr(dot.data, "&#160;more"));
    lg_text_free(&dot);
    close_shape(&losses);
}

// A queue of many links appears as its two ends.
static void
test_merged_paths_pass_a_chain(void)
{
    lg_view *view = NULL;
    subject chain = open_shape("chain");
    REQUIRE(!lg_view_paths(chain.analysis, &chain.node, 1, NULL, NULL, &view,
                           NULL));
    CHECK(lg_view_node_count(view) < 10);
    lg_text dot = dot_of(view);
    CHECK(strstr(dot.data, "more objects"));
    CHECK(strstr(dot.data, "how a root reaches it"));
    lg_text_free(&dot);
    close_shape(&chain);
}

static void
test_merged_paths_of_garbage(void)
{
    lg_view *view = NULL;
    subject loop = open_shape("loop");
    CHECK(lg_view_paths(loop.analysis, &loop.node, 1, NULL, NULL, &view,
                        NULL) == LG_ENOTFOUND);
    CHECK(!view);
    close_shape(&loop);
}

static void
test_views_show_what_is_retained(void)
{
    lg_view *view = NULL;
    subject made = open_shape("losses");
    lg_view_options own = {.size = sizeof own, .analysis = made.analysis};
    REQUIRE(!lg_view_new(made.graph, &made.node, 1, &own, NULL, &view, NULL));
    lg_text dot = dot_of(view);
    CHECK(strstr(dot.data, "<B>1.95 GiB</B>")); // the list, without its 8 KiB
    CHECK(strstr(dot.data, "7.87 KiB itself"));
    CHECK(strstr(dot.data, "bytes are what would be freed with it"));
    lg_text_free(&dot);
    close_shape(&made);
}

// Folded objects do not retain what they share.
static void
test_folds_say_at_least(void)
{
    for (int sharing = 0; sharing < 2; sharing++) {
        test_heap heap;
        lg_view *view = NULL;
        lg_analysis *analysis;
        heap_open(&heap);
        uint32_t app = heap_add_module(&heap, "app");
        uint32_t jobs = heap_add(&heap, "list", 120);
        uint32_t shared = heap_add(&heap, "bytearray", 4 << 20);
        heap_attribute(&heap, app, jobs, "jobs");
        for (uint32_t i = 0; i < 9; i++) {
            uint32_t job = heap_add(&heap, "app.Job", 48 << 10);
            heap_index(&heap, jobs, job, i);
            if (sharing)
                heap_attribute(&heap, job, shared, "shared");
        }
        lg_graph *graph = heap_close(&heap);
        REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
        lg_view_options options = {
            .size = sizeof options, .analysis = analysis, .max_depth = 1};
        REQUIRE(!lg_view_new(graph, &jobs, 1, &options, NULL, &view, NULL));
        lg_text text = {0};
        REQUIRE(!lg_view_text(view, &text, NULL));
        CHECK(strstr(text.data, sharing ? "6 more Job  at least 288 KiB"
                                        : "6 more Job  288 KiB"));
        lg_text_free(&text);
        lg_view_free(view);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

static void
test_nonsense_is_refused(void)
{
    lg_view *view = NULL;
    subject losses = open_shape("losses");
    const lg_analysis *analysis = losses.analysis;
    lg_cycle nothing = {0};
    lg_view_options two = {.size = sizeof two, .max_nodes = 2};
    CHECK(lg_view_dominators(analysis, &TREE(NULL, 1.5), &BOXES(0), NULL, &view,
                             NULL) == LG_EINVAL);
    CHECK(lg_view_dominators(analysis, &TREE(NULL, 0), &BOXES(2), NULL, &view,
                             NULL) == LG_EINVAL);
    CHECK(lg_view_dominators(analysis, &TREE(&(lg_node){1u << 30}, 0),
                             &BOXES(0), NULL, &view, NULL) == LG_EINVAL);
    CHECK(view_why(analysis, 1u << 30, NULL, &view) == LG_EINVAL);
    CHECK(view_why(analysis, 0, &two, &view) == LG_EINVAL);
    CHECK(lg_view_paths(analysis, NULL, 0, NULL, NULL, &view, NULL) ==
          LG_EINVAL);
    CHECK(lg_view_paths(analysis, &losses.node, 1, &BOXES(2), NULL, &view,
                        NULL) == LG_EINVAL);
    CHECK(lg_view_paths(analysis, &losses.node, 1, &BOXES(1u << 20), NULL,
                        &view, NULL) == LG_EINVAL);
    CHECK(lg_view_cycle(analysis, &nothing, &view, NULL) == LG_EINVAL);
    CHECK(!view);
    close_shape(&losses);
}

SUITE(analysed)
{
    if (!golden_begin(argc, argv))
        return 2;
    RUN(test_goldens);
    RUN(test_golden_of_paths);
    RUN(test_why_draws_every_way);
    RUN(test_why_marks_the_only_holds);
    RUN(test_why_of_what_native_code_holds);
    RUN(test_why_of_garbage);
    RUN(test_why_of_every_node);
    RUN(test_dominators_fold_the_small);
    RUN(test_dominators_end_a_chain);
    RUN(test_views_show_what_is_retained);
    RUN(test_folds_say_at_least);
    RUN(test_merged_paths);
    RUN(test_merged_paths_pass_a_chain);
    RUN(test_merged_paths_of_garbage);
    RUN(test_nonsense_is_refused);
    return test_result();
}
