// Splits a component that lost edges, and finds the edges that lead back.
// Nothing recurses: components have millions of nodes.
#include "cycles/cycles_private.h"
#include "base/base_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct walker {
    const lg_graph *graph;
    const lg__members *members;
    uint64_t *next;  // [member] edge to continue with
    uint32_t *met;   // [member] when the search met it, from 1 on; 0: not yet
    uint32_t *low;   // [member] the earliest met member that it leads back to
    uint32_t *path;  // members from the start to the current one
    uint32_t *open;  // members that belong to no part yet
    uint8_t *opened; // [member] whether it is in `open`
    uint32_t depth;
    uint32_t open_count;
    uint32_t clock;
} walker;

static void
walker_free(walker *state)
{
    lg__wide_free(state->next);
    lg__wide_free(state->met);
    lg__wide_free(state->low);
    lg__wide_free(state->path);
    lg__wide_free(state->open);
    lg__wide_free(state->opened);
}

static bool
walker_new(const lg_graph *graph, const lg__members *members, walker *out)
{
    size_t count = (size_t)members->count + 1;
    *out = (walker){
        .graph = graph,
        .members = members,
        .next = lg__wide_alloc(count * sizeof(uint64_t)),
        .met = lg__wide_calloc(count, sizeof(uint32_t)),
        .low = lg__wide_alloc(count * sizeof(uint32_t)),
        .path = lg__wide_alloc(count * sizeof(uint32_t)),
        .open = lg__wide_alloc(count * sizeof(uint32_t)),
        .opened = lg__wide_calloc(count, 1),
    };
    if (out->next && out->met && out->low && out->path && out->open &&
        out->opened)
        return true;
    walker_free(out);
    return false;
}

static void
enter(walker *state, uint32_t member)
{
    const uint64_t *first = state->graph->columns.first_edge;
    state->next[member] = first[state->members->nodes[member]];
    state->met[member] = state->low[member] = ++state->clock;
    state->path[state->depth++] = member;
    state->open[state->open_count++] = member;
    state->opened[member] = 1;
}

// Returns the member that the next edge leads to, and the edge; LG_NONE after
// the last.
static uint32_t
advance(walker *state, uint32_t member, uint64_t *edge)
{
    const lg_columns *columns = &state->graph->columns;
    uint64_t end = columns->first_edge[state->members->nodes[member] + 1];
    while (state->next[member] < end) {
        *edge = state->next[member]++;
        uint32_t target =
            lg__members_find(state->members, columns->edge_target[*edge]);
        if (target != LG_NONE &&
            lg__members_edge(state->members, state->graph, *edge))
            return target;
    }
    return LG_NONE;
}

static bool
has_itself(const walker *state, uint32_t member)
{
    const lg_columns *columns = &state->graph->columns;
    uint32_t node = state->members->nodes[member];
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++)
        if (columns->edge_target[edge] == node &&
            lg__members_edge(state->members, state->graph, edge))
            return true;
    return false;
}

static int
by_node(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

// Makes a part of the members from `member` on in `open`. It counts if it has
// an edge inside.
static void
close_part(walker *state, uint32_t member, lg__splits *out)
{
    uint32_t start = out->count > 0 ? out->end[out->count - 1] : 0;
    uint32_t end = start;
    uint32_t last;
    do {
        last = state->open[--state->open_count];
        state->opened[last] = 0;
        out->nodes[end++] = state->members->nodes[last];
    } while (last != member);
    if (end - start == 1 && !has_itself(state, member))
        return;
    lg__sort(out->nodes + start, end - start, sizeof *out->nodes, by_node);
    out->end[out->count++] = end;
}

static void
leave(walker *state, lg__splits *out)
{
    uint32_t member = state->path[--state->depth];
    if (state->depth > 0) {
        uint32_t before = state->path[state->depth - 1];
        if (state->low[member] < state->low[before])
            state->low[before] = state->low[member];
    }
    if (state->low[member] == state->met[member])
        close_part(state, member, out);
}

static void
split_from(walker *state, uint32_t start, lg__splits *out)
{
    uint64_t edge;
    enter(state, start);
    while (state->depth > 0) {
        uint32_t member = state->path[state->depth - 1];
        uint32_t target = advance(state, member, &edge);
        if (target == LG_NONE)
            leave(state, out);
        else if (state->met[target] == 0)
            enter(state, target);
        else if (state->opened[target] &&
                 state->met[target] < state->low[member])
            state->low[member] = state->met[target];
    }
}

bool
lg__members_split(const lg_graph *graph, const lg__members *members,
                  lg__splits *out)
{
    walker state;
    lg__splits parts = {
        lg__wide_alloc(((size_t)members->count + 1) * sizeof(uint32_t)),
        lg__wide_alloc(((size_t)members->count + 1) * sizeof(uint32_t)), 0};
    if (!parts.nodes || !parts.end || !walker_new(graph, members, &state)) {
        lg__splits_free(&parts);
        return false;
    }
    for (uint32_t i = 0; i < members->count; i++)
        if (state.met[i] == 0)
            split_from(&state, i, &parts);
    walker_free(&state);
    *out = parts;
    return true;
}

void
lg__splits_free(lg__splits *parts)
{
    lg__wide_free(parts->nodes);
    lg__wide_free(parts->end);
    *parts = (lg__splits){0};
}

typedef struct found_edges {
    uint64_t *items;
    size_t count;
} found_edges;

static bool
append(found_edges *found, uint64_t edge)
{
    if (!lg__array_room(&found->items, found->count, sizeof *found->items))
        return false;
    found->items[found->count++] = edge;
    return true;
}

// Searches from a start. The open members are those on the path, because the
// search closes a member when it leaves it.
static bool
search_from(walker *state, uint32_t start, found_edges *found)
{
    uint64_t edge;
    enter(state, start);
    while (state->depth > 0) {
        uint32_t member = state->path[state->depth - 1];
        uint32_t target = advance(state, member, &edge);
        if (target == LG_NONE)
            state->opened[state->path[--state->depth]] = 0;
        else if (state->met[target] == 0)
            enter(state, target);
        else if (state->opened[target] && !append(found, edge))
            return false;
    }
    return true;
}

uint64_t *
lg__members_back_edges(const lg_graph *graph, const lg__members *members,
                       uint32_t start, size_t *count)
{
    walker state;
    found_edges found = {lg__wide_calloc(1, sizeof(uint64_t)), 0};
    uint32_t member = lg__members_find(members, start);
    if (found.items == NULL || !walker_new(graph, members, &state)) {
        lg__wide_free(found.items);
        return NULL;
    }
    bool enough = member == LG_NONE || search_from(&state, member, &found);
    walker_free(&state);
    if (!enough) {
        lg__wide_free(found.items);
        return NULL;
    }
    *count = found.count;
    return found.items;
}
