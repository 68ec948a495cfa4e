/** Hands DOT to the renderer and takes its reply. */
#ifndef LEAKGRAPH_EXCHANGE_H
#define LEAKGRAPH_EXCHANGE_H

#include "render/reply.h"
#include "render/worker.h"

typedef enum lg__outcome {
    LG__REPLIED, /* the whole reply arrived */
    LG__SILENT,  /* the renderer ended, or closed its output, before */
    LG__GARBLED, /* it wrote something else */
    LG__LATE,    /* the time ran out */
    LG__STOPPED, /* the monitor stopped it */
    LG__NO_ROOM, /* this process has no memory for the picture */
} lg__outcome;

typedef struct lg__exchange {
    const lg__worker *worker;
    const char *dot;
    size_t dot_length;
    unsigned seconds; /* 0: no limit */
    const lg_monitor *monitor;
    lg__drawn reply; /* result */
    char *data;      /* result: reply.length bytes and a NUL; free() it */
    int kept[2]; /* result: the files that came with it, or -1; close them */
} lg__exchange;

lg__outcome lg__exchange_run(lg__exchange *exchange);
/** Closes the files that came with the reply. */
void lg__exchange_close(lg__exchange *exchange);

#endif
