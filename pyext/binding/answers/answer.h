/** Questions in Python: for each question of libgraph that names its types, a
 *  type of rows, a type of results, a function and a method of Snapshot. */
#ifndef LEAKGRAPH_ANSWER_H
#define LEAKGRAPH_ANSWER_H

#include "binding/objects/binding_objects.h"

#include <leakgraph/question.h>
#include <leakgraph/internal/questions.h>

/** What a question has in Python besides. Zeros: nothing. */
typedef struct lg__answer_extras {
    const char *question;
    const char *hidden; /* a field that is no item of a row's tuple */
    int (*finish)(PyTypeObject *row); /* -1 with an exception */
    bool (*keep)(PyObject *rows);     /* before the snapshot goes; false with an
                                         exception */
    PyMethodDef *methods;             /* of the result */
    const char *snapshot;             /* the docstring of that attribute */
    const char *nodes;                /* of that attribute, which makes Nodes of
                                         the fact of that name */
    const char *alias;                /* another name of the method */
    size_t shown;                     /* how many rows the text shows; 0: all */
    PyGetSetDef *attributes;          /* of the result, up to four */
} lg__answer_extras;

extern const lg__answer_extras lg__what_if_extras;

/** Adds them all to the module, which has Result and Snapshot by now, with
 *  their extras, a list that NULL ends. -1 with an exception. */
int lg__answers_add(PyObject *module, const lg__answer_extras *const *extras);

/** Asks a question about these nodes, with its other options as they are by
 *  default. `monitor` may be NULL. NULL with an exception. */
PyObject *lg__answer_about(lg__snapshot_object *snapshot, const char *question,
                           const lg_nodes *nodes, const lg_monitor *monitor);

/** Makes the result of a table that a question made. `more` is one fact behind
 *  those of the description, for attributes of the result; NULL: none. Takes
 *  both over, on failure too. NULL with an exception. */
PyObject *lg__answer_of(lg__snapshot_object *snapshot, const char *question,
                        lg_table *table, PyObject *more);

/** Makes rows of a question's type of a table that it made: a tuple. */
PyObject *lg__answer_rows(lg__snapshot_object *snapshot,
                          const lg_question *question, const lg_table *table);

PyObject *lg__core_questions(PyObject *module, PyObject *unused);
extern const char lg__core_questions_doc[];

#endif
