#include "binding/objects/listing.h"
#include "binding/support/convert.h"
#include "binding/support/python.h"

/* What leakgraph.rows's function makes of (snapshot, JSON). */
static PyObject *
read_rows(snapshot_object *snapshot, const char *function, PyObject *json)
{
    PyObject *pair = json ? PyTuple_Pack(2, (PyObject *)snapshot, json) : NULL;
    if (pair == NULL)
        return NULL;
    PyObject *rows = python_call("leakgraph.rows", function, pair);
    Py_DECREF(pair);
    return rows;
}

/* `found`: the report has findings too. */
static PyObject *
make(snapshot_object *snapshot, core_type type, const char *function,
     bool found, listing_texts *texts)
{
    PyObject *json = text_object(&texts->json);
    listing_object *self = object_new(object_state(snapshot), type);
    if (self != NULL) {
        self->text = text_object(&texts->text);
        self->rows = self->text ? read_rows(snapshot, function, json) : NULL;
        if (self->rows != NULL && found)
            self->findings = read_rows(snapshot, "finding_rows", json);
        if (self->rows == NULL || (found && self->findings == NULL))
            Py_CLEAR(self);
    }
    Py_XDECREF(json);
    lg_text_free(&texts->text);
    lg_text_free(&texts->json);
    return (PyObject *)self;
}

PyObject *
listing_new(snapshot_object *snapshot, core_type type, const char *function,
            listing_texts *texts)
{
    return make(snapshot, type, function, false, texts);
}

PyObject *
listing_new_found(snapshot_object *snapshot, core_type type,
                  const char *function, listing_texts *texts)
{
    return make(snapshot, type, function, true, texts);
}

void
listing_dealloc(listing_object *self)
{
    Py_XDECREF(self->rows);
    Py_XDECREF(self->text);
    Py_XDECREF(self->facts);
    Py_XDECREF(self->findings);
    object_free(self);
}

Py_ssize_t
listing_length(listing_object *self)
{
    return PyTuple_GET_SIZE(self->rows);
}

PyObject *
listing_subscript(listing_object *self, PyObject *key)
{
    return PyObject_GetItem(self->rows, key);
}

PyObject *
listing_iter(listing_object *self)
{
    return PyObject_GetIter(self->rows);
}

PyObject *
listing_repr(listing_object *self)
{
    Py_INCREF(self->text);
    return self->text;
}
