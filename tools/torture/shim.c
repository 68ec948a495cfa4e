/**
 * Preloaded into leakgraph: does harm at its Nth call of those by which it
 * touches another process. The calls of a visit count as well, because its
 * process shares this memory.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum action {
    NOTHING,
    KILL,
    CUT,
    SUSPEND,
    STOP,
    STOP_SHORTLY,
    SIGNAL,
    REPLACE
};
#define SHORTLY_MICROSECONDS 2000

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
act(void)
{
    armed.told->fired = 1;
    switch (armed.action) {
    case NOTHING:
        break;
    case KILL:
        hit_both(SIGKILL);
        break;
    case CUT:
        kill((pid_t)syscall(SYS_getpid), SIGKILL);
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
    }
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
    ATTEND(long, syscall(SYS_ptrace, request, process, address, word))
}

pid_t
waitpid(pid_t process, int *status, int options){
    ATTEND(pid_t, (pid_t)syscall(SYS_wait4, process, status, options, NULL))}

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
