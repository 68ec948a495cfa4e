// What some modules hold of what grows.
#include <leakgraph/internal/report.h>

#include "asked.h"
#include "growing.h"
#include "test.h"

// The scope is of the newest graph, so this compares again. app has a list and
// a dict, and native memory grows, too.
static void
rows_of_some_modules(void)
{
    const growing_heap heaps[] = {
        {.items = 10, .entries = 10, .own_list = 1, .malloc = 100 << 20},
        {.items = 20, .entries = 20, .own_list = 1, .malloc = 150 << 20},
        {.items = 30, .entries = 30, .own_list = 1, .malloc = 300 << 20}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 3 && made.growth.type_count > 0);
    const char *const modules[] = {"app", "leakgraph.*"};
    const size_t rows[] = {2, 0};
    for (size_t i = 0; i < 2; i++) {
        lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
        lg_scope *scope = scope_of(made.graph[2], false, modules[i]);
        lg_growth growth;
        lg_text text = {0};
        options.scope = scope;
        REQUIRE(!lg_growth_find((const lg_summary *const *)made.summary, 3,
                                made.analysis[2], &options, NULL, &growth,
                                NULL));
        CHECK(growth.scoped && growth.count == rows[i]);
        CHECK(growth.elsewhere == 3 - rows[i] && growth.type_count == 0);
        REQUIRE(!lg_report_growth(&growth, made.graph[2], 0, LG_FORMAT_TEXT,
                                  &text, NULL));
        CHECK(strstr(text.data, "modules do not hold") != NULL);
        lg_text_free(&text);
        lg_growth_free(&growth);
        CHECK(lg_growth_find((const lg_summary *const *)made.summary, 3, NULL,
                             &options, NULL, &growth, NULL) == LG_EINVAL);
        lg_scope_free(scope);
    }
    growing_forget(&made);
}

// Cycles are not listed by module, but they say why a module's garbage piles
// up.
static void
garbage_of_a_module(void)
{
    const growing_heap heaps[] = {
        {.garbage = 10}, {.garbage = 20}, {.garbage = 30}};
    growing_series made = growing_compare(heaps, 3, NULL);
    for (int scoped = 0; scoped < 2; scoped++) {
        lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
        lg_scope *scope = scoped ? scope_of(made.graph[2], false, "app") : NULL;
        lg_growth growth;
        options.scope = scope;
        REQUIRE(!lg_growth_find((const lg_summary *const *)made.summary, 3,
                                made.analysis[2], &options, NULL, &growth,
                                NULL));
        REQUIRE(growth.count == 1);
        CHECK(growth.rows[0].verdict == LG_GROWTH_GARBAGE);
        CHECK(growth.rows[0].reason == LG_GROWTH_FROZEN);
        CHECK((growth.tally_count == 0) == scoped);
        lg_growth_free(&growth);
        lg_scope_free(scope);
    }
    growing_forget(&made);
}

SUITE(growth_scope)
{
    RUN(garbage_of_a_module);
    RUN(rows_of_some_modules);
    return test_result();
}
