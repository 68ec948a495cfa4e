// Two pieces of work at once.
#include "base/base_private.h"

typedef struct other {
    const lg__work *work;
    lg_status status;
    lg_error error;
} other;

static void
run_other(void *context)
{
    other *self = context;
    self->status = self->work->run(self->work->context, &self->error);
}

lg_status
lg__run_parallel(const lg__work *first, const lg__work *second, bool at_once,
                 lg_error *err)
{
    other beside = {.work = second};
    lg_helper *helper = at_once ? lg_helper_start(run_other, &beside) : NULL;
    lg_status status = first->run(first->context, err);
    if (helper == NULL)
        return status == LG_OK ? second->run(second->context, err) : status;
    lg_helper_end(helper);
    if (status == LG_OK && beside.status != LG_OK && err != NULL)
        *err = beside.error;
    return status == LG_OK ? beside.status : status;
}
