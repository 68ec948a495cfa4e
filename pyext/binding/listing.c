#include "listing.h"
#include "convert.h"
#include "python.h"

static PyObject *
read_rows(snapshot_object *snapshot, const char *function, lg_text *json)
{
    PyObject *text = text_object(json);
    PyObject *pair = text ? PyTuple_Pack(2, (PyObject *)snapshot, text) : NULL;
    Py_XDECREF(text);
    if (pair == NULL)
        return NULL;
    PyObject *rows = python_call("leakgraph.rows", function, pair);
    Py_DECREF(pair);
    return rows;
}

PyObject *
listing_new(snapshot_object *snapshot, core_type type, const char *function,
            listing_texts *texts)
{
    listing_object *self = object_new(object_state(snapshot), type);
    if (self != NULL) {
        self->text = text_object(&texts->text);
        self->rows =
            self->text ? read_rows(snapshot, function, &texts->json) : NULL;
        if (self->rows == NULL)
            Py_CLEAR(self);
    }
    lg_text_free(&texts->text);
    lg_text_free(&texts->json);
    return (PyObject *)self;
}

void
listing_dealloc(listing_object *self)
{
    Py_XDECREF(self->rows);
    Py_XDECREF(self->text);
    Py_XDECREF(self->facts);
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
