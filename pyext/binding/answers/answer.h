/** Questions in Python: for each question of libgraph that names its types, a
 *  type of rows, a type of results, a function and a method of Snapshot. */
#ifndef LEAKGRAPH_ANSWER_H
#define LEAKGRAPH_ANSWER_H

#include "binding/objects/binding_objects.h"

#include <leakgraph/question.h>

/** Adds them all to the module, which has Result and Snapshot by now. -1 with
 *  an exception. */
int lg__answers_add(PyObject *module);

/** Makes rows of a question's type of a table that it made: a tuple. */
PyObject *lg__answer_rows(lg__snapshot_object *snapshot,
                          const lg_question *question, const lg_table *table);

PyObject *lg__core_questions(PyObject *module, PyObject *unused);
extern const char lg__core_questions_doc[];

#endif
