// The file: round trips, damage of every kind, and saves that fail.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "sample.h"
#include "test.h"

typedef struct bytes {
    uint8_t *data; // aligned to 64
    size_t length;
} bytes;

static char folder[] = "/tmp/leakgraph-XXXXXX";

static char *
path_of(const char *name)
{
    static char path[4][256];
    static unsigned turn;
    char *out = path[turn++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

static bytes
aligned(size_t length)
{
    bytes out = {aligned_alloc(64, (length / 64 + 1) * 64), length};
    REQUIRE(out.data != NULL);
    return out;
}

static bytes
read_file(const char *path)
{
    struct stat about;
    int descriptor = open(path, O_RDONLY);
    REQUIRE(descriptor >= 0 && fstat(descriptor, &about) == 0);
    bytes out = aligned((size_t)about.st_size);
    REQUIRE(read(descriptor, out.data, out.length) == (ssize_t)out.length);
    close(descriptor);
    return out;
}

static bytes
saved(const lg_graph *graph, int level)
{
    lg_save_options options = {level};
    lg_error err;
    lg_status status =
        lg_graph_save(graph, path_of("graph"), &options, NULL, &err);
    REQUIRE(status == LG_OK);
    return read_file(path_of("graph"));
}

static lg_status
load(bytes from, lg_error *err)
{
    lg_graph *graph = NULL;
    lg_status status =
        lg_graph_load_memory(from.data, from.length, &graph, err);
    CHECK((status == LG_OK) == (graph != NULL));
    CHECK(status == LG_OK || err->message[0] != '\0');
    lg_graph_free(graph);
    return status;
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
newer_version(void)
{
    lg_graph *graph = sample_chain(10);
    lg_error err;
    bytes file = saved(graph, 0);
    lg_graph_free(graph);
    file.data[8] = 2; // the major version
    CHECK(load(file, &err) == LG_EVERSION);
    CHECK(strstr(err.message, "2.0") != NULL);
    free(file.data);
}

static bool
is_refusal(lg_status status)
{
    return status == LG_EFORMAT || status == LG_EVERSION;
}

static void
flipped_at(bytes file, size_t at)
{
    lg_error err;
    for (unsigned bit = 0; bit < 8; bit++) {
        file.data[at] ^= (uint8_t)(1u << bit);
        CHECK(is_refusal(load(file, &err)));
        file.data[at] ^= (uint8_t)(1u << bit);
    }
    file.data[at] ^= 0xff;
    CHECK(is_refusal(load(file, &err)));
    file.data[at] ^= 0xff;
}

typedef struct section {
    uint32_t id, flags, encoding, element;
    uint64_t offset, stored, raw, checksum, reserved[2];
} section;

static uint32_t
section_count(bytes file)
{
    uint32_t count;
    memcpy(&count, file.data + 12, sizeof count);
    return count;
}

static section
section_at(bytes file, uint32_t index)
{
    section out;
    memcpy(&out, file.data + 64 + index * sizeof out, sizeof out);
    return out;
}

// Every byte of header and directory; each section's first and last byte.
static void
flipped(void)
{
    lg_graph *graph;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    for (int level = 0; level <= 3; level += 3) {
        bytes file = saved(graph, level);
        uint32_t count = section_count(file);
        for (size_t at = 0; at < 64 + count * sizeof(section); at++)
            flipped_at(file, at);
        for (uint32_t i = 0; i < count; i++) {
            section about = section_at(file, i);
            if (about.stored > 0) {
                flipped_at(file, about.offset);
                flipped_at(file, about.offset + about.stored - 1);
            }
        }
        lg_error err;
        CHECK(load(file, &err) == LG_OK);
        free(file.data);
    }
    lg_graph_free(graph);
}

static void
cut_at(bytes file, size_t length)
{
    lg_error err;
    bytes part = aligned(length);
    memcpy(part.data, file.data, length);
    CHECK(load(part, &err) == LG_EFORMAT);
    CHECK(truncate(path_of("graph"), (off_t)length) == 0);
    lg_graph *graph = NULL;
    for (unsigned flags = 0; flags <= LG_LOAD_MAPPED; flags++)
        CHECK(lg_graph_load(path_of("graph"), flags, NULL, &graph, &err) ==
              LG_EFORMAT);
    free(part.data);
}

static void
cut_short(void)
{
    lg_graph *graph;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    for (int level = 0; level <= 3; level += 3) {
        bytes file = saved(graph, level);
        cut_at(file, file.length - 1);
        for (uint32_t i = section_count(file); i-- > 0;) {
            section about = section_at(file, i);
            if (about.offset + about.stored < file.length)
                cut_at(file, about.offset + about.stored);
            if (about.offset < file.length)
                cut_at(file, about.offset);
        }
        for (size_t length = 64 + 16 * sizeof(section); length-- > 0;)
            cut_at(file, length);
        free(file.data);
    }
    lg_graph_free(graph);
}

// Puts a directory back in order after it was changed on purpose.
static void
seal(bytes file)
{
    size_t size = section_count(file) * sizeof(section);
    uint64_t sum = XXH3_64bits(file.data + 64, size);
    memcpy(file.data + 32, &sum, sizeof sum);
    sum = XXH3_64bits(file.data, 56);
    memcpy(file.data + 56, &sum, sizeof sum);
}

static void
put_section(bytes file, uint32_t index, section about)
{
    memcpy(file.data + 64 + index * sizeof about, &about, sizeof about);
    seal(file);
}

// Sections as only a newer or an evil writer would make them.
static void
crafted_sections(void)
{
    lg_graph *graph;
    lg_error err;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    bytes file = saved(graph, 3);
    for (uint32_t i = 0; i < section_count(file); i++) {
        section good = section_at(file, i);
        section bad[9];
        for (size_t j = 0; j < 9; j++)
            bad[j] = good;
        bad[0].id = 1 + good.id % section_count(file);
        bad[1].id = 999;
        bad[2].element = 3;
        bad[3].encoding = 7;
        bad[4].offset = UINT64_MAX - 8;
        bad[5].stored = UINT64_MAX;
        bad[6].raw = UINT64_MAX - 7;
        bad[7].raw = good.raw + good.element;
        bad[8].raw = (uint64_t)1 << 40;
        for (size_t j = 0; j < 9; j++) {
            put_section(file, i, bad[j]);
            CHECK(load(file, &err) == LG_EFORMAT);
        }
        put_section(file, i, good);
    }
    CHECK(load(file, &err) == LG_OK);
    free(file.data);
    lg_graph_free(graph);
}

static bytes
with_unknown_section(bytes file, uint32_t flags)
{
    // The new entry stands where the first section's bytes were: all sections
    // move to make room.
    const size_t more = sizeof(section);
    bytes out = aligned(file.length + more);
    uint32_t count = section_count(file);
    size_t directory = 64 + count * sizeof(section);
    memcpy(out.data, file.data, directory);
    memcpy(out.data + directory + more, file.data + directory,
           file.length - directory);
    for (uint32_t i = 0; i < count; i++) {
        section about = section_at(file, i);
        about.offset += more;
        memcpy(out.data + 64 + i * sizeof about, &about, sizeof about);
    }
    section unknown = {.id = 999, .flags = flags, .encoding = 5, .element = 9};
    memcpy(out.data + directory, &unknown, sizeof unknown);
    count++;
    uint64_t length = out.length;
    memcpy(out.data + 12, &count, sizeof count);
    memcpy(out.data + 24, &length, sizeof length);
    seal(out);
    return out;
}

static void
unknown_sections(void)
{
    lg_graph *graph;
    lg_graph *again = NULL;
    lg_error err;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    bytes file = saved(graph, 0);
    bytes more = with_unknown_section(file, 0);
    CHECK(lg_graph_load_memory(more.data, more.length, &again, &err) == LG_OK);
    CHECK(again != NULL && sample_equal(graph, again));
    lg_graph_free(again);
    bytes required = with_unknown_section(file, 1);
    CHECK(load(required, &err) == LG_EVERSION);
    CHECK(strstr(err.message, "999") != NULL);
    free(file.data);
    free(more.data);
    free(required.data);
    lg_graph_free(graph);
}

static void
not_files(void)
{
    lg_graph *graph = NULL;
    lg_error err;
    CHECK(lg_graph_load(path_of("absent"), 0, NULL, &graph, &err) == LG_EIO);
    CHECK(strstr(err.message, "No such file") != NULL);
    CHECK(lg_graph_load(folder, 0, NULL, &graph, &err) == LG_EIO);
    CHECK(strstr(err.message, "not a regular file") != NULL);
    REQUIRE(mkfifo(path_of("fifo"), 0600) == 0);
    CHECK(lg_graph_load(path_of("fifo"), 0, NULL, &graph, &err) == LG_EIO);
    graph = sample_chain(3);
    CHECK(lg_graph_save(graph, path_of("fifo"), NULL, NULL, &err) == LG_EIO);
    CHECK(lg_graph_save(graph, folder, NULL, NULL, &err) == LG_EIO);
    CHECK(lg_graph_save(graph, path_of("no/x"), NULL, NULL, &err) == LG_EIO);
    lg_save_options options = {20};
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
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
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

int
main(void)
{
    REQUIRE(mkdtemp(folder) != NULL);
    RUN(round_trips);
    RUN(newer_version);
    RUN(flipped);
    RUN(cut_short);
    RUN(crafted_sections);
    RUN(unknown_sections);
    RUN(not_files);
    RUN(failing_write);
    RUN(modes_and_links);
    CHECK(unlink(path_of("graph")) == 0);
    CHECK(rmdir(folder) == 0);
    return test_result();
}
