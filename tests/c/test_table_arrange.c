// Rows that a filter leaves, sorted by a column.
#include "drawn.h"
#include "table/table_private.h"
#include "test.h"

#include <string.h>

static lg_table *table;

static void
add(const char *name, uint64_t count, bool known)
{
    lg__table_row(table);
    lg__put_literal(table, 0, name);
    if (known)
        lg__put_count(table, 1, count);
}

static lg_graph *graph;

static void
make(void)
{
    static const lg__column columns[] = {
        {.name = "name"},
        {"count", .type = LG_COLUMN_COUNT},
        {"secret", .shown_in = LG__IN_DATA},
    };
    graph = draw("a", "ab", "");
    lg_table *made =
        lg__table_new(graph, (lg__layout){.noun = "row"}, columns, 3);
    table = made;
    add("list of Items", 10, true);
    add("Dict", 200, true);
    add("array", 0, false);
    add("dict", 9, true);
    lg__put_literal(table, 2, "Items");
    REQUIRE(lg__table_finish(made, &table, NULL) == LG_OK);
    CHECK(lg_table_column_on_page(table, 1) &&
          !lg_table_column_on_page(table, 2));
}

// Checks the first letters of the rows, in their order.
static void
arranges(const char *filter, size_t column, bool descending,
         const char *expected)
{
    lg_table *made = NULL;
    lg_arrangement how = LG_ARRANGEMENT_INIT;
    how.filter = filter;
    how.column = column;
    how.descending = descending;
    REQUIRE(lg_table_arrange(table, &how, &made, NULL) == LG_OK);
    CHECK(lg_table_row_count(made) == strlen(expected));
    for (size_t i = 0; i < lg_table_row_count(made); i++)
        CHECK(lg_table_cell(made, i, 0).text.data[0] == expected[i]);
    lg_table_free(made);
}

static void
test_filter(void)
{
    make();
    arranges(NULL, SIZE_MAX, false, "lDad");
    arranges("DICT", SIZE_MAX, false, "Dd");
    arranges("  i of ", SIZE_MAX, false, "l");
    arranges("items", SIZE_MAX, false, "l");
    arranges("200 dict", SIZE_MAX, false, "D");
    arranges("nothing", SIZE_MAX, false, "");
    lg_table_free(table);
    lg_graph_free(graph);
}

// Numbers go by value, texts by letters of any case. What is empty comes last
// either way.
static void
test_sort(void)
{
    lg_table *none;
    lg_arrangement how = LG_ARRANGEMENT_INIT;
    make();
    arranges(NULL, 1, true, "Dlda");
    arranges(NULL, 1, false, "dlDa");
    arranges(NULL, 0, false, "aDdl");
    arranges(NULL, 0, true, "lDda");
    arranges("dict", 1, false, "dD");
    how.column = 3;
    CHECK(lg_table_arrange(table, &how, &none, NULL) == LG_EINVAL);
    lg_table_free(table);
    lg_graph_free(graph);
}

SUITE(table_arrange)
{
    RUN(test_filter);
    RUN(test_sort);
    return test_result();
}
