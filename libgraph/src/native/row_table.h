/**
 * Finds rows of a vector by the bytes with which each begins. A slot has the
 * number of a row and 1, or 0, so that it needs four bytes.
 */
#ifndef LEAKGRAPH_ROW_TABLE_H
#define LEAKGRAPH_ROW_TABLE_H

#include "base/base_private.h"

enum { LG__ROW_KEY_MOST = 2 * sizeof(uint64_t) };

/** It begins with the length of a key, and the rest 0. */
typedef struct lg__row_table {
    size_t key; /**< bytes: 8, or 16 */
    uint32_t *slot;
    size_t mask;
    size_t used;
} lg__row_table;

/** Returns where the number of the row with a key stands, with 1 added: 0 if
 *  there is none, and then the caller adds that row. NULL: memory ran out. */
uint32_t *lg__row_at(const lg_allocator *allocator, lg__row_table *table,
                     const lg__vector *rows, const void *key);
void lg__row_table_free(const lg_allocator *allocator, lg__row_table *table);

#endif
