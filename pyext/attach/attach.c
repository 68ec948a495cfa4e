#include "attach/attach.h"
#include "attach/frozen.h"
#include "attach/script.h"
#include "attach/visit.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/writing.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MILLISECONDS 50
/** How long an interpreter has to run a script, if there is another way; and to
 *  load the library once it has begun to. */
#define SCRIPT_SECONDS 1.0
#define LOAD_MILLISECONDS 2000
/** The time between two visits: at first, and at most. */
#define PAUSE_MILLISECONDS 5
#define MOST_PAUSE_MILLISECONDS 300
/** How long the thread has to come home: between two visits, after a failure,
 *  which may leave it waiting for the GIL for ever, and after a success. */
#define SECONDS_BETWEEN 0.2
#define SECONDS_LAST 1.0
#define SECONDS_HOME 10.0
/** If the process is stopped so often in a row, that is for longer than a
 *  moment. */
#define MOST_STOPPED 20
/** How long a process without a program may take to end. */
#define END_MILLISECONDS 200
/** How long visits may fail that take the exit status of a child. */
#define SECONDS_REAP 10.0
/** How long they may fail that close what a pending call would close: each
 *  time, and once the attach has ended all together. */
#define SECONDS_CLOSE 3.0
/** How long visits that try a system call may fail: the thread has yet to come
 *  home from the one before, for example. */
#define PROBE_SECONDS 5
#define NO_FILE ((uint64_t)-1)
#define NO_NUMBER ((uint64_t)-1)

/* Newer than the headers of some C libraries. */
enum { GET_CPUID = 0x1011, SET_CPUID = 0x1012 };

/** Getting an answer from another process: by a script, or by visits until it
 * has an interpreter that loads the library, or until the time is up. */
typedef struct call {
    const lg__attach_request *request;
    const lg__attach_target *target;
    int library;               /**< descriptor of the extension module */
    char path[LG__PATH_BYTES]; /**< of the library as the process sees it, or
                                    empty */
    double started;
    double close_until; /**< when to give up closing what a pending call would
                             close */
    uint64_t left;      /**< the region of a pending call that nobody needs any
                             more; 0: none */
    lg__visit visit;    /**< the last one */
    lg__answer answer;
    int descriptors[2]; /**< that came with it */
    bool by_script;     /**< the answer comes from a script */
    bool known;         /**< the process had the library mapped before */
    bool unsure;        /**< a visit was cut off: the thread may have yet to
                             enter the stub */
} call;

static void
pause_for(long milliseconds)
{
    nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL);
}

/** Receives the answer with its descriptors; false if there is none. */
static bool
receive(call *self)
{
    if (!lg__wire_receive(self->visit.socket, &self->answer,
                          sizeof self->answer, self->descriptors))
        return false;
    self->answer.text[sizeof self->answer.text - 1] = '\0';
    return true;
}

static void
close_socket(call *self)
{
    if (self->visit.socket >= 0)
        close(self->visit.socket);
    self->visit.socket = -1;
}

/** Whether the monitor and the time allow to go on. */
static bool
may_go_on(const call *self, lg_status *status, lg_error *err)
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
outcome_without_answer(const call *self)
{
    char byte;
    if (lg__remote_has_ended(&self->target->remote))
        return LG__GONE;
    return lg__remote_read(&self->target->remote, self->target->bootstrap.unmap,
                           &byte, 1)
               ? LG__WENT_HOME
               : LG__REPLACED;
}

static lg_status
make_visit(call *self, lg__visit *visit, lg_error *err)
{
    lg_status status = lg__visit_make(visit, err);
    self->unsure |= visit->sent && visit->outcome == LG__CUT_OFF;
    return status;
}

static bool
is_pending(const call *self, uint64_t region)
{
    lg__bootstrap bootstrap;
    return lg__visit_is_pending(self->target, region, &bootstrap);
}

/** The limit of what is closed from now on, and never later than before. */
static double
close_limit(const call *self)
{
    const double limit = lg__clock() + SECONDS_CLOSE;
    return limit < self->close_until ? limit : self->close_until;
}

/** Closes the socket that a pending call would close, which the interpreter may
 *  make late or never. A visit that fails may take a third of a second, so the
 *  time limits them. */
static void
close_theirs(call *self, uint64_t region)
{
    lg_error ignored;
    int stopped = 0;
    const double limit = close_limit(self);
    while (stopped < MOST_STOPPED && is_pending(self, region) &&
           lg__clock() < limit) {
        lg__visit visit = {.target = self->target,
                           .purpose = LG__CLOSE,
                           .pending = region,
                           .socket = -1};
        if (make_visit(self, &visit, &ignored) != LG_OK ||
            visit.outcome == LG__WENT_HOME)
            return;
        stopped = visit.outcome == LG__STOPPED ? stopped + 1 : 0;
        pause_for(PAUSE_MILLISECONDS);
    }
}

/** Needs the pending call no more that was asked for last. */
static void
leave_pending(call *self)
{
    if (!is_pending(self, self->visit.region))
        return;
    if (self->left != 0)
        close_theirs(self, self->left);
    self->left = self->visit.region;
}

/** Has the main thread called again if it has begun to wait since, and has not
 *  made the pending call yet. */
static lg_status
remind(call *self, lg_error *err)
{
    lg__visit again = self->visit;
    if (again.here || lg__target_state(self->target) != LG__STATE_WAITS ||
        !is_pending(self, again.region))
        return LG_OK;
    again.purpose = LG__ASK_AGAIN;
    again.pending = again.region;
    again.before = again.socket;
    again.socket = -1;
    lg_status status = make_visit(self, &again, err);
    if (again.socket >= 0) {
        leave_pending(self);
        close_socket(self);
        self->visit = again;
    }
    return status;
}

/** Whether the main thread is about to take the GIL, which it did not have. */
static bool
awaits_gil(const call *self)
{
    lg__bootstrap bootstrap;
    return self->visit.here &&
           lg__visit_read(self->target, self->visit.region, &bootstrap) &&
           bootstrap.here;
}

/** Waits for the answer to a visit; `outcome` says whether one came. */
static lg_status
await_answer(call *self, lg__outcome *outcome, lg_error *err)
{
    lg_status status = LG_OK;
    while (status == LG_OK && self->visit.socket >= 0) {
        struct pollfd source = {self->visit.socket, POLLIN, 0};
        poll(&source, 1, WAIT_MILLISECONDS);
        *outcome = LG__VISITED;
        if (receive(self))
            return LG_OK;
        if (source.revents & (POLLHUP | POLLERR)) {
            leave_pending(self);
            break;
        }
        *outcome = awaits_gil(self) ? LG__GIL_KEPT : LG__BUSY;
        if (!may_go_on(self, &status, err))
            return status;
        status = remind(self, err);
    }
    *outcome = outcome_without_answer(self);
    return status;
}

/** One visit, and the answer to it. */
static lg_status
visit_once(call *self, lg__outcome *outcome, lg_error *err)
{
    self->answer = (lg__answer){.kind = 0};
    self->visit = (lg__visit){.target = self->target,
                              .orders = &self->request->orders,
                              .path = self->path,
                              .library = self->library,
                              .file = self->request->file,
                              .socket = -1};
    lg_status status = make_visit(self, &self->visit, err);
    *outcome = self->visit.outcome;
    /* A visit that was cut off may have sent the orders. */
    if (status != LG_OK || self->visit.socket < 0)
        return status;
    status = await_answer(self, outcome, err);
    if (*outcome == LG__VISITED && self->answer.kind == LG__ANSWER_LATER)
        *outcome = (lg__outcome)self->answer.status;
    return status;
}

static lg_status
explain(const call *self, lg__outcome outcome, lg_error *err)
{
    const lg__attach_request *request = self->request;
    if (outcome == LG__REPLACED &&
        lg__remote_ends_within(&self->target->remote, END_MILLISECONDS))
        outcome = LG__GONE;
    if (outcome == LG__DENIED)
        return lg__target_explain(request->process, self->visit.code, err);
    return lg__outcome_explain(outcome, request->process, self->visit.code,
                               request->timeout, err);
}

/** Waits until a script has loaded the library, and sends it the orders. */
static lg_status
await_script(call *self, const lg__script *script, lg_error *err)
{
    lg_status status = LG_OK;
    lg__visit *visit = &self->visit;
    const lg__remote *remote = &self->target->remote;
    bool alone = self->request->method == LG__ATTACH_BY_SCRIPT;
    const double began = lg__clock();
    while (visit->socket < 0 && may_go_on(self, &status, err) &&
           (alone || lg__clock() - began < SCRIPT_SECONDS) &&
           !lg__remote_has_ended(remote))
        visit->socket = lg__script_accept(script, WAIT_MILLISECONDS);
    if (visit->socket < 0 && !lg__script_withdraw(script))
        visit->socket = lg__script_accept(script, LOAD_MILLISECONDS);
    if (status != LG_OK || !lg__visit_send_orders(visit))
        close_socket(self);
    return status;
}

/** Whether the process has mapped the library, and perhaps more than once. */
static bool
has_library(const call *self)
{
    lg__remote_images images;
    const char *slash = strrchr(self->path, '/');
    if (slash == NULL ||
        !lg__remote_images_read(&self->target->remote, &images))
        return false;
    bool found = lg__remote_has(&images, slash + 1);
    lg__remote_images_free(&images);
    return found;
}

/** Has the interpreter run a script, and waits for the answer. `reason`: why
 *  there is none, as the end of a sentence about the process. */
static lg_status
ask_by_script(call *self, const char **reason, lg_error *err)
{
    lg__script script;
    lg__orders orders = self->request->orders;
    lg__outcome outcome = LG__BUSY;
    lg_status status = LG_OK;
    orders.by_script = true;
    self->known = has_library(self);
    self->visit = (lg__visit){.target = self->target,
                              .orders = &orders,
                              .library = self->library,
                              .file = self->request->file,
                              .socket = -1};
    *reason = lg__script_begin(self->target, self->path, &script);
    if (*reason == NULL) {
        *reason = "has not run the script in time, and will not";
        status = await_script(self, &script, err);
        if (status == LG_OK && self->visit.socket >= 0)
            status = await_answer(self, &outcome, err);
    }
    lg__script_end(&script);
    self->by_script = status == LG_OK && outcome == LG__VISITED &&
                      self->answer.kind != LG__ANSWER_LATER;
    if (self->answer.kind != LG__ANSWER_LATER)
        return status;
    *reason = "has little room left on the stack of its main thread";
    return self->answer.status == LG__LOW_STACK
               ? status
               : explain(self, (lg__outcome)self->answer.status, err);
}

/** Tries a script where it may. `done`: no visit is needed, or wanted. */
static lg_status
try_script(call *self, bool *done, lg_error *err)
{
    const char *reason = NULL;
    const lg__attach_request *request = self->request;
    *done = false;
    if (request->method == LG__ATTACH_BY_PTRACE)
        return LG_OK;
    lg_status status = ask_by_script(self, &reason, err);
    *done = self->by_script || status != LG_OK ||
            request->method == LG__ATTACH_BY_SCRIPT;
    if (self->by_script || status != LG_OK)
        return status;
    close_socket(self);
    if (lg__remote_has_ended(&self->target->remote))
        return explain(self, LG__GONE, err);
    return *done ? lg_error_set(err, LG_EUNSUPPORTED,
                                "process %d %s: use --method ptrace",
                                request->process, reason)
                 : LG_OK;
}

/** Whether the main thread blocks signals as the stub does. */
static bool
is_quiet(const call *self)
{
    char path[64];
    uint64_t mask = 0, caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", self->request->process);
    return lg__remote_number(path, "SigBlk:", 16, &mask) &&
           lg__remote_number(path, "SigCgt:", 16, &caught) &&
           lg__visit_is_quiet(mask, caught);
}

/** Whether the thread is still to enter the stub, in which it blocks signals.
 */
static bool
is_under_way(call *self)
{
    lg_error ignored;
    lg__visit look = {
        .target = self->target, .purpose = LG__LOOK, .socket = -1};
    if (self->unsure)
        lg__visit_make(&look, &ignored);
    self->unsure = self->unsure && (look.outcome == LG__CUT_OFF ||
                                    look.outcome == LG__STOPPED ||
                                    look.outcome == LG__IN_FRAGILE_WAIT ||
                                    look.outcome == LG__ROOMS_TAKEN);
    return self->unsure;
}

/** Whether nobody is in that region, or about to unmap it. It stays as long as
 *  the interpreter has yet to make a pending call. */
static bool
is_quitted(const call *self, uint64_t region)
{
    lg__bootstrap bootstrap;
    return !lg__visit_read(self->target, region, &bootstrap) ||
           (bootstrap.queued && !bootstrap.begun);
}

/** Whether the thread has left the code. */
static bool
is_home(call *self)
{
    if (self->by_script)
        return self->known || !has_library(self);
    return !is_under_way(self) && !is_quiet(self) &&
           is_quitted(self, self->visit.region) && is_quitted(self, self->left);
}

/** Waits until the thread has left the code. Not for long if somebody has
 *  stopped the process: the thread needs nobody, and finds home when it goes
 *  on. */
static void
await_home(call *self, double seconds)
{
    const lg__remote *remote = &self->target->remote;
    const double end = lg__clock() + seconds;
    int stopped = 0;
    for (int i = 0; stopped < MOST_STOPPED && !is_home(self) &&
                    !lg__remote_has_ended(remote) && lg__clock() < end;
         i++) {
        pause_for(i < 20 ? 1 : PAUSE_MILLISECONDS);
        stopped = lg__target_is_stopped(remote->process) ? stopped + 1 : 0;
    }
}

/** What to say of a process that has not answered in time. Whoever has stopped
 *  or frozen it since can do something about it, which no other reason tells.
 */
static lg__outcome
reason_now(const call *self, lg__outcome reason)
{
    int process = self->request->process;
    return lg__target_is_stopped(process)   ? LG__STOPPED
           : lg__process_is_frozen(process) ? LG__FROZEN
           : reason == LG__WENT_HOME && lg__target_lacks_descriptors(process)
               ? LG__NO_DESCRIPTORS
               : reason;
}

/** Asks the main thread, which is to load the library, whether the processor
 *  answers CPUID for it. The kernel refuses it to a thread that wants so, and
 *  tells nobody else: the thread would die of the first library that asks the
 *  processor what it can do. */
static lg_status
ask_about_cpuid(call *self, lg__outcome *outcome, lg_error *err)
{
    static const lg__probe question = {
        .name = "arch_prctl", .number = SYS_arch_prctl, .words = {GET_CPUID}};
    self->visit = (lg__visit){.target = self->target,
                              .purpose = LG__PROBE,
                              .probe = &question,
                              .socket = -1};
    lg_status status = make_visit(self, &self->visit, err);
    *outcome = self->visit.outcome;
    if (*outcome == LG__VISITED && self->visit.result != 1)
        *outcome = LG__REFUSES_CPUID;
    return status;
}

/** Makes one visit after the other. Each interrupts the one before if that has
 *  yet to come home, so the thread gets time for it. If the time is up, a visit
 *  that was cut off says less than one before. */
static lg_status
visit_until(call *self, lg_status (*once)(call *, lg__outcome *, lg_error *),
            lg_error *err)
{
    lg__outcome outcome, reason = LG__CUT_OFF;
    lg_status status = LG_OK;
    long pause = PAUSE_MILLISECONDS;
    for (;;) {
        status = once(self, &outcome, err);
        if (status != LG_OK || outcome == LG__VISITED)
            return status;
        close_socket(self);
        if (outcome != LG__CUT_OFF)
            reason = outcome;
        if (!lg__outcome_may_change(outcome))
            return explain(self, outcome, err);
        if (!may_go_on(self, &status, err))
            return status == LG_OK
                       ? explain(self, reason_now(self, reason), err)
                       : status;
        pause_for(pause);
        await_home(self, SECONDS_BETWEEN);
        if (outcome == LG__QUEUE_LOCKED || outcome == LG__QUEUE_FULL)
            continue;
        pause = 2 * pause < MOST_PAUSE_MILLISECONDS ? 2 * pause
                                                    : MOST_PAUSE_MILLISECONDS;
    }
}

/** Whether the kernel can have this processor refuse CPUID to a thread: it says
 *  ENODEV if the processor cannot, and EINVAL if it does not know how. Leaves
 *  this thread as it is. */
static bool
may_refuse_cpuid(void)
{
    long answered = syscall(SYS_arch_prctl, GET_CPUID, 0);
    return syscall(SYS_arch_prctl, SET_CPUID, answered) == 0 ||
           (errno != ENODEV && errno != EINVAL);
}

/** Asks the process until it answers. On failure it goes on, and what was
 * injected does nothing any more. */
static lg_status
get_answer(call *self, lg_error *err)
{
    bool done = false;
    lg_status status = LG_OK;
    self->started = lg__clock();
    self->close_until = self->started + self->request->timeout + SECONDS_CLOSE;
    if (may_refuse_cpuid())
        status = visit_until(self, ask_about_cpuid, err);
    if (status == LG_OK)
        status = try_script(self, &done, err);
    if (!done && status == LG_OK)
        status = visit_until(self, visit_once, err);
    if (status == LG_OK)
        return status;
    self->close_until = close_limit(self);
    close_socket(self);
    leave_pending(self);
    return status;
}

/** Takes the exit status of a child of the process, by then. 0: not taken. */
static int
reap_until(call *self, int child, double end)
{
    lg__visit visit = {.target = self->target,
                       .purpose = LG__REAP,
                       .child = child,
                       .socket = -1};
    lg_error ignored;
    while (make_visit(self, &visit, &ignored) == LG_OK && visit.reaped == 0 &&
           (visit.outcome == LG__VISITED ||
            lg__outcome_may_change(visit.outcome)) &&
           lg__clock() < end)
        pause_for(PAUSE_MILLISECONDS);
    return visit.reaped == child ? visit.exit_status : 0;
}

static int
reap(void *context)
{
    call *self = context;
    return reap_until(self, self->answer.child, lg__clock() + SECONDS_REAP);
}

/** Finds the maker of a child (fork.h) that a program has inherited, because
 *  another thread executed it during the fork. 0: there is none. */
static int
find_maker(int process, bool *ended)
{
    char path[64], name[16], state;
    int child, found = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
    FILE *children = fopen(path, "re");
    while (found == 0 && children != NULL &&
           fscanf(children, "%d", &child) == 1) {
        snprintf(path, sizeof path, "/proc/%d/stat", child);
        FILE *file = fopen(path, "re");
        if (file != NULL &&
            fscanf(file, "%*d (%15[^)]) %c", name, &state) == 2 &&
            strcmp(name, LG__MAKER_NAME) == 0) {
            found = child;
            *ended = state == 'Z';
        }
        if (file != NULL)
            fclose(file);
    }
    if (children != NULL)
        fclose(children);
    return found;
}

/** Has the new program of a process take the exit status of such a maker, which
 *  that program does not know, for so many seconds. If somebody has stopped the
 *  process, it stays with it: without another program, the process knows the
 *  maker. */
static void
remove_maker(const lg__attach_request *request, double seconds)
{
    lg_error ignored;
    bool ended = false;
    int child, stopped = 0, process = request->process;
    const double end = lg__clock() + seconds;
    lg__attach_target target;
    call self = {.request = request, .target = &target, .visit.socket = -1};
    while (stopped < MOST_STOPPED && lg__clock() < end &&
           (child = find_maker(process, &ended)) != 0) {
        stopped = lg__target_is_stopped(process) ? stopped + 1 : 0;
        if (ended && stopped == 0 &&
            lg__attach_target_find(process, request->filtered, true, &target,
                                   &ignored) == LG_OK) {
            reap_until(&self, child, lg__clock());
            await_home(&self, SECONDS_LAST);
            lg__attach_target_close(&target);
        }
        pause_for(PAUSE_MILLISECONDS);
    }
}

/* The order matters: the stub cannot do without the first ones. CLONE_SIGHAND
   needs CLONE_VM, and no option of wait4() is 16. glibc takes a refusal of
   brk() for an address, and the next malloc() dies of it. */
static const lg__probe probes[] = {
    {"rt_sigprocmask", SYS_rt_sigprocmask, {0, 1, 0}, -EINVAL, true},
    {"rt_sigpending", SYS_rt_sigpending, {0, NO_NUMBER}, -EINVAL, true},
    {"rt_sigaction", SYS_rt_sigaction, {NO_NUMBER}, -EINVAL, true},
    {"munmap", SYS_munmap, {0}, -EINVAL, false},
    {"mmap", SYS_mmap, {0}, -EBADF, false},
    {"mprotect", SYS_mprotect, {1}, -EINVAL, false},
    {"brk", SYS_brk, {0}, 0, false},
    {"close", SYS_close, {NO_FILE}, -EBADF, false},
    {"recvmsg", SYS_recvmsg, {NO_FILE}, -EBADF, false},
    {"sendmsg", SYS_sendmsg, {NO_FILE}, -EBADF, false},
    {"write", SYS_write, {NO_FILE}, -EBADF, false},
    {"fstat", SYS_fstat, {NO_FILE}, -EBADF, false},
    {"socketpair", SYS_socketpair, {0, NO_NUMBER}, -EINVAL, false},
    {"ppoll", SYS_ppoll, {0, NO_NUMBER}, -EINVAL, false},
    {"wait4", SYS_wait4, {0, 0, 16}, -EINVAL, false},
    {"clone", SYS_clone, {CLONE_SIGHAND}, -EINVAL, false},
    {"sched_yield", SYS_sched_yield, {0}, 0, false},
    {"getpid", SYS_getpid, {0}, 0, false},
    {"arch_prctl", SYS_arch_prctl, {GET_CPUID}, 0, false},
};
/* How many of them no attach does without: the last one asks what some
   processors alone give cause to ask. */
enum { NEEDED_PROBES = sizeof probes / sizeof *probes - 1 };

static lg_status
try_call(const lg__attach_target *target, const lg__probe *one, lg_error *err)
{
    int process = target->remote.process;
    lg__visit visit = {
        .target = target, .purpose = LG__PROBE, .probe = one, .socket = -1};
    const double end = lg__clock() + PROBE_SECONDS;
    lg_status status = lg__visit_make(&visit, err);
    while (status == LG_OK && lg__outcome_may_change(visit.outcome) &&
           lg__clock() < end) {
        pause_for(PAUSE_MILLISECONDS);
        status = lg__visit_make(&visit, err);
    }
    if (status != LG_OK)
        return status;
    if (visit.outcome == LG__DENIED)
        return lg__target_explain(process, visit.code, err);
    if (visit.outcome != LG__VISITED && visit.outcome != LG__GONE)
        return lg__outcome_explain(visit.outcome, process, visit.code,
                                   PROBE_SECONDS, err);
    /* A call that ends the process leaves its own number as the result. */
    if (visit.outcome == LG__GONE || lg__remote_has_ended(&target->remote) ||
        (one->expected < 0 && visit.result >= 0))
        return lg_error_set(err, LG_ECHILD,
                            "process %d ended when it called %s(), which its "
                            "seccomp filter forbids",
                            process, one->name);
    if (visit.result == one->expected ||
        (one->expected == 0 && visit.result > 0))
        return LG_OK;
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "the seccomp filter of process %d refuses %s() (%s): "
                        "nothing happened to it",
                        process, one->name, strerror((int)-visit.result));
}

/** Has the process try each system call without which an attach would leave
 *  something in it, or could not tell how it went. They fail without having
 *  done anything. LG_EUNSUPPORTED names the one that a filter refuses,
 *  LG_ECHILD the one that it ended the process for. */
static lg_status
probe_filter(const lg__attach_target *target, lg_error *err)
{
    lg_status status = LG_OK;
    const size_t count = NEEDED_PROBES + (may_refuse_cpuid() ? 1 : 0);
    for (size_t i = 0; i < count && status == LG_OK; i++)
        status = try_call(target, &probes[i], err);
    return status;
}

lg_status
lg__attach_version(int process, bool filtered, unsigned *out, lg_error *err)
{
    lg__attach_target target;
    lg_status status =
        lg__attach_target_find(process, filtered, false, &target, err);
    if (status != LG_OK)
        return status;
    *out = target.minor;
    lg__attach_target_close(&target);
    return LG_OK;
}

/** Finds the path of the library, if the process sees the same file there: the
 *  libraries that it needs may lie beside it. */
static void
find_path(call *self)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", self->library);
    if (readlink(link, self->path, sizeof self->path - 1) < 0 ||
        !lg__target_sees(self->request->process, self->path))
        self->path[0] = '\0';
}

/** The child's number in this process's namespace. */
static int
number_of(int process)
{
    char path[64];
    uint64_t number = 0;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", process);
    return lg__remote_number(path, "Pid:", 10, &number) ? (int)number : -1;
}

/** Reads the line with the numbers of a process's user. */
static bool
read_user(int process, char *out, int size)
{
    static const char word[] = "Uid:";
    char path[64];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE *file = fopen(path, "re");
    while (!found && file != NULL && fgets(out, size, file))
        found = strncmp(out, word, sizeof word - 1) == 0;
    if (file != NULL)
        fclose(file);
    return found;
}

static bool
have_same_user(int process, int other)
{
    char ours[128], theirs[128];
    return read_user(process, ours, sizeof ours) &&
           read_user(other, theirs, sizeof theirs) && strcmp(ours, theirs) == 0;
}

/** The number of the child, by the descriptor that came with the answer; -1: it
 *  has ended, or it is no child. leakgraph ends a child that is silent. So that
 *  no process has an administrator end others by this, it lets go of the
 *  descriptor of a process whose user is another one. */
static int
take_child(call *self)
{
    int *descriptor = &self->descriptors[1];
    int child = number_of(*descriptor);
    if (child > 0 && have_same_user(child, self->request->process) &&
        number_of(*descriptor) == child)
        return child;
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
    return -1;
}

static lg_status
await_child(call *self, lg__fork_result *out, lg_error *err)
{
    const lg__attach_request *request = self->request;
    const lg__answer *answer = &self->answer;
    const int child = take_child(self);
    const bool own = lg__wire_reopen_pipe(&self->descriptors[0]);
    lg__fork fork = {.child = child,
                     .process = self->descriptors[1],
                     .reports = self->descriptors[0],
                     .seconds = request->orders.seconds,
                     .advice = "",
                     .orphaned = answer->orphaned,
                     .shared = !own,
                     .reap = reap,
                     .context = self};
    return lg__fork_wait(&fork, request->path, request->monitor, out, err);
}

/** Says why the process forked nothing. The loader begins with the name of the
 *  file, which is a number of its descriptors there. */
static lg_status
explain_answer(const call *self, lg_error *err)
{
    static const char file[] = "/proc/self/fd/";
    const lg__answer *answer = &self->answer;
    const char *reason = answer->text;
    bool loaded = strncmp(reason, file, sizeof file - 1) != 0;
    if (!loaded)
        reason += strcspn(reason, ":");
    return lg_error_set(
        err, answer->status ? (lg_status)answer->status : LG_EUNSUPPORTED,
        "process %d cannot be captured: %s%s", self->request->process,
        loaded ? "" : "it does not load leakgraph's library", reason);
}

/** Does what the answer asks for. */
static lg_status
follow(call *self, lg__attach_result *out, lg_error *err)
{
    const lg__answer *answer = &self->answer;
    if (answer->kind != LG__ANSWER_FORKED)
        return explain_answer(self, err);
    out->pause = answer->pause;
    out->by_script = self->by_script;
    lg_status status = await_child(self, &out->graph, err);
    if (status == LG_ECHILD && lg__remote_has_ended(&self->target->remote))
        return lg__outcome_explain(LG__GONE, self->request->process, 0, 0, err);
    return status;
}

lg_status
lg__attach(const lg__attach_request *request, int library,
           lg__attach_result *out, lg_error *err)
{
    lg__attach_target target;
    call self = {.request = request,
                 .target = &target,
                 .library = library,
                 .visit.socket = -1,
                 .descriptors = {-1, -1}};
    lg_status status = lg__attach_target_find(
        request->process, request->filtered, false, &target, err);
    if (status != LG_OK)
        return status;
    if (target.filtered)
        status = probe_filter(&target, err);
    if (status == LG_OK) {
        find_path(&self);
        status = get_answer(&self, err);
    }
    if (status == LG_OK) {
        status = follow(&self, out, err);
        self.close_until = lg__clock() + SECONDS_CLOSE;
    }
    close_theirs(&self, self.left);
    await_home(&self, status == LG_OK ? SECONDS_HOME : SECONDS_LAST);
    close_socket(&self);
    bool replaced = outcome_without_answer(&self) == LG__REPLACED;
    lg__attach_target_close(&target);
    if (status != LG_OK)
        remove_maker(request, replaced ? SECONDS_REAP : SECONDS_LAST);
    return status;
}
