/** What the reports share. */
#ifndef LEAKGRAPH_REPORT_PRIVATE_H
#define LEAKGRAPH_REPORT_PRIVATE_H

#include "answers/answers_private.h"
#include "table/table_private.h"

/** Writes `Known mistake: loss-history: 12 MiB, 10 x Tensor`, with cause and
 *  fix below. */
void lg__format_finding(const lg_graph *graph, const lg_finding *finding,
                        lg_text *out);
/** Writes `{"pattern": "loss-history", "holder": 1, ...}`, without where the
 *  holder is. */
void lg__write_finding(lg_json *json, const char *name, const lg_graph *graph,
                       const lg_finding *finding);
/** Adds known mistakes that concern the nodes of a report: for people the
 *  biggest few below the table, for programs all of them as a list among the
 *  facts, or null without an analysis. *any says whether there are some. */
lg_status lg__put_mistakes(lg_table *table, lg_table *facts, size_t column,
                           const lg_analysis *analysis, const uint32_t *nodes,
                           size_t count, bool *any, lg_error *err);
/** Writes the answer of lg_node_why. */
void lg__write_why(lg_json *json, const char *name, const lg_why *why,
                   const char *note);
/** The fact of lg_tabulate_paths that says how many objects it is about. */
enum { LG__PATHS_OBJECTS = 0 };

/** Questions; each stands at the end of the file that answers it. */
extern const lg_question lg__ask_tensors;
extern const lg_question lg__ask_figures;
extern const lg_question lg__ask_cycles;
extern const lg_question lg__ask_findings;
extern const lg_question lg__ask_threads;

#endif
