// A smallest cut, compared with a flow that is found path by path.
#include "paths/min_cut.h"
#include "sample.h"
#include "test.h"

#include <leakgraph/graph.h>
#include <leakgraph/internal/columns.h>

#include <stdlib.h>
#include <string.h>

enum { NODES = 60, GRAPHS = 200, PLENTY = 1 << 20 };

typedef struct plain_flow {
    const lg_columns *columns;
    const uint8_t *role;
    uint32_t target;
    uint32_t *left;  // [edge] units that it can still carry
    uint32_t *taken; // [edge] units that it carries
    uint64_t *by;    // [node] 1 + the edge that led there, twice that plus one
                     // if backward; 0: not met
} plain_flow;

static bool
can_cut(const lg_graph *graph, uint64_t edge)
{
    (void)graph;
    return edge % 3 != 0;
}

static bool
is_strong(const lg_columns *columns, uint64_t edge)
{
    return !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK);
}

// Meets one more node over any edge with room. Returns false if there is none.
static bool
meet_one(const plain_flow *flow)
{
    const lg_columns *columns = flow->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        for (uint64_t edge = lg_columns_first_edge(columns, node);
             edge < lg_columns_first_edge(columns, node + 1); edge++) {
            uint32_t target = lg_columns_target(columns, edge);
            if (flow->by[node] != 0 && flow->by[target] == 0 &&
                flow->left[edge] > 0) {
                flow->by[target] = 2 * (edge + 1);
                return true;
            }
            if (flow->by[target] != 0 && flow->by[node] == 0 &&
                flow->taken[edge] > 0) {
                flow->by[node] = 2 * (edge + 1) + 1;
                return true;
            }
        }
    return false;
}

// Carries one unit from a source to the target, if any gets through.
static bool
carry_one(const plain_flow *flow, const lg_graph *graph)
{
    const lg_columns *columns = flow->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        flow->by[node] = flow->role[node] == LG__FLOW_SOURCE;
    while (flow->by[flow->target] == 0)
        if (!meet_one(flow))
            return false;
    for (uint32_t at = flow->target; flow->by[at] > 1;) {
        uint64_t edge = flow->by[at] / 2 - 1;
        bool back = flow->by[at] % 2;
        flow->left[edge] += back ? 1 : UINT32_MAX;
        flow->taken[edge] += back ? UINT32_MAX : 1;
        at = back ? lg_columns_target(columns, edge)
                  : lg_edge_source(graph, edge);
    }
    return true;
}

// Returns how many units get from the sources to the target, at most `most`.
static size_t
count_units(const lg_graph *graph, const lg__flow_network *network,
            const uint64_t *without, size_t count, size_t most)
{
    const lg_columns *columns = lg_graph_columns(graph);
    size_t edges = columns->edge_count + 1;
    size_t units = 0;
    plain_flow flow = {columns,
                       network->role,
                       network->target,
                       calloc(edges, sizeof(uint32_t)),
                       calloc(edges, sizeof(uint32_t)),
                       calloc(columns->node_count + 1, sizeof(uint64_t))};
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        flow.left[edge] = !is_strong(columns, edge) ? 0
                          : can_cut(graph, edge)    ? 1
                                                    : PLENTY;
    for (size_t i = 0; i < count; i++)
        flow.left[without[i]] = 0;
    while (units < most && carry_one(&flow, graph))
        units++;
    free(flow.left);
    free(flow.taken);
    free(flow.by);
    return units;
}

static bool
is_kept_path(const lg_graph *graph, const lg__flow_network *network,
             const lg__min_cut *cut)
{
    const lg_columns *columns = lg_graph_columns(graph);
    bool right =
        network->role[lg_edge_source(graph, cut->kept[0])] == LG__FLOW_SOURCE;
    for (size_t i = 0; i < cut->kept_count; i++) {
        uint32_t end = i + 1 < cut->kept_count
                           ? lg_edge_source(graph, cut->kept[i + 1])
                           : network->target;
        right = right && lg_columns_target(columns, cut->kept[i]) == end &&
                !can_cut(graph, cut->kept[i]);
    }
    return right;
}

// What is left without the cut carries nothing, and without any of its edges
// fewer would do if the cut were not a smallest one.
static void
compare(const lg_graph *graph, const lg__flow_network *network,
        size_t *kept_paths, size_t *cuts)
{
    lg__min_cut cut;
    REQUIRE(lg__min_cut_find(network, &cut, NULL) == LG_OK);
    if (cut.kept_count > 0) {
        CHECK(is_kept_path(graph, network, &cut));
        ++*kept_paths;
    } else {
        CHECK(count_units(graph, network, cut.edges, cut.count, 1) == 0);
        CHECK(count_units(graph, network, NULL, 0, cut.count + 1) == cut.count);
        *cuts += cut.count > 1;
    }
    lg__min_cut_free(&cut);
}

static void
smallest(void)
{
    size_t kept_paths = 0, cuts = 0;
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        lg_graph *graph = sample_random(seed, NODES, false);
        REQUIRE(graph != NULL);
        uint32_t nodes = lg_graph_node_count(graph);
        uint8_t *role = malloc(nodes + 1);
        memset(role, LG__FLOW_INNER, nodes);
        for (uint32_t node = (uint32_t)(seed % 9); node < nodes; node += 9)
            role[node] = LG__FLOW_SOURCE;
        lg__flow_network network = {.graph = graph,
                                    .role = role,
                                    .target =
                                        (uint32_t)((9 * seed + 4) % nodes),
                                    .can_cut = can_cut};
        REQUIRE(lg__graph_reverse(graph, &network.reverse));
        if (role[network.target] != LG__FLOW_SOURCE)
            compare(graph, &network, &kept_paths, &cuts);
        free(role);
        lg_graph_free(graph);
    }
    CHECK(kept_paths > GRAPHS / 20 && cuts > GRAPHS / 20);
}

SUITE(min_cut)
{
    RUN(smallest);
    return test_result();
}
