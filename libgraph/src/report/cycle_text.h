/** The text of a cycle for people. */
#ifndef LEAKGRAPH_CYCLE_TEXT_H
#define LEAKGRAPH_CYCLE_TEXT_H

#include "report/report_private.h"

typedef struct lg__cycle_text {
    const lg_graph *graph;
    const lg_cycles *cycles;
    size_t index; /**< index of the cycle that represents its group */
} lg__cycle_text;

/** Writes ` 1. held · 4 objects (2 app.Child, list) · retains 3.00 MiB`. */
void lg__cycle_format_headline(const lg__cycle_text *to, lg_text *out);
/** Writes all lines below the headline. */
void lg__cycle_format_body(const lg__cycle_text *to, lg_text *out);
/** Writes what to cut, or why nothing can be cut. */
void lg__cycle_format_cuts(const lg_graph *graph, const lg_cycle *cycle,
                           lg_text *out);
/** Writes what holds the cycle, or why it was not freed yet, and how many
 *  similar ones there are. */
void lg__cycle_format_kept(const lg__cycle_text *to, lg_text *out);
/** Writes the path from the root to a held cycle. */
void lg__cycle_format_holder(const lg_graph *graph, const lg_cycle *cycle,
                             lg_text *out);

#endif
