/**
 * Where nodes are: the shortest path to each from a root, in words.
 */
#ifndef LEAKGRAPH_WHERE_H
#define LEAKGRAPH_WHERE_H

#include "answers/answers_private.h"
#include "paths/paths_private.h"

/** Writes where a node is: `train.losses[0]`. For garbage, writes what it is
 *  part of, or, without an analysis (NULL), that it is garbage. */
void lg__where_write(const lg_graph *graph, const lg_analysis *analysis,
                     uint32_t node, const lg_where *where, lg_text *out);

/** It begins as {.analysis = analysis}. */
typedef struct lg__where {
    const lg_analysis *analysis;
    lg__finder finder;
} lg__where;

/** Writes the shortest root path of a node as one expression. For garbage,
 *  writes what it is part of. */
lg_status lg__where_format(lg__where *where, uint32_t node,
                           const lg_monitor *monitor, lg_text *out,
                           lg_error *err);
void lg__where_free(lg__where *where);

/** Writes what garbage is part of. */
lg_status lg__garbage_format(const lg_analysis *analysis, uint32_t node,
                             lg_text *out, lg_error *err);

#endif
