// The branches of a tree that is deeper than a line is long.
#include "table/table_private.h"
#include "drawn.h"
#include "test.h"

#include <string.h>

// A row more than 63 levels deep stands where one at 63 levels does.
static void
deep_tree(void)
{
    enum { ROWS = 67, DEEPEST = 63, INDENT = 3 };
    const lg__column of[] = {{"name", .tree = LG__BRANCHED}};
    lg_graph *graph = draw("a", "", "");
    lg_table *table = lg__table_new(graph, (lg__layout){.bare = true}, of, 1);
    lg_text out = {0};
    for (uint32_t depth = 0; depth < ROWS; depth++) {
        lg__table_row(table);
        lg__table_set_depth(table, depth);
        lg__put_literal(table, 0, "x");
    }
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_text(table, 0, &out, NULL) == LG_OK);
    const char *line = out.data;
    for (size_t depth = 0; depth < ROWS; depth++) {
        size_t before = depth < DEEPEST ? depth : DEEPEST;
        size_t blank = before > 0 ? (before - 1) * INDENT : 0;
        bool last = depth < DEEPEST || depth + 1 == ROWS;
        const char *rest = before == 0 ? "x\n" : last ? "└─ x\n" : "├─ x\n";
        CHECK(strspn(line, " ") == blank);
        CHECK(strncmp(line + blank, rest, strlen(rest)) == 0);
        line += blank + strlen(rest);
    }
    CHECK(*line == '\0');
    lg_text_free(&out);
    lg_table_free(table);
    lg_graph_free(graph);
}

// A row below another that has nothing to say in the last column ends where its
// text does; on a page, a path has its font at any depth.
static void
empty_below(void)
{
    const lg__column of[] = {
        {"line", .tree = LG__INDENTED},
        {"held", .type = LG_COLUMN_PATH, .gap = 2, .tree = LG__INDENTED}};
    lg_graph *graph = draw("a", "", "");
    lg_table *table = lg__table_new(graph, (lg__layout){.bare = true}, of, 2);
    lg_text out = {0};
    for (uint32_t row = 0; row < 3; row++) {
        lg__table_row(table);
        lg__table_set_depth(table, row > 0);
        lg__put_literal(table, 0, "x");
        lg__put_literal(table, 1, row == 1 ? "" : "y");
    }
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    REQUIRE(lg_table_text(table, 0, &out, NULL) == LG_OK);
    CHECK_TEXT(out, "x    y\n  x\n  x    y\n");
    lg_text_free(&out);
    REQUIRE(lg_table_html_plain(table, 0, &out, NULL) == LG_OK);
    CHECK(strstr(out.data, "<td class=\"path\">y</td>") != NULL);
    CHECK(strstr(out.data, "<td class=\"d1 path\">y</td>") != NULL);
    lg_text_free(&out);
    lg_table_free(table);
    lg_graph_free(graph);
}

SUITE(table_tree)
{
    RUN(deep_tree);
    RUN(empty_below);
    return test_result();
}
