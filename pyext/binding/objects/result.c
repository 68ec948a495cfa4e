#include "binding/objects/arrow_tables.h"
#include "binding/objects/result.h"
#include "binding/objects/rows.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"
#include <leakgraph/internal/page.h>
#include <stdlib.h>

/* Readers of a notebook look at no more rows. */
enum { HTML_ROWS = 200 };

/* Makes a result without facts, and takes the table over, on failure too. */
static PyObject *
result_new(lg__snapshot_object *snapshot, const lg__result_shape *shape,
           lg_table *table)
{
    lg__core_state *state = lg__object_state(snapshot);
    lg__result_object *self = lg__object_new(state, shape->type);
    if (self == NULL) {
        lg_table_free(table);
        return NULL;
    }
    Py_INCREF(state->types[shape->row]);
    self->row = state->types[shape->row];
    self->table = table;
    self->shown = shape->shown;
    self->rows = lg__result_rows(snapshot, shape, table);
    if (self->rows == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

PyObject *
lg__result_with_facts(lg__snapshot_object *snapshot,
                      const lg__result_shape *shape, lg_table *table,
                      PyObject *facts)
{
    if (facts == NULL) {
        lg_table_free(table);
        return NULL;
    }
    PyObject *self = result_new(snapshot, shape, table);
    if (self == NULL)
        Py_DECREF(facts);
    else
        ((lg__result_object *)self)->facts = facts;
    return self;
}

PyObject *
lg__result_get_fact(lg__result_object *self, void *index)
{
    PyObject *fact = PyTuple_GET_ITEM(self->facts, (intptr_t)index);
    Py_INCREF(fact);
    return fact;
}

/* The text that a writer of tables makes of the result. */
static PyObject *
write_table(lg__result_object *self, size_t limit,
            lg_status (*write)(const lg_table *, size_t, lg_text *, lg_error *))
{
    lg_text text = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = write(self->table, limit, &text, &error);
    Py_END_ALLOW_THREADS
    if (status == LG_OK)
        return lg__text_object(&text);
    lg_text_free(&text);
    return lg__error_raise(lg__object_state(self), status, &error);
}

static lg_status
write_json(const lg_table *table, size_t Py_UNUSED(limit), lg_text *out,
           lg_error *error)
{
    return lg_table_json(table, out, error);
}

static PyObject *
get_json(lg__result_object *self, void *Py_UNUSED(closure))
{
    return write_table(self, 0, write_json);
}

void
lg__result_dealloc(lg__result_object *self)
{
    lg_table_free(self->table);
    Py_XDECREF(self->rows);
    Py_XDECREF((PyObject *)self->row);
    Py_XDECREF(self->facts);
    Py_XDECREF((PyObject *)self->from);
    lg__object_free(self);
}

static Py_ssize_t
result_length(lg__result_object *self)
{
    return PyTuple_GET_SIZE(self->rows);
}

/* Makes a table of the rows that a slice takes. */
static bool
select_rows(lg__result_object *self, const lg__result_object *from,
            Py_ssize_t start, Py_ssize_t step)
{
    size_t count = (size_t)PyTuple_GET_SIZE(self->rows), all;
    size_t *numbers = lg__result_row_numbers(from->table, &all);
    size_t *rows = numbers ? malloc((count + 1) * sizeof *rows) : NULL;
    if (rows == NULL) {
        free(numbers);
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < count; i++)
        rows[i] = numbers[(size_t)(start + (Py_ssize_t)i * step)];
    free(numbers);
    lg_error error;
    lg_status status =
        lg_table_select(from->table, rows, count, &self->table, &error);
    free(rows);
    if (status != LG_OK)
        lg__error_raise(lg__object_state(self), status, &error);
    return status == LG_OK;
}

static PyObject *
result_slice(lg__result_object *self, PyObject *slice)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step) < 0)
        return NULL;
    PySlice_AdjustIndices(result_length(self), &start, &stop, step);
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    lg__result_object *part = (lg__result_object *)type->tp_alloc(type, 0);
    if (part == NULL)
        return NULL;
    part->rows = PyObject_GetItem(self->rows, slice);
    part->row = self->row;
    part->facts = self->facts;
    part->shown = self->shown;
    part->from = self;
    Py_INCREF((PyObject *)part->row);
    Py_XINCREF(part->facts);
    Py_INCREF((PyObject *)self);
    if (part->rows == NULL || !select_rows(part, self, start, step))
        Py_CLEAR(part);
    return (PyObject *)part;
}

static PyObject *
result_subscript(lg__result_object *self, PyObject *key)
{
    return PySlice_Check(key) ? result_slice(self, key)
                              : PyObject_GetItem(self->rows, key);
}

static PyObject *
result_iter(lg__result_object *self)
{
    return PyObject_GetIter(self->rows);
}

static PyObject *
result_index(lg__result_object *self, PyObject *args)
{
    PyObject *index = lg__attribute_get(self->rows, "index");
    PyObject *found = index ? PyObject_Call(index, args, NULL) : NULL;
    Py_XDECREF(index);
    return found;
}

static PyObject *
result_count(lg__result_object *self, PyObject *row)
{
    Py_ssize_t count = PySequence_Count(self->rows, row);
    return count < 0 ? NULL : PyLong_FromSsize_t(count);
}

static PyObject *
result_str(lg__result_object *self)
{
    return write_table(self, self->shown, lg_table_text);
}

static PyObject *
result_repr_html(lg__result_object *self, PyObject *Py_UNUSED(unused))
{
    PyObject *html = write_table(self, HTML_ROWS, lg_page_cell);
    if (html == NULL || !self->passing)
        return html;
    PyObject *noted = lg__python_call(lg__object_state(self),
                                      "leakgraph.notebook", "noted", html);
    Py_DECREF(html);
    return noted;
}

/* A prompt shows the report. A long one is cut, because a prompt cannot be
   scrolled to its beginning. */
static PyObject *
result_repr(lg__result_object *self)
{
    enum { MOST_LINES = 60 };
    PyObject *text = result_str(self);
    if (text == NULL)
        return NULL;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    Py_ssize_t end = -1;
    for (int line = 0; line < MOST_LINES && end < length; line++) {
        end = PyUnicode_FindChar(text, '\n', end + 1, length, 1);
        if (end < 0)
            end = length;
    }
    while (end > 0 && PyUnicode_READ_CHAR(text, end - 1) == '\n')
        end--;
    PyObject *shown = PyUnicode_Substring(text, 0, end);
    if (shown != NULL && end + 1 < length)
        Py_SETREF(shown, PyUnicode_FromFormat("%U\n... print() shows all of it",
                                              shown));
    Py_DECREF(text);
    return shown;
}

PyObject *
lg__repr_pretty(PyObject *self, PyObject *args)
{
    PyObject *printer;
    int cycle;
    if (!PyArg_ParseTuple(args, "Op:_repr_pretty_", &printer, &cycle))
        return NULL;
    PyObject *text = PyObject_Repr(self);
    PyObject *done = text ? lg__method_call(printer, "text", text) : NULL;
    Py_XDECREF(text);
    return done;
}

/* Results of one type are equal if their rows are. */
static PyObject *
result_compare(lg__result_object *self, PyObject *other, int operation)
{
    if (Py_TYPE((PyObject *)self) != Py_TYPE(other) ||
        (operation != Py_EQ && operation != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    return PyObject_RichCompare(self->rows, ((lg__result_object *)other)->rows,
                                operation);
}

static Py_hash_t
result_hash(lg__result_object *self)
{
    return PyObject_Hash(self->rows);
}

static PyObject *
result_reduce(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return PyErr_Format(PyExc_TypeError,
                        "a %s cannot be pickled: pickle its rows, or "
                        "to_pandas()",
                        Py_TYPE(self)->tp_name);
}

static PyMemberDef result_members[] = {
    {"rows", T_OBJECT, offsetof(lg__result_object, rows), READONLY,
     "A tuple of the rows, which are named tuples."},
    {"_row", T_OBJECT, offsetof(lg__result_object, row), READONLY,
     "The type of the rows."},
    {"_facts", T_OBJECT, offsetof(lg__result_object, facts), READONLY,
     "What else the result says: snapshots see here who has it."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef result_getset[] = {
    {"json", (getter)get_json, NULL, "The report as JSON, a str.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef result_methods[] = {
    {"to_dicts", lg__rows_to_dicts, METH_NOARGS,
     "to_dicts($self, /)\n--\n\nThe rows as a list of dicts of plain values: "
     "a Node is its index, a Size a dict."},
    LG__ARROW_METHOD(lg__result_arrow),
    {"to_pandas", lg__rows_to_pandas, METH_NOARGS,
     "to_pandas($self, /)\n--\n\nThe rows as a pandas.DataFrame.\n\nA Node is "
     "its index. A Size is its total; on snapshots with devices, it also has "
     "a\n"
     "column for the host and for each device: 'retained', 'retained.host',\n"
     "'retained.cuda:0'. Whole numbers with gaps have the type Int64 of "
     "pandas."},
    {"index", (PyCFunction)result_index, METH_VARARGS,
     "index($self, row, start=0, stop=9223372036854775807, /)\n"
     "--\n\n"
     "Where the row is; raises ValueError if it is missing."},
    {"count", (PyCFunction)result_count, METH_O,
     "count($self, row, /)\n"
     "--\n\n"
     "How often the row occurs."},
    {"__reduce__", result_reduce, METH_NOARGS,
     "__reduce__($self, /)\n--\n\nRaises TypeError: only the rows pickle."},
    {"_repr_html_", (PyCFunction)result_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {"_repr_pretty_", lg__repr_pretty, METH_VARARGS,
     "_repr_pretty_($self, printer, cycle, /)\n--\n\n"},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot result_slots[] = {
    LG__RESULT_SLOTS,
    LG__SLOT(Py_tp_repr, result_repr),
    LG__SLOT(Py_tp_str, result_str),
    LG__SLOT(Py_tp_richcompare, result_compare),
    LG__SLOT(Py_tp_hash, result_hash),
    LG__SLOT(Py_tp_iter, result_iter),
    LG__SLOT(Py_mp_length, result_length),
    LG__SLOT(Py_mp_subscript, result_subscript),
    {Py_tp_members, result_members},
    {Py_tp_getset, result_getset},
    {Py_tp_methods, result_methods},
    {Py_tp_doc, "A sequence of rows, which are named tuples.\n\nstr() is the "
                "report, which a prompt shows. A slice is a result of the same "
                "type. Results are equal "
                "if their type and\nrows are."},
    {0, NULL},
};

PyType_Spec lg__result_spec = {
    .name = "leakgraph.Result",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_SEQUENCE,
    .slots = result_slots,
};
