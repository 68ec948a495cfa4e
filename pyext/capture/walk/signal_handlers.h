/** The handlers of signals: see signal_handlers.c. */
#ifndef LEAKGRAPH_SIGNAL_HANDLERS_H
#define LEAKGRAPH_SIGNAL_HANDLERS_H

#include "capture/walk/heap_walk.h"

/** Adds the handlers to the open node, one edge for each signal. */
void lg__walk_signal_handlers(lg__heap_walk *walk);

#endif
