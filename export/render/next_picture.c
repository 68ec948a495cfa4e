// Waits for the next picture as a process that is no child of the caller.

#include "render/next_picture.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that has taken more draws its last picture. */
#define MOST_KIBIBYTES (256 << 10)

// Ends the way the child ends, so that the caller learns why.
static void
follow(pid_t child)
{
    int status = 0;
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    while (waitpid(child, &status, 0) < 0)
        ;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

lg__next
lg__next_begin(unsigned seconds)
{
    pid_t parent = getpid();
    pid_t child = seconds ? fork() : -1;
    if (child > 0)
        follow(child);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_FAILURE);
    }
    return (lg__next){
        .seconds = child < 0 ? 0 : seconds, .ours = -1, .offered = {-1, -1}};
}

static int
open_pidfd(void)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, getpid(), 0);
#else
    return -1;
#endif
}

void
lg__next_offer(lg__next *next)
{
    struct rusage used;
    int ends[2];
    if (!next->seconds || getrusage(RUSAGE_SELF, &used) ||
        used.ru_maxrss > MOST_KIBIBYTES ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return;
    next->ours = ends[0];
    next->offered[0] = ends[1];
    next->offered[1] = open_pidfd();
}

static bool
send_with(const int files[2], const void *head, size_t length)
{
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr aligned;
    } control = {{0}};
    struct iovec part = {(void *)head, length};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(rights), files, 2 * sizeof(int));
    return sendmsg(STDOUT_FILENO, &message, 0) == (ssize_t)length;
}

bool
lg__next_send(lg__next *next, const void *head, size_t length)
{
    bool sent = false;
    if (next->ours < 0)
        return false;
    // The caller ends our parent as soon as the reply is complete.
    prctl(PR_SET_PDEATHSIG, 0);
    if (next->offered[1] >= 0) {
        sent = send_with(next->offered, head, length);
        close(next->offered[1]);
    }
    close(next->offered[0]);
    if (!sent) {
        close(next->ours);
        next->ours = -1;
    }
    return sent;
}

// A lower limit of the caller's own stays.
static void
allow(unsigned seconds)
{
    struct rusage used;
    struct rlimit most;
    if (!seconds || getrusage(RUSAGE_SELF, &used) ||
        getrlimit(RLIMIT_CPU, &most) || most.rlim_cur < seconds)
        return;
    most.rlim_cur =
        (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds + 1;
    setrlimit(RLIMIT_CPU, &most);
}

bool
lg__next_await(lg__next *next, unsigned seconds)
{
    if (next->ours < 0)
        return false;
    alarm(0);
    allow(seconds);
    dup2(next->ours, STDIN_FILENO);
    dup2(next->ours, STDOUT_FILENO);
    close(next->ours);
    next->ours = -1;
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, (int)next->seconds * 1000) > 0;
}
