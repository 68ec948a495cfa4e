// Names each process of a job, so that no two have the same name.
#include "growth/ranks_private.h"

#include <leakgraph/text.h>

#include <inttypes.h>
#include <stdlib.h>

// How much a name contains.
enum { RANK, PID, POSITION };

// Writes a name: the number in the job, or the index among the summaries.
// Workers that a rank starts inherit its number, so the process id
// distinguishes them, or, if that is equal, as it can be on two machines, their
// index.
static void
write_name(const lg_summary *summary, uint32_t index, int detail, lg_text *out)
{
    lg_string rank = lg__summary_text(summary, "rank");
    lg_string pid = lg__summary_text(summary, "pid");
    if (rank.length > 0)
        lg_text_add_bytes(out, rank.data, rank.length);
    else
        lg_text_addf(out, "%" PRIu32, index);
    if (detail >= PID && pid.length > 0)
        lg_text_addf(out, " (pid %.*s)", (int)pid.length, pid.data);
    if (detail >= POSITION)
        lg_text_addf(out, " (snapshot %" PRIu32 ")", index);
}

typedef struct named {
    lg_string name;
    uint32_t index;
} named;

static int
by_name(const void *left, const void *right)
{
    const named *a = left;
    const named *b = right;
    int order = lg__string_compare(a->name, b->name);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

// Writes all names, and sets pointers to them.
static bool
write_names(const lg_summary *const *summaries, uint32_t count,
            const uint8_t *detail, named *names, lg_text *out)
{
    out->length = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t begin = out->length;
        write_name(summaries[i], i, detail[i], out);
        names[i] = (named){{NULL, (uint32_t)(out->length - begin)}, i};
    }
    const char *at = out->data;
    for (uint32_t i = 0; i < count && !out->failed; i++) {
        names[i].name.data = at;
        at += names[i].name.length;
    }
    return !out->failed;
}

// Extends the names that are equal.
static void
tell_apart(named *names, uint32_t count, uint8_t *detail, int more)
{
    lg__sort(names, count, sizeof *names, by_name);
    for (uint32_t i = 1; i < count; i++)
        if (lg__string_same(names[i - 1].name, names[i].name))
            detail[names[i - 1].index] = detail[names[i].index] = (uint8_t)more;
}

bool
lg__rank_names(const lg_summary *const *summaries, uint32_t count,
               lg_rank *ranks, char **out)
{
    lg_text text = {0};
    uint8_t *detail = lg__wide_calloc(count, 1);
    named *names = lg__wide_alloc(count * sizeof *names);
    bool fine = detail != NULL && names != NULL;
    for (int more = PID; fine && more <= POSITION; more++) {
        fine = write_names(summaries, count, detail, names, &text);
        if (fine)
            tell_apart(names, count, detail, more);
    }
    fine = fine && write_names(summaries, count, detail, names, &text);
    for (uint32_t i = 0; i < count && fine; i++)
        ranks[i].name = names[i].name;
    lg__wide_free(detail);
    lg__wide_free(names);
    if (fine)
        *out = text.data;
    else
        lg_text_free(&text);
    return fine;
}
