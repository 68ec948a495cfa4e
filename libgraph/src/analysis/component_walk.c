// Strongly connected components, and an order of the nodes in which every edge
// between components leads forward: Pearce, "A space-efficient algorithm for
// finding strongly connected components", 2016.
//
// The place of a node is 0 before the walk meets it, then the least number that
// the walk met from it, and LG_NONE when its component is complete. The order
// has complete components at its end. At its beginning are the nodes that wait
// for their component, in the order in which the walk left them.
#include "analysis/dominator_builder.h"

#include <string.h>

typedef struct step {
    uint64_t edge; // the next edge to follow
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
    state->path[state->height++] =
        (step){building->graph->columns.first_edge[node], node};
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
    uint64_t edge = at->edge;
    uint64_t end = columns->first_edge[at->node + 1];
    while (edge < end && next == LG_NONE) {
        uint32_t target = columns->edge_target[edge];
        unsigned weak = columns->edge_kind[edge++] & LG_EDGE_WEAK;
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

static void
reverse(uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t node = nodes[i];
        nodes[i] = nodes[count - 1 - i];
        nodes[count - 1 - i] = node;
    }
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
// along the walk's path lead back.
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
        reverse(members, count);
        memmove(building->order + end - count, members,
                count * sizeof *members);
    }
    state->left -= count + 1;
    building->order[state->left] = node;
    return (count == 0 && !(building->mark[node] & LG__MARK_SELF)) ||
           add_component(&building->components, state->left, end);
}

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
lg_status
lg__dominators_walk(lg__dominator_builder *building, lg_error *err)
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
