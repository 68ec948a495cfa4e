// Finds which sets reach a common node.
#include "analysis/joint_sets.h"

uint32_t
lg__tree_find(uint32_t *parent, uint32_t set)
{
    while (parent[set] != set)
        set = parent[set] = parent[parent[set]];
    return set;
}

void
lg__tree_unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = lg__tree_find(parent, a);
    b = lg__tree_find(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

static void
push(lg__joining *to, uint32_t node)
{
    to->failed |= !lg__gather_append(&to->stack, node);
}

typedef void arrival(lg__joining *to, uint32_t node, uint64_t what);

static void
spread(lg__joining *to, arrival *arrive)
{
    const lg_columns *columns = &to->analysis->graph->columns;
    while (to->stack.count > 0 && !to->failed) {
        uint32_t node = to->stack.items[--to->stack.count];
        uint64_t what = to->reached != NULL ? to->reached[node] : to->met[node];
        uint64_t end = columns->first_edge[node + 1];
        for (uint64_t edge = columns->first_edge[node]; edge < end; edge++)
            if (lg__policy_edge(to->analysis, edge, node) &&
                !to->closed[columns->edge_target[edge]])
                arrive(to, columns->edge_target[edge], what);
    }
}

// Treats a cycle of garbage as one.
static void
enter(lg__joining *to, arrival *arrive, uint32_t set, uint64_t what)
{
    for (size_t i = to->sets->first[set]; i < to->sets->first[set + 1]; i++) {
        uint32_t node = to->sets->nodes[i];
        uint32_t garbage = lg__garbage_component_of(to->analysis, node);
        arrive(to, node, what);
        if (garbage == LG_NONE)
            continue;
        lg_component component = lg_analysis_component(to->analysis, garbage);
        for (uint32_t j = 0; j < component.count; j++)
            arrive(to, component.nodes[j], what);
    }
}

static void
arrive_first(lg__joining *to, uint32_t node, uint64_t met)
{
    if (to->met[node] == 0) {
        to->met[node] = (uint32_t)met;
        push(to, node);
    } else if (to->met[node] != met) {
        lg__tree_unite(to->cluster, to->met[node] - 1, (uint32_t)met - 1);
    }
}

void
lg__joining_cluster(lg__joining *to)
{
    uint32_t count = to->sets->count;
    for (uint32_t set = 0; set < count; set++)
        to->cluster[set] = set;
    for (uint32_t set = 0; set < count; set++) {
        enter(to, arrive_first, set, set + (uint64_t)1);
        spread(to, arrive_first);
    }
    for (uint32_t set = 0; set < count; set++) {
        to->cluster[set] = lg__tree_find(to->cluster, set);
        to->member[set] = to->size[to->cluster[set]]++;
    }
    for (uint32_t set = 0; set + 1 < count; set++)
        to->first[set + 1] = to->first[set] + to->size[set];
    for (uint32_t set = 0; set < count; set++)
        to->members[to->first[to->cluster[set]] + to->member[set]] = set;
}

static void
arrive_again(lg__joining *to, uint32_t node, uint64_t sets)
{
    if ((to->reached[node] | sets) == to->reached[node])
        return;
    to->reached[node] |= sets;
    push(to, node);
}

void
lg__joining_reach(lg__joining *to)
{
    for (uint32_t set = 0; set < to->sets->count; set++)
        if (to->size[to->cluster[set]] > 1)
            enter(to, arrive_again, set,
                  (uint64_t)1 << lg__joining_bit(to->member[set]));
    spread(to, arrive_again);
}
