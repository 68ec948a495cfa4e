#include "binding/capture/forked.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"

#include <leakgraph/file.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

/* Waits for the child and moves its file into place. With `hold` it shows no
   progress, because Python code would release the GIL. */
static lg_status
await_child(lg__forked_save *self, lg__fork *fork, lg_draft *draft,
            lg_error *error)
{
    PyThreadState *thread = self->hold ? NULL : PyEval_SaveThread();
    double start = lg__clock();
    lg_status status =
        lg__fork_wait(fork, self->path, self->hold ? NULL : self->monitor,
                      &self->result, error);
    if (status == LG_OK)
        status = lg_draft_commit(draft, error);
    if (thread != NULL)
        PyEval_RestoreThread(thread);
    else
        self->pause += lg__clock() - start;
    return status;
}

bool
lg__forked_record(lg__core_state *state, lg__forked_save *self)
{
    lg_draft *draft = NULL;
    lg__fork fork;
    lg_error error;
    lg__fork_plan plan = {.options = &self->options,
                          .spill = -1,
                          .seconds = self->timeout,
                          .advice = "; take the snapshot without fork=True"};
    lg_status status = lg_draft_new(self->path, &draft, &error);
    if (status == LG_OK)
        status = open_spill(self, &plan.spill, &error);
    if (status == LG_OK) {
        plan.file = lg_draft_descriptor(draft);
        status = lg__fork_begin(&plan, &fork, &error);
    }
    if (plan.spill >= 0)
        close(plan.spill);
    if (status == LG_OK) {
        self->pause = fork.pause;
        status = await_child(self, &fork, draft, &error);
    }
    lg_draft_free(draft);
    if (status == LG_ECHILD)
        lg__error_raise_child(state, &error, self->result.signal);
    else if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}
