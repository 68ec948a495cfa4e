// Finds what gathers bytes, the biggest first: objects, and many small ones of
// one place. Together with what only passes bytes on they are the whole heap.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// An object that passes this share of what it retains on to one other object
// gathers nothing itself.
enum { PASSED_ON_PERCENT = 80 };
// Where bytes go little by little, as along a linked list, the first of its
// links gathers them. So many make a list.
enum { LINKS = 3 };
// Without links, what still has nearly all of the bytes gathers them.
enum { NEARLY_ALL_PERCENT = 95 };
// Each of many small ones of one place has less than this share of them.
enum { SMALL_PERCENT = 10 };

enum { SINGLE, SETTLED, GROUPS }; // the tag of a part; a group has its number

typedef struct group {
    size_t first; // among the members
    uint32_t count;
} group;

typedef struct place {
    uint64_t key;
    uint32_t node;
} place;

struct lg__top_search {
    const lg_analysis *analysis;
    uint32_t device;
    lg_allocator allocator;
    lg__walk walk;
    lg__parts heap;
    lg__gathered below;   // scratch
    lg__gathered path;    // scratch
    lg__gathered members; // of all groups
    lg__vector groups;    // group
    lg__vector places;    // place: what is still to be opened
    lg__vector found;     // candidate: not among the parts yet
    uint32_t *links;      // [type] of the path; all 0 in between
    lg__hop_list hops;    // to what is in `below`
    lg_text facts;        // scratch
    uint32_t at;          // the node of the item that was found last
};

static uint64_t
weight(const lg__top_search *search, uint32_t node)
{
    return lg__top_weight(search->analysis, node, search->device);
}

// Modules, threads and frames are places. Nobody made them as objects, except a
// generator, which is also a frame.
static bool
is_place(const lg__top_search *search, uint32_t node)
{
    const lg_graph *graph = search->analysis->graph;
    lg_category category = lg__node_category(graph, node);
    return category == LG_CATEGORY_MODULE || category == LG_CATEGORY_ROOT ||
           (category == LG_CATEGORY_FRAME &&
            lg__node_role(graph, node) != LG__ROLE_SUSPENDED);
}

// Of a node to which that hop leads: its type and the name by which it is held,
// without an index or key. From one of the two roots there is no hop.
static uint64_t
place_of(lg__top_search *search, const lg_hop *hop, uint64_t key, uint32_t node)
{
    const lg_graph *graph = search->analysis->graph;
    lg_text *facts = &search->facts;
    facts->length = 0;
    if (hop->edge_count > 0)
        lg__hop_facts(graph, hop, facts);
    lg__sort_common(graph, node, facts);
    return XXH3_64bits_withSeed(facts->data ? facts->data : "", facts->length,
                                key);
}

static bool
add_place(lg__top_search *search, uint32_t node, uint64_t key)
{
    place *added = lg__vector_extend(&search->allocator, &search->places, 1);
    if (added != NULL)
        *added = (place){key, node};
    return added != NULL;
}

static bool
add_candidate(lg__top_search *search, uint32_t node, uint64_t key)
{
    uint64_t bytes = weight(search, node);
    lg__top_candidate *added =
        bytes > 0 ? lg__vector_extend(&search->allocator, &search->found, 1)
                  : NULL;
    if (added != NULL)
        *added = (lg__top_candidate){key, bytes, node};
    return added != NULL || bytes == 0;
}

static bool
gather(lg__top_search *search, uint32_t node)
{
    search->below.count = 0;
    return lg__gather_dominated(search->analysis, search->walk.fold, node, 1,
                                &search->below);
}

// Adds what the node dominates, but for one child, which may be LG_NONE. Places
// are to be opened where `open` says so.
static bool
add_below(lg__top_search *search, uint32_t node, uint64_t key, uint32_t child,
          bool open)
{
    if (!gather(search, node))
        return false;
    if (!lg__hop_list_find(&search->hops, &search->walk, node, &search->below))
        return false;
    for (size_t i = 0; i < search->below.count; i++) {
        uint32_t one = search->below.items[i];
        if (one == child)
            continue;
        uint64_t below = place_of(search, &search->hops.items[i], key, one);
        if (search->facts.failed || !(open && is_place(search, one)
                                          ? add_place(search, one, below)
                                          : add_candidate(search, one, below)))
            return false;
    }
    return true;
}

static bool
open_places(lg__top_search *search)
{
    bool enough = true;
    while (enough && search->places.count > 0) {
        place next =
            ((const place *)search->places.data)[--search->places.count];
        enough = add_below(search, next.node, next.key, LG_NONE, true);
    }
    return enough;
}

static bool
push(lg__top_search *search, uint64_t bytes, uint32_t node, uint32_t tag)
{
    return lg__parts_push(&search->heap, (lg__part){bytes, node, tag});
}

// An object that dominates nothing gathers its own bytes.
static bool
is_settled(const lg__top_search *search, uint32_t node)
{
    const lg_analysis *analysis = search->analysis;
    return analysis->first_child[node] == analysis->first_child[node + 1] &&
           lg__garbage_component_of(analysis, node) == LG_NONE &&
           !is_place(search, node);
}

static bool
push_group(lg__top_search *search, const lg__top_candidate *run, size_t count,
           uint64_t bytes)
{
    group *added = lg__vector_extend(&search->allocator, &search->groups, 1);
    if (added == NULL)
        return false;
    *added = (group){search->members.count, (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        if (!lg__gather_append(&search->members, run[i].node))
            return false;
    uint32_t tag = GROUPS + (uint32_t)(search->groups.count - 1);
    return push(search, bytes, run[0].node, tag);
}

// Candidates of one place, the biggest first: those that are big among them
// stand alone.
static bool
push_run(lg__top_search *search, const lg__top_candidate *run, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += run[i].bytes;
    for (; count > 0 && run->bytes >= bytes / 100 * SMALL_PERCENT;
         run++, count--) {
        uint32_t tag = is_settled(search, run->node) ? SETTLED : SINGLE;
        if (!push(search, run->bytes, run->node, tag))
            return false;
        bytes -= run->bytes;
    }
    return count == 0 || push_group(search, run, count, bytes);
}

static bool
push_runs(lg__top_search *search, lg__top_candidate *found, size_t count)
{
    bool enough = true;
    lg__top_candidates_sort(found, count);
    for (size_t at = 0, end; at < count && enough; at = end) {
        for (end = at + 1; end < count && found[end].place == found[at].place;)
            end++;
        enough = push_run(search, found + at, end - at);
    }
    return enough;
}

static bool
push_found(lg__top_search *search)
{
    bool enough = push_runs(search, search->found.data, search->found.count);
    search->found.count = 0;
    return enough;
}

// The heaviest of what the node dominates, and its bytes; false: no memory.
static bool
find_heaviest(lg__top_search *search, uint32_t node, uint32_t *child,
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
is_most(uint64_t part, uint64_t whole)
{
    return part > 0 && part / PASSED_ON_PERCENT >= whole / 100;
}

// The first of the links of a list, if the path has some; LG_NONE.
static uint32_t
find_links(lg__top_search *search)
{
    const uint32_t *types = search->analysis->graph->columns.type;
    const lg__gathered *path = &search->path;
    uint32_t best = LG_NONE, most = LINKS - 1;
    for (size_t i = 0; i < path->count; i++)
        if (!is_place(search, path->items[i]))
            search->links[types[path->items[i]]]++;
    for (size_t i = 0; i < path->count; i++) {
        uint32_t *links = &search->links[types[path->items[i]]];
        if (*links > most && !is_place(search, path->items[i])) {
            most = *links;
            best = (uint32_t)i;
        }
    }
    for (size_t i = 0; i < path->count; i++)
        search->links[types[path->items[i]]] = 0;
    return best;
}

// Which of a path gathers the bytes that its last object passes on in part.
static size_t
find_spender(lg__top_search *search)
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

// Follows most of the bytes down from a node. Adds what hangs from the path
// above the object that gathers, and that object.
static bool
settle(lg__top_search *search, uint32_t node)
{
    lg__gathered *path = &search->path;
    uint64_t whole = weight(search, node), most;
    uint32_t child = node;
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
    if (row < path->count && !push(search, weight(search, path->items[row]),
                                   path->items[row], SETTLED))
        return false;
    return open_places(search) && push_found(search);
}

static bool
take_part(lg__top_search *search, const lg__part *part, lg__top_item *out)
{
    *out = (lg__top_item){&search->at, 1, part->bytes};
    search->at = part->node;
    if (part->tag >= GROUPS) {
        const group *all = search->groups.data;
        const group *one = &all[part->tag - GROUPS];
        out->nodes = search->members.items + one->first;
        out->count = one->count;
    }
    return part->tag != SINGLE;
}

lg_status
lg__top_next(lg__top_search *search, lg__top_item *out, lg_error *err)
{
    *out = (lg__top_item){0};
    while (search->heap.count > 0) {
        lg__top_item item;
        lg__part part = lg__parts_pop(&search->heap);
        if (take_part(search, &part, &item)) {
            *out = item;
            return LG_OK;
        }
        if (!settle(search, part.node))
            return lg__error_memory(err);
    }
    return LG_OK;
}

lg_status
lg__top_begin(const lg_analysis *analysis, uint32_t device,
              lg__top_search **out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    lg__top_search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return lg__error_memory(err);
    search->analysis = analysis;
    search->device = device;
    search->allocator = lg_allocator_default();
    search->groups.element = sizeof(group);
    search->places.element = sizeof(place);
    search->found.element = sizeof(lg__top_candidate);
    search->links = calloc((size_t)graph->type_count + 1, sizeof(uint32_t));
    search->walk = (lg__walk){
        .graph = graph, .fold = lg__graph_folds(graph), .everything = true};
    bool enough = search->links && search->walk.fold &&
                  lg__graph_reverse(graph, &search->walk.reverse);
    for (uint32_t root = 0; root < 2 && enough; root++)
        enough = add_place(search, graph->columns.node_count + root, root);
    if (!enough || !open_places(search) || !push_found(search)) {
        lg__top_end(search);
        return lg__error_memory(err);
    }
    *out = search;
    return LG_OK;
}

void
lg__top_end(lg__top_search *search)
{
    if (search == NULL)
        return;
    lg__parts_free(&search->heap);
    free(search->below.items);
    free(search->path.items);
    free(search->members.items);
    lg__vector_free(&search->allocator, &search->groups);
    lg__vector_free(&search->allocator, &search->places);
    lg__vector_free(&search->allocator, &search->found);
    lg__hop_list_free(&search->hops);
    free(search->links);
    lg_text_free(&search->facts);
    free(search);
}
