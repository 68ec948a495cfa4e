// Writes how the processes of one job differ as one report: the tables, and
// sentences around them.
#include "report/report_ranks.h"

// Rows of the tables below the first one.
enum { REPEATED_SHOWN = 10, RANKS_SHOWN = 16 };

static void
put_list(const lg__rank_table *form, const lg_ranks *ranks, lg_table *facts,
         size_t column)
{
    form->fill(ranks, 0,
               lg__put_table(facts, column, form->columns, form->column_count));
}

static void
put_facts(const lg_ranks *ranks, lg_table *table)
{
    static const lg__column columns_of_facts[] = {
        {"min_bytes", .type = LG_COLUMN_COUNT},
        {"libraries", .type = LG_COLUMN_SIZE},
        {"repeated", .type = LG_COLUMN_LIST, .lines = true},
        {"ranks", .type = LG_COLUMN_LIST, .lines = true},
    };
    lg_table *facts = lg__table_facts(table, columns_of_facts, 4);
    lg__put_count(facts, 0, ranks->min_bytes);
    lg__put_each(facts, 1, ranks->libraries);
    put_list(&lg__rank_repeats, ranks, facts, 2);
    put_list(&lg__rank_sizes, ranks, facts, 3);
}

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
    lg__layout layout = {.faces = LG__SHOWN, .noun = form->noun};
    lg_table *part =
        lg__table_part(table, layout, form->columns, form->column_count);
    lg__table_format_above(part, heading);
    form->fill(ranks, limit, part);
    return part;
}

static void
add_parts(const lg_ranks *ranks, lg_table *table)
{
    lg_text said = {0};
    lg_text_add(&said, "\nWhat every rank has:\n");
    lg_table *part =
        add_part(&lg__rank_repeats, ranks, REPEATED_SHOWN, &said, table);
    format_libraries(ranks, &said);
    lg__table_format_below(part, &said);
    lg_text_add(&said, "\n");
    add_part(&lg__rank_sizes, ranks, RANKS_SHOWN, &said, table);
}

lg_status
lg_tabulate_ranks(const lg_ranks *ranks, size_t limit, lg_table **out,
                  lg_error *err)
{
    lg_table *table = lg__rank_differences(ranks, limit);
    lg_text said = {0};
    put_facts(ranks, table);
    format_ranks(ranks, &said);
    lg__table_format_above(table, &said);
    format_native(ranks, &said);
    lg__table_format_below(table, &said);
    add_parts(ranks, table);
    return lg__table_finish(table, out, err);
}

lg_status
lg_report_ranks(const lg_ranks *ranks, size_t limit, lg_format format,
                lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_ranks(ranks, limit, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
