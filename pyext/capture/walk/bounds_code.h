/**
 * What code bounds: containers whose length it compares with a number.
 */
#ifndef LEAKGRAPH_BOUNDS_CODE_H
#define LEAKGRAPH_BOUNDS_CODE_H

#include "capture/walk/code_reader.h"

/** How many containers of one function are known. */
enum { LG__CUT_MOST = 4 };

typedef struct lg__bounding {
    lg__named_value main;  /**< the container whose length is compared */
    lg__named_value bound; /**< the number */
    lg__named_value cut[LG__CUT_MOST]; /**< from which elements go; `main` is
                                            one of them */
    uint32_t cut_count;
    bool by_adding; /**< elements do not go: the code adds no more */
    bool by_age;    /**< old elements go, and `bound` is a number of seconds */
    bool must_run;  /**< by age: not all that adds elements calls the code */
    const PyCodeObject *bound_code; /**< by age: which names the bound, or NULL;
                                         otherwise the code itself */
    double seconds_each; /**< by age: what the bound counts, if not seconds */
    const PyFunctionObject *bound_by; /**< by age: the function of that code, if
                                           it is another one; or NULL */
} lg__bounding;

/** Returns whether the code bounds a container. */
bool lg__code_bounds(lg__heap_walk *walk, const PyCodeObject *code,
                     lg__bounding *out);

/** Returns whether the code adds elements to a container, or may, without being
 *  what bounds it. */
bool lg__code_adds(lg__heap_walk *walk, const PyCodeObject *code,
                   const lg__named_value *container);

/** What code calls a container that other code bounds by adding no more. */
typedef struct lg__called_container {
    const PyCodeObject *code; /**< which bounds it */
    const PyObject *name;
    uint32_t kind; /**< lg__step_kind of the step that takes it */
} lg__called_container;

/** Returns what the code that bounds a container calls it. */
lg__called_container lg__code_name_of(const PyCodeObject *code,
                                      const lg__named_value *container);

/** Returns whether code has a name among those that it uses. */
bool lg__code_uses(const PyCodeObject *code, const PyObject *name);

/** Returns whether code may let others add to a container of that name: it adds
 *  elements itself, passes the container on, returns it or keeps it elsewhere.
 *  Methods that add to what their own instance has do not count. */
bool lg__code_hands_out(lg__heap_walk *walk, const PyCodeObject *code,
                        const lg__called_container *container);

#endif
