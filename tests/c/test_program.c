// Which script or module a process runs.
#include "test.h"

#include <leakgraph/internal/program.h>

#include <string.h>

#define FOUND(expected, ...)                                                   \
    CHECK(finds(expected, (const char *const[]){__VA_ARGS__, NULL}))

// Joins the arguments as the kernel does, and compares what is found: a module
// as it is in the info of a snapshot.
static bool
finds(const char *expected, const char *const *arguments)
{
    char joined[256];
    size_t length = 0;
    for (size_t i = 0; arguments[i]; i++) {
        size_t bytes = strlen(arguments[i]) + 1;
        memcpy(joined + length, arguments[i], bytes);
        length += bytes;
    }
    lg_program found = lg_program_of_arguments(joined, length);
    lg_string given = {expected, (uint32_t)strlen(expected)};
    lg_program asked = lg_program_of_info(given);
    return found.is_module == asked.is_module &&
           found.text.length == asked.text.length &&
           memcmp(found.text.data, asked.text.data, found.text.length) == 0;
}

static void
scripts(void)
{
    FOUND("a b/train.py", "/usr/bin/python3", "a b/train.py", "--lr", "x.py");
    FOUND("train.py", "python", "-u", "-Xdev", "-W", "ignore", "train.py");
    FOUND("/venv/bin/pytest", "python3.12", "/venv/bin/pytest", "tests/a.py");
    FOUND("train.py", "python", "--check-hash-based-pycs", "never", "train.py");
}

static void
modules(void)
{
    FOUND("-m pkg.train", "python", "-m", "pkg.train", "x.py");
    FOUND("-m pkg.train", "python", "-umpkg.train");
    FOUND("-m pkg.train", "python", "-X", "dev", "-um", "pkg.train");
}

static void
wrappers(void)
{
    FOUND("train.py", "python", "-m", "leakgraph", "run", "-o", "f", "train.py",
          "x.py");
    FOUND("train.py", "python", "/venv/bin/coverage", "run", "train.py");
    FOUND("", "python", "-m", "leakgraph", "run", "-m", "pkg.train");
}

static void
unknown(void)
{
    FOUND("", "python");
    FOUND("", "python", "-");
    FOUND("", "python", "-m");
    FOUND("", "python", "-c", "import train", "train.py");
    FOUND("", "python", "-uc", "import train", "train.py");
    FOUND("", "gunicorn: worker [app]", "", "");
    FOUND("", "");
    CHECK(lg_program_of_arguments("", 0).text.length == 0);
    CHECK(lg_program_of_arguments("python\0a.py", 11).text.length == 4);
}

static bool
differ(const char *one, const char *other)
{
    lg_string a = {one, (uint32_t)strlen(one)};
    lg_string b = {other, (uint32_t)strlen(other)};
    return lg_program_differs(lg_program_of_info(a), lg_program_of_info(b));
}

static void
names(void)
{
    CHECK(differ("pipeline.py", "finetune.py"));
    CHECK(differ("-m pkg.serve", "pkg/train.py"));
    CHECK(differ("a.b", "a.c"));
    CHECK(!differ("old/train.py", "./train.py"));
    CHECK(!differ("-m pkg.train", "pkg/train.py"));
    CHECK(!differ("/venv/bin/pytest", "-m pytest"));
    CHECK(!differ("", "train.py"));
    CHECK(!differ("pkg/__main__.py", "-m pkg"));
}

SUITE(program)
{
    RUN(scripts);
    RUN(modules);
    RUN(wrappers);
    RUN(unknown);
    RUN(names);
    return test_result();
}
