/** Contents of strs and bytes that are compared with others. */
#ifndef LEAKGRAPH_COMPARABLE_H
#define LEAKGRAPH_COMPARABLE_H

#include "capture/walk/heap_walk.h"

/** Begins to compare contents, if the options say so; otherwise the next two
 *  functions do nothing. */
void lg__contents_open(lg__heap_walk *walk);
/** Notes the contents of one node, if it is a str or bytes; once. */
void lg__contents_add(lg__heap_walk *walk, uint32_t node);
/** Notes the contents of all nodes. */
void lg__contents_finish(lg__heap_walk *walk);

#endif
