// Writes how the processes of one job differ as one report: the tables, and
// sentences around them.
#include "report/report_ranks.h"

// Rows of the tables below the first one.
enum { REPEATED_SHOWN = 10, RANKS_SHOWN = 16 };

// Writes the ranks with the fewest and the most bytes.
static void
format_ranks(const lg_ranks *ranks, lg_text *out)
{
    uint32_t least = 0;
    uint32_t most = 0;
    for (uint32_t i = 1; i < ranks->count; i++) {
        uint64_t bytes = lg_rank_bytes(ranks, i);
        if (bytes < lg_rank_bytes(ranks, least))
            least = i;
        if (bytes > lg_rank_bytes(ranks, most))
            most = i;
    }
    lg_text_addf(out, "%u ranks, with objects of ", ranks->count);
    lg_text_add_size(out, lg_rank_bytes(ranks, least));
    lg_text_add(out, " (rank ");
    lg__format_rank(ranks, least, out);
    lg_text_add(out, ") to ");
    lg_text_add_size(out, lg_rank_bytes(ranks, most));
    lg_text_add(out, " (rank ");
    lg__format_rank(ranks, most, out);
    lg_text_add(out, ")\n");
    if (ranks->row_count == 0) {
        lg_text_add(out, "No place differs by ");
        lg_text_add_size(out, ranks->min_bytes);
        lg_text_add(out, " or more.\n");
    }
}

static void
format_native(const lg_ranks *ranks, lg_text *out)
{
    if (ranks->native_outlier == LG_NONE)
        return;
    int64_t apart =
        ranks->ranks[ranks->native_outlier].unexplained - ranks->native_usual;
    lg_text_add(out, "Rank ");
    lg__format_rank(ranks, ranks->native_outlier, out);
    lg_text_add(out, " has ");
    lg_text_add_size(out, (uint64_t)(apart < 0 ? -apart : apart));
    lg_text_addf(out, " %s malloc memory than usual that no object explains.\n",
                 apart < 0 ? "less" : "more");
}

static void
format_libraries(const lg_ranks *ranks, lg_text *out)
{
    lg_text_add(out, "Libraries and the interpreter have ");
    lg_text_add_sizes(out, ranks->device_names, ranks->libraries,
                      ranks->devices + (size_t)1);
    lg_text_add(out, " on each rank.\n");
}

void
lg_ranks_format(const lg_ranks *ranks, lg_text *out)
{
    format_ranks(ranks, out);
    format_native(ranks, out);
    format_libraries(ranks, out);
}

// Adds a table below the others, under a heading. Takes the heading over.
static lg_table *
add_part(const lg__rank_table *form, const lg_ranks *ranks, size_t limit,
         lg_text *heading, lg_table *table)
{
    lg__column columns[LG__MOST_FIELDS];
    const lg_ask ask = {0};
    lg__layout layout = {.shown_in = LG__SHOWN, .noun = form->noun};
    size_t count = lg__list_columns(&ask, ranks, form->fields, columns);
    lg_table *part = lg__table_part(table, layout, columns, count);
    lg__table_format_above(part, heading);
    form->fill(ranks, limit, part);
    return part;
}

static void
write_above(const lg_ask *ask, const void *ranks, lg_text *out)
{
    (void)ask;
    format_ranks(ranks, out);
}

static void
add_below(const lg_ask *ask, const void *ranks, lg_table *table)
{
    lg_text said = {0};
    (void)ask;
    format_native(ranks, &said);
    lg__table_format_below(table, &said);
    lg_text_add(&said, "\nWhat every rank has:\n");
    lg_table *part =
        add_part(&lg__rank_repeats, ranks, REPEATED_SHOWN, &said, table);
    format_libraries(ranks, &said);
    lg__table_format_below(part, &said);
    lg_text_add(&said, "\n");
    add_part(&lg__rank_sizes, ranks, RANKS_SHOWN, &said, table);
}

/* ---------------------------------------------------------- the question */

static void
put_list(const lg__rank_table *form, const lg_ask *ask, const lg_ranks *ranks,
         lg_table *facts, size_t column)
{
    const lg_field list = {.inner = form->fields};
    form->fill(ranks, 0, lg__put_empty_list(ask, ranks, &list, facts, column));
}

enum { MIN_BYTES, LIBRARIES, REPEATED, RANKS, FACTS };

static void
put_facts(const lg_ask *ask, const void *ranks, lg_table *facts)
{
    put_list(&lg__rank_repeats, ask, ranks, facts, REPEATED);
    put_list(&lg__rank_sizes, ask, ranks, facts, RANKS);
}

#define FACT(member) .offset = offsetof(lg_ranks, member)

static const lg_field facts[FACTS + 1] = {
    [MIN_BYTES] = {"min_bytes", NULL, "smaller differences have no row",
                   LG_COLUMN_COUNT, FACT(min_bytes)},
    [LIBRARIES] = {"libraries", NULL,
                   "what libraries and the interpreter have in every process",
                   LG_COLUMN_SIZE, FACT(libraries)},
    [REPEATED] = {"repeated", NULL,
                  "what every process has, the most bytes first",
                  LG_COLUMN_LIST, .together = true,
                  .inner = lg__rank_repeat_fields, .row = "RankRepeat",
                  .look = {.lines = true}},
    [RANKS] = {"ranks", NULL, "the processes", LG_COLUMN_LIST, .together = true,
               .inner = lg__rank_size_fields, .row = "Rank",
               .look = {.lines = true}},
};

static lg_status
ask_ranks(const lg_ask *ask, void *answer, lg_error *err)
{
    return lg_ranks_find(ask->compared->summaries, ask->compared->count,
                         ask->options, answer, err);
}

static void
free_ranks(void *answer)
{
    lg_ranks_free(answer);
}

static const lg_ranks_options usual = LG_RANKS_OPTIONS_INIT;

static const lg_option options[] = {
    {"min_bytes", LG_OPTION_BYTES, NULL, "1MiB",
     "leave out smaller differences", offsetof(lg_ranks_options, min_bytes)},
    {0},
};

#define OF_RANKS                                                               \
    .options_size = sizeof usual, .usual = &usual,                             \
    .answer_size = sizeof(lg_ranks), .ask = ask_ranks, .free = free_ranks,     \
    .row_size = sizeof(lg_rank_row), .rows = offsetof(lg_ranks, rows),         \
    .count = offsetof(lg_ranks, row_count),                                    \
    .devices = offsetof(lg_ranks, devices),                                    \
    .device_names = offsetof(lg_ranks, device_names), .noun = "place",         \
    .more = lg__rank_headings, .row = lg__rank_row_put

static const lg_answering in_c = {OF_RANKS, .facts = put_facts,
                                  .above = write_above, .below = add_below};

const lg_question lg__ask_ranks = {
    .name = "ranks",
    .title = "Where the ranks differ",
    .help = "find how the processes of one job differ",
    .about = "Compares the processes of one job at the same point of their "
             "work, and says what they all repeat.",
    .order = "the furthest from the usual first",
    .result = "Ranks",
    .row = "RankRow",
    .needs = LG_NEEDS_SEVERAL,
    .options = options,
    .fields = lg__rank_fields,
    .facts = facts,
    .in_c = &in_c,
};

lg_status
lg_tabulate_rank_differences(const lg_ranks *ranks, size_t limit,
                             lg_table **out, lg_error *err)
{
    static const lg_answering rows_alone = {OF_RANKS};
    static const lg_field none[] = {{0}};
    static const lg_question differences = {
        .fields = lg__rank_fields, .facts = none, .in_c = &rows_alone};
    const lg_ask ask = {.limit = limit};
    return lg_question_tabulate(&differences, &ask, ranks, out, err);
}

lg_status
lg_report_ranks(const lg_ranks *ranks, size_t limit, lg_format format,
                lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    const lg_ask ask = {.limit = limit};
    lg_status status =
        lg_question_tabulate(&lg__ask_ranks, &ask, ranks, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
