/**
 * The tables of a report on ranks. Each function that fills accepts a table
 * that could not be made.
 */
#ifndef LEAKGRAPH_REPORT_RANKS_H
#define LEAKGRAPH_REPORT_RANKS_H

#include "report/table_writer.h"

#include <leakgraph/ranks.h>

enum { LG__REPEAT_COLUMNS = 4, LG__RANK_COLUMNS = 5 };

extern const lg__column lg__repeat_columns[LG__REPEAT_COLUMNS];
extern const lg__column lg__rank_columns[LG__RANK_COLUMNS];

void lg__format_rank(const lg_ranks *ranks, uint32_t rank, lg_text *out);
/** Makes the table of up to `limit` differences (0: all). */
lg_table *lg__rank_differences(const lg_ranks *ranks, size_t limit);
/** Add up to `limit` rows: what every rank has, and the ranks. */
void lg__fill_rank_repeats(const lg_ranks *ranks, size_t limit,
                           lg_table *table);
void lg__fill_rank_sizes(const lg_ranks *ranks, size_t limit, lg_table *table);

#endif
