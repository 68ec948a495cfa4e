/**
 * What the self-check at import compares, per version. A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_CHECK_H
#define LEAKGRAPH_COMPAT_CHECK_H

#include "capture/cpython/compat.h"

/** A reason for patch releases whose internals nobody has tested; NULL for
 *  others. 3.14.0 to 3.14.4 have another collector than 3.14.5; only 3.14.4 of
 *  them was tested. */
static inline const char *
lg__untested_patch(void)
{
#if PY_VERSION_HEX >= 0x030E0000
    if (Py_Version < 0x030E0400)
        return "CPython 3.14.0 to 3.14.3 are not tested, later ones are";
#endif
    return NULL;
}

/** Returns whether the offsets that the running interpreter publishes for
 *  debuggers, from 3.13 on, are those that this build was compiled with. */
static inline bool
lg__offsets_agree(void)
{
#if PY_VERSION_HEX >= 0x030D0000
#define LG__AGREES(place, type, member)                                        \
    (_PyRuntime.debug_offsets.place == offsetof(type, member))
    return LG__AGREES(interpreter_state.gc, PyInterpreterState, gc) &&
           LG__AGREES(interpreter_state.sysdict, PyInterpreterState, sysdict) &&
           LG__AGREES(interpreter_state.builtins, PyInterpreterState,
                      builtins) &&
           LG__AGREES(interpreter_state.imports_modules, PyInterpreterState,
                      imports.modules) &&
           LG__AGREES(gc.collecting, struct _gc_runtime_state, collecting) &&
           LG__AGREES(thread_state.next, PyThreadState, next) &&
           LG__AGREES(thread_state.current_frame, PyThreadState,
                      current_frame) &&
           LG__AGREES(interpreter_frame.previous, _PyInterpreterFrame,
                      previous) &&
           LG__AGREES(interpreter_frame.executable, _PyInterpreterFrame,
                      f_executable) &&
           LG__AGREES(interpreter_frame.instr_ptr, _PyInterpreterFrame,
                      instr_ptr) &&
           LG__AGREES(interpreter_frame.owner, _PyInterpreterFrame, owner) &&
           LG__AGREES(interpreter_frame.localsplus, _PyInterpreterFrame,
                      localsplus) &&
           LG__AGREES(code_object.co_code_adaptive, PyCodeObject,
                      co_code_adaptive) &&
           LG__AGREES(code_object.localsplusnames, PyCodeObject,
                      co_localsplusnames) &&
           LG__AGREES(long_object.ob_digit, PyLongObject, long_value.ob_digit);
#undef LG__AGREES
#else
    return true;
#endif
}

/** Returns whether the words of the interpreter state that are read far behind
 *  those offsets are what public calls say they are. */
static inline bool
lg__interpreter_agrees(PyInterpreterState *interpreter)
{
    if (interpreter->dict != NULL &&
        interpreter->dict != PyInterpreterState_GetDict(interpreter))
        return false;
#if PY_VERSION_HEX >= 0x030C0000
    PyObject *dict = PyType_GetDict(&PyLong_Type);
    bool same = lg__type_state_of(interpreter, &PyLong_Type).dict == dict;
    Py_XDECREF(dict);
    return same;
#else
    return PyImport_GetModuleDict() == interpreter->modules;
#endif
}

#endif
