/** What the searches for the kinds of waste share. */
#ifndef LEAKGRAPH_WASTE_SEARCH_H
#define LEAKGRAPH_WASTE_SEARCH_H

#include <leakgraph/internal/waste.h>

#include "answers/answers_private.h"
#include "growth/growth_private.h"

/** Builtin types whose layout is known, [type]; 0 for all other types. */
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
    const lg__folds *folds;
    lg__library_tables tables;
    lg__keepers keepers;
    lg_places *places;
    uint32_t *place;  /**< [node] */
    uint8_t *layout;  /**< [type] */
    uint8_t *counted; /**< [node] whether a row counts it already */
    uint32_t *row_at; /**< [kind][place] 1 + the row; 0: none */
    uint32_t *last;   /**< [row] 1 + the last group of equal contents */
    size_t each;      /**< number of devices, and the host */
    size_t capacity;  /**< number of rows there is room for */
    lg_waste out;
} lg__wasting;

/** An object that needs less memory than it takes. */
typedef struct lg__saving {
    lg_waste_kind kind;
    uint32_t node;
    uint32_t device; /**< the device that has its bytes */
    uint64_t size;
    uint64_t waste; /**< 0: the object is not added */
    uint64_t used;
    uint64_t of;
    bool at_most;
} lg__saving;

/** Makes room for the sums of all rows. False if memory ran out. */
bool lg__waste_begin_rows(lg__wasting *to);
/** Sorts the rows, most bytes first, once all are there. */
void lg__waste_end_rows(lg__wasting *to);

/** Adds an object to the row of its kind and place, or, if `row` is given, to
 *  the row with index *row - 1. If *row is 0, makes a row and sets *row. Leaves
 *  out what is out of scope; objects of libraries have no row. Returns false
 *  when memory ran out. */
bool lg__waste_add(lg__wasting *to, const lg__saving *saving, uint32_t *row);

/** Returns the layout of an object of a builtin type, or 0. */
static inline unsigned
lg__layout_of(const lg__wasting *to, uint32_t node)
{
    return to->layout[to->graph->columns.type[node]];
}

/** The searches, in this order, because none counts again what an earlier one
 *  has counted. */
lg_status lg__waste_boxed(lg__wasting *to, lg_error *err);
lg_status lg__waste_slots(lg__wasting *to, lg_error *err);
lg_status lg__waste_records(lg__wasting *to, lg_error *err);
lg_status lg__waste_room(lg__wasting *to, lg_error *err);
lg_status lg__waste_views(lg__wasting *to, lg_error *err);
lg_status lg__waste_equal(lg__wasting *to, lg_error *err);

#endif
