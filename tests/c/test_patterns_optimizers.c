// Known mistakes with optimizers, each next to the same heap without the
// mistake.
#include "heaps.h"
#include "test.h"

static void
optimizers(void)
{
    for (int in_use = 0; in_use < 2; in_use++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t parameter = heap_tensor(&made, 4096, LG_NONE);
        uint32_t optimizer = story_add(&made, "torch.optim.SGD", NULL, 48);
        uint32_t group = story_add(&made, "dict", NULL, 100);
        story_attribute(&made, app, "optimizer", optimizer);
        story_attribute(&made, optimizer, "param_groups",
                        heap_list(&made, group));
        heap_item(&made, group, "params", heap_list(&made, parameter));
        if (in_use) {
            uint32_t net = story_add(&made, "app.Net", NULL, 48);
            uint32_t all = story_add(&made, "dict", NULL, 100);
            story_attribute(&made, app, "net", net);
            story_attribute(&made, net, "_parameters", all);
            heap_item(&made, all, "weight", parameter);
        }
        CHECK(heap_finds(&made, in_use ? "" : "stale-optimizer "));
    }
}

// Of two optimizers that have state for a parameter of a module, one can go.
static void
several_optimizers(void)
{
    for (int second = 0; second < 2; second++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t net = story_add(&made, "app.Net", NULL, 48);
        uint32_t all = story_add(&made, "dict", NULL, 100);
        uint32_t parameter = heap_tensor(&made, 4096, LG_NONE);
        story_attribute(&made, app, "net", net);
        story_attribute(&made, net, "_parameters", all);
        heap_item(&made, all, "weight", parameter);
        for (int n = 0; n < 2; n++) {
            uint32_t optimizer = story_add(&made, "torch.optim.SGD", NULL, 48);
            uint32_t states = story_add(&made, "dict", NULL, 100);
            uint32_t state = story_add(&made, "dict", NULL, 100);
            uint32_t momentum = heap_tensor(&made, HEAP_BIG, LG_NONE);
            heap_memory(&made, momentum);
            story_attribute(&made, app, n ? "new" : "old", optimizer);
            story_attribute(&made, optimizer, "state", states);
            heap_item(&made, state, "momentum_buffer", momentum);
            if (n == 0 || second)
                story_edge(&made, states, state, LG_EDGE_VALUE, parameter);
            else
                story_attribute(&made, app, "state", state);
        }
        CHECK(heap_finds(&made, second ? "several-optimizers " : ""));
    }
}

// If nothing else uses the state of a parameter, the state is part of the
// retained size.
static void
states(void)
{
    for (int stale = 0; stale < 2; stale++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t parameter = heap_tensor(&made, 4096, LG_NONE);
        uint32_t average = heap_tensor(&made, HEAP_BIG, LG_NONE);
        heap_memory(&made, average);
        uint32_t optimizer = story_add(&made, "torch.optim.SGD", NULL, 48);
        uint32_t state = story_add(&made, "dict", NULL, 100);
        uint32_t of_one = story_add(&made, "dict", NULL, 100);
        story_attribute(&made, app, "optimizer", optimizer);
        story_attribute(&made, optimizer, "state", state);
        story_edge(&made, state, parameter, LG_EDGE_KEY, 0);
        story_edge(&made, state, of_one, LG_EDGE_VALUE, parameter);
        heap_item(&made, of_one, "average", average);
        if (!stale)
            story_attribute(&made, app, "parameter", parameter);
        uint64_t bytes = heap_finding_bytes(&made);
        CHECK(stale ? bytes > HEAP_BIG : bytes == 0);
    }
}

SUITE(patterns_optimizers)
{
    RUN(optimizers);
    RUN(several_optimizers);
    RUN(states);
    return test_result();
}
