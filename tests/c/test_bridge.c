// Asks igraph directly: its answers are right, and each of its allocations
// fails once. A malloc for the whole process reaches igraph's allocations.
#include <errno.h>

#include "drawn.h"
#include "test.h"

#include "analysis/solver.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static long left = -1; // allocations that still succeed; negative: no limit

static bool
may_allocate(void)
{
    bool may = left < 0 || left-- > 0;
    if (!may)
        errno = ENOMEM;
    return may;
}

LG_API void *
malloc(size_t size)
{
    return may_allocate() ? __libc_malloc(size) : NULL;
}

LG_API void *
calloc(size_t count, size_t size)
{
    return may_allocate() ? __libc_calloc(count, size) : NULL;
}

LG_API void *
realloc(void *old, size_t size)
{
    return may_allocate() ? __libc_realloc(old, size) : NULL;
}

// 0 -> 1 -> 2 -> 3 -> 1, 2 -> 4, 3 -> 4, 4 -> 5 -> 4
static const uint32_t source[] = {0, 1, 2, 3, 2, 3, 4, 5};
static const uint32_t target[] = {1, 2, 3, 1, 4, 4, 5, 4};
static const lg__problem problem = {6, 8, source, target, NULL, false};

static void
answers(void)
{
    uint32_t found[6];
    REQUIRE(lg__solver_ask(&problem, found, NULL) == LG_OK);
    CHECK(found[0] == 0 && found[1] == 0 && found[2] == 1 && found[3] == 2);
    CHECK(found[4] == 2 && found[5] == 4);
}

static void
out_of_memory(void)
{
    lg_status status = LG_ENOMEM;
    long allowed = 0;
    for (; status != LG_OK && allowed < 10000; allowed++) {
        uint32_t found[6] = {7, 7, 7, 7, 7, 7};
        lg_error err = {0};
        left = allowed;
        status = lg__solver_ask(&problem, found, &err);
        left = -1;
        CHECK(status == LG_OK || status == LG_ENOMEM);
        CHECK(status == LG_OK || (err.message[0] != 0 && found[0] == 7));
    }
    CHECK(status == LG_OK && allowed > 5);
}

static bool
refuse(void *context, const char *phase, double done)
{
    (void)phase;
    (void)done;
    ++*(unsigned *)context;
    return false;
}

static void
cancelled(void)
{
    enum { LONG = 5000 }; // below igraph's minimum size
    unsigned ticks = 0;
    lg_monitor monitor = {refuse, &ticks};
    uint32_t from[LONG - 1];
    uint32_t to[LONG - 1];
    lg__problem watched = {LONG, LONG - 1, from, to, &monitor, false};
    uint32_t found[LONG] = {7};
    lg_error err = {0};
    for (uint32_t i = 0; i < LONG - 1; i++) {
        from[i] = i;
        to[i] = i + 1;
    }
    CHECK(lg__solver_ask(&watched, found, &err) == LG_ECANCELLED);
    CHECK(ticks == 1 && found[0] == 7);
    CHECK(strncmp(err.message, "cancelled while ", 16) == 0);
    // A failed call does not affect the next one.
    CHECK(lg__solver_ask(&problem, found, &err) == LG_OK);
}

// A refusal by igraph becomes one sentence.
static void
refused(void)
{
    lg__problem rootless = {0, 0, source, target, NULL, false};
    uint32_t found[1] = {7};
    lg_error err = {0};
    CHECK(lg__solver_ask(&rootless, found, &err) == LG_EUNSUPPORTED);
    CHECK(strstr(err.message, "igraph") != NULL && found[0] == 7);
}

int
main(void)
{
    RUN(answers);
    RUN(out_of_memory);
    RUN(cancelled);
    RUN(refused);
    return test_result();
}
