// Settles what detectors noted: which suppositions are true, and which matches
// are one.
#include "findings/detectors.h"
#include "growth/growth_private.h"

#include <stdlib.h>
#include <string.h>

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

// Some mistakes are things that accumulate, such as exceptions. What several
// containers have, or what other objects have in a container, is in no
// container's own, so the match has the thing for its holder. The row of its
// growth names containers, so many such things are given to the containers that
// growth finds: each to those that lead to it.

enum {
    MANY_LOOSE = 16,
    SOURCES = 256, // looked at between a thing and its containers
};

// A way up from a thing.
typedef struct ascent {
    const lg__detection *detection;
    const lg__gathered *containers; // ascending
    uint32_t thing;
    uint32_t nodes[SOURCES];
    size_t count;
    lg__gathered *found;
    bool failed;
} ascent;

// Returns whether the holder of a match is a thing, or one of those it keeps.
static bool
is_loose(const lg__detection *detection, const lg__match *match)
{
    return lg__detectors[match->pattern]->kind == LG__ACCUMULATES &&
           match->holder != LG_NONE &&
           !(lg__type_bits_of(detection, match->holder) & LG__TYPE_CONTAINER) &&
           lg_node_is_reachable(detection->analysis, match->holder);
}

static bool
keeps_its_holder(const lg__match *match)
{
    for (size_t i = 0; i < match->kept.count; i++)
        if (match->kept.items[i] == match->holder)
            return true;
    return false;
}

static void
gather_things(lg__detection *detection, lg__gathered *out)
{
    for (size_t i = 0; i < detection->match_count; i++) {
        const lg__match *match = &detection->matches[i];
        if (!is_loose(detection, match))
            continue;
        if (keeps_its_holder(match))
            detection->failed |= !lg__gather_all(out, &match->kept);
        else
            detection->failed |= !lg__gather_append(out, match->holder);
    }
}

// Returns whether a node leads to far more than to the thing: each frame has a
// module, and each object a class. What leads to these holds none of it.
static bool
is_common(const ascent *to, uint32_t node)
{
    const lg_graph *graph = to->detection->graph;
    const lg_category category = lg__node_category(graph, node);
    return category == LG_CATEGORY_MODULE ||
           (category == LG_CATEGORY_TYPE &&
            lg__node_category(graph, to->thing) != LG_CATEGORY_TYPE);
}

static bool
add_source(void *context, const lg_hop *hop)
{
    ascent *to = context;
    uint32_t source = hop->source;
    if (hop->weak || is_common(to, source) ||
        !lg_node_is_reachable(to->detection->analysis, source) ||
        lg__detection_owns(to->detection, to->thing, source))
        return true;
    if (lg__gathered_has(to->containers, source)) {
        to->failed |= !lg__gather_append(to->found, source);
        return !to->failed;
    }
    for (size_t i = 0; i < to->count; i++)
        if (to->nodes[i] == source)
            return true;
    if (to->count < SOURCES)
        to->nodes[to->count++] = source;
    return true;
}

// Finds the containers that lead to a thing. Goes up breadth first. A way ends
// at a container, and once SOURCES nodes are known, no more are taken.
static void
ascend(lg__detection *detection, const lg__gathered *containers, uint32_t thing,
       lg__gathered *found)
{
    ascent to = {.detection = detection,
                 .containers = containers,
                 .thing = thing,
                 .nodes = {thing},
                 .count = 1,
                 .found = found};
    lg__hop_walk walk = detection->walk;
    walk.visit = add_source;
    walk.context = &to;
    found->count = 0;
    for (size_t i = 0; i < to.count && !to.failed; i++)
        lg__hops_in_walk(&walk, to.nodes[i]);
    detection->failed |= to.failed;
}

// Notes where the matches of a pattern are. Those of other patterns lie
// elsewhere in the row of matches.
static void
register_matches(lg__detection *detection, uint32_t pattern)
{
    for (size_t i = 0; i < detection->match_count; i++) {
        const lg__match *match = &detection->matches[i];
        if (match->pattern == pattern && match->holder != LG_NONE)
            detection->match_at[match->holder] = (uint32_t)i + 1;
    }
}

// Returns the registered match of the container, or adds one; NULL if memory
// runs out.
static lg__match *
match_of_container(lg__detection *detection, uint32_t pattern,
                   uint32_t container)
{
    uint32_t *at = &detection->match_at[container];
    if (*at != 0 && *at <= detection->match_count &&
        detection->matches[*at - 1].pattern == pattern &&
        detection->matches[*at - 1].holder == container)
        return &detection->matches[*at - 1];
    if (!lg__array_room(&detection->matches, detection->match_count,
                        sizeof *detection->matches))
        return NULL;
    lg__match *made = &detection->matches[detection->match_count++];
    *made = (lg__match){.pattern = pattern, .holder = container};
    *at = (uint32_t)detection->match_count;
    return made;
}

// Gives what a match keeps with a thing to each container of the thing.
static void
give(lg__detection *detection, size_t from, uint32_t thing,
     const lg__gathered *kept, const lg__gathered *containers)
{
    uint32_t pattern = detection->matches[from].pattern;
    for (size_t i = 0; i < containers->count && !detection->failed; i++) {
        lg__match *to =
            match_of_container(detection, pattern, containers->items[i]);
        const lg__match *of = &detection->matches[from];
        detection->failed |= to == NULL || !lg__gather_all(&to->kept, kept) ||
                             !lg__gather_all(&to->along, &of->along) ||
                             !lg__gather_append(&to->stores, thing);
    }
}

// Gives each kept thing of a match to its containers. What has none stays.
static void
give_each(lg__detection *detection, size_t from, const lg__gathered *containers,
          lg__gathered *found)
{
    lg__gathered kept = detection->matches[from].kept;
    size_t left = 0;
    for (size_t i = 0; i < kept.count && !detection->failed; i++) {
        uint32_t thing = kept.items[i];
        lg__gathered one = {.items = &thing, .count = 1};
        ascend(detection, containers, thing, found);
        give(detection, from, thing, &one, found);
        if (found->count == 0)
            kept.items[left++] = thing;
    }
    lg__match *match = &detection->matches[from];
    match->kept.count = left;
    if (left > 0)
        match->holder = kept.items[0];
}

// Gives what the thing of a match keeps to its containers, if it has any.
static void
give_whole(lg__detection *detection, size_t from,
           const lg__gathered *containers, lg__gathered *found)
{
    lg__gathered kept = detection->matches[from].kept;
    uint32_t thing = detection->matches[from].holder;
    ascend(detection, containers, thing, found);
    give(detection, from, thing, &kept, found);
    if (found->count > 0)
        detection->matches[from].kept.count = 0;
}

static void
give_all(lg__detection *detection, const lg__gathered *containers)
{
    lg__gathered found = {0};
    size_t count = detection->match_count;
    uint32_t pattern = LG_NONE;
    for (size_t i = 0; i < count && !detection->failed; i++) {
        const lg__match *match = &detection->matches[i];
        if (!is_loose(detection, match))
            continue;
        if (match->pattern != pattern)
            register_matches(detection, pattern = match->pattern);
        if (keeps_its_holder(match))
            give_each(detection, i, containers, &found);
        else
            give_whole(detection, i, containers, &found);
    }
    lg__free(found.items);
}

static lg_status
give_to_containers(lg__detection *detection, const lg_monitor *monitor,
                   lg_error *err)
{
    lg__gathered things = {0};
    lg__gathered containers = {0};
    lg_status status = LG_OK;
    gather_things(detection, &things);
    if (things.count >= MANY_LOOSE && !detection->failed)
        status = lg__containers_find(detection->analysis, &things, monitor,
                                     &containers, err);
    if (containers.count > 0 && status == LG_OK)
        give_all(detection, &containers);
    lg__free(things.items);
    lg__free(containers.items);
    return status;
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
        status = give_to_containers(detection, monitor, err);
    }
    if (status == LG_OK) {
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
