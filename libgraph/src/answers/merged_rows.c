// How the roots reach many nodes: which of the merged paths have a row, and
// what a row stands for, in reports and in pictures.
#include "answers/answers_private.h"
#include "paths/paths_private.h"

#include <leakgraph/internal/merged_paths.h>
#include <leakgraph/internal/options.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

// Rows at both ends of a long path without branches.
enum { HEAD = 8, TAIL = 6 };

typedef struct listing {
    const lg_graph *graph;
    lg__merged_tree tree;
    lg__pruned pruned;
    uint32_t *row; // [tree.count] row of an item or of the last passed one
    lg_merged_paths out;
} listing;

static lg_merged_kind
kind_of(const listing *to, uint32_t item)
{
    static const lg_merged_kind kinds[] = {
        [LG__PRUNE_FOLDED] = LG_MERGED_REST,
        [LG__PRUNE_SHOWN] = LG_MERGED_NODES,
        [LG__PRUNE_PASSED] = LG_MERGED_PASSED,
    };
    return kinds[lg__pruned_state(&to->tree, &to->pruned, item)];
}

static lg_merged_row *
add_row(listing *to, uint32_t item)
{
    size_t each = (size_t)to->out.devices + 1;
    uint32_t parent = to->tree.items[item].parent;
    lg_merged_row *row = &to->out.rows[to->out.count];
    *row = (lg_merged_row){.kind = kind_of(to, item),
                           .parent = LG_NONE,
                           .root = LG_NONE,
                           .node = LG_NONE,
                           .type = LG_NONE,
                           .retained = to->out.bytes + each * to->out.count};
    if (parent != LG_NONE) {
        row->parent = to->row[parent];
        row->depth = to->out.rows[row->parent].depth + 1;
    }
    to->row[item] = (uint32_t)to->out.count++;
    return row;
}

static void
add_bytes(const listing *to, lg_merged_row *row, const lg__merged *item)
{
    uint64_t *bytes = to->out.bytes + (row->retained - to->out.bytes);
    for (uint32_t on = 0; on <= to->out.devices; on++)
        bytes[on] += to->tree.bytes[item->bytes + on];
    row->total += item->total;
    row->targets += item->targets;
}

static void
add_nodes(listing *to, uint32_t at)
{
    const lg__merged *item = &to->tree.items[at];
    lg_merged_row *row = add_row(to, at);
    row->count = item->nodes;
    row->ends = item->ends;
    row->root = item->root;
    row->node = item->node;
    row->type = item->type;
    row->hop = item->hop;
    row->varied = item->varied;
    add_bytes(to, row, item);
}

// A row of passed items leads where the first of them leads. What is below them
// hangs from the row.
static void
add_passed(listing *to, uint32_t at, uint32_t end)
{
    lg_merged_row *row = add_row(to, at);
    row->count = end - at;
    add_bytes(to, row, &to->tree.items[at]);
    to->row[end - 1] = to->row[at];
}

static void
add_rest(listing *to, uint32_t at, uint32_t end)
{
    lg_merged_row *row = add_row(to, at);
    for (uint32_t i = at; i < end; i = to->pruned.end[i]) {
        add_bytes(to, row, &to->tree.items[i]);
        row->count++;
    }
}

static lg_status
add_rows(listing *to, lg_error *err)
{
    size_t count = 0;
    uint32_t end;
    for (uint32_t at = 0; at < to->tree.count;
         at = lg__pruned_next(&to->tree, &to->pruned, at))
        count++;
    to->row = lg__alloc((to->tree.count + 1) * sizeof *to->row);
    to->out.rows = lg__alloc((count + 1) * sizeof *to->out.rows);
    to->out.bytes = lg__calloc((count + 1) * ((size_t)to->out.devices + 1),
                               sizeof *to->out.bytes);
    if (!to->row || !to->out.rows || !to->out.bytes)
        return lg__error_memory(err);
    for (uint32_t at = 0; at < to->tree.count; at = end) {
        lg_merged_kind kind = kind_of(to, at);
        end = lg__pruned_next(&to->tree, &to->pruned, at);
        if (kind == LG_MERGED_NODES)
            add_nodes(to, at);
        else
            (kind == LG_MERGED_PASSED ? add_passed : add_rest)(to, at, end);
    }
    return LG_OK;
}

static lg__pruning
pruning_of(const listing *to, const lg_merged_options *options)
{
    uint64_t reached = to->out.targets - to->out.unreachable;
    return (lg__pruning){
        .limit = options->limit,
        .most = options->most,
        .head = options->head,
        .tail = options->tail,
        .min_bytes = (uint64_t)((double)to->out.total * options->min_bytes),
        .min_targets = (uint64_t)((double)reached * options->min_targets),
    };
}

static bool
is_share(double share)
{
    return share >= 0 && share <= 1;
}

// The analysis already has the answer for one node.
static lg_status
weigh_targets(listing *to, const lg_analysis *analysis, const lg_node *targets,
              size_t count, const lg_monitor *monitor, lg_error *err)
{
    if (count != 1 || !lg_node_is_reachable(analysis, targets[0]))
        return lg_nodes_retained_each(analysis, targets, count, monitor,
                                      to->out.retained, err);
    for (uint32_t on = 0; on <= to->out.devices; on++)
        to->out.retained[on] = lg_node_retained_on(analysis, targets[0], on);
    return LG_OK;
}

static lg_status
weigh(listing *to, const lg_analysis *analysis, const lg_node *targets,
      size_t count, const lg_monitor *monitor, lg_error *err)
{
    to->out.devices = to->graph->device_count;
    to->out.targets = to->tree.targets;
    to->out.unreachable = to->tree.unreachable;
    to->out.retained =
        lg__alloc(((size_t)to->out.devices + 1) * sizeof *to->out.retained);
    if (to->out.retained == NULL)
        return lg__error_memory(err);
    lg_status status =
        weigh_targets(to, analysis, targets, count, monitor, err);
    if (status == LG_OK)
        to->out.total =
            lg_bytes_sum(to->out.retained, (size_t)to->out.devices + 1);
    return status;
}

static lg_status
list_rows(listing *to, const lg_merged_options *options, lg_error *err)
{
    const lg__pruning pruning = pruning_of(to, options);
    lg_status status = lg__paths_prune(&to->tree, &pruning, &to->pruned, err);
    return status == LG_OK ? add_rows(to, err) : status;
}

lg_status
lg_analysis_merged_paths(const lg_analysis *analysis, const lg_node *targets,
                         size_t count, const lg_merged_options *options,
                         const lg_monitor *monitor, lg_merged_paths *out,
                         lg_error *err)
{
    listing to = {.graph = analysis->graph};
    lg_merged_options whole = LG_MERGED_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&whole, options, "lg_merged_options", err);
    if (status != LG_OK)
        return status;
    if (!is_share(whole.min_bytes) || !is_share(whole.min_targets))
        return lg_error_set(err, LG_EINVAL,
                            "the least share must be from 0 to 1");
    if (whole.limit > 0 && whole.head == 0 && whole.tail == 0) {
        whole.head = HEAD;
        whole.tail = TAIL;
    }
    status = lg__paths_merge(analysis, targets, count, monitor, &to.tree, err);
    if (status == LG_OK)
        status = weigh(&to, analysis, targets, count, monitor, err);
    if (status == LG_OK)
        status = list_rows(&to, &whole, err);
    if (status == LG_OK)
        *out = to.out;
    else
        lg_merged_paths_free(&to.out);
    lg__merged_tree_free(&to.tree);
    lg__pruned_free(&to.pruned);
    lg__free(to.row);
    return status;
}

void
lg_merged_paths_free(lg_merged_paths *paths)
{
    lg__free(paths->rows);
    lg__free(paths->retained);
    lg__free(paths->bytes);
    *paths = (lg_merged_paths){0};
}
