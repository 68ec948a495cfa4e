// Known mistakes with autograd graphs, each next to the same heap without the
// mistake.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>

static void
histories(void)
{
    const struct {
        const char *type; // type of the container
        int losses;
        uint32_t records; // inside it, around each loss
        const char *expected;
    } cases[] = {
        {"list", 3, 0, "loss-history "},
        {"collections.deque", 4, 1, "loss-history "},
        {"dict", 3, 1, "loss-history "},
        {"list", 2, 0, ""},
        {"list", 3, 2, "loss-history "},
        {"list", 3, 3, ""},
        {"tuple", 3, 0, ""},
        {"app.Losses", 3, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t all = story_add(&made, cases[i].type, NULL, 100);
        story_attribute(&made, app, "all", all);
        for (int n = 0; n < cases[i].losses; n++) {
            uint32_t kept = heap_loss(&made);
            for (uint32_t r = 0; r < cases[i].records; r++) {
                uint32_t record = story_add(&made, "app.Record", NULL, 48);
                story_attribute(&made, record, "loss", kept);
                kept = heap_list(&made, record);
            }
            story_edge(&made, all, kept, LG_EDGE_INDEX, (uint32_t)n);
        }
        CHECK(heap_finds(&made, cases[i].expected));
    }
}

// A dict keeps a loss for each name or for each step; a list keeps those of one
// forward pass; a running function keeps those that wait for backward().
static void
steps(void)
{
    const struct {
        const char *key;
        int losses;
        const char *expected;
    } cases[] = {
        {"real", 15, ""},
        {"real", 16, "loss-history "},
        {"step 1", 2, ""},
        {"step 1", 3, "loss-history "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t all = story_add(&made, "dict", NULL, 100);
        story_attribute(&made, app, "all", all);
        for (int n = 0; n < cases[i].losses; n++)
            heap_item(&made, all, cases[i].key, heap_loss(&made));
        CHECK(heap_finds(&made, cases[i].expected));
    }
}

// A list of outputs of one network; with `apart`, of one network each.
static void
outputs(void)
{
    static const char *const expected[] = {"", "output-history ", ""};
    enum { FEW, MANY, APART, CASES };
    for (int form = FEW; form < CASES; form++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t all = heap_list(&made, LG_NONE);
        uint32_t leaf = heap_leaf(&made, heap_tensor(&made, 4096, LG_NONE));
        story_attribute(&made, app, "all", all);
        for (int n = form == FEW; n < 8; n++) {
            if (form == APART)
                leaf = heap_leaf(&made, heap_tensor(&made, 4096, LG_NONE));
            uint32_t node = heap_grad_fn(&made, "ReluBackward0", leaf, LG_NONE);
            heap_append(&made, all, heap_tensor(&made, HEAP_BIG, node));
        }
        CHECK(heap_finds(&made, expected[form]));
    }
}

// Sets an attribute of an object, or the entry for it in the object's dict.
static void
set_part(story *made, uint32_t object, uint32_t dict, const char *name,
         uint32_t value)
{
    if (dict != LG_NONE)
        heap_item(made, dict, name, value);
    else
        story_attribute(made, object, name, value);
}

// Outputs of one network, or losses, in attributes of an object: out0, out1,
// ... A name without a number is one of a part of a step.
static void
numbered_attributes(void)
{
    const struct {
        const char *name;
        int count;
        bool numbered;
        uint64_t bytes;
        const char *expected;
    } cases[] = {
        {"out", 8, true, HEAP_BIG, "output-history "},
        {"out", 7, true, HEAP_BIG, ""},
        {"out", 20, false, HEAP_BIG, ""},
        {"loss", 8, true, 4, "loss-history "},
        {"loss", 7, true, 4, ""},
    };
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t all = story_add(&made, "app.Outputs", NULL, 48);
        uint32_t leaf = heap_leaf(&made, heap_tensor(&made, 4096, LG_NONE));
        uint32_t dict = LG_NONE;
        story_attribute(&made, app, "all", all);
        if (i % 2 == 0) {
            dict = story_add(&made, "dict", NULL, 100);
            story_edge(&made, all, dict, LG_EDGE_DICT, 0);
        }
        for (int n = 0; n < cases[i / 2].count; n++) {
            char name[16];
            char last = (char)((cases[i / 2].numbered ? '0' : 'a') + n);
            uint32_t node = heap_grad_fn(&made, "ReluBackward0", leaf, LG_NONE);
            snprintf(name, sizeof name, "%s_%c", cases[i / 2].name, last);
            set_part(&made, all, dict, name,
                     heap_tensor(&made, cases[i / 2].bytes, node));
        }
        CHECK(heap_finds(&made, cases[i / 2].expected));
    }
}

// A state in an attribute or a tuple of a list, of so many steps; it still has
// what a backward pass needs, but for the last case.
static void
carried(void)
{
    const struct {
        int steps;
        bool in_list;
        bool saved;
        const char *expected;
    } cases[] = {
        {16, false, true, "carried-state "},
        {16, true, true, "carried-state "},
        {15, false, true, ""},
        {16, false, false, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t weight = heap_leaf(&made, heap_tensor(&made, 4096, LG_NONE));
        uint32_t model = story_add(&made, "app.Model", NULL, 48);
        uint32_t at = LG_NONE;
        for (int n = 0; n < cases[i].steps; n++)
            at = heap_grad_fn(&made, "TanhBackward0", weight, at);
        if (cases[i].saved)
            story_attribute(&made, at, "._saved_result",
                            heap_tensor(&made, HEAP_BIG, LG_NONE));
        uint32_t state = heap_tensor(&made, 4096, at);
        if (cases[i].in_list) {
            uint32_t pair = story_add(&made, "tuple", NULL, 48);
            story_edge(&made, pair, state, LG_EDGE_INDEX, 0);
            state = heap_list(&made, pair);
        }
        story_attribute(&made, app, "model", model);
        story_attribute(&made, model, "state", state);
        CHECK(heap_finds(&made, cases[i].expected));
    }
}

static void
one_pass(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t trunk = heap_grad_fn(&made, "ReluBackward0", LG_NONE, LG_NONE);
    uint32_t all = heap_list(&made, LG_NONE);
    story_attribute(&made, app, "all", all);
    for (int n = 0; n < 8; n++)
        heap_append(
            &made, all,
            heap_tensor(&made, 4,
                        heap_grad_fn(&made, "MeanBackward0", trunk, LG_NONE)));
    CHECK(heap_finds(&made, ""));
}

// A total of scaled losses of one parameter, which is scaled itself; with
// `shared`, of one forward pass.
static void
check_total(const char *sum, const char *scale, int parts, bool shared,
            const char *expected)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t parameter = heap_tensor(&made, 4096, LG_NONE);
    uint32_t leaf = heap_leaf(&made, parameter);
    uint32_t trunk = heap_grad_fn(&made, "TanhBackward0", leaf, LG_NONE);
    uint32_t total = LG_NONE;
    for (int n = 0; n < parts; n++) {
        uint32_t from = shared ? trunk : leaf;
        uint32_t part = heap_grad_fn(&made, "MseLossBackward0", from, LG_NONE);
        uint32_t scaled = heap_grad_fn(&made, scale, part, LG_NONE);
        total = heap_grad_fn(&made, sum, total, scaled);
        total = heap_grad_fn(&made, scale, total, LG_NONE);
    }
    story_attribute(&made, app, "total", heap_tensor(&made, 4, total));
    story_attribute(&made, app, "parameter", parameter);
    CHECK(heap_finds(&made, expected));
}

static void
totals(void)
{
    static const char *const sums[] = {"AddBackward0", "SubBackward0",
                                       "LerpBackward0",
                                       "torch.autograd.AddBackward0"};
    static const char *const scales[] = {
        "MulBackward0",     "DivBackward0",   "CloneBackward0",
        "ToCopyBackward0",  "NegBackward0",   "SumBackward0",
        "MeanBackward0",    "AliasBackward0", "UnsqueezeBackward0",
        "SqueezeBackward0", "ViewBackward0",  "SelectBackward0",
    };
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        check_total(sums[i], "MulBackward0", 7, false, "running-total ");
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        check_total("AddBackward0", scales[i], 7, false, "running-total ");
    check_total("AddBackward0", "torch.autograd.MulBackward0", 7, false,
                "running-total ");
    check_total("AddBackward0", "MulBackward0", 7, true, "");
    check_total("AddBackward0", "MulBackward0", 6, false, "");
    check_total("AddBackward0", "ReluBackward0", 7, false, "");
    check_total("CatBackward0", "MulBackward0", 7, false, "");
}

static void
create_graph(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t parameter = heap_tensor(&made, 4096, LG_NONE);
    uint32_t leaf = heap_leaf(&made, parameter);
    uint32_t copy = heap_grad_fn(&made, "CopyBackwards", leaf, LG_NONE);
    story_attribute(&made, parameter, ".grad", heap_tensor(&made, 4096, copy));
    story_hold(&made, parameter, 1);
    CHECK(heap_finds(&made, "create-graph-cycle "));
}

// A hook that keeps an activation: in its closure, in the self of a bound
// method, in a global that its code names, and in a global that it does not
// name.
static void
hooks(void)
{
    for (int form = 0; form < 5; form++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t names = story_add(&made, "dict", NULL, 200);
        story_edge(&made, app, names, LG_EDGE_DICT, 0);
        uint32_t net = story_add(&made, "app.Net", NULL, 48);
        heap_item(&made, names, "net", net);
        uint32_t node = heap_grad_fn(&made, "ReluBackward0", LG_NONE, LG_NONE);
        uint32_t activation =
            heap_tensor(&made, HEAP_BIG, form == 4 ? LG_NONE : node);
        uint32_t kept = heap_list(&made, heap_list(&made, activation));
        uint32_t hook =
            heap_function(&made, form == 0 || form == 4 ? kept : LG_NONE);
        if (form == 1) {
            uint32_t self = story_add(&made, "app.Recorder", NULL, 48);
            uint32_t method = story_add(&made, "method", NULL, 64);
            story_attribute(&made, self, "seen", kept);
            story_attribute(&made, method, "__self__", self);
            story_attribute(&made, method, "__func__", hook);
            hook = method;
        } else if (form == 2 || form == 3) {
            uint32_t code = story_add(&made, "code", NULL, 100);
            uint32_t used = story_add(&made, "tuple", NULL, 48);
            heap_item(&made, names, "seen", kept);
            story_attribute(&made, hook, "__code__", code);
            story_attribute(&made, code, "co_names", used);
            story_edge(&made, hook, names, LG_EDGE_GLOBALS,
                       lg_builder_intern(made.builder, "__globals__", 11));
            uint32_t key = made.builder->node_count - 1;
            if (form == 2)
                story_edge(&made, used, key, LG_EDGE_INDEX, 0);
        }
        uint32_t all = story_add(&made, "collections.OrderedDict", NULL, 100);
        story_attribute(&made, net, "_forward_hooks", all);
        heap_item(&made, all, "1", hook);
        CHECK(heap_finds(&made, form < 3 ? "kept-activations " : ""));
    }
}

// A hook's store may be in a few lists, but not in many.
static void
deep_stores(void)
{
    for (uint32_t lists = 0; lists < 9; lists++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t node = heap_grad_fn(&made, "ReluBackward0", LG_NONE, LG_NONE);
        uint32_t kept = heap_tensor(&made, HEAP_BIG, node);
        for (uint32_t i = 0; i < lists; i++)
            kept = heap_list(&made, kept);
        uint32_t net = story_add(&made, "app.Net", NULL, 48);
        uint32_t all = story_add(&made, "collections.OrderedDict", NULL, 100);
        story_attribute(&made, app, "net", net);
        story_attribute(&made, net, "_forward_hooks", all);
        heap_item(&made, all, "1", heap_function(&made, kept));
        CHECK(heap_finds(&made, lists < 6 ? "kept-activations " : ""));
    }
}

// A closure is a finding if its function has returned and something stores it.
static void
closures(void)
{
    for (int running = 0; running < 2; running++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t output =
            heap_tensor(&made, HEAP_BIG,
                        heap_grad_fn(&made, "ReluBackward0", LG_NONE, LG_NONE));
        uint32_t function = heap_function(&made, output);
        uint32_t cell = function + 2;
        story_attribute(&made, app, "callbacks", heap_list(&made, function));
        if (running) {
            uint32_t frame = story_add(&made, "frame", NULL, 100);
            story_attribute(&made, app, "frame", frame);
            story_local(&made, frame, "output", cell);
        }
        CHECK(heap_finds(&made, running ? "" : "kept-activations "));
    }
}

SUITE(patterns_graph)
{
    RUN(histories);
    RUN(steps);
    RUN(outputs);
    RUN(numbered_attributes);
    RUN(carried);
    RUN(one_pass);
    RUN(totals);
    RUN(create_graph);
    RUN(hooks);
    RUN(deep_stores);
    RUN(closures);
    return test_result();
}
