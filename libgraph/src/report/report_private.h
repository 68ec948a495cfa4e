/** What the reports share. */
#ifndef LEAKGRAPH_REPORT_PRIVATE_H
#define LEAKGRAPH_REPORT_PRIVATE_H

#include "answers/answers_private.h"
#include "table/table_private.h"
/** Puts known mistakes as a list, for programs. */
void lg__put_findings(lg_table *table, size_t column, const lg_ask *ask,
                      const lg_findings *findings);
/** Adds the biggest few of them below a table, for people, if there are any. */
void lg__add_mistakes(lg_table *table, const lg_ask *ask,
                      const lg_findings *findings);
/** The fact that lists the mistakes; `put_it` is its lg_put. */
#define LG__MISTAKES(put_it)                                                   \
    {                                                                          \
        .name = "findings", .help = "known mistakes that concern the rows",    \
        .type = LG_COLUMN_LIST, .put = put_it, .row = "Finding", .look = {     \
            .lines = true                                                      \
        }                                                                      \
    }
/** The fact of lg_tabulate_paths that says how many objects it is about. */
enum { LG__PATHS_OBJECTS = 0 };

/** Questions; each stands at the end of the file that answers it. */
extern const lg_question lg__ask_tensors;
extern const lg_question lg__ask_figures;
extern const lg_question lg__ask_cycles;
extern const lg_question lg__ask_dominators;
extern const lg_question lg__ask_findings;
extern const lg_question lg__ask_threads;
extern const lg_question lg__ask_paths;
extern const lg_question lg__ask_memory;
extern const lg_question lg__ask_what_if;
extern const lg_question lg__ask_growth;
extern const lg_question lg__ask_ranks;
extern const lg_question lg__ask_retained;

#endif
