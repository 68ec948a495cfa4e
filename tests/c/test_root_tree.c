// Compares the paths of the tree with those that a search for each node finds.
#include "paths/paths_private.h"
#include "random_graph.h"
#include "sample.h"
#include "story.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool
is_same_hop(const lg_hop *a, const lg_hop *b)
{
    bool same = a->source == b->source && a->target == b->target &&
                a->edge_count == b->edge_count;
    for (uint32_t i = 0; same && i < a->edge_count; i++)
        same = a->edges[i] == b->edges[i];
    return same;
}

static bool
is_same_path(const lg_path *a, const lg_path *b)
{
    bool same = a->root.node == b->root.node && a->root.kind == b->root.kind &&
                a->root.name.data == b->root.name.data && a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = is_same_hop(&a->hops[i], &b->hops[i]);
    return same;
}

// Returns whether a search and the finder agree on the path to a node.
static bool
agrees(lg__finder *finder, uint32_t node)
{
    lg_path searched = {0};
    lg_path found = {0};
    lg_status status =
        lg_path_from_root(finder->graph, node, NULL, &searched, NULL);
    REQUIRE(status == LG_OK || status == LG_ENOTFOUND);
    bool same = lg__finder_path(finder, node, NULL, &found, NULL) == status &&
                (status == LG_ENOTFOUND || is_same_path(&searched, &found));
    lg_path_free(&searched);
    lg_path_free(&found);
    return same;
}

// Counts the nodes for which they do not agree once the graph has the tree.
static uint32_t
count_differing(const lg_graph *graph)
{
    lg__finder finder = {.graph = graph};
    lg__roottree tree = {0};
    uint32_t differing = 0;
    REQUIRE(lg__roottree_new(graph, NULL, &tree, NULL) == LG_OK);
    for (uint32_t node = 0; node < lg_graph_columns(graph)->node_count; node++)
        differing += !agrees(&finder, node);
    lg__finder_free(&finder);
    lg__roottree_free(&tree);
    return differing;
}

static void
random_graphs(void)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        lg_graph *graph =
            sample_random(seed, 3 + (uint32_t)(seed % 150), false);
        CHECK(count_differing(graph) == 0);
        lg_graph_free(graph);
        graph = random_graph(seed);
        CHECK(count_differing(graph) == 0);
        lg_graph_free(graph);
    }
}

enum { LAYERS = 6, WIDTH = 8 };

// Layers of objects, each held by three of the layer above: most paths have
// several that are as short and as telling.
static lg_graph *
layered(uint64_t seed)
{
    uint32_t layer[LAYERS][WIDTH];
    story made = story_begin();
    for (int i = 0; i < LAYERS * WIDTH; i++)
        (&layer[0][0])[i] = LG_NONE;
    lg_graph_free(random_graph(seed)); // begins the sequence
    for (int left = LAYERS * WIDTH; left > 0;) {
        uint32_t *at = &layer[0][0] + random_below(LAYERS * WIDTH);
        if (*at != LG_NONE)
            continue;
        bool is_root = at - &layer[0][0] < WIDTH;
        *at = is_root ? story_module(&made, "app")
                      : story_add(&made, "app.Step", NULL, 48);
        left--;
    }
    for (int i = WIDTH; i < LAYERS * WIDTH; i++)
        for (int k = 0; k < 3; k++)
            story_edge(&made, layer[i / WIDTH - 1][random_below(WIDTH)],
                       layer[i / WIDTH][i % WIDTH],
                       random_below(4) ? LG_EDGE_ATTRIBUTE : LG_EDGE_REFERENCE,
                       lg_builder_intern(made.builder, "x", 1));
    return story_end(&made);
}

static void
ties(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        lg_graph *graph = layered(seed);
        CHECK(count_differing(graph) == 0);
        lg_graph_free(graph);
    }
}

// Levels of more nodes than are listed: modules, an object of each, what
// several of those hold, and objects that few of the last level hold.
static lg_graph *
wide(uint64_t seed)
{
    enum { WIDE = 400 };
    uint32_t above[WIDE];
    story made = story_begin();
    lg_graph_free(random_graph(seed)); // begins the sequence
    for (int i = 0; i < WIDE; i++)
        above[i] = story_module(&made, "app");
    for (int level = 0; level < 4; level++) {
        uint32_t level_below[WIDE];
        for (int i = 0; i < WIDE; i++)
            level_below[i] = story_add(&made, "app.Step", NULL, 48);
        for (int i = 0; i < 2 * WIDE; i++)
            story_edge(&made, above[random_below(WIDE)],
                       level_below[random_below(level < 3 ? WIDE : 9)],
                       random_below(4) ? LG_EDGE_ATTRIBUTE : LG_EDGE_REFERENCE,
                       lg_builder_intern(made.builder, "x", 1));
        memcpy(above, level_below, sizeof above);
    }
    return story_end(&made);
}

static void
wide_levels(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        lg_graph *graph = wide(seed);
        CHECK(count_differing(graph) == 0);
        lg_graph_free(graph);
    }
}

// Of holders that are equally near and telling, the one with the lowest index
// is on the path, wherever it is among the referrers.
static void
lowest_holder(void)
{
    story made = story_begin();
    uint32_t data = story_add(&made, "list", NULL, 1000);
    uint32_t low = story_add(&made, "app.Holder", NULL, 48);
    uint32_t high = story_add(&made, "app.Holder", NULL, 48);
    uint32_t first = story_module(&made, "first");
    uint32_t second = story_module(&made, "second");
    story_attribute(&made, first, "x", high);
    story_attribute(&made, second, "x", low);
    story_attribute(&made, high, "x", data);
    story_attribute(&made, low, "x", data);
    lg_graph *graph = story_end(&made);
    lg_path path = {0};
    REQUIRE(lg_path_from_root(graph, data, NULL, &path, NULL) == LG_OK);
    REQUIRE(path.count == 2);
    CHECK(path.root.node == second);
    CHECK(path.hops[1].source == low);
    lg_path_free(&path);
    CHECK(count_differing(graph) == 0);
    lg_graph_free(graph);
}

// Two chains side by side, with one step from the second to the first.
static lg_graph *
two_chains(uint32_t nodes, uint32_t from)
{
    lg_builder *builder;
    lg_graph *graph = NULL;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t type = lg_builder_add_type(builder, "list", 4, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < nodes; i++) {
        lg_builder_add_node(builder, 4096 + 16 * (uint64_t)i);
        lg_builder_put_type(builder, i, type);
    }
    for (uint32_t i = 0; i + 2 < nodes; i++) {
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, i + 2, LG_EDGE_REFERENCE, 0);
        if (i == from)
            lg_builder_add_edge(builder, i + 1, LG_EDGE_INDEX, 0);
    }
    lg_builder_add_root(builder, 0, LG_ROOT_MODULE, "first", 5);
    lg_builder_add_root(builder, 1, LG_ROOT_MODULE, "second", 6);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

// The penalties of a path may add up to more than 16 bits hold. One step makes
// the difference, near the root or far from it.
static void
long_paths(void)
{
    enum { NODES = 60000 };
    static const uint32_t from[] = {13, NODES / 2 + 1, NODES - 13};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        lg_graph *graph = two_chains(NODES, from[i]);
        lg__finder finder = {.graph = graph};
        lg__roottree tree = {0};
        lg_path path = {0};
        REQUIRE(lg_path_from_root(graph, NODES - 2, NULL, &path, NULL) ==
                LG_OK);
        CHECK(path.root.node == 1);
        lg_path_free(&path);
        REQUIRE(lg__roottree_new(graph, NULL, &tree, NULL) == LG_OK);
        CHECK(agrees(&finder, NODES - 2));
        CHECK(agrees(&finder, NODES - 1));
        lg__roottree_free(&tree);
        lg__finder_free(&finder);
        lg_graph_free(graph);
    }
}

enum { WEIGHTS = 12 };

// Adds a storage, of which the optimizer has a view.
static uint32_t
stored_in(story *made, uint32_t tensor, uint32_t optimizer)
{
    const uint32_t flags = made->flags;
    made->flags = LG_NODE_SYNTHETIC | LG_NODE_BUFFER;
    uint32_t storage = story_add(made, "torch.storage", NULL, 4096);
    made->flags = flags;
    uint32_t view = story_add(made, "torch.Tensor (C++)", NULL, 80);
    story_edge(made, optimizer, view, LG_EDGE_INDEX, view);
    story_edge(made, view, storage, LG_EDGE_NATIVE, 0);
    story_edge(made, tensor, storage, LG_EDGE_NATIVE, 0);
    return storage;
}

// An optimizer is nearer to the weights than their layer. The last two weights
// refer to their layers. Nothing else refers to the last layer. Each weight and
// each gradient has its bytes in a storage, and the first two gradients share
// another one.
static lg_graph *
trained(uint32_t *weight, uint32_t *gradient, uint32_t *storage)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t optimizer = story_add(&made, "app.Optimizer", NULL, 48);
    uint32_t at = story_add(&made, "app.Model", NULL, 48);
    uint32_t key = story_add(&made, "str", "weight", 50);
    story_attribute(&made, app, "optimizer", optimizer);
    story_attribute(&made, app, "model", at);
    for (uint32_t i = 0; i < WEIGHTS; i++) {
        uint32_t layer = story_add(&made, "app.Layer", NULL, 48);
        uint32_t dict = story_add(&made, "dict", NULL, 200);
        weight[i] = story_add(&made, "torch.Tensor", NULL, 80);
        if (i + 1 < WEIGHTS)
            story_attribute(&made, at, "layer", layer);
        if (i + 2 >= WEIGHTS)
            story_attribute(&made, weight[i], "owner", layer);
        story_attribute(&made, layer, "_parameters", dict);
        story_edge(&made, dict, weight[i], LG_EDGE_VALUE, key);
        story_edge(&made, optimizer, weight[i], LG_EDGE_INDEX, i);
        gradient[i] = story_add(&made, "torch.Tensor", NULL, 80);
        story_attribute(&made, weight[i], "grad", gradient[i]);
        storage[i] = stored_in(&made, weight[i], optimizer);
        storage[WEIGHTS + i] = stored_in(&made, gradient[i], optimizer);
        if (i + 1 < WEIGHTS)
            at = layer;
    }
    uint32_t bucket = stored_in(&made, gradient[0], optimizer);
    story_edge(&made, gradient[1], bucket, LG_EDGE_NATIVE, 0);
    storage[2 * WEIGHTS] = bucket;
    return story_end(&made);
}

static size_t
path_length(lg__finder *finder, uint32_t node)
{
    lg_path path = {0};
    CHECK(lg__finder_path(finder, node, NULL, &path, NULL) == LG_OK);
    size_t count = path.count;
    lg_path_free(&path);
    return count;
}

// A path to a weight leads through its layer, whether it is the first path
// asked for or the last, and so do paths to its gradient and to their storages.
// If the best path to the layer leads through the weight, all of these come
// from the optimizer.
static void
entrances(void)
{
    uint32_t weight[WEIGHTS];
    uint32_t gradient[WEIGHTS];
    uint32_t storage[2 * WEIGHTS + 1];
    lg_graph *graph = trained(weight, gradient, storage);
    lg__finder finder = {.graph = graph};
    for (uint32_t i = 0; i < WEIGHTS; i++) {
        size_t count = i + 2 < WEIGHTS ? i + 4 : 2;
        CHECK(path_length(&finder, weight[i]) == count);
        CHECK(path_length(&finder, gradient[i]) == count + 1);
        CHECK(path_length(&finder, storage[i]) == count + 1);
        CHECK(path_length(&finder, storage[WEIGHTS + i]) == count + 2);
        CHECK(agrees(&finder, weight[i]));
        CHECK(agrees(&finder, gradient[i]));
        CHECK(agrees(&finder, storage[i]));
        CHECK(agrees(&finder, storage[WEIGHTS + i]));
    }
    CHECK(path_length(&finder, storage[2 * WEIGHTS]) == 3);
    lg__finder_free(&finder);
    CHECK(count_differing(graph) == 0);
    lg_graph_free(graph);
}

// A debugger's view of variables leads to another one first, and then to more
// objects than a level lists. All of them lead on.
static void
wide_level_of_late_nodes(void)
{
    enum { WIDE = 200 };
    uint32_t end[WIDE];
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t view = story_add(&made, "FrameLocalsProxy", NULL, 48);
    uint32_t other = story_add(&made, "FrameLocalsProxy", NULL, 48);
    story_attribute(&made, app, "view", view);
    story_attribute(&made, view, "other", other);
    for (uint32_t i = 0; i < WIDE; i++) {
        uint32_t step = story_add(&made, "app.Step", NULL, 48);
        end[i] = story_add(&made, "app.End", NULL, 48);
        story_attribute(&made, view, "step", step);
        story_attribute(&made, step, "end", end[i]);
    }
    lg_graph *graph = story_end(&made);
    lg__finder finder = {.graph = graph};
    for (uint32_t i = 0; i < WIDE; i++)
        CHECK(path_length(&finder, end[i]) == 3);
    lg__finder_free(&finder);
    lg_graph_free(graph);
}

// Returns whether a search and the tree agree on some nodes of a large graph.
static bool
agrees_on_some(const lg_graph *graph)
{
    lg__finder finder = {.graph = graph};
    uint32_t nodes = lg_graph_columns(graph)->node_count;
    bool same = true;
    for (uint32_t i = 0; i < 20; i++)
        same &= agrees(&finder, (uint32_t)((uint64_t)i * nodes / 20));
    lg__finder_free(&finder);
    return same;
}

enum { LARGE = 1 << 17 };

// There is no helper on one processor.
static void
helper_finds_the_tree(void)
{
    lg_graph *graph = sample_random(5, LARGE, false);
    lg__tree_ahead *ahead = lg__tree_ahead_begin(graph);
    CHECK(lg__tree_ahead_wait(ahead, NULL, NULL) == LG_OK);
    CHECK(graph->lazy->has_paths == (ahead != NULL));
    lg__tree_ahead_end(ahead);
    CHECK(agrees_on_some(graph));
    ahead = lg__tree_ahead_begin(graph);
    CHECK(ahead == NULL || !graph->lazy->has_paths);
    lg__tree_ahead_end(ahead);
    lg_graph_free(graph);
}

static void
helper_is_stopped(void)
{
    lg_graph *graph = sample_random(6, LARGE, false);
    lg__tree_ahead_end(lg__tree_ahead_begin(graph));
    CHECK(agrees_on_some(graph));
    lg_graph_free(graph);
}

static bool
refuse(void *context, const char *phase, double done)
{
    unsigned *asked = context;
    ++*asked;
    CHECK(strcmp(phase, "looking for paths") == 0 && done >= 0 && done <= 1);
    return false;
}

// The helper may have been quick.
static void
waiting_is_cancelled(void)
{
    unsigned asked = 0;
    const lg_monitor monitor = {refuse, &asked};
    lg_graph *graph = sample_random(8, 4 * LARGE, false);
    lg__tree_ahead *ahead = lg__tree_ahead_begin(graph);
    lg_status status = lg__tree_ahead_wait(ahead, &monitor, NULL);
    CHECK(status == (asked > 0 ? LG_ECANCELLED : LG_OK) && asked <= 1);
    lg__tree_ahead_end(ahead);
    CHECK(agrees_on_some(graph));
    lg_graph_free(graph);
}

#ifndef __SANITIZE_ADDRESS__ // its allocator may be locked in a child
// A child of fork() has the search of its parent, but no thread that does it.
static void
child_does_not_wait(void)
{
    lg_graph *graph = sample_random(9, LARGE, false);
    lg__tree_ahead *ahead = lg__tree_ahead_begin(graph);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(60);
        bool fine = lg__tree_ahead_wait(ahead, NULL, NULL) == LG_OK;
        lg__tree_ahead_end(ahead);
        fine = fine && lg__tree_ahead_begin(graph) == NULL;
        _exit(fine && agrees_on_some(graph) ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    lg__tree_ahead_end(ahead);
    lg_graph_free(graph);
}
#endif

static void
small_graphs_need_no_helper(void)
{
    lg_graph *graph = sample_random(7, 100, false);
    CHECK(lg__tree_ahead_begin(graph) == NULL);
    lg_graph_free(graph);
}

SUITE(root_tree)
{
    RUN(helper_finds_the_tree);
    RUN(helper_is_stopped);
    RUN(waiting_is_cancelled);
#ifndef __SANITIZE_ADDRESS__
    RUN(child_does_not_wait);
#endif
    RUN(small_graphs_need_no_helper);
    RUN(random_graphs);
    RUN(ties);
    RUN(wide_levels);
    RUN(wide_level_of_late_nodes);
    RUN(lowest_holder);
    RUN(long_paths);
    RUN(entrances);
    return test_result();
}
