/**
 * json, to_dicts() and to_pandas() of what has rows but no table of libgraph;
 * json and to_dict() of one row. leakgraph.frames knows the fields of each
 * type. Also what the named tuples share beyond the interpreter's own.
 */
#ifndef LEAKGRAPH_ROWS_H
#define LEAKGRAPH_ROWS_H

#include "binding/support/binding_support.h"

PyObject *lg__rows_json(PyObject *self, void *unused);
PyObject *lg__rows_to_dicts(PyObject *self, PyObject *unused);
PyObject *lg__rows_to_pandas(PyObject *self, PyObject *unused);

/** Two PyMethodDefs. */
#define LG__ROWS_METHODS(rows, note)                                           \
    {"to_dicts", lg__rows_to_dicts, METH_NOARGS,                               \
     "to_dicts($self, /)\n--\n\nThe " rows " as a list of dicts. " note},      \
    {                                                                          \
        "to_pandas", lg__rows_to_pandas, METH_NOARGS,                          \
            "to_pandas($self, /)\n--\n\nThe " rows                             \
            " as a pandas.DataFrame. " note                                    \
    }

/** The row is a named tuple, a Node or an Edge. */
PyObject *lg__row_json(PyObject *self, void *unused);
PyObject *lg__row_to_dict(PyObject *self, PyObject *unused);

/** A PyMethodDef and a PyGetSetDef of a row. */
#define LG__ROW_TO_DICT(note)                                                  \
    {                                                                          \
        "to_dict", lg__row_to_dict, METH_NOARGS,                               \
            "to_dict($self, /)\n--\n\nA dict of plain values. " note           \
    }
#define LG__ROW_JSON                                                           \
    {                                                                          \
        "json", lg__row_json, NULL, "The same as to_dict(), as JSON.", NULL    \
    }

/** A PyGetSetDef. */
#define LG__ROWS_JSON(rows)                                                    \
    {                                                                          \
        "json", lg__rows_json, NULL, "The " rows " as JSON, a str.", NULL      \
    }

/** Gives a type an attribute. Takes over the value, which may be NULL with an
 *  exception. -1 with an exception. */
int lg__row_type_add(PyTypeObject *type, const char *name, PyObject *value);

/** Makes a type of named tuples and adds it to the module. The strings of
 *  `desc` must stay. The type has `_fields`, `_asdict()` and `_replace()`, by
 *  which pandas and others recognise a named tuple, and `json` and `to_dict()`.
 *  -1 with an exception. */
int lg__row_type_new(PyObject *module, lg__core_type id,
                     PyStructSequence_Desc *desc);

#endif
