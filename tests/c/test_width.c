// The number of columns that a text takes on a terminal.
#include "report/width.h"
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

SUITE(width)
{
    RUN(widths);
    return test_result();
}
