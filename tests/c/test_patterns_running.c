// Graphs that are no mistake as long as code runs that uses them, or once a
// backward pass has freed them, each next to the same heap with the mistake.
#include "heaps.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>

// Adds the dict of globals that code in this frame has, with one variable.
static void
add_global(story *made, uint32_t app, uint32_t frame, uint32_t value)
{
    uint32_t names = story_add(made, "dict", NULL, 200);
    story_edge(made, app, names, LG_EDGE_DICT, 0);
    heap_item(made, names, "loss", value);
    story_edge(made, frame, names, LG_EDGE_GLOBALS,
               lg_builder_intern(made->builder, "f_locals", 8));
}

// Gives the last of its globals to the frame of a function.
static uint32_t
in_function(story *made, uint32_t frame)
{
    uint32_t function = heap_function(made, LG_NONE);
    uint32_t names = made->builder->node_count - 3;
    story_edge(made, function, names, LG_EDGE_GLOBALS,
               lg_builder_intern(made->builder, "__globals__", 11));
    uint32_t inner = story_add(made, "frame", NULL, 100);
    story_edge(made, frame, inner, LG_EDGE_FRAME, 0);
    story_attribute(made, inner, ".function", function);
    return inner;
}

// Gives the frame its code, which names `name` or, for LG_NONE, nothing.
static void
add_code(story *made, uint32_t frame, uint32_t name)
{
    uint32_t code = story_add(made, "code", NULL, 100);
    uint32_t names = story_add(made, "tuple", NULL, 48);
    story_attribute(made, frame, ".f_code", code);
    story_attribute(made, code, "co_names", names);
    if (name != LG_NONE)
        story_edge(made, names, name, LG_EDGE_INDEX, 0);
}

// A loss that only a frame holds, or a global that running code names, is still
// in use. If it is not known what the code names, it may name all.
static void
retained(void)
{
    enum { FIRST, DONE, LOCAL, IN_LOCAL, GLOBAL, NAMED, ASIDE, INSIDE, CASES };
    for (int form = FIRST; form < CASES; form++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t parameter = heap_tensor(&made, 4096, LG_NONE);
        uint32_t leaf = heap_leaf(&made, parameter);
        uint32_t node = heap_grad_fn(&made, "MeanBackward0", leaf, LG_NONE);
        story_attribute(&made, node, "._saved_self",
                        heap_tensor(&made, HEAP_BIG, LG_NONE));
        story_attribute(&made, app, "parameter", parameter);
        if (form != FIRST)
            story_attribute(&made, parameter, ".grad",
                            heap_tensor(&made, 4096, LG_NONE));
        uint32_t last = heap_tensor(&made, 4, node);
        uint32_t frame = story_add(&made, "frame", NULL, 100);
        story_edge(&made, app, frame, LG_EDGE_FRAME, 0);
        if (form == LOCAL) {
            story_local(&made, frame, "loss", last);
        } else if (form == IN_LOCAL) {
            story_local(&made, frame, "losses", heap_list(&made, last));
        } else if (form == GLOBAL) {
            add_global(&made, app, frame, last);
        } else if (form >= NAMED) {
            add_global(&made, app, frame, last);
            uint32_t key = made.builder->node_count - 1;
            uint32_t inner = form == INSIDE ? in_function(&made, frame) : frame;
            add_code(&made, inner, form == ASIDE ? LG_NONE : key);
            if (form == INSIDE)
                add_code(&made, frame, LG_NONE);
        } else {
            story_attribute(&made, app, "loss", last);
        }
        CHECK(heap_finds(
            &made, form == DONE || form == ASIDE ? "retained-graph " : ""));
    }
}

// A loss of a trunk that the backward pass of another loss freed, and one whose
// trunk is whole; `own`: it has a parameter of its own, which got a gradient.
static void
freed_below(void)
{
    static const char *const saving[] = {
        "AddmmBackward0",       "MmBackward0",
        "BmmBackward0",         "BaddbmmBackward0",
        "ConvolutionBackward0", "EmbeddingBackward0",
        "ReluBackward0",        "SigmoidBackward0",
        "TanhBackward0",        "GeluBackward0",
        "SiluBackward0",        "NativeLayerNormBackward0",
        "SoftmaxBackward0",     "NativeBatchNormBackward0",
        "LogSoftmaxBackward0",  "CudnnBatchNormBackward0",
        "ViewBackward0", // saves nothing, so nothing was freed
    };
    enum { CASES = sizeof saving / sizeof *saving };
    for (int i = 0; i < 3 * CASES; i++) {
        bool own = i / CASES == 1;
        bool whole = i / CASES == 2;
        bool freed = !whole && i % CASES != CASES - 1;
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t parameter = heap_tensor(&made, 4096, LG_NONE);
        uint32_t leaf = heap_leaf(&made, parameter);
        story_attribute(&made, parameter, ".grad",
                        heap_tensor(&made, 4096, LG_NONE));
        uint32_t trunk = heap_grad_fn(&made, saving[i % CASES], leaf, LG_NONE);
        if (whole)
            story_attribute(&made, trunk, "._saved_self",
                            heap_tensor(&made, 4096, LG_NONE));
        uint32_t node =
            heap_grad_fn(&made, "AbsBackward0", trunk, own ? leaf : LG_NONE);
        story_attribute(&made, node, "._saved_self",
                        heap_tensor(&made, HEAP_BIG, LG_NONE));
        story_attribute(&made, app, "parameter", parameter);
        story_attribute(&made, app, "loss", heap_tensor(&made, 4, node));
        CHECK(heap_finds(&made, own || !freed ? "retained-graph " : ""));
    }
}

// A state in a global that running code names, of so many steps; `half`: each
// step uses half of the weights.
static void
carried_by_running_code(void)
{
    const struct {
        int steps;
        bool half;
        const char *expected;
    } cases[] = {
        {24, false, ""},
        {25, false, "carried-state "},
        {60, true, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t frame = story_add(&made, "frame", NULL, 100);
        story_edge(&made, app, frame, LG_EDGE_FRAME, 0);
        uint32_t often = heap_leaf(&made, heap_tensor(&made, 4096, LG_NONE));
        uint32_t once = heap_leaf(&made, heap_tensor(&made, 4096, LG_NONE));
        uint32_t at = heap_grad_fn(&made, "MmBackward0", once, LG_NONE);
        for (int n = 0; n < cases[i].steps; n++) {
            uint32_t more = cases[i].half ? LG_NONE : once;
            at = heap_grad_fn(&made, "AddmmBackward0", often, at);
            at = heap_grad_fn(&made, "TanhBackward0", more, at);
        }
        story_attribute(&made, at, "._saved_result",
                        heap_tensor(&made, HEAP_BIG, LG_NONE));
        add_global(&made, app, frame, heap_tensor(&made, 4096, at));
        CHECK(heap_finds(&made, cases[i].expected));
    }
}

// The losses that a running function gathers: those that wait for backward(),
// those that backward() has freed, and those of weights that have changed
// since.
enum { WAITS, FREED, CHANGED };

static void
gather(story *made, uint32_t all, int count, int phase)
{
    uint32_t weight = heap_tensor(made, HEAP_BIG, LG_NONE);
    for (int n = 0; n < count; n++) {
        uint32_t loss = heap_loss(made);
        heap_append(made, all, loss);
        if (phase != FREED)
            story_attribute(made, loss - 1, "._saved_self", weight);
        if (phase == CHANGED)
            lg_builder_add_fact(made->builder, loss - 1, "modified", "1", 1);
    }
}

static void
gathered_in_local(void)
{
    for (int phase = WAITS; phase <= CHANGED; phase++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t frame = story_add(&made, "frame", NULL, 100);
        uint32_t all = heap_list(&made, LG_NONE);
        story_edge(&made, app, frame, LG_EDGE_FRAME, 0);
        story_local(&made, frame, "all", all);
        gather(&made, all, 5, phase);
        CHECK(heap_finds(&made, phase == WAITS ? "" : "loss-history "));
    }
}

// In an attribute that a running method names, if the program trains.
static void
gathered_in_attribute(void)
{
    static const struct {
        int phase;
        int count;
        bool trains, runs;
        const char *expected;
    } cases[] = {
        {WAITS, 5, true, true, ""},
        {WAITS, 256, true, true, ""},
        {WAITS, 257, true, true, "loss-history "},
        {WAITS, 5, false, true, "loss-history "},
        {WAITS, 5, true, false, "loss-history "},
        {FREED, 5, true, true, "loss-history "},
        {CHANGED, 5, true, true, "loss-history "},
        {CHANGED, 2, true, true, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t frame = story_add(&made, "frame", NULL, 100);
        uint32_t agent = story_add(&made, "app.Agent", NULL, 48);
        uint32_t all = heap_list(&made, LG_NONE);
        story_edge(&made, app, frame, LG_EDGE_FRAME, 0);
        story_attribute(&made, app, "agent", agent);
        uint32_t names = story_add(&made, "dict", NULL, 200);
        story_edge(&made, agent, names, LG_EDGE_DICT, 0);
        heap_item(&made, names, "all", all);
        if (cases[i].runs)
            story_local(&made, frame, "self", agent);
        if (cases[i].trains)
            story_local(&made, frame, "optimizer",
                        story_add(&made, "torch.optim.SGD", NULL, 48));
        gather(&made, all, cases[i].count, cases[i].phase);
        CHECK(heap_finds(&made, cases[i].expected));
    }
}

// Adds code of a function that names a variable and backward(). It may keep the
// graph: a constant has the names of the arguments that it passes.
static void
add_trainer(story *made, uint32_t key, const char *function, bool retains)
{
    uint32_t code = story_add(made, "code", function, 100);
    uint32_t names = story_add(made, "tuple", NULL, 48);
    uint32_t constants = story_add(made, "tuple", NULL, 48);
    uint32_t arguments = story_add(made, "tuple", NULL, 48);
    story_attribute(made, code, "co_names", names);
    story_attribute(made, code, "co_consts", constants);
    story_edge(made, names, key, LG_EDGE_INDEX, 0);
    story_edge(made, names, story_add(made, "str", "backward", 50),
               LG_EDGE_INDEX, 1);
    story_edge(made, constants, arguments, LG_EDGE_INDEX, 0);
    if (retains)
        story_edge(made, arguments, story_add(made, "str", "retain_graph", 50),
                   LG_EDGE_INDEX, 0);
}

// In a list that a function has for its backward(), between two calls of it.
static void
gathered_for_a_function(void)
{
    static const struct {
        int phase;
        int count;
        const char *function;
        bool retains;
        const char *expected;
    } cases[] = {
        {WAITS, 5, "learn", false, ""},
        {WAITS, 256, "learn", false, ""},
        {WAITS, 257, "learn", false, "loss-history "},
        {FREED, 5, "learn", false, "loss-history "},
        {CHANGED, 5, "learn", false, "loss-history "},
        {WAITS, 5, "learn", true, "loss-history "},
        {WAITS, 5, "<module>", false, "loss-history "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t names = story_add(&made, "dict", NULL, 200);
        uint32_t all = heap_list(&made, LG_NONE);
        story_attribute(&made, app, "optimizer",
                        story_add(&made, "torch.optim.SGD", NULL, 48));
        story_edge(&made, app, names, LG_EDGE_DICT, 0);
        heap_item(&made, names, "all", all);
        add_trainer(&made, made.builder->node_count - 1, cases[i].function,
                    cases[i].retains);
        gather(&made, all, cases[i].count, cases[i].phase);
        CHECK(heap_finds(&made, cases[i].expected));
    }
}

SUITE(patterns_running)
{
    RUN(gathered_for_a_function);
    RUN(retained);
    RUN(freed_below);
    RUN(carried_by_running_code);
    RUN(gathered_in_local);
    RUN(gathered_in_attribute);
    return test_result();
}
