// The page of ranks shows them side by side, escaped and allowed by its own
// policy.
#include "growing.h"
#include "story.h"
#include "test.h"
#include "text_count.h"

#include <leakgraph/internal/page.h>
#include <leakgraph/internal/report.h>

enum { MOST = GROWING_MOST };

// One rank has a bigger blob than the others.
static lg_text
page_of(uint32_t count, uint32_t blob, const char *title)
{
    growing_heap heaps[MOST] = {0};
    lg_ranks ranks;
    lg_text page = {0};
    lg_ranks_options least = LG_RANKS_OPTIONS_INIT;
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    least.min_bytes = 4096;
    options.title = title;
    for (uint32_t i = 0; i < count; i++)
        heaps[i] = (growing_heap){.items = 20,
                                  .entries = 300,
                                  .blob = i == 1 ? blob : 1000,
                                  .malloc = 3000000,
                                  .rank = i + 1};
    growing_series made = growing_compare(heaps, count, NULL);
    REQUIRE(!lg_ranks_find((const lg_summary *const *)made.summary, count,
                           &least, &ranks, NULL));
    REQUIRE(!lg_page_ranks_html(&ranks, &options, &page, NULL));
    lg_ranks_free(&ranks);
    growing_forget(&made);
    return page;
}

static void
test_sections(void)
{
    lg_text page = page_of(3, 90000, NULL);
    CHECK(count_of(&page, "<h1>3 ranks</h1>") == 1);
    CHECK(count_of(&page, "<a href=\"#") == 3);
    CHECK(count_of(&page, "<section") == 3);
    CHECK(count_of(&page, "</section>") == 3);
    CHECK(count_of(&page, "<table>") == 3);
    CHECK(count_of(&page, "</table>") == 3);
    CHECK(count_of(&page, "<tr>") == count_of(&page, "</tr>"));
    CHECK(count_of(&page, "<td") == count_of(&page, "</td>"));
    // The page marks the number and the bar of the rank that differs.
    CHECK(count_of(&page, "<td class=\"n apart\" data-v=\"90000\">") == 1);
    CHECK(count_of(&page, "<rect class=\"apart\"") == 1);
    CHECK(count_of(&page, "<title>rank 1: 87.9 KiB</title>") == 1);
    CHECK(count_of(&page, "height=\"100.00\"><title>rank 1:") == 1);
    CHECK(count_of(&page, "data-v=\"89000\">+86.9 KiB") == 1);
    CHECK(count_of(&page, "<td class=\"path\">app.blob</td>") == 1);
    CHECK(count_of(&page, "<th scope=\"col\" class=\"n\">rank 2</th>") == 1);
    CHECK(count_of(&page, "unexplained malloc: ") == 3);
    CHECK(count_of(&page, "<p>3 ranks, with objects of ") == 1);
    // The page has no inline style and loads nothing from elsewhere.
    CHECK(count_of(&page, "<script>") == 1);
    CHECK(count_of(&page, " style=\"") == 0);
    CHECK(count_of(&page, " src=\"") == 0);
    CHECK(count_of(&page, "<link") == 0);
    CHECK(count_of(&page, "Content-Security-Policy") == 1);
    lg_text_free(&page);
}

static void
test_alike(void)
{
    lg_text page = page_of(2, 1000, "<run>");
    CHECK(count_of(&page, "<h1>&lt;run&gt;</h1>") == 1);
    CHECK(count_of(&page, "<p>No place differs by 4.00 KiB or more.</p>") == 1);
    CHECK(count_of(&page, "class=\"apart\"") == 0);
    CHECK(count_of(&page, "<section") == 2);
    CHECK(count_of(&page, "Where they differ") == 0);
    lg_text_free(&page);
}

// Many ranks have bars, but no columns of numbers.
static void
test_many(void)
{
    for (uint32_t count = 8; count <= 9; count++) {
        lg_text page = page_of(count, 90000, NULL);
        CHECK(count_of(&page, "class=\"n\">rank 7</th>") == (count == 8));
        CHECK(count_of(&page, "<rect class=\"apart\"") == 1);
        CHECK(count_of(&page, "<title>rank 7: 1000 B</title>") == 1);
        lg_text_free(&page);
    }
}

// Ranks that differ in many attributes of a module.
static lg_summary *
summary_of_many(uint32_t attributes, uint32_t bytes)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    for (uint32_t i = 0; i < attributes; i++) {
        char name[16];
        snprintf(name, sizeof name, "blob_%u", i);
        story_attribute(&made, app, name,
                        story_add(&made, "bytearray", NULL, bytes));
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = NULL;
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    lg_summary *summary = NULL;
    REQUIRE(!lg_summary_new(analysis, NULL, &summary, NULL));
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return summary;
}

static void
test_rows(void)
{
    for (uint32_t more = 0; more <= 1; more++) {
        lg_summary *both[] = {summary_of_many(200 + more, 1000),
                              summary_of_many(200 + more, 9000)};
        lg_ranks_options least = LG_RANKS_OPTIONS_INIT;
        lg_ranks ranks;
        lg_text page = {0};
        least.min_bytes = 4096;
        REQUIRE(!lg_ranks_find((const lg_summary *const *)both, 2, &least,
                               &ranks, NULL));
        REQUIRE(!lg_page_ranks_html(&ranks, NULL, &page, NULL));
        CHECK(count_of(&page, "<td class=\"path\">app.blob_") == 200);
        CHECK(count_of(&page, "<p>... and 1 more place</p>") == more);
        lg_text_free(&page);
        lg_ranks_free(&ranks);
        lg_summary_free(both[0]);
        lg_summary_free(both[1]);
    }
}

SUITE(ranks_page)
{
    RUN(test_sections);
    RUN(test_alike);
    RUN(test_many);
    RUN(test_rows);
    return test_result();
}
