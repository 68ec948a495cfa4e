// Saving: what comes back, and saves that fail.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lgs.h"
#include "sample.h"
#include "stored.h"
#include "test.h"

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
    REQUIRE(lg_builder_new(NULL, &builder, NULL) == LG_OK);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    round_trip(graph);
    lg_graph_free(graph);
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
    lg_save_options options = {.compress = 20};
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

// A save that the system stops half way leaves the old file, and nothing else.
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
    mode_t mask = umask(027);
    CHECK(lg_graph_save(graph, target, NULL, NULL, NULL) == LG_OK);
    CHECK(mode_of(target) == 0640);
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

SUITE(save)
{
    folder_make();
    RUN(round_trips);
    RUN(not_files);
    RUN(failing_write);
    RUN(modes_and_links);
    folder_remove();
    return test_result();
}
