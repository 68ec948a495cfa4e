/** Saves a snapshot from a forked child. */
#ifndef LEAKGRAPH_FORKED_H
#define LEAKGRAPH_FORKED_H

#include "binding/support/state.h"
#include "capture/run/fork.h"

typedef struct forked_save {
    const char *path;
    lg_capture_options options;
    const lg_monitor *monitor;
    unsigned timeout; /* seconds that the child may take without progress */
    bool hold;        /* keep the GIL while this process waits */
    lg_fork_result result;
    double pause; /* out: seconds for which the GIL was held */
} forked_save;

/** False with an exception. With options.spill the child keeps its memory in a
 *  nameless file beside the path. */
bool forked_record(core_state *state, forked_save *self);

#endif
