// Compares what searches from single nodes tell with the passes over the whole
// graph, on random graphs.
#include "answers/answers_private.h"
#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include "story.h"
#include "test.h"

enum { NODES = 24, GRAPHS = 3000 };

typedef struct passes {
    uint8_t *collectable;
    lg__uncollectable uncollectable;
} passes;

static unsigned
draw_flags(uint64_t *state)
{
    uint32_t dice = test_random(state) % 20;
    return dice == 0   ? LG_NODE_TRACKED | LG_NODE_FROZEN
           : dice == 1 ? 0
           : dice == 2 ? LG_NODE_TRACKED | LG_NODE_IMMORTAL
                       : LG_NODE_TRACKED;
}

static void
draw_edges(story *made, uint64_t *state)
{
    for (uint32_t i = test_random(state) % (2 * NODES); i > 0; i--) {
        made->edge_flags = test_random(state) % 12 == 0   ? 0
                           : test_random(state) % 12 == 0 ? LG_EDGE_WEAK
                                                          : LG_EDGE_TRAVERSED;
        story_edge(made, test_random(state) % NODES, test_random(state) % NODES,
                   LG_EDGE_INDEX, 0);
    }
}

static lg_graph *
tell(uint64_t seed)
{
    uint64_t state = seed * 7919 + 1;
    story made = story_begin();
    for (uint32_t i = 0; i < NODES; i++) {
        made.flags = draw_flags(&state);
        story_add(&made, "list", NULL, 56);
    }
    draw_edges(&made, &state);
    for (uint32_t i = test_random(&state) % 3; i > 0; i--)
        story_hold(&made, test_random(&state) % NODES, 1);
    for (uint32_t i = test_random(&state) % 3; i > 0; i--) {
        uint32_t root = test_random(&state) % NODES;
        lg_builder_add_root(made.builder, root, LG_ROOT_STATIC, "", 0);
        lg_builder_add_found(made.builder, root, 1);
        story_hold(&made, root, 1);
    }
    return story_end(&made);
}

static void
compare(lg__liveness *one, const passes *all, uint32_t node)
{
    const lg__uncollectable *known = &all->uncollectable;
    bool held = lg__liveness_held(one, node);
    CHECK(lg__liveness_collectable(one, node) == all->collectable[node]);
    CHECK(held == (known->state[node] == 0));
    if (held)
        return;
    const lg__uncollectable *found = lg__liveness_uncollectable(one, node);
    REQUIRE(found != NULL);
    CHECK(lg__uncollectable_reason(found, node) ==
          lg__uncollectable_reason(known, node));
    CHECK(lg__uncollectable_culprit(found, node) ==
          lg__uncollectable_culprit(known, node));
}

// Asks about the nodes in an order that the seed decides, because each answer
// uses what earlier ones found out. Returns whether searches sufficed.
static bool
compare_graph(uint64_t seed, uint64_t references)
{
    lg_graph *graph = tell(seed);
    lg__liveness one;
    passes all = {0};
    REQUIRE(lg__graph_collectable(graph, &all.collectable, NULL) == LG_OK);
    REQUIRE(lg__uncollectable_new(graph, &all.uncollectable, NULL) == LG_OK);
    REQUIRE(lg__liveness_new(graph, &one));
    one.left = references;
    for (uint32_t i = 0; i < NODES; i++)
        compare(&one, &all, (uint32_t)((i * 5 + seed) % NODES));
    bool sufficed = one.collectable == NULL && !one.complete;
    CHECK(!one.failed);
    lg__liveness_free(&one);
    lg__free(all.collectable);
    lg__uncollectable_free(&all.uncollectable);
    lg_graph_free(graph);
    return sufficed;
}

static void
searches_agree_with_passes(void)
{
    for (uint64_t seed = 0; seed < GRAPHS; seed++)
        CHECK(compare_graph(seed, UINT64_MAX));
}

// Searches that may read few references leave the rest to the passes.
static void
passes_follow_searches(void)
{
    uint32_t by_passes = 0;
    for (uint64_t seed = 0; seed < GRAPHS; seed++)
        by_passes += !compare_graph(seed, seed % 32);
    CHECK(by_passes > GRAPHS / 4);
}

// A chain of lists, which refer to the one before. A root holds the last one.
static lg_graph *
make_chain(uint32_t length)
{
    lg_builder *builder;
    lg_graph *graph = NULL;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t type = lg_builder_add_type(builder, "list", 4, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t node = lg_builder_add_node(builder, 64 * (uint64_t)i + 64);
        lg_builder_put_type(builder, node, type);
        builder->node_flags[node] = LG_NODE_TRACKED;
        builder->refcount[node] = 1;
        lg_builder_open(builder, node);
        if (i > 0)
            lg_builder_add_edge(builder, node - 1,
                                LG_EDGE_INDEX | LG_EDGE_TRAVERSED, 0);
    }
    lg_builder_add_root(builder, length - 1, LG_ROOT_STATIC, "", 0);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

static void
long_searches_end(void)
{
    lg_graph *graph = make_chain(5000);
    lg__liveness one;
    REQUIRE(lg__liveness_new(graph, &one));
    one.left = UINT64_MAX;
    CHECK(lg__liveness_held(&one, 0));
    CHECK(one.complete);
    CHECK(!lg__liveness_collectable(&one, 0));
    CHECK(one.collectable != NULL);
    lg__liveness_free(&one);
    lg_graph_free(graph);
}

// A search marks what it proved, so the next node of the chain needs none.
static void
searches_build_on_proofs(void)
{
    lg_graph *graph = make_chain(1000);
    lg__liveness one;
    REQUIRE(lg__liveness_new(graph, &one));
    one.left = 1000;
    CHECK(lg__liveness_held(&one, 0));
    for (uint32_t node = 1; node < 1000; node++)
        CHECK(lg__liveness_held(&one, node));
    CHECK(!one.complete);
    lg__liveness_free(&one);
    lg_graph_free(graph);
}

SUITE(liveness)
{
    RUN(searches_agree_with_passes);
    RUN(passes_follow_searches);
    RUN(long_searches_end);
    RUN(searches_build_on_proofs);
    return test_result();
}
