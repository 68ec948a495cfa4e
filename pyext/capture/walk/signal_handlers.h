/** The handlers of signals: see signal_handlers.c. */
#ifndef LEAKGRAPH_SIGNAL_HANDLERS_H
#define LEAKGRAPH_SIGNAL_HANDLERS_H

#include "capture/walk/heap_walk.h"

/** Finds where CPython keeps the handlers: call it once, with the GIL held and
 *  not in a forked child. It writes reference counts of handlers. */
void lg__signal_handlers_find(void);
/** Adds the handlers to the open node, one edge for each signal. */
void lg__walk_signal_handlers(lg__heap_walk *walk);

#endif
