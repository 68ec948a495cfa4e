/**
 * Children of fork() that are asked a question, and may not wait for ever.
 */
#ifndef LG_FORKED_H
#define LG_FORKED_H

#include <stdbool.h>

/** Whether the question is answered with true in a child of this process: not
 *  if the child dies, or is still at it after a minute. */
bool forked_says(bool (*question)(void *), void *context);

#endif
