/**
 * What pandas keeps in Cython classes, whose fields have no visible names. The
 * adapter finds the fields on objects that it makes for this. Private to this
 * folder.
 */
#ifndef LEAKGRAPH_PANDAS_H
#define LEAKGRAPH_PANDAS_H

#include "capture/adapters/adapter.h"

enum {
    LG_PANDAS_PLACEMENT, /**< which columns a block has */
    LG_PANDAS_BLOCK,
    LG_PANDAS_MANAGER, /**< blocks and axes of a DataFrame or Series */
    LG_PANDAS_REFS,    /**< who shares a block's values */
    LG_PANDAS_BACKED,  /**< extension arrays of an array: Categorical ... */
    LG_PANDAS_ENGINE,  /**< an Index's way to look up */
    LG_PANDAS_CLASSES,
    LG_PANDAS_FIELDS = 3,
};

/** A class and where its instances, and those of its subclasses, keep what. */
typedef struct lg_pandas_class {
    PyTypeObject *type; /**< NULL: not there, or not understood */
    struct {
        const char *name;
        uint32_t offset; /**< 0: not found */
    } field[LG_PANDAS_FIELDS];
} lg_pandas_class;

/** Finds the fields of all classes, by making one of each the first time; may
 *  run Python code. False if those of blocks and their managers were not found.
 */
bool lg_pandas_find(lg_pandas_class *classes);

/** What is known of a process's pandas. */
typedef struct lg_pandas {
    lg_pandas_class classes[LG_PANDAS_CLASSES];
    PyTypeObject *table;   /**< HashTable, or NULL */
    PyTypeObject *frame;   /**< what DataFrame and Series are */
    PyTypeObject *array;   /**< numpy.ndarray */
    PyTypeObject *strings; /**< its array of pyarrow's strings, or NULL */
    PyTypeObject *chunks;  /**< pyarrow's ChunkedArray, or NULL */
    uint32_t described;
} lg_pandas;

/** How many elements an Index, a column or a block's row has; -1: not known.
 *  Runs nothing but pyarrow's own code. */
Py_ssize_t lg_pandas_length(lg_adapter_pass *pass, const lg_pandas *pandas,
                            PyObject *object);
/** Adds the label at a position of an Index, "?" if it is neither a str nor a
 *  whole number. Runs nothing but pyarrow's own code. */
void lg_pandas_say_label(lg_adapter_pass *pass, const lg_pandas *pandas,
                         PyObject *index, Py_ssize_t i, lg_text *out);
/** Which column a block's row is: by a slice or by an array of numbers, as
 *  pandas keeps it; false beyond the last. */
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
