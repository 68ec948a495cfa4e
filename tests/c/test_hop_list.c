// Compares hops that are found together with those that are found one by one.
#include "paths/paths_private.h"
#include "sample.h"
#include "test.h"

static void
compare(lg__hop_list *list, const lg__hop_walk *walk, uint32_t source,
        const lg__gathered *targets)
{
    const lg_graph *graph = walk->graph;
    REQUIRE(lg__hop_list_find(list, walk, source, targets));
    for (size_t i = 0; i < targets->count; i++) {
        lg_hop one = lg__hop_between(walk, source, targets->items[i]);
        const lg_hop *found = &list->items[i];
        CHECK((found->edge_count > 0) == (one.edge_count > 0));
        if (found->edge_count == 0 || one.edge_count == 0)
            continue;
        CHECK(found->source == source && found->target == targets->items[i]);
        CHECK(!found->weak);
        CHECK(lg__hop_penalty(graph, found) == lg__hop_penalty(graph, &one));
    }
}

// From each node to all nodes, and to the first few.
static void
each_source(lg_graph *graph)
{
    uint32_t count = lg_graph_columns(graph)->node_count;
    lg__hop_list list = {0};
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
        compare(&list, &walk, node, &targets);
        compare(&list, &walk, node, &few);
    }
    REQUIRE(lg__hop_list_find(&list, &walk, count, &targets));
    CHECK(list.items[0].edge_count == 0);
    lg__hop_list_free(&list);
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

SUITE(hop_list)
{
    RUN(of_a_program);
    RUN(of_random_graphs);
    return test_result();
}
