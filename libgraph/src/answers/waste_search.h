/** The search for waste, and what it needs. */
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

/** Returns the layout of an object of a builtin type, or 0. */
static inline unsigned
lg__layout_of(const lg__wasting *to, uint32_t node)
{
    return to->layout[lg_columns_type(&to->graph->columns, node)];
}

/** Adds a row for each kind and place, those with the most bytes first. */
lg_status lg__waste_search(lg__wasting *to, lg_error *err);

#endif
