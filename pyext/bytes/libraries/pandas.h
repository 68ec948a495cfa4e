/**
 * What pandas keeps in Cython classes, whose fields have no visible names. The
 * adapter finds the fields on objects that it makes for this. Private to this
 * folder.
 */
#ifndef LEAKGRAPH_PANDAS_H
#define LEAKGRAPH_PANDAS_H

#include "capture/adapters/adapter.h"

enum {
    LG_PANDAS_PLACEMENT, /**< the columns of a block */
    LG_PANDAS_BLOCK,
    LG_PANDAS_MANAGER, /**< blocks and axes of a DataFrame or Series */
    LG_PANDAS_REFS,    /**< the objects that share a block's values */
    LG_PANDAS_BACKED,  /**< extension arrays on top of an array: Categorical ...
                        */
    LG_PANDAS_ENGINE,  /**< looks up labels for an Index */
    LG_PANDAS_CLASSES,
    LG_PANDAS_FIELDS = 3,
};

/** A class, and the offsets of the fields in its instances and in those of its
 *  subclasses. */
typedef struct lg_pandas_class {
    PyTypeObject *type; /**< NULL: pandas does not have it, or its layout is
                             unknown */
    struct {
        const char *name;
        uint32_t offset; /**< 0: not found */
    } field[LG_PANDAS_FIELDS];
} lg_pandas_class;

/** Finds the fields of all classes; makes one object of each the first time,
 *  which may run Python code. False if it does not find those of blocks and
 *  their managers. */
bool lg_pandas_find(lg_pandas_class *classes);

/** What the adapter knows of a process's pandas. */
typedef struct lg_pandas {
    lg_pandas_class classes[LG_PANDAS_CLASSES];
    PyTypeObject *table;   /**< HashTable, or NULL */
    PyTypeObject *frame;   /**< the base of DataFrame and Series */
    PyTypeObject *array;   /**< numpy.ndarray */
    PyTypeObject *strings; /**< pandas' array of pyarrow's strings, or NULL */
    PyTypeObject *chunks;  /**< pyarrow's ChunkedArray, or NULL */
    uint32_t described;
} lg_pandas;

/** The number of elements of an Index, a column or a block's row; -1: unknown.
 *  Runs no code but pyarrow's own. */
Py_ssize_t lg_pandas_length(lg_adapter_pass *pass, const lg_pandas *pandas,
                            PyObject *object);
/** Adds the label at a position of an Index, "?" if it is neither a str nor a
 *  whole number. Runs no code but pyarrow's own. */
void lg_pandas_add_label(lg_adapter_pass *pass, const lg_pandas *pandas,
                         PyObject *index, Py_ssize_t i, lg_text *out);
/** The column of a block's row, which pandas keeps as a slice or as an array of
 *  numbers; false beyond the last row. */
bool lg_pandas_column(const lg_pandas *pandas, PyObject *place, Py_ssize_t row,
                      Py_ssize_t *out);

/** A field's value, borrowed, or NULL. */
static inline PyObject *
lg_pandas_field(const lg_pandas_class *of, PyObject *object, size_t index)
{
    size_t offset = of->field[index].offset;
    size_t size = (size_t)Py_TYPE(object)->tp_basicsize;
    return offset != 0 && offset + sizeof object <= size
               ? *(PyObject **)((char *)object + offset)
               : NULL;
}

#endif
