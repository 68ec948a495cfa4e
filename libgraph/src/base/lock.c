// Locks that work in a forked child: the word of a lock says after how many
// forks a thread took it.
//
// pthread_atfork could lock all locks before a fork instead. But then fork()
// would wait for an analysis, which reports progress under the GIL that the
// forking thread holds, and the library would need a list of all graphs.
#include <leakgraph/internal/lock.h>

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

// The low bits of a lock's word. The bits above are the generation in which a
// thread took the lock.
enum {
    FREE = 0,
    HELD = 1,
    AWAITED = 2,
    PARKED = 3, // other threads may also wait for it
    STATE = 3,
    GENERATION_SHIFT = 2
};

// Whether the process is ending: threads that have parked a lock then never
// come back.
static bool ending;

// Children of fork() write these while they have only one thread. `survivor` is
// the only thread that is older than this process. It has existed since the
// generation `since` at the latest.
static struct {
    uint32_t generation;
    uint32_t since;
    uintptr_t survivor;
} process;

static uintptr_t
this_thread(void)
{
    return (uintptr_t)pthread_self();
}

static void
note_fork(void)
{
    uintptr_t self = this_thread();
    if (process.generation == 0 || self != process.survivor) {
        process.survivor = self;
        process.since = process.generation;
    }
    process.generation++;
}

// The system removes the handler when this library is unloaded. Without memory
// for the handler, locks behave like ordinary ones.
__attribute__((constructor)) static void
watch_forks(void)
{
    pthread_atfork(NULL, NULL, note_fork);
}

bool
lg_process_is_forked(void)
{
    return process.generation > 0;
}

static uint32_t
word_of(uint32_t state)
{
    return process.generation << GENERATION_SHIFT | state;
}

static bool
is_parked(uint32_t word)
{
    return (word & STATE) == PARKED;
}

static bool
is_mine(const lg_lock *lock)
{
    return __atomic_load_n(&lock->holder, __ATOMIC_RELAXED) == this_thread();
}

// Returns whether the holder of a lock is gone: it was stopped, or a fork did
// not copy it. A lock that the survivor holds stays taken until the survivor
// releases it.
static bool
is_left(const lg_lock *lock, uint32_t word)
{
    uint32_t taken = word >> GENERATION_SHIFT;
    if (is_parked(word) && __atomic_load_n(&ending, __ATOMIC_RELAXED))
        return !is_mine(lock);
    if (taken == process.generation)
        return false;
    uintptr_t holder = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
    return taken < process.since || holder != process.survivor;
}

// Tries to take the lock. `word` is the last seen value of the lock, and is
// updated if the lock has changed. The holder is stored after the word. A child
// that is forked in between finds the holder from before, which is none unless
// the lock had been left: so to the child, the lock is left.
static lg_lock_result
take_seen(lg_lock *lock, uint32_t *word, uint32_t state)
{
    bool left = (*word & STATE) != FREE;
    if (left && !is_left(lock, *word))
        return LG_LOCK_BUSY;
    if (!__atomic_compare_exchange_n(&lock->word, word, word_of(state), false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return LG_LOCK_BUSY;
    __atomic_store_n(&lock->holder, this_thread(), __ATOMIC_RELAXED);
    return left ? LG_LOCK_LEFT : LG_LOCK_TAKEN;
}

lg_lock_result
lg_lock_try(lg_lock *lock)
{
    uint32_t word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    return take_seen(lock, &word, HELD);
}

// Waits until the word changes; returns false if a signal was handled.
static bool
sleep_on(lg_lock *lock, uint32_t word)
{
    return syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, word, NULL, NULL,
                   0) == 0 ||
           errno != EINTR;
}

// Whoever sleeps has marked the lock as awaited, or has seen it parked, and the
// system checks that word again before it lets the thread sleep. So a wake-up
// cannot come between the two.
static lg_lock_result
wait_for(lg_lock *lock, bool heed_signals)
{
    uint32_t word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    uint32_t state = HELD;
    for (;;) {
        uint32_t seen = word;
        lg_lock_result result = take_seen(lock, &word, state);
        if (result != LG_LOCK_BUSY)
            return result;
        if (word != seen)
            continue;
        if (is_parked(word) && is_mine(lock))
            return LG_LOCK_BUSY;
        uint32_t awaited =
            is_parked(word) ? word : (word & ~(uint32_t)STATE) | AWAITED;
        if (word != awaited &&
            !__atomic_compare_exchange_n(&lock->word, &word, awaited, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        if (!sleep_on(lock, awaited) && heed_signals)
            return LG_LOCK_BUSY;
        // Others may still wait, so the thread that releases the lock must wake
        // them.
        state = AWAITED;
        word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    }
}

lg_lock_result
lg_lock_take(lg_lock *lock)
{
    return wait_for(lock, false);
}

lg_lock_result
lg_lock_take_or_signal(lg_lock *lock)
{
    return wait_for(lock, true);
}

void
lg_lock_give(lg_lock *lock)
{
    // A child forked between the two stores finds no holder, so the lock is
    // free there.
    __atomic_store_n(&lock->holder, 0, __ATOMIC_RELAXED);
    uint32_t before =
        __atomic_exchange_n(&lock->word, word_of(FREE), __ATOMIC_RELEASE);
    if ((before & STATE) == AWAITED)
        syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void
wake_all(lg_lock *lock)
{
    syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

// Either this thread sees that the process ends, or the thread that ends the
// process sees the lock parked.
void
lg_lock_park(lg_lock *lock)
{
    __atomic_fetch_or(&lock->word, PARKED, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ending, __ATOMIC_RELAXED))
        wake_all(lock);
}

// By now, a lock that this thread left has another holder. That holder assumes
// that this thread has stopped, so a thread that still comes here must stop for
// good.
void
lg_lock_unpark(lg_lock *lock)
{
    uint32_t word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    uint32_t awaited = (word & ~(uint32_t)STATE) | AWAITED;
    while (!is_parked(word) || !is_mine(lock) ||
           !__atomic_compare_exchange_n(&lock->word, &word, awaited, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        pause();
}

void
lg_process_ends(void)
{
    __atomic_store_n(&ending, true, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
