/**
 * Module objects, whose struct CPython keeps to itself. A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_MODULE_H
#define LEAKGRAPH_COMPAT_MODULE_H

#include "capture/cpython/compat.h"

#if PY_VERSION_HEX >= 0x030F0000

#include "internal/pycore_moduleobject.h"

typedef PyModuleObject lg__module_layout;

/** Bytes of the state that a module in C has. */
static inline Py_ssize_t
lg__module_state_size(const lg__module_layout *module)
{
    return module->md_state_size;
}

#else

/** Objects/moduleobject.c, 3.9; internal/pycore_moduleobject.h up to 3.14: the
 *  layout has not changed. */
typedef struct lg__module_layout {
    PyObject_HEAD
    PyObject *md_dict;
    PyModuleDef *md_def;
    void *md_state;
    PyObject *md_weaklist;
    PyObject *md_name;
} lg__module_layout;

static inline Py_ssize_t
lg__module_state_size(const lg__module_layout *module)
{
    return module->md_def != NULL ? module->md_def->m_size : 0;
}

#endif

#endif
