// The number of cycles, their kinds, and how many a report shows.
#include "drawn.h"
#include "test.h"

static void
begins(int64_t least, size_t limit, unsigned kinds, const char *expected)
{
    // The thread holds three; the other two are untracked.
    lg_graph *graph = draw("ace", "ab ba cd dc ef fe gh hg ij ji", "g");
    lg_analysis *analysis = analysed(graph);
    lg_cycles cycles;
    lg_text text = {0};
    const lg_cycle_options options = {.size = sizeof options,
                                      .min_bytes = least,
                                      .limit = limit,
                                      .kinds = kinds};
    REQUIRE(lg_analysis_cycles(analysis, &options, NULL, &cycles, NULL) ==
            LG_OK);
    REQUIRE(lg_report_cycles(analysis, &cycles, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    *strchr(text.data, '\n') = '\0';
    text.length = strlen(text.data);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
counts_kinds_of_all(void)
{
    begins(0, 0, 0, "5 cycles: 3 held, 2 uncollectable");
    begins(0, 1, 0,
           "5 cycles: 3 held, 2 uncollectable; the biggest 2 shown, those "
           "alike as one");
    begins(0, 1, 1u << LG_CYCLE_HELD, "3 cycles: 3 held");
    begins(0, 2, 1u << LG_CYCLE_COLLECTABLE, "0 cycles");
}

// The others are not less interesting because they are small.
static void
counts_what_is_too_small(void)
{
    begins(-1, 0, 0,
           "2 cycles: 2 uncollectable; 3 held of less than 1.00 MiB left out: "
           "min_bytes=0 or --min-bytes 0 shows them");
    begins(-1, 0, 1u << LG_CYCLE_COLLECTABLE, "0 cycles");
    begins(1 << 20, 0, 0, "1 cycle: 1 uncollectable");
}

// A cycle of a group says how many more are like it, whatever the limit, and
// one alone does not.
static void
counts_those_alike(void)
{
    static const char *const edges[] = {"ab ba", "ab ba cd dc",
                                        "ab ba cd dc ef fe"};
    static const char *const more[] = {NULL, " and 1 more like it; ",
                                       " and 2 more like it; "};
    for (size_t i = 0; i < 6; i++) {
        lg_graph *graph = draw("", edges[i % 3], "");
        lg_analysis *analysis = analysed(graph);
        const lg_cycle_options all = {
            .size = sizeof all, .min_bytes = 0, .limit = i < 3 ? 0 : 1};
        lg_cycles cycles;
        lg_text text = {0};
        REQUIRE(lg_analysis_cycles(analysis, &all, NULL, &cycles, NULL) ==
                LG_OK);
        REQUIRE(lg_report_cycles(analysis, &cycles, LG_FORMAT_TEXT, &text,
                                 NULL) == LG_OK);
        CHECK((strstr(text.data, " more like it") != NULL) == (i % 3 > 0));
        CHECK(i % 3 == 0 || strstr(text.data, more[i % 3]) != NULL);
        CHECK(cycles.count == (i < 3 ? i + 1 : 1) && cycles.group_count == 1);
        CHECK(cycles.groups[0].count == i % 3 + 1);
        lg_text_free(&text);
        lg_cycles_free(&cycles);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// Of a long cycle, the report shows five references at each end.
static void
long_cycles_have_a_gap(void)
{
    for (uint32_t nodes = 10; nodes <= 12; nodes++) {
        lg_graph *graph = draw_cycle(nodes);
        lg_analysis *analysis = analysed(graph);
        lg_cycles cycles;
        lg_text text = {0};
        char gap[32];
        const lg_cycle_options options = {.size = sizeof options};
        REQUIRE(lg_analysis_cycles(analysis, &options, NULL, &cycles, NULL) ==
                LG_OK);
        REQUIRE(lg_report_cycles(analysis, &cycles, LG_FORMAT_TEXT, &text,
                                 NULL) == LG_OK);
        snprintf(gap, sizeof gap, "… %u more …", nodes - 10);
        CHECK((strstr(text.data, "more …") != NULL) == (nodes > 10));
        CHECK((strstr(text.data, gap) != NULL) == (nodes > 10));
        lg_text_free(&text);
        lg_cycles_free(&cycles);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

SUITE(report_cycles)
{
    RUN(long_cycles_have_a_gap);
    RUN(counts_kinds_of_all);
    RUN(counts_what_is_too_small);
    RUN(counts_those_alike);
    return test_result();
}
