/**
 * Tables of the named words of CPython's internal structs, like those of
 * compat_fields.h. A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_STATE_FIELDS_H
#define LEAKGRAPH_COMPAT_STATE_FIELDS_H

#include "capture/cpython/compat_fields.h"
#include "capture/cpython/compat_frame.h"
#include "capture/cpython/compat_module.h"

static const lg__field lg__module_fields[] = {
    LG__FIELD(lg__module_layout, md_dict, "__dict__", LG_EDGE_DICT),
    LG__FIELD(lg__module_layout, md_name, "__name__", LG_EDGE_ATTRIBUTE),
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

#endif
