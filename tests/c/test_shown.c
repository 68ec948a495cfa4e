// What a report leaves out. Each limit has a test: the report shows as many as
// the limit in full; with one more, it counts or folds the rest.
#include "asked.h"
#include "drawn.h"
#include "table/table_private.h"
#include "story.h"
#include "test.h"

static bool
says(const lg_text *text, const char *what)
{
    return text->data != NULL && strstr(text->data, what) != NULL;
}

static void
check_says(const lg_text *text, const char *what, bool expected)
{
    if (says(text, what) != expected)
        fprintf(stderr, "%s '%s' in\n%s\n", expected ? "no" : "there is", what,
                text->data);
    CHECK(says(text, what) == expected);
}

// A path with that many attributes a00, a01 ... from a module app; returns its
// end.
static lg_graph *
make_chain(uint32_t hops, uint32_t *end)
{
    static char names[60][16]; // the story keeps these names
    story made = story_begin();
    uint32_t at = story_module(&made, "app");
    for (uint32_t i = 0; i < hops; i++) {
        uint32_t next = story_add(&made, "app.Link", NULL, 48);
        snprintf(names[i], sizeof names[i], "a%02u", i);
        story_attribute(&made, at, names[i], next);
        at = next;
    }
    *end = at;
    return story_end(&made);
}

static void
explain_chain(uint32_t hops, lg_text *out)
{
    uint32_t end;
    lg_graph *graph = make_chain(hops, &end);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(why_report(analysis, &end, 1, NULL, LG_FORMAT_TEXT, out) == LG_OK);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// The first 12 references of a path and the last 12; the first one is the cut.
// A gap represents two or more.
static void
long_path(void)
{
    lg_text whole = {0};
    lg_text cut = {0};
    explain_chain(25, &whole);
    check_says(&whole, " more\n", false);
    check_says(&whole, "↓ .a12\n", true);
    explain_chain(26, &cut);
    check_says(&cut, "┊  2 more\n", true);
    check_says(&cut, "↓ .a11\n", true);
    check_says(&cut, "↓ .a12\n", false);
    check_says(&cut, "↓ .a13\n", false);
    check_says(&cut, "↓ .a14\n", true);
    lg_text_free(&whole);
    lg_text_free(&cut);
}

// On one line, the first 6 and the last 4; a gap represents two or more.
static void
path_on_a_line(void)
{
    static const char *const expected[] = {
        "app.a00.a01.a02.a03.a04.a05.a06.a07.a08.a09.a10",
        "app.a00.a01.a02.a03.a04.a05 … .a08.a09.a10.a11",
    };
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t end;
        lg_path path;
        lg_text text = {0};
        lg_graph *graph = make_chain(11 + i, &end);
        REQUIRE(lg_path_from_root(graph, end, NULL, &path, NULL) == LG_OK);
        lg_path_label(graph, &path, &text);
        CHECK_TEXT(text, expected[i]);
        lg_text_free(&text);
        lg_path_free(&path);
        lg_graph_free(graph);
    }
}

// The report omits native references to a module or a named class, and mentions
// those to an object on the path.
static void
held_by_native_code_too(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t class = story_add(&made, "type", "app.Model", 900);
    uint32_t list = story_add(&made, "list", NULL, 56);
    uint32_t child = story_add(&made, "app.Model", NULL, 48);
    uint32_t names = story_add(&made, "dict", NULL, 200);
    made.flags = LG_NODE_NAME;
    uint32_t name = story_add(&made, "str", "Model", 54);
    story_edge(&made, app, names, LG_EDGE_DICT, 0);
    story_edge(&made, names, class, LG_EDGE_VALUE, name);
    story_attribute(&made, class, "all", list);
    story_edge(&made, list, child, LG_EDGE_INDEX, 0);
    story_hold(&made, app, 2);
    story_hold(&made, class, 3);
    story_hold(&made, list, 4);
    story_hold(&made, child, 5);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    REQUIRE(why_report(analysis, &child, 1, NULL, LG_FORMAT_TEXT, &text) ==
            LG_OK);
    check_says(&text, "├─ module app #0", true);
    check_says(&text, "(2 references", false);
    check_says(&text, "(3 references", false);
    check_says(&text, "held by native code (4 references", true);
    check_says(&text, "held by native code (5 references", true);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
types_of_cycle(void)
{
    static const char *const expected[] = {
        "(app.T0, app.T1, app.T2, app.T3)",
        "(app.T0, app.T1, app.T2, app.T3, 1 more type)",
        "(app.T0, app.T1, app.T2, app.T3, 2 more types)",
    };
    static const char *const types[] = {"app.T0", "app.T1", "app.T2",
                                        "app.T3", "app.T4", "app.T5"};
    for (uint32_t count = 4; count < 7; count++) {
        story made = story_begin();
        lg_cycles cycles;
        lg_text text = {0};
        for (uint32_t i = 0; i < count; i++)
            story_add(&made, types[i], NULL, 48);
        for (uint32_t i = 0; i < count; i++)
            story_attribute(&made, i, "next", (i + 1) % count);
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        REQUIRE(lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL) ==
                LG_OK);
        REQUIRE(lg_report_cycles(analysis, &cycles, LG_FORMAT_TEXT, &text,
                                 NULL) == LG_OK);
        check_says(&text, expected[count - 4], true);
        lg_text_free(&text);
        lg_cycles_free(&cycles);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

static void
holders_of_figure(void)
{
    static const char *const expected[] = {
        " a.it; b.it; c.it; d.it\n",
        " a.it; b.it; c.it; d.it; 1 more\n",
    };
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (uint32_t count = 4; count < 6; count++) {
        story made = story_begin();
        lg_text text = {0};
        uint32_t figure =
            story_add(&made, "matplotlib.figure.Figure", NULL, 48);
        lg_builder_add_fact(made.builder, figure, "closed", "yes", 3);
        for (uint32_t i = 0; i < count; i++)
            story_attribute(&made, story_module(&made, names[i]), "it", figure);
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        REQUIRE(question_report("figures", lg_analysis_graph(analysis),
                                analysis, "limit=all", LG_FORMAT_TEXT,
                                &text) == LG_OK);
        check_says(&text, expected[count - 4], true);
        lg_text_free(&text);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// Each name appears once, even if two names are similar.
static void
alike_holders(void)
{
    static const char *const names[] = {"lib.it", "lib", "lab"};
    story made = story_begin();
    lg_text text = {0};
    uint32_t figure = story_add(&made, "matplotlib.figure.Figure", NULL, 48);
    lg_builder_add_fact(made.builder, figure, "closed", "yes", 3);
    for (uint32_t i = 0; i < 3; i++)
        story_attribute(&made, story_module(&made, names[i]), "it", figure);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(question_report("figures", lg_analysis_graph(analysis), analysis,
                            "limit=all", LG_FORMAT_TEXT, &text) == LG_OK);
    check_says(&text, " lib.it.it; lib.it; lab.it\n", true);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Six blocks without an owner from six allocation sites: the report names the
// biggest five.
static void
stacks_of_blocks(void)
{
    static const char *const frames[] = {"one (a.py:1)",   "two (a.py:2)",
                                         "three (a.py:3)", "four (a.py:4)",
                                         "five (a.py:5)",  "six (a.py:6)"};
    story made = story_begin();
    lg_builder *builder = made.builder;
    lg_text text = {0};
    lg_segment segment = {.address = 1 << 20, .size = 1 << 20};
    segment.device = lg_builder_add_device(builder, "cuda:0");
    uint32_t number = lg_builder_add_segment(builder, &segment);
    for (uint32_t i = 0; i < 6; i++) {
        lg_block block = {.address = (1 << 20) + 65536 * (uint64_t)i,
                          .size = 32768 - 512 * (uint64_t)i,
                          .requested = 32768 - 512 * (uint64_t)i,
                          .segment = number};
        block.frames = lg_builder_intern(builder, frames[i], strlen(frames[i]));
        lg_builder_add_block(builder, &block);
    }
    lg_graph *graph = story_end(&made);
    REQUIRE(lg_report_memory(graph, NULL, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    for (uint32_t i = 0; i < 6; i++)
        check_says(&text, frames[i], i < 5);
    lg_text_free(&text);
    lg_graph_free(graph);
}

// A local with a short name next to one with a long name: the column is at most
// 24 wide, so a longer name moves only its own row.
static void
names_of_locals(void)
{
    static const char *const names[] = {"n23456789012345678901234",
                                        "n234567890123456789012345"};
    static const char *const rows[] = {
        "        x                         int  28 B\n",
        "        x  int  28 B\n",
    };
    for (uint32_t i = 0; i < 2; i++) {
        story made = story_begin();
        lg_text text = {0};
        uint32_t frame = story_add(&made, "frame", "run() app.py:3", 400);
        made.flags = LG_NODE_SYNTHETIC;
        uint32_t thread = story_add(&made, "thread", "MainThread", 0);
        lg_builder_add_root(made.builder, thread, LG_ROOT_THREAD, "MainThread",
                            10);
        story_edge(&made, thread, frame, LG_EDGE_FRAME, 0);
        story_local(&made, frame, names[i], story_add(&made, "int", NULL, 28));
        story_local(&made, frame, "x", story_add(&made, "int", NULL, 28));
        lg_graph *graph = story_end(&made);
        REQUIRE(question_report("threads", graph, NULL, NULL, LG_FORMAT_TEXT,
                                &text) == LG_OK);
        check_says(&text, rows[i], true);
        lg_text_free(&text);
        lg_graph_free(graph);
    }
}

// A table with one cell of that many letters, and a short cell below it.
static lg_table *
make_table(const lg_graph *graph, lg_column_type type, uint32_t letters)
{
    const lg__column columns[] = {{"name", .type = type}, {"next", .gap = 1}};
    lg_text cell = {0};
    lg_table *table = lg__table_new(graph, (lg__layout){0}, columns, 2);
    lg__table_row(table);
    for (uint32_t i = 0; i < letters; i++)
        lg_text_add(&cell, "w");
    lg__put_formatted(table, 0, &cell);
    lg__put_literal(table, 1, "z");
    lg__table_row(table);
    lg__put_literal(table, 0, "short");
    lg__put_literal(table, 1, "z");
    REQUIRE(lg__table_finish(table, &table, NULL) == LG_OK);
    return table;
}

// A name of 60 columns widens the column, a longer name does not.
static void
widest_cell(void)
{
    uint32_t end;
    lg_graph *graph = make_chain(1, &end);
    for (uint32_t letters = 60; letters < 62; letters++) {
        lg_text text = {0};
        lg_table *table = make_table(graph, LG_COLUMN_PATH, letters);
        REQUIRE(lg_table_text(table, 0, &text, NULL) == LG_OK);
        check_says(&text, "\nshort z\n", letters > 60);
        lg_text_free(&text);
        lg_table_free(table);
    }
    lg_graph_free(graph);
}

// A web page folds names of 161 bytes or more, and prose of 401 bytes or more.
static void
folded_cell(void)
{
    static const struct {
        lg_column_type type;
        uint32_t letters;
        bool folded;
    } cases[] = {{LG_COLUMN_PATH, 160, false},
                 {LG_COLUMN_PATH, 161, true},
                 {LG_COLUMN_TEXT, 400, false},
                 {LG_COLUMN_TEXT, 401, true}};
    uint32_t end;
    lg_graph *graph = make_chain(1, &end);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_text text = {0};
        lg_table *table = make_table(graph, cases[i].type, cases[i].letters);
        REQUIRE(lg_table_html(table, 0, &text, NULL) == LG_OK);
        check_says(&text, "<details>", cases[i].folded);
        if (cases[i].folded) {
            const char *begin = strstr(text.data, "<summary>");
            REQUIRE(begin != NULL);
            CHECK(strspn(begin + strlen("<summary>"), "w") == 80);
        }
        lg_text_free(&text);
        lg_table_free(table);
    }
    lg_graph_free(graph);
}

SUITE(shown)
{
    RUN(long_path);
    RUN(path_on_a_line);
    RUN(types_of_cycle);
    RUN(holders_of_figure);
    RUN(alike_holders);
    RUN(stacks_of_blocks);
    RUN(names_of_locals);
    RUN(held_by_native_code_too);
    RUN(widest_cell);
    RUN(folded_cell);
    return test_result();
}
