// Random graphs against the oracle, for every node, every component and some
// sets.
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/cells.h>
#include <leakgraph/internal/retained.h>

#include "asked.h"
#include "analysis/analysis_private.h"
#include "oracle.h"
#include "random_graph.h"
#include "test.h"

enum { GRAPHS = 20000 };

#define BIT(node) ((uint64_t)1 << (node))

// The members of a component of garbage that nothing dominates form one set.
static uint64_t
garbage_set(const oracle *known, uint32_t node)
{
    bool loose =
        !(known->live & BIT(node)) && known->dominator[node] == LG_NONE;
    for (uint32_t i = 0; i < known->component_count && loose; i++)
        if (known->component[i] & BIT(node))
            return known->component[i];
    return BIT(node);
}

static uint64_t
rounding_of(const lg_graph *graph, uint64_t set)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < lg_graph_columns(graph)->node_count; node++)
        if (set & BIT(node))
            sum += lg_node_spent(graph, node) - lg_node_size(graph, node);
    return sum;
}

static void
compare_nodes(const lg_analysis *analysis, const oracle *known)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    for (uint32_t node = 0; node < known->nodes; node++) {
        CHECK(lg_node_is_reachable(analysis, node) ==
              ((known->live & BIT(node)) != 0));
        CHECK(lg_node_dominator(analysis, node) == known->dominator[node]);
        uint64_t set = oracle_retained(known, garbage_set(known, node));
        if (known->unit[node] != node)
            set = BIT(node);
        for (uint32_t device = 0; device < ORACLE_DEVICES; device++)
            CHECK(lg_node_retained_on(analysis, node, device) ==
                  oracle_bytes(graph, set, device));
        uint64_t rounding;
        REQUIRE(lg_retained_rounding(analysis, node, &rounding, NULL) == LG_OK);
        CHECK(rounding == rounding_of(graph, set));
        lg_bytes all = lg_node_retained(analysis, node);
        CHECK(all.host == oracle_bytes(graph, set, 0));
        CHECK(all.devices ==
              oracle_bytes(graph, set, 1) + oracle_bytes(graph, set, 2));
    }
}

static void
compare_components(const lg_analysis *analysis, const oracle *known)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint64_t members = 0;
    uint64_t previous = UINT64_MAX;
    CHECK(lg_analysis_component_count(analysis) == known->component_count);
    for (uint32_t i = 0; i < lg_analysis_component_count(analysis); i++) {
        lg_component component = lg_analysis_component(analysis, i);
        uint64_t set = 0;
        for (uint32_t j = 0; j < component.count; j++) {
            CHECK(j == 0 || component.nodes[j - 1] < component.nodes[j]);
            CHECK(lg_node_component(analysis, component.nodes[j]) == i);
            set |= BIT(component.nodes[j]);
        }
        bool found = false;
        for (uint32_t j = 0; j < known->component_count; j++)
            found |= known->component[j] == set;
        CHECK(found);
        members |= set;
        CHECK(component.reachable == ((known->live & set) != 0));
        uint64_t retained = oracle_retained(known, set);
        for (uint32_t device = 0; device < ORACLE_DEVICES; device++)
            CHECK(lg_component_retained_on(analysis, i, device) ==
                  oracle_bytes(graph, retained, device));
        uint64_t bytes = component.retained.host + component.retained.devices;
        CHECK(bytes <= previous);
        previous = bytes;
    }
    for (uint32_t node = 0; node < known->nodes; node++)
        CHECK((lg_node_component(analysis, node) != LG_NONE) ==
              ((members & BIT(node)) != 0));
}

static void
compare_sets(const lg_analysis *analysis, const oracle *known)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t nodes[3];
    uint32_t count = random_below(4);
    uint64_t set = 0;
    uint64_t parts = 0; // namespaces: only their own bytes
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = random_below(known->nodes);
        if (known->unit[nodes[i]] == nodes[i])
            set |= garbage_set(known, nodes[i]);
        else
            parts |= BIT(nodes[i]);
    }
    uint64_t retained = oracle_retained(known, set) | parts;
    lg_bytes bytes;
    REQUIRE(lg_nodes_retained(analysis, nodes, count, NULL, &bytes, NULL) ==
            LG_OK);
    uint64_t each[ORACLE_DEVICES];
    REQUIRE(lg_nodes_retained_each(analysis, nodes, count, NULL, each, NULL) ==
            LG_OK);
    for (uint32_t device = 0; device < ORACLE_DEVICES; device++)
        CHECK(each[device] == oracle_bytes(graph, retained, device));
    CHECK(bytes.host == each[0]);
    CHECK(bytes.devices ==
          oracle_bytes(graph, retained, 1) + oracle_bytes(graph, retained, 2));
}

static bool
is_module(const oracle *known, uint32_t node)
{
    for (uint32_t i = 0; i < known->nodes; i++)
        if (i != node && known->unit[i] == node)
            return true;
    return known->unit[node] != node;
}

// Checks sets of two nodes each. If they are joint, what they keep together is
// what their union keeps; otherwise it is never more.
static void
compare_joint_sets(const lg_analysis *analysis, const oracle *known)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t nodes[6];
    const size_t first[] = {0, 2, 4, 6};
    uint32_t count = 1 + random_below(3);
    uint64_t set = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        nodes[i] = random_below(known->nodes);
        if (is_module(known, nodes[i]))
            return;
        set |= garbage_set(known, nodes[i]);
    }
    const lg__node_sets sets = {nodes, first, count, 0};
    lg__joint_sets joint;
    uint8_t *spared;
    REQUIRE(lg__set_spared(analysis, nodes, 2 * (size_t)count, NULL, NULL,
                           &spared, NULL) == LG_OK);
    REQUIRE(lg__sets_join(analysis, &sets, spared, &joint, NULL) == LG_OK);
    lg__free(spared);
    uint64_t retained = oracle_retained(known, set);
    for (uint32_t device = 0; device < ORACLE_DEVICES; device++) {
        uint64_t together = 0;
        uint64_t alone = 0;
        bool one = true;
        for (uint32_t i = 0; i < count; i++) {
            CHECK(joint.joint[joint.joint[i]] == joint.joint[i]);
            one &= joint.joint[i] == 0;
            together += joint.together[i * ORACLE_DEVICES + device];
            alone += joint.alone[i * ORACLE_DEVICES + device];
        }
        uint64_t all = oracle_bytes(graph, retained, device);
        CHECK(one ? together == all : together <= all);
        CHECK(count == 1 ? alone == all : alone <= together);
    }
    lg__joint_sets_free(&joint);
}

// The children of every node, biggest first, and the sums of all children.
// Lists what a node dominates, or, past the last node, what the roots do.
static uint32_t
list_dominated(const lg_analysis *analysis, const oracle *known, uint32_t node,
               uint32_t *nodes, uint32_t capacity)
{
    return node < known->nodes
               ? lg_node_dominated(analysis, node, nodes, capacity)
               : lg_node_dominated(analysis, LG_NONE, nodes, capacity);
}

static void
compare_tree(const lg_analysis *analysis, const oracle *known)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t listed = 0;
    for (uint32_t i = 0; i <= known->nodes; i++) {
        uint32_t child[ORACLE_NODES];
        uint32_t count =
            list_dominated(analysis, known, i, child, ORACLE_NODES);
        uint32_t first[2] = {LG_NONE, LG_NONE};
        CHECK(list_dominated(analysis, known, i, first, 2) == count);
        for (uint32_t j = 0; j < count; j++) {
            lg_bytes own = lg_node_retained(analysis, child[j]);
            lg_bytes last = lg_node_retained(analysis, child[j ? j - 1 : 0]);
            CHECK(lg_node_dominator(analysis, child[j]) ==
                  (i < known->nodes ? i : LG_NONE));
            CHECK(own.host + own.devices <= last.host + last.devices);
            CHECK(j >= 2 || first[j] == child[j]);
        }
        listed += count;
    }
    uint32_t loose = 0; // garbage that nothing dominates
    for (uint32_t node = 0; node < known->nodes; node++)
        loose +=
            !(known->live & BIT(node)) && known->dominator[node] == LG_NONE;
    CHECK(listed + loose == known->nodes);
    uint64_t all = BIT(known->nodes) - 1;
    CHECK(lg_analysis_rounding(analysis) == rounding_of(graph, all));
    lg_bytes live = lg_analysis_reachable_bytes(analysis);
    lg_bytes garbage = lg_analysis_garbage_bytes(analysis);
    CHECK(live.host == oracle_bytes(graph, known->live, 0));
    CHECK(garbage.host == oracle_bytes(graph, all & ~known->live, 0));
    CHECK(live.devices + garbage.devices ==
          oracle_bytes(graph, all, 1) + oracle_bytes(graph, all, 2));
}

// Compares the row of one type with the set of its nodes.
static void
compare_group(const lg_analysis *analysis, const oracle *known, lg_string name,
              lg_cell retained, lg_cell spent)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t nodes[ORACLE_NODES];
    size_t count = 0;
    uint64_t set = 0;
    uint64_t parts = 0; // namespaces, as in compare_sets
    for (uint32_t node = 0; node < lg_graph_columns(graph)->node_count;
         node++) {
        uint32_t type = lg_columns_type(lg_graph_columns(graph), node);
        lg_string type_name = lg_graph_type(graph, type).name;
        if (type_name.length == name.length &&
            memcmp(type_name.data, name.data, name.length) == 0) {
            nodes[count++] = node;
            if (known->unit[node] == node)
                set |= garbage_set(known, node);
            else
                parts |= BIT(node);
        }
    }
    uint64_t each[ORACLE_DEVICES];
    REQUIRE(lg_nodes_retained_each(analysis, nodes, count, NULL, each, NULL) ==
            LG_OK);
    CHECK(count > 0 && retained.present);
    CHECK(memcmp(retained.size, each, sizeof each) == 0);
    CHECK(spent.count ==
          each[0] + rounding_of(graph, oracle_retained(known, set) | parts));
}

// No row lies below another one. On each device, the rows, the libraries and
// the rest make up the whole heap.
static void
compare_top(const lg_analysis *analysis, size_t limit, uint32_t device)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t nodes = lg_graph_columns(graph)->node_count;
    uint8_t *in_row = calloc((size_t)nodes + 1, 1);
    lg_top_options options = TOP_OPTIONS(LG_GROUP_OBJECT, device, limit);
    lg_top top;
    REQUIRE(in_row != NULL &&
            lg_analysis_top(analysis, &options, NULL, &top, NULL) == LG_OK);
    CHECK(limit == 0 || top.count <= limit);
    for (uint32_t on = 0; on < ORACLE_DEVICES; on++) {
        uint64_t sum = top.libraries[on] + top.more[on];
        for (size_t i = 0; i < top.count; i++)
            sum += top.rows[i].retained[on];
        CHECK(sum == top.reachable[on] + top.garbage[on]);
        CHECK(top.more[on] <= sum && top.libraries[on] <= sum);
    }
    CHECK(top.spent ==
          top.reachable[0] + top.garbage[0] + lg_analysis_rounding(analysis));
    for (size_t i = 0; i < top.count; i++) {
        in_row[top.rows[i].node] = 1;
        CHECK(top.rows[i].spent >= top.rows[i].retained[0]);
    }
    for (size_t i = 0; i < top.count; i++) {
        CHECK(i == 0 || top.rows[i].weight <= top.rows[i - 1].weight);
        lg_node above = lg_node_dominator(analysis, top.rows[i].node);
        for (; above != LG_NONE; above = lg_node_dominator(analysis, above))
            CHECK(!in_row[above]);
    }
    lg_top_free(&top);
    free(in_row);
}

static size_t
column_named(const lg_table *table, const char *name)
{
    size_t column = 0;
    while (strcmp(lg_table_column(table, column).name.data, name) != 0)
        REQUIRE(++column < lg_table_column_count(table));
    return column;
}

// Computes all groups at once, and compares each with its set.
static void
compare_groups(const lg_analysis *analysis, const oracle *known)
{
    lg_table *table;
    REQUIRE(top_table(analysis, &TOP_OPTIONS(LG_GROUP_TYPE, LG_NONE, 0), &table,
                      NULL) == LG_OK);
    REQUIRE(lg_table_device_count(table) + 1 == ORACLE_DEVICES);
    CHECK(lg_table_row_count(table) > 0);
    size_t name = column_named(table, "type");
    size_t retained = column_named(table, "retained");
    size_t spent = column_named(table, "spent");
    for (size_t row = 0; row < lg_table_row_count(table); row++)
        compare_group(analysis, known, lg_table_cell(table, row, name).text,
                      lg_table_cell(table, row, retained),
                      lg_table_cell(table, row, spent));
    lg_table_free(table);
}

static void
random_graphs(void)
{
    for (uint64_t seed = 0; seed < GRAPHS && test_failures == 0; seed++) {
        lg_graph *graph = random_graph(seed * 7919);
        lg_analysis *analysis = NULL;
        lg_error err;
        lg_status status = lg_analysis_new(graph, NULL, &analysis, &err);
        if (status != LG_OK)
            fprintf(stderr, "seed %u: %s\n", (unsigned)seed, err.message);
        REQUIRE(status == LG_OK);
        oracle known = oracle_solve(graph);
        compare_nodes(analysis, &known);
        compare_components(analysis, &known);
        compare_sets(analysis, &known);
        compare_joint_sets(analysis, &known);
        compare_tree(analysis, &known);
        compare_groups(analysis, &known);
        compare_top(analysis, 0, LG_NONE);
        compare_top(analysis, 3, LG_NONE);
        compare_top(analysis, 2, ORACLE_DEVICES - 1);
        if (test_failures > 0)
            fprintf(stderr, "seed %u of %u nodes\n", (unsigned)seed,
                    known.nodes);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

SUITE(analysis_random)
{
    RUN(random_graphs);
    return test_result();
}
