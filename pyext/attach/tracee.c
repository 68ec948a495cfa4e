#include "attach/tracee.h"
#include "attach/frame.h"
#include "attach/remote.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/** Give up at some time: a thread that is in a driver, or waits for its child
 *  of vfork(), does not stop. */
#define STOP_TRIES 10000
#define TRY_NANOSECONDS 1000000L

/** Errors after which the kernel repeats a system call. */
enum {
    RESTARTSYS = 512, /* the first of them */
    RESTART_RESTARTBLOCK = 516
};

static lg_status
fail_gone(const lg__tracee *self, lg_error *err)
{
    return lg_error_set(err, LG_ECHILD, "process %d ended", self->process);
}

/** Waits for the next stop; 0 when there was none in time, -1 when it ended. */
static int
next_stop(const lg__tracee *self)
{
    int status = 0;
    for (int i = 0; i < STOP_TRIES; i++) {
        pid_t found = waitpid(self->process, &status, __WALL | WNOHANG);
        if (found < 0 && errno != EINTR)
            return -1;
        if (found == self->process)
            return WIFSTOPPED(status) ? status : -1;
        nanosleep(&(struct timespec){0, TRY_NANOSECONDS / (i < 50 ? 20 : 1)},
                  NULL);
    }
    return 0;
}

static bool
is_group_stop(int status)
{
    int number = WSTOPSIG(status);
    return status >> 16 == PTRACE_EVENT_STOP && number != SIGTRAP;
}

/** Goes on until the stop that was asked for; passes signals on. */
static lg_status
await_interrupt(lg__tracee *self, lg_error *err)
{
    for (;;) {
        int status = next_stop(self);
        if (status < 0)
            return fail_gone(self, err);
        if (status == 0)
            return lg_error_set(err, LG_ECHILD,
                                "process %d does not stop: its main thread is "
                                "inside the kernel; try again later",
                                self->process);
        if (is_group_stop(status)) {
            ptrace(PTRACE_DETACH, self->process, NULL, NULL);
            return lg_error_set(err, LG_ECHILD,
                                "process %d is stopped: continue it (kill "
                                "-CONT) and try again",
                                self->process);
        }
        if (status >> 16 == PTRACE_EVENT_STOP)
            return LG_OK;
        ptrace(PTRACE_CONT, self->process, NULL,
               (void *)(uintptr_t)WSTOPSIG(status));
    }
}

static bool
set_mask(const lg__tracee *self, uint64_t mask)
{
    return ptrace(PTRACE_SETSIGMASK, self->process,
                  (void *)(uintptr_t)sizeof mask, &mask) == 0;
}

/** All signals but those that report a fault: a blocked fault would lose its
 *  handler. */
static uint64_t
quiet_mask(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    uint64_t mask = ~(uint64_t)0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        mask &= ~((uint64_t)1 << (faults[i] - 1));
    return mask;
}

static bool
take_state(lg__tracee *self)
{
    return ptrace(PTRACE_SETOPTIONS, self->process, NULL,
                  (void *)(uintptr_t)PTRACE_O_TRACESYSGOOD) == 0 &&
           ptrace(PTRACE_GETREGS, self->process, NULL, &self->registers) == 0 &&
           ptrace(PTRACE_GETSIGMASK, self->process,
                  (void *)(uintptr_t)sizeof self->mask, &self->mask) == 0 &&
           set_mask(self, quiet_mask());
}

lg_status
lg__tracee_stop(lg__tracee *self, int process, uint64_t gadget, lg_error *err)
{
    self->process = process;
    self->gadget = gadget;
    self->vector_size = 0;
    self->stop_wanted = false;
    if (ptrace(PTRACE_SEIZE, process, NULL, NULL) != 0)
        return errno == ESRCH ? fail_gone(self, err)
                              : lg_error_set(err, LG_EUNSUPPORTED,
                                             "the system does not let process "
                                             "%d be traced: %s",
                                             process, strerror(errno));
    ptrace(PTRACE_INTERRUPT, process, NULL, NULL);
    lg_status status = await_interrupt(self, err);
    if (status != LG_OK)
        return status;
    if (take_state(self))
        return LG_OK;
    ptrace(PTRACE_DETACH, process, NULL, NULL);
    return fail_gone(self, err);
}

/** Lets it continue to the next entry or exit of a system call. */
static lg_status
step(lg__tracee *self, lg_error *err)
{
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, self->process, NULL, NULL) != 0)
            return fail_gone(self, err);
        int status = next_stop(self);
        if (status <= 0)
            return fail_gone(self, err);
        if (WSTOPSIG(status) == (SIGTRAP | 0x80))
            return LG_OK;
        /* SIGSTOP cannot be blocked. It is sent again at the end. */
        self->stop_wanted |= WSTOPSIG(status) == SIGSTOP;
    }
}

lg_status
lg__tracee_call(lg__tracee *self, long number, const uint64_t *words,
                int64_t *out, lg_error *err)
{
    struct user_regs_struct registers = self->registers;
    registers.rip = self->gadget;
    registers.rax = (uint64_t)number;
    registers.orig_rax = (uint64_t)-1;
    registers.rdi = words[0];
    registers.rsi = words[1];
    registers.rdx = words[2];
    registers.r10 = words[3];
    registers.r8 = words[4];
    registers.r9 = words[5];
    if (ptrace(PTRACE_SETREGS, self->process, NULL, &registers) != 0)
        return fail_gone(self, err);
    lg_status status = step(self, err);
    if (status == LG_OK)
        status = step(self, err);
    if (status == LG_OK &&
        ptrace(PTRACE_GETREGS, self->process, NULL, &registers) != 0)
        status = fail_gone(self, err);
    if (status == LG_OK)
        *out = (int64_t)registers.rax;
    return status;
}

static void
detach(const lg__tracee *self)
{
    ptrace(PTRACE_DETACH, self->process, NULL, NULL);
    if (self->stop_wanted)
        kill(self->process, SIGSTOP);
}

/** The kernel repeats an interrupted system call only on the way out of a stop
 *  that was asked for. */
void
lg__tracee_release(lg__tracee *self)
{
    lg_error ignored;
    ptrace(PTRACE_INTERRUPT, self->process, NULL, NULL);
    ptrace(PTRACE_CONT, self->process, NULL, NULL);
    if (await_interrupt(self, &ignored) != LG_OK)
        return;
    ptrace(PTRACE_SETREGS, self->process, NULL, &self->registers);
    set_mask(self, self->mask);
    detach(self);
}

static bool
is_restart(const lg__tracee *self)
{
    int64_t result = (int64_t)self->registers.rax;
    return (int64_t)self->registers.orig_rax >= 0 &&
           (result == -EINTR ||
            (result <= -RESTARTSYS && result >= -RESTART_RESTARTBLOCK));
}

long
lg__tracee_waits_in(const lg__tracee *self)
{
    return is_restart(self) ? (long)self->registers.orig_rax : -1;
}

/** The registers after the handler returns. */
static struct user_regs_struct
registers_after(const lg__tracee *self)
{
    struct user_regs_struct registers = self->registers;
    int64_t result = (int64_t)registers.rax;
    if (!is_restart(self))
        return registers;
    if (result == -RESTART_RESTARTBLOCK) {
        registers.rax = (uint64_t)-EINTR;
    } else if (result != -EINTR) {
        registers.rip -= 2;
        registers.rax = registers.orig_rax;
    }
    return registers;
}

/** Below the red zone of the stack, aligned as before a call. */
static struct user_regs_struct
registers_of_handler(const lg__tracee *self, uint64_t code, uint64_t argument,
                     uint64_t frame)
{
    struct user_regs_struct registers = self->registers;
    const uint64_t direction_and_trap = 0x500;
    registers.rip = code;
    registers.rdi = argument;
    registers.rbx = frame + sizeof(uint64_t);
    registers.rsp = (registers.rsp - 256) & ~(uint64_t)63;
    registers.eflags &= ~direction_and_trap;
    registers.orig_rax = (uint64_t)-1;
    return registers;
}

lg_status
lg__tracee_send(lg__tracee *self, uint64_t code, uint64_t argument,
                uint64_t frame, lg_error *err)
{
    unsigned char bytes[LG__FRAME_BYTES] = {0};
    struct iovec part = {self->vectors, sizeof self->vectors};
    struct user_regs_struct after = registers_after(self);
    struct user_regs_struct handler =
        registers_of_handler(self, code, argument, frame);
    if (ptrace(PTRACE_GETREGSET, self->process,
               (void *)(uintptr_t)NT_X86_XSTATE, &part) != 0 ||
        !lg__frame_build(&after, self->mask, self->vectors, part.iov_len, frame,
                         bytes))
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "the vector registers of process %d cannot be kept",
                            self->process);
    if (!lg__remote_write(self->process, frame, bytes, sizeof bytes) ||
        ptrace(PTRACE_SETREGS, self->process, NULL, &handler) != 0)
        return fail_gone(self, err);
    self->vector_size = part.iov_len;
    detach(self);
    return LG_OK;
}

void
lg__tracee_return(lg__tracee *self, const lg__tracee *before)
{
    struct iovec part = {(void *)(uintptr_t)before->vectors,
                         before->vector_size};
    ptrace(PTRACE_SETREGSET, self->process, (void *)(uintptr_t)NT_X86_XSTATE,
           &part);
    self->registers = before->registers;
    self->mask = before->mask;
    lg__tracee_release(self);
}
