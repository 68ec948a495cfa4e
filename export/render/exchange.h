/** Hands DOT to the renderer and takes its reply. */
#ifndef LEAKGRAPH_EXCHANGE_H
#define LEAKGRAPH_EXCHANGE_H

#include "render/reply.h"
#include "render/worker.h"

typedef enum lg__outcome {
    LG__REPLIED, /* whole */
    LG__SILENT,  /* it ended, or closed its output, before its reply was */
    LG__GARBLED, /* what it says is no reply */
    LG__LATE,    /* the time was over */
    LG__STOPPED, /* the monitor says no */
    LG__NO_ROOM, /* we have no memory for the picture */
} lg__outcome;

typedef struct lg__exchange {
    const lg__worker *worker;
    const char *dot;
    size_t dot_length;
    unsigned seconds; /* 0: no limit */
    const lg_monitor *monitor;
    lg_reply reply; /* out */
    char *data;     /* out: reply.length bytes, and a NUL; free() it */
} lg__exchange;

lg__outcome lg__exchange_run(lg__exchange *exchange);

#endif
