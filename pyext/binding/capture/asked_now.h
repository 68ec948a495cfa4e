/** Functions of the module that take a snapshot and ask it one question. */
#ifndef LEAKGRAPH_ASKED_NOW_H
#define LEAKGRAPH_ASKED_NOW_H

#include "binding/objects/binding_objects.h"

#define LG__ASKED(name)                                                        \
    extern const char lg__core_##name##_doc[];                                 \
    PyObject *lg__core_##name(PyObject *module, PyObject *const *args,         \
                              Py_ssize_t nargs, PyObject *kwnames);

LG__ASKED(export)
LG__ASKED(info)
LG__ASKED(report)
LG__ASKED(retained)

#undef LG__ASKED

#endif
