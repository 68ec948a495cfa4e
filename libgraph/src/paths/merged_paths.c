// Merges the shortest root paths of many targets, from the root down, where
// type and label agree.
//
// Each node of the paths is merged once: from a target up to the first merged
// node, then down again. To find the merged node that it joins, parent, type
// and label are interned as one string, because string ids count up from 0 just
// as the merged nodes do.
#include "base/base_private.h"

#include <leakgraph/internal/retained.h>

#include "paths/merged_tree.h"
#include "paths/path_hops.h"
#include "paths/measure.h"
#include "paths/root_tree.h"

#include <leakgraph/analysis.h>
#include <stdlib.h>
#include <string.h>

// Orders merged paths: parents before children, and the biggest first.

typedef struct place {
    uint64_t bytes;
    uint64_t targets;
    uint32_t index;
    uint32_t next;  // the next sibling
    uint32_t first; // the first child
} place;

static int
smallest_first(const void *left, const void *right)
{
    const place *a = left;
    const place *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->targets != b->targets)
        return a->targets < b->targets ? -1 : 1;
    return a->index > b->index ? -1 : a->index < b->index;
}

// Makes lists of children, biggest first, by putting each in front of its
// siblings, smallest first. Returns the first root.
static uint32_t
link_places(const lg__merged_tree *paths, place *places, uint32_t *rank)
{
    uint32_t root = LG_NONE;
    for (uint32_t i = 0; i < paths->count; i++) {
        const lg__merged *item = &paths->items[i];
        places[i] = (place){item->total, item->targets, i, LG_NONE, LG_NONE};
    }
    qsort(places, paths->count, sizeof *places, smallest_first);
    for (uint32_t i = 0; i < paths->count; i++)
        rank[places[i].index] = i;
    for (uint32_t i = 0; i < paths->count; i++) {
        uint32_t parent = paths->items[places[i].index].parent;
        uint32_t *head =
            parent == LG_NONE ? &root : &places[rank[parent]].first;
        places[i].next = *head;
        *head = i;
    }
    return root;
}

// Sorts items and renumbers their parents: parents before children, and the
// biggest first. O(items log items). Walks the lists of children depth first
// without a stack: from an item without children it climbs until one has a next
// sibling. A parent gets its new number before its children, which look it up.
static lg_status
merged_arrange(lg__merged_tree *paths, lg_error *err)
{
    size_t count = paths->count;
    place *places = lg__alloc((count + 1) * sizeof *places);
    uint32_t *rank = lg__alloc((count + 1) * sizeof *rank);
    uint32_t *moved = lg__alloc((count + 1) * sizeof *moved);
    lg__merged *items = lg__alloc((count + 1) * sizeof *items);
    if (!places || !rank || !moved || !items) {
        lg__free(items);
        items = NULL;
        goto done;
    }
    uint32_t at = link_places(paths, places, rank);
    for (uint32_t filled = 0; at != LG_NONE; filled++) {
        lg__merged item = paths->items[places[at].index];
        moved[places[at].index] = filled;
        uint32_t parent = item.parent;
        if (parent != LG_NONE)
            item.parent = moved[parent];
        items[filled] = item;
        if (places[at].first != LG_NONE) {
            at = places[at].first;
            continue;
        }
        while (places[at].next == LG_NONE && parent != LG_NONE) {
            at = rank[parent];
            parent = paths->items[parent].parent;
        }
        at = places[at].next;
    }
    lg__free(paths->items);
    paths->items = items;

done:
    lg__free(places);
    lg__free(rank);
    lg__free(moved);
    return items != NULL ? LG_OK : lg__error_memory(err);
}

enum { IS_TARGET = 1, IS_FREE = 2, IS_COVERED = 4 };

typedef struct merging {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg__roottree tree;
    uint32_t *merged;  // [node] index of its merged node, or LG_NONE
    uint32_t *entered; // [node] for a target that a path reaches through its
                       // entrance: 1 + the index of its merged node
    uint8_t *mark;     // [node] IS_ bits: whether it is a target, and whether a
                       // target is above it
    lg__merged_tree out;
    size_t capacity;
    lg_allocator allocator;
    lg__strings keys;
    lg__vector offset;
    lg__vector bytes;
    lg_text text;
} merging;

// Returns whether labels of a hop count as one: those of all elements of a
// list, and of all values of a dict. What hops fold away keeps its names.
static bool
is_counted(const lg_graph *graph, const lg_hop *hop)
{
    switch (lg__edge_kind(graph, hop->edges[hop->edge_count - 1])) {
    case LG_EDGE_INDEX:
    case LG_EDGE_ELEMENT:
    case LG_EDGE_REFERENCE:
    case LG_EDGE_KEY:
    case LG_EDGE_STACK:
    case LG_EDGE_FRAME:
        return true;
    case LG_EDGE_VALUE:
        return hop->edge_count == 1;
    default:
        return false;
    }
}

void
lg__hop_common(const lg_graph *graph, const lg_hop *hop, lg_text *out)
{
    if (!is_counted(graph, hop)) {
        lg_hop_label(graph, hop, out);
        return;
    }
    unsigned kind = lg__edge_kind(graph, hop->edges[hop->edge_count - 1]);
    const char counted[] = {'#', (char)('A' + kind)};
    lg_text_add_bytes(out, counted, sizeof counted);
    if (kind == LG_EDGE_FRAME) {
        lg_string text = lg_node_text(graph, hop->target);
        lg_text_add_bytes(out, text.data, text.length);
    }
}

// Adds a number in bytes, because decimals would take most of the time.
static void
add_number(lg_text *out, uint32_t number)
{
    char digits[6];
    for (size_t i = 0; i < sizeof digits; i++, number >>= 6)
        digits[i] = (char)('0' + (number & 63));
    lg_text_add_bytes(out, digits, sizeof digits);
}

static uint32_t
intern_key(merging *to, const lg__merged *item)
{
    to->text.length = 0;
    add_number(&to->text, item->parent);
    add_number(&to->text, to->graph->type_name[item->type]);
    if (item->parent != LG_NONE)
        lg__hop_common(to->graph, &item->hop, &to->text);
    else if (lg__root_rank(to->graph,
                           lg__roottree_root(&to->tree, item->node)) !=
             LG__RANK_NATIVE)
        add_number(&to->text, item->node);
    if (to->text.failed)
        return LG_NONE;
    return lg__strings_intern(&to->allocator, &to->keys, to->text.data,
                              to->text.length);
}

static void
join(merging *to, lg__merged *item, const lg_hop *hop)
{
    const lg_columns *columns = &to->graph->columns;
    item->nodes++;
    if (hop->edge_count > 0 && is_counted(to->graph, hop) &&
        lg_columns_payload(columns, hop->edges[hop->edge_count - 1]) !=
            lg_columns_payload(columns,
                               item->hop.edges[item->hop.edge_count - 1]))
        item->varied = true;
}

static bool
append(merging *to, lg__merged item)
{
    lg__merged_tree *out = &to->out;
    size_t each = (size_t)to->graph->device_count + 1;
    const lg__row_array arrays[] = {
        {&out->items, sizeof *out->items, 0},
        {&out->bytes, each * sizeof *out->bytes, 0},
    };
    if (!lg__rows_room(arrays, 2, out->count, &to->capacity))
        return false;
    item.bytes = out->count * each;
    memset(out->bytes + item.bytes, 0, each * sizeof *out->bytes);
    out->items[out->count++] = item;
    return true;
}

// Merges a node below the one before it, whose merged node is the parent.
// Returns the index of its merged node, or LG_NONE when memory ran out. A node
// that answers pass over is no step, unless someone asks for it: it joins the
// node before it.
static uint32_t
merge_step(merging *to, uint32_t parent, uint32_t before, uint32_t node)
{
    if (before != node && !(to->mark[node] & IS_TARGET) &&
        lg__passes_over(to->graph, before, node))
        return parent;
    lg__merged item = {.parent = LG_NONE,
                       .root = LG_NONE,
                       .node = node,
                       .type = lg_columns_type(&to->graph->columns, node),
                       .nodes = 0,
                       .hop = {.source = node, .target = node}};
    if (before != node) {
        item.parent = parent;
        item.hop = lg__hop_between(&to->tree.walk, before, node);
    } else {
        item.root = lg__roottree_root(&to->tree, node);
    }
    uint32_t id = intern_key(to, &item);
    if (id == LG_NONE || (id == to->out.count && !append(to, item)))
        return LG_NONE;
    join(to, &to->out.items[id], &item.hop);
    return id;
}

// Merges the path to a target. From the target up, each node remembers the one
// below it where the index of its merged node will be.
static bool
merge_path(merging *to, uint32_t target)
{
    uint32_t below = LG_NONE;
    for (uint32_t at = target; to->merged[at] == LG_NONE;
         at = lg__roottree_before(&to->tree, at)) {
        to->merged[at] = below;
        below = at;
        if (lg__roottree_before(&to->tree, at) == at)
            break;
    }
    while (below != LG_NONE) {
        uint32_t next = to->merged[below];
        uint32_t before = lg__roottree_before(&to->tree, below);
        to->merged[below] = merge_step(to, to->merged[before], before, below);
        if (to->merged[below] == LG_NONE)
            return false;
        below = next;
    }
    return true;
}

// Returns whether a dominator of the target is a target, too, and so retains
// its bytes. Marks all nodes on the path with the same answer. A walk stops at
// the first node with a mark, and leaves marks on its way. So over all targets
// each node is passed once, and the cost does not grow with the depth of each.
static bool
is_covered(merging *to, uint32_t target)
{
    uint32_t at = lg_node_dominator(to->analysis, target);
    while (at != LG_NONE && to->mark[at] == 0)
        at = lg_node_dominator(to->analysis, at);
    bool covered = at != LG_NONE && to->mark[at] != IS_FREE;
    uint32_t end = at;
    at = lg_node_dominator(to->analysis, target);
    for (; at != end; at = lg_node_dominator(to->analysis, at))
        to->mark[at] = covered ? IS_COVERED : IS_FREE;
    return covered;
}

// Merges the path to a target, which may lead through its entrance. Returns the
// index of its end, or LG_NONE when memory ran out.
static uint32_t
merge_end(merging *to, uint32_t target)
{
    uint32_t entrance = lg__roottree_entrance(&to->tree, target);
    bool again =
        entrance != LG_NONE && lg__entrance_has_one(to->graph, entrance);
    if (entrance == LG_NONE ||
        (!again && entrance == lg__roottree_before(&to->tree, target)))
        return merge_path(to, target) ? to->merged[target] : LG_NONE;
    if (to->entered[target] == 0) {
        uint32_t parent = again                      ? merge_end(to, entrance)
                          : merge_path(to, entrance) ? to->merged[entrance]
                                                     : LG_NONE;
        if (parent == LG_NONE)
            return LG_NONE;
        to->entered[target] = 1 + merge_step(to, parent, entrance, target);
    }
    return to->entered[target] - 1;
}

static bool
merge_target(merging *to, uint32_t target)
{
    uint32_t seen = lg__seen_node(to->tree.walk.fold, target);
    to->out.targets++;
    if (lg__roottree_before(&to->tree, seen) == LG_NONE) {
        to->out.unreachable++;
        return true;
    }
    uint32_t end = merge_end(to, seen);
    if (end == LG_NONE)
        return false;
    lg__merged *item = &to->out.items[end];
    item->ends++;
    if (!is_covered(to, target))
        for (uint32_t on = 0; on <= to->graph->device_count; on++)
            to->out.bytes[item->bytes + on] +=
                lg_node_retained_on(to->analysis, target, on);
    return true;
}

// Adds up from the leaves to the roots what ends at or below each item. An item
// is added after its parent, so it has a higher index, and one pass from the
// end suffices.
static void
add_up(lg__merged_tree *tree, uint32_t devices)
{
    for (size_t i = tree->count; i-- > 0;) {
        lg__merged *item = &tree->items[i];
        const uint64_t *bytes = tree->bytes + item->bytes;
        item->targets += item->ends;
        item->total = lg_bytes_sum(bytes, (size_t)devices + 1);
        if (item->parent == LG_NONE)
            continue;
        lg__merged *parent = &tree->items[item->parent];
        parent->targets += item->targets;
        for (uint32_t on = 0; on <= devices; on++)
            tree->bytes[parent->bytes + on] += bytes[on];
    }
}

static lg_status
merge_all(merging *to, const lg_monitor *monitor, lg_error *err)
{
    uint32_t nodes = to->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes; node++) {
        if (node % 65536 == 0 &&
            !lg__monitor_goes_on(monitor, "merging paths", (double)node / nodes,
                                 err))
            return LG_ECANCELLED;
        if ((to->mark[node] & IS_TARGET) && !merge_target(to, node))
            return lg__error_memory(err);
    }
    add_up(&to->out, to->graph->device_count);
    return LG_OK;
}

static lg_status
mark_targets(merging *to, const uint32_t *targets, size_t count, lg_error *err)
{
    size_t nodes = to->graph->columns.node_count;
    for (size_t i = 0; i < count; i++)
        if (targets[i] >= nodes)
            return lg_error_set(err, LG_EINVAL, "there is no node %u",
                                targets[i]);
    to->merged = lg__alloc((nodes + 1) * sizeof(uint32_t));
    to->entered = lg__calloc(nodes + 1, sizeof(uint32_t));
    to->mark = lg__calloc(nodes + 1, 1);
    uint64_t *first = lg__vector_extend(&to->allocator, &to->offset, 1);
    if (!to->merged || !to->entered || !to->mark || first == NULL)
        return lg__error_memory(err);
    *first = 0;
    memset(to->merged, 0xff, (nodes + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < count; i++)
        to->mark[targets[i]] = IS_TARGET;
    return LG_OK;
}

// Makes a tree with only the path from a root to one node, at the cost of that
// path.
static lg_status
tree_to(const lg_graph *graph, uint32_t node, const lg_monitor *monitor,
        lg__roottree *out, lg_error *err)
{
    lg_path path = {0};
    lg_status status = lg_path_from_root(graph, node, monitor, &path, err);
    if (status == LG_OK || status == LG_ENOTFOUND)
        status =
            lg__roottree_of(graph, status == LG_OK ? &path : NULL, out, err);
    lg_path_free(&path);
    return status;
}

lg_status
lg__paths_merge(const lg_analysis *analysis, const uint32_t *targets,
                size_t count, const lg_monitor *monitor, lg__merged_tree *out,
                lg_error *err)
{
    merging to = {
        .analysis = analysis,
        .graph = lg_analysis_graph(analysis),
        .allocator = lg_allocator_default(),
        .offset = {.element = sizeof(uint64_t)},
        .bytes = {.element = 1},
    };
    to.keys.offset = &to.offset;
    to.keys.bytes = &to.bytes;
    lg_status status = mark_targets(&to, targets, count, err);
    if (status == LG_OK && count == 1)
        status = tree_to(to.graph, targets[0], monitor, &to.tree, err);
    else if (status == LG_OK)
        status = lg__roottree_new(to.graph, monitor, &to.tree, err);
    if (status == LG_OK)
        status = merge_all(&to, monitor, err);
    if (status == LG_OK)
        status = merged_arrange(&to.out, err);
    if (status == LG_OK)
        *out = to.out;
    else
        lg__merged_tree_free(&to.out);
    lg__free(to.merged);
    lg__free(to.entered);
    lg__free(to.mark);
    lg__roottree_free(&to.tree);
    lg__strings_free(&to.allocator, &to.keys);
    lg__vector_free(&to.allocator, &to.offset);
    lg__vector_free(&to.allocator, &to.bytes);
    lg_text_free(&to.text);
    return status;
}

void
lg__merged_tree_free(lg__merged_tree *tree)
{
    lg__free(tree->items);
    lg__free(tree->bytes);
    *tree = (lg__merged_tree){0};
}
