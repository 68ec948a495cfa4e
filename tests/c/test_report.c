// Reports, compared word for word.
#include "asked.h"
#include "sample.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/report.h>

static lg_graph *graph;

static void
info(void)
{
    lg_text text = {0};
    CHECK(lg_report_info(graph, LG_FORMAT_TEXT, &text, NULL) == LG_OK);
    CHECK_TEXT(text, "objects           31\n"
                     "references        33\n"
                     "types             19\n"
                     "roots             3\n"
                     "held natively     1\n"
                     "shallow size      8.00 GiB\n"
                     "\n"
                     "python            3.11.7\n"
                     "keys              yes\n"
                     "pid               4321\n"
                     "partial           no\n");
    lg_text_free(&text);
    CHECK(lg_report_info(graph, LG_FORMAT_JSON, &text, NULL) == LG_OK);
    CHECK_TEXT(text,
               "{\"objects\": 31, \"references\": 33, \"types\": 19, "
               "\"roots\": 3, \"native_roots\": 1, "
               "\"shallow_size\": {\"host\": 8589936468}, \"partial\": false, "
               "\"info\": {\"python\": \"3.11.7\", \"keys\": \"yes\", "
               "\"pid\": \"4321\", \"partial\": \"no\"}}\n");
    lg_text_free(&text);
}

// What gc.freeze() froze has a line of its own.
static void
info_of_frozen(void)
{
    lg_text text = {0};
    lg_graph *heap = NULL;
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < 3; i++) {
        lg_builder_add_node(builder, 64 + 64 * (uint64_t)i);
        lg_builder_set_size(builder, i, 100);
        builder->node_flags[i] = i > 0 ? LG_NODE_FROZEN : 0;
    }
    REQUIRE(lg_builder_finish(builder, &heap, NULL) == LG_OK);
    CHECK(lg_report_info(heap, LG_FORMAT_TEXT, &text, NULL) == LG_OK);
    CHECK(strstr(text.data, "frozen            2 objects, 200 B\n") != NULL);
    lg_text_free(&text);
    lg_graph_free(heap);
}

static void
types(void)
{
    lg_text text = {0};
    CHECK(question_report("types", graph, NULL, "by=count limit=2",
                          LG_FORMAT_TEXT, &text) == LG_OK);
    CHECK_TEXT(text, "     objects        size  type\n"
                     "           6       360 B  str\n"
                     "           4       238 B  dict\n"
                     "                          ... and 15 more types\n"
                     "          31    8.00 GiB  total\n");
    lg_text_free(&text);
    CHECK(question_report("types", graph, NULL, "by=type limit=2",
                          LG_FORMAT_JSON, &text) == LG_OK);
    CHECK_TEXT(text, "{\"types\": 17, \"objects\": 31, "
                     "\"size\": {\"host\": 8589936468}, \"spent\": "
                     "8589936752, \"rows\": [\n"
                     "  {\"count\": 1, \"size\": {\"host\": 69}, \"spent\": "
                     "80, \"type\": \"cell\"},\n"
                     "  {\"count\": 1, \"size\": {\"host\": 64}, \"spent\": "
                     "64, \"type\": \"code\"}\n"
                     "]}\n");
    lg_text_free(&text);
}

static void
sorted_rows(void)
{
    lg_types types;
    REQUIRE(lg_graph_types(graph, NULL, &types, NULL) == LG_OK);
    CHECK(types.count == 17 && types.rows[0].bytes == (uint64_t)8 << 30);
    for (size_t i = 1; i < types.count; i++)
        CHECK(types.rows[i].bytes <= types.rows[i - 1].bytes &&
              types.rows[i].count > 0);
    lg_types_free(&types);
    const lg_node two[] = {6, 6};
    const lg_type_options few = {
        .size = sizeof few, .nodes = two, .node_count = 2};
    REQUIRE(lg_graph_types(graph, &few, &types, NULL) == LG_OK);
    CHECK(types.count == 1 && types.objects == 2);
    lg_types_free(&types);
}

static void
threads(void)
{
    lg_text text = {0};
    CHECK(question_report("threads", graph, NULL, NULL, LG_FORMAT_TEXT,
                          &text) == LG_OK);
    CHECK_TEXT(text, "Thread MainThread\n"
                     "  #0 train() train.py:12\n"
                     "        loss        Tensor     54 B\n"
                     "        all_losses  list of 2  53 B\n"
                     "\n"
                     "Suspended\n"
                     "  generator produce() train.py:30\n"
                     "        queue  list of 2  53 B\n"
                     "\n"
                     "sizes are the objects' own: what they retain needs an "
                     "analysis\n");
    lg_text_free(&text);
    CHECK(question_report("threads", graph, NULL, NULL, LG_FORMAT_JSON,
                          &text) == LG_OK);
    CHECK_TEXT(
        text,
        "{\"analysed\": false, \"rows\": [\n"
        "  {\"depth\": 0, \"kind\": \"thread\", \"name\": \"MainThread\", "
        "\"node\": 0, \"type\": \"thread\", \"title\": \"thread "
        "MainThread\", \"size\": {\"host\": 48}, \"retained\": null, "
        "\"held_elsewhere\": null, \"repeats\": 0},\n"
        "  {\"depth\": 1, \"kind\": \"frame\", \"name\": \"train() "
        "train.py:12\", \"node\": 1, \"type\": \"frame\", \"title\": "
        "\"frame train() train.py:12\", \"size\": {\"host\": 49}, "
        "\"retained\": null, \"held_elsewhere\": null, \"repeats\": 0},\n"
        "  {\"depth\": 2, \"kind\": \"local\", \"name\": \"loss\", "
        "\"node\": 6, \"type\": \"torch.Tensor\", \"title\": \"Tensor\", "
        "\"size\": {\"host\": 54}, \"retained\": null, \"held_elsewhere\": "
        "null, \"repeats\": 0},\n"
        "  {\"depth\": 2, \"kind\": \"local\", \"name\": \"all_losses\", "
        "\"node\": 5, \"type\": \"list\", \"title\": \"list of 2\", "
        "\"size\": {\"host\": 53}, \"retained\": null, \"held_elsewhere\": "
        "null, \"repeats\": 0},\n"
        "  {\"depth\": 0, \"kind\": \"suspended\", \"name\": \"generator "
        "produce() train.py:30\", \"node\": 25, \"type\": \"generator\", "
        "\"title\": \"generator produce() train.py:30\", \"size\": "
        "{\"host\": 73}, \"retained\": null, \"held_elsewhere\": null, "
        "\"repeats\": 0},\n"
        "  {\"depth\": 1, \"kind\": \"local\", \"name\": \"queue\", "
        "\"node\": 5, \"type\": \"list\", \"title\": \"list of 2\", "
        "\"size\": {\"host\": 53}, \"retained\": null, \"held_elsewhere\": "
        "null, \"repeats\": 0}\n"
        "]}\n");
    lg_text_free(&text);
}

SUITE(report)
{
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    RUN(info);
    RUN(info_of_frozen);
    RUN(types);
    RUN(sorted_rows);
    RUN(threads);
    lg_graph_free(graph);
    return test_result();
}
