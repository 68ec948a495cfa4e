// Finds out what would die if references were cut, and what would live on.
#include "answers/cutting.h"
#include "build/build_private.h"

#include <leakgraph/internal/options.h>

#include <stdlib.h>
#include <string.h>

// Marks the keys of the cut values of one node, and cuts the references to
// them: an item of a mapping goes with its key.
static lg_status
cut_keys(lg__cutting *to, uint32_t source, size_t first, size_t end,
         lg_error *err)
{
    const lg_columns *columns = &to->graph->columns;
    bool any = false;
    for (size_t i = first; i < end; i++) {
        uint64_t edge = ((uint64_t *)to->edges.data)[i];
        uint32_t key = columns->edge_payload[edge];
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_VALUE && key != LG_NONE)
            to->state[key] = any = true;
    }
    uint64_t last = any ? columns->first_edge[source + 1] : 0;
    for (uint64_t edge = columns->first_edge[source]; edge < last; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (lg__edge_kind(to->graph, edge) != LG_EDGE_KEY || !to->state[target])
            continue;
        uint64_t *place = lg__vector_extend(&to->allocator, &to->edges, 1);
        if (place == NULL)
            return lg__error_memory(err);
        *place = edge;
    }
    for (size_t i = first; any && i < end; i++) {
        uint32_t key = columns->edge_payload[((uint64_t *)to->edges.data)[i]];
        if (key < columns->node_count)
            to->state[key] = 0;
    }
    return LG_OK;
}

// Sorts the edges, drops repetitions, and adds the edges of keys.
static lg_status
collect_edges(lg__cutting *to, const uint64_t *edges, size_t count,
              lg_error *err)
{
    uint64_t *all = lg__vector_extend(&to->allocator, &to->edges, count);
    if (all == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        all[i] = edges[i];
    size_t kept = lg__edges_unify(all, count);
    to->edges.count = to->answer.references = kept;
    lg_status status = LG_OK;
    for (size_t i = 0, end; i < kept && status == LG_OK; i = end) {
        const uint64_t *sorted = to->edges.data;
        uint32_t source = lg_edge_source(to->graph, sorted[i]);
        uint64_t limit = to->graph->columns.first_edge[source + 1];
        for (end = i; end < kept && sorted[end] < limit;)
            end++;
        status = cut_keys(to, source, i, end, err);
    }
    return status;
}

static bool
is_garbage(const lg__cutting *to, uint32_t node)
{
    return !lg_node_is_reachable(to->before, node);
}

// Returns whether something other than the known references holds the node.
static bool
is_held_natively(const lg__cutting *to, uint32_t node)
{
    return is_garbage(to, node) && lg_node_unexplained(to->graph, node) > 0;
}

// Returns whether the reference goes when its source dies, and its target with
// the last of them. Storages have no counts: what leads to them holds them.
static bool
is_holding(const lg__cutting *to, uint64_t edge)
{
    const lg_columns *columns = &to->rest->columns;
    unsigned kind = columns->edge_kind[edge];
    unsigned flags = columns->node_flags[columns->edge_target[edge]];
    return !(kind & LG_EDGE_WEAK) &&
           (!(kind & LG_EDGE_UNCOUNTED) || (flags & LG_NODE_SYNTHETIC));
}

static void
count_references(lg__cutting *to)
{
    const lg_columns *columns = &to->rest->columns;
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        if (is_holding(to, edge))
            to->count[columns->edge_target[edge]]++;
}

// Queues a node to which nothing refers any more.
static void
drop(lg__cutting *to, uint32_t node)
{
    bool goes = (to->state[node] & LG__DIES) || is_garbage(to, node);
    if (to->count[node] > 0 || (to->state[node] & LG__DROPPED) || !goes ||
        is_held_natively(to, node))
        return;
    to->state[node] |= LG__DIES | LG__DROPPED;
    to->queue[to->queued++] = node;
}

// Follows the reference counts. Dying nodes that this does not reach wait for
// the collector.
static void
drop_all(lg__cutting *to)
{
    const lg_columns *columns = &to->rest->columns;
    const uint64_t *cut = to->edges.data;
    count_references(to);
    for (size_t i = 0; i < to->edges.count; i++)
        drop(to, columns->edge_target[cut[i]]);
    for (uint32_t at = 0; at < to->queued; at++) {
        uint32_t node = to->queue[at];
        uint64_t end = columns->first_edge[node + 1];
        for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
            uint32_t target = columns->edge_target[edge];
            if (is_holding(to, edge))
                to->count[target]--;
            if (!(columns->edge_kind[edge] & LG_EDGE_WEAK))
                drop(to, target);
        }
    }
}

static void
mark_dying(lg__cutting *to)
{
    for (uint32_t node = 0; node < to->graph->columns.node_count; node++)
        to->state[node] = lg_node_is_reachable(to->before, node) &&
                                  !lg_node_is_reachable(to->after, node)
                              ? LG__DIES
                              : 0;
}

typedef struct type_row {
    lg_dying row;
    lg_string name;
} type_row;

static int
compare_types(const void *left, const void *right)
{
    const type_row *a = left;
    const type_row *b = right;
    if (a->row.total != b->row.total)
        return a->row.total > b->row.total ? -1 : 1;
    int order = lg__string_compare(a->name, b->name);
    return order != 0
               ? order
               : (a->row.type > b->row.type) - (a->row.type < b->row.type);
}

// Moves the types that have objects into the answer, biggest first.
static bool
keep_types(lg__cutting *to, type_row *rows)
{
    size_t count = 0;
    for (uint32_t type = 0; type < to->graph->type_count; type++)
        if (rows[type].row.count > 0)
            rows[count++] = rows[type];
    if (count > 1)
        qsort(rows, count, sizeof *rows, compare_types);
    to->answer.types = lg__wide_alloc((count + 1) * sizeof(lg_dying));
    for (size_t i = 0; i < count && to->answer.types; i++)
        to->answer.types[i] = rows[i].row;
    to->answer.type_count = count;
    return to->answer.types != NULL;
}

// Adds a node that dies to its type and to the sums.
static void
add_node(lg__cutting *to, type_row *rows, uint64_t *each, uint32_t node)
{
    const lg_graph *graph = to->graph;
    size_t devices = (size_t)graph->device_count + 1;
    uint32_t type = graph->columns.type[node];
    uint32_t device = lg_node_device(graph, node);
    uint64_t size = lg_node_size(graph, node);
    to->answer.bytes[device] += size;
    if (lg_scope_has(to->scope, node)) {
        rows[type].row.count++;
        rows[type].row.total += size;
        each[type * devices + device] += size;
        to->answer.listed++;
        to->answer.bytes[2 * devices + device] += size;
    }
    to->answer.nodes.items[to->answer.nodes.count++] = node;
    if (to->state[node] & LG__DROPPED)
        return;
    to->answer.waiting++;
    to->answer.bytes[devices + device] += size;
}

// Adds up by device: all that dies, the part that waits, and each type.
static lg_status
add_up(lg__cutting *to, lg_error *err)
{
    const lg_graph *graph = to->graph;
    lg_what_if *answer = &to->answer;
    size_t devices = (size_t)graph->device_count + 1;
    uint32_t dying = 0;
    type_row *rows =
        lg__wide_calloc((size_t)graph->type_count + 1, sizeof *rows);
    answer->bytes = lg__wide_calloc((graph->type_count + 3) * devices,
                                    sizeof *answer->bytes);
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        dying += to->state[node] & LG__DIES;
    answer->nodes.items =
        lg__wide_alloc(((size_t)dying + 1) * sizeof(uint32_t));
    bool there = rows && answer->bytes && answer->nodes.items;
    if (there) {
        uint64_t *each = answer->bytes + 3 * devices;
        for (uint32_t type = 0; type < graph->type_count; type++)
            rows[type] =
                (type_row){{.type = type, .size = each + type * devices},
                           lg_graph_string(graph, graph->type_name[type])};
        for (uint32_t node = 0; node < graph->columns.node_count; node++)
            if (to->state[node] & LG__DIES)
                add_node(to, rows, each, node);
        answer->size = answer->bytes;
        answer->waiting_size = answer->bytes + devices;
        answer->listed_size = answer->bytes + 2 * devices;
        there = keep_types(to, rows);
    }
    lg__wide_free(rows);
    return there ? LG_OK : lg__error_memory(err);
}

static lg_status
prepare(lg__cutting *to, const uint64_t *edges, size_t count, lg_error *err)
{
    size_t nodes = (size_t)to->graph->columns.node_count + 1;
    for (size_t i = 0; i < count; i++)
        if (edges[i] >= to->graph->columns.edge_count)
            return lg_error_set(err, LG_EINVAL, "there is no edge %llu",
                                (unsigned long long)edges[i]);
    to->state = lg__wide_calloc(nodes, 1);
    to->count = lg__wide_calloc(nodes, sizeof *to->count);
    to->queue = lg__wide_alloc(nodes * sizeof *to->queue);
    return to->state && to->count && to->queue
               ? collect_edges(to, edges, count, err)
               : lg__error_memory(err);
}

static lg_status
find_out(lg__cutting *to, const uint64_t *edges, size_t count, size_t limit,
         lg_error *err)
{
    lg_status status = prepare(to, edges, count, err);
    if (status == LG_OK)
        status = lg__graph_without(to->graph, to->edges.data, to->edges.count,
                                   &to->rest, err);
    if (status == LG_OK)
        status =
            lg__analysis_without(to->before, to->rest, to->edges.data,
                                 to->edges.count, to->monitor, &to->after, err);
    if (status != LG_OK)
        return status;
    mark_dying(to);
    drop_all(to);
    status = add_up(to, err);
    return status == LG_OK ? lg__survivors_find(to, limit, err) : status;
}

lg_status
lg_analysis_what_if(const lg_analysis *analysis, const lg_edge *edges,
                    size_t count, const lg_what_if_options *options,
                    const lg_monitor *monitor, lg_what_if *out, lg_error *err)
{
    lg_what_if_options whole = LG_WHAT_IF_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&whole, options, "lg_what_if_options", err);
    if (status != LG_OK)
        return status;
    lg__cutting to = {.graph = lg_analysis_graph(analysis),
                      .before = analysis,
                      .scope = whole.scope,
                      .monitor = monitor,
                      .allocator = lg_allocator_default(),
                      .edges = {.element = sizeof(uint64_t)}};
    status = find_out(&to, edges, count, whole.limit, err);
    if (status == LG_OK)
        *out = to.answer;
    else
        lg_what_if_free(&to.answer);
    lg_analysis_free(to.after);
    lg_graph_free(to.rest);
    lg__vector_free(&to.allocator, &to.edges);
    lg__wide_free(to.state);
    lg__wide_free(to.count);
    lg__wide_free(to.queue);
    return status;
}

void
lg_what_if_free(lg_what_if *answer)
{
    for (size_t i = 0; i < answer->kept_count; i++) {
        lg_path_free(&answer->kept[i].path);
        lg_cuts_free(&answer->kept[i].cuts);
        lg__wide_free((void *)(uintptr_t)answer->kept[i].retained);
    }
    lg__wide_free(answer->kept);
    lg__wide_free(answer->types);
    lg__wide_free(answer->bytes);
    lg_nodes_free(&answer->nodes);
    *answer = (lg_what_if){0};
}
