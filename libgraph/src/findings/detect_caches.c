// Detects what functools.lru_cache keeps.
#include "findings/detectors.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>

enum {
    SMALL_LIMIT = 16,
    // Less plain data than this is what a cache is for.
    PLAIN_DATA = 256 * 1024,
    // A cache earns its memory if one call in three finds its result: each
    // result then serves half a call more than the one that made it.
    MISSES_FOR_A_HIT = 2,
};

static const lg__search data_in_cache = {
    .depth = 5,
    .wanted = LG__TYPE_TENSOR | LG__TYPE_ARRAY,
    .through = LG__TYPE_CONTAINER | LG__TYPE_MODULE,
    .instances = true,
    .parameters = true,
};

// The entries of a cache.
typedef struct entries {
    lg__detection *detection;
    lg__gathered things; // arguments and results
    lg__gathered parts;  // what the cache itself makes for them: its links, and
                         // the tuples of arguments that are its keys
    bool has_objects;    // an argument is an object, such as self
} entries;

static size_t
count_values(const lg__detection *detection, uint32_t dict)
{
    const lg_columns *columns = &detection->graph->columns;
    size_t count = 0;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        count += lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE;
    return count;
}

static void
append(entries *to, lg__gathered *list, uint32_t node)
{
    to->detection->failed |= !lg__gather_append(list, node);
}

static void
add_thing(entries *to, uint32_t node, bool argument)
{
    const lg_graph *graph = to->detection->graph;
    if (!lg__detection_is_thing(to->detection, node))
        return;
    append(to, &to->things, node);
    to->has_objects |= argument &&
                       lg__node_category(graph, node) != LG_CATEGORY_ATOM &&
                       lg__node_role(graph, node) != LG__ROLE_TUPLE;
}

// Adds the arguments of a call. A str or an int is a key by itself; of all
// others, the cache makes a tuple.
static void
add_key(entries *to, uint32_t key)
{
    const lg_columns *columns = &to->detection->graph->columns;
    if (lg__node_role(to->detection->graph, key) != LG__ROLE_TUPLE) {
        add_thing(to, key, true);
        return;
    }
    append(to, &to->parts, key);
    const lg_edge_range edges = lg_columns_edges(columns, key);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(to->detection->graph, edge) == LG_EDGE_INDEX)
            add_thing(to, lg_columns_target(columns, edge), true);
}

// Adds the entries to which a dict of results refers. With a limit, the dict
// has links, and the wrapper refers to the links, keys and results.
static void
add_entries(entries *to, uint32_t owner)
{
    const lg_graph *graph = to->detection->graph;
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, owner);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        unsigned kind = lg__edge_kind(graph, edge);
        if (kind == LG_EDGE_KEY)
            add_key(to, target);
        else if (kind == LG_EDGE_VALUE)
            add_thing(to, target, false);
        else if (kind == LG_EDGE_INDEX)
            append(to, &to->parts, target);
    }
}

static bool
is_limited(const lg__detection *detection, uint32_t cache)
{
    return lg_node_fact_number(detection->graph, cache, "maxsize",
                               UINT64_MAX) != UINT64_MAX;
}

// Returns whether the cache is small. One entry is normal: something that is
// made once. So is a limit that a person chose for what the cache keeps;
// lru_cache() itself chooses 128.
static bool
is_small(const lg__detection *detection, uint32_t cache, uint32_t dict)
{
    return count_values(detection, dict) < 2 ||
           lg_node_fact_number(detection->graph, cache, "maxsize",
                               UINT64_MAX) <= SMALL_LIMIT;
}

// Returns whether calls find their results often enough. A cache of objects,
// such as self, keeps each of them however often its results are found, unless
// a limit holds for plain data.
static bool
earns_its_memory(const entries *of, uint32_t cache, bool plain)
{
    const lg_graph *graph = of->detection->graph;
    uint64_t misses = lg_node_fact_number(graph, cache, "misses", UINT64_MAX);
    uint64_t hits = lg_node_fact_number(graph, cache, "hits", 0);
    return hits > 0 && hits * MISSES_FOR_A_HIT >= misses &&
           (!of->has_objects || (plain && is_limited(of->detection, cache)));
}

// Returns whether plain data in the cache is much, and a program's.
static bool
is_much(const lg__detection *detection, uint32_t cache)
{
    uint32_t function =
        lg__detection_attribute(detection, cache, "__wrapped__");
    return lg__freed_by(detection->analysis, cache) >= PLAIN_DATA &&
           (function == LG_NONE || lg__node_origin(detection->graph, function,
                                                   NULL) != LG__ORIGIN_LIBRARY);
}

static void
suppose_all(lg__detection *detection, uint32_t cache, const lg__gathered *found)
{
    for (size_t i = 0; i < found->count; i++)
        lg__detection_suppose(detection, cache, found->items[i], LG_NONE);
}

// Notes the tensors and arrays in a cache, or else its arguments and results.
static void
look_at(lg__detection *detection, uint32_t cache, uint32_t dict)
{
    entries of = {.detection = detection};
    lg__gathered found = {0};
    lg__detection_search(detection, cache, &data_in_cache, &found);
    bool plain = found.count == 0;
    add_entries(&of, is_limited(detection, cache) ? cache : dict);
    if (!earns_its_memory(&of, cache, plain) &&
        (!plain || is_much(detection, cache))) {
        suppose_all(detection, cache, plain ? &of.things : &found);
        for (size_t i = 0; i < of.parts.count; i++)
            lg__detection_note_along(detection, cache, of.parts.items[i]);
        lg__detection_note_along(detection, cache, dict);
        lg__detection_cut(detection, cache);
    }
    lg__free(found.items);
    lg__free(of.things.items);
    lg__free(of.parts.items);
}

static void
look_for_caches(lg__detection *detection)
{
    const lg__gathered *caches = lg__detection_all(detection, LG__TYPE_CACHE);
    for (size_t i = 0; i < caches->count && !detection->failed; i++) {
        uint32_t cache = caches->items[i];
        uint32_t dict = lg__detection_attribute(detection, cache, "cache");
        if (dict != LG_NONE && !is_small(detection, cache, dict))
            look_at(detection, cache, dict);
    }
}

const lg__detector lg__detect_lru_cache = {
    .pattern = {.name = "lru-cache",
                .cause = "functools.lru_cache keeps every argument of its "
                         "calls, even self, and every result.",
                .fix = "Call cache_clear(), set a small maxsize, or give each "
                       "instance its own cache."},
    .least = LG__MUCH,
    .look = look_for_caches,
    .effect = LG__FIX_ALL,
};
