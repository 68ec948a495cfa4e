/**
 * Functions of the module that answer what methods of Snapshot answer: each
 * takes a snapshot, asks it, and keeps of it what the answer shows.
 */
#include "binding/capture/binding_capture.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

static lg__snapshot_object *
take(lg__core_state *state, PyObject *held)
{
    lg__progress progress;
    if (!lg__progress_begin(&progress, NULL))
        return NULL;
    return (lg__snapshot_object *)lg__progress_end(
        &progress,
        (PyObject *)lg__snapshot_now(state, held, &progress.monitor));
}

/* The first argument, with a name or without, may be an object of the program.
 */
static PyObject *
ask(PyObject *module, const char *name, PyObject *const *args, Py_ssize_t nargs,
    PyObject *kwnames)
{
    bool some = nargs > 0 || (kwnames && PyTuple_GET_SIZE(kwnames) > 0);
    lg__snapshot_object *snapshot =
        take(lg__module_state(module), some ? args[0] : NULL);
    PyObject *method =
        snapshot ? lg__attribute_get((PyObject *)snapshot, name) : NULL;
    PyObject *answer =
        method ? PyObject_Vectorcall(method, args, (size_t)nargs, kwnames)
               : NULL;
    Py_XDECREF(method);
    return lg__kept_answer(snapshot, answer);
}

#define ASKED(function, name)                                                  \
    PyObject *lg__core_##function(PyObject *module, PyObject *const *args,     \
                                  Py_ssize_t nargs, PyObject *kwnames)         \
    {                                                                          \
        return ask(module, name, args, nargs, kwnames);                        \
    }

ASKED(export, "export")
ASKED(info, "info")
ASKED(report, "report")
ASKED(retained, "retained")

#define TAKES "Takes a snapshot. Otherwise as Snapshot."

const char lg__core_export_doc[] =
    "export($module, /, path, *, format=None, progress=None)\n--\n\n"
    "Write a snapshot for another tool, and return the path.\n\n" TAKES
    "export().";
const char lg__core_info_doc[] =
    "info($module, /)\n--\n\nFacts about a snapshot that is taken now: Info.";
const char lg__core_report_doc[] =
    "report($module, /, path, *, earlier=(), steps=None, title=None, "
    "samples=None,\n       settled=False, progress=None)\n--\n\n"
    "Write one web page with all answers, and return its path.\n\n" TAKES
    "report().";
const char lg__core_retained_doc[] =
    "retained($module, /, target, *, progress=None)\n--\n\n"
    "Bytes that only these objects together keep alive: a Size.\n\n" TAKES
    "retained().";
