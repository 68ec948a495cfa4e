// UTF-8 against a decoder that works by ranges of code points.
#include "test.h"
#include "utf8.h"

static size_t
encode(uint32_t point, char out[4])
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)((0xf00 >> length & 0xff) | point);
    return length;
}

static void
every_character(void)
{
    for (uint32_t point = 0; point < 0x110000; point++) {
        char bytes[4];
        size_t length = encode(point, bytes);
        bool surrogate = point >= 0xd800 && point <= 0xdfff;
        bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
        CHECK(lg__utf8_length(bytes, length) == (surrogate ? 0 : length));
        CHECK(lg__utf8_clean_length(bytes, length) ==
              (surrogate || control ? 0 : length));
        CHECK(lg__utf8_length(bytes, length - 1) == 0);
        CHECK(lg__utf8_is_clean(bytes, length) == !(surrogate || control));
    }
}

// Of all pairs of bytes, exactly those that encode a character are one.
static void
every_pair(void)
{
    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++) {
            char bytes[2] = {(char)first, (char)second};
            size_t expected = 0;
            if (first < 0x80)
                expected = 1;
            else if (first >= 0xc2 && first <= 0xdf && (second & 0xc0) == 0x80)
                expected = 2;
            CHECK(lg__utf8_length(bytes, 2) == expected);
        }
    CHECK(lg__utf8_length("\xf4\x90\x80\x80", 4) == 0);
    CHECK(lg__utf8_length("\xe0\x80\x80", 3) == 0);
    CHECK(lg__utf8_length("\xf0\x80\x80\x80", 4) == 0);
}

// The way by words must agree with the way by characters at every place.
static void
clean_by_words(void)
{
    for (size_t place = 0; place < 24; place++)
        for (unsigned byte = 0; byte < 256; byte++) {
            char text[24];
            memset(text, 'a', sizeof text);
            text[place] = (char)byte;
            CHECK(lg__utf8_is_clean(text, sizeof text) ==
                  (byte >= 0x20 && byte < 0x7f));
        }
}

static void
cuts(void)
{
    const char *text = "a\xc3\xa9\xe2\x82\xacz";
    const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 7};
    for (size_t length = 0; length < 8; length++)
        CHECK(lg__utf8_cut(text, length) == expected[length]);
}

int
main(void)
{
    RUN(every_character);
    RUN(every_pair);
    RUN(clean_by_words);
    RUN(cuts);
    return test_result();
}
