/**
 * A snapshot of another process, which need not know of leakgraph.
 *
 * ptrace stops its main thread for less than a millisecond. The thread then
 * runs a few lines of code as the handler of a signal would: a thread that
 * waits without the GIL takes it; any other thread asks the interpreter for a
 * pending call. Either way the process has the GIL and is at a safe point when
 * it loads the library that fits its Python. The library forks (see fork.h) and
 * is unloaded again, while the process stands still. The child writes the graph
 * to a file that this process opened: no path and no other mount of the process
 * matters.
 *
 * Afterwards a second stop reaps the child and unmaps the code. Nothing stays:
 * no thread, descriptor, handler, module or object. If this process dies
 * meanwhile, the code in the other finds its socket closed and does nothing.
 */
#ifndef LEAKGRAPH_ATTACH_H
#define LEAKGRAPH_ATTACH_H

#include "attach/wire.h"
#include "capture/run/capture_run.h"

typedef struct lg__attach_request {
    int process;
    bool filtered;    /**< attach even if the process has a seccomp filter */
    unsigned timeout; /**< seconds until it must have come to a safe point */
    lg__orders orders;
    const char *path;          /**< of the file, for messages */
    int file;                  /**< open and empty; gets the graph */
    const lg_monitor *monitor; /**< may stop the work; NULL: nothing does */
} lg__attach_request;

/** Finds the minor version of the Python 3 that the process runs, or why
 *  leakgraph cannot attach to it. Does not stop it. */
lg_status lg__attach_version(int process, bool filtered, unsigned *out,
                             lg_error *err);

/** Takes the snapshot. `library` is a descriptor of the extension module for
 *  that version. Needs no GIL. On failure the process goes on, and what was
 *  planted does nothing any more. */
lg_status lg__attach(const lg__attach_request *request, int library,
                     lg__fork_result *out, double *pause, lg_error *err);

#endif
