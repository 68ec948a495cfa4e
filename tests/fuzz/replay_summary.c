// Damaged summaries, by the thousand.
#include "exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leakgraph/growth.h>

#include "planned.h"
#include "test.h"

// A file of a summary, as the fuzzer takes it.
static uint8_t *
make_bytes(uint64_t seed, size_t *length)
{
    char path[64];
    uint32_t number[PLANNED_NODES];
    struct stat known;
    lg_summary *summary = NULL;
    planned from = planned_graph(seed);
    planned_numbers(number, from.nodes, 0);
    planned_places made = planned_build(&from, number);
    snprintf(path, sizeof path, "/tmp/leakgraph-replay-%d.lgsum",
             (int)getpid());
    REQUIRE(lg_summary_new(made.analysis, NULL, &summary, NULL) == LG_OK);
    REQUIRE(lg_summary_save(summary, path, NULL) == LG_OK);
    lg_summary_free(summary);
    planned_forget(&made);
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL && fstat(fileno(file), &known) == 0);
    uint8_t *data = malloc((size_t)known.st_size);
    REQUIRE(data != NULL && fread(data, 1, (size_t)known.st_size, file) ==
                                (size_t)known.st_size);
    fclose(file);
    unlink(path);
    uint8_t *bytes = exercise_unpack(data, (size_t)known.st_size, length);
    REQUIRE(bytes != NULL);
    free(data);
    return bytes;
}

static unsigned
count_accepted(const uint8_t *bytes, size_t length, int copies)
{
    static const uint8_t values[] = {0, 1, 2, 0x20, 0x7f, 0x80, 0xfe, 0xff};
    uint64_t state = 1;
    unsigned accepted = 0;
    uint8_t *copy = malloc(length);
    REQUIRE(copy != NULL);
    for (int i = 0; i < copies; i++) {
        memcpy(copy, bytes, length);
        for (uint32_t left = 1 + test_random(&state) % 4; left > 0; left--)
            copy[test_random(&state) % length] =
                values[test_random(&state) % 8];
        accepted += exercise_summary(copy, length);
    }
    free(copy);
    return accepted;
}

static void
any_bytes_are_survived(void)
{
    enum { COPIES = 3000 };
    size_t length;
    uint8_t *bytes = make_bytes(5, &length);
    CHECK(exercise_summary(bytes, length));
    for (size_t i = 0; i < length; i += 7)
        CHECK(!exercise_summary(bytes, i));
    unsigned accepted = count_accepted(bytes, length, COPIES);
    CHECK(accepted > 0 && accepted < COPIES);
    free(bytes);
}

SUITE(replay_summary)
{
    RUN(any_bytes_are_survived);
    return test_result();
}
