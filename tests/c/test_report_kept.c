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

// Beside such a path, the report says what to cut: one reference, or several.
static void
what_to_cut_beside_it(void)
{
    static const char *const names[] = {"one", "other"};
    static const char *const words[] = {
        "Apart from that, cutting this reference frees it:\n",
        "Apart from that, cutting each of these 2 references frees it:\n"};
    for (size_t count = 1; count <= 2; count++) {
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t data = story_add(&made, "bytearray", NULL, 1 << 20);
        for (size_t i = 0; i < count; i++)
            story_attribute(&made, module, names[i], data);
        story_hold(&made, data, 1);
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        lg_text text = {0};
        REQUIRE(why_report(analysis, &data, 1, NULL, LG_FORMAT_TEXT, &text) ==
                LG_OK);
        if (strstr(text.data, words[count - 1]) == NULL)
            CHECK_TEXT(text, words[count - 1]);
        lg_text_free(&text);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

SUITE(report_kept)
{
    RUN(a_path_that_no_program_can_cut);
    RUN(what_to_cut_beside_it);
    return test_result();
}
