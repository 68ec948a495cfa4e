// Runs a program that works for us over a socket.

#include "render/worker.h"

#include <leakgraph/internal/writing.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A killed process ends sooner, unless the kernel itself hangs. */
#define PATIENCE_MS 2000
/* P_PIDFD, which glibc has since 2.36. */
#define BY_PIDFD ((idtype_t)3)

// Leaves out what is preloaded here, such as an allocator or a profiler.
static bool
is_kept(const char *variable)
{
    static const char *const left_out[] = {"LD_PRELOAD=", "LD_AUDIT="};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (!strncmp(variable, left_out[i], strlen(left_out[i])))
            return false;
    }
    return true;
}

// Returns its environment; the strings stay where they are.
static char **
make_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **copy = malloc((count + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        if (is_kept(environ[i]))
            copy[kept++] = environ[i];
    }
    if (copy)
        copy[kept] = NULL;
    return copy;
}

static int
set_files(posix_spawn_file_actions_t *files, int socket)
{
    int failed = posix_spawn_file_actions_adddup2(files, socket, 0);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(files, 0, 1);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(files, 2, "/dev/null",
                                                  O_WRONLY, 0);
    return failed;
}

// Resets signals to what a new program expects, whatever we ignore or block.
static int
set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    short flags = (short)(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                          POSIX_SPAWN_SETSIGMASK);
    int failed = posix_spawnattr_setflags(attributes, flags);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(attributes, &all);
    if (!failed)
        failed = posix_spawnattr_setsigmask(attributes, &none);
    return failed;
}

// Returns an errno, or 0.
static int
spawn(pid_t *pid, int socket, char *const *arguments)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    char **environment = make_environment();
    if (!environment)
        return ENOMEM;
    int failed = posix_spawn_file_actions_init(&files);
    if (failed)
        goto done;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = set_files(&files, socket);
        if (!failed)
            failed = set_attributes(&attributes);
        if (!failed)
            failed = posix_spawn(pid, arguments[0], &files, &attributes,
                                 arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
done:
    free(environment);
    return failed;
}

static int
open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

lg_status
lg__worker_start(lg__worker *worker, char *const *arguments, lg_error *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return lg_error_set(err, LG_ERENDER, "cannot talk to %s: %s",
                            arguments[0], strerror(errno));
    pid_t pid = 0;
    int failed = spawn(&pid, ends[1], arguments);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return lg_error_set(err, LG_ERENDER, "%s does not start: %s",
                            arguments[0], strerror(failed));
    }
    int pidfd = open_pidfd(pid);
    *worker = (lg__worker){.socket = ends[0],
                           .pidfd = pidfd,
                           .type = pidfd < 0 ? P_PID : BY_PIDFD,
                           .id = (id_t)(pidfd < 0 ? pid : pidfd),
                           .pid = pid};
    return LG_OK;
}

static int
wait_for(const lg__worker *worker, siginfo_t *info, int options)
{
    int failed;
    info->si_pid = 0;
    do
        failed = waitid(worker->type, worker->id, info, options | WNOHANG);
    while (failed && errno == EINTR);
    return failed;
}

// Of children, kills only one that nobody has reaped.
static void
kill_it(const lg__worker *worker)
{
    siginfo_t info;
    if (worker->pid &&
        (wait_for(worker, &info, WEXITED | WNOWAIT) || info.si_pid))
        return;
#ifdef SYS_pidfd_send_signal
    if (worker->pidfd >= 0 &&
        !syscall(SYS_pidfd_send_signal, worker->pidfd, SIGKILL, NULL, 0))
        return;
#endif
    if (worker->pid)
        kill(worker->pid, SIGKILL);
}

// True once the program has ended, by itself or killed.
static bool
reap(const lg__worker *worker, siginfo_t *info)
{
    int step = worker->pidfd < 0 ? 1 : PATIENCE_MS;
    for (int waited = 0; waited <= PATIENCE_MS; waited += step) {
        if (wait_for(worker, info, WEXITED))
            return false;
        if (info->si_pid)
            return true;
        struct pollfd end = {worker->pidfd, POLLIN, 0};
        poll(&end, 1, step);
    }
    return false;
}

lg__ending
lg__worker_end(lg__worker *worker, int *code)
{
    siginfo_t info;
    close(worker->socket);
    kill_it(worker);
    bool known = worker->pid && reap(worker, &info);
    if (worker->pidfd >= 0)
        close(worker->pidfd);
    *worker = (lg__worker){.socket = -1, .pidfd = -1};
    *code = known ? info.si_status : 0;
    if (!known)
        return LG__ENDED_UNKNOWN;
    return info.si_code == CLD_EXITED ? LG__ENDED_EXIT : LG__ENDED_SIGNAL;
}

void
lg__worker_leave(lg__worker *worker)
{
    close(worker->socket);
    close(worker->pidfd);
    *worker = (lg__worker){.socket = -1, .pidfd = -1};
}
