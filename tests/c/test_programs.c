// What a C program sees: the installed headers alone lead from a graph to its
// answers.
#include "stored.h"
#include "test.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/path.h>
#include <leakgraph/question.h>
#include <leakgraph/summary.h>
#include <leakgraph/table.h>
#include <leakgraph/why.h>

#include <string.h>

static lg_graph *graph;
static lg_analysis *analysis;

static void
begin(void)
{
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
}

static void
end(void)
{
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static bool
says(lg_string string, const char *expected)
{
    return string.length == strlen(expected) &&
           memcmp(string.data, expected, string.length) == 0;
}

static void
nodes_and_edges(void)
{
    CHECK(lg_graph_node_count(graph) > STORED_LOSS);
    CHECK(lg_node_address(graph, STORED_LOSS) != 0);
    CHECK(lg_graph_find(graph, lg_node_address(graph, STORED_LOSS)) ==
          STORED_LOSS);
    lg_type type = lg_graph_type(graph, lg_node_type(graph, STORED_LOSS));
    CHECK(says(type.name, "torch.Tensor"));
    CHECK(lg_node_flags(graph, STORED_LOSS) == LG_NODE_TRACKED);
    uint64_t edges = 0;
    bool found = false;
    for (lg_node i = 0; i < lg_graph_node_count(graph); i++) {
        lg_edge edge, last;
        lg_node_edges(graph, i, &edge, &last);
        edges += last - edge;
        for (; edge < last; edge++) {
            CHECK(lg_edge_source(graph, edge) == i);
            found |= i == STORED_LOSSES &&
                     lg_edge_target(graph, edge) == STORED_LOSS &&
                     lg_edge_kind_of(graph, edge) == LG_EDGE_INDEX &&
                     (lg_edge_flags(graph, edge) & LG_EDGE_WEAK) == 0;
        }
    }
    CHECK(edges == lg_graph_edge_count(graph));
    CHECK(found);
}

static lg_status
ask(const char *name, const char *option, lg_table **out, lg_error *err)
{
    const char *const options[] = {option, NULL};
    return lg_question_table(lg_question_find(name), graph, analysis, options,
                             NULL, out, err);
}

static void
a_question_by_name(void)
{
    lg_table *table = NULL;
    REQUIRE(ask("types", "limit=3", &table, NULL) == LG_OK);
    REQUIRE(lg_table_row_count(table) == 3);
    size_t type = lg_table_column_find(table, "type");
    size_t size = lg_table_column_find(table, "size");
    REQUIRE(type != SIZE_MAX && size != SIZE_MAX);
    CHECK(lg_table_column_type(table, type) == LG_COLUMN_TEXT);
    CHECK(lg_table_is_present(table, 0, type));
    CHECK(lg_table_text_at(table, 0, type).length > 0);
    CHECK(lg_table_count_at(table, 0, size) >=
          lg_table_count_at(table, 1, size));
    CHECK(lg_table_node_at(table, 0, type) == LG_NONE);
    CHECK(lg_table_table_at(table, 0, type) == NULL);
    CHECK(lg_table_column_find(table, "colour") == SIZE_MAX);
    CHECK(lg_table_column_find(table, "") == SIZE_MAX);
    lg_table_free(table);
}

static void
sizes_by_device(void)
{
    lg_table *table = NULL;
    REQUIRE(ask("top", "limit=all", &table, NULL) == LG_OK);
    size_t retained = lg_table_column_find(table, "retained");
    size_t node = lg_table_column_find(table, "node");
    REQUIRE(retained != SIZE_MAX && node != SIZE_MAX);
    for (size_t i = 0; i < lg_table_row_count(table); i++) {
        uint64_t sum = 0;
        for (uint32_t d = 0; d <= lg_table_device_count(table); d++)
            sum += lg_table_bytes_at(table, i, retained, d);
        CHECK(sum == lg_table_count_at(table, i, retained) && sum > 0);
        CHECK(lg_table_bytes_at(table, i, retained, 99) == 0);
        CHECK(lg_table_node_at(table, i, node) <= lg_graph_node_count(graph));
    }
    CHECK(lg_table_real_at(table, 0, retained) == 0);
    lg_table_free(table);
}

static void
options_of_questions(void)
{
    const lg_question *top = lg_question_find("top");
    CHECK(strcmp(lg_question_name(top), "top") == 0);
    CHECK(lg_question_needs_analysis(top));
    CHECK(!lg_question_needs_analysis(lg_question_find("types")));
    CHECK(lg_question_find("bottom") == NULL);
    for (size_t i = 0; lg_question_at(i) != NULL; i++) {
        const lg_question *question = lg_question_at(i);
        CHECK(lg_question_title(question)[0]);
        CHECK(lg_question_find(lg_question_name(question)) == question);
    }
}

static void
options_that_are_wrong(void)
{
    static const struct {
        const char *option, *message;
    } cases[] = {
        {"colour=red", "waste has no option \"colour\": use limit,"},
        {"limit", "limit of waste needs a value: write \"limit=VALUE\""},
        {"limi=3", "waste has no option \"limi\""},
        {"libraries=yes", "libraries of waste takes no value: write "
                          "\"libraries\""},
        {"limit=many", "limit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_table *table = NULL;
        lg_error err;
        CHECK(ask("waste", cases[i].option, &table, &err) == LG_EINVAL);
        CHECK(strncmp(err.message, cases[i].message,
                      strlen(cases[i].message)) == 0);
        CHECK(table == NULL);
    }
}

static void
why_is_it_alive(void)
{
    lg_why *why = NULL;
    REQUIRE(lg_why_new(analysis, STORED_LOSS, NULL, &why, NULL) == LG_OK);
    CHECK(lg_why_node(why) == STORED_LOSS && !lg_why_is_garbage(why));
    const lg_path *path = lg_why_path(why);
    REQUIRE(path != NULL && path->count > 0);
    CHECK(path->hops[path->count - 1].target == STORED_LOSS);
    size_t freeing = 0, hop = 0;
    for (size_t i = 0; i < path->count; i++)
        freeing += lg_why_frees(why, i);
    CHECK(freeing > 0 && !lg_why_frees(why, path->count));
    REQUIRE(lg_why_cut_count(why) == 1);
    const lg_path *cut = lg_why_cut(why, 0, &hop);
    REQUIRE(cut != NULL && hop < cut->count);
    CHECK(lg_why_cut(why, 1, &hop) == NULL);
    lg_text text = {0}, json = {0};
    CHECK(lg_why_text(why, &text, NULL) == LG_OK);
    CHECK(text.data && strstr(text.data, "GC root: an imported module"));
    CHECK(lg_why_json(why, &json, NULL) == LG_OK);
    CHECK(json.data && json.data[0] == '{');
    lg_text_free(&text);
    lg_text_free(&json);
    lg_why_free(why);
    lg_why_free(NULL);
}

static void
what_grows(void)
{
    lg_summary *summaries[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        REQUIRE(lg_summary_new(analysis, NULL, &summaries[i], NULL) == LG_OK);
    const lg_summary *const given[] = {summaries[0], summaries[1]};
    lg_table *table = NULL;
    CHECK(lg_growth_table(given, 1, NULL, NULL, &table, NULL) == LG_EINVAL);
    REQUIRE(lg_growth_table(given, 2, analysis, NULL, &table, NULL) == LG_OK);
    CHECK(lg_table_row_count(table) == 0);
    lg_text text = {0};
    CHECK(lg_table_text(table, 0, &text, NULL) == LG_OK);
    CHECK(text.data && strstr(text.data, "Nothing grows"));
    lg_text_free(&text);
    lg_table_free(table);
    lg_summary_free(summaries[0]);
    lg_summary_free(summaries[1]);
}

SUITE(programs)
{
    begin();
    RUN(nodes_and_edges);
    RUN(a_question_by_name);
    RUN(sizes_by_device);
    RUN(options_of_questions);
    RUN(options_that_are_wrong);
    RUN(why_is_it_alive);
    RUN(what_grows);
    end();
    return test_result();
}
