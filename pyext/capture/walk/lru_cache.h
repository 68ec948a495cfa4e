/**
 * The references of a wrapper that functools.lru_cache() made.
 */
#ifndef LEAKGRAPH_LRU_CACHE_H
#define LEAKGRAPH_LRU_CACHE_H

#include "capture/walk/heap_walk.h"

/** Names what the wrapper reports, adds its links, which it does not, and notes
 *  its limit. */
void lg__name_edges_of_lru_cache(lg__heap_walk *walk, PyObject *object,
                                 const lg__type_info *info);

#endif
