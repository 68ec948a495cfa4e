// Gathers a group: counts each neighbour of a node once, in its family.

#include "pick/sibling_groups.h"
#include "pick/pick_private.h"

#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

// True if the node refers to nothing but its type.
static bool
is_empty(const lg__view_group *group, uint32_t node)
{
    const lg_columns *columns = group->picker->columns;
    uint64_t edge = lg_columns_first_edge(columns, node);
    uint64_t end = lg_columns_first_edge(columns, node + 1);
    while (edge < end &&
           (lg_columns_kind(columns, edge) & LG_EDGE_KIND_MASK) == LG_EDGE_TYPE)
        edge++;
    return edge == end && !(lg_columns_flags(columns, node) & LG_NODE_FRONTIER);
}

// True for numbers, names and empty containers that hold nothing else.
static bool
is_small_value(const lg__view_group *group, uint32_t other)
{
    const lg__view_picker *picker = group->picker;
    if (picker->options.direction == LG_BACKREFS ||
        lg_node_bytes_on(picker->graph, other, LG_NONE) >= LG__ATOM_LIMIT)
        return false;
    lg_category category = lg__picker_category(picker, other);
    return category == LG_CATEGORY_ATOM ||
           (category == LG_CATEGORY_CONTAINER && is_empty(group, other)) ||
           (!picker->options.weak && lg__is_weak_reference(picker, other));
}

// True for what the owner's title already says, and for parts of its C struct.
static bool
is_restated(const lg__view_group *group, const lg_hop *hop, unsigned kind)
{
    if (kind == LG_EDGE_KEY || kind == LG_EDGE_FIELD)
        return is_small_value(group, hop->target);
    if (lg__picker_category(group->picker, hop->source) != LG_CATEGORY_ARRAY)
        return false;
    lg_string name = lg__hop_name(group->picker, hop);
    return name.length == 5 && !memcmp(name.data, "dtype", 5);
}

// In the middle of a picture a function shows only its data: its closure and
// its bound object.
static bool
is_code_of_holder(const lg__view_group *group, const lg_hop *hop)
{
    const lg__view_picker *picker = group->picker;
    return !group->subject &&
           lg__picker_category(picker, hop->source) == LG_CATEGORY_FUNCTION &&
           (is_small_value(group, hop->target) ||
            lg__hop_leads_out(picker, hop));
}

// True for hops that repeat what the picture already shows.
static bool
is_left_out(const lg__view_group *group, const lg_hop *hop, unsigned kind)
{
    const lg_view_options *options = &group->picker->options;
    if (hop->weak && !options->weak)
        return true;
    if (options->direction == LG_BACKREFS)
        return false;
    if (kind == LG_EDGE_TYPE)
        return !options->types;
    return is_restated(group, hop, kind) || is_code_of_holder(group, hop);
}

static bool
is_inside(const lg__view_picker *picker, uint32_t node)
{
    return picker->inside && picker->inside[node / 64] >> (node % 64) & 1;
}

// True for `__doc__`, `__mro__`, `__spec__`; not for `__traceback__`,
// `__cause__`, or a method's `__self__`.
static bool
is_noise(const lg__view_picker *picker, const lg_hop *hop)
{
    lg_category category = lg__picker_category(picker, hop->target);
    if (lg__picker_category(picker, hop->source) == LG_CATEGORY_FUNCTION)
        return category == LG_CATEGORY_ATOM || lg__hop_leads_out(picker, hop);
    return category != LG_CATEGORY_FUNCTION && category != LG_CATEGORY_FRAME &&
           category != LG_CATEGORY_EXCEPTION;
}

static lg__view_rank
rank_forward(const lg__view_group *group, const lg_hop *hop, unsigned kind,
             uint32_t other)
{
    const lg__view_picker *picker = group->picker;
    bool dunder = lg__is_dunder(lg__hop_name(picker, hop));
    if (dunder && is_noise(picker, hop))
        return LG__RANK_NOISE;
    if (is_small_value(group, other))
        return LG__RANK_VALUES;
    if (kind == LG_EDGE_TYPE || hop->weak)
        return LG__RANK_BACKGROUND;
    bool context = lg__is_context(picker, other);
    if (context && !group->subject)
        return LG__RANK_NOISE;
    return context || dunder || kind == LG_EDGE_GLOBALS ? LG__RANK_BACKGROUND
                                                        : LG__RANK_PLAIN;
}

static lg__view_rank
rank_of(const lg__view_group *group, const lg_hop *hop, unsigned kind,
        uint32_t other)
{
    if (group->picker->options.direction != LG_BACKREFS)
        return rank_forward(group, hop, kind, other);
    if (is_inside(group->picker, other))
        return LG__RANK_INSIDE;
    bool type = lg__picker_category(group->picker, other) == LG_CATEGORY_TYPE;
    bool quiet = type || hop->weak || kind == LG_EDGE_GLOBALS ||
                 kind == LG_EDGE_TYPE ||
                 lg__is_dunder(lg__hop_name(group->picker, hop));
    return quiet ? LG__RANK_BACKGROUND : LG__RANK_PLAIN;
}

// All of the ranks from LG__RANK_VALUES on have one family for a rank, whatever
// their types. The table is less than half full, so a search ends.
static size_t
family_slot(const lg__view_group *group, uint32_t type, unsigned kind,
            lg__view_rank rank)
{
    size_t mask = group->slot_count - 1;
    size_t hash = rank >= LG__RANK_VALUES ? 0 : (size_t)type * 64 + kind;
    hash = hash * 8 + rank;
    size_t slot = (hash * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (group->slots[slot]) {
        const lg__view_family *family =
            &group->families[group->slots[slot] - 1];
        bool alike = family->type == type && family->kind == kind;
        if (family->rank == rank && (alike || rank >= LG__RANK_VALUES))
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool
widen_slots(lg__view_group *group)
{
    if (2 * (group->count + 1) < group->slot_count)
        return true;
    size_t wanted = group->slot_count ? 4 * group->slot_count : 64;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return false;
    free(group->slots);
    group->slots = slots;
    group->slot_count = wanted;
    for (size_t i = 0; i < group->count; i++) {
        const lg__view_family *family = &group->families[i];
        size_t slot =
            family_slot(group, family->type, family->kind, family->rank);
        slots[slot] = (uint32_t)i + 1;
    }
    return true;
}

// Finds the family of the hop; NULL when memory ran out.
static lg__view_family *
family_of(lg__view_group *group, const lg_hop *hop, unsigned kind,
          uint32_t other)
{
    lg__view_rank rank = rank_of(group, hop, kind, other);
    uint32_t type = lg_columns_type(group->picker->columns, other);
    if (!widen_slots(group))
        return NULL;
    size_t slot = family_slot(group, type, kind, rank);
    if (group->slots[slot]) {
        lg__view_family *known = &group->families[group->slots[slot] - 1];
        known->mixed |= known->type != type;
        return known;
    }
    if (!lg__view_room(&group->families, group->count, &group->capacity,
                       sizeof *group->families))
        return NULL;
    lg__view_family *made = &group->families[group->count++];
    memset(made, 0, sizeof *made);
    made->type = type;
    made->kind = kind;
    made->rank = rank;
    made->order = group->order;
    group->slots[slot] = (uint32_t)group->count;
    return made;
}

// Counts one more reference to a neighbour that the group has already.
static void
count_again(const lg__view_group *group, lg__view_family *family,
            uint32_t other)
{
    for (size_t i = 0; i < family->kept_count; i++) {
        lg__view_sibling *sibling = &family->kept[i];
        if (lg__hop_end(group->picker, &sibling->hop) == other) {
            sibling->count++;
            return;
        }
    }
}

lg_bytes
lg__family_retained(const lg__view_picker *picker, lg__view_family *family,
                    uint32_t other)
{
    const lg_analysis *analysis = picker->options.analysis;
    if (!analysis)
        return (lg_bytes){0, 0};
    uint32_t owner = lg_node_dominator(analysis, other);
    bool free = owner == LG_NONE && !lg_node_is_reachable(analysis, other);
    if (family->count == 1)
        family->owner = owner;
    // Each member of a garbage cycle retains the whole cycle.
    if (owner == family->owner &&
        !(free && lg_node_component(analysis, other) != LG_NONE))
        return lg_node_retained(analysis, other);
    return lg_node_bytes(picker->graph, other);
}

static bool
add_sibling(lg__view_group *group, const lg_hop *hop, unsigned kind,
            uint32_t other)
{
    lg__view_family *family = family_of(group, hop, kind, other);
    if (!family)
        return false;
    uint64_t *word = &group->picker->seen[other / 64];
    uint64_t bit = (uint64_t)1 << (other % 64);
    if (*word & bit) {
        count_again(group, family, other);
        return true;
    }
    *word |= bit;
    group->total++;
    family->count++;
    lg_bytes own = lg_node_bytes(group->picker->graph, other);
    family->bytes.host += own.host;
    family->bytes.devices += own.devices;
    lg_bytes retained = lg__family_retained(group->picker, family, other);
    family->retained.host += retained.host;
    family->retained.devices += retained.devices;
    family->last = *hop;
    if (family->kept_count > group->keep)
        return true;
    if (!lg__view_room(&family->kept, family->kept_count,
                       &family->kept_capacity, sizeof *family->kept))
        return false;
    family->kept[family->kept_count++] =
        (lg__view_sibling){*hop, group->order, 1};
    return true;
}

static bool
add_link(lg__view_group *group, const lg_hop *hop, size_t drawn)
{
    if (group->link_of[drawn]) {
        group->links[group->link_of[drawn] - 1].count++;
        return true;
    }
    if (!lg__view_room(&group->links, group->link_count, &group->link_capacity,
                       sizeof *group->links))
        return false;
    group->links[group->link_count++] =
        (lg__view_sibling){*hop, group->order, 1};
    group->link_of[drawn] = (uint32_t)group->link_count;
    return true;
}

static bool
visit(void *context, const lg_hop *hop)
{
    lg__view_group *group = context;
    unsigned kind = lg__hop_kind(group->picker, hop);
    if (is_left_out(group, hop, kind))
        return true;
    uint32_t other = lg__hop_end(group->picker, hop);
    size_t drawn = lg__picker_find(group->picker, other);
    bool fine = drawn == SIZE_MAX ? add_sibling(group, hop, kind, other)
                                  : add_link(group, hop, drawn);
    group->order++;
    group->failed = !fine;
    return fine;
}

lg_status
lg__group_gather(lg__view_group *group, lg__view_picker *picker, uint32_t node,
                 lg_error *err)
{
    memset(group, 0, sizeof *group);
    group->picker = picker;
    group->node = node;
    size_t index = lg__picker_find(picker, node);
    group->subject = picker->view->nodes[index].subject;
    group->keep = picker->options.max_siblings;
    group->link_of = calloc(picker->view->node_count, sizeof *group->link_of);
    if (!group->link_of)
        return lg__view_no_memory(err);
    size_t words = picker->columns->node_count / 64 + 1;
    memset(picker->seen, 0, words * sizeof *picker->seen);
    lg_status status = lg__hops_each(
        picker->graph, node, picker->options.direction, visit, group, err);
    if (!status && group->failed)
        status = lg__view_no_memory(err);
    return status;
}

void
lg__group_free(lg__view_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        free(group->families[i].kept);
    free(group->families);
    free(group->slots);
    free(group->links);
    free(group->link_of);
}
