// The dominator tree, biggest first. It decides which nodes get a row, in
// reports and in pictures.
#include "answers/answers_private.h"
#include "paths/paths_private.h"

#include <leakgraph/internal/options.h>

#include <stdlib.h>
#include <string.h>

// Branches that differ by less than this part of their bytes are equal.
enum { EQUAL_PART = 4 };

// Nodes of one type below one row that have one row together.
typedef struct small_nodes {
    uint32_t above; // the row
    uint32_t biggest;
    uint64_t most; // bytes of the biggest
    uint64_t count;
} small_nodes;

typedef struct row_builder {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_dominator_options options;
    lg__hop_walk walk;
    uint64_t least; // a node with fewer bytes gets no row
    uint8_t *leads; // [node] 1: in scope, or it dominates such a node; NULL: no
                    // scope
    lg_dominator_tree out;
    lg__node_heap heap; // nodes that may get a row; `tag` is the parent's row.
                        // From the node count on, indexes of `small`
    small_nodes *small;
    size_t small_count;
    uint64_t *small_bytes; // [small_count * devices and the host]
} row_builder;

static bool
add_row(row_builder *state, lg_dominator_row row)
{
    if (!lg__array_room(&state->out.rows, state->out.count, sizeof row))
        return false;
    state->out.rows[state->out.count++] = row;
    return true;
}

static uint32_t
root_of(const row_builder *state, const lg_dominator_row *row)
{
    uint32_t nodes = state->graph->columns.node_count;
    return row->top == LG_TOP_OBJECT    ? row->node
           : row->top == LG_TOP_GARBAGE ? nodes + 1
                                        : nodes;
}

// Returns whether that many rows above the last one have its type.
static bool
is_in_chain(const row_builder *state, uint32_t at)
{
    const lg_dominator_row *rows = state->out.rows;
    const lg_columns *columns = &state->graph->columns;
    for (uint32_t links = 0; links < state->options.links; links++) {
        uint32_t above = rows[at].parent;
        if (above == LG_NONE || rows[above].node == LG_NONE ||
            lg_columns_type(columns, rows[above].node) !=
                lg_columns_type(columns, rows[at].node))
            return false;
        at = above;
    }
    return state->options.links > 0;
}

static bool
may_have_row(const row_builder *state, uint32_t node)
{
    return state->leads == NULL || state->leads[node];
}

static size_t
device_count(const row_builder *state)
{
    return (size_t)state->graph->device_count + 1;
}

// Begins to gather nodes of one type below a row. Returns false when memory ran
// out.
static bool
add_small(row_builder *state, uint32_t above)
{
    const size_t each = device_count(state), at = state->small_count;
    if (!lg__array_room(&state->small, at, sizeof *state->small) ||
        !lg__array_room(&state->small_bytes, at,
                        each * sizeof *state->small_bytes))
        return false;
    state->small[state->small_count++] = (small_nodes){.above = above};
    memset(state->small_bytes + at * each, 0,
           each * sizeof *state->small_bytes);
    return true;
}

static void
gather_small(row_builder *state, size_t at, uint32_t node)
{
    const size_t each = device_count(state);
    uint64_t bytes = lg__freed_by(state->analysis, node);
    small_nodes *small = &state->small[at];
    if (small->count++ == 0 || bytes > small->most) {
        small->biggest = node;
        small->most = bytes;
    }
    for (uint32_t on = 0; on < each; on++)
        state->small_bytes[at * each + on] +=
            lg_node_retained_on(state->analysis, node, on);
}

// Gathers the nodes whose types have enough bytes together. `bytes` and `place`
// have room for each type, and begin as 0.
static bool
gather_types(row_builder *state, uint32_t row, const lg__gathered *nodes,
             uint64_t *bytes, uint32_t *place)
{
    const lg_columns *columns = &state->graph->columns;
    bool going = true;
    for (size_t i = 0; i < nodes->count; i++)
        bytes[lg_columns_type(columns, nodes->items[i])] +=
            lg__freed_by(state->analysis, nodes->items[i]);
    for (size_t i = 0; i < nodes->count && going; i++) {
        uint32_t node = nodes->items[i], type = lg_columns_type(columns, node);
        if (bytes[type] < state->least)
            continue;
        if (place[type] == 0) {
            going = add_small(state, row);
            place[type] = (uint32_t)state->small_count;
        }
        if (going)
            gather_small(state, place[type] - 1, node);
    }
    return going;
}

// Pushes the nodes that are too small for a row each, by type.
static bool
push_together(row_builder *state, uint32_t row, const lg__gathered *nodes)
{
    const lg_columns *columns = &state->graph->columns;
    const size_t types = state->graph->type_count;
    size_t at = state->small_count;
    uint64_t *bytes = lg__calloc(types + 1, sizeof *bytes);
    uint32_t *place = lg__calloc(types + 1, sizeof *place);
    bool going = bytes != NULL && place != NULL &&
                 gather_types(state, row, nodes, bytes, place);
    for (; at < state->small_count && going; at++)
        going = lg__node_heap_push(
            &state->heap,
            (lg__weighed_node){
                bytes[lg_columns_type(columns, state->small[at].biggest)],
                columns->node_count + (uint32_t)at, row});
    lg__free(bytes);
    lg__free(place);
    return going;
}

static bool
is_in_scope(const row_builder *state, uint32_t node)
{
    return state->options.scope == NULL ||
           lg_scope_has(state->options.scope, node);
}

// Pushes the nodes that may get a row. Keeps in `below` those that may have one
// together, and sets *sum to their bytes.
static bool
push_big(row_builder *state, uint32_t row, lg__gathered *below, uint64_t *sum)
{
    size_t kept = 0;
    bool going = true;
    for (size_t i = 0; i < below->count && going; i++) {
        uint32_t node = below->items[i];
        uint64_t bytes = lg__freed_by(state->analysis, node);
        if (bytes >= state->least && may_have_row(state, node)) {
            going = lg__node_heap_push(&state->heap,
                                       (lg__weighed_node){bytes, node, row});
        } else if (bytes < state->least && is_in_scope(state, node)) {
            *sum += bytes;
            below->items[kept++] = node;
        }
    }
    below->count = kept;
    return going;
}

// Counts what a row owns, and pushes what may get a row.
static bool
expand(row_builder *state, uint32_t at)
{
    lg__gathered below = {0};
    lg_dominator_row *row = &state->out.rows[at];
    const lg_dominator_options *options = &state->options;
    bool open = (options->depth == 0 || row->depth < options->depth) &&
                (row->node == LG_NONE || !is_in_chain(state, at));
    bool going = lg__gather_dominated(state->analysis, state->walk.fold,
                                      root_of(state, row), 0, &below);
    row->owned = row->left_out = below.count;
    for (size_t i = 0; i < below.count && going; i++)
        row->left_out_bytes += lg__freed_by(state->analysis, below.items[i]);
    uint64_t small = 0;
    if (going && open)
        going = push_big(state, at, &below, &small);
    if (going && open && options->together && small >= state->least)
        going = push_together(state, at, &below);
    lg__free(below.items);
    return going;
}

static bool
has_many_alike(const row_builder *state, const lg__weighed_node *one)
{
    const lg_dominator_row *rows = state->out.rows;
    const lg_columns *columns = &state->graph->columns;
    uint32_t alike = 0;
    if (state->options.alike == 0)
        return false;
    for (size_t i = 0; i < state->out.count; i++)
        alike += rows[i].parent == one->tag &&
                 lg_columns_type(columns, rows[i].node) ==
                     lg_columns_type(columns, one->node);
    return alike >= state->options.alike;
}

// Returns whether the node is an element of the row, or a value of a mapping:
// where it stands says nothing about it.
static bool
is_at_position(const row_builder *state, uint32_t row, uint32_t node)
{
    uint32_t owner = state->out.rows[row].node;
    if (owner == LG_NONE)
        return false;
    lg_hop hop = lg__hop_below(&state->walk, state->analysis, owner, node);
    return hop.edge_count > 0 && lg__hop_is_position(state->graph, &hop);
}

// Returns whether a row is like a node that would get one below the same row.
static bool
has_equal(const row_builder *state, const lg__weighed_node *one)
{
    const lg_dominator_row *rows = state->out.rows;
    const lg_columns *columns = &state->graph->columns;
    bool like = false;
    for (size_t i = 0; i < state->out.count && !like; i++)
        like = rows[i].parent == one->tag && rows[i].count == 1 &&
               lg_columns_type(columns, rows[i].node) ==
                   lg_columns_type(columns, one->node) &&
               one->bytes >= rows[i].total - rows[i].total / EQUAL_PART &&
               is_at_position(state, one->tag, rows[i].node);
    return like && is_at_position(state, one->tag, one->node);
}

static bool
add_part(row_builder *state, const lg__weighed_node *one)
{
    uint32_t component = lg__garbage_component_of(state->analysis, one->node);
    lg_dominator_row *above = &state->out.rows[one->tag];
    above->left_out--;
    above->left_out_bytes -= one->bytes;
    lg_dominator_row row = {.node = one->node,
                            .count = 1,
                            .parent = one->tag,
                            .depth = above->depth + 1,
                            .component = component,
                            .total = one->bytes};
    return add_row(state, row) && expand(state, (uint32_t)state->out.count - 1);
}

// Adds a row for several nodes, which may become more. Until rows have their
// bytes, its count is 0, and `component` is where it has its nodes.
static bool
add_together(row_builder *state, uint32_t above, size_t at)
{
    return add_row(state,
                   (lg_dominator_row){.node = state->small[at].biggest,
                                      .parent = above,
                                      .depth = state->out.rows[above].depth + 1,
                                      .component = (uint32_t)at});
}

// Adds a node that is like another one to a row for several, which may be one
// for small nodes.
static bool
add_equal(row_builder *state, const lg__weighed_node *one)
{
    const lg_columns *columns = &state->graph->columns;
    size_t at = 0;
    while (at < state->small_count &&
           (state->small[at].above != one->tag ||
            lg_columns_type(columns, state->small[at].biggest) !=
                lg_columns_type(columns, one->node)))
        at++;
    bool first = at == state->small_count;
    if (first && !add_small(state, one->tag))
        return false;
    gather_small(state, at, one->node);
    return !first || add_together(state, one->tag, at);
}

static bool
skip_equal(row_builder *state, const lg__weighed_node *one)
{
    state->out.rows[one->tag].equal++;
    return !state->options.together || add_equal(state, one);
}

// Expands each row of a node that is like another one, and the only such, as
// that of any other node. Nothing may become part of these rows any more.
static bool
expand_alone(row_builder *state)
{
    bool going = true;
    for (uint32_t i = 0; i < state->out.count && going; i++) {
        lg_dominator_row *row = &state->out.rows[i];
        if (row->count > 0 || row->parent == LG_NONE ||
            state->small[row->component].count > 1)
            continue;
        lg_dominator_row *above = &state->out.rows[row->parent];
        row->count = 1;
        row->total = state->small[row->component].most;
        row->component = lg__garbage_component_of(state->analysis, row->node);
        above->left_out--;
        above->left_out_bytes -= row->total;
        going = expand(state, i);
    }
    return going;
}

// Returns how many nodes wait for a row, some of them together.
static uint64_t
count_waiting(const row_builder *state)
{
    const uint32_t nodes = state->graph->columns.node_count;
    uint64_t count = 0;
    for (size_t i = 0; i < state->heap.count; i++) {
        const uint32_t node = state->heap.items[i].node;
        count += node < nodes ? 1 : state->small[node - nodes].count;
    }
    return count;
}

static lg_status
add_parts(row_builder *state, const lg_monitor *monitor, lg_error *err)
{
    size_t limit = state->options.limit;
    bool enough = true;
    while (enough && state->heap.count > 0) {
        if (limit > 0 && state->out.count >= limit)
            break;
        double done =
            limit > 0 ? (double)state->out.count / (double)limit : 0.5;
        if (!lg__monitor_goes_on(monitor, "listing dominators", done, err))
            return LG_ECANCELLED;
        lg__weighed_node one = lg__node_heap_pop(&state->heap);
        if (one.node >= state->graph->columns.node_count)
            enough = add_together(state, one.tag,
                                  one.node - state->graph->columns.node_count);
        else if (state->options.equals && has_equal(state, &one))
            enough = skip_equal(state, &one);
        else if (!has_many_alike(state, &one))
            enough = add_part(state, &one);
        if (state->heap.count == 0 && enough)
            enough = expand_alone(state);
    }
    state->out.left_out = count_waiting(state);
    return enough ? LG_OK : lg__error_memory(err);
}

// Marks a node; of a garbage cycle all members, because one of them stands for
// it. Returns what dominates it.
static uint32_t
mark_leading(row_builder *state, uint32_t node)
{
    const lg_analysis *analysis = state->analysis;
    uint32_t index = lg__garbage_component_of(analysis, node);
    uint32_t above = lg_node_owner(analysis, node);
    state->leads[node] = 1;
    if (above == LG_NONE && !lg_node_is_reachable(analysis, node))
        above = lg__collective_find(analysis, node);
    if (index == LG_NONE)
        return above;
    lg_component cycle = lg_analysis_component(analysis, index);
    for (uint32_t i = 0; i < cycle.count; i++) {
        uint32_t member = cycle.nodes[i];
        state->leads[lg__seen_node(state->walk.fold, member)] = 1;
        if (above == LG_NONE)
            above = lg__collective_find(analysis, member);
    }
    return above;
}

// Marks what the scope has and is worth a row, and all that dominates it.
static bool
mark_scope(row_builder *state)
{
    const lg_analysis *analysis = state->analysis;
    uint32_t nodes = state->graph->columns.node_count;
    if (state->options.scope == NULL)
        return true;
    state->leads = lg__calloc((size_t)nodes + 1, 1);
    for (uint32_t node = 0; node < nodes && state->leads != NULL; node++) {
        if (!lg_scope_has(state->options.scope, node))
            continue;
        uint32_t at = lg__seen_node(state->walk.fold, node);
        if (lg__freed_by(analysis, at) < state->least)
            continue;
        while (at != LG_NONE && !state->leads[at])
            at = mark_leading(state, at);
    }
    return state->leads != NULL;
}

static uint64_t
bytes_below(const row_builder *state, uint32_t root)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= state->graph->device_count; i++)
        sum += lg__dominated_on(state->analysis, root, i);
    return sum;
}

static bool
add_top(row_builder *state, lg_dominator_top top)
{
    lg_dominator_row row = {
        .top = top, .node = LG_NONE, .parent = LG_NONE, .component = LG_NONE};
    row.total = bytes_below(state, root_of(state, &row));
    if (row.total == 0 && !state->options.alive)
        return true;
    return add_row(state, row) && expand(state, (uint32_t)state->out.count - 1);
}

static bool
add_tops(row_builder *state)
{
    uint32_t nodes = state->graph->columns.node_count;
    bool alive = state->options.alive;
    bool everything = state->options.node == NULL;
    uint32_t node = everything
                        ? LG_NONE
                        : lg__seen_node(state->walk.fold, *state->options.node);
    state->out.total = everything
                           ? bytes_below(state, nodes) +
                                 (alive ? 0 : bytes_below(state, nodes + 1))
                           : lg__freed_by(state->analysis, node);
    state->least =
        (uint64_t)((double)state->out.total * state->options.min_share);
    if (state->least == 0)
        state->least = 1;
    if (!mark_scope(state))
        return false;
    if (everything)
        return add_top(state, LG_TOP_REACHABLE) &&
               (alive || add_top(state, LG_TOP_GARBAGE));
    lg_dominator_row row = {.node = node,
                            .count = 1,
                            .parent = LG_NONE,
                            .component =
                                lg__garbage_component_of(state->analysis, node),
                            .total = state->out.total};
    return add_row(state, row) && expand(state, 0);
}

// Returns the hop from a member of a garbage cycle that another member
// represents.
static lg_hop
find_member_hop(const row_builder *state, uint32_t component, uint32_t node)
{
    const lg__reverse *reverse = &state->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++) {
        uint32_t source = lg__in_source(reverse, i);
        if (lg_node_component(state->analysis, source) != component)
            continue;
        source = lg__seen_node(state->walk.fold, source);
        lg_hop hop = lg__hop_between(&state->walk, source, node);
        if (hop.edge_count > 0)
            return hop;
    }
    return (lg_hop){0};
}

static void
set_hop(const row_builder *state, lg_dominator_row *row)
{
    const lg_dominator_row *above = &state->out.rows[row->parent];
    if (above->node == LG_NONE)
        return;
    row->hop =
        lg__hop_below(&state->walk, state->analysis, above->node, row->node);
    row->by_member = row->hop.edge_count == 0 && above->component != LG_NONE;
    if (row->by_member)
        row->hop = find_member_hop(state, above->component, row->node);
}

// Puts each row below its parent, after the descendants of its bigger siblings.
// Rows were found in order of size, so siblings are in order already. A row and
// all below it take as many places as the row's subtree has rows, one after the
// other. Parents come before their children in the list, so the place of a row
// is known when its children ask for theirs.
static bool
sort_rows(row_builder *state)
{
    size_t count = state->out.count;
    lg_dominator_row *rows = state->out.rows;
    lg_dominator_row *sorted = lg__alloc((count + 1) * sizeof *sorted);
    uint32_t *size =
        lg__alloc((count + 1) * sizeof *size); // number of rows in its subtree
    uint32_t *place =
        lg__alloc((count + 1) * sizeof *place); // and place of the next child
    uint32_t *next = lg__alloc((count + 1) * sizeof *next);
    bool enough = sorted && size && place && next;
    for (size_t i = 0; enough && i < count; i++)
        size[i] = 1;
    for (size_t i = count; enough && i-- > 0;)
        if (rows[i].parent != LG_NONE)
            size[rows[i].parent] += size[i];
    uint32_t top = 0;
    for (size_t i = 0; enough && i < count; i++) {
        uint32_t *at = rows[i].parent == LG_NONE ? &top : &next[rows[i].parent];
        place[i] = *at;
        *at += size[i];
        next[i] = place[i] + 1;
        sorted[place[i]] = rows[i];
        if (rows[i].parent != LG_NONE)
            sorted[place[i]].parent = place[rows[i].parent];
    }
    lg__free(size);
    lg__free(place);
    lg__free(next);
    if (!enough) {
        lg__free(sorted);
        return false;
    }
    lg__free(rows);
    state->out.rows = sorted;
    return true;
}

// Completes a row for several nodes.
static void
weigh_together(const row_builder *state, lg_dominator_row *row, uint64_t *bytes)
{
    const size_t each = device_count(state), at = row->component;
    lg_dominator_row *above = &state->out.rows[row->parent];
    memcpy(bytes, state->small_bytes + at * each, each * sizeof *bytes);
    row->node = state->small[at].biggest;
    row->count = state->small[at].count;
    row->component = LG_NONE;
    row->total = lg_bytes_sum(bytes, each);
    above->left_out -= row->count;
    above->left_out_bytes -= row->total;
}

// Writes the bytes of a row, by device.
static void
weigh_row(const row_builder *state, lg_dominator_row *row, uint64_t *bytes)
{
    const size_t each = device_count(state);
    row->retained = bytes;
    if (row->count == 0 && row->parent != LG_NONE) {
        weigh_together(state, row, bytes);
        return;
    }
    for (uint32_t device = 0; device < each; device++)
        bytes[device] =
            row->node == LG_NONE
                ? lg__dominated_on(state->analysis, root_of(state, row), device)
                : lg_node_retained_on(state->analysis, row->node, device);
}

static bool
weigh_rows(row_builder *state)
{
    lg_dominator_tree *tree = &state->out;
    tree->devices = state->graph->device_count;
    size_t each = device_count(state);
    tree->bytes = lg__alloc((tree->count * each + 1) * sizeof *tree->bytes);
    if (tree->bytes == NULL)
        return false;
    for (size_t i = 0; i < tree->count; i++) {
        lg_dominator_row *row = &tree->rows[i];
        weigh_row(state, row, tree->bytes + i * each);
        if (row->parent != LG_NONE)
            set_hop(state, row);
    }
    return true;
}

static lg_status
check(const lg_graph *graph, const lg_dominator_options *options, lg_error *err)
{
    if (options->node != NULL && *options->node >= graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u",
                            *options->node);
    if (!(options->min_share >= 0 && options->min_share <= 1))
        return lg_error_set(err, LG_EINVAL,
                            "the least share must be from 0 to 1");
    return LG_OK;
}

lg_status
lg_analysis_dominator_tree(const lg_analysis *analysis,
                           const lg_dominator_options *options,
                           const lg_monitor *monitor, lg_dominator_tree *out,
                           lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    row_builder state = {.analysis = analysis,
                         .graph = graph,
                         .options = LG_DOMINATOR_OPTIONS_INIT};
    lg_status status =
        lg_options_read(&state.options, options, "lg_dominator_options", err);
    if (status == LG_OK)
        status = check(graph, &state.options, err);
    if (status != LG_OK)
        return status;
    state.walk = (lg__hop_walk){
        .graph = graph, .fold = lg__graph_folds(graph), .everything = true};
    if (state.walk.fold == NULL ||
        !lg__graph_reverse(graph, &state.walk.reverse)) {
        status = lg__error_memory(err);
        goto done;
    }
    status = add_tops(&state) ? add_parts(&state, monitor, err)
                              : lg__error_memory(err);
    if (status == LG_OK && (!sort_rows(&state) || !weigh_rows(&state)))
        status = lg__error_memory(err);
    if (status != LG_OK)
        goto done;
    *out = state.out;
    state.out = (lg_dominator_tree){0};

done:
    lg_dominator_tree_free(&state.out);
    lg__node_heap_free(&state.heap);
    lg__free(state.leads);
    lg__free(state.small);
    lg__free(state.small_bytes);
    return status;
}

void
lg_dominator_tree_free(lg_dominator_tree *tree)
{
    lg__free(tree->rows);
    lg__free(tree->bytes);
    *tree = (lg_dominator_tree){0};
}
