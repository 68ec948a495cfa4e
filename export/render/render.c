// Calls Graphviz in a process of its own, so that its crashes do not harm this
// one.
#include "render/render_private.h"
#include "render/reply.h"
#include "render/worker.h"

#include <leakgraph/base.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/render.h>
#include <leakgraph/internal/renderers.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// Reads numbers from the environment.

// Returns the number in a variable of the environment, or `usual` if there is
// none, if it is above `most`, or if the process has more rights than its
// user.
static unsigned
render_setting(const char *variable, unsigned usual, unsigned most)
{
    const char *given = secure_getenv(variable);
    char *end;
    unsigned long number = given ? strtoul(given, &end, 10) : 0;
    bool fine =
        given && given[0] >= '0' && given[0] <= '9' && !*end && number <= most;
    return fine ? (unsigned)number : usual;
}

typedef enum lg__outcome {
    REPLIED, /* the whole reply arrived */
    SILENT,  /* the renderer ended, or closed its output, before */
    GARBLED, /* it wrote something else */
    LATE,    /* the time ran out */
    STOPPED, /* the monitor stopped it */
    NO_ROOM, /* this process has no memory for the picture */
} lg__outcome;

/* A number that stands for this file. A program may close files that it did not
 * open, and get the number for one of its own. */
typedef struct file_mark {
    int number;
    dev_t device;
    ino_t inode;
} file_mark;

typedef struct kept {
    file_mark socket, pidfd;
    pid_t owner; // a forked child has a copy, and leaves it to its parent
    char terms[];
} kept;

typedef struct lg__exchange {
    const lg__worker *worker;
    const char *dot;
    size_t dot_length;
    unsigned seconds; /* 0: no limit */
    const lg_monitor *monitor;
    lg__drawn reply; /* result */
    char *data;      /* result: reply.length bytes and a NUL; free() it */
    int kept[2]; /* result: the files that came with it, or -1; close them */
} lg__exchange;

// Finds the renderer, starting from the file that contains this code.

/* Folders to search, relative to that file's folder, separated by colons. */
#ifndef LEAKGRAPH_RENDERER_FOLDERS
#define LEAKGRAPH_RENDERER_FOLDERS "."
#endif

// Finds the folder of the extension module, or else of the program: the link
// map has no name for the program itself.
static bool
find_home(char home[PATH_MAX])
{
    Dl_info info;
    struct link_map *map = NULL;
    bool known = dladdr1((void *)(uintptr_t)find_home, &info, (void **)&map,
                         RTLD_DL_LINKMAP) != 0;
    const char *file =
        known && map && map->l_name[0] ? map->l_name : "/proc/self/exe";
    if (!realpath(file, home))
        return false;
    char *slash = strrchr(home, '/');
    if (slash)
        *slash = '\0';
    return true;
}

static bool
is_in(const char *home, const char *folder, size_t length, char path[PATH_MAX])
{
    int wanted = snprintf(path, PATH_MAX, "%s/%.*s/leakgraph-render", home,
                          (int)length, folder);
    return wanted < PATH_MAX && !access(path, X_OK);
}

// Returns the path that LEAKGRAPH_RENDERER names, or else that of
// leakgraph-render, found from the command or from the extension module.
// LG_ERENDER if there is none.
static lg_status
renderer_find(char path[PATH_MAX], lg_error *err)
{
    char home[PATH_MAX] = "";
    const char *given = secure_getenv("LEAKGRAPH_RENDERER");
    if (given && given[0] && strlen(given) < PATH_MAX) {
        memcpy(path, given, strlen(given) + 1);
        return LG_OK;
    }
    const char *at = find_home(home) ? LEAKGRAPH_RENDERER_FOLDERS : "";
    while (*at) {
        size_t length = strcspn(at, ":");
        if (is_in(home, at, length, path))
            return LG_OK;
        at += length + (at[length] == ':');
    }
    return lg_error_set(err, LG_ERENDER,
                        "leakgraph-render, which draws pictures, is not "
                        "installed with %s: build leakgraph with Graphviz (on "
                        "Debian: apt install libgraphviz-dev) or save as .dot",
                        home);
}

// Sends DOT to the renderer and reads its reply at the same time, so that
// neither side waits for the other to read. Asks the monitor ten times a
// second.

#define TICK_SECONDS 0.1
/* A renderer that announces more is broken. */
#define MOST_BYTES (UINT64_C(1) << 30)

typedef struct dialogue {
    lg__exchange *with;
    size_t sent;
    size_t received; /* bytes of the head and what follows it */
    double asked;    /* when the monitor was last asked */
} dialogue;

static bool
is_sent(const dialogue *state)
{
    return state->sent == state->with->dot_length;
}

// Sends what the socket takes. A failure ends the sending only: the renderer
// may still say why.
static void
send_some(dialogue *state)
{
    const lg__exchange *with = state->with;
    ssize_t sent =
        send(with->worker->socket, with->dot + state->sent,
             with->dot_length - state->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    state->sent = sent < 0 ? with->dot_length : state->sent + (size_t)sent;
    if (is_sent(state))
        shutdown(with->worker->socket, SHUT_WR);
}

// Checks the head, and makes room for the rest.
static lg__outcome
take_head(lg__exchange *with)
{
    if (with->reply.magic != LG__DRAWN_MAGIC || with->reply.length > MOST_BYTES)
        return GARBLED;
    with->data = malloc((size_t)with->reply.length + 1);
    if (!with->data)
        return NO_ROOM;
    with->data[with->reply.length] = '\0';
    return REPLIED;
}

static bool
is_whole(const dialogue *state)
{
    return state->with->data &&
           state->received == sizeof(lg__drawn) + state->with->reply.length;
}

// Keeps the two files that the renderer may send, and no others.
static void
take_files(lg__exchange *with, struct msghdr *message)
{
    for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at;
         at = CMSG_NXTHDR(message, at)) {
        int files[2];
        if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS ||
            at->cmsg_len != CMSG_LEN(sizeof files) || with->kept[0] >= 0)
            continue;
        memcpy(with->kept, CMSG_DATA(at), sizeof files);
    }
}

// Receives bytes, and files with them.
static ssize_t
receive(lg__exchange *with, void *to, size_t room)
{
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {to, room};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t read = recvmsg(with->worker->socket, &message,
                           MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (read >= 0)
        take_files(with, &message);
    return read;
}

// Reads what is there; at the end of the reply, *open is false.
static lg__outcome
receive_some(dialogue *state, bool *open)
{
    lg__exchange *with = state->with;
    size_t head = sizeof with->reply, got = state->received;
    char *to =
        got < head ? (char *)&with->reply + got : with->data + (got - head);
    size_t room = got < head ? head - got : with->reply.length + head - got;
    ssize_t read = receive(with, to, room);
    if (read < 0 && (errno == EAGAIN || errno == EINTR))
        return REPLIED;
    *open = read > 0;
    if (!*open)
        return REPLIED;
    state->received += (size_t)read;
    return state->received == head ? take_head(with) : REPLIED;
}

static bool
goes_on(dialogue *state, double now)
{
    const lg_monitor *monitor = state->with->monitor;
    if (!monitor || now - state->asked < TICK_SECONDS)
        return true;
    state->asked = now;
    return monitor->tick(monitor->context, "drawing", 0);
}

// Waits for the socket, the end of the process, a signal or the next tick.
static void
wait_a_while(const dialogue *state, bool *readable, bool *writable, bool *ended)
{
    const lg__worker *worker = state->with->worker;
    short wanted = (short)(is_sent(state) ? POLLIN : POLLIN | POLLOUT);
    struct pollfd events[2] = {{worker->socket, wanted, 0},
                               {worker->pidfd, POLLIN, 0}};
    int count = poll(events, 2, (int)(TICK_SECONDS * 1000));
    *readable = count > 0 && events[0].revents & (POLLIN | POLLHUP | POLLERR);
    *writable = count > 0 && events[0].revents & POLLOUT;
    *ended = count > 0 && events[1].revents;
}

// Closes the files that came with the reply.
static void
exchange_close(lg__exchange *exchange)
{
    for (int i = 0; i < 2; i++) {
        if (exchange->kept[i] >= 0)
            close(exchange->kept[i]);
        exchange->kept[i] = -1;
    }
}

typedef struct limits {
    unsigned seconds;
    unsigned mebibytes;
    bool inherited; // the limit is that of this process
} limits;

#define USUAL_SECONDS 60u
#define USUAL_MEBIBYTES 2048u
#define MOST (1u << 20)
/* A shell's exit status when there is no such program, or the program's
 * libraries are missing. */
#define DID_NOT_START 127
#define REMEDY "ask for fewer nodes, or save as .dot"
#define RAISE "raise the limit on virtual memory (ulimit -v), or save as .dot"

static limits
current_limits(void)
{
    limits most = {
        render_setting("LEAKGRAPH_RENDER_SECONDS", USUAL_SECONDS, MOST),
        render_setting("LEAKGRAPH_RENDER_MEBIBYTES", USUAL_MEBIBYTES, MOST),
        false};
    struct rlimit ours;
    if (getrlimit(RLIMIT_AS, &ours) == 0 && ours.rlim_cur != RLIM_INFINITY) {
        rlim_t mebibytes = ours.rlim_cur >> 20;
        if (most.mebibytes == 0 || mebibytes < most.mebibytes) {
            most.mebibytes =
                (unsigned)(mebibytes < UINT_MAX ? mebibytes : UINT_MAX);
            most.inherited = true;
        }
    }
    return most;
}

struct lg_renderer {
    lg__worker worker;
    limits most;
    char format[16];
    char terms[PATH_MAX + 64]; // of kept_put
    bool again;                // it has drawn before
    bool spent;                // it has drawn its one picture and ended
};

static bool
is_open(const file_mark *one)
{
    struct stat is;
    return !fstat(one->number, &is) && is.st_dev == one->device &&
           is.st_ino == one->inode;
}

static bool
lives(const kept *one)
{
    struct pollfd end = {one->pidfd.number, POLLIN, 0};
    return is_open(&one->socket) && is_open(&one->pidfd) &&
           poll(&end, 1, 0) == 0;
}

// When nobody holds its socket, the renderer ends. Many kinds of files share
// the inode of a pidfd (Linux before 6.9), so the socket tells for both.
static void
leave(kept *one)
{
    bool ours = one && is_open(&one->socket);
    if (ours && is_open(&one->pidfd))
        close(one->pidfd.number);
    if (ours)
        close(one->socket.number);
    free(one);
}

static _Atomic(kept *) waiting;

// Hands over the kept renderer if it has these terms and lives. Otherwise ends
// it and returns false. The exchange gives the kept renderer to one thread
// only, which then uses or ends it.
static bool
kept_take(const char *terms, lg__worker *out)
{
    kept *one = atomic_exchange(&waiting, NULL);
    bool fits = one && one->owner == getpid() && !strcmp(one->terms, terms) &&
                lives(one);
    if (!fits) {
        leave(one);
        return false;
    }
    *out =
        (lg__worker){.socket = one->socket.number, .pidfd = one->pidfd.number};
    free(one);
    return true;
}

// True if the kernel gives this process the orphans among its descendants: it
// would find a child that it did not start.
static bool
adopts(void)
{
    int reaper = 0;
    return getpid() == 1 || (!prctl(PR_GET_CHILD_SUBREAPER, &reaper) && reaper);
}

// Keeps at most one renderer for the next picture.

#define USUAL_KEPT_SECONDS 10u
#define MOST_KEPT_SECONDS 3600u

// How long a renderer that starts now is to wait after its picture, in
// seconds; 0: not at all.
static unsigned
kept_seconds(void)
{
    return adopts() ? 0
                    : render_setting("LEAKGRAPH_RENDER_KEPT_SECONDS",
                                     USUAL_KEPT_SECONDS, MOST_KEPT_SECONDS);
}

// Takes the renderer that waits, unless a new one is wanted.
static lg_status
start(lg_renderer *self, const char *format, bool afresh, lg_error *err)
{
    char path[PATH_MAX], seconds[16], bytes[24], rest[16];
    self->most = current_limits();
    lg_status status = renderer_find(path, err);
    if (status)
        return status;
    snprintf(rest, sizeof rest, "%u", kept_seconds());
    snprintf(self->terms, sizeof self->terms, "%u %u %s %s", self->most.seconds,
             self->most.mebibytes, rest, path);
    self->again = !afresh && kept_take(self->terms, &self->worker);
    if (self->again)
        return LG_OK;
    snprintf(seconds, sizeof seconds, "%u", self->most.seconds);
    snprintf(bytes, sizeof bytes, "%llu",
             (unsigned long long)self->most.mebibytes << 20);
    char *arguments[] = {path, (char *)(uintptr_t)format, seconds, bytes, rest,
                         NULL};
    return lg__worker_start(&self->worker, arguments, err);
}

// REPLIED means that nothing has failed so far. The loop ends when the reply is
// whole, the other side is gone, something fails, the monitor stops it, or the
// time is up.
static lg__outcome
exchange_run(lg__exchange *exchange)
{
    double start = lg__seconds_now();
    dialogue state = {.with = exchange, .asked = start};
    lg__outcome outcome = REPLIED;
    bool open = true, readable, writable, ended;
    exchange->kept[0] = exchange->kept[1] = -1;
    if (is_sent(&state)) // an empty DOT ends at once
        shutdown(exchange->worker->socket, SHUT_WR);
    while (outcome == REPLIED && open && !is_whole(&state)) {
        wait_a_while(&state, &readable, &writable, &ended);
        if (writable && !is_sent(&state))
            send_some(&state);
        if (readable)
            outcome = receive_some(&state, &open);
        // A process forked meanwhile may hold the socket of a renderer that
        // ended.
        if (ended && !readable)
            open = false;
        double now = lg__seconds_now();
        if (outcome == REPLIED && !goes_on(&state, now))
            outcome = STOPPED;
        else if (outcome == REPLIED && exchange->seconds &&
                 now - start > exchange->seconds)
            outcome = LATE;
    }
    // The renderer's own clock may be the first to end it.
    if (outcome == REPLIED && !is_whole(&state))
        outcome =
            exchange->seconds && lg__seconds_now() - start > exchange->seconds
                ? LATE
                : SILENT;
    if (outcome != REPLIED) {
        free(exchange->data);
        exchange->data = NULL;
        exchange_close(exchange);
    }
    return outcome;
}

static file_mark
file_of(int number)
{
    struct stat is = {0};
    fstat(number, &is);
    return (file_mark){number, is.st_dev, is.st_ino};
}

// Keeps the renderer behind the files of lg__exchange, and ends the one that
// is kept so far. `terms` says which program it is, and its limits. Takes over
// the files.
static void
kept_put(const int files[2], const char *terms)
{
    size_t length = strlen(terms) + 1;
    kept *one = malloc(sizeof *one + length);
    if (!one) {
        close(files[0]);
        close(files[1]);
        return;
    }
    one->socket = file_of(files[0]);
    one->pidfd = file_of(files[1]);
    one->owner = getpid();
    memcpy(one->terms, terms, length);
    leave(atomic_exchange(&waiting, one));
}

static lg_status
add_image(lg_text *out, const char *data, size_t length, lg_error *err)
{
    lg_text_add_bytes(out, data, length);
    return out->failed
               ? lg_error_set(err, LG_ENOMEM, "memory ran out while drawing")
               : LG_OK;
}

// The renderer said nothing, so its end must explain the failure.
static lg_status
tell_end(lg__ending ending, int code, const limits *most, lg_error *err)
{
    if (ending == LG__ENDED_EXIT && code == DID_NOT_START && most->inherited)
        return lg_error_set(err, LG_ERENDER,
                            "the renderer does not start with %u MiB of "
                            "address space: " RAISE,
                            most->mebibytes);
    if (ending == LG__ENDED_EXIT && code == DID_NOT_START)
        return lg_error_set(err, LG_ERENDER,
                            "the renderer does not start: install Graphviz (on "
                            "Debian: apt install graphviz) or save as .dot");
    if (ending == LG__ENDED_SIGNAL && (code == SIGXCPU || code == SIGALRM))
        return lg_error_set(err, LG_ERENDER,
                            "drawing took longer than %u s: " REMEDY,
                            most->seconds);
    const char *remedy = most->inherited ? RAISE : REMEDY;
    char memory[40] = "";
    if (most->mebibytes)
        snprintf(memory, sizeof memory, ", with %u MiB of memory at most",
                 most->mebibytes);
    if (ending == LG__ENDED_SIGNAL)
        return lg_error_set(err, LG_ERENDER,
                            "the renderer ended with signal %d (%s)%s: %s",
                            code, strsignal(code), memory, remedy);
    if (ending == LG__ENDED_EXIT)
        return lg_error_set(err, LG_ERENDER,
                            "the renderer gave up with exit code %d and no "
                            "picture%s: %s",
                            code, memory, remedy);
    return lg_error_set(err, LG_ERENDER,
                        "the renderer ended without a picture: " REMEDY);
}

static lg_status
tell_outcome(lg__outcome outcome, lg__ending ending, int code,
             const limits *most, lg_error *err)
{
    switch (outcome) {
    case REPLIED:
        return LG_OK;
    case SILENT:
        return tell_end(ending, code, most, err);
    case LATE:
        return lg_error_set(err, LG_ERENDER,
                            "drawing took longer than %u s: " REMEDY,
                            most->seconds);
    case STOPPED:
        return lg_error_set(err, LG_ECANCELLED, "drawing was stopped");
    case NO_ROOM:
        return lg_error_set(err, LG_ENOMEM, "memory ran out while drawing");
    case GARBLED:
        break;
    }
    return lg_error_set(err, LG_ERENDER,
                        "the renderer answers nonsense: build leakgraph and "
                        "its leakgraph-render together, or save as .dot");
}

// The reply is complete: a picture, or a sentence.
static lg_status
take_reply(const lg__exchange *exchange, lg_text *out, lg_error *err)
{
    lg_status status = (lg_status)exchange->reply.status;
    if (status == LG_OK)
        return add_image(out, exchange->data, (size_t)exchange->reply.length,
                         err);
    return lg_error_set(err, status == LG_EINVAL ? LG_EINVAL : LG_ERENDER, "%s",
                        exchange->data);
}

// One that has drawn before does not know the format.
static lg__outcome
ask(const lg_renderer *self, lg__exchange *exchange)
{
    char line[sizeof self->format + 1];
    int length = snprintf(line, sizeof line, "%s\n", self->format);
    bool told = !self->again || send(self->worker.socket, line, (size_t)length,
                                     MSG_NOSIGNAL) == length;
    return told ? exchange_run(exchange) : SILENT;
}

// Ends the renderer, or lets it wait for the next picture.
static lg__ending
finish(lg_renderer *self, lg__exchange *exchange, lg__outcome outcome,
       int *code)
{
    lg__ending ending = LG__ENDED_UNKNOWN;
    self->spent = true;
    *code = 0;
    if (self->again && outcome == REPLIED)
        lg__worker_leave(&self->worker);
    else
        ending = lg__worker_end(&self->worker, code);
    if (outcome == REPLIED && exchange->kept[0] >= 0)
        kept_put(exchange->kept, self->terms);
    return ending;
}

// One that has drawn before may fail for this reason alone.
static bool
deserves_another(const lg_renderer *self, const lg__exchange *exchange,
                 lg__outcome outcome)
{
    return self->again &&
           (outcome == SILENT || outcome == GARBLED ||
            (outcome == REPLIED && exchange->reply.status != LG_OK));
}

// This calls itself at most once: a renderer that was started afresh has not
// drawn before, and deserves no other.
static lg_status
draw(lg_renderer *self, lg__exchange *exchange, lg_text *out, lg_error *err)
{
    exchange->worker = &self->worker;
    exchange->seconds = self->most.seconds;
    lg__outcome outcome = ask(self, exchange);
    int code;
    lg__ending ending = finish(self, exchange, outcome, &code);
    if (deserves_another(self, exchange, outcome)) {
        free(exchange->data);
        exchange->data = NULL;
        lg_status status = start(self, self->format, true, err);
        return status ? status : draw(self, exchange, out, err);
    }
    lg_status status = tell_outcome(outcome, ending, code, &self->most, err);
    if (!status)
        status = take_reply(exchange, out, err);
    free(exchange->data);
    return status;
}

static bool
is_text(const char *format)
{
    return !strcmp(format, "dot") || !strcmp(format, "gv");
}

lg_renderer *
lg_renderer_start(const char *format)
{
    lg_renderer *self = NULL;
    if (!is_text(format) && strlen(format) < sizeof self->format)
        self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    strcpy(self->format, format);
    if (!start(self, format, false, NULL))
        return self;
    free(self);
    return NULL;
}

void
lg_renderer_end(lg_renderer *self)
{
    int code;
    if (self && !self->spent)
        lg__worker_end(&self->worker, &code);
    free(self);
}

lg_status
lg_renderer_draw(lg_renderer *early, const char *dot, const char *format,
                 const lg_monitor *monitor, lg_text *out, lg_error *err)
{
    if (is_text(format))
        return add_image(out, dot, strlen(dot), err);
    lg_renderer late = {.spent = false};
    snprintf(late.format, sizeof late.format, "%s", format);
    lg__exchange exchange = {
        .dot = dot, .dot_length = strlen(dot), .monitor = monitor};
    if (early && !early->spent && !strcmp(early->format, format))
        return draw(early, &exchange, out, err);
    lg_status status = start(&late, format, false, err);
    return status ? status : draw(&late, &exchange, out, err);
}

lg_status
lg_dot_render(const char *dot, const char *format, const lg_monitor *monitor,
              lg_text *out, lg_error *err)
{
    return lg_renderer_draw(NULL, dot, format, monitor, out, err);
}
