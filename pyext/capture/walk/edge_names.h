/**
 * Naming what tp_traverse reported: see edge_names.c. Included by heap_walk.h.
 */
#ifndef LEAKGRAPH_EDGE_NAMES_H
#define LEAKGRAPH_EDGE_NAMES_H

#include "capture/cpython/compat.h"
#include "capture/walk/type_table.h"

typedef struct lg_walk lg_walk;

/** Returns whether this object may be given to tp_traverse. */
static inline bool
lg_is_traversed(PyObject *object, const lg_type_info *info)
{
    if (!info->traverse ||
        (info->type->tp_is_gc != NULL && !info->type->tp_is_gc(object)))
        return false;
    return _PyObject_GC_IS_TRACKED(object) || info->untracked_too ||
           lg_is_let_go(object);
}

/** Runs tp_traverse on the open object and remembers its edges as unnamed. */
void lg_edge_names_open(lg_walk *walk, PyObject *object,
                        const lg_type_info *info);
/** Names one unnamed edge to `child`; if none is left, adds an edge that the
 *  collector does not see. `child` may be NULL. */
void lg_name_edge(lg_walk *walk, PyObject *child, unsigned kind,
                  uint32_t payload);
/** The same, but an edge that tp_traverse did not report is not counted: its
 *  reference belongs to another edge. */
void lg_name_edges_of_shared(lg_walk *walk, PyObject *child, unsigned kind,
                             uint32_t payload);
/** Names a reported edge to `child`, if an unnamed one is left. */
bool lg_name_edges_of_reported(lg_walk *walk, PyObject *child, unsigned kind,
                               uint32_t payload);
/** The offset of the word of the object's struct that holds `target`, or 0. */
uint32_t lg_word_holding(PyObject *object, const lg_type_info *info,
                         PyObject *target);
/** Names the remaining edges: by words of the struct, or else as elements or by
 *  rank. */
void lg_edge_names_close(lg_walk *walk, PyObject *object,
                         const lg_type_info *info);

#endif
