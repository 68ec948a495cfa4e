// The breadth-first walk: which nodes it expands, and how much room each gets.
#include "pick/sibling_groups.h"
#include "pick/pick_private.h"
#include "view/view_private.h"

#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

// Draws a group of siblings as nodes and edges of the view.

// Shares the room of a picture among the families of a group.

/* Small values with at least this many bytes always get a node. */
#define WORTH_SHOWING 16384u

static int
compare_families(const void *left, const void *right)
{
    const lg__view_family *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

// The most nodes that the family can use: one for each sibling, or the first
// ones and a fold. "1 more" takes as much room as the sibling itself.
static size_t
full_share(const lg__view_group *group, const lg__view_family *family)
{
    if (family->rank >= LG__RANK_VALUES || family->kind == LG_EDGE_KEY)
        return 1;
    if (family->count <= group->keep + 1)
        return (size_t)family->count;
    return group->keep + 1;
}

// Leaves out families that say little at this distance from the subject, and
// counts their members.
static void
group_trim(lg__view_group *group)
{
    size_t kept = 0;
    for (size_t i = 0; i < group->count; i++) {
        lg__view_family *family = &group->families[i];
        /* Skip a family whose members another edge kind has counted already. */
        if (family->count == 0)
            continue;
        if (group->subject || family->rank < LG__RANK_VALUES ||
            (family->rank != LG__RANK_INSIDE &&
             lg__bytes_total(family->bytes) >= WORTH_SHOWING)) {
            group->families[kept++] = *family;
            continue;
        }
        group->hidden += family->count;
        free(family->kept);
    }
    group->count = kept;
}

// Sorts the families and shares `allowance` nodes among them, giving each
// family one before any gets a second. Returns how many families get none, and
// sets one node aside for them. The turns end when no node is left, or when a
// whole round finds no family that can use one.
static size_t
group_share_room(lg__view_group *group, size_t allowance)
{
    if (group->count)
        qsort(group->families, group->count, sizeof *group->families,
              compare_families);
    size_t served = group->count;
    if (served > allowance)
        served = allowance ? allowance - 1 : 0;
    size_t left = allowance - served;
    for (size_t i = 0; i < served; i++)
        group->families[i].share = 1;
    bool dealt = served == group->count;
    while (dealt && left) {
        dealt = false;
        for (size_t i = 0; i < served && left; i++) {
            lg__view_family *family = &group->families[i];
            if (family->share < full_share(group, family)) {
                family->share++;
                left--;
                dealt = true;
            }
        }
    }
    return group->count - served;
}

/* The number of members that a values node names. */
#define NAMED_VALUES 5
/* The length in bytes up to which a fold's label shows both its ends. */
#define FOLD_LABEL 30u

// One thing to draw of a group: a sibling, or the folded rest of a family.
typedef struct view_item {
    const lg__view_family *family;
    const lg__view_sibling *sibling; /* NULL: the fold */
    uint64_t order;
} view_item;

static int
compare_items(const void *left, const void *right)
{
    const view_item *a = left, *b = right;
    if (a->family->rank != b->family->rank)
        return a->family->rank < b->family->rank ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

// Small values always get a node of their own. An object that everyone shares,
// such as None, would otherwise draw all edges to itself.
static bool
is_folded(const lg__view_family *family)
{
    return family->rank >= LG__RANK_VALUES || family->share < family->count;
}

// The number of siblings that get a node each.
static size_t
drawn_singly(const lg__view_family *family)
{
    return is_folded(family) ? family->share - 1 : family->share;
}

// Lists the things to draw, in reading order.
static lg_status
list_items(const lg__view_group *group, view_item **out, size_t *count,
           lg_error *err)
{
    size_t capacity = 1;
    for (size_t i = 0; i < group->count; i++)
        capacity += group->families[i].share;
    view_item *items = malloc(capacity * sizeof *items);
    if (!items)
        return lg__view_no_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < group->count; i++) {
        const lg__view_family *family = &group->families[i];
        if (!family->share)
            continue;
        size_t single = drawn_singly(family);
        for (size_t k = 0; k < single; k++)
            items[n++] =
                (view_item){family, &family->kept[k], family->kept[k].order};
        if (is_folded(family))
            items[n++] = (view_item){family, NULL, family->kept[single].order};
    }
    qsort(items, n, sizeof *items, compare_items);
    *out = items;
    *count = n;
    return LG_OK;
}

// Draws an edge between the node at `index` and the neighbour at `other`.
static lg_status
connect(lg__view_picker *picker, const lg_hop *hop, size_t index, size_t other,
        lg__view_edge **edge, lg_error *err)
{
    bool back = picker->options.direction == LG_BACKREFS;
    return lg__picker_link(picker, hop, back ? other : index,
                           back ? index : other, edge, err);
}

static void
note_repeats(lg__view_edge *edge, uint64_t count)
{
    edge->count = count;
    if (count < 2)
        return;
    lg_text_add(&edge->label, " +");
    lg_text_add_count(&edge->label, count - 1);
}

// Writes what a values node stands for: `.a .b .c …`.
static void
list_names(const lg__view_picker *picker, const lg__view_family *family,
           lg_text *out)
{
    size_t shown = family->kept_count;
    if (shown > NAMED_VALUES)
        shown = NAMED_VALUES;
    for (size_t i = 0; i < shown; i++) {
        if (i)
            lg_text_add(out, " ");
        lg__picker_label(picker, &family->kept[i].hop, out);
    }
    if (family->count > shown)
        lg_text_add(out, " …");
}

// Writes the title of a fold: `997 more Tensor`, `7 values`, `5 int`.
static void
name_fold(const lg__view_picker *picker, const lg__view_family *family,
          uint64_t count, lg__view_node *fold)
{
    if (family->count == 1) {
        fold->node = lg__hop_end(picker, &family->kept[0].hop);
        fold->address = lg_columns_address(picker->columns, fold->node);
        lg_string type = lg_graph_type(picker->graph, family->type).name;
        lg_text_add_bytes(&fold->type, type.data, type.length);
        lg_node_title(picker->graph, fold->node, false, &fold->title);
        return;
    }
    lg_text_add_count(&fold->title, count);
    if (family->rank == LG__RANK_INSIDE) {
        lg_text_add(&fold->title, " objects");
        lg_text_add(&fold->detail, "that it holds itself");
        return;
    }
    if (count < family->count || family->rank == LG__RANK_NOISE)
        lg_text_add(&fold->title, " more");
    if (!family->mixed) {
        lg_string name = lg_graph_type(picker->graph, family->type).name;
        lg_text_add_bytes(&fold->type, name.data, name.length);
        lg_text_add(&fold->title, " ");
        lg__picker_name_type(picker, family->type, &fold->title);
    } else if (family->rank == LG__RANK_VALUES) {
        lg_text_add(&fold->title, " values");
    }
    if (family->rank >= LG__RANK_VALUES)
        list_names(picker, family, &fold->detail);
}

// Writes the label of a fold: `[3] … [999]`, `.base` if all siblings have the
// same label, or `.a_long_name …` if both ends do not fit.
static void
add_last_label(const lg__view_picker *picker, const lg_hop *last,
               lg_text *label)
{
    lg_text word = {0};
    lg__picker_label(picker, last, &word);
    bool same = word.length == label->length && word.length &&
                !memcmp(word.data, label->data, word.length);
    if (!same) {
        bool fits = word.length + label->length <= FOLD_LABEL;
        lg_text_add(label, fits ? " … " : " …");
        if (fits)
            lg_text_add_bytes(label, word.data ? word.data : "", word.length);
    }
    label->failed |= word.failed;
    lg_text_free(&word);
}

// Whether the retained sizes of the members add up to that of the family. They
// do if the members and their owner account for all that the owner retains:
// then the members share nothing.
static bool
is_exact(const lg__view_picker *picker, const lg__view_family *family)
{
    uint32_t owner = family->owner;
    return owner != LG_NONE && lg__bytes_total(family->retained) +
                                       lg_node_size(picker->graph, owner) ==
                                   lg__bytes_total(lg_node_retained(
                                       picker->options.analysis, owner));
}

// Gives the fold what its members retain, without the siblings drawn singly.
static void
weigh_fold(const lg__view_picker *picker, const lg__view_family *family,
           size_t single, lg__view_node *fold)
{
    lg__view_family rest = *family;
    lg_bytes retained = family->retained;
    rest.count = 2;
    for (size_t i = 0; i < single; i++) {
        lg_bytes one = lg__family_retained(
            picker, &rest, lg__hop_end(picker, &family->kept[i].hop));
        retained.host -= one.host;
        retained.devices -= one.devices;
    }
    if (!is_exact(picker, family))
        lg_text_add(&fold->retained_label, "at least ");
    lg__bytes_add(&fold->retained_label, picker->graph, retained);
    fold->weight = lg__bytes_total(retained);
}

static lg_status
draw_fold(lg__view_picker *picker, size_t index, const lg__view_family *family,
          lg_error *err)
{
    size_t single = drawn_singly(family);
    const lg_hop *first = &family->kept[single].hop;
    bool values = family->rank >= LG__RANK_VALUES;
    size_t at;
    lg__view_kind kind = family->rank == LG__RANK_INSIDE ? LG__VIEW_REST
                         : values                        ? LG__VIEW_VALUES
                                                         : LG__VIEW_GROUP;
    lg_status status = lg__view_add_node(picker->view, kind, &at, err);
    if (status)
        return status;
    lg__view_node *fold = &picker->view->nodes[at];
    fold->depth = picker->view->nodes[index].depth + 1;
    fold->count = family->count - single;
    lg_bytes bytes = family->bytes;
    for (size_t i = 0; i < single; i++) {
        lg_bytes one = lg_node_bytes(picker->graph,
                                     lg__hop_end(picker, &family->kept[i].hop));
        bytes.host -= one.host;
        bytes.devices -= one.devices;
    }
    lg__own_set(fold, picker->graph, bytes);
    if (picker->options.analysis && !values)
        weigh_fold(picker, family, single, fold);
    fold->category = values
                         ? LG_CATEGORY_ATOM
                         : lg_graph_type(picker->graph, family->type).category;
    fold->native =
        lg_columns_flags(picker->columns, lg__hop_end(picker, first)) &
        LG_NODE_NATIVE;
    name_fold(picker, family, fold->count, fold);
    lg__view_edge *edge;
    status = connect(picker, first, index, at, &edge, err);
    if (status)
        return status;
    edge->count = fold->count;
    if (family->count == 1) {
        note_repeats(edge, family->kept[0].count);
    } else if (values) {
        lg_text_free(&edge->label);
    } else if (family->kind == LG_EDGE_KEY) {
        lg_text_add(&edge->label, "s");
    } else {
        add_last_label(picker, &family->last, &edge->label);
    }
    return LG_OK;
}

static lg_status
draw_sibling(lg__view_picker *picker, size_t index,
             const lg__view_sibling *sibling, lg_error *err)
{
    size_t at;
    lg__view_edge *edge;
    lg_status status =
        lg__picker_draw(picker, lg__hop_end(picker, &sibling->hop),
                        picker->view->nodes[index].depth + 1, &at, err);
    if (!status)
        status = connect(picker, &sibling->hop, index, at, &edge, err);
    if (!status)
        note_repeats(edge, sibling->count);
    return status;
}

// Draws the families that found no room: `30 more of 12 types`.
static lg_status
draw_rest(lg__view_picker *picker, size_t index, const lg__view_group *group,
          lg_error *err)
{
    size_t at;
    lg_status status = lg__view_add_node(picker->view, LG__VIEW_REST, &at, err);
    if (status)
        return status;
    lg__view_node *rest = &picker->view->nodes[at];
    rest->depth = picker->view->nodes[index].depth + 1;
    const lg__view_family *first = NULL;
    lg_bytes bytes = {0, 0};
    size_t families = 0;
    for (size_t i = 0; i < group->count; i++) {
        const lg__view_family *family = &group->families[i];
        if (family->share)
            continue;
        first = first ? first : family;
        families++;
        rest->count += family->count;
        bytes.host += family->bytes.host;
        bytes.devices += family->bytes.devices;
    }
    lg__own_set(rest, picker->graph, bytes);
    lg_text_add_count(&rest->title, rest->count);
    lg_text_add(&rest->title, " more");
    lg_text_addf(&rest->detail, "of %zu kinds", families);
    lg__view_edge *edge;
    status = connect(picker, &first->kept[0].hop, index, at, &edge, err);
    if (status)
        return status;
    edge->count = rest->count;
    lg_text_free(&edge->label);
    lg_text_add(&edge->label, "…");
    return LG_OK;
}

// Writes "+12 more". The title of a container counts its members already.
static uint64_t
count_more(const lg__view_group *group, size_t index, size_t allowance)
{
    const lg__view_node *node = &group->picker->view->nodes[index];
    if (node->category == LG_CATEGORY_CONTAINER &&
        group->hidden == group->total)
        return 0;
    return allowance ? group->hidden : group->total;
}

// Draws up to `allowance` nodes of the group around the node at `index`.
static lg_status
group_draw(lg__view_group *group, size_t index, size_t allowance, lg_error *err)
{
    lg__view_picker *picker = group->picker;
    view_item *items = NULL;
    size_t count = 0;
    group_trim(group);
    // A node that says "3 more" takes as much room as a sibling: write it on
    // the owner instead.
    if (allowance == 1 && group->count > 1)
        allowance = 0;
    size_t unserved = group_share_room(group, allowance);
    lg_status status = list_items(group, &items, &count, err);
    for (size_t i = 0; !status && i < count; i++)
        status = items[i].sibling
                     ? draw_sibling(picker, index, items[i].sibling, err)
                     : draw_fold(picker, index, items[i].family, err);
    if (!status && unserved && allowance)
        status = draw_rest(picker, index, group, err);
    if (!status)
        picker->view->nodes[index].more = count_more(group, index, allowance);
    free(items);
    return status;
}

// Draws edges to nodes of the view: loops, and objects with several holders.
static lg_status
group_link(const lg__view_group *group, size_t index, lg_error *err)
{
    lg__view_picker *picker = group->picker;
    for (size_t i = 0; i < group->link_count; i++) {
        const lg__view_sibling *link = &group->links[i];
        lg__view_edge *edge;
        size_t other = lg__picker_find(picker, lg__hop_end(picker, &link->hop));
        lg_status status =
            connect(picker, &link->hop, index, other, &edge, err);
        if (status)
            return status;
        note_repeats(edge, link->count);
    }
    return LG_OK;
}

// Weighs what lies behind the nodes of one level. Each object counts for the
// nearest node, so an object that two of them reach counts once.

/* Enough for a comparison, and takes some milliseconds at most. */
#define MOST_WEIGHED 20000u
/* Longer lists weigh only their own size. */
#define MOST_EDGES 5000u
#define MOST_HOPS 500000u

typedef struct weighed {
    uint32_t node;
    uint32_t owner; /* index of the weight that it adds to */
} weighed;

typedef struct view_scale {
    lg__view_picker *picker;
    uint64_t *weights;
    weighed *queue;
    size_t count;
    size_t hops; /* visited so far: lists may share all their elements */
    uint32_t owner;
} view_scale;

static void
put(view_scale *scale, uint32_t node)
{
    uint64_t *word = &scale->picker->seen[node / 64];
    uint64_t bit = (uint64_t)1 << (node % 64);
    if (*word & bit || scale->count == MOST_WEIGHED)
        return;
    *word |= bit;
    scale->queue[scale->count++] = (weighed){node, scale->owner};
    scale->weights[scale->owner] +=
        lg_node_bytes_on(scale->picker->graph, node, LG_NONE);
}

static bool
visit(void *context, const lg_hop *hop)
{
    view_scale *scale = context;
    if (!lg__hop_leads_out(scale->picker, hop) &&
        lg__picker_find(scale->picker, hop->target) == SIZE_MAX)
        put(scale, hop->target);
    scale->hops++;
    return scale->count < MOST_WEIGHED;
}

static bool
is_short(const lg__view_picker *picker, uint32_t node)
{
    const lg_columns *columns = picker->columns;
    return lg_columns_first_edge(columns, node + 1) -
               lg_columns_first_edge(columns, node) <=
           MOST_EDGES;
}

static lg_status
spread(view_scale *scale, lg_error *err)
{
    lg_status status = LG_OK;
    const lg_graph *graph = scale->picker->graph;
    for (size_t i = 0; !status && i < scale->count && scale->hops < MOST_HOPS;
         i++) {
        weighed at = scale->queue[i];
        scale->owner = at.owner;
        if (is_short(scale->picker, at.node))
            status = lg__hops_each(graph, at.node, LG_REFS, visit, scale, err);
    }
    return status;
}

// Adds up bytes near each drawn node from `start` to `end`, forward and
// without what is already drawn: what each node would show if the picture
// expanded it.
static lg_status
picker_weigh(lg__view_picker *picker, size_t start, size_t end,
             uint64_t *weights, lg_error *err)
{
    size_t words = picker->columns->node_count / 64 + 1;
    view_scale scale = {.picker = picker, .weights = weights};
    scale.queue = malloc(MOST_WEIGHED * sizeof *scale.queue);
    if (!scale.queue)
        return lg__view_no_memory(err);
    memset(picker->seen, 0, words * sizeof *picker->seen);
    memset(weights, 0, (end - start) * sizeof *weights);
    for (size_t i = start; i < end; i++) {
        scale.owner = (uint32_t)(i - start);
        const lg__view_node *node = &picker->view->nodes[i];
        if (node->kind == LG__VIEW_OBJECT && !node->context)
            put(&scale, node->node);
    }
    lg_status status = spread(&scale, err);
    free(scale.queue);
    return status;
}

/* A larger picture does not expand a node that is so many times lighter than
   its heaviest neighbour. */
#define SMALL_PICTURE 24u
#define SLIGHT 10u

// Draws up to `allowance` new nodes around the node at `index`.
static lg_status
expand(lg__view_picker *picker, size_t index, size_t allowance, lg_error *err)
{
    lg_status status = LG_OK;
    bool back = picker->options.direction == LG_BACKREFS;
    if (back && allowance && picker->view->nodes[index].unseen) {
        status = lg__picker_draw_native(picker, index, err);
        allowance--;
    }
    if (status)
        return status;
    lg__view_group group;
    status =
        lg__group_gather(&group, picker, picker->view->nodes[index].node, err);
    if (!status)
        status = group_link(&group, index, err);
    if (!status)
        status = group_draw(&group, index, allowance, err);
    lg__group_free(&group);
    return status;
}

// Backward, the search ends at roots. Forward, the picture names parts of the
// program and does not expand them.
static bool
is_expandable(const lg__view_picker *picker, size_t index)
{
    const lg__view_node *node = &picker->view->nodes[index];
    if (node->kind != LG__VIEW_OBJECT)
        return false;
    if (node->subject)
        return true;
    bool back = picker->options.direction == LG_BACKREFS;
    if (back)
        return !node->root.length;
    return !node->context && node->category != LG_CATEGORY_ATOM;
}

// The most nodes around one node at that depth. The picture narrows with the
// distance from its subject.
static size_t
widest(const lg__view_picker *picker, uint32_t depth)
{
    size_t limit = picker->options.max_nodes / 6;
    limit = limit < 6 ? 6 : limit;
    limit >>= depth < 8 ? depth : 8;
    return limit < 3 ? 3 : limit;
}

// One node of a level, and the bytes behind it.
typedef struct view_turn {
    size_t index;
    uint64_t weight;
} view_turn;

static int
compare_turns(const void *left, const void *right)
{
    const view_turn *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Lists the nodes to expand, the heaviest first. Backward they keep their
// order: a holder matters whatever else it holds.
static lg_status
take_turns(lg__view_picker *picker, size_t start, size_t end, view_turn *turns,
           size_t *count, lg_error *err)
{
    lg_status status = LG_OK;
    bool forward = picker->options.direction == LG_REFS;
    uint64_t *weights = calloc(end - start, sizeof *weights);
    if (!weights)
        return lg__view_no_memory(err);
    if (forward)
        status = picker_weigh(picker, start, end, weights, err);
    for (size_t i = start; i < end; i++) {
        if (is_expandable(picker, i))
            turns[(*count)++] = (view_turn){i, weights[i - start]};
    }
    if (forward && *count)
        qsort(turns, *count, sizeof *turns, compare_turns);
    free(weights);
    return status;
}

// Shares room in proportion to weight, but gives each node a few while room
// lasts.
static size_t
allowance_of(const view_turn *turn, size_t share, uint64_t weight,
             size_t waiting, size_t widest_here)
{
    size_t even = (share + waiting - 1) / waiting;
    double part = weight ? (double)turn->weight / (double)weight : 0;
    size_t allowance = (size_t)((double)share * part);
    if (allowance < even)
        allowance = even;
    return allowance < widest_here ? allowance : widest_here;
}

static lg_status
expand_turns(lg__view_picker *picker, const view_turn *turns, size_t count,
             uint32_t depth, const lg_monitor *monitor, lg_error *err)
{
    bool last = depth + 1 >= picker->options.max_depth;
    size_t share = lg__picker_room(picker);
    if (!last)
        share = (3 * share + 4) / 5;
    uint64_t weight = 0;
    for (size_t i = 0; i < count; i++)
        weight += turns[i].weight;
    uint64_t slight = count ? turns[0].weight / SLIGHT : 0;
    for (size_t i = 0; i < count; i++) {
        if (monitor && !monitor->tick(monitor->context, "drawing",
                                      (double)i / (double)count))
            return lg_error_set(err, LG_ECANCELLED, "drawing was stopped");
        size_t allowance = allowance_of(&turns[i], share, weight, count - i,
                                        widest(picker, depth));
        size_t before = picker->view->node_count;
        if (before > SMALL_PICTURE && turns[i].weight < slight)
            allowance = 0;
        lg_status status = expand(picker, turns[i].index, allowance, err);
        if (status)
            return status;
        share -= picker->view->node_count - before;
        weight -= turns[i].weight;
    }
    return LG_OK;
}

static lg_status
expand_level(lg__view_picker *picker, size_t start, size_t end, uint32_t depth,
             const lg_monitor *monitor, lg_error *err)
{
    size_t count = 0;
    view_turn *turns = malloc((end - start) * sizeof *turns);
    if (!turns)
        return lg__view_no_memory(err);
    lg_status status = take_turns(picker, start, end, turns, &count, err);
    if (!status)
        status = expand_turns(picker, turns, count, depth, monitor, err);
    free(turns);
    return status;
}

// Draws no more than a person reads, unless the caller asks for more.
static size_t
good_size(const lg__view_picker *picker)
{
    size_t most = picker->options.max_nodes;
    size_t good = 2 * most / 5;
    return good > 40 ? good : most < 40 ? most : 40;
}

lg_status
lg__picker_walk(lg__view_picker *picker, const lg_monitor *monitor,
                lg_error *err)
{
    size_t start = 0;
    lg_status status = LG_OK;
    picker->target = good_size(picker);
    for (uint32_t depth = 0; !status; depth++) {
        size_t end = picker->view->node_count;
        if (start == end)
            break;
        if (depth >= picker->options.max_depth)
            break;
        status = expand_level(picker, start, end, depth, monitor, err);
        start = end;
    }
    for (size_t i = start; !status && i < picker->view->node_count; i++) {
        if (is_expandable(picker, i))
            status = expand(picker, i, 0, err);
    }
    return status;
}
