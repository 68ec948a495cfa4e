#include "report/alike.h"
#include "report/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

lg_status
lg__format_holder(lg__where *where, const lg_finding *finding, lg_text *out,
                  lg_error *err)
{
    if (finding->holder == LG_NONE) {
        lg_text_add(out, "C++, which no snapshot sees");
        return LG_OK;
    }
    lg_status status = lg__where_format(where, finding->holder, NULL, out, err);
    lg_text_add(out, "  ");
    lg_node_title(lg_analysis_graph(where->analysis), finding->holder, false,
                  out);
    lg_text_addf(out, " #%u", finding->holder);
    return status;
}

void
lg__format_kept(const lg_graph *graph, const lg_finding *finding, lg_text *out)
{
    if (finding->example == LG_NONE)
        return;
    uint32_t type = graph->columns.type[finding->example];
    if (lg__node_category(graph, finding->example) != LG_CATEGORY_FIGURE)
        lg__format_node(graph, finding->example, out);
    else // whose title would be that of one figure
        lg__text_add_string(out,
                            lg__last_part(lg_graph_type(graph, type).name));
}

// ----------------------------------------------------------------- masking ---

// The end of what begins at `at` and may differ: a number, or `[...]`.
static size_t
skip(const char *data, size_t at, size_t length)
{
    bool bracket = data[at] == '[';
    while (++at < length)
        if (bracket && data[at] == ']')
            return at;
        else if (!bracket && !isdigit((unsigned char)data[at]) &&
                 data[at] != ',')
            return at;
    return length;
}

static bool
is_part_of_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

// Numbers and all between brackets as `*`; digits of a name stay.
static void
mask(const lg_text *said, lg_text *out)
{
    const char *data = said->data;
    for (size_t i = 0; i < said->length;) {
        bool number = isdigit((unsigned char)data[i]) &&
                      (i == 0 || !is_part_of_word(data[i - 1]));
        if (data[i] == '[')
            lg_text_add(out, "[*");
        else if (number)
            lg_text_add(out, "*");
        else
            lg_text_add_bytes(out, data + i, 1);
        i = data[i] == '[' || number ? skip(data, i, said->length) : i + 1;
    }
}

// ---------------------------------------------------------------- grouping ---

typedef struct entry {
    size_t index; // of the finding
    lg_text held_by;
    lg_text kept;
    lg_text key;
} entry;

static void
free_entries(entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lg_text_free(&entries[i].held_by);
        lg_text_free(&entries[i].kept);
        lg_text_free(&entries[i].key);
    }
    free(entries);
}

static lg_status
fill(lg__where *where, const lg_finding *finding, entry *out, lg_error *err)
{
    lg_status status = lg__format_holder(where, finding, &out->held_by, err);
    lg__format_kept(lg_analysis_graph(where->analysis), finding, &out->kept);
    lg_text_add(&out->key, finding->pattern->name);
    lg_text_add(&out->key, "\n");
    mask(&out->held_by, &out->key);
    lg_text_add(&out->key, "\n");
    mask(&out->kept, &out->key);
    bool failed = out->held_by.failed || out->kept.failed || out->key.failed;
    return status == LG_OK && failed ? lg__error_memory(err) : status;
}

static int
by_key(const void *left, const void *right)
{
    const entry *a = left;
    const entry *b = right;
    int order = strcmp(a->key.data, b->key.data);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

// Takes what it needs of the entry.
static void
begin(const lg_finding *finding, entry *from, lg__alike *out)
{
    *out = (lg__alike){
        .first = finding, .held_by = from->held_by, .kept = from->kept};
    from->held_by = from->kept = (lg_text){0};
}

static bool
join(const lg_finding *finding, const entry *from, lg__alike *to)
{
    lg_text masked = {0};
    to->findings++;
    to->count += finding->count;
    to->retained.host += finding->retained.host;
    to->retained.device += finding->retained.device;
    if (from->kept.data == NULL || lg__text_same(&from->kept, &to->kept))
        return true;
    mask(&from->kept, &masked);
    lg_text_free(&to->kept);
    to->kept = masked;
    return !masked.failed;
}

static int
biggest_first(const void *left, const void *right)
{
    const lg__alike *a = left;
    const lg__alike *b = right;
    uint64_t x = a->retained.host + a->retained.device;
    uint64_t y = b->retained.host + b->retained.device;
    if (x != y)
        return x > y ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static lg_status
group(const lg_findings *findings, entry *entries, lg__alikes *out,
      lg_error *err)
{
    bool failed = false;
    qsort(entries, findings->count, sizeof *entries, by_key);
    for (size_t i = 0; i < findings->count; i++) {
        const lg_finding *finding = &findings->items[entries[i].index];
        if (i == 0 || strcmp(entries[i].key.data, entries[i - 1].key.data) != 0)
            begin(finding, &entries[i], &out->items[out->count++]);
        lg__alike *alike = &out->items[out->count - 1];
        failed |= !join(finding, &entries[i], alike);
        out->first_of[entries[i].index] =
            (size_t)(alike->first - findings->items);
    }
    qsort(out->items, out->count, sizeof *out->items, biggest_first);
    return failed ? lg__error_memory(err) : LG_OK;
}

lg_status
lg__alikes_new(lg__where *where, const lg_findings *findings, lg__alikes *out,
               lg_error *err)
{
    size_t count = findings->count;
    entry *entries = calloc(count + 1, sizeof *entries);
    lg__alikes all = {.items = calloc(count + 1, sizeof *all.items),
                      .first_of = calloc(count + 1, sizeof *all.first_of)};
    lg_status status =
        entries && all.items && all.first_of ? LG_OK : lg__error_memory(err);
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        entries[i].index = i;
        status = fill(where, &findings->items[i], &entries[i], err);
    }
    if (status == LG_OK)
        status = group(findings, entries, &all, err);
    if (status == LG_OK)
        *out = all;
    else
        lg__alikes_free(&all);
    if (entries != NULL)
        free_entries(entries, count);
    return status;
}

void
lg__alikes_free(lg__alikes *alikes)
{
    for (size_t i = 0; i < alikes->count; i++) {
        lg_text_free(&alikes->items[i].held_by);
        lg_text_free(&alikes->items[i].kept);
    }
    free(alikes->items);
    free(alikes->first_of);
    *alikes = (lg__alikes){0};
}
