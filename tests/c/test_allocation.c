// Where `why` says that a tensor was allocated.
#include "drawn.h"
#include "stored.h"
#include "test.h"

#include <string.h>

// The allocator of a device has recorded it; a note of the program takes
// precedence.
static void
allocated(void)
{
    static const char recorded[] =
        "\nallocated in load train.py:3 < train train.py:9\n";
    const lg_node batch = STORED_BATCH, loss = STORED_LOSS;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_text text = {0};
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
    REQUIRE(why_report(analysis, &batch, 1, NULL, LG_FORMAT_TEXT, &text) ==
            LG_OK);
    CHECK(strstr(text.data, recorded) != NULL);
    lg_text_free(&text);
    REQUIRE(why_report(analysis, &batch, 1, "mine", LG_FORMAT_TEXT, &text) ==
            LG_OK);
    CHECK(strstr(text.data, "\nmine\n") != NULL);
    CHECK(strstr(text.data, recorded) == NULL);
    lg_text_free(&text);
    REQUIRE(why_report(analysis, &loss, 1, NULL, LG_FORMAT_TEXT, &text) ==
            LG_OK);
    CHECK(strstr(text.data, "allocated") == NULL);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(allocation)
{
    RUN(allocated);
    return test_result();
}
