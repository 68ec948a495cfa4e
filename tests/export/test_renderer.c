// Renderers that are missing, crash, hang, send wrong data or use up memory,
// and callers that handle child processes themselves. Each case gives one
// sentence and leaves nothing behind.

#include "open_files.h"
#include "test.h"

#include <leakgraph/render.h>
#include <leakgraph/internal/renderers.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOT "digraph pair { a -> b [label=x] }"

static char folder[] = "/tmp/leakgraph-renderer-XXXXXX";
static char script[64];
static char *real; // the renderer that was built

// From here on, this shell script is the renderer.
static void
pretend(const char *text)
{
    FILE *file = fopen(script, "w");
    REQUIRE(file && fprintf(file, "#!/bin/sh\n%s\n", text) > 0);
    REQUIRE(!fclose(file) && !chmod(script, 0755));
    REQUIRE(!setenv("LEAKGRAPH_RENDERER", script, 1));
}

static void
be_real(void)
{
    REQUIRE(!setenv("LEAKGRAPH_RENDERER", real, 1));
}

static lg_status
draw(const char *dot, const lg_monitor *monitor, lg_error *error)
{
    lg_text image = {0};
    lg_status status = lg_dot_render(dot, "svg", monitor, &image, error);
    CHECK(status ? !image.data
                 : image.length > 100 && !memcmp(image.data, "<?xml", 5));
    lg_text_free(&image);
    return status;
}

// The renderer fails with this message, and leaves neither an open file nor a
// child.
static void
expect(const char *dot, const char *words)
{
    lg_error error = {0};
    size_t before = count_files();
    CHECK(draw(dot, NULL, &error) == LG_ERENDER);
    if (!strstr(error.message, words))
        fprintf(stderr, "not \"%s\": %s\n", words, error.message);
    CHECK(strstr(error.message, words));
    CHECK(!strchr(error.message, '\n'));
    CHECK(count_files() == before);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void
test_missing(void)
{
    REQUIRE(!setenv("LEAKGRAPH_RENDERER", "/nowhere/leakgraph-render", 1));
    expect(DOT, "/nowhere/leakgraph-render does not start: No such file");
    pretend("exit 0");
    REQUIRE(!chmod(script, 0644));
    expect(DOT, "does not start: Permission denied");
    pretend("exit 127");
    expect(DOT, "install Graphviz");
    REQUIRE(!unsetenv("LEAKGRAPH_RENDERER")); // none is beside this program
    expect(DOT, "build leakgraph with Graphviz");
}

static void
test_that_dies(void)
{
    pretend("exit 3");
    expect(DOT, "exit code 3");
    pretend("cat >/dev/null; exit 0");
    expect(DOT, "exit code 0");
    pretend("cat >/dev/null; kill -SEGV $$");
    expect(DOT, "signal 11 (Segmentation fault)");
    pretend("kill -KILL $$");
    expect(DOT, "signal 9 (Killed)");
    pretend("cat >/dev/null; kill -XCPU $$");
    expect(DOT, "longer than 60 s");
}

// The input does not fit into a socket's buffer, and SIGPIPE would end this
// test.
static void
test_that_does_not_listen(void)
{
    size_t length = 8 << 20;
    char *dot = malloc(length + 1);
    REQUIRE(dot);
    memset(dot, ' ', length);
    dot[length] = '\0';
    pretend("exit 4");
    expect(dot, "exit code 4");
    pretend("exec <&-; printf nonsense-nonsense");
    expect(dot, "answers nonsense");
    free(dot);
}

static void
test_that_talks_nonsense(void)
{
    pretend("cat >/dev/null; echo Hello, this is no picture");
    expect(DOT, "answers nonsense");
    pretend("yes");
    expect(DOT, "answers nonsense");
    // A head that announces 2^62 bytes, and one that ends after 3 of its 16
    // bytes.
    pretend("printf 'LGGR\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\100'; yes");
    expect(DOT, "answers nonsense");
    pretend("cat >/dev/null; printf "
            "'LGGR\\0\\0\\0\\0\\20\\0\\0\\0\\0\\0\\0\\0abc'");
    expect(DOT, "exit code 0");
    pretend(
        "cat >/dev/null; printf 'LGGR\\5\\0\\0\\0\\3\\0\\0\\0\\0\\0\\0\\0why'");
    expect(DOT, "why");
}

// The caller's limit stops the renderer, or the renderer's own limit does,
// which is the same.
static void
test_that_hangs(void)
{
    REQUIRE(!setenv("LEAKGRAPH_RENDER_SECONDS", "1", 1));
    pretend("exec sleep 1000");
    expect(DOT, "longer than 1 s");
    pretend("cat >/dev/null; printf LGGR; kill -STOP $$");
    expect(DOT, "longer than 1 s");
    REQUIRE(!unsetenv("LEAKGRAPH_RENDER_SECONDS"));
}

// 4,000 nodes with 3 edges each: the layout takes minutes.
static char *
big_dot(void)
{
    char *dot = malloc(1 << 20), *at = dot;
    uint64_t state = 1;
    REQUIRE(dot);
    at += sprintf(at, "digraph {");
    for (unsigned i = 0; i < 12000; i++)
        at += sprintf(at, "%u->%u;", i / 3, test_random(&state) % 4000);
    sprintf(at, "}");
    return dot;
}

static void
test_limits_of_the_real_one(void)
{
    char *dot = big_dot();
    be_real();
    REQUIRE(!setenv("LEAKGRAPH_RENDER_SECONDS", "1", 1));
    expect(dot, "longer than 1 s");
    REQUIRE(!unsetenv("LEAKGRAPH_RENDER_SECONDS"));
#ifndef __SANITIZE_ADDRESS__ // this needs an unlimited address space
    REQUIRE(!setenv("LEAKGRAPH_RENDER_MEBIBYTES", "40", 1));
    expect(dot, "render");
    REQUIRE(!unsetenv("LEAKGRAPH_RENDER_MEBIBYTES"));
#endif
    free(dot);
    CHECK(!draw(DOT, NULL, NULL));
}

static bool
refuse(void *context, const char *phase, double done)
{
    CHECK(!strcmp(phase, "drawing") && done >= 0);
    ++*(int *)context;
    return false;
}

static void
test_monitor_ends_it(void)
{
    int calls = 0;
    char text[200], name[80];
    long pid = 0;
    lg_error error = {0};
    lg_monitor monitor = {refuse, &calls};
    snprintf(name, sizeof name, "%s/pid", folder);
    snprintf(text, sizeof text, "echo $$ >%s; exec sleep 1000", name);
    pretend(text);
    CHECK(draw(DOT, &monitor, &error) == LG_ECANCELLED);
    CHECK(calls == 1);
    FILE *file = fopen(name, "r");
    // On a busy machine the renderer may not have come this far.
    if (file && fscanf(file, "%ld", &pid) == 1)
        CHECK(kill((pid_t)pid, 0) == -1 && errno == ESRCH);
    if (file)
        fclose(file);
    unlink(name);
}

// The renderer does not inherit the caller's open files, ignored and blocked
// signals, or preloaded libraries.
static void
test_inherits_nothing(void)
{
    char text[300];
    lg_error error = {0};
    int open_here = open("/dev/null", O_RDONLY);
    int far = fcntl(open_here, F_DUPFD, 100);
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    REQUIRE(open_here >= 0 && far >= 100);
    REQUIRE(!setenv("LD_PRELOAD", "/nowhere/preloaded.so", 1));
    signal(SIGPIPE, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    snprintf(text, sizeof text,
             "test -z \"$LD_PRELOAD\" || exit 5\n"
             "exec '%s' \"$@\"",
             real);
    pretend(text);
    CHECK(!draw(DOT, NULL, &error));
    pretend("kill -TERM $$; exit 6");
    expect(DOT, "signal 15");
    pretend("kill -PIPE $$; exit 6");
    expect(DOT, "signal 13");
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    signal(SIGPIPE, SIG_DFL);
    REQUIRE(!unsetenv("LD_PRELOAD"));
    close(far);
    close(open_here);
}

// If the caller has closed its standard streams, the socket gets their numbers.
static void
test_without_standard_streams(void)
{
    be_real();
    pid_t child = fork();
    if (child == 0) {
        close(0);
        close(1);
        close(2);
        _exit(draw(DOT, NULL, NULL) != LG_OK);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void
test_while_children_are_ignored(void)
{
    signal(SIGCHLD, SIG_IGN);
    be_real();
    CHECK(!draw(DOT, NULL, NULL));
    pretend("cat >/dev/null; kill -KILL $$");
    expect(DOT, "the renderer ended without a picture");
    pretend("exec sleep 1000");
    int calls = 0;
    lg_monitor monitor = {refuse, &calls};
    CHECK(draw(DOT, &monitor, NULL) == LG_ECANCELLED);
    signal(SIGCHLD, SIG_DFL);
}

static void *
reap_all(void *context)
{
    const _Atomic bool *stop = context;
    while (!*stop)
        waitpid(-1, NULL, WNOHANG);
    return NULL;
}

static void
test_while_others_reap(void)
{
    pthread_t reaper;
    _Atomic bool stop = false;
    be_real();
    REQUIRE(!pthread_create(&reaper, NULL, reap_all, &stop));
    for (int i = 0; i < 5; i++)
        CHECK(!draw(DOT, NULL, NULL));
    pretend("cat >/dev/null; kill -KILL $$");
    for (int i = 0; i < 5; i++)
        CHECK(draw(DOT, NULL, NULL) == LG_ERENDER);
    stop = true;
    REQUIRE(!pthread_join(reaper, NULL));
}

static void *
draw_often(void *failed)
{
    for (int i = 0; i < 4; i++) {
        if (draw(DOT, NULL, NULL))
            return failed;
    }
    return NULL;
}

// Children that are forked while other threads draw hold copies of their
// sockets for a while.
static void
test_threads_and_forks(void)
{
    pthread_t threads[8];
    pid_t children[8];
    be_real();
    for (size_t i = 0; i < 8; i++)
        REQUIRE(!pthread_create(&threads[i], NULL, draw_often, script));
    for (size_t i = 0; i < 8; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(draw(DOT, NULL, NULL) != LG_OK);
    }
    for (size_t i = 0; i < 8; i++) {
        void *failed;
        int status = -1;
        REQUIRE(!pthread_join(threads[i], &failed));
        CHECK(!failed);
        CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
    }
}

static void
test_no_file_is_left(void)
{
    char path[80];
    struct stat known;
    lg_error error = {0};
    snprintf(path, sizeof path, "%s/picture.svg", folder);
    pretend("cat >/dev/null; kill -KILL $$");
    CHECK(lg_renderer_draw_file(NULL, DOT, NULL, path, NULL, &error) ==
          LG_ERENDER);
    CHECK(stat(path, &known) == -1);
    // Without a renderer the formats are unknown; drawing reports the error.
    CHECK(!lg_render_format_check("tiff", NULL));
}

SUITE(renderer)
{
    REQUIRE(!setenv("LEAKGRAPH_RENDER_KEPT_SECONDS", "0", 1));
    real = getenv("LEAKGRAPH_RENDERER");
    real = real ? strdup(real) : NULL;
    REQUIRE(real && mkdtemp(folder));
    snprintf(script, sizeof script, "%s/renderer", folder);
    RUN(test_missing);
    RUN(test_that_dies);
    RUN(test_that_does_not_listen);
    RUN(test_that_talks_nonsense);
    RUN(test_that_hangs);
    RUN(test_limits_of_the_real_one);
    RUN(test_monitor_ends_it);
    RUN(test_inherits_nothing);
    RUN(test_without_standard_streams);
    RUN(test_while_children_are_ignored);
    RUN(test_while_others_reap);
    RUN(test_threads_and_forks);
    RUN(test_no_file_is_left);
    unlink(script);
    CHECK(!rmdir(folder));
    free(real);
    return test_result();
}
