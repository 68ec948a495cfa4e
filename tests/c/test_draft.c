// Drafts, and the writer, which does without malloc.
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <leakgraph/file.h>
#include <leakgraph/internal/draft.h>

#include "lgs.h"
#include "sample.h"
#include "scarce.h"
#include "test.h"

static void
commit(void)
{
    lg_graph *graph;
    lg_graph *again = NULL;
    lg_draft *draft = NULL;
    char *path = path_of("graph");
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_draft_new(path, &draft, NULL) == LG_OK);
    malloc_left = 0;
    lg_status status =
        lg_graph_write(graph, lg_draft_descriptor(draft), 0, NULL, NULL);
    malloc_left = -1;
    CHECK(status == LG_OK);
    CHECK(access(path, F_OK) != 0);
    CHECK(lg_draft_commit(draft, NULL) == LG_OK);
    lg_draft_free(draft);
    REQUIRE(lg_graph_load(path, 0, NULL, &again, NULL) == LG_OK);
    CHECK(sample_equal(graph, again));
    lg_graph_free(again);
    lg_graph_free(graph);
}

// Writes the graph without malloc, and returns the file.
static bytes
written(const lg_graph *graph, int level, long mappings)
{
    lg_draft *draft = NULL;
    CHECK(lg_draft_new(path_of("graph"), &draft, NULL) == LG_OK);
    malloc_left = 0;
    mappings_left = mappings;
    CHECK(lg_graph_write(graph, lg_draft_descriptor(draft), level, NULL,
                         NULL) == LG_OK);
    mappings_left = malloc_left = -1;
    CHECK(lg_draft_commit(draft, NULL) == LG_OK);
    lg_draft_free(draft);
    return file_bytes();
}

static bool
same(bytes got, bytes expected)
{
    return got.length == expected.length &&
           memcmp(got.data, expected.data, got.length) == 0;
}

// The written file equals the one that lg_graph_save writes at that level.
// Without memory to compress, it is uncompressed.
static void
same_bytes(void)
{
    lg_graph *graph = sample_random(7, 2000, false);
    bytes plain = saved(graph, 0);
    bytes small = saved(graph, 1);
    CHECK(small.length < plain.length / 2);
    bool is_small = false;
    for (long mappings = 0; !is_small && mappings < 100; mappings++) {
        bytes got = written(graph, 1, mappings);
        is_small = same(got, small);
        CHECK(is_small || same(got, plain));
        CHECK(mappings > 0 || !is_small);
        free(got.data);
    }
    CHECK(is_small);
    bytes got = written(graph, 0, 0);
    CHECK(same(got, plain));
    free(got.data);
    free(small.data);
    free(plain.data);
    lg_graph_free(graph);
}

// An abandoned draft leaves only the old file, so the folder can be removed at
// the end.
static void
abandon(void)
{
    bytes before = file_bytes();
    lg_draft *draft = NULL;
    lg_error err;
    REQUIRE(lg_draft_new(path_of("graph"), &draft, &err) == LG_OK);
    CHECK(write(lg_draft_descriptor(draft), "half", 4) == 4);
    lg_draft_free(draft);
    bytes after = file_bytes();
    REQUIRE(before.length == after.length);
    CHECK(memcmp(before.data, after.data, after.length) == 0);
    free(before.data);
    free(after.data);
    draft = NULL;
    CHECK(lg_draft_new(path_of("no/such/folder"), &draft, &err) == LG_EIO);
    CHECK(draft == NULL);
    lg_draft_free(NULL);
    for (malloc_left = 0; draft == NULL && malloc_left < 100;) {
        long allowed = malloc_left;
        lg_status status = lg_draft_new(path_of("graph"), &draft, &err);
        CHECK(status == LG_OK || status == LG_ENOMEM);
        malloc_left = allowed + 1;
    }
    malloc_left = -1;
    CHECK(draft != NULL);
    lg_draft_free(draft);
}

static bool
stop(void *context, const char *phase, double done)
{
    (void)phase;
    (void)done;
    ++*(int *)context;
    return false;
}

static void
failures(void)
{
    lg_graph *large = sample_chain(100000);
    lg_draft *draft = NULL;
    lg_error err;
    int calls = 0;
    lg_monitor monitor = {stop, &calls};
    REQUIRE(lg_draft_new(path_of("graph"), &draft, NULL) == LG_OK);
    int descriptor = lg_draft_descriptor(draft);
    CHECK(lg_graph_write(large, descriptor, 0, &monitor, &err) ==
          LG_ECANCELLED);
    CHECK(calls == 1);
    struct rlimit old;
    REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    struct rlimit tight = {65536, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
    malloc_left = 0;
    lg_status status = lg_graph_write(large, descriptor, 0, NULL, &err);
    int code = errno;
    malloc_left = -1;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK(status == LG_EIO && code == EFBIG);
    CHECK(lg_graph_write(large, -1, 0, NULL, &err) == LG_EIO && errno == EBADF);
    lg_draft_free(draft);
    lg_graph_free(large);
}

SUITE(draft)
{
    folder_make();
    RUN(commit);
    RUN(same_bytes);
    RUN(abandon);
    RUN(failures);
    folder_remove();
    return test_result();
}
