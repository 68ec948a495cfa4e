// Descriptions of questions: what options take, what is refused, and that every
// question answers with the columns that it says.
#include "asked.h"
#include "stored.h"
#include "test.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/bytes.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/wording.h>

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

// Reads a word with an option of this type.
static lg_status
read(lg_option_type type, const char *word, lg_given *out, lg_error *err)
{
    static const char *const words[] = {"red", "green", "blue", NULL};
    const lg_option option = {.name = "x", .type = type, .words = words};
    return lg_option_read(&option, "--x", word, out, err);
}

static void
test_values(void)
{
    static const struct {
        lg_option_type type;
        const char *word;
        uint64_t number;
    } cases[] = {
        {LG_OPTION_LIMIT, "1", 1},          {LG_OPTION_LIMIT, "007", 7},
        {LG_OPTION_LIMIT, "all", 0},        {LG_OPTION_CHOICE, "red", 0},
        {LG_OPTION_CHOICE, "blue", 2},      {LG_OPTION_SET, "blue", 4},
        {LG_OPTION_SET, "red,blue,red", 5}, {LG_OPTION_BYTES, "4096", 4096},
        {LG_OPTION_BYTES, "1.5 KiB", 1536}, {LG_OPTION_BYTES, "2kB", 2000},
        {LG_OPTION_FLAG, "1", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_given given = {0};
        CHECK(read(cases[i].type, cases[i].word, &given, NULL) == LG_OK);
        CHECK(given.given && given.number == cases[i].number);
    }
}

static void
test_refused_values(void)
{
    static const struct {
        lg_option_type type;
        const char *word;
        const char *message;
    } cases[] = {
        {LG_OPTION_LIMIT, "0", "--x takes a positive number or all, not '0'"},
        {LG_OPTION_LIMIT, "", "--x takes a positive number or all, not ''"},
        {LG_OPTION_LIMIT, "3x", "--x takes a positive number or all, not '3x'"},
        {LG_OPTION_LIMIT, "99999999999",
         "--x takes a positive number or all, not '99999999999'"},
        {LG_OPTION_CHOICE, "re", "--x takes red, green or blue, not 're'"},
        {LG_OPTION_CHOICE, "red,blue",
         "--x takes red, green or blue, not 'red,blue'"},
        {LG_OPTION_SET, "red,", "--x takes red, green or blue, not 'red,'"},
        {LG_OPTION_SET, "", "--x takes red, green or blue, not ''"},
        {LG_OPTION_BYTES, "4 apples",
         "--x takes a size such as 4096, 64KiB or 1MiB, not '4 apples'"},
        {LG_OPTION_BYTES, "-1",
         "--x takes a size such as 4096, 64KiB or 1MiB, not '-1'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_error error = {0};
        lg_given given = {.number = 77};
        CHECK(read(cases[i].type, cases[i].word, &given, &error) == LG_EINVAL);
        CHECK(given.number == 77);
        if (strcmp(error.message, cases[i].message) != 0)
            fprintf(stderr, "%s\n", error.message);
        CHECK(strcmp(error.message, cases[i].message) == 0);
    }
}

// The data columns of a table are the described fields, in their order.
static void
check_columns(const lg_field *fields, const lg_table *table, bool more)
{
    size_t at = 0;
    for (; fields->name != NULL || fields->heading != NULL; fields++, at++) {
        lg_column column = lg_table_column(table, at);
        const char *name = fields->name ? fields->name : "";
        CHECK(column.name.length == strlen(name) &&
              memcmp(column.name.data, name, column.name.length) == 0);
        CHECK(column.type == fields->type);
        CHECK(fields->name == NULL || fields->help != NULL);
    }
    CHECK(at == lg_table_column_count(table) || more);
}

static void
test_answers(void)
{
    begin();
    lg_summary *summary = NULL;
    REQUIRE(lg_summary_new(analysis, NULL, &summary, NULL) == LG_OK);
    const lg_summary *const twice[] = {summary, summary};
    const lg_compared compared = {.summaries = twice, .count = 2};
    for (size_t i = 0; lg_question_at(i) != NULL; i++) {
        const lg_question *question = lg_question_at(i);
        lg_given given[LG_MOST_OPTIONS] = {{0}};
        lg_ask ask = {.graph = graph, .analysis = analysis, .given = given};
        lg_table *table = NULL;
        if (lg_option_is_required(question->options))
            given[0].text = question->options->type == LG_OPTION_CUTS
                                ? "*->type:*"
                                : "type:*";
        if (question->needs & LG_NEEDS_SEVERAL)
            CHECK(lg_question_ask(question, &ask, &table, NULL) == LG_EINVAL);
        ask.compared = &compared;
        CHECK(lg_question_find(question->name) == question);
        REQUIRE(lg_question_ask(question, &ask, &table, NULL) == LG_OK);
        if (question->result != NULL) {
            check_columns(question->fields, table,
                          question->in_c->more != NULL);
            check_columns(question->facts, lg_table_facts(table), false);
        }
        lg_table_free(table);
    }
    CHECK(lg_question_find("nonsense") == NULL);
    lg_summary_free(summary);
    end();
}

static void
test_options(void)
{
    lg_table *one = NULL;
    lg_error error = {0};
    begin();
    CHECK(question_table("waste", graph, analysis, "limit=1", &one, NULL) ==
          LG_OK);
    CHECK(lg_table_row_count(one) <= 1);
    lg_table_free(one);
    CHECK(question_table("top", graph, analysis, "by=cuda:7", &one, &error) ==
          LG_EINVAL);
    CHECK(strstr(error.message, "cuda:7") != NULL);
    CHECK(question_table("waste", graph, analysis, "module=nobody", &one,
                         &error) == LG_ENOTFOUND);
    CHECK(question_table("waste", graph, NULL, NULL, &one, &error) ==
          LG_EINVAL);
    CHECK(strcmp(error.message, "waste needs an analysis") == 0);
    end();
}

// Objects are nodes, or a selector; without any there is no answer.
static void
test_objects(void)
{
    begin();
    lg_node items[] = {0, 1, 2};
    const lg_nodes nodes = {.items = items, .count = 3};
    lg_given given[LG_MOST_OPTIONS] = {{.nodes = &nodes}};
    const lg_ask ask = {.graph = graph, .analysis = analysis, .given = given};
    lg_table *table = NULL;
    lg_error error = {0};
    CHECK(lg_question_ask(lg_question_find("retained"), &ask, &table, NULL) ==
          LG_OK);
    CHECK(lg_table_count_at(lg_table_facts(table), 0, 0) == 3);
    CHECK(lg_table_row_count(table) == 0);
    lg_table_free(table);
    CHECK(question_table("paths", graph, analysis, "target=node:1", &table,
                         NULL) == LG_OK);
    CHECK(lg_table_count_at(lg_table_facts(table), 0, 0) == 1);
    lg_table_free(table);
    CHECK(question_table("paths", graph, analysis, "target=type:Nobody", &table,
                         NULL) == LG_ENOTFOUND);
    CHECK(question_table("paths", graph, analysis, NULL, &table, &error) ==
          LG_EINVAL);
    CHECK(strcmp(error.message, "paths needs objects: give a selector, such as "
                                "type:dict") == 0);
    end();
}

// Tensors of a kind or dtype need no analysis; those of a place, and single
// ones, say more with one.
static void
test_needs(void)
{
    const lg_question *tensors = lg_question_find("tensors");
    lg_given given[LG_MOST_OPTIONS] = {{0}};
    lg_given *group = &given[lg_question_option(tensors, "group")];
    CHECK(lg_question_needs(tensors, NULL) == LG_USES_ANALYSIS);
    group->number = LG_TENSORS_EACH;
    CHECK(lg_question_needs(tensors, given) == LG_USES_ANALYSIS);
    group->number = LG_TENSORS_BY_KIND;
    CHECK(lg_question_needs(tensors, given) == 0);
    CHECK(lg_question_needs(lg_question_find("waste"), NULL) ==
          LG_NEEDS_ANALYSIS);
    CHECK(lg_question_option(tensors, "nonsense") == SIZE_MAX);
}

static void
test_description(void)
{
    lg_text text = {0};
    REQUIRE(lg_questions_json(&text, NULL) == LG_OK);
    CHECK(strstr(text.data, "{\"name\": \"libraries\", \"type\": \"flag\", "
                            "\"preset\": null, \"help\": "));
    CHECK(strstr(text.data, "{\"name\": \"kind\", \"type\": \"text\", "
                            "\"words\": [\"equal\", \"view\", "));
    CHECK(strstr(text.data, "{\"name\": \"compared\", \"type\": \"bool\", "));
    lg_text_free(&text);
}

static void
test_wrapped(void)
{
    lg_text text = {0};
    lg_text_add_wrapped(&text, "one `two` three  four", 2, 0, 9, '\'');
    CHECK_TEXT(text, "one 'two'\n  three\n  four");
    text.length = 0;
    lg_text_add_wrapped(&text, "`averyverylongword` x", 2, 4, 8, '\0');
    CHECK_TEXT(text, "averyverylongword\n  x");
    lg_text_free(&text);
}

SUITE(question)
{
    RUN(test_values);
    RUN(test_refused_values);
    RUN(test_answers);
    RUN(test_options);
    RUN(test_objects);
    RUN(test_needs);
    RUN(test_description);
    RUN(test_wrapped);
    return test_result();
}
