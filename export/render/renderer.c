// leakgraph-render draws one picture and ends, or waits for the next one. It is
// a process of its own, so that Graphviz's crashes harm no other.

#include "render/graphviz.h"
#include "render/next_picture.h"
#include "render/own_fonts.h"
#include "render/reply.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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
        lg__next_offer(next);
    }
    if (error.status) {
        data = error.message;
        length = strlen(data);
    }
    lg__drawn reply = {LG__DRAWN_MAGIC, (uint32_t)error.status, length};
    if (!lg__next_send(next, &reply, sizeof reply))
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
    lg__next next = lg__next_begin((unsigned)strtoul(argv[4], NULL, 10));
    lg__own_fonts_use();
    if (!has_input(0))
        lg__graphviz_warm_up(argv[1]);
    has_input(-1);
    bool first = true;
    do {
        alarm(seconds); // 0 is no signal
        if (!draw(argv[1], first, &next))
            break;
        first = false;
    } while (lg__next_await(&next, seconds));
    _exit(EXIT_SUCCESS);
}
