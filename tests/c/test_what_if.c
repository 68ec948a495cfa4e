// Compares what would die with what a search of the rest does not reach, and
// what dies at once with a slow count of references.
#include "drawn.h"

#include <leakgraph/internal/cells.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/question.h>
#include "story.h"
#include "test.h"

enum { GRAPHS = 600, NODES = 30, MOST_CUTS = 6 };

static bool
is_cut(const lg_edges *cut, uint64_t edge)
{
    for (size_t i = 0; i < cut->count; i++)
        if (cut->items[i] == edge)
            return true;
    return false;
}

// Passes over all edges until nothing changes.
static void
reach(const lg_graph *graph, const lg_edges *cut, bool *reached)
{
    const lg_columns *columns = lg_graph_columns(graph);
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++)
        reached[lg_graph_root(graph, i).node] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t edge = 0; edge < columns->edge_count; edge++) {
            uint32_t target = lg_columns_target(columns, edge);
            if (reached[lg_edge_source(graph, edge)] && !reached[target] &&
                !is_cut(cut, edge))
                changed = reached[target] = true;
        }
    }
}

// Returns whether a node dies at once: a reference to it goes and none is left.
static bool
goes(const lg_graph *graph, const lg_edges *cut, const bool *gone,
     uint32_t node)
{
    const lg_columns *columns = lg_graph_columns(graph);
    bool lost = false;
    for (uint64_t edge = 0; edge < columns->edge_count; edge++) {
        bool lives = !is_cut(cut, edge) && !gone[lg_edge_source(graph, edge)];
        if (lg_columns_target(columns, edge) != node)
            continue;
        if (lives)
            return false;
        lost = true;
    }
    return lost;
}

static void
drop(const lg_graph *graph, const lg_edges *cut, const bool *after, bool *gone)
{
    uint32_t nodes = lg_graph_columns(graph)->node_count;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t node = 0; node < nodes; node++)
            if (!after[node] && !gone[node] && goes(graph, cut, gone, node))
                changed = gone[node] = true;
    }
}

static void
compare(const lg_analysis *analysis, const lg_edges *cut,
        const lg_what_if *answer)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    bool before[NODES] = {false}, after[NODES] = {false}, gone[NODES] = {false};
    uint64_t bytes = 0, waiting = 0, typed = 0;
    size_t dying = 0;
    reach(graph, &(lg_edges){NULL, 0}, before);
    reach(graph, cut, after);
    drop(graph, cut, after, gone);
    for (uint32_t node = 0; node < NODES; node++) {
        if (after[node] || (!before[node] && !gone[node]))
            continue;
        bytes += lg_node_size(graph, node);
        waiting += !gone[node];
        CHECK(dying < answer->nodes.count &&
              answer->nodes.items[dying] == node);
        dying++;
    }
    for (size_t i = 0; i < answer->type_count; i++)
        typed += answer->types[i].total;
    CHECK(answer->nodes.count == dying);
    CHECK(answer->size[0] == bytes && typed == bytes);
    CHECK(answer->waiting == waiting);
    CHECK(answer->waiting_size[0] <= bytes);
    for (size_t i = 0; i < answer->kept_count; i++)
        CHECK(after[answer->kept[i].node]);
}

static void
test_random_cuts(void)
{
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        uint64_t state = seed;
        lg_graph *graph = draw_random(seed, NODES);
        lg_analysis *analysis = analysed(graph);
        uint64_t edges[MOST_CUTS];
        lg_edges cut = {edges, test_random(&state) % (MOST_CUTS + 1)};
        lg_what_if answer;
        for (size_t i = 0; i < cut.count; i++)
            edges[i] =
                test_random(&state) % lg_graph_columns(graph)->edge_count;
        REQUIRE(lg_analysis_what_if(analysis, cut.items, cut.count, NULL, NULL,
                                    &answer, NULL) == LG_OK);
        compare(analysis, &cut, &answer);
        lg_what_if_free(&answer);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// app.losses is a list of two; app.best is the second of them. app.table has
// an item with a key of its own. A thing that only a cycle keeps refers to the
// list.
typedef struct program {
    lg_graph *graph;
    lg_analysis *analysis;
    uint32_t list, first, second, table, key, value, ring;
} program;

static program
program_new(void)
{
    program made;
    story to = story_begin();
    story_type(&to, "app.Thing", "object");
    uint32_t app = story_module(&to, "app");
    uint32_t space = story_add(&to, "dict", NULL, 64);
    story_edge(&to, app, space, LG_EDGE_DICT, 0);
    made.list = story_add(&to, "list", NULL, 72);
    made.first = story_add(&to, "app.Thing", NULL, 1000);
    made.second = story_add(&to, "app.Thing", NULL, 2000);
    made.table = story_add(&to, "dict", NULL, 64);
    made.key = story_add(&to, "tuple", NULL, 56);
    made.value = story_add(&to, "app.Thing", NULL, 3000);
    made.ring = story_add(&to, "app.Thing", NULL, 500);
    story_attribute(&to, app, "losses", made.list);
    story_attribute(&to, app, "table", made.table);
    story_attribute(&to, app, "best", made.second);
    story_edge(&to, made.list, made.first, LG_EDGE_INDEX, 0);
    story_edge(&to, made.list, made.second, LG_EDGE_INDEX, 1);
    story_edge(&to, made.table, made.key, LG_EDGE_KEY, 0);
    story_edge(&to, made.table, made.value, LG_EDGE_VALUE, made.key);
    story_attribute(&to, made.first, "ring", made.ring);
    story_attribute(&to, made.ring, "self", made.ring);
    made.graph = story_end(&to);
    made.analysis = analysed(made.graph);
    return made;
}

static void
program_free(program *made)
{
    lg_analysis_free(made->analysis);
    lg_graph_free(made->graph);
}

static lg_what_if
cut(const program *made, const char *text)
{
    lg_edges edges = {0};
    lg_what_if answer = {0};
    REQUIRE(lg_graph_references(made->graph, text, NULL, &edges, NULL) ==
            LG_OK);
    const lg_what_if_options five = {.size = sizeof five, .limit = 5};
    REQUIRE(lg_analysis_what_if(made->analysis, edges.items, edges.count, &five,
                                NULL, &answer, NULL) == LG_OK);
    lg_edges_free(&edges);
    return answer;
}

static void
test_what_lives_on(void)
{
    program made = program_new();
    lg_what_if answer = cut(&made, "app.losses");
    CHECK(answer.references == 1);
    CHECK(answer.nodes.count == 3 && answer.nodes.items[0] == made.list);
    CHECK(answer.size[0] == 72 + 1000 + 500);
    CHECK(answer.waiting == 1 && answer.waiting_size[0] == 500);
    CHECK(answer.kept_count == 1 && answer.kept[0].node == made.second);
    CHECK(!answer.kept[0].is_target && answer.kept[0].cuts.total == 1);
    lg_what_if_free(&answer);
    answer = cut(&made, "app.best");
    CHECK(answer.nodes.count == 0);
    CHECK(answer.kept_count == 1 && answer.kept[0].is_target);
    lg_what_if_free(&answer);
    program_free(&made);
}

static void
test_item_goes_with_its_key(void)
{
    program made = program_new();
    lg_what_if answer = cut(&made, "app.table[*]");
    CHECK(answer.references == 1);
    CHECK(answer.nodes.count == 2 && answer.nodes.items[0] == made.key &&
          answer.nodes.items[1] == made.value);
    lg_what_if_free(&answer);
    program_free(&made);
}

static size_t
number_of(const program *made, const char *text)
{
    lg_edges edges = {0};
    lg_error error;
    if (lg_graph_references(made->graph, text, NULL, &edges, &error) != LG_OK)
        return 0;
    size_t count = edges.count;
    lg_edges_free(&edges);
    return count;
}

static void
test_texts(void)
{
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        {"app.losses", 1},
        {"name:app.losses", 1},
        {"app.losses[0]", 1},
        {"app.losses[*]", 2},
        {"app.losses[*].ring", 1},
        {"app.*", 3},
        {"*->type:app.Thing", 6},
        {"type:list->*", 2},
        {"type:app.Thing->type:app.Thing", 2},
    };
    program made = program_new();
    char number[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(number_of(&made, cases[i].text) == cases[i].count);
    snprintf(number, sizeof number, "#%u[1]", made.list);
    CHECK(number_of(&made, number) == 1);
    snprintf(number, sizeof number, "#%u->#%u", made.list, made.second);
    CHECK(number_of(&made, number) == 1);
    program_free(&made);
}

static void
test_texts_add_up(void)
{
    program made = program_new();
    lg_edges edges = {0};
    static const char *const texts[] = {"app.losses[*]", "type:list->*",
                                        "app.losses", "app.losse"};
    static const size_t counts[] = {2, 2, 3, 3};
    for (size_t i = 0; i < 4; i++) {
        lg_graph_references(made.graph, texts[i], NULL, &edges, NULL);
        CHECK(edges.count == counts[i]);
        for (size_t k = 1; k < edges.count; k++)
            CHECK(edges.items[k - 1] < edges.items[k]);
    }
    lg_edges_free(&edges);
    program_free(&made);
}

static void
test_texts_that_name_none(void)
{
    static const struct {
        const char *text;
        lg_status status;
        const char *part;
    } cases[] = {
        {"app", LG_EINVAL, "names no reference"},
        {"type:list", LG_EINVAL, "names no reference"},
        {"*->*", LG_EINVAL, "names no reference"},
        {"app.losse", LG_ENOTFOUND, "did you mean .losses?"},
        {"app.losses.", LG_EINVAL, "cannot read"},
        {"type:dict->type:list", LG_OK, ""},
        {"type:list->type:dict", LG_ENOTFOUND, "no reference"},
        {"#999.x", LG_ENOTFOUND, "there is no #999"},
    };
    program made = program_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_edges edges = {0};
        lg_error error = {0};
        lg_status status = lg_graph_references(made.graph, cases[i].text, NULL,
                                               &edges, &error);
        CHECK(status == cases[i].status);
        CHECK(strstr(error.message, cases[i].part) != NULL);
        lg_edges_free(&edges);
    }
    lg_what_if answer;
    uint64_t wrong = 1000;
    CHECK(lg_analysis_what_if(made.analysis, &wrong, 1, NULL, NULL, &answer,
                              NULL) == LG_EINVAL);
    program_free(&made);
}

// The last reference into a cycle that no collector frees goes: reference
// counts then free what only it kept.
static void
test_garbage(void)
{
    lg_graph *graph = draw("a", "bc cb cd", "");
    lg_analysis *analysis = analysed(graph);
    lg_what_if answer;
    const uint64_t cut_edge = 0;
    REQUIRE(lg_analysis_what_if(analysis, &cut_edge, 1, NULL, NULL, &answer,
                                NULL) == LG_OK);
    CHECK(answer.nodes.count == 3 && answer.waiting == 0);
    lg_what_if_free(&answer);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A table with one row has headings, and one without rows has none.
static void
test_headings(void)
{
    static const char *const drawings[] = {"ab ac cb", "ab"};
    for (size_t i = 0; i < 2; i++) {
        lg_graph *graph = draw("a", drawings[i], "");
        lg_analysis *analysis = analysed(graph);
        lg_what_if answer;
        lg_text text = {0};
        const uint64_t cut_edge = 0;
        REQUIRE(lg_analysis_what_if(analysis, &cut_edge, 1, NULL, NULL, &answer,
                                    NULL) == LG_OK);
        REQUIRE(lg_report_what_if(graph, &answer, 0, LG_FORMAT_TEXT, &text,
                                  NULL) == LG_OK);
        CHECK(answer.type_count == i);
        CHECK((strstr(text.data, " objects        size  type\n") != NULL) == i);
        lg_text_free(&text);
        lg_what_if_free(&answer);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

static void
test_text(void)
{
    program made = program_new();
    lg_what_if answer = cut(&made, "app.losses");
    lg_text text = {0};
    REQUIRE(lg_report_what_if(made.graph, &answer, 1, LG_FORMAT_TEXT, &text,
                              NULL) == LG_OK);
    CHECK_TEXT(text, "If you cut 1 reference, 3 objects would die: 1.54 KiB\n"
                     "1 object of them, 500 B, would wait for the collector: "
                     "cycles hold them.\n"
                     "\n"
                     "     objects        size  type\n"
                     "           2    1.46 KiB  app.Thing\n"
                     "                          ... and 1 more type\n"
                     "\n"
                     "What would live on:\n"
                     "\n"
                     "1.95 KiB  Thing · app.Thing #4\n"
                     "  held by   app.best\n"
                     "  cut next  app.best\n");
    lg_text_free(&text);
    const lg_table_links links = {.node = "n="};
    lg_table *table = NULL;
    lg_analysis *analysis = analysed(made.graph);
    const char *const asked[] = {"cut=app.losses", "limit=1", NULL};
    REQUIRE(lg_question_table(lg_question_find("what_if"), made.graph, analysis,
                              asked, NULL, &table, NULL) == LG_OK);
    lg_analysis_free(analysis);
    REQUIRE(lg_table_html_linked(table, 1, &links, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "<a href=\"n=4\">app.best</a>"));
    lg_text_free(&text);
    lg_table_free(table);
    lg_what_if_free(&answer);
    program_free(&made);
}

// A table without rows has no headings.
static void
test_nothing_dies(void)
{
    program made = program_new();
    lg_analysis *analysis = analysed(made.graph);
    static const char *const cuts[] = {"cut=app.best", "cut=app.losses"};
    for (int some = 0; some < 2; some++) {
        const char *const asked[] = {cuts[some], NULL};
        lg_table *table = NULL;
        lg_text text = {0};
        REQUIRE(lg_question_table(lg_question_find("what_if"), made.graph,
                                  analysis, asked, NULL, &table,
                                  NULL) == LG_OK);
        REQUIRE(lg_table_html_linked(table, SIZE_MAX, &(lg_table_links){0},
                                     &text, NULL) == LG_OK);
        CHECK((strstr(text.data, ">objects</th>") != NULL) == some);
        lg_text_free(&text);
        lg_table_free(table);
    }
    lg_analysis_free(analysis);
    program_free(&made);
}

SUITE(what_if)
{
    RUN(test_random_cuts);
    RUN(test_what_lives_on);
    RUN(test_item_goes_with_its_key);
    RUN(test_texts);
    RUN(test_texts_add_up);
    RUN(test_texts_that_name_none);
    RUN(test_garbage);
    RUN(test_text);
    RUN(test_nothing_dies);
    RUN(test_headings);
    return test_result();
}
