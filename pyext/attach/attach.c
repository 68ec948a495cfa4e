#include "attach/attach.h"
#include "attach/plant.h"
#include "capture/common/capture_common.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_MILLISECONDS 50

/** How long the main thread may be away before leakgraph looks for it again. */
#define SOON_MILLISECONDS 20
/** The same after the answer, when it only unloads the library. */
#define LATE_MILLISECONDS 5000

lg_status
lg__attach_version(int process, bool filtered, unsigned *out, lg_error *err)
{
    lg__attach_target target;
    lg_status status = lg__attach_target_find(process, filtered, &target, err);
    if (status == LG_OK)
        *out = target.minor;
    return status;
}

/** Receives the answer with its descriptors; false if there is none. */
static bool
receive(int socket, lg__answer *out, int *descriptors)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct iovec part = {out, sizeof *out};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    if (recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) !=
        (ssize_t)sizeof *out)
        return false;
    out->text[sizeof out->text - 1] = '\0';
    if (message.msg_controllen >= CMSG_LEN(sizeof(int)))
        memcpy(descriptors, CMSG_DATA(&control.head),
               control.head.cmsg_len - CMSG_LEN(0));
    return true;
}

static lg_status
explain_silence(const lg__attach_request *request, const lg__plant *plant,
                lg_error *err)
{
    return lg_error_set(
        err, LG_ECHILD,
        "process %d did not come to a safe point within %u s: %s; nothing "
        "happened to it, and a longer --timeout may help",
        request->process, request->timeout,
        plant->here ? "another thread of it keeps the GIL"
                    : "its main thread runs or waits in C code");
}

static lg_status
fail_ended(const lg__attach_request *request, lg_error *err)
{
    return lg_error_set(err, LG_ECHILD, "process %d ended", request->process);
}

/** Waits until the process has forked or has refused. */
static lg_status
await_answer(const lg__attach_request *request, lg__plant *plant,
             lg__answer *answer, int *descriptors, lg_error *err)
{
    const lg_monitor *monitor = request->monitor;
    double start = lg__clock();
    struct pollfd source = {plant->socket, POLLIN, 0};
    for (;;) {
        lg__plant_settle(plant, SOON_MILLISECONDS);
        poll(&source, 1, WAIT_MILLISECONDS);
        if (receive(plant->socket, answer, descriptors))
            return LG_OK;
        if (source.revents & (POLLHUP | POLLERR))
            return fail_ended(request, err);
        if (monitor && !monitor->tick(monitor->context, "attaching", -1))
            return lg_error_set(err, LG_ECANCELLED,
                                "cancelled while attaching");
        if (lg__clock() - start > request->timeout)
            return explain_silence(request, plant, err);
        lg_status status = lg__plant_remind(plant, err);
        if (status != LG_OK)
            return status;
    }
}

/** The child's number in this process's namespace. */
static int
number_of(int process)
{
    char path[64], line[128];
    int number = -1;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file))
        sscanf(line, "Pid: %d", &number);
    fclose(file);
    return number;
}

static bool
has_ended(int process)
{
    lg__attach_target target;
    lg_error ignored;
    return lg__attach_target_find(process, true, &target, &ignored) ==
           LG_ENOTFOUND;
}

/** Takes the exit status of the child. */
typedef struct reaper {
    lg__plant *plant;
    int child; /**< its number there */
} reaper;

static int
reap(void *context)
{
    reaper *self = context;
    return lg__plant_clear(self->plant, self->child);
}

static lg_status
await_child(const lg__attach_request *request, lg__plant *plant,
            const lg__answer *answer, const int *descriptors,
            lg__fork_result *out, lg_error *err)
{
    reaper parent = {plant, answer->child};
    lg__fork fork = {.child = number_of(descriptors[1]),
                     .process = descriptors[1],
                     .reports = descriptors[0],
                     .seconds = request->orders.seconds,
                     .advice = "",
                     .reap = reap,
                     .context = &parent};
    lg_status status =
        lg__fork_wait(&fork, request->path, request->monitor, out, err);
    if (status == LG_ECHILD && has_ended(request->process))
        return fail_ended(request, err);
    return status;
}

lg_status
lg__attach(const lg__attach_request *request, int library, lg__fork_result *out,
           double *pause, lg_error *err)
{
    lg__attach_target target;
    lg__plant plant;
    lg__answer answer = {.kind = 0};
    int descriptors[2] = {-1, -1};
    lg_status status = lg__attach_target_find(request->process,
                                              request->filtered, &target, err);
    if (status == LG_OK)
        status = lg__plant_set(&plant, &target, &request->orders, library,
                               request->file, err);
    if (status != LG_OK)
        return status;
    status = await_answer(request, &plant, &answer, descriptors, err);
    if (status != LG_OK) {
        close(plant.socket);
        return status;
    }
    lg__plant_settle(&plant, LATE_MILLISECONDS);
    if (answer.kind == LG__ANSWER_FORKED) {
        *pause = answer.pause;
        return await_child(request, &plant, &answer, descriptors, out, err);
    }
    lg__plant_clear(&plant, 0);
    return lg_error_set(
        err, answer.status ? (lg_status)answer.status : LG_EUNSUPPORTED,
        "process %d cannot be captured: %s", request->process, answer.text);
}
