// Draws a group of siblings as nodes and edges of the view.
#include "pick/sibling_groups.h"
#include "view/view_private.h"

#include <stdlib.h>
#include <string.h>

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
// sets one node aside for them.
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

lg_status
lg__group_draw(lg__view_group *group, size_t index, size_t allowance,
               lg_error *err)
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

lg_status
lg__group_link(const lg__view_group *group, size_t index, lg_error *err)
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
