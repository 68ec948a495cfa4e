#include "binding/support/progress.h"
#include "capture/common/capture_common.h"
#include <string.h>
#include <unistd.h>

/* Quick enough for Ctrl-C; slow enough that taking the GIL from busy threads
   costs nothing. */
#define TICK_SECONDS 0.1
#define QUIET_SECONDS 1.0
#define LINE_SIZE 120

static PyObject *
stderr_file(void)
{
    PyObject *file = PySys_GetObject("stderr");
    return file == Py_None ? NULL : file;
}

static bool
stderr_is_terminal(void)
{
    PyObject *file = stderr_file();
    PyObject *answer = file ? lg__method_call(file, "isatty", NULL) : NULL;
    bool terminal = answer != NULL && PyObject_IsTrue(answer) == 1;
    Py_XDECREF(answer);
    PyErr_Clear();
    return terminal;
}

/* Drops the exception: a progress line must not fail the work. */
static void
stderr_write(const char *text)
{
    PyObject *file = stderr_file();
    if (file == NULL)
        return;
    Py_INCREF(file);
    if (PyFile_WriteString(text, file) == 0)
        Py_XDECREF(lg__method_call(file, "flush", NULL));
    Py_DECREF(file);
    PyErr_Clear();
}

/* Whether to show a line now. */
static bool
is_late(const lg__progress *self)
{
    return lg__clock() - self->started >= QUIET_SECONDS;
}

static void
format_line(char text[LINE_SIZE], const char *phase, double done)
{
    snprintf(text, LINE_SIZE, "\r\033[Kleakgraph: %s %.0f %%", phase,
             done * 100);
}

static bool
has_ipython(void)
{
    PyObject *modules = PySys_GetObject("modules");
    return modules != NULL && PyDict_Check(modules) &&
           PyDict_GetItemString(modules, "IPython") != NULL;
}

/* Opens the bar of a notebook if this process is one. Any other process must
   not get a module of ours that it did not import. Drops any exception. */
static void
find_bar(lg__progress *self)
{
    if (!has_ipython())
        return;
    PyObject *module = PyImport_ImportModule("leakgraph.bar");
    PyObject *bar = module ? lg__method_call(module, "begin", Py_None) : NULL;
    Py_XDECREF(module);
    if (bar == NULL || bar == Py_None)
        Py_CLEAR(bar);
    self->bar = bar;
    PyErr_Clear();
}

static void
tell_bar(const lg__progress *self, const char *method, PyObject *argument)
{
    PyObject *result =
        argument ? lg__method_call(self->bar, method, argument) : NULL;
    Py_XDECREF(result);
    PyErr_Clear();
}

static void
show_bar(const lg__progress *self, const char *phase, double done)
{
    PyObject *at = Py_BuildValue("(sd)", phase, done);
    tell_bar(self, "show", at);
    Py_XDECREF(at);
}

/* Finds where to show progress. */
static void
find_place(lg__progress *self)
{
    bool terminal = stderr_is_terminal();
    if (!terminal)
        find_bar(self);
    if (self->line == LG__LINE_AUTO)
        self->line = terminal || self->bar != NULL ? LG__LINE_ON : LG__LINE_OFF;
    self->placed = true;
}

static void
show_line(lg__progress *self, const char *phase, double done)
{
    if (self->line == LG__LINE_OFF ||
        (self->line == LG__LINE_AUTO && !is_late(self)))
        return;
    if (!self->placed)
        find_place(self);
    if (self->bar != NULL)
        show_bar(self, phase, done);
    if (self->line == LG__LINE_OFF || self->bar != NULL)
        return;
    char text[LINE_SIZE];
    format_line(text, phase, done);
    stderr_write(text);
    self->shown = true;
}

static bool
call_back(lg__progress *self, const char *phase, double done)
{
    PyObject *result = PyObject_CallFunction(self->callable, "sd", phase, done);
    Py_XDECREF(result);
    return result != NULL;
}

static bool
tick(void *context, const char *phase, double done)
{
    lg__progress *self = context;
    double now = lg__clock();
    if (self->raised || now - self->last < TICK_SECONDS)
        return !self->raised;
    self->last = now;
    PyGILState_STATE gil = PyGILState_Ensure();
    self->raised = PyErr_CheckSignals() < 0;
    if (!self->raised && self->callable != NULL)
        self->raised = !call_back(self, phase, done);
    if (!self->raised)
        show_line(self, phase, done);
    PyGILState_Release(gil);
    return !self->raised;
}

/* Do not call methods of sys.stderr: it may be anything. */
static int
stderr_descriptor(void)
{
    PyObject *file = PySys_GetObject("stderr");
    return file != NULL && file == PySys_GetObject("__stderr__") ? STDERR_FILENO
                                                                 : -1;
}

static bool
walking_tick(void *context, const char *phase, double done)
{
    lg__progress *self = context;
    double now = lg__clock();
    if (self->descriptor < 0 || self->line == LG__LINE_OFF ||
        now - self->last < TICK_SECONDS)
        return true;
    self->last = now;
    if (self->line == LG__LINE_AUTO &&
        (!is_late(self) || !isatty(self->descriptor)))
        return true;
    char text[LINE_SIZE];
    format_line(text, phase, done);
    /* A line that cannot be written does no harm. */
    self->shown = write(self->descriptor, text, strlen(text)) > 0;
    return true;
}

lg_monitor
lg__progress_walking(lg__progress *self)
{
    self->descriptor = stderr_descriptor();
    return (lg_monitor){walking_tick, self};
}

bool
lg__progress_begin(lg__progress *self, PyObject *option)
{
    *self = (lg__progress){.monitor = {tick, self}, .started = lg__clock()};
    if (option == NULL || option == Py_None)
        self->line = LG__LINE_AUTO;
    else if (PyBool_Check(option))
        self->line = option == Py_True ? LG__LINE_ON : LG__LINE_OFF;
    else if (PyCallable_Check(option)) {
        self->line = LG__LINE_OFF;
        self->callable = option;
    } else {
        PyErr_Format(PyExc_TypeError,
                     "progress must be None, a bool or a callable, not %.100s",
                     Py_TYPE(option)->tp_name);
        return false;
    }
    return true;
}

bool
lg__progress_finish(lg__progress *self, lg_status status)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (self->shown)
        stderr_write("\r\033[K");
    if (self->bar != NULL)
        tell_bar(self, "end", Py_None);
    Py_CLEAR(self->bar);
    PyErr_Restore(type, value, traceback);
    if (self->raised || status != LG_OK || self->callable == NULL)
        return !PyErr_Occurred();
    return call_back(self, "done", 1.0);
}

PyObject *
lg__progress_end(lg__progress *self, PyObject *answer)
{
    if (!lg__progress_finish(self, answer ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(answer);
    return answer;
}
