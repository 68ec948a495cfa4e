// The dominator tree as reports show it: what a node dominates that is folded,
// or that answers pass over, replaces it; a cycle of garbage is one entry.
#include "graph/graph_private.h"
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>

#include <stdlib.h>

typedef struct gathering {
    const lg_analysis *analysis;
    const lg__folds *folds;
    lg__reverse reverse;
    uint64_t least;
    lg__gathered *out;
    lg__gathered passed; // nodes whose children are still to be appended
    bool going;
} gathering;

bool
lg__gather_append(lg__gathered *to, uint32_t node)
{
    if (!lg__stack_room(&to->items, to->count, &to->capacity,
                        sizeof *to->items))
        return false;
    to->items[to->count++] = node;
    return true;
}

bool
lg__gather_all(lg__gathered *to, const lg__gathered *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!lg__gather_append(to, from->items[i]))
            return false;
    return true;
}

void
lg__gather_once(lg__gathered *nodes)
{
    size_t kept = 0;
    if (nodes->count > 1)
        qsort(nodes->items, nodes->count, sizeof *nodes->items,
              lg__ascending32);
    for (size_t i = 0; i < nodes->count; i++)
        if (kept == 0 || nodes->items[i] != nodes->items[kept - 1])
            nodes->items[kept++] = nodes->items[i];
    nodes->count = kept;
}

bool
lg__gathered_has(const lg__gathered *nodes, uint32_t node)
{
    return nodes->count > 0 && bsearch(&node, nodes->items, nodes->count,
                                       sizeof node, lg__ascending32) != NULL;
}

static inline void
add(gathering *state, uint32_t above, uint32_t node)
{
    if (!state->going || (state->least > 0 &&
                          lg__freed_by(state->analysis, node) < state->least))
        return;
    bool inside = lg__fold_owner(state->folds, node) != LG_NONE ||
                  lg__passes_over(state->analysis->graph, above, node);
    state->going =
        lg__gather_append(inside ? &state->passed : state->out, node);
}

// Members of the component do not hang below each other.
static void
add_children(gathering *state, uint32_t node, uint32_t component)
{
    const lg_analysis *analysis = state->analysis;
    const lg__children children = lg__children_of(analysis, node);
    for (uint32_t i = children.begin; i < children.end; i++) {
        uint32_t child = lg__child_at(analysis, i);
        if (component == LG_NONE ||
            lg_node_component(analysis, child) != component)
            add(state, node, child);
    }
}

// Ranks a member by how well people recognise it: a figure or an object of a
// user's class, then any object, then containers and classes. The best one
// represents the cycle.
static unsigned
rank(const gathering *state, uint32_t node)
{
    const lg_graph *graph = state->analysis->graph;
    if (lg__fold_owner(state->folds, node) != LG_NONE)
        return 6;
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_FIGURE:
        return 0;
    case LG_CATEGORY_FUNCTION:
    case LG_CATEGORY_FRAME:
        return 3;
    case LG_CATEGORY_CONTAINER:
        return 4;
    case LG_CATEGORY_TYPE:
        return 5;
    default:
        return lg__type_is_well_known(graph,
                                      lg_columns_type(&graph->columns, node))
                   ? 2
                   : 1;
    }
}

// Counts the references within the component that lead to a member, because
// parts refer to their whole.
static uint32_t
count_from_component(const gathering *state, uint32_t node, uint32_t component)
{
    const lg__reverse *reverse = &state->reverse;
    uint32_t count = 0;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++)
        count += lg_node_component(state->analysis,
                                   lg__in_source(reverse, i)) == component;
    return count;
}

// The score of a member.
typedef struct standing {
    uint32_t node;
    unsigned rank;
    uint32_t references;
    uint64_t bytes;
} standing;

static bool
says_more(const standing *a, const standing *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->references != b->references ? a->references > b->references
                                          : a->bytes > b->bytes;
}

// Returns the member that represents a component of garbage. *collective says
// whether another component dominates this one collectively.
static uint32_t
represent(const gathering *state, uint32_t index, bool *collective)
{
    const lg_analysis *analysis = state->analysis;
    lg_component component = lg_analysis_component(analysis, index);
    standing best = {.node = LG_NONE};
    *collective = false;
    for (uint32_t i = 0; i < component.count; i++) {
        uint32_t node = component.nodes[i];
        if (lg__garbage_component_of(analysis, node) == LG_NONE)
            continue;
        *collective |= lg__collective_find(analysis, node) != LG_NONE;
        standing other = {node, rank(state, node), 0, 0};
        if (best.node != LG_NONE && other.rank > best.rank)
            continue;
        other.references = count_from_component(state, node, index);
        other.bytes = lg__retained_by(analysis, node);
        if (best.node == LG_NONE || says_more(&other, &best))
            best = other;
    }
    return best.node;
}

static void
add_garbage(gathering *state)
{
    const lg_analysis *analysis = state->analysis;
    bool *seen =
        lg__calloc((size_t)analysis->component_count + 1, sizeof *seen);
    state->going = seen != NULL;
    const lg__children children =
        lg__children_of(analysis, analysis->graph->columns.node_count + 1);
    for (uint32_t i = children.begin; i < children.end && state->going; i++) {
        uint32_t node = lg__child_at(analysis, i);
        uint32_t component = lg__garbage_component_of(analysis, node);
        bool collective;
        if (component == LG_NONE)
            collective = lg__collective_find(analysis, node) != LG_NONE;
        else if (seen[component])
            continue;
        else
            node = represent(state, component, &collective);
        if (component != LG_NONE)
            seen[component] = true;
        if (!collective)
            add(state, LG_NONE, node);
    }
    lg__free(seen);
}

// Appends what a cycle of garbage dominates, through one member or as a whole.
static void
add_garbage_component(gathering *state, uint32_t index)
{
    const lg_analysis *analysis = state->analysis;
    lg_component component = lg_analysis_component(analysis, index);
    size_t count;
    const lg__collective_of *collective =
        lg__collective_list(analysis, index, &count);
    bool ignored;
    for (uint32_t i = 0; i < component.count; i++)
        add_children(state, component.nodes[i], index);
    for (size_t i = 0; i < count; i++) {
        uint32_t own = lg__garbage_component_of(analysis, collective[i].node);
        add(state, LG_NONE,
            own == LG_NONE ? collective[i].node
                           : represent(state, own, &ignored));
    }
}

static void
expand(gathering *state, uint32_t node)
{
    uint32_t root = state->analysis->graph->columns.node_count;
    uint32_t component =
        node < root ? lg__garbage_component_of(state->analysis, node) : LG_NONE;
    if (node == root + 1)
        add_garbage(state);
    else if (component != LG_NONE)
        add_garbage_component(state, component);
    else
        add_children(state, node, LG_NONE);
}

// What is folded or passed over waits on a list, and its children take its
// place. The dominator tree has each node once, so the list ends.
bool
lg__gather_dominated(const lg_analysis *analysis, const lg__folds *folds,
                     uint32_t node, uint64_t least, lg__gathered *out)
{
    gathering state = {.analysis = analysis,
                       .folds = folds,
                       .least = least,
                       .out = out,
                       .going = true};
    if (!lg__graph_reverse(analysis->graph, &state.reverse))
        return false;
    expand(&state, node);
    while (state.going && state.passed.count > 0)
        add_children(&state, state.passed.items[--state.passed.count], LG_NONE);
    lg__free(state.passed.items);
    return state.going;
}
