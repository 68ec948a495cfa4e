#include "expected_cycles.h"
#include "drawn.h"
#include "test.h"

void
expect_cycles(story *made, const char *expected)
{
    const lg_cycle_options all = {.size = sizeof all, .min_bytes = 0};
    lg_graph *graph = story_end(made);
    lg_analysis *analysis = analysed(graph);
    lg_cycles cycles;
    lg_text text = {0};
    REQUIRE(lg_analysis_cycles(analysis, &all, NULL, &cycles, NULL) == LG_OK);
    REQUIRE(lg_report_cycles(analysis, &cycles, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    CHECK_TEXT(text, expected);
    for (size_t i = 0; i < cycles.count; i++) {
        const lg_cycle *cycle = &cycles.items[i];
        CHECK(cycle->cut < cycle->shortest.count || cycle->cut_count == 0);
        CHECK(cycle->cut_count > 0 || cycle->left != LG_CUT_NONE);
        CHECK(cycles.groups[cycle->group].first <= i);
    }
    lg_text_free(&text);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}
