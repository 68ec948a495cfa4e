/** Cycle: a row of Cycles, with what only its snapshot can say. */
#ifndef LEAKGRAPH_PY_CYCLE_H
#define LEAKGRAPH_PY_CYCLE_H

#include "binding/answers/answer.h"

/** Its attributes, such as nodes and drawing. Each Cycle of cycles() keeps its
 *  types and, of the first 20, its path and picture, because the snapshot goes
 *  with the call. */
extern const lg__answer_extras lg__cycle_extras;

#endif
