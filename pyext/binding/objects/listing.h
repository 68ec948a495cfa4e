/**
 * Tables of which Python sees rows, a terminal the report and a notebook HTML:
 * what Top and its like share. They own all they show but the nodes' snapshot.
 */
#ifndef LEAKGRAPH_LISTING_H
#define LEAKGRAPH_LISTING_H

#include "binding/objects/py_snapshot.h"
#include <leakgraph/report.h>

typedef struct listing_object {
    PyObject_HEAD
    PyObject *rows; /* tuple of named tuples */
    PyObject *text;
    PyObject *html;     /* str, or NULL */
    PyObject *facts;    /* tuple of what else a type has to show, or NULL */
    PyObject *findings; /* tuple of Finding, or NULL: has none to show */
} listing_object;

/** A report in all its forms. */
typedef struct listing_texts {
    lg_text text;
    lg_text json;
    lg_text html; /* empty: none */
} listing_texts;

/** Writes all of them; the text has `shown` rows (0: all). */
lg_status listing_write(const lg_table *table, size_t shown, listing_texts *out,
                        lg_error *error);
void listing_texts_free(listing_texts *texts);

/** An instance of `type`, with rows that leakgraph.rows's function makes of
 *  (snapshot, JSON), so that text and rows say the same. Frees the texts. */
PyObject *listing_new(snapshot_object *snapshot, core_type type,
                      const char *function, listing_texts *texts);

/** The same with `findings`, those of the report. */
PyObject *listing_new_found(snapshot_object *snapshot, core_type type,
                            const char *function, listing_texts *texts);

void listing_dealloc(listing_object *self);
Py_ssize_t listing_length(listing_object *self);
PyObject *listing_subscript(listing_object *self, PyObject *key);
PyObject *listing_iter(listing_object *self);
PyObject *listing_repr(listing_object *self);
PyObject *listing_repr_html(PyObject *self, PyObject *unused);

/** Of a PyMethodDef: what notebooks show. */
#define LISTING_HTML                                                           \
    {                                                                          \
        "_repr_html_", listing_repr_html, METH_NOARGS,                         \
            "_repr_html_($self, /)\n--\n\n"                                    \
    }

/** Of a PyMemberDef: the findings. */
#define LISTING_FINDINGS                                                       \
    {                                                                          \
        "findings", T_OBJECT, offsetof(listing_object, findings), READONLY,    \
            "A tuple of Finding: known mistakes that concern the rows."        \
    }

/** The slots of such a type, but its members, methods and documentation. */
#define LISTING_SLOTS                                                          \
    SLOT(Py_tp_dealloc, listing_dealloc), SLOT(Py_tp_repr, listing_repr),      \
        SLOT(Py_tp_iter, listing_iter), SLOT(Py_mp_length, listing_length),    \
        SLOT(Py_mp_subscript, listing_subscript)

#endif
