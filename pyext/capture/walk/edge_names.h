/**
 * Naming what tp_traverse reported: see edge_names.c.
 */
#ifndef LEAKGRAPH_EDGE_NAMES_H
#define LEAKGRAPH_EDGE_NAMES_H

#include "capture/walk/heap_walk.h"

/** Returns whether this object may be given to tp_traverse. */
static inline bool
lg__is_traversed(PyObject *object, const lg__type_info *info)
{
    if (!info->traverse ||
        (info->type->tp_is_gc != NULL && !info->type->tp_is_gc(object)))
        return false;
    return lg__is_tracked(object) || info->untracked_too ||
           lg__is_let_go(object);
}

/** Runs tp_traverse on the open object and remembers its edges as unnamed. */
void lg__edge_names_open(lg__heap_walk *walk, PyObject *object,
                         const lg__type_info *info);
/** Names one unnamed edge to `child`; if none is left, adds an edge that the
 *  collector does not see. `child` may be NULL. */
void lg__name_edge(lg__heap_walk *walk, PyObject *child, unsigned kind,
                   uint32_t payload);
/** The same, but an edge that tp_traverse did not report is not counted: its
 *  reference belongs to another edge. */
void lg__name_edges_of_shared(lg__heap_walk *walk, PyObject *child,
                              unsigned kind, uint32_t payload);
/** Names a reported edge to `child`, if an unnamed one is left. */
bool lg__name_edges_of_reported(lg__heap_walk *walk, PyObject *child,
                                unsigned kind, uint32_t payload);
/** The offset of the word of the object's struct that holds `target`, or 0. */
uint32_t lg__word_holding(PyObject *object, const lg__type_info *info,
                          PyObject *target);
/** Names the remaining edges: by words of the struct, or else as elements or by
 *  rank. */
void lg__edge_names_close(lg__heap_walk *walk, PyObject *object,
                          const lg__type_info *info);

#endif
