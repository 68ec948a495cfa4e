// Computes what sets of nodes keep alive, and which sets share what they keep.
#include "analysis/joint_sets.h"

#include <leakgraph/analysis.h>

#include <stdlib.h>

enum {
    A_PART = 8, // sets are joint if they share at least one part in so many of
                // what one of them keeps alone
    A_PART_OF_ALL = 20, // others join a set if they share at least one part in
                        // so many of all that it keeps
};

// What these sets of a cluster keep, and no other set does.
typedef struct share {
    uint64_t sets; // bits of members
    uint64_t bytes;
    uint32_t cluster;
} share;

static uint32_t
cluster_at(const lg__joining *to, uint32_t node)
{
    return to->cluster[to->met[node] - 1];
}

// Returns the only set that reaches the node; LG_NONE: several do.
static uint32_t
only_set(const lg__joining *to, uint32_t node)
{
    uint32_t cluster = cluster_at(to, node);
    uint64_t sets = to->reached[node];
    unsigned bit = 0;
    if (to->size[cluster] == 1)
        return cluster;
    if ((sets & (sets - 1)) != 0)
        return LG_NONE;
    while (sets >> bit > 1)
        bit++;
    return bit < LG__BITS - 1 || to->size[cluster] == LG__BITS
               ? to->members[to->first[cluster] + bit]
               : LG_NONE;
}

static uint64_t *
row_of(const lg__joining *to, uint64_t *rows, uint32_t set)
{
    return rows + set * ((size_t)to->analysis->graph->device_count + 1);
}

static uint64_t
sum_of(const lg__joining *to, uint64_t *rows, uint32_t set)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= to->analysis->graph->device_count; i++)
        sum += row_of(to, rows, set)[i];
    return sum;
}

static void
note_share(lg__joining *to, uint32_t node)
{
    lg_allocator allocator = lg_allocator_default();
    share *items = to->shares.data;
    share *last = to->shares.count > 0 ? &items[to->shares.count - 1] : NULL;
    uint64_t bytes = lg_node_size(to->analysis->graph, node);
    if (last != NULL && last->cluster == cluster_at(to, node) &&
        last->sets == to->reached[node]) {
        last->bytes += bytes;
        return;
    }
    last = lg__vector_extend(&allocator, &to->shares, 1);
    if (last != NULL)
        *last = (share){to->reached[node], bytes, cluster_at(to, node)};
    to->failed |= last == NULL;
}

static void
measure(lg__joining *to)
{
    const lg_graph *graph = to->analysis->graph;
    for (uint32_t node = 0; node < graph->columns.node_count && !to->failed;
         node++) {
        uint32_t only = to->met[node] == 0 ? LG_NONE : only_set(to, node);
        if (only != LG_NONE)
            row_of(to, to->out->alone, only)[lg_node_device(graph, node)] +=
                lg_node_size(graph, node);
        else if (to->met[node] != 0)
            note_share(to, node);
    }
}

static int
by_sets(const void *left, const void *right)
{
    const share *a = left;
    const share *b = right;
    if (a->cluster != b->cluster)
        return a->cluster < b->cluster ? -1 : 1;
    return (a->sets > b->sets) - (a->sets < b->sets);
}

static bool
is_other(const lg__joining *to, uint32_t set)
{
    return set >= to->sets->count - to->sets->others;
}

// Returns whether the i-th set of the cluster shares the bytes.
static bool
has_part(const share *shared, uint32_t i)
{
    return (shared->sets >> lg__joining_bit(i) & 1) != 0;
}

// Joins sets by what they share. That matters to them if one of them frees
// little more alone.
static void
join(lg__joining *to, const share *shared)
{
    const uint32_t *members = to->members + to->first[shared->cluster];
    uint64_t least = UINT64_MAX;
    uint32_t one = LG_NONE;
    for (uint32_t i = 0; i < to->size[shared->cluster]; i++) {
        if (!has_part(shared, i) || is_other(to, members[i]))
            continue;
        uint64_t alone = sum_of(to, to->out->alone, members[i]);
        least = alone < least ? alone : least;
        one = one == LG_NONE ? members[i] : one;
    }
    if (one == LG_NONE || shared->bytes < least / A_PART)
        return;
    for (uint32_t i = 0; i < to->size[shared->cluster]; i++)
        if (has_part(shared, i) && !is_other(to, members[i]))
            lg__tree_unite(to->out->joint, one, members[i]);
}

typedef void part_visit(lg__joining *to, const share *shared, uint32_t set);

// Calls `visit` for each set that shares the bytes, if others share them, too.
static void
each_beside_others(lg__joining *to, const share *shared, part_visit *visit)
{
    const uint32_t *members = to->members + to->first[shared->cluster];
    uint32_t size = to->size[shared->cluster];
    bool any = false;
    for (uint32_t i = 0; i < size; i++)
        any = any || (has_part(shared, i) && is_other(to, members[i]));
    for (uint32_t i = 0; i < size && any; i++)
        if (has_part(shared, i) && !is_other(to, members[i]))
            visit(to, shared, members[i]);
}

static void
add_rest(lg__joining *to, const share *shared, uint32_t set)
{
    to->rest[set] += shared->bytes;
}

// Joins the others that share the bytes to a set, if others share much of what
// it keeps.
static void
join_others(lg__joining *to, const share *shared, uint32_t set)
{
    const uint32_t *members = to->members + to->first[shared->cluster];
    uint64_t all = sum_of(to, to->out->alone, set) + to->rest[set];
    if (to->rest[set] < all / A_PART_OF_ALL)
        return;
    for (uint32_t i = 0; i < to->size[shared->cluster]; i++)
        if (has_part(shared, i) && is_other(to, members[i]))
            lg__tree_unite(to->out->joint, set, members[i]);
}

static void
join_all(lg__joining *to)
{
    share *items = to->shares.data;
    size_t kept = 0;
    uint32_t *joint = to->out->joint;
    for (uint32_t set = 0; set < to->sets->count; set++)
        joint[set] = set;
    if (to->shares.count > 0)
        qsort(items, to->shares.count, sizeof *items, by_sets);
    for (size_t i = 0; i < to->shares.count; i++)
        if (kept > 0 && by_sets(&items[kept - 1], &items[i]) == 0)
            items[kept - 1].bytes += items[i].bytes;
        else
            items[kept++] = items[i];
    for (size_t i = 0; i < kept; i++)
        join(to, &items[i]);
    for (size_t i = 0; i < kept; i++)
        each_beside_others(to, &items[i], add_rest);
    for (size_t i = 0; i < kept; i++)
        each_beside_others(to, &items[i], join_others);
    for (uint32_t set = 0; set < to->sets->count; set++)
        joint[set] = lg__tree_find(joint, set);
}

// Returns the joint of all sets that reach the node; LG_NONE: they differ.
static uint32_t
joint_at(const lg__joining *to, uint32_t node)
{
    uint32_t cluster = cluster_at(to, node);
    uint32_t found = LG_NONE;
    if (to->size[cluster] == 1)
        return cluster;
    for (uint32_t i = 0; i < to->size[cluster]; i++) {
        uint32_t joint = to->out->joint[to->members[to->first[cluster] + i]];
        if (!(to->reached[node] >> lg__joining_bit(i) & 1))
            continue;
        if (found != LG_NONE && joint != found)
            return LG_NONE;
        found = joint;
    }
    return found;
}

// Returns whether one of the others reaches the node.
static bool
has_others(const lg__joining *to, uint32_t node)
{
    uint32_t cluster = cluster_at(to, node);
    const uint32_t *members = to->members + to->first[cluster];
    uint32_t size = to->size[cluster];
    bool found = size == 1 && is_other(to, cluster);
    for (uint32_t i = size; i-- > 1 && is_other(to, members[i]) && !found;)
        found = (to->reached[node] >> lg__joining_bit(i) & 1) != 0;
    return found;
}

static void
measure_together(lg__joining *to)
{
    const lg_graph *graph = to->analysis->graph;
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint32_t joint = to->met[node] == 0 ? LG_NONE : joint_at(to, node);
        if (joint == LG_NONE)
            continue;
        uint32_t device = lg_node_device(graph, node);
        uint64_t size = lg_node_size(graph, node);
        row_of(to, to->out->together, joint)[device] += size;
        if (!has_others(to, node))
            row_of(to, to->out->freed, joint)[device] += size;
    }
}

// --------------------------------------------------------------------- all ---

void
lg__joint_sets_free(lg__joint_sets *joint)
{
    lg__wide_free(joint->joint);
    lg__wide_free(joint->alone);
    lg__wide_free(joint->together);
    lg__wide_free(joint->freed);
    *joint = (lg__joint_sets){0};
}

static bool
prepare(lg__joining *to)
{
    size_t nodes = (size_t)to->analysis->graph->columns.node_count + 1;
    size_t count = (size_t)to->sets->count + 1;
    size_t devices = (size_t)to->analysis->graph->device_count + 1;
    to->shares.element = sizeof(share);
    to->met = lg__wide_calloc(nodes, sizeof *to->met);
    to->cluster = lg__wide_calloc(count, sizeof *to->cluster);
    to->size = lg__wide_calloc(count, sizeof *to->size);
    to->member = lg__wide_calloc(count, sizeof *to->member);
    to->members = lg__wide_calloc(count, sizeof *to->members);
    to->first = lg__wide_calloc(count, sizeof *to->first);
    to->out->joint = lg__wide_calloc(count, sizeof *to->out->joint);
    to->out->alone = lg__wide_calloc(count * devices, sizeof *to->out->alone);
    to->rest = lg__wide_calloc(count, sizeof *to->rest);
    to->out->together =
        lg__wide_calloc(count * devices, sizeof *to->out->together);
    to->out->freed = lg__wide_calloc(count * devices, sizeof *to->out->freed);
    return to->met && to->cluster && to->size && to->member && to->members &&
           to->first && to->rest && to->out->joint && to->out->alone &&
           to->out->together && to->out->freed;
}

static void
dismiss(lg__joining *to)
{
    lg_allocator allocator = lg_allocator_default();
    lg__vector_free(&allocator, &to->shares);
    lg__wide_free(to->met);
    lg__wide_free(to->reached);
    lg__wide_free(to->stack.items);
    lg__wide_free(to->cluster);
    lg__wide_free(to->size);
    lg__wide_free(to->member);
    lg__wide_free(to->members);
    lg__wide_free(to->first);
    lg__wide_free(to->rest);
}

static bool
run(lg__joining *to)
{
    lg__joining_cluster(to);
    to->reached =
        lg__wide_calloc((size_t)to->analysis->graph->columns.node_count + 1,
                        sizeof *to->reached);
    if (to->reached == NULL || to->failed)
        return false;
    lg__joining_reach(to);
    measure(to);
    join_all(to);
    measure_together(to);
    return !to->failed;
}

lg_status
lg__sets_join(const lg_analysis *analysis, const lg__node_sets *sets,
              const uint8_t *spared, lg__joint_sets *out, lg_error *err)
{
    lg__joint_sets made = {0};
    lg__joining to = {
        .analysis = analysis, .sets = sets, .closed = spared, .out = &made};
    lg_status status = prepare(&to) && run(&to) ? LG_OK : lg__error_memory(err);
    dismiss(&to);
    if (status == LG_OK)
        *out = made;
    else
        lg__joint_sets_free(&made);
    return status;
}
