/**
 * Partial walks: from given roots, up to a limit of hops or nodes. A node where
 * the walk stops is a frontier. Included by heap_walk.c and partial.c alone.
 */
#ifndef LEAKGRAPH_PARTIAL_H
#define LEAKGRAPH_PARTIAL_H

#include "capture/walk/heap_walk.h"

/** Returns whether the walk enters this node. */
bool lg__partial_enters(lg__heap_walk *walk, uint32_t node,
                        const lg__type_info *info);
/** Call it when the edges of a node are complete: its referents are one hop
 *  further. */
void lg__partial_entered(lg__heap_walk *walk, uint32_t node);
/** Describes a node that the walk does not enter. */
void lg__partial_leave(lg__heap_walk *walk, uint32_t node, PyObject *object,
                       const lg__type_info *info);

#endif
