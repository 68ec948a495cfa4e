/**
 * A map of the heap: the packages and places that are worth an area.
 *
 * The conventions of leakgraph.h hold. The places below the super-root are tens
 * of thousands of classes and modules, so the map gathers them by package:
 * `torch`, in it `torch.nn`, in that `torch.nn.modules`, which has all deeper
 * modules. What lies in no module is in "builtins", "threads and tasks",
 * "garbage", or "several holders, or native code".
 */
#ifndef LEAKGRAPH_HEAP_MAP_H
#define LEAKGRAPH_HEAP_MAP_H

#include <leakgraph/internal/growth.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A package or a place. Bytes are by device: [devices + 1], the host first. */
typedef struct lg_area {
    lg_string package;    /**< its whole name; of a place empty */
    uint32_t place;       /**< LG_NONE: a package */
    uint32_t parent;      /**< the area around it; LG_NONE: none */
    lg_category category; /**< of a place */
    bool native; /**< of a place: most of its own bytes are memory of C code */
    bool mine; /**< of an outer package: the program's own modules hold some of
                    it */
    uint32_t left_out;      /**< packages and places in it without an area */
    const uint64_t *within; /**< all bytes in the area */
    const uint64_t *rest;   /**< of those, what has no area */
    const uint64_t *own_before;  /**< [older][devices + 1] own bytes of the
                                      place in older snapshots */
    const uint64_t *rest_before; /**< the same for what has no area */
} lg_area;

typedef struct lg_heap_map {
    lg_area *areas; /**< around others before those in them: packages, then
                         places in the order of the table */
    size_t count;
    uint32_t devices;              /**< besides the host: those of the places */
    size_t older;                  /**< older snapshots */
    const uint64_t *totals_before; /**< [older][devices + 1] of all places */
    uint64_t *bytes;               /**< what the areas point into */
} lg_heap_map;

/** Start from LG_HEAP_MAP_OPTIONS_INIT. */
typedef struct lg_heap_map_options {
    size_t size;  /**< of this struct */
    size_t limit; /**< areas (0: any number); outer packages always have one */
    const lg_summary *const *older; /**< [older_count] oldest first; or NULL */
    size_t older_count;
} lg_heap_map_options;

#define LG_HEAP_MAP_OPTIONS_INIT                                               \
    {                                                                          \
        .size = sizeof(lg_heap_map_options)                                    \
    }

/** Chooses the areas with the greatest share of the bytes of a device. `places`
 *  are those of the analysed graph; the map borrows them. options may be NULL.
 *  O(nodes + edges), and O(places of all). */
lg_status lg_heap_map_find(const lg_analysis *analysis, const lg_places *places,
                           const lg_heap_map_options *options,
                           const lg_monitor *monitor, lg_heap_map *out,
                           lg_error *err);
void lg_heap_map_free(lg_heap_map *map);

#ifdef __cplusplus
}
#endif

#endif
