/**
 * Answers: what there is to say to one question, without a word of text.
 */
#ifndef LG_ANSWERS_PRIVATE_H
#define LG_ANSWERS_PRIVATE_H

#include "cycles/cycles_private.h"
#include "analysis/analysis_private.h"

// Who retains the most: objects that gather bytes, and groups of objects.

/**
 * Up to `limit` objects that gather bytes, biggest first, none below another.
 * What only passes on to one other most of what it retains is no gatherer, nor
 * are modules, threads, frames and the interpreter: what they dominate stands
 * for them. `device` as in lg_report_top.
 */
lg_status lg__top_objects(const lg_analysis *analysis, uint32_t device,
                          size_t limit, lg__gathered *out, lg_error *err);

/** A group of objects. */
typedef struct lg__top_group {
    uint32_t group;
    uint64_t count;     /**< of its objects */
    uint64_t bound;     /**< at least this much is retained */
    uint64_t rank;      /**< what it goes by */
    uint64_t *retained; /**< [device_count + 1] */
    uint64_t *size;     /**< of the objects, [device_count + 1] */
} lg__top_group;

typedef struct lg__top_list {
    lg__top_group *items;
    size_t count;
    uint64_t *bytes; /**< what `retained` points into */
} lg__top_list;

/** The `limit` groups with the highest bounds, with what they retain exactly,
 *  biggest first; group_of[type] is below group_count. O(limit / 64 * (nodes +
 *  edges)). */
lg_status lg__top_groups(const lg_analysis *analysis, const uint32_t *group_of,
                         uint32_t group_count, uint32_t device, size_t limit,
                         const lg_monitor *monitor, lg__top_list *out,
                         lg_error *err);
void lg__top_list_free(lg__top_list *list);

/** What a node retains by that measure. */
uint64_t lg__top_weight(const lg_analysis *analysis, uint32_t node,
                        uint32_t device);

#endif
