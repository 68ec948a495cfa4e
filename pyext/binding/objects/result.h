/**
 * Result: what answers in Python share. A sequence of named tuples that a
 * terminal shows as the report, a notebook as HTML, and programs read as JSON,
 * dicts or a pandas DataFrame. A slice is a result of the same type.
 *
 * A table (leakgraph/report.h) gives the rows, text, JSON and HTML, so that all
 * say the same. A result owns all that it shows; its nodes keep their snapshot.
 */
#ifndef LEAKGRAPH_RESULT_H
#define LEAKGRAPH_RESULT_H

#include "binding/objects/py_snapshot.h"
#include <leakgraph/table.h>
#include <leakgraph/internal/cells.h>

typedef struct lg__result_object {
    PyObject_HEAD
    PyObject *rows;    /* tuple of named tuples */
    PyTypeObject *row; /* the type of the rows */
    lg_table *table;
    size_t shown;                   /* how many rows the text shows; 0: all */
    struct lg__result_object *from; /* the result that this is a slice of */
    PyObject *facts; /* what else the type shows: a tuple, or NULL */
    bool passing;    /* the snapshot was taken for this answer alone */
} lg__result_object;

extern PyType_Spec lg__result_spec;

/** Where the field of a named tuple comes from. */
typedef struct lg__result_field {
    const char *column;                  /* its name in the table */
    bool always_text;                    /* an empty cell is '', and not None */
    const struct lg__result_shape *rows; /* of a list whose rows have a type */
} lg__result_field;

/** The types of a result and of its rows, and the fields of a row. */
typedef struct lg__result_shape {
    lg__core_type type;
    lg__core_type row;
    const lg__result_field *fields;
    size_t shown; /* how many rows the text shows; 0: all */
} lg__result_shape;

/** Makes a result of a table and of facts, and takes both over, on failure too.
 *  If the facts are NULL, fails with the current exception. Texts become strs,
 *  nodes Nodes, counts and bytes ints, sizes Sizes, shares floats. A list
 *  becomes a tuple of its rows; a row becomes a tuple, or its only value. */
PyObject *lg__result_with_facts(lg__snapshot_object *snapshot,
                                const lg__result_shape *shape, lg_table *table,
                                PyObject *facts);
/** The method _repr_pretty_, which IPython calls: writes repr(). */
PyObject *lg__repr_pretty(PyObject *self, PyObject *args);
/** A getter of the fact with this number. */
PyObject *lg__result_get_fact(lg__result_object *self, void *index);

/** The rows of a table, by its columns: a tuple of named tuples. */
PyObject *lg__result_rows(lg__snapshot_object *snapshot,
                          const lg__result_shape *shape, const lg_table *table);

/** Lists the numbers of a table's rows that are not headings; free() the list.
 *  NULL with an exception. */
size_t *lg__result_row_numbers(const lg_table *table, size_t *count);

/** Finds a fact of the table by its name; false if there is none, or it has no
 *  value. */
bool lg__result_fact(const lg_table *table, const char *name, lg_cell *out);
/** The value of a fact: None if there is no such fact, or it has none. */
PyObject *lg__result_fact_object(lg__snapshot_object *snapshot,
                                 const lg_table *table, const char *name);
/** Makes the rows of a fact that is a table; none if there is no such fact. */
PyObject *lg__result_fact_rows(lg__snapshot_object *snapshot,
                               const lg_table *table, const char *name,
                               const lg__result_shape *shape);

void lg__result_dealloc(lg__result_object *self);

/** The slots that a type inheriting from Result must repeat. */
#define LG__RESULT_SLOTS LG__SLOT(Py_tp_dealloc, lg__result_dealloc)

#endif
