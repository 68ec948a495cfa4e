/** Questions in Python: for each question of libgraph that names its types, a
 *  type of rows, a type of results, a function and a method of Snapshot. */
#ifndef LEAKGRAPH_ANSWER_H
#define LEAKGRAPH_ANSWER_H

#include "binding/support/binding_support.h"

/** Adds them all to the module, which has Result and Snapshot by now. -1 with
 *  an exception. */
int lg__answers_add(PyObject *module);

PyObject *lg__core_questions(PyObject *module, PyObject *unused);
extern const char lg__core_questions_doc[];

#endif
