/**
 * Where nodes are: the shortest path to each from a root, in words.
 */
#ifndef LG_WHERE_H
#define LG_WHERE_H

#include "answers/answers_private.h"
#include "paths/paths_private.h"

/** Where a node is: `train.losses[0]`, or of garbage what it is part of;
 * without an analysis (NULL) that it is garbage. */
void lg__where_write(const lg_graph *graph, const lg_analysis *analysis,
                     uint32_t node, const lg_where *where, lg_text *out);

/** Begins as {.analysis = analysis}. */
typedef struct lg__where {
    const lg_analysis *analysis;
    lg__finder finder;
} lg__where;

/** The shortest root path of a node as one expression; for garbage, what it is
 *  part of. */
lg_status lg__where_format(lg__where *where, uint32_t node,
                           const lg_monitor *monitor, lg_text *out,
                           lg_error *err);
void lg__where_free(lg__where *where);

/** Of garbage: what it is part of. */
lg_status lg__garbage_format(const lg_analysis *analysis, uint32_t node,
                             lg_text *out, lg_error *err);

#endif
