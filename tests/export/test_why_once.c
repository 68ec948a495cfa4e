// An answer to why is searched for once, however many forms show it.
#include "shapes.h"
#include "test.h"

#include <leakgraph/internal/merged_paths.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/answer_views.h>

static unsigned searches; // for paths and for what to cut

lg_status __wrap_lg_path_from_root(const lg_graph *graph, lg_node target,
                                   const lg_monitor *monitor, lg_path *out,
                                   lg_error *err);
lg_status __real_lg_path_from_root(const lg_graph *graph, lg_node target,
                                   const lg_monitor *monitor, lg_path *out,
                                   lg_error *err);
lg_status __wrap_lg_node_cuts(const lg_analysis *analysis, lg_node node,
                              const lg_node *from, size_t limit,
                              const lg_monitor *monitor, lg_cuts *out,
                              lg_error *err);
lg_status __real_lg_node_cuts(const lg_analysis *analysis, lg_node node,
                              const lg_node *from, size_t limit,
                              const lg_monitor *monitor, lg_cuts *out,
                              lg_error *err);

lg_status __wrap_lg_analysis_merged_paths(const lg_analysis *analysis,
                                          const lg_node *targets, size_t count,
                                          const lg_merged_options *options,
                                          const lg_monitor *monitor,
                                          lg_merged_paths *out, lg_error *err);
lg_status __real_lg_analysis_merged_paths(const lg_analysis *analysis,
                                          const lg_node *targets, size_t count,
                                          const lg_merged_options *options,
                                          const lg_monitor *monitor,
                                          lg_merged_paths *out, lg_error *err);

lg_status
__wrap_lg_path_from_root(const lg_graph *graph, lg_node target,
                         const lg_monitor *monitor, lg_path *out, lg_error *err)
{
    searches++;
    return __real_lg_path_from_root(graph, target, monitor, out, err);
}

lg_status
__wrap_lg_node_cuts(const lg_analysis *analysis, lg_node node,
                    const lg_node *from, size_t limit,
                    const lg_monitor *monitor, lg_cuts *out, lg_error *err)
{
    searches++;
    return __real_lg_node_cuts(analysis, node, from, limit, monitor, out, err);
}

lg_status
__wrap_lg_analysis_merged_paths(const lg_analysis *analysis,
                                const lg_node *targets, size_t count,
                                const lg_merged_options *options,
                                const lg_monitor *monitor, lg_merged_paths *out,
                                lg_error *err)
{
    searches++;
    return __real_lg_analysis_merged_paths(analysis, targets, count, options,
                                           monitor, out, err);
}

// Shows the answer as text and JSON, and as a picture in all its forms.
static void
show(const lg_why *why, const lg_table *paths)
{
    lg_view *view = NULL;
    lg_text text = {0};
    REQUIRE(!lg_report_why(why, paths, NULL, LG_FORMAT_TEXT, &text, NULL));
    lg_text_free(&text);
    REQUIRE(!lg_report_why(why, paths, NULL, LG_FORMAT_JSON, &text, NULL));
    lg_text_free(&text);
    REQUIRE(!lg_view_why(why, NULL, NULL, &view, NULL));
    REQUIRE(!lg_view_dot(view, NULL, &text, NULL));
    lg_text_free(&text);
    REQUIRE(!lg_view_text(view, &text, NULL));
    lg_text_free(&text);
    REQUIRE(!lg_view_json(view, &text, NULL));
    lg_text_free(&text);
    lg_view_free(view);
}

static void
test_forms_do_not_search(void)
{
    for (size_t i = 0; i < shape_count; i++) {
        uint32_t node;
        lg_graph *graph = shapes[i].make(&node);
        lg_analysis *analysis = NULL;
        lg_why why;
        if (lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK) {
            searches = 0;
            REQUIRE(!lg_node_why(analysis, node, NULL, &why, NULL));
            lg_table *paths = NULL;
            lg_merged_paths merged;
            REQUIRE(!lg_analysis_merged_paths(analysis, &node, 1, NULL, NULL,
                                              &merged, NULL));
            REQUIRE(!lg_tabulate_paths(graph, &merged, &paths, NULL));
            lg_merged_paths_free(&merged);
            unsigned once = searches;
            show(&why, paths);
            CHECK(once > 1 && searches == once);
            lg_table_free(paths);
            lg_why_clear(&why);
        }
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// The answer has the path that holds a cycle.
static void
test_the_picture_of_a_cycle_does_not_search(void)
{
    uint32_t node;
    lg_graph *graph = shape_find("family")->make(&node);
    lg_analysis *analysis = NULL;
    lg_cycles cycles;
    lg_view *view = NULL;
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    searches = 0;
    REQUIRE(!lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL));
    unsigned once = searches;
    CHECK(once > 0 && cycles.items[0].kind == LG_CYCLE_HELD);
    REQUIRE(!lg_view_cycle(analysis, &cycles.items[0], &view, NULL));
    CHECK(searches == once);
    lg_view_free(view);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(why_once)
{
    RUN(test_the_picture_of_a_cycle_does_not_search);
    RUN(test_forms_do_not_search);
    return test_result();
}
