/**
 * The tables of a report on ranks.
 */
#ifndef LEAKGRAPH_REPORT_RANKS_H
#define LEAKGRAPH_REPORT_RANKS_H

#include "report/report_growth_facts.h"

#include <leakgraph/internal/ranks.h>

/** How a table that stands alone, or is a part of another, is made. */
typedef struct lg__rank_table {
    const char *noun; /**< what a row is */
    const lg_field *fields;
    /** Adds up to `limit` rows (0: all) to the table, which may be NULL. */
    void (*fill)(const lg_ranks *ranks, size_t limit, lg_table *table);
} lg__rank_table;

/** What every rank has, and the ranks. */
extern const lg__rank_table lg__rank_repeats;
extern const lg__rank_table lg__rank_sizes;

void lg__format_rank(const lg_ranks *ranks, uint32_t rank, lg_text *out);
/** The differences: their columns, the cells of a row, and the headings of more
 *  columns. */
extern const lg_field lg__rank_fields[];
extern const lg_field lg__rank_repeat_fields[];
extern const lg_field lg__rank_size_fields[];
void lg__rank_row_put(const lg_ask *ask, const void *ranks, const void *row,
                      lg_table *table);
size_t lg__rank_headings(const void *ranks, lg_text *names);

#endif
