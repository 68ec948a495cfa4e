/**
 * Questions about a snapshot, by name: which there are, which options each
 * takes, and its answer as a table.
 *
 * The conventions of leakgraph.h hold. Questions live as long as the program.
 */
#ifndef LEAKGRAPH_QUESTION_H
#define LEAKGRAPH_QUESTION_H

#include <leakgraph/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A question, such as "top" or "waste". */
typedef struct lg_question lg_question;

/** Returns a question; NULL past the last. */
LG_API const lg_question *lg_question_at(size_t index);

/** Returns NULL if there is none by that name. */
LG_API const lg_question *lg_question_find(const char *name);

/** Its name, "waste", and the title of its answer, "Memory that you could
 *  save". */
LG_API const char *lg_question_name(const lg_question *question);
LG_API const char *lg_question_title(const lg_question *question);
/** Whether it takes an analysis if no option is given. */
LG_API bool lg_question_needs_analysis(const lg_question *question);

/**
 * Answers a question with a table, which borrows nothing. `options` are texts
 * such as "limit=10" or "group=type", and NULL at the end; NULL: none. A flag
 * is its name alone. `analysis` is of the graph; NULL: see
 * lg_question_needs_analysis. LG_EINVAL: there is no such option, or it takes
 * no such value; the message says which there are. LG_ENOTFOUND: no such
 * module.
 */
LG_API lg_status lg_question_table(const lg_question *question,
                                   const lg_graph *graph,
                                   const lg_analysis *analysis,
                                   const char *const *options,
                                   const lg_monitor *monitor, lg_table **out,
                                   lg_error *err);

/** Writes the descriptions of all questions as one JSON document, for programs
 *  that make forms, manuals or types of them. */
LG_API lg_status lg_questions_json(lg_text *out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
