// Limits of reports: how deep and long a tree is, how wide a line is, and how
// far a tensor's name is searched.
#include "asked.h"
#include "drawn.h"
#include "heaps.h"
#include "test.h"
#include "text_count.h"

#include <leakgraph/internal/report.h>

// A tree is shown to a depth of 24: everything, the module, and 23 links.
static void
depth_of_a_tree(void)
{
    for (uint32_t links = 23; links <= 25; links++) {
        story made = story_begin();
        lg_text text = {0};
        uint32_t at = story_module(&made, "app");
        for (uint32_t i = 0; i < links; i++) {
            uint32_t next = story_add(&made, "app.Link", NULL, 48);
            story_attribute(&made, at, "next", next);
            at = next;
        }
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        REQUIRE(lg_report_dominators(analysis, NULL, LG_FORMAT_TEXT, &text,
                                     NULL) == LG_OK);
        CHECK(count_of(&text, ".next") == 23);
        lg_text_free(&text);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// A tree shows 400 rows: everything, the holder, and 398 of its parts.
static void
rows_of_a_tree(void)
{
    enum { PARTS = 450 };
    lg_builder *builder;
    lg_graph *graph = NULL;
    lg_text text = {0};
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i <= PARTS; i++) {
        lg_builder_add_node(builder, 4096 + 16 * (uint64_t)i);
        lg_builder_set_size(builder, i, 10);
    }
    lg_builder_open(builder, 0);
    for (uint32_t i = 1; i <= PARTS; i++)
        lg_builder_add_edge(builder, i, LG_EDGE_INDEX, i - 1);
    lg_builder_add_root(builder, 0, LG_ROOT_THREAD, "main", 4);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(lg_report_dominators(analysis, NULL, LG_FORMAT_JSON, &text, NULL) ==
            LG_OK);
    CHECK(count_of(&text, "\"left_out\": 52,") == 1);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Merged paths above an explanation show 20 lines. The last one counts the
// rest.
static void
paths_above_why(void)
{
    static char names[21][8]; // the story keeps these names
    for (uint32_t count = 20; count <= 21; count++) {
        story made = story_begin();
        lg_text text = {0};
        uint32_t nodes[21];
        uint32_t app = story_module(&made, "app");
        for (uint32_t i = 0; i < count; i++) {
            nodes[i] = story_add(&made, "app.Thing", NULL, 1000);
            snprintf(names[i], sizeof names[i], "t%02u", i);
            story_attribute(&made, app, names[i], nodes[i]);
        }
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        REQUIRE(why_report(analysis, nodes, count, NULL, LG_FORMAT_TEXT,
                           &text) == LG_OK);
        CHECK(count_of(&text, "─ .t") == (count == 20 ? 20 : 19));
        CHECK(count_of(&text, "─ 2 more\n") == (count == 20 ? 0 : 1));
        lg_text_free(&text);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// The only reference to cut is shown, even in the middle of a long path.
static void
cut_in_a_gap(void)
{
    enum { LINKS = 30, CUT = 15 };
    static char names[LINKS][8]; // the story keeps these names
    story made = story_begin();
    lg_text text = {0};
    uint32_t last = story_module(&made, "app");
    for (uint32_t i = 0; i < LINKS; i++) {
        uint32_t next = story_add(&made, "app.Link", NULL, 48);
        snprintf(names[i], sizeof names[i], "p%02u", i);
        story_attribute(&made, last, names[i], next);
        if (i != CUT)
            story_attribute(&made, last, "twin", next);
        last = next;
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(why_report(analysis, &last, 1, NULL, LG_FORMAT_TEXT, &text) ==
            LG_OK);
    CHECK(strstr(text.data, "│    ↓ .p15\n│      ~~~~\n") != NULL);
    CHECK(strstr(text.data, ".p13\n") == NULL);
    CHECK(strstr(text.data, ".p16\n") == NULL);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// The columns of a cycle of two on one line; 0 if it takes several.
static size_t
width_of_cycle(uint32_t letters)
{
    char name[80];
    story made = story_begin();
    lg_text text = {0};
    const lg_cycle_options all = {.size = sizeof all, .min_bytes = 0};
    lg_cycles cycles;
    memset(name, 'n', letters);
    name[letters] = '\0';
    uint32_t app = story_module(&made, "app");
    uint32_t one = story_add(&made, "app.One", NULL, 48);
    uint32_t other = story_add(&made, "app.Other", NULL, 48);
    story_attribute(&made, app, "one", one);
    story_attribute(&made, one, name, other);
    story_attribute(&made, other, "back", one);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(lg_analysis_cycles(analysis, &all, NULL, &cycles, NULL) == LG_OK);
    REQUIRE(lg_report_cycles(analysis, &cycles, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    const char *end = strstr(text.data, "One\n");
    const char *begin = strstr(text.data, "One.");
    REQUIRE(begin != NULL && end != NULL);
    size_t width = (size_t)(end - begin) + 3;
    if (memchr(begin, '\n', width) != NULL)
        width = 0;
    lg_text_free(&text);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return width;
}

static void
line_of_a_cycle(void)
{
    size_t widest = 0;
    for (uint32_t letters = 1; letters < 79; letters++) {
        size_t width = width_of_cycle(letters);
        CHECK(width == 0 ? widest == 84 : width > widest);
        widest = width > 0 ? width : widest;
    }
    CHECK(widest == 84);
}

// A value's title of 44 columns widens the column; a longer one moves its own
// row only.
static void
titles_of_locals(void)
{
    for (uint32_t letters = 44; letters <= 45; letters++) {
        char type[60];
        char row[100];
        story made = story_begin();
        lg_text text = {0};
        snprintf(type, sizeof type, "app.%0*d", (int)letters, 7);
        snprintf(row, sizeof row, "        x  %-*s  28 B\n",
                 letters == 44 ? 44 : 3, "int");
        uint32_t frame = story_add(&made, "frame", "run() app.py:3", 400);
        made.flags = LG_NODE_SYNTHETIC;
        uint32_t thread = story_add(&made, "thread", "MainThread", 0);
        lg_builder_add_root(made.builder, thread, LG_ROOT_THREAD, "MainThread",
                            10);
        story_edge(&made, thread, frame, LG_EDGE_FRAME, 0);
        made.flags = 0;
        story_local(&made, frame, "y", story_add(&made, type, NULL, 99));
        story_local(&made, frame, "x", story_add(&made, "int", NULL, 28));
        lg_graph *graph = story_end(&made);
        REQUIRE(question_report("threads", graph, NULL, NULL, LG_FORMAT_TEXT,
                                &text) == LG_OK);
        if (count_of(&text, row) != 1)
            CHECK_TEXT(text, row);
        lg_text_free(&text);
        lg_graph_free(graph);
    }
}

// The gradient of a gradient ... of a tensor is named by what it is the
// gradient of, up to seven steps. A list has all tensors, too.
static void
chain_of_gradients(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t list = heap_list(&made, LG_NONE);
    uint32_t tensors[10];
    lg_tensors found;
    lg_text text = {0};
    story_attribute(&made, app, "all", list);
    for (uint32_t i = 0; i < 10; i++) {
        tensors[i] = heap_tensor(&made, 4, LG_NONE);
        heap_memory_of(&made, tensors[i], 100);
        story_edge(&made, list, tensors[i], LG_EDGE_INDEX, i);
        if (i > 0)
            story_attribute(&made, tensors[i - 1], "grad", tensors[i]);
    }
    lg_graph *graph = story_end(&made);
    REQUIRE(lg_graph_tensors(graph, NULL, NULL, &found, NULL) == LG_OK);
    for (size_t i = 0; i < found.rows.count; i++)
        if (found.rows.items[i].tensor == tensors[9])
            lg_path_label(graph, &found.held_by[i].path, &text);
    CHECK_TEXT(text, "app.all[2].grad.grad.grad.grad.grad.grad.grad");
    lg_text_free(&text);
    lg_tensors_free(&found);
    lg_graph_free(graph);
}

SUITE(limits)
{
    RUN(depth_of_a_tree);
    RUN(rows_of_a_tree);
    RUN(paths_above_why);
    RUN(cut_in_a_gap);
    RUN(line_of_a_cycle);
    RUN(titles_of_locals);
    RUN(chain_of_gradients);
    return test_result();
}
