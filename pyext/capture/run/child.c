#include "capture/run/child.h"
#include "capture/run/steps.h"
#include "capture/common/capture_common.h"
#include "capture/memory/capture_memory.h"

#include <leakgraph/file.h>
#include <leakgraph/graph.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/draft.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/** The time between two reports: short enough for a progress line. */
#define REPORT_SECONDS 0.1
#define FAULT_STACK ((size_t)64 << 10)

/** The running child: a handler of faults gets no argument. */
static lg__child *running;

static void
set_text(lg__report *report, const char *text)
{
    size_t length = strlen(text);
    if (length >= sizeof report->text)
        length = sizeof report->text - 1;
    memcpy(report->text, text, length);
    report->text[length] = '\0';
}

static bool
send(const lg__child *child, const lg__report *report)
{
    return write(child->reports, report, sizeof *report) ==
           (ssize_t)sizeof *report;
}

/** Sends the last report, which must arrive: waits for room in the pipe until
 *  the watchdog ends the process. */
static void
send_surely(const lg__child *child, const lg__report *report)
{
    struct pollfd pipe = {child->reports, POLLOUT, 0};
    while (!send(child, report) && (errno == EAGAIN || errno == EINTR))
        poll(&pipe, 1, -1);
}

static bool
tick(void *context, const char *phase, double done)
{
    lg__child *child = context;
    double now = lg__clock();
    if (now - child->reported < REPORT_SECONDS)
        return true;
    child->reported = now;
    alarm(child->seconds);
    lg__report report = {.kind = LG__REPORT_PROGRESS, .done = done};
    set_text(&report, phase);
    if (!send(child, &report) && errno == EPIPE)
        _exit(1);
    return true;
}

/** The name of the type of the object that the walk is visiting, from its C
 *  struct. After a fault nothing else is safe to read. */
static void
name_open_type(const lg__heap_walk *walk, lg__report *report)
{
    const lg_builder *builder = walk->builder;
    uint32_t node = builder->open_node;
    PyObject object;
    PyTypeObject type;
    if (node >= builder->node_count ||
        builder->node_flags[node] & LG_NODE_SYNTHETIC ||
        !lg__peek(&object, (void *)(uintptr_t)builder->address[node],
                  sizeof object) ||
        !lg__peek(&type, Py_TYPE(&object), sizeof type))
        return;
    for (size_t size = 256; size > 0; size /= 2)
        if (lg__peek(report->text, type.tp_name, size)) {
            report->text[size] = '\0';
            return;
        }
}

/** The file that holds the memory has no room for this page. */
static _Noreturn void
end_with_full_disk(void)
{
    lg__report report = {
        .kind = LG__REPORT_END, .status = LG_EIO, .code = ENOSPC};
    send_surely(running, &report);
    _exit(0);
}

/** Reports the fault and lets it kill the process; the handler is off by now.
 *  */
static void
on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (number == SIGBUS && lg__spill_holds(info->si_addr))
        end_with_full_disk();
    lg__report report = {.kind = LG__REPORT_FAULT, .status = (uint32_t)number};
    if (running->walk != NULL)
        name_open_type(running->walk, &report);
    send(running, &report);
    syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), number);
}

/** Restores all default actions: a handler of the parent must not run here. The
 *  interpreter's would write to the pipe of an event loop, for example. Blocked
 *  signals stay blocked. */
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
    action.sa_sigaction = on_fault;
    action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
    sigset_t wanted;
    sigemptyset(&wanted);
    for (size_t i = 0; i < LG__COUNT(faults); i++) {
        sigaction(faults[i], &action, NULL);
        sigaddset(&wanted, faults[i]);
    }
    sigprocmask(SIG_UNBLOCK, &wanted, NULL);
}

/** Lets the kernel kill this process first when memory runs out. */
static void
volunteer(void)
{
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    /* If that is forbidden, the process goes on without it. */
    if (write(file, "1000", 4) < 0)
        errno = 0;
    close(file);
}

static void
settle(lg__child *child)
{
    running = child;
    set_signals();
    alarm(child->seconds);
    if (child->parent != 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (child->parent != 0 && getppid() != child->parent)
        _exit(1);
    prctl(PR_SET_NAME, "leakgraph");
    volunteer();
    /* Makes no core file, because it would hold the parent's memory. */
    prctl(PR_SET_DUMPABLE, 0);
    lg__child_lend_memory();
    if (child->spill >= 0)
        lg__spill_begin(child->spill);
}

/** The native memory of the child; a handler of faults does not need it. */
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

/** Lists native memory. What cannot be listed is a fact of the graph, but ends
 *  the child if a new one may have more luck. */
static lg_status
list_native(const lg__child *child, lg__report *end, lg_error *err)
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

/** Makes the graph that has the native memory, too. */
static lg_status
add_native(const lg__child *child, const lg_monitor *monitor, lg_graph **graph,
           lg_error *err)
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
    if (status == LG_OK) {
        lg_graph_free(*graph);
        *graph = whole;
    }
    return status;
}

static lg_status
work(lg__child *child, const lg_monitor *monitor, lg__report *end,
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
    status = lg_graph_write(graph, child->file, child->compress, monitor, err);
    end->code = errno;
    return status;
}

void
lg__child_run(lg__child *child)
{
    lg__report end = {.kind = LG__REPORT_END};
    lg_error err = {.message = ""};
    lg_monitor monitor = {tick, child};
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
