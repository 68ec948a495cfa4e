/**
 * What leads to a few objects: those that refer to them, those that refer to
 * these, and so on, as the collector's lists show them. Each step is one pass
 * over the lists, which numbers nothing and keeps nothing but the addresses of
 * what it finds. So a search of few steps costs a fraction of a walk of the
 * whole heap, and next to no memory.
 *
 * The collector does not know every reference. Whoever uses the result must
 * prove that it has all that matters: see lg_path_from_root.
 */
#ifndef LEAKGRAPH_LEADING_H
#define LEAKGRAPH_LEADING_H

#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    LG__LEADING_MOST = 4096, /**< objects: whoever has more is no short path */
    LG__LEADING_PASSES = 5,  /**< steps: more would cost as much as a walk */
    LG__LEADING_BITS = 1 << 16,
};

typedef struct lg__leading {
    PyObject *objects[LG__LEADING_MOST]; /**< borrowed, in order of the steps */
    uint32_t count;
    uint32_t begin; /**< the first of those that the next pass looks for */
    uint32_t end;   /**< behind the last of those */
    uint32_t passes;
    uint16_t slot[2 * LG__LEADING_MOST]; /**< 1 + index by hash; 0: free */
    bool is_end[LG__LEADING_MOST];       /**< no pass looks for its referrers */
    uint64_t wanted[LG__LEADING_BITS / 64]; /**< hashes that a pass looks for */
    bool at_module; /**< a module's variables are among the objects */
    bool full;
} lg__leading;

/** Finds what leads to some objects, step by step, until a step meets a
 *  module's variables or a variable of a running function. False if there are
 *  too many objects or steps, or if the collector's lists cannot be followed
 *  now. Call it with the GIL, which no call may release until the result is
 *  used. */
bool lg__leading_find(lg__leading *self, PyObject *const *objects,
                      size_t count);
bool lg__leading_has(const lg__leading *self, const void *object);

#endif
