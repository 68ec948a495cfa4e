// The report on what no program can cut.
#include "drawn.h"
#include "story.h"
#include "test.h"

// Native code holds an array that shows the memory of another one.
static void
a_path_that_no_program_can_cut(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t shown = story_add(&made, "numpy.ndarray", NULL, 112);
    uint32_t whole = story_add(&made, "numpy.ndarray", NULL, 1 << 20);
    story_attribute(&made, shown, "base", whole);
    story_attribute(&made, module, "whole", whole);
    story_hold(&made, shown, 1);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    REQUIRE(why_report(analysis, &whole, 1, NULL, LG_FORMAT_TEXT, &text) ==
            LG_OK);
    CHECK(strstr(text.data,
                 "\nOnly native code can release this path: native code: "
                 "ndarray.base\n") != NULL);
    CHECK(strstr(text.data, "Native code keeps it") == NULL);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(report_kept)
{
    RUN(a_path_that_no_program_can_cut);
    return test_result();
}
