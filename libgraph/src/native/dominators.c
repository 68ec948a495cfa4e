// Who owns what: dominators over the references of objects and the words that
// count, by the algorithm of Lengauer and Tarjan in the form of Georgiadis
// (semi-NCA). The analysis of the finished graph does not serve here, because
// it may need igraph, and nothing may be loaded in a forked child; and it would
// need a graph of all blocks, which the groups shall save.
//
// An object that leads to no block, directly or by others, holds none. Those
// that few looks at the references find are left out.
//
// Numbers below are places in a depth-first order, from 1 on; 0 is none. What
// can be is by number, because a block that is an object is no vertex, and few
// steps need as much memory. Half of the vertices lead nowhere, and no path
// goes on over them. The others are *inner* ones, and have numbers of their own
// in the same order: referrers, ancestors and semidominators are inner ones.
#include "native/native_private.h"

#include <string.h>

typedef struct reference_web {
    lg__native *native;
    uint64_t *joins;      // a bit for each vertex: it may get a number
    uint32_t *before;     // how many do before each 64 of them
    uint32_t *number;     // by place among those, in depth-first order
    uint32_t *vertex;     // by number
    uint8_t *inner;       // a bit for each number: it leads somewhere
    lg__vector visit;     // visit, from the root to where the search is
    lg__compact first;    // by number, where its referrers begin
    lg__compact referrer; // inner numbers
    uint32_t count;       // reached
    uint32_t inners;      // of those
} reference_web;

// A vertex that the search is in.
typedef struct visit {
    uint32_t number;
    uint32_t next; // how many candidates are behind
} visit;

static bool
is_implicit(const lg__native *native, uint32_t node)
{
    return native->policy.mark[node] &
           (LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE);
}

// Whether an analysis sees the reference. A namespace has one referrer, its
// module.
static bool
is_seen(const lg__native *native, uint32_t node, uint64_t edge)
{
    const lg_columns *columns = &native->graph->columns;
    uint32_t target = lg_columns_target(columns, edge);
    if ((lg_columns_kind(columns, edge) & LG_EDGE_WEAK) || target == node)
        return false;
    return !is_implicit(native, target) ||
           ((native->policy.mark[target] & LG__MARK_NAMESPACE) &&
            lg__policy_module(&native->policy, target) == node);
}

// Below, `*next` is how many of the candidates that a vertex has are behind;
// the search keeps it for each vertex that it is in. Each function returns the
// next target, or LG_NONE at the end.

static uint32_t
next_reference(const lg__native *native, uint32_t node, uint32_t *next)
{
    const lg_columns *columns = &native->graph->columns;
    const uint64_t first = lg_columns_first_edge(columns, node);
    const uint64_t count = lg_columns_first_edge(columns, node + 1) - first;
    while (*next < count) {
        uint64_t edge = first + (*next)++;
        if (is_seen(native, node, edge))
            return lg_columns_target(columns, edge);
    }
    return LG_NONE;
}

static uint32_t
next_word(const lg__native *native, uint32_t vertex, uint64_t references,
          uint32_t *next)
{
    uint32_t block = lg__block_of_vertex(native, vertex);
    if (block == LG_NONE)
        return LG_NONE;
    const lg__word_span span = lg__words_of(native, block);
    const uint32_t first = span.first + *next - (uint32_t)references;
    lg__word_walk at =
        lg__word_walk_over(&native->words, block, first, span.end);
    while (lg__word_walk_next(&at)) {
        ++*next;
        if (lg__word_counts(native, vertex, &at.word))
            return lg__vertex_of(native, at.word.target);
    }
    return LG_NONE;
}

static uint32_t
next_of_node(const lg__native *native, uint32_t node, uint32_t *next)
{
    const lg_columns *columns = &native->graph->columns;
    uint32_t target = next_reference(native, node, next);
    return target != LG_NONE
               ? target
               : next_word(native, node,
                           lg_columns_first_edge(columns, node + 1) -
                               lg_columns_first_edge(columns, node),
                           next);
}

static uint32_t
next_of_holder(const lg__native *native, uint32_t holder, uint32_t *next)
{
    const lg__outer_word *words = native->outer.data;
    const uint64_t first = native->first_outer[holder];
    while (*next < native->first_outer[holder + 1] - first) {
        const lg__outer_word *word = &words[first + (*next)++];
        if (lg__outer_counts(native, word))
            return lg__vertex_of(native, word->target);
    }
    return LG_NONE;
}

// The root leads to all holders, to roots, and to what counts as one.
static uint32_t
next_of_root(const lg__native *native, uint32_t *next)
{
    const lg_graph *graph = native->graph;
    const uint32_t roots = native->holders + graph->root_count;
    while (*next < roots + native->nodes) {
        uint32_t at = (*next)++;
        if (at < native->holders)
            return lg__native_holder(native, at);
        uint32_t root = at - native->holders;
        uint32_t node = at < roots ? graph->root_node[root] : at - roots;
        unsigned mark = native->policy.mark[node];
        if (at < roots
                ? lg__root_counts(native, root) && !(mark & LG__MARK_NAMESPACE)
                : (mark & LG__MARK_IMPLICIT_ROOT) || native->entrance[node])
            return node;
    }
    return LG_NONE;
}

static uint32_t
next_of_any(const lg__native *native, uint32_t vertex, uint32_t *next)
{
    if (vertex < native->nodes)
        return next_of_node(native, vertex, next);
    if (vertex < native->nodes + native->blocks)
        return next_word(native, vertex, 0, next);
    return vertex == lg__native_root(native)
               ? next_of_root(native, next)
               : next_of_holder(native, vertex - native->nodes - native->blocks,
                                next);
}

static uint32_t
next_target(const lg__native *native, uint32_t vertex, uint32_t *next)
{
    for (;;) {
        uint32_t target = next_of_any(native, vertex, next);
        if (target == LG_NONE || !(native->path[target] & LG__PATH_BARREN))
            return target;
    }
}

static bool
is_barren(const lg__native *native, uint32_t node)
{
    uint32_t next = 0;
    if (lg__node_has_words(native, node))
        return false;
    for (;;) {
        uint32_t target = next_reference(native, node, &next);
        if (target == LG_NONE)
            return true;
        if (!(native->path[target] & LG__PATH_BARREN))
            return false;
    }
}

// A walk numbers what an object refers to behind the object, as a rule, so one
// look from the last to the first finds nearly all. A chain may run the other
// way.
static void
find_barren(lg__native *native)
{
    enum { LOOKS = 2 };
    for (int look = 0; look < LOOKS; look++)
        for (uint32_t node = native->nodes; node-- > 0;)
            if (!(native->path[node] & LG__PATH_BARREN) &&
                is_barren(native, node))
                native->path[node] |= LG__PATH_BARREN;
}

// A set bit is a vertex that has a place. Its place is the number of set bits
// before it: `before` has those of whole words, and the rest are counted in
// one.
static uint32_t *
number_of(const reference_web *web, uint32_t vertex)
{
    const uint64_t bits =
        web->joins[vertex / 64] & ((UINT64_C(1) << vertex % 64) - 1);
    return &web->number[web->before[vertex / 64] +
                        (uint32_t)__builtin_popcountll(bits)];
}

static bool
enter(reference_web *web, uint32_t vertex)
{
    enum { SHARE = 8, LEAST = 1 << 10 };
    const lg_allocator *allocator = &web->native->allocator;
    lg__vector *visits = &web->visit;
    if (visits->count == visits->capacity &&
        !lg__vector_reserve(allocator, visits,
                            visits->count + visits->count / SHARE + LEAST))
        return false;
    *number_of(web, vertex) = ++web->count;
    web->vertex[web->count] = vertex;
    visit *place = lg__vector_extend(allocator, visits, 1);
    *place = (visit){web->count, 0};
    return true;
}

// Numbers the vertices depth first. Returns false when memory ran out.
static bool
search(reference_web *web)
{
    bool enough = enter(web, lg__native_root(web->native));
    while (web->visit.count > 0 && enough) {
        visit *last = (visit *)web->visit.data + web->visit.count - 1;
        const uint32_t target =
            next_target(web->native, web->vertex[last->number], &last->next);
        if (target == LG_NONE) {
            web->visit.count--;
            continue;
        }
        web->inners += !lg__bit_is_set(web->inner, last->number);
        lg__bit_set(web->inner, last->number);
        if (*number_of(web, target) == 0)
            enough = enter(web, target);
    }
    lg__vector_free(&web->native->allocator, &web->visit);
    return enough;
}

// Counts the referrers of every vertex, so that those of n begin at first[n].
// Returns how many there are, or LG_NONE: too many.
static uint32_t
count_referrers(const reference_web *web, uint32_t *first)
{
    const lg__native *native = web->native;
    memset(first, 0, 4 * ((size_t)web->count + 2));
    for (uint32_t n = 1; n <= web->count; n++) {
        uint32_t next = 0;
        uint32_t target;
        while ((target = next_target(native, web->vertex[n], &next)) != LG_NONE)
            first[*number_of(web, target) + 1]++;
    }
    for (uint32_t n = 1; n <= web->count + 1; n++)
        if (__builtin_add_overflow(first[n], first[n - 1], &first[n]))
            return LG_NONE;
    return first[web->count + 1];
}

// Moves each beginning on to its end, which is the next one's beginning.
static void
list_referrers(const reference_web *web, uint32_t *first, uint32_t *referrer)
{
    uint32_t inner = 0;
    for (uint32_t n = 1; n <= web->count; n++) {
        uint32_t next = 0;
        uint32_t target;
        inner += lg__bit_is_set(web->inner, n);
        while ((target = next_target(web->native, web->vertex[n], &next)) !=
               LG_NONE)
            referrer[first[*number_of(web, target)]++] = inner;
    }
    for (uint32_t n = web->count + 1; n > 0; n--)
        first[n] = first[n - 1];
    first[0] = 0;
}

// Lists the referrers of every vertex.
static bool
turn(reference_web *web)
{
    const lg_allocator *allocator = &web->native->allocator;
    const size_t room = (size_t)web->count + 2;
    uint32_t *first = lg__compact_open(allocator, room, &web->first);
    const uint32_t all = first != NULL ? count_referrers(web, first) : LG_NONE;
    uint32_t *referrer = all != LG_NONE
                             ? lg__compact_open(allocator, all, &web->referrer)
                             : NULL;
    if (referrer == NULL)
        return false;
    list_referrers(web, first, referrer);
    lg__compact_close(allocator, &web->first, room);
    lg__compact_close(allocator, &web->referrer, all);
    return true;
}

// A forest of inner vertices whose paths are compressed. label[n] is the
// smallest semidominator on the path from n to the root of its tree, the root
// left out. The numbers above `root` have ancestors.
typedef struct compressed_forest {
    uint32_t *label;
    uint32_t *ancestor;
    uint32_t root;
} compressed_forest;

// On the way up, each ancestor is turned round and leads back down, so that the
// way needs no memory.
static uint32_t
smallest_semi(compressed_forest *forest, uint32_t number)
{
    uint32_t *ancestor = forest->ancestor;
    uint32_t *label = forest->label;
    uint32_t at = number;
    uint32_t below = 0;
    while (ancestor[at] > forest->root) {
        uint32_t above = ancestor[at];
        ancestor[at] = below;
        below = at;
        at = above;
    }
    while (below != 0) {
        uint32_t above = at;
        at = below;
        below = ancestor[at];
        if (label[above] < label[at])
            label[at] = label[above];
        ancestor[at] = ancestor[above];
    }
    return label[number];
}

// Returns the parent of a number in the tree of the search: of its referrers,
// the last that was there before, of which `last` is the last inner one. A
// referrer with a smaller number that is no ancestor would have been left
// before the number was given, which its reference forbids; so all of them are
// ancestors.
static uint32_t
parent_of(const reference_web *web, uint32_t n, uint32_t last)
{
    uint32_t parent = 1;
    const uint32_t end = lg__compact_at(&web->first, (size_t)n + 1);
    for (uint32_t i = lg__compact_at(&web->first, n); i < end; i++) {
        const uint32_t from = lg__compact_at(&web->referrer, i);
        if (from <= last && from > parent)
            parent = from;
    }
    return parent;
}

// The semidominator of n is the lowest number from which a path leads to n over
// higher numbers than n alone. Numbers come from the highest down, so the
// forest has all above n when its turn comes: the best of the way from a
// referrer up to the root of its tree is the best of all such paths that end
// with the referrer. `here` is the inner number of n, or the last one before
// it.
static void
find_semidominators(const reference_web *web, compressed_forest *forest,
                    uint32_t *semi)
{
    uint32_t here = web->inners;
    for (uint32_t n = web->count; n >= 2; n--) {
        const bool inner = lg__bit_is_set(web->inner, n);
        uint32_t best = UINT32_MAX;
        forest->root = here;
        const uint32_t end = lg__compact_at(&web->first, (size_t)n + 1);
        for (uint32_t i = lg__compact_at(&web->first, n); i < end; i++) {
            uint32_t from = lg__compact_at(&web->referrer, i);
            uint32_t low = from > here ? smallest_semi(forest, from) : from;
            best = low < best ? low : best;
        }
        semi[n] = best;
        if (!inner)
            continue;
        forest->label[here] = best;
        forest->ancestor[here] = parent_of(web, n, here - 1);
        here--;
    }
}

// The dominator of a vertex is the nearest ancestor in the tree of dominators
// of its parent that is not below its semidominator. Numbers come from the
// lowest up, so the dominators of all ancestors are known. `label` and
// `ancestor` are free by now, and each semidominator makes way for the
// dominator.
static void
find_dominators(const reference_web *web, const compressed_forest *forest,
                uint32_t *dominator)
{
    uint32_t *above = forest->label;
    uint32_t *vertex = forest->ancestor;
    uint32_t last = 1;
    above[1] = dominator[1] = 1;
    vertex[1] = web->vertex[1];
    for (uint32_t n = 2; n <= web->count; n++) {
        uint32_t at = parent_of(web, n, last);
        while (at > dominator[n])
            at = above[at];
        dominator[n] = at;
        if (!lg__bit_is_set(web->inner, n))
            continue;
        above[++last] = at;
        vertex[last] = web->vertex[n];
    }
    for (uint32_t n = 1; n <= web->count; n++)
        dominator[n] = vertex[dominator[n]];
}

static bool
solve(reference_web *web)
{
    lg__native *native = web->native;
    const size_t inners = (size_t)web->inners + 2;
    compressed_forest forest = {.label = lg__native_take(native, inners, 4),
                                .ancestor = lg__native_take(native, inners, 4)};
    native->dominator = lg__native_take(native, (size_t)web->count + 1, 4);
    bool enough = forest.label != NULL && forest.ancestor != NULL &&
                  native->dominator != NULL;
    if (enough) {
        find_semidominators(web, &forest, native->dominator);
        find_dominators(web, &forest, native->dominator);
    }
    lg__native_drop(native, forest.label);
    lg__native_drop(native, forest.ancestor);
    native->order = web->vertex;
    native->reached = web->count;
    return enough;
}

// Marks the vertices that may get a number. One that is reached has a path, and
// only those have. Returns how many there are, or LG_NONE when memory ran out.
static uint32_t
find_joining(reference_web *web)
{
    lg__native *native = web->native;
    const size_t parts = (size_t)native->vertices / 64 + 1;
    web->joins = lg__native_take_zero(native, parts, 8);
    web->before = lg__native_take(native, parts, 4);
    if (web->joins == NULL || web->before == NULL)
        return LG_NONE;
    uint32_t count = 0;
    for (uint32_t vertex = 0; vertex < native->vertices; vertex++) {
        const bool joins = lg__best(native, vertex) != 0 &&
                           !(native->path[vertex] & LG__PATH_BARREN);
        if (vertex % 64 == 0)
            web->before[vertex / 64] = count;
        web->joins[vertex / 64] |= (uint64_t)joins << vertex % 64;
        count += joins;
    }
    return count;
}

static bool
open_web(reference_web *web)
{
    lg__native *native = web->native;
    const uint32_t count = find_joining(web);
    if (count == LG_NONE)
        return false;
    const size_t room = (size_t)count + 2;
    web->visit.element = sizeof(visit);
    web->number = lg__native_take_zero(native, room, 4);
    web->vertex = lg__native_take(native, room, 4);
    web->inner = lg__native_take_zero(native, room / 8 + 1, 1);
    return web->number != NULL && web->vertex != NULL && web->inner != NULL;
}

// Returns the vertex whose words are those of a block, or LG_NONE.
static uint32_t
vertex_with_words(const lg__native *native, uint32_t block)
{
    uint32_t node = native->memory->blocks[block].node;
    if (node == LG_NONE)
        return native->nodes + block;
    return native->block_of[node] == block ? node : LG_NONE;
}

// Returns the most bytes of a block that may yet become a part of an object
// whose references blocks explain: any word to it leads to that object then. 0:
// there is no such object.
static uint64_t
largest_part(const lg__native *native)
{
    uint64_t most = 0;
    for (uint32_t node = 0; node < native->nodes; node++) {
        uint64_t beyond =
            lg__node_is_told(native, node) ? lg__size_beyond(native, node) : 0;
        most = beyond > most ? beyond : most;
    }
    return LG__PART_SHARE * LG__PART_UNIT * most;
}

static bool
may_lead_to_part(const lg__native *native, const lg__word *word, uint64_t most)
{
    const lg_native_block *to = &native->memory->blocks[word->target];
    return to->node == LG_NONE && lg_block_bytes(to) <= most;
}

// Words that are kept move to the front of all rows, and are listed anew.
static bool
prune_block(lg__native *native, uint32_t block, uint64_t most,
            lg__word_rows *kept)
{
    lg__word_walk at = lg__walk_words(native, block);
    const uint32_t vertex = vertex_with_words(native, block);
    const bool lost = lg__block_is_lost(native, block);
    uint32_t before = 0;
    while (lg__word_walk_next(&at)) {
        if (!lost)
            lg__bit_set(native->met, at.word.target);
        if (vertex == LG_NONE || (!lg__word_links(native, vertex, &at.word) &&
                                  !may_lead_to_part(native, &at.word, most)))
            continue;
        if (!lg__word_write(&native->allocator, kept,
                            (uint32_t)kept->row.count++, block, before,
                            &at.word))
            return false;
        before = at.word.place;
    }
    return true;
}

// Notes which blocks are met, and forgets the words that count for nothing.
static bool
prune(lg__native *native)
{
    const lg_allocator *allocator = &native->allocator;
    const size_t count = (size_t)native->blocks + 1;
    const lg__outer_word *outer = native->outer.data;
    lg__compact pruned;
    uint32_t *first = lg__compact_open(allocator, count, &pruned);
    const uint64_t most = largest_part(native);
    lg__word_rows kept = native->words;
    kept.row.count = 0;
    kept.listed = (lg__vector){.element = sizeof(lg__listed_word)};
    native->met = lg__native_take_zero(native, native->blocks / 8 + 1, 1);
    if (first == NULL || native->met == NULL) {
        lg__compact_free(allocator, &pruned);
        return false;
    }
    bool enough = true;
    for (uint32_t block = 0; block < native->blocks; block++) {
        first[block] = (uint32_t)kept.row.count;
        enough = enough && prune_block(native, block, most, &kept);
    }
    first[native->blocks] = (uint32_t)kept.row.count;
    for (size_t i = 0; i < native->outer.count; i++)
        lg__bit_set(native->met, outer[i].target);
    lg__compact_close(allocator, &pruned, count);
    lg__compact_free(allocator, &native->first_word);
    native->first_word = pruned;
    lg__vector_free(allocator, &native->words.listed);
    native->words = kept;
    lg__vector_trim(allocator, &native->words.row);
    return enough;
}

bool
lg__native_dominate(lg__native *native)
{
    reference_web web = {.native = native};
    if (!prune(native))
        return false;
    find_barren(native);
    bool enough = open_web(&web) && search(&web) && turn(&web);
    lg__native_drop(native, web.number);
    lg__native_drop(native, web.before);
    lg__native_drop(native, web.joins);
    enough = enough && solve(&web);
    lg__compact_free(&native->allocator, &web.referrer);
    lg__compact_free(&native->allocator, &web.first);
    lg__native_drop(native, web.inner);
    return enough;
}
