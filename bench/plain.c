#include "plain.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/columns.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
need(size_t count, size_t element)
{
    void *block = malloc(count * element + 1);
    if (block == NULL) {
        fprintf(stderr, "memory ran out\n");
        exit(1);
    }
    return block;
}

static uint32_t *
numbers(size_t count)
{
    return need(count, sizeof(uint32_t));
}

static void
mark_implicit_roots(const lg_analysis *analysis, bool *implicit_root)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    const lg_columns *columns = lg_graph_columns(graph);
    const unsigned lasting = LG_NODE_IMMORTAL | LG_NODE_SYNTHETIC;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        bool class =
            lg_graph_type(graph, lg_columns_type(columns, node)).category ==
            LG_CATEGORY_TYPE;
        bool immortal =
            (lg_columns_flags(columns, node) & lasting) == LG_NODE_IMMORTAL;
        implicit_root[node] =
            lg_node_dominator(analysis, node) == LG_NONE && (class || immortal);
    }
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++) {
        lg_root root = lg_graph_root(graph, i);
        if (root.kind != LG_ROOT_MODULE)
            continue;
        implicit_root[root.node] = true;
        const lg_edge_range edges = lg_columns_edges(columns, root.node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if ((lg_columns_kind(columns, edge) & LG_EDGE_KIND_MASK) ==
                LG_EDGE_DICT)
                implicit_root[lg_columns_target(columns, edge)] = true;
    }
}

static void
add_edge(plain *graph, uint32_t source, uint32_t target)
{
    if (graph->source != NULL) {
        graph->source[graph->edges] = source;
        graph->target[graph->edges] = target;
    }
    graph->edges++;
}

// The edges of a namespace belong to its module.
static uint32_t
owner(const lg_analysis *analysis, const bool *implicit_root, uint32_t node)
{
    uint32_t dominator = lg_node_dominator(analysis, node);
    return implicit_root[node] && dominator != LG_NONE ? dominator : node;
}

static void
add_edges(plain *graph, const lg_analysis *analysis, const bool *implicit_root,
          const bool *rooted)
{
    const lg_columns *columns = lg_graph_columns(lg_analysis_graph(analysis));
    graph->edges = 0;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        uint32_t own = owner(analysis, implicit_root, node);
        if (!lg_node_is_reachable(analysis, node))
            continue;
        if (implicit_root[node] || rooted[node])
            add_edge(graph, own == node ? columns->node_count : own, node);
        const lg_edge_range range = lg_columns_edges(columns, node);
        for (uint64_t edge = range.begin; edge < range.end; edge++) {
            uint32_t target = lg_columns_target(columns, edge);
            if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
                !implicit_root[target] && target != own)
                add_edge(graph, own, target);
        }
    }
}

plain
plain_new(const lg_analysis *analysis)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t nodes = lg_graph_columns(graph)->node_count;
    plain out = {.nodes = nodes + 1};
    bool *implicit_root = need(nodes, 1);
    bool *rooted = need(nodes, 1);
    memset(rooted, 0, nodes);
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++)
        rooted[lg_graph_root(graph, i).node] = true;
    mark_implicit_roots(analysis, implicit_root);
    add_edges(&out, analysis, implicit_root, rooted);
    out.source = numbers(out.edges);
    out.target = numbers(out.edges);
    add_edges(&out, analysis, implicit_root, rooted);
    free(implicit_root);
    free(rooted);
    return out;
}

void
plain_free(plain *graph)
{
    free(graph->source);
    free(graph->target);
}

typedef struct rows {
    uint32_t *first;
    uint32_t *other;
} rows;

static rows
rows_new(uint32_t nodes, uint32_t edges, const uint32_t *from,
         const uint32_t *to)
{
    rows out = {numbers((size_t)nodes + 2), numbers(edges)};
    memset(out.first, 0, ((size_t)nodes + 2) * sizeof(uint32_t));
    for (uint32_t i = 0; i < edges; i++)
        out.first[from[i] + 2]++;
    for (uint32_t i = 2; i < nodes + 2; i++)
        out.first[i] += out.first[i - 1];
    for (uint32_t i = 0; i < edges; i++)
        out.other[out.first[from[i] + 1]++] = to[i];
    return out;
}

static void
rows_free(rows *table)
{
    free(table->first);
    free(table->other);
}

// The algorithm of Georgiadis, Tarjan and Werneck, "Finding dominators in
// practice", 2006. All columns but `number` are in preorder.
typedef struct semi {
    rows out;
    rows in;
    uint32_t *number; // by node; LG_NONE: not reached
    uint32_t *node;
    uint32_t *parent;
    uint32_t *semi;
    uint32_t *label;
    uint32_t *ancestor;
    uint32_t *idom;
    uint32_t *stack;
    uint32_t *cursor;
    uint32_t count;
} semi;

static void
enter(semi *state, uint32_t node, uint32_t parent, uint32_t height)
{
    state->number[node] = state->count;
    state->parent[state->count] = parent;
    state->node[state->count++] = node;
    state->stack[height] = node;
    state->cursor[height] = state->out.first[node];
}

static void
walk(semi *state, uint32_t root)
{
    uint32_t height = 0;
    enter(state, root, 0, height++);
    while (height > 0) {
        uint32_t node = state->stack[height - 1];
        if (state->cursor[height - 1] == state->out.first[node + 1]) {
            height--;
            continue;
        }
        uint32_t next = state->out.other[state->cursor[height - 1]++];
        if (state->number[next] == LG_NONE)
            enter(state, next, state->number[node], height++);
    }
}

static uint32_t
evaluate(semi *state, uint32_t number)
{
    uint32_t height = 0;
    uint32_t at = number;
    while (state->ancestor[at] != LG_NONE &&
           state->ancestor[state->ancestor[at]] != LG_NONE) {
        state->stack[height++] = at;
        at = state->ancestor[at];
    }
    while (height > 0) {
        uint32_t below = state->stack[--height];
        uint32_t above = state->ancestor[below];
        if (state->semi[state->label[above]] < state->semi[state->label[below]])
            state->label[below] = state->label[above];
        state->ancestor[below] = state->ancestor[above];
    }
    return state->semi[state->label[number]];
}

static void
find_semis(semi *state)
{
    for (uint32_t i = 0; i < state->count; i++) {
        state->semi[i] = state->label[i] = i;
        state->ancestor[i] = LG_NONE;
    }
    for (uint32_t i = state->count; i-- > 1;) {
        uint32_t node = state->node[i];
        uint32_t best = state->parent[i];
        for (uint32_t e = state->in.first[node]; e < state->in.first[node + 1];
             e++) {
            uint32_t from = state->number[state->in.other[e]];
            if (from == LG_NONE)
                continue;
            uint32_t found = from <= i ? from : evaluate(state, from);
            best = found < best ? found : best;
        }
        state->semi[i] = best;
        state->ancestor[i] = state->idom[i] = state->parent[i];
    }
}

static void
find_dominators(semi *state, uint32_t *dominator)
{
    state->idom[0] = 0;
    for (uint32_t i = 1; i < state->count; i++) {
        uint32_t above = state->idom[i];
        while (above > state->semi[i])
            above = state->idom[above];
        state->idom[i] = above;
    }
    for (uint32_t i = 0; i < state->count; i++)
        dominator[state->node[i]] = state->node[state->idom[i]];
}

uint32_t *
plain_dominators(const plain *graph)
{
    uint32_t nodes = graph->nodes;
    semi state = {
        .out = rows_new(nodes, graph->edges, graph->source, graph->target),
        .in = rows_new(nodes, graph->edges, graph->target, graph->source),
        .number = numbers(nodes),
        .node = numbers(nodes),
        .parent = numbers(nodes),
        .semi = numbers(nodes),
        .label = numbers(nodes),
        .ancestor = numbers(nodes),
        .idom = numbers(nodes),
        .stack = numbers(nodes),
        .cursor = numbers(nodes),
    };
    uint32_t *dominator = numbers(nodes);
    memset(state.number, 0xff, nodes * sizeof(uint32_t));
    memset(dominator, 0xff, nodes * sizeof(uint32_t));
    walk(&state, nodes - 1);
    find_semis(&state);
    find_dominators(&state, dominator);
    rows_free(&state.out);
    rows_free(&state.in);
    uint32_t *const columns[] = {state.number, state.node,  state.parent,
                                 state.semi,   state.label, state.ancestor,
                                 state.idom,   state.stack, state.cursor};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        free(columns[i]);
    return dominator;
}

// Tarjan's algorithm, without recursion.
typedef struct strong {
    rows out;
    uint32_t *index; // 0: not visited
    uint32_t *low;   // LG_NONE: the component is complete
    uint32_t *open;
    uint32_t *path;
    uint32_t *cursor;
    uint32_t met, opened, height, found;
} strong;

static void
strong_enter(strong *state, uint32_t node)
{
    state->index[node] = state->low[node] = ++state->met;
    state->open[state->opened++] = node;
    state->path[state->height] = node;
    state->cursor[state->height++] = state->out.first[node];
}

static void
strong_leave(strong *state)
{
    uint32_t node = state->path[--state->height];
    uint32_t low = state->low[node];
    if (low == state->index[node]) {
        while (state->open[state->opened - 1] != node)
            state->low[state->open[--state->opened]] = LG_NONE;
        state->low[state->open[--state->opened]] = LG_NONE;
        state->found++;
    } else {
        uint32_t *above = &state->low[state->path[state->height - 1]];
        *above = low < *above ? low : *above;
    }
}

static void
strong_walk(strong *state, uint32_t start)
{
    strong_enter(state, start);
    while (state->height > 0) {
        uint32_t node = state->path[state->height - 1];
        uint32_t *cursor = &state->cursor[state->height - 1];
        if (*cursor == state->out.first[node + 1]) {
            strong_leave(state);
            continue;
        }
        uint32_t next = state->out.other[(*cursor)++];
        if (state->index[next] == 0)
            strong_enter(state, next);
        else if (state->low[next] != LG_NONE &&
                 state->index[next] < state->low[node])
            state->low[node] = state->index[next];
    }
}

uint32_t
plain_components(const plain *graph)
{
    uint32_t nodes = graph->nodes;
    strong state = {
        .out = rows_new(nodes, graph->edges, graph->source, graph->target),
        .index = numbers(nodes),
        .low = numbers(nodes),
        .open = numbers(nodes),
        .path = numbers(nodes),
        .cursor = numbers(nodes),
    };
    memset(state.index, 0, nodes * sizeof(uint32_t));
    for (uint32_t node = 0; node < nodes; node++)
        if (state.index[node] == 0)
            strong_walk(&state, node);
    rows_free(&state.out);
    free(state.index);
    free(state.low);
    free(state.open);
    free(state.path);
    free(state.cursor);
    return state.found;
}
