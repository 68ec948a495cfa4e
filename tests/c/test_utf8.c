// Compares UTF-8 with a decoder that works on ranges of code points.
//
// The tests use the public functions: JSON replaces invalid bytes; a builder
// escapes them and control characters, and keeps everything else.
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/text.h>

static lg_builder *builder;

// Returns whether JSON keeps all bytes unchanged; it may escape ASCII.
static bool
is_valid(const char *bytes, size_t length)
{
    lg_text text = {0};
    lg_text_add_json(&text, bytes, length);
    REQUIRE(text.data != NULL);
    const char *replaced = "\xef\xbf\xbd";
    bool valid = strstr(text.data, replaced) == NULL ||
                 (length == 3 && memcmp(bytes, replaced, 3) == 0);
    lg_text_free(&text);
    return valid;
}

// Returns whether a builder keeps the string: escaping always changes it.
static bool
is_clean(const char *bytes, size_t length)
{
    char escaped[256];
    size_t filled = 0;
    for (size_t i = 0; i < length; i++)
        filled += (size_t)snprintf(escaped + filled, sizeof escaped - filled,
                                   "\\x%02x", (unsigned char)bytes[i]);
    return lg_builder_intern(builder, bytes, length) !=
           lg_builder_intern(builder, escaped, filled);
}

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
        CHECK(is_valid(bytes, length) == !surrogate);
        if (length > 1)
            CHECK(!is_valid(bytes, length - 1));
        if (point < 0x3000 || surrogate)
            CHECK(is_clean(bytes, length) == !(surrogate || control));
    }
}

// Of all pairs of bytes, only those that encode a character form one.
static void
every_pair(void)
{
    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++) {
            char bytes[2] = {(char)first, (char)second};
            bool single = first < 0x80 && second < 0x80;
            bool pair = first >= 0xc2 && first <= 0xdf && second >= 0x80 &&
                        second < 0xc0;
            CHECK(is_valid(bytes, 2) == (single || pair));
        }
    CHECK(!is_valid("\xf4\x90\x80\x80", 4));
    CHECK(!is_valid("\xe0\x80\x80", 3));
    CHECK(!is_valid("\xf0\x80\x80\x80", 4));
}

// Returns whether a builder keeps `length` letters, one of which is replaced by
// that byte. Behind them are bytes that it would escape.
static bool
keeps(size_t length, size_t place, unsigned byte)
{
    char text[28], escaped[28];
    memset(text, '\n', sizeof text);
    memset(text, 'a', length);
    text[place] = (char)byte;
    memcpy(escaped, text, place);
    snprintf(escaped + place, 5, "\\x%02x", byte);
    memcpy(escaped + place + 4, text + place + 1, length - place - 1);
    return lg_builder_intern(builder, text, length) !=
           lg_builder_intern(builder, escaped, length + 3);
}

// The decoder by words and the decoder by characters must agree at every place
// of strings of every length.
static void
clean_by_words(void)
{
    for (size_t length = 1; length <= 24; length++)
        for (size_t place = 0; place < length; place++)
            for (unsigned byte = 0; byte < 256; byte++)
                CHECK(keeps(length, place, byte) ==
                      (byte >= 0x20 && byte < 0x7f));
}

SUITE(utf8)
{
    REQUIRE(lg_builder_new(NULL, &builder, NULL) == LG_OK);
    RUN(every_character);
    RUN(every_pair);
    RUN(clean_by_words);
    lg_builder_free(builder);
    return test_result();
}
