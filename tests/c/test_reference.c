// Texts that name references.
#include <leakgraph/internal/what_if.h>

#include "story.h"
#include "test.h"

// Nobody need cut a weak reference; where a strong one has the same name, only
// that one is to be cut.
static void
weak(void)
{
    for (int strong = 0; strong < 2; strong++) {
        story made = story_begin();
        uint32_t app = story_module(&made, "app");
        uint32_t thing = story_add(&made, "app.Thing", NULL, 100);
        uint32_t name = lg_builder_intern(made.builder, "watched", 7);
        story_attribute(&made, app, "thing", thing);
        story_edge(&made, app, thing, LG_EDGE_ATTRIBUTE | LG_EDGE_WEAK, name);
        if (strong)
            story_edge(&made, app, thing, LG_EDGE_ATTRIBUTE, name);
        lg_graph *graph = story_end(&made);
        lg_edges edges = {0};
        lg_error error = {0};
        lg_status status =
            lg_graph_references(graph, "app.watched", NULL, &edges, &error);
        CHECK(status == (strong ? LG_OK : LG_ENOTFOUND));
        CHECK(edges.count == (size_t)strong);
        CHECK(strong || strstr(error.message, ".watched is a weak reference"));
        lg_edges_free(&edges);
        lg_graph_free(graph);
    }
}

SUITE(reference)
{
    RUN(weak);
    return test_result();
}
