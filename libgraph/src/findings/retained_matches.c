// Computes what matches keep, and which of them share it.
#include "findings/alike.h"
#include "findings/autograd.h"
#include "findings/detectors.h"

#include <stdlib.h>
#include <string.h>

// The pattern of a holder that makes no known mistake.
static const lg_pattern other_pattern = {
    "other-holder",
    "Other objects keep a part of it, too, "
    "so mending the mistake does not free "
    "that part.",
    "Drop what the other holders have, too."};

// Finds what keeps the things of a match, apart from the mistakes.

enum { OWNERS = 32 }; // most dominators between a referrer and its holder

// Appends what goes with the fix. Returns false when memory ran out.
static bool
match_gather(const lg__detection *detection, const lg__match *match,
             lg__gathered *out)
{
    bool enough = lg__gather_all(out, &match->along);
    if (lg__detectors[match->pattern]->effect != LG__FIX_GRAPHS)
        return enough && lg__gather_all(out, &match->kept);
    for (size_t i = 0; i < match->kept.count && enough; i++) {
        uint32_t tensor = match->kept.items[i];
        bool is_holder = tensor == match->holder;
        enough = lg__gather_append(
            out, is_holder ? lg__grad_fn(detection, tensor) : tensor);
    }
    return enough;
}

// A search for what else refers to one node of a match.
typedef struct looking {
    lg__detection *detection;
    const lg__match *match;
    const uint8_t *bits;
    const uint8_t *spared;
    uint32_t node; // the node
    uint32_t goes; // what goes when the reference is cut
    lg__vector *out;
} looking;

static void
add(looking *to, uint32_t holder, uint32_t source)
{
    lg_allocator allocator = lg_allocator_default();
    lg__other_holder *item = lg__vector_extend(&allocator, to->out, 1);
    to->detection->failed |= item == NULL;
    if (item != NULL)
        *item = (lg__other_holder){holder, source, to->goes, to->node};
}

// Returns whether the source is a holder of a match that keeps the node, or
// belongs to such a holder, or is what a fix changes. If several matches keep
// the node, all holders count as its holders.
static bool
is_of_match(const looking *to, uint32_t source)
{
    bool again = (to->bits[to->node] & LG__KEPT_AGAIN) != 0;
    for (int i = 0; i < OWNERS && source != LG_NONE; i++) {
        if (source == to->match->holder || source == to->node ||
            (to->bits[source] & LG__STORES) ||
            (again && (to->bits[source] & LG__HOLDS)))
            return true;
        source = lg_node_dominator(to->detection->analysis, source);
    }
    return false;
}

// Adds the collection that owns the source, unless it owns the holder, too;
// otherwise the reference itself.
static void
add_source(looking *to, uint32_t source)
{
    const lg__detection *detection = to->detection;
    uint32_t all = lg__detection_collection(detection, source);
    bool around = all != LG_NONE && to->match->holder != LG_NONE &&
                  (all == to->match->holder ||
                   lg__detection_owns(detection, all, to->match->holder));
    if (all != LG_NONE && !around)
        add(to, all, LG_NONE);
    else
        add(to, to->node, lg__seen_node(detection->walk.fold, source));
}

static void
look_at_referrers(looking *to)
{
    lg__detection *detection = to->detection;
    const lg_columns *columns = &detection->graph->columns;
    const lg__reverse *reverse = &detection->walk.reverse;
    uint64_t end = lg__first_in(reverse, to->node + 1);
    for (uint64_t i = lg__first_in(reverse, to->node); i < end; i++) {
        uint32_t source = lg__in_source(reverse, i);
        uint64_t edge = lg__in_number(reverse, i);
        if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
            to->spared[source] &&
            lg_node_is_reachable(detection->analysis, source) &&
            !is_of_match(to, source))
            add_source(to, source);
    }
    if (detection->analysis->policy.mark[to->node] & LG__MARK_ENTRY)
        add(to, to->node, LG_NONE);
}

// Looks at the nodes, apart from the holder itself: the fix drops it, or is
// made wherever that tensor is.
static void
look_at_all(looking *to, const lg__gathered *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        to->node = to->goes = nodes->items[i];
        if (to->node != to->match->holder)
            look_at_referrers(to);
    }
}

// Sets the bits of what a match keeps, and of its holder.
static void
match_mark(const lg__match *match, uint8_t *bits)
{
    if (match->holder != LG_NONE)
        bits[match->holder] |= LG__HOLDS;
    for (size_t i = 0; i < match->kept.count; i++) {
        uint8_t *bit = &bits[match->kept.items[i]];
        *bit |= *bit & LG__KEPT ? LG__KEPT_AGAIN : LG__KEPT;
    }
    for (size_t i = 0; i < match->stores.count; i++)
        bits[match->stores.items[i]] |= LG__STORES;
    // All holders may lead to what goes along.
    for (size_t i = 0; i < match->along.count; i++)
        bits[match->along.items[i]] |= LG__KEPT_AGAIN;
}

// Appends what else keeps nodes of the match, an item for each node. `bits` and
// `spared`, which lg__set_spared finds, are of all matches that are weighed
// together. Sets detection->failed if memory runs out. O(references to the
// nodes).
static void
match_others(lg__detection *detection, const lg__match *match,
             const uint8_t *bits, const uint8_t *spared, lg__vector *out)
{
    looking to = {.detection = detection,
                  .match = match,
                  .bits = bits,
                  .spared = spared,
                  .out = out};
    if (lg__detectors[match->pattern]->effect != LG__FIX_ALL) {
        look_at_all(&to, &match->kept);
        look_at_all(&to, &match->along);
    }
}

static int
by_holder(const void *left, const void *right)
{
    const lg__other_holder *a = left;
    const lg__other_holder *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->kept < b->kept ? -1 : a->kept > b->kept;
}

// Sorts by holder, and drops repetitions.
static void
others_sort(lg__vector *others)
{
    lg__other_holder *items = others->data;
    size_t kept = 0;
    if (others->count > 0)
        qsort(items, others->count, sizeof *items, by_holder);
    for (size_t i = 0; i < others->count; i++)
        if (kept == 0 || by_holder(&items[kept - 1], &items[i]) != 0)
            items[kept++] = items[i];
    others->count = kept;
}

// Tells matches apart of which one keeps the holder of another.
//
// A loss in a list that a cached object keeps is two mistakes, the list and the
// cache, and either fix frees the loss. So such matches are weighed without
// each other.

// Counts the kept things that own a node or are the node, LG__LEVELS - 1 at
// most. Uses the known counts of its dominators. `known` is [node], 1 + the
// count. The way up stops at the first node whose count is known, and then each
// node on the way gets its own. So over all calls each node is passed twice at
// most.
static unsigned
count_owners(const lg__detection *detection, const uint8_t *is_kept,
             uint32_t node, uint8_t *known)
{
    unsigned count = 0;
    uint32_t top = node;
    while (top != LG_NONE && known[top] == 0) {
        count += is_kept[top];
        top = lg_node_dominator(detection->analysis, top);
    }
    count += top == LG_NONE ? 0 : known[top] - 1u;
    unsigned left = count;
    for (uint32_t at = node; at != top;
         at = lg_node_dominator(detection->analysis, at)) {
        known[at] =
            (uint8_t)(1 + (left < LG__LEVELS - 1 ? left : LG__LEVELS - 1));
        left -= is_kept[at];
    }
    return count < LG__LEVELS - 1 ? count : LG__LEVELS - 1;
}

static bool
keeps(const lg__match *match, uint32_t node)
{
    for (size_t i = 0; i < match->kept.count; i++)
        if (match->kept.items[i] == node)
            return true;
    return false;
}

// Finds the level of each match, below LG__LEVELS; level[match] is 0 on entry.
// Returns false when memory ran out. O(nodes).
static bool
match_levels(const lg__detection *detection, uint8_t *level)
{
    size_t nodes = (size_t)detection->graph->columns.node_count + 1;
    uint8_t *known = lg__calloc(nodes, 1);
    uint8_t *is_kept = lg__calloc(nodes, 1);
    for (size_t i = 0; i < detection->match_count && is_kept != NULL; i++)
        for (size_t j = 0; j < detection->matches[i].kept.count; j++)
            is_kept[detection->matches[i].kept.items[j]] = 1;
    for (size_t i = 0; i < detection->match_count && known && is_kept; i++) {
        uint32_t holder = detection->matches[i].holder;
        if (holder != LG_NONE && is_kept[holder] &&
            keeps(&detection->matches[i], holder))
            holder = lg_node_dominator(detection->analysis, holder);
        if (holder != LG_NONE)
            level[i] = (uint8_t)count_owners(detection, is_kept, holder, known);
    }
    bool enough = known != NULL && is_kept != NULL;
    lg__free(known);
    lg__free(is_kept);
    return enough;
}

typedef struct weighing {
    lg__detection *detection;
    const uint8_t *marked; // or NULL
    const lg_monitor *monitor;
    size_t devices;    // number of devices, and the host
    uint8_t *level;    // [match]
    uint8_t *bits;     // [node] of the current level
    lg__vector others; // lg__other_holder, of the current level
    lg__gathered nodes;
    uint32_t matches; // sets that are matches; the rest are other holders
    uint32_t set_count;
    size_t sets_most;
    uint32_t *match; // [set] its match; for others, the index of its last node
    size_t *first;   // [set + 1] index of its first node
    uint32_t *next;  // [set] 1 + the next set of the same joint
    uint32_t *tally; // [type] zeros
    lg_findings *out;
    uint64_t *bytes;         // the next free numbers
    const uint64_t *nothing; // a row of zeros
} weighing;

static bool
concerns(const lg__match *match, const uint8_t *marked)
{
    if (match->holder != LG_NONE && marked[match->holder])
        return true;
    for (size_t i = 0; i < match->kept.count; i++)
        if (marked[match->kept.items[i]])
            return true;
    return false;
}

static uint64_t
add_up(const weighing *to, uint64_t *bytes, const uint64_t *more)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < to->devices; i++) {
        bytes[i] += more != NULL ? more[i] : 0;
        sum += bytes[i];
    }
    return sum;
}

// Returns the first kept node of the commonest type.
static uint32_t
find_example(const weighing *to, const lg__match *match)
{
    const lg_columns *columns = &to->detection->graph->columns;
    uint32_t example = LG_NONE;
    uint32_t most = 0;
    for (size_t i = 0; i < match->kept.count; i++)
        to->tally[lg_columns_type(columns, match->kept.items[i])]++;
    for (size_t i = 0; i < match->kept.count; i++) {
        uint32_t *count =
            &to->tally[lg_columns_type(columns, match->kept.items[i])];
        if (*count > most) {
            most = *count;
            example = match->kept.items[i];
        }
        *count = 0;
    }
    return example;
}

static void
add_holder(weighing *to, const lg__match *match, const uint64_t *alone)
{
    lg_holder *holder = &to->out->holders[to->out->holder_count++];
    *holder = (lg_holder){
        .pattern = &lg__detectors[match->pattern]->pattern,
        .node = match->holder,
        .example = find_example(to, match),
        .count = match->kept.count + match->unseen,
        .retained = to->bytes,
        .source = LG_NONE,
    };
    add_up(to, to->bytes, alone);
    holder->total = add_up(to, to->bytes, match->unseen_bytes);
    to->bytes += to->devices;
}

// Adds a holder that makes no known mistake. It frees nothing alone.
static void
add_other(weighing *to, uint32_t set)
{
    const lg__other_holder *other = to->others.data;
    other += to->match[set];
    to->out->holders[to->out->holder_count++] = (lg_holder){
        .pattern = &other_pattern,
        .node = other->node,
        .example = other->example,
        .count = to->first[set + 1] - to->first[set],
        .retained = to->nothing,
        .source = other->source,
    };
}

static uint64_t
count_new(lg__detection *detection, const lg__match *match)
{
    uint64_t count = match->unseen;
    for (size_t i = 0; i < match->kept.count; i++) {
        uint32_t node = match->kept.items[i];
        count += detection->seen[node] != detection->searches;
        detection->seen[node] = detection->searches;
    }
    return count;
}

// Counts what the joint keeps of the example's type, and notes whether some of
// that differ from the example.
static void
count_of_type(const weighing *to, uint32_t set, uint32_t example,
              lg_finding *found)
{
    lg__detection *detection = to->detection;
    const lg_graph *graph = detection->graph;
    const lg_columns *columns = &graph->columns;
    detection->searches++;
    for (uint32_t at = set + 1; at != 0 && at <= to->matches;
         at = to->next[at - 1]) {
        const lg__gathered *kept = &detection->matches[to->match[at - 1]].kept;
        for (size_t i = 0; i < kept->count; i++) {
            uint32_t node = kept->items[i];
            bool counts = detection->seen[node] != detection->searches &&
                          example != LG_NONE &&
                          lg_columns_type(columns, node) ==
                              lg_columns_type(columns, example);
            detection->seen[node] = detection->searches;
            found->of_type += counts;
            found->varied =
                found->varied ||
                (counts && lg__examples_differ(graph, example, node));
        }
    }
}

static int
most_first(const void *left, const void *right)
{
    const lg_holder *a = left;
    const lg_holder *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    if (a->pattern != b->pattern)
        return a->pattern < b->pattern ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// Adds the holders of a joint that make no mistake, which are its last sets.
static void
add_others(weighing *to, uint32_t set, lg_finding *found)
{
    for (uint32_t at = set; at != 0; at = to->next[at - 1])
        if (found->others++ < LG_OTHERS_LISTED)
            add_other(to, at - 1);
}

// Adds the finding of the joint that begins with that set, if anybody asks.
static void
add_finding(weighing *to, const lg__joint_sets *joint, uint32_t set)
{
    lg_findings *out = to->out;
    lg_holder *holders = &out->holders[out->holder_count];
    size_t before = out->holder_count;
    lg_finding found = {.holders = holders,
                        .retained = to->bytes,
                        .freed = to->bytes + to->devices};
    bool concerned = to->marked == NULL;
    uint64_t *together = to->bytes;
    uint64_t *freed = together + to->devices;
    uint32_t at = set + 1;
    to->bytes += 2 * to->devices;
    add_up(to, together, joint->together + set * to->devices);
    add_up(to, freed, joint->freed + set * to->devices);
    to->detection->searches++;
    for (; at != 0 && at <= to->matches; at = to->next[at - 1]) {
        const lg__match *match = &to->detection->matches[to->match[at - 1]];
        concerned = concerned || concerns(match, to->marked);
        found.total = add_up(to, together, match->unseen_bytes);
        found.freed_total = add_up(to, freed, match->unseen_bytes);
        found.count += count_new(to->detection, match);
        add_holder(to, match, joint->alone + (at - 1) * to->devices);
    }
    if (!concerned) {
        memset(together, 0, (size_t)(to->bytes - together) * sizeof *together);
        to->bytes = together;
        out->holder_count = before;
        return;
    }
    qsort(holders, out->holder_count - before, sizeof *holders, most_first);
    add_others(to, at, &found);
    found.holder_count = out->holder_count - before;
    found.pattern = holders->pattern;
    count_of_type(to, set, holders->example, &found);
    out->items[out->count++] = found;
}

// Links the sets of each joint finding into a list that begins with its first
// set.
static void
link_joints(weighing *to, const lg__joint_sets *joint, uint32_t count)
{
    for (uint32_t set = 0; set < count; set++)
        to->next[set] = 0;
    for (uint32_t set = count; set-- > 0;) {
        uint32_t first = joint->joint[set];
        if (first == set)
            continue;
        to->next[set] = to->next[first];
        to->next[first] = set + 1;
    }
}

static bool
keeps_tensors(const weighing *to, uint32_t set)
{
    uint32_t pattern = to->detection->matches[to->match[set]].pattern;
    return lg__detectors[pattern]->effect == LG__FIX_GRAPHS;
}

// Returns whether mending one of the mistakes of a joint keeps its tensors.
static bool
frees_graphs(const weighing *to, uint32_t first)
{
    for (uint32_t at = first + 1; at != 0 && at <= to->matches;
         at = to->next[at - 1])
        if (keeps_tensors(to, at - 1))
            return true;
    return false;
}

// Numbers what mending a mistake lets go of: the graphs of tensors that it
// keeps, or else the set itself, without what others hold.
static void
label_set(const weighing *to, uint32_t set, uint32_t number, uint32_t *label)
{
    lg__detection *detection = to->detection;
    for (size_t i = to->first[set]; i < to->first[set + 1]; i++) {
        uint32_t node = to->nodes.items[i];
        if (detection->seen[node] == detection->searches)
            continue;
        uint32_t graph =
            keeps_tensors(to, set) ? lg__grad_fn(detection, node) : LG_NONE;
        label[graph != LG_NONE ? graph : node] = number;
    }
}

static void
label_joints(weighing *to, const lg__joint_sets *joint, uint32_t *label)
{
    lg__detection *detection = to->detection;
    detection->searches++;
    for (size_t i = to->first[to->matches]; i < to->nodes.count; i++)
        detection->seen[to->nodes.items[i]] = detection->searches;
    for (uint32_t set = 0; set < to->matches; set++)
        if (frees_graphs(to, joint->joint[set]))
            label_set(to, set, joint->joint[set] + 1, label);
}

// Computes what mending frees where it keeps the tensors: less than what goes
// when the holders let go of them.
static lg_status
weigh_graphs(weighing *to, const lg__joint_sets *joint, lg_error *err)
{
    uint32_t first = 0;
    while (first < to->matches && !frees_graphs(to, first))
        first++;
    if (first == to->matches)
        return LG_OK;
    size_t nodes = to->detection->graph->columns.node_count;
    uint32_t *label = lg__calloc(nodes + 1, sizeof *label);
    uint64_t *bytes =
        lg__calloc(((size_t)to->matches + 1) * to->devices, sizeof *bytes);
    lg_status status =
        label != NULL && bytes != NULL ? LG_OK : lg__error_memory(err);
    if (status == LG_OK) {
        label_joints(to, joint, label);
        status = lg__sets_retained(to->detection->analysis, label, to->matches,
                                   to->monitor, bytes, err);
    }
    for (uint32_t set = first; set < to->matches && status == LG_OK; set++)
        if (joint->joint[set] == set && frees_graphs(to, set))
            memcpy(joint->freed + set * to->devices,
                   bytes + (set + (size_t)1) * to->devices,
                   to->devices * sizeof *bytes);
    lg__free(label);
    lg__free(bytes);
    return status;
}

// Ends the set of the nodes that were gathered last.
static bool
end_set(weighing *to, uint32_t match)
{
    const lg__row_array arrays[] = {
        {&to->match, sizeof *to->match, 0},
        {&to->next, sizeof *to->next, 0},
        {&to->first, sizeof *to->first, sizeof *to->first},
    };
    if (!lg__rows_room(arrays, 3, to->set_count, &to->sets_most))
        return false;
    to->match[to->set_count++] = match;
    to->first[0] = 0;
    to->first[to->set_count] = to->nodes.count;
    return true;
}

// Gathers the sets of the level's matches.
static lg_status
gather_matches(weighing *to, unsigned level, lg_error *err)
{
    lg__detection *detection = to->detection;
    to->nodes.count = to->set_count = 0;
    for (size_t i = 0; i < detection->match_count; i++) {
        if (to->level[i] != level)
            continue;
        if (!match_gather(detection, &detection->matches[i], &to->nodes) ||
            !end_set(to, (uint32_t)i))
            return lg__error_memory(err);
    }
    return LG_OK;
}

// Finds what else keeps what the level's matches keep.
static bool
find_others(weighing *to, const uint8_t *spared)
{
    lg__detection *detection = to->detection;
    to->others.count = 0;
    memset(to->bits, 0, detection->graph->columns.node_count);
    for (uint32_t set = 0; set < to->set_count; set++)
        match_mark(&detection->matches[to->match[set]], to->bits);
    for (uint32_t set = 0; set < to->set_count; set++)
        match_others(detection, &detection->matches[to->match[set]], to->bits,
                     spared, &to->others);
    others_sort(&to->others);
    return !detection->failed;
}

// Adds a set for each other holder.
static bool
gather_others(weighing *to)
{
    const lg__other_holder *items = to->others.data;
    bool enough = true;
    for (size_t i = 0; i < to->others.count && enough; i++) {
        bool is_last = i + 1 == to->others.count ||
                       items[i + 1].node != items[i].node ||
                       items[i + 1].source != items[i].source;
        enough = lg__gather_append(&to->nodes, items[i].kept) &&
                 (!is_last || end_set(to, (uint32_t)i));
    }
    return enough;
}

static lg_status
weigh_level(weighing *to, unsigned level, lg_error *err)
{
    lg__joint_sets joint;
    uint8_t *spared = NULL;
    lg_status status = gather_matches(to, level, err);
    uint32_t matches = to->set_count;
    if (status != LG_OK || matches == 0)
        return status;
    status = lg__set_spared(to->detection->analysis, to->nodes.items,
                            to->nodes.count, NULL, to->monitor, &spared, err);
    if (status == LG_OK && !(find_others(to, spared) && gather_others(to)))
        status = lg__error_memory(err);
    lg__node_sets sets = {.nodes = to->nodes.items,
                          .first = to->first,
                          .count = to->set_count,
                          .others = to->set_count - matches};
    if (status == LG_OK)
        status =
            lg__sets_join(to->detection->analysis, &sets, spared, &joint, err);
    lg__free(spared);
    if (status != LG_OK)
        return status;
    to->matches = matches;
    link_joints(to, &joint, sets.count);
    status = weigh_graphs(to, &joint, err);
    for (uint32_t set = 0; set < matches && status == LG_OK; set++)
        if (joint.joint[set] == set)
            add_finding(to, &joint, set);
    lg__joint_sets_free(&joint);
    return status;
}

static int
biggest_first(const void *left, const void *right)
{
    const lg_finding *a = left;
    const lg_finding *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    if (a->pattern != b->pattern)
        return a->pattern < b->pattern ? -1 : 1;
    return a->holders->node < b->holders->node
               ? -1
               : a->holders->node > b->holders->node;
}

lg_status
lg__matches_weigh(lg__detection *detection, const uint8_t *marked,
                  const lg_monitor *monitor, lg_findings *out, lg_error *err)
{
    size_t most = detection->match_count + 1;
    weighing to = {
        .detection = detection,
        .marked = marked,
        .monitor = monitor,
        .devices = (size_t)detection->graph->device_count + 1,
        .level = lg__calloc(most, sizeof *to.level),
        .bits = lg__calloc(detection->graph->columns.node_count + (size_t)1, 1),
        .others = {.element = sizeof(lg__other_holder)},
        .tally = lg__calloc((size_t)detection->graph->type_count + 1,
                            sizeof *to.tally),
        .out = out,
        .nothing = out->bytes,
    };
    lg_allocator allocator = lg_allocator_default();
    to.bytes = out->bytes + to.devices;
    lg_status status =
        to.level && to.bits && to.tally && match_levels(detection, to.level)
            ? LG_OK
            : lg__error_memory(err);
    for (unsigned level = 0; level < LG__LEVELS && status == LG_OK; level++)
        status = weigh_level(&to, level, err);
    if (status == LG_OK)
        qsort(out->items, out->count, sizeof *out->items, biggest_first);
    lg__vector_free(&allocator, &to.others);
    lg__free(to.level);
    lg__free(to.bits);
    lg__free(to.match);
    lg__free(to.nodes.items);
    lg__free(to.first);
    lg__free(to.next);
    lg__free(to.tally);
    return status;
}
