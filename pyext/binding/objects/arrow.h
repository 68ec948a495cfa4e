/**
 * Columns for Arrow's C data interface
 * (https://arrow.apache.org/docs/format/CDataInterface.html), through which
 * libraries of data frames exchange data without knowing each other. A batch
 * copies what it is given, so it outlives the snapshot, and any thread may
 * release it.
 */
#ifndef LEAKGRAPH_ARROW_H
#define LEAKGRAPH_ARROW_H

#include "binding/support/binding_support.h"

#include <leakgraph/base.h>
#include <stdbool.h>

typedef struct lg__arrow_batch lg__arrow_batch;

/** NULL: memory ran out. A batch remembers that, and its stream
 *  raises it. */
lg__arrow_batch *lg__arrow_batch_new(size_t rows);
void lg__arrow_batch_free(lg__arrow_batch *batch);

/** Adds a column of numbers and returns the place of its values, of all rows;
 *  NULL: memory ran out. The format is Arrow's: "I" is uint32_t, "L" uint64_t,
 *  "l" int64_t, "g" double, "C" uint8_t. */
void *lg__arrow_numbers(lg__arrow_batch *batch, lg_string name,
                        const char *format, size_t width);
/** Opens a column whose values come row by row: "u" is text, "L", "l" and "g"
 *  as above, "b" a truth value, "+s" a record, whose fields are the columns
 *  opened next, up to lg__arrow_end. */
void lg__arrow_open(lg__arrow_batch *batch, lg_string name, const char *format);
void lg__arrow_end(lg__arrow_batch *batch);
/** Each appends a value to the column opened last. */
void lg__arrow_add_text(lg__arrow_batch *batch, lg_string text);
void lg__arrow_add_null(lg__arrow_batch *batch);
void lg__arrow_add_value(lg__arrow_batch *batch, uint64_t bits);

#endif
