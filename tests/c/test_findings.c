// What findings say, and of which nodes.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

// What autocast keeps is known by the allocator's frames alone.
static void
autocast(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    lg_builder *builder = made.builder;
    static const char frames[] = "at::autocast::cached_cast < forward (a.py:1)";
    lg_segment segment = {.address = 4096, .size = 8192};
    lg_block block = {.address = 4096, .size = 2048, .requested = 2000};
    segment.device = lg_builder_add_device(builder, "cuda:0");
    block.segment = lg_builder_add_segment(builder, &segment);
    block.frames = lg_builder_intern(builder, frames, sizeof frames - 1);
    lg_builder_add_block(builder, &block);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    lg_text text = {0};
    REQUIRE(lg_analysis_findings(analysis, NULL, &findings, NULL) == LG_OK);
    REQUIRE(findings.count == 1);
    CHECK(strcmp(findings.items[0].pattern->name, "autocast-cache") == 0);
    CHECK(findings.items[0].holder == LG_NONE);
    CHECK(findings.items[0].count == 1);
    CHECK(findings.items[0].retained.device == 2048);
    for (int i = 0; i < 2; i++)
        CHECK(lg_report_findings(analysis, &findings, (lg_format)i, &text,
                                 NULL) == LG_OK);
    CHECK(strstr(text.data, "C++, which no snapshot sees") != NULL);
    CHECK(strstr(text.data, "\"holder\": null") != NULL);
    lg_text_free(&text);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// What concerns a node: it is the holder, or kept, or goes with what is kept.
static void
of_a_node(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t all = heap_list(&made, LG_NONE);
    uint32_t other = story_add(&made, "list", NULL, 56);
    story_attribute(&made, app, "losses", all);
    story_attribute(&made, app, "other", other);
    uint32_t first = heap_loss(&made);
    heap_append(&made, all, first);
    heap_append(&made, all, heap_loss(&made));
    heap_append(&made, all, heap_loss(&made));
    uint32_t node = first - 1; // its autograd node
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    const uint32_t concerned[] = {all, first, node};
    lg_findings findings = {0};
    for (size_t i = 0; i < 3; i++) {
        REQUIRE(lg_node_findings(analysis, concerned[i], NULL, &findings,
                                 NULL) == LG_OK);
        REQUIRE(findings.count == 1);
        CHECK(findings.items[0].holder == all && findings.items[0].count == 3);
        CHECK(findings.items[0].retained.host == 3 * (64 + 200));
        lg_findings_free(&findings);
        lg_text text = {0};
        for (int format = 0; format < 2; format++)
            CHECK(lg_report_why(analysis, &concerned[i], 1, NULL, NULL,
                                (lg_format)format, &text, NULL) == LG_OK);
        CHECK(strstr(text.data, "A known mistake, loss-history: 792 B, 3 x "));
        CHECK(strstr(text.data, "{\"pattern\": \"loss-history\""));
        lg_text_free(&text);
    }
    REQUIRE(lg_node_findings(analysis, other, NULL, &findings, NULL) == LG_OK);
    CHECK(findings.count == 0);
    lg_findings_free(&findings);
    CHECK(lg_node_findings(analysis, 10000, NULL, &findings, NULL) ==
          LG_EINVAL);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Each has a name of its own, one sentence and one line.
static void
table(void)
{
    size_t count = 0;
    for (; lg_pattern_at(count) != NULL; count++) {
        const lg_pattern *pattern = lg_pattern_at(count);
        for (size_t i = 0; i < count; i++)
            CHECK(strcmp(lg_pattern_at(i)->name, pattern->name) != 0);
        CHECK(pattern->cause[strlen(pattern->cause) - 1] == '.');
        CHECK(strchr(pattern->fix, '\n') == NULL);
    }
    CHECK(count == 16);
}

int
main(void)
{
    RUN(autocast);
    RUN(of_a_node);
    RUN(table);
    return test_result();
}
