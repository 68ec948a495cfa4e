#include "binding/answers/binding_answers.h"

#include <leakgraph/internal/line.h>

const char lg__core_line_doc[] =
    "_line($module, x, y, /)\n--\n\n"
    "The robust line through points: its slope, its noise, whether it rises.\n"
    "\n"
    "Takes the bytes of two arrays of doubles of one length; x ascends.";

PyObject *
lg__core_line(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer x;
    Py_buffer y;
    PyObject *line = NULL;
    if (!PyArg_ParseTuple(args, "y*y*:_line", &x, &y))
        return NULL;
    if (x.len == y.len && (size_t)x.len % sizeof(double) == 0) {
        lg_line found =
            lg_line_of(x.buf, y.buf, (size_t)x.len / sizeof(double));
        line = Py_BuildValue("ddO", found.slope, found.noise,
                             found.rises ? Py_True : Py_False);
    } else {
        PyErr_SetString(PyExc_ValueError, "Both arrays need as many doubles.");
    }
    PyBuffer_Release(&x);
    PyBuffer_Release(&y);
    return line;
}
