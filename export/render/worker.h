/**
 * A program that works for us over a socket, which is its standard input and
 * output. It starts without a fork, so that a process of 100 GB starts it in a
 * millisecond. It has a process group of its own, so that we alone receive a
 * terminal's Ctrl-C. Where the kernel has pidfds, we use one, and never wait
 * for or kill another process by mistake. If the caller ignores SIGCHLD or
 * reaps every child, it is unknown how the program ended.
 */
#ifndef LEAKGRAPH_WORKER_H
#define LEAKGRAPH_WORKER_H

#include <leakgraph/base.h>

#include <sys/wait.h>

typedef struct lg__worker {
    int socket; /* our end, close-on-exec */
    int pidfd;  /* -1: the kernel has none */
    idtype_t type;
    id_t id;   /* what waitid() takes, with `type` */
    pid_t pid; /* 0: it is no child of ours, but has a pidfd */
} lg__worker;

typedef enum lg__ending {
    LG__ENDED_UNKNOWN, /* another part of the process reaped it, or it does not
                          end */
    LG__ENDED_EXIT,    /* `code` is its exit status */
    LG__ENDED_SIGNAL,  /* `code` is the signal */
} lg__ending;

/** LG_ERENDER says why it does not start. `arguments` begins with the program's
 *  path and ends with NULL. */
lg_status lg__worker_start(lg__worker *worker, char *const *arguments,
                           lg_error *err);
/** Kills it unless it has ended, waits for its end and frees its resources. */
lg__ending lg__worker_end(lg__worker *worker, int *code);
/** Frees the resources of one that is no child, and lets it go on. */
void lg__worker_leave(lg__worker *worker);

#endif
