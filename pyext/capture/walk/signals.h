/** The handlers of signals: see signals.c. */
#ifndef LEAKGRAPH_SIGNALS_H
#define LEAKGRAPH_SIGNALS_H

#include "capture/walk/heap_walk.h"

/** Adds the handlers to the open node, one edge for each signal. */
void lg__walk_signal_handlers(lg__heap_walk *walk);

#endif
