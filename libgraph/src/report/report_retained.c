// What a set of objects keeps alive, and how that differs from the sum of what
// each of them does.
#include "report/report_private.h"

#include <leakgraph/internal/retained.h>

typedef struct retained {
    lg_set_bytes set;
    const void *rows; // none
    size_t count;
} retained;

// Says what the sum counts twice or leaves out.
static void
add_difference(const lg_set_bytes *set, lg_text *out)
{
    size_t each = (size_t)set->devices + 1;
    uint64_t sum = lg_bytes_sum(set->sum, each);
    uint64_t all = lg_bytes_sum(set->retained, each);
    if (sum == all) {
        lg_text_add(out, "the same: none lies below another, and they "
                         "share nothing\n");
    } else if (sum > all) {
        lg_text_add_size(out, sum - all);
        lg_text_add(out, " more than together: some of them lie below others, "
                         "which the sum counts twice\n");
    } else {
        lg_text_add_size(out, all - sum);
        lg_text_add(out, " less than together: what several of them share "
                         "goes only when all go\n");
    }
}

static void
write_text(const lg_ask *ask, const void *answer, lg_text *out)
{
    const lg_set_bytes *set = &((const retained *)answer)->set;
    const char *selector = ask->given != NULL ? ask->given[0].text : NULL;
    if (selector != NULL)
        lg_text_addf(out, "%s: ", selector);
    lg_text_add_count(out, set->count);
    lg_text_add(out, set->count == 1 ? " object retains " : " objects retain ");
    lg__format_each(ask->graph, set->retained, out);
    lg_text_add(out, "\n  their own size   ");
    lg__format_each(ask->graph, set->own, out);
    lg_text_add(out, "\n");
    if (set->count == 1)
        return;
    lg_text_add(out, "  the sum of each  ");
    lg__format_each(ask->graph, set->sum, out);
    lg_text_add(out, ", ");
    add_difference(set, out);
}

#define FACT(member) .offset = offsetof(lg_set_bytes, member)

static const lg_field facts[] = {
    {"count", NULL, "number of objects", LG_COLUMN_COUNT, FACT(count)},
    {"retained", NULL, "what you would free with all of them, each byte once",
     LG_COLUMN_SIZE, FACT(retained)},
    {"own", NULL, "their own sizes", LG_COLUMN_SIZE, FACT(own)},
    {"sum", NULL, "the sum of what each of them alone retains", LG_COLUMN_SIZE,
     FACT(sum)},
    {0},
};

static const lg_field fields[] = {{0}};

typedef struct retained_options {
    lg_nodes target;
} retained_options;

static lg_status
ask_retained(const lg_ask *ask, void *answer, lg_error *err)
{
    const lg_nodes *target = &((const retained_options *)ask->options)->target;
    return lg_nodes_weigh(ask->analysis, target->items, target->count,
                          ask->monitor, &((retained *)answer)->set, err);
}

static void
free_retained(void *answer)
{
    lg_set_bytes_free(&((retained *)answer)->set);
}

static const retained_options usual = {{0}};

static const lg_option options[] = {LG__OBJECTS(retained_options), {0}};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(retained),
    .ask = ask_retained,
    .free = free_retained,
    .rows = offsetof(retained, rows),
    .count = offsetof(retained, count),
    .text = write_text,
};

const lg_question lg__ask_retained = {
    .name = "retained",
    .title = "Retained by a set",
    .help = "add up what a set of objects keeps alive",
    .about = "Says what you would free with all the objects together, each "
             "byte counted once, and how that differs from the sum of their "
             "retained sizes.",
    .example = "type:torch.Tensor+",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
