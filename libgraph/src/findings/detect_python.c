// Detects what Python itself keeps: exceptions, caches, a notebook's outputs.
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

// Notes that all variables of a frame go.
static void
note_locals(lg__detection *detection, uint32_t holder, uint32_t frame)
{
    const lg_columns *columns = &detection->graph->columns;
    uint64_t end = columns->first_edge[frame + 1];
    for (uint64_t edge = columns->first_edge[frame]; edge < end; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_LOCAL)
            lg__detection_suppose_along(detection, holder,
                                        columns->edge_target[edge]);
}

// Notes what a frame keeps. What frames pass on to each other belongs to all of
// them.
static void
note_frame(lg__detection *detection, uint32_t holder, uint32_t frame)
{
    lg__gathered found = {0};
    if (lg__detection_is_running(detection, frame))
        return;
    lg__detection_search(detection, frame, &data_in_locals, &found);
    for (size_t i = 0; i < found.count; i++)
        lg__detection_suppose(detection, holder, found.items[i], LG_NONE);
    if (found.count > 0) {
        note_locals(detection, holder, frame);
        lg__detection_cut(detection, frame);
    }
    lg__wide_free(found.items);
}

static void
note_traceback(lg__detection *detection, uint32_t holder, uint32_t traceback)
{
    for (int n = 0; traceback != LG_NONE && n < TRACEBACK_LONG; n++) {
        uint32_t frame =
            lg__detection_attribute(detection, traceback, "tb_frame");
        if (frame != LG_NONE)
            note_frame(detection, holder, frame);
        traceback = lg__detection_attribute(detection, traceback, "tb_next");
    }
}

// Looks for exceptions. A traceback that something other than its exception
// keeps, such as sys.last_traceback, is a mistake of its own.
void
lg__look_for_exceptions(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_EXCEPTION);
    for (size_t i = 0; i < all->count && !detection->failed; i++)
        note_traceback(
            detection, all->items[i],
            lg__detection_attribute(detection, all->items[i], "__traceback__"));
    all = lg__detection_all(detection, LG__TYPE_TRACEBACK);
    for (size_t i = 0; i < all->count && !detection->failed; i++)
        if (lg__detection_is_stored_outside(detection, all->items[i],
                                            LG__TYPE_EXCEPTION |
                                                LG__TYPE_TRACEBACK))
            note_traceback(detection, all->items[i], all->items[i]);
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
            lg__detection_suppose(detection, cache, found.items[j], LG_NONE);
        if (found.count > 0)
            lg__detection_note_along(detection, cache, dict);
        lg__detection_cut(detection, cache);
        lg__wide_free(found.items);
    }
}

// ----------------------------------------------------------------- outputs ---

// Returns `Out` of an interactive namespace, which also has it as `_oh`;
// LG_NONE if there is none.
static uint32_t
outputs_of(const lg__detection *detection, uint32_t module)
{
    uint32_t outputs = lg__detection_attribute(detection, module, "_oh");
    return outputs != LG_NONE &&
                   outputs == lg__detection_attribute(detection, module, "Out")
               ? outputs
               : LG_NONE;
}

// Returns whether it is the record of the last cell, which the shell replaces
// with that of the next cell.
static bool
is_last_result(const lg__detection *detection, uint32_t node)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    const lg_columns *columns = &detection->graph->columns;
    node = lg__seen_node(detection->walk.fold, node);
    if (!lg__node_is_a(detection->graph, node,
                       "IPython.core.interactiveshell.ExecutionResult"))
        return false;
    for (uint64_t i = reverse->first[node]; i < reverse->first[node + 1]; i++) {
        lg__in_edge in = reverse->edge[i];
        uint64_t edge = columns->first_edge[in.source] + in.rank;
        if (!(columns->edge_kind[edge] & LG_EDGE_WEAK) &&
            !lg__string_is(lg__detection_name(detection, edge),
                           "last_execution_result"))
            return false;
    }
    return true;
}

// Returns whether only the outputs, the record of the last cell, and names such
// as `_` and `_12`, hold the node.
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
        if (in.source != outputs && !lg__name_begins(name, "_") &&
            !is_last_result(detection, in.source))
            return false;
    }
    return true;
}

static void
note_outputs(lg__detection *detection, uint32_t outputs)
{
    const lg_columns *columns = &detection->graph->columns;
    uint64_t end = columns->first_edge[outputs + 1];
    for (uint64_t edge = columns->first_edge[outputs]; edge < end; edge++) {
        uint32_t value = columns->edge_target[edge];
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE &&
            is_output_only(detection, outputs, value))
            lg__detection_note(detection, outputs, value);
    }
}

static uint32_t
namespace_of(const lg__detection *detection, uint32_t shell)
{
    uint32_t names = lg__detection_attribute(detection, shell, "_user_ns");
    return names == LG_NONE
               ? lg__detection_attribute(detection, shell, "user_ns")
               : names;
}

// Returns `Out` of a shell that a program embeds, whose namespace is no module.
static uint32_t
outputs_of_shell(const lg__detection *detection, uint32_t shell)
{
    uint32_t names = namespace_of(detection, shell);
    uint32_t outputs = names == LG_NONE
                           ? LG_NONE
                           : lg__detection_item(detection, names, "_oh");
    return outputs != LG_NONE &&
                   outputs == lg__detection_item(detection, names, "Out")
               ? outputs
               : LG_NONE;
}

void
lg__look_for_notebook_outputs(lg__detection *detection)
{
    const lg__gathered *shells = lg__detection_all(detection, LG__TYPE_SHELL);
    for (uint32_t i = 0; i < detection->graph->root_count; i++) {
        if (detection->graph->root_kind[i] != LG_ROOT_MODULE)
            continue;
        uint32_t outputs =
            outputs_of(detection, detection->graph->root_node[i]);
        if (outputs != LG_NONE)
            note_outputs(detection, outputs);
    }
    for (size_t i = 0; i < shells->count; i++) {
        uint32_t outputs = outputs_of_shell(detection, shells->items[i]);
        if (outputs != LG_NONE)
            note_outputs(detection, outputs);
    }
}
