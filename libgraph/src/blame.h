/**
 * Which objects a root holds, and why the collector would not free those that
 * none does.
 */
#ifndef LG_BLAME_H
#define LG_BLAME_H

#include <leakgraph/analysis.h>

#include "graph.h"

typedef struct lg__blame {
    uint8_t *held;     /**< [node] a root that is not a native one reaches it */
    uint8_t *reason;   /**< [node] lg_cycle_reason; of a node that is not held:
                            LG_REASON_NONE if nothing keeps the collector from
                            it */
    uint32_t *culprit; /**< [node] that the reason is about, or LG_NONE */
} lg__blame;

/** O(nodes + edges). */
lg_status lg__blame_new(const lg_graph *graph, lg__blame *out, lg_error *err);
void lg__blame_free(lg__blame *blame);

#endif
