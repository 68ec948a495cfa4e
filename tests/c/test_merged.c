// Merged paths, compared with one path at a time.
#include "drawn.h"
#include "sample.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/merged_paths.h>
#include <leakgraph/internal/columns.h>

static const lg_merged_options all = {.size = sizeof all};

static void
check_order(const lg_merged_paths *merged)
{
    for (size_t i = 0; i < merged->count; i++) {
        const lg_merged_row *item = &merged->rows[i];
        CHECK(item->parent == LG_NONE || item->parent < i);
        CHECK((item->parent == LG_NONE) == (item->hop.edge_count == 0));
        CHECK((item->parent == LG_NONE) == (item->root != LG_NONE));
        CHECK(item->targets > 0);
        CHECK(item->count > 0 && (item->count > 1 || !item->varied));
        uint64_t below = 0;
        uint64_t bytes = 0;
        uint64_t last = UINT64_MAX;
        for (size_t j = i + 1; j < merged->count; j++) {
            if (merged->rows[j].parent != i)
                continue;
            below += merged->rows[j].targets;
            bytes += merged->rows[j].total;
            CHECK(merged->rows[j].total <= last);
            last = merged->rows[j].total;
        }
        CHECK(below <= item->targets && bytes <= item->total);
    }
}

// The merged paths of one target are its path.
static void
check_alone(const lg_analysis *analysis, uint32_t target)
{
    lg_merged_paths merged;
    lg_path path;
    REQUIRE(lg_analysis_merged_paths(analysis, &target, 1, &all, NULL, &merged,
                                     NULL) == LG_OK);
    lg_status found = lg_path_from_root(lg_analysis_graph(analysis), target,
                                        NULL, &path, NULL);
    CHECK((found == LG_ENOTFOUND) == (merged.unreachable == 1));
    if (found == LG_OK) {
        CHECK(merged.count == path.count + 1);
        for (size_t i = 0; i < merged.count; i++)
            CHECK(merged.rows[i].parent == (i ? (uint32_t)i - 1 : LG_NONE));
        CHECK(merged.rows[0].node == path.root.node);
        for (size_t i = 1; i < merged.count; i++)
            CHECK(merged.rows[i].node == path.hops[i - 1].target);
        CHECK(merged.rows[0].total == lg_node_retained(analysis, target).host);
        lg_path_free(&path);
    }
    lg_merged_paths_free(&merged);
}

// Counts no byte twice: a target below another one adds nothing.
static uint64_t
bytes_of_all(const lg_analysis *analysis, uint32_t nodes, uint32_t stride)
{
    uint64_t bytes = 0;
    lg_path path;
    for (uint32_t node = 0; node < nodes; node += stride) {
        if (lg_path_from_root(lg_analysis_graph(analysis), node, NULL, &path,
                              NULL) != LG_OK)
            continue;
        lg_path_free(&path);
        uint32_t above = lg_node_dominator(analysis, node);
        while (above != LG_NONE && above % stride != 0)
            above = lg_node_dominator(analysis, above);
        if (above == LG_NONE)
            bytes += lg_node_retained(analysis, node).host;
    }
    return bytes;
}

static void
check_graph(const lg_graph *graph, uint32_t stride)
{
    lg_analysis *analysis = analysed(graph);
    uint32_t nodes = lg_graph_columns(graph)->node_count;
    uint32_t *targets = malloc(nodes * sizeof *targets);
    size_t count = 0;
    lg_merged_paths merged;
    REQUIRE(targets != NULL);
    for (uint32_t node = 0; node < nodes; node += stride)
        targets[count++] = node;
    REQUIRE(lg_analysis_merged_paths(analysis, targets, count, &all, NULL,
                                     &merged, NULL) == LG_OK);
    check_order(&merged);
    uint64_t seen = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < merged.count; i++) {
        if (merged.rows[i].parent != LG_NONE)
            continue;
        seen += merged.rows[i].targets;
        bytes += merged.rows[i].total;
    }
    CHECK(seen + merged.unreachable == count);
    CHECK(bytes == bytes_of_all(analysis, nodes, stride));
    for (size_t i = 0; i < count; i++)
        check_alone(analysis, targets[i]);
    lg_merged_paths_free(&merged);
    free(targets);
    lg_analysis_free(analysis);
}

static void
random_graphs(void)
{
    for (uint64_t seed = 0; seed < 150; seed++) {
        lg_graph *graph = sample_random(seed, 60, false);
        check_graph(graph, 1 + (uint32_t)(seed % 4));
        lg_graph_free(graph);
    }
}

// The paths of several weights lead through their layers, as each path alone
// does, though the optimizer is nearer.
static void
weights(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t optimizer = story_add(&made, "app.Optimizer", NULL, 48);
    uint32_t key = story_add(&made, "str", "weight", 50);
    uint32_t targets[3];
    story_attribute(&made, app, "optimizer", optimizer);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t layer = story_add(&made, "app.Layer", NULL, 48);
        uint32_t dict = story_add(&made, "dict", NULL, 200);
        targets[i] = story_add(&made, "torch.Tensor", NULL, 80);
        story_attribute(&made, app, "layer", layer);
        story_attribute(&made, layer, "_parameters", dict);
        story_edge(&made, dict, targets[i], LG_EDGE_VALUE, key);
        story_edge(&made, optimizer, targets[i], LG_EDGE_INDEX, i);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_merged_paths merged;
    REQUIRE(lg_analysis_merged_paths(analysis, targets, 3, &all, NULL, &merged,
                                     NULL) == LG_OK);
    REQUIRE(merged.count == 4);
    CHECK(merged.rows[3].targets == 3 && merged.rows[3].count == 3);
    CHECK(merged.rows[3].hop.source != optimizer);
    CHECK(merged.rows[0].total == 240);
    lg_merged_paths_free(&merged);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Elements of a list merge, and so do values of a dict; attributes do not
// merge.
static void
folded(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t list = story_add(&made, "list", NULL, 80);
    uint32_t dict = story_add(&made, "dict", NULL, 80);
    uint32_t targets[6];
    story_attribute(&made, app, "jobs", list);
    story_attribute(&made, app, "cache", dict);
    for (uint32_t i = 0; i < 6; i++)
        targets[i] = story_add(&made, "app.Job", NULL, 100);
    uint32_t key = story_add(&made, "str", "k", 50);
    for (uint32_t i = 0; i < 3; i++)
        story_edge(&made, list, targets[i], LG_EDGE_INDEX, i);
    story_edge(&made, dict, targets[3], LG_EDGE_VALUE, key);
    story_edge(&made, dict, targets[4], LG_EDGE_VALUE, targets[0]);
    story_attribute(&made, app, "last", targets[5]);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_merged_paths merged;
    REQUIRE(lg_analysis_merged_paths(analysis, targets, 6, &all, NULL, &merged,
                                     NULL) == LG_OK);
    REQUIRE(merged.count == 6);
    CHECK(merged.rows[0].targets == 6 && merged.rows[0].total == 600);
    CHECK(merged.rows[1].node == list && merged.rows[1].targets == 3);
    CHECK(merged.rows[2].targets == 3 && merged.rows[2].parent == 1);
    CHECK(merged.rows[2].count == 3 && merged.rows[2].varied);
    CHECK(merged.rows[1].count == 1 && !merged.rows[1].varied);
    CHECK(merged.rows[3].node == dict && merged.rows[3].targets == 2);
    CHECK(merged.rows[5].targets == 1 && merged.rows[5].parent == 0);
    lg_merged_paths_free(&merged);
    targets[0] = 99;
    CHECK(lg_analysis_merged_paths(analysis, targets, 6, &all, NULL, &merged,
                                   NULL) == LG_EINVAL);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Frames of one function merge, those of different functions do not; types with
// the same name merge.
static void
by_name(void)
{
    story made = story_begin();
    uint32_t thread = story_add(&made, "thread", "MainThread", 0);
    const char *const texts[] = {"f() a.py:1", "f() a.py:1", "g() a.py:9"};
    uint32_t targets[3];
    lg_builder_add_root(made.builder, thread, LG_ROOT_THREAD, "MainThread", 10);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t frame = story_add(&made, "frame", texts[i], 400);
        story_edge(&made, thread, frame, LG_EDGE_FRAME, i);
        targets[i] = story_add(&made, "f.<locals>.Local", NULL, 100);
        story_local(&made, frame, "x", targets[i]);
        lg_builder_put_type(made.builder, targets[i],
                            lg_builder_add_type(made.builder,
                                                "f.<locals>.Local", 16, LG_NONE,
                                                NULL, 0));
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_merged_paths merged;
    REQUIRE(lg_analysis_merged_paths(analysis, targets, 3, &all, NULL, &merged,
                                     NULL) == LG_OK);
    REQUIRE(merged.count == 5);
    CHECK(merged.rows[1].count == 2 && merged.rows[1].varied);
    CHECK(merged.rows[2].count == 2 && !merged.rows[2].varied);
    CHECK(merged.rows[4].count == 1 && merged.rows[4].parent == 3);
    lg_merged_paths_free(&merged);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static uint64_t
ends_of(const lg_merged_paths *merged)
{
    uint64_t ends = 0;
    for (size_t i = 0; i < merged->count; i++)
        ends += merged->rows[i].ends;
    return ends;
}

// With any number of rows, the roots' rows account for all targets.
static void
few_rows(void)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        lg_graph *graph = sample_random(seed, 60, false);
        lg_analysis *analysis = analysed(graph);
        uint32_t targets[60];
        for (uint32_t i = 0; i < 60; i++)
            targets[i] = i;
        for (size_t most = 0; most < 20; most++) {
            lg_merged_options few = {.size = sizeof few,
                                     .most = most,
                                     .head = most > 0,
                                     .tail = most > 0};
            lg_merged_paths merged;
            if (most > 0 && most < 3)
                continue;
            REQUIRE(lg_analysis_merged_paths(analysis, targets, 60, &few, NULL,
                                             &merged, NULL) == LG_OK);
            CHECK(most == 0 || merged.count <= most);
            CHECK(most > 0 || merged.unreachable + ends_of(&merged) == 60);
            uint64_t reached = 0;
            for (size_t i = 0; i < merged.count; i++)
                if (merged.rows[i].parent == LG_NONE)
                    reached += merged.rows[i].targets;
            CHECK(merged.targets == 60);
            CHECK(reached + merged.unreachable == 60);
            lg_merged_paths_free(&merged);
        }
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// The tree leaves out a branch if it has few targets and few bytes.
static void
slight(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t targets[21];
    uint32_t list = story_add(&made, "list", NULL, 80);
    targets[0] = story_add(&made, "app.Big", NULL, 1000000);
    story_attribute(&made, app, "big", targets[0]);
    story_attribute(&made, app, "list", list);
    for (uint32_t i = 1; i < 20; i++) {
        targets[i] = story_add(&made, "app.Job", NULL, 1);
        story_edge(&made, list, targets[i], LG_EDGE_INDEX, i);
    }
    targets[20] = story_add(&made, "app.Last", NULL, 1);
    story_attribute(&made, app, "last", targets[20]);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_merged_options options = {
        .size = sizeof options, .min_bytes = 0.001, .min_targets = 0.1};
    lg_merged_paths merged;
    REQUIRE(lg_analysis_merged_paths(analysis, targets, 20, &options, NULL,
                                     &merged, NULL) == LG_OK);
    REQUIRE(merged.count == 4);
    CHECK(merged.rows[0].ends == 0 && merged.rows[0].total == 1000019);
    CHECK(merged.rows[1].ends == 1 && merged.rows[1].node == targets[0]);
    CHECK(merged.rows[3].ends == 19 && merged.rows[3].retained[0] == 19);
    lg_merged_paths_free(&merged);
    options.min_targets = 1;
    REQUIRE(lg_analysis_merged_paths(analysis, targets, 21, &options, NULL,
                                     &merged, NULL) == LG_OK);
    REQUIRE(merged.count == 3);
    CHECK(merged.rows[2].kind == LG_MERGED_REST && merged.rows[2].count == 2);
    CHECK(merged.rows[2].targets == 20 && merged.rows[2].node == LG_NONE);
    lg_merged_paths_free(&merged);
    const double wrong[] = {-1, -0.01, 1.01};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.min_bytes = wrong[i];
        CHECK(lg_analysis_merged_paths(analysis, targets, 21, &options, NULL,
                                       &merged, NULL) == LG_EINVAL);
    }
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// The search does not scan a long list once for each of its elements.
static void
wide(void)
{
    enum { NODES = 300000 };
    lg_builder *builder;
    lg_graph *graph = NULL;
    lg_merged_paths merged;
    uint32_t *targets = malloc(NODES * sizeof *targets);
    REQUIRE(targets != NULL);
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < NODES; i++) {
        lg_builder_add_node(builder, 4096 + 16 * (uint64_t)i);
        targets[i] = i;
    }
    lg_builder_open(builder, 0);
    for (uint32_t i = 1; i < NODES; i++)
        lg_builder_add_edge(builder, i, LG_EDGE_INDEX, i);
    lg_builder_add_root(builder, 0, LG_ROOT_THREAD, "main", 4);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(lg_analysis_merged_paths(analysis, targets, NODES, &all, NULL,
                                     &merged, NULL) == LG_OK);
    CHECK(merged.count == 2 && merged.rows[1].targets == NODES - 1);
    lg_merged_paths_free(&merged);
    free(targets);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(merged)
{
    RUN(random_graphs);
    RUN(weights);
    RUN(folded);
    RUN(by_name);
    RUN(few_rows);
    RUN(slight);
    RUN(wide);
    return test_result();
}
