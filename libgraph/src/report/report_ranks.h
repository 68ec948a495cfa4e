/**
 * The tables of a report on ranks.
 */
#ifndef LEAKGRAPH_REPORT_RANKS_H
#define LEAKGRAPH_REPORT_RANKS_H

#include "report/report_private.h"

#include <leakgraph/internal/ranks.h>

/** How a table that stands alone, or is a part of another, is made. */
typedef struct lg__rank_table {
    const char *noun; /**< what a row is */
    const lg__column *columns;
    size_t column_count;
    /** Adds up to `limit` rows (0: all) to the table, which may be NULL. */
    void (*fill)(const lg_ranks *ranks, size_t limit, lg_table *table);
} lg__rank_table;

/** What every rank has, and the ranks. */
extern const lg__rank_table lg__rank_repeats;
extern const lg__rank_table lg__rank_sizes;

void lg__format_rank(const lg_ranks *ranks, uint32_t rank, lg_text *out);
/** Makes the table of up to `limit` differences (0: all). */
lg_table *lg__rank_differences(const lg_ranks *ranks, size_t limit);

#endif
