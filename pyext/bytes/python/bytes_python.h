/** What other rooms may use of the counts of this process's memory, and of
 *  malloc's layout. */
#ifndef LEAKGRAPH_BYTES_PYTHON_H
#define LEAKGRAPH_BYTES_PYTHON_H

#include "bytes/python/process_memory.h"
#include "bytes/python/thread_cache.h"

#endif
