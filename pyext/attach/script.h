/**
 * A script that the interpreter of another process runs, by the interface of
 * sys.remote_exec() (PEP 768): its main thread runs it when it next makes its
 * pending calls. The script loads the library, whose entry (scripted.c)
 * connects to a socket here, does the work, and unloads the library.
 *
 * Script and socket lie in a folder of their own, which belongs to the user of
 * the process once both are there. From then on that user may put other files
 * in their place, and another folder in its own: nothing here follows a link
 * there, or an administrator would change files for that user. The interpreter
 * has the path of the script and a request to run it in the state of its main
 * thread. CPython's own tool adds a bit to a word
 * there that other threads change as well, and may undo their change. Here, the
 * bits that they may just have set are all set: the interpreter then looks for
 * signals, calls and exceptions, and finds those that there are.
 */
#ifndef LEAKGRAPH_SCRIPT_H
#define LEAKGRAPH_SCRIPT_H

#include "attach/attach_target.h"

/** A folder, and a file in it: as short as a socket's name must be. */
#define LG__SCRIPT_FOLDER_BYTES 96
#define LG__SCRIPT_PATH_BYTES 108

typedef struct lg__script {
    const lg__remote *remote;
    uint64_t breaker; /**< addresses in the process */
    uint64_t request;
    uint64_t path;
    uint64_t path_bytes;
    char folder[LG__SCRIPT_FOLDER_BYTES]; /**< empty: there is none */
    int place;                            /**< the folder, open; -1: none */
    int listener;                         /**< socket; -1: none */
} lg__script;

/** Writes a script, which loads `library`, and asks the interpreter to run it.
 *  Returns NULL, or the end of a sentence about the process that says why
 *  leakgraph must not use a script, or cannot. In any case lg__script_end must
 *  follow. */
const char *lg__script_begin(const lg__attach_target *target,
                             const char *library, lg__script *out);

/** Waits some milliseconds; a socket once the library is loaded, or -1. */
int lg__script_accept(const lg__script *self, int milliseconds);

/** Takes the request back, and leaves that of another debugger that asked
 *  meanwhile. False if the interpreter has begun to run the script, or may
 *  have. */
bool lg__script_withdraw(const lg__script *self);

/** Removes the folder and the socket. */
void lg__script_end(lg__script *self);

#endif
