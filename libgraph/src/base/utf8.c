// UTF-8 as in RFC 3629, and the characters of it that mislead a reader.
#include "base/base_private.h"

#include <stdio.h>
#include <string.h>

static bool
is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

// Checks the second byte: its range rules out overlong forms, surrogates and
// code points above U+10FFFF.
static bool
is_second(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0 && second <= 0xbf;
    case 0xed:
        return second >= 0x80 && second <= 0x9f;
    case 0xf0:
        return second >= 0x90 && second <= 0xbf;
    case 0xf4:
        return second >= 0x80 && second <= 0x8f;
    default:
        return is_continuation(second);
    }
}

static size_t
expected_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if (first >= 0xe0 && first <= 0xef)
        return 3;
    if (first >= 0xf0 && first <= 0xf4)
        return 4;
    return 0;
}

size_t
lg__utf8_length(const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    if (length == 0)
        return 0;
    size_t wanted = expected_length(at[0]);
    if (wanted == 0 || wanted > length)
        return 0;
    if (wanted > 1 && !is_second(at[0], at[1]))
        return 0;
    for (size_t i = 2; i < wanted; i++)
        if (!is_continuation(at[i]))
            return 0;
    return wanted;
}

// Characters that nobody sees, as far as they can mislead: they order the text
// around them, break lines, or are invisible parts of a name. Most are of the
// categories Cf, Zl and Zp, which repr() escapes, too. The others are letters
// and marks without a shape. Variation selectors choose the shape of the
// character before, and stay.
static const struct {
    uint32_t first;
    uint32_t last;
} unseen[] = {
    {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x0600, 0x0605},
    {0x061c, 0x061c},   {0x06dd, 0x06dd},   {0x070f, 0x070f},
    {0x0890, 0x0891},   {0x08e2, 0x08e2},   {0x115f, 0x1160},
    {0x17b4, 0x17b5},   {0x180e, 0x180e},   {0x200b, 0x200f},
    {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
    {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe00ff},
    {0xe01f0, 0xe0fff},
};

static uint32_t
code_point(const unsigned char *at, size_t length)
{
    static const unsigned char firsts[] = {0x7f, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t point = at[0] & firsts[length];
    for (size_t i = 1; i < length; i++)
        point = point << 6 | (at[i] & 0x3fu);
    return point;
}

bool
lg__utf8_is_unseen(const char *character, size_t length)
{
    if (length < 2)
        return false;
    uint32_t point = code_point((const unsigned char *)character, length);
    size_t low = 0;
    size_t high = sizeof unseen / sizeof *unseen;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (unseen[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof unseen / sizeof *unseen && unseen[low].first <= point;
}

size_t
lg__utf8_escape(const char *character, size_t length,
                char out[LG__ESCAPE_MOST + 1])
{
    uint32_t point = code_point((const unsigned char *)character, length);
    const char *form = point < 0x100     ? "\\x%02x"
                       : point < 0x10000 ? "\\u%04x"
                                         : "\\U%08x";
    return (size_t)snprintf(out, LG__ESCAPE_MOST + 1, form, (unsigned)point);
}

size_t
lg__utf8_clean_length(const char *bytes, size_t length)
{
    size_t found = lg__utf8_length(bytes, length);
    const unsigned char *at = (const unsigned char *)bytes;
    if (found == 1 && (at[0] < 0x20 || at[0] == 0x7f))
        return 0;
    if (found == 2 && at[0] == 0xc2 && at[1] < 0xa0)
        return 0;
    return lg__utf8_is_unseen(bytes, found) ? 0 : found;
}

// Checks eight ASCII characters at once: the highest bit of each byte becomes 1
// if the byte is above 0x7e or below 0x20.
static inline uint64_t
odd_bytes(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t high = 0x8080808080808080u;
    uint64_t below = (word - ones * 0x20) & ~word;
    uint64_t above = (word + ones) | word;
    return (below | above) & high;
}

static inline uint64_t
word_at(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

// All bytes of a string of 1 to 7 bytes, some of them twice.
static inline uint64_t
short_word(const char *bytes, size_t length)
{
    uint32_t halves[2];
    if (length < sizeof halves[0]) {
        const unsigned char *at = (const unsigned char *)bytes;
        return (uint64_t)at[0] * 0x0101010101010000u |
               (uint64_t)at[length / 2] << 8 | at[length - 1];
    }
    memcpy(&halves[0], bytes, sizeof halves[0]);
    memcpy(&halves[1], bytes + length - sizeof halves[1], sizeof halves[1]);
    return (uint64_t)halves[0] << 32 | halves[1];
}

// Checks strings of printable ASCII, as most names are, by words. The last word
// overlaps the one before.
static bool
is_plain(const char *bytes, size_t length)
{
    uint64_t odd = 0;
    if (length < sizeof odd)
        return length == 0 || odd_bytes(short_word(bytes, length)) == 0;
    for (size_t at = 0; at + sizeof odd < length; at += sizeof odd)
        odd |= odd_bytes(word_at(bytes + at));
    return (odd | odd_bytes(word_at(bytes + length - sizeof odd))) == 0;
}

bool
lg__utf8_is_clean(const char *bytes, size_t length)
{
    if (is_plain(bytes, length))
        return true;
    size_t at = 0;
    while (at < length) {
        size_t step = lg__utf8_clean_length(bytes + at, length - at);
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

size_t
lg__utf8_cut(const char *bytes, size_t length)
{
    size_t start = length;
    while (start > 0 && length - start < 4 &&
           is_continuation((unsigned char)bytes[start - 1]))
        start--;
    if (start == 0)
        return length;
    size_t wanted = expected_length((unsigned char)bytes[start - 1]);
    return start - 1 + wanted > length ? start - 1 : length;
}
