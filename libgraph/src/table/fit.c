// Fits finished text into the columns of a terminal, and paints it.
#include "table/fit.h"
#include "base/base_private.h"

#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Lines that wrap leave at least this many columns for the text. Where the text
// of a line has not even that much, the line begins at the left.
enum { LEAST_ROOM = 24, NO_ROOM = 12 };

// The most lines of a path in a cell.
enum { MOST_LINES = 4 };

static unsigned most_columns;

void
lg_layout_set_columns(unsigned columns)
{
    most_columns = columns;
}

unsigned
lg_layout_columns(void)
{
    return most_columns;
}

static size_t
character_length(const char *at, const char *end)
{
    size_t length = 1;
    while (at + length < end && ((unsigned char)at[length] & 0xc0) == 0x80)
        length++;
    return length;
}

// Display widths: East Asian Width W and F, and general categories Mn, Me and
// Cf of Unicode 15, for characters that names may contain.
typedef struct range {
    uint32_t first;
    uint32_t last;
} range;

static const range narrow[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x05bf, 0x05bf},
    {0x05c1, 0x05c2}, {0x05c4, 0x05c5}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0670, 0x0670}, {0x06d6, 0x06dc}, {0x06df, 0x06e4}, {0x06e7, 0x06e8},
    {0x06ea, 0x06ed}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d},
    {0x0951, 0x0957}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
    {0x1ab0, 0x1ace}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e},
    {0x2060, 0x2064}, {0x20d0, 0x20f0}, {0x302a, 0x302d}, {0x3099, 0x309a},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

static const range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},
    {0x23e9, 0x23ec},   {0x23f0, 0x23f0},   {0x23f3, 0x23f3},
    {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},
    {0x26f2, 0x26f3},   {0x26f5, 0x26f5},   {0x26fa, 0x26fa},
    {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},
    {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},
    {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0x3247},   {0x3250, 0x4dbf},   {0x4e00, 0xa4c6},
    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x18cd5}, {0x1aff0, 0x1b2fb},
    {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e},
    {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335},
    {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
    {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc},
    {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567},
    {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4},
    {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc},
    {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7}, {0x1f6dc, 0x1f6df},
    {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb},
    {0x1f7f0, 0x1f7f0}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945},
    {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

// The ranges are in order.
static bool
is_in(uint32_t point, const range *ranges, size_t count)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (point > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && point >= ranges[low].first;
}

static size_t
character_width(uint32_t point)
{
    if (point < narrow[0].first)
        return 1;
    if (is_in(point, narrow, sizeof narrow / sizeof *narrow))
        return 0;
    return is_in(point, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

// Decodes a character of two to four bytes.
static uint32_t
decode(const char *bytes, size_t length)
{
    uint32_t point = (unsigned char)bytes[0] & 0x7fu >> length;
    for (size_t i = 1; i < length; i++)
        point = point << 6 | ((unsigned char)bytes[i] & 0x3f);
    return point;
}

size_t
lg__display_width(const char *bytes, size_t length)
{
    size_t width = 0;
    for (size_t at = 0; at < length;) {
        size_t step = lg__utf8_length(bytes + at, length - at);
        width += step <= 1 ? 1 : character_width(decode(bytes + at, step));
        at += step == 0 ? 1 : step;
    }
    return width;
}

static size_t
width_of(const char *at, const char *end)
{
    return lg__display_width(at, (size_t)(end - at));
}

// Returns the end of the longest beginning that fits into the columns.
static const char *
beginning(const char *at, const char *end, size_t columns)
{
    while (at < end) {
        size_t length = character_length(at, end);
        size_t width = width_of(at, at + length);
        if (width > columns)
            break;
        columns -= width;
        at += length;
    }
    return at;
}

// Returns the start of the longest ending that fits into the columns.
static const char *
ending(const char *at, const char *end, size_t columns)
{
    size_t width = width_of(at, end);
    while (width > columns ||
           (at < end && width > 0 &&
            width_of(at, at + character_length(at, end)) == 0)) {
        size_t length = character_length(at, end);
        width -= width_of(at, at + length);
        at += length;
    }
    return at;
}

void
lg__fit_word(const char *text, size_t length, size_t columns, lg_text *out)
{
    const char *end = text + length;
    if (length == 0 || width_of(text, end) <= columns) {
        lg_text_add_bytes(out, text, length);
        return;
    }
    size_t tail = columns / 2;
    size_t head = columns > tail ? columns - tail - 1 : 0;
    const char *first = beginning(text, end, head);
    const char *last = ending(text, end, tail);
    lg_text_add_bytes(out, text, (size_t)(first - text));
    lg_text_add(out, LG__ELLIPSIS);
    lg_text_add_bytes(out, last, (size_t)(end - last));
}

void
lg__add_spaces(lg_text *out, size_t count)
{
    static const char spaces[] = "                                ";
    for (; count >= sizeof spaces; count -= sizeof spaces - 1)
        lg_text_add(out, spaces);
    lg_text_add_bytes(out, spaces, count);
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Returns the end of a size such as `1.5 MiB`, or `at`.
static const char *
end_of_size(const char *at, const char *end)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    const char *number = at;
    while (number < end && ((*number >= '0' && *number <= '9') ||
                            *number == '.' || *number == ','))
        number++;
    if (number == at || number + 1 >= end || *number != ' ')
        return at;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(units[i]);
        const char *unit = number + 1;
        if ((size_t)(end - unit) >= length &&
            memcmp(unit, units[i], length) == 0 &&
            (unit + length == end || !is_letter(unit[length])))
            return unit + length;
    }
    return at;
}

static const char *
skip_spaces(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

// Returns the end of an index such as `['a key']`, or `at`.
static const char *
end_of_index(const char *at, const char *end)
{
    size_t open = 0;
    for (const char *c = at; c < end && *c != '\n'; c++) {
        open += *c == '[';
        open -= *c == ']' && open > 0;
        if (open == 0)
            return c > at ? c + 1 : at;
    }
    return at;
}

// A size is one word with its unit, and a path with its keys.
static const char *
end_of_word(const char *at, const char *end)
{
    at = skip_spaces(at, end);
    const char *number = at;
    while (number < end && strchr("(+-", *number) != NULL)
        number++;
    const char *size = end_of_size(number, end);
    at = size > number ? size : at;
    while (at < end && *at != ' ') {
        const char *index = *at == '[' ? end_of_index(at, end) : at;
        at = index > at ? index : at + 1;
    }
    return at;
}

// Returns the end of the words that fit; `at` if not even the first does.
static const char *
words_that_fit(const char *at, const char *end, size_t room)
{
    const char *fits = at;
    for (const char *next = at; next < end;) {
        next = end_of_word(next, end);
        if (width_of(at, next) > room)
            break;
        fits = next;
    }
    return fits;
}

// Returns where the lines after the first begin, of a text with an indent.
static size_t
hang_of(size_t indent, size_t columns)
{
    size_t hang = indent > 0 ? indent + 2 : 0;
    return hang + LEAST_ROOM <= columns ? hang : 0;
}

// Returns where the steps of a path such as `train.losses[0]` end that fit;
// `at` if not even the first does.
static const char *
steps_that_fit(const char *at, const char *end, size_t room)
{
    const char *fits = at;
    for (const char *c = at; c + 1 < end; c++) {
        bool step = *c == '[' || (*c == '.' && is_letter(c[1]));
        if (step && width_of(at, c) > room)
            break;
        fits = step ? c : fits;
        c += *c == '[' ? end_of_index(c, end) - c - 1 : 0;
    }
    return fits;
}

// Returns whether a path is whole in a few lines that break between its steps.
static bool
breaks_well(const char *at, const char *end, size_t room)
{
    for (int lines = 1; lines <= MOST_LINES; lines++) {
        if (width_of(at, end) <= room)
            return true;
        const char *stop = steps_that_fit(at, end, room);
        if (stop == at)
            return false;
        at = stop;
    }
    return false;
}

// Adds the beginning of a word that is too long for a line, and returns where
// it ends. A path goes on in the next line, or the word loses its middle.
static const char *
add_long_word(const char *at, const char *end, size_t room, lg_text *out)
{
    if (!breaks_well(at, end, room)) {
        lg__fit_word(at, (size_t)(end - at), room, out);
        return end;
    }
    const char *stop = steps_that_fit(at, end, room);
    lg_text_add_bytes(out, at, (size_t)(stop - at));
    return stop;
}

void
lg__fit_words(const char *text, size_t length, size_t columns, lg_text *out)
{
    const char *end = text + length;
    size_t hang = hang_of((size_t)(skip_spaces(text, end) - text), columns);
    size_t indent = 0;
    for (const char *at = text; at < end;) {
        const char *stop = words_that_fit(at, end, columns - indent);
        if (at > text)
            lg_text_add(out, "\n");
        lg__add_spaces(out, indent);
        if (stop > at) {
            lg_text_add_bytes(out, at, (size_t)(stop - at));
        } else {
            stop =
                add_long_word(at, end_of_word(at, end), columns - indent, out);
        }
        at = skip_spaces(stop, end);
        indent = hang;
    }
}

typedef struct line {
    const char *at;
    const char *end;
    const char *under; // the line that underlines it, or NULL
    const char *under_end;
} line;

static bool
is_underline(const char *at, const char *end)
{
    bool any = false;
    for (; at < end; at++) {
        if (*at != ' ' && *at != '~' && *at != '^')
            return false;
        any |= *at != ' ';
    }
    return any;
}

// Returns the length of a part of what draws the branches of a tree, or 0.
static size_t
branch_length(const char *at, const char *end)
{
    static const char *const parts[] = {" ", "│", "├", "└", "─"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t length = strlen(parts[i]);
        if ((size_t)(end - at) >= length && !memcmp(at, parts[i], length))
            return length;
    }
    return 0;
}

// Returns where the text of a line begins, behind branches and spaces.
static const char *
begin_of_text(const line *of)
{
    const char *at = of->at;
    while (at < of->end && branch_length(at, of->end) > 0)
        at += branch_length(at, of->end);
    return at;
}

// Adds what stands before the second line of one with branches: those that go
// on downward, and spaces.
static void
add_hang(const line *of, size_t columns, lg_text *out)
{
    const char *text = begin_of_text(of);
    for (const char *at = of->at; at < text && columns > 0; columns--) {
        size_t length = branch_length(at, text);
        bool down = !memcmp(at, "│", length) || !memcmp(at, "├", length);
        lg_text_add(out, down ? "│" : " ");
        at += length;
    }
    lg__add_spaces(out, columns);
}

// Returns the column at which the rest of a line goes on: below the last text
// that follows a gap of two spaces and leaves enough room.
static size_t
hanging_indent(const line *of, size_t columns)
{
    const char *text = begin_of_text(of);
    size_t start = width_of(of->at, text);
    size_t hang = hang_of(start, columns);
    size_t column = start;
    for (const char *at = text; at < of->end;) {
        size_t length = character_length(at, of->end);
        bool gap =
            at - text >= 2 && at[-1] == ' ' && at[-2] == ' ' && *at != ' ';
        if (gap && column + LEAST_ROOM <= columns)
            hang = column;
        column += width_of(at, at + length);
        at += length;
    }
    return hang;
}

// Adds the part of an underline below a part of its line. One column of an
// underline is one byte.
static void
add_underline(const line *of, size_t from, size_t to, size_t indent,
              lg_text *out)
{
    size_t length = of->under ? (size_t)(of->under_end - of->under) : 0;
    to = to < length ? to : length;
    if (from >= to || !is_underline(of->under + from, of->under + to))
        return;
    const char *at = of->under + from;
    const char *end = of->under + to;
    while (end > at && end[-1] == ' ')
        end--;
    lg__add_spaces(out, indent);
    lg_text_add_bytes(out, at, (size_t)(end - at));
    lg_text_add(out, "\n");
}

// Adds what fits of the words of a line into `room` columns, and returns where
// it ends. A word that does not even fit into a line of its own, which has
// `most` columns, loses its middle.
static const char *
add_words(const char *at, const char *end, size_t room, size_t most,
          lg_text *out)
{
    const char *fits = words_that_fit(at, end, room);
    const char *word = skip_spaces(fits, end);
    const char *next = end_of_word(fits, end);
    size_t used = width_of(at, word);
    size_t left = room > used ? room - used : 0;
    bool cut =
        fits == at || (width_of(word, next) > most && left >= LEAST_ROOM);
    lg_text_add_bytes(out, at, (size_t)((cut ? word : fits) - at));
    if (cut)
        lg__fit_word(word, (size_t)(next - word), left, out);
    return cut ? next : fits;
}

// Adds a line in several, the others after an indent.
static void
wrap(const line *of, size_t columns, lg_text *out)
{
    size_t hang = hanging_indent(of, columns), indent = 0;
    const char *text = begin_of_text(of);
    bool room = width_of(of->at, text) + NO_ROOM <= columns;
    for (const char *at = room ? of->at : text; at < of->end;) {
        size_t from = width_of(of->at, at);
        add_hang(of, indent, out);
        const char *stop =
            add_words(at, of->end, columns - indent, columns - hang, out);
        lg_text_add(out, "\n");
        add_underline(of, from, width_of(of->at, stop), indent, out);
        at = skip_spaces(stop, of->end);
        indent = hang;
    }
}

static const char *
end_of_line(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

// Adds a line without its end, and what underlines it.
static void
add_line(const line *of, size_t columns, lg_text *out)
{
    if (width_of(of->at, of->end) > columns) {
        wrap(of, columns, out);
        return;
    }
    lg_text_add_bytes(out, of->at, (size_t)(of->end - of->at));
    lg_text_add(out, "\n");
    add_underline(of, 0, columns, 0, out);
}

void
lg_layout_fit(const char *text, size_t length, unsigned columns, lg_text *out)
{
    const char *end = text + length;
    size_t most = columns > LEAST_ROOM ? columns : LEAST_ROOM;
    for (const char *at = text; at < end;) {
        line of = {.at = at, .end = end_of_line(at, end)};
        const char *next = of.end < end ? of.end + 1 : end;
        const char *next_end = next < end ? end_of_line(next, end) : end;
        if (next < end && is_underline(next, next_end)) {
            of.under = next;
            of.under_end = next_end;
            next = next_end < end ? next_end + 1 : end;
        }
        add_line(&of, most, out);
        at = next;
    }
}

static const char plain[] = "\033[0m";

static const char size_colour[] = "\033[1m";

static const char path_colour[] = "\033[36m";

static const char cut_colour[] = "\033[33m";

// Returns whether a step of a path begins there. The shape of `float32[3, 4]`
// is none.
static bool
is_step(const char *word, const char *at)
{
    return *at == '[' ? at == word || !strchr("]0123456789", at[1])
                      : *at == '.' && is_letter(at[1]);
}

// Returns the end of a path such as `train.losses[0]`, or `at`.
static const char *
end_of_path(const char *at, const char *end)
{
    const char *stop = at;
    bool steps = false;
    while (stop < end && *stop != ' ' && *stop != '\n')
        stop++;
    bool called = memchr(at, '(', (size_t)(stop - at)) != NULL;
    while (stop > at && strchr(called ? ".,:;" : ".,:;)", stop[-1]) != NULL)
        stop--;
    for (const char *c = at; c + 1 < stop; c++)
        steps |= is_step(at, c);
    return steps && (is_letter(*at) || *at == '.' || *at == '[') ? stop : at;
}

static const char *
end_of_mark(const char *at, const char *end)
{
    while (at < end && (*at == '~' || *at == '^'))
        at++;
    return at;
}

static void
add_painted(const char *colour, const char *at, const char *end, lg_text *out)
{
    lg_text_add(out, colour);
    lg_text_add_bytes(out, at, (size_t)(end - at));
    lg_text_add(out, plain);
}

void
lg_layout_paint(const char *text, size_t length, lg_text *out)
{
    static const struct {
        const char *colour;
        const char *(*end_of)(const char *at, const char *end);
    } kinds[] = {{size_colour, end_of_size},
                 {path_colour, end_of_path},
                 {cut_colour, end_of_mark}};
    const char *end = text + length;
    bool begins = true;
    for (const char *at = text; at < end;) {
        const char *stop = at;
        for (size_t i = 0; begins && stop == at && i < 3; i++) {
            stop = kinds[i].end_of(at, end);
            if (stop > at)
                add_painted(kinds[i].colour, at, stop, out);
        }
        if (stop == at)
            lg_text_add_bytes(out, stop++, 1);
        begins = stop[-1] == ' ' || stop[-1] == '\n' || stop[-1] == '(';
        at = stop;
    }
}
