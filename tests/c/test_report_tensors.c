// The report on tensors.
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/report.h>

#include "asked.h"
#include "stored.h"
#include "story.h"
#include "test.h"

static const char each_text[] =
    "      bytes  tensor                                      kind            "
    "held by\n"
    "   1.00 MiB  float32[512, 512] cuda:0                    "
    "parameter       train.layer._parameters[?]\n"
    "   1.00 MiB  float32[512, 512] cuda:0                    "
    "gradient        train.layer._parameters[?].grad\n"
    "   1.00 MiB  float32[512, 512] cuda:0                    "
    "optimizer state train.optimizer.state[?][?]\n"
    "    400 KiB  uint8[100, 4096] cuda:0 ×2                  "
    "temporary       thread MainThread in train() train.py:9 local batch\n"
    "             allocated in load train.py:3 < train train.py:9\n"
    "      100 B  float32[25] cuda:0                          "
    "activation      train.losses[0].grad_fn saved\n"
    "        4 B  float32[] host MulBackward0                 other   "
    "        train.losses[0]\n"
    "\n"
    "6 storages, 3.39 MiB cuda:0 · 4 B host in all; each counts once, however "
    "many tensors use it (×2: two)\n";

static const char kind_text[] =
    "      bytes    share  storages  kind                      where\n"
    "   1.00 MiB   29.5 %         1  gradient                  1.00 "
    "MiB cuda:0\n"
    "   1.00 MiB   29.5 %         1  optimizer state           1.00 "
    "MiB cuda:0\n"
    "   1.00 MiB   29.5 %         1  parameter                 1.00 "
    "MiB cuda:0\n"
    "    400 KiB   11.5 %         1  temporary                 400 KiB "
    "cuda:0\n"
    "      100 B    0.0 %         1  activation                100 B "
    "cuda:0\n"
    "        4 B    0.0 %         1  other                     4 B\n"
    "\n"
    "6 storages, 3.39 MiB cuda:0 · 4 B host in all; each counts once, however "
    "many tensors use it\n";

static const char shape_json[] =
    "{\"group\": \"shape\", \"storages\": 6, \"size\": {\"host\": 4, "
    "\"cuda:0\": 3555428}, \"not_inspected\": {}, \"findings\": null, "
    "\"rows\": [\n"
    "  {\"bytes\": 3145728, \"storages\": 3, \"size\": {\"host\": 0, "
    "\"cuda:0\": 3145728}, \"device\": null, \"kind\": null, "
    "\"autograd\": null, \"dtype\": \"float32\", \"shape\": [512, 512], "
    "\"used\": 0, \"tensors\": 3, \"node\": null, \"type\": null, \"title\": "
    "null, \"tensor\": null, "
    "\"block\": null, \"held_by\": null, \"allocation\": null},\n"
    "  {\"bytes\": 409600, \"storages\": 1, \"size\": {\"host\": 0, "
    "\"cuda:0\": 409600}, \"device\": null, \"kind\": null, "
    "\"autograd\": null, \"dtype\": \"uint8\", \"shape\": [100, 4096], "
    "\"used\": 0, \"tensors\": 2, \"node\": null, \"type\": null, \"title\": "
    "null, \"tensor\": null, "
    "\"block\": null, \"held_by\": null, \"allocation\": null}\n"
    "]}\n";

static lg_graph *graph;

static void
says(uint32_t device, lg_tensor_group group, size_t limit, lg_format format,
     const char *expected)
{
    lg_text text = {0};
    REQUIRE(tensors_report(graph, NULL, device, group, limit, format, &text) ==
            LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

static void
mentions(uint32_t device, size_t limit, lg_format format, const char *what)
{
    lg_text text = {0};
    REQUIRE(tensors_report(graph, NULL, device, LG_TENSORS_EACH, limit, format,
                           &text) == LG_OK);
    if (strstr(text.data, what) == NULL) {
        test_failures++;
        fprintf(stderr, "in %s: no '%s' in\n%s", test_name, what, text.data);
    }
    lg_text_free(&text);
}

static void
tables(void)
{
    says(LG_NONE, LG_TENSORS_EACH, 0, LG_FORMAT_TEXT, each_text);
    says(LG_NONE, LG_TENSORS_BY_KIND, 0, LG_FORMAT_TEXT, kind_text);
    says(LG_NONE, LG_TENSORS_BY_SHAPE, 2, LG_FORMAT_JSON, shape_json);
}

static void
rows(void)
{
    mentions(1, 2, LG_FORMAT_TEXT, "\n2 of 5 storages, 3.39 MiB cuda:0 in all");
    mentions(0, 0, LG_FORMAT_JSON, "\"dtype\": \"float32\", \"shape\": [], ");
    mentions(0, 0, LG_FORMAT_JSON, "\"autograd\": \"MulBackward0\"");
    mentions(0, 0, LG_FORMAT_JSON, "\"held_by\": \"train.losses[0]\"");
    mentions(1, 0, LG_FORMAT_JSON,
             "\"block\": {\"address\": 138538468245504, \"size\": 512, "
             "\"requested\": 100, \"stream\": 0}");
    mentions(1, 0, LG_FORMAT_JSON,
             "\"allocation\": \"load train.py:3 < train train.py:9\"");
}

static void
misuse(void)
{
    lg_text text = {0};
    CHECK(tensors_report(graph, NULL, 7, LG_TENSORS_EACH, 0, LG_FORMAT_TEXT,
                         &text) == LG_EINVAL);
    CHECK(text.data == NULL);
}

// The report does not trust facts: it treats a shape that is no list of numbers
// as a string. A tensor that nothing reaches is garbage, and a partial view
// says so.
static void
odd(void)
{
    lg_builder *builder;
    lg_graph *sample = graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 16);
    lg_builder_put_type(
        builder, 0,
        lg_builder_add_type(builder, "torch.Tensor", 12, LG_NONE, NULL, 0));
    lg_builder_add_fact(builder, 0, "dtype", "int8", 4);
    lg_builder_add_fact(builder, 0, "shape", "s0], 3", 6);
    lg_builder_add_fact(builder, 0, "bytes", "25", 2);
    const lg_span span = {.address = 4096, .length = 100};
    lg_builder_add_span(builder, &span);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    mentions(LG_NONE, 0, LG_FORMAT_JSON, "\"shape\": \"s0], 3\"");
    mentions(LG_NONE, 0, LG_FORMAT_TEXT, "  100 B   25.0 %  int8[s0], 3] ");
    mentions(LG_NONE, 0, LG_FORMAT_TEXT, " garbage\n");
    lg_graph_free(graph);
    graph = sample;
}

static uint32_t
add_tensor(story *to, uint64_t address)
{
    uint32_t tensor = story_add(to, "torch.Tensor", NULL, 72);
    lg_span span = {.holder = tensor, .address = address, .length = 100};
    lg_builder_add_span(to->builder, &span);
    return tensor;
}

static uint32_t
add_dict(story *to, const char *key, uint32_t value)
{
    uint32_t dict = story_add(to, "dict", NULL, 200);
    uint32_t name = story_add(to, "str", key, 50);
    story_edge(to, dict, name, LG_EDGE_KEY, 0);
    story_edge(to, dict, value, LG_EDGE_VALUE, name);
    return dict;
}

// A parameter belongs to its module, although a list is nearer, and so does its
// gradient. For a path through the autograd graph the report names the last
// node.
static void
holders(void)
{
    story to = story_begin();
    story_type(&to, "train.Net", "torch.nn.modules.module.Module");
    story_type(&to, "MulBackward0", "torch.autograd.Node");
    uint32_t train = story_module(&to, "train");
    uint32_t net = story_add(&to, "train.Net", NULL, 48);
    uint32_t list = story_add(&to, "list", NULL, 48);
    uint32_t weight = add_tensor(&to, 10000);
    uint32_t saved = add_tensor(&to, 30000);
    uint32_t loss = add_tensor(&to, 40000);
    uint32_t at = loss;
    story_attribute(&to, train, "net", net);
    story_attribute(&to, train, "list", list);
    story_edge(&to, list, weight, LG_EDGE_INDEX, 0);
    story_attribute(&to, net, "_parameters", add_dict(&to, "w", weight));
    story_attribute(&to, weight, "grad", add_tensor(&to, 20000));
    story_attribute(&to, train, "loss", loss);
    to.flags = LG_NODE_SYNTHETIC | LG_NODE_CPP;
    for (int i = 0; i < 4; i++) {
        uint32_t node = story_add(&to, "MulBackward0", NULL, 500);
        story_attribute(&to, at, i == 0 ? "grad_fn" : "next_functions[0][0]",
                        node);
        at = node;
    }
    story_attribute(&to, at, "_saved_self", saved);
    lg_graph *sample = graph;
    graph = story_end(&to);
    const char *const paths[] = {
        " train.net.w\n",
        " train.net.w.grad\n",
        " train.loss.grad_fn … MulBackward0._saved_self\n",
        " train.loss\n",
    };
    for (size_t i = 0; i < 4; i++)
        mentions(LG_NONE, 0, LG_FORMAT_TEXT, paths[i]);
    lg_graph_free(graph);
    graph = sample;
}

// Storages that are held in the same way and are alike share a row, unless each
// is asked for.
static void
places(void)
{
    static const char text_of_places[] =
        "      bytes  storages  tensor                                      "
        "kind "
        "           held by\n"
        "      300 B         3  ?                                           "
        "other           train.kept[*]\n"
        "      100 B         1  ?                                           "
        "other           train.last\n"
        "\n"
        "4 storages, 400 B in all; each counts once, however many tensors use "
        "it\n";
    story to = story_begin();
    uint32_t train = story_module(&to, "train");
    uint32_t list = story_add(&to, "list", NULL, 48);
    story_attribute(&to, train, "kept", list);
    for (uint32_t i = 0; i < 3; i++)
        story_edge(&to, list, add_tensor(&to, 10000 * (i + 1)), LG_EDGE_INDEX,
                   i);
    story_attribute(&to, train, "last", add_tensor(&to, 40000));
    lg_graph *sample = graph;
    graph = story_end(&to);
    says(LG_NONE, LG_TENSORS_BY_PLACE, 0, LG_FORMAT_TEXT, text_of_places);
    mentions(LG_NONE, 0, LG_FORMAT_TEXT, " train.kept[1]\n");
    lg_graph_free(graph);
    graph = sample;
}

// Garbage keeps a storage without a tensor.
static void
lone_garbage(void)
{
    lg_text text = {0};
    lg_analysis *analysis = NULL;
    story to = story_begin();
    const lg_span span = {.holder = story_add(&to, "thing", NULL, 48),
                          .address = 30000,
                          .length = 77,
                          .type =
                              lg_builder_add_type(to.builder, "torch.storage",
                                                  13, LG_NONE, NULL, 0)};
    lg_builder_add_span(to.builder, &span);
    lg_graph *sample = story_end(&to);
    REQUIRE(!lg_analysis_new(sample, NULL, &analysis, NULL));
    REQUIRE(!question_report("tensors", sample, analysis, NULL, LG_FORMAT_TEXT,
                             &text));
    CHECK(strstr(text.data, " garbage below thing\n") != NULL);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(sample);
}

SUITE(report_tensors)
{
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    RUN(tables);
    RUN(rows);
    RUN(misuse);
    RUN(odd);
    RUN(holders);
    RUN(places);
    RUN(lone_garbage);
    lg_graph_free(graph);
    return test_result();
}
