// Sends DOT to the renderer and reads its reply at the same time, so that
// neither side waits for the other to read. Asks the monitor ten times a
// second.

#include "render/exchange.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TICK_SECONDS 0.1
/* A renderer that announces more is broken. */
#define MOST_BYTES (UINT64_C(1) << 30)

typedef struct dialogue {
    lg__exchange *with;
    size_t sent;
    size_t received; /* bytes of the head and what follows it */
    double asked;    /* when the monitor was last asked */
} dialogue;

static double
seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

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
        return LG__GARBLED;
    with->data = malloc((size_t)with->reply.length + 1);
    if (!with->data)
        return LG__NO_ROOM;
    with->data[with->reply.length] = '\0';
    return LG__REPLIED;
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
        return LG__REPLIED;
    *open = read > 0;
    if (!*open)
        return LG__REPLIED;
    state->received += (size_t)read;
    return state->received == head ? take_head(with) : LG__REPLIED;
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

void
lg__exchange_close(lg__exchange *exchange)
{
    for (int i = 0; i < 2; i++) {
        if (exchange->kept[i] >= 0)
            close(exchange->kept[i]);
        exchange->kept[i] = -1;
    }
}

lg__outcome
lg__exchange_run(lg__exchange *exchange)
{
    double start = seconds_now();
    dialogue state = {.with = exchange, .asked = start};
    lg__outcome outcome = LG__REPLIED;
    bool open = true, readable, writable, ended;
    exchange->kept[0] = exchange->kept[1] = -1;
    if (is_sent(&state)) // an empty DOT ends at once
        shutdown(exchange->worker->socket, SHUT_WR);
    while (outcome == LG__REPLIED && open && !is_whole(&state)) {
        wait_a_while(&state, &readable, &writable, &ended);
        if (writable && !is_sent(&state))
            send_some(&state);
        if (readable)
            outcome = receive_some(&state, &open);
        // A process forked meanwhile may hold the socket of a renderer that
        // ended.
        if (ended && !readable)
            open = false;
        double now = seconds_now();
        if (outcome == LG__REPLIED && !goes_on(&state, now))
            outcome = LG__STOPPED;
        else if (outcome == LG__REPLIED && exchange->seconds &&
                 now - start > exchange->seconds)
            outcome = LG__LATE;
    }
    // The renderer's own clock may be the first to end it.
    if (outcome == LG__REPLIED && !is_whole(&state))
        outcome = exchange->seconds && seconds_now() - start > exchange->seconds
                      ? LG__LATE
                      : LG__SILENT;
    if (outcome != LG__REPLIED) {
        free(exchange->data);
        exchange->data = NULL;
        lg__exchange_close(exchange);
    }
    return outcome;
}
