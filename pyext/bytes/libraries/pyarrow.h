/**
 * What the parts of the adapter for pyarrow share. After the walk, a capture
 * asks pyarrow about the objects, which it holds. In a forked child it reads
 * them from memory instead. Neither copies data or computes any.
 */
#ifndef LEAKGRAPH_PYARROW_H
#define LEAKGRAPH_PYARROW_H

#include "bytes/common/bytes_common.h"
#include "bytes/libraries/pyarrow_layout.h"

/** What an instance is. */
typedef enum lg__arrow_kind {
    LG__ARROW_BUFFER = 1,
    LG__ARROW_ARRAY,
    LG__ARROW_CHUNKED,
    LG__ARROW_TABLE, /**< a Table or a RecordBatch */
} lg__arrow_kind;

enum { LG__ARROW_NAMES_SHOWN = 4 };

typedef struct lg__arrow {
    PyTypeObject *buffer;     /**< pyarrow.lib.Buffer */
    PyTypeObject *array;      /**< ... Array */
    PyTypeObject *dictionary; /**< ... DictionaryArray */
    PyTypeObject *chunked;    /**< ... ChunkedArray */
    PyTypeObject *table;      /**< ... Table */
    PyTypeObject *batch;      /**< ... RecordBatch */
    lg__mappings mappings;    /**< read when the first instance comes */
    lg__memory *memory;
    const lg__arrow_layout *layout; /**< NULL: not known */
} lg__arrow;

/** The node to charge, and the names for its memory. */
typedef struct lg__arrow_holder {
    lg__adapter_pass *pass;
    const lg__arrow *arrow;
    const lg__instance *instance;
    uint32_t text;  /**< string id of the buffers' text; 0: none */
    uint32_t label; /**< string id of the edge's name */
} lg__arrow_holder;

/** What leakgraph knows of a type of pyarrow. */
typedef struct lg__arrow_form {
    bool known;            /**< false: pyarrow does not report it */
    bool extension;        /**< it is one of the user's extension types */
    bool extension_inside; /**< it is, or contains, an extension type */
    bool dictionaries;     /**< arrays of it have dictionaries */
    char text[64];         /**< `int64` */
} lg__arrow_form;

/** The form of the elements of an Array, or of a ChunkedArray. */
lg__arrow_form lg__arrow_form_of(PyObject *object, bool chunked);

/** Whether each of that many columns of a Schema contains no class of the
 *  user's, in memory of the pass; NULL: pyarrow does not report it. */
const bool *lg__arrow_plain_columns(lg__adapter_pass *pass, PyObject *schema,
                                    Py_ssize_t count);

/** object.name as pyarrow's own class has it; a new reference, or NULL. */
PyObject *lg__arrow_get(PyObject *object, const char *name);

/** The first columns' names, for a fact. */
typedef struct lg__arrow_columns {
    char text[320];
    size_t length;
    size_t listed;
    size_t count; /**< of all columns */
} lg__arrow_columns;

/** Charges a piece of memory. A holder that shares its buffer with slices of
 *  it, which is not `alone`, gives it no text. */
void lg__arrow_add_span(const lg__arrow_holder *to, uint64_t address,
                        uint64_t length, bool alone);
/** Charges a buffer. A slice of a buffer keeps the whole buffer. False if
 *  pyarrow does not report it. */
bool lg__arrow_add_buffer(const lg__arrow_holder *to, PyObject *buffer);
/** Charges an array's buffers, and those of its children and dictionaries. */
bool lg__arrow_add_array(const lg__arrow_holder *to, PyObject *array);

#endif
