// Computes what matches keep, and which of them share it.
#include "findings/context.h"

#include <stdlib.h>
#include <string.h>

// A loss in a list that a cached object keeps is two mistakes, the list and the
// cache, and either fix frees the loss. So such matches are weighed without
// each other: by level, which is how many kept things own their holder.
enum { LEVELS = 4 };

typedef struct weighing {
    lg__detection *detection;
    const uint8_t *marked; // or NULL
    const lg_monitor *monitor;
    size_t devices;  // number of devices, and the host
    uint8_t *level;  // [match]
    uint32_t *match; // [set] match at the current level
    lg__gathered nodes;
    size_t *first;   // [set + 1] index of its first node
    uint32_t *next;  // [set] 1 + the next set of the same joint
    uint32_t *tally; // [type] zeros
    lg_findings *out;
    uint64_t *bytes; // the next free numbers
} weighing;

// ------------------------------------------------------------------ levels ---

// Counts the kept things that own a node or are the node, LEVELS - 1 at most.
// Uses the known counts of its dominators. `known` is [node], 1 + the count.
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
        known[at] = (uint8_t)(1 + (left < LEVELS - 1 ? left : LEVELS - 1));
        left -= is_kept[at];
    }
    return count < LEVELS - 1 ? count : LEVELS - 1;
}

static bool
keeps(const lg__match *match, uint32_t node)
{
    for (size_t i = 0; i < match->kept.count; i++)
        if (match->kept.items[i] == node)
            return true;
    return false;
}

static bool
find_levels(weighing *to)
{
    lg__detection *detection = to->detection;
    size_t nodes = (size_t)detection->graph->columns.node_count + 1;
    uint8_t *known = calloc(nodes, 1);
    uint8_t *is_kept = calloc(nodes, 1);
    for (size_t i = 0; i < detection->match_count && is_kept != NULL; i++)
        for (size_t j = 0; j < detection->matches[i].kept.count; j++)
            is_kept[detection->matches[i].kept.items[j]] = 1;
    for (size_t i = 0; i < detection->match_count && known && is_kept; i++) {
        uint32_t holder = detection->matches[i].holder;
        if (holder != LG_NONE && is_kept[holder] &&
            keeps(&detection->matches[i], holder))
            holder = lg_node_dominator(detection->analysis, holder);
        if (holder != LG_NONE)
            to->level[i] =
                (uint8_t)count_owners(detection, is_kept, holder, known);
    }
    bool enough = known != NULL && is_kept != NULL;
    free(known);
    free(is_kept);
    return enough;
}

// ------------------------------------------------------------------ joints ---

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
    const uint32_t *types = to->detection->graph->columns.type;
    uint32_t example = LG_NONE;
    uint32_t most = 0;
    for (size_t i = 0; i < match->kept.count; i++)
        to->tally[types[match->kept.items[i]]]++;
    for (size_t i = 0; i < match->kept.count; i++) {
        uint32_t *count = &to->tally[types[match->kept.items[i]]];
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
        .pattern = &lg__detectors[match->pattern].pattern,
        .node = match->holder,
        .example = find_example(to, match),
        .count = match->kept.count + match->unseen,
        .retained = to->bytes,
        .path = {.root = {.node = LG_NONE, .kind = LG_ROOT_NONE}},
    };
    add_up(to, to->bytes, alone);
    holder->total = add_up(to, to->bytes, match->unseen_bytes);
    to->bytes += to->devices;
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

// Counts what the joint keeps of the example's type.
static uint64_t
count_of_type(const weighing *to, uint32_t set, uint32_t example)
{
    lg__detection *detection = to->detection;
    const uint32_t *types = detection->graph->columns.type;
    uint64_t count = 0;
    detection->searches++;
    for (uint32_t at = set + 1; at != 0; at = to->next[at - 1]) {
        const lg__gathered *kept = &detection->matches[to->match[at - 1]].kept;
        for (size_t i = 0; i < kept->count; i++) {
            uint32_t node = kept->items[i];
            count += detection->seen[node] != detection->searches &&
                     example != LG_NONE && types[node] == types[example];
            detection->seen[node] = detection->searches;
        }
    }
    return count;
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

// Adds the finding of the joint that begins with that set, if it matters.
static void
add_finding(weighing *to, const lg__joint_sets *joint, uint32_t set)
{
    lg_findings *out = to->out;
    lg_holder *holders = &out->holders[out->holder_count];
    size_t before = out->holder_count;
    lg_finding found = {.holders = holders, .retained = to->bytes};
    uint64_t least = UINT64_MAX;
    bool concerned = to->marked == NULL;
    uint64_t *together = to->bytes;
    to->bytes += to->devices;
    add_up(to, together, joint->together + set * to->devices);
    to->detection->searches++;
    for (uint32_t at = set + 1; at != 0; at = to->next[at - 1]) {
        const lg__match *match = &to->detection->matches[to->match[at - 1]];
        uint64_t own = lg__detectors[match->pattern].least;
        least = own < least ? own : least;
        concerned = concerned || concerns(match, to->marked);
        found.total = add_up(to, together, match->unseen_bytes);
        found.count += count_new(to->detection, match);
        add_holder(to, match, joint->alone + (at - 1) * to->devices);
    }
    if (!concerned || found.total < least) {
        memset(together, 0, (size_t)(to->bytes - together) * sizeof *together);
        to->bytes = together;
        out->holder_count = before;
        return;
    }
    found.holder_count = out->holder_count - before;
    qsort(holders, found.holder_count, sizeof *holders, most_first);
    found.pattern = holders->pattern;
    found.of_type = count_of_type(to, set, holders->example);
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

// Returns whether the fix keeps the tensors and frees only their graphs.
static bool
keeps_values(const lg__match *match)
{
    void (*look)(lg__detection *) = lg__detectors[match->pattern].look;
    return look == lg__look_for_activations ||
           look == lg__look_for_output_histories ||
           look == lg__look_for_carried_states;
}

// Gathers what goes with the fix.
static bool
gather(weighing *to, const lg__match *match)
{
    bool enough = lg__gather_all(&to->nodes, &match->along);
    if (!keeps_values(match))
        return enough && lg__gather_all(&to->nodes, &match->kept);
    for (size_t i = 0; i < match->kept.count && enough; i++)
        enough = lg__gather_append(
            &to->nodes, lg__grad_fn(to->detection, match->kept.items[i]));
    return enough;
}

static lg_status
weigh_level(weighing *to, unsigned level, lg_error *err)
{
    lg__detection *detection = to->detection;
    lg__joint_sets joint;
    lg__node_sets sets = {.first = to->first, .count = 0};
    to->nodes.count = 0;
    bool enough = true;
    for (size_t i = 0; i < detection->match_count && enough; i++) {
        if (to->level[i] != level)
            continue;
        enough = gather(to, &detection->matches[i]);
        to->match[sets.count++] = (uint32_t)i;
        to->first[sets.count] = to->nodes.count;
    }
    if (!enough)
        return lg__error_memory(err);
    if (sets.count == 0)
        return LG_OK;
    sets.nodes = to->nodes.items;
    lg_status status =
        lg__sets_join(detection->analysis, &sets, to->monitor, &joint, err);
    if (status != LG_OK)
        return status;
    link_joints(to, &joint, sets.count);
    for (uint32_t set = 0; set < sets.count; set++)
        if (joint.joint[set] == set)
            add_finding(to, &joint, set);
    lg__joint_sets_free(&joint);
    return LG_OK;
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
        .level = calloc(most, sizeof *to.level),
        .match = calloc(most, sizeof *to.match),
        .first = calloc(most + 1, sizeof *to.first),
        .next = calloc(most, sizeof *to.next),
        .tally =
            calloc((size_t)detection->graph->type_count + 1, sizeof *to.tally),
        .out = out,
        .bytes = out->bytes,
    };
    lg_status status = to.level && to.match && to.first && to.next &&
                               to.tally && find_levels(&to)
                           ? LG_OK
                           : lg__error_memory(err);
    for (unsigned level = 0; level < LEVELS && status == LG_OK; level++)
        status = weigh_level(&to, level, err);
    if (status == LG_OK)
        qsort(out->items, out->count, sizeof *out->items, biggest_first);
    free(to.level);
    free(to.match);
    free(to.nodes.items);
    free(to.first);
    free(to.next);
    free(to.tally);
    return status;
}
