// A chain of ten million nodes: no function may recurse over the graph.
#include <unistd.h>

#include <leakgraph/file.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/hops.h>

#include "sample.h"
#include "test.h"

enum { NODES = 10000000 };

static void
saved_and_loaded(const lg_graph *graph)
{
    char path[] = "/tmp/leakgraph-XXXXXX";
    lg_graph *again = NULL;
    int descriptor = mkstemp(path);
    REQUIRE(descriptor >= 0);
    CHECK(lg_graph_save(graph, path, NULL, NULL, NULL) == LG_OK);
    REQUIRE(lg_graph_load(path, LG_LOAD_MAPPED, NULL, &again, NULL) == LG_OK);
    CHECK(lg_graph_columns(again)->edge_count == NODES - 1);
    lg_graph_free(again);
    close(descriptor);
    unlink(path);
}

static void
chain(void)
{
    lg_graph *graph = sample_chain(NODES);
    lg_path path;
    lg_hops hops;
    REQUIRE(lg_path_from_root(graph, NODES - 1, NULL, &path, NULL) == LG_OK);
    CHECK(path.count == NODES - 1);
    CHECK(path.hops[NODES - 2].target == NODES - 1);
    lg_path_free(&path);
    CHECK(lg_node_hops_in(graph, NODES / 2, &hops, NULL) == LG_OK);
    CHECK(hops.count == 1 && hops.items[0].source == NODES / 2 - 1);
    lg_hops_free(&hops);
    saved_and_loaded(graph);
    lg_graph_free(graph);
}

SUITE(deep)
{
    RUN(chain);
    return test_result();
}
