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
    uint64_t *joins;  // a bit for each vertex: it may get a number
    uint32_t *before; // how many do before each 64 of them
    lg__ids number;   // by place among those, in depth-first order
    lg__ids vertex;   // by number
    uint8_t *inner;   // a bit for each number: it leads somewhere
    lg__ids visit;    // from the root to where the search is
    lg__vector visit_bytes;
    uint32_t depth;
    lg__ids way;      // by number: see below
    uint8_t *forked;  // a bit for each number: it has several referrers
    lg__ids referrer; // inner numbers, those of forked vertices by number
    uint8_t *first;   // a bit for each of those: the first of a vertex
    uint32_t referrers;
    uint32_t count;  // reached
    uint32_t inners; // of those
} reference_web;

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
                : (mark & LG__MARK_IMPLICIT_ROOT) ||
                      lg__bit_is_set(native->entrance, node))
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

// Returns the place of a vertex among those that may get a number. A set bit is
// a vertex that has a place. Its place is the number of set bits before it:
// `before` has those of whole words, and the rest are counted in one.
static uint32_t
place_of(const reference_web *web, uint32_t vertex)
{
    const uint64_t bits =
        web->joins[vertex / 64] & ((UINT64_C(1) << vertex % 64) - 1);
    return web->before[vertex / 64] + (uint32_t)__builtin_popcountll(bits);
}

// A vertex that the search is in stands in web->visit with how many of its
// candidates are behind: a list makes as many visits as it has nodes.
static bool
enter(reference_web *web, uint32_t place, uint32_t vertex)
{
    enum { SHARE = 8, LEAST = 1 << 12 };
    lg__vector *bytes = &web->visit_bytes;
    const size_t next = 2 * (size_t)web->depth;
    const size_t room = lg__ids_bytes(web->visit, next + 2);
    if (room > bytes->capacity &&
        !lg__vector_reserve(&web->native->allocator, bytes,
                            room + room / SHARE + LEAST))
        return false;
    web->visit.bytes = bytes->data;
    web->depth++;
    lg__id_set(web->number, place, ++web->count);
    lg__id_set(web->visit, next, vertex);
    lg__id_set(web->visit, next + 1, 0);
    return true;
}

// Follows a reference, which counts.
static bool
follow(reference_web *web, uint32_t source, uint32_t target)
{
    const uint32_t place = place_of(web, target);
    const uint32_t from = lg__id_at(web->number, place_of(web, source));
    web->inners += !lg__bit_is_set(web->inner, from);
    lg__bit_set(web->inner, from);
    if (lg__id_at(web->number, place) == 0 && !enter(web, place, target))
        return false;
    const uint32_t n = lg__id_at(web->number, place);
    lg__id_set(web->way, n, lg__id_at(web->way, n) + 1);
    return true;
}

// Numbers the vertices depth first, and counts the referrers of each. Returns
// false when memory ran out.
static bool
search(reference_web *web)
{
    const uint32_t root = lg__native_root(web->native);
    bool enough = enter(web, place_of(web, root), root);
    while (web->depth > 0 && enough) {
        const size_t last = 2 * (size_t)web->depth - 2;
        const uint32_t vertex = lg__id_at(web->visit, last);
        uint32_t next = lg__id_at(web->visit, last + 1);
        const uint32_t target = next_target(web->native, vertex, &next);
        lg__id_set(web->visit, last + 1, next);
        if (target == LG_NONE)
            web->depth--;
        else
            enough = follow(web, vertex, target);
    }
    lg__vector_free(&web->native->allocator, &web->visit_bytes);
    return enough;
}

// Lists the vertices by their numbers.
static bool
list_vertices(reference_web *web)
{
    lg__native *native = web->native;
    uint32_t place = 0;
    if (!lg__native_take_ids(native, (size_t)web->count + 1, native->vertices,
                             &web->vertex))
        return false;
    for (uint32_t vertex = 0; vertex < native->vertices; vertex++)
        if (web->joins[vertex / 64] >> vertex % 64 & 1)
            lg__id_set(web->vertex, lg__id_at(web->number, place++), vertex);
    return true;
}

// What stands in web->way for a number changes with the steps: how many
// referrers it has; then the referrer, if it has one, and else where the next
// of them goes; then its semidominator; and in the end its dominator.

// Makes room for the referrers of vertices that have several.
static bool
open_referrers(reference_web *web)
{
    lg__native *native = web->native;
    uint64_t all = 0;
    for (uint32_t n = 1; n <= web->count; n++) {
        const uint32_t count = lg__id_at(web->way, n);
        if (count < 2)
            continue;
        lg__bit_set(web->forked, n);
        all += count;
    }
    web->first = lg__native_take_zero(native, all / 8 + 1, 1);
    if (web->first == NULL ||
        !lg__native_take_ids(native, all, (uint64_t)web->inners + 1,
                             &web->referrer))
        return false;
    web->referrers = (uint32_t)all;
    return true;
}

static void
place_referrers(const reference_web *web)
{
    uint32_t next = 0;
    for (uint32_t n = 1; n <= web->count; n++) {
        const uint32_t count = lg__id_at(web->way, n);
        if (count < 2)
            continue;
        lg__bit_set(web->first, next);
        lg__id_set(web->way, n, next);
        next += count;
    }
}

static void
list_referrers(const reference_web *web)
{
    uint32_t inner = 0;
    for (uint32_t n = 1; n <= web->count; n++) {
        const uint32_t vertex = lg__id_at(web->vertex, n);
        uint32_t next = 0;
        uint32_t target;
        if (!lg__bit_is_set(web->inner, n))
            continue;
        inner++;
        while ((target = next_target(web->native, vertex, &next)) != LG_NONE) {
            const uint32_t to = lg__id_at(web->number, place_of(web, target));
            const uint32_t place = lg__id_at(web->way, to);
            const bool forked = lg__bit_is_set(web->forked, to);
            if (forked)
                lg__id_set(web->referrer, place, inner);
            lg__id_set(web->way, to, forked ? place + 1 : inner);
        }
    }
}

// Lists the referrers of every vertex.
static bool
turn(reference_web *web)
{
    if (!list_vertices(web) || !open_referrers(web))
        return false;
    place_referrers(web);
    list_referrers(web);
    return true;
}

// The referrers of a forked vertex.
typedef struct referrer_span {
    uint32_t first;
    uint32_t end;
} referrer_span;

static referrer_span
referrers_before(const reference_web *web, uint32_t end)
{
    uint32_t first = end - 1;
    while (!lg__bit_is_set(web->first, first))
        first--;
    return (referrer_span){first, end};
}

static referrer_span
referrers_from(const reference_web *web, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < web->referrers && !lg__bit_is_set(web->first, end))
        end++;
    return (referrer_span){first, end};
}

// A forest of inner vertices whose paths are compressed. label[n] is the
// smallest semidominator on the path from n to the root of its tree, the root
// left out. The numbers above `root` have ancestors.
typedef struct compressed_forest {
    lg__ids label;
    lg__ids ancestor;
    uint32_t root;
} compressed_forest;

// On the way up, each ancestor is turned round and leads back down, so that the
// way needs no memory.
static uint32_t
smallest_semi(const compressed_forest *forest, uint32_t number)
{
    const lg__ids ancestor = forest->ancestor;
    const lg__ids label = forest->label;
    uint32_t at = number;
    uint32_t below = 0;
    for (;;) {
        const uint32_t above = lg__id_at(ancestor, at);
        if (above <= forest->root)
            break;
        lg__id_set(ancestor, at, below);
        below = at;
        at = above;
    }
    while (below != 0) {
        const uint32_t above = at;
        at = below;
        below = lg__id_at(ancestor, at);
        if (lg__id_at(label, above) < lg__id_at(label, at))
            lg__id_set(label, at, lg__id_at(label, above));
        lg__id_set(ancestor, at, lg__id_at(ancestor, above));
    }
    return lg__id_at(label, number);
}

// Returns the parent of a number in the tree of the search: of its referrers,
// the last that was there before, of which `last` is the last inner one. A
// referrer with a smaller number that is no ancestor would have been left
// before the number was given, which its reference forbids; so all of them are
// ancestors.
static uint32_t
parent_among(const reference_web *web, referrer_span span, uint32_t last)
{
    uint32_t parent = 1;
    for (uint32_t i = span.first; i < span.end; i++) {
        const uint32_t from = lg__id_at(web->referrer, i);
        if (from <= last && from > parent)
            parent = from;
    }
    return parent;
}

// Returns the lowest number from which a path leads to a vertex over higher
// numbers alone: over the last one of the path, which is a referrer.
static uint32_t
lowest_among(const reference_web *web, referrer_span span,
             compressed_forest *forest)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = span.first; i < span.end; i++) {
        const uint32_t from = lg__id_at(web->referrer, i);
        const uint32_t low =
            from > forest->root ? smallest_semi(forest, from) : from;
        best = low < best ? low : best;
    }
    return best;
}

// The semidominator of n is the lowest number from which a path leads to n over
// higher numbers than n alone. Numbers come from the highest down, so the
// forest has all above n when its turn comes: the best of the way from a
// referrer up to the root of its tree is the best of all such paths that end
// with the referrer. `here` is the inner number of n, or the last one before
// it. The only referrer of a vertex is its parent, and its semidominator.
static void
find_semidominators(const reference_web *web, compressed_forest *forest)
{
    uint32_t here = web->inners;
    uint32_t end = web->referrers;
    for (uint32_t n = web->count; n >= 2; n--) {
        uint32_t best = lg__id_at(web->way, n);
        uint32_t parent = best;
        forest->root = here;
        if (lg__bit_is_set(web->forked, n)) {
            const referrer_span span = referrers_before(web, end);
            end = span.first;
            best = lowest_among(web, span, forest);
            parent = parent_among(web, span, here - 1);
            lg__id_set(web->way, n, best);
        }
        if (!lg__bit_is_set(web->inner, n))
            continue;
        lg__id_set(forest->label, here, best);
        lg__id_set(forest->ancestor, here, parent);
        here--;
    }
}

// The dominator of a vertex is the nearest ancestor in the tree of dominators
// of its parent that is not below its semidominator. Numbers come from the
// lowest up, so the dominators of all ancestors are known. `label` and
// `ancestor` are free by now, and each semidominator makes way for the
// dominator.
static void
find_dominators(const reference_web *web, const compressed_forest *forest)
{
    const lg__ids above = forest->label;
    const lg__ids vertex = forest->ancestor;
    uint32_t last = 1;
    uint32_t first = 0;
    lg__id_set(web->way, 1, 1);
    lg__id_set(above, 1, 1);
    lg__id_set(vertex, 1, lg__id_at(web->vertex, 1));
    for (uint32_t n = 2; n <= web->count; n++) {
        const uint32_t semi = lg__id_at(web->way, n);
        uint32_t at = semi;
        if (lg__bit_is_set(web->forked, n)) {
            const referrer_span span = referrers_from(web, first);
            first = span.end;
            at = parent_among(web, span, last);
        }
        while (at > semi)
            at = lg__id_at(above, at);
        lg__id_set(web->way, n, at);
        if (!lg__bit_is_set(web->inner, n))
            continue;
        lg__id_set(above, ++last, at);
        lg__id_set(vertex, last, lg__id_at(web->vertex, n));
    }
    for (uint32_t n = 1; n <= web->count; n++)
        lg__id_set(web->way, n, lg__id_at(vertex, lg__id_at(web->way, n)));
}

static bool
solve(reference_web *web)
{
    lg__native *native = web->native;
    const size_t inners = (size_t)web->inners + 2;
    compressed_forest forest = {.root = 0};
    const bool enough =
        lg__native_take_ids(native, inners, native->vertices, &forest.label) &&
        lg__native_take_ids(native, inners, native->vertices, &forest.ancestor);
    if (enough) {
        find_semidominators(web, &forest);
        find_dominators(web, &forest);
    }
    lg__native_drop(native, forest.label.bytes);
    lg__native_drop(native, forest.ancestor.bytes);
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

// Returns more than the numbers of referrers, and their places, may be.
static uint64_t
most_referrers(const lg__native *native)
{
    const uint64_t references =
        lg_columns_first_edge(&native->graph->columns, native->nodes);
    return references + native->words.count + native->outer.count +
           native->graph->root_count + native->holders + native->nodes;
}

static bool
open_web(reference_web *web)
{
    lg__native *native = web->native;
    const uint32_t count = find_joining(web);
    const uint64_t most = most_referrers(native);
    if (count == LG_NONE || most >= LG_NONE)
        return false;
    const size_t room = (size_t)count + 1;
    web->visit_bytes.element = 1;
    web->visit =
        lg__ids_below(most > native->vertices ? most : native->vertices);
    web->inner = lg__native_take_zero(native, room / 8 + 1, 1);
    web->forked = lg__native_take_zero(native, room / 8 + 1, 1);
    return web->inner != NULL && web->forked != NULL &&
           lg__native_take_ids(native, room, room, &web->number) &&
           lg__native_take_ids(
               native, room, most > native->vertices ? most : native->vertices,
               &web->way);
}

// Returns the vertex whose words are those of a block, or LG_NONE.
static uint32_t
vertex_with_words(const lg__native *native, uint32_t block)
{
    uint32_t node = native->memory->blocks[block].node;
    if (node == LG_NONE)
        return native->nodes + block;
    return lg__block_of_node(native, node) == block ? node : LG_NONE;
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
    while (lg__word_walk_next(&at)) {
        if (!lost)
            lg__bit_set(native->met, at.word.target);
        if (vertex == LG_NONE || (!lg__word_links(native, vertex, &at.word) &&
                                  !may_lead_to_part(native, &at.word, most)))
            continue;
        at.word.handle = vertex < native->nodes &&
                         lg__word_is_handle(native, block, &at.word);
        if (!lg__word_add_short(&native->allocator, kept, block, &at.word))
            return false;
    }
    return true;
}

static bool
prune_blocks(lg__native *native, lg__compact_writer *first, lg__word_rows *kept)
{
    const uint64_t most = largest_part(native);
    for (uint32_t block = 0; block < native->blocks; block++)
        if (!lg__compact_add(first, (uint32_t)kept->count) ||
            !prune_block(native, block, most, kept))
            return false;
    return lg__compact_add(first, (uint32_t)kept->count) &&
           lg__compact_end(first);
}

// Notes which blocks are met, and forgets the words that count for nothing.
static bool
prune(lg__native *native)
{
    const lg_allocator *allocator = &native->allocator;
    const lg__outer_word *outer = native->outer.data;
    lg__compact_writer first = {.allocator = allocator};
    lg__word_rows kept = lg__word_rows_short(&native->words);
    native->met = lg__native_take_zero(native, native->blocks / 8 + 1, 1);
    if (native->met == NULL || !prune_blocks(native, &first, &kept)) {
        lg__compact_free(allocator, &first.numbers);
        lg__vector_free(allocator, &kept.listed);
        return false;
    }
    for (size_t i = 0; i < native->outer.count; i++)
        lg__bit_set(native->met, outer[i].target);
    lg__compact_free(allocator, &native->first_word);
    native->first_word = first.numbers;
    lg__vector_free(allocator, &native->words.listed);
    native->words = kept;
    lg__word_rows_trim(allocator, &native->words);
    return true;
}

// Kinds stand in fewer bytes while nobody asks for them.
static bool
rest_kinds(lg__native *native, lg__compact_writer *rested)
{
    for (uint32_t block = 0; block < native->blocks; block++)
        if (!lg__compact_add(rested, lg__kind_of(native, block) + 1))
            return false;
    lg__native_drop(native, native->kind.bytes);
    native->kind.bytes = NULL;
    return lg__compact_end(rested);
}

static bool
wake_kinds(lg__native *native, const lg__compact *rested)
{
    native->kind.bytes =
        lg__native_take(native, lg__ids_bytes(native->kind, native->blocks), 1);
    for (uint32_t block = 0;
         block < native->blocks && native->kind.bytes != NULL; block++)
        lg__kind_set(native, block, lg__compact_at(rested, block) - 1);
    return native->kind.bytes != NULL;
}

// Solves when what only the search needed is gone.
static bool
solve_alone(reference_web *web)
{
    lg__native *native = web->native;
    lg__compact_writer rested = {.allocator = &native->allocator};
    lg__native_drop(native, native->entrance);
    lg__policy_free(&native->policy);
    native->entrance = NULL;
    const bool enough = rest_kinds(native, &rested) && solve(web) &&
                        wake_kinds(native, &rested.numbers);
    lg__compact_free(&native->allocator, &rested.numbers);
    return enough;
}

static void
close_web(reference_web *web)
{
    lg__native *native = web->native;
    native->order = web->vertex;
    native->dominator = web->way;
    native->reached = web->count;
    lg__native_drop(native, web->referrer.bytes);
    lg__native_drop(native, web->first);
    lg__native_drop(native, web->forked);
    lg__native_drop(native, web->inner);
}

bool
lg__native_dominate(lg__native *native)
{
    reference_web web = {.native = native};
    if (!prune(native))
        return false;
    find_barren(native);
    bool enough = open_web(&web) && search(&web) && turn(&web);
    lg__native_drop(native, web.number.bytes);
    lg__native_drop(native, web.before);
    lg__native_drop(native, web.joins);
    enough = enough && solve_alone(&web);
    close_web(&web);
    return enough;
}
