// Computes what sets of nodes keep alive, and which sets share what they keep.
//
// Two floods tell which sets reach a node. In the first, a node keeps the set
// that reached it first. A set that comes later goes no further, because the
// other has been everywhere behind it, and the clusters of both become one. So
// sets of different clusters share no node, and a word of bits has to tell
// apart only the members of one cluster. In the second flood, the word of a
// node only grows, and the node waits whenever what it refers to may lack a bit
// of it. In the end, a bit says that the set reaches the node.
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>
#include <stdlib.h>

enum {
    BITS = 64, /**< sets of a cluster that are told apart; the last bit
                      covers all the others */
};

typedef struct joining {
    const lg_analysis *analysis;
    const lg__node_sets *sets;
    lg__joint_sets *out;
    const uint8_t
        *closed;       /**< [node] something other than the sets reaches it */
    uint32_t *met;     /**< [node] 1 + the set that reached it first */
    uint64_t *reached; /**< [node] bits of the sets that reach it */
    lg__gathered stack;
    uint32_t *cluster; /**< [set] its parent in a tree; later the first set of
      its cluster */
    uint32_t *size;    /**< [first set of a cluster] how many sets it has */
    uint32_t *member;  /**< [set] its index in its cluster */
    uint32_t *members; /**< sets, sorted by cluster */
    uint32_t *first;   /**< [first set of a cluster] where its members begin */
    uint64_t *rest;    /**< [set] bytes that others share with it */
    lg__vector shares;
    bool failed;
} joining;

static inline unsigned
joining_bit(uint32_t member)
{
    return member < BITS - 1 ? member : BITS - 1;
}

// Finds which sets reach a common node.

// Returns the root of a set's tree.
static uint32_t
tree_find(uint32_t *parent, uint32_t set)
{
    while (parent[set] != set)
        set = parent[set] = parent[parent[set]];
    return set;
}

// Joins two trees. The lowest set of a tree is its root, and represents it.
static void
tree_unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = tree_find(parent, a);
    b = tree_find(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

static void
push(joining *to, uint32_t node)
{
    to->failed |= !lg__gather_append(&to->stack, node);
}

typedef void arrival(joining *to, uint32_t node, uint64_t what);

static void
spread(joining *to, arrival *arrive)
{
    const lg_columns *columns = &to->analysis->graph->columns;
    while (to->stack.count > 0 && !to->failed) {
        uint32_t node = to->stack.items[--to->stack.count];
        uint64_t what = to->reached != NULL ? to->reached[node] : to->met[node];
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if (lg__policy_edge(to->analysis, edge, node) &&
                !to->closed[lg_columns_target(columns, edge)])
                arrive(to, lg_columns_target(columns, edge), what);
    }
}

// Treats a cycle of garbage as one.
static void
enter(joining *to, arrival *arrive, uint32_t set, uint64_t what)
{
    for (size_t i = to->sets->first[set]; i < to->sets->first[set + 1]; i++) {
        uint32_t node = to->sets->nodes[i];
        uint32_t garbage = lg__garbage_component_of(to->analysis, node);
        arrive(to, node, what);
        if (garbage == LG_NONE)
            continue;
        lg_component component = lg_analysis_component(to->analysis, garbage);
        for (uint32_t j = 0; j < component.count; j++)
            arrive(to, component.nodes[j], what);
    }
}

static void
arrive_first(joining *to, uint32_t node, uint64_t met)
{
    if (to->met[node] == 0) {
        to->met[node] = (uint32_t)met;
        push(to, node);
    } else if (to->met[node] != met) {
        tree_unite(to->cluster, to->met[node] - 1, (uint32_t)met - 1);
    }
}

// Finds the clusters, and the first set that reaches each node. A node is
// pushed when the first set reaches it, and never again. So the flood reads
// each edge once, however many sets there are.
static void
joining_cluster(joining *to)
{
    uint32_t count = to->sets->count;
    for (uint32_t set = 0; set < count; set++)
        to->cluster[set] = set;
    for (uint32_t set = 0; set < count; set++) {
        enter(to, arrive_first, set, set + (uint64_t)1);
        spread(to, arrive_first);
    }
    for (uint32_t set = 0; set < count; set++) {
        to->cluster[set] = tree_find(to->cluster, set);
        to->member[set] = to->size[to->cluster[set]]++;
    }
    for (uint32_t set = 0; set + 1 < count; set++)
        to->first[set + 1] = to->first[set] + to->size[set];
    for (uint32_t set = 0; set < count; set++)
        to->members[to->first[to->cluster[set]] + to->member[set]] = set;
}

static void
arrive_again(joining *to, uint32_t node, uint64_t sets)
{
    if ((to->reached[node] | sets) == to->reached[node])
        return;
    to->reached[node] |= sets;
    push(to, node);
}

// Finds all sets that reach each node. A node waits again when its word has
// grown, at most once for each of the 64 bits.
static void
joining_reach(joining *to)
{
    for (uint32_t set = 0; set < to->sets->count; set++)
        if (to->size[to->cluster[set]] > 1)
            enter(to, arrive_again, set,
                  (uint64_t)1 << joining_bit(to->member[set]));
    spread(to, arrive_again);
}

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
cluster_at(const joining *to, uint32_t node)
{
    return to->cluster[to->met[node] - 1];
}

// Returns the only set that reaches the node; LG_NONE: several do. A single bit
// names a set, except the last one in a cluster of more than 64 sets, which
// stands for several.
static uint32_t
only_set(const joining *to, uint32_t node)
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
    return bit < BITS - 1 || to->size[cluster] == BITS
               ? to->members[to->first[cluster] + bit]
               : LG_NONE;
}

static uint64_t *
row_of(const joining *to, uint64_t *rows, uint32_t set)
{
    return rows + set * ((size_t)to->analysis->graph->device_count + 1);
}

static uint64_t
sum_of(const joining *to, uint64_t *rows, uint32_t set)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= to->analysis->graph->device_count; i++)
        sum += row_of(to, rows, set)[i];
    return sum;
}

// Adds to the last share if the node before had the same sets, because
// neighbours in the numbering often do. join_all sorts the shares and adds up
// those of the same sets.
static void
note_share(joining *to, uint32_t node)
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
measure(joining *to)
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
is_other(const joining *to, uint32_t set)
{
    return set >= to->sets->count - to->sets->others;
}

// Returns whether the i-th set of the cluster shares the bytes.
static bool
has_part(const share *shared, uint32_t i)
{
    return (shared->sets >> joining_bit(i) & 1) != 0;
}

// Joins sets by what they share. That matters to them if one of them frees
// little more alone.
static void
join(joining *to, const share *shared)
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
            tree_unite(to->out->joint, one, members[i]);
}

typedef void part_visit(joining *to, const share *shared, uint32_t set);

// Calls `visit` for each set that shares the bytes, if others share them, too.
static void
each_beside_others(joining *to, const share *shared, part_visit *visit)
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
add_rest(joining *to, const share *shared, uint32_t set)
{
    to->rest[set] += shared->bytes;
}

// Joins the others that share the bytes to a set, if others share much of what
// it keeps.
static void
join_others(joining *to, const share *shared, uint32_t set)
{
    const uint32_t *members = to->members + to->first[shared->cluster];
    uint64_t all = sum_of(to, to->out->alone, set) + to->rest[set];
    if (to->rest[set] < all / A_PART_OF_ALL)
        return;
    for (uint32_t i = 0; i < to->size[shared->cluster]; i++)
        if (has_part(shared, i) && is_other(to, members[i]))
            tree_unite(to->out->joint, set, members[i]);
}

// The order matters: sets join first by what they share among themselves. What
// each shares with others is complete before it decides whether they join it.
static void
join_all(joining *to)
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
        joint[set] = tree_find(joint, set);
}

// Returns the joint of all sets that reach the node; LG_NONE: they differ.
static uint32_t
joint_at(const joining *to, uint32_t node)
{
    uint32_t cluster = cluster_at(to, node);
    uint32_t found = LG_NONE;
    if (to->size[cluster] == 1)
        return cluster;
    for (uint32_t i = 0; i < to->size[cluster]; i++) {
        uint32_t joint = to->out->joint[to->members[to->first[cluster] + i]];
        if (!(to->reached[node] >> joining_bit(i) & 1))
            continue;
        if (found != LG_NONE && joint != found)
            return LG_NONE;
        found = joint;
    }
    return found;
}

// Returns whether one of the others reaches the node.
static bool
has_others(const joining *to, uint32_t node)
{
    uint32_t cluster = cluster_at(to, node);
    const uint32_t *members = to->members + to->first[cluster];
    uint32_t size = to->size[cluster];
    bool found = size == 1 && is_other(to, cluster);
    for (uint32_t i = size; i-- > 1 && is_other(to, members[i]) && !found;)
        found = (to->reached[node] >> joining_bit(i) & 1) != 0;
    return found;
}

static void
measure_together(joining *to)
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

void
lg__joint_sets_free(lg__joint_sets *joint)
{
    lg__free(joint->joint);
    lg__free(joint->alone);
    lg__free(joint->together);
    lg__free(joint->freed);
    *joint = (lg__joint_sets){0};
}

static bool
prepare(joining *to)
{
    size_t nodes = (size_t)to->analysis->graph->columns.node_count + 1;
    size_t count = (size_t)to->sets->count + 1;
    size_t devices = (size_t)to->analysis->graph->device_count + 1;
    to->shares.element = sizeof(share);
    to->met = lg__calloc(nodes, sizeof *to->met);
    to->cluster = lg__calloc(count, sizeof *to->cluster);
    to->size = lg__calloc(count, sizeof *to->size);
    to->member = lg__calloc(count, sizeof *to->member);
    to->members = lg__calloc(count, sizeof *to->members);
    to->first = lg__calloc(count, sizeof *to->first);
    to->out->joint = lg__calloc(count, sizeof *to->out->joint);
    to->out->alone = lg__calloc(count * devices, sizeof *to->out->alone);
    to->rest = lg__calloc(count, sizeof *to->rest);
    to->out->together = lg__calloc(count * devices, sizeof *to->out->together);
    to->out->freed = lg__calloc(count * devices, sizeof *to->out->freed);
    return to->met && to->cluster && to->size && to->member && to->members &&
           to->first && to->rest && to->out->joint && to->out->alone &&
           to->out->together && to->out->freed;
}

static void
dismiss(joining *to)
{
    lg_allocator allocator = lg_allocator_default();
    lg__vector_free(&allocator, &to->shares);
    lg__free(to->met);
    lg__free(to->reached);
    lg__free(to->stack.items);
    lg__free(to->cluster);
    lg__free(to->size);
    lg__free(to->member);
    lg__free(to->members);
    lg__free(to->first);
    lg__free(to->rest);
}

static bool
run(joining *to)
{
    joining_cluster(to);
    to->reached =
        lg__calloc((size_t)to->analysis->graph->columns.node_count + 1,
                   sizeof *to->reached);
    if (to->reached == NULL || to->failed)
        return false;
    joining_reach(to);
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
    joining to = {
        .analysis = analysis, .sets = sets, .closed = spared, .out = &made};
    lg_status status = prepare(&to) && run(&to) ? LG_OK : lg__error_memory(err);
    dismiss(&to);
    if (status == LG_OK)
        *out = made;
    else
        lg__joint_sets_free(&made);
    return status;
}
