/**
 * A program that works for us over a socket, which is its standard input and
 * output: started without a fork, so that a process of 100 GB starts it in a
 * millisecond; in a process group of its own, so that Ctrl-C at a terminal is
 * ours to pass on; told by a pidfd where the kernel has one, so that nobody
 * else's process is waited for or killed. The caller may ignore SIGCHLD or reap
 * every child: then it is not known how the program ended.
 */
#ifndef LEAKGRAPH_WORKER_H
#define LEAKGRAPH_WORKER_H

#include <leakgraph/base.h>

#include <sys/wait.h>

typedef struct lg__worker {
    int socket; /* our end, close-on-exec */
    int pidfd;  /* -1: the kernel has none */
    idtype_t type;
    id_t id; /* with `type`, what waitid() takes */
    pid_t pid;
} lg__worker;

typedef enum lg__ending {
    LG__ENDED_UNKNOWN, /* it was reaped by somebody else, or does not end */
    LG__ENDED_EXIT,    /* `code` is what it exited with */
    LG__ENDED_SIGNAL,  /* `code` is the signal */
} lg__ending;

/** LG_ERENDER says why it does not start. `arguments` begins with its path and
 *  ends with NULL. */
lg_status lg__worker_start(lg__worker *worker, char *const *arguments,
                           lg_error *err);
/** Kills it unless it has ended, waits for its end and frees what it took. */
lg__ending lg__worker_end(lg__worker *worker, int *code);

#endif
