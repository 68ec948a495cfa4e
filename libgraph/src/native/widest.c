// The best path to each vertex: the one whose weakest reference is the
// strongest.
//
// Vertices are settled in order of strength, the best first. From a vertex of
// strength s, a word of strength w leads on at min(s, w), which is never
// better, so a vertex that is taken from the queue of the highest strength has
// its final one.
//
// On the way, a block whose kind nothing else tells gets one: that of what
// refers to it first, by which word, and its size. A kind of the same size
// among the next six before is taken for the same when the way goes on, so a
// list or a tree has as many kinds as its nodes have sorts.
//
// Until a vertex is settled, its path is the best one so far, and the kind of a
// plain block is that of what leads to it. By which word it does so stands in
// the queue. Queues are lists of parts, and a part that was taken to its end
// serves again, so they need as much memory as ever waits at one time.
#include "native/native_private.h"
#include "native/row_table.h"

#include <string.h>

enum { STRENGTHS = LG__STRENGTH_EXACT + 1, BEFORE = 6, PART_ARRIVALS = 8191 };

typedef struct arrival {
    uint32_t vertex;
    uint32_t step; // of a plain block: by which word the path leads there
} arrival;

typedef struct queue_part {
    struct queue_part *next;
    arrival arrivals[PART_ARRIVALS];
} queue_part;

typedef struct path_queue {
    queue_part *first;
    queue_part *last;
    uint32_t taken; // of the first part
    uint32_t added; // to the last part
} path_queue;

typedef struct path_search {
    lg__native *native;
    path_queue queue[STRENGTHS];
    queue_part *spare;
    lg__strength now;   // no vertex to come has a better one
    lg__row_table ways; // the numbers of kinds by way
    bool late;
    bool enough;
} path_search;

static queue_part *
take_part(path_search *search)
{
    queue_part *part = search->spare;
    if (part != NULL)
        search->spare = part->next;
    else
        part = lg__allocate(&search->native->allocator, sizeof *part);
    if (part != NULL)
        part->next = NULL;
    return part;
}

static bool
push(path_search *search, lg__strength strength, arrival last)
{
    path_queue *queue = &search->queue[strength];
    if (queue->last == NULL || queue->added == PART_ARRIVALS) {
        queue_part *part = take_part(search);
        if (part == NULL)
            return false;
        *(queue->last != NULL ? &queue->last->next : &queue->first) = part;
        queue->last = part;
        queue->added = 0;
    }
    queue->last->arrivals[queue->added++] = last;
    return true;
}

static bool
pop(path_search *search, lg__strength strength, arrival *out)
{
    path_queue *queue = &search->queue[strength];
    queue_part *part = queue->first;
    if (part == NULL || (part == queue->last && queue->taken == queue->added))
        return false;
    *out = part->arrivals[queue->taken++];
    if (queue->taken < PART_ARRIVALS)
        return true;
    queue->first = part->next;
    queue->taken = 0;
    if (queue->first == NULL)
        queue->last = NULL;
    part->next = search->spare;
    search->spare = part;
    return true;
}

static void
free_parts(const lg__native *native, queue_part *part)
{
    while (part != NULL) {
        queue_part *next = part->next;
        lg__deallocate(&native->allocator, part, sizeof *part);
        part = next;
    }
}

// An object has what its words lead to, whoever has the object.
static unsigned
course_from(const lg__native *native, uint32_t vertex, uint32_t from)
{
    if (vertex < native->nodes || from == lg__native_root(native))
        return 0;
    return from >= native->nodes + native->blocks
               ? LG__PATH_REGISTRY
               : native->path[from] & LG__PATH_REGISTRY;
}

static bool
goes_on(const lg__native *native, uint32_t node)
{
    const lg_columns *columns = &native->graph->columns;
    return lg_columns_first_edge(columns, node) <
               lg_columns_first_edge(columns, node + 1) ||
           lg__node_has_words(native, node);
}

static bool
is_plain(const lg__native *native, uint32_t vertex)
{
    return vertex >= native->nodes && vertex < native->nodes + native->blocks &&
           lg__block_is_plain(native, vertex - native->nodes);
}

static void
arrive(path_search *search, uint32_t vertex, lg__strength strength)
{
    lg__native *native = search->native;
    lg__native_tick(native);
    native->path[vertex] =
        (uint8_t)((native->path[vertex] & LG__PATH_REGISTRY) | strength |
                  (search->late ? LG__PATH_LATE : 0));
}

// An object that leads nowhere needs no place in a queue if it would come to
// its turn with this strength.
static void
enqueue(path_search *search, uint32_t vertex, lg__strength strength,
        uint32_t from, uint32_t step)
{
    lg__native *native = search->native;
    if (lg__best(native, vertex) != 0 ||
        (native->path[vertex] & LG__PATH_STRENGTH) >= strength)
        return;
    if (vertex < native->nodes && strength == search->now &&
        !goes_on(native, vertex)) {
        arrive(search, vertex, strength);
        return;
    }
    if (!push(search, strength, (arrival){vertex, step})) {
        search->enough = false;
        return;
    }
    native->path[vertex] = (uint8_t)(LG__PATH_WAITS | strength |
                                     course_from(native, vertex, from));
    if (is_plain(native, vertex))
        lg__kind_set(native, vertex - native->nodes,
                     lg__kind_again(native, lg__vertex_kind(native, from)));
}

static uint32_t
step_of(const lg__native *native, uint32_t vertex, const lg__word *word,
        uint32_t number)
{
    const uint8_t trait = lg__word_row_at(&native->words, number)->trait;
    const uint32_t stride = lg__word_stride(native, number);
    if (lg__vertex_is_clean(native, vertex))
        return 8 * word->place + LG__STEP_OBJECT;
    if (!(trait & LG__ARRAY_BIT))
        return 8 * word->place + LG__STEP_WORD;
    return stride > 1
               ? LG__STEP_STRUCT + 8 * (64 * (word->place % stride) + stride)
               : LG__STEP_ELEMENT;
}

static uint32_t
package_of_kind(const lg__native *native, uint32_t kind)
{
    const lg__way_kind *ways = native->way.data;
    return kind < native->first_way ? native->kind_package[kind]
                                    : ways[kind - native->first_way].package;
}

// Whether a block shows another package than the one whose word leads there: by
// its class or, if it has none, by addresses of variables and functions among
// its first words.
static bool
is_foreign(const lg__native *native, uint32_t block, uint32_t here)
{
    enum { SHOWING = 16 };
    const lg_native_block *at = &native->memory->blocks[block];
    const uint32_t words = at->node == LG_NONE ? SHOWING : 0;
    uint32_t there = lg__block_package(native, block);
    for (uint64_t i = 0; there == 0 && i < words; i++)
        there = lg__address_package(native, lg__block_word(at, 8 * i));
    return there != 0 && there != here;
}

// A lone word from what one package has to what another has is rather what the
// other has left in a block that it has freed. The way to a block tells who has
// it, so such words are found when the way is known.
static void
doubt_foreign_words(const lg__native *native, uint32_t block)
{
    lg__word_walk at = lg__walk_words(native, block);
    const uint32_t here = package_of_kind(native, lg__kind_of(native, block));
    if (here == 0)
        return;
    while (lg__word_walk_next(&at))
        if (at.word.doubt != 0 && is_foreign(native, at.word.target, here))
            lg__word_weigh(&native->words, at.number,
                           at.word.level < LG_LEVEL_POSSIBLE
                               ? at.word.level
                               : LG_LEVEL_POSSIBLE,
                           at.word.doubt);
}

static void
follow_words(path_search *search, uint32_t vertex)
{
    const lg__native *native = search->native;
    uint32_t block = lg__block_of_vertex(native, vertex);
    if (block == LG_NONE)
        return;
    doubt_foreign_words(native, block);
    lg__word_walk at = lg__walk_words(native, block);
    while (lg__word_walk_next(&at))
        enqueue(search, lg__vertex_of(native, at.word.target),
                lg__path_by(native, vertex, &at.word), vertex,
                step_of(native, vertex, &at.word, at.number));
}

static void
follow_references(path_search *search, uint32_t node)
{
    const lg_columns *columns = &search->native->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
            enqueue(search, lg_columns_target(columns, edge),
                    lg__best(search->native, node), node, 0);
}

uint32_t
lg__kind_before(const lg__native *native, uint32_t kind, uint64_t form)
{
    const lg__way_kind *ways = native->way.data;
    for (int i = 0; i < BEFORE && kind >= native->first_way; i++) {
        const lg__way_kind *way = &ways[kind - native->first_way];
        if (way->form == form)
            return kind;
        kind = way->before;
    }
    return LG_NONE;
}

// All that variables of a library lead to has one step. The variables may have
// nothing in common, so a class parts what has one size, be it shared by ever
// so few: each lies at an address of its own in a library. The address of a
// text may lie anywhere.
static uint32_t
step_by_class(const lg__native *native, uint32_t block)
{
    const uint64_t word = lg__block_word(&native->memory->blocks[block], 0);
    const lg_native_range *library = lg__first_library(native, block);
    return library != NULL && word % 8 == 0 && !lg__range_is_libc(library)
               ? LG__STEP_WORD + 8 * (uint32_t)((word - library->from) / 8 + 1)
               : LG__STEP_WORD;
}

static bool
has_structs(const lg__native *native, uint32_t block)
{
    const lg__word_span span = lg__words_of(native, block);
    for (uint32_t i = span.first; i < span.end; i++)
        if (lg__word_stride(native, i) != 0)
            return true;
    return false;
}

// What blocks of one kind have in common but for the way. A table of structs
// and what one of these structs leads to may have one size, as if one were the
// next node of a list: but one is an array, and the other is none.
static uint64_t
form_of(const lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    const uint64_t text =
        native->mark[block] & LG__BLOCK_TEXT ? LG__FORM_TEXT : 0;
    const uint64_t array = has_structs(native, block) ? LG__FORM_ARRAY : 0;
    return lg_block_bytes(at) << LG__FORM_BITS | array | text | at->kind;
}

static uint32_t
package_by_way(const lg__native *native, uint32_t block,
               const lg__way_kind *way)
{
    const lg__way_kind *ways = native->way.data;
    if (way->again < native->first_way + native->way.count - 1)
        return ways[way->again - native->first_way].package;
    const uint32_t own = lg__block_package(native, block);
    return own != 0 ? own : package_of_kind(native, way->before);
}

static lg__way_kind *
extend_ways(lg__native *native)
{
    enum { SHARE = 8, LEAST = 1 << 8 };
    lg__vector *ways = &native->way;
    if (ways->count == ways->capacity &&
        !lg__vector_reserve(&native->allocator, ways,
                            ways->count + ways->count / SHARE + LEAST))
        return NULL;
    return lg__vector_extend(&native->allocator, ways, 1);
}

// Notes a way that is new, and returns how many there are; 0: memory ran out.
static uint32_t
add_way(lg__native *native, uint32_t block, const lg__way_kind *way)
{
    lg__way_kind *place = extend_ways(native);
    if (place == NULL)
        return 0;
    *place = *way;
    place->again = lg__kind_before(native, way->before, way->form);
    if (place->again == LG_NONE)
        place->again = native->first_way + (uint32_t)native->way.count - 1;
    place->package = package_by_way(native, block, place);
    return (uint32_t)native->way.count;
}

// Returns the kind that a block has by the way there.
static uint32_t
kind_by_way(path_search *search, uint32_t block, uint32_t step)
{
    lg__native *native = search->native;
    const lg__way_kind way = {
        .before = lg__kind_of(native, block),
        .step = lg__kind_is_of_variables(native, lg__kind_of(native, block))
                    ? step_by_class(native, block)
                    : step,
        .form = form_of(native, block),
    };
    uint32_t *number =
        lg__row_at(&native->allocator, &search->ways, &native->way, &way);
    if (number != NULL && *number == 0)
        *number = add_way(native, block, &way);
    search->enough = search->enough && number != NULL && *number > 0;
    return search->enough ? native->first_way + *number - 1 : 0;
}

static void
follow_holder(path_search *search, uint32_t vertex)
{
    const lg__native *native = search->native;
    const lg__outer_word *words = native->outer.data;
    uint32_t holder = vertex - native->nodes - native->blocks;
    for (uint64_t i = native->first_outer[holder];
         i < native->first_outer[holder + 1]; i++)
        if (words[i].level >= LG__LEVEL_EARLY)
            enqueue(search, lg__vertex_of(native, words[i].target),
                    2U * words[i].level, vertex, 0);
}

static void
follow(path_search *search, uint32_t vertex)
{
    const lg__native *native = search->native;
    if (vertex >= native->nodes + native->blocks) {
        follow_holder(search, vertex);
        return;
    }
    if (vertex < native->nodes)
        follow_references(search, vertex);
    follow_words(search, vertex);
}

// What is known of a vertex lies anywhere, so it is asked for, some vertices
// ahead: where its words are, these, and what they lead to.
enum { FIRST_AHEAD = 18, WORDS_AHEAD = 12, TARGETS_AHEAD = 6 };

// Returns the block of the vertex that comes that many later, or LG_NONE.
static uint32_t
block_ahead(const path_search *search, uint32_t distance)
{
    const path_queue *queue = &search->queue[search->now];
    const queue_part *part = queue->first;
    const uint32_t end = part == queue->last ? queue->added : PART_ARRIVALS;
    return part != NULL && queue->taken + distance < end
               ? lg__block_of_vertex(
                     search->native,
                     part->arrivals[queue->taken + distance].vertex)
               : LG_NONE;
}

static void
ask_ahead(const path_search *search)
{
    const lg__native *native = search->native;
    const uint32_t first = block_ahead(search, FIRST_AHEAD);
    const uint32_t words = block_ahead(search, WORDS_AHEAD);
    const uint32_t targets = block_ahead(search, TARGETS_AHEAD);
    if (first != LG_NONE) {
        lg__ask(lg__compact_distance(&native->first_word, first));
        lg__ask(&native->memory->blocks[first]);
        lg__ask(native->kind.bytes + (size_t)first * native->kind.width);
    }
    if (words != LG_NONE)
        lg__ask(
            lg__word_row_at(&native->words, lg__words_of(native, words).first));
    if (targets != LG_NONE)
        lg__ask_for_targets(native, targets);
}

// Settles the vertices that are queued with `least` or a better strength. A
// vertex may wait several times, each time with a better strength than before.
// The first time that its turn comes settles it, and the other times find it
// settled.
static void
settle(path_search *search, lg__strength least)
{
    lg__native *native = search->native;
    while (search->now >= least && search->enough) {
        arrival next;
        ask_ahead(search);
        if (!pop(search, search->now, &next)) {
            search->now--;
            continue;
        }
        const uint32_t vertex = next.vertex;
        if (lg__best(native, vertex) != 0)
            continue;
        arrive(search, vertex, search->now);
        if (is_plain(native, vertex))
            lg__kind_set(
                native, vertex - native->nodes,
                kind_by_way(search, vertex - native->nodes, next.step));
        follow(search, vertex);
    }
    search->now = LG__STRENGTH_EXACT;
}

static void
queue_roots(path_search *search)
{
    const lg__native *native = search->native;
    const lg_graph *graph = native->graph;
    const uint32_t root = lg__native_root(native);
    for (uint32_t holder = 0; holder < native->holders; holder++)
        enqueue(search, lg__native_holder(native, holder), LG__STRENGTH_EXACT,
                root, 0);
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (lg__root_counts(native, i))
            enqueue(search, graph->root_node[i], LG__STRENGTH_EXACT, root, 0);
}

static void
forget_entrance(path_search *search, uint32_t node)
{
    if (lg__bit_is_set(search->native->entrance, node) &&
        !push(search, 0, (arrival){node, 0}))
        search->enough = false;
    lg__bit_clear(search->native->entrance, node);
}

// Forgets the objects to which references lead that nobody knows, as C code may
// keep them, and what they refer to.
static void
forget_kept(path_search *search)
{
    const lg__native *native = search->native;
    const lg_columns *columns = &native->graph->columns;
    arrival next;
    for (uint32_t node = 0; node < native->nodes; node++)
        if (lg_node_unexplained(native->graph, node) > 0)
            forget_entrance(search, node);
    while (search->enough && pop(search, 0, &next)) {
        const lg_edge_range edges = lg_columns_edges(columns, next.vertex);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
                forget_entrance(search, lg_columns_target(columns, edge));
    }
}

// What no root reaches by references, and no block can keep, is garbage of the
// collector. It has memory as living objects have: a registry of C code that
// leads to this memory, too, only borrows it.
static void
queue_garbage(path_search *search)
{
    lg__native *native = search->native;
    if (native->graph->partial)
        return;
    for (uint32_t node = 0; node < native->nodes; node++)
        if (lg__best(native, node) == 0)
            lg__bit_set(native->entrance, node);
    forget_kept(search);
    for (uint32_t node = 0; node < native->nodes; node++)
        if (lg__bit_is_set(native->entrance, node))
            enqueue(search, node, LG__STRENGTH_EXACT, lg__native_root(native),
                    0);
}

// What no root reaches by more than leftovers is garbage, too, or held by a
// block that is lost. It has memory of its own all the same.
static void
queue_entrances(path_search *search)
{
    lg__native *native = search->native;
    for (uint32_t node = 0; node < native->nodes; node++) {
        if (lg__best(native, node) != 0)
            continue;
        lg__bit_set(native->entrance, node);
        enqueue(search, node, LG__STRENGTH_EXACT, lg__native_root(native), 0);
    }
}

// Words on stacks, in unlisted mappings and in variables of the runtime come
// last: they are often stale, and would take a part of what an object has by
// words that are as weak.
static void
queue_late(path_search *search)
{
    const lg__native *native = search->native;
    const lg__outer_word *words = native->outer.data;
    search->late = true;
    for (size_t i = 0; i < native->outer.count; i++)
        if (words[i].level < LG__LEVEL_EARLY)
            enqueue(search, lg__vertex_of(native, words[i].target),
                    2U * words[i].level,
                    lg__native_holder(native, words[i].holder), 0);
}

static void
close_search(path_search *search)
{
    lg__native *native = search->native;
    for (int i = 0; i < STRENGTHS; i++)
        free_parts(native, search->queue[i].first);
    free_parts(native, search->spare);
    lg__row_table_free(&native->allocator, &search->ways);
}

// What was queued and never settled has no path and no kind.
static void
forget_unsettled(lg__native *native)
{
    for (uint32_t vertex = 0; vertex < native->vertices; vertex++)
        if (lg__best(native, vertex) == 0) {
            native->path[vertex] = 0;
            if (is_plain(native, vertex))
                lg__kind_set(native, vertex - native->nodes, LG_NONE);
        }
}

bool
lg__native_widest(lg__native *native)
{
    path_search search = {.native = native,
                          .now = LG__STRENGTH_EXACT,
                          .ways.key = offsetof(lg__way_kind, package),
                          .enough = true};
    native->way.count = 0;
    native->path = lg__native_take_zero(native, native->vertices, 1);
    native->entrance = lg__native_take_zero(native, native->nodes / 8 + 1, 1);
    bool enough = native->path != NULL && native->entrance != NULL;
    if (enough) {
        native->path[lg__native_root(native)] = LG__STRENGTH_EXACT;
        queue_roots(&search);
        settle(&search, LG__STRENGTH_EXACT);
        queue_garbage(&search);
        settle(&search, LG__STRENGTH_WEAK);
        queue_entrances(&search);
        settle(&search, LG__STRENGTH_WEAK);
        queue_late(&search);
        settle(&search, LG__STRENGTH_LOST);
        forget_unsettled(native);
        enough = search.enough;
    }
    close_search(&search);
    return enough;
}

// A word counts if the path over it is as strong as the best one to its target.
// Words that tie all count, so what two holders lead to equally is held by what
// dominates both, and not by the one that the search met first.
bool
lg__word_counts(const lg__native *native, uint32_t vertex, const lg__word *word)
{
    uint32_t target = lg__vertex_of(native, word->target);
    lg__strength path = lg__path_by(native, vertex, word);
    bool late = native->path[vertex] & LG__PATH_LATE;
    if (vertex == target || lg__best(native, vertex) <= LG__STRENGTH_LOST ||
        word->level == LG_LEVEL_NONE)
        return false;
    if (target < native->nodes && lg__node_is_told(native, target))
        return true;
    return path > LG__STRENGTH_LOST && path >= lg__best(native, target) &&
           (!late || (native->path[target] & LG__PATH_LATE));
}

bool
lg__word_links(const lg__native *native, uint32_t vertex, const lg__word *word)
{
    uint32_t block = vertex - native->nodes;
    uint32_t node = native->memory->blocks[word->target].node;
    if (vertex >= native->nodes && block < native->blocks &&
        lg__block_is_lost(native, block))
        return node != LG_NONE && lg__node_is_told(native, node);
    return lg__word_counts(native, vertex, word);
}
