#include "attach/tracee.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define TRY_NANOSECONDS 20000L
#define TRY_NANOSECONDS_LATER 200000L
#define EARLY_TRIES 100

/** The kernel maps nothing else so near to the end of the stack. */
#define STACK_REACH ((uint64_t)128 << 20)
/** Enough for what is called there. */
#define STACK_NEED ((uint64_t)128 << 10)
#define USER_CODE 0x33

/* Registers as XSAVE stores them: which parts have values, and AMX's parts. */
enum { XSAVE_BYTES = 576, XSAVE_PARTS = 512, AMX_PARTS = 3 << 17 };
#define XSAVE_REGISTERS 0x202

/* Newer than the headers of some C libraries. */
enum { GET_RSEQ = 0x420f, GET_DISPATCH = 0x4211 };

/** Errors after which the kernel repeats a system call. */
enum { RESTARTSYS = 512, RESTART_RESTARTBLOCK = 516 };

static long
trace(const lg__tracee *self, int request, uint64_t address, uint64_t word)
{
    return ptrace((enum __ptrace_request)request, self->remote->process,
                  (void *)(uintptr_t)address, (void *)(uintptr_t)word);
}

/** Waits for the next stop; 0 when the thread ended. Polls, because a waitpid()
 *  that blocks may sleep for ever when another thread of the process executes a
 *  program. The timer of the visit limits it. */
static int
next_stop(const lg__tracee *self)
{
    int status = 0;
    for (int i = 0;; i++) {
        pid_t found = waitpid(self->remote->process, &status, __WALL | WNOHANG);
        if (found < 0 && errno != EINTR)
            return 0;
        if (found == self->remote->process)
            return WIFSTOPPED(status) ? status : 0;
        nanosleep(&(struct timespec){0, i < EARLY_TRIES
                                            ? TRY_NANOSECONDS
                                            : TRY_NANOSECONDS_LATER},
                  NULL);
    }
}

static bool
is_event_stop(int status)
{
    return status >> 16 == PTRACE_EVENT_STOP;
}

static bool
is_group_stop(int status)
{
    return is_event_stop(status) && WSTOPSIG(status) != SIGTRAP;
}

static lg__outcome
await_interrupt(const lg__tracee *self)
{
    for (;;) {
        int status = next_stop(self);
        if (status == 0)
            return LG__GONE;
        if (is_group_stop(status))
            return LG__STOPPED;
        if (is_event_stop(status))
            return LG__VISITED;
        trace(self, PTRACE_CONT, 0, (uint64_t)WSTOPSIG(status));
    }
}

lg__outcome
lg__tracee_stop(lg__tracee *self, const lg__remote *remote)
{
    *self = (lg__tracee){.remote = remote};
    if (trace(self, PTRACE_SEIZE, 0, PTRACE_O_TRACESYSGOOD) != 0) {
        self->code = errno;
        return self->code == ESRCH ? LG__GONE : LG__DENIED;
    }
    trace(self, PTRACE_INTERRUPT, 0, 0);
    lg__outcome outcome = await_interrupt(self);
    if (outcome == LG__VISITED &&
        (trace(self, PTRACE_GETREGS, 0, (uintptr_t)&self->registers) != 0 ||
         trace(self, PTRACE_GETSIGMASK, sizeof self->mask,
               (uintptr_t)&self->mask) != 0))
        outcome = LG__GONE;
    return outcome;
}

/** Another instruction pointer would take the protection of a restartable
 *  sequence away. */
static bool
is_in_sequence(const lg__tracee *self)
{
    struct {
        uint64_t area;
        uint32_t size, signature, flags, unused;
    } where = {.area = 0};
    struct {
        uint32_t version, flags;
        uint64_t start, length, abort;
    } sequence;
    uint64_t pointer = 0;
    return trace(self, GET_RSEQ, sizeof where, (uintptr_t)&where) > 0 &&
           where.area != 0 &&
           lg__remote_read(self->remote, where.area + 8, &pointer,
                           sizeof pointer) &&
           pointer != 0 &&
           lg__remote_read(self->remote, pointer, &sequence, sizeof sequence) &&
           self->registers.rip - sequence.start < sequence.length;
}

/** Whether registers of AMX have values, which nobody has seen the stub keep. A
 *  thread has some only within a multiplication of matrices. */
static bool
uses_tiles(const lg__tracee *self)
{
    unsigned char area[XSAVE_BYTES];
    uint64_t parts = 0;
    struct iovec where = {area, sizeof area};
    if (trace(self, PTRACE_GETREGSET, XSAVE_REGISTERS, (uintptr_t)&where) !=
            0 ||
        where.iov_len < XSAVE_PARTS + sizeof parts)
        return false;
    memcpy(&parts, area + XSAVE_PARTS, sizeof parts);
    return parts & AMX_PARTS;
}

static bool
dispatches_calls(const lg__tracee *self)
{
    uint64_t setting[4] = {0};
    return trace(self, GET_DISPATCH, sizeof setting, (uintptr_t)setting) == 0 &&
           setting[0] != 0;
}

/** Whether the memory that was opened is that of the stopped thread. */
static bool
is_same_program(const lg__tracee *self)
{
    uint64_t ours, theirs, stack = self->registers.rsp & ~(uint64_t)7;
    struct iovec here = {&theirs, sizeof theirs};
    struct iovec there = {(void *)(uintptr_t)stack, sizeof theirs};
    return lg__remote_read(self->remote, stack, &ours, sizeof ours) &&
           process_vm_readv(self->remote->process, &here, 1, &there, 1, 0) ==
               (ssize_t)sizeof theirs &&
           ours == theirs;
}

/** Whether the thread is on a stack that the C library has made for it: in the
 *  mapping, closed towards lower addresses, that has its own data at the other
 *  end. A process forked by such a thread has only that one. */
static bool
is_on_its_mapping(const lg__tracee *self)
{
    lg__mapping stack;
    bool guarded;
    const lg__remote *remote = self->remote;
    uint64_t here = self->registers.rsp, data = self->registers.fs_base;
    if (!lg__remote_mapping_at(remote, here, &stack, &guarded) ||
        data <= here || data >= stack.end)
        return false;
    uint64_t guard = lg__remote_guard_before(remote, stack.start, here);
    if (guard == 0 && !guarded)
        return false;
    uint64_t end = guard ? guard : stack.start;
    return here - end >= STACK_NEED &&
           lg__remote_guard_before(remote, here, data) == 0;
}

lg__outcome
lg__tracee_check(const lg__tracee *self, uint64_t stack_end)
{
    if (lg__remote_has_ended(self->remote))
        return LG__GONE;
    if (!is_same_program(self))
        return LG__REPLACED;
    if (self->registers.cs != USER_CODE || dispatches_calls(self))
        return LG__ALIEN_CODE;
    if (stack_end - self->registers.rsp > STACK_REACH &&
        !is_on_its_mapping(self))
        return LG__ON_ALIEN_STACK;
    if (uses_tiles(self))
        return LG__IN_TILES;
    return is_in_sequence(self) ? LG__IN_SEQUENCE : LG__VISITED;
}

uint64_t
lg__tracee_restart(const lg__tracee *self)
{
    uint64_t error = -self->registers.rax;
    return (int64_t)self->registers.orig_rax >= 0 && error >= RESTARTSYS &&
                   error <= RESTART_RESTARTBLOCK
               ? error
               : 0;
}

long
lg__tracee_waits_in(const lg__tracee *self)
{
    bool ended = (int64_t)self->registers.orig_rax >= 0 &&
                 (int64_t)self->registers.rax == -EINTR;
    return ended || lg__tracee_restart(self) ? (long)self->registers.orig_rax
                                             : -1;
}

bool
lg__tracee_send(const lg__tracee *self, uint64_t code)
{
    return trace(self, PTRACE_POKEUSER, offsetof(struct user, regs.rip),
                 code) == 0;
}

bool
lg__tracee_set_mask(const lg__tracee *self, uint64_t mask)
{
    return trace(self, PTRACE_SETSIGMASK, sizeof mask, (uintptr_t)&mask) == 0;
}

uint64_t
lg__tracee_quiet_mask(void)
{
    static const int others[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                 SIGTRAP, SIGKILL, SIGSTOP};
    uint64_t mask = ~(uint64_t)0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        mask &= ~((uint64_t)1 << (others[i] - 1));
    return mask;
}

lg__outcome
lg__tracee_step(lg__tracee *self)
{
    trace(self, PTRACE_SYSCALL, 0, 0);
    for (;;) {
        int status = next_stop(self);
        if (status == 0)
            return LG__GONE;
        if (is_group_stop(status))
            trace(self, PTRACE_LISTEN, 0, 0);
        else if (is_event_stop(status))
            trace(self, PTRACE_SYSCALL, 0, 0);
        else if (WSTOPSIG(status) != (SIGTRAP | 0x80))
            trace(self, PTRACE_SYSCALL, 0, (uint64_t)WSTOPSIG(status));
        else
            break;
    }
    return trace(self, PTRACE_GETREGS, 0, (uintptr_t)&self->registers) == 0
               ? LG__VISITED
               : LG__GONE;
}

void
lg__tracee_detach(const lg__tracee *self)
{
    trace(self, PTRACE_DETACH, 0, 0);
}
