#include "attach/filter.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

#define NO_FILE ((uint64_t)-1)
#define NO_NUMBER ((uint64_t)-1)

/** How often a visit may fail to stop the thread. */
#define TRIES 20

/* The order matters: the stub cannot do without the first ones. CLONE_SIGHAND
   needs CLONE_VM, and no option of wait4() is 16. */
static const lg__probe probes[] = {
    {"rt_sigprocmask", SYS_rt_sigprocmask, {0, 1, 0}, -EINVAL},
    {"rt_sigpending", SYS_rt_sigpending, {0, NO_NUMBER}, -EINVAL},
    {"rt_sigaction", SYS_rt_sigaction, {NO_NUMBER}, -EINVAL},
    {"munmap", SYS_munmap, {0}, -EINVAL},
    {"mmap", SYS_mmap, {0}, -EBADF},
    {"mprotect", SYS_mprotect, {1}, -EINVAL},
    {"close", SYS_close, {NO_FILE}, -EBADF},
    {"recvmsg", SYS_recvmsg, {NO_FILE}, -EBADF},
    {"sendmsg", SYS_sendmsg, {NO_FILE}, -EBADF},
    {"write", SYS_write, {NO_FILE}, -EBADF},
    {"fstat", SYS_fstat, {NO_FILE}, -EBADF},
    {"socketpair", SYS_socketpair, {0, NO_NUMBER}, -EINVAL},
    {"ppoll", SYS_ppoll, {0, NO_NUMBER}, -EINVAL},
    {"wait4", SYS_wait4, {0, 0, 16}, -EINVAL},
    {"clone", SYS_clone, {CLONE_SIGHAND}, -EINVAL},
};

static lg_status
try_call(const lg__attach_target *target, const lg__probe *one, lg_error *err)
{
    int process = target->remote.process;
    lg__visit visit = {.target = target, .probe = one, .socket = -1};
    lg_status status = LG_OK;
    for (int i = 0;
         i < TRIES && status == LG_OK && lg__outcome_may_change(visit.outcome);
         i++)
        status = lg__visit_make(&visit, err);
    if (status != LG_OK)
        return status;
    if (visit.outcome != LG__VISITED && visit.outcome != LG__GONE)
        return lg__outcome_explain(visit.outcome, process, visit.code, 1, err);
    /* A call that ends the process leaves its own number as the result. */
    if (visit.outcome == LG__GONE || visit.result >= 0)
        return lg_error_set(err, LG_ECHILD,
                            "process %d ended when it called %s(), which its "
                            "seccomp filter forbids",
                            process, one->name);
    if (visit.result == one->expected)
        return LG_OK;
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "the seccomp filter of process %d refuses %s() (%s): "
                        "nothing happened to it",
                        process, one->name, strerror((int)-visit.result));
}

lg_status
lg__filter_probe(const lg__attach_target *target, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < sizeof probes / sizeof *probes && status == LG_OK;
         i++)
        status = try_call(target, &probes[i], err);
    return status;
}
