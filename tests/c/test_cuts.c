// Compares the references to cut with a maximum flow that the test computes,
// and with their promise: without these references no root reaches the node,
// and fewer would not do.
#include "drawn.h"

#include <leakgraph/internal/columns.h>
#include "story.h"
#include "test.h"

enum { NODES = 14, GRAPHS = 2000, MANY = 100, SOURCE = NODES };

typedef struct network {
    uint32_t capacity[NODES + 1][NODES + 1];
} network;

// Every fifth reference is the field of a C struct, which no program can cut.
static lg_graph *
draw_mixed(uint64_t seed)
{
    lg_builder *builder;
    lg_graph *graph;
    uint64_t state = seed;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t node = 0; node < NODES; node++)
        lg_builder_add_node(builder, 16 * ((uint64_t)node + 1));
    for (uint32_t node = 0; node < NODES; node++) {
        lg_builder_open(builder, node);
        for (uint64_t i = test_random(&state) % 5; i > 0; i--)
            lg_builder_add_edge(
                builder, (uint32_t)(test_random(&state) % NODES),
                test_random(&state) % 5 ? LG_EDGE_INDEX : LG_EDGE_FIELD,
                (uint32_t)(8 * i));
    }
    for (uint32_t i = 0; i < 2; i++)
        lg_builder_add_root(builder, (uint32_t)(test_random(&state) % NODES),
                            LG_ROOT_THREAD, "", 0);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

static bool
is_root(const lg_graph *graph, uint32_t node)
{
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++)
        if (lg_graph_root(graph, i).node == node)
            return true;
    return false;
}

static bool
is_start(const lg_graph *graph, const lg_node *from, uint32_t node)
{
    return from == NULL ? is_root(graph, node) : node == *from;
}

static network
lay(const lg_analysis *analysis, const lg_node *from)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    const lg_columns *columns = lg_graph_columns(graph);
    network net = {0};
    for (uint64_t edge = 0; edge < columns->edge_count; edge++) {
        uint32_t source = lg_edge_source(graph, edge);
        uint32_t target = lg_columns_target(columns, edge);
        bool field = (lg_columns_kind(columns, edge) & LG_EDGE_KIND_MASK) ==
                     LG_EDGE_FIELD;
        if (!lg_node_is_reachable(analysis, source) ||
            is_start(graph, from, target))
            continue;
        uint32_t begin = is_start(graph, from, source) ? SOURCE : source;
        net.capacity[begin][target] += field ? MANY : 1;
    }
    return net;
}

static bool
push(network *net, uint32_t sink)
{
    uint32_t from[NODES + 1];
    uint32_t queue[NODES + 1];
    uint32_t count = 1;
    memset(from, 0xff, sizeof from);
    queue[0] = SOURCE;
    from[SOURCE] = SOURCE;
    for (uint32_t i = 0; i < count && from[sink] == LG_NONE; i++)
        for (uint32_t node = 0; node < NODES; node++)
            if (net->capacity[queue[i]][node] > 0 && from[node] == LG_NONE) {
                from[node] = queue[i];
                queue[count++] = node;
            }
    if (from[sink] == LG_NONE)
        return false;
    for (uint32_t at = sink; at != SOURCE; at = from[at]) {
        net->capacity[from[at]][at]--;
        net->capacity[at][from[at]]++;
    }
    return true;
}

static uint32_t
maximum(const lg_analysis *analysis, const lg_node *from, uint32_t target)
{
    network net = lay(analysis, from);
    uint32_t count = 0;
    while (count < MANY && push(&net, target))
        count++;
    return count;
}

static uint64_t
cut_edge(const lg_cut *cut)
{
    const lg_hop *hop = &cut->path.hops[cut->hop];
    return hop->edges[hop->edge_count - 1];
}

static bool
is_cut(const lg_cuts *cuts, uint64_t edge)
{
    for (size_t i = 0; i < cuts->count; i++)
        if (cut_edge(&cuts->items[i]) == edge)
            return true;
    return false;
}

// Returns whether the roots still reach the target without these references.
static bool
is_reached(const lg_analysis *analysis, const lg_cuts *cuts,
           const lg_node *from, uint32_t target)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    const lg_columns *columns = lg_graph_columns(graph);
    bool seen[NODES];
    for (uint32_t node = 0; node < NODES; node++)
        seen[node] = is_start(graph, from, node);
    for (uint32_t round = 0; round < NODES; round++)
        for (uint64_t edge = 0; edge < columns->edge_count; edge++)
            if (seen[lg_edge_source(graph, edge)] && !is_cut(cuts, edge))
                seen[lg_columns_target(columns, edge)] = true;
    return seen[target];
}

static void
check_path(const lg_path *path, uint32_t target)
{
    uint32_t at = path->root.node;
    for (size_t i = 0; i < path->count; i++) {
        CHECK(path->hops[i].source == at && !path->hops[i].weak);
        at = path->hops[i].target;
    }
    CHECK(at == target);
}

// The label of a path that begins at a node begins with the node.
static void
check_label(const lg_graph *graph, const lg_path *path)
{
    if (path->start != LG_STARTS_AT_NODE)
        return;
    lg_text label = {0};
    lg_text title = {0};
    lg_path_label(graph, path, &label);
    lg_node_title(graph, path->root.node, false, &title);
    CHECK(strncmp(label.data, title.data, title.length) == 0);
    lg_text_free(&label);
    lg_text_free(&title);
}

static void
check_cuts(const lg_analysis *analysis, const lg_cuts *cuts,
           const lg_node *from, uint32_t target)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t flow = maximum(analysis, from, target);
    CHECK(cuts->is_kept == (flow >= MANY));
    CHECK(cuts->total == (flow < MANY ? flow : 0));
    CHECK(cuts->count == cuts->total);
    if (cuts->is_kept)
        check_path(&cuts->kept, target);
    else
        CHECK(!is_reached(analysis, cuts, from, target));
    for (size_t i = 0; i < cuts->count; i++) {
        const lg_cut *cut = &cuts->items[i];
        check_path(&cut->path, target);
        check_label(graph, &cut->path);
        CHECK(is_start(graph, from, cut->path.root.node));
        CHECK((cut->path.start == LG_STARTS_AT_NODE) ==
              !is_root(graph, cut->path.root.node));
        CHECK(lg_hop_can_be_cut(graph, &cut->path.hops[cut->hop]));
        CHECK(i == 0 || cut->path.count >= cuts->items[i - 1].path.count);
        for (size_t other = 0; other < i; other++)
            CHECK(cut_edge(cut) != cut_edge(&cuts->items[other]));
    }
}

static void
check_target(const lg_analysis *analysis, const lg_node *from, uint32_t target)
{
    lg_cuts cuts;
    REQUIRE(lg_node_cuts(analysis, target, from, 50, NULL, &cuts, NULL) ==
            LG_OK);
    check_cuts(analysis, &cuts, from, target);
    size_t all = cuts.count;
    lg_cuts_free(&cuts);
    if (all < 2)
        return;
    REQUIRE(lg_node_cuts(analysis, target, from, all - 1, NULL, &cuts, NULL) ==
            LG_OK);
    CHECK(cuts.count == all - 1 && cuts.total == all);
    lg_cuts_free(&cuts);
}

static void
random_graphs(void)
{
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        lg_graph *graph = draw_mixed(seed);
        lg_analysis *analysis = analysed(graph);
        for (uint32_t target = 0; target < NODES; target++) {
            if (is_root(graph, target) ||
                !lg_node_is_reachable(analysis, target))
                continue;
            check_target(analysis, NULL, target);
            uint32_t dominator = lg_node_dominator(analysis, target);
            if (dominator != LG_NONE)
                check_target(analysis, &dominator, target);
        }
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// The first shortest path crosses both others, and the search must replace it.
static void
taken_back(void)
{
    lg_graph *graph = draw("a", "ab ac bd be ce cf dg eg fg bg", NULL);
    lg_analysis *analysis = analysed(graph);
    lg_cuts cuts;
    REQUIRE(lg_node_cuts(analysis, 6, NULL, 0, NULL, &cuts, NULL) == LG_OK);
    CHECK(cuts.total == 2 && !is_reached(analysis, &cuts, NULL, 6));
    lg_cuts_free(&cuts);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// One object holds the target twice, and another holds it once: disjoint paths
// would name two references, and the target would stay alive.
static void
held_twice_by_one(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t thing = story_add(&made, "app.Thing", NULL, 48);
    uint32_t list = story_add(&made, "list", NULL, 64);
    story_attribute(&made, module, "a", thing);
    story_attribute(&made, module, "b", list);
    story_edge(&made, list, thing, LG_EDGE_INDEX, 0);
    uint32_t tuple = story_add(&made, "tuple", NULL, 64);
    story_attribute(&made, module, "c", tuple);
    story_edge(&made, tuple, thing, LG_EDGE_INDEX, 0);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_cuts cuts;
    REQUIRE(lg_node_cuts(analysis, thing, NULL, 0, NULL, &cuts, NULL) == LG_OK);
    REQUIRE(cuts.total == 3 && cuts.count == 3);
    for (size_t i = 0; i < 3; i++) {
        const lg_path *path = &cuts.items[i].path;
        uint32_t source = path->hops[cuts.items[i].hop].source;
        CHECK(path->root.node == module && source != tuple);
    }
    lg_cuts_free(&cuts);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A limit of 0 means no limit, and `why` lists the first 16.
static void
all_of_many(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t thing = story_add(&made, "app.Thing", NULL, 48);
    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "a%d", i);
        story_attribute(&made, module, name, thing);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_cuts cuts;
    REQUIRE(lg_node_cuts(analysis, thing, NULL, 0, NULL, &cuts, NULL) == LG_OK);
    CHECK(cuts.total == 20 && cuts.count == 20);
    lg_cuts_free(&cuts);
    lg_why why;
    REQUIRE(lg_node_why(analysis, thing, NULL, &why, NULL) == LG_OK);
    CHECK(why.cuts.total == 20 && why.cuts.count == 16);
    lg_why_clear(&why);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// References from native code differ from those that a program can cut.
static void
held_by_native_code(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t thing = story_add(&made, "app.Thing", NULL, 48);
    story_attribute(&made, module, "thing", thing);
    story_hold(&made, thing, 2);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_cuts cuts;
    REQUIRE(lg_node_cuts(analysis, thing, NULL, 0, NULL, &cuts, NULL) == LG_OK);
    CHECK(cuts.is_kept && cuts.kept.count == 0);
    CHECK(cuts.kept.root.kind == LG_ROOT_NATIVE);
    CHECK(cuts.total == 1 && cuts.items[0].path.root.node == module);
    lg_cuts_free(&cuts);
    CHECK(lg_node_cuts(analysis, 99, NULL, 0, NULL, &cuts, NULL) == LG_EINVAL);
    const lg_node none = LG_NONE;
    CHECK(lg_node_cuts(analysis, thing, &none, 0, NULL, &cuts, NULL) ==
          LG_EINVAL);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// From CPython 3.13 on, an attribute may be in the instance and in the dict
// that shows its values. Two attributes are two references.
static void
shown_by_a_dict(void)
{
    for (int i = 0; i < 2; i++) {
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t holder = story_add(&made, "app.Thing", NULL, 48);
        uint32_t names = story_add(&made, "dict", NULL, 64);
        uint32_t key = story_add(&made, "str", i ? "other" : "it", 50);
        uint32_t tuple = story_add(&made, "tuple", NULL, 48);
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        story_attribute(&made, module, "holder", holder);
        story_edge(&made, holder, names, LG_EDGE_DICT, 0);
        story_attribute(&made, holder, "it", tuple);
        story_edge(&made, names, tuple, LG_EDGE_VALUE, key);
        story_edge(&made, tuple, thing, LG_EDGE_INDEX, 0);
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        lg_cuts cuts;
        REQUIRE(lg_node_cuts(analysis, thing, &holder, 0, NULL, &cuts, NULL) ==
                LG_OK);
        CHECK(cuts.count == (i ? 2 : 1) && cuts.total == cuts.count);
        lg_cuts_free(&cuts);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

SUITE(cuts)
{
    RUN(shown_by_a_dict);
    RUN(random_graphs);
    RUN(taken_back);
    RUN(held_twice_by_one);
    RUN(all_of_many);
    RUN(held_by_native_code);
    return test_result();
}
