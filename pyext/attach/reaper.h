/** Who reaps a child whose parent has ended. */
#ifndef LEAKGRAPH_REAPER_H
#define LEAKGRAPH_REAPER_H

#include <stdbool.h>

/** Whether somebody other than this process does. Not if it adopts the orphans
 *  itself. Nor if it seems that the first process of a container is a program
 *  that knows nothing of that duty: one that neither blocks nor handles nor
 *  ignores SIGCHLD. */
bool lg__reaper_exists(void);

#endif
