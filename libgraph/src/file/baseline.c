// Baselines: reads, extends and writes a text file of known keys.
#include "file/file_private.h"

#include <leakgraph/internal/baseline.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "leakgraph baseline "
#define VERSION "1"

enum { KEY_DIGITS = 16, MOST_FILE = 1 << 26 };

typedef struct entry {
    lg_baseline_kind kind;
    uint64_t key;
} entry;

struct lg_baseline {
    lg_text text; // all lines, as in the file
    entry *entries;
    size_t count;
};

const char *
lg_baseline_kind_name(lg_baseline_kind kind)
{
    static const char *const names[] = {"growth", "cycle", "finding"};
    size_t index = (size_t)kind;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

static bool
append(lg_baseline *to, lg_baseline_kind kind, uint64_t key)
{
    if (!lg__array_room(&to->entries, to->count, sizeof *to->entries))
        return false;
    to->entries[to->count++] = (entry){kind, key};
    return true;
}

// Returns the rest of a line that begins with the word and a space, or NULL.
static const char *
skip_word(const char *line, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - line) <= length || memcmp(line, word, length) != 0 ||
        line[length] != ' ')
        return NULL;
    return line + length + 1;
}

static bool
read_key(const char *at, const char *end, uint64_t *out)
{
    static const char digits[] = "0123456789abcdef";
    *out = 0;
    if (end - at < KEY_DIGITS || (end - at > KEY_DIGITS && at[16] != ' '))
        return false;
    for (int i = 0; i < KEY_DIGITS; i++) {
        const char *digit = at[i] ? strchr(digits, at[i]) : NULL;
        if (digit == NULL)
            return false;
        *out = *out << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

static bool
read_entry(const char *line, const char *end, entry *out)
{
    for (int kind = 0; kind <= LG_BASELINE_FINDING; kind++) {
        out->kind = (lg_baseline_kind)kind;
        const char *key =
            skip_word(line, end, lg_baseline_kind_name(out->kind));
        if (key != NULL)
            return read_key(key, end, &out->key);
    }
    return false;
}

static lg_status
check_first(const char *path, const char *line, const char *end, lg_error *err)
{
    size_t length = strlen(FIRST_LINE);
    if ((size_t)(end - line) <= length || memcmp(line, FIRST_LINE, length) != 0)
        return lg_error_set(err, LG_EFORMAT,
                            "%s is no baseline: its first line must be "
                            "'" FIRST_LINE VERSION "'",
                            path);
    if (end - line != (ptrdiff_t)length + 1 || line[length] != *VERSION)
        return lg_error_set(err, LG_EFORMAT,
                            "%s is a baseline of another version, and this "
                            "leakgraph reads version " VERSION,
                            path);
    return LG_OK;
}

static const char *
end_of(const char *line, const char *last)
{
    const char *end = memchr(line, '\n', (size_t)(last - line));
    return end != NULL ? end : last;
}

static lg_status
read_lines(lg_baseline *to, const char *path, lg_error *err)
{
    const char *line = to->text.data ? to->text.data : "";
    const char *last = line + to->text.length;
    const char *end = end_of(line, last);
    lg_status status = check_first(path, line, end, err);
    for (size_t number = 2; status == LG_OK && end < last; number++) {
        entry known = {0};
        line = end + 1;
        end = end_of(line, last);
        if (line == end || *line == '#')
            continue;
        if (!read_entry(line, end, &known))
            status = lg_error_set(
                err, LG_EFORMAT,
                "line %zu of %s is no entry: write growth, cycle or finding, a "
                "key of %d hexadecimal digits and a note, or begin it with #",
                number, path, KEY_DIGITS);
        else if (!append(to, known.kind, known.key))
            status = lg__error_memory(err);
    }
    return status;
}

static lg_status
read_file(FILE *file, const char *path, lg_text *out, lg_error *err)
{
    char part[4096];
    size_t length;
    while ((length = fread(part, 1, sizeof part, file)) > 0) {
        lg_text_add_bytes(out, part, length);
        if (out->length > MOST_FILE)
            return lg_error_set(err, LG_EFORMAT,
                                "%s is no baseline: it is larger than %d MiB",
                                path, MOST_FILE >> 20);
    }
    if (ferror(file))
        return lg_error_set(err, LG_EIO, "cannot read the baseline %s: %s",
                            path, strerror(errno));
    return out->failed ? lg__error_memory(err) : LG_OK;
}

static lg_status
fill(lg_baseline *to, const char *path, bool may_be_missing, lg_error *err)
{
    FILE *file = fopen(path, "re");
    if (file == NULL && errno == ENOENT && may_be_missing) {
        lg_text_add(&to->text, FIRST_LINE VERSION "\n");
        return to->text.failed ? lg__error_memory(err) : LG_OK;
    }
    if (file == NULL)
        return lg_error_set(err, LG_EIO, "cannot open the baseline %s: %s",
                            path, strerror(errno));
    lg_status status = read_file(file, path, &to->text, err);
    fclose(file);
    return status == LG_OK ? read_lines(to, path, err) : status;
}

lg_status
lg_baseline_load(const char *path, bool may_be_missing, lg_baseline **out,
                 lg_error *err)
{
    lg_baseline *made = lg__calloc(1, sizeof *made);
    if (made == NULL)
        return lg__error_memory(err);
    lg_status status = fill(made, path, may_be_missing, err);
    if (status == LG_OK)
        *out = made;
    else
        lg_baseline_free(made);
    return status;
}

bool
lg_baseline_knows(const lg_baseline *baseline, lg_baseline_kind kind,
                  uint64_t key)
{
    for (size_t i = 0; i < baseline->count; i++)
        if (baseline->entries[i].key == key &&
            baseline->entries[i].kind == kind)
            return true;
    return false;
}

lg_status
lg_baseline_add(lg_baseline *baseline, lg_baseline_kind kind, uint64_t key,
                lg_string note, lg_error *err)
{
    lg_text *text = &baseline->text;
    if (lg_baseline_knows(baseline, kind, key))
        return LG_OK;
    if (text->length > 0 && text->data[text->length - 1] != '\n')
        lg_text_add(text, "\n");
    lg_text_addf(text, "%s %016" PRIx64 " ", lg_baseline_kind_name(kind), key);
    size_t start = text->length;
    lg_text_add_bytes(text, note.data, note.length);
    for (size_t i = start; i < text->length; i++)
        if ((unsigned char)text->data[i] < ' ')
            text->data[i] = ' ';
    lg_text_add(text, "\n");
    if (text->failed || !append(baseline, kind, key))
        return lg__error_memory(err);
    return LG_OK;
}

uint64_t
lg_baseline_key(const lg_baseline *baseline, size_t index,
                lg_baseline_kind *kind)
{
    *kind = baseline->entries[index].kind;
    return baseline->entries[index].key;
}

size_t
lg_baseline_count(const lg_baseline *baseline)
{
    return baseline->count;
}

lg_status
lg_baseline_save(const lg_baseline *baseline, const char *path, lg_error *err)
{
    lg__sink sink;
    lg_status status = lg__sink_open(&sink, path, err);
    if (status == LG_OK)
        status = lg__sink_write(&sink, baseline->text.data,
                                baseline->text.length, err);
    if (status == LG_OK)
        status = lg__sink_commit(&sink, err);
    lg__sink_close(&sink);
    return status;
}

void
lg_baseline_free(lg_baseline *baseline)
{
    if (baseline == NULL)
        return;
    lg_text_free(&baseline->text);
    lg__free(baseline->entries);
    lg__free(baseline);
}
