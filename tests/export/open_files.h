/** Counts the files that this process has open. */
#ifndef LEAKGRAPH_OPEN_FILES_H
#define LEAKGRAPH_OPEN_FILES_H

#include <stddef.h>

size_t count_files(void);

#endif
