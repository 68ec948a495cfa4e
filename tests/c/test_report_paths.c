// Merged paths, compared word for word.
#include "asked.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/merged_paths.h>

typedef struct heap {
    lg_graph *graph;
    lg_analysis *analysis;
    uint32_t jobs[12];
    size_t count;
} heap;

// app.queue holds five jobs, app.by_name two and app.last one; native code
// holds two; two more are garbage and keep each other.
static heap
make_heap(void)
{
    heap built = {.count = 12};
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t queue = story_add(&made, "list", NULL, 80);
    uint32_t table = story_add(&made, "dict", NULL, 80);
    story_attribute(&made, app, "queue", queue);
    story_attribute(&made, app, "by_name", table);
    for (uint32_t i = 0; i < 12; i++)
        built.jobs[i] = story_add(&made, "app.Job", NULL, 1024 * (i + 1));
    for (uint32_t i = 0; i < 5; i++)
        story_edge(&made, queue, built.jobs[i], LG_EDGE_INDEX, i);
    uint32_t key = story_add(&made, "str", "first", 50);
    story_edge(&made, table, built.jobs[5], LG_EDGE_VALUE, key);
    story_edge(&made, table, built.jobs[6], LG_EDGE_VALUE, built.jobs[0]);
    story_attribute(&made, app, "last", built.jobs[7]);
    story_hold(&made, built.jobs[8], 1);
    story_hold(&made, built.jobs[9], 1);
    story_attribute(&made, built.jobs[10], "peer", built.jobs[11]);
    story_attribute(&made, built.jobs[11], "peer", built.jobs[10]);
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
expect(const heap *built, size_t first, size_t count, size_t limit,
       lg_format format, const char *expected)
{
    lg_text text = {0};
    REQUIRE(paths_report(built->analysis, built->jobs + first, count, limit,
                         format, &text) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

static void
whole(void)
{
    heap built = make_heap();
    expect(
        &built, 0, built.count, 0, LG_FORMAT_TEXT,
        "12 objects retain 78.0 KiB together; no root reaches 2, which are "
        "garbage\n"
        "\n"
        "    retained   objects  how the roots reach them\n"
        "    36.0 KiB         8  module app #0\n"
        "    15.0 KiB         5  ├─ .queue  list of 5 #1\n"
        "    15.0 KiB         5  │  └─ [*]  5 app.Job\n"
        "    13.0 KiB         2  ├─ .by_name  dict of 2 #2\n"
        "    13.0 KiB         2  │  └─ [*]  2 app.Job\n"
        "    8.00 KiB         1  └─ .last  Job · app.Job #10\n"
        "    19.0 KiB         2  native code: 2 app.Job\n"
        "\n"
        "each branch shows what its objects retain, each byte counted once\n");
    expect(
        &built, 5, 1, 0, LG_FORMAT_TEXT,
        "1 object retains 6.00 KiB\n"
        "\n"
        "    retained   objects  how the roots reach them\n"
        "    6.00 KiB         1  module app #0\n"
        "    6.00 KiB         1  └─ .by_name  dict of 2 #2\n"
        "    6.00 KiB         1     └─ ['first']  Job · app.Job #8\n"
        "\n"
        "each branch shows what its objects retain, each byte counted once\n");
    free_heap(&built);
}

static void
garbage(void)
{
    heap built = make_heap();
    expect(&built, 10, 2, 0, LG_FORMAT_TEXT,
           "2 objects retain 23.0 KiB together; no root reaches any of them, "
           "which are garbage\n");
    expect(&built, 11, 1, 0, LG_FORMAT_TEXT,
           "1 object retains 23.0 KiB; no root reaches it, which is garbage\n");
    expect(&built, 0, 0, 0, LG_FORMAT_TEXT, "0 objects retain 0 B\n");
    free_heap(&built);
}

// One line replaces the rest of a branch, unless the rest itself is one line.
static void
folded(void)
{
    heap built = make_heap();
    expect(
        &built, 0, 10, 3, LG_FORMAT_TEXT,
        "10 objects retain 55.0 KiB together\n"
        "\n"
        "    retained   objects  how the roots reach them\n"
        "    36.0 KiB         8  module app #0\n"
        "    15.0 KiB         5  ├─ .queue  list of 5 #1\n"
        "    15.0 KiB         5  │  └─ [*]  5 app.Job\n"
        "    21.0 KiB         3  └─ 2 more\n"
        "    19.0 KiB         2  native code: 2 app.Job\n"
        "\n"
        "each branch shows what its objects retain, each byte counted once\n");
    expect(&built, 0, 10, 2, LG_FORMAT_JSON,
           "{\"objects\": 10, \"unreachable\": 0, \"retained\": {\"host\": "
           "56320}, \"rows\": [\n"
           "  {\"depth\": 0, \"label\": null, \"name\": \"module app\", "
           "\"node\": 0, \"count\": 1, \"objects\": 8, \"retained\": "
           "{\"host\": 36864}, \"kind\": \"objects\", \"parent\": null, "
           "\"root\": \"module\", \"type\": \"module\"},\n"
           "  {\"depth\": 1, \"label\": null, \"name\": \"3 more\", "
           "\"node\": null, \"count\": 3, \"objects\": 8, \"retained\": "
           "{\"host\": 36864}, \"kind\": \"rest\", \"parent\": 0, "
           "\"root\": null, \"type\": null},\n"
           "  {\"depth\": 0, \"label\": null, \"name\": \"2 app.Job\", "
           "\"node\": 11, \"count\": 2, \"objects\": 2, \"retained\": "
           "{\"host\": 19456}, \"kind\": \"objects\", \"parent\": null, "
           "\"root\": \"native\", \"type\": \"app.Job\"}\n"
           "]}\n");
    free_heap(&built);
}

// The report on a list of a million links does not list each link.
static void
deep(void)
{
    enum { NODES = 1000000 };
    lg_builder *builder;
    lg_graph *graph = NULL;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t type = lg_builder_add_type(builder, "Link", 4, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < NODES; i++) {
        lg_builder_add_node(builder, 4096 + 16 * (uint64_t)i);
        lg_builder_put_type(builder, i, type);
        lg_builder_set_size(builder, i, 10);
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, i + 1 < NODES ? i + 1 : LG_NONE,
                            LG_EDGE_INDEX, 0);
    }
    lg_builder_add_root(builder, 0, LG_ROOT_THREAD, "main", 4);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    heap built = {graph, analysed(graph), {NODES - 1, NODES - 3}, 2};
    for (int format = 0; format < 2; format++) {
        lg_text text = {0};
        REQUIRE(paths_report(built.analysis, built.jobs, 2, 20,
                             (lg_format)format, &text) == LG_OK);
        CHECK(text.length < 4000);
        CHECK(strstr(text.data, format == LG_FORMAT_JSON
                                    ? "\"count\": 999986, "
                                    : "999,986 references further on\n"));
        lg_text_free(&text);
    }
    free_heap(&built);
}

enum { ROWS_MOST = 256 };

typedef struct row {
    unsigned depth;
    unsigned parent;
    unsigned long long objects;
    unsigned long long bytes;
    unsigned node; // LG_NONE: the row for what is left out
} row;

static size_t
read_rows(const char *json, row *rows)
{
    size_t count = 0;
    for (const char *at = json; (at = strstr(at, "\n  {")) != NULL; at++) {
        row *to = &rows[count++];
        REQUIRE(count < ROWS_MOST);
        to->node = to->parent = LG_NONE;
        REQUIRE(sscanf(at, " {\"depth\": %u", &to->depth) == 1);
        REQUIRE(sscanf(strstr(at, "\"objects\": "),
                       "\"objects\": %llu, \"retained\": {\"host\": %llu}",
                       &to->objects, &to->bytes) == 2);
        sscanf(strstr(at, "\"node\": "), "\"node\": %u", &to->node);
        sscanf(strstr(at, "\"parent\": "), "\"parent\": %u", &to->parent);
    }
    return count;
}

static size_t
count_passed(const char *json)
{
    size_t sum = 0;
    unsigned count;
    for (const char *at = json; (at = strstr(at, "\"count\": ")) != NULL;
         at++) {
        const char *kind = strstr(at, "\"kind\": ");
        if (sscanf(at, "\"count\": %u", &count) == 1 &&
            strncmp(kind, "\"kind\": \"passed\"", 16) == 0)
            sum += count;
    }
    return sum;
}

static const lg_merged_row *
find_item(const lg_merged_paths *merged, uint32_t node)
{
    for (size_t i = 0; i < merged->count; i++)
        if (merged->rows[i].node == node)
            return &merged->rows[i];
    return NULL;
}

// Targets that end at the item itself.
static uint64_t
count_own(const lg_merged_paths *merged, const lg_merged_row *item)
{
    uint64_t own = item->targets;
    for (size_t i = 0; i < merged->count; i++)
        if (merged->rows[i].parent == (uint32_t)(item - merged->rows))
            own -= merged->rows[i].targets;
    return own;
}

// Each branch is in a row or is counted as left out; a row comes after its
// parent, and bigger siblings come first.
static void
check_rows(const lg_merged_paths *merged, const row *rows, size_t count,
           size_t passed, size_t limit)
{
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t below = 0;
        uint64_t last = UINT64_MAX;
        const lg_merged_row *item = find_item(merged, rows[i].node);
        shown += item != NULL;
        CHECK(rows[i].depth ==
              (rows[i].parent == LG_NONE ? 0 : rows[rows[i].parent].depth + 1));
        CHECK(rows[i].parent == LG_NONE || rows[i].parent < i);
        for (size_t j = i + 1; j < count; j++) {
            if (rows[j].parent != i)
                continue;
            below += rows[j].objects;
            CHECK(rows[j].node == LG_NONE || rows[j].bytes <= last);
            last = rows[j].bytes;
        }
        if (item == NULL)
            continue;
        CHECK(item->targets == rows[i].objects);
        CHECK(item->total == rows[i].bytes);
        CHECK(rows[i].objects == below + count_own(merged, item));
    }
    CHECK(shown >=
          (merged->count - passed < limit ? merged->count - passed : limit));
    CHECK(limit < 1000 || shown == count);
}

static void
check_random(uint64_t seed, size_t limit)
{
    row rows[ROWS_MOST];
    uint32_t targets[60];
    const lg_merged_options all = {.size = sizeof all};
    lg_merged_paths merged;
    lg_text text = {0};
    lg_graph *graph = draw_random(seed, 60);
    lg_analysis *analysis = analysed(graph);
    for (uint32_t i = 0; i < 60; i++)
        targets[i] = i;
    REQUIRE(lg_analysis_merged_paths(analysis, targets, 60, &all, NULL, &merged,
                                     NULL) == LG_OK);
    REQUIRE(paths_report(analysis, targets, 60, limit % 1000, LG_FORMAT_JSON,
                         &text) == LG_OK);
    check_rows(&merged, rows, read_rows(text.data, rows),
               count_passed(text.data), limit);
    lg_text_free(&text);
    lg_merged_paths_free(&merged);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
random_graphs(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_random(seed, 1 + seed % 30);
        check_random(seed, 1000);
    }
}

SUITE(report_paths)
{
    RUN(random_graphs);
    RUN(whole);
    RUN(garbage);
    RUN(folded);
    RUN(deep);
    return test_result();
}
