/** How little each kind of reference tells a reader. */
#ifndef LEAKGRAPH_PENALTIES_H
#define LEAKGRAPH_PENALTIES_H

#include <leakgraph/graph.h>

/** What a reference of a kind adds to lg__hop_penalty. */
extern const uint8_t lg__penalties[LG_EDGE_KIND_COUNT];

#endif
