// leakgraph-render draws one picture and ends, or waits for the next one. It is
// a process of its own, so that Graphviz's crashes harm no other.
#include "render/graphviz.h"
#include "render/reply.h"

#include <stdbool.h>
#include <stddef.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct lg__next {
    unsigned seconds; /* to wait; 0: this picture is the last */
    int ours;         /* our end of the socket for the next picture, or -1 */
    int offered[2];   /* what the caller gets: its end, a pidfd of ours */
} lg__next;

// Waits for the next picture as a process that is no child of the caller.

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

// Divides the process if it may wait: the child draws, and is all that comes
// back from here. The parent is what the caller knows. It ends the child when
// it is killed before the first picture is drawn, and ends like the child.
static lg__next
next_begin(unsigned seconds)
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

// Makes what the caller needs to ask for another picture, unless drawing took
// so much memory that a new process is better. Graphviz frees nothing here.
static void
next_offer(lg__next *next)
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

// Sends the head of a reply, and with it what was offered. Returns false if
// nothing is offered.
static bool
next_send(lg__next *next, const void *head, size_t length)
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

// Waits for the next picture on standard input, and allows `seconds` more of
// processor time for it. Returns false if none comes.
static bool
next_await(lg__next *next, unsigned seconds)
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

// A wheel brings fonts for machines that have none.

#define FOLDER ".libs"
#define FILE_NAME "/fonts.conf"

// Lets fontconfig read `leakgraph-render.libs/fonts.conf`, if the renderer has
// such a file beside it and FONTCONFIG_FILE names no other. Its folder becomes
// the current one: fontconfig resolves `<dir prefix="cwd">` against that.
static void
own_fonts_use(void)
{
    char path[PATH_MAX];
    size_t room = sizeof path - sizeof FOLDER FILE_NAME;
    ssize_t length = readlink("/proc/self/exe", path, room);
    if (length <= 0 || (size_t)length == room || getenv("FONTCONFIG_FILE"))
        return;
    char *end = path + length;
    strcpy(end, FOLDER FILE_NAME);
    if (access(path, R_OK))
        return;
    setenv("FONTCONFIG_FILE", path, 1);
    end[strlen(FOLDER)] = '\0';
    int ignored = chdir(path);
    (void)ignored;
}

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

static void
limit(int resource, rlim_t most)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now))
        return;
    if (now.rlim_cur != RLIM_INFINITY && now.rlim_cur < most)
        return;
    now.rlim_cur = most;
    setrlimit((__rlimit_resource_t)resource, &now);
}

// If memory runs out, the kernel ends this process first.
static void
volunteer(void)
{
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t written = write(file, "1000", 4);
    (void)written;
    close(file);
}

// Nobody waits for a picture whose caller is gone, nor for a core file.
static void
limit_all(unsigned seconds, uint64_t bytes)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit(RLIMIT_CORE, 0);
    volunteer();
    if (seconds)
        limit(RLIMIT_CPU, seconds);
    // A sanitizer's shadow is address space, too.
    if (bytes && !IS_SANITIZED)
        limit(RLIMIT_AS, bytes);
}

// Closes the caller's files that were not marked close-on-exec.
static void
close_others(void)
{
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, 0u);
#endif
}

// True unless the caller is still choosing what to draw.
static bool
has_input(int patience_ms)
{
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, patience_ms) != 0;
}

// Reads to the end, and adds a NUL; NULL if memory runs out.
static char *
read_all(void)
{
    size_t length = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text) {
        ssize_t more = read(STDIN_FILENO, text + length, room - length - 1);
        if (more < 0)
            _exit(EXIT_FAILURE);
        if (!more)
            break;
        length += (size_t)more;
        if (length + 1 == room)
            text = realloc(text, room *= 2);
    }
    if (text)
        text[length] = '\0';
    return text;
}

static void
write_all(const void *from, size_t length)
{
    const char *data = from;
    while (length) {
        ssize_t written = write(STDOUT_FILENO, data, length);
        if (written < 0)
            _exit(EXIT_FAILURE);
        data += written;
        length -= (size_t)written;
    }
}

// Draws what comes, and replies. After the first picture a line with its format
// precedes each. Returns false if none comes.
static bool
draw(const char *format, bool first, lg__next *next)
{
    char *data = NULL;
    size_t length = 0;
    lg_error error = {.status = LG_ENOMEM,
                      .message = "memory ran out while drawing"};
    char *dot = read_all();
    char *line = dot && !first ? strchr(dot, '\n') : NULL;
    if (!first && !line)
        return false;
    if (line) {
        *line = '\0';
        format = dot;
        dot = line + 1;
    }
    if (dot && !lg__graphviz_draw(dot, format, &data, &length, &error)) {
        error.status = LG_OK;
        next_offer(next);
    }
    if (error.status) {
        data = error.message;
        length = strlen(data);
    }
    lg__drawn reply = {LG__DRAWN_MAGIC, (uint32_t)error.status, length};
    if (!next_send(next, &reply, sizeof reply))
        write_all(&reply, sizeof reply);
    write_all(data, length);
    return true;
}

int
main(int argc, char **argv)
{
    if (argc != 5) {
        fputs("leakgraph-render: leakgraph starts this program to draw; see "
              "leakgraph render --help\n",
              stderr);
        return 2;
    }
    close_others();
    unsigned seconds = (unsigned)strtoul(argv[2], NULL, 10);
    limit_all(seconds, strtoull(argv[3], NULL, 10));
    lg__next next = next_begin((unsigned)strtoul(argv[4], NULL, 10));
    own_fonts_use();
    if (!has_input(0))
        lg__graphviz_warm_up(argv[1]);
    has_input(-1);
    bool first = true;
    do {
        alarm(seconds); // 0 is no signal
        if (!draw(argv[1], first, &next))
            break;
        first = false;
    } while (next_await(&next, seconds));
    _exit(EXIT_SUCCESS);
}
