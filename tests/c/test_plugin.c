// A process forks while a thread opens a part of the library. The loader and
// the sleep of whoever waits are this file's: a thread stops in the loader
// until another one waits for it, or for good.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <leakgraph/internal/plugin.h>

#include "forked.h"
#include "test.h"

void *__real_dlopen(const char *file, int mode);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
void *__wrap_dlopen(const char *file, int mode);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

/** What is opened instead of a part of the library. */
static const char part[] = "part";

/** What a thread does while it opens the part. */
typedef enum deed {
    OPENS,
    STOPS,          /**< until somebody waits for it */
    STOPS_FOR_GOOD, /**< until the test lets it go on */
    FORKS,          /**< and goes on in both processes */
    OPENS_A_SECOND,
} deed;

static struct {
    deed deed;
    atomic_bool half_open;
    atomic_bool for_good; /* nobody makes the thread go on */
    atomic_uint sleeps;   /* of those who wait */
    sem_t came;
    sem_t may_go_on;
    pid_t child;
    lg_status second;
} loader;

static void
await(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        continue;
}

static lg_status
open_part(lg_error *err)
{
    void *found = NULL;
    lg_status status =
        lg_plugin_open(part, "malloc", "a part", "install it", &found, err);
    if (status == LG_OK && found == NULL)
        status = LG_ENOTFOUND;
    return status;
}

static void
be_half_open(void)
{
    const deed what = loader.deed;
    loader.deed = OPENS;
    loader.half_open = true;
    sem_post(&loader.came);
    if (what == STOPS || what == STOPS_FOR_GOOD)
        await(&loader.may_go_on);
    if (what == FORKS)
        loader.child = fork();
    if (what == OPENS_A_SECOND)
        loader.second = open_part(NULL);
    loader.half_open = false;
}

void *
__wrap_dlopen(const char *file, int mode)
{
    if (file == NULL || strcmp(file, part) != 0)
        return __real_dlopen(file, mode);
    be_half_open();
    return __real_dlopen(NULL, mode);
}

// Lets a thread that stops go on once somebody waits for it, and does not sleep
// for one that never goes on.
int
__wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    if (loader.half_open && loader.sleeps++ == 0 && !loader.for_good)
        sem_post(&loader.may_go_on);
    return loader.for_good ? 0 : __real_nanosleep(time, left);
}

static void *
open_in_thread(void *unused)
{
    (void)unused;
    CHECK(open_part(NULL) == LG_OK);
    return NULL;
}

// Starts a thread that opens the part, and waits until it is half open.
static pthread_t
begin(deed what)
{
    pthread_t thread;
    loader.deed = what;
    loader.sleeps = 0;
    loader.for_good = what == STOPS_FOR_GOOD;
    REQUIRE(sem_init(&loader.came, 0, 0) == 0);
    REQUIRE(sem_init(&loader.may_go_on, 0, 0) == 0);
    REQUIRE(pthread_create(&thread, NULL, open_in_thread, NULL) == 0);
    await(&loader.came);
    return thread;
}

static void
end(pthread_t thread)
{
    loader.for_good = false;
    sem_post(&loader.may_go_on);
    pthread_join(thread, NULL);
    CHECK(open_part(NULL) == LG_OK);
}

static bool
opens_it(void *unused)
{
    (void)unused;
    return !loader.half_open && open_part(NULL) == LG_OK;
}

static bool
opens_it_and_forks(void *unused)
{
    return opens_it(unused) && forked_says(opens_it, NULL);
}

static void
fork_waits_for_the_loader(void)
{
    pthread_t thread = begin(STOPS);
    CHECK(forked_says(opens_it_and_forks, NULL));
    CHECK(loader.sleeps > 0);
    end(thread);
}

static void
two_open_in_turn(void)
{
    pthread_t thread = begin(STOPS);
    CHECK(open_part(NULL) == LG_OK);
    CHECK(loader.sleeps > 0);
    end(thread);
}

static bool
is_refused(void *unused)
{
    lg_error err;
    (void)unused;
    loader.half_open = false;
    return open_part(&err) == LG_EUNSUPPORTED &&
           strstr(err.message, "a part cannot be opened in this process") &&
           open_part(&err) == LG_EUNSUPPORTED;
}

static bool
is_refused_below(void *unused)
{
    loader.half_open = false;
    return forked_says(is_refused, unused) && is_refused(unused);
}

// Another thread that opens a part gives up as well, for the time being.
static void
fork_waits_in_vain(void)
{
    lg_error err;
    pthread_t thread = begin(STOPS_FOR_GOOD);
    CHECK(forked_says(is_refused, NULL));
    CHECK(forked_says(is_refused_below, NULL));
    CHECK(open_part(&err) == LG_EUNSUPPORTED);
    CHECK(strstr(err.message, "ask again") != NULL);
    end(thread);
    CHECK(forked_says(opens_it, NULL));
}

static bool
goes_on_in_both(void *unused)
{
    (void)unused;
    loader.deed = FORKS;
    loader.sleeps = 0;
    bool opened = open_part(NULL) == LG_OK && opens_it(NULL);
    if (loader.child == 0)
        _exit(opened && loader.sleeps == 0 ? 0 : 1);
    return opened && loader.sleeps == 0 && loader.child > 0 &&
           forked_child_agrees(loader.child);
}

static void
constructor_forks(void)
{
    CHECK(forked_says(goes_on_in_both, NULL));
}

static void
constructor_opens_another(void)
{
    loader.deed = OPENS_A_SECOND;
    loader.sleeps = 0;
    loader.for_good = true;
    CHECK(open_part(NULL) == LG_OK);
    loader.for_good = false;
    CHECK(loader.sleeps == 0);
    CHECK(loader.second == LG_EUNSUPPORTED);
    CHECK(opens_it(NULL));
}

static void
what_is_not_there(void)
{
    lg_error err;
    void *found = NULL;
    CHECK(lg_plugin_open("libnone.so", "none", "none", "install none", &found,
                         &err) == LG_EUNSUPPORTED);
    CHECK(strstr(err.message, "none cannot be opened: libnone.so") != NULL);
    CHECK(strstr(err.message, "; install none") != NULL);
    CHECK(opens_it(NULL));
}

SUITE(plugin)
{
    REQUIRE(sem_init(&loader.came, 0, 0) == 0);
    RUN(fork_waits_for_the_loader);
    RUN(two_open_in_turn);
    RUN(fork_waits_in_vain);
    RUN(constructor_forks);
    RUN(constructor_opens_another);
    RUN(what_is_not_there);
    return test_result();
}
