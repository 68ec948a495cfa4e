/** Ranks: how the processes of one job differ. */
#ifndef LEAKGRAPH_PY_RANKS_H
#define LEAKGRAPH_PY_RANKS_H

#include "binding/answers/answer.h"

extern const lg__answer_extras lg__ranks_extras;

PyObject *lg__core_ranks(PyObject *module, PyObject *const *args,
                         Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_ranks_doc[];

PyObject *lg__core_rank(PyObject *module, PyObject *unused);

extern const char lg__core_rank_doc[];

#endif
