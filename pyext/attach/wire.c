#include "attach/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 2 };

/** Room for the descriptors of a message. */
typedef union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
} control;

bool
lg__wire_send(int socket, const void *bytes, size_t size,
              const int *descriptors, size_t count)
{
    control with = {.room = ""};
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = &with;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        with.head.cmsg_level = SOL_SOCKET;
        with.head.cmsg_type = SCM_RIGHTS;
        with.head.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&with.head), descriptors, count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

bool
lg__wire_receive(int socket, void *bytes, size_t size, int descriptors[2])
{
    const int flags = MSG_DONTWAIT | MSG_CMSG_CLOEXEC;
    control with = {.room = ""};
    struct iovec part = {bytes, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &with,
                             .msg_controllen = sizeof with};
    descriptors[0] = descriptors[1] = -1;
    ssize_t length = recvmsg(socket, &message, flags);
    /* An end that was closed with unread orders says so before all else. */
    if (length < 0 && errno == ECONNRESET)
        length = recvmsg(socket, &message, flags);
    if (length >= 0 && message.msg_controllen >= CMSG_LEN(sizeof(int)))
        memcpy(descriptors, CMSG_DATA(&with.head),
               with.head.cmsg_len - CMSG_LEN(0));
    if (length == (ssize_t)size)
        return true;
    for (int i = 0; i < MOST_DESCRIPTORS; i++) {
        if (descriptors[i] >= 0)
            close(descriptors[i]);
        descriptors[i] = -1;
    }
    return false;
}

/** Opens nothing but what the kernel itself calls a pipe: to open a file of
 *  another kind might wait, or do something. */
bool
lg__wire_reopen_pipe(int *descriptor)
{
    static const char kind[] = "pipe:[";
    char path[64], name[sizeof kind];
    snprintf(path, sizeof path, "/proc/self/fd/%d", *descriptor);
    if (readlink(path, name, sizeof name) != (ssize_t)sizeof name ||
        memcmp(name, kind, sizeof kind - 1) != 0)
        return false;
    int own = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (own < 0)
        return false;
    close(*descriptor);
    *descriptor = own;
    return true;
}
