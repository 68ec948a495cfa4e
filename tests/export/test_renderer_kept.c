// Pictures in a row are drawn by one renderer.

#include "open_files.h"
#include "test.h"

#include <leakgraph/render.h>
#include <leakgraph/internal/renderers.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOT "digraph pair { a -> b [label=x] }"

static char *real; // the renderer that was built
static char folder[] = "/tmp/leakgraph-kept-XXXXXX";
static char script[64], starts[64];

// The renderer notes each start, and the process group, which all that it
// starts shares.
static void
count_starts(void)
{
    snprintf(script, sizeof script, "%s/renderer", folder);
    snprintf(starts, sizeof starts, "%s/starts", folder);
    FILE *file = fopen(script, "w");
    REQUIRE(file);
    fprintf(file, "#!/bin/sh\necho $$ >>%s\nexec '%s' \"$@\"\n", starts, real);
    REQUIRE(!fclose(file) && !chmod(script, 0755));
    REQUIRE(!setenv("LEAKGRAPH_RENDERER", script, 1));
}

// Returns how often a renderer started since the last call.
static int
started(pid_t *group)
{
    int count = 0;
    long last = 0;
    FILE *file = fopen(starts, "r");
    while (file && fscanf(file, "%ld", &last) == 1)
        count++;
    if (file)
        fclose(file);
    unlink(starts);
    if (group)
        *group = (pid_t)last;
    return count;
}

static lg_status
draw(const char *dot, const char *format, lg_text *out, lg_error *error)
{
    lg_text own = {0};
    lg_status status =
        lg_dot_render(dot, format, NULL, out ? out : &own, error);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    lg_text_free(&own);
    return status;
}

static void
keep(const char *seconds)
{
    REQUIRE(!setenv("LEAKGRAPH_RENDER_KEPT_SECONDS", seconds, 1));
}

// Draws, so that a renderer waits, and returns its process group.
static pid_t
have_one(void)
{
    pid_t group = 0;
    keep("60");
    REQUIRE(!draw(DOT, "svg", NULL, NULL));
    REQUIRE(started(&group) > 0 && group > 0);
    return group;
}

// Ends the one that waits: other terms are asked for.
static void
have_none(void)
{
    keep("0");
    CHECK(!draw(DOT, "png", NULL, NULL));
    started(NULL);
}

// Waits until no process of the group is left.
static bool
is_gone(pid_t group)
{
    for (int i = 0; i < 2000 && !kill(-group, 0); i++)
        usleep(10000);
    return kill(-group, 0) == -1 && errno == ESRCH;
}

// One renderer draws them all.
static void
test_a_row(void)
{
    size_t before = count_files();
    keep("60");
    for (int i = 0; i < 5; i++)
        CHECK(!draw(DOT, "svg", NULL, NULL));
    CHECK(started(NULL) == 1 && count_files() == before + 2);
    lg_renderer *early = lg_renderer_start("svg");
    lg_text image = {0};
    CHECK(!lg_renderer_draw(early, DOT, "svg", NULL, &image, NULL));
    lg_renderer_end(early);
    lg_text_free(&image);
    CHECK(started(NULL) == 0);
    CHECK(!draw(DOT, "png", NULL, NULL)); // another format
    CHECK(draw(DOT, "nonsense", NULL, NULL) == LG_EINVAL);
    CHECK(started(NULL) == 1); // to be sure that it is nonsense
    CHECK(draw(DOT, "a format with a long name", NULL, NULL) == LG_EINVAL);
    CHECK(started(NULL) == 1);
    have_none();
    CHECK(count_files() == before);
    keep("0");
    for (int i = 0; i < 3; i++)
        CHECK(!draw(DOT, "svg", NULL, NULL));
    CHECK(started(NULL) == 3 && count_files() == before);
}

// A picture does not depend on the pictures before it.
static void
test_same_pictures(void)
{
    static const char *const dots[] = {
        DOT,
        "digraph other { rankdir=LR; node [shape=box]; a -> {b c d} -> e }",
        "digraph text { a [label=<<B>bold</B><BR/>plain>]; a -> a }",
        "digraph empty { }",
    };
    for (size_t i = 0; i < 2 * (sizeof dots / sizeof *dots); i++) {
        const char *dot = dots[i / 2], *format = i % 2 ? "png" : "svg";
        lg_text first = {0}, later = {0};
        keep("0");
        CHECK(!draw(dot, format, &first, NULL));
        have_one();
        CHECK(!draw(dots[(i / 2 + 1) % 4], "svg", NULL, NULL));
        CHECK(!draw(dot, format, &later, NULL));
        CHECK(started(NULL) == 0);
        CHECK(first.length == later.length &&
              !memcmp(first.data, later.data, first.length));
        lg_text_free(&first);
        lg_text_free(&later);
        have_none();
    }
}

// What is wrong with a picture is told as by a new renderer.
static void
test_wrong_pictures(void)
{
    lg_error first = {0}, later = {0};
    keep("0");
    CHECK(draw("digraph {", "svg", NULL, &first) == LG_ERENDER);
    have_one();
    CHECK(draw("digraph {", "svg", NULL, &later) == LG_ERENDER);
    CHECK(!strcmp(first.message, later.message));
    CHECK(started(NULL) == 1);
    CHECK(!draw(DOT, "svg", NULL, NULL));
    have_none();
}

// A renderer that ends while it waits, or does nothing any more, costs a start.
static void
test_killed(void)
{
    pid_t group = have_one();
    CHECK(!kill(-group, SIGKILL));
    CHECK(!draw(DOT, "svg", NULL, NULL));
    CHECK(started(&group) == 1);
    CHECK(!draw(DOT, "svg", NULL, NULL));
    CHECK(started(NULL) == 0);
    have_none();
}

// A picture that takes too long is not drawn twice.
static void
test_slow_pictures(void)
{
    enum { BOXES = 300, WORD = 8 };
    lg_error error = {0};
    char *dot = calloc(2 * BOXES + 4, WORD), *at = dot;
    REQUIRE(dot && !setenv("LEAKGRAPH_RENDER_SECONDS", "1", 1));
    at += sprintf(at, "digraph {{");
    for (int i = 0; i < 2 * BOXES; i++)
        at += sprintf(at, i == BOXES ? "}->{%d " : "%d ", i);
    sprintf(at, "}}");
    have_one();
    CHECK(draw(dot, "svg", NULL, &error) == LG_ERENDER);
    CHECK(strstr(error.message, "longer than 1 s"));
    CHECK(started(NULL) == 0);
    REQUIRE(!unsetenv("LEAKGRAPH_RENDER_SECONDS"));
    free(dot);
    have_none();
}

static bool
stop(void *context, const char *phase, double done)
{
    (void)context;
    (void)phase;
    (void)done;
    return false;
}

// The monitor ends it, too.
static void
test_stopped(void)
{
    pid_t group = have_one();
    lg_monitor monitor = {stop, NULL};
    lg_error error = {0};
    lg_text image = {0};
    CHECK(!kill(-group, SIGSTOP));
    CHECK(lg_dot_render(DOT, "svg", &monitor, &image, &error) == LG_ECANCELLED);
    CHECK(!image.data);
    CHECK(is_gone(group));
    CHECK(!draw(DOT, "svg", NULL, NULL));
    have_none();
}

// A forked child leaves its parent's renderer alone.
static void
test_forked(void)
{
    have_one();
    pid_t child = fork();
    if (child == 0) {
        bool drawn = !draw(DOT, "svg", NULL, NULL);
        _exit(drawn && started(NULL) == 1 ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(!draw(DOT, "svg", NULL, NULL));
    CHECK(started(NULL) == 0);
    have_none();
}

// A program that closes files it did not open, as a daemon does, may have its
// own under their numbers.
static bool
own_files_stay_own(void)
{
    enum { FILES = 20, PAIRS = 4 };
    int pairs[PAIRS][2];
    char byte;
    bool own = true;
    for (int file = 3; file < FILES; file++)
        close(file);
    for (int i = 0; i < PAIRS; i++)
        REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]));
    own &= !draw(DOT, "svg", NULL, NULL);
    for (int i = 0; i < 2 * PAIRS; i++)
        own &= recv(pairs[i / 2][i % 2], &byte, 1, MSG_DONTWAIT) == -1 &&
               errno == EAGAIN;
    for (int i = 0; i < 2 * PAIRS; i++)
        close(pairs[i / 2][i % 2]);
    return own;
}

static void
test_closed_files(void)
{
    int status = 0;
    have_one();
    pid_t child = fork();
    if (child == 0)
        _exit(own_files_stay_own() ? 0 : 1);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(own_files_stay_own());
    started(NULL);
    have_none();
}

// A process that adopts orphans would get one as its child.
static void
test_adopting(void)
{
    keep("60");
    REQUIRE(!prctl(PR_SET_CHILD_SUBREAPER, 1));
    for (int i = 0; i < 3; i++)
        CHECK(!draw(DOT, "svg", NULL, NULL));
    CHECK(started(NULL) == 3);
    REQUIRE(!prctl(PR_SET_CHILD_SUBREAPER, 0));
    have_none();
}

// It ends by itself, and with the process.
static void
test_ends(void)
{
    pid_t group = 0;
    keep("1");
    CHECK(!draw(DOT, "svg", NULL, NULL));
    started(&group);
    CHECK(is_gone(group));
    keep("60");
    pid_t child = fork();
    if (child == 0) {
        CHECK(!draw(DOT, "svg", NULL, NULL));
        _exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK(started(&group) > 0 && is_gone(group));
    have_none();
}

SUITE(renderer_kept)
{
    real = getenv("LEAKGRAPH_RENDERER");
    real = real ? strdup(real) : NULL;
    REQUIRE(real && mkdtemp(folder));
    count_starts();
    RUN(test_a_row);
    RUN(test_same_pictures);
    RUN(test_wrong_pictures);
    RUN(test_killed);
    RUN(test_slow_pictures);
    RUN(test_stopped);
    RUN(test_forked);
    RUN(test_closed_files);
    RUN(test_adopting);
    RUN(test_ends);
    unlink(script);
    rmdir(folder);
    free(real);
    return test_result();
}
