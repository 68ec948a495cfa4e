/** Replaces the rest of this folder on other processors. */
#include "attach/attach.h"

static lg_status
refuse(lg_error *err)
{
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "leakgraph attaches on x86-64 only: use leakgraph run");
}

lg_status
lg_attach_version(int process, bool filtered, unsigned *out, lg_error *err)
{
    (void)process, (void)filtered, (void)out;
    return refuse(err);
}

lg_status
lg_attach(const lg_attach_request *request, int library, lg_fork_result *out,
          double *pause, lg_error *err)
{
    (void)request, (void)library, (void)out, (void)pause;
    return refuse(err);
}
