// Characters that nobody sees, as far as they can mislead: they order the text
// around them, break lines, or are invisible parts of a name. Most are of the
// categories Cf, Zl and Zp, which repr() escapes, too. The others are letters
// and marks without a shape. Variation selectors choose the shape of the
// character before, and stay.
#include "base/base_private.h"

#include <stdio.h>

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
