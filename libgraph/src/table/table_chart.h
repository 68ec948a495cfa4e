/**
 * The charts of cells in HTML: pictures in the page itself, without scripts or
 * style sheets.
 */
#ifndef LEAKGRAPH_TABLE_CHART_H
#define LEAKGRAPH_TABLE_CHART_H

#include "table/table_private.h"

/** Draws a cell as its column says. Returns false if the cell has nothing to
 *  draw. */
bool lg__cell_draw(const lg_table *table, size_t row, size_t column,
                   lg_text *out);

#endif
