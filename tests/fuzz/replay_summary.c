// Damaged summaries, by the thousand.
#include "exercise.h"

#include <stdlib.h>

#include "growing.h"
#include "test.h"

// The file of a summary, as the fuzzer takes it.
static uint8_t *
make_bytes(const lg_summary *summary, size_t *length)
{
    void *data = NULL;
    size_t size;
    REQUIRE(lg_summary_save_memory(summary, &data, &size, NULL) == LG_OK);
    uint8_t *bytes = exercise_unpack(data, size, length);
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
check_survived(const lg_summary *summary, uint8_t version)
{
    enum { COPIES = 2000 };
    size_t length;
    uint8_t *bytes = make_bytes(summary, &length);
    CHECK(bytes[0] == version);
    CHECK(exercise_summary(bytes, length));
    for (size_t i = 0; i < length; i += 7)
        CHECK(!exercise_summary(bytes, i));
    unsigned accepted = count_accepted(bytes, length, COPIES);
    CHECK(accepted > 0 && accepted < COPIES);
    free(bytes);
}

// A file has version 3 if it has a device.
static void
any_bytes_are_survived(void)
{
    const growing_heap heaps[] = {{.items = 3}, {.items = 9, .batches = 2}};
    growing_series made = growing_compare(heaps, 2, NULL);
    check_survived(made.summary[0], 2);
    check_survived(made.summary[1], 3);
    growing_forget(&made);
}

SUITE(replay_summary)
{
    RUN(any_bytes_are_survived);
    return test_result();
}
