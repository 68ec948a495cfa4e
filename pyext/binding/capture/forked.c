#include "binding/capture/forked.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/writing.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Opens a file without a name in the folder of the snapshot. */
static lg_status
open_spill(const lg__forked_save *self, int *out, lg_error *error)
{
    lg_draft *draft = NULL;
    *out = -1;
    if (!self->options.spill)
        return LG_OK;
    lg_status status = lg_draft_new(self->path, &draft, error);
    if (status != LG_OK)
        return status;
    *out = fcntl(lg_draft_descriptor(draft), F_DUPFD_CLOEXEC, 0);
    if (*out < 0)
        status = lg_error_set(error, LG_EIO, "cannot open one more file: %s",
                              strerror(errno));
    lg_draft_free(draft);
    return status;
}

/* Waits for the child. With `hold` it shows no progress, because Python code
   would release the GIL. */
static lg_status
await_child(lg__forked_save *self, lg__fork *fork, lg_error *error)
{
    PyThreadState *thread = self->hold ? NULL : PyEval_SaveThread();
    double start = lg__clock();
    lg_status status =
        lg__fork_wait(fork, self->path, self->hold ? NULL : self->monitor,
                      &self->result, error);
    if (thread != NULL)
        PyEval_RestoreThread(thread);
    else
        self->pause += lg__clock() - start;
    return status;
}

/* Lets a child capture into an open file. */
static lg_status
try_capture(lg__forked_save *self, int file, bool last, lg_error *error)
{
    lg__fork fork;
    lg__fork_plan plan = {.options = &self->options,
                          .file = file,
                          .compress = self->compress,
                          .spill = -1,
                          .seconds = self->timeout,
                          .may_be_torn = last,
                          .advice = self->options.native
                                        ? ""
                                        : "; take the snapshot without "
                                          "fork=True"};
    lg_status status = open_spill(self, &plan.spill, error);
    if (status == LG_OK)
        status = lg__fork_begin(&plan, &fork, error);
    if (plan.spill >= 0)
        close(plan.spill);
    if (status != LG_OK)
        return status;
    self->pause += fork.pause;
    return await_child(self, &fork, error);
}

/* Forks again if other threads were in the middle of an allocation. */
static lg_status
capture_into(lg__forked_save *self, int file, lg_error *error)
{
    enum { TRIES = 5 };
    lg_status status = try_capture(self, file, false, error);
    for (int i = 1; self->result.torn && i < TRIES; i++)
        status = try_capture(self, file, i + 1 == TRIES, error);
    return status;
}

static void
raise(lg__core_state *state, const lg__forked_save *self, lg_status status,
      const lg_error *error)
{
    if (status == LG_ECHILD)
        lg__error_raise_child(state, error, self->result.signal);
    else if (status != LG_OK)
        lg__error_raise(state, status, error);
}

bool
lg__forked_record(lg__core_state *state, lg__forked_save *self)
{
    lg_draft *draft = NULL;
    lg_error error;
    lg_status status = lg_draft_new(self->path, &draft, &error);
    if (status == LG_OK)
        status = capture_into(self, lg_draft_descriptor(draft), &error);
    if (status == LG_OK)
        status = lg_draft_commit(draft, &error);
    lg_draft_free(draft);
    raise(state, self, status, &error);
    return status == LG_OK;
}

/* Opens a file in memory, which has a name below /proc alone. */
static lg_status
open_memory(int *out, lg_error *error)
{
    if (access("/proc/self/fd", X_OK) != 0)
        return lg_error_set(error, LG_EUNSUPPORTED,
                            "native memory is found through /proc, which is "
                            "not here: mount it, or leave native=True out");
    *out = memfd_create("leakgraph", MFD_CLOEXEC);
    return *out >= 0
               ? LG_OK
               : lg_error_set(error, LG_EIO, "cannot open one more file: %s",
                              strerror(errno));
}

lg_graph *
lg__forked_capture(lg__core_state *state, lg__forked_save *self)
{
    char path[32];
    lg_graph *graph = NULL;
    lg_error error;
    int file = -1;
    lg_status status = open_memory(&file, &error);
    self->path = "a snapshot in memory";
    if (status == LG_OK)
        status = capture_into(self, file, &error);
    if (status == LG_OK) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        Py_BEGIN_ALLOW_THREADS
        status = lg_graph_load(path, 0, self->monitor, &graph, &error);
        Py_END_ALLOW_THREADS
    }
    if (file >= 0)
        close(file);
    raise(state, self, status, &error);
    return graph;
}
