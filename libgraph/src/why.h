/**
 * What there is to say of why a node is alive.
 */
#ifndef LG_WHY_H
#define LG_WHY_H

#include <leakgraph/bytes.h>

#include "blame.h"
#include "hop.h"
#include "retained.h"

typedef struct lg__why {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    const char *note;
    lg_text text; /**< of the report */

    uint32_t node; /**< the one asked for, or what it is folded into */
    bool garbage;
    lg__walk walk;

    lg_path path;    /**< of what is alive */
    bool *suspect;   /**< [path.count] */
    size_t suspects; /**< how many */
    lg_paths cuts;   /**< of what is alive */

    lg__blame blame; /**< of garbage */

    uint32_t in_knot; /**< the node, or of garbage a dominator of it, that is in
                           a knot; LG_NONE */
    uint32_t knot;
    lg_hops circuit; /**< through that knot */
    size_t cut;

    lg_findings findings; /**< known mistakes that keep the node */
} lg__why;

/** Finds out everything below `walk`, from what stands above it; `in_knot` must
 *  be LG_NONE. Free with lg__why_free, also on failure; the text is not. */
lg_status lg__why_explain(lg__why *why, lg_error *err);
void lg__why_free(lg__why *why);

#endif
