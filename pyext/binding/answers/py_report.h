/** Info: a dict that a REPL shows as the text that the command prints. */
#ifndef LEAKGRAPH_PY_REPORT_H
#define LEAKGRAPH_PY_REPORT_H

#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

extern PyType_Spec lg__info_spec;

/** The page of Snapshot.report() as a str. */
PyObject *lg__snapshot_page(lg__snapshot_object *snapshot,
                            const lg_monitor *monitor);

/** The base type of Info. */
#define LG__INFO_BASE ((PyObject *)&PyDict_Type)

#endif
