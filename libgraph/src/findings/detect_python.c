// What Python itself keeps: exceptions, caches, a notebook's outputs.
#include "findings/context.h"

#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------- exceptions ---

enum { TRACEBACK_LONG = 1000, LOCALS_DEEP = 3 };

static const lg__search data_in_locals = {
    .depth = LOCALS_DEEP,
    .wanted = LG__TYPE_TENSOR | LG__TYPE_ARRAY,
    .through = LG__TYPE_CONTAINER,
    .instances = true,
};

// What several frames have passed on belongs to none of them, but to the
// traceback that begins with the first.
static void
note_frame(lg__detection *detection, uint32_t exception, uint32_t traceback,
           uint32_t frame)
{
    lg__gathered found = {0};
    if (!lg__detection_is_running(detection, frame))
        lg__detection_search(detection, frame, &data_in_locals, &found);
    for (size_t i = 0; i < found.count; i++)
        if (lg__detection_owns(detection, frame, found.items[i]) ||
            lg__detection_owns(detection, traceback, found.items[i]))
            lg__detection_note(detection, exception, found.items[i]);
    free(found.items);
}

void
lg__look_for_exceptions(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_EXCEPTION);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t first =
            lg__detection_attribute(detection, all->items[i], "__traceback__");
        uint32_t at = first;
        for (int n = 0; at != LG_NONE && n < TRACEBACK_LONG; n++) {
            uint32_t frame = lg__detection_attribute(detection, at, "tb_frame");
            if (frame != LG_NONE)
                note_frame(detection, all->items[i], first, frame);
            at = lg__detection_attribute(detection, at, "tb_next");
        }
    }
}

// ------------------------------------------------------------------ caches ---

enum { SMALL_LIMIT = 16 };

static const lg__search data_in_cache = {
    .depth = 5,
    .wanted = LG__TYPE_TENSOR | LG__TYPE_ARRAY,
    .through = LG__TYPE_CONTAINER | LG__TYPE_MODULE,
    .instances = true,
    .parameters = true,
};

static size_t
count_values(const lg__detection *detection, uint32_t dict)
{
    const lg_columns *columns = &detection->graph->columns;
    size_t count = 0;
    uint64_t end = columns->first_edge[dict + 1];
    for (uint64_t edge = columns->first_edge[dict]; edge < end; edge++)
        count += lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE;
    return count;
}

// One entry is normal for a cache: something that is made once. So is a limit
// that a person chose for what the cache keeps; 128 is what lru_cache()
// chooses.
static bool
is_small(const lg__detection *detection, uint32_t cache, uint32_t dict)
{
    return count_values(detection, dict) < 2 ||
           lg_node_fact_number(detection->graph, cache, "maxsize",
                               UINT64_MAX) <= SMALL_LIMIT;
}

void
lg__look_for_caches(lg__detection *detection)
{
    const lg__gathered *caches = lg__detection_all(detection, LG__TYPE_CACHE);
    for (size_t i = 0; i < caches->count && !detection->failed; i++) {
        uint32_t cache = caches->items[i];
        uint32_t dict = lg__detection_attribute(detection, cache, "cache");
        if (dict == LG_NONE || is_small(detection, cache, dict))
            continue;
        lg__gathered found = {0};
        lg__detection_search(detection, cache, &data_in_cache, &found);
        for (size_t j = 0; j < found.count; j++)
            if (lg__detection_owns(detection, cache, found.items[j]))
                lg__detection_note(detection, cache, found.items[j]);
        free(found.items);
    }
}

// ----------------------------------------------------------------- outputs ---

// `Out` of an interactive namespace, which knows it as `_oh` too; LG_NONE.
static uint32_t
outputs_of(const lg__detection *detection, uint32_t module)
{
    uint32_t outputs = lg__detection_attribute(detection, module, "_oh");
    return outputs != LG_NONE &&
                   outputs == lg__detection_attribute(detection, module, "Out")
               ? outputs
               : LG_NONE;
}

// Returns whether only the outputs, and names such as `_` and `_12`, hold it.
static bool
is_output_only(const lg__detection *detection, uint32_t outputs, uint32_t node)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    const lg_columns *columns = &detection->graph->columns;
    for (uint64_t i = reverse->first[node]; i < reverse->first[node + 1]; i++) {
        lg__in_edge in = reverse->edge[i];
        uint64_t edge = columns->first_edge[in.source] + in.rank;
        lg_string name = lg__detection_name(detection, edge);
        if (columns->edge_kind[edge] & LG_EDGE_WEAK)
            continue;
        if (in.source != outputs && !lg__name_begins(name, "_"))
            return false;
    }
    return true;
}

void
lg__look_for_notebook_outputs(lg__detection *detection)
{
    const lg_columns *columns = &detection->graph->columns;
    for (uint32_t i = 0; i < detection->graph->root_count; i++) {
        if (detection->graph->root_kind[i] != LG_ROOT_MODULE)
            continue;
        uint32_t outputs =
            outputs_of(detection, detection->graph->root_node[i]);
        if (outputs == LG_NONE)
            continue;
        uint64_t end = columns->first_edge[outputs + 1];
        for (uint64_t edge = columns->first_edge[outputs]; edge < end; edge++) {
            uint32_t value = columns->edge_target[edge];
            if (lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE &&
                is_output_only(detection, outputs, value))
                lg__detection_note(detection, outputs, value);
        }
    }
}
