/**
 * Finds rows of a vector by the two numbers with which each begins. A slot has
 * the number of a row, so that it needs four bytes.
 */
#ifndef LEAKGRAPH_ROW_TABLE_H
#define LEAKGRAPH_ROW_TABLE_H

#include "base/base_private.h"

typedef struct lg__row_table {
    uint32_t *slot; /**< the number of a row and 1; 0: free */
    size_t mask;
    size_t used;
} lg__row_table;

/** It begins as {0}. Returns where the number of the row stands that begins
 * with `a` and `b`; 0 stands there if the table has none, and the caller may
 * put one there. NULL when memory ran out. */
uint32_t *lg__row_table_at(const lg_allocator *allocator, lg__row_table *table,
                           const lg__vector *rows, uint32_t a, uint32_t b);
void lg__row_table_free(const lg_allocator *allocator, lg__row_table *table);

#endif
