/** Types that an answer is asked for: a name, a type, or a callable that gets
 *  the name of each type. */
#ifndef LEAKGRAPH_ASKED_TYPES_H
#define LEAKGRAPH_ASKED_TYPES_H

#include "binding/support/binding_support.h"

#include <leakgraph/graph.h>
#include <leakgraph/question.h>
#include <leakgraph/internal/questions.h>

typedef struct lg__asked_types {
    PyObject *type_name; /* of the type that was given; or NULL */
    PyObject *predicate; /* borrowed; or NULL */
    uint8_t *types;      /* [type] what the predicate said */
    lg_given *given;     /* what gets it */
} lg__asked_types;

/** Reads the value of the argument. `*out`, which stays where it is, is
 *  complete now, or once the predicate has been asked. False with an exception.
 */
bool lg__asked_types_parse(lg__asked_types *self, const char *name,
                           PyObject *value, lg_given *out);
/** Asks a predicate about each name of a type once, under the GIL. False with
 *  an exception. */
bool lg__asked_types_ask(lg__asked_types *self, const lg_graph *graph);
void lg__asked_types_clear(lg__asked_types *self);

#endif
