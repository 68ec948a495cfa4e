// Settles what detectors noted: which suppositions are true, and which matches
// are one.
#include "findings/context.h"

#include <stdlib.h>

bool
lg__gather_all(lg__gathered *to, const lg__gathered *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!lg__gather_append(to, from->items[i]))
            return false;
    return true;
}

// -------------------------------------------------------------- supposed ---

static bool
list_cut(const lg__detection *detection, lg__gathered *out)
{
    bool enough = lg__gather_all(out, &detection->cuts);
    for (size_t i = 0; i < detection->match_count && enough; i++)
        enough = lg__gather_all(out, &detection->matches[i].kept);
    return enough;
}

static void
confirm(lg__detection *detection, lg__match *match, const uint8_t *spared)
{
    for (size_t i = 0; i < match->supposed.count; i += 2) {
        uint32_t node = match->supposed.items[i];
        uint32_t part = match->supposed.items[i + 1];
        if (spared[node != LG_NONE ? node : part])
            continue;
        if (node != LG_NONE)
            detection->failed |= !lg__gather_append(&match->kept, node);
        detection->failed |=
            part != LG_NONE && !lg__gather_append(&match->along, part);
    }
}

static bool
supposes(const lg__detection *detection)
{
    for (size_t i = 0; i < detection->match_count; i++)
        if (detection->matches[i].supposed.count > 0)
            return true;
    return false;
}

static lg_status
confirm_all(lg__detection *detection, const lg_monitor *monitor, lg_error *err)
{
    lg__gathered cut = {0};
    uint8_t *spared = NULL;
    if (detection->cuts.count == 0 || !supposes(detection))
        return LG_OK;
    lg_status status =
        list_cut(detection, &cut)
            ? lg__set_spared(detection->analysis, cut.items, cut.count,
                             &detection->unrooted, monitor, &spared, err)
            : lg__error_memory(err);
    for (size_t i = 0; i < detection->match_count && status == LG_OK; i++)
        confirm(detection, &detection->matches[i], spared);
    lg__free(spared);
    lg__free(cut.items);
    return status;
}

// ----------------------------------------------------------------- merging ---

// Returns the container that owns the holder of a match and others like it, or
// LG_NONE.
static uint32_t
container_of(const lg__detection *detection, const lg__match *match)
{
    uint32_t owner =
        match->holder == LG_NONE
            ? LG_NONE
            : lg_node_dominator(detection->analysis, match->holder);
    return owner != LG_NONE &&
                   (lg__type_bits_of(detection, owner) & LG__TYPE_CONTAINER) &&
                   lg__fold_owner(detection->walk.fold, owner) == LG_NONE
               ? owner
               : LG_NONE;
}

static bool
take_over(lg__match *to, lg__match *from)
{
    bool taken = lg__gather_all(&to->kept, &from->kept) &&
                 lg__gather_all(&to->along, &from->along) &&
                 lg__gather_all(&to->stores, &from->stores);
    if (taken)
        lg__match_free(from);
    return taken;
}

static bool
is_empty(const lg__match *match)
{
    return match->kept.count == 0 && match->unseen == 0;
}

// Keeps the matches that are not empty, in their order.
static void
drop_empty(lg__detection *detection)
{
    size_t kept = 0;
    for (size_t i = 0; i < detection->match_count; i++) {
        lg__match *match = &detection->matches[i];
        if (is_empty(match)) {
            lg__match_free(match);
            continue;
        }
        if (kept < i) {
            detection->matches[kept] = *match;
            *match = (lg__match){.holder = LG_NONE};
        }
        kept++;
    }
    detection->match_count = kept;
}

// Merges exceptions in one list, or callbacks in one dict, into one match of
// the container. `first` is [node] zeros; it becomes 1 + the match of that
// container.
static void
merge_in_containers(lg__detection *detection, uint32_t *first)
{
    for (size_t i = 0; i < detection->match_count && !detection->failed; i++) {
        lg__match *match = &detection->matches[i];
        uint32_t container = container_of(detection, match);
        if (container == LG_NONE)
            continue;
        lg__match *before = first[container] != 0
                                ? &detection->matches[first[container] - 1]
                                : NULL;
        if (before != NULL && before->pattern == match->pattern) {
            before->holder = container;
            detection->failed |= !take_over(before, match);
        } else {
            first[container] = (uint32_t)i + 1;
        }
    }
}

enum {
    LEVELS = 64
}; // most steps between an exception and the one that it
   // goes with

// Returns the match of the same pattern whose holder owns the holder of this
// one, or NULL. For example, the cause of an exception goes with it. What the
// interpreter has does not go with what it has besides.
static lg__match *
owner_of(const lg__detection *detection, const lg__match *match,
         const uint32_t *match_at)
{
    uint32_t at = match->holder == LG_NONE
                      ? LG_NONE
                      : lg_node_dominator(detection->analysis, match->holder);
    for (int level = 0; at != LG_NONE && level < LEVELS; level++) {
        lg__match *found =
            match_at[at] != 0 ? &detection->matches[match_at[at] - 1] : NULL;
        if (found != NULL && found->pattern == match->pattern &&
            found != match && !is_empty(found) &&
            lg__node_category(detection->graph, at) != LG_CATEGORY_ROOT)
            return found;
        at = lg_node_dominator(detection->analysis, at);
    }
    return NULL;
}

// Merges matches into those of their owners. `match_at` is [node] zeros; it
// becomes 1 + the last match with that holder.
static void
merge_in_owners(lg__detection *detection, uint32_t *match_at)
{
    for (size_t i = 0; i < detection->match_count; i++)
        if (detection->matches[i].holder != LG_NONE)
            match_at[detection->matches[i].holder] = (uint32_t)i + 1;
    for (size_t i = 0; i < detection->match_count && !detection->failed; i++) {
        lg__match *match = &detection->matches[i];
        lg__match *owner = owner_of(detection, match, match_at);
        if (owner != NULL)
            detection->failed |= !take_over(owner, match);
    }
}

// Keeps each node once, in order.
static void
drop_repeated(lg__detection *detection, lg__gathered *nodes)
{
    size_t kept = 0;
    detection->searches++;
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t node = nodes->items[i];
        if (detection->seen[node] != detection->searches)
            nodes->items[kept++] = node;
        detection->seen[node] = detection->searches;
    }
    nodes->count = kept;
}

lg_status
lg__matches_settle(lg__detection *detection, const lg_monitor *monitor,
                   lg_error *err)
{
    size_t nodes = detection->graph->columns.node_count + (size_t)1;
    uint32_t *containers = lg__sparse_calloc(nodes, sizeof *containers);
    uint32_t *holders = lg__sparse_calloc(nodes, sizeof *holders);
    lg_status status = containers != NULL && holders != NULL
                           ? confirm_all(detection, monitor, err)
                           : lg__error_memory(err);
    if (status == LG_OK) {
        drop_empty(detection);
        merge_in_containers(detection, containers);
        drop_empty(detection);
        merge_in_owners(detection, holders);
        drop_empty(detection);
        for (size_t i = 0; i < detection->match_count; i++) {
            drop_repeated(detection, &detection->matches[i].kept);
            drop_repeated(detection, &detection->matches[i].along);
        }
        if (detection->failed)
            status = lg__error_memory(err);
    }
    lg__free(containers);
    lg__free(holders);
    return status;
}
