/**
 * A snapshot of another process, which need not know of leakgraph.
 *
 * An interpreter that runs Python code and knows how runs a script (script.h).
 * Otherwise a visit (visit.h) sends the main thread through a few lines of
 * code. A thread that waits without the GIL takes it; any other thread asks the
 * interpreter for a pending call. In any case the process has the GIL and is at
 * a safe point when it loads the library that fits its Python. The library
 * forks (fork.h) and is unloaded again, while the process stands still. The
 * child writes the graph to a file that this process opened: no path and no
 * other mount of the process matters.
 *
 * Nothing stays: no thread, descriptor, handler, module, object or mapping,
 * whether this process lives or not. Some hundred bytes of code remain in an
 * unused part of a page of the program's text.
 */
#ifndef LEAKGRAPH_ATTACH_H
#define LEAKGRAPH_ATTACH_H

#include "attach/wire.h"
#include "capture/run/capture_run.h"

/** How the interpreter of a process gets to load the library. */
typedef enum lg__attach_method {
    LG__ATTACH_BY_EITHER, /**< by a script if it soon runs one, or by ptrace */
    LG__ATTACH_BY_SCRIPT, /**< see script.h */
    LG__ATTACH_BY_PTRACE, /**< see visit.h */
} lg__attach_method;

typedef struct lg__attach_request {
    int process;
    lg__attach_method method;
    bool filtered;    /**< attach even if the process has a seccomp filter */
    unsigned timeout; /**< seconds until it must have come to a safe point */
    lg__orders orders;
    const char *path;          /**< of the file, for messages */
    int file;                  /**< open and empty; gets the graph */
    const lg_monitor *monitor; /**< may stop the work; NULL: nothing does */
} lg__attach_request;

typedef struct lg__attach_result {
    lg__fork_result graph;
    double pause;   /**< seconds for which the GIL was held */
    bool by_script; /**< and not by ptrace */
} lg__attach_result;

/** Finds the minor version of the Python 3 that the process runs, or why
 *  leakgraph cannot attach to it. Does not stop it. */
lg_status lg__attach_version(int process, bool filtered, unsigned *out,
                             lg_error *err);

/** Takes the snapshot. `library` is a descriptor of the extension module for
 *  that version. Needs no GIL. On failure the process goes on, and what was
 *  injected does nothing any more. */
lg_status lg__attach(const lg__attach_request *request, int library,
                     lg__attach_result *out, lg_error *err);

#endif
