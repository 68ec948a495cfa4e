/**
 * Code that bounds a container: it compares the container's length with a
 * number, and removes elements where the container has more.
 */
#ifndef LEAKGRAPH_BOUNDING_CODE_H
#define LEAKGRAPH_BOUNDING_CODE_H

#include "capture/common/capture_common.h"
#include "capture/cpython/capture_cpython.h"

/** A value that code names: a variable or a constant, or an attribute of a
 *  variable. */
typedef struct lg__named_value {
    uint32_t kind;       /**< lg__step_kind of the first step */
    uint32_t arg;        /**< its argument */
    uint32_t attributes; /**< how many names follow */
    uint32_t name[2];    /**< the first of them, among the names of the code */
} lg__named_value;

/** How many containers of one function are known. */
enum { LG__CUT_MOST = 4 };

typedef struct lg__bounding {
    lg__named_value main;  /**< the container whose length is compared */
    lg__named_value bound; /**< the number */
    lg__named_value cut[LG__CUT_MOST]; /**< from which elements go; `main` is
                                            one of them */
    uint32_t cut_count;
} lg__bounding;

/** Returns whether the code bounds a container. `len` is that name, as all code
 *  has it. */
bool lg__code_bounds(const PyCodeObject *code, const PyObject *len,
                     lg__bounding *out);

#endif
