/**
 * Where pyarrow keeps, in memory, what its getters report: for captures in
 * which no library's code may run. Every offset comes from objects that pyarrow
 * makes before the walk, and whose contents are known.
 */
#ifndef LEAKGRAPH_PYARROW_LAYOUT_H
#define LEAKGRAPH_PYARROW_LAYOUT_H

#include "bytes/common/bytes_common.h"

enum { LG__ARROW_TYPES = 64, LG__ARROW_TYPE_NAME = 16 };

/** Offsets in bytes. A vector is three words: begin, end, end of its room. Its
 *  elements are two words each, of which the first is the address. */
typedef struct lg__arrow_layout {
    size_t buffer_data;   /**< in a Buffer: address; then its size */
    size_t buffer_parent; /**< the buffer that it is a slice of */
    size_t array_data;    /**< in an Array: its ArrayData */
    size_t data_type;     /**< in an ArrayData: its DataType */
    size_t data_length;   /**< number of elements */
    size_t data_buffers;  /**< vector of Buffers */
    size_t data_children; /**< vector of ArrayData */
    size_t data_dictionary;
    size_t type_id;        /**< in a DataType: number of 32 bits */
    size_t chunked_chunks; /**< in a ChunkedArray: vector of Arrays */
    size_t table_schema;   /**< in a Table or RecordBatch */
    size_t table_rows;     /**< number of rows */
    size_t table_columns;  /**< vector of ChunkedArrays, or of ArrayData */
    size_t schema_fields;  /**< in a Schema: address of a vector of Fields */
    size_t field_name;     /**< in a Field: address and length of its name */
    uintptr_t table_class; /**< first word of the Tables with this layout */
    uintptr_t batch_class; /**< ... of the RecordBatches */
    char types[LG__ARROW_TYPES][LG__ARROW_TYPE_NAME]; /**< names by type_id;
                                                         empty: not known */
} lg__arrow_layout;

/** The address of the C++ object in an object of pyarrow's; 0: it has none. */
uintptr_t lg__arrow_native(PyObject *object);

/** The addresses in a vector of at most `room` elements. False, with *count
 *  undefined, if there is no such vector. */
bool lg__arrow_vector(lg__memory *memory, uintptr_t vector, size_t room,
                      uintptr_t *begin, size_t *count);
/** The address that an element of a vector has. */
uintptr_t lg__arrow_element(lg__memory *memory, uintptr_t begin, size_t i);
/** Returns whether a buffer lies in this process's main memory. */
bool lg__arrow_buffer_is_cpu(lg__memory *memory, uintptr_t buffer);

/** Finds the layout, once per process: makes a few objects of pyarrow's.
 *  NULL if it is not the known one. */
const lg__arrow_layout *lg__arrow_layout_find(PyObject *module,
                                              lg__memory *memory);

#endif
