/** What the process of a visit does while it lives. */
#ifndef LEAKGRAPH_ERRAND_H
#define LEAKGRAPH_ERRAND_H

#include "attach/visit.h"

/** Stops the thread, sends it through the stub, and lets it go. */
lg__outcome lg__errand_run(lg__visit *visit);

#endif
