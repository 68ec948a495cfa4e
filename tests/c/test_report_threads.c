// The report on threads, their frames and suspended code.
#include "asked.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/scope.h>
#include <leakgraph/internal/cells.h>

static void
expect_asked(const lg_graph *graph, const lg_analysis *analysis,
             const char *options, lg_format format, const char *expected)
{
    lg_text text = {0};
    REQUIRE(question_report("threads", graph, analysis, options, format,
                            &text) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

static void
expect_threads(const lg_graph *graph, const lg_analysis *analysis,
               lg_format format, const char *expected)
{
    expect_asked(graph, analysis, NULL, format, expected);
}

// The first `shown` rows of all as a table.
static void
expect_rows(const lg_graph *graph, const lg_analysis *analysis,
            const char *options, size_t shown, size_t count,
            const char *expected)
{
    const size_t rows[] = {0, 1, 2, 3};
    lg_table *table = NULL;
    lg_table *first = NULL;
    lg_text text = {0};
    REQUIRE(!question_table("threads", graph, analysis, options, &table, NULL));
    CHECK(lg_table_row_count(table) == count);
    REQUIRE(!lg_table_select(table, rows, shown, &first, NULL));
    REQUIRE(!lg_table_text(first, 0, &text, NULL));
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
    lg_table_free(first);
    lg_table_free(table);
}

// The main thread, in run() of app.py; returns its frame.
static uint32_t
running(story *made)
{
    uint32_t frame = story_add(made, "frame", "run() app.py:3", 400);
    made->flags = LG_NODE_SYNTHETIC;
    uint32_t thread = story_add(made, "thread", "MainThread", 0);
    lg_builder_add_root(made->builder, thread, LG_ROOT_THREAD, "MainThread",
                        10);
    made->flags = LG_NODE_TRACKED;
    story_edge(made, thread, frame, LG_EDGE_FRAME, 0);
    return frame;
}

static const char retained_json[] =
    "{\"analysed\": true, \"rows\": [\n"
    "  {\"depth\": 0, \"kind\": \"thread\", \"name\": \"MainThread\", "
    "\"node\": 2, \"type\": \"thread\", \"title\": \"thread "
    "MainThread\", \"size\": {\"host\": 0}, \"retained\": {\"host\": "
    "4576}, \"held_elsewhere\": null, \"repeats\": 0},\n"
    "  {\"depth\": 1, \"kind\": \"frame\", \"name\": \"run() "
    "app.py:3\", \"node\": 1, \"type\": \"frame\", \"title\": \"frame "
    "run() app.py:3\", \"size\": {\"host\": 400}, \"retained\": "
    "{\"host\": 4576}, \"held_elsewhere\": null, \"repeats\": 0},\n"
    "  {\"depth\": 2, \"kind\": \"local\", \"name\": \"batch\", "
    "\"node\": 3, \"type\": \"list\", \"title\": \"list of 1\", "
    "\"size\": {\"host\": 80}, \"retained\": {\"host\": 4176}, "
    "\"held_elsewhere\": false, \"repeats\": 0},\n"
    "  {\"depth\": 2, \"kind\": \"local\", \"name\": \"shared\", "
    "\"node\": 5, \"type\": \"list\", \"title\": \"list of 1\", "
    "\"size\": {\"host\": 80}, \"retained\": {\"host\": 4176}, "
    "\"held_elsewhere\": true, \"repeats\": 0},\n"
    "  {\"depth\": 0, \"kind\": \"suspended\", \"name\": \"coroutine "
    "big()\", \"node\": 9, \"type\": \"coroutine\", \"title\": "
    "\"coroutine big()\", \"size\": {\"host\": 200}, \"retained\": "
    "{\"host\": 2248}, \"held_elsewhere\": null, \"repeats\": 0},\n"
    "  {\"depth\": 1, \"kind\": \"local\", \"name\": \"data\", "
    "\"node\": 10, \"type\": \"bytearray\", \"title\": \"bytearray\", "
    "\"size\": {\"host\": 2048}, \"retained\": {\"host\": 2048}, "
    "\"held_elsewhere\": false, \"repeats\": 0},\n"
    "  {\"depth\": 0, \"kind\": \"suspended\", \"name\": \"coroutine "
    "small()\", \"node\": 7, \"type\": \"coroutine\", \"title\": "
    "\"coroutine small()\", \"size\": {\"host\": 200}, \"retained\": "
    "{\"host\": 1224}, \"held_elsewhere\": null, \"repeats\": 0},\n"
    "  {\"depth\": 1, \"kind\": \"local\", \"name\": \"data\", "
    "\"node\": 8, \"type\": \"bytearray\", \"title\": \"bytearray\", "
    "\"size\": {\"host\": 1024}, \"retained\": {\"host\": 1024}, "
    "\"held_elsewhere\": false, \"repeats\": 0}\n"
    "]}\n";

// What a local retains; suspended objects are listed by size.
static void
retained(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t frame = running(&made);
    for (uint32_t i = 0; i < 2; i++) {
        static const char *const names[] = {"batch", "shared"};
        uint32_t list = story_add(&made, "list", NULL, 80);
        uint32_t data = story_add(&made, "bytearray", NULL, 4096);
        story_edge(&made, list, data, LG_EDGE_INDEX, 0);
        story_local(&made, frame, names[i], list);
        if (i == 1)
            story_attribute(&made, app, "shared", list);
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t task =
            story_add(&made, "coroutine", i ? "big()" : "small()", 200);
        uint32_t data = story_add(&made, "bytearray", NULL, 1024 * (i + 1));
        story_local(&made, task, "data", data);
        story_attribute(&made, app, i ? "big" : "small", task);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    expect_threads(graph, analysis, LG_FORMAT_TEXT,
                   "Thread MainThread  retains 4.47 KiB\n"
                   "  #0 run() app.py:3  retains 4.47 KiB\n"
                   "        batch   list of 1  80 B  retains 4.08 KiB\n"
                   "        shared  list of 1  80 B  retains 4.08 KiB, held "
                   "by app.shared too\n"
                   "\n"
                   "Suspended\n"
                   "  coroutine big()  retains 2.20 KiB\n"
                   "        data  bytearray  2.00 KiB\n"
                   "  coroutine small()  retains 1.20 KiB\n"
                   "        data  bytearray  1.00 KiB\n");
    expect_threads(graph, analysis, LG_FORMAT_JSON, retained_json);
    expect_rows(graph, analysis, "limit=4", 4, 4,
                "  retained  thread, frame, variable  value         also held "
                "by\n"
                "  4.47 KiB  thread MainThread\n"
                "  4.47 KiB    run() app.py:3\n"
                "  4.08 KiB      batch                list of 1 #3\n"
                "  4.08 KiB      shared               list of 1 #5  "
                "app.shared\n");
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Where the nearest path to a value is that of the variable, nobody else has a
// name.
static void
held_by_something_else(void)
{
    story made = story_begin();
    uint32_t at = story_module(&made, "app");
    uint32_t frame = running(&made);
    uint32_t list = story_add(&made, "list", NULL, 80);
    story_edge(&made, list, story_add(&made, "bytearray", NULL, 4096),
               LG_EDGE_INDEX, 0);
    story_local(&made, frame, "far", list);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t next = i == 3 ? list : story_add(&made, "app.Step", NULL, 50);
        story_attribute(&made, at, "next", next);
        at = next;
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    expect_threads(graph, analysis, LG_FORMAT_TEXT,
                   "Thread MainThread  retains 400 B\n"
                   "  #0 run() app.py:3  retains 400 B\n"
                   "        far  list of 1  80 B  retains 4.08 KiB, held by "
                   "something else too\n");
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Anybody may have a small int, so a module that names it is no holder to tell,
// and the page has no column for holders if there is no other.
static void
held_by_anybody(void)
{
    for (uint64_t size = 54; size <= 400; size += 346) {
        story made = story_begin();
        uint32_t module = story_module(&made, "posix");
        uint32_t frame = running(&made);
        uint32_t zero = story_add(&made, "int", NULL, 28);
        uint32_t path = story_add(&made, "str", NULL, size);
        story_local(&made, frame, "done", zero);
        story_attribute(&made, module, "F_OK", zero);
        story_local(&made, frame, "path", path);
        story_attribute(&made, module, "prefix", path);
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        lg_table *table = NULL;
        lg_text page = {0};
        REQUIRE(
            !question_table("threads", graph, analysis, NULL, &table, NULL));
        REQUIRE(!lg_table_html_plain(table, 0, &page, NULL));
        CHECK(strstr(page.data, "done") && !strstr(page.data, "F_OK"));
        CHECK(!strstr(page.data, "posix.prefix") == (size < 400));
        CHECK(!strstr(page.data, "also held by") == (size < 400));
        lg_text_free(&page);
        lg_table_free(table);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// An object of a subclass of int has attributes, so it is somebody's own.
static void
of_a_subclass(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t frame = running(&made);
    story_type(&made, "app.Number", "int");
    uint32_t number = story_add(&made, "app.Number", NULL, 44);
    story_local(&made, frame, "number", number);
    story_attribute(&made, module, "seven", number);
    story_attribute(&made, number, "seen",
                    story_add(&made, "bytearray", NULL, 5000));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    REQUIRE(!question_report("threads", graph, analysis, NULL, LG_FORMAT_TEXT,
                             &text));
    CHECK(strstr(text.data, ", held by app.seven too"));
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Variables that inner functions use show the contents of their cells.
static void
in_cells(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t frame = running(&made);
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const names[] = {"mine", "queue", "unset"};
        uint32_t cell = story_add(&made, "cell", NULL, 40);
        story_local(&made, frame, names[i], cell);
        if (i == 2)
            continue;
        uint32_t list = story_add(&made, "list", NULL, 80);
        story_edge(&made, cell, list, LG_EDGE_CELL, 0);
        story_edge(&made, list, story_add(&made, "bytearray", NULL, 4096),
                   LG_EDGE_INDEX, 0);
        if (i == 1)
            story_attribute(&made, app, "queue", list);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_text json = {0};
    expect_threads(graph, analysis, LG_FORMAT_TEXT,
                   "Thread MainThread  retains 4.59 KiB\n"
                   "  #0 run() app.py:3  retains 4.59 KiB\n"
                   "        mine   list of 1  80 B  retains 4.08 KiB\n"
                   "        queue  list of 1  80 B  retains 4.08 KiB, held "
                   "by app.queue too\n"
                   "        unset  cell       40 B\n");
    REQUIRE(question_report("threads", graph, analysis, NULL, LG_FORMAT_JSON,
                            &json) == LG_OK);
    CHECK(
        strstr(json.data,
               "\"queue\", \"node\": 7, \"type\": \"list\", \"title\": \"list "
               "of 1\", \"size\": {\"host\": 80}, \"retained\": {\"host\": "
               "4176}, \"held_elsewhere\": true, ") != NULL);
    lg_text_free(&json);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Equal entries appear once, with any count.
static void
look_alikes(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t tasks = story_add(&made, "list", NULL, 80);
    story_attribute(&made, app, "tasks", tasks);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t task = story_add(&made, "coroutine", "work()", 200);
        uint32_t data = story_add(&made, "bytearray", NULL, i == 2 ? 72 : 56);
        story_local(&made, task, "data", data);
        story_edge(&made, tasks, task, LG_EDGE_INDEX, i);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    expect_threads(graph, analysis, LG_FORMAT_TEXT,
                   "Suspended\n"
                   "  coroutine work()  retains 272 B\n"
                   "        data  bytearray  72 B\n"
                   "  coroutine work()  retains 256 B\n"
                   "        data  bytearray  56 B\n"
                   "   and 3 more just like it\n");
    expect_rows(graph, analysis, NULL, 4, 10,
                "  retained  thread, frame, variable                   value\n"
                "     272 B  coroutine work()\n"
                "      72 B    data                                    "
                "bytearray #7\n"
                "     256 B  coroutine work() and 3 more just like it\n"
                "      56 B    data                                    "
                "bytearray #3\n");
    expect_asked(graph, analysis, "limit=1", LG_FORMAT_TEXT,
                 "Suspended\n"
                 "  coroutine work()  retains 272 B\n"
                 "\n"
                 "... and 3 more rows\n");
    expect_rows(graph, NULL, "limit=2", 2, 2,
                "      size  thread, frame, variable                   value\n"
                "     200 B  coroutine work() and 1 more just like it\n"
                "      56 B    data                                    "
                "bytearray #3\n");
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Two suspended frames with one variable each; what one differs in tells them
// apart, though the words may be equal.
static size_t
repeats_of(const char *function, const char *name, const char *type,
           uint32_t elements, uint32_t size)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    lg_threads threads;
    for (uint32_t i = 0; i < 2; i++) {
        bool other = i == 1;
        uint32_t task = story_add(&made, "coroutine",
                                  other ? function : "work() app.py:3", 200);
        uint32_t data =
            story_add(&made, other ? type : "list", NULL, other ? size : 80000);
        for (uint32_t at = 0; at < (other ? elements : 1); at++)
            story_edge(&made, data, app, LG_EDGE_INDEX, at);
        story_local(&made, task, other ? name : "data", data);
        story_attribute(&made, app, i ? "second" : "first", task);
    }
    lg_graph *graph = story_end(&made);
    REQUIRE(lg_graph_threads(graph, NULL, NULL, &threads, NULL) == LG_OK);
    REQUIRE(threads.count == 4);
    CHECK(threads.rows[1].repeats == 0);
    CHECK(threads.rows[2].repeats == 0);
    size_t repeats = threads.rows[0].repeats;
    lg_threads_free(&threads);
    lg_graph_free(graph);
    return repeats;
}

static void
told_apart(void)
{
    CHECK(repeats_of("work() app.py:3", "data", "list", 1, 80000) == 1);
    CHECK(repeats_of("work() app.py:4", "data", "list", 1, 80000) == 0);
    CHECK(repeats_of("work() app.py:3", "item", "list", 1, 80000) == 0);
    CHECK(repeats_of("work() app.py:3", "data", "tuple", 1, 80000) == 0);
    CHECK(repeats_of("work() app.py:3", "data", "list", 2, 80000) == 0);
    CHECK(repeats_of("work() app.py:3", "data", "list", 1, 80001) == 0);
}

static void
many_suspended(void)
{
    lg_builder *builder;
    lg_graph *many;
    lg_text text = {0};
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t type =
        lg_builder_add_type(builder, "coroutine", 9, LG_NONE, NULL, 0);
    uint32_t name = lg_builder_intern(builder, "self", 4);
    for (uint32_t i = 0; i < 1060; i++) {
        lg_builder_add_node(builder, 0);
        lg_builder_put_type(builder, i, type);
        lg_builder_set_size(builder, i, i);
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, i, LG_EDGE_LOCAL, name);
    }
    REQUIRE(lg_builder_finish(builder, &many, NULL) == LG_OK);
    CHECK(question_report("threads", many, NULL, NULL, LG_FORMAT_TEXT, &text) ==
          LG_OK);
    CHECK(strstr(text.data, "  ... and 1,010 more\n") != NULL);
    lg_text_free(&text);
    lg_graph_free(many);
}

// A scope leaves out the thread, whose code belongs to no chosen module.
static void
none_of_the_modules(void)
{
    story made = story_begin();
    story_module(&made, "app");
    story_module(&made, "other");
    running(&made);
    lg_graph *graph = story_end(&made);
    lg_scope *scope = scope_of(graph, false, "other");
    lg_text text = {0};
    lg_threads threads;
    REQUIRE(question_report("threads", graph, NULL, "module=other",
                            LG_FORMAT_TEXT, &text) == LG_OK);
    CHECK_TEXT(text, "no thread runs code of the chosen modules, and none of "
                     "it is suspended\n");
    REQUIRE(lg_graph_threads(graph, NULL, scope, &threads, NULL) == LG_OK);
    CHECK(threads.count == 0 && threads.scoped);
    lg_threads_free(&threads);
    lg_text_free(&text);
    lg_scope_free(scope);
    lg_graph_free(graph);
}

// A snapshot of a part of the heap may have no thread.
static void
no_thread(void)
{
    story made = story_begin();
    story_module(&made, "app");
    lg_graph *graph = story_end(&made);
    REQUIRE(graph != NULL);
    expect_threads(graph, NULL, LG_FORMAT_TEXT, "no thread was captured\n");
    lg_graph_free(graph);
}

SUITE(report_threads)
{
    RUN(none_of_the_modules);
    RUN(no_thread);
    RUN(retained);
    RUN(held_by_something_else);
    RUN(held_by_anybody);
    RUN(of_a_subclass);
    RUN(in_cells);
    RUN(look_alikes);
    RUN(told_apart);
    RUN(many_suspended);
    return test_result();
}
