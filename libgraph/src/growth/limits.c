// Containers that keep only so many elements, by their construction: a deque
// with a maxlen, an lru_cache with a maxsize; or whose elements leave after a
// time. While one fills up, it grows as a leak does, but does not go on. The
// caches of libraries are instances with a number beside their containers,
// `maxsize` or `capacity`: it limits each container that nothing else holds,
// and what else accumulates in the instance, such as links between its entries.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/facts.h>
#include <leakgraph/internal/hops.h>

#include <stdlib.h>

// What limited containers share belongs to none of them: its place is that of
// whatever dominates them. It is limited, too, if nothing else keeps it: if
// each path from a root leads through an element of one. So a search from the
// roots that passes over these elements finds what has no limit. Each container
// then takes what it reaches of the rest, unless one before it has taken that.
// The containers that take members of a place limit their number: each member
// is in an element of at least one of these.

// A container with more elements than this part of the number beside it does
// not heed it. Some caches exceed theirs by half before they make room.
static const double EXCEEDED = 1.5;

// How many parts of an instance are looked at.
enum { MOST_INNER = 64 };

typedef struct limited {
    uint64_t count;  // containers, or what they share
    uint64_t most;   // elements that all of them keep at most
    uint64_t filled; // elements that all of them have
} limited;

typedef struct container {
    uint32_t node;
    uint64_t most;
    uint64_t filled;
    bool owner; // an instance that has containers, and is none
} container;

typedef struct sharing {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_places *places;
    const uint32_t *place_of;
    const lg__folds *folds;
    uint8_t *state;     // [node] bits of TAKEN and LIMITED
    limited *found;     // [place]
    uint32_t *last;     // [place] the node of the container added last
    lg__gathered stack; // nodes whose references are to be followed
} sharing;

enum { TAKEN = 1 << 0, LIMITED = 1 << 1 };

static const container *
container_at(const lg__vector *all, size_t index)
{
    return (const container *)all->data + index;
}

// Returns false when memory ran out.
static bool
add_container(lg__vector *out, container one)
{
    lg_allocator allocator = lg_allocator_default();
    container *place = lg__vector_extend(&allocator, out, 1);
    if (place != NULL)
        *place = one;
    return place != NULL;
}

// Returns how many elements a container has: the values of a dict, what a list
// or deque numbers, the members of a set.
static uint64_t
count_elements(const lg_graph *graph, uint32_t node)
{
    return lg__count_edges(graph, node, LG_EDGE_VALUE) +
           lg__count_edges(graph, node, LG_EDGE_INDEX) +
           lg__count_edges(graph, node, LG_EDGE_ELEMENT);
}

// Adds a container that has elements and heeds the limit of its owner. The
// owner says how much is used where elements count for more than one. Returns
// false when memory ran out.
static bool
add_heeding(const lg_graph *graph, uint32_t node, container *owner,
            lg__vector *out)
{
    uint64_t used =
        lg_node_fact_number(graph, owner->node, "used", LG__LIMIT_MOST);
    uint64_t elements = count_elements(graph, node);
    uint64_t filled = used < LG__LIMIT_MOST ? used : elements;
    if (elements == 0 || (double)filled > EXCEEDED * (double)owner->most)
        return true;
    owner->filled = filled > owner->filled ? filled : owner->filled;
    return add_container(out, (container){node, owner->most, filled, false});
}

// Returns whether the instance, or its namespace, dominates a node.
static bool
is_held_alone(const lg_analysis *analysis, const lg__folds *folds,
              uint32_t node, uint32_t owner)
{
    uint32_t above = lg__dominator_of(analysis, node);
    return above == owner || (above < analysis->graph->columns.node_count &&
                              lg__fold_owner(folds, above) == owner);
}

// Returns whether the hop leads from an instance to a container that nothing
// else holds, by an attribute.
static bool
is_attribute(const lg_analysis *analysis, const lg_hop *hop)
{
    const lg_graph *graph = analysis->graph;
    const lg__folds *folds = lg__graph_folds(graph);
    uint32_t kind = lg__edge_kind(graph, hop->edges[0]);
    return folds != NULL && !hop->weak &&
           (kind == LG_EDGE_ATTRIBUTE || kind == LG_EDGE_DICT) &&
           is_held_alone(analysis, folds, hop->target, hop->source) &&
           lg__node_category(graph, hop->target) == LG_CATEGORY_CONTAINER;
}

static bool
is_added(const lg__vector *all, size_t first, uint32_t node)
{
    for (size_t i = first; i < all->count; i++)
        if (container_at(all, i)->node == node)
            return true;
    return false;
}

// Returns whether the hop leads to a part of the owner: an instance that only
// the owner or other parts of it hold.
static bool
is_inner(const lg_analysis *analysis, const lg_hop *hop, uint32_t owner,
         const lg__gathered *inner)
{
    const lg__folds *folds = lg__graph_folds(analysis->graph);
    if (folds == NULL || hop->weak || hop->target == owner ||
        lg__node_category(analysis->graph, hop->target) != LG_CATEGORY_OTHER)
        return false;
    bool held = is_held_alone(analysis, folds, hop->target, owner);
    for (size_t i = 0; i < inner->count; i++) {
        if (inner->items[i] == hop->target)
            return false;
        held = held ||
               is_held_alone(analysis, folds, hop->target, inner->items[i]);
    }
    return held;
}

// Adds the containers in the attributes of an owner, or of a part of it, that
// have no more elements than that, and notes its parts. Returns false when
// memory ran out.
static bool
add_attributes(const lg_analysis *analysis, uint32_t node, size_t first,
               uint64_t elements, container *owner, lg__gathered *inner,
               lg__vector *out)
{
    const lg_graph *graph = analysis->graph;
    lg_hops hops = {0};
    bool enough = lg_node_hops_out(graph, node, &hops, NULL) == LG_OK;
    for (size_t i = 0; i < hops.count && enough; i++) {
        const lg_hop *hop = &hops.items[i];
        if (is_inner(analysis, hop, owner->node, inner))
            enough = inner->count == MOST_INNER ||
                     lg__gather_append(inner, hop->target);
        else if (is_attribute(analysis, hop) &&
                 !is_added(out, first, hop->target) &&
                 count_elements(graph, hop->target) <= elements)
            enough = add_heeding(graph, hop->target, owner, out);
    }
    lg_hops_free(&hops);
    return enough;
}

// Adds an instance that is a container, or the containers in its attributes and
// the instance. Where it orders its elements in parts of its own, such as the
// links of cachetools.LFUCache, these have no more elements than it has.
// Returns false when memory ran out.
static bool
add_owner(const lg_analysis *analysis, uint32_t node, uint64_t most,
          lg__vector *out)
{
    size_t first = out->count;
    container owner = {node, most, 0, true};
    lg__gathered inner = {0};
    bool enough =
        add_heeding(analysis->graph, node, &owner, out) &&
        add_attributes(analysis, node, first, UINT64_MAX, &owner, &inner, out);
    for (size_t i = 0; i < inner.count && enough; i++)
        enough = add_attributes(analysis, inner.items[i], first, owner.filled,
                                &owner, &inner, out);
    lg__free(inner.items);
    return enough && (owner.filled == 0 || is_added(out, first, node) ||
                      add_container(out, owner));
}

// Returns the limit that a node's facts say, where elements may also leave
// after a time: what the machine has no memory for is none.
static uint64_t
tightest_of(const lg_analysis *analysis, uint32_t node, uint64_t most)
{
    enum { SPAN_MOST = 1 << 30 };
    const lg_graph *graph = analysis->graph;
    uint64_t lifetime = lg_node_fact_number(graph, node, "lifetime", SPAN_MOST);
    uint64_t machine = UINT64_MAX;
    uint64_t each =
        lg__freed_by(analysis, node) / (count_elements(graph, node) + 1);
    lg__decimal_read(lg_graph_info_find(graph, "memory.machine"), &machine);
    bool fits = most < LG__LIMIT_MOST && each <= machine / (most + 1);
    if (lifetime < SPAN_MOST && !fits)
        return LG__LIMIT_MOST + lifetime;
    return most < LG__LIMIT_MOST ? most : LG__LIMIT_MOST;
}

// Adds what a fact limits, if it is a limit: no time at all is none, nor is one
// that no comparison sees the end of. A deque numbers its elements, and an
// lru_cache its links. Returns false when memory ran out.
static bool
add_limited(const lg_analysis *analysis, uint32_t index, lg__vector *out)
{
    const lg_graph *graph = analysis->graph;
    uint32_t node = graph->fact_node[index];
    const lg_string key = lg_graph_string(graph, graph->fact_key[index]);
    bool lives = lg__string_is(key, "lifetime");
    bool owner =
        lg__string_is(key, "limit") ||
        (lives && lg__node_category(graph, node) != LG_CATEGORY_CONTAINER);
    if (!owner && !lives && !lg__string_is(key, "maxlen") &&
        !lg__string_is(key, "maxsize"))
        return true;
    const lg_fact fact = lg__fact_of(graph, index);
    if (fact.type != LG_FACT_NUMBER)
        return true;
    uint64_t most =
        tightest_of(analysis, node, lives ? LG__LIMIT_MOST : fact.number);
    if (lives && most == LG__LIMIT_MOST)
        return true;
    if (owner)
        return add_owner(analysis, node, most, out);
    uint64_t filled = lg__string_is(key, "maxsize")
                          ? lg__count_edges(graph, node, LG_EDGE_INDEX)
                          : count_elements(graph, node);
    return (double)filled > EXCEEDED * (double)most ||
           add_container(out, (container){node, most, filled, false});
}

// What a list of a type in C keeps at most, whatever a program does; or while
// few of its elements are alive.
typedef struct known_limit {
    const char *type;
    const char *label;
    uint64_t most;
} known_limit;

// SQLite's module forgets dead cursors and statements after each 200 new ones
// (Modules/_sqlite/connection.c). pandas forgets dead blocks, which shared a
// column or an index, when it has noted 500 (pandas/_libs/internals.pyx).
static const known_limit known_limits[] = {
    {"pandas._libs.internals.BlockValuesRefs", "referenced_blocks", 500},
    {"sqlite3.Connection", "cursors", 200},
    {"sqlite3.Connection", "statements", 200},
};

static bool
is_named(const lg_graph *graph, uint64_t edge, const char *label)
{
    unsigned kind = lg__edge_kind(graph, edge);
    return (kind == LG_EDGE_NATIVE || kind == LG_EDGE_ATTRIBUTE) &&
           lg__string_is(lg_graph_string(
                             graph, lg_columns_payload(&graph->columns, edge)),
                         label);
}

// Adds what the limit is of, in an instance of its type. Returns false when
// memory ran out.
static bool
add_known(const lg_graph *graph, uint32_t node, const known_limit *known,
          lg__vector *out)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (is_named(graph, edge, known->label)) {
            uint32_t list = lg_columns_target(columns, edge);
            uint64_t filled = count_elements(graph, list);
            return (double)filled > EXCEEDED * (double)known->most ||
                   add_container(out,
                                 (container){list, known->most, filled, false});
        }
    return true;
}

static bool
is_type(const lg_graph *graph, uint32_t type, const char *name)
{
    lg_type about = lg_graph_type(graph, type);
    for (uint32_t i = 0; i < about.mro_count; i++)
        if (lg__string_is(lg_graph_type(graph, about.mro[i]).name, name))
            return true;
    return false;
}

// Adds what the limit is of, in all instances of its type. Returns false when
// memory ran out.
static bool
list_known(const lg_graph *graph, const known_limit *known, lg__vector *out)
{
    bool enough = true;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        const uint32_t nodes = graph->columns.node_count;
        if (!is_type(graph, type, known->type))
            continue;
        for (uint32_t node = 0; node < nodes && enough; node++)
            if (lg_columns_type(&graph->columns, node) == type)
                enough = add_known(graph, node, known, out);
    }
    return enough;
}

// Lists the containers. Returns false when memory ran out.
static bool
list_containers(const lg_analysis *analysis, lg__vector *out)
{
    bool enough = true;
    for (uint32_t i = 0; i < analysis->graph->fact_count && enough; i++)
        enough = add_limited(analysis, i, out);
    for (size_t i = 0; i < sizeof known_limits / sizeof *known_limits; i++)
        enough = enough && list_known(analysis->graph, &known_limits[i], out);
    return enough;
}

// Puts the tightest limit first.
static int
compare_containers(const void *left, const void *right)
{
    const container *a = left;
    const container *b = right;
    if (a->most != b->most)
        return a->most < b->most ? -1 : 1;
    if (a->filled != b->filled)
        return a->filled < b->filled ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// Adds a limit. Where elements of one container leave after a time, those of
// all do by the longest of these times, or are limited.
static void
add_limit(limited *place, const container *one)
{
    uint64_t longest = one->most > place->most ? one->most : place->most;
    uint64_t sum = one->most + place->most;
    place->filled += one->filled;
    place->most = longest > LG__LIMIT_MOST ? longest
                  : sum > LG__LIMIT_MOST   ? LG__LIMIT_MOST
                                           : sum;
}

// Adds up the limits by place.
static void
add_up(const lg__vector *all, const uint32_t *place_of, limited *places)
{
    for (size_t i = 0; i < all->count; i++) {
        limited *place = &places[place_of[container_at(all, i)->node]];
        place->count++;
        add_limit(place, container_at(all, i));
    }
}

// Drops containers that are listed twice with the same limit: as an attribute
// of their owner, and by themselves. They are sorted.
static void
list_once(lg__vector *all)
{
    container *items = all->data;
    size_t left = 0;
    for (size_t i = 0; i < all->count; i++)
        if (left == 0 || items[i].node != items[left - 1].node ||
            items[i].most != items[left - 1].most)
            items[left++] = items[i];
    all->count = left;
}

// Returns whether a limited container has the target as an element, or part of
// one. An lru_cache has its results in a dict, too.
static bool
is_of_element(const sharing *state, uint32_t node, uint64_t edge)
{
    lg_fact limit;
    uint32_t kind = lg__edge_kind(state->graph, edge);
    if (kind == LG_EDGE_ATTRIBUTE)
        return lg_node_fact(state->graph, node, "maxsize", &limit) &&
               lg__string_is(lg_graph_string(state->graph,
                                             lg_columns_payload(
                                                 &state->graph->columns, edge)),
                             "cache");
    return kind == LG_EDGE_INDEX || kind == LG_EDGE_KEY ||
           kind == LG_EDGE_VALUE || kind == LG_EDGE_ELEMENT;
}

// Takes what a node refers to and nobody has taken yet: through the elements of
// a limited container, or through all else. Returns false when memory ran out.
static bool
take(sharing *state, uint32_t node, bool elements)
{
    const lg_columns *columns = &state->graph->columns;
    bool limits = (state->state[node] & LIMITED) != 0;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint8_t *target = &state->state[lg_columns_target(columns, edge)];
        if ((*target & TAKEN) ||
            (limits && is_of_element(state, node, edge)) != elements ||
            !lg__policy_edge(state->analysis, edge, node))
            continue;
        *target |= TAKEN;
        if (!lg__gather_append(&state->stack, lg_columns_target(columns, edge)))
            return false;
    }
    return true;
}

// Counts a member of a place that several objects hold.
static void
count_shared(sharing *state, uint32_t node, const container *by)
{
    uint32_t place = state->place_of[node];
    if (place == LG_NONE || lg__fold_owner(state->folds, node) != LG_NONE)
        return;
    const lg__place_item *item = lg__place_at(state->places, place);
    lg_string type =
        lg_graph_type(state->graph,
                      lg_columns_type(&state->graph->columns, node))
            .name;
    if ((item->kind != LG_PLACE_SEVERAL && item->kind != LG_PLACE_ROOT) ||
        !lg__string_same(type, lg__places_text(state->places, item->type)))
        return;
    limited *shared = &state->found[place];
    if (shared->count++ == 0 || state->last[place] != by->node)
        add_limit(shared, by);
    state->last[place] = by->node;
}

// Takes all that the nodes of the stack lead to, and counts it if a container
// limits it. Returns false when memory ran out.
static bool
take_all(sharing *state, const container *by)
{
    while (state->stack.count > 0) {
        uint32_t node = state->stack.items[--state->stack.count];
        if (by != NULL)
            count_shared(state, node, by);
        if (!take(state, node, false))
            return false;
    }
    return true;
}

// The containers come with the tightest limit first, and each node is taken
// once. So what several of them share counts for the one with the tightest
// limit.
static bool
find_shared(sharing *state, const lg__vector *all)
{
    bool enough = true;
    for (size_t i = 0; i < all->count; i++)
        if (!container_at(all, i)->owner)
            state->state[container_at(all, i)->node] |= LIMITED;
    for (size_t i = 0; i < all->count && enough; i++)
        enough = take(state, container_at(all, i)->node, false) &&
                 take_all(state, NULL);
    for (size_t i = 0; i < all->count && enough; i++)
        enough = take(state, container_at(all, i)->node, true) &&
                 take_all(state, container_at(all, i));
    return enough;
}

static const lg_string details[] = {[LG__LIMIT_CONTAINERS] = {"", 0},
                                    [LG__LIMIT_REFERENCES] = {"reference", 9},
                                    [LG__LIMIT_SHARED] = {"shared", 6},
                                    [LG__LIMIT_ELEMENTS] = {"element", 7}};

// Writes what limits a place.
static lg__tally
tally_of(const lg_summary *summary, uint64_t key, lg__limit_kind kind)
{
    const lg_string detail = details[kind];
    return (lg__tally){.holder = key,
                       .name =
                           lg__places_seek(summary->places, (lg_string){"", 0}),
                       .detail = lg__places_seek(summary->places, detail),
                       .kind = LG__TALLY_LIMIT};
}

// Adds a tally for each place that has a limit. Returns false when memory ran
// out.
static bool
add_tallies(lg_summary *summary, const limited *found, lg__limit_kind kind)
{
    const lg_places *places = summary->places;
    bool enough = true;
    for (uint32_t i = 0; i < lg_places_count(places) && enough; i++) {
        if (found[i].count == 0)
            continue;
        lg__tally tally = tally_of(summary, lg__place_at(places, i)->key, kind);
        tally.count = found[i].count;
        tally.kept = found[i].filled;
        enough = lg__summary_count(summary, tally, &found[i].most, 1);
    }
    return enough;
}

// Counts the elements of a container by place.
static void
add_elements(const lg_graph *graph, const uint32_t *place_of, uint32_t node,
             limited *places)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t kind = lg__edge_kind(graph, edge);
        uint32_t place = place_of[lg_columns_target(columns, edge)];
        if (place != LG_NONE &&
            (kind == LG_EDGE_INDEX || kind == LG_EDGE_KEY ||
             kind == LG_EDGE_VALUE || kind == LG_EDGE_ELEMENT))
            places[place].count++;
    }
}

// Counts the references and the elements of containers that have a limit, where
// others of their place have none.
static bool
count_elements_beside(lg_summary *summary, const lg__vector *all,
                      const lg_graph *graph, const uint32_t *place_of,
                      const limited *containers)
{
    const lg_places *places = summary->places;
    size_t count = (size_t)lg_places_count(places) + 1;
    limited *elements = lg__calloc(count, sizeof *elements);
    limited *references = lg__calloc(count, sizeof *references);
    bool enough = elements != NULL && references != NULL;
    for (size_t i = 0; i < all->count && enough; i++) {
        uint32_t node = container_at(all, i)->node;
        uint32_t place = place_of[node];
        if (containers[place].count >= lg__place_at(places, place)->members)
            continue;
        const lg_edge_range edges = lg_columns_edges(&graph->columns, node);
        references[place].count += edges.end - edges.begin;
        add_elements(graph, place_of, node, elements);
    }
    enough = enough && add_tallies(summary, elements, LG__LIMIT_ELEMENTS) &&
             add_tallies(summary, references, LG__LIMIT_REFERENCES);
    lg__free(elements);
    lg__free(references);
    return enough;
}

static bool
count_containers(lg_summary *summary, const lg__vector *all,
                 const lg_graph *graph, const uint32_t *place_of)
{
    size_t count = (size_t)lg_places_count(summary->places) + 1;
    limited *found = lg__calloc(count, sizeof *found);
    if (found == NULL)
        return false;
    add_up(all, place_of, found);
    bool enough = add_tallies(summary, found, LG__LIMIT_CONTAINERS) &&
                  count_elements_beside(summary, all, graph, place_of, found);
    lg__free(found);
    return enough;
}

static bool
count_all_shared(lg_summary *summary, const lg__vector *all,
                 const lg_analysis *analysis, const uint32_t *place_of,
                 uint8_t *reached)
{
    size_t count = (size_t)lg_places_count(summary->places) + 1;
    sharing state = {.analysis = analysis,
                     .graph = analysis->graph,
                     .places = summary->places,
                     .place_of = place_of,
                     .folds = lg__graph_folds(analysis->graph),
                     .state = reached,
                     .found = lg__calloc(count, sizeof(limited)),
                     .last = lg__calloc(count, sizeof(uint32_t))};
    bool enough = state.folds != NULL && state.found != NULL &&
                  state.last != NULL && find_shared(&state, all) &&
                  add_tallies(summary, state.found, LG__LIMIT_SHARED);
    lg__free(state.found);
    lg__free(state.last);
    lg__free(state.stack.items);
    return enough;
}

static lg_status
count_limits(lg_summary *summary, const lg__vector *all,
             const lg_analysis *analysis, const uint32_t *place_of,
             const lg_monitor *monitor, lg_error *err)
{
    uint8_t *reached = NULL;
    uint32_t *nodes = lg__alloc(all->count * sizeof *nodes);
    if (nodes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < all->count; i++)
        nodes[i] = container_at(all, i)->node;
    lg_status status =
        lg__set_reached(analysis, nodes, all->count, monitor, &reached, err);
    if (status == LG_OK &&
        (!count_containers(summary, all, analysis->graph, place_of) ||
         !count_all_shared(summary, all, analysis, place_of, reached)))
        status = lg__error_memory(err);
    lg__free(reached);
    lg__free(nodes);
    return status;
}

lg_status
lg__summary_count_limits(lg_summary *summary, const lg_analysis *analysis,
                         const uint32_t *place_of, const lg_monitor *monitor,
                         lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    lg__vector all = {.element = sizeof(container)};
    const lg_analysis *at_rest;
    lg_status status = lg__analysis_at_rest(analysis, monitor, &at_rest, err);
    if (status != LG_OK)
        return status;
    bool enough = list_containers(at_rest, &all);
    for (size_t i = 0; i < sizeof details / sizeof *details && enough; i++)
        enough = lg__places_string(summary->places, details[i]) != LG_NONE;
    if (!enough)
        status = lg__error_memory(err);
    if (status == LG_OK && all.count > 0) {
        lg__sort(all.data, all.count, sizeof(container), compare_containers);
        list_once(&all);
        status = count_limits(summary, &all, analysis, place_of, monitor, err);
    }
    lg__vector_free(&allocator, &all);
    return status;
}

const lg__tally *
lg__summary_limit(const lg_summary *summary, uint64_t key, lg__limit_kind kind)
{
    lg__tally wanted = tally_of(summary, key, kind);
    return wanted.name != LG_NONE && wanted.detail != LG_NONE
               ? lg__summary_find_tally(summary, &wanted)
               : NULL;
}
