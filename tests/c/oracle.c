#include "oracle.h"
#include "test.h"

#include <leakgraph/graph.h>
#include <leakgraph/internal/columns.h>

#define BIT(node) ((uint64_t)1 << (node))

static bool
is_strong(const lg_columns *columns, uint64_t edge)
{
    return !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK);
}

static bool
is_kind(const lg_columns *columns, uint64_t edge, unsigned kind)
{
    return is_strong(columns, edge) &&
           (lg_columns_kind(columns, edge) & LG_EDGE_KIND_MASK) == kind;
}

static lg_category
category(const lg_graph *graph, uint32_t node)
{
    return lg_graph_type(graph, lg_columns_type(lg_graph_columns(graph), node))
        .category;
}

// Unites a namespace with its module: the first one that has it. A namespace
// that is itself a module root stays alone.
static void
unite_modules(const lg_graph *graph, oracle *known)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint64_t modules = 0;
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++)
        if (lg_graph_root(graph, i).kind == LG_ROOT_MODULE)
            modules |= BIT(lg_graph_root(graph, i).node);
    for (uint32_t node = 0; node < known->nodes; node++)
        known->unit[node] = node;
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++) {
        lg_root root = lg_graph_root(graph, i);
        if (root.kind != LG_ROOT_MODULE)
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, root.node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            uint32_t target = lg_columns_target(columns, edge);
            if (is_kind(columns, edge, LG_EDGE_DICT) &&
                !(modules & BIT(target)) && known->unit[target] == target)
                known->unit[target] = root.node;
        }
    }
}

// Returns whether a set of classes and namespaces names the class.
static bool
is_named_in(const lg_graph *graph, const oracle *known, uint64_t named,
            uint32_t class)
{
    const lg_columns *columns = lg_graph_columns(graph);
    for (uint64_t edge = 0; edge < columns->edge_count; edge++) {
        uint32_t dict = lg_edge_source(graph, edge);
        if (lg_columns_target(columns, edge) != class ||
            !is_kind(columns, edge, LG_EDGE_VALUE))
            continue;
        if (known->unit[dict] != dict)
            return true;
        for (uint64_t opener = 0; opener < columns->edge_count; opener++)
            if (lg_columns_target(columns, opener) == dict &&
                is_kind(columns, opener, LG_EDGE_DICT) &&
                (named & BIT(lg_edge_source(graph, opener))))
                return true;
    }
    for (uint32_t id = 0; id < lg_graph_type_count(graph); id++) {
        lg_type type = lg_graph_type(graph, id);
        if (type.node == LG_NONE || !(named & BIT(type.node)))
            continue;
        for (uint32_t i = 0; i < type.mro_count; i++)
            if (lg_graph_type(graph, type.mro[i]).node == class)
                return true;
    }
    return false;
}

static uint64_t
named_classes(const lg_graph *graph, const oracle *known)
{
    uint64_t named = 0;
    uint64_t before;
    do {
        before = named;
        for (uint32_t node = 0; node < known->nodes; node++)
            if (category(graph, node) == LG_CATEGORY_TYPE &&
                is_named_in(graph, known, named, node))
                named |= BIT(node);
    } while (named != before);
    return named;
}

// Finds what the super-root refers to; returns the nodes to which nothing else
// refers.
static uint64_t
find_roots(const lg_graph *graph, oracle *known)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint64_t implicit_root = named_classes(graph, known);
    for (uint32_t node = 0; node < known->nodes; node++)
        if ((lg_columns_flags(columns, node) & LG_NODE_IMMORTAL) &&
            !(lg_columns_flags(columns, node) & LG_NODE_SYNTHETIC))
            implicit_root |= BIT(node);
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++) {
        lg_root root = lg_graph_root(graph, i);
        if (root.kind == LG_ROOT_MODULE || root.kind == LG_ROOT_STATIC)
            implicit_root |= BIT(root.node);
        known->roots |= BIT(root.node);
    }
    for (uint32_t node = 0; node < known->nodes; node++) {
        if (known->unit[node] != node) {
            implicit_root &= ~BIT(node);
            known->roots &= ~BIT(node);
        }
    }
    known->roots |= implicit_root;
    return implicit_root;
}

static void
find_edges(const lg_graph *graph, oracle *known, uint64_t implicit_root)
{
    const lg_columns *columns = lg_graph_columns(graph);
    for (uint64_t edge = 0; edge < columns->edge_count; edge++) {
        uint32_t source = known->unit[lg_edge_source(graph, edge)];
        uint32_t target = known->unit[lg_columns_target(columns, edge)];
        if (!is_strong(columns, edge) || (implicit_root & BIT(target)))
            continue;
        if (source == target)
            known->loops |= BIT(source);
        else
            known->out[source] |= BIT(target);
    }
}

static uint64_t
reach(const oracle *known, uint64_t from, uint64_t without)
{
    uint64_t reached = from & ~without;
    uint64_t before;
    do {
        before = reached;
        for (uint32_t node = 0; node < known->nodes; node++)
            if (reached & BIT(node))
                reached |= known->out[node] & ~without;
    } while (reached != before);
    return reached;
}

static uint64_t
units(const oracle *known)
{
    uint64_t all = 0;
    for (uint32_t node = 0; node < known->nodes; node++)
        if (known->unit[node] == node)
            all |= BIT(node);
    return all;
}

// Finds the components by closure: several nodes, or one with a loop.
static void
find_components(oracle *known, uint64_t component[ORACLE_NODES])
{
    uint64_t onward[ORACLE_NODES];
    for (uint32_t node = 0; node < known->nodes; node++)
        onward[node] = reach(known, BIT(node), 0);
    for (uint32_t node = 0; node < known->nodes; node++) {
        component[node] = 0;
        for (uint32_t other = 0; other < known->nodes; other++)
            if ((onward[node] & BIT(other)) && (onward[other] & BIT(node)))
                component[node] |= BIT(other);
        bool first = (component[node] & (BIT(node) - 1)) == 0;
        bool cyclic =
            component[node] != BIT(node) || (known->loops & BIT(node));
        if (first && cyclic)
            known->component[known->component_count++] = component[node];
    }
}

uint64_t
oracle_retained(const oracle *known, uint64_t set)
{
    uint64_t all = units(known);
    uint64_t left = reach(known, known->roots | known->sources, set);
    uint64_t gone = all & ~left;
    for (uint32_t node = 0; node < known->nodes; node++)
        if (gone & BIT(known->unit[node]))
            gone |= BIT(node);
    return gone | set;
}

// Drops the edges from garbage to live nodes. The super-root refers to those
// components of garbage that no other garbage refers to.
static void
split(oracle *known, const uint64_t component[ORACLE_NODES])
{
    uint64_t garbage = units(known) & ~known->live;
    known->sources = garbage;
    for (uint32_t node = 0; node < known->nodes; node++) {
        if (!(garbage & BIT(node)))
            continue;
        known->out[node] &= garbage;
        uint64_t others = known->out[node] & ~component[node];
        for (uint32_t other = 0; other < known->nodes; other++)
            if (others & BIT(other))
                known->sources &= ~component[other];
    }
}

// Finds the last of the nodes that all paths to this one pass.
static void
find_dominators(oracle *known)
{
    uint64_t without[ORACLE_NODES];
    for (uint32_t node = 0; node < known->nodes; node++)
        without[node] = oracle_retained(known, BIT(node));
    for (uint32_t node = 0; node < known->nodes; node++) {
        uint32_t best = LG_NONE;
        for (uint32_t other = 0; other < known->nodes; other++)
            if (other != node && known->unit[other] == other &&
                (without[other] & BIT(node)) &&
                (best == LG_NONE || (without[best] & BIT(other))))
                best = other;
        known->dominator[node] = best;
    }
}

oracle
oracle_solve(const lg_graph *graph)
{
    oracle known = {.nodes = lg_graph_columns(graph)->node_count};
    uint64_t component[ORACLE_NODES];
    REQUIRE(known.nodes <= ORACLE_NODES);
    unite_modules(graph, &known);
    uint64_t implicit_root = find_roots(graph, &known);
    find_edges(graph, &known, implicit_root);
    known.live = reach(&known, known.roots, 0);
    find_components(&known, component);
    split(&known, component);
    find_dominators(&known);
    for (uint32_t node = 0; node < known.nodes; node++)
        if (known.live & BIT(known.unit[node]))
            known.live |= BIT(node);
    return known;
}

uint64_t
oracle_bytes(const lg_graph *graph, uint64_t set, uint32_t device)
{
    uint64_t bytes = 0;
    for (uint32_t node = 0; node < lg_graph_columns(graph)->node_count; node++)
        if ((set & BIT(node)) && lg_node_device(graph, node) == device)
            bytes += lg_node_size(graph, node);
    return bytes;
}
