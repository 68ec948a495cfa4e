// Selectors: each form, malformed ones, and the suggestions.
#include "drawn.h"
#include "sample.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/report.h>
#include <leakgraph/internal/writing.h>

static lg_graph *graph;

static void
selects(const char *selector, const char *expected)
{
    lg_nodes nodes;
    lg_text text = {0};
    lg_error err = {0};
    lg_status status = lg_graph_select(graph, selector, NULL, &nodes, &err);
    if (status != LG_OK) {
        lg_text_add(&text, err.message);
    } else {
        for (size_t i = 0; i < nodes.count; i++)
            lg_text_addf(&text, "%s%u", i ? " " : "", nodes.items[i]);
        lg_nodes_free(&nodes);
    }
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

static void
refuses(const char *selector, lg_status expected, const char *part)
{
    lg_nodes nodes;
    lg_error err = {0};
    CHECK(lg_graph_select(graph, selector, NULL, &nodes, &err) == expected);
    if (strstr(err.message, part) == NULL) {
        test_failures++;
        fprintf(stderr, "%s: %s\n", selector, err.message);
    }
}

static void
forms(void)
{
    selects("node:17", "17");
    selects("#0", "0");
    selects("0x7f0000001040", "1");
    selects("type:torch.Tensor", "6 22");
    selects("type:torch.*", "6 22");
    selects("type:*rain*r", "11 23");
    selects("type:train.Base+", "11 23");
    selects("type:train.Trainer+", "11 23");
    selects("module:gc", "26");
    selects("name:train", "2");
    selects("train", "2");
    selects("train.losses[1][\"it's\"]", "15");
    selects("name:train.losses", "5");
    selects("name:train.losses[0]", "6");
    selects("name:train.trainer.model", "14");
    selects("name:train.losses[1]['it\\'s'].__code__", "16");
    selects("name:train.losses[1][\"it's\"]", "15");
    selects("name:train.losses[1][17].source", "25");
    selects("thread MainThread in train() train.py:12 local loss", "6");
    selects("thread MainThread in train() train.py:12 local all_losses[0]",
            "6");
    selects("thread MainThread", "0");
}

// Places of what no module and no thread leads to, as reports write them. The
// list of losses belongs neither to garbage nor to native code.
static void
unnamed(void)
{
    selects("native code: list", "28");
    selects("native code: list[0]", "29");
    selects("garbage: list", "27");
    selects("native code", "28");
    selects("garbage", "27");
}

// 1 and 2 are a cycle of garbage that holds 3; 4 and 5 are another. 6 is
// garbage, too: it holds 7 and 8, which both hold 9. The immortal 10 holds 11.
static lg_graph *
unrooted_story(void)
{
    story to = story_begin();
    story_module(&to, "app");
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t one = story_add(&to, "Node", NULL, 48);
        uint32_t other = story_add(&to, "Node", NULL, 48);
        story_attribute(&to, one, "other", other);
        story_attribute(&to, other, "one", one);
        if (i == 0)
            story_attribute(&to, one, "kept", story_add(&to, "Kept", NULL, 9));
    }
    uint32_t top = story_add(&to, "Top", NULL, 48);
    uint32_t left = story_add(&to, "Side", NULL, 48);
    uint32_t right = story_add(&to, "Side", NULL, 48);
    uint32_t low = story_add(&to, "Low", NULL, 48);
    story_attribute(&to, top, "left", left);
    story_attribute(&to, top, "right", right);
    story_attribute(&to, left, "low", low);
    story_attribute(&to, right, "low", low);
    to.flags |= LG_NODE_IMMORTAL;
    uint32_t lasting = story_add(&to, "Lasting", NULL, 48);
    to.flags &= ~(unsigned)LG_NODE_IMMORTAL;
    story_attribute(&to, lasting, "kept", story_add(&to, "Kept", NULL, 48));
    return story_end(&to);
}

// Each node is among those that its place selects.
static void
selects_each(void)
{
    enum { COUNT = 12 };
    lg_analysis *analysis = analysed(graph);
    lg_text labels[COUNT] = {0};
    uint32_t nodes[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        nodes[i] = i;
    REQUIRE(lg_nodes_path_labels(analysis, nodes, COUNT, NULL, labels, NULL) ==
            LG_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        lg_nodes found = {0};
        bool has = false;
        CHECK(lg_graph_select(graph, labels[i].data, NULL, &found, NULL) ==
              LG_OK);
        for (size_t at = 0; at < found.count; at++)
            has |= found.items[at] == i;
        CHECK(has);
        lg_nodes_free(&found);
        lg_text_free(&labels[i]);
    }
    lg_analysis_free(analysis);
}

// Places that reports find by an analysis.
static void
unrooted(void)
{
    lg_graph *sample = graph;
    graph = unrooted_story();
    REQUIRE(graph != NULL);
    selects_each();
    selects("garbage: a cycle of 2 objects", "1 2 4 5");
    selects("garbage below Top", "9");
    selects("garbage: Top.left", "7");
    selects("the interpreter", "10 11");
    refuses("garbage below Low", LG_ENOTFOUND, "such as #17");
    refuses("garbage: a cycle of 3 objects", LG_ENOTFOUND, "such as #17");
    lg_graph_free(graph);
    graph = sample;
}

static bool
count_down(void *left, const char *phase, double done)
{
    (void)phase;
    (void)done;
    return (*(int *)left)-- > 0;
}

// How often a selector asks its monitor; each refusal cancels it.
static int
cancels(const char *selector)
{
    for (int ticks = 0;; ticks++) {
        int left = ticks;
        lg_monitor monitor = {count_down, &left};
        lg_nodes nodes = {0};
        lg_error err = {0};
        lg_status status =
            lg_graph_select(graph, selector, &monitor, &nodes, &err);
        bool found = status == LG_OK;
        CHECK(found || (status == LG_ECANCELLED && nodes.items == NULL &&
                        strstr(err.message, "cancelled while ") != NULL));
        lg_nodes_free(&nodes);
        if (status != LG_ECANCELLED)
            return ticks;
    }
}

// Each time with a graph of its own, which has not kept a tree of paths.
static void
cancelled(void)
{
    static const char *const selectors[] = {
        "the interpreter",
        "garbage",
        "garbage: a cycle of 2 objects",
        "garbage below Top",
        "garbage: Top.left",
    };
    lg_graph *sample = graph;
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        graph = unrooted_story();
        REQUIRE(graph != NULL);
        CHECK(cancels(selectors[i]) > 0);
        lg_graph_free(graph);
    }
    graph = sample;
    CHECK(cancels("native code") > 0);
}

// loss -> Add -> Mul -> Mul -> Mul, and the last two have saved something.
static lg_graph *
backward_story(void)
{
    story to = story_begin();
    uint32_t train = story_module(&to, "train");
    uint32_t nodes[5] = {story_add(&to, "torch.Tensor", NULL, 48)};
    uint32_t saved = story_add(&to, "torch.Tensor", NULL, 48);
    story_attribute(&to, train, "loss", nodes[0]);
    to.flags = LG_NODE_SYNTHETIC | LG_NODE_CPP;
    story_type(&to, "Add", "torch.autograd.Node");
    story_type(&to, "Mul", "torch.autograd.Node");
    for (size_t i = 1; i < 5; i++) {
        nodes[i] = story_add(&to, i == 1 ? "Add" : "Mul", NULL, 48);
        story_attribute(&to, nodes[i - 1],
                        i == 1 ? "grad_fn" : "next_functions[0][0]", nodes[i]);
    }
    story_attribute(&to, nodes[3], "_saved_self", saved);
    story_attribute(&to, nodes[4], "_saved_other", saved);
    story_attribute(&to, saved, "grad_fn", nodes[1]);
    return story_end(&to);
}

// Behind steps through an autograd graph, reports name only the last node.
static void
elided(void)
{
    lg_graph *sample = graph;
    graph = backward_story();
    REQUIRE(graph != NULL);
    selects("train.loss.grad_fn … Mul", "4 5 6");
    selects("name:train.loss.grad_fn … Mul._saved_self", "2");
    selects("train.loss.grad_fn … Mul._saved_self.grad_fn … Mul", "4 5 6");
    selects("train.loss.grad_fn … Mul._saved_other", "2");
    refuses("train.loss.grad_fn … Mu", LG_EINVAL, "cannot read  … Mu");
    selects("train.loss.grad_fn … Add", "3");
    refuses("train.lost … Mul", LG_ENOTFOUND, "has no .lost … Mul");
    refuses(" … Mul", LG_EINVAL, "cannot read the selector");
    lg_graph_free(graph);
    graph = sample;
}

// As reports of growth write paths: with any position, any key, and gaps.
static void
folded(void)
{
    selects("train.losses[*]", "6 7");
    selects("name:train.losses[*][*]", "15 23");
    selects("train.losses[*] key", "8 9");
    selects("name:thread MainThread", "0");
    selects("train … [*][*]", "15 23");
    refuses("train.losses[*][*][*][*][*]", LG_ENOTFOUND, "has no [*]");
    refuses("train.losses[*]x", LG_ENOTFOUND, "has no [*]");
    refuses("train.step key", LG_ENOTFOUND, "has no .step key");
    refuses("native code: Nobody", LG_ENOTFOUND, "leads to no object");
    refuses("stacks of threads", LG_ENOTFOUND, "`memory` accounts for it");
    refuses("name:memory that no object explains", LG_ENOTFOUND,
            "is no object");
}

// A title and a number, also behind a place, as reports write objects.
static void
numbered(void)
{
    lg_text text = {0};
    lg_node_title(graph, 28, false, &text);
    lg_text_add(&text, " #28");
    selects(text.data, "28");
    lg_text_free(&text);
    lg_text_add(&text, "train.losses  ");
    lg_node_title(graph, 28, false, &text);
    lg_text_add(&text, " #28");
    selects(text.data, "28");
    lg_text_free(&text);
    refuses("list of 99 #28", LG_EINVAL, "list of 99 #28");
    refuses("train.losses  dict of 1 #28", LG_EINVAL, "dict of 1 #28");
    refuses("list #28000", LG_EINVAL, "list #28000");
    refuses("list of 2 #28x", LG_EINVAL, "#28x");
    refuses("list #", LG_EINVAL, "list #");
}

static void
malformed(void)
{
    static const char *const bad[] = {
        "",        "node:", "node:x",  "node:1x",
        "node:-1", "#",     "0x",      "0xzz",
        "type:",   "name:", "module:", "node:99999999999999999999",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(bad[i], LG_EINVAL, "type:torch.Tensor");
    refuses("name:train.losses[0", LG_EINVAL, "write .attribute");
    refuses("name:train.losses['x]", LG_EINVAL, "write .attribute");
    refuses("name:train..x", LG_EINVAL, "write .attribute");
}

static void
suggestions(void)
{
    refuses("thread Main", LG_ENOTFOUND, "no thread begins 'thread Main'");
    refuses("thread MainThread local x", LG_EINVAL, "cannot read  local x");
    refuses("native code: dict", LG_ENOTFOUND, "such as #17");
    refuses("native code: list[1]", LG_ENOTFOUND, "such as #17");
    refuses("native code: lis", LG_ENOTFOUND, "such as #17");
    refuses("garbage: a cycle of 2 objects", LG_ENOTFOUND, "such as #17");
    refuses("node:31", LG_ENOTFOUND, "from 0 to 30");
    refuses("0x10", LG_ENOTFOUND, "no object is at 0x10");
    refuses("type:Tensor", LG_ENOTFOUND, "did you mean type:torch.Tensor?");
    refuses("type:torch.Tensr", LG_ENOTFOUND,
            "did you mean type:torch.Tensor?");
    refuses("type:ndarr", LG_ENOTFOUND, "did you mean type:numpy.ndarray?");
    refuses("type:train.Base", LG_ENOTFOUND, "no instance of type:train.Base");
    refuses("type:zzzzzzzzzzz", LG_ENOTFOUND, "there is no type:zzzzzzzzzzz");
    refuses("module:trian", LG_ENOTFOUND, "did you mean module:train?");
    refuses("name:trainn.x", LG_ENOTFOUND, "did you mean name:train?");
    refuses("name:train.loses", LG_ENOTFOUND, "module train has no .loses");
    refuses("name:train.loses", LG_ENOTFOUND, "did you mean .losses?");
    refuses("name:losses[0]", LG_ENOTFOUND,
            "did you mean name:train.losses[0]?");
    refuses("name:lossse[0]", LG_ENOTFOUND,
            "did you mean name:train.losses[0]?");
    refuses("name:zzzzzzzzz", LG_ENOTFOUND,
            "name:zzzzzzzzz does not begin with a module");
    refuses("type:Tesnor", LG_ENOTFOUND, "did you mean type:torch.Tensor?");
    refuses("name:train.losses[2]", LG_ENOTFOUND, "list of 2 has no [2]");
    refuses("name:train.losses[1]['its']", LG_ENOTFOUND,
            "did you mean ['it\\'s']?");
}

// Few letters are in many names by chance.
static void
short_names(void)
{
    lg_graph *sample = graph;
    story to = story_begin();
    story_attribute(&to, story_module(&to, "app"), "made",
                    story_add(&to, "classmethod", NULL, 48));
    story_add(&to, "app.Some", NULL, 48);
    graph = story_end(&to);
    REQUIRE(graph != NULL);
    refuses("type:Sme", LG_ENOTFOUND, "did you mean type:app.Some?");
    refuses("type:app", LG_ENOTFOUND, "did you mean type:app.Some?");
    refuses("type:metho", LG_ENOTFOUND, "did you mean type:classmethod?");
    lg_graph_free(graph);
    graph = sample;
}

// Adds a thread that runs a frame with the local x. Returns the local.
static uint32_t
add_thread(story *to, const char *name)
{
    uint32_t thread = story_add(to, "thread", name, 0);
    uint32_t frame = story_add(to, "frame", "run() app.py:3", 400);
    uint32_t local = story_add(to, "app.Data", NULL, 48);
    lg_builder_add_root(to->builder, thread, LG_ROOT_THREAD, name,
                        strlen(name));
    story_edge(to, thread, frame, LG_EDGE_FRAME, 0);
    story_local(to, frame, "x", local);
    story_attribute(to, thread, "data", local);
    return local;
}

// Threads are told apart by their whole names, and are no modules.
static void
threads(void)
{
    lg_graph *sample = graph;
    char node[16];
    story to = story_begin();
    add_thread(&to, "worker-1");
    uint32_t second = add_thread(&to, "worker-2");
    graph = story_end(&to);
    snprintf(node, sizeof node, "%u", second);
    selects("thread worker-2 in run() app.py:3 local x", node);
    refuses("thread worker-3 in run() app.py:3 local x", LG_ENOTFOUND,
            "no thread begins");
    lg_nodes nodes;
    lg_error err = {0};
    CHECK(lg_graph_select(graph, "name:data", NULL, &nodes, &err) ==
          LG_ENOTFOUND);
    CHECK(strstr(err.message, "did you mean") == NULL);
    lg_graph_free(graph);
    graph = sample;
}

// A pattern that is slow for a matcher that tries every split.
static void
hostile_glob(void)
{
    char selector[300] = "type:";
    for (size_t i = 5; i < 255; i++)
        selector[i] = i % 2 ? '*' : 't';
    strcpy(selector + 255, "X");
    refuses(selector, LG_ENOTFOUND, "there is no type:");
}

SUITE(select)
{
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    RUN(forms);
    RUN(unnamed);
    RUN(unrooted);
    RUN(cancelled);
    RUN(elided);
    RUN(folded);
    RUN(numbered);
    RUN(malformed);
    RUN(suggestions);
    RUN(short_names);
    RUN(threads);
    RUN(hostile_glob);
    lg_graph_free(graph);
    return test_result();
}
