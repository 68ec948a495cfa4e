/** Whether a control group keeps a process from running. */
#ifndef LEAKGRAPH_FROZEN_H
#define LEAKGRAPH_FROZEN_H

#include <stdbool.h>

/** Returns whether the control group of the process is frozen, as that of a
 *  container is by `docker pause`. */
bool lg__process_is_frozen(int process);

#endif
