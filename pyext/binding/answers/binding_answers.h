/** What the module's table of contents needs of the answers. */
#ifndef LEAKGRAPH_BINDING_ANSWERS_H
#define LEAKGRAPH_BINDING_ANSWERS_H

#include "binding/answers/answer.h"
#include "binding/answers/py_cuts.h"
#include "binding/answers/py_baseline.h"
#include "binding/answers/py_cycle.h"
#include "binding/answers/py_dominators.h"
#include "binding/answers/py_summary.h"
#include "binding/answers/py_growth.h"
#include "binding/answers/py_json.h"
#include "binding/answers/py_line.h"
#include "binding/answers/py_memory.h"
#include "binding/answers/py_merged_paths.h"
#include "binding/answers/py_pages.h"
#include "binding/answers/py_ranks.h"
#include "binding/answers/py_report.h"
#include "binding/answers/py_text_table.h"
#include "binding/answers/py_why.h"

#endif
