/**
 * What pandas keeps in Cython classes, whose fields have no visible names. The
 * adapter recognises the fields by what they hold.
 */
#ifndef LEAKGRAPH_PANDAS_H
#define LEAKGRAPH_PANDAS_H

#include "capture/adapters/capture_adapters.h"

enum {
    LG__PANDAS_PLACEMENT, /**< the columns of a block */
    LG__PANDAS_BLOCK,
    LG__PANDAS_MANAGER, /**< blocks and axes of a DataFrame or Series */
    LG__PANDAS_REFS,    /**< the objects that share a block's values */
    LG__PANDAS_BACKED,  /**< arrays that wrap an array: Categorical ... */
    LG__PANDAS_ENGINE,  /**< looks up labels for an Index */
    LG__PANDAS_CLASSES,
    LG__PANDAS_FIELDS = 3,
};

/** What the adapter knows of a process's pandas. */
typedef struct lg__pandas {
    PyTypeObject *type[LG__PANDAS_CLASSES]; /**< NULL: pandas has none */
    PyTypeObject *table;                    /**< HashTable, or NULL */
    PyTypeObject *frame;   /**< the base of DataFrame and Series */
    PyTypeObject *array;   /**< numpy.ndarray */
    PyTypeObject *strings; /**< pandas' array of pyarrow's strings, or NULL */
    PyTypeObject *chunks;  /**< pyarrow's ChunkedArray, or NULL */
    uint32_t described;
    bool recognised; /**< a block or a manager has the expected fields */
    bool strange;    /**< a block or a manager lacks them */
} lg__pandas;

/** Finds the classes; runs nothing. False if pandas has no blocks and managers
 *  made in C. */
bool lg__pandas_find(lg__pandas *pandas);
/** A field of an instance of a class, borrowed, or NULL. Runs nothing. */
PyObject *lg__pandas_field(const lg__pandas *pandas, unsigned which,
                           PyObject *object, size_t index);
/** NULL: the class has fewer fields. */
const char *lg__pandas_field_name(unsigned which, size_t index);

/** The number of elements of an Index, a column or a block's row; -1: unknown.
 *  Runs no code but pyarrow's own. */
Py_ssize_t lg__pandas_length(lg__adapter_pass *pass, const lg__pandas *pandas,
                             PyObject *object);
/** Adds the label at a position of an Index, "?" if it is neither a str nor a
 *  whole number. Runs no code but pyarrow's own. */
void lg__pandas_add_label(lg__adapter_pass *pass, const lg__pandas *pandas,
                          PyObject *index, Py_ssize_t i, lg_text *out);
/** Finds the column of a block's row, which pandas keeps in a slice or in an
 *  array of numbers; false beyond the last row. */
bool lg__pandas_column(const lg__pandas *pandas, PyObject *place,
                       Py_ssize_t row, Py_ssize_t *out);

#endif
