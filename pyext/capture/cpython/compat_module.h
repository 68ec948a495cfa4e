/**
 * Module objects, whose struct CPython keeps to itself. A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_MODULE_H
#define LEAKGRAPH_COMPAT_MODULE_H

#include "capture/cpython/compat.h"

#if PY_VERSION_HEX >= 0x030F0000
#include "internal/pycore_moduleobject.h"
typedef PyModuleObject lg__module_layout;
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
#endif

/** Borrowed, as is the name; any may be NULL. */
static inline PyObject *
lg__module_dict(PyObject *module)
{
    return ((lg__module_layout *)module)->md_dict;
}

static inline PyObject *
lg__module_name(PyObject *module)
{
    return ((lg__module_layout *)module)->md_name;
}

/** The state of a module in C, if it has that many bytes. */
static inline const void *
lg__module_state(PyObject *module, size_t bytes)
{
    const lg__module_layout *self = (lg__module_layout *)module;
#if PY_VERSION_HEX >= 0x030F0000
    Py_ssize_t size = self->md_state_size;
#else
    Py_ssize_t size = self->md_def != NULL ? self->md_def->m_size : 0;
#endif
    return size == (Py_ssize_t)bytes ? self->md_state : NULL;
}

#endif
