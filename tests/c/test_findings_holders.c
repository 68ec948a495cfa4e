// Which object a finding names as the holder, and what belongs to it.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

#include <leakgraph/internal/findings.h>

// Ends the story and returns its findings.
static lg_findings
findings_of(story *made, lg_graph **graph, lg_analysis **analysis)
{
    lg_findings found = {0};
    *graph = story_end(made);
    *analysis = analysed(*graph);
    REQUIRE(lg_analysis_findings(*analysis, NULL, NULL, &found, NULL) == LG_OK);
    return found;
}

// The fix changes the lists in which a closure has an activation. The list that
// would live on without the closure is the holder, and nothing else is.
static void
closures_of_lists(void)
{
    for (uint32_t lists = 0; lists < 4; lists++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t kept =
            heap_tensor(&made, HEAP_BIG,
                        heap_grad_fn(&made, "ReluBackward0", LG_NONE, LG_NONE));
        uint32_t seen = LG_NONE;
        for (uint32_t i = 0; i < lists; i++) {
            kept = heap_list(&made, kept);
            if (i == 0)
                story_attribute(&made, app, "seen", seen = kept);
        }
        uint32_t function = heap_function(&made, kept);
        story_attribute(&made, app, "callbacks", heap_list(&made, function));
        lg_graph *graph;
        lg_analysis *analysis;
        lg_findings found = findings_of(&made, &graph, &analysis);
        REQUIRE(found.count == (lists < 3));
        if (found.count == 1) {
            CHECK(found.items->holder_count == 1 && found.items->others == 0);
            CHECK(found.items->holders->node ==
                  (seen != LG_NONE ? seen : function));
        }
        lg_findings_free(&found);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// Of classes in two lists, that of the first class is the holder.
static void
classes_in_two_lists(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t first = heap_list(&made, LG_NONE);
    uint32_t rest = heap_list(&made, LG_NONE);
    story_attribute(&made, app, "first", first);
    story_attribute(&made, app, "rest", rest);
    for (uint32_t n = 0; n < 16; n++)
        heap_append(
            &made, n % 2 == 0 ? first : rest,
            story_add(&made, "type", "app.make.<locals>.Row", HEAP_BIG));
    lg_graph *graph;
    lg_analysis *analysis;
    lg_findings found = findings_of(&made, &graph, &analysis);
    REQUIRE(found.count == 1);
    CHECK(found.items->holders->node == first);
    CHECK(found.items->count == 16);
    lg_findings_free(&found);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A hook is found in a namespace, one of whose keys the snapshot does not have.
static void
unknown_keys(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t net = story_add(&made, "app.Net", NULL, 48);
    uint32_t space = story_add(&made, "dict", NULL, 100);
    uint32_t all = story_add(&made, "collections.OrderedDict", NULL, 100);
    story_attribute(&made, app, "net", net);
    story_edge(&made, net, space, LG_EDGE_DICT, 0);
    story_edge(&made, space, app, LG_EDGE_VALUE, LG_NONE);
    heap_item(&made, space, "_forward_hooks", all);
    uint32_t node = heap_grad_fn(&made, "ReluBackward0", LG_NONE, LG_NONE);
    uint32_t kept = heap_tensor(&made, HEAP_BIG, node);
    heap_item(&made, all, "1", heap_function(&made, heap_list(&made, kept)));
    CHECK(heap_finds(&made, "kept-activations "));
}

SUITE(findings_holders)
{
    RUN(closures_of_lists);
    RUN(classes_in_two_lists);
    RUN(unknown_keys);
    return test_result();
}
