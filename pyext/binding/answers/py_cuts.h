/** References to cut: what Python gives for them. */
#ifndef LEAKGRAPH_PY_CUTS_H
#define LEAKGRAPH_PY_CUTS_H

#include "binding/answers/answer.h"

#include <leakgraph/internal/what_if.h>

/** Adds what `cut` stands for: texts, an Edge, a Hop, or several of these.
 *  False with an exception. */
bool lg__cuts_collect(lg__snapshot_object *snapshot, PyObject *cut,
                      lg_edges *out);

extern const lg__answer_extras lg__what_if_extras;

#endif
