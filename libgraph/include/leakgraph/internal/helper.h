/**
 * Threads that help with one piece of work.
 *
 * A helper takes no signals of the program but those by which it says that it
 * failed. It shares nothing with its owner's stack if the owner may be stopped
 * meanwhile, as an interpreter that ends stops threads that ask it for its
 * lock.
 */
#ifndef LEAKGRAPH_HELPER_H
#define LEAKGRAPH_HELPER_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A thread that does a part of one piece of work. */
typedef struct lg_helper lg_helper;

/** Starts `work(context)` in another thread. Returns NULL if that would not
 * help or cannot be: on one processor, in a child of fork(). The calling thread
 * does the work then. */
lg_helper *lg_helper_start(void (*work)(void *), void *context);
/** Waits up to `milliseconds`. Returns true if the helper has finished, is
 * NULL, or belongs to the parent of a fork. */
bool lg_helper_wait_for(lg_helper *helper, unsigned milliseconds);
/** Waits until the work is done, and frees the helper. It may be NULL. */
void lg_helper_end(lg_helper *helper);

#ifdef __cplusplus
}
#endif

#endif
