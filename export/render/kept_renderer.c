// Keeps at most one renderer for the next picture.

#include "render/kept_renderer.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define USUAL_SECONDS 10u
#define MOST_SECONDS 3600u

typedef struct kept {
    lg__worker worker;
    pid_t owner; // a forked child has a copy, and leaves it to its parent
    char terms[];
} kept;

static _Atomic(kept *) waiting;
/* When a renderer last started; 0: never. */
static atomic_int_least64_t last_start;

static unsigned
wanted_seconds(void)
{
    const char *given = secure_getenv("LEAKGRAPH_RENDER_KEPT_SECONDS");
    char *end;
    unsigned long number = given ? strtoul(given, &end, 10) : 0;
    bool fine = given && given[0] >= '0' && given[0] <= '9' && !*end &&
                number <= MOST_SECONDS;
    return fine ? (unsigned)number : USUAL_SECONDS;
}

// True if the kernel gives this process the orphans among its descendants: it
// would find a child that it did not start.
static bool
adopts(void)
{
    int reaper = 0;
    return getpid() == 1 || (!prctl(PR_GET_CHILD_SUBREAPER, &reaper) && reaper);
}

unsigned
lg__kept_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now = (int64_t)time.tv_sec + 1;
    int64_t before = atomic_exchange(&last_start, now);
    unsigned seconds = wanted_seconds();
    return before && now - before <= (int64_t)seconds && !adopts() ? seconds
                                                                   : 0;
}

// When nobody holds its socket, the renderer ends.
static void
leave(kept *one)
{
    if (one)
        lg__worker_leave(&one->worker);
    free(one);
}

void
lg__kept_put(const int files[2], const char *terms)
{
    size_t length = strlen(terms) + 1;
    kept *one = malloc(sizeof *one + length);
    if (!one) {
        close(files[0]);
        close(files[1]);
        return;
    }
    one->worker = (lg__worker){.socket = files[0], .pidfd = files[1]};
    one->owner = getpid();
    memcpy(one->terms, terms, length);
    leave(atomic_exchange(&waiting, one));
}

static bool
lives(const lg__worker *worker)
{
    struct pollfd end = {worker->pidfd, POLLIN, 0};
    return poll(&end, 1, 0) == 0;
}

bool
lg__kept_take(const char *terms, lg__worker *out)
{
    kept *one = atomic_exchange(&waiting, NULL);
    bool fits = one && one->owner == getpid() && !strcmp(one->terms, terms) &&
                lives(&one->worker);
    if (!fits) {
        leave(one);
        return false;
    }
    *out = one->worker;
    free(one);
    return true;
}
