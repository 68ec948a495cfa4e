#include "attach/call.h"
#include "attach/tracee.h"
#include "capture/common/capture_common.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MILLISECONDS 50
/** The time between two visits: at first, and at most. */
#define PAUSE_MILLISECONDS 5
#define MOST_PAUSE_MILLISECONDS 300
/** Nobody holds the lock of the queue so often: it seems to lie elsewhere in
 * that build of Python. */
#define MOST_LOCKED 20
/** How often to ask whether the thread has come home, or a child has ended. */
#define TRIES 1000
/** How often to try to close their socket. */
#define LAST_TRIES 20

static void
pause_for(long milliseconds)
{
    nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL);
}

/** Receives the answer with its descriptors; false if there is none. */
static bool
receive(lg__call *self)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct iovec part = {&self->answer, sizeof self->answer};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    const int flags = MSG_DONTWAIT | MSG_CMSG_CLOEXEC;
    ssize_t length = recvmsg(self->visit.socket, &message, flags);
    /* An end that was closed with unread orders says so before all else. */
    if (length < 0 && errno == ECONNRESET)
        length = recvmsg(self->visit.socket, &message, flags);
    if (length != (ssize_t)sizeof self->answer)
        return false;
    self->answer.text[sizeof self->answer.text - 1] = '\0';
    if (message.msg_controllen >= CMSG_LEN(sizeof(int)))
        memcpy(self->descriptors, CMSG_DATA(&control.head),
               control.head.cmsg_len - CMSG_LEN(0));
    return true;
}

static void
close_socket(lg__call *self)
{
    if (self->visit.socket >= 0)
        close(self->visit.socket);
    self->visit.socket = -1;
}

/** Whether the monitor and the time allow to go on. */
static bool
may_go_on(const lg__call *self, lg_status *status, lg_error *err)
{
    const lg_monitor *monitor = self->request->monitor;
    if (monitor && !monitor->tick(monitor->context, "attaching", -1)) {
        *status = lg_error_set(err, LG_ECANCELLED, "cancelled while attaching");
        return false;
    }
    return lg__clock() - self->started <= self->request->timeout;
}

/** What a process without an answer is: gone, another program, or as before. */
static lg__outcome
outcome_without_answer(const lg__call *self)
{
    char byte;
    if (lg__remote_has_ended(&self->target->remote))
        return LG__GONE;
    return lg__remote_read(&self->target->remote, self->target->landing.unmap,
                           &byte, 1)
               ? LG__WENT_HOME
               : LG__REPLACED;
}

/** Whether the interpreter has yet to make the pending call of that visit. */
static bool
is_pending(const lg__visit *visit)
{
    lg__landing landing;
    return lg__visit_read(visit, &landing) && landing.queued && !landing.begun;
}

/** Has the main thread called again if it has begun to wait since, and has not
 *  made the pending call yet. */
static lg_status
remind(lg__call *self, lg_error *err)
{
    lg__visit again = self->visit;
    if (again.here || !lg__target_seems_waiting(self->target) ||
        !is_pending(&again))
        return LG_OK;
    again.again = true;
    lg_status status = lg__visit_make(&again, err);
    /* It has left the visit before alone, or has replaced it. */
    if (again.socket != self->visit.socket)
        self->visit = again;
    return status;
}

/** Waits for the answer to a visit; `outcome` says whether one came. */
static lg_status
await_answer(lg__call *self, lg__outcome *outcome, lg_error *err)
{
    lg_status status = LG_OK;
    while (status == LG_OK && self->visit.socket >= 0) {
        struct pollfd source = {self->visit.socket, POLLIN, 0};
        poll(&source, 1, WAIT_MILLISECONDS);
        *outcome = LG__VISITED;
        if (receive(self))
            return LG_OK;
        if (source.revents & (POLLHUP | POLLERR))
            break;
        *outcome = self->visit.here ? LG__GIL_KEPT : LG__BUSY;
        if (!may_go_on(self, &status, err))
            return status;
        status = remind(self, err);
    }
    *outcome = outcome_without_answer(self);
    return status;
}

/** One visit, and the answer to it. */
static lg_status
visit_once(lg__call *self, lg__outcome *outcome, lg_error *err)
{
    *outcome = LG__IN_FRAGILE_WAIT;
    if (lg__target_waits_fragilely(self->target))
        return LG_OK;
    self->answer = (lg__answer){.kind = 0};
    self->visit = (lg__visit){.target = self->target,
                              .orders = &self->request->orders,
                              .path = self->path,
                              .library = self->library,
                              .file = self->request->file,
                              .trusting = self->locked > MOST_LOCKED,
                              .socket = -1};
    lg_status status = lg__visit_make(&self->visit, err);
    *outcome = self->visit.outcome;
    self->locked += *outcome == LG__QUEUE_LOCKED;
    /* A visit that was cut off may have sent the orders. */
    if (status != LG_OK || self->visit.socket < 0)
        return status;
    status = await_answer(self, outcome, err);
    if (*outcome == LG__VISITED && self->answer.kind == LG__ANSWER_LATER)
        *outcome = (lg__outcome)self->answer.status;
    return status;
}

static lg_status
explain(const lg__call *self, lg__outcome outcome, lg_error *err)
{
    const lg__attach_request *request = self->request;
    if (outcome == LG__DENIED)
        return lg__target_explain(request->process, self->visit.code, err);
    return lg__outcome_explain(outcome, request->process, self->visit.code,
                               request->timeout, err);
}

static lg_status
visit_until_answered(lg__call *self, lg_error *err)
{
    lg__outcome outcome;
    lg_status status = LG_OK;
    long pause = PAUSE_MILLISECONDS;
    self->started = lg__clock();
    for (;;) {
        status = visit_once(self, &outcome, err);
        if (status != LG_OK || outcome == LG__VISITED)
            return status;
        close_socket(self);
        if (!lg__outcome_may_change(outcome))
            return explain(self, outcome, err);
        if (!may_go_on(self, &status, err))
            return status == LG_OK ? explain(self, outcome, err) : status;
        pause_for(pause);
        if (outcome == LG__QUEUE_LOCKED || outcome == LG__QUEUE_FULL)
            continue;
        pause = 2 * pause < MOST_PAUSE_MILLISECONDS ? 2 * pause
                                                    : MOST_PAUSE_MILLISECONDS;
    }
}

/** Closes the socket that a pending call would close, which the interpreter may
 *  make late or never. */
static void
close_theirs(const lg__call *self)
{
    lg_error ignored;
    lg__visit last = {.target = self->target,
                      .region = self->visit.region,
                      .last = true,
                      .socket = -1};
    for (int i = 0; i < LAST_TRIES && is_pending(&last); i++) {
        if (i > 0)
            pause_for(PAUSE_MILLISECONDS);
        if (!lg__target_waits_fragilely(self->target) &&
            lg__visit_make(&last, &ignored) != LG_OK)
            return;
    }
}

lg_status
lg__call_make(lg__call *self, lg_error *err)
{
    lg_status status = visit_until_answered(self, err);
    if (status == LG_OK)
        return status;
    close_socket(self);
    close_theirs(self);
    return status;
}

/** Whether the main thread blocks signals as the stub does. */
static bool
is_quiet(const lg__call *self)
{
    char path[64], line[128];
    uint64_t mask = 0;
    snprintf(path, sizeof path, "/proc/%d/status", self->request->process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "SigBlk: %" SCNx64, &mask) == 1)
            break;
    fclose(file);
    return mask == lg__tracee_quiet_mask();
}

void
lg__call_await_home(lg__call *self)
{
    lg__landing landing;
    for (int i = 0; i < TRIES; i++) {
        if (lg__remote_has_ended(&self->target->remote) ||
            (!lg__visit_read(&self->visit, &landing) && !is_quiet(self)))
            return;
        pause_for(i < 20 ? 1 : PAUSE_MILLISECONDS);
    }
}

int
lg__call_reap(lg__call *self, int child)
{
    lg__visit visit = {.target = self->target, .child = child, .socket = -1};
    lg_error ignored;
    for (int i = 0; i < TRIES && visit.reaped == 0; i++) {
        if (i > 0)
            pause_for(PAUSE_MILLISECONDS);
        if (lg__visit_make(&visit, &ignored) != LG_OK ||
            (visit.outcome != LG__VISITED &&
             !lg__outcome_may_change(visit.outcome)))
            break;
    }
    return visit.reaped == child ? visit.exit_status : 0;
}

void
lg__call_end(lg__call *self)
{
    close_socket(self);
}
