// Which references are one attribute.
#include "paths/paths_private.h"
#include "story.h"
#include "test.h"

// Returns the n-th edge of a node.
static lg__reference
edge_of(const lg_graph *graph, uint32_t node, uint64_t n)
{
    return (lg__reference){node,
                           lg_columns_first_edge(&graph->columns, node) + n};
}

// A dict of the program whose instance has a namespace, too: both have two
// entries for the same object, and the instance an attribute.
static void
stored_twice(void)
{
    story made = story_begin();
    story_type(&made, "app.Registry", "dict");
    uint32_t x = story_add(&made, "str", "x", 50);
    uint32_t y = story_add(&made, "str", "y", 50);
    uint32_t kept = story_add(&made, "app.Kept", NULL, 48);
    uint32_t registry = story_add(&made, "app.Registry", NULL, 64);
    uint32_t names = story_add(&made, "dict", NULL, 64);
    story_edge(&made, registry, names, LG_EDGE_DICT, 0);
    story_edge(&made, registry, kept, LG_EDGE_VALUE, x);
    story_attribute(&made, registry, "x", kept);
    story_edge(&made, names, kept, LG_EDGE_VALUE, x);
    story_edge(&made, names, kept, LG_EDGE_VALUE, y);
    story_edge(&made, names, registry, LG_EDGE_VALUE, x);
    lg_graph *graph = story_end(&made);
    const lg__folds *folds = lg__graph_folds(graph);
    lg__reference item = edge_of(graph, registry, 1);
    lg__reference attribute = edge_of(graph, registry, 2);
    lg__reference same = edge_of(graph, names, 0);
    const lg__reference others[] = {item, edge_of(graph, names, 1),
                                    edge_of(graph, names, 2)};
    REQUIRE(folds != NULL);
    CHECK(lg__reference_is_attribute(graph, folds, attribute));
    CHECK(lg__reference_is_attribute(graph, folds, same));
    CHECK(!lg__reference_is_attribute(graph, folds, item));
    CHECK(lg__references_are_one(graph, folds, attribute, same));
    CHECK(lg__references_are_one(graph, folds, item, item));
    CHECK(!lg__references_are_one(graph, folds, item, same));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!lg__references_are_one(graph, folds, attribute, others[i]));
    lg_graph_free(graph);
}

// The text of a key that a snapshot leaves out says nothing.
static void
without_names(void)
{
    story made = story_begin();
    uint32_t key = story_add(&made, "str", NULL, 50);
    uint32_t kept = story_add(&made, "app.Kept", NULL, 48);
    uint32_t thing = story_add(&made, "app.Thing", NULL, 64);
    uint32_t names = story_add(&made, "dict", NULL, 64);
    story_edge(&made, thing, names, LG_EDGE_DICT, 0);
    story_edge(&made, names, kept, LG_EDGE_VALUE, key);
    story_edge(&made, names, kept, LG_EDGE_VALUE, key);
    lg_graph *graph = story_end(&made);
    const lg__folds *folds = lg__graph_folds(graph);
    REQUIRE(folds != NULL && lg__fold_owner(folds, names) == thing);
    CHECK(!lg__references_are_one(graph, folds, edge_of(graph, names, 0),
                                  edge_of(graph, names, 1)));
    lg_graph_free(graph);
}

// The last edge of a hop, which may go through a namespace.
static void
of_a_hop(void)
{
    story made = story_begin();
    uint32_t key = story_add(&made, "str", "x", 50);
    uint32_t kept = story_add(&made, "app.Kept", NULL, 48);
    uint32_t thing = story_add(&made, "app.Thing", NULL, 64);
    uint32_t names = story_add(&made, "dict", NULL, 64);
    story_edge(&made, thing, names, LG_EDGE_DICT, 0);
    story_edge(&made, names, kept, LG_EDGE_VALUE, key);
    lg_graph *graph = story_end(&made);
    const lg_columns *columns = &graph->columns;
    const lg_hop hop = {.source = thing,
                        .target = kept,
                        .edge_count = 2,
                        .edges = {lg_columns_first_edge(columns, thing),
                                  lg_columns_first_edge(columns, names)}};
    const lg_hop direct = {.source = thing,
                           .target = names,
                           .edge_count = 1,
                           .edges = {lg_columns_first_edge(columns, thing)}};
    lg__reference last = lg__hop_reference(graph, &hop);
    lg__reference only = lg__hop_reference(graph, &direct);
    CHECK(last.source == names &&
          last.edge == lg_columns_first_edge(columns, names));
    CHECK(only.source == thing &&
          only.edge == lg_columns_first_edge(columns, thing));
    lg_graph_free(graph);
}

SUITE(attribute)
{
    RUN(stored_twice);
    RUN(without_names);
    RUN(of_a_hop);
    return test_result();
}
