// The charts in cells of HTML, and the marks of cells.
#include "drawn.h"
#include "table/table_private.h"
#include "test.h"

// Makes a table of one chart, and of a number.
static lg_table *
begin(const lg_graph *graph, lg__chart chart)
{
    const lg__column few[] = {
        {"chart",
         .type = chart == LG__LINE ? LG_COLUMN_NUMBERS : LG_COLUMN_LIST,
         .chart = chart},
        {"change", .type = LG_COLUMN_NUMBER, .delta = LG__BYTES_MORE},
    };
    lg_table *table = lg__table_new(graph, (lg__layout){.bare = true}, few, 2);
    lg__table_row(table);
    return table;
}

static void
add_part(lg_table *list, const char *name, uint64_t bytes, lg__mark mark)
{
    lg_text text = {0};
    lg_text_add(&text, name);
    lg__put_part(list, &text, bytes, 4096);
    lg__mark_part(list, mark);
    lg_text_free(&text);
}

static void
expect(lg_table *table, const char *expected)
{
    lg_text out = {0};
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html_plain(table, 0, &out, NULL) == LG_OK);
    CHECK_TEXT(out, expected);
    lg_text_free(&out);
    lg_table_free(table);
}

#define SVG(size)                                                              \
    "<svg class=\"bars\" width=\"80\" height=\"20\" viewBox=\"0 0 " size       \
    "\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
#define ROW "<table><tbody><tr><td>"
#define END "</td><td class=\"n\"></td></tr></tbody></table>"

static void
bars(void)
{
    lg_graph *graph = draw("a", "", "");
    lg_table *table = begin(graph, LG__BARS);
    lg_table *list = lg__put_parts(table, 0);
    add_part(list, "rank <0>", 4096, LG__APART);
    add_part(list, "rank 1", 1024, LG__UNMARKED);
    expect(table, ROW SVG("20 100") "<rect class=\"apart\" fill=\"#BC4C00\" "
                                    "x=\"1\" width=\"8\" "
                                    "y=\"0.00\" height=\"100.00\"><title>rank "
                                    "&lt;0&gt;: 4.00 KiB"
                                    "</title></rect>"
                                    "<rect class=\"quiet\" fill=\"#C4CCD4\" "
                                    "x=\"11\" width=\"8\" "
                                    "y=\"75.00\" height=\"25.00\"><title>rank "
                                    "1: 1.00 KiB</title>"
                                    "</rect></svg>" END);
    lg_graph_free(graph);
}

// A part without bytes takes no room, but a colour, so that colours keep their
// meaning from row to row.
static void
parts(void)
{
    lg_graph *graph = draw("a", "", "");
    lg_table *table = begin(graph, LG__PARTS);
    lg_table *list = lg__put_parts(table, 0);
    add_part(list, "host", 1024, LG__UNMARKED);
    add_part(list, "cuda", 0, LG__UNMARKED);
    add_part(list, "xpu", 2048, LG__UNMARKED);
    add_part(list, "malloc", 1024, LG__QUIET);
    expect(
        table,
        ROW SVG(
            "1000 1") "<rect class=\"c0\" fill=\"#0969DA\" height=\"1\" "
                      "x=\"0.00\" "
                      "width=\"250.00\"><title>host: 1.00 KiB</title></rect>"
                      "<rect class=\"c2\" fill=\"#1A7F37\" height=\"1\" "
                      "x=\"250.00\" "
                      "width=\"500.00\"><title>xpu: 2.00 KiB</title></rect>"
                      "<rect class=\"quiet\" fill=\"#C4CCD4\" height=\"1\" "
                      "x=\"750.00\" "
                      "width=\"250.00\"><title>malloc: 1.00 KiB</title></rect>"
                      "</svg>" END);
    lg_graph_free(graph);
}

static void
line(void)
{
    static const uint64_t numbers[] = {10, 20, 30};
    lg_graph *graph = draw("a", "", "");
    lg_table *table = begin(graph, LG__LINE);
    lg__put_numbers(table, 0, numbers, 3);
    expect(table, ROW
           "<svg width=\"80\" height=\"20\" role=\"img\" "
           "aria-label=\"from 10 to 30\"><polyline fill=\"none\" "
           "stroke=\"#BC4C00\" stroke-width=\"1.5\" points=\"3,13 40,8 77,3\"/>"
           "<circle cx=\"77\" cy=\"3\" r=\"2\" fill=\"#BC4C00\"/></svg>" END);
    lg_graph_free(graph);
}

// Nothing to draw leaves the cell empty. A change has a sign, and a script
// sorts by its number; a mark shows with a style sheet and without.
static void
marks(void)
{
    lg_graph *graph = draw("a", "", "");
    lg_table *table = begin(graph, LG__BARS);
    lg_text out = {0};
    lg__put_number(table, 1, -2048);
    lg__mark_cell(table, 1, LG__APART);
    lg__table_row(table);
    lg__put_number(table, 1, 100);
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_html_plain(table, 0, &out, NULL) == LG_OK);
    CHECK_TEXT(out, "<table><tbody><tr><td></td><td class=\"n apart\" "
                    "data-v=\"-2048\">-2.00 KiB</td></tr><tr><td></td>"
                    "<td class=\"n\" data-v=\"100\">+100 B</td></tr></tbody>"
                    "</table>");
    out.length = 0;
    REQUIRE(lg_table_html(table, 0, &out, NULL) == LG_OK);
    CHECK(strstr(out.data, ";color:#BC4C00;font-weight:600\" "
                           "data-v=\"-2048\">") != NULL);
    CHECK(strstr(out.data, "nowrap\" data-v=\"100\">") != NULL);
    out.length = 0;
    REQUIRE(lg_table_json(table, &out, NULL) == LG_OK);
    CHECK(strstr(out.data, "\"change\": -2048}") != NULL);
    lg_text_free(&out);
    lg_table_free(table);
    lg_graph_free(graph);
}

SUITE(table_chart)
{
    RUN(bars);
    RUN(parts);
    RUN(line);
    RUN(marks);
    return test_result();
}
