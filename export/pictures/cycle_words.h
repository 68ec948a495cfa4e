/** Writes the text above the picture of a cycle. */
#ifndef LEAKGRAPH_CYCLE_WORDS_H
#define LEAKGRAPH_CYCLE_WORDS_H

#include <leakgraph/cycles.h>

/** Says what the cycle retains, and why it exists. */
void lg__cycle_add_headline(const lg_graph *graph, const lg_cycle *cycle,
                            lg_text *line);
/** Says why to cut there, and what else to cut; or why nothing can be cut. */
void lg__cycle_add_note(const lg_cycle *cycle, lg_text *out);

#endif
