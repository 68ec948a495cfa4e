#include "binding/answers/py_cycles.h"
#include "binding/objects/py_analysis.h"
#include "binding/support/convert.h"
#include "binding/answers/py_cycle.h"
#include "binding/support/errors.h"
#include "binding/support/python_call.h"

#include <leakgraph/report.h>

PyObject *
cycles_new(snapshot_object *snapshot, lg_cycles *found)
{
    cycles_object *self = object_new(object_state(snapshot), TYPE_CYCLES);
    if (self == NULL) {
        lg_cycles_free(found);
        return NULL;
    }
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->found = *found;
    return (PyObject *)self;
}

static void
cycles_dealloc(cycles_object *self)
{
    lg_cycles_free(&self->found);
    Py_XDECREF(self->snapshot);
    object_free(self);
}

static Py_ssize_t
cycles_length(cycles_object *self)
{
    return (Py_ssize_t)self->found.count;
}

static PyObject *
cycles_item(cycles_object *self, Py_ssize_t i)
{
    if (i >= 0 && (size_t)i < self->found.count)
        return cycle_new(self, (size_t)i);
    PyErr_SetString(PyExc_IndexError, "index out of range");
    return NULL;
}

static PyObject *
cycles_slice(cycles_object *self, PyObject *slice)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step) < 0)
        return NULL;
    Py_ssize_t count = PySlice_AdjustIndices((Py_ssize_t)self->found.count,
                                             &start, &stop, step);
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = cycles_item(self, start + i * step);
        if (item == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, item);
    }
    return list;
}

static PyObject *
cycles_subscript(cycles_object *self, PyObject *key)
{
    if (PySlice_Check(key))
        return cycles_slice(self, key);
    Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    return cycles_item(self, i < 0 ? i + (Py_ssize_t)self->found.count : i);
}

static PyObject *
cycles_str(cycles_object *self)
{
    const lg_analysis *analysis = analysis_acquire(self->snapshot, NULL);
    if (analysis == NULL)
        return NULL;
    lg_text text = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status =
        lg_report_cycles(analysis, &self->found, LG_FORMAT_TEXT, &text, &error);
    Py_END_ALLOW_THREADS
    snapshot_release(self->snapshot);
    if (status == LG_OK)
        return text_object(&text);
    lg_text_free(&text);
    return error_raise(object_state(self), status, &error);
}

static PyObject *
cycles_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return python_call(object_state(self), "leakgraph.notebook", "cycles_html",
                       self);
}

static PyObject *
get_total(cycles_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromSize_t(self->found.total);
}

static PyObject *
get_kinds(cycles_object *self, void *Py_UNUSED(closure))
{
    const size_t *of_kind = self->found.of_kind;
    return Py_BuildValue("{snsnsn}", lg_cycle_kind_name(LG_CYCLE_COLLECTABLE),
                         (Py_ssize_t)of_kind[LG_CYCLE_COLLECTABLE],
                         lg_cycle_kind_name(LG_CYCLE_HELD),
                         (Py_ssize_t)of_kind[LG_CYCLE_HELD],
                         lg_cycle_kind_name(LG_CYCLE_UNCOLLECTABLE),
                         (Py_ssize_t)of_kind[LG_CYCLE_UNCOLLECTABLE]);
}

static PyMemberDef cycles_members[] = {
    {"snapshot", T_OBJECT, offsetof(cycles_object, snapshot), READONLY,
     "The snapshot that they are part of."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef cycles_getset[] = {
    {"total", (getter)get_total, NULL,
     "How many passed the filter, before the limit.", NULL},
    {"kinds", (getter)get_kinds, NULL, "How many of those are of each kind.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef cycles_methods[] = {
    {"_repr_html_", cycles_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot cycles_slots[] = {
    SLOT(Py_tp_dealloc, cycles_dealloc),
    SLOT(Py_tp_repr, cycles_str),
    SLOT(Py_tp_iter, PySeqIter_New),
    SLOT(Py_sq_item, cycles_item),
    SLOT(Py_sq_length, cycles_length),
    SLOT(Py_mp_length, cycles_length),
    SLOT(Py_mp_subscript, cycles_subscript),
    {Py_tp_members, cycles_members},
    {Py_tp_getset, cycles_getset},
    {Py_tp_methods, cycles_methods},
    {Py_tp_doc, "A sequence of Cycle, biggest first; str() is the report.\n\n"
                "Keeps its snapshot alive."},
    {0, NULL},
};

PyType_Spec cycles_spec = {
    .name = "leakgraph.Cycles",
    .basicsize = sizeof(cycles_object),
    .flags = FINAL_TYPE,
    .slots = cycles_slots,
};
