/**
 * The library that a process loads, and that answers for it: it names the
 * process of STRANGER as the child that captures, and reports nothing. With
 * WAITS in the environment, a read() of its pipe waits. With SENDS, it sends
 * that file instead of the pipe.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FORKED = 3 };

/* As pyext/attach/wire.h has it. */
typedef struct answer {
    uint32_t kind;
    uint32_t status;
    int32_t child;
    bool orphaned;
    double pause;
    char text[480];
} answer;

void
lg_attached(int socket, int file, const void *orders)
{
    int ends[2];
    answer told = {.kind = FORKED, .orphaned = true};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control = {.room = ""};
    struct iovec part = {&told, sizeof told};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    (void)file, (void)orders;
    if (pipe2(ends, getenv("WAITS") ? 0 : O_NONBLOCK) != 0)
        abort();
    if (getenv("SENDS"))
        ends[0] = open(getenv("SENDS"), O_RDWR);
    const int sent[] = {
        ends[0], (int)syscall(SYS_pidfd_open, atoi(getenv("STRANGER")), 0)};
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof sent);
    memcpy(CMSG_DATA(&control.head), sent, sizeof sent);
    sendmsg(socket, &message, 0);
}
