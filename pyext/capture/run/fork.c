#include "capture/run/steps.h"
#include "capture/common/capture_common.h"
#include "capture/memory/capture_memory.h"
#include "capture/run/child_heap.h"
#include "capture/run/fork.h"
#include "capture/run/group_room.h"
#include "capture/walk/capture_walk.h"
#include "heap/heap.h"

#include <leakgraph/file.h>
#include <leakgraph/graph.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/writing.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum report_kind {
    REPORT_PROGRESS = 1,
    REPORT_WORKS, /**< no progress, but it waits for a processor */
    REPORT_FAULT, /**< the child is about to die by a signal */
    REPORT_END,
} report_kind;

// Small enough that a pipe takes it whole or not at all.
typedef struct child_report {
    uint32_t kind;
    uint32_t status; /**< END: lg_status; FAULT: signal */
    int32_t code;    /**< END with LG_EIO: errno */
    uint32_t nodes;
    uint64_t edges;
    uint64_t limit; /**< END with EFBIG: as limit_met has it */
    double done;
    bool torn;      /**< END: see lg__fork_result */
    char text[472]; /**< PROGRESS: phase; FAULT: type of the visited object, or
                         empty; END: message */
} child_report;

// For how many seconds a process has run, and has waited for a processor.
typedef struct schedule {
    double ran;
    double waited;
} schedule;

typedef struct child_process {
    lg__heap_walk *walk; /**< opened by the parent */
    lg__capture_options options;
    int parent;       /**< process id of the parent; 0: it has none */
    lg__held reports; /**< write end of the pipe, not blocking */
    lg__held file;    /**< to write the graph to */
    int compress;     /**< at this level; 0: not at all */
    lg__held spill;   /**< file to keep memory in; -1: none */
    int pagemap;      /**< of the child; -1: none */
    const lg__native_facts *facts; /**< NULL: native memory is not listed */
    lg__group_room *room;          /**< the child gives up when it ends */
    bool may_be_torn;              /**< see lg__fork_plan */
    bool lifts_limit;              /**< see lg__fork_plan */
    unsigned seconds; /**< the child gives up after so long without progress */
    double reported;  /**< when it last reported progress */
    schedule last;    /**< at its last report or alarm */
    schedule at_progress;
} child_process;

// The time between two reports: short enough for a progress line.
#define REPORT_SECONDS 0.1
#define FAULT_STACK ((size_t)64 << 10)

// The running child: a handler of faults gets no argument.
static child_process *running;

static void
set_text(child_report *report, const char *text)
{
    size_t length = strlen(text);
    if (length >= sizeof report->text)
        length = sizeof report->text - 1;
    memcpy(report->text, text, length);
    report->text[length] = '\0';
}

static bool
send(const child_process *child, const child_report *report)
{
    return write(child->reports.number, report, sizeof *report) ==
           (ssize_t)sizeof *report;
}

// Sends the last report, which must arrive: waits for room in the pipe until
// the watchdog ends the process.
static void
send_surely(const child_process *child, const child_report *report)
{
    struct pollfd pipe = {child->reports.number, POLLOUT, 0};
    while (!send(child, report) && (errno == EAGAIN || errno == EINTR))
        poll(&pipe, 1, -1);
}

// Reads for how many seconds this process has run, and how many it has waited
// for a processor. Returns false where Linux does not say.
static bool
read_schedule(schedule *out)
{
    char text[64] = "";
    uint64_t number[2] = {0};
    int file = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    const char *at = text;
    for (int i = 0; i < 2; i++) {
        at += *at == ' ';
        for (; *at >= '0' && *at <= '9'; at++)
            number[i] = number[i] * 10 + (uint64_t)(*at - '0');
    }
    out->ran = (double)number[0] / 1e9;
    out->waited = (double)number[1] / 1e9;
    return length > 0;
}

// Returns whether a process without progress still works, while others have
// the processors: it could run for most of the time since its last report or
// alarm, and has run for less than half of `seconds` since it last made
// progress. One that hangs does not want to run, or runs all the time.
static bool
goes_on(child_process *child)
{
    schedule now;
    double most = child->seconds / 2.0;
    if (!read_schedule(&now))
        return false;
    double could_run =
        now.ran - child->last.ran + now.waited - child->last.waited;
    child->last = now;
    return could_run > most && now.ran - child->at_progress.ran < most;
}

static _Noreturn void
give_up(const child_process *child, const char *reason)
{
    child_report end = {.kind = REPORT_END, .status = LG_ECHILD};
    set_text(&end, reason);
    send_surely(child, &end);
    _exit(0);
}

static bool
tick(void *context, const char *phase, double done)
{
    child_process *child = context;
    double now = lg__clock();
    if (lg__group_room_is_short(child->room))
        give_up(child, "the capturing child gave up, because memory ran out "
                       "and the kernel kills the whole control group then "
                       "(memory.oom.group): raise its limit for a while");
    if (now - child->reported < REPORT_SECONDS)
        return true;
    child->reported = now;
    read_schedule(&child->last);
    child->at_progress = child->last;
    alarm(child->seconds);
    child_report report = {.kind = REPORT_PROGRESS, .done = done};
    set_text(&report, phase);
    if (!send(child, &report) && errno == EPIPE)
        _exit(1);
    return true;
}

// The name of the type of the object that the walk is visiting, from its C
// struct. After a fault nothing else is safe to read.
static void
name_open_type(const lg__heap_walk *walk, child_report *report)
{
    const lg_builder *builder = walk->builder;
    uint32_t node = builder->open_node;
    PyObject object;
    PyTypeObject type;
    if (node >= builder->node_count ||
        builder->node_flags[node] & LG_NODE_SYNTHETIC ||
        !lg__peek(&object, (void *)(uintptr_t)lg_builder_address(builder, node),
                  sizeof object) ||
        !lg__peek(&type, Py_TYPE(&object), sizeof type))
        return;
    for (size_t size = 256; size > 0; size /= 2)
        if (lg__peek(report->text, type.tp_name, size)) {
            report->text[size] = '\0';
            return;
        }
}

// There is no room for the page that the process touches: in the file that
// holds the memory, or in memory.
static _Noreturn void
end_without_room(const child_report *report)
{
    send_surely(running, report);
    _exit(0);
}

static void on_fault(int number, siginfo_t *info, void *context);

// The handler goes off when it runs. It may itself touch memory that is
// compressed.
static void
catch_fault(int number)
{
    struct sigaction action = {.sa_sigaction = on_fault};
    action.sa_flags =
        (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_RESTART) |
        (number == SIGSEGV ? SA_NODEFER : 0);
    sigaction(number, &action, NULL);
}

// Returns whether memory that was compressed is back.
static bool
serve(int number, const void *address)
{
    static const child_report shortage = {
        .kind = REPORT_END,
        .status = LG_ENOMEM,
        .text = "memory ran out in the capturing child"};
    if (number != SIGSEGV || !lg__cold_holds(address))
        return false;
    catch_fault(SIGSEGV);
    if (!lg__cold_serve(address))
        end_without_room(&shortage);
    return true;
}

// Names the type only once, in case that this is what faults.
static void
report_fault(int number)
{
    child_report report = {.kind = REPORT_FAULT, .status = (uint32_t)number};
    const lg__heap_walk *walk = running->walk;
    running->walk = NULL;
    catch_fault(SIGSEGV);
    if (walk != NULL)
        name_open_type(walk, &report);
    send(running, &report);
    signal(number, SIG_DFL);
}

// Tells the parent that the process still works, and sets the alarm again.
static void
work_on(void)
{
    child_report report = {.kind = REPORT_WORKS};
    catch_fault(SIGALRM);
    send(running, &report);
    alarm(running->seconds);
}

// Reports the fault and lets it kill the process; the handler is off by now.
static void
on_fault(int number, siginfo_t *info, void *context)
{
    static const child_report full_disk = {
        .kind = REPORT_END, .status = LG_EIO, .code = ENOSPC};
    (void)context;
    int code = errno;
    if (number == SIGALRM && goes_on(running)) {
        work_on();
        errno = code;
        return;
    }
    if (serve(number, info->si_addr)) {
        errno = code;
        return;
    }
    if (number == SIGBUS && lg__spill_holds(info->si_addr))
        end_without_room(&full_disk);
    report_fault(number);
    syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), number);
}

// Restores all default actions: a handler of the parent must not run here. The
// interpreter's would write to the pipe of an event loop, for example. Blocked
// signals stay blocked.
static void
set_signals(void)
{
    static char stack[FAULT_STACK];
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                 SIGABRT, SIGTRAP, SIGALRM};
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigset_t wanted;
    sigemptyset(&wanted);
    for (size_t i = 0; i < LG__COUNT(faults); i++) {
        catch_fault(faults[i]);
        sigaddset(&wanted, faults[i]);
    }
    sigprocmask(SIG_UNBLOCK, &wanted, NULL);
}

// Lets the child's files have any size that the system permits.
static void
lift_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

// The bytes that the process may write to a file, where that keeps a file from
// growing, which is then lost. 0: the file system does, which refuses a byte
// right below the limit as well, or something else.
static uint64_t
limit_met(int file)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur > 0 &&
                   limit.rlim_cur != RLIM_INFINITY &&
                   pwrite(file, "", 1, (off_t)(limit.rlim_cur - 1)) == 1
               ? limit.rlim_cur
               : 0;
}

// In /proc/self/stat, between the name of the process and its policy.
enum { WORDS_BEFORE_POLICY = 39 };

static void
volunteer(void)
{
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (write(file, "1000", 4) < 0)
        errno = 0;
    close(file);
}

// Asked by a file, because a filter of system calls lets the process read, but
// may end it for sched_getscheduler(). The words are counted from the state of
// the process, because its name may have spaces.
static int
policy_here(void)
{
    char text[1024] = "";
    const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    const char *at = length > 0 ? strrchr(text, ')') : NULL;
    for (int i = 0; at != NULL && i < WORDS_BEFORE_POLICY; i++)
        at = strchr(at + 1, ' ');
    return at != NULL ? atoi(at) : SCHED_OTHER;
}

static void
leave_real_time(void)
{
    const struct sched_param usual = {0};
    const int policy = policy_here();
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        sched_setscheduler(0, SCHED_OTHER, &usual);
}

// Stands back for the parent: has the kernel kill this process first when
// memory runs out, and gives up the parent's real-time policy, which would keep
// the parent from its processor until the graph is written. Goes on without
// either where the system forbids it.
static void
give_way(void)
{
    leave_real_time();
    volunteer();
}

static void
settle(child_process *child)
{
    running = child;
    set_signals();
    if (child->lifts_limit)
        lift_limit();
    alarm(child->seconds);
    if (child->parent != 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (child->parent != 0 && getppid() != child->parent)
        _exit(1);
    prctl(PR_SET_NAME, "leakgraph");
    give_way();
    /* Makes no core file, because it would hold the parent's memory. */
    prctl(PR_SET_DUMPABLE, 0);
    lg__child_heap_begin();
    if (child->spill.number >= 0)
        lg__spill_begin(child->spill.number);
    else if (child->facts == NULL)
        lg__cold_begin();
}

// The native memory of the child; a handler of faults does not need it.
static struct {
    lg__native list;
    lg_native_memory memory;
    lg_allocator allocator;
} native;

static lg_status
refuse_memory(lg_error *err)
{
    return lg_error_set(err, LG_ENOMEM, "memory ran out for native blocks");
}

// Lists native memory. What cannot be listed is a fact of the graph, but ends
// the child if a new one may have more luck.
static lg_status
list_native(const child_process *child, child_report *end, lg_error *err)
{
    char text[300];
    native.allocator = lg__arena_new(child->options.max_bytes);
    if (native.allocator.context == NULL)
        return refuse_memory(err);
    lg_status status =
        lg__native_list(&native.list, child->facts, child->pagemap,
                        &native.allocator, &native.memory, err);
    if (status != LG_OK || native.memory.failure == NULL)
        return status;
    end->torn = native.list.passing && !child->may_be_torn;
    if (end->torn)
        return lg_error_set(err, LG_ECHILD, "%s", native.memory.failure);
    snprintf(text, sizeof text, "not inspected: %s", native.memory.failure);
    lg_builder_set_info(child->walk->builder, "native", text);
    return LG_OK;
}

// Makes the graph that has the native memory, too, of the one without.
static lg_status
add_native(const child_process *child, const lg_monitor *monitor,
           lg_graph **graph, lg_error *err)
{
    lg_graph *whole = NULL;
    lg_allocator allocator = lg__arena_new(child->options.max_bytes);
    if (allocator.context == NULL)
        return refuse_memory(err);
    lg_status status =
        lg__native_add_types(&native.list, *graph, &native.memory, err);
    if (status != LG_OK)
        return status;
    native.memory.monitor = monitor;
    status =
        lg_graph_with_native(*graph, &native.memory, &allocator, &whole, err);
    lg__native_free(&native.list);
    *graph = whole;
    return status;
}

static lg_status
work(child_process *child, const lg_monitor *monitor, child_report *end,
     lg_error *err)
{
    lg_graph *graph = NULL;
    lg__heap_walk *walk = child->walk;
    walk->forked = true;
    lg_status status = lg__capture_walk(walk, err);
    if (status == LG_OK && child->facts != NULL)
        status = list_native(child, end, err);
    child->walk = NULL;
    if (status != LG_OK)
        return status;
    lg__walk_free(walk);
    status = lg__capture_end(walk, &graph, err);
    if (status == LG_OK)
        lg__arena_rest(&walk->allocator);
    if (status == LG_OK && child->facts != NULL &&
        native.memory.failure == NULL)
        status = add_native(child, monitor, &graph, err);
    if (status != LG_OK)
        return status;
    end->nodes = lg_graph_columns(graph)->node_count;
    end->edges = lg_graph_columns(graph)->edge_count;
    status = lg_graph_write(graph, child->file.number, child->compress, monitor,
                            err);
    end->code = errno;
    end->limit = end->code == EFBIG ? limit_met(child->file.number) : 0;
    return status;
}

static bool
has_files(const child_process *child)
{
    return lg__held_is_there(&child->file) &&
           (child->spill.number < 0 || lg__held_is_there(&child->spill));
}

// Ends the process where another thread of the parent has closed what this one
// writes to: the numbers may be files of the parent.
static void
ask_for_files(const child_process *child)
{
    if (!lg__held_is_there(&child->reports))
        _exit(1);
    if (!has_files(child))
        give_up(child, "another thread has closed a file of the snapshot: do "
                       "not close files that are not your own, or try again");
}

// Captures, writes, reports, and ends the process. The caller has blocked all
// signals.
static void
child_run(child_process *child)
{
    child_report end = {.kind = REPORT_END};
    lg_error err = {.message = ""};
    lg_monitor monitor = {tick, child};
    ask_for_files(child);
    child->pagemap = child->facts != NULL ? lg__native_pagemap() : -1;
    settle(child);
    child->options = *child->walk->options;
    child->options.watch = &monitor;
    child->walk->options = &child->options;
    end.status = (uint32_t)work(child, &monitor, &end, &err);
    if (end.status != LG_OK)
        set_text(&end, err.message);
    send_surely(child, &end);
    _exit(0);
}

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

// The time between two calls of the monitor while the child is silent.
#define WAIT_MILLISECONDS 100
// How much longer than the child itself the parent waits, because something may
// have stopped the child.
#define GRACE_SECONDS 5
// The stack of an orphan, as large as a main thread's.
#define ORPHAN_STACK ((size_t)8 << 20)

// Clones this process as fork() does, with three differences. No handler of
// pthread_atfork runs, which might wait for a thread that the child lacks. The
// child's end sends no signal, so that nobody else's wait() finds it. And the
// clone has a descriptor, which distinguishes it from a later process with the
// same number. Linux before 5.2 leaves the descriptor at -1.
static int
clone_process(int *process)
{
    *process = -1;
    return (int)syscall(SYS_clone, (unsigned long)CLONE_PIDFD, NULL, process,
                        NULL, NULL);
}

// What a process that only makes the child needs.
typedef struct maker {
    child_process *child;
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
        child_run(self->child);
    self->code = errno;
    return 0;
}

// Lets a process that shares this one's memory and descriptors make the child,
// and ends it. The child's parent is init from then on.
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

// The limits because of which the system makes no other process.
static const char *
limit_behind(int code)
{
    switch (code) {
    case EAGAIN:
        return " (raise ulimit -u, or pids.max of the control group)";
    case ENOMEM:
        return " (raise ulimit -v, or see vm.overcommit_memory)";
    case EMFILE:
        return " (raise ulimit -n)";
    default:
        return "";
    }
}

static lg_status
split(child_process *child, lg__fork *out, lg_error *err)
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
                        "cannot fork: %s%s%s", strerror(self.code),
                        limit_behind(self.code), out->advice);
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
    lg__group_room room;
    lg_status status = lg__group_room_check(
        plan->options, plan->spill.number >= 0, &room, err);
    if (status != LG_OK)
        return status;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return lg_error_set(err, LG_EIO, "cannot make a pipe: %s",
                            strerror(errno));
    const lg__held reads = lg__held_take(ends[0]);
    const lg__held writes = lg__held_take(ends[1]);
    lg__capture_options options = *plan->options;
    options.forks = true;
    status = lg__capture_begin(&walk, &options, err);
    lg__native_facts facts;
    if (status == LG_OK) {
        if (plan->options->native)
            lg__native_facts_read(&facts);
        child_process child = {.walk = &walk,
                               .parent = plan->orphan ? 0 : getpid(),
                               .reports = writes,
                               .file = plan->file,
                               .compress = plan->compress,
                               .spill = plan->spill,
                               .facts = plan->options->native ? &facts : NULL,
                               .room = &room,
                               .may_be_torn = plan->may_be_torn,
                               .lifts_limit = plan->lifts_limit,
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
    lg__held_close(&writes);
    if (status != LG_OK)
        lg__held_close(&reads);
    out->pause = lg__clock() - start;
    return status;
}

// What the parent knows of the child while it waits.
typedef struct news {
    child_report last; /**< progress */
    child_report end;  /**< kind 0: not received */
    child_report fault;
    double heard; /**< when the last report came */
    int refusal;  /**< why reports cannot be read: errno, or 0 */
    bool silent;  /**< it was silent too long, so the parent killed it */
} news;

// Takes a report that is there, and waits for none, even if somebody else can
// have a read() of the pipe wait.
static ssize_t
take_report(const lg__fork *fork, child_report *out)
{
    const struct iovec part = {out, sizeof *out};
    return fork->shared ? vmsplice(fork->reports, &part, 1, SPLICE_F_NONBLOCK)
                        : read(fork->reports, out, sizeof *out);
}

// Reads the reports in the pipe; false at its end.
static bool
read_reports(const lg__fork *fork, news *known)
{
    child_report report;
    for (;;) {
        ssize_t length = take_report(fork, &report);
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0 && errno != EAGAIN)
            known->refusal = errno;
        if (length != (ssize_t)sizeof report)
            return length < 0 && errno == EAGAIN;
        report.text[sizeof report.text - 1] = '\0';
        known->heard = lg__clock();
        if (report.kind == REPORT_WORKS)
            continue;
        if (report.kind == REPORT_PROGRESS)
            known->last = report;
        else if (report.kind == REPORT_FAULT)
            known->fault = report;
        else
            known->end = report;
    }
}

static bool
report_progress(const lg_monitor *monitor, const child_report *last)
{
    return monitor == NULL ||
           monitor->tick(monitor->context,
                         last->kind ? last->text : "capturing", last->done);
}

// Kills the child. Its parent keeps its number until it reaps it; an orphan's
// number may be another's by now, but Linux that makes orphans knows it by its
// descriptor.
static void
end_child(const lg__fork *fork)
{
    if (fork->process >= 0)
        syscall(SYS_pidfd_send_signal, fork->process, SIGKILL, NULL, 0);
    else if (fork->child > 0 && !fork->orphaned)
        kill(fork->child, SIGKILL);
}

// Waits until the child ends: it closed the pipe, or died, or was killed here.
// False when the monitor stopped the work.
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

// Takes the child's exit status. Its end sends no signal, so only a wait for
// such clones finds it.
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
explain_file(const child_report *end, const char *path, lg_error *err)
{
    const char *reason = strerror(end->code);
    if (end->limit == 0)
        return lg_error_set(err, LG_EIO, "cannot write %s: %s", path, reason);
    return lg_error_set(err, LG_EIO,
                        "cannot write %s: %s (the captured process may write "
                        "up to %" PRIu64 " bytes to a file: ulimit -f)",
                        path, reason, end->limit);
}

static lg_status
explain_end(const lg__fork *fork, const news *known, const char *path,
            lg_error *err)
{
    const child_report *end = &known->end;
    lg_status status = (lg_status)end->status;
    if (end->kind == 0)
        return lg_error_set(err, LG_ECHILD,
                            "the child process exited without a snapshot%s",
                            fork->advice);
    if (status == LG_EIO)
        return explain_file(end, path, err);
    return status == LG_OK ? LG_OK : lg_error_set(err, status, "%s", end->text);
}

// Of what is no pipe, the system says that the number is bad.
static lg_status
explain_refusal(int code, lg_error *err)
{
    if (code == EBADF)
        return lg_error_set(err, LG_ECHILD,
                            "the process sent no pipe for what its capturing "
                            "child reports: something in it answers in "
                            "leakgraph's place, or closes files that are not "
                            "its own; end that and try again");
    return lg_error_set(err, LG_EIO,
                        "cannot read what the capturing child reports (%s): "
                        "let leakgraph call vmsplice(), or open its own pipes "
                        "in /proc/self/fd",
                        strerror(code));
}

lg_status
lg__fork_wait(lg__fork *fork, const char *path, const lg_monitor *monitor,
              lg__fork_result *out, lg_error *err)
{
    news known = {.last = {.kind = 0}};
    bool goes_on = attend(fork, monitor, &known);
    if (known.refusal != 0)
        end_child(fork);
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
    if (known.refusal != 0)
        return explain_refusal(known.refusal, err);
    return out->signal ? explain_death(fork, &known, out->signal, err)
                       : explain_end(fork, &known, path, err);
}
