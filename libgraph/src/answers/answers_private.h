/** Answers: the facts that answer a question, and the table that shows them. */
#ifndef LEAKGRAPH_ANSWERS_PRIVATE_H
#define LEAKGRAPH_ANSWERS_PRIVATE_H

#include "analysis/analysis_private.h"
#include "answers/liveness.h"
#include "answers/library_tables.h"
#include "answers/node_heap.h"
#include "answers/top_parts.h"
#include "bytes/bytes_private.h"
#include "paths/paths_private.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/why_facts.h>
#include <leakgraph/question.h>
#include <leakgraph/why.h>

/** Finds where a node is. `finder` begins as {0}; release it with
 *  lg__finder_free. */
lg_status lg__where_find(lg__finder *finder, const lg_analysis *analysis,
                         uint32_t node, const lg_monitor *monitor,
                         lg_where *out, lg_error *err);
/** Writes where a node is: `train.losses[0]`. For garbage, writes what it is
 *  part of, or, without an analysis (NULL), that it is garbage. */
void lg__where_write(const lg_graph *graph, const lg_analysis *analysis,
                     uint32_t node, const lg_where *where, lg_text *out);
/** Writes where several objects are, of which one has that path: `[*]` stands
 *  for their positions, and `sys.modules[*]` for many modules. */
void lg__where_write_alike(const lg_graph *graph, const lg_where *where,
                           lg_text *out);
/** Writes where the objects of a row are, of which `node` is one. Several are
 *  written as alike. */
void lg__where_write_row(const lg_ask *ask, uint32_t node, uint64_t count,
                         const lg_where *where, lg_text *out);

/** It begins as {.analysis = analysis}. */
typedef struct lg__where {
    const lg_analysis *analysis;
    lg__finder finder;
} lg__where;

/** Writes what garbage is part of. */
lg_status lg__garbage_format(const lg_analysis *analysis, uint32_t node,
                             lg_text *out, lg_error *err);

/** Frees what the cycle has. */
void lg__cycle_clear(lg_cycle *cycle);

/** Finds what to cut to free a node and spare `from`, which dominates it, or
 *  LG_NONE. If a program cannot do that, spares the nearest of the dominators
 *  above after which it can: that of an item of a tuple is the tuple, which no
 *  program can change. If there is none, the result is that of `from`. Lists at
 *  most `limit` references. */
lg_status lg__cuts_below(const lg_analysis *analysis, lg_node node,
                         lg_node from, size_t limit, const lg_monitor *monitor,
                         lg_cuts *out, lg_error *err);

// Questions; each stands at the end of the file that answers it.

extern const lg_question lg__ask_top;
extern const lg_question lg__ask_types;
extern const lg_question lg__ask_native;
extern const lg_question lg__ask_search;
extern const lg_question lg__ask_waste;
extern const lg_question lg__ask_allocations;

/** Writes how to learn who holds what C code has allocated, or why this
 *  snapshot, which was asked, does not say it. */
void lg__advise_native(const lg_graph *graph, lg_text *out);

#endif
