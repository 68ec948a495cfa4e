// Detects what weak references are meant to let go, and never do.
#include "findings/detectors.h"
#include "findings/weak_entries.h"

// ------------------------------------------------------------ finalizers ---

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

// ------------------------------------------------------------- weak dicts ---

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
