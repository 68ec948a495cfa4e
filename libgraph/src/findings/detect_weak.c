// Detects what weak references are meant to let go, and never do. Finds what
// keeps the weak half of an entry, and how one half leads to the other.
#include "findings/detectors.h"
#include "findings/weak_entries.h"

#include <stdlib.h>

uint32_t
lg__kept_referent(const lg__detection *detection, uint32_t finalizer)
{
    uint32_t reference =
        lg__detection_attribute(detection, finalizer, "weakref");
    uint32_t referent = reference == LG_NONE
                            ? LG_NONE
                            : lg__weak_referent(detection->graph, reference);
    return referent != LG_NONE &&
                   lg__detection_owns(detection, finalizer, referent)
               ? referent
               : LG_NONE;
}

// A search goes breadth first. It meets few nodes, so those that were met are
// looked up in its queue.
enum { NODES_LOOKED_AT = 500, EDGES_LOOKED_AT = 5000 };

typedef struct step {
    uint32_t node;
    uint32_t before; // index of the step that led here
    uint64_t edge;
    uint32_t length;
} step;

typedef struct search {
    const lg_graph *graph;
    step *steps; // [NODES_LOOKED_AT]
    uint32_t count;
    uint32_t edges;
} search;

static bool
is_met(const search *state, uint32_t node)
{
    for (uint32_t i = 0; i < state->count; i++)
        if (state->steps[i].node == node)
            return true;
    return false;
}

static bool
is_entered(const search *state, uint64_t edge)
{
    const lg_columns *columns = &state->graph->columns;
    unsigned kind = lg__edge_kind(state->graph, edge);
    lg_category category =
        lg__node_category(state->graph, lg_columns_target(columns, edge));
    return !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
           kind != LG_EDGE_TYPE && kind != LG_EDGE_GLOBALS &&
           category != LG_CATEGORY_TYPE && category != LG_CATEGORY_MODULE &&
           category != LG_CATEGORY_ATOM;
}

// Goes on from one step. Returns the index of the step that is at `to`, or the
// number of steps.
static uint32_t
go_on(search *state, uint32_t at, uint32_t to)
{
    const lg_columns *columns = &state->graph->columns;
    step from = state->steps[at];
    const lg_edge_range range = lg_columns_edges(columns, from.node);
    for (uint64_t edge = range.begin;
         edge < range.end && state->count < NODES_LOOKED_AT &&
         state->edges < EDGES_LOOKED_AT;
         edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        state->edges++;
        if (!is_entered(state, edge) || is_met(state, target))
            continue;
        state->steps[state->count++] =
            (step){target, at, edge, from.length + 1};
        if (target == to)
            return state->count - 1;
    }
    return state->count;
}

static void
take_edges(const search *state, uint32_t at, lg__way *out)
{
    out->length = state->steps[at].length;
    for (uint32_t i = out->length; i-- > 0; at = state->steps[at].before)
        out->edges[i] = state->steps[at].edge;
}

// Lengths never fall along the queue, so the search ends at the first step of
// the greatest length.
bool
lg__way_find(const lg_graph *graph, uint32_t from, uint32_t to, lg__way *out)
{
    search state = {.graph = graph,
                    .steps = lg__alloc(NODES_LOOKED_AT * sizeof(step))};
    bool found = false;
    *out = (lg__way){.length = 0};
    if (state.steps == NULL)
        return false;
    state.steps[state.count++] = (step){from, 0, 0, 0};
    for (uint32_t at = 0; at < state.count && !found; at++) {
        if (state.steps[at].length == LG__WAY_LONGEST)
            break;
        uint32_t end = go_on(&state, at, to);
        found = end < state.count && state.steps[end].node == to;
        if (found)
            take_edges(&state, end, out);
    }
    lg__free(state.steps);
    return found || from == to;
}

// Returns whether the callback of a weak reference keeps its object, and
// nothing else does.
static bool
keeps_its_referent(const lg__detection *detection, uint32_t reference,
                   uint32_t referent)
{
    uint32_t callback =
        lg__detection_attribute(detection, reference, "__callback__");
    return callback != LG_NONE && referent != LG_NONE &&
           lg__detection_owns(detection, callback, referent);
}

// Looks for weak references whose callback keeps the object. A program stores
// such a reference; otherwise it is garbage together with its object.
static void
look_for_callbacks(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_REFERENCE);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t reference = all->items[i];
        uint32_t referent = lg__weak_referent(detection->graph, reference);
        if (lg_node_is_reachable(detection->analysis, reference) &&
            keeps_its_referent(detection, reference, referent))
            lg__detection_note(detection, reference, referent);
    }
}

static void
look_for_finalizers(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_FINALIZER);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t referent = lg__kept_referent(detection, all->items[i]);
        if (referent != LG_NONE)
            lg__detection_note(detection, all->items[i], referent);
    }
    look_for_callbacks(detection);
}

const lg__detector lg__detect_finalizer_cycle = {
    .pattern = {.name = "finalizer-cycle",
                .cause = "The function or the arguments of weakref.finalize(), "
                         "or the callback of a weak reference, refer to the "
                         "object itself, so it never dies.",
                .fix =
                    "Pass a plain function and what it needs, such as a path, "
                    "but not the object or its bound method. Or call detach() "
                    "of the finalizer, or drop the weak reference."},
    .least = LG__MUCH,
    .look = look_for_finalizers,
    .effect = LG__FIX_ALL,
};

// Searches for one dict. An entry needs one only if several things in the dict
// lead to its weak half.
enum { MOST_SEARCHES = 1000 };

// Returns whether the entry itself keeps its weak half alive: nothing but the
// dict keeps that, and the other half leads to it. So the entry never goes.
static bool
is_kept_by_itself(const lg__detection *detection, uint32_t dict,
                  const lg__weak_entry *entry, uint32_t *searches)
{
    lg__way way;
    if (entry->strong == entry->weak ||
        !lg__detection_owns(detection, dict, entry->weak))
        return entry->strong == entry->weak;
    return lg__detection_owns(detection, entry->strong, entry->weak) ||
           (++*searches <= MOST_SEARCHES &&
            lg__way_find(detection->graph, entry->strong, entry->weak, &way));
}

// Notes what goes with the entry: the reference and the other half, unless that
// has another owner.
static void
note_entry(lg__detection *detection, uint32_t holder, uint32_t dict,
           const lg__weak_entry *entry)
{
    lg__detection_note(detection, holder, entry->weak);
    lg__detection_note_along(detection, holder, entry->reference);
    if (lg__detection_owns(detection, dict, entry->strong))
        lg__detection_note_along(detection, holder, entry->strong);
}

static void
look_for_weak_keys(lg__detection *detection)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_WEAK_DICT);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t dict =
            lg__detection_attribute(detection, all->items[i], "data");
        uint32_t searches = 0;
        if (dict == LG_NONE)
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, dict);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            lg__weak_entry entry;
            if (lg__weak_entry_read(detection->graph, edge, &entry) &&
                is_kept_by_itself(detection, dict, &entry, &searches))
                note_entry(detection, all->items[i], dict, &entry);
        }
    }
}

const lg__detector lg__detect_weak_keys = {
    .pattern = {.name = "weak-keys",
                .cause = "Values of a WeakKeyDictionary refer to their own "
                         "keys, or keys of a WeakValueDictionary to their own "
                         "values, so these entries never go.",
                .fix = "Keep a weakref.ref() there instead, or only what you "
                       "need of the object."},
    .least = LG__MUCH,
    .look = look_for_weak_keys,
    .effect = LG__FIX_ALL,
};
