/** What the picture of a cycle says above it. */
#ifndef LG_CYCLE_WORDS_H
#define LG_CYCLE_WORDS_H

#include <leakgraph/cycles.h>

/** What it retains, and why it is there. */
void lg__cycle_add_headline(const lg_graph *graph, const lg_cycle *cycle,
                            lg_text *line);
/** Why to cut there, and how much else; or why there is nothing to cut. */
void lg__cycle_add_note(const lg_cycle *cycle, lg_text *out);

#endif
