/** Facts that are equal for similar things. They are keys to group by, not text
 *  for people. Each begins on a line of its own. */
#ifndef LEAKGRAPH_COMMON_H
#define LEAKGRAPH_COMMON_H

#include "analysis/analysis_private.h"

#include <leakgraph/internal/why_facts.h>

/** Adds the type of a node; for a function, class, module or frame, also its
 *  name. Adds nothing for LG_NONE. */
void lg__sort_common(const lg_graph *graph, uint32_t node, lg_text *out);
/** Adds what is equal for the same nodes, within this graph only: of most types
 *  the number of the name, which takes less time than the name. */
void lg__sort_number(const lg_graph *graph, uint32_t node, lg_text *out);
/** Adds a hop without its index, key or line. Returns how much it added. */
size_t lg__hop_facts(const lg_graph *graph, const lg_hop *hop, lg_text *out);
/** Adds the root and the hops of a path. A hop that repeats counts once. */
void lg__path_common(const lg_graph *graph, const lg_path *path, lg_text *out);

#endif
