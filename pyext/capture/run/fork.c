#include "capture/run/child.h"
#include "capture/run/steps.h"
#include "capture/run/fork.h"
#include "capture/common/capture_common.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

/** The time between two calls of the monitor while the child is silent. */
#define WAIT_MILLISECONDS 100
/** How much longer than the child itself the parent waits, because something
 *  may have stopped the child. */
#define GRACE_SECONDS 5
/** The stack of an orphan, as large as a main thread's. */
#define ORPHAN_STACK ((size_t)8 << 20)

/** Clones this process as fork() does, with three differences. No handler of
 *  pthread_atfork runs, which might wait for a thread that the child lacks. The
 *  child's end sends no signal, so that nobody else's wait() finds it. And the
 *  clone has a descriptor, which distinguishes it from a later process with the
 *  same number. Linux before 5.2 leaves the descriptor at -1. */
static int
clone_process(int *process)
{
    *process = -1;
    return (int)syscall(SYS_clone, (unsigned long)CLONE_PIDFD, NULL, process,
                        NULL, NULL);
}

/** What a process that only makes the child needs. */
typedef struct maker {
    lg__child *child;
    lg__fork *out;
    int code;
} maker;

static int
make_child(void *context)
{
    maker *self = context;
    if (self->out->orphaned)
        prctl(PR_SET_NAME, LG__MAKER_NAME);
    self->out->child = clone_process(&self->out->process);
    if (self->out->child == 0)
        lg__child_run(self->child);
    self->code = errno;
    return 0;
}

/** Lets a process that shares this one's memory and descriptors make the child,
 *  and ends it. The child's parent is init from then on. */
static void
make_orphan(maker *self)
{
    char *stack = mmap(NULL, ORPHAN_STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) {
        self->code = errno;
        return;
    }
    int helper = clone(make_child, stack + ORPHAN_STACK,
                       CLONE_VM | CLONE_VFORK | CLONE_FILES, self);
    if (helper < 0)
        self->code = errno;
    while (helper > 0 && waitpid(helper, NULL, __WALL) < 0 && errno == EINTR)
        ;
    munmap(stack, ORPHAN_STACK);
}

static lg_status
split(lg__child *child, lg__fork *out, lg_error *err)
{
    sigset_t all, before;
    maker self = {.child = child, .out = out};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (out->orphaned)
        make_orphan(&self);
    else
        make_child(&self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (out->child > 0)
        return LG_OK;
    return lg_error_set(err, self.code == ENOMEM ? LG_ENOMEM : LG_ECHILD,
                        "cannot fork: %s%s", strerror(self.code), out->advice);
}

lg_status
lg__fork_begin(const lg__fork_plan *plan, lg__fork *out, lg_error *err)
{
    double start = lg__clock();
    lg__heap_walk walk;
    int ends[2];
    /* The child has one thread, whose collector would wait for the others. */
    if (LG__FREE_THREADED)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "a free-threaded build of Python cannot be "
                            "captured in a forked child%s",
                            plan->advice);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return lg_error_set(err, LG_EIO, "cannot make a pipe: %s",
                            strerror(errno));
    lg_status status = lg__capture_begin(&walk, plan->options, err);
    lg__native_facts facts;
    if (status == LG_OK) {
        if (plan->options->native)
            lg__native_facts_read(&facts);
        lg__child child = {.walk = &walk,
                           .parent = plan->orphan ? 0 : getpid(),
                           .reports = ends[1],
                           .file = plan->file,
                           .compress = plan->compress,
                           .spill = plan->spill,
                           .facts = plan->options->native ? &facts : NULL,
                           .may_be_torn = plan->may_be_torn,
                           .seconds = plan->seconds};
        *out = (lg__fork){.reports = ends[0],
                          .seconds = plan->seconds,
                          .orphaned = plan->orphan,
                          .advice = plan->advice};
        status = split(&child, out, err);
        if (plan->options->native)
            lg__native_facts_free(&facts);
        lg__capture_abandon(&walk);
    }
    close(ends[1]);
    if (status != LG_OK)
        close(ends[0]);
    out->pause = lg__clock() - start;
    return status;
}

/** What the parent knows of the child while it waits. */
typedef struct news {
    lg__report last; /**< progress */
    lg__report end;  /**< kind 0: not received */
    lg__report fault;
    double heard; /**< when the last report came */
    bool silent;  /**< it was silent too long, so the parent killed it */
} news;

/** Reads the reports in the pipe; false at its end. */
static bool
read_reports(const lg__fork *fork, news *known)
{
    lg__report report;
    for (;;) {
        ssize_t length = read(fork->reports, &report, sizeof report);
        if (length < 0 && errno == EINTR)
            continue;
        if (length != (ssize_t)sizeof report)
            return length < 0 && errno == EAGAIN;
        report.text[sizeof report.text - 1] = '\0';
        known->heard = lg__clock();
        if (report.kind == LG__REPORT_PROGRESS)
            known->last = report;
        else if (report.kind == LG__REPORT_FAULT)
            known->fault = report;
        else
            known->end = report;
    }
}

static bool
report_progress(const lg_monitor *monitor, const lg__report *last)
{
    return monitor == NULL ||
           monitor->tick(monitor->context,
                         last->kind ? last->text : "capturing", last->done);
}

/** Kills the child. Its parent keeps its number until it reaps it; an orphan's
 *  number may be another's by now, but Linux that makes orphans knows it by its
 *  descriptor. */
static void
end_child(const lg__fork *fork)
{
    if (fork->process >= 0)
        syscall(SYS_pidfd_send_signal, fork->process, SIGKILL, NULL, 0);
    else if (fork->child > 0 && !fork->orphaned)
        kill(fork->child, SIGKILL);
}

/** Waits until the child ends: it closed the pipe, or died, or was killed here.
 *  False when the monitor stopped the work. */
static bool
attend(const lg__fork *fork, const lg_monitor *monitor, news *known)
{
    struct pollfd sources[] = {{fork->reports, POLLIN, 0},
                               {fork->process, POLLIN, 0}};
    bool goes_on = true;
    known->heard = lg__clock();
    for (;;) {
        poll(sources, 2, WAIT_MILLISECONDS);
        if (!read_reports(fork, known) || sources[1].revents)
            return true;
        known->silent =
            lg__clock() - known->heard > fork->seconds + GRACE_SECONDS;
        goes_on = report_progress(monitor, &known->last);
        if (known->silent || !goes_on)
            break;
    }
    end_child(fork);
    return goes_on;
}

/** Takes the child's exit status. Its end sends no signal, so only a wait for
 *  such clones finds it. */
static int
reap(const lg__fork *fork)
{
    int status = 0;
    if (fork->orphaned)
        return 0;
    if (fork->reap != NULL)
        return fork->reap(fork->context);
    while (waitpid(fork->child, &status, __WALL) < 0)
        if (errno != EINTR)
            return 0;
    return status;
}

static lg_status
explain_death(const lg__fork *fork, const news *known, int number,
              lg_error *err)
{
    const char *type = known->fault.text;
    if (number == SIGALRM || known->silent)
        return lg_error_set(err, LG_ECHILD,
                            "the capturing child made no progress for %u s "
                            "and was killed%s%s",
                            fork->seconds,
                            *type ? "; it was visiting an object of type " : "",
                            type);
    if (*type)
        return lg_error_set(err, LG_ECHILD,
                            "signal %d (%s) killed the capturing child while "
                            "it was visiting an object of type %s: the "
                            "tp_traverse of that type is likely at fault",
                            number, strsignal(number), type);
    return lg_error_set(err, LG_ECHILD,
                        "signal %d (%s) killed the capturing child", number,
                        strsignal(number));
}

static lg_status
explain_end(const lg__fork *fork, const news *known, const char *path,
            lg_error *err)
{
    const lg__report *end = &known->end;
    lg_status status = (lg_status)end->status;
    if (end->kind == 0)
        return lg_error_set(err, LG_ECHILD,
                            "the child process exited without a snapshot%s",
                            fork->advice);
    if (status == LG_EIO)
        return lg_error_set(err, LG_EIO, "cannot write %s: %s", path,
                            strerror(end->code));
    return status == LG_OK ? LG_OK : lg_error_set(err, status, "%s", end->text);
}

lg_status
lg__fork_wait(lg__fork *fork, const char *path, const lg_monitor *monitor,
              lg__fork_result *out, lg_error *err)
{
    news known = {.last = {.kind = 0}};
    bool goes_on = attend(fork, monitor, &known);
    int status = reap(fork);
    read_reports(fork, &known);
    if (fork->orphaned && known.end.kind == 0)
        status = (int)known.fault.status;
    close(fork->reports);
    if (fork->process >= 0)
        close(fork->process);
    *out =
        (lg__fork_result){.nodes = known.end.nodes,
                          .edges = known.end.edges,
                          .torn = known.end.torn,
                          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    if (!goes_on)
        return lg_error_set(err, LG_ECANCELLED, "cancelled while capturing");
    return out->signal ? explain_death(fork, &known, out->signal, err)
                       : explain_end(fork, &known, path, err);
}
