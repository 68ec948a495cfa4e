// UTF-8 as in RFC 3629.
#include "base/base_private.h"

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
