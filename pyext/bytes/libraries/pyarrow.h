/**
 * What the parts of the adapter for pyarrow share. All of it asks pyarrow,
 * after the walk, on objects that are held; nothing is copied or computed.
 *
 * Private to this folder.
 */
#ifndef LEAKGRAPH_PYARROW_H
#define LEAKGRAPH_PYARROW_H

#include "bytes/common/mappings.h"

typedef struct lg_arrow {
    PyTypeObject *buffer;     /**< pyarrow.lib.Buffer */
    PyTypeObject *array;      /**< ... Array */
    PyTypeObject *dictionary; /**< ... DictionaryArray */
    PyTypeObject *chunked;    /**< ... ChunkedArray */
    PyTypeObject *table;      /**< ... Table */
    PyTypeObject *batch;      /**< ... RecordBatch */
    lg_mappings mappings;     /**< read when first asked */
} lg_arrow;

/** Who is to be charged, and how that is called. */
typedef struct lg_arrow_holder {
    lg_adapter_pass *pass;
    const lg_arrow *arrow;
    const lg_instance *instance;
    uint32_t text;  /**< string id of the buffers' text; 0: none */
    uint32_t label; /**< string id of the edge's */
} lg_arrow_holder;

/** Charges a buffer; one that was cut from another keeps all of that. False if
 *  pyarrow does not tell. */
bool lg_arrow_add_buffer(const lg_arrow_holder *to, PyObject *buffer);
/** Charges an array's buffers, those of its children and dictionaries too. */
bool lg_arrow_add_array(const lg_arrow_holder *to, PyObject *array);
/** Charges each chunk of a chunked array. */
bool lg_arrow_add_chunks(const lg_arrow_holder *to, PyObject *chunked);

#endif
