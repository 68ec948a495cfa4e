#include "attach/injected.h"
#include "attach/outcome.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* How this calls the kernel: it has no library and no data of its own. The
 * fifth and sixth arguments are those of mmap() without a file. */
static inline __attribute__((always_inline)) long
call_kernel(long number, long first, long second, long third, long fourth)
{
    long result;
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = -1;
    register long r9 __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third),
                       "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#define STUB                                                                   \
    __attribute__((section("lg_stub_code"), used, noinline, optimize("Os")))

/** What the entry pushes. */
typedef struct saved {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rdi, rsi, rbp, rdx, rcx, rbx, rax;
    uint64_t flags;
} saved;

/* The red zone is skipped first. `lea` and `jmp` leave the flags alone, and a
   jump leaves a shadow stack alone. The end stands behind all code, and the
   assembler refuses code that reaches beyond it. */
__asm__(".pushsection lg_stub_code,\"ax\",@progbits\n"
        "stub_cells: .fill 136,1,0x90\n"
        "stub_repeat:\n"
        "  jmp 1f\n"
        ".globl lg__stub_plain\n"
        ".hidden lg__stub_plain\n"
        "lg__stub_plain:\n"
        "  lea -128(%rsp),%rsp\n"
        "  pushfq\n"
        "  push %rax\n"
        "  xor %eax,%eax\n"
        "  jmp 2f\n"
        "1:lea -128(%rsp),%rsp\n"
        "  pushfq\n"
        "  push %rax\n"
        "  mov $1,%eax\n"
        "2:cld\n"
        "  push %rbx\n  push %rcx\n  push %rdx\n  push %rbp\n  push %rsi\n"
        "  push %rdi\n  push %r8\n  push %r9\n  push %r10\n  push %r11\n"
        "  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp,%rdi\n"
        "  lea stub_cells(%rip),%rsi\n"
        "  mov %eax,%edx\n"
        "  mov %rsp,%rbx\n"
        "  and $-64,%rsp\n"
        "  call lg__stub_run\n"
        "  mov %rbx,%rsp\n"
        "  test %eax,%eax\n"
        ".macro go_home cell\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %r11\n"
        "  pop %r10\n  pop %r9\n  pop %r8\n  pop %rdi\n  pop %rsi\n"
        "  pop %rbp\n  pop %rdx\n  pop %rcx\n  pop %rbx\n  pop %rax\n"
        "  popfq\n"
        "  lea 128(%rsp),%rsp\n"
        "  jmp *\\cell(%rip)\n"
        ".endm\n"
        "  jne 3f\n"
        "  go_home stub_cells+8\n"
        "3:go_home stub_cells+16\n"
        ".subsection 1\n"
        ".org " LG__TEXT(LG__STUB_BYTES) "\n"
                                         ".popsection\n");

_Static_assert(sizeof(lg__stub_cells) == 136 &&
                   offsetof(lg__stub_cells, home) == 8 &&
                   offsetof(lg__stub_cells, repeat) == 16,
               "as the code above has it");

/* Whether the handlers of these signals end the interrupted call with EINTR. If
   the kernel would repeat it after one of them, it is repeated. */
STUB static int
is_ended(uint64_t error, uint64_t signals)
{
    enum { RESTARTSYS = 512, RESTARTNOINTR = 513 };
    uint64_t action[4];
    int ended = 0;
    for (; signals; signals &= signals - 1) {
        call_kernel(SYS_rt_sigaction, __builtin_ctzl(signals) + 1, 0,
                    (long)action, 8);
        if (action[0] <= 1)
            continue;
        if (error == RESTARTNOINTR ||
            (error == RESTARTSYS && (action[1] & SA_RESTART)))
            return 0;
        ended = 1;
    }
    return ended;
}

/* The signals of which Python has yet to tell the program. The handler of one
   that came to the whole process while this thread blocked it has run on
   another thread. */
STUB static uint64_t
signals_of_python(const lg__stub_cells *cells)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < 64 && cells->signals; i++)
        if (*(volatile int *)(cells->signals + i * cells->stride))
            found |= (uint64_t)1 << i;
    return found;
}

/* Opens signals whose handlers are in Python's code, which return. C code may
   have put others in their place, which leave by longjmp(). */
STUB static void
open_signals(const lg__stub_cells *cells)
{
    uint64_t action[4], returning = 0, before;
    for (uint64_t left = cells->open; left; left &= left - 1) {
        call_kernel(SYS_rt_sigaction, __builtin_ctzl(left) + 1, 0, (long)action,
                    8);
        if (action[0] - cells->code < cells->code_bytes)
            returning |= left & -left;
    }
    call_kernel(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&returning,
                (long)&before, 8);
}

/* The region stays if what was called asks for it. */
STUB static void
be_visited(void)
{
    long keep = 0;
    long region =
        call_kernel(SYS_mmap, 0, LG__REGION_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS);
    if (region < 0 && region > -4096)
        return;
    call_kernel(SYS_sched_yield, region, 0, 0, 0);
    uint64_t go = *(volatile uint64_t *)(region + LG__REGION_CODE);
    if (go && call_kernel(SYS_mprotect, region, LG__REGION_CODE,
                          PROT_READ | PROT_EXEC, 0) == 0)
        keep = ((int (*)(long))(region + (long)go))(region);
    if (!keep)
        call_kernel(SYS_munmap, region, LG__REGION_BYTES, 0, 0);
}

/* Returns whether a handler has run since, on this stack. The kernel writes the
   last word of a frame's registers right below the red zone. */
STUB static int
unblock(uint64_t mask)
{
    enum { RED_WORDS = 16, TOP_WORDS = 16 };
    uint64_t *stack, found = 0;
    __asm__ volatile("mov %%rsp,%0" : "=r"(stack));
    volatile uint64_t *top = stack - RED_WORDS - TOP_WORDS;
    for (int i = 0; i < TOP_WORDS; i++)
        top[i] = 0;
    call_kernel(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
    for (int i = 0; i < TOP_WORDS; i++)
        found |= top[i];
    return found != 0;
}

STUB static void
try_call(const lg__stub_cells *cells)
{
    call_kernel(cells->probe, (long)cells->words[0], (long)cells->words[1],
                (long)cells->words[2], 0);
}

/* Returns whether to go home to the `syscall` instruction. */
STUB int
lg__stub_run(saved *thread, const lg__stub_cells *cells, int repeat)
{
    uint64_t mask = 0, waiting = 0;
    if (cells->bare) {
        try_call(cells);
        return repeat;
    }
    call_kernel(SYS_rt_sigprocmask, SIG_SETMASK, (long)&cells->quiet,
                (long)&mask, 8);
    /* Usually the visitor has lived long enough to block them itself. */
    if (mask == cells->quiet)
        mask = cells->mask;
    open_signals(cells);
    if (cells->probe >= 0)
        try_call(cells);
    else
        be_visited();
    call_kernel(SYS_rt_sigpending, (long)&waiting, 8, 0, 0);
    int ended = repeat && is_ended(cells->error, waiting & ~mask);
    waiting = unblock(mask) ? ~(uint64_t)0
                            : signals_of_python(cells) & ~cells->before;
    waiting &= ~(mask | LG__SIGNALS_OF_LIBRARY);
    if (!ended && !(repeat && is_ended(cells->error, waiting)))
        return repeat;
    thread->rax = (uint64_t)-EINTR;
    return 0;
}

#define BOOTSTRAP __attribute__((section("lg_bootstrap_code"), used, noinline))

/* The entry keeps all vector registers in the region and loads those that C
   code expects, except for the rights to memory (PKRU).

   The pending call jumps to munmap(), which returns to the interpreter, because
   this code is gone by then.

   The end stands behind all code, and the assembler refuses code that reaches
   beyond it. */
__asm__(".pushsection lg_bootstrap_code,\"ax\",@progbits\n"
        ".globl lg__bootstrap_entry\n"
        ".hidden lg__bootstrap_entry\n"
        "  nop\n"
        "lg__bootstrap_entry:\n"
        "  push %rbx\n"
        "  push %rbp\n"
        "  sub $8,%rsp\n"
        "  mov %rdi,%rbx\n"
        "  lea 8192(%rbx),%rbp\n"
        "  mov $-1,%eax\n"
        "  mov $-1,%edx\n"
        "  xsave64 (%rbp)\n"
        "  mov $-513,%eax\n"
        "  mov $-1,%edx\n"
        "  xrstor64 4160(%rbx)\n"
        "  lea 4096(%rbx),%rdi\n"
        "  call lg__bootstrap_run\n"
        "  mov %eax,%ecx\n"
        "  mov $-1,%eax\n"
        "  mov $-1,%edx\n"
        "  xrstor64 (%rbp)\n"
        "  mov %ecx,%eax\n"
        "  add $8,%rsp\n"
        "  pop %rbp\n"
        "  pop %rbx\n"
        "  ret\n"
        ".globl lg__bootstrap_pending\n"
        ".hidden lg__bootstrap_pending\n"
        "lg__bootstrap_pending:\n"
        "  push %rbx\n"
        "  mov %rdi,%rbx\n"
        "  call lg__bootstrap_called\n"
        "  mov 8(%rbx),%rax\n"
        "  mov 16(%rbx),%rdi\n"
        "  mov 24(%rbx),%rsi\n"
        "  pop %rbx\n"
        "  jmp *%rax\n"
        ".subsection 1\n"
        ".org " LG__TEXT(LG__REGION_CODE) "\n"
                                          ".popsection\n");

_Static_assert(offsetof(lg__bootstrap, unmap) == 8 &&
                   offsetof(lg__bootstrap, region) == 16 &&
                   offsetof(lg__bootstrap, region_bytes) == 24 &&
                   offsetof(lg__bootstrap, clean) == 64 &&
                   LG__REGION_CODE == 4096 && LG__REGION_DATA == 4096,
               "as the code above has it");
_Static_assert(sizeof(lg__bootstrap) <= LG__REGION_DATA,
               "fits into the region");

/* Writes the descriptor behind the path's slash. */
BOOTSTRAP static void
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

BOOTSTRAP static void
close_descriptor(int descriptor)
{
    if (descriptor >= 0)
        call_kernel(SYS_close, descriptor, 0, 0, 0);
}

/* 0: none. */
BOOTSTRAP static uint64_t
inode_of(int descriptor)
{
    struct stat file;
    return call_kernel(SYS_fstat, descriptor, (long)&file, 0, 0) == 0
               ? file.st_ino
               : 0;
}

BOOTSTRAP static int
has_end(const lg__bootstrap *self)
{
    return self->inode != 0 && inode_of(self->ends[1]) == self->inode;
}

BOOTSTRAP static void
close_end(const lg__bootstrap *self)
{
    if (has_end(self))
        close_descriptor(self->ends[1]);
}

BOOTSTRAP static void
answer(lg__bootstrap *self, lg__answer_kind kind, unsigned status)
{
    self->answer.kind = kind;
    self->answer.status = status;
    call_kernel(SYS_write, self->ends[1], (long)&self->answer,
                sizeof self->answer, 0);
}

BOOTSTRAP static void
refuse(lg__bootstrap *self)
{
    const char *reason = self->complaint();
    size_t length = 0;
    while (reason != NULL && reason[length] != '\0' &&
           length + 1 < sizeof self->answer.text) {
        self->answer.text[length] = reason[length];
        length++;
    }
    self->answer.text[length] = '\0';
    answer(self, LG__ANSWER_REFUSED, 0);
}

/* Whether the other end is open. Waits here must leave alone what the kernel
   keeps for the wait that was interrupted: ppoll() does, poll() does not. */
BOOTSTRAP static int
is_wanted(const lg__bootstrap *self)
{
    struct pollfd end;
    struct timespec none;
    end.fd = self->ends[1];
    end.events = POLLIN;
    end.revents = 0;
    none.tv_sec = 0;
    none.tv_nsec = 0;
    return has_end(self) &&
           call_kernel(SYS_ppoll, (long)&end, 1, (long)&none, 0) == 1 &&
           !(end.revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Takes the descriptors of a message; the kernel may have given only some. */
BOOTSTRAP static void
take_descriptors(const struct msghdr *message, const struct cmsghdr *head,
                 int *out)
{
    const int *received = (const int *)(const void *)CMSG_DATA(head);
    size_t length = message->msg_controllen < sizeof *head ? 0 : head->cmsg_len;
    for (size_t i = 0; i < 2; i++)
        out[i] = length >= CMSG_LEN((i + 1) * sizeof(int)) ? received[i] : -1;
}

/* Takes the orders and the two descriptors that come with them. */
BOOTSTRAP static int
receive(const lg__bootstrap *self, lg__orders *orders, int *descriptors)
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
    descriptors[0] = descriptors[1] = -1;
    if (call_kernel(SYS_recvmsg, self->ends[1], (long)&message,
                    MSG_DONTWAIT | MSG_CMSG_CLOEXEC, 0) != sizeof *orders)
        return 0;
    take_descriptors(&message, &control.head, descriptors);
    return descriptors[1] >= 0;
}

/* Loads the library, lets it work, and unloads it. */
BOOTSTRAP static void
use_library(lg__bootstrap *self, const lg__orders *orders, int source,
            int graph)
{
    void *library = NULL;
    complete_path(self->link, source);
    if (self->path[0] != '\0')
        library = self->open(self->path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        library = self->open(self->link, RTLD_NOW | RTLD_LOCAL);
    close_descriptor(source);
    lg__attached_entry entry =
        library
            ? (lg__attached_entry)(uintptr_t)self->find(library, self->entry)
            : NULL;
    if (entry != NULL)
        entry(self->ends[1], graph, orders);
    else
        refuse(self);
    if (library != NULL)
        self->close(library);
}

/* On the stack that the interpreter has left. */
BOOTSTRAP static void
follow(lg__bootstrap *self, const lg__orders *orders, int source, int graph)
{
    if (!lg__stack_is_low((uintptr_t)__builtin_frame_address(0),
                          orders->stack_low)) {
        use_library(self, orders, source, graph);
        return;
    }
    close_descriptor(source);
    answer(self, LG__ANSWER_LATER, LG__LOW_STACK);
}

/* With the GIL. */
BOOTSTRAP static void
work(lg__bootstrap *self)
{
    lg__orders orders;
    int descriptors[2];
    self->begun = 1;
    if (!is_wanted(self))
        return;
    if (receive(self, &orders, descriptors))
        follow(self, &orders, descriptors[0], descriptors[1]);
    else
        close_descriptor(descriptors[0]);
    close_descriptor(descriptors[1]);
}

BOOTSTRAP void
lg__bootstrap_called(lg__bootstrap *self)
{
    int *error_number = self->error_number();
    int before = *error_number;
    self->queued = 0;
    if (call_kernel(SYS_getpid, 0, 0, 0, 0) == self->process)
        work(self);
    close_end(self);
    *error_number = before;
}

/* Where there are several interpreters, the first question alone tells. Before
   CPython 3.12, it is about the whole process. */
BOOTSTRAP static int
is_without_gil(const lg__bootstrap *self)
{
    return self->current_state() == NULL || !self->holds_gil();
}

/* The library reads clocks, and so does a thread that waits for the GIL. The
   thread would die of that if it has the processor refuse it RDTSC. */
BOOTSTRAP static int
may_read_clocks(void)
{
    int mode = PR_TSC_ENABLE;
    call_kernel(SYS_prctl, PR_GET_TSC, (long)&mode, 0, 0);
    return mode != PR_TSC_SIGSEGV;
}

/* The queue of pending calls has a lock. A handler of Python asks for such a
   call itself if the descriptor for wake-ups is full, and would wait for ever
   for the lock of the thread that it interrupts. */
BOOTSTRAP static int
ask_for_call(lg__bootstrap *self)
{
    uint64_t before = 0;
    call_kernel(SYS_rt_sigprocmask, SIG_BLOCK, (long)&self->quiet,
                (long)&before, 8);
    int failed = self->add_pending(self->pending, self);
    call_kernel(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, 8);
    return failed;
}

/* A thread that waits without the GIL takes it; otherwise the interpreter calls
   when it is at a safe point. Returns whether it is going to. */
BOOTSTRAP static int
reach_interpreter(lg__bootstrap *self)
{
    if (self->interpreter == NULL) {
        answer(self, LG__ANSWER_LATER, LG__NO_INTERPRETER);
        return 0;
    }
    if (!may_read_clocks()) {
        answer(self, LG__ANSWER_LATER, LG__REFUSES_TIME);
        return 0;
    }
    if (self->here && is_without_gil(self)) {
        int state = self->take_gil();
        work(self);
        self->release_gil(state);
        return 0;
    }
    if (self->thread_state() == NULL) {
        answer(self, LG__ANSWER_LATER, LG__ALIEN_THREAD);
        return 0;
    }
    self->here = 0;
    self->queued = 1;
    if (ask_for_call(self) == 0)
        return 1;
    self->queued = 0;
    answer(self, LG__ANSWER_LATER, LG__QUEUE_FULL);
    return 0;
}

BOOTSTRAP static int
reap(lg__bootstrap *self)
{
    self->reaped = (int32_t)call_kernel(
        SYS_wait4, self->child, (long)&self->status, WNOHANG | __WALL, 0);
    call_kernel(SYS_sched_yield, (long)self->region, LG__SYNC_REAPED, 0, 0);
    return 0;
}

/* Returns whether the region must stay. */
BOOTSTRAP int
lg__bootstrap_run(lg__bootstrap *self)
{
    int keep = 0;
    if (self->child != 0)
        return reap(self);
    if (self->inode != 0) {
        close_end(self);
        return 0;
    }
    self->process = (int32_t)call_kernel(SYS_getpid, 0, 0, 0, 0);
    self->interpreter =
        self->is_initialized() ? self->main_interpreter() : NULL;
    if (call_kernel(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
                    (long)self->ends) != 0)
        return 0;
    self->inode = inode_of(self->ends[1]);
    call_kernel(SYS_sched_yield, (long)self->region, LG__SYNC_CONNECTED, 0, 0);
    close_descriptor(self->ends[0]);
    if (is_wanted(self)) {
        int *error_number = self->error_number();
        int before = *error_number;
        keep = reach_interpreter(self);
        *error_number = before;
    }
    if (!keep)
        close_end(self);
    return keep;
}
