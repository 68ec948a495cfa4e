// Tables as HTML for a page with a style sheet.
#include "drawn.h"

#include <leakgraph/internal/hops.h>
#include "table/table_private.h"
#include "test.h"

// For a page with a style sheet: classes, and numbers for a script to sort by.
static void
plain_html(void)
{
    static const lg__column few[] = {
        {"name", .type = LG_COLUMN_PATH},
        {"place", .tree = LG__INDENTED},
        {"count", .type = LG_COLUMN_COUNT},
        {"share", .type = LG_COLUMN_SHARE},
    };
    lg_graph *graph = draw("a", "", "");
    lg_table *table = lg__table_new(graph, (lg__layout){0}, few, 4);
    lg_text out = {0};
    lg__table_row(table);
    lg__put_literal(table, 0, "<b>");
    lg__put_literal(table, 1, "top");
    lg__put_count(table, 2, 1000);
    lg__put_share(table, 3, 1, 4);
    lg__table_row(table);
    lg__table_set_depth(table, 2);
    lg__put_literal(table, 1, "below");
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html_plain(table, 0, &out, NULL) == LG_OK);
    CHECK_TEXT(out,
               "<table><thead><tr><th scope=\"col\" class=\"path\">name</th>"
               "<th scope=\"col\">place</th>"
               "<th scope=\"col\" class=\"n\">count</th>"
               "<th scope=\"col\" class=\"n\">share</th></tr></thead><tbody>"
               "<tr><td class=\"path\">&lt;b&gt;</td><td>top</td>"
               "<td class=\"n\" data-v=\"1000\">1,000</td>"
               "<td class=\"n\" data-v=\"0.250000\">25.0 %</td></tr>"
               "<tr><td class=\"path\"></td><td class=\"d2\">below</td>"
               "<td class=\"n\"></td><td class=\"n\"></td></tr>"
               "</tbody></table>");
    lg_text_free(&out);
    lg_table_free(table);
    lg_graph_free(graph);
}

// An object is a link to it, else the path to it; a type leads to its objects.
static void
linked_html(void)
{
    static const lg_table_links links = {
        .node = "n=", .selector = "q=", .reference = "c="};
    static const lg__column few[] = {
        {.name = "type"},
        {"node", .type = LG_COLUMN_NODE, .shown_in = LG__IN_DATA},
        {"held_by", .type = LG_COLUMN_PATH},
        {.name = "cut"},
        {.name = "what"},
    };
    lg_graph *graph = draw("a", "ab", "");
    lg_table *table = lg__table_new(graph, (lg__layout){0}, few, 5);
    lg_text out = {0};
    lg__table_row(table);
    lg__put_literal(table, 0, "<b>&");
    lg__put_node(table, 1, graph, 1);
    lg__put_literal(table, 2, "a.b");
    lg__put_literal(table, 3, "#0->#1");
    lg__put_literal(table, 4, "such as #1");
    lg__table_row(table);
    lg__put_literal(table, 2, "no object");
    lg__put_literal(table, 4, "such as #1");
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html_linked(table, 0, &links, &out, NULL) == LG_OK);
    const char *body = strstr(out.data, "<tbody>");
    REQUIRE(body != NULL);
    CHECK(!strcmp(body,
                  "<tbody><tr>"
                  "<td><a href=\"q=type%3A%3Cb%3E%26\">&lt;b&gt;&amp;</a></td>"
                  "<td class=\"path\"><a href=\"n=1\">a.b</a></td>"
                  "<td><a href=\"c=%230-%3E%231\">#0-&gt;#1</a></td>"
                  "<td>such as <a href=\"n=1\">#1</a></td></tr>"
                  "<tr><td></td><td class=\"path\">no object</td>"
                  "<td></td><td>such as #1</td></tr></tbody></table>"));
    lg_text_free(&out);
    lg_table_free(table);
    lg_graph_free(graph);
}

// No line breaks inside an arrow between words.
static void
arrows_stay_whole(void)
{
    static const lg__column few[] = {{"what", .type = LG_COLUMN_TEXT}};
    lg_graph *graph = draw("a", "", "");
    lg_table *table = lg__table_new(graph, (lg__layout){0}, few, 1);
    lg_text out = {0};
    lg__table_row(table);
    lg__put_literal(table, 0, "a -> b -> back <-> #1->#2 ->");
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html(table, 0, &out, NULL) == LG_OK);
    CHECK(strstr(out.data, ">a <nobr>-&gt;</nobr> b <nobr>-&gt;</nobr> back "
                           "&lt;-&gt; #1-&gt;#2 -&gt;<") != NULL);
    lg_text_free(&out);
    lg_table_free(table);
    lg_graph_free(graph);
}

// A long text shows its first line, or what fits into one.
static void
long_texts_fold(void)
{
    static const lg__column few[] = {{"name", .type = LG_COLUMN_PATH}};
    lg_graph *graph = draw("a", "", "");
    lg_table *table = lg__table_new(graph, (lg__layout){0}, few, 1);
    char long_text[201];
    lg_text out = {0};
    memset(long_text, 'x', 200);
    long_text[200] = '\0';
    lg__table_row(table);
    lg__put_literal(table, 0, long_text);
    long_text[40] = '\n';
    lg__table_row(table);
    lg__put_literal(table, 0, long_text);
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html_plain(table, 0, &out, NULL) == LG_OK);
    long_text[40] = '\0';
    const char *first = strstr(out.data, "<summary>");
    REQUIRE(first != NULL);
    CHECK(strcspn(first + 9, ".") == 80);
    const char *second = strstr(first + 1, "<summary>");
    REQUIRE(second != NULL);
    CHECK(strncmp(second + 9, long_text, 40) == 0);
    CHECK(strncmp(second + 49, "...</summary>", 13) == 0);
    lg_text_free(&out);
    lg_table_free(table);
    lg_graph_free(graph);
}

// If programs get several objects, a row links to its own, not to its
// dominator.
static void
the_node_is_linked(void)
{
    static const lg_table_links links = {
        .node = "n=", .selector = "q=", .reference = "c="};
    static const lg__column few[] = {
        {"owner", .type = LG_COLUMN_NODE, .shown_in = LG__IN_DATA},
        {"node", .type = LG_COLUMN_NODE, .shown_in = LG__IN_DATA},
        {"dominator", .type = LG_COLUMN_NODE, .shown_in = LG__IN_DATA},
        {"held_by", .type = LG_COLUMN_PATH},
    };
    lg_graph *graph = draw("a", "ab bc", "");
    lg_table *table = lg__table_new(graph, (lg__layout){0}, few, 4);
    lg_text out = {0};
    lg__table_row(table);
    for (uint32_t i = 0; i < 3; i++)
        lg__put_node(table, i, graph, i);
    lg__put_literal(table, 3, "a.b");
    lg__table_row(table);
    lg__put_node(table, 0, graph, 0);
    lg__put_node(table, 2, graph, 2);
    lg__put_literal(table, 3, "a.c");
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html_linked(table, 0, &links, &out, NULL) == LG_OK);
    CHECK(strstr(out.data, "<a href=\"n=1\">a.b</a>") != NULL);
    CHECK(strstr(out.data, "<a href=\"n=0\">a.c</a>") != NULL);
    lg_text_free(&out);
    lg_table_free(table);
    lg_graph_free(graph);
}

// The references of an object, and objects in a list.
static void
references(void)
{
    lg_graph *graph = draw("a", "ab ac cb", "");
    lg_analysis *analysis = analysed(graph);
    lg_table *table = NULL;
    lg_hops hops;
    REQUIRE(!lg_node_hops_range(graph, 1, true, 1, 9, &hops, NULL));
    REQUIRE(lg_tabulate_references(analysis, &hops, true, &table, NULL) ==
            LG_OK);
    lg_hops_free(&hops);
    CHECK(lg_table_row_count(table) == 1);
    CHECK(lg_table_cell(table, 0, 1).node == 2);
    lg_string cut = lg_table_cell(table, 0, 4).text;
    CHECK(cut.length == 6 && !memcmp(cut.data, "#2->#1", 6));
    lg_table_free(table);
    const lg_node nodes[] = {2, 99};
    REQUIRE(lg_tabulate_nodes(analysis, nodes, 1, &table, NULL) == LG_OK);
    CHECK(lg_table_cell(table, 0, 0).node == 2);
    CHECK(lg_table_cell(table, 0, 1).count == DRAWN_SIZE);
    lg_table_free(table);
    CHECK(lg_tabulate_nodes(analysis, nodes, 2, &table, NULL) == LG_EINVAL);
    const lg_node all[] = {0, 1, 2};
    lg_text out = {0};
    REQUIRE(lg_tabulate_nodes(analysis, all, 3, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html_plain(table, 1, &out, NULL) == LG_OK);
    CHECK(strstr(out.data, "<p>... and 2 more objects</p>") != NULL);
    lg_text_free(&out);
    REQUIRE(lg_table_text(table, 1, &out, NULL) == LG_OK);
    CHECK_TEXT(out, "object  retained   size\n"
                    "? #0       300 B  100 B\n"
                    "... and 2 more objects\n");
    lg_text_free(&out);
    lg_table_free(table);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Checks how many rows are before what a notebook folds, and how many in it.
static void
expect_folded(size_t rows, size_t hidden, size_t first, size_t folded)
{
    static const lg__column few[] = {{"count", .type = LG_COLUMN_COUNT}};
    lg_graph *graph = draw("a", "", "");
    lg_table *table = lg__table_new(graph, (lg__layout){0}, few, 1);
    lg_text out = {0};
    size_t before = 0, inside = 0;
    for (size_t i = 0; i < rows; i++) {
        lg__table_row(table);
        lg__put_count(table, 0, i);
        if (i < hidden)
            lg__table_hide_row(table);
    }
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html(table, 0, &out, NULL) == LG_OK);
    const char *fold = strstr(out.data, "<details class=\"more\">");
    for (const char *at = out.data; (at = strstr(at, "<tr><td")); at++)
        *(fold != NULL && at > fold ? &inside : &before) += 1;
    CHECK(before == first && inside == folded);
    if (fold != NULL)
        CHECK(strstr(fold, "</tbody></table></details>") != NULL);
    lg_text_free(&out);
    REQUIRE(lg_table_html_plain(table, 0, &out, NULL) == LG_OK);
    CHECK(strstr(out.data, "<details") == NULL);
    lg_text_free(&out);
    lg_table_free(table);
    lg_graph_free(graph);
}

static void
long_tables_fold(void)
{
    expect_folded(5, 0, 5, 0);
    expect_folded(20, 0, 20, 0);
    expect_folded(21, 0, 12, 9);
    expect_folded(40, 0, 12, 28);
    expect_folded(40, 7, 12, 21);
    expect_folded(25, 5, 20, 0);
}

SUITE(table_html)
{
    RUN(long_tables_fold);
    RUN(linked_html);
    RUN(arrows_stay_whole);
    RUN(long_texts_fold);
    RUN(the_node_is_linked);
    RUN(references);
    RUN(plain_html);
    return test_result();
}
