// Locks and forks: the state in a child of a lock that was held at the fork.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <leakgraph/internal/lock.h>

#include "forked.h"
#include "test.h"

enum { THREADS = 4, TURNS = 100000 };

static void
taken_once(void)
{
    lg_lock lock = {0};
    CHECK(lg_lock_try(&lock) == LG_LOCK_TAKEN);
    CHECK(lg_lock_try(&lock) == LG_LOCK_BUSY);
    lg_lock_give(&lock);
    CHECK(lg_lock_take(&lock) == LG_LOCK_TAKEN);
    CHECK(lg_lock_try(&lock) == LG_LOCK_BUSY);
    lg_lock_give(&lock);
    CHECK(lg_lock_take_or_signal(&lock) == LG_LOCK_TAKEN);
    lg_lock_give(&lock);
}

typedef struct counter {
    lg_lock lock;
    unsigned long count;
} counter;

static void *
count(void *context)
{
    counter *self = context;
    for (unsigned i = 0; i < TURNS; i++) {
        lg_lock_take(&self->lock);
        self->count++;
        lg_lock_give(&self->lock);
    }
    return NULL;
}

static void
taken_in_turn(void)
{
    counter self = {.count = 0};
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, count, &self) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(self.count == (unsigned long)THREADS * TURNS);
}

/* A lock that another thread holds until the test lets it end. */
typedef struct holder {
    lg_lock lock;
    sem_t has_it;
    sem_t may_end;
    pthread_t thread;
} holder;

static void *
hold(void *context)
{
    holder *self = context;
    REQUIRE(lg_lock_take(&self->lock) == LG_LOCK_TAKEN);
    sem_post(&self->has_it);
    while (sem_wait(&self->may_end) != 0)
        continue;
    lg_lock_give(&self->lock);
    return NULL;
}

static void
holder_begin(holder *self)
{
    *self = (holder){.thread = 0};
    REQUIRE(sem_init(&self->has_it, 0, 0) == 0);
    REQUIRE(sem_init(&self->may_end, 0, 0) == 0);
    REQUIRE(pthread_create(&self->thread, NULL, hold, self) == 0);
    while (sem_wait(&self->has_it) != 0)
        continue;
}

static void
holder_end(holder *self)
{
    sem_post(&self->may_end);
    pthread_join(self->thread, NULL);
    CHECK(lg_lock_try(&self->lock) == LG_LOCK_TAKEN);
    lg_lock_give(&self->lock);
}

static void
note(int number)
{
    (void)number;
}

static void *
wait_or_signal(void *context)
{
    holder *self = context;
    CHECK(lg_lock_take_or_signal(&self->lock) == LG_LOCK_BUSY);
    sem_post(&self->has_it);
    return NULL;
}

// A signal may come before the thread waits; the thread then does not see it.
static void
given_up_for_a_signal(void)
{
    holder self;
    pthread_t waiting;
    struct sigaction action = {.sa_handler = note};
    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
    holder_begin(&self);
    REQUIRE(pthread_create(&waiting, NULL, wait_or_signal, &self) == 0);
    while (sem_trywait(&self.has_it) != 0) {
        pthread_kill(waiting, SIGUSR1);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    pthread_join(waiting, NULL);
    holder_end(&self);
}

static bool
is_left(void *lock)
{
    bool left = lg_process_is_forked() && lg_lock_take(lock) == LG_LOCK_LEFT &&
                lg_lock_try(lock) == LG_LOCK_BUSY;
    lg_lock_give(lock);
    return left && lg_lock_try(lock) == LG_LOCK_TAKEN;
}

static bool
is_held_still(void *lock)
{
    bool held = lg_lock_try(lock) == LG_LOCK_BUSY;
    lg_lock_give(lock);
    return held && lg_lock_try(lock) == LG_LOCK_TAKEN;
}

static bool
is_left_to_a_grandchild(void *lock)
{
    return forked_says(is_left, lock) && is_left(lock);
}

static bool
is_held_in_a_grandchild(void *lock)
{
    return forked_says(is_held_still, lock) && is_held_still(lock);
}

// A new thread in a child may get the identity of a thread that no longer
// exists.
static void *
ask_grandchild(void *lock)
{
    return forked_says(is_left, lock) ? lock : NULL;
}

static bool
is_left_to_the_child_of_a_thread(void *lock)
{
    pthread_t thread;
    void *answer = NULL;
    return pthread_create(&thread, NULL, ask_grandchild, lock) == 0 &&
           pthread_join(thread, &answer) == 0 && answer == lock;
}

static void
held_by_another_thread(void)
{
    holder self;
    holder_begin(&self);
    CHECK(forked_says(is_left, &self.lock));
    CHECK(forked_says(is_left_to_a_grandchild, &self.lock));
    CHECK(forked_says(is_left_to_the_child_of_a_thread, &self.lock));
    CHECK(lg_lock_try(&self.lock) == LG_LOCK_BUSY);
    CHECK(!lg_process_is_forked());
    holder_end(&self);
}

static void
held_by_the_thread_that_forks(void)
{
    lg_lock lock = {0};
    REQUIRE(lg_lock_take(&lock) == LG_LOCK_TAKEN);
    CHECK(forked_says(is_held_still, &lock));
    CHECK(forked_says(is_held_in_a_grandchild, &lock));
    CHECK(lg_lock_try(&lock) == LG_LOCK_BUSY);
    lg_lock_give(&lock);
}

static bool
is_free(void *lock)
{
    bool taken = lg_lock_take(lock) == LG_LOCK_TAKEN;
    lg_lock_give(lock);
    return taken;
}

static void
free_at_the_fork(void)
{
    lg_lock lock = {0};
    CHECK(forked_says(is_free, &lock));
    CHECK(is_free(&lock));
    CHECK(forked_says(is_free, &lock));
}

static void
parked_and_taken_back(void)
{
    lg_lock lock = {0};
    REQUIRE(lg_lock_take(&lock) == LG_LOCK_TAKEN);
    lg_lock_park(&lock);
    CHECK(lg_lock_try(&lock) == LG_LOCK_BUSY);
    CHECK(lg_lock_take(&lock) == LG_LOCK_BUSY);
    lg_lock_unpark(&lock);
    CHECK(lg_lock_try(&lock) == LG_LOCK_BUSY);
    lg_lock_give(&lock);
    CHECK(lg_lock_try(&lock) == LG_LOCK_TAKEN);
}

static void *
count_and_park(void *context)
{
    counter *self = context;
    for (unsigned i = 0; i < TURNS / 10; i++) {
        lg_lock_take(&self->lock);
        lg_lock_park(&self->lock);
        lg_lock_unpark(&self->lock);
        self->count++;
        lg_lock_give(&self->lock);
    }
    return NULL;
}

static void
parked_in_turn(void)
{
    counter self = {.count = 0};
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, count_and_park, &self) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(self.count == (unsigned long)THREADS * (TURNS / 10));
}

static void *
park_for_good(void *context)
{
    holder *self = context;
    lg_lock_take(&self->lock);
    sem_post(&self->has_it);
    while (sem_wait(&self->may_end) != 0)
        continue;
    lg_lock_park(&self->lock);
    sem_post(&self->has_it);
    for (;;)
        pause();
    return NULL;
}

static bool
begin_to_park(holder *self)
{
    *self = (holder){.thread = 0};
    bool fine = sem_init(&self->has_it, 0, 0) == 0 &&
                sem_init(&self->may_end, 0, 0) == 0 &&
                pthread_create(&self->thread, NULL, park_for_good, self) == 0;
    while (fine && sem_wait(&self->has_it) != 0)
        continue;
    return fine;
}

static bool
is_left_again(lg_lock *lock)
{
    bool left =
        lg_lock_take(lock) == LG_LOCK_LEFT && lg_lock_try(lock) == LG_LOCK_BUSY;
    lg_lock_give(lock);
    return left && lg_lock_try(lock) == LG_LOCK_TAKEN;
}

static bool
is_left_when_all_ends(void *context)
{
    holder self;
    (void)context;
    if (!begin_to_park(&self))
        return false;
    sem_post(&self.may_end);
    while (sem_wait(&self.has_it) != 0)
        continue;
    bool held = lg_lock_try(&self.lock) == LG_LOCK_BUSY;
    lg_process_ends();
    return held && is_left_again(&self.lock);
}

// The holder parks while this thread waits, or just before.
static bool
is_left_to_one_that_waits(void *context)
{
    holder self;
    (void)context;
    if (!begin_to_park(&self))
        return false;
    lg_process_ends();
    sem_post(&self.may_end);
    return is_left_again(&self.lock);
}

static void
parked_when_all_ends(void)
{
    CHECK(forked_says(is_left_when_all_ends, NULL));
    CHECK(forked_says(is_left_to_one_that_waits, NULL));
}

SUITE(lock)
{
    RUN(parked_and_taken_back);
    RUN(parked_in_turn);
    RUN(parked_when_all_ends);
    RUN(taken_once);
    RUN(taken_in_turn);
    RUN(given_up_for_a_signal);
    RUN(held_by_another_thread);
    RUN(held_by_the_thread_that_forks);
    RUN(free_at_the_fork);
    return test_result();
}
