// Damaged targets of references, by the thousand.
#include "exercise.h"

#include "test.h"

// Fills bytes as the fuzzer takes them: small codes, and anything else.
static void
fill(uint8_t *data, size_t size, uint64_t *state)
{
    static const uint8_t codes[] = {0, 1, 2, 3, 4, 5, 16, 80, 150, 207, 255};
    const size_t most = test_random(state) % (sizeof codes) + 1;
    for (size_t i = 0; i < size; i++)
        data[i] = codes[test_random(state) % most];
    data[0] = (uint8_t)test_random(state);
    data[1] = test_random(state) % 8 == 0;
}

static void
any_bytes(void)
{
    enum { SIZE = 1200, COPIES = 20000 };
    uint8_t data[SIZE];
    uint64_t state = 1;
    unsigned sound = 0;
    for (unsigned i = 0; i < COPIES; i++) {
        fill(data, SIZE, &state);
        sound += exercise_targets(data, 1 + test_random(&state) % SIZE);
    }
    CHECK(sound > COPIES / 100 && sound < COPIES / 2);
}

SUITE(replay_targets)
{
    RUN(any_bytes);
    return test_result();
}
