// Tables as HTML for a page with a style sheet.
#include "drawn.h"
#include "report/table.h"
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

SUITE(table_html)
{
    RUN(plain_html);
    return test_result();
}
