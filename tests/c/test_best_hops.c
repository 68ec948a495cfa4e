// Compares hops that are found together with those that are found one by one.
#include "paths/paths_private.h"
#include "sample.h"
#include "test.h"

enum { MOST = 64 };

// What the search has found for each target.
typedef struct hops_found {
    const lg_graph *graph;
    lg_hop last[MOST];
    unsigned calls[MOST];
} hops_found;

static void
note(void *context, size_t index, const lg_hop *hop)
{
    hops_found *found = context;
    REQUIRE(index < MOST);
    if (found->calls[index]++ > 0)
        CHECK(lg__hop_penalty(found->graph, hop) <
              lg__hop_penalty(found->graph, &found->last[index]));
    found->last[index] = *hop;
}

static void
compare(lg__best_hops *room, const lg__hop_walk *walk, uint32_t source,
        const lg__gathered *targets)
{
    const lg_graph *graph = walk->graph;
    hops_found found = {.graph = graph};
    REQUIRE(lg__best_hops_find(room, walk, source, targets, note, &found));
    for (size_t i = 0; i < targets->count; i++) {
        lg_hop one = lg__hop_between(walk, source, targets->items[i]);
        const lg_hop *last = &found.last[i];
        CHECK(found.calls[i] > 0);
        CHECK((last->edge_count > 0) == (one.edge_count > 0));
        if (last->edge_count == 0 || one.edge_count == 0)
            continue;
        CHECK(last->source == source && last->target == targets->items[i]);
        CHECK(!last->weak);
        CHECK(lg__hop_penalty(graph, last) == lg__hop_penalty(graph, &one));
    }
}

// No hop leads from what is no node.
static void
compare_none(lg__best_hops *room, const lg__hop_walk *walk,
             const lg__gathered *targets)
{
    hops_found found = {.graph = walk->graph};
    REQUIRE(lg__best_hops_find(room, walk, walk->graph->columns.node_count,
                               targets, note, &found));
    for (size_t i = 0; i < targets->count; i++)
        CHECK(found.calls[i] == 1 && found.last[i].edge_count == 0);
}

// From each node to all nodes, and to the first few.
static void
each_source(lg_graph *graph)
{
    uint32_t count = lg_graph_columns(graph)->node_count;
    lg__best_hops room = {0};
    lg__gathered targets = {0};
    lg__hop_walk walk = {
        .graph = graph, .fold = lg__graph_folds(graph), .everything = true};
    REQUIRE(walk.fold != NULL && lg__graph_reverse(graph, &walk.reverse));
    for (uint32_t node = 0; node < count; node++)
        if (lg__fold_owner(walk.fold, node) == LG_NONE)
            REQUIRE(lg__gather_append(&targets, node));
    for (uint32_t node = 0; node < count; node++) {
        lg__gathered few = {targets.items,
                            targets.count < 5 ? targets.count : 5, 0};
        compare(&room, &walk, node, &targets);
        compare(&room, &walk, node, &few);
        compare_none(&room, &walk, &targets);
        compare_none(&room, &walk, &few);
    }
    lg__best_hops_free(&room);
    lg__free(targets.items);
    lg_graph_free(graph);
}

static void
of_a_program(void)
{
    lg_graph *graph;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    each_source(graph);
}

static void
of_random_graphs(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
        each_source(sample_random(seed, 40, false));
}

SUITE(best_hops)
{
    RUN(of_a_program);
    RUN(of_random_graphs);
    return test_result();
}
