/** Rows that no table made, as columns for Arrow. */
#ifndef LEAKGRAPH_ARROW_ROWS_H
#define LEAKGRAPH_ARROW_ROWS_H

#include "binding/objects/arrow.h"
#include "binding/objects/result.h"

/** Copies the rows of a result whose `arrow` has a letter for each field: "u" a
 *  str, "b" a bool, "l" an int, "N" a Node, "S" a Size, "K" and "E" a dict by
 *  kind of tensor and by evidence. NULL with an exception. */
PyObject *lg__rows_arrow(const lg__result_object *result);

#endif
