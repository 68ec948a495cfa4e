// The number of columns that a text takes on a terminal.
#include "table/fit.h"
#include "test.h"

static size_t
width(const char *text)
{
    return lg__display_width(text, strlen(text));
}

static void
widths(void)
{
    CHECK(width("") == 0 && width("losses[0]") == 9);
    CHECK(width("Größe") == 5);
    CHECK(width("\u6570\u636e") == 4); // two ideographs
    CHECK(width("\uff21") == 2);       // full width A
    CHECK(width("\U0001f525") == 2);   // fire
    CHECK(width("e\u0301") == 1);      // e and an acute accent
    CHECK(width("\u0300\u036f") == 0); // the ends of a range
    CHECK(width("\u02ff\u0370") == 2); // next to a range
    CHECK(width("\u115f\u1160") == 3); // the end of a wide range
    CHECK(width("\U0002fffd\U0003fffd") == 4);
    CHECK(width("a\u200bb") == 2); // between two ranges
    CHECK(width("│ └─ ×") == 6);
    CHECK(lg__display_width("a\xff\xe6\x95", 4) == 4);
}

static size_t
width_of_point(uint32_t point)
{
    char bytes[4] = {
        (char)(0xf0 | point >> 18), (char)(0x80 | (point >> 12 & 0x3f)),
        (char)(0x80 | (point >> 6 & 0x3f)), (char)(0x80 | (point & 0x3f))};
    size_t length = 4;
    if (point < 0x10000) {
        bytes[1] = (char)(0xe0 | point >> 12);
        length = 3;
    }
    if (point < 0x800) {
        bytes[2] = (char)(0xc0 | point >> 6);
        length = 2;
    }
    return lg__display_width(bytes + 4 - length, length);
}

// Checks how many points have each width, and their sum: no bound of a range
// can move unnoticed.
static void
all_points(void)
{
    size_t count[3] = {0};
    uint64_t sum[3] = {0};
    for (uint32_t point = 0x80; point < 0xf0000; point++) {
        size_t found =
            point >> 11 == 0x1b ? 1 : width_of_point(point); // no surrogates
        REQUIRE(found < 3);
        count[found]++;
        sum[found] += point;
    }
    CHECK(count[0] == 676 && sum[0] == 223973084);
    CHECK(count[2] == 182906 && sum[2] == 28179209330);
}

SUITE(width)
{
    RUN(widths);
    RUN(all_points);
    return test_result();
}
