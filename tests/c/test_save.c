// Saving: the loaded graph is the same, and failing saves do no harm.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/draft.h>

#include "lgs.h"
#include "sample.h"
#include "scarce.h"
#include "stored.h"
#include "test.h"

// Of the edges of a mapped file, targets and kinds stay two columns.
static bool
has_words_of_edges(const lg_graph *graph)
{
    const lg_columns *columns = lg_graph_columns(graph);
    return columns->target.mask == LG_TARGET_MASK && columns->kind.shift == 2;
}

static void
round_trip(const lg_graph *graph)
{
    const int levels[] = {0, 1, 3, 19};
    for (size_t i = 0; i < 4; i++) {
        bytes file = saved(graph, levels[i]);
        lg_graph *again[3] = {NULL};
        char *path = path_of("graph");
        CHECK(lg_graph_load(path, 0, NULL, &again[0], NULL) == LG_OK);
        CHECK(lg_graph_load(path, LG_LOAD_MAPPED, NULL, &again[1], NULL) ==
              LG_OK);
        CHECK(lg_graph_load_memory(file.data, file.length, &again[2], NULL) ==
              LG_OK);
        for (size_t j = 0; j < 3; j++) {
            CHECK(again[j] != NULL && sample_equal(graph, again[j]));
            if (i == 0 && lg_graph_columns(again[j])->edge_count > 0)
                CHECK(has_words_of_edges(again[j]) == (j == 0));
            lg_graph_free(again[j]);
        }
        free(file.data);
    }
}

static void
round_trips(void)
{
    lg_graph *graph;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    round_trip(graph);
    lg_graph_free(graph);
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    round_trip(graph);
    lg_graph_free(graph);
    graph = sample_random(5, 3000, true);
    round_trip(graph);
    lg_graph_free(graph);
    graph = sample_chain(100000);
    round_trip(graph);
    lg_graph_free(graph);
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    round_trip(graph);
    lg_graph_free(graph);
}

// So regular that its sections alone would be too short to be believed.
static void
very_regular(void)
{
    enum { NODES = 4000000 };
    lg_graph *graph = sample_chain(NODES);
    lg_graph *again = NULL;
    bytes file = saved(graph, 1);
    uint64_t raw = 0;
    uint64_t end = 0;
    for (uint32_t i = 0; i < section_count(file); i++) {
        section about = section_at(file, i);
        raw += about.raw;
        end = about.offset + about.stored;
    }
    REQUIRE(raw > 1024 * end + (1u << 26));
    CHECK(file.length > end && file.length < raw / 1024);
    CHECK(lg_graph_load_memory(file.data, file.length, &again, NULL) == LG_OK);
    CHECK(again != NULL && lg_graph_columns(again)->node_count == NODES);
    lg_graph_free(again);
    lg_graph_free(graph);
    free(file.data);
}

static void
not_files(void)
{
    lg_graph *graph = NULL;
    lg_error err;
    CHECK(lg_graph_load(path_of("absent"), 0, NULL, &graph, &err) == LG_EIO);
    CHECK(strstr(err.message, "No such file") != NULL);
    CHECK(lg_graph_load(folder_path(), 0, NULL, &graph, &err) == LG_EIO);
    CHECK(strstr(err.message, "not a regular file") != NULL);
    REQUIRE(mkfifo(path_of("fifo"), 0600) == 0);
    CHECK(lg_graph_load(path_of("fifo"), 0, NULL, &graph, &err) == LG_EIO);
    graph = sample_chain(3);
    CHECK(lg_graph_save(graph, path_of("fifo"), NULL, NULL, &err) == LG_EIO);
    CHECK(lg_graph_save(graph, folder_path(), NULL, NULL, &err) == LG_EIO);
    CHECK(lg_graph_save(graph, path_of("no/x"), NULL, NULL, &err) == LG_EIO);
    lg_save_options options = {.size = sizeof options, .compress = 20};
    CHECK(lg_graph_save(graph, path_of("x"), &options, NULL, &err) ==
          LG_EINVAL);
    CHECK(unlink(path_of("fifo")) == 0);
    lg_graph_free(graph);
    uint8_t unaligned[65] = {0};
    CHECK(lg_graph_load_memory(unaligned + ((uintptr_t)unaligned % 2 == 0), 64,
                               &graph, &err) == LG_EINVAL);
}

static unsigned
files_in_folder(void)
{
    char command[300];
    unsigned count = 0;
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder_path());
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe != NULL && fscanf(pipe, "%u", &count) == 1);
    pclose(pipe);
    return count;
}

// If the system stops a save half way, only the old file is left.
static void
failing_write(void)
{
    lg_graph *small = sample_chain(3);
    lg_graph *large = sample_chain(100000);
    lg_graph *again = NULL;
    lg_error err;
    char *path = path_of("graph");
    struct rlimit old;
    REQUIRE(lg_graph_save(small, path, NULL, NULL, NULL) == LG_OK);
    unsigned files = files_in_folder();
    REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    struct rlimit tight = {65536, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
    CHECK(lg_graph_save(large, path, NULL, NULL, &err) == LG_EIO);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK(strstr(err.message, path) != NULL);
    CHECK(files_in_folder() == files);
    REQUIRE(lg_graph_load(path, 0, NULL, &again, &err) == LG_OK);
    CHECK(sample_equal(small, again));
    lg_graph_free(again);
    lg_graph_free(small);
    lg_graph_free(large);
}

static mode_t
mode_of(const char *path)
{
    struct stat about;
    REQUIRE(stat(path, &about) == 0);
    return about.st_mode & 07777;
}

static void
modes_and_links(void)
{
    lg_graph *graph = sample_chain(3);
    struct stat about;
    char *target = path_of("target");
    char *link_path = path_of("link");
    mode_t mask = umask(0);
    CHECK(lg_graph_save(graph, target, NULL, NULL, NULL) == LG_OK);
    CHECK(mode_of(target) == 0600);
    umask(mask);
    CHECK(chmod(target, 0604) == 0);
    CHECK(lg_graph_save(graph, target, NULL, NULL, NULL) == LG_OK);
    CHECK(mode_of(target) == 0604);
    CHECK(symlink("target", link_path) == 0);
    CHECK(lg_graph_save(graph, link_path, NULL, NULL, NULL) == LG_OK);
    CHECK(lstat(link_path, &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(unlink(target) == 0);
    CHECK(lg_graph_save(graph, link_path, NULL, NULL, NULL) == LG_EIO);
    CHECK(unlink(link_path) == 0);
    lg_graph_free(graph);
}

// A link to a link, from different folders.
static void
links_to_links(void)
{
    lg_graph *graph = sample_chain(3);
    struct stat about;
    char inside[300];
    CHECK(mkdir(path_of("folder"), 0700) == 0);
    CHECK(symlink("folder/inner", path_of("outer")) == 0);
    snprintf(inside, sizeof inside, "%s/inner", path_of("folder"));
    CHECK(symlink("../target", inside) == 0);
    CHECK(lg_graph_save(graph, path_of("outer"), NULL, NULL, NULL) == LG_EIO);
    CHECK(lg_graph_save(graph, path_of("target"), NULL, NULL, NULL) == LG_OK);
    CHECK(chmod(path_of("target"), 0640) == 0);
    CHECK(lg_graph_save(graph, path_of("outer"), NULL, NULL, NULL) == LG_OK);
    CHECK(mode_of(path_of("target")) == 0640);
    CHECK(lstat(inside, &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(unlink(inside) == 0 && symlink("../outer", inside) == 0);
    CHECK(lg_graph_save(graph, path_of("outer"), NULL, NULL, NULL) == LG_EIO);
    CHECK(unlink(inside) == 0 && rmdir(path_of("folder")) == 0);
    CHECK(unlink(path_of("outer")) == 0 && unlink(path_of("target")) == 0);
    lg_graph_free(graph);
}

// Only root can make devices here; the target of the link stays unchanged.
static void
others_links(void)
{
    enum { OTHER = 12345 };
    lg_graph *graph = sample_chain(3);
    lg_error err;
    struct stat before;
    struct stat after;
    if (geteuid() != 0) {
        lg_graph_free(graph);
        return;
    }
    CHECK(lg_graph_save(graph, path_of("target"), NULL, NULL, NULL) == LG_OK);
    CHECK(stat(path_of("target"), &before) == 0);
    CHECK(symlink("target", path_of("link")) == 0);
    CHECK(lchown(path_of("link"), OTHER, OTHER) == 0);
    CHECK(lg_graph_save(graph, path_of("link"), NULL, NULL, &err) == LG_EIO);
    CHECK(strstr(err.message, "symbolic link of another user (uid 12345)"));
    CHECK(stat(path_of("target"), &after) == 0);
    CHECK(after.st_ino == before.st_ino);
    // Files that other users made there do not affect the mode.
    CHECK(chown(path_of("target"), OTHER, OTHER) == 0);
    CHECK(chmod(path_of("target"), 0666) == 0);
    CHECK(lg_graph_save(graph, path_of("target"), NULL, NULL, NULL) == LG_OK);
    CHECK(mode_of(path_of("target")) == 0600);
    CHECK(unlink(path_of("link")) == 0 && unlink(path_of("target")) == 0);
    lg_graph_free(graph);
}

static bool
die(void *context, const char *phase, double done)
{
    (void)context;
    (void)phase;
    (void)done;
    raise(SIGKILL);
    return true;
}

static void
save_and_die(const lg_graph *graph)
{
    const lg_monitor monitor = {die, NULL};
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(
            (int)lg_graph_save(graph, path_of("graph"), NULL, &monitor, NULL));
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void
killed(void)
{
    lg_graph *graph = sample_chain(100000);
    CHECK(lg_graph_save(graph, path_of("graph"), NULL, NULL, NULL) == LG_OK);
    unsigned files = files_in_folder();
    save_and_die(graph);
    CHECK(files_in_folder() == files);
    nameless_refused = true;
    save_and_die(graph);
    CHECK(files_in_folder() == files + 1);
    save_and_die(graph);
    CHECK(files_in_folder() == files + 1);
    CHECK(lg_graph_save(graph, path_of("graph"), NULL, NULL, NULL) == LG_OK);
    CHECK(files_in_folder() == files);
    nameless_refused = false;
    lg_graph_free(graph);
}

// The save removes no file that somebody still writes, whatever its name is.
static void
at_the_same_time(void)
{
    lg_graph *graph = sample_chain(3);
    lg_draft *draft[2];
    for (int i = 0; i < 2; i++) {
        nameless_refused = i == 0;
        REQUIRE(lg_draft_new(path_of("graph"), &draft[i], NULL) == LG_OK);
    }
    CHECK(lg_graph_save(graph, path_of("graph"), NULL, NULL, NULL) == LG_OK);
    for (int i = 0; i < 2; i++) {
        int descriptor = lg_draft_descriptor(draft[i]);
        CHECK(lg_graph_write(graph, descriptor, 0, NULL, NULL) == LG_OK);
        CHECK(lg_draft_commit(draft[i], NULL) == LG_OK);
        lg_draft_free(draft[i]);
    }
    lg_graph_free(graph);
}

SUITE(save)
{
    folder_make();
    RUN(round_trips);
    RUN(very_regular);
    RUN(not_files);
    RUN(failing_write);
    RUN(modes_and_links);
    RUN(links_to_links);
    RUN(others_links);
    RUN(killed);
    RUN(at_the_same_time);
    folder_remove();
    return test_result();
}
