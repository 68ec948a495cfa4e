/**
 * What the parts of the adapter for pyarrow share. All functions ask pyarrow,
 * after the walk, about objects that leakgraph holds. They copy no data and
 * compute none.
 */
#ifndef LEAKGRAPH_PYARROW_H
#define LEAKGRAPH_PYARROW_H

#include "bytes/common/bytes_common.h"

typedef struct lg__arrow {
    PyTypeObject *buffer;     /**< pyarrow.lib.Buffer */
    PyTypeObject *array;      /**< ... Array */
    PyTypeObject *dictionary; /**< ... DictionaryArray */
    PyTypeObject *chunked;    /**< ... ChunkedArray */
    PyTypeObject *table;      /**< ... Table */
    PyTypeObject *batch;      /**< ... RecordBatch */
    lg__mappings mappings;    /**< read when the first instance comes */
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

/** Notes what pyarrow's pool has in use, for objects of the heap or others, and
 *  what its allocator keeps in memory. */
void lg__arrow_ask_pool(lg__adapter_pass *pass);

/** The form of an array's elements. */
lg__arrow_form lg__arrow_form_of_array(PyObject *array);
lg__arrow_form lg__arrow_form_of_chunks(PyObject *chunked);

/** The description of a schema, or NULL; close it. */
struct lg__arrow_type *lg__arrow_schema_open(lg__adapter_pass *pass,
                                             PyObject *schema);
void lg__arrow_schema_close(struct lg__arrow_type *schema);
/** Returns whether a column contains no class of the user's. */
bool lg__arrow_column_is_plain(const struct lg__arrow_type *schema,
                               Py_ssize_t i);

/** object.name as pyarrow's own class has it; a new reference, or NULL. */
PyObject *lg__arrow_get(PyObject *object, const char *name);
/** len(object) as pyarrow's own class has it; 0 if it has none. */
Py_ssize_t lg__arrow_length(PyObject *object);
/** Returns whether pyarrow has filled the object; pyarrow crashes on an empty
 *  one. */
bool lg__arrow_is_filled(PyObject *object);

/** Charges a buffer. A slice of a buffer keeps the whole buffer. False if
 *  pyarrow does not report it. */
bool lg__arrow_add_buffer(const lg__arrow_holder *to, PyObject *buffer);
/** Charges an array's buffers, and those of its children and dictionaries. */
bool lg__arrow_add_array(const lg__arrow_holder *to, PyObject *array);
/** Charges each chunk of a chunked array. */
bool lg__arrow_add_chunks(const lg__arrow_holder *to, PyObject *chunked);

#endif
