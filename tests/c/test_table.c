// Tables return their cells as text, JSON and HTML.
#include "table/table_private.h"
#include "sample.h"
#include "stored.h"
#include "test.h"

static lg_graph *graph;

enum { NAME, OBJECTS, SIZE, SHARE, NODE, NUMBER, DONE, SHAPE, COLUMNS };

static const lg__column columns[COLUMNS] = {
    [NAME] = {"name", "held by", .least = 8},
    [OBJECTS] = {"count", .type = LG_COLUMN_COUNT, .gap = 2, .none = "-"},
    [SIZE] = {"size", .type = LG_COLUMN_SIZE, .gap = 2},
    [SHARE] = {"share", .type = LG_COLUMN_SHARE, .gap = 2},
    [NODE] = {"node", "object", .type = LG_COLUMN_NODE, .gap = 2},
    [NUMBER] = {"number", .type = LG_COLUMN_NUMBER, .gap = 2},
    [DONE] = {"done", .type = LG_COLUMN_BOOL, .gap = 2},
    [SHAPE] = {"shape", .type = LG_COLUMN_NUMBERS, .shown_in = LG__IN_DATA},
};

static const lg__column elements[] = {{"at", .type = LG_COLUMN_COUNT}};
static const lg__column facts[] = {
    {"count", .type = LG_COLUMN_COUNT},
    {"more", .type = LG_COLUMN_RECORD},
    {"list", .type = LG_COLUMN_LIST, .lines = true},
};
static const lg__column record[] = {{.name = "key"},
                                    {"value", .type = LG_COLUMN_BOOL}};

static void
add_facts(lg_table *table)
{
    lg_table *nested = lg__table_facts(table, facts, 3);
    lg__put_count(nested, 0, 12);
    lg_table *inner = lg__put_table(nested, 1, record, 2);
    lg__table_row(inner);
    lg__put_literal(inner, 0, "a");
    lg__put_bool(inner, 1, false);
    inner = lg__put_table(nested, 2, elements, 1);
    for (uint64_t i = 3; i < 5; i++) {
        lg__table_row(inner);
        lg__put_count(inner, 0, i);
    }
}

static void
add_rows(lg_table *table, const lg_graph *of)
{
    uint64_t sizes[] = {4096, 1 << 20};
    lg__table_row(table);
    lg__put_literal(table, NAME, "a<b>\xe6\x95\xb0");
    lg__put_count(table, OBJECTS, 1234567);
    lg__put_each(table, SIZE, sizes);
    lg__put_share(table, SHARE, 1, 4);
    lg__put_node(table, NODE, of, 0);
    lg__put_number(table, NUMBER, -1234);
    lg__put_bool(table, DONE, true);
    lg__put_numbers(table, SHAPE, (uint64_t[]){3, 4}, 2);
    lg__table_row(table);
    lg__put_literal(table, NAME, "a \"name\" & more");
    lg__put_literal(table, SHAPE, "s0, 3");
    lg__table_row(table);
    lg__put_count(table, OBJECTS, 0);
    lg__table_total_row(table);
    lg__put_literal(table, NAME, "total");
    lg__put_count(table, OBJECTS, 7);
}

static lg_status
make_table(const lg_graph *of, lg_table **out)
{
    lg_text above = {0};
    lg_text below = {0};
    lg_table *table =
        lg__table_new(of, (lg__layout){.noun = "name"}, columns, COLUMNS);
    lg_text_add(&above, "Above\n");
    lg_text_add(&below, "\nbelow & <\n");
    lg__table_format_above(table, &above);
    lg__table_format_below(table, &below);
    add_facts(table);
    add_rows(table, of);
    return lg__table_finish(table, out, NULL);
}

static void
expect(lg_status written, lg_text *out, const char *expected)
{
    CHECK(written == LG_OK);
    CHECK_TEXT(*out, expected);
    lg_text_free(out);
}

static void
all_types(void)
{
    lg_table *table;
    lg_text out = {0};
    REQUIRE(make_table(graph, &table) == LG_OK);
    expect(lg_table_text(table, 0, &out, NULL), &out,
           "Above\n"
           "held by              count                             size   "
           "share  object                number  done\n"
           "a<b>\xe6\x95\xb0           1,234,567  1.00 MiB cuda:0 · 4.00 KiB "
           "host  25.0 %  thread MainThread #0   -1234  yes\n"
           "a \"name\" & more          -\n"
           "                         -\n"
           "total                    7\n"
           "\nbelow & <\n");
    expect(lg_table_text(table, 1, &out, NULL), &out,
           "Above\n"
           "held by       count                             size   "
           "share  object                number  done\n"
           "a<b>\xe6\x95\xb0    1,234,567  1.00 MiB cuda:0 · 4.00 KiB "
           "host  25.0 %  thread MainThread #0   -1234  yes\n"
           "... and 2 more names\n"
           "total             7\n"
           "\nbelow & <\n");
    expect(lg_table_json(table, &out, NULL), &out,
           "{\"count\": 12, \"more\": {\"key\": \"a\", \"value\": false}, "
           "\"list\": [\n  {\"at\": 3},\n  {\"at\": 4}\n], "
           "\"rows\": [\n"
           "  {\"name\": \"a<b>\xe6\x95\xb0\", \"count\": 1234567, "
           "\"size\": {\"host\": 4096, \"cuda:0\": 1048576}, "
           "\"share\": 0.25, \"node\": 0, \"type\": \"thread\", "
           "\"title\": \"thread MainThread\", \"number\": -1234, "
           "\"done\": true, \"shape\": [3, 4]},\n"
           "  {\"name\": \"a \\\"name\\\" & more\", \"count\": null, "
           "\"size\": null, \"share\": null, \"node\": null, \"type\": null, "
           "\"title\": null, "
           "\"number\": null, \"done\": null, \"shape\": \"s0, 3\"},\n"
           "  {\"name\": null, \"count\": 0, "
           "\"size\": null, \"share\": null, \"node\": null, \"type\": null, "
           "\"title\": null, "
           "\"number\": null, \"done\": null, \"shape\": null}\n"
           "]}\n");
    lg_table_free(table);
}

static void
html(void)
{
    static const lg__column few[] = {
        {"name", .type = LG_COLUMN_PATH, .tree = LG__INDENTED},
        {"count", .type = LG_COLUMN_COUNT},
        {"secret", .type = LG_COLUMN_COUNT, .shown_in = LG__IN_DATA},
    };
    lg_table *table = lg__table_new(graph, (lg__layout){0}, few, 3);
    lg_text out = {0};
    lg_text text = {0};
    lg__table_row(table);
    lg__put_literal(table, 0, "<b>&\"x\"");
    lg__put_count(table, 1, 1000);
    lg__table_row(table);
    lg__table_set_depth(table, 1);
    for (int i = 0; i < 100; i++)
        lg_text_add(&text, "é");
    lg__put_formatted(table, 0, &text);
    lg__table_row(table);
    lg_text_add(&text, "one\n\ntwo <3\n");
    lg__table_format_below(table, &text);
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    lg_text long_cell = {0};
    for (int i = 0; i < 40; i++)
        lg_text_add(&long_cell, "é");
    lg_text_add(&long_cell, "...</summary>");
    for (int i = 0; i < 100; i++)
        lg_text_add(&long_cell, "é");
    CHECK(lg_table_html(table, 2, &out, NULL) == LG_OK);
    CHECK(strstr(out.data, long_cell.data) != NULL);
    CHECK(strstr(out.data, "padding-left:2.0em\"><details><summary>") != NULL);
    lg_text_free(&long_cell);
    lg_text_free(&out);
    expect(lg_table_html(table, 1, &out, NULL), &out,
           "<table><thead><tr><th style=\"text-align:left\">name</th>"
           "<th style=\"text-align:right;white-space:nowrap\">count</th></tr>"
           "</thead><tbody><tr><td style=\"text-align:left\">"
           "&lt;b&gt;&amp;&quot;x&quot;</td>"
           "<td style=\"text-align:right;white-space:nowrap\" data-v=\"1000\">"
           "1,000</td></tr>"
           "</tbody></table><p>... and 2 more</p>"
           "<p>one</p><p>two &lt;3</p>");
    lg_table_free(table);
}

static void
readers(void)
{
    lg_table *table;
    REQUIRE(make_table(graph, &table) == LG_OK);
    CHECK(lg_table_column_count(table) == COLUMNS);
    CHECK(lg_table_row_count(table) == 3);
    lg_column column = lg_table_column(table, NODE);
    CHECK(column.type == LG_COLUMN_NODE && column.data);
    CHECK(column.name.length == 4 && column.heading.length == 6);
    CHECK(lg_table_cell(table, 0, OBJECTS).count == 1234567);
    lg_cell cell = lg_table_cell(table, 0, SIZE);
    CHECK(cell.present && cell.size[1] == 1 << 20);
    CHECK(cell.count == (1 << 20) + 4096);
    cell = lg_table_cell(table, 0, NODE);
    CHECK(cell.node == 0 && cell.text.length == strlen("thread MainThread"));
    CHECK(cell.type.length == 6 && memcmp(cell.type.data, "thread", 6) == 0);
    CHECK(lg_table_cell(table, 0, NUMBER).number == -1234);
    CHECK(lg_table_cell(table, 0, SHARE).share == 0.25);
    cell = lg_table_cell(table, 0, SHAPE);
    CHECK(cell.count == 2 && cell.numbers[0] == 3 && cell.numbers[1] == 4);
    cell = lg_table_cell(lg_table_facts(table), 0, 2);
    CHECK(lg_table_row_count(cell.table) == 2);
    CHECK(lg_table_cell(table, 1, SHAPE).text.length == 5);
    CHECK(!lg_table_cell(table, 2, NAME).present);
    CHECK(lg_table_cell(lg_table_facts(table), 0, 0).count == 12);
    CHECK(lg_table_device_count(table) == lg_graph_device_count(graph));
    CHECK(memcmp(lg_table_device_name(table, 1).data, "cuda:0", 7) == 0);
    lg_table_free(table);
    lg_table_free(NULL);
}

static void
add_node(lg_table *table, uint32_t depth, const char *name)
{
    lg__table_row(table);
    lg__table_set_depth(table, depth);
    lg__put_count(table, 0, depth);
    lg__put_literal(table, 1, name);
    if (depth == 2)
        lg__put_literal(table, 2, "first\nsecond");
}

static void
expect_tree(lg__tree tree, lg__layout layout, size_t limit,
            const char *expected)
{
    const lg__column of[] = {
        {"depth", .type = LG_COLUMN_COUNT, .least = 7},
        {"name", .tree = tree, .gap = 2},
        {"note", .below = "see "},
    };
    lg_text out = {0};
    lg_table *table = lg__table_new(graph, layout, of, 3);
    add_node(table, 0, "root");
    add_node(table, 1, "a");
    add_node(table, 2, "b");
    add_node(table, 2, "c");
    add_node(table, 1, "d");
    add_node(table, 0, "other");
    add_node(table, 1, "e");
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    expect(lg_table_text(table, limit, &out, NULL), &out, expected);
    lg_table_free(table);
}

static void
trees(void)
{
    expect_tree(LG__BRANCHED, (lg__layout){0}, 0,
                "  depth  name\n"
                "      0  root\n"
                "      1  ├─ a\n"
                "      2  │  ├─ b\n"
                "         see first\n"
                "             second\n"
                "      2  │  └─ c\n"
                "         see first\n"
                "             second\n"
                "      1  └─ d\n"
                "      0  other\n"
                "      1  └─ e\n");
    expect_tree(LG__INDENTED, (lg__layout){.indent = 2, .bare = true}, 3,
                "        0  root\n"
                "        1    a\n"
                "        2      b\n"
                "           see first\n"
                "               second\n"
                "           ... and 4 more\n");
    expect_tree(LG__BRANCHED, (lg__layout){.blocks = true}, 1,
                "\n"
                "      0  root\n"
                "         ... and 6 more\n");
}

static void
parts(void)
{
    static const lg__column of[] = {{.name = "name"}};
    lg_text out = {0};
    lg_text text = {0};
    lg_table *table = lg__table_new(graph, (lg__layout){0}, of, 1);
    lg__table_row(table);
    lg__put_literal(table, 0, "x");
    lg_table *part = lg__table_part(
        table, (lg__layout){.bare = true, .shown_in = LG__SHOWN}, of, 1);
    lg_text_add(&text, "part\n");
    lg__table_format_above(part, &text);
    lg__table_row(part);
    lg__put_literal(part, 0, "y");
    part =
        lg__table_part(table, (lg__layout){.shown_in = LG__IN_HTML}, NULL, 0);
    lg_text_add(&text, "html\n");
    lg__table_format_above(part, &text);
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    expect(lg_table_text(table, 0, &out, NULL), &out, "name\nx\npart\ny\n");
    expect(lg_table_json(table, &out, NULL), &out,
           "{\"rows\": [\n  {\"name\": \"x\"}\n]}\n");
    CHECK(lg_table_html(table, 0, &out, NULL) == LG_OK);
    CHECK(strstr(out.data, "</table><p>part</p><table><tbody>") != NULL);
    CHECK(strstr(out.data, "</table><p>html</p>") != NULL);
    lg_text_free(&out);
    lg_table_free(table);
}

// A cell wider than its column may be does not widen the column, and cells do
// not touch.
static void
wide_cells(void)
{
    static const lg__column of[] = {{"name", .most = 4}, {"next", .gap = 1}};
    lg_text out = {0};
    lg_table *table = lg__table_new(graph, (lg__layout){0}, of, 2);
    for (int i = 0; i < 3; i++) {
        lg__table_row(table);
        lg__put_literal(table, 0, i == 1 ? "much too long" : "abc");
        lg__put_literal(table, 1, i < 2 ? "z" : "");
    }
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    expect(lg_table_text(table, 0, &out, NULL), &out,
           "name next\nabc  z\nmuch too long z\nabc\n");
    lg_table_free(table);
}

// Some rows of a table, in another order, without the totals.
static void
selected(void)
{
    static const lg__column of[] = {{.name = "name"}};
    static const char *const names[] = {"one", "two", "three"};
    const size_t rows[] = {2, 0};
    lg_text out = {0};
    lg_table *some = NULL;
    lg_table *table = lg__table_new(graph, (lg__layout){0}, of, 1);
    for (size_t i = 0; i < 3; i++) {
        lg__table_row(table);
        lg__put_literal(table, 0, names[i]);
    }
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_select(table, rows, 2, &some, NULL) == LG_OK);
    CHECK(lg_table_row_count(some) == 2);
    expect(lg_table_text(some, 0, &out, NULL), &out, "name\nthree\none\n");
    CHECK(lg_table_select(some, rows, 1, &table, NULL) == LG_EINVAL);
    lg_table_free(some);
    lg_table_free(table);
}

// A table that could not be made takes no rows.
static void
no_table(void)
{
    lg_table *out = NULL;
    lg_text text = {0};
    lg_error err;
    lg_text_add(&text, "said");
    lg__table_row(NULL);
    lg__table_total_row(NULL);
    lg__table_set_depth(NULL, 1);
    lg__table_set_count(NULL, 1);
    lg__put_count(NULL, 0, 1);
    lg__put_number(NULL, 0, 1);
    lg__put_bool(NULL, 0, true);
    lg__put_share(NULL, 0, 1, 2);
    lg__put_literal(NULL, 0, "x");
    lg__put_node(NULL, 0, graph, 0);
    lg__put_each(NULL, 0, NULL);
    lg__put_formatted(NULL, 0, &text);
    CHECK(text.data == NULL);
    CHECK(lg__put_table(NULL, 0, NULL, 0) == NULL);
    CHECK(lg__table_facts(NULL, NULL, 0) == NULL);
    CHECK(lg__table_part(NULL, (lg__layout){0}, NULL, 0) == NULL);
    CHECK(lg__table_finish(NULL, &out, &err) == LG_ENOMEM && out == NULL);
}

SUITE(table)
{
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    RUN(all_types);
    RUN(html);
    RUN(readers);
    RUN(trees);
    RUN(parts);
    RUN(wide_cells);
    RUN(selected);
    RUN(no_table);
    lg_graph_free(graph);
    return test_result();
}
