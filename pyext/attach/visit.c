#include "attach/visit.h"
#include "attach/tracee.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

/** How often to look whether another thread has let go of a lock. */
#define LOCK_LOOKS 300

/** A visit under way. */
typedef struct errand {
    lg__visit *visit;
    const lg__attach_target *target;
    lg__tracee tracee;
    uint64_t room;    /**< of the stub */
    lg__landing left; /**< whose end is to be closed; inode 0: none */
} errand;

bool
lg__visit_read(const lg__visit *self, lg__landing *out)
{
    lg__landing found;
    if (self->region == 0 ||
        !lg__remote_read(&self->target->remote, self->region + LG__REGION_CODE,
                         &found, sizeof found) ||
        found.region != self->region)
        return false;
    *out = found;
    return true;
}

bool
lg__visit_send_orders(const lg__visit *self)
{
    return lg__wire_send(self->socket, self->orders, sizeof *self->orders,
                         (int[]){self->library, self->file}, 2);
}

static uint64_t
stub_size(void)
{
    return (uint64_t)(lg__stub_end - lg__stub_start);
}

static uint64_t
offset_in_landing(const char *code)
{
    return (uint64_t)(code - lg__landing_start);
}

/** Writes the stub, and reads it back. Changes only bytes that nobody uses. */
static lg__outcome
write_stub(errand *self)
{
    const lg__visit *visit = self->visit;
    const lg__tracee *tracee = &self->tracee;
    const lg__remote *remote = tracee->remote;
    unsigned char bytes[LG__STUB_BYTES], back[LG__STUB_BYTES];
    lg__stub_cells cells = {.mark = LG__STUB_MARK,
                            .home = tracee->registers.rip,
                            .repeat = tracee->registers.rip - 2,
                            .error = lg__tracee_restart(tracee),
                            .quiet = lg__tracee_quiet_mask(),
                            .mask = tracee->mask,
                            .probe = -1};
    if (visit->probe != NULL) {
        cells.probe = visit->probe->number;
        memcpy(cells.words, visit->probe->words, sizeof cells.words);
    }
    self->room = lg__rooms_choose(&self->target->rooms, remote, cells.home,
                                  tracee->registers.rsp);
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
fill_region(errand *self, uint64_t region)
{
    lg__visit *visit = self->visit;
    lg__landing landing = self->target->landing;
    uint64_t go = offset_in_landing(lg__landing_entry);
    uint64_t data = region + LG__REGION_CODE;
    uint64_t pending = region + offset_in_landing(lg__landing_pending);
    memcpy(&landing.pending, &pending, sizeof pending);
    memcpy(landing.clean, &(uint16_t){X87_CONTROL}, sizeof(uint16_t));
    memcpy(landing.clean + SSE_CONTROL_AT, &(uint32_t){SSE_CONTROL},
           sizeof(uint32_t));
    landing.region = region;
    landing.region_bytes = LG__REGION_BYTES;
    landing.here = visit->here;
    landing.child = visit->child;
    landing.inode = self->left.inode;
    landing.ends[1] = self->left.ends[1];
    memcpy(landing.entry, LG__ENTRY, sizeof LG__ENTRY);
    memcpy(landing.link, "/proc/self/fd/", sizeof "/proc/self/fd/");
    if (visit->path != NULL)
        memcpy(landing.path, visit->path, strlen(visit->path) + 1);
    const lg__remote *remote = self->tracee.remote;
    return lg__remote_write(remote, region, lg__landing_start,
                            (size_t)(lg__landing_end - lg__landing_start)) &&
           lg__remote_write(remote, data, &landing, sizeof landing) &&
           lg__remote_write(remote, data, &go, sizeof go);
}

/** Where the lock of the queue of pending calls lies: in the state of the
 * interpreter, or in that of all; a pointer to a semaphore of the C library, or
 * a mutex of one byte. */
typedef struct lock_place {
    unsigned minor;
    bool shared;
    bool mutex;
    uint64_t offset;
} lock_place;

static const lock_place places[] = {
    {9, false, false, 80},   {10, false, false, 80}, {11, false, false, 112},
    {12, true, false, 2024}, {13, true, true, 2648}, {14, true, true, 2856},
    {15, true, true, 2984},
};

/** The lowest bits of a semaphore count how often it can be taken. */
static bool
is_taken(const lg__remote *remote, uint64_t address)
{
    uint64_t semaphore;
    uint32_t count;
    return lg__remote_read(remote, address, &semaphore, sizeof semaphore) &&
           lg__remote_read(remote, semaphore, &count, sizeof count) &&
           count == 0;
}

static bool
is_locked(const lg__remote *remote, uint64_t address)
{
    unsigned char byte;
    return lg__remote_read(remote, address, &byte, sizeof byte) && (byte & 1);
}

/** Whether any thread holds the lock of the queue of pending calls. False if
 *  this knows nothing of the lock of that version. */
static bool
is_queue_locked(const lg__attach_target *target, uint64_t interpreter)
{
    const lg__remote *remote = &target->remote;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const lock_place *at = &places[i];
        uint64_t address =
            (at->shared ? target->runtime : interpreter) + at->offset;
        if (at->minor == target->minor)
            return at->mutex ? is_locked(remote, address)
                             : is_taken(remote, address);
    }
    return false;
}

/** Whether the stopped thread may hold the lock of the queue of pending calls.
 *  One that waits does not. Another thread soon lets go of it, so if the lock
 *  is free once, the stopped thread does not hold it. If the lock never seems
 *  free, it seems to lie elsewhere: but not under the handler of a signal,
 * which may have interrupted its holder. */
static bool
may_hold_lock(const errand *self, const lg__landing *landing)
{
    const lg__attach_target *target = self->target;
    bool trusting =
        self->visit->trusting &&
        !lg__target_handles_signal(target, self->tracee.registers.rsp);
    bool held = !self->visit->here && !trusting;
    for (int i = 0; i < LOCK_LOOKS && held; i++)
        held =
            is_queue_locked(target, (uint64_t)(uintptr_t)landing->interpreter);
    return held;
}

/** Takes an end of the pair that the thread has made, and sends the orders. The
 *  kernel's header has the call's number before that of the C library. */
static lg__outcome
connect_ends(errand *self)
{
    lg__visit *visit = self->visit;
    const lg__remote *remote = self->tracee.remote;
    lg__landing landing;
    if (!lg__visit_read(visit, &landing))
        return LG__REPLACED;
    if (may_hold_lock(self, &landing))
        return LG__QUEUE_LOCKED;
    int taken =
        (int)syscall(__NR_pidfd_getfd, remote->handle, landing.ends[0], 0);
    visit->code = errno;
    if (taken < 0)
        return LG__NO_SOCKET;
    visit->socket = taken;
    /* If the program has not changed since, the descriptor was the right one.
     */
    return lg__visit_read(visit, &landing) && lg__visit_send_orders(visit)
               ? LG__VISITED
               : LG__REPLACED;
}

static lg__outcome
take_status(errand *self)
{
    lg__landing landing;
    lg__visit *visit = self->visit;
    if (!lg__visit_read(visit, &landing))
        return LG__REPLACED;
    visit->exit_status = landing.status;
    visit->reaped = landing.reaped;
    return LG__VISITED;
}

static bool
is_in(uint64_t address, uint64_t start, uint64_t size)
{
    return address - start < size;
}

/** Attends to the thread on its way through stub and landing: at entries of
 *  sched_yield(). Returns when the thread needs nobody any more. */
static lg__outcome
accompany(errand *self)
{
    const struct user_regs_struct *at = &self->tracee.registers;
    lg__visit *visit = self->visit;
    while (lg__tracee_step(&self->tracee) == LG__VISITED) {
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
watch_probe(errand *self)
{
    const struct user_regs_struct *at = &self->tracee.registers;
    for (int stops = 0; stops < 2;) {
        if (lg__tracee_step(&self->tracee) != LG__VISITED)
            return LG__GONE;
        stops += is_in(at->rip, self->room, LG__STUB_BYTES);
    }
    self->visit->result = (int64_t)at->rax;
    return LG__VISITED;
}

/** Only the instruction pointer changes the thread. From there on it needs
 *  nobody. It also blocks the signals itself, but a storm of them would keep it
 *  from that; what is set here, it undoes. */
static lg__outcome
send_thread(errand *self)
{
    lg__tracee *tracee = &self->tracee;
    lg__outcome outcome = write_stub(self);
    if (outcome != LG__VISITED)
        return outcome;
    if (!lg__tracee_send(
            tracee, self->room + (uint64_t)(lg__stub_plain - lg__stub_start)))
        return LG__GONE;
    if (self->visit->probe != NULL)
        return watch_probe(self);
    lg__tracee_set_mask(tracee, lg__tracee_quiet_mask());
    return accompany(self);
}

/** Whether the interpreter has yet to make the pending call of the visit
 * before. It cannot begin while the thread is stopped that makes it. */
static bool
is_pending(const errand *self, lg__landing *landing)
{
    return lg__visit_read(self->visit, landing) && landing->queued &&
           !landing->begun;
}

static lg__outcome
visit_stopped(errand *self)
{
    lg__visit *visit = self->visit;
    const struct user_regs_struct *at = &self->tracee.registers;
    lg__outcome outcome =
        lg__tracee_check(&self->tracee, self->target->stack_end);
    if (outcome != LG__VISITED)
        return outcome;
    visit->here = lg__target_waits(
        self->target, &(lg__wait){.call = lg__tracee_waits_in(&self->tracee),
                                  .first = at->rdi,
                                  .second = at->rsi,
                                  .fourth = at->r10,
                                  .stack = at->rsp,
                                  .code = at->rip});
    if (visit->again) {
        lg__landing pending;
        if (!visit->here || !is_pending(self, &pending))
            return LG__CUT_OFF;
        int before = visit->socket;
        visit->socket = -1;
        close(before);
    }
    if (visit->last && !is_pending(self, &self->left))
        return LG__VISITED;
    visit->region = 0;
    return send_thread(self);
}

/** Stops the thread, sends it through the stub, and lets it go. */
static lg__outcome
do_errand(lg__visit *visit)
{
    errand self = {.visit = visit, .target = visit->target};
    lg__outcome outcome = lg__tracee_stop(&self.tracee, &self.target->remote);
    visit->code = self.tracee.code;
    if (outcome == LG__VISITED)
        outcome = visit_stopped(&self);
    lg__tracee_detach(&self.tracee);
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
        self->outcome = do_errand(self);
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
    lg_status status = make_once(self, err);
    for (int i = 0; i < DENIED_TRIES && status == LG_OK && is_denied(self);
         i++) {
        nanosleep(&(struct timespec){0, DENIED_NANOSECONDS}, NULL);
        status = make_once(self, err);
    }
    return status;
}
