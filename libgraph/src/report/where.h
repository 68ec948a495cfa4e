/**
 * Where nodes are: the shortest way to each from a root, in words.
 */
#ifndef LG_WHERE_H
#define LG_WHERE_H

#include <leakgraph/analysis.h>

#include "paths/paths_private.h"

/** Begins as {.analysis = analysis}. A few nodes are looked for one by one;
 *  from then on the ways to all nodes are known at once. */
typedef struct lg__where {
    const lg_analysis *analysis;
    lg__roottree tree;
    uint32_t searches;
} lg__where;

/** The shortest root path of a node as one expression; for garbage, what it is
 *  part of. */
lg_status lg__where_format(lg__where *where, uint32_t node,
                           const lg_monitor *monitor, lg_text *out,
                           lg_error *err);
void lg__where_free(lg__where *where);

#endif
