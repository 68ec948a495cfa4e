/** Dominators: the top of a Snapshot's dominator tree. */
#ifndef LEAKGRAPH_PY_DOMINATORS_H
#define LEAKGRAPH_PY_DOMINATORS_H

#include "binding/answers/answer.h"

/** Its attributes: components and tops. */
extern const lg__answer_extras lg__dominators_extras;

#endif
