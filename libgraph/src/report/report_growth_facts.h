/**
 * The facts of a comparison besides its rows, as parts of a table, and the
 * words for a row.
 */
#ifndef LEAKGRAPH_REPORT_GROWTH_FACTS_H
#define LEAKGRAPH_REPORT_GROWTH_FACTS_H

#include "report/report_private.h"

#include <leakgraph/internal/growth.h>

/** The columns of a list of sizes, and of paths. */
extern const lg_field lg__sizes_of_list[];
extern const lg_field lg__paths_of_list[];
/** The facts about types, accounts, and what is counted besides objects. */
extern const lg_field lg__growth_facts[];
void lg__put_growth_facts(const lg_ask *ask, const void *growth,
                          lg_table *facts);
/** Adds the result of lg_growth_check as lines at the end of the text, if it
 *  was asked for. */
void lg__format_growth_check(lg_table *table, const lg_growth *growth,
                             const lg_graph *newest);
/** Adds the lines below the rows. */
void lg__format_growth_notes(lg_table *table, const lg_ask *ask,
                             const lg_growth *growth);
/** Writes `100 → 200 → 300`, without the middle of a long series. */
void lg__format_series(const uint64_t *numbers, uint32_t count, lg_text *out);
/** Puts the bytes of each snapshot, [snapshots][devices + 1], as a list of
 *  sizes. */
void lg__put_sizes(lg_table *table, size_t column, const lg_growth *growth,
                   const uint64_t *bytes);
/** Puts by how much these bytes grew on each device, from the first snapshot to
 *  the last. */
void lg__put_gain(lg_table *table, size_t column, const lg_growth *growth,
                  const uint64_t *bytes);
/** Writes what grows, and how: `Tensor accumulates (loss-history)`. */
void lg__format_growth_what(const lg_growth *growth, const lg_growth_row *row,
                            lg_text *out);
/** Writes who holds it: `__main__.losses[*]`. graph: that of the newest
 *  snapshot, or NULL. */
void lg__format_growth_holder(const lg_growth *growth, const lg_graph *graph,
                              const lg_growth_row *row, lg_text *out);
/** Writes `12,000 Session (event-handlers)`. */
void lg__format_growth_things(const lg_growth *growth, const lg_growth_row *row,
                              lg_text *out);
/** Writes where a holder is: `__main__.app.sessions`, with `[*]` for indexes
 *  and keys if there are several. */
void lg__format_keeper(const lg_graph *graph, const lg_growth_holder *holder,
                       lg_text *out);
/** Writes what to do so that the leak of a row goes, and what goes then:
 *  `empty app.a (1 MiB alone) and app.b (0 B alone): 17.7 MiB go`. Nothing if
 *  that is not known or another row leads. */
void lg__format_growth_cut(const lg_growth *growth, const lg_graph *graph,
                           const lg_growth_row *row, lg_text *out);

#endif
