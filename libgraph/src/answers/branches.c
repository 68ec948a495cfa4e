// Groups what an object owns, or what refers to it, by label and type.
#include "answers/answers_private.h"

#include <leakgraph/internal/branches.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/path.h>

#include <xxhash.h>

// An object at the other end of a reference, and the key of its branch.
typedef struct leaf {
    uint64_t key;
    uint64_t retained;
    lg_hop hop;
    uint32_t node;
} leaf;

typedef struct branching {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_branch_way way;
    lg_nodes owned; // while their leaves are set
    leaf *leaves;
    size_t count;
    lg_text label;
} branching;

static void
format_label(const lg_graph *graph, const lg_hop *hop, lg_text *out)
{
    if (hop->edge_count == 0)
        return;
    if (lg__hop_is_position(graph, hop))
        lg_text_add(out, "[*]");
    else if (lg__edge_kind(graph, hop->edges[0]) == LG_EDGE_KEY)
        lg_text_add(out, "key");
    else
        lg_hop_label(graph, hop, out);
}

void
lg_branch_label(const lg_graph *graph, const lg_branch *branch, lg_text *out)
{
    if (branch->hop.edge_count > 0 && branch->count == 1)
        lg_hop_label(graph, &branch->hop, out);
    else
        format_label(graph, &branch->hop, out);
}

static void
set_leaf(branching *to, size_t index, uint32_t node, const lg_hop *hop)
{
    to->label.length = 0;
    format_label(to->graph, hop, &to->label);
    to->leaves[index] =
        (leaf){.key = XXH3_64bits_withSeed(
                   to->label.data ? to->label.data : "", to->label.length,
                   lg_columns_type(&to->graph->columns, node)),
               .retained = lg__freed_by(to->analysis, node),
               .hop = *hop,
               .node = node};
}

static lg_status
make_room(branching *to, size_t count, lg_error *err)
{
    to->leaves = lg__alloc((count + 1) * sizeof *to->leaves);
    return to->leaves ? LG_OK : lg__error_memory(err);
}

// Sets the leaf of what the node owns with that index.
static void
set_owned(void *context, size_t index, const lg_hop *hop)
{
    branching *to = context;
    set_leaf(to, index, to->owned.items[index], hop);
}

static lg_status
list_owned(branching *to, uint32_t node, lg_error *err)
{
    lg__best_hops hops = {0};
    lg__hop_walk walk = {.graph = to->graph, .everything = true};
    walk.fold = lg__graph_folds(to->graph);
    lg_status status = lg_node_owned(to->analysis, node, &to->owned, err);
    if (status == LG_OK)
        status = make_room(to, to->owned.count, err);
    const lg__gathered targets = {.items = to->owned.items,
                                  .count = to->owned.count};
    if (status == LG_OK &&
        (walk.fold == NULL || !lg__graph_reverse(to->graph, &walk.reverse) ||
         !lg__best_hops_find(&hops, &walk, node, &targets, set_owned, to)))
        status = lg__error_memory(err);
    if (status == LG_OK)
        to->count = targets.count;
    lg__best_hops_free(&hops);
    lg_nodes_free(&to->owned);
    return status;
}

static lg_status
list_referrers(branching *to, uint32_t node, lg_error *err)
{
    lg_hops hops = {0};
    lg_status status = lg_node_hops_in(to->graph, node, &hops, err);
    if (status == LG_OK)
        status = make_room(to, hops.count, err);
    for (size_t i = 0; i < hops.count && status == LG_OK; i++)
        if (!hops.items[i].weak)
            set_leaf(to, to->count++, hops.items[i].source, &hops.items[i]);
    lg_hops_free(&hops);
    return status;
}

// Puts the leaves of a branch side by side, the biggest first.
static int
compare_leaves(const void *a, const void *b)
{
    const leaf *one = a;
    const leaf *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    if (one->retained != other->retained)
        return one->retained > other->retained ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

static int
compare_branches(const void *a, const void *b)
{
    const lg_branch *one = a;
    const lg_branch *other = b;
    if (one->retained != other->retained)
        return one->retained > other->retained ? -1 : 1;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

static bool
has_more(const branching *to, uint32_t node)
{
    return to->way == LG_BRANCH_OWNED
               ? lg_node_dominated(to->analysis, node, NULL, 0) > 0
               : lg_node_referrers(to->graph, node, NULL, 0) > 0;
}

// A node that refers twice counts once.
static lg_branch
sum(const branching *to, const leaf *run, size_t count)
{
    lg_branch branch = {.node = run->node, .hop = run->hop};
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && run[i].node == run[i - 1].node)
            continue;
        branch.count++;
        branch.own += lg_node_bytes_on(to->graph, run[i].node, LG_NONE);
        branch.retained +=
            to->way == LG_BRANCH_OWNED || i == 0 ? run[i].retained : 0;
    }
    branch.opens = branch.count > 1 || has_more(to, run->node);
    return branch;
}

static size_t
run_length(const branching *to, size_t from)
{
    size_t end = from + 1;
    while (end < to->count && to->leaves[end].key == to->leaves[from].key)
        end++;
    return end - from;
}

static bool
has_node(const leaf *run, size_t count, uint32_t node)
{
    while (count > 0 && run[count - 1].node != node)
        count--;
    return count > 0;
}

static lg_status
make_branches(const branching *to, uint32_t like, lg_branches *out,
              lg_error *err)
{
    lg_branch *items = lg__alloc((to->count + 1) * sizeof *items);
    size_t made = 0;
    if (items == NULL)
        return lg__error_memory(err);
    for (size_t i = 0, length; i < to->count; i += length) {
        const leaf *run = &to->leaves[i];
        length = run_length(to, i);
        if (like == LG_NONE)
            items[made++] = sum(to, run, length);
        else if (has_node(run, length, like))
            for (size_t j = 0; j < length; j++)
                items[made++] = sum(to, run + j, 1);
    }
    if (made > 0)
        lg__sort(items, made, sizeof *items, compare_branches);
    *out = (lg_branches){items, made};
    return LG_OK;
}

lg_status
lg_node_branches(const lg_analysis *analysis, lg_node node, lg_branch_way way,
                 lg_node like, lg_branches *out, lg_error *err)
{
    branching to = {.analysis = analysis, .graph = analysis->graph, .way = way};
    if (node >= analysis->graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", node);
    lg_status status = way == LG_BRANCH_OWNED ? list_owned(&to, node, err)
                                              : list_referrers(&to, node, err);
    if (status == LG_OK && to.label.failed)
        status = lg__error_memory(err);
    if (status == LG_OK && to.count > 0)
        lg__sort(to.leaves, to.count, sizeof *to.leaves, compare_leaves);
    if (status == LG_OK)
        status = make_branches(&to, like, out, err);
    lg__free(to.leaves);
    lg_text_free(&to.label);
    return status;
}

void
lg_branches_free(lg_branches *branches)
{
    lg__free(branches->items);
    *branches = (lg_branches){0};
}
