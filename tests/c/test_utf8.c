// Compares UTF-8 with a decoder that works on ranges of code points.
//
// The tests use the public functions: JSON replaces invalid bytes; a builder
// escapes them and control characters, and keeps everything else.
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/text.h>
#include <leakgraph/internal/wording.h>

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

// Returns whether a builder writes the character as repr() does.
static bool
is_escaped(uint32_t point, const char *bytes, size_t length)
{
    char escape[11];
    const char *form = point < 0x100     ? "\\x%02x"
                       : point < 0x10000 ? "\\u%04x"
                                         : "\\U%08x";
    size_t filled = (size_t)snprintf(escape, sizeof escape, form, point);
    return lg_builder_intern(builder, bytes, length) ==
           lg_builder_intern(builder, escape, filled);
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
        if (control)
            CHECK(is_escaped(point, bytes, length));
        if (point >= 0xe1000 && point < 0xe2000)
            CHECK(!is_escaped(point, bytes, length));
    }
}

// What turns the direction of a text, breaks lines or is invisible cannot stand
// in a name; letters, marks and the shapes of emojis can.
static void
what_nobody_sees(void)
{
    static const uint32_t hidden[] = {
        0xad,   0x34f,  0x61c,  0x180e, 0x200b, 0x200d,  0x200e,
        0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060,  0x2066,
        0x2069, 0x206f, 0x3164, 0xfeff, 0xfff9, 0xe0001, 0xe007f};
    static const uint32_t shown[] = {0xa0,   0xac,   0xae,   0x5d0,  0x627,
                                     0x1161, 0x2010, 0x202f, 0x2070, 0x3042,
                                     0xfe0f, 0xfffd, 0x1f600};
    char bytes[4];
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        CHECK(is_escaped(hidden[i], bytes, encode(hidden[i], bytes)));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        CHECK(!is_escaped(shown[i], bytes, encode(shown[i], bytes)));
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
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    RUN(every_character);
    RUN(what_nobody_sees);
    RUN(every_pair);
    RUN(clean_by_words);
    lg_builder_free(builder);
    return test_result();
}
