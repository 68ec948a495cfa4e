// Disjoint paths, against a maximum flow of the test's own and by what they
// claim: each a path, none through another's inner node.
#include "drawn.h"
#include "story.h"
#include "test.h"

enum { NODES = 16, GRAPHS = 3000, SIDES = 2 * NODES + 1, SOURCE = 2 * NODES };

typedef struct network {
    uint8_t capacity[SIDES][SIDES];
} network;

// Node n comes in at 2 * n and goes out at 2 * n + 1.
static network
lay(const lg_analysis *analysis, uint32_t target)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t dominator = lg_node_dominator(analysis, target);
    network net = {0};
    bool source[NODES] = {false};
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++)
        source[lg_graph_root(graph, i).node] = dominator == LG_NONE;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        source[node] |= node == dominator;
        net.capacity[2 * node][2 * node + 1] = 1;
    }
    for (uint64_t edge = 0; edge < columns->edge_count; edge++) {
        uint32_t from = lg_edge_source(graph, edge);
        uint32_t to = columns->edge_target[edge];
        if (source[to] || from == target ||
            lg_node_is_reachable(analysis, from) !=
                lg_node_is_reachable(analysis, target))
            continue;
        net.capacity[source[from] ? SOURCE : 2 * from + 1][2 * to]++;
    }
    return net;
}

static bool
push(network *net, uint32_t sink)
{
    uint32_t from[SIDES];
    uint32_t queue[SIDES];
    uint32_t count = 1;
    memset(from, 0xff, sizeof from);
    queue[0] = SOURCE;
    from[SOURCE] = SOURCE;
    for (uint32_t i = 0; i < count && from[sink] == LG_NONE; i++)
        for (uint32_t side = 0; side < SIDES; side++)
            if (net->capacity[queue[i]][side] > 0 && from[side] == LG_NONE) {
                from[side] = queue[i];
                queue[count++] = side;
            }
    if (from[sink] == LG_NONE)
        return false;
    for (uint32_t at = sink; at != SOURCE; at = from[at]) {
        net->capacity[from[at]][at]--;
        net->capacity[at][from[at]]++;
    }
    return true;
}

static size_t
maximum(const lg_analysis *analysis, uint32_t target)
{
    network net = lay(analysis, target);
    size_t count = 0;
    while (push(&net, 2 * target))
        count++;
    return count;
}

static void
check_path(const lg_path *path, uint32_t target, uint32_t *used)
{
    uint32_t at = path->root.node;
    for (size_t i = 0; i < path->count; i++) {
        const lg_hop *hop = &path->hops[i];
        CHECK(hop->source == at && !hop->weak);
        CHECK(i == 0 || used[at]++ == 0);
        at = hop->target;
    }
    CHECK(at == target);
}

static bool
is_root(const lg_graph *graph, uint32_t node)
{
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++)
        if (lg_graph_root(graph, i).node == node)
            return true;
    return false;
}

static void
check_target(const lg_analysis *analysis, uint32_t target)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t dominator = lg_node_dominator(analysis, target);
    uint32_t used[NODES] = {0};
    lg_paths paths;
    REQUIRE(lg_paths_disjoint(analysis, target, 100, NULL, &paths, NULL) ==
            LG_OK);
    CHECK(!paths.more);
    for (size_t i = 0; i < paths.count; i++) {
        check_path(&paths.items[i], target, used);
        CHECK(i == 0 || paths.items[i].count >= paths.items[i - 1].count);
        uint32_t start = paths.items[i].root.node;
        CHECK(dominator == LG_NONE ? is_root(graph, start)
                                   : start == dominator);
    }
    if (is_root(graph, target))
        CHECK(paths.count == 1 && paths.items[0].count == 0);
    else if (dominator == LG_NONE && !lg_node_is_reachable(analysis, target))
        CHECK(paths.count == 0);
    else
        CHECK(paths.count == maximum(analysis, target));
    size_t all = paths.count;
    lg_paths_free(&paths);
    if (all < 2)
        return;
    REQUIRE(lg_paths_disjoint(analysis, target, all - 1, NULL, &paths, NULL) ==
            LG_OK);
    CHECK(paths.count == all - 1 && paths.more);
    lg_paths_free(&paths);
}

static void
random_graphs(void)
{
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        lg_graph *graph = draw_random(seed, NODES);
        lg_analysis *analysis = analysed(graph);
        for (uint32_t target = 0; target < NODES; target++)
            check_target(analysis, target);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// The first shortest path crosses both others and has to give way.
static void
taken_back(void)
{
    lg_graph *graph = draw("a", "ab ac bd be ce cf dg eg fg bg", NULL);
    lg_analysis *analysis = analysed(graph);
    check_target(analysis, 6);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A module's names are edges of the module itself, and a reference that nothing
// explains is a path without hops.
static void
modules_and_native(void)
{
    story made = story_begin();
    lg_paths paths;
    uint32_t module = story_module(&made, "app");
    uint32_t names = story_add(&made, "dict", NULL, 64);
    uint32_t a = story_add(&made, "str", "a", 50);
    uint32_t b = story_add(&made, "str", "b", 50);
    uint32_t thing = story_add(&made, "app.Thing", NULL, 48);
    story_edge(&made, module, names, LG_EDGE_DICT, 0);
    story_edge(&made, names, thing, LG_EDGE_VALUE, a);
    story_edge(&made, names, thing, LG_EDGE_VALUE, b);
    story_hold(&made, thing, 2);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(lg_paths_disjoint(analysis, thing, 0, NULL, &paths, NULL) == LG_OK);
    REQUIRE(paths.count == 3);
    CHECK(paths.items[0].root.kind == LG_ROOT_NATIVE);
    CHECK(paths.items[0].count == 0);
    CHECK(paths.items[1].count == 1 && paths.items[2].count == 1);
    CHECK(paths.items[1].root.node == module);
    CHECK(paths.items[1].hops[0].edge_count == 2);
    lg_paths_free(&paths);
    CHECK(lg_paths_disjoint(analysis, 99, 0, NULL, &paths, NULL) == LG_EINVAL);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(flow)
{
    RUN(random_graphs);
    RUN(taken_back);
    RUN(modules_and_native);
    return test_result();
}
