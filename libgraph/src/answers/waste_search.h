/**
 * What the searches for each kind of waste share.
 */
#ifndef LG_WASTE_SEARCH_H
#define LG_WASTE_SEARCH_H

#include <leakgraph/waste.h>

#include "answers/answers_private.h"
#include "growth/growth_private.h"

/** Builtin types whose layout is known: [type], 0 for all others. */
enum {
    LG__LAYOUT_LIST = 1,
    LG__LAYOUT_TUPLE,
    LG__LAYOUT_DICT,
    LG__LAYOUT_SET,
    LG__LAYOUT_INT,
    LG__LAYOUT_FLOAT,
    LG__LAYOUT_STR,
};

typedef struct lg__wasting {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    const lg_waste_options *options;
    const lg__fold *folds;
    lg__library_tables tables;
    lg_scope *scope;
    uint32_t *keeper; /**< [node] */
    lg_places *places;
    uint32_t *place;  /**< [node] */
    uint8_t *layout;  /**< [type] */
    uint8_t *counted; /**< [node] it is part of a row already */
    uint32_t *row_at; /**< [kind][place] 1 + its row; 0: none */
    uint32_t *last;   /**< [row] the last group of equal contents, and 1 */
    size_t each;      /**< devices, and the host */
    size_t capacity;  /**< of rows */
    lg_waste out;
} lg__wasting;

/** An object that could do with less. */
typedef struct lg__spare {
    lg_waste_kind kind;
    uint32_t node;
    uint32_t device; /**< that the bytes are on */
    uint64_t size;
    uint64_t waste; /**< 0: nothing is added */
    uint64_t used;
    uint64_t of;
    bool at_most;
} lg__spare;

/** Adds an object to the row of its kind and place, or to the one at *row: 1 +
 *  its index, 0 if there is none yet. Sets that. What is out of the scope is
 *  left out, and what is a library's has no row. False: memory ran out. */
bool lg__waste_add(lg__wasting *to, const lg__spare *spare, uint32_t *row);

/** Of an object: builtins of known layout only. */
static inline unsigned
lg__layout_of(const lg__wasting *to, uint32_t node)
{
    return to->layout[to->graph->columns.type[node]];
}

/** The searches, in this order: what one has counted is not counted again. */
lg_status lg__waste_boxed(lg__wasting *to, lg_error *err);
lg_status lg__waste_slots(lg__wasting *to, lg_error *err);
lg_status lg__waste_records(lg__wasting *to, lg_error *err);
lg_status lg__waste_room(lg__wasting *to, lg_error *err);
lg_status lg__waste_views(lg__wasting *to, lg_error *err);
lg_status lg__waste_equal(lg__wasting *to, lg_error *err);

/** Bytes of an object with these slots, and what the collector adds. */
uint64_t lg__slotted_spent(uint64_t slots);

#endif
