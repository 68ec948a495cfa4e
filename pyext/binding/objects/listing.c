#include "binding/objects/listing.h"
#include "binding/support/convert.h"
#include "binding/support/python.h"

/* More rows do not help who looks at a notebook. */
#define HTML_ROWS 200

lg_status
listing_write(const lg_table *table, size_t shown, listing_texts *out,
              lg_error *error)
{
    lg_status status = lg_table_text(table, shown, &out->text, error);
    if (status == LG_OK)
        status = lg_table_json(table, &out->json, error);
    if (status == LG_OK)
        status = lg_table_html(table, HTML_ROWS, &out->html, error);
    return status;
}

void
listing_texts_free(listing_texts *texts)
{
    lg_text_free(&texts->text);
    lg_text_free(&texts->json);
    lg_text_free(&texts->html);
}

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
        self->html = text_object(&texts->html);
        self->rows = self->text && self->html
                         ? read_rows(snapshot, function, json)
                         : NULL;
        if (self->rows != NULL && found)
            self->findings = read_rows(snapshot, "finding_rows", json);
        if (self->rows == NULL || (found && self->findings == NULL))
            Py_CLEAR(self);
    }
    Py_XDECREF(json);
    listing_texts_free(texts);
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
    Py_XDECREF(self->html);
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

PyObject *
listing_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *html = ((listing_object *)self)->html;
    Py_INCREF(html);
    return html;
}
