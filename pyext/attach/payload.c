/**
 * The entry of the library in a process that it was loaded into: the forked
 * capture, and nothing that stays.
 */
#include "attach/wire.h"
#include "capture/run/capture_run.h"
#include "heap/heap.h"

#include <leakgraph/internal/writing.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/** The inode of the first namespace of processes (PROC_PID_INIT_INO). */
#define FIRST_NAMESPACE 0xeffffffc

static bool
adopts_orphans(void)
{
    int adopts = 0;
    prctl(PR_GET_CHILD_SUBREAPER, &adopts);
    return adopts || getpid() == 1;
}

static bool
is_first_namespace(void)
{
    struct stat known;
    return stat("/proc/self/ns/pid", &known) == 0 &&
           known.st_ino == FIRST_NAMESPACE;
}

static bool
init_expects_children(void)
{
    char line[128];
    unsigned long long mask, masks = 0;
    FILE *file = fopen("/proc/1/status", "re");
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "SigBlk: %llx", &mask) == 1 ||
            sscanf(line, "SigIgn: %llx", &mask) == 1 ||
            sscanf(line, "SigCgt: %llx", &mask) == 1)
            masks |= mask;
    fclose(file);
    return masks >> (SIGCHLD - 1) & 1;
}

/** Whether somebody other than this process reaps a child whose parent has
 * ended. Not if this process adopts the orphans itself. Nor if it seems that
 * the first process of a container is a program that knows nothing of that
 * duty: one that neither blocks nor handles nor ignores SIGCHLD. */
static bool
has_reaper(void)
{
    return !adopts_orphans() &&
           (is_first_namespace() || init_expects_children());
}

/** Whether this build is for the interpreter that loaded it. */
static bool
fits(lg_error *err)
{
    const char *built = PY_VERSION, *running = Py_GetVersion();
    size_t major = strcspn(built, ".") + 1;
    size_t length = major + strcspn(built + major, ".") + 1;
    if (PyInterpreterState_Get() != PyInterpreterState_Main())
        lg_error_set(err, LG_EUNSUPPORTED,
                     "its main thread runs a subinterpreter");
    else if (strncmp(built, running, length) != 0)
        lg_error_set(err, LG_EUNSUPPORTED,
                     "it is Python %.*s, and this library is for %.*s",
                     (int)strcspn(running, " "), running, (int)length - 1,
                     built);
    else
        return true;
    return false;
}

static lg_status
begin(int file, const lg__orders *orders, lg__fork *fork, lg_error *err)
{
    lg__capture_options options = {.previews = orders->previews,
                                   .no_keys = orders->no_keys,
                                   .contents = orders->contents,
                                   .native = orders->native,
                                   .attached = orders->by_script ? "remote-exec"
                                                                 : "ptrace"};
    lg__fork_plan plan = {.options = &options,
                          .file = {file, orders->graph},
                          .spill = {.number = -1},
                          .seconds = orders->seconds,
                          .orphan = has_reaper(),
                          .may_be_torn = true,
                          .lifts_limit = true,
                          .advice = ""};
    if (!fits(err))
        return err->status;
    lg__capture_self_check();
    lg__native_open();
    return lg__fork_begin(&plan, fork, err);
}

void
lg_attached(int socket, int file, const lg__orders *orders)
{
    PyObject *type, *value, *traceback;
    lg__fork fork;
    lg_error error;
    lg__answer text = {.kind = LG__ANSWER_FORKED};
    const lg__held source = lg__held_take(socket);
    PyErr_Fetch(&type, &value, &traceback);
    text.status = (uint32_t)begin(file, orders, &fork, &error);
    PyErr_Restore(type, value, traceback);
    if (text.status != LG_OK) {
        text.kind = LG__ANSWER_REFUSED;
        memcpy(text.text, error.message,
               strnlen(error.message, sizeof text.text - 1));
        if (lg__held_is_there(&source))
            lg__wire_send(socket, &text, sizeof text, NULL, 0);
        return;
    }
    const lg__held reports = lg__held_take(fork.reports);
    const lg__held process = lg__held_take(fork.process);
    text.child = fork.child;
    text.orphaned = fork.orphaned;
    text.pause = fork.pause;
    if (lg__held_is_there(&source))
        lg__wire_send(socket, &text, sizeof text,
                      (int[]){fork.reports, fork.process},
                      fork.process < 0 ? 1 : 2);
    lg__held_close(&reports);
    lg__held_close(&process);
}
