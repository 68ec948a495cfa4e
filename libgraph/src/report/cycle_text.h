/**
 * What people read of a cycle.
 */
#ifndef LG_CYCLE_TEXT_H
#define LG_CYCLE_TEXT_H

#include "report/words.h"

typedef struct lg__cycle_text {
    const lg_graph *graph;
    const lg_cycles *cycles;
    size_t index; /**< of the cycle that stands for its group */
} lg__cycle_text;

/** ` 1. held · 4 objects (2 app.Child, list) · retains 3.00 MiB`. */
void lg__cycle_format_headline(const lg__cycle_text *to, lg_text *out);
/** All lines below that. */
void lg__cycle_format_body(const lg__cycle_text *to, lg_text *out);
/** Lines that say what to cut, or why nothing can be. */
void lg__cycle_format_cuts(const lg__cycle_text *to, lg_text *out);
/** What holds it, or why it was not freed yet; and how many more are like it.
 */
void lg__cycle_format_kept(const lg__cycle_text *to, lg_text *out);
/** Of a held one: the path from the root. */
void lg__cycle_format_holder(const lg_graph *graph, const lg_cycle *cycle,
                             lg_text *out);

#endif
