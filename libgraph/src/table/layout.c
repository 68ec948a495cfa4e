// What the text reports share.
#include "table/fit.h"
#include "table/words.h"

#include <leakgraph/internal/wording.h>

#include <string.h>

void
lg__text_cut(lg_text *text, size_t length)
{
    if (text->length <= length)
        return;
    text->length = length;
    text->data[length] = '\0';
}

size_t
lg__text_width(const lg_text *out, size_t start)
{
    return out->length > start
               ? lg__display_width(out->data + start, out->length - start)
               : 0;
}

void
lg__text_pad(lg_text *out, size_t start, size_t width)
{
    size_t used = lg__text_width(out, start);
    do
        lg_text_add(out, " ");
    while (++used < width && !out->failed);
}

// Returns the columns before the tab of a line, or 0.
static size_t
first_cell(const char *line, const char *end)
{
    const char *at = line;
    while (at < end && *at != '\n' && *at != '\t')
        at++;
    return at < end && *at == '\t'
               ? lg__display_width(line, (size_t)(at - line))
               : 0;
}

static size_t
widest_cell(const lg_text *text)
{
    size_t widest = 0;
    const char *end = text->data + text->length;
    for (const char *line = text->data; line < end; line++) {
        size_t width = first_cell(line, end);
        widest = width > widest ? width : widest;
        line = memchr(line, '\n', (size_t)(end - line));
        if (line == NULL)
            break;
    }
    return widest;
}

// Adds the text to *out with the first cells of its lines flush right.
static void
add_aligned(const lg_text *text, lg_text *out)
{
    size_t widest = widest_cell(text);
    const char *end = text->data + text->length;
    for (const char *line = text->data; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        size_t width = first_cell(line, end);
        next = next == NULL ? end : next + 1;
        if (width > 0) {
            const char *tab = memchr(line, '\t', (size_t)(next - line));
            for (; width < widest; width++)
                lg_text_add(out, " ");
            lg_text_add_bytes(out, line, (size_t)(tab - line));
            line = tab + 1;
        }
        lg_text_add_bytes(out, line, (size_t)(next - line));
        line = next;
    }
}

lg_status
lg__report_finish(lg_text *report, lg_text *out, lg_error *err)
{
    bool cells = !report->failed && report->data != NULL &&
                 memchr(report->data, '\t', report->length) != NULL;
    if (cells)
        add_aligned(report, out);
    else if (!report->failed)
        lg_text_add_bytes(out, report->data ? report->data : "",
                          report->length);
    bool failed = report->failed || out->failed;
    lg_text_free(report);
    return failed ? lg__error_memory(err) : LG_OK;
}

// Adds a word without its marks of code. Returns its width.
static size_t
add_word(lg_text *text, const char *word, size_t length, char quote)
{
    size_t start = text->length;
    for (size_t i = 0; i < length; i++)
        if (word[i] != '`')
            lg_text_add_bytes(text, &word[i], 1);
        else if (quote != '\0')
            lg_text_add_bytes(text, &quote, 1);
    return lg__text_width(text, start);
}

void
lg_text_add_wrapped(lg_text *text, const char *prose, size_t indent,
                    size_t column, size_t width, char quote)
{
    size_t first = column;
    while (*prose != '\0') {
        size_t length = strcspn(prose, " ");
        bool begun = column > first;
        if (begun && column + 1 + length > width) {
            lg_text_addf(text, "\n%*s", (int)indent, "");
            column = first = indent;
        } else if (begun) {
            lg_text_add(text, " ");
            column++;
        }
        column += add_word(text, prose, length, quote);
        prose += length + strspn(prose + length, " ");
    }
}
