// What allocators spend: when reports show it, and that top and types show
// both.
#include "asked.h"
#include "drawn.h"
#include "table/words.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/report.h>

enum { SHARE = 20, LEAST = 64 << 10, OBJECTS = 5000 };

static void
what_matters(void)
{
    CHECK(lg__spent_matters(LEAST, 0));
    CHECK(!lg__spent_matters(LEAST - 1, 0));
    CHECK(lg__spent_matters(SHARE * LEAST + LEAST, SHARE * LEAST));
    CHECK(!lg__spent_matters(SHARE * (LEAST + 1) + LEAST, SHARE * (LEAST + 1)));
    CHECK(!lg__spent_matters(SHARE, SHARE));
}

// A module with a list of objects of that size.
static lg_graph *
make_graph(uint64_t size, uint64_t module)
{
    lg_builder *builder;
    lg_graph *graph = NULL;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t type[3];
    static const char *const names[] = {"module", "list", "app.Small"};
    for (uint32_t i = 0; i < 3; i++)
        type[i] = lg_builder_add_type(builder, names[i], strlen(names[i]),
                                      LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < OBJECTS + 2; i++) {
        uint32_t node = lg_builder_add_node(builder, 16 * (uint64_t)i + 16);
        lg_builder_put_type(builder, node, type[i < 2 ? i : 2]);
        lg_builder_set_size(builder, node,
                            i == 0   ? module
                            : i == 1 ? 64
                                     : size);
    }
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_ATTRIBUTE,
                        lg_builder_intern(builder, "all", 3));
    lg_builder_open(builder, 1);
    for (uint32_t i = 0; i < OBJECTS; i++)
        lg_builder_add_edge(builder, 2 + i, LG_EDGE_INDEX, i);
    lg_builder_add_root(builder, 0, LG_ROOT_MODULE, "app", 3);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

static void
expect(uint64_t size, lg_format format, const char *const *top,
       const char *const *types)
{
    lg_graph *graph = make_graph(size, 64);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    REQUIRE(top_report(analysis, &TOP_OPTIONS(LG_GROUP_OBJECT, LG_NONE, 2),
                       format, &text, NULL) == LG_OK);
    for (size_t i = 0; i < 2; i++)
        CHECK(strstr(text.data, top[i]) != NULL);
    lg_text_free(&text);
    REQUIRE(question_report("types", graph, NULL, "limit=1", format, &text) ==
            LG_OK);
    for (size_t i = 0; i < 2; i++)
        CHECK(strstr(text.data, types[i]) != NULL);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// What allocators spend matters for a row that is shown, if not for the whole.
static void
one_row_says_both(void)
{
    for (size_t limit = 1; limit <= 2; limit++) {
        lg_graph *graph = make_graph(33, 64 << 20);
        lg_text text = {0};
        REQUIRE(question_report("types", graph, NULL,
                                limit == 1 ? "limit=1" : "limit=2",
                                LG_FORMAT_TEXT, &text) == LG_OK);
        CHECK((strstr(text.data, "  spent") != NULL) == (limit == 2));
        CHECK((strstr(text.data, "234 KiB  app.Small") != NULL) ==
              (limit == 2));
        lg_text_free(&text);
        lg_graph_free(graph);
    }
}

static void
tables_say_both(void)
{
    expect(
        33, LG_FORMAT_TEXT,
        (const char *[]){"     161 KiB    234 KiB  100.0 %  list of 5,000 #1",
                         "; allocators spend 235 KiB on that, because they "
                         "round up\n"},
        (const char *[]){"       5,000     161 KiB     234 KiB  app.Small\n",
                         "       5,002     161 KiB     235 KiB  total\n"});
    expect(
        48, LG_FORMAT_TEXT,
        (const char *[]){"    retained    share  object ", "; total 235 KiB\n"},
        (const char *[]){"     objects        size  type\n", "app.Small\n"});
    expect(33, LG_FORMAT_JSON,
           (const char *[]){"\"spent\": 240144,",
                            "\"retained\": {\"host\": 165064}, \"spent\": "
                            "240080,"},
           (const char *[]){"\"spent\": 240144,",
                            "\"spent\": 240000, \"type\": \"app.Small\""});
}

SUITE(spent)
{
    RUN(what_matters);
    RUN(tables_say_both);
    RUN(one_row_says_both);
    return test_result();
}
