/** Takes a snapshot in a forked child. */
#ifndef LEAKGRAPH_FORKED_H
#define LEAKGRAPH_FORKED_H

#include "binding/support/binding_support.h"
#include "capture/run/capture_run.h"

typedef struct lg__forked_save {
    const char *path; /* for messages, and where the file is */
    lg__capture_options options;
    const lg_monitor *monitor;
    int compress;     /* level of zstd; 0: none */
    unsigned timeout; /* seconds that the child may take without progress */
    bool hold;        /* keep the GIL while this process waits */
    lg__fork_result result;
    double pause; /* out: seconds for which the GIL was held */
} lg__forked_save;

/** False with an exception. With options.spill the child keeps its memory in a
 *  nameless file beside the path. */
bool lg__forked_record(lg__core_state *state, lg__forked_save *self);
/** The same without a file: loads the graph. NULL with an exception. */
lg_graph *lg__forked_capture(lg__core_state *state, lg__forked_save *self);

#endif
