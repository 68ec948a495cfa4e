// What a reader is told of who holds an object, before there is an analysis.
#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/retained.h>

#include "drawn.h"
#include "lgs.h"
#include "story.h"
#include "test.h"

enum { AHEAD = 1000000 };

typedef struct heap {
    lg_graph *graph;
    uint32_t app;
    uint32_t item;  // app.items[0]
    uint32_t array; // in native.held, which native code has
    uint32_t garbage;
    uint32_t lost;
} heap;

// Adds objects that nothing refers to, until there are so many.
static void
crowd(story *made, uint32_t count)
{
    for (uint32_t i = made->builder->node_count; i < count; i++) {
        uint32_t node =
            lg_builder_add_node(made->builder, 4096 + 64 * (uint64_t)i);
        lg_builder_put_type(made->builder, node, made->type[0]);
    }
}

static lg_graph *
finish(story *made)
{
    lg_graph *graph = NULL;
    for (uint32_t node = 0; node < STORY_NODES; node++)
        lg_builder_put_refcount(made->builder, node, made->count[node]);
    REQUIRE(lg_builder_finish(made->builder, &graph, NULL) == LG_OK);
    return graph;
}

static heap
make_heap(uint32_t count, bool partial)
{
    heap built;
    story made = story_begin();
    built.garbage = story_add(&made, "int", NULL, 32);
    built.app = story_module(&made, "app");
    uint32_t items = story_add(&made, "list", NULL, 80);
    built.item = story_add(&made, "app.Item", NULL, 48);
    story_attribute(&made, built.app, "items", items);
    story_edge(&made, items, built.item, LG_EDGE_INDEX, 0);
    uint32_t holder = story_add(&made, "app.Holder", NULL, 48);
    built.array = story_add(&made, "array.array", NULL, 48);
    story_attribute(&made, holder, "values", built.array);
    story_hold(&made, holder, 1);
    made.flags = LG_NODE_SYNTHETIC;
    uint32_t nothing = story_add(&made, "lost native memory", NULL, 0);
    built.lost = story_add(&made, "native memory", NULL, 64);
    story_edge(&made, nothing, built.lost, LG_EDGE_REFERENCE, 0);
    lg_builder_add_root(made.builder, nothing, LG_ROOT_NATIVE, "", 0);
    crowd(&made, count);
    if (partial)
        lg_builder_set_partial(made.builder, "roots");
    built.graph = finish(&made);
    return built;
}

static void
expect(const lg_graph *graph, uint32_t *nodes, size_t count,
       const char *expected)
{
    lg_text text = {0};
    lg_nodes asked = {nodes, count};
    CHECK(lg_report_why_ahead(graph, &asked, NULL, &text, NULL) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

// The path is told where the reader waits for it, and where it is one.
static void
test_what_is_told(void)
{
    heap built = make_heap(AHEAD, false);
    uint32_t both[] = {built.item, built.array};
    expect(built.graph, both, 1, "held by  app.items[0]\n");
    expect(built.graph, both + 1, 1, "held by  native code: Holder.values\n");
    expect(built.graph, both, 2, "");
    expect(built.graph, both, 0, "");
    expect(built.graph, &built.app, 1, "");
    expect(built.graph, &built.garbage, 1, "");
    expect(built.graph, &built.lost, 1, "");
    lg_graph_free(built.graph);
}

static void
test_the_answer_comes_soon(void)
{
    heap built = make_heap(AHEAD - 1, false);
    expect(built.graph, &built.item, 1, "");
    lg_graph_free(built.graph);
}

static void
test_a_partial_graph_has_no_answer(void)
{
    heap built = make_heap(AHEAD, true);
    expect(built.graph, &built.item, 1, "");
    lg_graph_free(built.graph);
}

static void
test_a_saved_analysis_answers_at_once(void)
{
    heap built = make_heap(AHEAD, false);
    lg_analysis *analysis = analysed(built.graph);
    lg_save_options options = {.size = sizeof options};
    folder_make();
    for (int with = 0; with < 2; with++) {
        lg_graph *loaded = NULL;
        options.analysis = with ? analysis : NULL;
        REQUIRE(!lg_graph_save(built.graph, path_of("graph"), &options, NULL,
                               NULL));
        REQUIRE(!lg_graph_load(path_of("graph"), 0, NULL, &loaded, NULL));
        CHECK(lg_analysis_is_saved(loaded) == (with == 1));
        expect(loaded, &built.item, 1, with ? "" : "held by  app.items[0]\n");
        lg_graph_free(loaded);
    }
    folder_remove();
    lg_analysis_free(analysis);
    lg_graph_free(built.graph);
}

static bool
stop(void *context, const char *phase, double done)
{
    (void)context, (void)phase, (void)done;
    return false;
}

// What failed is said, and nothing is told.
static void
test_it_can_be_cancelled(void)
{
    heap built = make_heap(AHEAD, false);
    lg_text text = {0};
    lg_nodes asked = {&built.item, 1};
    const lg_monitor monitor = {stop, NULL};
    CHECK(lg_report_why_ahead(built.graph, &asked, &monitor, &text, NULL) ==
          LG_ECANCELLED);
    CHECK_TEXT(text, "");
    lg_graph_free(built.graph);
}

SUITE(why_ahead)
{
    RUN(test_what_is_told);
    RUN(test_the_answer_comes_soon);
    RUN(test_a_partial_graph_has_no_answer);
    RUN(test_a_saved_analysis_answers_at_once);
    RUN(test_it_can_be_cancelled);
    return test_result();
}
