#include "attach/filter.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

/** A call with arguments that the kernel refuses before it does anything. */
typedef struct probe {
    const char *name;
    long number;
    uint64_t words[6];
    int64_t expected; /**< from the kernel; a filter answers something else */
} probe;

#define NO_FILE ((uint64_t)-1)

/* CLONE_SIGHAND needs CLONE_VM, and no option of wait4() is 16. */
static const probe probes[] = {
    {"recvmsg", SYS_recvmsg, {NO_FILE}, -EBADF},
    {"sendmsg", SYS_sendmsg, {NO_FILE}, -EBADF},
    {"write", SYS_write, {NO_FILE}, -EBADF},
    {"close", SYS_close, {NO_FILE}, -EBADF},
    {"munmap", SYS_munmap, {0}, -EINVAL},
    {"wait4", SYS_wait4, {0, 0, 16}, -EINVAL},
    {"clone", SYS_clone, {CLONE_SIGHAND}, -EINVAL},
};

static lg_status
try_call(lg__tracee *tracee, const probe *one, lg_error *err)
{
    int64_t result = 0;
    lg_status status =
        lg__tracee_call(tracee, one->number, one->words, &result, err);
    /* A call that ends the process leaves its own number as the result. */
    if (status != LG_OK || result >= 0)
        return lg_error_set(err, LG_ECHILD,
                            "process %d ended when it called %s(), which its "
                            "seccomp filter forbids",
                            tracee->process, one->name);
    if (result == one->expected)
        return LG_OK;
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "the seccomp filter of process %d refuses %s() (%s): "
                        "nothing happened to it",
                        tracee->process, one->name, strerror((int)-result));
}

lg_status
lg__filter_probe(lg__tracee *tracee, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < sizeof probes / sizeof *probes && status == LG_OK;
         i++)
        status = try_call(tracee, &probes[i], err);
    return status;
}
