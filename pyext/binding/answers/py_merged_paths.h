/** What MergedPaths have besides rows and facts: a picture. */
#ifndef LEAKGRAPH_PY_MERGED_PATHS_H
#define LEAKGRAPH_PY_MERGED_PATHS_H

#include "binding/answers/answer.h"

extern const lg__answer_extras lg__merged_extras;

#endif
