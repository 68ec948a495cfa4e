// Gathering a crowd: each neighbour of a node is counted once, in its family.

#include "crowd.h"
#include "hops.h"

#include <stdlib.h>
#include <string.h>

static bool
grow(void **items, size_t count, size_t *capacity, size_t size, size_t first)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? 2 * *capacity : first;
    void *grown = realloc(*items, wanted * size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

static bool
is_dunder(const char *data, size_t length)
{
    return length > 4 && !memcmp(data, "__", 2) &&
           !memcmp(data + length - 2, "__", 2);
}

// The name by which the hop is reached, read without building its label: a heap
// has classes and modules with thousands of names.
static lg_string
hop_name(const view_crowd *crowd, const lg_hop *hop)
{
    const lg_columns *columns = crowd->picker->columns;
    uint64_t edge = hop->edges[hop->edge_count - 1];
    unsigned kind = columns->edge_kind[edge] & LG_EDGE_KIND_MASK;
    uint32_t payload = columns->edge_payload[edge];
    if (kind == LG_EDGE_ATTRIBUTE)
        return lg_graph_string(crowd->picker->graph, payload);
    if (kind == LG_EDGE_VALUE && hop->edge_count > 1)
        return lg_node_text(crowd->picker->graph, payload);
    return (lg_string){NULL, 0};
}

// True if nothing but the type hangs from the node.
static bool
is_empty(const view_crowd *crowd, uint32_t node)
{
    const lg_columns *columns = crowd->picker->columns;
    uint64_t edge = columns->first_edge[node];
    uint64_t end = columns->first_edge[node + 1];
    while (edge < end &&
           (columns->edge_kind[edge] & LG_EDGE_KIND_MASK) == LG_EDGE_TYPE)
        edge++;
    return edge == end && !(columns->node_flags[node] & LG_NODE_FRONTIER);
}

// Numbers, names, and containers with nothing in them. Who holds something is
// no small value, whatever it is.
static bool
is_small_value(const view_crowd *crowd, uint32_t other)
{
    const view_picker *picker = crowd->picker;
    if (picker->options.direction == LG_BACKREFS ||
        lg_node_size(picker->graph, other) >= ATOM_LIMIT)
        return false;
    lg_category category = lg__picker_category(picker, other);
    return category == LG_CATEGORY_ATOM ||
           (category == LG_CATEGORY_CONTAINER && is_empty(crowd, other));
}

// Hops that only restate what the picture says anyhow.
static bool
is_left_out(const view_crowd *crowd, const lg_hop *hop, unsigned kind)
{
    const lg_view_options *options = &crowd->picker->options;
    if (hop->weak && !options->weak)
        return true;
    if (options->direction == LG_BACKREFS)
        return false;
    if (kind == LG_EDGE_TYPE)
        return !options->types;
    return kind == LG_EDGE_KEY && is_small_value(crowd, hop->target);
}

static view_rank
rank_of(const view_crowd *crowd, const lg_hop *hop, unsigned kind,
        uint32_t other)
{
    lg_category category = lg__picker_category(crowd->picker, other);
    lg_string name = hop_name(crowd, hop);
    bool forward = crowd->picker->options.direction != LG_BACKREFS;
    bool root = lg__picker_is_root(crowd->picker, other);
    bool dunder = is_dunder(name.data, name.length);
    if (dunder && forward && category != LG_CATEGORY_FUNCTION)
        return RANK_NOISE;
    if (is_small_value(crowd, other))
        return RANK_VALUES;
    const uint64_t *inside = crowd->picker->inside;
    if (inside && inside[other / 64] >> (other % 64) & 1)
        return RANK_BACKGROUND;
    if (dunder || hop->weak || kind == LG_EDGE_GLOBALS || kind == LG_EDGE_TYPE)
        return RANK_BACKGROUND;
    if (category == LG_CATEGORY_TYPE || (forward && root))
        return RANK_BACKGROUND;
    return RANK_PLAIN;
}

static size_t
family_slot(const view_crowd *crowd, uint32_t type, unsigned kind,
            view_rank rank)
{
    size_t mask = crowd->slot_count - 1;
    size_t hash = rank >= RANK_VALUES ? 0 : (size_t)type * 64 + kind;
    hash = hash * 8 + rank;
    size_t slot = (hash * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (crowd->slots[slot]) {
        const view_family *family = &crowd->families[crowd->slots[slot] - 1];
        bool alike = family->type == type && family->kind == kind;
        if (family->rank == rank && (alike || rank >= RANK_VALUES))
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool
widen_slots(view_crowd *crowd)
{
    if (2 * (crowd->count + 1) < crowd->slot_count)
        return true;
    size_t wanted = crowd->slot_count ? 4 * crowd->slot_count : 64;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return false;
    free(crowd->slots);
    crowd->slots = slots;
    crowd->slot_count = wanted;
    for (size_t i = 0; i < crowd->count; i++) {
        const view_family *family = &crowd->families[i];
        size_t slot =
            family_slot(crowd, family->type, family->kind, family->rank);
        slots[slot] = (uint32_t)i + 1;
    }
    return true;
}

// The family that the hop belongs to; NULL when memory ran out.
static view_family *
family_of(view_crowd *crowd, const lg_hop *hop, unsigned kind, uint32_t other)
{
    view_rank rank = rank_of(crowd, hop, kind, other);
    uint32_t type = crowd->picker->columns->type[other];
    if (!widen_slots(crowd))
        return NULL;
    size_t slot = family_slot(crowd, type, kind, rank);
    if (crowd->slots[slot]) {
        view_family *known = &crowd->families[crowd->slots[slot] - 1];
        known->mixed |= known->type != type;
        return known;
    }
    void *items = crowd->families;
    bool roomy = grow(&items, crowd->count, &crowd->capacity,
                      sizeof *crowd->families, 8);
    crowd->families = items;
    if (!roomy)
        return NULL;
    view_family *made = &crowd->families[crowd->count++];
    memset(made, 0, sizeof *made);
    made->type = type;
    made->kind = kind;
    made->rank = rank;
    made->order = crowd->order;
    crowd->slots[slot] = (uint32_t)crowd->count;
    return made;
}

// One more reference to a neighbour met before in this crowd.
static void
count_again(const view_crowd *crowd, view_family *family, uint32_t other)
{
    for (size_t i = 0; i < family->kept_count; i++) {
        view_sibling *sibling = &family->kept[i];
        if (lg__hop_end(crowd->picker, &sibling->hop) == other) {
            sibling->count++;
            return;
        }
    }
}

lg_bytes
lg__family_retained(const view_picker *picker, view_family *family,
                    uint32_t other)
{
    const lg_analysis *analysis = picker->options.analysis;
    if (!analysis)
        return (lg_bytes){0, 0};
    uint32_t owner = lg_node_dominator(analysis, other);
    if (family->count == 1)
        family->owner = owner;
    if (owner == family->owner)
        return lg_node_retained(analysis, other);
    uint64_t own = lg_node_size(picker->graph, other);
    bool host = !lg_node_device(picker->graph, other);
    return (lg_bytes){host ? own : 0, host ? 0 : own};
}

static bool
add_sibling(view_crowd *crowd, const lg_hop *hop, unsigned kind, uint32_t other)
{
    view_family *family = family_of(crowd, hop, kind, other);
    if (!family)
        return false;
    uint64_t *word = &crowd->picker->seen[other / 64];
    uint64_t bit = (uint64_t)1 << (other % 64);
    if (*word & bit) {
        count_again(crowd, family, other);
        return true;
    }
    *word |= bit;
    crowd->total++;
    family->count++;
    family->bytes += lg_node_size(crowd->picker->graph, other);
    lg_bytes retained = lg__family_retained(crowd->picker, family, other);
    family->retained.host += retained.host;
    family->retained.device += retained.device;
    family->last = *hop;
    if (family->kept_count > crowd->keep)
        return true;
    void *items = family->kept;
    bool roomy = grow(&items, family->kept_count, &family->kept_capacity,
                      sizeof *family->kept, 4);
    family->kept = items;
    if (roomy)
        family->kept[family->kept_count++] =
            (view_sibling){*hop, crowd->order, 1};
    return roomy;
}

static bool
add_link(view_crowd *crowd, const lg_hop *hop, size_t drawn)
{
    if (crowd->link_of[drawn]) {
        crowd->links[crowd->link_of[drawn] - 1].count++;
        return true;
    }
    void *items = crowd->links;
    bool roomy = grow(&items, crowd->link_count, &crowd->link_capacity,
                      sizeof *crowd->links, 8);
    crowd->links = items;
    if (!roomy)
        return false;
    crowd->links[crowd->link_count++] = (view_sibling){*hop, crowd->order, 1};
    crowd->link_of[drawn] = (uint32_t)crowd->link_count;
    return true;
}

static bool
visit(void *context, const lg_hop *hop)
{
    view_crowd *crowd = context;
    unsigned kind = lg__hop_kind(crowd->picker, hop);
    if (is_left_out(crowd, hop, kind))
        return true;
    uint32_t other = lg__hop_end(crowd->picker, hop);
    size_t drawn = lg__picker_find(crowd->picker, other);
    bool fine = drawn == SIZE_MAX ? add_sibling(crowd, hop, kind, other)
                                  : add_link(crowd, hop, drawn);
    crowd->order++;
    crowd->failed = !fine;
    return fine;
}

lg_status
lg__crowd_gather(view_crowd *crowd, view_picker *picker, uint32_t node,
                 lg_error *err)
{
    memset(crowd, 0, sizeof *crowd);
    crowd->picker = picker;
    crowd->node = node;
    crowd->keep = picker->options.max_siblings;
    crowd->link_of = calloc(picker->view->node_count, sizeof *crowd->link_of);
    if (!crowd->link_of)
        return lg__view_no_memory(err);
    size_t words = picker->columns->node_count / 64 + 1;
    memset(picker->seen, 0, words * sizeof *picker->seen);
    lg_status status = lg__hops_each(
        picker->graph, node, picker->options.direction, visit, crowd, err);
    if (!status && crowd->failed)
        status = lg__view_no_memory(err);
    return status;
}

void
lg__crowd_free(view_crowd *crowd)
{
    for (size_t i = 0; i < crowd->count; i++)
        free(crowd->families[i].kept);
    free(crowd->families);
    free(crowd->slots);
    free(crowd->links);
    free(crowd->link_of);
}
