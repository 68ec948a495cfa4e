// Containers that keep only so many elements, by their construction: a deque
// with a maxlen, an lru_cache with a maxsize. While one fills up, it grows as a
// leak does, but does not go on.
#include "growth/growth_comparison.h"

#include <stdlib.h>

typedef struct limited {
    uint64_t count;  // containers
    uint64_t most;   // elements that all of them keep at most
    uint64_t filled; // elements that all of them have
} limited;

// Adds up the limits by place. A deque numbers its elements, and an lru_cache
// its links. Returns how many there are.
static uint32_t
add_up(const lg_graph *graph, const uint32_t *place_of, limited *places)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->fact_count; i++) {
        lg_string key = lg_graph_string(graph, graph->fact_key[i]);
        uint64_t most;
        if ((!lg__string_is(key, "maxlen") && !lg__string_is(key, "maxsize")) ||
            !lg__decimal_read(lg_graph_string(graph, graph->fact_value[i]),
                              &most))
            continue;
        limited *place = &places[place_of[graph->fact_node[i]]];
        place->count++;
        place->filled +=
            lg__count_edges(graph, graph->fact_node[i], LG_EDGE_INDEX);
        place->most = most > LG__LIMIT_MOST - place->most ? LG__LIMIT_MOST
                                                          : place->most + most;
        count++;
    }
    return count;
}

static lg__tally
tally_of(const lg_summary *summary, uint64_t key)
{
    uint32_t none = lg__places_seek(summary->places, (lg_string){"", 0});
    return (lg__tally){
        .holder = key, .name = none, .detail = none, .kind = LG__TALLY_LIMIT};
}

bool
lg__summary_count_limits(lg_summary *summary, const lg_graph *graph,
                         const uint32_t *place_of)
{
    const lg_places *places = summary->places;
    uint32_t count = lg_places_count(places);
    limited *found = lg__wide_calloc((size_t)count + 1, sizeof *found);
    bool enough =
        found != NULL &&
        lg__places_string(summary->places, (lg_string){"", 0}) != LG_NONE;
    if (enough && add_up(graph, place_of, found) == 0)
        count = 0;
    for (uint32_t i = 0; i < count && enough; i++) {
        if (found[i].count == 0)
            continue;
        lg__tally tally = tally_of(summary, lg__place_at(places, i)->key);
        tally.count = found[i].count;
        tally.kept = found[i].filled;
        enough = lg__summary_count(summary, tally, &found[i].most, 1);
    }
    lg__wide_free(found);
    return enough;
}

// Returns whether the machine has the memory for as many elements: a limit that
// nobody reaches is none.
static bool
has_room(const lg_summary *newest, uint32_t place, const lg__limit *limit)
{
    const lg_places *places = newest->places;
    const uint64_t *retained = lg__place_retained(places, place);
    int64_t machine = lg__summary_bytes(newest, "memory.machine");
    double bytes = 0;
    for (uint32_t i = 0; i < places->each; i++)
        bytes += (double)retained[i];
    return machine < 0 || limit->filled == 0 ||
           bytes / (double)limit->filled * (double)limit->most <=
               (double)machine;
}

// Returns whether each member of the place has a limit. Summaries of earlier
// versions do not say how many elements there are.
static bool
is_limited(const lg__comparison *state, uint32_t place, lg__limit *out)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    if (place == LG_NONE)
        return false;
    const lg__place_item *item = lg__place_at(newest->places, place);
    lg__tally wanted = tally_of(newest, item->key);
    if (wanted.name == LG_NONE)
        return false;
    const lg__tally *known = lg__summary_find_tally(newest, &wanted);
    if (known == NULL || known->count < item->members)
        return false;
    out->most = *lg__summary_bytes_at(newest, known->bytes);
    out->filled = known->kept > 0 ? known->kept : item->references;
    return has_room(newest, place, out);
}

bool
lg__growth_limit(const lg__comparison *state, uint32_t place,
                 lg_growth_verdict verdict, lg__limit *out)
{
    const lg__place_item *item = lg__place_at(state->newest, place);
    if (verdict == LG_GROWTH_ACCUMULATES)
        return is_limited(state, item->parent, out);
    // A cache has a dict, which grows in place.
    return is_limited(state, place, out) ||
           (item->kind == LG_PLACE_NAMED &&
            lg__string_is(lg__places_text(state->newest, item->type), "dict") &&
            is_limited(state, item->parent, out));
}
