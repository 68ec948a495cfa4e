/**
 * Tables of the named words of CPython's own structs: offset, name, meaning.
 * Each row is LG__FIELD(struct, member, name, kind). A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_FIELDS_H
#define LEAKGRAPH_COMPAT_FIELDS_H

#include "capture/cpython/compat.h"
#include "capture/cpython/compat_frame.h"
#include "capture/cpython/compat_module.h"
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
#if PY_VERSION_HEX >= 0x030E0000
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

static const lg__field lg__module_fields[] = {
    LG__FIELD(lg__module_layout, md_dict, "__dict__", LG_EDGE_DICT),
    LG__FIELD(lg__module_layout, md_name, "__name__", LG_EDGE_ATTRIBUTE),
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

static const lg__field lg__generator_fields[] = {
    LG__FIELD(PyGenObject, gi_name, "__name__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyGenObject, gi_qualname, "__qualname__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyGenObject, gi_exc_state.exc_value, "exception",
              LG_EDGE_ATTRIBUTE),
#if PY_VERSION_HEX < 0x030B0000
    LG__FIELD(PyGenObject, gi_exc_state.exc_type, "exception type",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyGenObject, gi_exc_state.exc_traceback, "traceback",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyGenObject, gi_frame, "gi_frame", LG_EDGE_ATTRIBUTE),
#endif
#if PY_VERSION_HEX < 0x030C0000
    LG__FIELD(PyGenObject, gi_code, "gi_code", LG_EDGE_ATTRIBUTE),
#endif
};

/* Only coroutines and asynchronous generators have an origin or finalizer: a
   plain generator's word for it is never written (gen_new, 3.11). */
static const lg__field lg__coroutine_fields[] = {
    LG__FIELD(PyGenObject, gi_name, "__name__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyGenObject, gi_qualname, "__qualname__", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyGenObject, gi_exc_state.exc_value, "exception",
              LG_EDGE_ATTRIBUTE),
#if PY_VERSION_HEX >= 0x030B0000
    LG__FIELD(PyGenObject, gi_origin_or_finalizer, "finalizer",
              LG_EDGE_ATTRIBUTE),
#else
    LG__FIELD(PyGenObject, gi_exc_state.exc_type, "exception type",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyGenObject, gi_exc_state.exc_traceback, "traceback",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyGenObject, gi_frame, "gi_frame", LG_EDGE_ATTRIBUTE),
#endif
#if PY_VERSION_HEX < 0x030C0000
    LG__FIELD(PyGenObject, gi_code, "gi_code", LG_EDGE_ATTRIBUTE),
#endif
};

static const lg__field lg__frame_object_fields[] = {
    LG__FIELD(PyFrameObject, f_back, "f_back", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFrameObject, f_trace, "f_trace", LG_EDGE_ATTRIBUTE),
#if PY_VERSION_HEX >= 0x030D0000
    LG__FIELD(PyFrameObject, f_extra_locals, "f_extra_locals",
              LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFrameObject, f_locals_cache, "f_locals_cache",
              LG_EDGE_ATTRIBUTE),
#endif
#if PY_VERSION_HEX >= 0x030E0000
    LG__FIELD(PyFrameObject, f_overwritten_fast_locals,
              "f_overwritten_fast_locals", LG_EDGE_ATTRIBUTE),
#endif
#if PY_VERSION_HEX < 0x030B0000
    LG__FIELD(PyFrameObject, f_code, "f_code", LG_EDGE_ATTRIBUTE),
    LG__FIELD(PyFrameObject, f_globals, "f_globals", LG_EDGE_GLOBALS),
    LG__FIELD(PyFrameObject, f_builtins, "f_builtins", LG_EDGE_GLOBALS),
#endif
};

/** References held by the interpreter itself, in PyInterpreterState. */
static const lg__field lg__interpreter_fields[] = {
#if PY_VERSION_HEX >= 0x030C0000
    LG__FIELD(PyInterpreterState, imports.modules, "modules", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, imports.modules_by_index, "modules_by_index",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, imports.importlib, "importlib",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, imports.import_func, "import_func",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, sysdict_copy, "sysdict_copy", LG_EDGE_NATIVE),
#if PY_VERSION_HEX >= 0x030F0000
    LG__FIELD(PyInterpreterState, imports.lazy_import_func, "lazy_import_func",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, imports.lazy_imports_filter,
              "lazy_imports_filter", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, imports.lazy_modules, "lazy_modules",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, imports.lazy_pending_submodules,
              "lazy_pending_submodules", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, cold_executor, "cold_executor",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, cold_dynamic_executor,
              "cold_dynamic_executor", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, cached_objects.dict_descriptor,
              "dict_descriptor", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, cached_objects.weakref_descriptor,
              "weakref_descriptor", LG_EDGE_NATIVE),
#endif
#else
    LG__FIELD(PyInterpreterState, modules, "modules", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, modules_by_index, "modules_by_index",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, importlib, "importlib", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, import_func, "import_func", LG_EDGE_NATIVE),
#endif
    LG__FIELD(PyInterpreterState, sysdict, "sysdict", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, builtins, "builtins", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, builtins_copy, "builtins_copy",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, dict, "dict", LG_EDGE_NATIVE),
#if PY_VERSION_HEX >= 0x030D0000
    LG__FIELD(PyInterpreterState, codecs.search_path, "codec_search_path",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, codecs.search_cache, "codec_search_cache",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, codecs.error_registry, "codec_error_registry",
              LG_EDGE_NATIVE),
#else
    LG__FIELD(PyInterpreterState, codec_search_path, "codec_search_path",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, codec_search_cache, "codec_search_cache",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, codec_error_registry, "codec_error_registry",
              LG_EDGE_NATIVE),
#endif
    LG__FIELD(PyInterpreterState, before_forkers, "before_forkers",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, after_forkers_parent, "after_forkers_parent",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, after_forkers_child, "after_forkers_child",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, warnings.filters, "warnings filters",
              LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, warnings.once_registry,
              "warnings once_registry", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, warnings.default_action,
              "warnings default_action", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, audit_hooks, "audit_hooks", LG_EDGE_NATIVE),
#if PY_VERSION_HEX >= 0x030E0000
    LG__FIELD(PyInterpreterState, atexit.callbacks, "atexit handlers",
              LG_EDGE_NATIVE),
#endif
    LG__FIELD(PyInterpreterState, gc.garbage, "gc.garbage", LG_EDGE_NATIVE),
    LG__FIELD(PyInterpreterState, gc.callbacks, "gc.callbacks", LG_EDGE_NATIVE),
};

/** References held by a thread, in PyThreadState. */
static const lg__field lg__thread_fields[] = {
    LG__FIELD(PyThreadState, dict, "thread state dict", LG_EDGE_NATIVE),
    LG__FIELD(PyThreadState, context, "context", LG_EDGE_NATIVE),
    LG__FIELD(PyThreadState, c_profileobj, "profile function", LG_EDGE_NATIVE),
    LG__FIELD(PyThreadState, c_traceobj, "trace function", LG_EDGE_NATIVE),
    LG__FIELD(PyThreadState, async_exc, "asynchronous exception",
              LG_EDGE_NATIVE),
    LG__FIELD(PyThreadState, async_gen_firstiter, "async_gen_firstiter",
              LG_EDGE_NATIVE),
    LG__FIELD(PyThreadState, async_gen_finalizer, "async_gen_finalizer",
              LG_EDGE_NATIVE),
    LG__FIELD(PyThreadState, exc_state.exc_value, "handled exception",
              LG_EDGE_NATIVE),
#if PY_VERSION_HEX >= 0x030C0000
    LG__FIELD(PyThreadState, current_exception, "current exception",
              LG_EDGE_NATIVE),
#else
    LG__FIELD(PyThreadState, curexc_value, "current exception", LG_EDGE_NATIVE),
    LG__FIELD(PyThreadState, curexc_traceback, "current traceback",
              LG_EDGE_NATIVE),
#endif
#if PY_VERSION_HEX < 0x030B0000
    LG__FIELD(PyThreadState, exc_state.exc_traceback, "handled traceback",
              LG_EDGE_NATIVE),
#endif
#if PY_VERSION_HEX >= 0x030D0000
    LG__FIELD(PyThreadState, threading_local_key, "threading local key",
              LG_EDGE_NATIVE),
    LG__FIELD(PyThreadState, threading_local_sentinel,
              "threading local sentinel", LG_EDGE_NATIVE),
#endif
};

/** The state of the module readline (Modules/readline.c, 3.9 to 3.15). Two
 *  integers follow. */
typedef struct lg__readline_state {
    PyObject *completion_display_matches_hook;
    PyObject *startup_hook;
    PyObject *pre_input_hook;
    PyObject *completer;
    PyObject *begidx;
    PyObject *endidx;
} lg__readline_state;

static const lg__field lg__readline_fields[] = {
    LG__FIELD(lg__readline_state, completion_display_matches_hook,
              "completion_display_matches_hook", LG_EDGE_NATIVE),
    LG__FIELD(lg__readline_state, startup_hook, "startup_hook", LG_EDGE_NATIVE),
    LG__FIELD(lg__readline_state, pre_input_hook, "pre_input_hook",
              LG_EDGE_NATIVE),
    LG__FIELD(lg__readline_state, completer, "completer", LG_EDGE_NATIVE),
};

#define LG__COUNT(table) (sizeof(table) / sizeof((table)[0]))

#endif
