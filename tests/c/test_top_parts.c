// Below a row, top shows place by place where its bytes gather. It leaves out
// what says nothing: the same again, what is small, and small rows.
#include "asked.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/answers.h>

#include <stdio.h>
#include <string.h>

static void
expect(story *made, const char *options, const char *expected)
{
    lg_graph *graph = story_end(made);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    REQUIRE(question_report("top", graph, analysis, options, LG_FORMAT_TEXT,
                            &text) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Adds a list below an object, under a name.
static uint32_t
add_list(story *made, uint32_t above, const char *name)
{
    uint32_t list = story_add(made, "list", NULL, 80);
    story_attribute(made, above, name, list);
    return list;
}

static uint32_t
append(story *made, uint32_t list, uint32_t index, const char *type,
       uint32_t size)
{
    uint32_t item = story_add(made, type, NULL, size);
    story_edge(made, list, item, LG_EDGE_INDEX, index);
    return item;
}

// Sessions are held by two lists, so the application owns them. What all of
// them hold under one name is one part. The storage of a tensor is the same
// again.
static void
places(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t app = story_add(&made, "app.App", NULL, 60);
    story_attribute(&made, module, "app", app);
    uint32_t sessions = add_list(&made, app, "sessions");
    uint32_t listeners = add_list(&made, app, "listeners");
    uint32_t results = add_list(&made, app, "results");
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t session = append(&made, sessions, i, "app.Session", 100);
        story_edge(&made, listeners, session, LG_EDGE_INDEX, i);
        story_attribute(&made, session, "data",
                        story_add(&made, "bytearray", NULL, 700));
        uint32_t user = story_add(&made, "app.User", NULL, 200);
        story_attribute(&made, session, "user", user);
        story_attribute(&made, user, "profile",
                        story_add(&made, "app.Profile", NULL, 100));
        uint32_t tensor = append(&made, results, i, "torch.Tensor", 20);
        story_attribute(&made, tensor, "storage",
                        story_add(&made, "torch.Storage", NULL, 480));
    }
    expect(
        &made, NULL,
        "    retained    share  object                             held by\n"
        "    31.5 KiB   99.8 %  App #1                             app.app\n"
        "    21.5 KiB   68.0 %    20 x Session #5                    "
        ".sessions[*]\n"
        "    13.7 KiB   43.2 %      20 x bytearray #6                  .data\n"
        "    5.86 KiB   18.5 %      20 x User #7                       .user\n"
        "    9.77 KiB   30.9 %    20 x Tensor #9                     "
        ".results[*]\n"
        "        72 B    0.2 %  everything else\n"
        "\n"
        "each byte counted once; total 31.6 KiB\n");
}

// Each link of a list retains the rest: the first link stands for all of them.
static void
links(void)
{
    story made = story_begin();
    uint32_t before = story_module(&made, "app");
    for (uint32_t i = 0; i < 30; i++) {
        uint32_t link = story_add(&made, "app.Link", NULL, 1000);
        story_attribute(&made, before, "next", link);
        before = link;
    }
    expect(
        &made, NULL,
        "    retained    share  object                             held by\n"
        "    29.3 KiB   99.8 %  Link #1                            app.next\n"
        "        72 B    0.2 %  everything else\n"
        "\n"
        "each byte counted once; total 29.4 KiB\n");
}

// Part by part: shares of exactly 1 % and of less, and what passes 80 % on.
static void
shares(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t app = story_add(&made, "app.App", NULL, 30000);
    story_attribute(&made, module, "app", app);
    static const struct {
        const char *name;
        uint32_t size;
    } of[] = {{"one", 1000}, {"less", 900}, {"five", 5000}};
    for (size_t i = 0; i < 3; i++)
        story_attribute(&made, app, of[i].name,
                        story_add(&made, "bytes", NULL, of[i].size));
    uint32_t most = story_add(&made, "app.Most", NULL, 6000);
    story_attribute(&made, app, "most", most);
    story_attribute(&made, most, "rows",
                    story_add(&made, "bytearray", NULL, 24000));
    uint32_t less = story_add(&made, "app.Less", NULL, 6100);
    story_attribute(&made, app, "other", less);
    story_attribute(&made, less, "rows",
                    story_add(&made, "bytearray", NULL, 24000));
    story_attribute(&made, app, "rest",
                    story_add(&made, "app.Rest", NULL, 3000 - 172));
    expect(
        &made, NULL,
        "    retained    share  object                             held by\n"
        "    97.5 KiB   99.9 %  App #1                             app.app\n"
        "    29.4 KiB   30.1 %    Less #7                            .other\n"
        "    23.4 KiB   24.0 %      bytearray #8                       .rows\n"
        "    23.4 KiB   24.0 %    bytearray #6                       "
        ".most.rows\n"
        "    4.88 KiB    5.0 %    bytes #4                           .five\n"
        "    2.76 KiB    2.8 %    Rest #9                            .rest\n"
        "      1000 B    1.0 %    bytes #2                           .one\n"
        "        72 B    0.1 %  everything else\n"
        "\n"
        "each byte counted once; total 97.6 KiB\n");
}

// Objects of one place are one part from five on, if none of them is big.
static void
small_ones(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t app = story_add(&made, "app.App", NULL, 60);
    story_attribute(&made, module, "app", app);
    uint32_t four = add_list(&made, app, "four");
    uint32_t five = add_list(&made, app, "five");
    for (uint32_t i = 0; i < 5; i++) {
        append(&made, five, i, "bytes", 1000);
        if (i < 4)
            append(&made, four, i, "bytearray", 1000);
    }
    expect(
        &made, NULL,
        "    retained    share  object                             held by\n"
        "    9.00 KiB   99.2 %  App #1                             app.app\n"
        "    4.88 KiB   53.8 %    5 x bytes #4                       .five[*]\n"
        "    3.98 KiB   43.9 %    list of 4 #2                       .four\n"
        "      1000 B   10.8 %      bytearray #5                       [0]\n"
        "      1000 B   10.8 %      bytearray #7                       [1]\n"
        "      1000 B   10.8 %      bytearray #9                       [2]\n"
        "      1000 B   10.8 %      bytearray #11                      [3]\n"
        "        72 B    0.8 %  everything else\n"
        "\n"
        "each byte counted once; total 9.07 KiB\n");
}

// A chain of objects that pass their bytes on ends as a part somewhere.
static void
chain(void)
{
    static const char *const types[] = {"app.A", "app.B", "app.C", "app.D"};
    story made = story_begin();
    uint32_t before = story_module(&made, "app");
    uint32_t rest = story_add(&made, "app.Rest", NULL, 30000);
    story_attribute(&made, before, "rest", rest);
    before = rest;
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t next = story_add(&made, types[i % 4], NULL, 100);
        story_attribute(&made, before, i < 17 ? "a" : "b", next);
        before = next;
    }
    story_attribute(&made, before, "end",
                    story_add(&made, "bytes", NULL, 30000));
    expect(
        &made, NULL,
        "    retained    share  object                             held by\n"
        "    60.5 KiB   99.9 %  Rest #1                            app.rest\n"
        "    29.7 KiB   49.0 %    A #18                              "
        ".a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a\n"
        "    29.3 KiB   48.3 %      bytes #22                          "
        ".b.b.b.end\n"
        "        72 B    0.1 %  everything else\n"
        "\n"
        "each byte counted once; total 60.6 KiB\n");
}

// Of nine parts side by side, the smallest is left out.
static void
nine(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e",
                                        "f", "g", "h", "i"};
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t app = story_add(&made, "app.App", NULL, 60);
    story_attribute(&made, module, "app", app);
    for (uint32_t i = 0; i < 9; i++)
        story_attribute(&made, app, names[i],
                        story_add(&made, "bytes", NULL, 1000 + 10 * i));
    expect(&made, NULL,
           "    retained    share  object                             held by\n"
           "    9.20 KiB   99.2 %  App #1                             app.app\n"
           "    1.05 KiB   11.4 %    bytes #10                          .i\n"
           "    1.04 KiB   11.3 %    bytes #9                           .h\n"
           "    1.04 KiB   11.2 %    bytes #8                           .g\n"
           "    1.03 KiB   11.1 %    bytes #7                           .f\n"
           "    1.02 KiB   11.0 %    bytes #6                           .e\n"
           "    1.01 KiB   10.9 %    bytes #5                           .d\n"
           "      1020 B   10.7 %    bytes #4                           .c\n"
           "      1010 B   10.6 %    bytes #3                           .b\n"
           "        72 B    0.8 %  everything else\n"
           "\n"
           "each byte counted once; total 9.27 KiB\n");
}

// Rows with less than a thousandth are one line, but for the first three, and
// unless the caller says how many there should be.
static void
small_rows(const char *options, const char *expected)
{
    static const uint32_t sizes[] = {981862, 12072, 2000, 1000, 999, 998, 997};
    static const char *const types[] = {"app.A", "app.B", "app.C", "app.D",
                                        "app.E", "app.F", "app.G"};
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    for (size_t i = 0; i < 7; i++)
        story_attribute(&made, module, types[i] + 4,
                        story_add(&made, types[i], NULL, sizes[i]));
    expect(&made, options, expected);
}

static void
three_at_least(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    static const char *const types[] = {"app.A", "app.B", "app.C", "app.D"};
    story_attribute(&made, module, "big",
                    story_add(&made, "bytes", NULL, 1000000));
    for (size_t i = 0; i < 4; i++)
        story_attribute(&made, module, types[i] + 4,
                        story_add(&made, types[i], NULL, 100));
    expect(&made, NULL,
           "    retained    share  object                             held by\n"
           "     977 KiB  100.0 %  bytes #1                           app.big\n"
           "       100 B    0.0 %  A #2                               app.A\n"
           "       100 B    0.0 %  B #3                               app.B\n"
           "       272 B    0.0 %  everything else (2 more objects)\n"
           "\n"
           "each byte counted once; total 977 KiB\n");
}

// What has parts needs no small rows behind it.
static void
parts_are_lines(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t box = story_add(&made, "app.Box", NULL, 100);
    story_attribute(&made, module, "box", box);
    for (size_t i = 0; i < 2; i++) {
        static const char *const names[] = {"a", "b"};
        story_attribute(&made, box, names[i],
                        story_add(&made, "bytes", NULL, 500000 - i));
        story_attribute(&made, module, names[i],
                        story_add(&made, "app.Small", NULL, 100));
    }
    expect(&made, NULL,
           "    retained    share  object                             held by\n"
           "     977 KiB  100.0 %  Box #1                             app.box\n"
           "     488 KiB   50.0 %    bytes #2                           .a\n"
           "     488 KiB   50.0 %    bytes #4                           .b\n"
           "       272 B    0.0 %  everything else (2 more objects)\n"
           "\n"
           "each byte counted once; total 977 KiB\n");
}

static void
few_and_all(void)
{
    small_rows(
        NULL,
        "    retained    share  object                             held by\n"
        "     959 KiB   98.2 %  A #1                               app.A\n"
        "    11.8 KiB    1.2 %  B #2                               app.B\n"
        "    1.95 KiB    0.2 %  C #3                               app.C\n"
        "      1000 B    0.1 %  D #4                               app.D\n"
        "    2.99 KiB    0.3 %  everything else (3 more objects)\n"
        "\n"
        "each byte counted once; total 977 KiB\n");
    small_rows(
        "limit=all",
        "    retained    share  object                             held by\n"
        "     959 KiB   98.2 %  A #1                               app.A\n"
        "    11.8 KiB    1.2 %  B #2                               app.B\n"
        "    1.95 KiB    0.2 %  C #3                               app.C\n"
        "      1000 B    0.1 %  D #4                               app.D\n"
        "       999 B    0.1 %  E #5                               app.E\n"
        "       998 B    0.1 %  F #6                               app.F\n"
        "       997 B    0.1 %  G #7                               app.G\n"
        "        72 B    0.0 %  everything else\n"
        "\n"
        "each byte counted once; total 977 KiB\n");
}

// Adds modules `package.0`, `package.1` ..., each with a table of 1,000 bytes.
static void
add_modules(story *made, const char *package, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.%u", package, i);
        uint32_t module = story_module(made, name);
        story_attribute(made, module, "TABLE",
                        story_add(made, "bytes", NULL, 1000));
    }
}

// What many modules have alike has one row, and what one of them has alone is
// its own, as is what it has alike but without a name.
static void
modules(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    story_attribute(&made, app, "ALONE", story_add(&made, "bytes", NULL, 5000));
    add_modules(&made, "plugin", 20);
    expect(&made, NULL,
           "    retained    share  object                             held by\n"
           "    19.5 KiB   75.4 %  20 x bytes #3                      "
           "sys.modules[*].TABLE\n"
           "    4.88 KiB   18.9 %  bytes #1                           "
           "app.ALONE\n"
           "    1.48 KiB    5.7 %  everything else\n"
           "\n"
           "each byte counted once; total 25.9 KiB\n");
}

// Objects of one place have the title of the biggest only if all have it.
static void
titles(void)
{
    static const char *const objects[] = {"20 x str 'a' #2", "20 x str #2    "};
    for (int varied = 0; varied < 2; varied++) {
        story made = story_begin();
        uint32_t app = story_module(&made, "app");
        uint32_t names = story_add(&made, "list", NULL, 100);
        char expected[400];
        story_attribute(&made, app, "names", names);
        for (uint32_t i = 0; i < 20; i++) {
            const char text[] = {(char)('a' + (varied ? i : 0)), '\0'};
            story_edge(&made, names, story_add(&made, "str", text, 1000),
                       LG_EDGE_INDEX, i);
        }
        snprintf(expected, sizeof expected,
                 "    retained    share  object                             "
                 "held by\n"
                 "    19.6 KiB   99.6 %%  list of 20 #1                      "
                 "app.names\n"
                 "    19.5 KiB   99.1 %%    %s                    [*]\n"
                 "        72 B    0.4 %%  everything else\n\n"
                 "each byte counted once; total 19.7 KiB\n",
                 objects[varied]);
        expect(&made, NULL, expected);
    }
}

// Asks for what some of many modules have.
static void
ask_some_modules(uint32_t some, uint64_t in_a_row, size_t rows)
{
    story made = story_begin();
    add_modules(&made, "some", some);
    add_modules(&made, "other", 20);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_scope *scope = scope_of(graph, false, "some.*");
    lg_top_options options = LG_TOP_OPTIONS_INIT;
    lg_top top = {0};
    options.scope = scope;
    REQUIRE(lg_analysis_top(analysis, &options, NULL, &top, NULL) == LG_OK);
    CHECK(top.count == rows && top.more_objects == 20);
    for (size_t i = 0; i < top.count; i++) {
        CHECK(top.rows[i].count == in_a_row);
        CHECK(top.rows[i].where.in_modules == (rows == 1));
        CHECK(top.rows[i].weight == 1000 * in_a_row);
    }
    lg_top_free(&top);
    lg_scope_free(scope);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// What less than five modules have, each of them has alone.
static void
some_modules(void)
{
    ask_some_modules(5, 5, 1);
    ask_some_modules(4, 1, 4);
}

// Twenty immortal objects are one row. A root leads only to the biggest of
// them, and no path to the biggest of what they hold.
static void
immortals(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    for (uint32_t i = 0; i < 20; i++) {
        made.flags = LG_NODE_IMMORTAL;
        uint32_t one = story_add(&made, "app.One", NULL, i == 0 ? 800 : 500);
        made.flags = 0;
        story_attribute(&made, one, "data",
                        story_add(&made, "bytes", NULL, 1000 + i));
        if (i == 0)
            story_attribute(&made, module, "first", one);
    }
    expect(
        &made, NULL,
        "    retained    share  object                             held by\n"
        "    29.8 KiB   99.8 %  20 x One #1                        app.first\n"
        "    19.7 KiB   66.1 %    20 x bytes #40                     .data\n"
        "        72 B    0.2 %  everything else\n"
        "\n"
        "each byte counted once; total 29.8 KiB\n");
}

SUITE(top_parts)
{
    RUN(immortals);
    RUN(modules);
    RUN(titles);
    RUN(some_modules);
    RUN(places);
    RUN(links);
    RUN(shares);
    RUN(small_ones);
    RUN(chain);
    RUN(nine);
    RUN(few_and_all);
    RUN(three_at_least);
    RUN(parts_are_lines);
    return test_result();
}
