// Numbers woven from planes are those that were parted.
#include "file/weave.h"
#include "test.h"

enum { STRIDE = LG__TILE + 3, WIDEST = 40 };

static void
round_trips(void)
{
    const size_t widths[] = {1, 2, 4, 8, 16, WIDEST};
    const size_t counts[] = {1, 2, 31, LG__TILE - 1, LG__TILE};
    static _Alignas(8) uint8_t numbers[LG__TILE * WIDEST];
    static _Alignas(8) uint8_t again[LG__TILE * WIDEST];
    static uint8_t planes[STRIDE * WIDEST];
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof numbers; i++)
        numbers[i] = (uint8_t)test_random(&seed);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 5; j++) {
            memset(planes, 0, sizeof planes);
            lg__unweave(numbers, counts[j], widths[i], STRIDE, planes);
            CHECK(planes[STRIDE * (widths[i] - 1) + counts[j] - 1] ==
                  numbers[counts[j] * widths[i] - 1]);
            lg__weave(planes, STRIDE, counts[j], widths[i], again);
            CHECK(memcmp(again, numbers, counts[j] * widths[i]) == 0);
        }
}

SUITE(weave)
{
    RUN(round_trips);
    return test_result();
}
