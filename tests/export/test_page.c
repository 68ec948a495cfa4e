// The report page is whole, escaped and allowed by its own policy, and absent
// if memory runs out.

#include <unistd.h>

#include "asked.h"
#include "growing.h"
#include "shapes.h"
#include "story.h"
#include "test.h"
#include "text_count.h"

#include <leakgraph/internal/page.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/retained.h>

static lg_text
page_of(const lg_graph *graph, const lg_page_options *options)
{
    lg_text page = {0};
    lg_error error = {0};
    lg_analysis *analysis = NULL;
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    if (lg_page_html(analysis, options, NULL, &page, &error))
        fprintf(stderr, "%s\n", error.message);
    REQUIRE(page.data);
    lg_analysis_free(analysis);
    return page;
}

static void
test_sections(void)
{
    static const char *const ids[] = {
        "advice", "map",   "top",     "findings", "cycles",  "memory",
        "waste",  "types", "tensors", "figures",  "threads", "snapshot"};
    uint32_t subject;
    char mark[64];
    lg_graph *graph = shape_find("family")->make(&subject);
    lg_text page = page_of(graph, NULL);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        snprintf(mark, sizeof mark, "<section id=\"%s\"", ids[i]);
        CHECK(count_of(&page, mark) == 1);
        snprintf(mark, sizeof mark, "<a href=\"#%s\">", ids[i]);
        CHECK(count_of(&page, mark) == 1);
    }
    CHECK(count_of(&page, "<section id=\"growth\"") == 0);
    CHECK(count_of(&page, "<section") == count_of(&page, "</section>"));
    CHECK(count_of(&page, "<table") == count_of(&page, "</table>"));
    // Without a renderer, pictures are text.
    CHECK(count_of(&page, "<pre ") > 0);
    CHECK(count_of(&page, "<pre ") == count_of(&page, "</pre>"));
    CHECK(count_of(&page, "<script") == 2);
    CHECK(count_of(&page, "</html>\n") == 1);
    CHECK(count_of(&page,
                   "<meta name=\"viewport\" content=\"width=device-width, "
                   "initial-scale=1\">\n") == 1);
    // The page has no inline style and loads nothing from elsewhere: the policy
    // forbids both.
    CHECK(count_of(&page, " style=\"") == 0);
    CHECK(count_of(&page, " src=\"") == 0);
    CHECK(count_of(&page, "<link") == 0);
    CHECK(count_of(&page, "; script-src 'sha256-") == 1);
    CHECK(count_of(&page, "; style-src 'sha256-") == 1);
    lg_text_free(&page);
    lg_graph_free(graph);
}

// Names that would end an element, an attribute, a string or the data.
static void
test_hostile_names(void)
{
    static const char name[] = "</script><script>alert(1)</script>\"'<!--&";
    uint32_t subject = 0;
    test_heap heap;
    heap_open(&heap);
    uint32_t module = heap_add_module(&heap, name);
    subject = heap_add(&heap, name, 1 << 20);
    uint32_t list = heap_add(&heap, "list", 64);
    heap_attribute(&heap, module, list, name);
    heap_value(&heap, list, subject, name);
    heap_track(&heap, subject);
    heap_attribute(&heap, subject, subject, name);
    lg_graph *graph = heap_close(&heap);
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    options.title = name;
    lg_text page = page_of(graph, &options);
    CHECK(count_of(&page, "alert(1)") > 3);
    CHECK(count_of(&page, "<script>alert") == 0);
    CHECK(count_of(&page, "<script") == 2);
    CHECK(count_of(&page, "</script>") == 2);
    CHECK(count_of(&page, "<!--") == 0);
    CHECK(count_of(&page, "\\u003c/script") > 0);
    lg_text_free(&page);
    lg_graph_free(graph);
}

static void
test_empty_heap(void)
{
    test_heap heap;
    heap_open(&heap);
    lg_graph *graph = heap_close(&heap);
    lg_text page = page_of(graph, NULL);
    CHECK(count_of(&page, "It has <b>0</b> objects") == 1);
    CHECK(count_of(&page, "<b>No known mistake,</b>") == 1);
    CHECK(count_of(&page, "\"places\": []") == 1);
    lg_text_free(&page);
    lg_graph_free(graph);
}

// The same input makes the same page.
static void
test_same_page(void)
{
    uint32_t subject;
    lg_graph *graph = shape_find("disjoint")->make(&subject);
    lg_text one = page_of(graph, NULL);
    lg_text two = page_of(graph, NULL);
    CHECK(one.length == two.length && !memcmp(one.data, two.data, one.length));
    lg_text_free(&one);
    lg_text_free(&two);
    lg_graph_free(graph);
}

static void
test_growth(void)
{
    const growing_heap heaps[] = {
        {.items = 100}, {.items = 200}, {.items = 300, .blob = 5000}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    lg_text page = {0};
    options.summaries = (const lg_summary *const *)made.summary;
    options.summary_count = 3;
    REQUIRE(!lg_page_html(made.analysis[2], &options, NULL, &page, NULL));
    CHECK(count_of(&page, "<section id=\"growth\"") == 1);
    // The head says what the section of the growth says.
    CHECK(count_of(&page, "1 place grows: +") == 2);
    CHECK(count_of(&page, "\"snapshots\": [") == 1);
    CHECK(count_of(&page, "app.items[*]") > 1);
    // The slider shows the bytes of the items in the first two snapshots.
    CHECK(count_of(&page, "false, [[100000], [200000]], null]") == 1);
    CHECK(count_of(&page, "[5000], 0, null, false, [[0], [0]], null]") == 1);
    CHECK(count_of(&page, "\"totals\": [[") == 1);
    lg_text_free(&page);
    options.steps = (const double[]){3, 2, 1};
    lg_error error = {0};
    CHECK(lg_page_html(made.analysis[2], &options, NULL, &page, &error) ==
          LG_EINVAL);
    CHECK(!page.data);
    growing_forget(&made);
}

// Each module is a root of the tree.
static lg_analysis *
many_places(lg_graph **graph)
{
    test_heap heap;
    lg_analysis *analysis = NULL;
    heap_open(&heap);
    for (uint32_t i = 0; i < 9000; i++) {
        char name[32];
        snprintf(name, sizeof name, "app.module%u", i);
        uint32_t module = heap_add_module(&heap, name);
        heap_root(&heap, module, LG_ROOT_MODULE, name);
        heap_attribute(&heap, module, heap_add(&heap, "list", i), "x");
    }
    *graph = heap_close(&heap);
    REQUIRE(!lg_analysis_new(*graph, NULL, &analysis, NULL));
    return analysis;
}

// A summary's file leaves out small places, and the slider counts them.
static void
test_totals_of_summaries(void)
{
    lg_graph *graph;
    lg_analysis *analysis = many_places(&graph);
    lg_summary *summary[2] = {NULL, NULL};
    char path[] = "/tmp/leakgraph-page-XXXXXX";
    int made = mkstemp(path);
    REQUIRE(made >= 0);
    close(made);
    REQUIRE(!lg_summary_new(analysis, NULL, &summary[1], NULL));
    REQUIRE(!lg_summary_save(summary[1], path, NULL));
    REQUIRE(!lg_summary_load(path, &summary[0], NULL));
    unlink(path);
    CHECK(lg_places_count(lg_summary_places(summary[0])) < 9000);
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    options.summaries = (const lg_summary *const *)summary;
    options.summary_count = 2;
    lg_text page = {0};
    REQUIRE(!lg_page_html(analysis, &options, NULL, &page, NULL));
    char totals[64];
    snprintf(totals, sizeof totals, "\"totals\": [[%llu]]",
             (unsigned long long)lg_analysis_reachable_bytes(analysis).host);
    CHECK(count_of(&page, totals) == 1);
    lg_text_free(&page);
    lg_summary_free(summary[0]);
    lg_summary_free(summary[1]);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A table of several rows contains its script, and a short one does not.
// A page shows the first 400 rows of threads and what is suspended.
static void
test_threads(void)
{
    for (uint32_t more = 0; more <= 1; more++) {
        story made = story_begin();
        uint32_t app = story_module(&made, "app");
        uint32_t data = story_add(&made, "bytearray", NULL, 100);
        for (uint32_t i = 0; i <= 200; i++) {
            char name[16];
            uint32_t job = story_add(&made, "coroutine", "work()", 500 - i);
            snprintf(name, sizeof name, "job_%u", i);
            story_attribute(&made, app, name, job);
            story_local(&made, job, "data", data);
            if (i < more)
                story_local(&made, job, "again", data);
        }
        lg_graph *graph = story_end(&made);
        lg_text page = page_of(graph, NULL);
        CHECK(count_of(&page, "</td><td>coroutine work()</td>") == 200);
        CHECK(count_of(&page, "<td class=\"d1\">data</td>") == 200 - more);
        CHECK(count_of(&page, "<td class=\"d1\">again</td>") == more);
        CHECK(count_of(&page, more ? "<p>... and 3 more rows</p>"
                                   : "<p>... and 2 more rows</p>") == 1);
        lg_text_free(&page);
        lg_graph_free(graph);
    }
}

static void
test_notebook_cell(void)
{
    uint32_t subject;
    lg_graph *graph = shape_find("training")->make(&subject);
    for (size_t rows = 1; rows <= 8; rows += 7) {
        lg_table *table = NULL;
        lg_text cell = {0};
        lg_text plain = {0};
        REQUIRE(!question_table("types", graph, NULL,
                                rows == 1 ? "limit=1" : "limit=8", &table,
                                NULL));
        REQUIRE(!lg_page_cell(table, 0, &cell, NULL));
        REQUIRE(!lg_table_html(table, 0, &plain, NULL));
        CHECK(strstr(cell.data, plain.data) != NULL);
        CHECK(count_of(&cell, "<script>") == (rows > 1));
        CHECK(count_of(&cell, "</script>") == (rows > 1));
        CHECK(count_of(&cell, "class=\"leakgraph\"") == (rows > 1));
        CHECK(count_of(&cell, " data-v=\"") >= rows);
        lg_text_free(&plain);
        lg_text_free(&cell);
        lg_table_free(table);
    }
    lg_graph_free(graph);
}

SUITE(page)
{
    // The other suites test the pictures of pages.
    setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer", 1);
    RUN(test_sections);
    RUN(test_hostile_names);
    RUN(test_empty_heap);
    RUN(test_same_page);
    RUN(test_growth);
    RUN(test_totals_of_summaries);
    RUN(test_threads);
    RUN(test_notebook_cell);
    return test_result();
}
