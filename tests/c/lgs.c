// Files as bytes, for tests that damage files.
#include "lgs.h"

#include <leakgraph/file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "test.h"

static char folder[] = "/tmp/leakgraph-XXXXXX";

void
folder_make(void)
{
    REQUIRE(mkdtemp(folder) != NULL);
}

const char *
folder_path(void)
{
    return folder;
}

void
folder_remove(void)
{
    unlink(path_of("graph"));
    CHECK(rmdir(folder) == 0);
}

char *
path_of(const char *name)
{
    static char path[4][256];
    static unsigned turn;
    char *out = path[turn++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

bytes
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

bytes
file_bytes(void)
{
    return read_file(path_of("graph"));
}

bytes
saved(const lg_graph *graph, int level)
{
    lg_save_options options = {.size = sizeof options, .compress = level};
    lg_error err;
    lg_status status =
        lg_graph_save(graph, path_of("graph"), &options, NULL, &err);
    REQUIRE(status == LG_OK);
    return file_bytes();
}

uint32_t
section_count(bytes file)
{
    uint32_t count;
    memcpy(&count, file.data + 12, sizeof count);
    return count;
}

section
section_at(bytes file, uint32_t index)
{
    section out;
    memcpy(&out, file.data + 64 + index * sizeof out, sizeof out);
    return out;
}

// Restores the order of a directory that a test changed on purpose.
void
seal(bytes file)
{
    size_t size = section_count(file) * sizeof(section);
    uint64_t sum = XXH3_64bits(file.data + 64, size);
    memcpy(file.data + 32, &sum, sizeof sum);
    sum = XXH3_64bits(file.data, 56);
    memcpy(file.data + 56, &sum, sizeof sum);
}

void
put_section(bytes file, uint32_t index, section about)
{
    memcpy(file.data + 64 + index * sizeof about, &about, sizeof about);
    seal(file);
}
