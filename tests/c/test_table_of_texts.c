// Tables of texts that a program brings.
#include "test.h"

#include <leakgraph/table.h>
#include <leakgraph/internal/cells.h>

static const char *const headings[] = {"size", "what", ""};
static const lg_string cells[] = {
    {"1.00 MiB", 8}, {"dict", 4}, {"app.cache", 9},
    {"12 B", 4},     {"数", 3},   {"", 0},
};
static const lg_table_texts texts = {headings, cells, 3, 2, 1};

static void
columns_are_aligned(void)
{
    lg_table *table = NULL;
    lg_text out = {0};
    REQUIRE(lg_table_of_texts(&texts, &table, NULL) == LG_OK);
    REQUIRE(lg_table_text(table, 0, &out, NULL) == LG_OK);
    CHECK_TEXT(out, "    size  what\n"
                    "1.00 MiB  dict  app.cache\n"
                    "    12 B  数\n");
    out.length = 0;
    REQUIRE(lg_table_text(table, 1, &out, NULL) == LG_OK);
    CHECK_TEXT(out, "    size  what\n"
                    "1.00 MiB  dict  app.cache\n"
                    "          ... and 1 more\n");
    lg_text_free(&out);
    lg_table_free(table);
}

static void
so_many_columns_are_too_many(void)
{
    lg_table_texts many = texts;
    lg_table *table = NULL;
    lg_error err;
    many.columns = 33;
    CHECK(lg_table_of_texts(&many, &table, &err) == LG_EINVAL);
    CHECK(!strcmp(err.message, "a table of texts has at most 32 columns"));
    CHECK(table == NULL);
}

SUITE(table_of_texts)
{
    RUN(columns_are_aligned);
    RUN(so_many_columns_are_too_many);
    return test_result();
}
