// Finds out what would die if references were cut, and what would live on.
//
// Dead is what the roots reach before the cut, and not without these
// references; and, of what was garbage before, what loses its last reference.
// Of the dead, the reference counts free one part at once: the walk begins at
// the targets of the cuts and drops a node when its count comes to 0, once, and
// then counts down what it refers to. What has a count left waits for the
// collector. What lives on is a target that another path reaches.
#include "build/build_private.h"
#include "answers/answers_private.h"
#include "growth/growth_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/what_if.h>

#include <stdlib.h>
#include <string.h>

// States of a node, as bits.
enum {
    DIES = 1,
    DROPPED = 2, /**< its last reference goes, so it dies at once */
    TARGET = 4,  /**< a cut reference leads to it */
    BESIDE = 8,  /**< a dying node refers to it */
    BELOW = 16,  /**< it is, or lies below, a listed survivor */
};

typedef struct cutting {
    const lg_graph *graph;
    const lg_analysis *before;
    const lg_scope *scope; /**< what is listed, or NULL */
    const lg_monitor *monitor;
    lg_allocator allocator;
    lg__vector edges;   /**< uint64_t: the cut edges; edges of keys come last */
    lg_graph *rest;     /**< the graph without the edges */
    lg_analysis *after; /**< the analysis of `rest` */
    uint8_t *state;     /**< [node] */
    uint32_t *count;    /**< [node] references still left */
    uint32_t *queue;
    uint32_t queued;
    lg_what_if answer;
} cutting;

// Finds what would live on after references are cut, and what to cut next.

// Nobody cuts more references at once.
enum { CUTS_LISTED = 4 };

// Returns whether the node says something about the program. What libraries and
// the interpreter keep does not.
static bool
is_telling(const cutting *to, uint32_t node)
{
    const unsigned tables =
        LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE | LG__MARK_ENTRY;
    lg_category category = lg__node_category(to->graph, node);
    return !(to->after->policy.mark[node] & tables) &&
           category != LG_CATEGORY_ATOM && category != LG_CATEGORY_TYPE &&
           category != LG_CATEGORY_FUNCTION &&
           lg__node_origin(to->graph, node, NULL) != LG__ORIGIN_LIBRARY;
}

static void
mark_beside(cutting *to, const lg__folds *folds)
{
    const lg_columns *columns = &to->rest->columns;
    for (size_t i = 0; i < to->answer.nodes.count; i++) {
        uint32_t node = to->answer.nodes.items[i];
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            uint32_t target =
                lg__seen_node(folds, lg_columns_target(columns, edge));
            if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
                lg_node_is_reachable(to->after, target) &&
                is_telling(to, target))
                to->state[target] |= BESIDE;
        }
    }
}

// Leaves out keys that went with their values, and objects that live as long as
// the interpreter.
static void
mark_targets(cutting *to, const lg__folds *folds)
{
    const uint64_t *edges = to->edges.data;
    for (size_t i = 0; i < to->answer.references; i++) {
        uint32_t target = lg__seen_node(
            folds, lg_columns_target(&to->graph->columns, edges[i]));
        if (lg_node_is_reachable(to->after, target) &&
            !(lg_columns_flags(&to->graph->columns, target) & LG_NODE_IMMORTAL))
            to->state[target] |= TARGET;
    }
}

typedef struct ranked {
    uint32_t node;
    bool target;
    uint64_t total;
    uint64_t count; // of a group, whose biggest member is the node
} ranked;

static int
compare_ranked(const void *left, const void *right)
{
    const ranked *a = left;
    const ranked *b = right;
    if (a->target != b->target)
        return a->target ? -1 : 1;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static bool
lives_on(const cutting *to, uint32_t node)
{
    return (to->state[node] & (TARGET | BESIDE)) != 0 &&
           lg_scope_has(to->scope, node);
}

static ranked *
rank(const cutting *to, size_t *count)
{
    uint32_t nodes = to->graph->columns.node_count;
    *count = 0;
    for (uint32_t node = 0; node < nodes; node++)
        *count += lives_on(to, node);
    ranked *all = lg__alloc((*count + 1) * sizeof *all);
    *count = 0;
    for (uint32_t node = 0; all != NULL && node < nodes; node++)
        if (lives_on(to, node))
            all[(*count)++] = (ranked){node, (to->state[node] & TARGET) != 0,
                                       lg__retained_by(to->after, node), 1};
    if (all != NULL && *count > 1)
        qsort(all, *count, sizeof *all, compare_ranked);
    return all;
}

// Marks what a listed survivor dominates. Of two nodes one of which dominates
// the other, the upper one has no fewer bytes, and so comes first in most
// cases. The stack has room, because the subtree has each node once.
static void
mark_below(cutting *to, uint32_t node)
{
    const lg_analysis *after = to->after;
    uint32_t height = 1;
    to->queue[0] = node;
    while (height > 0) {
        uint32_t at = to->queue[--height];
        to->state[at] |= BELOW;
        height += lg__children_copy(after, lg__children_of(after, at),
                                    to->queue + height);
    }
}

// Puts the path from a root to the dominator before the path of a cut, which
// begins there.
static lg_status
complete(cutting *to, lg_cut *cut, lg_error *err)
{
    lg_path lead = {0};
    lg_path *path = &cut->path;
    if (path->start != LG_STARTS_AT_NODE || path->count == 0)
        return LG_OK;
    lg_status status = lg_path_from_root(to->rest, path->hops[0].source,
                                         to->monitor, &lead, err);
    if (status != LG_OK)
        return status == LG_ENOTFOUND ? LG_OK : status;
    size_t before = lead.count;
    status = lg__path_extend(&lead, path->hops, path->count, err);
    if (status != LG_OK) {
        lg_path_free(&lead);
        return status;
    }
    cut->hop += (uint32_t)before;
    lg_path_free(path);
    *path = lead;
    return LG_OK;
}

// Finds what to cut so that the survivor goes and its dominator stays.
static lg_status
find_cuts(cutting *to, lg_survivor *survivor, lg_error *err)
{
    lg_node from = lg__shown_dominator(to->after, survivor->node);
    lg_status status =
        lg__cuts_below(to->after, survivor->node, from, CUTS_LISTED,
                       to->monitor, &survivor->cuts, err);
    for (size_t i = 0; i < survivor->cuts.count && status == LG_OK; i++)
        status = complete(to, &survivor->cuts.items[i], err);
    return status;
}

// Leaves out what lies below another, and joins what is in one place and is, or
// is no, target. Returns the number of groups, which take the first items, and
// sets the group of each joined node.
static size_t
join_alike(cutting *to, ranked *all, size_t count, const uint32_t *place_of,
           uint32_t *group_at, uint32_t *group_of)
{
    size_t groups = 0;
    for (size_t i = 0; i < count; i++) {
        const ranked one = all[i];
        uint32_t *group =
            &group_at[2 * (size_t)place_of[one.node] + one.target];
        if (to->state[one.node] & BELOW)
            continue;
        mark_below(to, one.node);
        if (*group == 0) {
            all[groups++] = one;
            *group = (uint32_t)groups;
        } else {
            all[*group - 1].total += one.total;
            all[*group - 1].count++;
        }
        group_of[one.node] = *group;
    }
    return groups;
}

// Adds up what the members of the groups of the first rows retain. Returns
// [row] [device], or NULL when memory ran out.
static uint64_t *
sum_retained(const cutting *to, const ranked *all, size_t rows, size_t groups,
             const uint32_t *group_of)
{
    const uint32_t devices = to->graph->device_count + 1;
    uint64_t *sums = lg__calloc(rows * devices + 1, sizeof *sums);
    uint32_t *row_of = lg__calloc(groups + 1, sizeof *row_of);
    for (size_t i = 0; row_of != NULL && i < rows; i++)
        row_of[group_of[all[i].node]] = (uint32_t)i + 1;
    for (uint32_t node = 0;
         sums != NULL && row_of != NULL && node < to->graph->columns.node_count;
         node++) {
        const uint32_t row = row_of[group_of[node]];
        for (uint32_t on = 0; row > 0 && on < devices; on++)
            sums[(size_t)(row - 1) * devices + on] +=
                lg_node_retained_on(to->after, node, on);
    }
    if (row_of == NULL) {
        lg__free(sums);
        sums = NULL;
    }
    lg__free(row_of);
    return sums;
}

static lg_status
add_survivor(cutting *to, const ranked *one, const uint64_t *sums,
             lg_error *err)
{
    const size_t size = ((size_t)to->graph->device_count + 1) * sizeof *sums;
    uint64_t *retained = lg__alloc(size);
    lg_survivor *survivor = &to->answer.kept[to->answer.kept_count];
    if (retained == NULL)
        return lg__error_memory(err);
    memcpy(retained, sums, size);
    *survivor = (lg_survivor){.node = one->node,
                              .count = one->count,
                              .is_target = one->target,
                              .total = one->total,
                              .retained = retained};
    to->answer.kept_count++;
    lg_status status = lg_path_from_root(to->rest, one->node, to->monitor,
                                         &survivor->path, err);
    if (status != LG_OK && status != LG_ENOTFOUND)
        return status;
    return find_cuts(to, survivor, err);
}

static lg_status
add_survivors(cutting *to, const ranked *all, size_t rows, size_t groups,
              const uint32_t *group_of, lg_error *err)
{
    const size_t devices = (size_t)to->graph->device_count + 1;
    uint64_t *sums = sum_retained(to, all, rows, groups, group_of);
    lg_status status = sums != NULL ? LG_OK : lg__error_memory(err);
    for (size_t i = 0; i < rows && status == LG_OK; i++)
        status = add_survivor(to, &all[i], sums + i * devices, err);
    lg__free(sums);
    return status;
}

// Lists what lives on, at most `limit` groups (0: all), in the answer.
static lg_status
list_groups(cutting *to, ranked *all, size_t count, size_t limit,
            const lg_places *places, const uint32_t *place_of, lg_error *err)
{
    uint32_t *group_at =
        lg__calloc(2 * lg_places_count(places) + 1, sizeof *group_at);
    uint32_t *group_of =
        lg__calloc((size_t)to->graph->columns.node_count + 1, sizeof *group_of);
    to->answer.kept = lg__calloc(count + 1, sizeof *to->answer.kept);
    lg_status status = LG_OK;
    if (group_at == NULL || group_of == NULL || to->answer.kept == NULL) {
        status = lg__error_memory(err);
    } else {
        count = join_alike(to, all, count, place_of, group_at, group_of);
        if (count > 1)
            qsort(all, count, sizeof *all, compare_ranked);
        size_t rows = limit == 0 || limit > count ? count : limit;
        status = add_survivors(to, all, rows, count, group_of, err);
    }
    lg__free(group_at);
    lg__free(group_of);
    return status;
}

static lg_status
survivors_find(cutting *to, size_t limit, lg_error *err)
{
    const lg__folds *folds = lg__graph_folds(to->rest);
    lg_places *places = NULL;
    uint32_t *place_of = NULL;
    if (folds == NULL)
        return lg__error_memory(err);
    mark_targets(to, folds);
    mark_beside(to, folds);
    size_t count;
    ranked *all = rank(to, &count);
    lg_status status = all == NULL ? lg__error_memory(err)
                                   : lg__places_walk(to->after, to->monitor,
                                                     &places, &place_of, err);
    to->answer.kept_total = count;
    if (status == LG_OK) {
        status = list_groups(to, all, count, limit, places, place_of, err);
        lg__places_of_free(place_of, to->after);
    }
    lg_places_free(places);
    lg__free(all);
    return status;
}

// Marks the keys of the cut values of one node, and cuts the references to
// them: an item of a mapping goes with its key. Marks the keys in `state`,
// which is still unused, and clears the marks again. So all edges of the node
// are read once, however many of them are cut.
static lg_status
cut_keys(cutting *to, uint32_t source, size_t first, size_t end, lg_error *err)
{
    const lg_columns *columns = &to->graph->columns;
    bool any = false;
    for (size_t i = first; i < end; i++) {
        uint64_t edge = ((uint64_t *)to->edges.data)[i];
        uint32_t key = lg_columns_payload(columns, edge);
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_VALUE && key != LG_NONE)
            to->state[key] = any = true;
    }
    uint64_t last = any ? lg_columns_first_edge(columns, source + 1) : 0;
    for (uint64_t edge = lg_columns_first_edge(columns, source); edge < last;
         edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (lg__edge_kind(to->graph, edge) != LG_EDGE_KEY || !to->state[target])
            continue;
        uint64_t *place = lg__vector_extend(&to->allocator, &to->edges, 1);
        if (place == NULL)
            return lg__error_memory(err);
        *place = edge;
    }
    for (size_t i = first; any && i < end; i++) {
        uint32_t key =
            lg_columns_payload(columns, ((uint64_t *)to->edges.data)[i]);
        if (key < columns->node_count)
            to->state[key] = 0;
    }
    return LG_OK;
}

// Sorts the edges, drops repetitions, and adds the edges of keys.
static lg_status
collect_edges(cutting *to, const uint64_t *edges, size_t count, lg_error *err)
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
        uint64_t limit = lg_columns_first_edge(&to->graph->columns, source + 1);
        for (end = i; end < kept && sorted[end] < limit;)
            end++;
        status = cut_keys(to, source, i, end, err);
    }
    return status;
}

static bool
is_garbage(const cutting *to, uint32_t node)
{
    return !lg_node_is_reachable(to->before, node);
}

// Returns whether something other than the known references holds the node.
static bool
is_held_natively(const cutting *to, uint32_t node)
{
    return is_garbage(to, node) && lg_node_unexplained(to->graph, node) > 0;
}

// Returns whether the reference goes when its source dies, and its target with
// the last of them. Storages have no counts: what leads to them holds them.
static bool
is_holding(const cutting *to, uint64_t edge)
{
    const lg_columns *columns = &to->rest->columns;
    unsigned kind = lg_columns_kind(columns, edge);
    unsigned flags =
        lg_columns_flags(columns, lg_columns_target(columns, edge));
    return !(kind & LG_EDGE_WEAK) &&
           (!(kind & LG_EDGE_UNCOUNTED) || (flags & LG_NODE_SYNTHETIC));
}

static void
count_references(cutting *to)
{
    const lg_columns *columns = &to->rest->columns;
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        if (is_holding(to, edge))
            to->count[lg_columns_target(columns, edge)]++;
}

// Queues a node to which nothing refers any more.
static void
drop(cutting *to, uint32_t node)
{
    bool goes = (to->state[node] & DIES) || is_garbage(to, node);
    if (to->count[node] > 0 || (to->state[node] & DROPPED) || !goes ||
        is_held_natively(to, node))
        return;
    to->state[node] |= DIES | DROPPED;
    to->queue[to->queued++] = node;
}

// Follows the reference counts. Dying nodes that this does not reach wait for
// the collector. Counts only fall, and a node is queued once, when its count
// has come to 0. So each reference of a node that dies is counted down once.
static void
drop_all(cutting *to)
{
    const lg_columns *columns = &to->rest->columns;
    const uint64_t *cut = to->edges.data;
    count_references(to);
    for (size_t i = 0; i < to->edges.count; i++)
        drop(to, lg_columns_target(columns, cut[i]));
    for (uint32_t at = 0; at < to->queued; at++) {
        uint32_t node = to->queue[at];
        const lg_edge_range range = lg_columns_edges(columns, node);
        for (uint64_t edge = range.begin; edge < range.end; edge++) {
            uint32_t target = lg_columns_target(columns, edge);
            if (is_holding(to, edge))
                to->count[target]--;
            if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
                drop(to, target);
        }
    }
}

static void
mark_dying(cutting *to)
{
    for (uint32_t node = 0; node < to->graph->columns.node_count; node++)
        to->state[node] = lg_node_is_reachable(to->before, node) &&
                                  !lg_node_is_reachable(to->after, node)
                              ? DIES
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
keep_types(cutting *to, type_row *rows)
{
    size_t count = 0;
    for (uint32_t type = 0; type < to->graph->type_count; type++)
        if (rows[type].row.count > 0)
            rows[count++] = rows[type];
    if (count > 1)
        qsort(rows, count, sizeof *rows, compare_types);
    to->answer.types = lg__alloc((count + 1) * sizeof(lg_dying));
    for (size_t i = 0; i < count && to->answer.types; i++)
        to->answer.types[i] = rows[i].row;
    to->answer.type_count = count;
    return to->answer.types != NULL;
}

// Adds a node that dies to its type and to the sums.
static void
add_node(cutting *to, type_row *rows, uint64_t *each, uint32_t node)
{
    const lg_graph *graph = to->graph;
    size_t devices = (size_t)graph->device_count + 1;
    uint32_t type = lg_columns_type(&graph->columns, node);
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
    if (to->state[node] & DROPPED)
        return;
    to->answer.waiting++;
    to->answer.bytes[devices + device] += size;
}

// Adds up by device: all that dies, the part that waits, and each type.
static lg_status
add_up(cutting *to, lg_error *err)
{
    const lg_graph *graph = to->graph;
    lg_what_if *answer = &to->answer;
    size_t devices = (size_t)graph->device_count + 1;
    uint32_t dying = 0;
    type_row *rows = lg__calloc((size_t)graph->type_count + 1, sizeof *rows);
    answer->bytes =
        lg__calloc((graph->type_count + 3) * devices, sizeof *answer->bytes);
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        dying += to->state[node] & DIES;
    answer->nodes.items = lg__alloc(((size_t)dying + 1) * sizeof(uint32_t));
    bool there = rows && answer->bytes && answer->nodes.items;
    if (there) {
        uint64_t *each = answer->bytes + 3 * devices;
        for (uint32_t type = 0; type < graph->type_count; type++)
            rows[type] =
                (type_row){{.type = type, .size = each + type * devices},
                           lg_graph_string(graph, graph->type_name[type])};
        for (uint32_t node = 0; node < graph->columns.node_count; node++)
            if (to->state[node] & DIES)
                add_node(to, rows, each, node);
        answer->size = answer->bytes;
        answer->waiting_size = answer->bytes + devices;
        answer->listed_size = answer->bytes + 2 * devices;
        there = keep_types(to, rows);
    }
    lg__free(rows);
    return there ? LG_OK : lg__error_memory(err);
}

static lg_status
prepare(cutting *to, const uint64_t *edges, size_t count, lg_error *err)
{
    size_t nodes = (size_t)to->graph->columns.node_count + 1;
    for (size_t i = 0; i < count; i++)
        if (edges[i] >= to->graph->columns.edge_count)
            return lg_error_set(err, LG_EINVAL, "there is no edge %llu",
                                (unsigned long long)edges[i]);
    to->state = lg__calloc(nodes, 1);
    to->count = lg__calloc(nodes, sizeof *to->count);
    to->queue = lg__alloc(nodes * sizeof *to->queue);
    return to->state && to->count && to->queue
               ? collect_edges(to, edges, count, err)
               : lg__error_memory(err);
}

static lg_status
find_out(cutting *to, const uint64_t *edges, size_t count, size_t limit,
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
    return status == LG_OK ? survivors_find(to, limit, err) : status;
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
    cutting to = {.graph = lg_analysis_graph(analysis),
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
    lg__free(to.state);
    lg__free(to.count);
    lg__free(to.queue);
    return status;
}

void
lg_what_if_free(lg_what_if *answer)
{
    for (size_t i = 0; i < answer->kept_count; i++) {
        lg_path_free(&answer->kept[i].path);
        lg_cuts_free(&answer->kept[i].cuts);
        lg__free((void *)(uintptr_t)answer->kept[i].retained);
    }
    lg__free(answer->kept);
    lg__free(answer->types);
    lg__free(answer->bytes);
    lg_nodes_free(&answer->nodes);
    *answer = (lg_what_if){0};
}
