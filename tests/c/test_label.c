// Labels and titles as users see them.
#include "sample.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/writing.h>
#include "stored.h"
#include "story.h"
#include "test.h"

static lg_graph *graph;

static void
expect_title(uint32_t node, const char *brief, const char *whole)
{
    lg_text text = {0};
    lg_node_title(graph, node, false, &text);
    CHECK_TEXT(text, brief);
    lg_text_free(&text);
    lg_node_title(graph, node, true, &text);
    CHECK_TEXT(text, whole);
    lg_text_free(&text);
}

static void
titles(void)
{
    expect_title(SAMPLE_THREAD, "thread MainThread", "thread MainThread");
    expect_title(SAMPLE_FRAME, "frame train() train.py:12",
                 "frame train() train.py:12");
    expect_title(SAMPLE_TRAIN, "module train", "module train");
    expect_title(SAMPLE_TRAIN_DICT, "dict of 2", "dict of 2");
    expect_title(SAMPLE_LOSS, "Tensor", "torch.Tensor");
    expect_title(SAMPLE_STEP_KEY, "str 'it's'", "str 'it's'");
    expect_title(SAMPLE_NUMBER, "int 17", "int 17");
    expect_title(SAMPLE_STEP, "function train.step", "function train.step");
    expect_title(SAMPLE_CLASS, "class train.Trainer", "class train.Trainer");
    expect_title(SAMPLE_TRAINER, "Trainer", "train.Trainer");
}

static void
expect_hops(uint32_t node, const char *expected)
{
    lg_hops hops;
    lg_text text = {0};
    REQUIRE(lg_node_hops_out(graph, node, &hops, NULL) == LG_OK);
    for (size_t i = 0; i < hops.count; i++) {
        char *label = sample_label(graph, &hops.items[i]);
        lg_text_addf(&text, "%s -> %u\n", label, hops.items[i].target);
        free(label);
    }
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
    lg_hops_free(&hops);
}

// A damaged file may have any shape. Sizes of 0 count as 1.
static void
indexes(void)
{
    static const struct {
        const char *shape;
        const char *label;
    } cases[] = {
        {"3, 4", "[1, 2]"},
        {"2, 3, 1", "[2, 0, 0]"},
        {"0, 0", "[6, 0]"},
        {"1, 4294967296, 4294967296", "[6]"},
        {"9, 18446744073709551615, 2", "[6]"},
        {"4, two", "[6]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        story made = story_begin();
        uint32_t array = story_add(&made, "numpy.ndarray", NULL, 112);
        uint32_t item = story_add(&made, "app.Thing", NULL, 48);
        story_edge(&made, array, item, LG_EDGE_INDEX, 6);
        lg_builder_add_fact(made.builder, array, "shape", cases[i].shape,
                            strlen(cases[i].shape));
        lg_graph *one = story_end(&made);
        lg_text text = {0};
        lg_edge_label(one, lg_columns_first_edge(lg_graph_columns(one), array),
                      &text);
        CHECK_TEXT(text, cases[i].label);
        lg_text_free(&text);
        lg_graph_free(one);
    }
}

static void
hops(void)
{
    expect_hops(SAMPLE_TRAIN, ".losses -> 5\n.trainer -> 11\n");
    expect_hops(SAMPLE_TRAIN_DICT, "");
    expect_hops(SAMPLE_STATE, "key 'it\\'s' -> 8\n['it\\'s'] -> 15\n"
                              "key 17 -> 9\n[17] -> 23\n");
    expect_hops(SAMPLE_STEP, ".__code__ -> 16\n__globals__ -> 2\n"
                             "closure captured -> 22\n");
    expect_hops(SAMPLE_TRAINER, ".model -> 14\n__class__ -> 30\n");
    expect_hops(SAMPLE_SHARED_OWNER,
                ".__dict__ -> 24\n.view -> 24\n.source -> 25\n");
    expect_hops(SAMPLE_MODEL, "weak referent -> 11\n");
    expect_hops(SAMPLE_FRAME, "local loss -> 6\nlocal all_losses -> 5\n");
}

// Keys that are tuples show their elements.
static void
tuple_keys(void)
{
    static const char *const expected[] = {"[(Model, 3, 'fast')]",
                                           "[('alone',)]", "[()]",
                                           "[(tuple, int, int, int, …)]"};
    uint32_t tuples[4];
    story made = story_begin();
    uint32_t dict = story_add(&made, "dict", NULL, 64);
    uint32_t model = story_add(&made, "app.Model", NULL, 64);
    uint32_t number = story_add(&made, "int", "3", 28);
    uint32_t fast = story_add(&made, "str", "fast", 50);
    uint32_t alone = story_add(&made, "str", "alone", 50);
    uint32_t secret = story_add(&made, "int", NULL, 28);
    for (uint32_t i = 0; i < 4; i++)
        tuples[i] = story_add(&made, "tuple", NULL, 56);
    for (uint32_t i = 0; i < 4; i++)
        story_edge(&made, dict, model, LG_EDGE_VALUE, tuples[i]);
    story_edge(&made, tuples[0], model, LG_EDGE_INDEX, 0);
    story_edge(&made, tuples[0], number, LG_EDGE_INDEX, 1);
    story_edge(&made, tuples[0], fast, LG_EDGE_INDEX, 2);
    story_edge(&made, tuples[1], alone, LG_EDGE_INDEX, 0);
    story_edge(&made, tuples[3], tuples[0], LG_EDGE_INDEX, 0);
    for (uint32_t i = 1; i < 8; i++)
        story_edge(&made, tuples[3], secret, LG_EDGE_INDEX, i);
    lg_graph *dicts = story_end(&made);
    uint64_t first = lg_columns_first_edge(lg_graph_columns(dicts), dict);
    for (uint32_t i = 0; i < 4; i++) {
        lg_text text = {0};
        lg_edge_label(dicts, first + i, &text);
        CHECK_TEXT(text, expected[i]);
        lg_text_free(&text);
    }
    lg_graph_free(dicts);
}

// One edge of each kind, and the text for an absent name or key.
static void
every_kind(void)
{
    static const char *const expected[] = {
        "reference 7",   ".?",          "[?]",
        "key <?>",       "[7]",         "element",
        "local ?",       "temporary",   ".cell_contents",
        ".__dict__",     "__globals__", "__class__",
        "weak referent", "field +0x7",  "frame 7",
        "native",
    };
    lg_builder *builder;
    lg_graph *kinds;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 0);
    lg_builder_open(builder, 0);
    for (unsigned kind = 0; kind < LG_EDGE_KIND_COUNT; kind++) {
        bool named = kind == LG_EDGE_ATTRIBUTE || kind == LG_EDGE_LOCAL ||
                     kind == LG_EDGE_GLOBALS || kind == LG_EDGE_NATIVE;
        uint32_t payload = named ? 0 : kind == LG_EDGE_VALUE ? LG_NONE : 7;
        lg_builder_add_edge(builder, 0, kind, payload);
    }
    REQUIRE(lg_builder_finish(builder, &kinds, NULL) == LG_OK);
    for (unsigned kind = 0; kind < LG_EDGE_KIND_COUNT; kind++) {
        lg_text text = {0};
        lg_edge_label(kinds, kind, &text);
        CHECK_TEXT(text, expected[kind]);
        lg_text_free(&text);
        CHECK(strcmp(lg_edge_kind_name(kind | LG_EDGE_WEAK), "unknown") != 0);
    }
    CHECK(strcmp(lg_edge_kind_name(LG_EDGE_KIND_COUNT), "unknown") == 0);
    lg_graph_free(kinds);
}

// Buffers and tensors name their device unless it is the host.
static void
places(void)
{
    lg_graph *sample = graph;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    expect_title(STORED_WEIGHT, "Parameter float32[512, 512] cuda:0",
                 "torch.nn.parameter.Parameter float32[512, 512] cuda:0");
    expect_title(STORED_WEIGHT_DATA, "storage float32[512, 512] cuda:0",
                 "torch.storage float32[512, 512] cuda:0");
    expect_title(STORED_LOSS, "Tensor float32[]", "torch.Tensor float32[]");
    expect_title(STORED_LOSS_DATA, "storage float32[]",
                 "torch.storage float32[]");
    expect_title(STORED_ARRAY, "ndarray float64[1000]",
                 "numpy.ndarray float64[1000]");
    lg_graph_free(graph);
    graph = sample;
}

SUITE(label)
{
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    RUN(titles);
    RUN(places);
    RUN(indexes);
    RUN(hops);
    RUN(tuple_keys);
    RUN(every_kind);
    lg_graph_free(graph);
    return test_result();
}
