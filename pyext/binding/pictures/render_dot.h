/** Pictures of DOT that Python code wrote. */
#ifndef LEAKGRAPH_RENDER_DOT_H
#define LEAKGRAPH_RENDER_DOT_H

#include "binding/support/binding_support.h"

extern const char lg__core_render_doc[];

/** _core._render(dot, format): the picture as bytes. */
PyObject *lg__core_render(PyObject *module, PyObject *args);

#endif
