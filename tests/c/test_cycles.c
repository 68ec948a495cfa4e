// Cycles of common shapes, with complete reports, and which of them a report
// lists.
#include "drawn.h"
#include "expected_cycles.h"
#include "test.h"

// parent.children[i].parent is parent
static uint32_t
add_family(story *to, uint64_t size)
{
    uint32_t parent = story_add(to, "app.Parent", NULL, size);
    uint32_t list = story_add(to, "list", NULL, 80);
    story_attribute(to, parent, "children", list);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t child = story_add(to, "app.Child", NULL, 48);
        story_edge(to, list, child, LG_EDGE_INDEX, i);
        story_attribute(to, child, "parent", parent);
    }
    return parent;
}

static void
families(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    story_attribute(&made, app, "house", add_family(&made, 3 << 20));
    add_family(&made, 2 << 20);
    add_family(&made, 1 << 20);
    add_family(&made, 1 << 20);
    story_hold(&made, add_family(&made, 1 << 10), 1);
    expect_cycles(
        &made,
        "5 cycles: 3 collectable, 1 held, 1 uncollectable\n"
        "\n"
        " 1. held · 4 objects (2 app.Child, app.Parent, list) · retains "
        "3.00 MiB\n"
        "     Parent.children -> list[0] -> Child.parent -> back to "
        "Parent\n"
        "                                        ~~~~~~~\n"
        "     cut Child.parent: the back reference from child to parent: "
        "make it a weakref\n"
        "     and one more like it: cut them all to leave no cycle\n"
        "     held by app.house\n"
        "\n"
        " 2. collectable · 4 objects (2 app.Child, app.Parent, list) · "
        "retains 2.00 MiB\n"
        "     Parent.children -> list[0] -> Child.parent -> back to "
        "Parent\n"
        "                                        ~~~~~~~\n"
        "     cut Child.parent: the back reference from child to parent: "
        "make it a weakref\n"
        "     and one more like it: cut them all to leave no cycle\n"
        "     the next gc.collect() frees it\n"
        "     and 2 more like it; together they retain 4.00 MiB\n"
        "\n"
        " 5. uncollectable · 4 objects (2 app.Child, app.Parent, list) · "
        "retains 1.17 KiB\n"
        "     Parent.children -> list[0] -> Child.parent -> back to "
        "Parent\n"
        "                                        ~~~~~~~\n"
        "     cut Child.parent: the back reference from child to parent: "
        "make it a weakref\n"
        "     and one more like it: cut them all to leave no cycle\n"
        "     gc.collect() cannot free it: native code holds Parent #17 "
        "(1 reference leakgraph cannot see)\n");
}

// A list of C code that is linked both ways is nothing to cut.
static void
structures_of_native_code(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t connection = story_add(&made, "app.Connection", NULL, 64);
    story_attribute(&made, app, "connection", connection);
    made.flags = LG_NODE_SYNTHETIC | LG_NODE_NATIVE;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t one = story_add(&made, "libsqlite3", NULL, 2 << 20);
        uint32_t other = story_add(&made, "libsqlite3", NULL, 2 << 20);
        story_edge(&made, one, other, LG_EDGE_INDEX, 0);
        story_edge(&made, other, one, LG_EDGE_INDEX, 0);
        if (i == 0)
            story_attribute(&made, connection, "db", one);
        else
            story_hold(&made, one, 1);
    }
    expect_cycles(&made, "0 cycles\n");
}

static void
closures(void)
{
    story made = story_begin();
    uint32_t function =
        story_add(&made, "function", "app.walk.<locals>.visit", 144);
    uint32_t tuple = story_add(&made, "tuple", NULL, 48);
    uint32_t cell = story_add(&made, "cell", NULL, 40);
    uint32_t code = story_add(&made, "code", NULL, 200);
    uint32_t names = story_add(&made, "tuple", NULL, 48);
    uint32_t name = story_add(&made, "str", "visit", 50);
    story_attribute(&made, function, "__code__", code);
    story_attribute(&made, code, "co_freevars", names);
    story_edge(&made, names, name, LG_EDGE_INDEX, 0);
    story_attribute(&made, function, "__closure__", tuple);
    story_edge(&made, tuple, cell, LG_EDGE_INDEX, 0);
    story_edge(&made, cell, function, LG_EDGE_CELL, 0);
    expect_cycles(
        &made, "1 cycle: 1 collectable\n"
               "\n"
               " 1. collectable · 1 object (function) · retains 530 B\n"
               "     function visit closure visit -> itself\n"
               "                   ~~~~~~~~~~~~~~\n"
               "     cut function visit closure visit: a nested function "
               "captures itself: pass it as an argument, or del its name when "
               "it is no longer needed\n"
               "     the next gc.collect() frees it\n");
}

static void
exceptions(void)
{
    story made = story_begin();
    uint32_t error = story_add(&made, "ValueError", NULL, 72);
    uint32_t traceback = story_add(&made, "traceback", NULL, 64);
    uint32_t frame = story_add(&made, "frame", "load() app.py:7", 400);
    story_attribute(&made, error, "__traceback__", traceback);
    story_attribute(&made, traceback, "tb_frame", frame);
    story_local(&made, frame, "error", error);
    expect_cycles(
        &made, "1 cycle: 1 collectable\n"
               "\n"
               " 1. collectable · 3 objects (ValueError, traceback, frame) · "
               "retains 536 B\n"
               "     ValueError.__traceback__\n"
               "               ~~~~~~~~~~~~~~\n"
               "     -> traceback.tb_frame\n"
               "     -> load() app.py:7 local error\n"
               "     -> back to ValueError\n"
               "     cut ValueError.__traceback__: an exception kept with its "
               "traceback: clear its __traceback__, or del the variable that "
               "keeps it\n"
               "     the next gc.collect() frees it\n");
}

// Each reason why the collector does not free garbage.
static story
tell_reasons(void)
{
    story made = story_begin();
    uint32_t list = story_add(&made, "list", NULL, 5000);
    made.flags = 0;
    uint32_t array = story_add(&made, "numpy.ndarray", "object_[2]", 112);
    made.flags = LG_NODE_TRACKED;
    story_edge(&made, list, array, LG_EDGE_INDEX, 0);
    made.edge_flags = 0;
    story_edge(&made, array, list, LG_EDGE_INDEX, 0);
    made.edge_flags = LG_EDGE_TRAVERSED;
    made.flags = LG_NODE_TRACKED | LG_NODE_FROZEN;
    uint32_t frozen = story_add(&made, "app.Frozen", NULL, 4000);
    story_attribute(&made, frozen, "me", frozen);
    made.flags = 0;
    uint32_t pair = story_add(&made, "tuple", NULL, 3000);
    made.flags = LG_NODE_TRACKED;
    uint32_t other = story_add(&made, "list", NULL, 100);
    story_edge(&made, pair, other, LG_EDGE_INDEX, 0);
    story_edge(&made, other, pair, LG_EDGE_INDEX, 1);
    uint32_t held = story_add(&made, "app.Native", NULL, 2000);
    story_attribute(&made, held, "me", held);
    story_hold(&made, held, 2);
    uint32_t below = story_add(&made, "app.Below", NULL, 1000);
    story_attribute(&made, held, "below", below);
    story_attribute(&made, below, "me", below);
    return made;
}

static void
reasons(void)
{
    story made = tell_reasons();
    expect_cycles(
        &made,
        "5 cycles: 5 uncollectable\n"
        "\n"
        " 1. uncollectable · 2 objects (list, numpy.ndarray) · retains "
        "4.99 KiB\n"
        "     ndarray object_[2][0] -> list[0] -> back to ndarray "
        "object_[2]\n"
        "                       ~~~\n"
        "     cut ndarray object_[2][0]: an array of objects, which the "
        "collector does not look into: clear the element, or keep the "
        "objects in a list\n"
        "     gc.collect() cannot free it: the collector does not see "
        "what ndarray object_[2] #1 refers to\n"
        "\n"
        " 2. uncollectable · 1 object (app.Frozen) · retains 3.91 KiB\n"
        "     Frozen.me -> itself\n"
        "           ~~~\n"
        "     cut Frozen.me: the attribute that closes the cycle: make "
        "it a weakref, or set it to None when done\n"
        "     gc.collect() cannot free it: Frozen #2 was frozen with "
        "gc.freeze()\n"
        "\n"
        " 3. uncollectable · 2 objects (list, tuple) · retains 3.03 KiB\n"
        "     tuple[0] -> list[1] -> back to tuple\n"
        "                     ~~~\n"
        "     cut list[1]: the element that closes the cycle: remove it "
        "when done\n"
        "     gc.collect() cannot free it: the collector does not track "
        "tuple #3\n"
        "\n"
        " 4. uncollectable · 1 object (app.Native) · retains 2.93 KiB\n"
        "     Native.me -> itself\n"
        "           ~~~\n"
        "     cut Native.me: the attribute that closes the cycle: make "
        "it a weakref, or set it to None when done\n"
        "     gc.collect() cannot free it: native code holds Native #5 "
        "(2 references leakgraph cannot see)\n"
        "\n"
        " 5. uncollectable · 1 object (app.Below) · retains 1000 B\n"
        "     Below.me -> itself\n"
        "          ~~~\n"
        "     cut Below.me: the attribute that closes the cycle: make it "
        "a weakref, or set it to None when done\n"
        "     gc.collect() cannot free it: native code holds Native #5 "
        "(2 references leakgraph cannot see)\n");
}

// backward(create_graph=True): the back reference passes through C++.
static void
gradients(void)
{
    story made = story_begin();
    uint32_t parameter = story_add(&made, "torch.Tensor", NULL, 1 << 20);
    unsigned tracked = made.flags;
    made.flags = LG_NODE_SYNTHETIC | LG_NODE_CPP;
    made.edge_flags = LG_EDGE_UNCOUNTED;
    uint32_t gradient = story_add(&made, "torch.Tensor", NULL, 80);
    uint32_t copy = story_add(&made, "CopyBackwards", NULL, 500);
    uint32_t leaf = story_add(&made, "AccumulateGrad", NULL, 200);
    made.flags = tracked;
    story_attribute(&made, parameter, "grad", gradient);
    story_attribute(&made, gradient, "grad_fn", copy);
    story_attribute(&made, copy, "next_functions", leaf);
    made.edge_flags = 0;
    story_attribute(&made, leaf, "variable", parameter);
    expect_cycles(
        &made, "1 cycle: 1 uncollectable\n"
               "\n"
               " 1. uncollectable · 4 objects (2 torch.Tensor, CopyBackwards, "
               "AccumulateGrad) · retains 1.00 MiB\n"
               "     Tensor.grad\n"
               "           ~~~~~\n"
               "     -> Tensor.grad_fn\n"
               "     -> CopyBackwards.next_functions\n"
               "     -> AccumulateGrad.variable\n"
               "     -> back to Tensor\n"
               "     cut Tensor.grad: a gradient that carries the graph which "
               "made it (create_graph=True): set .grad to None when done, or "
               "use torch.autograd.grad()\n"
               "     gc.collect() cannot free it: the collector does not see "
               "what AccumulateGrad #3 refers to\n");
}

// A long ring is shown by its two ends; the cut is the last reference.
static void
rings(void)
{
    story made = story_begin();
    uint32_t picture[30];
    for (uint32_t i = 0; i < 30; i++)
        picture[i] = story_add(&made, "app.Link", NULL, 48);
    for (uint32_t i = 0; i < 30; i++)
        story_attribute(&made, picture[i], i == 9 ? "owner" : "next",
                        picture[(i + 1) % 30]);
    expect_cycles(
        &made, "1 cycle: 1 collectable\n"
               "\n"
               " 1. collectable · 30 objects (30 app.Link) · retains 1.41 KiB\n"
               "     Link.next\n"
               "     -> Link.next\n"
               "     -> Link.next\n"
               "     -> Link.next\n"
               "     -> Link.next\n"
               "     -> … 20 more …\n"
               "     -> Link.next\n"
               "     -> Link.next\n"
               "     -> Link.next\n"
               "     -> Link.next\n"
               "     -> Link.owner\n"
               "            ~~~~~~\n"
               "     -> back to Link\n"
               "     cut Link.owner: the back reference from child to parent: "
               "make it a weakref\n"
               "     the next gc.collect() frees it\n");
}

static void
expect_unknown(const lg_analysis *analysis, const char *name,
               const char *message)
{
    const lg_cycle_options options = {
        .size = sizeof options, .min_bytes = -1, .holding = name};
    lg_cycles cycles;
    lg_error error;
    CHECK(lg_analysis_cycles(analysis, &options, NULL, &cycles, &error) ==
          LG_ENOTFOUND);
    CHECK(strcmp(error.message, message) == 0);
}

static void
listed(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t small = add_family(&made, 100);
    story_attribute(&made, app, "small", small);
    uint32_t model = add_family(&made, 200);
    story_attribute(&made, app, "model", model);
    story_attribute(&made, model, "weight",
                    story_add(&made, "torch.Tensor", NULL, 80));
    // Both members of this component have references from outside, and they
    // hold the tensor only together.
    uint32_t left = story_add(&made, "app.Left", NULL, 48);
    uint32_t right = story_add(&made, "app.Right", NULL, 48);
    uint32_t shared = story_add(&made, "torch.Tensor", NULL, 300);
    story_attribute(&made, app, "left", left);
    story_attribute(&made, app, "right", right);
    story_attribute(&made, left, "other", right);
    story_attribute(&made, right, "other", left);
    story_attribute(&made, left, "data", shared);
    story_attribute(&made, right, "data", shared);
    // A class without instances.
    story_attribute(&made, app, "None",
                    story_add(&made, "type", "app.None", 900));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    const struct {
        lg_cycle_options options;
        size_t total;
        size_t count;
    } asked[] = {
        {{.min_bytes = -1}, 2, 2},
        {{.min_bytes = 0}, 3, 3},
        {{.min_bytes = 380}, 2, 2},
        {{.min_bytes = 0, .limit = 1}, 3, 1},
        {{.min_bytes = 0, .holding = "tensor"}, 2, 2},
        {{.min_bytes = 0, .holding = "figure"}, 0, 0},
        {{.min_bytes = 0, .holding = "app.C*"}, 2, 2},
        {{.min_bytes = 0, .holding = "app.None"}, 0, 0},
        {{.min_bytes = 0, .kinds = 1u << LG_CYCLE_HELD}, 3, 3},
        {{.min_bytes = -1, .kinds = 1u << LG_CYCLE_COLLECTABLE}, 0, 0},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        lg_cycles cycles;
        lg_cycle_options options = asked[i].options;
        options.size = sizeof options;
        REQUIRE(lg_analysis_cycles(analysis, &options, NULL, &cycles, NULL) ==
                LG_OK);
        CHECK(cycles.total == asked[i].total);
        CHECK(cycles.count == asked[i].count);
        lg_cycles_free(&cycles);
    }
    expect_unknown(analysis, "app.Chidl",
                   "the snapshot knows no type app.Chidl; did you mean "
                   "app.Child?");
    expect_unknown(analysis, "qqqqqqqqqqqqqq",
                   "the snapshot knows no type qqqqqqqqqqqqqq");
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
as_json(void)
{
    story made = story_begin();
    uint32_t thing = story_add(&made, "app.Thing", NULL, 48);
    story_attribute(&made, thing, "me", thing);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_cycles cycles;
    lg_text text = {0};
    REQUIRE(lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL) == LG_OK);
    REQUIRE(lg_report_cycles(analysis, &cycles, LG_FORMAT_JSON, &text, NULL) ==
            LG_OK);
    CHECK_TEXT(
        text,
        "{\"total\": 1, \"leaks\": 1, \"kinds\": "
        "{\"collectable\": 1, \"held\": 0, \"uncollectable\": 0}, "
        "\"known\": 0, \"smaller\": 0, \"rows\": [\n"
        "  {\"kind\": \"collectable\", \"reason\": null, \"culprit\": null, "
        "\"library\": null, \"retained\": {\"host\": 48}, \"objects\": 1, "
        "\"types\": [{\"type\": \"app.Thing\", \"count\": 1}], \"node\": 0, "
        "\"cycle\": \"Thing.me -> itself\", \"hops\": [{\"label\": \".me\", "
        "\"source\": 0, \"target\": 0, \"reason\": \"\"}], \"cuts\": "
        "[{\"label\": \".me\", "
        "\"source\": 0, \"target\": 0, \"reason\": \"the attribute that "
        "closes the cycle: make it a weakref, or set it to None when "
        "done\", \"alike\": 0}], \"more\": 0, \"more_least\": false, "
        "\"left\": null, \"advice\": \"Thing.me: the attribute that closes "
        "the cycle: make it a weakref, or set it to None when done\", "
        "\"held_by\": null, \"group\": 0, "
        "\"key\": \"1c41c81a4af5797f\", \"is_leak\": true, \"nodes\": [0]}\n"
        "]}\n");
    lg_text_free(&text);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(cycles)
{
    RUN(families);
    RUN(structures_of_native_code);
    RUN(closures);
    RUN(exceptions);
    RUN(reasons);
    RUN(gradients);
    RUN(rings);
    RUN(listed);
    RUN(as_json);
    return test_result();
}
