// The dominator tree, from the top down: the immediate dominator of a node is
// the nearest common ancestor of its referrers, all of which come before it.
//
// A node that is settled has its final parent. The order puts every referrer
// before what it refers to, unless both are in one component. So when the turn
// of a node comes, `parent` is the meet of all its referrers, in a tree whose
// upper part no longer changes. The members of a component have their turn
// together.
//
// A component that has a loop with several entries is a problem of its own:
// small ones are solved with sets of dominators, big ones with igraph, in a
// problem whose node 0 stands for everything outside.
#include "analysis/dominator_builder.h"
#include "analysis/chains.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 };

#define BIT(index) ((uint64_t)1 << (index))

// Arrays are indexed by the position of a member in the component's original
// order.
typedef struct irreducible {
    lg__dominator_builder *building;
    uint32_t begin;
    uint32_t count;
    uint32_t *member;
    uint32_t *inner; // index of its dominator; LG_NONE: outside
    uint32_t *chain;
} irreducible;

static bool
is_entry(const irreducible *state, uint32_t index)
{
    return !(state->building->mark[state->member[index]] & LG__MARK_INNER);
}

typedef void show_edge(void *context, uint32_t source, uint32_t target);

// Passes on each edge from a member to another that is not an entry.
static void
show_problem(const irreducible *state, show_edge *show, void *context)
{
    const lg__dominator_builder *building = state->building;
    const lg_columns *columns = &building->graph->columns;
    unsigned barred = lg__dominators_barred(building, state->member[0]);
    for (uint32_t index = 0; index < state->count; index++) {
        uint32_t node = state->member[index];
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            uint32_t target = lg_columns_target(columns, edge);
            if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
                target != node &&
                (building->mark[target] & (barred | LG__MARK_INNER)) ==
                    LG__MARK_INNER)
                show(context, index, building->branches.parent[target]);
        }
    }
}

typedef struct sets {
    uint64_t referrers[SMALL];
    uint64_t dominators[SMALL]; // bits, the member itself among them
} sets;

static void
add_referrer(void *context, uint32_t source, uint32_t target)
{
    ((sets *)context)->referrers[target] |= BIT(source);
}

static uint64_t
common_dominators(const sets *found, uint32_t index)
{
    uint64_t common = UINT64_MAX;
    for (uint64_t left = found->referrers[index]; left != 0; left &= left - 1)
        common &= found->dominators[__builtin_ctzll(left)];
    return common | BIT(index);
}

// Finds the dominators of small components: those of a member are all that its
// referrers share. Starts with all members and repeats until nothing changes.
// The sets only shrink, and none ever loses a dominator: so where they come to
// rest, they are the dominators and nothing else. Each round but the last takes
// a bit from a set, so the rounds end.
static void
solve_small(irreducible *state)
{
    sets found = {{0}, {0}};
    show_problem(state, add_referrer, &found);
    for (uint32_t i = 0; i < state->count; i++)
        found.dominators[i] = is_entry(state, i) ? BIT(i) : UINT64_MAX;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < state->count; i++) {
            uint64_t fewer =
                is_entry(state, i) ? BIT(i) : common_dominators(&found, i);
            changed |= fewer != found.dominators[i];
            found.dominators[i] = fewer;
        }
    }
    // The dominators of a member form a chain, and the nearest one has all the
    // others.
    for (uint32_t i = 0; i < state->count; i++) {
        uint64_t others = found.dominators[i] & ~BIT(i);
        state->inner[i] = LG_NONE;
        for (uint64_t left = others; left != 0; left &= left - 1) {
            uint32_t other = (uint32_t)__builtin_ctzll(left);
            if (found.dominators[other] == others)
                state->inner[i] = other;
        }
    }
}

typedef struct edge_list {
    uint64_t count;
    uint32_t *source; // NULL: edges are only counted
    uint32_t *target;
} edge_list;

static void
add_edge(void *context, uint32_t source, uint32_t target)
{
    edge_list *edges = context;
    if (edges->source != NULL) {
        edges->source[edges->count] = source + 1;
        edges->target[edges->count] = target + 1;
    }
    edges->count++;
}

static void
list_edges(const irreducible *state, edge_list *edges)
{
    edges->count = 0;
    for (uint32_t i = 0; i < state->count; i++)
        if (is_entry(state, i)) {
            if (edges->source != NULL) {
                edges->source[edges->count] = 0;
                edges->target[edges->count] = i + 1;
            }
            edges->count++;
        }
    show_problem(state, add_edge, edges);
}

static lg_status
ask_igraph(irreducible *state, const edge_list *edges, lg_error *err)
{
    lg__problem problem = {
        .node_count = state->count + 1,
        .edge_count = edges->count,
        .source = edges->source,
        .target = edges->target,
        .monitor = state->building->monitor,
    };
    uint32_t *found = lg__alloc(problem.node_count * sizeof *found);
    lg_status status = found != NULL ? lg__chains_solve(&problem, found, err)
                                     : lg__error_memory(err);
    for (uint32_t i = 0; i < state->count && status == LG_OK; i++)
        state->inner[i] = found[i + 1] == 0 ? LG_NONE : found[i + 1] - 1;
    lg__free(found);
    return status;
}

static lg_status
solve_big(irreducible *state, lg_error *err)
{
    edge_list edges = {0};
    list_edges(state, &edges);
    size_t size = edges.count * sizeof(uint32_t);
    edges.source = lg__alloc(size);
    edges.target = lg__alloc(size);
    lg_status status = LG_ENOMEM;
    if (edges.source != NULL && edges.target != NULL) {
        list_edges(state, &edges);
        status = ask_igraph(state, &edges, err);
    } else {
        lg__error_memory(err);
    }
    lg__free(edges.source);
    lg__free(edges.target);
    return status;
}

// Nothing is settled, whatever the order of the walk has settled before it was
// not enough.
static void
unsettle(const irreducible *state)
{
    const lg__branches *branches = &state->building->branches;
    for (uint32_t index = 0; index < state->count; index++) {
        branches->depth[state->member[index]] = 0;
        branches->parent[state->member[index]] = index;
    }
}

// Orders the members so that each comes after its inner dominator, and settles
// them. The way up from a member ends at the first one that is settled, so each
// is passed once.
static void
settle_apart(irreducible *state, uint32_t top)
{
    lg__dominator_builder *building = state->building;
    lg__branches *branches = &building->branches;
    const uint32_t *inner = state->inner;
    uint32_t count = state->begin;
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t length = 0;
        for (uint32_t at = i;
             at != LG_NONE && branches->depth[state->member[at]] == 0;
             at = inner[at])
            state->chain[length++] = at;
        while (length > 0) {
            uint32_t at = state->chain[--length];
            uint32_t node = state->member[at];
            branches->parent[node] =
                inner[at] == LG_NONE ? top : state->member[inner[at]];
            lg__branch_settle(branches, node);
            building->order[count++] = node;
        }
    }
}

// Solves any component. Reorders its members.
static lg_status
dominators_irreducible(lg__dominator_builder *building,
                       const lg__component_span *component, uint32_t top,
                       lg_error *err)
{
    uint32_t count = component->end - component->begin;
    uint32_t *room = lg__alloc(3 * (size_t)count * sizeof *room);
    if (room == NULL)
        return lg__error_memory(err);
    irreducible state = {building, component->begin, count,
                         room,     room + count,     room + 2 * (size_t)count};
    memcpy(state.member, building->order + component->begin,
           count * sizeof *room);
    unsettle(&state);
    lg_status status = LG_OK;
    if (count <= SMALL)
        solve_small(&state);
    else
        status = solve_big(&state, err);
    if (status == LG_OK)
        settle_apart(&state, top);
    lg__free(room);
    return status;
}

// Strongly connected components, and an order of the nodes in which every edge
// between components leads forward: Pearce, "A space-efficient algorithm for
// finding strongly connected components", 2016.
//
// The place of a node is 0 before the walk meets it, then the least number that
// the walk met from it, and LG_NONE when its component is complete. The order
// has complete components at its end. At its beginning are the nodes that wait
// for their component, in the order in which the walk left them.

typedef struct step {
    uint32_t edge; // the next edge to follow
    uint32_t end;  // the node's edges end before it
    uint32_t node;
} step;

typedef struct walk {
    lg__dominator_builder *building;
    step *path;
    uint32_t height; // length of the path
    uint32_t met;
    uint32_t waiting;
    uint32_t left; // nodes whose component is incomplete
    unsigned barred;
    uint8_t met_marks;
} walk;

static void
meet_node(walk *state, uint32_t node)
{
    lg__dominator_builder *building = state->building;
    const lg_edge_range edges =
        lg_columns_edges(&building->graph->columns, node);
    state->path[state->height++] =
        (step){(uint32_t)edges.begin, (uint32_t)edges.end, node};
    building->place[node] = ++state->met;
    building->mark[node] |= state->met_marks;
}

// Continues with a node's edges. Returns the next node that the walk has not
// met, or LG_NONE at the end.
static uint32_t
next_node(walk *state, step *at)
{
    const lg_columns *columns = &state->building->graph->columns;
    uint8_t *mark = state->building->mark;
    uint32_t *place = state->building->place;
    uint32_t least = place[at->node];
    uint32_t next = LG_NONE;
    uint32_t edge = at->edge;
    while (edge < at->end && next == LG_NONE) {
        uint32_t target = lg_columns_target(columns, edge);
        unsigned weak = lg_columns_kind(columns, edge++) & LG_EDGE_WEAK;
        if (weak || (mark[target] & state->barred))
            continue;
        if (place[target] == 0)
            next = target;
        else if (place[target] < least)
            least = place[target];
        else if (target == at->node)
            mark[target] |= LG__MARK_SELF;
    }
    at->edge = edge;
    if (least < place[at->node]) {
        place[at->node] = least;
        mark[at->node] |= LG__MARK_BOUND;
    }
    return next;
}

static bool
add_component(lg__vector *components, uint32_t begin, uint32_t end)
{
    lg_allocator allocator = lg_allocator_default();
    lg__component_span *component =
        lg__vector_extend(&allocator, components, 1);
    if (component != NULL)
        *component = (lg__component_span){.begin = begin, .end = end};
    return component != NULL;
}

// Completes the component of a node with the nodes that wait for it. They go
// into the order in reverse of how the walk left them, so that only edges back
// along the walk's path lead back. The nodes that wait and the complete ones
// share the order: a node is one or the other, so the two ends never overlap.
// What waits with a place of at least the node's own was met after it and is
// bound to it.
static bool
complete(walk *state, uint32_t node)
{
    lg__dominator_builder *building = state->building;
    uint32_t number = building->place[node];
    uint32_t count = 0;
    building->place[node] = LG_NONE;
    while (state->waiting > 0 &&
           building->place[building->order[state->waiting - 1]] >= number) {
        building->place[building->order[--state->waiting]] = LG_NONE;
        count++;
    }
    uint32_t end = state->left;
    if (count > 0) {
        uint32_t *members = building->order + state->waiting;
        lg__items_reverse(members, count, sizeof *members);
        memmove(building->order + end - count, members,
                count * sizeof *members);
    }
    state->left -= count + 1;
    building->order[state->left] = node;
    return (count == 0 && !(building->mark[node] & LG__MARK_SELF)) ||
           add_component(&building->components, state->left, end);
}

// Completes the component if the node leads to no node that was met before it
// and is incomplete. Otherwise the node waits, and binds the node before it on
// the path, too. There is one: the start of a path was met before all that is
// incomplete, so nothing binds it.
static bool
leave_node(walk *state)
{
    lg__dominator_builder *building = state->building;
    uint32_t node = state->path[--state->height].node;
    if (!(building->mark[node] & LG__MARK_BOUND))
        return complete(state, node);
    uint32_t from = state->path[state->height - 1].node;
    building->mark[node] &= (uint8_t)~LG__MARK_BOUND;
    building->order[state->waiting++] = node;
    if (building->place[node] < building->place[from]) {
        building->place[from] = building->place[node];
        building->mark[from] |= LG__MARK_BOUND;
    }
    return true;
}

static lg_status
walk_from(walk *state, uint32_t start, lg_error *err)
{
    uint32_t nodes = state->building->graph->columns.node_count;
    meet_node(state, start);
    while (state->height > 0) {
        uint32_t next = next_node(state, &state->path[state->height - 1]);
        if (next == LG_NONE) {
            if (!leave_node(state))
                return lg__error_memory(err);
            continue;
        }
        meet_node(state, next);
        if (!lg__dominators_goes_on(state->building, "walking", state->met,
                                    nodes, err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

// Walks from every node that has one of the marks (0: from every node).
static lg_status
walk_all(walk *state, unsigned wanted, lg_error *err)
{
    const lg__dominator_builder *building = state->building;
    uint32_t nodes = building->graph->columns.node_count;
    lg_status status = LG_OK;
    for (uint32_t node = 0; node < nodes && status == LG_OK; node++)
        if (building->place[node] == 0 &&
            (wanted == 0 || (building->mark[node] & wanted)))
            status = walk_from(state, node, err);
    return status;
}

// Starts with namespaces: what the walk completes later precedes them in the
// order, and modules precede their namespaces.
static lg_status
walk_graph(lg__dominator_builder *building, lg_error *err)
{
    size_t nodes = building->graph->columns.node_count;
    lg_allocator allocator = lg_allocator_default();
    walk state = {
        .building = building,
        .path = lg__allocate(&allocator, (nodes + 1) * sizeof(step)),
        .left = building->graph->columns.node_count,
        .barred = LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE,
        .met_marks = LG__MARK_LIVE,
    };
    if (state.path == NULL)
        return lg__error_memory(err);
    lg_status status = walk_all(&state, LG__MARK_NAMESPACE, err);
    if (status == LG_OK)
        status = walk_all(&state, LG__MARK_POLICY, err);
    state.barred |= LG__MARK_LIVE;
    state.met_marks = 0;
    if (status == LG_OK)
        status = walk_all(&state, 0, err);
    lg__deallocate(&allocator, state.path, (nodes + 1) * sizeof(step));
    return status;
}

// The root of garbage comes after the super-root.
static inline uint32_t
garbage_root(const lg__dominator_builder *building)
{
    return building->graph->columns.node_count + 1;
}

// Replaces *known by the nearest common ancestor of *known (LG_NONE: nothing
// yet) and one more node.
static inline void
meet(const lg__dominator_builder *building, uint32_t *known, uint32_t more)
{
    if (*known == LG_NONE)
        *known = more;
    else if (*known < lg__dominators_root(building) && *known != more)
        *known = lg__branch_meet(&building->branches, *known, more);
}

// Dominators within a component, in the order of the walk.
//
// An edge whose target dominates its source changes no dominator, because a
// path along it has been at the target before. An edge into an entry changes
// none either, because the path can enter there. If no other edge leads back,
// the rest has no cycles, and every referrer of a node comes before the node.

// The entries hang from `top`, the nearest common dominator of their referrers.
// In a component of garbage that nothing refers to, all members are entries.
static uint32_t
open_entries(lg__dominator_builder *building, lg__component_span *component)
{
    uint32_t *parent = building->branches.parent;
    uint32_t top = LG_NONE;
    uint32_t entries = 0;
    for (uint32_t i = component->begin; i < component->end; i++) {
        uint32_t node = building->order[i];
        component->early |= (building->mark[node] & LG__MARK_EARLY) != 0;
        entries += parent[node] != LG_NONE;
        if (parent[node] != LG_NONE)
            meet(building, &top, parent[node]);
    }
    bool loose = entries == 0;
    if (loose) {
        entries = component->end - component->begin;
        top = garbage_root(building);
        component->early = true;
    }
    const unsigned replaced = LG__MARK_EARLY | LG__MARK_SELF;
    unsigned marks = entries > 1        ? LG__MARK_MANY
                     : component->early ? LG__MARK_EARLY
                                        : 0;
    for (uint32_t i = component->begin; i < component->end; i++) {
        uint32_t node = building->order[i];
        uint8_t *mark = &building->mark[node];
        bool entry = loose || parent[node] != LG_NONE;
        *mark = (uint8_t)((*mark & ~replaced) | marks |
                          (entry ? 0 : LG__MARK_INNER));
        if (entry)
            parent[node] = top;
    }
    return top;
}

// Passes on a member's edges to members that are not entries. Returns false if
// an edge leads back to a node that does not dominate the member.
static bool
show_inward(const lg__dominator_builder *building, uint32_t node)
{
    const lg_columns *columns = &building->graph->columns;
    const lg__branches *branches = &building->branches;
    unsigned barred = lg__dominators_barred(building, node);
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if ((lg_columns_kind(columns, edge) & LG_EDGE_WEAK) ||
            (building->mark[target] & (barred | LG__MARK_INNER)) !=
                LG__MARK_INNER)
            continue;
        if (branches->depth[target] == 0)
            meet(building, &branches->parent[target], node);
        else if (lg__branch_ancestor(branches, node,
                                     lg__branch_depth(branches, target)) !=
                 target)
            return false;
    }
    return true;
}

// All members are settled, and nothing outside that they refer to is.
static void
show_outward(const lg__dominator_builder *building, uint32_t node)
{
    const lg_columns *columns = &building->graph->columns;
    unsigned barred = lg__dominators_barred(building, node);
    unsigned early = building->mark[node] & LG__MARK_EARLY;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if ((lg_columns_kind(columns, edge) & LG_EDGE_WEAK) ||
            (building->mark[target] & barred) ||
            building->branches.depth[target] != 0)
            continue;
        building->mark[target] |= (uint8_t)early;
        meet(building, &building->branches.parent[target], node);
    }
}

// Settles the members if the order of the walk is enough.
static bool
settle_member(lg__dominator_builder *building, uint32_t place)
{
    uint32_t node = building->order[place];
    if (building->branches.parent[node] == LG_NONE)
        return false;
    lg__branch_settle(&building->branches, node);
    return show_inward(building, node);
}

// Settles a component, and passes on its edges to the outside. All edges into
// the component must have been passed on.
static lg_status
settle_component(lg__dominator_builder *building, lg__component_span *component,
                 lg_error *err)
{
    uint32_t nodes = building->graph->columns.node_count;
    uint32_t top = open_entries(building, component);
    uint32_t place = component->begin;
    while (place < component->end && settle_member(building, place))
        if (!lg__dominators_goes_on(building, "finding dominators", place++,
                                    nodes, err))
            return LG_ECANCELLED;
    if (place < component->end) {
        lg_status status =
            dominators_irreducible(building, component, top, err);
        if (status != LG_OK)
            return status;
    }
    for (place = component->begin; place < component->end; place++)
        show_outward(building, building->order[place]);
    return LG_OK;
}

static void
show_edges(lg__dominator_builder *building, uint32_t node)
{
    const lg_columns *columns = &building->graph->columns;
    uint8_t *mark = building->mark;
    uint32_t *parent = building->branches.parent;
    unsigned barred = lg__dominators_barred(building, node);
    unsigned early = mark[node] & LG__MARK_EARLY;
    uint32_t referrer = mark[node] & LG__MARK_NAMESPACE ? parent[node] : node;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if ((lg_columns_kind(columns, edge) & LG_EDGE_WEAK) ||
            (mark[target] & barred))
            continue;
        mark[target] |= (uint8_t)early;
        meet(building, &parent[target], referrer);
    }
}

// Garbage that nothing refers to hangs from the root of garbage.
static void
settle(lg__dominator_builder *building, uint32_t node)
{
    if (building->branches.parent[node] == LG_NONE) {
        building->branches.parent[node] = garbage_root(building);
        building->mark[node] |= LG__MARK_EARLY;
    }
    lg__branch_settle(&building->branches, node);
}

static void
begin(lg__dominator_builder *building)
{
    uint32_t nodes = building->graph->columns.node_count;
    uint32_t root = lg__dominators_root(building);
    uint32_t garbage = garbage_root(building);
    uint32_t *parent = building->branches.parent;
    parent[root] = root;
    parent[garbage] = garbage;
    for (uint32_t node = 0; node < nodes; node++) {
        bool held =
            building->mark[node] & (LG__MARK_IMPLICIT_ROOT | LG__MARK_ENTRY);
        parent[node] = held ? root : LG_NONE;
        if (held)
            building->mark[node] |= LG__MARK_EARLY;
    }
    for (uint32_t i = 0; i < building->policy->module_count; i++) {
        lg__module module = building->policy->modules[i];
        parent[module.dict] = module.module;
        building->mark[module.dict] |= LG__MARK_EARLY;
    }
}

// The walk completed components from the end of the order on. So the last of
// the list comes first in the order.
static lg_status
settle_all(lg__dominator_builder *building, lg_error *err)
{
    uint32_t nodes = building->graph->columns.node_count;
    lg__component_span *components = building->components.data;
    size_t left = building->components.count;
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < nodes && status == LG_OK; i++) {
        if (left > 0 && components[left - 1].begin == i) {
            status = settle_component(building, &components[--left], err);
            i = components[left].end - 1;
        } else {
            settle(building, building->order[i]);
            show_edges(building, building->order[i]);
            if (!lg__dominators_goes_on(building, "finding dominators", i,
                                        nodes, err))
                status = LG_ECANCELLED;
        }
    }
    return status;
}

static void
forget_places(lg__dominator_builder *building)
{
    size_t nodes = building->graph->columns.node_count;
    lg__huge_free(building->place, (nodes + 1) * sizeof(uint32_t));
    building->place = NULL;
}

lg_status
lg__dominators_run(lg__dominator_builder *building, const lg_graph *graph,
                   const lg__policy *policy, const lg_monitor *monitor,
                   lg_error *err)
{
    size_t nodes = graph->columns.node_count;
    *building = (lg__dominator_builder){
        .graph = graph,
        .monitor = monitor,
        .policy = policy,
        .mark = policy->mark,
        .order = lg__huge_calloc((nodes + 1) * sizeof(uint32_t)),
        .place = lg__huge_calloc((nodes + 1) * sizeof(uint32_t)),
        .components = {.element = sizeof(lg__component_span)},
    };
    if (building->order == NULL || building->place == NULL)
        return lg__error_memory(err);
    lg_status status = walk_graph(building, err);
    forget_places(building);
    if (status != LG_OK)
        return status;
    if (!lg__branches_open(nodes + 2, &building->branches))
        return lg__error_memory(err);
    begin(building);
    return settle_all(building, err);
}

void
lg__dominators_free(lg__dominator_builder *building)
{
    lg_allocator allocator = lg_allocator_default();
    if (building->graph == NULL)
        return;
    size_t nodes = building->graph->columns.node_count;
    lg__huge_free(building->order, (nodes + 1) * sizeof(uint32_t));
    forget_places(building);
    lg__branches_free(&building->branches);
    lg__free(building->part);
    lg__branches_free(&building->component);
    lg__vector_free(&allocator, &building->components);
}
