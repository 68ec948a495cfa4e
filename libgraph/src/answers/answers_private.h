/** Answers: the facts that answer a question, and the table that shows them. */
#ifndef LEAKGRAPH_ANSWERS_PRIVATE_H
#define LEAKGRAPH_ANSWERS_PRIVATE_H

#include "analysis/analysis_private.h"
#include "answers/cycle_search.h"
#include "answers/library_tables.h"
#include "answers/node_heap.h"
#include "answers/top_parts.h"
#include "answers/where.h"
#include "bytes/bytes_private.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/why_facts.h>
#include <leakgraph/question.h>
#include <leakgraph/why.h>

// Questions; each stands at the end of the file that answers it.

extern const lg_question lg__ask_top;
extern const lg_question lg__ask_types;
extern const lg_question lg__ask_native;
extern const lg_question lg__ask_search;
extern const lg_question lg__ask_waste;
extern const lg_question lg__ask_allocations;

#endif
