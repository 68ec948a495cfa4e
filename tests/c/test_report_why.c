// The report on why a node is alive, and on the biggest retainers.
#include "asked.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

typedef struct heap {
    lg_graph *graph;
    lg_analysis *analysis;
    uint32_t history;
    uint32_t loss;
    uint32_t shared;
    uint32_t native;
    uint32_t child;
    uint32_t words;
    uint32_t buffer;
} heap;

// train.history[0] is a loss; a global, a cache and a local hold a session;
// native code holds an array; a family is garbage.
static heap
make_heap(void)
{
    heap built;
    story made = story_begin();
    uint32_t train = story_module(&made, "train");
    built.history = story_add(&made, "list", NULL, 80);
    built.loss = story_add(&made, "torch.Tensor", NULL, 3 << 20);
    story_attribute(&made, train, "history", built.history);
    story_edge(&made, built.history, built.loss, LG_EDGE_INDEX, 0);
    built.shared = story_add(&made, "train.Session", NULL, 2 << 20);
    uint32_t cache = story_add(&made, "dict", NULL, 64);
    uint32_t key = story_add(&made, "str", "main", 50);
    story_attribute(&made, train, "session", built.shared);
    story_attribute(&made, train, "cache", cache);
    story_edge(&made, cache, built.shared, LG_EDGE_VALUE, key);
    uint32_t frame = story_add(&made, "frame", "run() train.py:3", 400);
    story_local(&made, frame, "session", built.shared);
    made.flags = LG_NODE_SYNTHETIC;
    uint32_t thread = story_add(&made, "thread", "MainThread", 0);
    lg_builder_add_root(made.builder, thread, LG_ROOT_THREAD, "MainThread", 10);
    story_edge(&made, thread, frame, LG_EDGE_FRAME, 0);
    made.flags = LG_NODE_TRACKED;
    built.native = story_add(&made, "numpy.ndarray", NULL, 1 << 20);
    story_hold(&made, built.native, 1);
    uint32_t parent = story_add(&made, "train.Parent", NULL, 48);
    built.child = story_add(&made, "train.Child", NULL, 48);
    story_attribute(&made, parent, "child", built.child);
    story_attribute(&made, built.child, "parent", parent);
    built.buffer = story_add(&made, "bytearray", NULL, 4 << 20);
    story_attribute(&made, built.child, "buffer", built.buffer);
    built.words = story_add(&made, "list", NULL, 64);
    story_hold(&made, built.words, 0);
    built.graph = story_end(&made);
    built.analysis = analysed(built.graph);
    return built;
}

static void
free_heap(heap *built)
{
    lg_analysis_free(built->analysis);
    lg_graph_free(built->graph);
}

static void
expect(const heap *built, uint32_t node, const char *note, const char *expected)
{
    lg_text text = {0};
    REQUIRE(why_report(built->analysis, &node, 1, note, LG_FORMAT_TEXT,
                       &text) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

// The merged paths come first, also for one object.
static void
expect_json(const heap *built, uint32_t node, const char *note,
            const char *expected)
{
    lg_text text = {0};
    REQUIRE(why_report(built->analysis, &node, 1, note, LG_FORMAT_JSON,
                       &text) == LG_OK);
    CHECK(!strncmp(text.data, "{\"paths\": {\"objects\": 1, ", 25));
    const char *biggest = strstr(text.data, "]}, \"biggest\": ");
    CHECK(biggest != NULL && !strcmp(biggest + 15, expected));
    lg_text_free(&text);
}

static void
alive(void)
{
    heap built = make_heap();
    expect(&built, built.loss, NULL,
           "Tensor · torch.Tensor #2  retains 3.00 MiB\n"
           "\n"
           "┬───\n"
           "│ GC root: an imported module (sys.modules)\n"
           "│\n"
           "├─ module train #0  retains 3.00 MiB\n"
           "│    ↓ .history\n"
           "│      ~~~~~~~~\n"
           "├─ list of 1 #1  retains 3.00 MiB\n"
           "│    ↓ [0]\n"
           "│      ~~~\n"
           "╰→ Tensor · torch.Tensor #2  retains 3.00 MiB\n"
           "\n"
           "Cut any one of the references underlined with ~~~ to free it.\n"
           "Every path to it goes through list of 1 #1, which "
           "retains 3.00 MiB.\n");
    expect(&built, built.shared, "allocated at train.py:2",
           "Session · train.Session #3  retains 2.00 MiB\n"
           "allocated at train.py:2\n"
           "\n"
           "┬───\n"
           "│ GC root: an imported module (sys.modules)\n"
           "│\n"
           "├─ module train #0  retains 3.00 MiB\n"
           "│    ↓ .session\n"
           "╰→ Session · train.Session #3  retains 2.00 MiB\n"
           "\n"
           "To free it, cut each of these 3 references:\n"
           "  1. train.session\n"
           "  2. train.cache['main']\n"
           "  3. thread MainThread in run() train.py:3 local session\n");
    expect(&built, built.native, NULL,
           "ndarray · numpy.ndarray #8  retains 1.00 MiB\n"
           "\n"
           "┬───\n"
           "│ GC root: native code\n"
           "│\n"
           "╰→ ndarray · numpy.ndarray #8  retains 1.00 MiB\n"
           "     held by native code (1 reference leakgraph cannot see)\n"
           "\n"
           "Only native code keeps it: an extension module, or a part of "
           "the interpreter that leakgraph does not read.\n");
    expect_json(
        &built, built.loss, "a note",
        "{\"node\": 2, \"type\": \"torch.Tensor\", \"title\": \"Tensor\", "
        "\"reachable\": true, \"retained\": {\"host\": 3145728}, "
        "\"spent\": 3145744, \"unseen\": 0, \"dominator\": 1, \"note\": \"a "
        "note\", "
        "\"root\": {\"kind\": \"module\", \"name\": \"train\", "
        "\"node\": 0}, "
        "\"path\": [{\"source\": 0, \"target\": 1, \"label\": "
        "\".history\"}, {\"source\": 1, \"target\": 2, \"label\": "
        "\"[0]\"}], "
        "\"frees\": [0, 1], "
        "\"cuts\": [\n"
        "  {\"root\": null, \"from\": 1, \"hops\": [{\"source\": 1, "
        "\"target\": 2, \"label\": \"[0]\"}], \"cut\": 0}\n], "
        "\"cut_count\": 1, \"kept\": null, "
        "\"findings\": []}}\n");
    free_heap(&built);
}

static void
garbage(void)
{
    heap built = make_heap();
    expect(
        &built, built.child, NULL,
        "Child · train.Child #10  retains 4.00 MiB\n"
        "\n"
        "No root reaches it: it is garbage. The next gc.collect() frees "
        "it.\n"
        "\n"
        "It is part of a cycle: 2 objects refer to each other and retain 4.00 "
        "MiB\n"
        "  Parent.child -> Child.parent -> back to Parent\n"
        "                       ~~~~~~~\n");
    expect(&built, built.buffer, NULL,
           "bytearray #11  retains 4.00 MiB\n"
           "\n"
           "No root reaches it: it is garbage. The next gc.collect() frees "
           "it.\n"
           "Every path to it goes through Child #10, which retains "
           "4.00 MiB.\n"
           "\n"
           "It goes with Child #10, which is part of a cycle: 2 objects "
           "refer to each other and retain 4.00 MiB\n"
           "  Parent.child -> Child.parent -> back to Parent\n"
           "                       ~~~~~~~\n");
    expect(&built, built.words, NULL,
           "list of 0 #12  retains 64 B\n"
           "\n"
           "No root reaches it: it is garbage. The next gc.collect() frees "
           "it.\n");
    expect_json(
        &built, built.child, NULL,
        "{\"node\": 10, \"type\": \"train.Child\", \"title\": \"Child\", "
        "\"reachable\": false, \"retained\": {\"host\": 4194400}, "
        "\"spent\": 4194416, \"unseen\": 0, \"dominator\": null, "
        "\"collectable\": true, "
        "\"cycle\": [{\"source\": 9, \"target\": 10, \"label\": "
        "\".child\"}, {\"source\": 10, \"target\": 9, \"label\": "
        "\".parent\"}], "
        "\"findings\": []}}\n");
    free_heap(&built);
}

static void
expect_top(const heap *built, lg_group group, lg_format format,
           const char *expected)
{
    lg_text text = {0};
    REQUIRE(top_report(built->analysis, &TOP_OPTIONS(group, LG_NONE, 3), format,
                       &text, NULL) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

static void
top(void)
{
    heap built = make_heap();
    expect_top(&built, LG_GROUP_OBJECT, LG_FORMAT_TEXT,
               "    retained    share  object                             held "
               "by\n"
               "    4.00 MiB   40.0 %  bytearray #11                      "
               "garbage: Child.buffer\n"
               "    3.00 MiB   30.0 %  Tensor #2                          "
               "train.history[0]\n"
               "    2.00 MiB   20.0 %  Session #3                         "
               "train.session\n"
               "    1.00 MiB   10.0 %  everything else (4 more objects)\n"
               "\n"
               "each byte counted once; total 10.0 "
               "MiB, of which garbage is 4.00 MiB\n");
    expect_top(&built, LG_GROUP_TYPE, LG_FORMAT_TEXT,
               "    retained    share     objects  type\n"
               "    4.00 MiB   40.0 %           1  train.Child\n"
               "    4.00 MiB   40.0 %           1  bytearray\n"
               "    3.00 MiB   30.0 %           1  module\n"
               "\n"
               "freed with all objects of the group; total 10.0 MiB, of "
               "which garbage is 4.00 MiB\n");
    expect_top(&built, LG_GROUP_MODULE, LG_FORMAT_TEXT,
               "    retained    share     objects  module of the type\n"
               "    9.00 MiB   90.0 %           8  builtins\n"
               "    6.00 MiB   60.0 %           3  train\n"
               "    3.00 MiB   30.0 %           1  torch\n"
               "\n"
               "freed with all objects of the group; total 10.0 MiB, of "
               "which garbage is 4.00 MiB\n");
    free_heap(&built);
}

// A row has the same members, whatever it is a row of.
static void
top_as_json(void)
{
    heap built = make_heap();
    expect_top(
        &built, LG_GROUP_OBJECT, LG_FORMAT_JSON,
        "{\"group\": \"object\", \"reachable\": {\"host\": 6292072}, "
        "\"garbage\": {\"host\": 4194514}, \"spent\": 10486704, "
        "\"libraries\": {\"host\": 0}, \"more\": {\"host\": 1049402}, "
        "\"rows\": [\n"
        "  {\"retained\": {\"host\": 4194304}, \"spent\": 4194320, "
        "\"share\": 0.39996849308249605, \"size\": "
        "{\"host\": 4194304}, \"node\": 11, \"type\": \"bytearray\", "
        "\"title\": \"bytearray\", \"module\": \"builtins\", \"category\": "
        "\"array\", \"refcount\": 1, \"by\": null, \"count\": 1, "
        "\"held_by\": \"garbage: "
        "Child.buffer\", \"parts\": []},\n"
        "  {\"retained\": {\"host\": 3145728}, \"spent\": 3145744, "
        "\"share\": 0.29997636981187203, \"size\": "
        "{\"host\": 3145728}, \"node\": 2, \"type\": \"torch.Tensor\", "
        "\"title\": \"Tensor\", \"module\": \"torch\", \"category\": "
        "\"tensor\", \"refcount\": 1, \"by\": null, \"count\": 1, "
        "\"held_by\": "
        "\"train.history[0]\", \"parts\": []},\n"
        "  {\"retained\": {\"host\": 2097152}, \"spent\": 2097168, "
        "\"share\": 0.19998424654124802, \"size\": "
        "{\"host\": 2097152}, \"node\": 3, \"type\": \"train.Session\", "
        "\"title\": \"Session\", \"module\": \"train\", \"category\": "
        "\"object\", \"refcount\": 3, \"by\": null, \"count\": 1, "
        "\"held_by\": "
        "\"train.session\", \"parts\": []}\n"
        "]}\n");
    expect_top(&built, LG_GROUP_TYPE, LG_FORMAT_JSON,
               "{\"group\": \"type\", \"reachable\": {\"host\": 6292072}, "
               "\"garbage\": {\"host\": 4194514}, \"spent\": 10486704, "
               "\"libraries\": null, "
               "\"more\": null, \"rows\": [\n"
               "  {\"retained\": {\"host\": 4194400}, \"spent\": 4194416, "
               "\"share\": 0.39997764763479743, "
               "\"size\": {\"host\": 48}, "
               "\"node\": null, \"type\": \"train.Child\", \"title\": null, "
               "\"module\": \"train\", \"category\": \"object\", "
               "\"refcount\": null, \"by\": null, \"count\": 1, \"held_by\": "
               "null, \"parts\": []},\n"
               "  {\"retained\": {\"host\": 4194304}, \"spent\": 4194320, "
               "\"share\": 0.39996849308249605, "
               "\"size\": {\"host\": 4194304}, "
               "\"node\": null, \"type\": \"bytearray\", \"title\": null, "
               "\"module\": \"builtins\", \"category\": \"array\", "
               "\"refcount\": null, \"by\": null, \"count\": 1, \"held_by\": "
               "null, \"parts\": []},\n"
               "  {\"retained\": {\"host\": 3145944}, \"spent\": 3145984, "
               "\"share\": 0.2999969675545502, "
               "\"size\": {\"host\": 72}, "
               "\"node\": null, \"type\": \"module\", \"title\": null, "
               "\"module\": \"builtins\", \"category\": \"module\", "
               "\"refcount\": null, \"by\": null, \"count\": 1, \"held_by\": "
               "null, \"parts\": []}\n"
               "]}\n");
    free_heap(&built);
}

static void
expect_tree(const lg_analysis *analysis, const lg_node *node, double share,
            lg_format format, const char *expected)
{
    lg_text text = {0};
    REQUIRE(lg_report_dominators(analysis, &TREE(node, share), format, &text,
                                 NULL) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

static void
dominators(void)
{
    heap built = make_heap();
    lg_text text = {0};
    lg_error err;
    expect_tree(built.analysis, NULL, 0.01, LG_FORMAT_TEXT,
                "    retained    share  object\n"
                "    6.00 MiB   60.0 %  everything that the roots reach\n"
                "    3.00 MiB   30.0 %  ├─ module train #0\n"
                "    3.00 MiB   30.0 %  │  └─ .history  list of 1 #1\n"
                "    3.00 MiB   30.0 %  │     └─ [0]  Tensor #2\n"
                "    2.00 MiB   20.0 %  ├─ Session #3\n"
                "    1.00 MiB   10.0 %  └─ ndarray #8\n"
                "    4.00 MiB   40.0 %  garbage\n"
                "    4.00 MiB   40.0 %  └─ Child #10: a cycle of 2 objects\n"
                "    4.00 MiB   40.0 %     └─ .buffer  bytearray #11\n"
                "\n"
                "each object shows what is freed with it; objects that retain "
                "less than "
                "1.0 % are left out\n");
    expect_tree(built.analysis, &built.history, 0.5, LG_FORMAT_TEXT,
                "    retained    share  object\n"
                "    3.00 MiB  100.0 %  list of 1 #1\n"
                "    3.00 MiB  100.0 %  └─ [0]  Tensor #2\n"
                "\n"
                "each object shows what is freed with it; objects that retain "
                "less than "
                "50.0 % are left out\n");
    expect_tree(
        built.analysis, &built.history, 0.5, LG_FORMAT_JSON,
        "{\"left_out\": 0, \"reachable\": {\"host\": 6292072}, "
        "\"garbage\": {\"host\": 4194514}, \"rows\": [\n"
        "  {\"node\": 1, \"count\": 1, \"type\": \"list\", \"title\": \"list "
        "of 1\", "
        "\"depth\": 0, \"dominator\": null, \"label\": null, \"retained\": "
        "{\"host\": 3145808}},\n"
        "  {\"node\": 2, \"count\": 1, \"type\": \"torch.Tensor\", \"title\": "
        "\"Tensor\", \"depth\": 1, \"dominator\": 1, \"label\": \"[0]\", "
        "\"retained\": {\"host\": 3145728}}\n"
        "]}\n");
    CHECK(lg_report_dominators(built.analysis, &TREE(&(lg_node){99}, 0),
                               LG_FORMAT_TEXT, &text, &err) == LG_EINVAL);
    CHECK(lg_report_dominators(built.analysis, &TREE(NULL, 2), LG_FORMAT_TEXT,
                               &text, &err) == LG_EINVAL);
    lg_why why;
    CHECK(lg_node_why(built.analysis, 99, NULL, &why, &err) == LG_EINVAL);
    free_heap(&built);
}

// Without a GIL a class may be immortal; it then keeps its cache forever.
static void
kept_by_a_class(void)
{
    heap built = {0};
    story made = story_begin();
    made.flags = LG_NODE_IMMORTAL;
    uint32_t class = story_add(&made, "type", "app.Model", 900);
    made.flags = LG_NODE_TRACKED;
    built.child = story_add(&made, "app.Model", NULL, 48);
    story_attribute(&made, class, "cache", built.child);
    built.graph = story_end(&made);
    built.analysis = analysed(built.graph);
    expect(&built, built.child, NULL,
           "Model · app.Model #1  retains 48 B\n"
           "\n"
           "No root reaches it: it is garbage. gc.collect() cannot free it: "
           "the collector does not track class Model #0, which is "
           "immortal.\n"
           "Every path to it goes through class app.Model #0, which "
           "retains 948 B.\n");
    free_heap(&built);
}

// For several objects the report shows their merged paths, then the biggest.
static void
several(void)
{
    heap built = make_heap();
    const uint32_t nodes[] = {built.words, built.loss, built.shared};
    const char *const words[] = {
        "3 objects retain 5.00 MiB together",
        "│  └─ [0]  Tensor · torch.Tensor #2\n",
        "\nThe one that retains the most:\n\nTensor · torch.Tensor #2",
        "│    ↓ .history\n",
    };
    lg_text text = {0};
    REQUIRE(why_report(built.analysis, nodes, 3, NULL, LG_FORMAT_TEXT, &text) ==
            LG_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        CHECK(strstr(text.data, words[i]) != NULL);
    CHECK(lg_nodes_biggest(built.analysis, nodes, 3) == built.loss);
    CHECK(lg_nodes_biggest(built.analysis, nodes, 0) == LG_NONE);
    CHECK(why_report(built.analysis, nodes, 0, NULL, LG_FORMAT_TEXT, &text) ==
          LG_EINVAL);
    lg_text_free(&text);
    free_heap(&built);
}

SUITE(report_why)
{
    RUN(alive);
    RUN(several);
    RUN(garbage);
    RUN(kept_by_a_class);
    RUN(top);
    RUN(top_as_json);
    RUN(dominators);
    return test_result();
}
