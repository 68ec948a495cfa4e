/**
 * Preloaded into leakgraph: does harm at its Nth call of those by which it
 * touches another process. The calls of a visit count as well, because its
 * process shares this memory.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum action {
    NOTHING,
    KILL,
    CUT,
    SUSPEND,
    STOP,
    STOP_SHORTLY,
    SIGNAL,
    REPLACE,
    /* These cut a visit off a moment later. */
    STOP_AND_CUT,     /* before it knows of the stop */
    LISTEN_AND_CUT,   /* while it listens to the stopped process */
    CONTINUE_AND_CUT, /* the same, just after the process has been continued */
    SIGNAL_AND_CUT    /* when it knows of the signal */
};
#define SHORTLY_MICROSECONDS 2000
#define MOST_WAITS 50

/* What the tool reads, whoever has been killed. */
struct told {
    int calls; /* so far */
    int fired;
};

static struct {
    struct told *told;
    int at;
    int after; /* the call, or before it */
    enum action action;
    enum action then; /* has begun, and cuts the visit off later */
    pid_t leakgraph;
    pid_t target;
    int replaces; /* a byte that is written there replaces the target */
} armed;

void
arm(struct told *told, int at, int after, int action, int target, int replaces)
{
    *told = (struct told){0, 0};
    armed.told = told;
    armed.at = at;
    armed.after = after;
    armed.action = (enum action)action;
    armed.then = NOTHING;
    armed.leakgraph = getpid();
    armed.target = target;
    armed.replaces = replaces;
}

static void
hit_both(int number)
{
    pid_t self = (pid_t)syscall(SYS_getpid);
    kill(armed.leakgraph, number);
    if (self != armed.leakgraph)
        kill(self, number);
}

static void
cut(void)
{
    armed.told->fired = 1;
    kill((pid_t)syscall(SYS_getpid), SIGKILL);
}

/* Waits until the signal has stopped the target, if this process traces it. */
static void
begin(int number)
{
    const int options = WSTOPPED | __WALL | WNOHANG | WNOWAIT;
    siginfo_t found = {.si_pid = 0};
    armed.then = armed.action;
    kill(armed.target, number);
    for (int i = 0; i < MOST_WAITS && found.si_pid == 0; i++) {
        usleep(SHORTLY_MICROSECONDS);
        if (syscall(SYS_waitid, P_PID, armed.target, &found, options, NULL))
            break;
    }
}

static void
act(void)
{
    armed.told->fired = armed.action < LISTEN_AND_CUT;
    switch (armed.action) {
    case NOTHING:
        break;
    case KILL:
        hit_both(SIGKILL);
        break;
    case CUT:
        cut();
        break;
    case SUSPEND:
        hit_both(SIGSTOP);
        break;
    case STOP:
        kill(armed.target, SIGSTOP);
        break;
    case STOP_SHORTLY:
        kill(armed.target, SIGSTOP);
        usleep(SHORTLY_MICROSECONDS);
        kill(armed.target, SIGCONT);
        break;
    case SIGNAL:
        kill(armed.target, SIGUSR1);
        break;
    case REPLACE:
        if (write(armed.replaces, "x", 1) == 1)
            usleep(SHORTLY_MICROSECONDS);
        break;
    case STOP_AND_CUT:
        begin(SIGSTOP);
        cut();
        break;
    case LISTEN_AND_CUT:
    case CONTINUE_AND_CUT:
        begin(SIGSTOP);
        break;
    case SIGNAL_AND_CUT:
        begin(SIGUSR1);
        break;
    }
}

static long
trace(enum __ptrace_request request, pid_t process, void *address, void *word)
{
    long result = syscall(SYS_ptrace, request, process, address, word);
    bool cuts = armed.then == LISTEN_AND_CUT || armed.then == CONTINUE_AND_CUT;
    if (request == PTRACE_LISTEN && armed.then == CONTINUE_AND_CUT)
        kill(armed.target, SIGCONT);
    if (request == PTRACE_LISTEN && cuts)
        cut();
    return result;
}

static long
wait_for(idtype_t kind, id_t process, siginfo_t *out, int options)
{
    long result = syscall(SYS_waitid, kind, process, out, options, NULL);
    if (armed.then == SIGNAL_AND_CUT && result == 0 && out->si_pid != 0 &&
        out->si_status == SIGUSR1)
        cut();
    return result;
}

#define ATTEND(RETURNS, CALL)                                                  \
    int number = armed.told ? ++armed.told->calls : 0;                         \
    if (number && number == armed.at && !armed.after)                          \
        act();                                                                 \
    RETURNS result = (CALL);                                                   \
    if (number && number == armed.at && armed.after)                           \
        act();                                                                 \
    return result;

long
ptrace(enum __ptrace_request request, ...)
{
    va_list rest;
    va_start(rest, request);
    pid_t process = va_arg(rest, pid_t);
    void *address = va_arg(rest, void *);
    void *word = va_arg(rest, void *);
    va_end(rest);
    ATTEND(long, trace(request, process, address, word))
}

pid_t
waitpid(pid_t process, int *status, int options)
{
    ATTEND(pid_t, (pid_t)syscall(SYS_wait4, process, status, options, NULL))
}

int
waitid(idtype_t kind, id_t process, siginfo_t *out,
       int options){ATTEND(int, (int)wait_for(kind, process, out, options))}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at){
    ATTEND(ssize_t, syscall(SYS_pwrite64, file, bytes, size, at))}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t at){
    ATTEND(ssize_t, syscall(SYS_pwrite64, file, bytes, size, at))}

ssize_t sendmsg(int file, const struct msghdr *message, int flags){
    ATTEND(ssize_t, syscall(SYS_sendmsg, file, message, flags))}

ssize_t recvmsg(int file, struct msghdr *message, int flags)
{
    ATTEND(ssize_t, syscall(SYS_recvmsg, file, message, flags))
}

int
poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    ATTEND(int, (int)syscall(SYS_poll, files, count, milliseconds))
}
