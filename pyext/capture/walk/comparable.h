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

/** A flag of nodes, during a capture only: a str with more room than text. Its
 *  room is memory that nobody has written, so neither its text nor its contents
 *  are read. */
enum { LG__NODE_ROOMY = 1 << 15 };
/** Sets the flag if something would be read. */
void lg__contents_leave_out(lg__heap_walk *walk, PyObject *str);
/** Clears the flags. */
void lg__contents_close(lg__heap_walk *walk);

#endif
