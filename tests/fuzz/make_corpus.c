// Makes a corpus: whole files, plain, compressed and analysed, and damaged
// copies of them.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sample.h"
#include "stored.h"
#include "test.h"
#include "twins.h"

#include <leakgraph/analysis.h>
#include <leakgraph/file.h>

static const char *folder;
static unsigned made;

static void
write_file(const uint8_t *data, size_t length)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%04u.bin", folder, made++);
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL && fwrite(data, 1, length, file) == length);
    REQUIRE(fclose(file) == 0);
}

// Makes a file with an analysis, or without one.
static uint8_t *
saved(const lg_graph *graph, const lg_analysis *analysis, int level,
      size_t *length)
{
    char path[4096];
    struct stat about;
    lg_save_options options = {
        .size = sizeof options, .compress = level, .analysis = analysis};
    snprintf(path, sizeof path, "%s/.graph", folder);
    REQUIRE(lg_graph_save(graph, path, &options, NULL, NULL) == LG_OK);
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL && fstat(fileno(file), &about) == 0);
    *length = (size_t)about.st_size;
    uint8_t *data = malloc(*length);
    REQUIRE(data != NULL && fread(data, 1, *length, file) == *length);
    fclose(file);
    remove(path);
    return data;
}

// Changes some bytes: small numbers and all ones find more than noise does.
static void
damaged(uint8_t *data, size_t length, uint64_t *state)
{
    static const uint8_t values[] = {0, 1, 2, 0x20, 0x7f, 0x80, 0xfe, 0xff};
    uint8_t *copy = malloc(length);
    REQUIRE(copy != NULL);
    memcpy(copy, data, length);
    for (uint32_t i = 1 + test_random(state) % 8; i > 0; i--)
        copy[test_random(state) % length] = values[test_random(state) % 8];
    write_file(copy, length);
    free(copy);
}

static void
write_seeds(const lg_graph *graph, uint64_t *state)
{
    lg_analysis *analysis = NULL;
    if (!lg_graph_is_partial(graph))
        REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
    for (int kind = 0; kind < (analysis ? 3 : 2); kind++) {
        size_t length;
        uint8_t *data = saved(graph, kind == 2 ? analysis : NULL,
                              kind == 1 ? 3 : 0, &length);
        write_file(data, length);
        for (size_t copies = 0; copies < 150; copies++)
            damaged(data, length, state);
        free(data);
    }
    lg_analysis_free(analysis);
}

SUITE(make_corpus)
{
    lg_graph *graphs[5];
    uint64_t state = 1;
    if (argc != 2)
        return 2;
    folder = argv[1];
    mkdir(folder, 0777);
    REQUIRE(sample_new(NULL, &graphs[0], NULL) == LG_OK);
    graphs[1] = sample_random(3, 30, false);
    graphs[2] = sample_random(4, 30, true);
    REQUIRE(stored_new(NULL, &graphs[3], NULL) == LG_OK);
    REQUIRE(twins_new(NULL, &graphs[4], NULL) == LG_OK);
    for (size_t i = 0; i < 5; i++) {
        write_seeds(graphs[i], &state);
        lg_graph_free(graphs[i]);
    }
    return test_result();
}
