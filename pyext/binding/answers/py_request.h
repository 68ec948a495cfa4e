/** What a question is asked from Python. */
#ifndef LEAKGRAPH_PY_REQUEST_H
#define LEAKGRAPH_PY_REQUEST_H

#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/question.h>
#include <leakgraph/internal/questions.h>

/** Types that an answer is asked for: a name, a type, or a callable that gets
 *  the name of each type. */
typedef struct lg__asked_types {
    PyObject *type_name; /* of the type that was given; or NULL */
    PyObject *predicate; /* borrowed; or NULL */
    uint8_t *types;      /* [type] what the predicate said */
    lg_given *given;     /* what gets it */
} lg__asked_types;

/** It stays where it is once it is parsed, because it points into itself. */
typedef struct lg__request {
    const lg_question *question;
    lg_given given[LG_MOST_OPTIONS];
    lg__asked_types asked;
    PyObject *path;   /* bytes; of a baseline */
    PyObject *target; /* borrowed; or NULL */
    lg_given *object; /* what gets it */
    lg_nodes nodes;   /* the objects that it stands for, if it may be several */
    lg_edges edges;   /* the references, if it may be some */
    bool contents;
    lg__progress progress;
} lg__request;

/** Reads the values of that many options, then of `progress` and `contents`.
 *  NULL stands for a value that is missing. False with an exception; release it
 *  otherwise with lg__request_finish. */
bool lg__request_parse(lg__request *self, lg__core_state *state,
                       const lg_question *question, size_t options,
                       PyObject *const *values);
/** Asks the question, without the GIL: a table, which is the caller's, or NULL
 *  with an exception. */
lg_table *lg__request_ask(lg__request *self, lg__snapshot_object *snapshot,
                          const lg_graph *graph);
/** Releases it and ends its progress. Returns the answer, or NULL with an
 *  exception if there is none or whoever watches the progress raised one. */
PyObject *lg__request_finish(lg__request *self, PyObject *answer);

#endif
