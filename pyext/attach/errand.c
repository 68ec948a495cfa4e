#include "attach/errand.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static void *
run(void *context)
{
    lg__errand *self = context;
    self->work(self);
    return NULL;
}

lg_status
lg__errand_run(lg__errand *self)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&thread, NULL, run, self);
    if (code == 0)
        pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0)
        self->status = lg_error_set(
            self->err, LG_ENOMEM, "cannot start a thread: %s", strerror(code));
    return self->status;
}

lg_status
lg__errand_stop(lg__errand *self, lg__tracee *out)
{
    const lg__attach_target *target = self->plant->target;
    self->status =
        lg__tracee_stop(out, target->process, target->gadget, self->err);
    if (self->status == LG_EUNSUPPORTED)
        self->status = lg__target_explain(target->process, EPERM, self->err);
    return self->status;
}
