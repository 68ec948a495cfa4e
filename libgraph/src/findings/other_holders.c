// Finds what keeps the things of a match, apart from the mistakes.
#include "findings/context.h"

#include <stdlib.h>

enum { OWNERS = 32 }; // most dominators between a referrer and its holder

bool
lg__match_gather(const lg__detection *detection, const lg__match *match,
                 lg__gathered *out)
{
    bool enough = lg__gather_all(out, &match->along);
    if (lg__detectors[match->pattern].fix != LG__FIX_GRAPHS)
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
        if (!(columns->edge_kind[edge] & LG_EDGE_WEAK) && to->spared[source] &&
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

void
lg__match_mark(const lg__match *match, uint8_t *bits)
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

void
lg__match_others(lg__detection *detection, const lg__match *match,
                 const uint8_t *bits, const uint8_t *spared, lg__vector *out)
{
    looking to = {.detection = detection,
                  .match = match,
                  .bits = bits,
                  .spared = spared,
                  .out = out};
    if (lg__detectors[match->pattern].fix != LG__FIX_ALL) {
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

void
lg__others_sort(lg__vector *others)
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
