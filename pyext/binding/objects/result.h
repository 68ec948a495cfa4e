/**
 * Result: what answers in Python share. A sequence of named tuples that a
 * terminal shows as the report, a notebook as HTML, and programs read as JSON,
 * dicts or a pandas DataFrame. A slice is a result of the same type.
 *
 * Made from a table (leakgraph/report.h), so that rows, text, JSON and HTML say
 * the same. It owns all it shows; its nodes keep their snapshot.
 */
#ifndef LEAKGRAPH_RESULT_H
#define LEAKGRAPH_RESULT_H

#include "binding/objects/py_snapshot.h"
#include <leakgraph/table.h>

typedef struct result_object {
    PyObject_HEAD
    PyObject *rows;             /* tuple of named tuples */
    PyTypeObject *row;          /* their type */
    lg_table *table;            /* or NULL: there are a text and JSON */
    size_t shown;               /* rows of the text; 0: all */
    struct result_object *from; /* the result that this is a slice of */
    PyObject *text;             /* without a table; NULL of a slice */
    PyObject *json;
    PyObject *html;     /* or NULL: the text */
    const char *arrow;  /* without a table: see arrow_rows.h */
    PyObject *facts;    /* tuple of what else a type has to show, or NULL */
    PyObject *findings; /* tuple of Finding, or NULL: has none to show */
} result_object;

extern PyType_Spec result_spec;

/** Where the field of a named tuple comes from. */
typedef struct result_field {
    const char *column; /* of the table, by its name */
    enum {
        FIELD_VALUE = 0, /* the cell, None for an empty one */
        FIELD_TEXT,      /* of a text, '' for an empty one */
        FIELD_TITLE,     /* of a node */
        FIELD_DEPTH,     /* of the row */
        FIELD_ONE,       /* 1 */
        FIELD_HOPS,      /* of a list of hops: a tuple of Hop */
        FIELD_CUTS,      /* of a list of cuts: a tuple of CycleCut */
        FIELD_HOLDERS,   /* of a list of holders: a tuple of FindingHolder */
    } what;
} result_field;

/** The types of a result and of its rows, and each field of these. */
typedef struct result_shape {
    core_type type;
    core_type row;
    const result_field *fields;
    size_t shown; /* rows of its text; 0: all */
} result_shape;

/** A result of a table, which is its from now on, on failure too. A text is a
 *  str, a node a Node, counts and bytes ints, a size a Size, a share a float, a
 *  list a tuple of its rows, each of which is a tuple unless it has one column
 *  only. */
PyObject *result_new(snapshot_object *snapshot, const result_shape *shape,
                     lg_table *table);

/** The same with facts, which are its from now on, too. NULL with the exception
 *  of the facts if these are NULL. */
PyObject *result_with_facts(snapshot_object *snapshot,
                            const result_shape *shape, lg_table *table,
                            PyObject *facts);
/** A getter: the fact with this number. */
PyObject *result_get_fact(result_object *self, void *index);

/** The rows of a table, by its columns: a tuple of named tuples. */
PyObject *result_rows(snapshot_object *snapshot, const result_shape *shape,
                      const lg_table *table);

/** The numbers of a table's rows that are no headings, and how many they are;
 *  free() them. NULL with an exception. */
size_t *result_row_numbers(const lg_table *table, size_t *count);

/** A fact of the table by its name; false: there is none, or no value. */
bool result_fact(const lg_table *table, const char *name, lg_cell *out);
/** The rows of a fact that is a table; none if there is no such fact. */
PyObject *result_fact_rows(snapshot_object *snapshot, const lg_table *table,
                           const char *name, const result_shape *shape);

/** A report in its forms. */
typedef struct result_texts {
    lg_text text;
    lg_text json;
    lg_text html; /* empty: none */
} result_texts;

void result_texts_free(result_texts *texts);

/** A result without a table, of rows that are its from now on, on failure too;
 *  NULL rows: fails with the exception there is. `arrow` has a letter for each
 *  field (arrow_rows.h) and lives on. Frees the texts. */
PyObject *result_of_texts(core_state *state, core_type type, core_type row,
                          PyObject *rows, const char *arrow,
                          result_texts *texts);

void result_dealloc(result_object *self);

/** Of a PyMemberDef: the findings. */
#define RESULT_FINDINGS                                                        \
    {                                                                          \
        "findings", T_OBJECT, offsetof(result_object, findings), READONLY,     \
            "A tuple of Finding: known mistakes that involve the rows."        \
    }

/** What a type that inherits from Result must say itself. */
#define RESULT_SLOTS SLOT(Py_tp_dealloc, result_dealloc)

#endif
