/**
 * What an analysis keeps: the dominator tree with its sums, and the strongly
 * connected components. This header also declares the searches for what sets of
 * nodes retain.
 */
#ifndef LEAKGRAPH_ANALYSIS_PRIVATE_H
#define LEAKGRAPH_ANALYSIS_PRIVATE_H

#include "analysis/dominator_builder.h"

#include <leakgraph/internal/retained.h>

/** Bytes that a node (or component) retains on one device of the graph. */
typedef struct lg__on_device {
    uint32_t device;
    uint32_t node;
    uint64_t bytes;
} lg__on_device;

/** A node, or one of the two roots, that has another dominator or sum than in
 *  the analysis that the rest is borrowed from. */
typedef struct lg__changed {
    uint32_t node;
    uint32_t dominator; /**< of a node */
    uint64_t host;
} lg__changed;

typedef struct lg__changes {
    uint64_t *bits;   /**< [node_count + 2] a bit for each: it is listed */
    lg__vector items; /**< lg__changed, ascending by node */
} lg__changes;

/** Returns the entry of a node that is listed. O(log changes). */
const lg__changed *lg__changes_listed(const lg__changes *changes,
                                      uint32_t node);

void lg__changes_free(lg__changes *changes);

/** Returns the entry of a node, or NULL. */
static inline const lg__changed *
lg__changes_find(const lg__changes *changes, uint32_t node)
{
    return changes != NULL && (changes->bits[node / 64] >> node % 64 & 1)
               ? lg__changes_listed(changes, node)
               : NULL;
}

/** Bytes of each node and of the two roots. Hardly any has 4 GiB or more, so
 *  the pages of the upper halves are mostly not there. */
typedef struct lg__sums {
    lg__compact low;            /**< [node_count + 2] */
    uint32_t *high;             /**< [node_count + 2]; NULL: all are 0 */
    const lg__changes *changes; /**< other sums than these; NULL: none */
} lg__sums;

static inline uint64_t
lg__sum_of(const lg__sums *sums, uint32_t node)
{
    const lg__changed *changed = lg__changes_find(sums->changes, node);
    if (changed != NULL)
        return changed->host;
    const uint64_t high = sums->high != NULL ? sums->high[node] : 0;
    return high << 32 | lg__compact_at(&sums->low, node);
}

typedef struct lg__member {
    uint32_t node;
    uint32_t component;
} lg__member;

/** A node that a component dominates as a whole, while none of its members does
 *  alone. */
typedef struct lg__collective {
    uint32_t node;
    uint32_t by; /**< a member of that component */
} lg__collective;

/** The same pair, sorted by the component that dominates. */
typedef struct lg__collective_of {
    uint32_t component;
    uint32_t node;
} lg__collective_of;

/** What another room has computed from an analysis. That room's own struct
 *  begins with this one. */
typedef struct lg__cached {
    void (*free)(struct lg__cached *cached);
} lg__cached;

/** What other rooms keep. */
typedef enum lg__cache {
    LG__CACHE_AT_REST,
    LG__CACHE_MATCHES,
    LG__CACHES,
} lg__cache;

struct lg_analysis {
    const lg_graph *graph;
    lg__policy policy;       /**< its marks include LIVE */
    lg__compact dominators;  /**< [node_count] node_count: the super-root;
                                node_count + 1: the root of garbage; see
                                lg__dominator_of */
    uint32_t *dominator;     /**< the same before they are compact; then NULL */
    lg__sums host;           /**< retained host bytes */
    lg__compact first_child; /**< [node_count + 3] see lg__children_of */
    lg__compact child;       /**< [node_count] sorted by dominator */
    lg__vector device; /**< lg__on_device of nodes, ascending by device and
                            node */

    uint32_t component_count;
    uint32_t *component_first;   /**< [component_count + 1] */
    uint32_t *component_node;    /**< by component, ascending */
    uint64_t *component_host;    /**< [component_count] retained host bytes;
                                    largest first, with those of the devices */
    lg__vector component_device; /**< lg__on_device of components */
    lg__member
        *member; /**< ascending by node; component_first[component_count] */
    lg__vector collective; /**< lg__collective, ascending by node; of another
                              component only the first settled member */
    lg__collective_of
        *collective_by; /**< [collective.count] by component, then node */
    _Atomic(lg__cached *) *cached; /**< [LG__CACHES] NULL until it is kept */
    bool borrows;         /**< the policy belongs to another analysis */
    lg__changes *changes; /**< not NULL: so do the dominators and sums, and
                               these differ */
};

/** Returns what immediately dominates a node. */
static inline uint32_t
lg__dominator_of(const lg_analysis *analysis, uint32_t node)
{
    const lg__changed *changed = lg__changes_find(analysis->changes, node);
    return changed != NULL ? changed->dominator
                           : lg__compact_at(&analysis->dominators, node);
}

/** Places of children in the list of all, up to, not including, `end`. */
typedef struct lg__children {
    uint32_t begin;
    uint32_t end;
} lg__children;

/** Returns the places of what a node, or one of the two roots, immediately
 *  dominates. */
static inline lg__children
lg__children_of(const lg_analysis *analysis, uint32_t node)
{
    return (lg__children){lg__compact_at(&analysis->first_child, node),
                          lg__compact_at(&analysis->first_child, node + 1)};
}

/** Returns the child at a place. */
static inline uint32_t
lg__child_at(const lg_analysis *analysis, uint32_t place)
{
    return lg__compact_at(&analysis->child, place);
}

/** Copies children. Returns how many they are. */
static inline uint32_t
lg__children_copy(const lg_analysis *analysis, lg__children children,
                  uint32_t *to)
{
    const uint32_t count = children.end - children.begin;
    lg__compact_copy(&analysis->child, children.begin, count, to);
    return count;
}

/** Returns the cached of the analysis, or NULL. Any thread may call it. */
lg__cached *lg__cached_of(const lg_analysis *analysis, lg__cache which);
/** Keeps the cached until the analysis is freed. If another thread was faster,
 *  frees `cached`. Returns the cached that is kept. */
lg__cached *lg__cached_keep(const lg_analysis *analysis, lg__cache which,
                            lg__cached *cached);

/** Calls `see` with each node that goes with a node, and with that. O(such
 *  nodes). */
lg_status lg__retained_each(const lg_analysis *analysis, uint32_t node,
                            void (*see)(void *context, uint32_t node),
                            void *context, lg_error *err);
/** Returns the bytes that a node, or one of the two roots, dominates on all
 *  devices together. */
uint64_t lg__retained_by(const lg_analysis *analysis, uint32_t node);
/** Returns the bytes of lg__retained_by that are on one device (0: the
 *  host). */
uint64_t lg__dominated_on(const lg_analysis *analysis, uint32_t node,
                          uint32_t device);
/** Returns the component of garbage that the node goes with as one, if nothing
 *  dominates that component; else LG_NONE. */
uint32_t lg__garbage_component_of(const lg_analysis *analysis, uint32_t node);
/** Counts the members of a component that are not folded away. */
uint32_t lg__count_seen(const lg_graph *graph, const lg_component *component);
/** Writes `: a cycle of 3 objects` for a node of a cycle of garbage. For any
 *  other, writes nothing and returns false. */
bool lg__format_garbage_component(const lg_analysis *analysis, uint32_t node,
                                  lg_text *out);
/** Returns the sum of what lg_node_retained returns. */
static inline uint64_t
lg__freed_by(const lg_analysis *analysis, uint32_t node)
{
    if ((analysis->policy.mark[node] & LG__MARK_LIVE) &&
        analysis->device.count == 0)
        return lg__sum_of(&analysis->host, node);
    lg_bytes bytes = lg_node_retained(analysis, node);
    return bytes.host + bytes.devices;
}

/** Makes an empty analysis. LG_EPARTIAL on a partial graph. */
lg_status lg__analysis_begin(const lg_graph *graph, lg_analysis **out,
                             lg_error *err);
/** Makes room for `dominator`. Returns false when memory ran out. */
bool lg__dominators_open(lg_analysis *analysis);
/** Makes the dominators compact: from now on, ask lg__dominator_of. */
void lg__dominators_close(lg_analysis *analysis);
/** Computes the sums of every node from `dominator`. `order` has dominators
 *  before what they dominate. */
lg_status lg__retained_sum(lg_analysis *analysis, const uint32_t *order,
                           lg_error *err);
/** Frees what lg__retained_children lists. */
void lg__children_forget(lg_analysis *analysis);
/** Lists the children of every node, from `dominator`. */
lg_status lg__retained_children(lg_analysis *analysis, lg_error *err);
/** Returns the entry of a node or component on a device; 0 if there is none. */
uint64_t lg__on_device_find(const lg__vector *entries, uint32_t device,
                            uint32_t node);
/** Adds an entry unless bytes is 0. Returns false when memory ran out. */
bool lg__on_device_add(lg__vector *entries, uint32_t device, uint32_t node,
                       uint64_t bytes);

/** Returns a member of the component that dominates the node collectively, or
 *  LG_NONE. */
uint32_t lg__collective_find(const lg_analysis *analysis, uint32_t node);
/** Fills collective_by. All components must be listed. */
lg_status lg__collective_index(lg_analysis *analysis, lg_error *err);
/** Returns the nodes that the component dominates collectively, and their
 *  number. */
const lg__collective_of *lg__collective_list(const lg_analysis *analysis,
                                             uint32_t component, size_t *count);

/** Fills `member` from component_first and component_node. */
void lg__components_list(lg_analysis *analysis);
/** Adds to the analysis what the components dominate collectively. Overwrites
 *  the places and some marks of the builder. O(edges log nodes) of what
 *  components with several entries hold. */
lg_status lg__components_relate(lg_analysis *analysis,
                                lg__dominator_builder *building, lg_error *err);
/** Lists the components with what they retain, sorted, once they are related
 *  and the sums are there. Takes over memory of the builder. */
lg_status lg__components_keep(lg_analysis *analysis,
                              lg__dominator_builder *building, lg_error *err);

/**
 * Makes the analysis of `rest`: the graph of `before` without these edges
 * (lg__graph_without). It has the reachable nodes, their dominators, sums and
 * children. It has no components, and unreachable nodes have no dominator. It
 * is as exact as lg_analysis_new, which it calls when too much changes.
 * O(nodes) in sequence, plus what the edges lead to.
 */
lg_status lg__analysis_without(const lg_analysis *before, const lg_graph *rest,
                               const uint64_t *cut, size_t count,
                               const lg_monitor *monitor, lg_analysis **out,
                               lg_error *err);

/** What a graph loses. */
typedef struct lg__lost {
    const uint64_t *edges;
    size_t edge_count;
    const uint32_t *roots; /**< nodes of LG__MARK_ENTRY alone */
    size_t root_count;
} lg__lost;

/**
 * Makes the analysis of the graph of `before` without these edges and roots. It
 * has what lg__analysis_without has but the children, and the policy of before,
 * from which it borrows: free it first. *out is NULL if nothing changes.
 * LG_EUNSUPPORTED when too much changes, or something is reachable no more.
 * O(nodes), of which only those that may change are looked at.
 */
lg_status lg__analysis_borrowed(const lg_analysis *before, const lg__lost *lost,
                                const lg_monitor *monitor, lg_analysis **out,
                                lg_error *err);

// Sets of nodes: what lives on without them, and what each of several keeps
// alive by itself.

/** Returns whether the policy graph has the edge. */
bool lg__policy_edge(const lg_analysis *analysis, uint64_t edge,
                     uint32_t source);

/** Sets one byte a node: 1 if a root reaches it by a path that avoids the set.
 *  Release *out with lg__free. O(nodes + edges). */
lg_status lg__set_reached(const lg_analysis *analysis, const uint32_t *nodes,
                          size_t count, const lg_monitor *monitor,
                          uint8_t **out, lg_error *err);

struct lg__gathered;
/** Like lg__set_reached, but garbage also counts as a root if none of it is in
 *  the set. What is `unrooted` (or NULL) counts as none. */
lg_status lg__set_spared(const lg_analysis *analysis, const uint32_t *nodes,
                         size_t count, const struct lg__gathered *unrooted,
                         const lg_monitor *monitor, uint8_t **out,
                         lg_error *err);

/** Writes what goes by device when the set does. Of the set, what is emptied
 *  keeps its attributes as long as a root reaches it. The values in the `weak`
 *  dicts go with their keys. Both may be NULL. O(nodes + edges). */
lg_status lg__nodes_freed_each(const lg_analysis *analysis,
                               const struct lg__gathered *nodes,
                               const struct lg__gathered *emptied,
                               const struct lg__gathered *weak,
                               const lg_monitor *monitor, uint64_t *bytes,
                               lg_error *err);

/** Gathers the dicts of dictionaries with weak keys or values. Returns false
 *  when memory ran out. O(nodes). */
bool lg__weak_dicts(const lg_graph *graph, struct lg__gathered *out);

/** Sets one byte a node: 1 in the source components of garbage, to which no
 *  other garbage refers. Release *out with lg__free. */
lg_status lg__garbage_sources(const lg_analysis *analysis, uint8_t **out,
                              lg_error *err);

/**
 * Computes exactly what each of up to 64 groups of nodes retains by itself.
 * Group i has all nodes whose type t has slot_of[t] == i; 64 means no group.
 * bytes is [count * (device_count + 1)]; rounding[count] is what allocators
 * spend beyond that. O(nodes + edges), times the difference in length of the
 * paths around the groups.
 */
lg_status lg__groups_retained(const lg_analysis *analysis,
                              const uint32_t *slot_of, uint32_t count,
                              const lg_monitor *monitor, uint64_t *bytes,
                              uint64_t *rounding, lg_error *err);

/** The label of a node that several sets reach, and nothing else does. */
#define LG__SHARED UINT32_MAX

/**
 * Computes what each of `count` disjoint sets keeps alive by itself. bytes is
 * [count + 1][device_count + 1]; its row i belongs to set i, counted from 1. On
 * entry, label[node] is the number of the node's set, or 0. On return, it is
 * the number of the only set through which the node is reached. Only sets of
 * garbage reach garbage. O(nodes + edges).
 */
lg_status lg__sets_retained(const lg_analysis *analysis, uint32_t *label,
                            uint32_t count, const lg_monitor *monitor,
                            uint64_t *bytes, lg_error *err);

/** Sets of nodes. A set may list a node more than once. */
typedef struct lg__node_sets {
    const uint32_t *nodes; /**< by set */
    const size_t *first;   /**< [count + 1] index of each set's first node */
    uint32_t count;
    uint32_t others; /**< the last ones of these keep nodes of sets before them
                          and are of interest for that reason only */
} lg__node_sets;

/** What lg__sets_join finds. A row has a number per device, [device_count +
 *  1]. */
typedef struct lg__joint_sets {
    uint32_t *joint;    /**< [set] the first set of its joint, maybe itself */
    uint64_t *alone;    /**< [set][device] what the set keeps alive by itself; 0
                           for the 64th set of a joint and later ones, which are
                           counted together */
    uint64_t *together; /**< [set][device] for the first set of a joint: what
                           the whole joint keeps alive */
    uint64_t *freed;    /**< the same without what the others of the joint keep
                           alive, too */
} lg__joint_sets;

/**
 * Computes what sets keep alive, alone and together with the sets that they
 * share it with. Two sets are joint if what exactly they share is a substantial
 * part of what one of them keeps alone; sets joint with the same set are joint,
 * too. Others join a set if they share a substantial part of all that it keeps.
 * A cycle of garbage goes as one. `spared` is what lg__set_spared finds for the
 * nodes of all sets. O(nodes + edges), times the number of sets in a joint, up
 * to 64; 12 bytes a node.
 */
lg_status lg__sets_join(const lg_analysis *analysis, const lg__node_sets *sets,
                        const uint8_t *spared, lg__joint_sets *out,
                        lg_error *err);
void lg__joint_sets_free(lg__joint_sets *joint);

// The dominator tree as people see it: without folded nodes, and with one
// member in place of a cycle of garbage.

/** A growing list of nodes. */
typedef struct lg__gathered {
    uint32_t *items;
    size_t count;
    size_t capacity;
} lg__gathered;

/** Returns the immediate dominator, or, for what a node within a context's
 *  mapping has, the mapping: answers pass over such nodes. LG_NONE as in
 *  lg_node_dominator. */
uint32_t lg__shown_dominator(const lg_analysis *analysis, uint32_t node);
/** Appends, in no order, the nodes that `node` (node count: the super-root;
 *  node count + 1: garbage) immediately dominates and that retain at least
 * `least` bytes. Replaces namespaces and cells that are folded into `node` by
 * what they dominate. For a cycle of garbage, appends what all members
 * dominate, and what the cycle dominates as a whole. Returns false when memory
 * ran out. */
bool lg__gather_dominated(const lg_analysis *analysis, const lg__folds *folds,
                          uint32_t node, uint64_t least, lg__gathered *out);
bool lg__gather_append(lg__gathered *to, uint32_t node);
/** Appends all nodes. Returns false when memory ran out. */
bool lg__gather_all(lg__gathered *to, const lg__gathered *from);
/** Sorts the nodes, and drops repeated ones. */
void lg__gather_once(lg__gathered *nodes);
/** Returns whether the nodes, which are ascending, have this one. */
bool lg__gathered_has(const lg__gathered *nodes, uint32_t node);

#endif
