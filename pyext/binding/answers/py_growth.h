/** Growth: what several snapshots have more and more of. */
#ifndef LEAKGRAPH_PY_GROWTH_H
#define LEAKGRAPH_PY_GROWTH_H

#include "binding/answers/answer.h"

extern const lg__answer_extras lg__growth_extras;

PyObject *lg__core_diff(PyObject *module, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_diff_doc[];

#endif
