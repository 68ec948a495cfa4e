/**
 * Tables of the named words of objects whose structs are in public headers:
 * offset, name, meaning. Each row is LG__FIELD(struct, member, name, kind). A
 * part of compat.h, also of versions whose internals are unknown.
 */
#ifndef LEAKGRAPH_COMPAT_FIELDS_H
#define LEAKGRAPH_COMPAT_FIELDS_H

#include "capture/cpython/compat_version.h"
#include <leakgraph/kinds.h>

/** A word of an object that holds a reference (or NULL). */
typedef struct lg__field {
    uint32_t offset;
    uint8_t kind; /**< lg_edge_kind and flags */
    const char *name;
} lg__field;

#define LG__FIELD(type, member, name, kind)                                    \
    {                                                                          \
        offsetof(type, member), kind, name                                     \
    }

static const lg__field lg__function_fields[] = {
    LG__FIELD(PyFunctionObject, func_code, "__code__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFunctionObject, func_globals, "__globals__", LG_EDGE_GLOBALS),
#if PY_VERSION_HEX >= 0x030A0000
    LG__FIELD(PyFunctionObject, func_builtins, "__builtins__", LG_EDGE_GLOBALS),
#endif
    LG__FIELD(PyFunctionObject, func_defaults, "__defaults__",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFunctionObject, func_kwdefaults, "__kwdefaults__",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFunctionObject, func_closure, "__closure__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFunctionObject, func_doc, "__doc__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFunctionObject, func_name, "__name__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFunctionObject, func_dict, "__dict__", LG_EDGE_DICT),
    LG__FIELD(PyFunctionObject, func_module, "__module__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFunctionObject, func_annotations, "__annotations__",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFunctionObject, func_qualname, "__qualname__",
              LG_EDGE_ATTRIBUTE),
#if PY_VERSION_HEX >= 0x030E0000 && LG__INTERNALS
    LG__FIELD(PyFunctionObject, func_annotate, "__annotate__",
              LG_EDGE_ATTRIBUTE),
#endif
#if PY_VERSION_HEX >= 0x030C0000
    LG__FIELD(PyFunctionObject, func_typeparams, "__type_params__",
              LG_EDGE_ATTRIBUTE),
#endif
};

static const lg__field lg__code_fields[] = {
    LG__FIELD(PyCodeObject, co_consts, "co_consts", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_names, "co_names", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_filename, "co_filename", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_name, "co_name", LG_EDGE_ATTRIBUTE),
#if PY_VERSION_HEX >= 0x030B0000
    LG__FIELD(PyCodeObject, co_exceptiontable, "co_exceptiontable",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_localsplusnames, "co_localsplusnames",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_localspluskinds, "co_localspluskinds",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_qualname, "co_qualname", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_linetable, "co_linetable", LG_EDGE_ATTRIBUTE),
#else
    LG__FIELD(PyCodeObject, co_code, "co_code", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_varnames, "co_varnames", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_freevars, "co_freevars", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCodeObject, co_cellvars, "co_cellvars", LG_EDGE_ATTRIBUTE),
#endif
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
    LG__FIELD(PyCodeObject, _co_code, "co_code", LG_EDGE_ATTRIBUTE),
#endif
#if PY_VERSION_HEX >= 0x030A0000 && PY_VERSION_HEX < 0x030B0000
    LG__FIELD(PyCodeObject, co_linetable, "co_linetable", LG_EDGE_ATTRIBUTE),
#endif
#if PY_VERSION_HEX < 0x030A0000
    LG__FIELD(PyCodeObject, co_lnotab, "co_lnotab", LG_EDGE_ATTRIBUTE),
#endif
};

/** The tuples that name the slots of a code object: borrowed, and NULL after
 * the last one. */
static inline PyObject *
lg__code_names(const PyCodeObject *code, size_t i)
{
#if PY_VERSION_HEX >= 0x030B0000
    return i == 0 ? code->co_localsplusnames : NULL;
#else
    PyObject *const all[] = {code->co_varnames, code->co_cellvars,
                             code->co_freevars};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
#endif
}

#if PY_VERSION_HEX >= 0x030C0000
/** Words of the block behind PyCodeObject._co_cached. */
static const lg__field lg__code_cached_fields[] = {
    LG__FIELD(_PyCoCached, _co_code, "co_code", LG_EDGE_ATTRIBUTE),
    LG__FIELD(_PyCoCached, _co_varnames, "co_varnames", LG_EDGE_ATTRIBUTE),
    LG__FIELD(_PyCoCached, _co_cellvars, "co_cellvars", LG_EDGE_ATTRIBUTE),
    LG__FIELD(_PyCoCached, _co_freevars, "co_freevars", LG_EDGE_ATTRIBUTE),
};
#define LG__CODE_CACHED(code) ((const char *)(code)->_co_cached)
#else
static const lg__field lg__code_cached_fields[] = {{0, 0, NULL}};
#define LG__CODE_CACHED(code) ((void)(code), (const char *)NULL)
#endif

/** Without dict and subclasses, which a static type may keep elsewhere. */
static const lg__field lg__static_type_fields[] = {
    LG__FIELD(PyTypeObject, tp_mro, "__mro__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyTypeObject, tp_bases, "__bases__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyTypeObject, tp_base, "__base__", LG_EDGE_ATTRIBUTE),
#if PY_VERSION_HEX < 0x030C0000
    LG__FIELD(PyTypeObject, tp_cache, "tp_cache", LG_EDGE_ATTRIBUTE),
#endif
};

static const lg__field lg__heap_type_fields[] = {
    LG__FIELD(PyTypeObject, tp_dict, "__dict__", LG_EDGE_DICT),
    LG__FIELD(PyTypeObject, tp_mro, "__mro__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyTypeObject, tp_bases, "__bases__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyTypeObject, tp_base, "__base__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyTypeObject, tp_subclasses, "__subclasses__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyTypeObject, tp_cache, "tp_cache", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyHeapTypeObject, ht_name, "__name__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyHeapTypeObject, ht_qualname, "__qualname__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyHeapTypeObject, ht_slots, "__slots__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyHeapTypeObject, ht_module, "ht_module", LG_EDGE_GLOBALS),
};

static const lg__field lg__exception_fields[] = {
    LG__FIELD(PyBaseExceptionObject, dict, "__dict__", LG_EDGE_DICT),
    LG__FIELD(PyBaseExceptionObject, args, "args", LG_EDGE_ATTRIBUTE),
#if PY_VERSION_HEX >= 0x030B0000
    LG__FIELD(PyBaseExceptionObject, notes, "__notes__", LG_EDGE_ATTRIBUTE),
#endif
    LG__FIELD(PyBaseExceptionObject, traceback, "__traceback__",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyBaseExceptionObject, context, "__context__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyBaseExceptionObject, cause, "__cause__", LG_EDGE_ATTRIBUTE),
};

static const lg__field lg__traceback_fields[] = {
    LG__FIELD(PyTracebackObject, tb_next, "tb_next", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyTracebackObject, tb_frame, "tb_frame", LG_EDGE_ATTRIBUTE),
};

static const lg__field lg__cell_fields[] = {
    LG__FIELD(PyCellObject, ob_ref, "cell_contents", LG_EDGE_CELL),
};

static const lg__field lg__weakref_fields[] = {
    LG__FIELD(PyWeakReference, wr_callback, "__callback__", LG_EDGE_ATTRIBUTE),
};

static const lg__field lg__descriptor_fields[] = {
    LG__FIELD(PyDescrObject, d_type, "__objclass__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyDescrObject, d_name, "__name__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyDescrObject, d_qualname, "__qualname__", LG_EDGE_ATTRIBUTE),
};

static const lg__field lg__builtin_method_fields[] = {
    LG__FIELD(PyCFunctionObject, m_self, "__self__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCFunctionObject, m_module, "__module__", LG_EDGE_ATTRIBUTE),
};

/** A method of a class in C, which refers to the class. */
static const lg__field lg__class_method_fields[] = {
    LG__FIELD(PyCFunctionObject, m_self, "__self__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCFunctionObject, m_module, "__module__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyCMethodObject, mm_class, "defining_class", LG_EDGE_ATTRIBUTE),
};

static const lg__field lg__method_fields[] = {
    LG__FIELD(PyMethodObject, im_func, "__func__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyMethodObject, im_self, "__self__", LG_EDGE_ATTRIBUTE),
};

static const lg__field lg__memoryview_fields[] = {
    LG__FIELD(PyMemoryViewObject, mbuf, "obj", LG_EDGE_ATTRIBUTE),
};

static const lg__field lg__managed_buffer_fields[] = {
    LG__FIELD(_PyManagedBufferObject, master.obj, "obj", LG_EDGE_ATTRIBUTE),
};

/** Objects/rangeobject.c: start, stop, step, length; the first three are
 *  members. */
static const lg__field lg__range_fields[] = {
    {sizeof(PyObject) + 3 * sizeof(PyObject *), LG_EDGE_ATTRIBUTE, "length"},
};

#define LG__COUNT(table) (sizeof(table) / sizeof((table)[0]))
/** The rows of a table; a row without a name stands for none. */
#define LG__FIELD_COUNT(table) ((table)[0].name != NULL ? LG__COUNT(table) : 0)

#endif
