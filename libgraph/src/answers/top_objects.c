// Finds what gathers bytes: objects, and many small objects of one place.
// These, and what only passes bytes on, make up the whole heap.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// An object gathers nothing itself if it passes this share of what it retains
// on to one other object.
enum { PASSED_ON_PERCENT = 80 };
// Along a linked list, bytes go little by little, so the first link gathers
// them. This many links make a list.
enum { LINKS = 3 };
// Without a list, the last object of the path that has nearly all of the bytes
// gathers them.
enum { NEARLY_ALL_PERCENT = 95 };
// Each of many small objects of one place has less than this share of their
// bytes.
enum { SMALL_PERCENT = 10 };
// From so many on, objects of one place are many, too, if they are about as
// big: the biggest has at most this part more than they have on average.
enum { EQUALS_LEAST = 5, EQUALS_PART = 10 };

// An object that may pass its bytes on.
typedef struct part {
    uint64_t bytes;
    uint32_t node;
    uint32_t order; // as in lg__top_item
} part;

typedef struct place {
    uint64_t key;
    uint32_t node;
} place;

typedef struct top_search {
    const lg_analysis *analysis;
    uint32_t device;
    lg__top_visit *visit;
    void *context;
    lg_allocator allocator;
    lg__hop_walk walk;
    lg__gathered below;       // scratch
    lg__gathered path;        // scratch
    lg__gathered members;     // scratch
    lg__vector parts;         // part: those still to be settled
    lg__vector places;        // place: those still to be opened
    lg__top_candidates found; // those in no part or item yet
    part from;                // the part that is being settled
    uint32_t *links;          // [type] count on the path; all 0 between paths
    lg__top_places where;     // the places of what is in `below`
} top_search;

static uint64_t
weight(const top_search *search, uint32_t node)
{
    return lg__top_weight(search->analysis, node, search->device);
}

// Returns whether the node is a place: a module, thread or frame. Nobody made
// these as objects, except a generator, which is also a frame.
static bool
is_place(const top_search *search, uint32_t node)
{
    const lg_graph *graph = search->analysis->graph;
    lg_category category = lg__node_category(graph, node);
    return category == LG_CATEGORY_MODULE || category == LG_CATEGORY_ROOT ||
           (category == LG_CATEGORY_FRAME &&
            lg__node_role(graph, node) != LG__ROLE_SUSPENDED);
}

// Whose places are sought: those of what lies below `above`.
typedef struct placing {
    lg__top_places *to;
    const lg_graph *graph;
    uint64_t key;
    uint32_t above;
    const uint32_t *nodes;
} placing;

static bool
is_module(const lg_graph *graph, uint32_t node)
{
    return node < graph->columns.node_count &&
           lg__node_category(graph, node) == LG_CATEGORY_MODULE;
}

// Writes what tells a node from others below the same one. A module stands for
// all modules, so what many of them have under one name is of one place. What a
// module has without a name is of that module alone.
static void
add_sort(const placing *search, uint32_t node, bool has_hop, lg_text *facts)
{
    const lg_graph *graph = search->graph;
    const uint32_t *name =
        &graph->type_name[lg_columns_type(&graph->columns, node)];
    if (is_module(graph, node))
        lg_text_add_bytes(facts, (const char *)name, sizeof *name);
    else
        lg__sort_number(graph, node, facts);
    if (!has_hop && is_module(graph, search->above))
        lg_text_add_bytes(facts, (const char *)&search->above,
                          sizeof search->above);
}

static void
set_place(void *context, size_t index, const lg_hop *hop)
{
    const placing *search = context;
    lg_text *facts = &search->to->facts;
    facts->length = 0;
    if (hop->edge_count > 0)
        lg__hop_facts(search->graph, hop, facts);
    add_sort(search, search->nodes[index], hop->edge_count > 0, facts);
    search->to->items[index] = XXH3_64bits_withSeed(
        facts->data ? facts->data : "", facts->length, search->key);
}

static bool
make_places(lg__top_places *places, size_t count)
{
    if (count <= places->capacity)
        return true;
    lg__free(places->items);
    places->items = lg__alloc(2 * count * sizeof *places->items);
    places->capacity = places->items == NULL ? 0 : 2 * count;
    return places->items != NULL;
}

bool
lg__top_places_find(lg__top_places *places, const lg__hop_walk *walk,
                    uint32_t node, uint64_t key, const lg__gathered *below)
{
    placing search = {places, walk->graph, key, node, below->items};
    return make_places(places, below->count) &&
           lg__best_hops_find(&places->hops, walk, node, below, set_place,
                              &search) &&
           !places->facts.failed;
}

void
lg__top_places_free(lg__top_places *places)
{
    lg__free(places->items);
    lg__best_hops_free(&places->hops);
    lg_text_free(&places->facts);
    *places = (lg__top_places){0};
}

static bool
add_place(top_search *search, uint32_t node, uint64_t key)
{
    place *added = lg__vector_extend(&search->allocator, &search->places, 1);
    if (added != NULL)
        *added = (place){key, node};
    return added != NULL;
}

static bool
add_candidate(top_search *search, uint32_t node, uint64_t key)
{
    return weight(search, node) == 0 ||
           lg__top_candidates_add(&search->found, key, node);
}

static bool
gather(top_search *search, uint32_t node)
{
    search->below.count = 0;
    return lg__gather_dominated(search->analysis, search->walk.fold, node, 1,
                                &search->below);
}

// Adds what the node dominates, without one child (LG_NONE: without none).
// Opens places if `open` says so.
static bool
add_below(top_search *search, uint32_t node, uint64_t key, uint32_t child,
          bool open)
{
    if (!gather(search, node) ||
        !lg__top_places_find(&search->where, &search->walk, node, key,
                             &search->below) ||
        !lg__vector_grow(&search->allocator, &search->found.item,
                         search->below.count))
        return false;
    for (size_t i = 0; i < search->below.count; i++) {
        uint32_t one = search->below.items[i];
        uint64_t key_below = search->where.items[i];
        if (one != child && !(open && is_place(search, one)
                                  ? add_place(search, one, key_below)
                                  : add_candidate(search, one, key_below)))
            return false;
    }
    return true;
}

static bool
open_places(top_search *search)
{
    bool enough = true;
    while (enough && search->places.count > 0) {
        place next =
            ((const place *)search->places.data)[--search->places.count];
        enough = add_below(search, next.node, next.key, LG_NONE, true);
    }
    return enough;
}

// Returns the order of an item. What a part passes on does not come before the
// part if both are as big.
static uint32_t
order_of(const top_search *search, uint64_t bytes, uint32_t node)
{
    const part *from = &search->from;
    return bytes == from->bytes && from->order > node ? from->order : node;
}

static bool
push(top_search *search, uint64_t bytes, uint32_t node)
{
    part *added = lg__vector_extend(&search->allocator, &search->parts, 1);
    if (added != NULL)
        *added = (part){bytes, node, order_of(search, bytes, node)};
    return added != NULL;
}

static bool
show(top_search *search, uint64_t bytes, const uint32_t *nodes, uint32_t count)
{
    lg__top_item item = {nodes, count, bytes,
                         order_of(search, bytes, nodes[0])};
    return search->visit(search->context, &item);
}

// Adds an object that dominates nothing, which gathers its own bytes.
static bool
is_settled(const top_search *search, uint32_t node)
{
    const lg_analysis *analysis = search->analysis;
    const lg__children children = lg__children_of(analysis, node);
    return children.begin == children.end &&
           lg__garbage_component_of(analysis, node) == LG_NONE &&
           !is_place(search, node);
}

static bool
show_group(top_search *search, const lg__top_candidate *run, size_t count,
           uint64_t bytes)
{
    search->members.count = 0;
    for (size_t i = 0; i < count; i++)
        if (!lg__gather_append(&search->members, run[i].node))
            return false;
    return show(search, bytes, search->members.items, (uint32_t)count);
}

// Returns whether the objects of one place, of which the biggest has `first`
// bytes, are many together rather than each for itself.
static bool
are_many(uint64_t first, size_t count, uint64_t bytes)
{
    const uint64_t mean = bytes / count;
    return first < bytes / 100 * SMALL_PERCENT ||
           (count >= EQUALS_LEAST && first <= mean + mean / EQUALS_PART);
}

// Adds the candidates of one place. The big ones among them become items of
// their own.
static bool
push_run(top_search *search, lg__top_candidate *run, size_t count)
{
    uint64_t bytes =
        lg__top_candidates_weigh(search->analysis, search->device, run, count);
    for (; count > 0; run++, count--) {
        uint64_t first = lg__top_candidates_lead(search->analysis,
                                                 search->device, run, count);
        if (are_many(first, count, bytes))
            return show_group(search, run, count, bytes);
        const uint32_t node = run->node;
        if (!(is_settled(search, node) ? show(search, first, &node, 1)
                                       : push(search, first, node)))
            return false;
        bytes -= first;
    }
    return true;
}

static bool
push_found(top_search *search)
{
    bool enough = true;
    const size_t count = search->found.item.count;
    lg__top_candidate *found = lg__top_candidates_group(&search->found);
    for (size_t at = 0, end; at < count && enough; at = end) {
        for (end = at + 1; end < count && found[end].place == found[at].place;)
            end++;
        enough = push_run(search, found + at, end - at);
    }
    lg__top_candidates_clear(&search->found);
    return enough;
}

// Finds the heaviest child of the node, and its bytes. Returns false when
// memory ran out.
static bool
find_heaviest(top_search *search, uint32_t node, uint32_t *child,
              uint64_t *most)
{
    *child = LG_NONE;
    *most = 0;
    if (!gather(search, node))
        return false;
    for (size_t i = 0; i < search->below.count; i++) {
        uint64_t bytes = weight(search, search->below.items[i]);
        if (bytes > *most) {
            *most = bytes;
            *child = search->below.items[i];
        }
    }
    return true;
}

static bool
is_most(uint64_t bytes, uint64_t whole)
{
    return bytes > 0 && bytes / PASSED_ON_PERCENT >= whole / 100;
}

// Returns the first link of a list on the path, or LG_NONE.
static uint32_t
find_links(top_search *search)
{
    const lg_columns *columns = &search->analysis->graph->columns;
    const lg__gathered *path = &search->path;
    uint32_t best = LG_NONE, most = LINKS - 1;
    for (size_t i = 0; i < path->count; i++)
        if (!is_place(search, path->items[i]))
            search->links[lg_columns_type(columns, path->items[i])]++;
    for (size_t i = 0; i < path->count; i++) {
        uint32_t *links =
            &search->links[lg_columns_type(columns, path->items[i])];
        if (*links > most && !is_place(search, path->items[i])) {
            most = *links;
            best = (uint32_t)i;
        }
    }
    for (size_t i = 0; i < path->count; i++)
        search->links[lg_columns_type(columns, path->items[i])] = 0;
    return best;
}

// Returns the index on the path of the object that gathers the bytes, when the
// last object passes only a part of them on.
static size_t
find_spender(top_search *search)
{
    const lg__gathered *path = &search->path;
    uint32_t link = find_links(search);
    uint64_t whole = weight(search, path->items[0]);
    if (link != LG_NONE)
        return link;
    size_t at = path->count - 1;
    while (at > 0 &&
           (is_place(search, path->items[at]) ||
            weight(search, path->items[at]) / NEARLY_ALL_PERCENT < whole / 100))
        at--;
    return is_place(search, path->items[at]) ? path->count - 1 : at;
}

// Follows most of the bytes down from a node. Adds the gathering object, and
// what hangs from the path above it.
static bool
settle(top_search *search)
{
    lg__gathered *path = &search->path;
    uint32_t child = search->from.node;
    uint64_t whole = weight(search, child), most;
    path->count = 0;
    do {
        if (!lg__gather_append(path, child) ||
            !find_heaviest(search, path->items[path->count - 1], &child, &most))
            return false;
    } while (is_most(most, whole));
    uint32_t last = path->items[path->count - 1];
    size_t row = path->count;
    if (!is_place(search, last))
        row = is_most(most, weight(search, last)) ? find_spender(search)
                                                  : path->count - 1;
    for (size_t i = 0; i < row; i++) {
        uint32_t next = i + 1 < path->count ? path->items[i + 1] : LG_NONE;
        if (!add_below(search, path->items[i], path->items[i], next, true))
            return false;
    }
    if (row < path->count &&
        !show(search, weight(search, path->items[row]), &path->items[row], 1))
        return false;
    return open_places(search) && push_found(search);
}

static bool
begin(top_search *search)
{
    const lg_graph *graph = search->analysis->graph;
    search->links =
        lg__calloc((size_t)graph->type_count + 1, sizeof *search->links);
    search->walk.fold = lg__graph_folds(graph);
    bool enough = search->links && search->walk.fold &&
                  lg__graph_texts(graph) &&
                  lg__graph_reverse(graph, &search->walk.reverse);
    for (uint32_t root = 0; root < 2 && enough; root++)
        enough = add_place(search, graph->columns.node_count + root, root);
    return enough && open_places(search) && push_found(search);
}

static void
end(top_search *search)
{
    lg__free(search->below.items);
    lg__free(search->path.items);
    lg__free(search->members.items);
    lg__vector_free(&search->allocator, &search->parts);
    lg__vector_free(&search->allocator, &search->places);
    lg__top_candidates_free(&search->found);
    lg__top_places_free(&search->where);
    lg__free(search->links);
}

bool
lg__top_each(const lg_analysis *analysis, uint32_t device, lg__top_visit *visit,
             void *context)
{
    top_search search = {
        .analysis = analysis,
        .device = device,
        .visit = visit,
        .context = context,
        .allocator = lg_allocator_default(),
        .walk = {.graph = analysis->graph, .everything = true},
        .parts = {.element = sizeof(part)},
        .places = {.element = sizeof(place)},
        .found = lg__top_candidates_open(),
        .from = {.bytes = UINT64_MAX},
    };
    bool going = begin(&search);
    while (going && search.parts.count > 0) {
        search.from = ((const part *)search.parts.data)[--search.parts.count];
        going = settle(&search);
    }
    end(&search);
    return going;
}
