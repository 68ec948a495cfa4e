/** Asks a question in a child of fork(), which must not wait forever. */
#ifndef LEAKGRAPH_FORKED_H
#define LEAKGRAPH_FORKED_H

#include <stdbool.h>
#include <sys/types.h>

/** Returns whether a child of this process answers the question with true.
 *  Returns false if the child dies, or runs for more than a minute. */
bool forked_says(bool (*question)(void *), void *context);

/** Waits for a child; returns whether it ends with the exit status 0. */
bool forked_child_agrees(pid_t child);

#endif
