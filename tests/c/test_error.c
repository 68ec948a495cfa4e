// Every error is one sentence, and making it never fails.
#include "test.h"

#include <leakgraph/base.h>
#include <leakgraph/internal/writing.h>

static void
messages(void)
{
    lg_error err = {0};
    CHECK(lg_error_set(&err, LG_EIO, "cannot open %s", "x") == LG_EIO);
    CHECK(err.status == LG_EIO);
    CHECK(strcmp(err.message, "cannot open x") == 0);
    CHECK(lg_error_set(NULL, LG_EINVAL, "%d", 1) == LG_EINVAL);
}

// A message that is too long ends between two characters.
static void
cut(void)
{
    lg_error err = {0};
    char wide[1200];
    for (size_t i = 0; i + 2 < sizeof wide; i += 2)
        memcpy(wide + i, "\xc3\xa9", 3);
    lg_error_set(&err, LG_EIO, "x%s", wide);
    CHECK(strlen(err.message) == 511);
    lg_error_set(&err, LG_EIO, "%s", wide);
    CHECK(strlen(err.message) == 510);
}

SUITE(error)
{
    RUN(messages);
    RUN(cut);
    return test_result();
}
