/**
 * The entry of the library in a process that it was loaded into: the forked
 * capture, and nothing that stays.
 */
#include "attach/reaper.h"
#include "attach/wire.h"
#include "capture/run/capture_run.h"
#include "heap/heap.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** Answers, with the descriptors that belong to it. */
static void
answer(int socket, const lg__answer *text, const int *descriptors, size_t count)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control = {.room = ""};
    struct iovec part = {(void *)(uintptr_t)text, sizeof *text};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.head), descriptors, count * sizeof(int));
    }
    /* Ignores a failure, because nobody is left to hear of it. */
    (void)!sendmsg(socket, &message, MSG_NOSIGNAL);
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
                                   .native = orders->native};
    lg__fork_plan plan = {.options = &options,
                          .file = file,
                          .spill = -1,
                          .seconds = orders->seconds,
                          .orphan = lg__reaper_exists(),
                          .may_be_torn = true,
                          .advice = ""};
    if (!fits(err))
        return err->status;
    lg__capture_self_check();
    lg__native_open();
    return lg__fork_begin(&plan, fork, err);
}

/** The process that loads the library finds only this name in it. */
__attribute__((visibility("default"))) void
lg_attached(int socket, int file, const lg__orders *orders);

void
lg_attached(int socket, int file, const lg__orders *orders)
{
    PyObject *type, *value, *traceback;
    lg__fork fork;
    lg_error error;
    lg__answer text = {.kind = LG__ANSWER_FORKED};
    PyErr_Fetch(&type, &value, &traceback);
    text.status = (uint32_t)begin(file, orders, &fork, &error);
    PyErr_Restore(type, value, traceback);
    if (text.status != LG_OK) {
        text.kind = LG__ANSWER_REFUSED;
        memcpy(text.text, error.message,
               strnlen(error.message, sizeof text.text - 1));
        answer(socket, &text, NULL, 0);
        return;
    }
    text.child = fork.child;
    text.orphaned = fork.orphaned;
    text.pause = fork.pause;
    answer(socket, &text, (int[]){fork.reports, fork.process},
           fork.process < 0 ? 1 : 2);
    close(fork.reports);
    if (fork.process >= 0)
        close(fork.process);
}
