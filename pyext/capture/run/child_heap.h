/**
 * Memory for a forked child's calls of Python's API, for which its parent would
 * use pymalloc and malloc.
 */
#ifndef LEAKGRAPH_CHILD_HEAP_H
#define LEAKGRAPH_CHILD_HEAP_H

/** Lets Python's allocators take memory from a mapping of their own, because
 *  the C __sizeof__ of a library makes an int. Only for a process that does not
 *  return to Python. */
void lg__child_heap_begin(void);

#endif
