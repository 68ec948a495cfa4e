/** Saving by a forked child: the way from a request to a file. */
#ifndef LEAKGRAPH_FORKED_H
#define LEAKGRAPH_FORKED_H

#include "binding/support/state.h"
#include "capture/run/fork.h"

typedef struct forked_save {
    const char *path;
    lg_capture_options options;
    const lg_monitor *monitor;
    unsigned timeout; /* seconds without progress of the child */
    bool hold;        /* keep the GIL while it is waited for */
    lg_fork_result result;
    double pause; /* out: seconds that the GIL was held */
} forked_save;

/** False with an exception. options.spill has the child keep its memory in a
 *  file beside the path, which has no name and goes with the child. */
bool forked_record(core_state *state, forked_save *self);

#endif
