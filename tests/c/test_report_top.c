// The biggest retainers and the dominator tree: cycles of garbage, and chains.
#include "asked.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

// A cycle of garbage is one row. Below it are the objects that its members
// share, and a cycle that only this one refers to.
static void
garbage_cycles(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t pair[2];
    uint32_t kept[2];
    uint32_t shared = story_add(&made, "bytearray", NULL, 1 << 20);
    for (uint32_t i = 0; i < 2; i++)
        kept[i] = story_add(&made, "app.Kept", NULL, 512 << 10);
    for (uint32_t i = 0; i < 2; i++) {
        pair[i] = story_add(&made, i ? "app.Right" : "app.Left", NULL, 48);
        story_attribute(&made, pair[i], "shared", shared);
        story_attribute(&made, pair[i], "kept", kept[i]);
        story_attribute(&made, kept[i], "other", kept[1 - i]);
    }
    story_attribute(&made, pair[0], "other", pair[1]);
    story_attribute(&made, pair[1], "other", pair[0]);
    story_attribute(&made, app, "small", story_add(&made, "list", NULL, 56));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    REQUIRE(lg_report_dominators(analysis, &TREE(NULL, 0.1), LG_FORMAT_TEXT,
                                 &text, NULL) == LG_OK);
    CHECK_TEXT(text,
               "    retained    share  object\n"
               "       128 B    0.0 %  everything that the roots reach\n"
               "    2.00 MiB  100.0 %  garbage\n"
               "    2.00 MiB  100.0 %  └─ Left #4: a cycle of 2 objects\n"
               "    1.00 MiB   50.0 %     ├─ .shared  bytearray #1\n"
               "    1.00 MiB   50.0 %     └─ .kept  Kept #2: a cycle of 2 "
               "objects\n"
               "\n"
               "each object shows what is freed with it; objects that retain "
               "less than "
               "10.0 % are left out\n");
    lg_text_free(&text);
    REQUIRE(top_report(analysis, &TOP_OPTIONS(LG_GROUP_OBJECT, LG_NONE, 9),
                       LG_FORMAT_TEXT, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "2.00 MiB  100.0 %  Left #4 ") != NULL);
    CHECK(strstr(text.data, " garbage: a cycle of 2 objects\n") != NULL);
    CHECK(strstr(text.data, "Right") == NULL);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A familiar object represents a component: the figure that its parts refer to,
// or an object of a user's class.
static void
stands_for_it(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t part[4];
    uint32_t tick = story_add(&made, "matplotlib.ticker.AutoLocator", NULL, 64);
    uint32_t canvas =
        story_add(&made, "matplotlib.backend_bases.FigureCanvasBase", NULL, 99);
    uint32_t figure = story_add(&made, "matplotlib.figure.Figure", NULL, 48);
    for (uint32_t i = 0; i < 4; i++) {
        part[i] = story_add(&made, "matplotlib.text.Text", NULL, 48);
        story_attribute(&made, part[i], "figure", figure);
        story_attribute(&made, tick, "x", part[i]);
    }
    story_attribute(&made, canvas, "figure", figure);
    story_attribute(&made, figure, "canvas", canvas);
    story_attribute(&made, figure, "ticker", tick);
    uint32_t layer =
        story_add(&made, "torch.nn.modules.linear.Linear", NULL, 900);
    uint32_t block = story_add(&made, "app.Block", NULL, 48);
    story_attribute(&made, layer, "hook", block);
    story_attribute(&made, block, "layer", layer);
    story_attribute(&made, app, "small", story_add(&made, "list", NULL, 56));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    REQUIRE(top_report(analysis, &TOP_OPTIONS(LG_GROUP_OBJECT, LG_NONE, 2),
                       LG_FORMAT_TEXT, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "  Block #9 ") != NULL);
    CHECK(strstr(text.data, "  Figure #3 ") != NULL);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// With any number of rows, each row gives the path of its object.
static void
many_rows(void)
{
    enum { ROWS = 40 };
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    for (uint32_t i = 0; i < ROWS; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%02u", i);
        story_attribute(&made, app, name,
                        story_add(&made, "bytearray", NULL, 4096 - i));
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    REQUIRE(top_report(analysis, &TOP_OPTIONS(LG_GROUP_OBJECT, LG_NONE, ROWS),
                       LG_FORMAT_TEXT, &text, NULL) == LG_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        char row[40];
        snprintf(row, sizeof row, " app.n%02u\n", i);
        CHECK(strstr(text.data, row) != NULL);
    }
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Objects of a type that are too small for rows of their own have one together:
// those of a list at `[*]`, those of attributes and of two lists without a
// label.
static void
several_small(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t lists[3];
    for (uint32_t i = 0; i < 3; i++) {
        lists[i] = story_add(&made, "list", NULL, 0);
        story_attribute(&made, app, i ? i > 1 ? "old" : "new" : "all",
                        lists[i]);
    }
    for (uint32_t i = 0; i < 100; i++) {
        char name[] = {'a', (char)('0' + i / 10), (char)('0' + i % 10), '\0'};
        story_attribute(&made, app, name,
                        story_add(&made, "bytes", NULL, 1024));
    }
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t session = story_add(&made, "app.Session", NULL, 4096);
        uint32_t call = story_add(&made, "app.Call", NULL, 2048);
        story_edge(&made, lists[0], call, LG_EDGE_INDEX, i);
        story_edge(&made, lists[1], session, LG_EDGE_INDEX, i);
        story_edge(&made, lists[2], session, LG_EDGE_INDEX, i);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    CHECK(lg_report_dominators(analysis, &TREE(NULL, 0.01), LG_FORMAT_TEXT,
                               &text, NULL) == LG_OK);
    CHECK_TEXT(text,
               "    retained    share  object\n"
               "    5.96 MiB  100.0 %  everything that the roots reach\n"
               "    5.96 MiB  100.0 %  └─ module app #0\n"
               "    3.91 MiB   65.6 %     ├─ 1,000 x Session #104\n"
               "    1.95 MiB   32.8 %     ├─ .all  list of 1,000 #1\n"
               "    1.95 MiB   32.8 %     │  └─ [*]  1,000 x Call #105\n"
               "     100 KiB    1.6 %     └─ 100 x bytes #4\n"
               "\n"
               "each object shows what is freed with it; objects that retain "
               "less than 1.0 % are left out; objects of one type that are "
               "small, or like one before, have a row together\n");
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A report on a chain of a million dominators does not recurse and stays short.
static void
deep(void)
{
    enum { NODES = 1000000 };
    lg_builder *builder;
    lg_graph *graph = NULL;
    lg_text text = {0};
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < NODES; i++) {
        lg_builder_add_node(builder, 4096 + 16 * (uint64_t)i);
        lg_builder_set_size(builder, i, 10);
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, i + 1 < NODES ? i + 1 : LG_NONE,
                            LG_EDGE_INDEX, 0);
    }
    lg_builder_add_root(builder, 0, LG_ROOT_THREAD, "main", 4);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    lg_analysis *analysis = analysed(graph);
    CHECK(lg_report_dominators(analysis, &TREE(NULL, 0.01), LG_FORMAT_TEXT,
                               &text, NULL) == LG_OK);
    CHECK(text.length < 10000);
    CHECK(top_report(analysis, &TOP_OPTIONS(LG_GROUP_OBJECT, LG_NONE, 2),
                     LG_FORMAT_TEXT, &text, NULL) == LG_OK);
    CHECK(top_report(analysis, &TOP_OPTIONS(LG_GROUP_TYPE, LG_NONE, 2),
                     LG_FORMAT_TEXT, &text, NULL) == LG_OK);
    CHECK(why_report(analysis, &(uint32_t){NODES - 1}, 1, NULL, LG_FORMAT_TEXT,
                     &text) == LG_OK);
    CHECK(text.length < 20000);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
expect_top(const lg_analysis *analysis, lg_group group, uint32_t device,
           const char *expected)
{
    lg_text text = {0};
    REQUIRE(top_report(analysis, &TOP_OPTIONS(group, device, 9), LG_FORMAT_TEXT,
                       &text, NULL) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

// Two batches on one device, and a big one on the other, which uses few bytes
// of the host. In a ranking by device, each row has bytes there.
static void
devices(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t cpu = story_add(&made, "bytearray", NULL, 4 << 20);
    story_attribute(&made, app, "cpu", cpu);
    for (uint32_t i = 0; i < 2; i++)
        CHECK(lg_builder_add_device(made.builder, i ? "cuda:1" : "cuda:0") ==
              i + 1);
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const names[] = {"a", "b", "big"};
        uint32_t batch = story_add(&made, "app.Batch", NULL, 64);
        uint32_t memory = story_add(&made, "cuda.memory", NULL,
                                    (uint64_t)(i == 2 ? 9 : 1 + i) << 30);
        lg_builder_set_device(made.builder, memory, i == 2 ? 2 : 1);
        story_attribute(&made, app, names[i], batch);
        story_attribute(&made, batch, "memory", memory);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    expect_top(
        analysis, LG_GROUP_OBJECT, 1,
        "                       retained    share  object                     "
        "        held by\n"
        "                2.00 GiB cuda:0   66.7 %  memory #5                  "
        "        app.b.memory\n"
        "                1.00 GiB cuda:0   33.3 %  memory #3                  "
        "        app.a.memory\n"
        "9.00 GiB cuda:1 · 4.00 MiB host    0.0 %  everything else\n"
        "\n"
        "each byte counted once; total 3.00 GiB "
        "cuda:0 · 9.00 GiB cuda:1 · 4.00 MiB host\n");
    expect_top(analysis, LG_GROUP_TYPE, 2,
               "                                         retained    share     "
               "objects  "
               "type\n"
               "   3.00 GiB cuda:0 · 9.00 GiB cuda:1 · 192 B host  100.0 %     "
               "      3  "
               "app.Batch\n"
               "                3.00 GiB cuda:0 · 9.00 GiB cuda:1  100.0 %     "
               "      3  "
               "cuda.memory\n"
               "3.00 GiB cuda:0 · 9.00 GiB cuda:1 · 4.00 MiB host  100.0 %     "
               "      1  "
               "module\n"
               "\n"
               "freed with all objects of the group; total 3.00 GiB "
               "cuda:0 · 9.00 "
               "GiB cuda:1 · 4.00 MiB host\n");
    lg_text text = {0};
    CHECK(top_report(analysis, &TOP_OPTIONS(LG_GROUP_TYPE, 3, 9),
                     LG_FORMAT_TEXT, &text, NULL) == LG_EINVAL);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// The object in the first row for a heap in which a holder of type `holder`
// retains 1,000,000 bytes in data of `sizes`.
static void
expect_first(const char *holder, const uint32_t *sizes, size_t count,
             const char *expected)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t rest = 1000000;
    for (size_t i = 0; i < count; i++)
        rest -= sizes[i];
    uint32_t first = story_add(&made, holder, NULL, rest);
    story_attribute(&made, app, "first", first);
    for (size_t i = 0; i < count; i++)
        story_attribute(&made, first, i ? "other" : "data",
                        story_add(&made, "app.Data", NULL, sizes[i]));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    REQUIRE(top_report(analysis, &TOP_OPTIONS(LG_GROUP_OBJECT, LG_NONE, 1),
                       LG_FORMAT_JSON, &text, NULL) == LG_OK);
    if (strstr(text.data, expected) == NULL)
        CHECK_TEXT(text, expected);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// An object that passes 80 % on to one other object is not where bytes gather.
static void
passed_on(void)
{
    const uint32_t less[] = {799999};
    const uint32_t enough[] = {800000};
    const uint32_t spread[] = {400000, 399999, 200000};
    expect_first("app.Holder", less, 1, "\"type\": \"app.Holder\"");
    expect_first("app.Holder", enough, 1, "\"type\": \"app.Data\"");
    expect_first("app.Holder", spread, 3, "\"type\": \"app.Holder\"");
}

// Modules, threads and frames do not exist to keep data, so their contents have
// rows. A frame that waits in a generator, coroutine or task belongs to that
// object.
static void
places(void)
{
    static const struct {
        const char *type;
        bool place;
    } cases[] = {
        {"module", true},         {"thread", true},
        {"interpreter", true},    {"frame", true},
        {"traceback", true},      {"generator", false},
        {"coroutine", false},     {"async_generator", false},
        {"_asyncio.Task", false}, {"asyncio.tasks.Task", false},
        {"list", false},
    };
    const uint32_t sizes[] = {400000, 400000};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[40];
        snprintf(expected, sizeof expected, "\"type\": \"%s\"",
                 cases[i].place ? "app.Data" : cases[i].type);
        expect_first(cases[i].type, sizes, 2, expected);
    }
}

SUITE(report_top)
{
    RUN(devices);
    RUN(garbage_cycles);
    RUN(several_small);
    RUN(deep);
    RUN(many_rows);
    RUN(passed_on);
    RUN(places);
    RUN(stands_for_it);
    return test_result();
}
