#include "attach/landing.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define LANDING __attribute__((section("lg_landing_code"), used, noinline))

__asm__(".pushsection lg_landing_code,\"ax\",@progbits\n"
        ".globl lg__landing_trampoline\n"
        ".hidden lg__landing_trampoline\n"
        "lg__landing_trampoline:\n"
        "  call lg__landing_handle\n"
        "  mov %rbx, %rsp\n"
        "  mov $15, %eax\n" /* rt_sigreturn */
        "  syscall\n"
        /* Jumps to munmap(), which returns to the interpreter, because this
           code is gone by then. */
        ".globl lg__landing_pending\n"
        ".hidden lg__landing_pending\n"
        "lg__landing_pending:\n"
        "  push %rbx\n"
        "  mov %rdi, %rbx\n"
        "  call lg__landing_called\n"
        "  mov (%rbx), %rax\n"
        "  mov 8(%rbx), %rdi\n"
        "  mov 16(%rbx), %rsi\n"
        "  pop %rbx\n"
        "  test %rax, %rax\n"
        "  je 1f\n"
        "  jmp *%rax\n"
        "1: ret\n"
        ".popsection\n");

_Static_assert(offsetof(lg__landing, unmap) == 0 &&
                   offsetof(lg__landing, region) == 8 &&
                   offsetof(lg__landing, region_bytes) == 16,
               "as the code above reads them");

LANDING static long
call_system(long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

/* Writes the descriptor behind the path's slash. */
LANDING static void
complete_path(char *path, int descriptor)
{
    char digits[12];
    int count = 0;
    while (*path != '\0')
        path++;
    do {
        digits[count++] = (char)('0' + descriptor % 10);
        descriptor /= 10;
    } while (descriptor > 0);
    while (count > 0)
        *path++ = digits[--count];
    *path = '\0';
}

LANDING static void
refuse(lg__landing *self)
{
    const char *reason = self->complaint();
    size_t length = 0;
    while (reason != NULL && reason[length] != '\0' &&
           length + 1 < sizeof self->answer.text) {
        self->answer.text[length] = reason[length];
        length++;
    }
    self->answer.text[length] = '\0';
    self->answer.kind = LG__ANSWER_REFUSED;
    call_system(SYS_write, self->socket, (long)&self->answer,
                sizeof self->answer);
}

/* Whether the other end is still there: nothing has come from it yet, or
   something waits to be received. poll() would say so, too, but with a signal
   pending it writes over what the kernel needs to go on with the wait that was
   interrupted, and that wait would end early. */
LANDING static int
is_wanted(const lg__landing *self)
{
    char first;
    struct iovec part;
    struct msghdr message;
    part.iov_base = &first;
    part.iov_len = 1;
    message.msg_name = NULL;
    message.msg_namelen = 0;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = NULL;
    message.msg_controllen = 0;
    message.msg_flags = 0;
    long length = call_system(SYS_recvmsg, self->socket, (long)&message,
                              MSG_DONTWAIT | MSG_PEEK);
    return length > 0 || length == -EAGAIN || length == -EINTR;
}

/* Takes the orders and the two descriptors that come with them. */
LANDING static int
receive(const lg__landing *self, lg__orders *orders, int *descriptors)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct iovec part;
    struct msghdr message;
    part.iov_base = orders;
    part.iov_len = sizeof *orders;
    message.msg_name = NULL;
    message.msg_namelen = 0;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    message.msg_flags = 0;
    if (call_system(SYS_recvmsg, self->socket, (long)&message,
                    MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != sizeof *orders ||
        message.msg_controllen < CMSG_LEN(2 * sizeof(int)))
        return 0;
    const int *received = (const int *)(const void *)CMSG_DATA(&control.head);
    descriptors[0] = received[0];
    descriptors[1] = received[1];
    return 1;
}

/* Loads the library, lets it work, and unloads it. */
LANDING static void
work(lg__landing *self)
{
    lg__orders orders;
    int descriptors[2];
    if (!is_wanted(self) || !receive(self, &orders, descriptors))
        return;
    complete_path(self->link, descriptors[0]);
    void *library = NULL;
    if (self->path[0] != '\0')
        library = self->open(self->path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        library = self->open(self->link, RTLD_NOW | RTLD_LOCAL);
    call_system(SYS_close, descriptors[0], 0, 0);
    lg__attached_entry entry =
        library
            ? (lg__attached_entry)(uintptr_t)self->find(library, self->entry)
            : NULL;
    if (entry != NULL)
        entry(self->socket, descriptors[1], &orders);
    else
        refuse(self);
    call_system(SYS_close, descriptors[1], 0, 0);
    if (library != NULL)
        self->close(library);
}

/* The handler or the pending call does the work, whichever comes first. */
LANDING static void
work_once(lg__landing *self)
{
    if (self->begun || call_system(SYS_getpid, 0, 0, 0) != self->process)
        return;
    self->begun = 1;
    int *error_number = self->error_number();
    int before = *error_number;
    work(self);
    if (!self->here)
        call_system(SYS_close, self->socket, 0, 0);
    *error_number = before;
    self->left = 1;
}

LANDING void
lg__landing_called(lg__landing *self)
{
    self->queued = 0;
    work_once(self);
}

/* Waits until somebody moves this thread, or nobody is left to do so. No system
   call here may wait: that would end the wait that the thread came from. */
LANDING static void
linger(lg__landing *self)
{
    self->handled = 1;
    while (is_wanted(self))
        call_system(SYS_sched_yield, 0, 0, 0);
    if (self->here)
        call_system(SYS_close, self->socket, 0, 0);
}

/* A thread that waits without the GIL takes it; otherwise the interpreter calls
   when it is at a safe point. */
LANDING void
lg__landing_handle(lg__landing *self)
{
    int *error_number = self->error_number();
    int before = *error_number;
    if (self->here && !self->holds_gil()) {
        int state = self->take_gil();
        work_once(self);
        self->release_gil(state);
    } else {
        self->here = 0;
        self->queued = 1;
        if (self->add_pending(self->pending, self) != 0)
            self->queued = 0;
    }
    *error_number = before;
    linger(self);
}
