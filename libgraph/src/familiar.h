/**
 * Which classes come from a library that everybody has, and which a person may
 * have written.
 */
#ifndef LG_FAMILIAR_H
#define LG_FAMILIAR_H

#include "graph.h"

/** Whether a type is a builtin, or of the standard library or another common
 *  one. By its name alone: a class of an unknown library passes for one's own.
 */
bool lg__type_is_familiar(const lg_graph *graph, uint32_t type);

#endif
