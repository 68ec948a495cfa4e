#include "attach/visit.h"
#include "capture/run/capture_run.h"

#include <leakgraph/internal/writing.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/** The time that a visit has. It needs a few milliseconds, even on a busy
 *  machine; a second try is better than a thread that is held for long. */
#define LIMIT_NANOSECONDS 300000000L
#define STACK_BYTES ((size_t)256 << 10)

/** The state that C code expects: x87 and SSE without exceptions. */
enum { X87_CONTROL = 0x37f, SSE_CONTROL = 0x1f80, SSE_CONTROL_AT = 24 };

/** How long the system may forbid to trace although nobody does: another
 * leakgraph may just have gone. */
#define DENIED_TRIES 20
#define DENIED_NANOSECONDS 2000000L

#define TRY_NANOSECONDS 20000L
#define TRY_NANOSECONDS_LATER 200000L
#define EARLY_TRIES 100

#define USER_CODE 0x33

/* Registers as XSAVE stores them. A word says which parts have values: a bit
   for each. Those that have been tried: x87 to AVX-512, PKRU, and AMX. */
enum { XSAVE_BYTES = 576, XSAVE_PARTS = 512, TRIED_PARTS = 0x603ff };
#define XSAVE_REGISTERS 0x202

/* Newer than the headers of some C libraries. */
enum { GET_RSEQ = 0x420f, GET_DISPATCH = 0x4211 };

/** Errors after which the kernel repeats a system call. */
enum { RESTARTSYS = 512, RESTART_RESTARTBLOCK = 516 };

/** How often to look whether another thread has let go of a lock. */
#define LOCK_LOOKS 300

/** A thread of another process, stopped by ptrace. Whoever traces it may vanish
 * at any instant: the kernel then lets the thread go, so nothing here may leave
 * it in a state from which it does not find home. */
typedef struct stopped {
    const lg__remote *remote; /**< and its main thread */
    uint64_t mask;            /**< the signals that it blocks */
    struct user_regs_struct registers;
    int code; /**< of the system, when it forbids to trace */
} stopped;

/** A visit under way. */
typedef struct visiting {
    lg__visit *visit;
    const lg__attach_target *target;
    stopped tracee;
    uint64_t room;      /**< of the stub */
    lg__bootstrap left; /**< whose end is to be closed; inode 0: none */
    uint64_t signals;   /**< for the stub */
    uint64_t before;
    uint64_t handled; /**< signals with handlers in Python */
} visiting;

static long
trace(const stopped *self, int request, uint64_t address, uint64_t word)
{
    return ptrace((enum __ptrace_request)request, self->remote->process,
                  (void *)(uintptr_t)address, (void *)(uintptr_t)word);
}

/** Waits for the next stop, and returns its signal and, from the eighth bit on,
 *  its event; 0 when the thread ended. Only looks at the stop: the kernel would
 *  forget a signal that has been taken from it if this process died before it
 *  passes the signal on. Polls, because a wait that blocks may sleep for ever
 *  when another thread of the process executes a program. The timer of the
 *  visit limits it. */
static int
next_stop(const stopped *self)
{
    const int options = WEXITED | WSTOPPED | __WALL | WNOHANG | WNOWAIT;
    for (int i = 0;; i++) {
        siginfo_t found = {.si_pid = 0};
        if (waitid(P_PID, (id_t)self->remote->process, &found, options) != 0 &&
            errno != EINTR)
            return 0;
        if (found.si_pid != 0)
            return found.si_code == CLD_TRAPPED || found.si_code == CLD_STOPPED
                       ? found.si_status
                       : 0;
        nanosleep(&(struct timespec){0, i < EARLY_TRIES
                                            ? TRY_NANOSECONDS
                                            : TRY_NANOSECONDS_LATER},
                  NULL);
    }
}

static bool
is_event_stop(int stop)
{
    return stop >> 8 == PTRACE_EVENT_STOP;
}

static int
signal_of(int stop)
{
    return stop & 0xff;
}

static bool
is_group_stop(int stop)
{
    return is_event_stop(stop) && signal_of(stop) != SIGTRAP;
}

/** Interrupts the thread until it stops for that: a signal that comes just
 *  before stops it in its place. */
static lg__outcome
interrupt(const stopped *self)
{
    for (;;) {
        trace(self, PTRACE_INTERRUPT, 0, 0);
        int stop = next_stop(self);
        if (stop == 0)
            return LG__GONE;
        if (is_group_stop(stop))
            return LG__STOPPED;
        if (is_event_stop(stop))
            return LG__VISITED;
        trace(self, PTRACE_CONT, 0, (uint64_t)signal_of(stop));
    }
}

/** Stops the main thread, wherever it is, and reads its registers and mask. If
 *  somebody else has stopped the process, it stays as it is. */
static lg__outcome
stop_tracee(stopped *self, const lg__remote *remote)
{
    *self = (stopped){.remote = remote};
    if (trace(self, PTRACE_SEIZE, 0, PTRACE_O_TRACESYSGOOD) != 0) {
        self->code = errno;
        return self->code == ESRCH ? LG__GONE : LG__DENIED;
    }
    lg__outcome outcome = interrupt(self);
    if (outcome == LG__VISITED &&
        (trace(self, PTRACE_GETREGS, 0, (uintptr_t)&self->registers) != 0 ||
         trace(self, PTRACE_GETSIGMASK, sizeof self->mask,
               (uintptr_t)&self->mask) != 0))
        outcome = LG__GONE;
    return outcome;
}

/** The thread's area for restartable sequences; 0: it has none. Linux tells
 *  since 5.13. Before, only that of the C library is known. */
static uint64_t
sequence_area(const stopped *self, int64_t sequences)
{
    struct {
        uint64_t area;
        uint32_t size, signature, flags, unused;
    } where = {.area = 0};
    if (trace(self, GET_RSEQ, sizeof where, (uintptr_t)&where) > 0)
        return where.area;
    return sequences ? self->registers.fs_base + (uint64_t)sequences : 0;
}

/** Another instruction pointer would take the protection of a restartable
 *  sequence away. `sequences`: see lg__attach_target. */
static bool
is_in_sequence(const stopped *self, int64_t sequences)
{
    struct {
        uint32_t version, flags;
        uint64_t start, length, abort;
    } sequence;
    uint64_t pointer = 0, area = sequence_area(self, sequences);
    return area != 0 &&
           lg__remote_read(self->remote, area + 8, &pointer, sizeof pointer) &&
           pointer != 0 &&
           lg__remote_read(self->remote, pointer, &sequence, sizeof sequence) &&
           self->registers.rip - sequence.start < sequence.length;
}

/** Whether all registers that have values are of kinds that the bootstrap has
 * been seen to keep. It keeps all that XSAVE knows, but nobody has tried what
 * is newer than AMX. False if the system does not tell. */
static bool
has_tried_registers(const stopped *self)
{
    unsigned char area[XSAVE_BYTES];
    uint64_t parts;
    struct iovec where = {area, sizeof area};
    if (trace(self, PTRACE_GETREGSET, XSAVE_REGISTERS, (uintptr_t)&where) !=
            0 ||
        where.iov_len < XSAVE_PARTS + sizeof parts)
        return false;
    memcpy(&parts, area + XSAVE_PARTS, sizeof parts);
    return (parts & ~(uint64_t)TRIED_PARTS) == 0;
}

static bool
dispatches_calls(const stopped *self)
{
    uint64_t setting[4] = {0};
    return trace(self, GET_DISPATCH, sizeof setting, (uintptr_t)setting) == 0 &&
           setting[0] != 0;
}

/** Whether the memory that was opened is that of the stopped thread. */
static bool
is_same_program(const stopped *self)
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
is_on_its_mapping(const stopped *self)
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
    return here - end >= LG__STACK_NEED &&
           lg__remote_guard_before(remote, here, data) == 0;
}

/** Whether the stopped thread may be sent elsewhere: its code has 64 bits, it
 * is on its own stack, which is that of the process or which the C library has
 * made for it, and in no restartable sequence; and the process runs the program
 * of `remote`. */
static lg__outcome
check_tracee(const stopped *self, const lg__attach_target *target)
{
    if (lg__remote_has_ended(self->remote))
        return LG__GONE;
    if (!is_same_program(self))
        return LG__REPLACED;
    if (self->registers.cs != USER_CODE || dispatches_calls(self))
        return LG__ALIEN_CODE;
    if (target->stack_end - self->registers.rsp > LG__STACK_REACH &&
        !is_on_its_mapping(self))
        return LG__ON_ALIEN_STACK;
    if (lg__stack_is_low(self->registers.rsp, target->stack_low))
        return LG__LOW_STACK;
    if (!has_tried_registers(self))
        return LG__NEW_REGISTERS;
    return is_in_sequence(self, target->sequences) ? LG__IN_SEQUENCE
                                                   : LG__VISITED;
}

/** The error by which the kernel repeats the system call that was interrupted:
 *  512 to 516; 0: none. */
static uint64_t
restart_error(const stopped *self)
{
    uint64_t error = -self->registers.rax;
    return (int64_t)self->registers.orig_rax >= 0 && error >= RESTARTSYS &&
                   error <= RESTART_RESTARTBLOCK
               ? error
               : 0;
}

/** The number of the system call that it waits in; -1 if it was running. */
static long
waiting_call(const stopped *self)
{
    bool ended = (int64_t)self->registers.orig_rax >= 0 &&
                 (int64_t)self->registers.rax == -EINTR;
    return ended || restart_error(self) ? (long)self->registers.orig_rax : -1;
}

/** Sends it to `code`, by one word. */
static bool
send_tracee(const stopped *self, uint64_t code)
{
    return trace(self, PTRACE_POKEUSER, offsetof(struct user, regs.rip),
                 code) == 0;
}

static bool
set_mask(const stopped *self, uint64_t mask)
{
    return trace(self, PTRACE_SETSIGMASK, sizeof mask, (uintptr_t)&mask) == 0;
}

/** All signals but those that report a fault of the thread itself. */
static uint64_t
most_signals(void)
{
    static const int others[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                 SIGTRAP, SIGKILL, SIGSTOP};
    uint64_t mask = ~(uint64_t)0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        mask &= ~((uint64_t)1 << (others[i] - 1));
    return mask;
}

bool
lg__visit_is_quiet(uint64_t mask, uint64_t caught)
{
    return (most_signals() & ~(caught & ~LG__SIGNALS_OF_LIBRARY) & ~mask) == 0;
}

/** Lets it continue to the next entry or exit of a system call. Passes on
 *  signals, stops and what continues them. GONE if it ended. */
static lg__outcome
step_tracee(stopped *self)
{
    trace(self, PTRACE_SYSCALL, 0, 0);
    for (;;) {
        int stop = next_stop(self);
        if (stop == 0)
            return LG__GONE;
        if (is_group_stop(stop))
            trace(self, PTRACE_LISTEN, 0, 0);
        else if (is_event_stop(stop))
            trace(self, PTRACE_SYSCALL, 0, 0);
        else if (signal_of(stop) != (SIGTRAP | 0x80))
            trace(self, PTRACE_SYSCALL, 0, (uint64_t)signal_of(stop));
        else
            break;
    }
    return trace(self, PTRACE_GETREGS, 0, (uintptr_t)&self->registers) == 0
               ? LG__VISITED
               : LG__GONE;
}

static void
detach_tracee(const stopped *self)
{
    trace(self, PTRACE_DETACH, 0, 0);
}

bool
lg__visit_read(const lg__attach_target *target, uint64_t region,
               lg__bootstrap *out)
{
    lg__bootstrap found;
    if (region == 0 ||
        !lg__remote_read(&target->remote, region + LG__REGION_CODE, &found,
                         sizeof found) ||
        found.region != region)
        return false;
    *out = found;
    return true;
}

bool
lg__visit_is_pending(const lg__attach_target *target, uint64_t region,
                     lg__bootstrap *out)
{
    return lg__visit_read(target, region, out) && out->queued && !out->begun;
}

bool
lg__visit_send_orders(const lg__visit *self)
{
    lg__orders orders = *self->orders;
    orders.stack_low = self->target->stack_low;
    orders.graph = lg__held_take(self->file).identity;
    return lg__wire_send(self->socket, &orders, sizeof orders,
                         (int[]){self->library, self->file}, 2);
}

static uint64_t
stub_size(void)
{
    return (uint64_t)(lg__stub_end - lg__stub_start);
}

static uint64_t
offset_in_bootstrap(const char *code)
{
    return (uint64_t)(code - lg__bootstrap_start);
}

/** Whether the stub may ask Python for signals. A version that does not say
 *  which they are counts them all: then the thread must block none that has a
 *  handler. */
static bool
tells_signals(const visiting *self)
{
    return self->signals != 0 &&
           (self->target->offsets->stride != 0 ||
            (self->tracee.mask & self->visit->caught) == 0);
}

/** The signals that the stub opens again. It blocks all others, so that no
 *  handler leaves it.
 *
 *  The kernel hands a signal that comes to the whole process to a thread that
 *  does not block it. While another thread is on the way to the handler,
 *  nothing in the process tells of the signal: the thread finds nothing to tell
 *  the program, and waits again. Python's own handler only notes the signal and
 *  returns, so a thread whose wait may go on leaves such signals open, unless
 *  it blocked them before or there is no other thread. Then it gets one itself
 *  that comes while it runs. One that comes while a visit has stopped it goes
 *  to another thread, which has until the end of the visit to note it. */
static uint64_t
choose_open(const visiting *self)
{
    const stopped *tracee = &self->tracee;
    bool may_lose = self->visit->threads > 1 && restart_error(tracee) != 0 &&
                    tells_signals(self);
    return may_lose ? self->handled & ~tracee->mask & most_signals() : 0;
}

/** Writes the stub, and reads it back. Changes only bytes that nobody uses. */
static lg__outcome
write_stub(visiting *self)
{
    const lg__visit *visit = self->visit;
    const stopped *tracee = &self->tracee;
    const lg__remote *remote = tracee->remote;
    unsigned char bytes[LG__STUB_BYTES], back[LG__STUB_BYTES];
    lg__stub_cells cells = {.mark = LG__STUB_MARK,
                            .home = tracee->registers.rip,
                            .repeat = tracee->registers.rip - 2,
                            .error = restart_error(tracee),
                            .quiet = most_signals(),
                            .mask = tracee->mask,
                            .before = self->before,
                            .open = choose_open(self),
                            .code = self->target->code.address,
                            .code_bytes = self->target->code.size,
                            .probe = -1};
    if (tells_signals(self)) {
        cells.signals = self->signals;
        cells.stride = self->target->offsets->stride;
    }
    if (visit->purpose == LG__PROBE) {
        cells.probe = visit->probe->number;
        cells.bare = visit->probe->bare;
        memcpy(cells.words, visit->probe->words, sizeof cells.words);
    }
    self->room =
        lg__rooms_choose(&self->target->rooms, remote, tracee->registers.rsp);
    if (self->room == 0)
        return self->target->rooms.count ? LG__ROOMS_TAKEN : LG__NO_ROOM;
    memcpy(bytes, lg__stub_start, stub_size());
    memcpy(bytes, &cells, sizeof cells);
    return lg__remote_write(remote, self->room, bytes, stub_size()) &&
                   lg__remote_read(remote, self->room, back, stub_size()) &&
                   memcmp(bytes, back, stub_size()) == 0
               ? LG__VISITED
               : LG__NOT_WRITABLE;
}

/** Fills the region that the thread has mapped. The first word of the data
 *  comes last: until then, the thread unmaps the region and goes home. */
static bool
fill_region(visiting *self, uint64_t region)
{
    lg__visit *visit = self->visit;
    lg__bootstrap bootstrap = self->target->bootstrap;
    uint64_t go = offset_in_bootstrap(lg__bootstrap_entry);
    uint64_t data = region + LG__REGION_CODE;
    uint64_t pending = region + offset_in_bootstrap(lg__bootstrap_pending);
    memcpy(&bootstrap.pending, &pending, sizeof pending);
    memcpy(bootstrap.clean, &(uint16_t){X87_CONTROL}, sizeof(uint16_t));
    memcpy(bootstrap.clean + SSE_CONTROL_AT, &(uint32_t){SSE_CONTROL},
           sizeof(uint32_t));
    bootstrap.region = region;
    bootstrap.region_bytes = LG__REGION_BYTES;
    bootstrap.quiet = most_signals();
    bootstrap.here = visit->here;
    bootstrap.child = visit->purpose == LG__REAP ? visit->child : 0;
    bootstrap.inode = self->left.inode;
    bootstrap.ends[1] = self->left.ends[1];
    memcpy(bootstrap.entry, LG__ENTRY, sizeof LG__ENTRY);
    memcpy(bootstrap.link, "/proc/self/fd/", sizeof "/proc/self/fd/");
    if (visit->path != NULL)
        memcpy(bootstrap.path, visit->path, strlen(visit->path) + 1);
    const lg__remote *remote = self->tracee.remote;
    return lg__remote_write(
               remote, region, lg__bootstrap_start,
               (size_t)(lg__bootstrap_end - lg__bootstrap_start)) &&
           lg__remote_write(remote, data, &bootstrap, sizeof bootstrap) &&
           lg__remote_write(remote, data, &go, sizeof go);
}

/** The lowest bits of a semaphore count how often it can be taken. */
static bool
is_free_semaphore(const lg__remote *remote, uint64_t address)
{
    uint64_t semaphore;
    uint32_t count;
    return lg__remote_read(remote, address, &semaphore, sizeof semaphore) &&
           lg__remote_read(remote, semaphore, &count, sizeof count) &&
           count == 1;
}

/** The lowest bit says whether somebody holds it, the next one whether somebody
 *  waits. */
static bool
is_free_mutex(const lg__remote *remote, uint64_t address)
{
    unsigned char byte;
    return lg__remote_read(remote, address, &byte, sizeof byte) &&
           (byte & ~2) == 0;
}

/** Whether no thread holds the lock of the queue of pending calls. False if
 *  this knows nothing of the lock of that version, or if the lock seems to lie
 *  elsewhere in that build. */
static bool
is_queue_free(const lg__attach_target *target, uint64_t interpreter)
{
    const lg__offsets *at = target->offsets;
    if (at == NULL)
        return false;
    uint64_t address =
        (at->is_shared ? target->runtime : interpreter) + at->lock;
    return at->is_mutex ? is_free_mutex(&target->remote, address)
                        : is_free_semaphore(&target->remote, address);
}

/** Whether the stopped thread may hold the lock of the queue of pending calls:
 *  then it would wait for itself, for ever, if it asked for such a call. A
 *  thread that waits does not hold it, and one without an interpreter does not
 *  ask. Another thread soon lets go of it, so if the lock is free once, the
 *  stopped thread does not hold it either. */
static bool
may_hold_lock(const visiting *self, const lg__bootstrap *bootstrap)
{
    uint64_t interpreter = (uint64_t)(uintptr_t)bootstrap->interpreter;
    bool held = !self->visit->here && interpreter != 0;
    for (int i = 0; i < LOCK_LOOKS && held; i++)
        held = !is_queue_free(self->target, interpreter);
    return held;
}

/** Whether a descriptor is of the kind that the code makes. Another thread may
 *  have closed the end, and opened a file of its number. */
static bool
is_of_our_kind(int descriptor)
{
    int kind = 0;
    socklen_t size = sizeof kind;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 &&
           kind == SOCK_SEQPACKET;
}

/** Takes an end of the pair that the thread has made, and sends the orders. The
 *  kernel's header has the call's number before that of the C library. */
static lg__outcome
connect_ends(visiting *self)
{
    lg__visit *visit = self->visit;
    const lg__remote *remote = self->tracee.remote;
    lg__bootstrap bootstrap;
    if (!lg__visit_read(self->target, visit->region, &bootstrap))
        return LG__REPLACED;
    if (may_hold_lock(self, &bootstrap))
        return LG__QUEUE_LOCKED;
    int taken =
        (int)syscall(__NR_pidfd_getfd, remote->handle, bootstrap.ends[0], 0);
    visit->code = errno;
    if (taken < 0)
        return visit->code == EBADF ? LG__CLOSED : LG__NO_SOCKET;
    /* If the program has changed since, the descriptor is one of the new
       program, and nobody may read from it. */
    if (!lg__visit_read(self->target, visit->region, &bootstrap)) {
        close(taken);
        return LG__REPLACED;
    }
    if (!is_of_our_kind(taken)) {
        close(taken);
        return LG__CLOSED;
    }
    visit->socket = taken;
    return lg__visit_send_orders(visit) ? LG__VISITED : LG__REPLACED;
}

static lg__outcome
take_status(visiting *self)
{
    lg__bootstrap bootstrap;
    lg__visit *visit = self->visit;
    if (!lg__visit_read(self->target, visit->region, &bootstrap))
        return LG__REPLACED;
    visit->exit_status = bootstrap.status;
    visit->reaped = bootstrap.reaped;
    return LG__VISITED;
}

static bool
is_in(uint64_t address, uint64_t start, uint64_t size)
{
    return address - start < size;
}

/** Attends to the thread on its way through stub and bootstrap: at entries of
 *  sched_yield(). Returns when the thread needs nobody any more. */
static lg__outcome
accompany(visiting *self)
{
    const struct user_regs_struct *at = &self->tracee.registers;
    lg__visit *visit = self->visit;
    while (step_tracee(&self->tracee) == LG__VISITED) {
        bool in_stub = is_in(at->rip, self->room, LG__STUB_BYTES);
        bool enters = at->rax == (uint64_t)-ENOSYS;
        if (in_stub && at->orig_rax == SYS_rt_sigprocmask && at->rdx == 0)
            return LG__WENT_HOME;
        if (at->orig_rax != SYS_sched_yield || !enters)
            continue;
        if (in_stub) {
            visit->region = at->rdi;
            if (!fill_region(self, at->rdi))
                return LG__REPLACED;
        } else if (is_in(at->rip, visit->region, LG__REGION_CODE)) {
            return at->rsi == LG__SYNC_CONNECTED ? connect_ends(self)
                                                 : take_status(self);
        }
    }
    return LG__GONE;
}

/** Waits until the thread has tried the system call. */
static lg__outcome
watch_probe(visiting *self)
{
    const struct user_regs_struct *at = &self->tracee.registers;
    for (int stops = 0; stops < 2;) {
        if (step_tracee(&self->tracee) != LG__VISITED)
            return LG__GONE;
        stops += is_in(at->rip, self->room, LG__STUB_BYTES) &&
                 (long)at->orig_rax == self->visit->probe->number;
    }
    self->visit->result = (int64_t)at->rax;
    return LG__VISITED;
}

/** Only the instruction pointer changes the thread. From there on it needs
 *  nobody. It also blocks the signals itself, but a storm of them would keep it
 *  from that; what is set here, it undoes. */
static lg__outcome
send_thread(visiting *self)
{
    stopped *tracee = &self->tracee;
    lg__outcome outcome = write_stub(self);
    if (outcome != LG__VISITED)
        return outcome;
    self->visit->sent = true;
    if (!send_tracee(tracee,
                     self->room + (uint64_t)(lg__stub_plain - lg__stub_start)))
        return LG__GONE;
    if (self->visit->purpose != LG__PROBE || !self->visit->probe->bare)
        set_mask(tracee, most_signals());
    return self->visit->purpose == LG__PROBE ? watch_probe(self)
                                             : accompany(self);
}

/** Whether the visit that has to do with a pending call is to be done. The
 *  interpreter cannot begin to make the call while the thread is stopped that
 *  makes it. */
static bool
is_to_be_done(visiting *self)
{
    lg__bootstrap bootstrap;
    const lg__visit *visit = self->visit;
    if (visit->purpose != LG__ASK_AGAIN && visit->purpose != LG__CLOSE)
        return true;
    if (!lg__visit_is_pending(self->target, visit->pending, &bootstrap))
        return false;
    if (visit->purpose == LG__CLOSE)
        self->left = bootstrap;
    else if (visit->here)
        shutdown(visit->before, SHUT_RDWR);
    return visit->purpose == LG__CLOSE || visit->here;
}

static lg__outcome
visit_stopped(visiting *self)
{
    lg__visit *visit = self->visit;
    const struct user_regs_struct *at = &self->tracee.registers;
    bool in_stub = lg__rooms_contain(&self->target->rooms, at->rip);
    lg__outcome outcome = LG__VISITED;
    if (visit->purpose != LG__LOOK)
        outcome = check_tracee(&self->tracee, self->target);
    if (outcome == LG__VISITED && in_stub)
        outcome = LG__ROOMS_TAKEN;
    if (outcome != LG__VISITED || visit->purpose == LG__LOOK)
        return outcome;
    visit->here = lg__target_waits(
        self->target, &(lg__wait){.call = waiting_call(&self->tracee),
                                  .first = at->rdi,
                                  .second = at->rsi,
                                  .fourth = at->r10,
                                  .stack = at->rsp,
                                  .code = at->rip});
    return is_to_be_done(self) ? send_thread(self) : LG__VISITED;
}

/** Notes of which signals Python has yet to tell the program, before the thread
 *  stops: from then on, other threads get them. */
static void
note_signals(visiting *self)
{
    const lg__attach_target *target = self->target;
    const lg__offsets *at = target->offsets;
    unsigned char bytes[LG__SIGNALS * sizeof(lg__handler_row)];
    int one;
    if (at == NULL || target->runtime == 0)
        return;
    uint64_t address = target->runtime + at->signals;
    size_t last = (LG__SIGNALS - 1) * at->stride;
    if (!lg__remote_read(&target->remote, address, bytes, last + sizeof one))
        return;
    self->signals = address;
    for (size_t i = 0; i < LG__SIGNALS; i++) {
        memcpy(&one, bytes + i * at->stride, sizeof one);
        self->before |= (uint64_t)(one != 0) << i;
        if (one & ~1)
            self->signals = 0;
    }
}

/** Whether a handler is of code. One that says that Python ignores a signal is
 * a number, as the usual one is. */
static bool
is_of_code(const lg__remote *remote, uint64_t handler, uint64_t usual)
{
    enum { TYPE = 8 };
    uint64_t type, number;
    return lg__remote_read(remote, handler + TYPE, &type, sizeof type) &&
           lg__remote_read(remote, usual + TYPE, &number, sizeof number) &&
           type != number;
}

/** Notes which signals have handlers in Python. Those of the C library have
 *  None there, as all that had a handler before Python began. C code may have
 *  set a handler since for one that Python ignores: that may leave the stub. */
static void
note_handlers(visiting *self)
{
    lg__handler_row rows[LG__SIGNALS];
    const lg__remote *remote = &self->target->remote;
    uint64_t address = self->target->handlers;
    if (address == 0 || !lg__remote_read(remote, address, rows, sizeof rows) ||
        !lg__are_handlers(rows))
        return;
    uint64_t usual = rows[SIGKILL - 1].handler;
    uint64_t foreign = rows[LG__FIRST_OF_LIBRARY - 1].handler;
    for (size_t i = 0; i < LG__SIGNALS; i++) {
        uint64_t handler = rows[i].handler;
        if (handler != 0 && handler != usual && handler != foreign &&
            is_of_code(remote, handler, usual))
            self->handled |= (uint64_t)1 << i;
    }
    self->handled &= self->visit->caught & ~LG__SIGNALS_OF_LIBRARY;
}

/** Stops the thread, sends it through the stub, and lets it go. */
static lg__outcome
carry_out(lg__visit *visit)
{
    visiting self = {.visit = visit, .target = visit->target};
    note_signals(&self);
    note_handlers(&self);
    lg__outcome outcome = stop_tracee(&self.tracee, &self.target->remote);
    visit->code = self.tracee.code;
    if (outcome == LG__VISITED)
        outcome = visit_stopped(&self);
    detach_tracee(&self.tracee);
    return outcome;
}

/** Ends this process when its time is up, even if somebody has suspended it:
 *  the kernel fires the timer all the same, and a stop does not hold SIGKILL
 *  off. */
static bool
limit_time(void)
{
    int timer = 0;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                             .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value.tv_nsec = LIMIT_NANOSECONDS};
    return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0 &&
           syscall(SYS_timer_settime, timer, 0, &when, NULL) == 0;
}

/** What the process of the visit runs. */
static int
run(void *context)
{
    lg__visit *self = context;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (limit_time())
        self->outcome = carry_out(self);
    return 0;
}

/** Starts the process with all signals blocked. Its end sends no signal, so
 *  nobody else's wait finds it. It shares errno with this thread, so errno says
 *  nothing here until it has ended. */
static int
start(lg__visit *self, char *stack)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int child = clone(run, stack + STACK_BYTES, CLONE_VM | CLONE_FILES, self);
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return child;
}

static lg_status
make_once(lg__visit *self, lg_error *err)
{
    char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    self->outcome = LG__CUT_OFF;
    int child = stack == MAP_FAILED ? -1 : start(self, stack);
    int code = errno;
    while (child > 0 && waitpid(child, NULL, __WALL) != child &&
           kill(child, 0) == 0)
        ;
    if (stack != MAP_FAILED)
        munmap(stack, STACK_BYTES);
    if (child > 0)
        return LG_OK;
    return lg_error_set(err, LG_ENOMEM, "cannot start a process: %s",
                        strerror(code));
}

/** Whether the system has forbidden to trace the process for no reason that
 * lasts. Notes the program that traces it. */
static bool
is_denied(lg__visit *self)
{
    if (self->outcome != LG__DENIED || self->code != EPERM)
        return false;
    if (lg__remote_has_ended(&self->target->remote)) {
        self->outcome = LG__GONE;
        return false;
    }
    int tracer = lg__target_tracer(self->target->remote.process);
    if (tracer != 0) {
        self->outcome = LG__TRACED;
        self->code = tracer;
    }
    return tracer == 0;
}

lg_status
lg__visit_make(lg__visit *self, lg_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status",
             self->target->remote.process);
    self->sent = false;
    self->region = 0;
    self->outcome = LG__IN_FRAGILE_WAIT;
    if (lg__target_state(self->target) == LG__STATE_FRAGILE)
        return LG_OK;
    lg__remote_number(path, "SigCgt:", 16, &self->caught);
    lg__remote_number(path, "Threads:", 10, &self->threads);
    lg_status status = make_once(self, err);
    for (int i = 0; i < DENIED_TRIES && status == LG_OK && is_denied(self);
         i++) {
        nanosleep(&(struct timespec){0, DENIED_NANOSECONDS}, NULL);
        status = make_once(self, err);
    }
    return status;
}
